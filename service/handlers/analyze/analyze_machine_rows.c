#include "service/handlers/analyze/analyze_machine_rows.h"

#include "analysis/machine/machine_use.h"
#include "base/limits.h"
#include "base/object.h"
#include "run/kind.h"
#include "service/handlers/analyze/analyze_columns.h"

#include <math.h>

static const struct ts_file *file_of(const struct ts_index *index)
{
	for (size_t i = 0; i < index->n_files; i++)
		if (ts_span_is(index->files[i].name, TS_MACHINE_FILE) && !index->files[i].has_columns)
			return &index->files[i];
	return NULL;
}

static enum ts_status read_chunk(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *work, struct ts_buf *out,
				 struct ts_error *err)
{
	struct ts_object object;
	struct ts_span bytes;

	if (ts_fetch_object(f, id, work, &bytes, err) || ts_object_parse(bytes, &object, err))
		return err->status;
	if (object.kind != TS_KIND_CHUNK || object.version != TS_FORMAT_VERSION)
		return ts_error_set(err, TS_DAMAGED, "an object of kind %u where part of a file should be", object.kind);
	ts_buf_span(out, object.payload);
	return TS_OK;
}

static enum ts_status read_file(struct ts_fetch *f, const struct ts_file *file, struct ts_buf *out, struct ts_error *err)
{
	enum ts_status status = TS_OK;
	struct ts_arena work;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	for (size_t i = 0; !status && i < file->n_chunks; i++) {
		ts_arena_reset(&work);
		status = read_chunk(f, &file->chunks[i], &work, out, err);
	}
	ts_arena_finish(&work);
	return status ? status : ts_buf_check(out, err);
}

/* Leaves out the rows of before. */
static void cut(struct ts_machine_rows *table, double since)
{
	const double *seconds = table->values[TS_MACHINE_SECONDS];
	size_t n = 0;

	while (n < table->n && seconds[n] < since)
		n++;
	table->n -= n;
	for (size_t i = 0; i < TS_MACHINE_COLUMNS; i++)
		table->values[i] += n;
	for (size_t gpu = 0; gpu < table->n_gpus; gpu++)
		for (size_t i = 0; i < TS_GPU_COLUMNS; i++)
			table->gpus[gpu][i] += n;
}

static enum ts_status use(struct ts_span text, double since, struct ts_arena *work, struct ts_arena *arena, struct ts_measures *io_rows,
			  struct ts_error *err)
{
	struct ts_machine_rows table;

	if (!ts_machine_read(text, work, &table, err)) {
		cut(&table, since);
		return ts_machine_use(&table, arena, io_rows, err);
	}
	if (err->status != TS_INVALID && err->status != TS_TOO_LARGE)
		return err->status;
	return ts_machine_use_unread(ts_arena_printf(arena, "%s: %s", TS_MACHINE_FILE, err->text), arena, io_rows, err);
}

static double stamp_from(const struct ts_series *stamps, int64_t first)
{
	for (size_t i = 0; i < stamps->n; i++)
		if (stamps->keys[i] >= first && stamps->values[i] > 0)
			return stamps->values[i];
	return NAN;
}

/* When that step began to count, in seconds since tscope run began; 0: it is not known. */
static enum ts_status since_of(struct ts_fetch *f, const struct ts_machine_from *from, double *ret_since, struct ts_error *err)
{
	const struct ts_fact *began = from ? ts_facts_find(&from->run->head.facts, ts_span_str("session.launch.began")) : NULL;
	const struct ts_table *table;
	const struct ts_column *column = from ? ts_columns_find(from->index, "timestamp", &table) : NULL;
	struct ts_columns columns;
	struct ts_series stamps;
	enum ts_status status;

	*ret_since = 0;
	if (!column || from->step == INT64_MIN || !began || began->type != TS_FACT_FLOAT)
		return TS_OK;
	ts_columns_init(&columns, f);
	status = ts_columns_load(&columns, table, column, &stamps, err);
	if (!status)
		*ret_since = fmax(0, stamp_from(&stamps, from->step) - began->real); /* 0 where it is no number */
	ts_columns_finish(&columns);
	return status;
}

enum ts_status ts_machine_rows_of(struct ts_fetch *f, const struct ts_index *index, const struct ts_machine_from *from,
				  struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err)
{
	const struct ts_file *file = file_of(index);
	struct ts_buf text = TS_BUF_INIT(TS_MACHINE_FILE_MAX);
	struct ts_arena work;
	enum ts_status status;
	double since;

	if (!file)
		return TS_OK;
	if (since_of(f, from, &since, err))
		return err->status;
	if (file->size > TS_MACHINE_FILE_MAX)
		return ts_machine_use_unread("the table of the machine is too large to be read", arena, io_rows, err);
	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = read_file(f, file, &text, err);
	if (!status)
		status = use(ts_buf_view(&text), since, &work, arena, io_rows, err);
	ts_arena_finish(&work);
	ts_buf_finish(&text);
	return status ? ts_error_prefix(err, "the table of the machine") : TS_OK;
}

enum ts_status ts_machine_rows_of_job(struct ts_fetch *f, const struct ts_run *run, const struct ts_machine_from *from,
				      struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err)
{
	for (size_t i = 0; i < run->head.n_ranks; i++)
		if (run->indexes[i].rank == TS_RANK_JOB)
			return ts_machine_rows_of(f, &run->indexes[i], from, arena, io_rows, err);
	return TS_OK;
}

enum ts_status ts_machine_rows_of_run(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena, struct ts_measures *io_rows,
				      struct ts_error *err)
{
	struct ts_run run;

	if (ts_run_open(f, id, arena, &run, err) || ts_machine_rows_of_job(f, &run, NULL, arena, io_rows, err))
		return err->status;
	for (size_t i = 0; !io_rows->n && i < run.head.n_ranks; i++)
		if (ts_machine_rows_of(f, &run.indexes[i], NULL, arena, io_rows, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_machine_rows_of_first(struct ts_fetch *f, const struct ts_id *const *ids, size_t n, struct ts_arena *arena,
					struct ts_measures *io_rows, struct ts_error *err)
{
	for (size_t i = 0; i < n && !io_rows->n; i++)
		if (ts_machine_rows_of_run(f, ids[i], arena, io_rows, err) && err->status != TS_NOT_FOUND)
			return err->status;
	return TS_OK;
}
