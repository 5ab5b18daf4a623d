#include "cli/verbs/analyze_snapshot.h"

#include "cli/core/path_run.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/report/report_memory.h"
#include "cli/trace/stored_trace.h"
#include "ingest/snapshot/snapshot_read.h"
#include "run/run_file.h"
#include "run/snapshot_columns.h"

bool ts_is_snapshot(const char *word)
{
	return word && ts_is_path(word) && ts_snapshot_sniff(word);
}

static enum ts_status device_memory(const struct ts_cli *cli, uint64_t *ret_capacity, struct ts_error *err)
{
	double bytes = 0;
	bool given;

	if (ts_args_bytes(&cli->args, "device-memory", &given, &bytes, err))
		return ts_error_prefix(err, "analyze");
	if (given && bytes >= 0x1p62)
		return ts_error_set(err, TS_INVALID, "analyze: --device-memory %g bytes cannot be the memory of a device", bytes);
	*ret_capacity = (uint64_t)bytes;
	return TS_OK;
}

static enum ts_status show(struct ts_cli *cli, const char *name, const struct ts_snapshot *snapshot, struct ts_error *err)
{
	struct ts_memory_answer answer;
	struct ts_report report;
	uint64_t capacity = 0;

	if (device_memory(cli, &capacity, err) || ts_memory_of(snapshot, capacity, &cli->arena, &answer, err))
		return err->status;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_memory, &answer, err);
	if (ts_report_of_memory(&answer, name, &cli->arena, &report, err))
		return err->status;
	return ts_render_report_text(cli, &report, err);
}

enum ts_status ts_analyze_snapshot(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	const char *slash = strrchr(path, '/');
	struct ts_snapshot snapshot;

	if (ts_snapshot_load(path, &cli->arena, &snapshot, err))
		return err->status;
	return show(cli, slash ? slash + 1 : path, &snapshot, err);
}

/* The file of this name and, unless has_rank is false, of this rank. */
static enum ts_status choose(const struct ts_get_reply *run, const char *name, bool has_rank, int32_t rank,
			     const struct ts_file_info **ret_file, struct ts_error *err)
{
	const struct ts_file_info *found = NULL;

	for (size_t i = 0; i < run->n_files; i++) {
		if (!ts_span_is(run->files[i].name, name) || (has_rank && run->files[i].rank != rank))
			continue;
		if (found)
			return ts_error_set(err, TS_AMBIGUOUS, "analyze: ranks %d and %d have a file %s; say which with --rank",
					    (int)found->rank, (int)run->files[i].rank, name);
		found = &run->files[i];
	}
	if (!found)
		return ts_error_set(err, TS_NOT_FOUND, "analyze: the run has no file %s; tscope show lists those that it has", name);
	*ret_file = found;
	return TS_OK;
}

enum ts_status ts_analyze_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const char *name, bool has_rank,
					  int32_t rank, struct ts_error *err)
{
	const struct ts_file_info *info = NULL;
	struct ts_snapshot snapshot;
	struct ts_file file;

	if (choose(run, name, has_rank, rank, &info, err) ||
	    ts_run_file(ts_stored_object, cli, &run->run.id, info->rank, info->name, &cli->arena, &file, err))
		return err->status;
	if (!file.has_columns)
		return ts_error_set(err, TS_INVALID, "analyze: %s could not be read as a memory snapshot when it was pushed", name);
	if (ts_snapshot_columns_load(ts_stored_object, cli, &file.columns, &cli->arena, &snapshot, err))
		return err->status;
	return show(cli, name, &snapshot, err);
}
