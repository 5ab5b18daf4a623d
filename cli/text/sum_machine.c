/* sum_machine.c - what the observations of a machine come to, column by column. */
#include "analysis/stats/stats.h"
#include "cli/core/ask.h"
#include "cli/text/show_machine.h"
#include "ingest/export/run_view.h"
#include "ingest/kept/kept.h"
#include "run/head.h"
#include "run/machine.h"

#include <math.h>

static enum ts_status sum_of(const struct ts_machine_rows *rows, const char *name, const double *values, struct ts_arena *arena,
			     struct ts_machine_sum *ret, struct ts_error *err)
{
	struct ts_machine_sum sum = {.name = name};
	double *known = ts_arena_array(arena, rows->n + 1, sizeof *known);

	if (!known || !name)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < rows->n; i++) {
		double value = values[i];

		if (isnan(value))
			continue;
		if (!sum.n || value > sum.most) {
			sum.most = value;
			sum.most_at = rows->values[TS_MACHINE_SECONDS][i];
		}
		if (!sum.n || value < sum.least)
			sum.least = value;
		known[sum.n++] = value;
		sum.mean += (value - sum.mean) / (double)sum.n;
	}
	if (sum.n)
		sum.median = ts_median(known, sum.n, known);
	*ret = sum;
	return TS_OK;
}

static enum ts_status about_of(struct ts_cli *cli, struct ts_span text, struct ts_machine_about *about, struct ts_error *err)
{
	struct ts_machine_rows rows;

	if (ts_machine_read(text, &cli->arena, &rows, err))
		return err->status;
	about->rows = rows.n;
	about->seconds = rows.n ? rows.values[TS_MACHINE_SECONDS][rows.n - 1] : 0;
	about->sums = ts_arena_array(&cli->arena, TS_MACHINE_COLUMNS + rows.n_gpus * TS_GPU_COLUMNS, sizeof *about->sums);
	if (!about->sums)
		return ts_arena_error(&cli->arena, err);
	for (int i = TS_MACHINE_SECONDS + 1; i < TS_MACHINE_COLUMNS; i++)
		if (sum_of(&rows, ts_machine_names[i], rows.values[i], &cli->arena, &about->sums[about->n++], err))
			return err->status;
	for (size_t gpu = 0; gpu < rows.n_gpus; gpu++)
		for (int i = 0; i < TS_GPU_COLUMNS; i++)
			if (sum_of(&rows, ts_arena_printf(&cli->arena, "gpu%zu_%s", gpu, ts_gpu_names[i]), rows.gpus[gpu][i],
				   &cli->arena, &about->sums[about->n++], err))
				return err->status;
	return TS_OK;
}

static enum ts_status find(const struct ts_view *view, bool has_rank, int32_t rank, struct ts_arena *arena, struct ts_file *ret_file,
			   int32_t *ret_rank, bool *ret_found, struct ts_error *err)
{
	*ret_found = false;
	for (size_t i = 0; !*ret_found && i < view->head.n_ranks; i++) {
		struct ts_index index;

		if (ts_view_index(view, i, arena, &index, err))
			return err->status;
		for (size_t k = 0; k < index.n_files && (!has_rank || index.rank == rank); k++)
			if (ts_span_is(index.files[k].name, TS_MACHINE_FILE) && !index.files[k].has_columns) {
				*ret_file = index.files[k];
				*ret_rank = index.rank;
				*ret_found = true;
			}
	}
	return TS_OK;
}

enum ts_status ts_machine_about_run(struct ts_cli *cli, const struct ts_get_reply *run, bool has_rank, int32_t rank,
				    struct ts_machine_about *ret, struct ts_error *err)
{
	struct ts_machine_about about = {.rows = 0};
	struct ts_buf text = TS_BUF_INIT(TS_MACHINE_FILE_MAX);
	struct ts_file file;
	struct ts_view view;
	enum ts_status status;
	bool found;

	if (ts_view_open(&view, &run->run.id, ts_stored_object, cli, err))
		return err->status;
	status = find(&view, has_rank, rank, &cli->arena, &file, &about.rank, &found, err);
	if (!status && !found)
		status = ts_error_set(err, TS_NOT_FOUND, "the run has no observations of its machine: tscope run makes them");
	if (!status)
		status = ts_view_file(&view, &file, &text, err);
	if (!status)
		status = about_of(cli, ts_buf_view(&text), &about, err);
	ts_buf_finish(&text);
	ts_view_close(&view);
	if (!status)
		*ret = about;
	return status;
}
