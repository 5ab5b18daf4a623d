/* analyze_folder.c - `tscope analyze ./traces/`: the traces of the ranks of a job (analyze_trace.h). */
#include "cli/json/json_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/folder.h"

static enum ts_status answer(struct ts_cli *cli, const char *path, struct ts_trace_folder *folder, struct ts_arena *arena,
			     struct ts_error *err)
{
	enum ts_job_file_state *states = ts_arena_array(arena, folder->n_traces, sizeof *states);
	const char **whys = ts_arena_array(arena, folder->n_traces, sizeof *whys);
	struct ts_trace_job job;

	if (!states || !whys)
		return ts_arena_error(arena, err);
	if (ts_trace_job(folder->traces, folder->n_traces, states, whys, arena, &job, err))
		return err->status;
	for (size_t i = 0; i < folder->n_traces; i++) {
		folder->files[folder->file_of[i]].state = states[i];
		folder->files[folder->file_of[i]].why = whys[i];
	}
	job.path = path;
	job.files = folder->files;
	job.n_files = folder->n_files;
	return cli->json ? ts_json_answer(cli, &ts_shape_trace_job, &job, err) : ts_render_trace_job_text(cli, &job, err);
}

enum ts_status ts_analyze_trace_folder(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	struct ts_trace_folder folder;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_trace_folder_read(cli, path, &arena, &folder, err);
	if (!status)
		status = answer(cli, path, &folder, &arena, err);
	ts_arena_finish(&arena);
	cli->exit_code = TS_EXIT_YES;
	return status;
}
