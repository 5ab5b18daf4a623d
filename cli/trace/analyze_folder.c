/* analyze_folder.c - `tscope analyze ./traces/`: the traces of the ranks of a job (analyze_trace.h). */
#include "analysis/rules/rule.h"
#include "analysis/trace/advice/trace_answer.h"
#include "base/order.h"
#include "cli/core/policy_file.h"
#include "cli/json/json_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/folder.h"
#include "cli/trace/page_trace.h"

static int64_t began(const struct ts_job_trace *t)
{
	int64_t at;

	return __builtin_add_overflow(t->base_ns, t->from, &at) ? INT64_MAX : at;
}

/* Whether b is of the same rank as a, counts, and follows it in time. */
static bool is_followed(const struct ts_job_trace *a, const struct ts_job_trace *b, enum ts_job_file_state state)
{
	return state == TS_JOB_FILE_READ && b->rank == a->rank && began(b) > began(a);
}

TS_ORDER(by_rank, struct ts_rank_rows, TS_UP(rank))

/* Asks the rules on traces of each rank: of the cycles of its profiler the last counts. */
static enum ts_status judge(struct ts_cli *cli, const struct ts_trace_folder *folder, const enum ts_job_file_state *states,
			    struct ts_arena *arena, struct ts_trace_job *io_job, struct ts_error *err)
{
	struct ts_rank_rows *ranks = ts_arena_array(arena, folder->n_traces, sizeof *ranks);
	struct ts_policy policy;
	size_t n = 0;

	if (!ranks)
		return ts_arena_error(arena, err);
	if (ts_policy_file(cli, &policy, err))
		return ts_error_prefix(err, "analyze");
	for (size_t i = 0; i < folder->n_traces; i++) {
		const struct ts_job_trace *t = &folder->traces[i];
		bool last = states[i] == TS_JOB_FILE_READ && t->rank >= 0 && t->rank <= INT32_MAX;

		for (size_t k = 0; k < folder->n_traces && last; k++)
			last = !is_followed(t, &folder->traces[k], states[k]);
		if (last)
			ranks[n++] = (struct ts_rank_rows){.rank = (int32_t)t->rank, .measures = folder->rows[i]};
	}
	TS_SORT(ranks, n, by_rank);
	return ts_trace_job_judge(io_job, ranks, n, &policy, arena, err);
}

enum ts_status ts_answer_trace_job(struct ts_cli *cli, const char *path, bool of_run, struct ts_trace_folder *io_folder,
				   struct ts_arena *arena, bool *ret_answered, struct ts_error *err)
{
	enum ts_job_file_state *states = ts_arena_array(arena, io_folder->n_traces, sizeof *states);
	const char **whys = ts_arena_array(arena, io_folder->n_traces, sizeof *whys);
	struct ts_trace_job job;

	if (!states || !whys)
		return ts_arena_error(arena, err);
	if (ts_trace_job(io_folder->traces, io_folder->n_traces, states, whys, arena, &job, err) ||
	    judge(cli, io_folder, states, arena, &job, err))
		return err->status;
	for (size_t i = 0; i < io_folder->n_traces; i++) {
		io_folder->files[io_folder->file_of[i]].state = states[i];
		io_folder->files[io_folder->file_of[i]].why = whys[i];
	}
	job.path = path;
	job.of_run = of_run;
	job.files = io_folder->files;
	job.n_files = io_folder->n_files;
	cli->exit_code = ts_fails_on(cli, &job.findings) ? TS_EXIT_NO : TS_EXIT_YES;
	if (ts_trace_job_page(cli, &job, ret_answered, err))
		return err->status;
	if (*ret_answered)
		return TS_OK;
	return cli->json ? ts_json_answer(cli, &ts_shape_trace_job, &job, err) : ts_render_trace_job_text(cli, &job, err);
}

enum ts_status ts_analyze_trace_folder(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	struct ts_trace_folder folder;
	bool answered = false;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_trace_folder_read(cli, path, &arena, &folder, err);
	if (!status)
		status = ts_answer_trace_job(cli, path, false, &folder, &arena, &answered, err);
	ts_arena_finish(&arena);
	return status;
}
