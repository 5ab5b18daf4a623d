/* stored_job.c - `tscope analyze RUN` of a run that has the traces of several ranks and no steps (stored_trace.h). */
#include "cli/core/ask.h"
#include "cli/core/path_run.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/folder.h"
#include "cli/trace/stored_trace.h"
#include "run/head.h"
#include "run/trace_columns.h"

bool ts_stored_is_job(const struct ts_run_trace *traces, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (traces[i].rank != traces[0].rank)
			return true;
	return false;
}

/* "rank1/trace.json", as an export would write it: ranks may have files of one name. */
static const char *name_of(const struct ts_run_trace *trace, struct ts_arena *arena)
{
	if (trace->rank == TS_RANK_JOB)
		return ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(trace->name));
	return ts_arena_printf(arena, "rank%" PRId32 "/%.*s", trace->rank, TS_SPAN_ARG(trace->name));
}

/* What reading the file found when it was pushed. */
static enum ts_status say_record(struct ts_cli *cli, const char *name, const struct ts_trace_record *record, struct ts_arena *arena,
				 struct ts_error *err)
{
	struct ts_notice *items = ts_arena_array(arena, record->n_notices, sizeof *items);
	struct ts_notices notices = {.items = items, .n = record->n_notices, .cap = record->n_notices, .arena = arena};

	if (!items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < record->n_notices; i++) {
		const struct ts_trace_notice *n = &record->notices[i];

		items[i] = (struct ts_notice){.code = n->code,
					      .level = n->skipped ? TS_NOTICE_SKIPPED : TS_NOTICE_INFO,
					      .count = n->count,
					      .detail = n->detail};
	}
	ts_say_notices(cli, name, &notices, false);
	return TS_OK;
}

/* The loaded trace lies in an arena of its own, so that one is there at a time. */
static enum ts_status read_one(struct ts_cli *cli, const struct ts_run_trace *stored, struct ts_job_file *ret_file,
			       struct ts_arena *arena, struct ts_job_trace *ret, struct ts_measures *ret_rows, struct ts_error *err)
{
	struct ts_trace_record record;
	struct ts_trace trace;
	struct ts_arena own;
	enum ts_status status;

	*ret_file = (struct ts_job_file){.name = name_of(stored, arena), .state = TS_JOB_FILE_READ};
	if (!ret_file->name)
		return ts_arena_error(arena, err);
	ts_trace_room(cli, stored->size);
	ts_arena_init(&own, 0);
	status = ts_stored_load(cli, stored, &own, &trace, &record, err);
	if (!status) {
		ret_file->cut = record.cut;
		status = say_record(cli, ret_file->name, &record, &own, err);
		if (!status)
			status = ts_trace_of_job(cli, &trace, ret_file->name, arena, ret, ret_rows, err);
		ts_trace_finish(&trace);
	}
	ts_arena_finish(&own);
	return status;
}

/* Rows for the files that push could not read, which have no columns. */
static enum ts_status add_unread(const struct ts_get_reply *run, struct ts_arena *arena, struct ts_trace_folder *io,
				 struct ts_error *err)
{
	for (size_t i = 0; i < run->n_files; i++) {
		const struct ts_run_trace file = {.rank = run->files[i].rank, .name = run->files[i].name};
		const char *name;

		if (run->files[i].has_columns)
			continue;
		name = name_of(&file, arena);
		if (!name)
			return ts_arena_error(arena, err);
		io->files[io->n_files++] =
			(struct ts_job_file){.name = name, .state = TS_JOB_FILE_FAILED, .why = "push could not read it"};
	}
	return TS_OK;
}

static enum ts_status read_all(struct ts_cli *cli, const struct ts_run_trace *traces, size_t n, size_t files, struct ts_arena *arena,
			       struct ts_trace_folder *ret, struct ts_error *err)
{
	struct ts_trace_folder out = {.n_files = n, .n_traces = n};

	out.files = ts_arena_array(arena, files, sizeof *out.files);
	out.traces = ts_arena_array(arena, n, sizeof *out.traces);
	out.rows = ts_arena_array(arena, n, sizeof *out.rows);
	out.file_of = ts_arena_array(arena, n, sizeof *out.file_of);
	if (!out.files || !out.traces || !out.rows || !out.file_of)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		out.file_of[i] = i;
		if (read_one(cli, &traces[i], &out.files[i], arena, &out.traces[i], &out.rows[i], err))
			return err->status;
	}
	*ret = out;
	return TS_OK;
}

enum ts_status ts_analyze_stored_job(struct ts_cli *cli, const char *word, const struct ts_get_reply *run,
				     const struct ts_run_trace *traces, size_t n, struct ts_error *err)
{
	struct ts_trace_folder folder;
	bool answered = false;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = read_all(cli, traces, n, run->n_files, &arena, &folder, err);
	if (!status)
		status = add_unread(run, &arena, &folder, err);
	if (!status)
		status = ts_answer_trace_job(cli, word, true, &folder, &arena, &answered, err);
	ts_arena_finish(&arena);
	return status || cli->json || answered ? status : ts_point_to_stored(cli, word, err);
}
