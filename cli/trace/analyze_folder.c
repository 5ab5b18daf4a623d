/* analyze_folder.c - `tscope analyze ./traces/`: the traces of the ranks of a job (analyze_trace.h). */
#include "cli/json/json_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/folder.h"

enum ts_status ts_answer_trace_job(struct ts_cli *cli, const char *path, bool of_run, struct ts_trace_folder *io_folder,
				   struct ts_arena *arena, struct ts_error *err)
{
	enum ts_job_file_state *states = ts_arena_array(arena, io_folder->n_traces, sizeof *states);
	const char **whys = ts_arena_array(arena, io_folder->n_traces, sizeof *whys);
	struct ts_trace_job job;

	if (!states || !whys)
		return ts_arena_error(arena, err);
	if (ts_trace_job(io_folder->traces, io_folder->n_traces, states, whys, arena, &job, err))
		return err->status;
	for (size_t i = 0; i < io_folder->n_traces; i++) {
		io_folder->files[io_folder->file_of[i]].state = states[i];
		io_folder->files[io_folder->file_of[i]].why = whys[i];
	}
	job.path = path;
	job.of_run = of_run;
	job.files = io_folder->files;
	job.n_files = io_folder->n_files;
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
		status = ts_answer_trace_job(cli, path, false, &folder, &arena, err);
	ts_arena_finish(&arena);
	cli->exit_code = TS_EXIT_YES;
	return status;
}
