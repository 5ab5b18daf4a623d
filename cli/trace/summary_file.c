#include "cli/trace/summary_file.h"

#include "analysis/trace/device/kernel_table.h"
#include "analysis/trace/device/trace_steps.h"
#include "analysis/trace/diff/summarize.h"
#include "analysis/trace/diff/trace_diff.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "ingest/export/run_view.h"

static enum ts_status write_summary(const struct ts_trace *trace, struct ts_arena *work, struct ts_buf *text, struct ts_error *err)
{
	struct ts_trace known = *trace; /* its rows are the caller's */
	struct ts_kernel_summary summary;

	if (ts_trace_steps_count(trace) > TS_SIDE_STEPS_MOST)
		return ts_error_set(err, TS_TOO_LARGE, "a trace of more than %d steps", TS_SIDE_STEPS_MOST);
	if (ts_kernel_table(&known, NULL, work, err) || ts_summarize_kernels(&known, work, &summary, err))
		return err->status;
	ts_kernel_summary_write(&summary, text);
	return ts_buf_check(text, err);
}

enum ts_status ts_summarize_trace(const struct ts_trace *trace, struct ts_arena *arena, struct ts_span *ret_text, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_SUMMARY_FILE_MAX);
	enum ts_status status;
	struct ts_arena work;

	*ret_text = ts_span_of(NULL, 0);
	if (!ts_trace_has_device(trace))
		return TS_OK;
	ts_arena_init(&work, 0);
	status = write_summary(trace, &work, &text, err);
	ts_arena_finish(&work);
	if (!status) {
		*ret_text = ts_arena_span(arena, ts_buf_view(&text));
		status = ret_text->data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_buf_finish(&text);
	return status;
}

static bool has_trace(const struct ts_run_trace *traces, size_t n, int32_t rank, struct ts_span name)
{
	for (size_t i = 0; i < n; i++)
		if (traces[i].rank == rank && ts_span_eq(traces[i].name, name))
			return true;
	return false;
}

enum ts_status ts_run_summaries(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_run_trace *traces, size_t n_traces,
				struct ts_run_trace **ret_summaries, size_t *ret_n, struct ts_error *err)
{
	struct ts_run_trace *summaries = ts_arena_array(&cli->arena, run->n_files, sizeof *summaries);
	size_t n = 0;

	if (!summaries)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < run->n_files; i++) {
		const struct ts_file_info *f = &run->files[i];
		struct ts_span name = f->name;

		if (f->has_columns || !ts_summary_named(name))
			continue;
		name.len -= sizeof TS_SUMMARY_ENDING - 1;
		if (!has_trace(traces, n_traces, f->rank, name))
			summaries[n++] = (struct ts_run_trace){.rank = f->rank, .name = name, .size = f->size};
	}
	*ret_summaries = summaries;
	*ret_n = n;
	return TS_OK;
}

static enum ts_status read_file(const struct ts_view *view, const struct ts_run_trace *summary, struct ts_arena *arena,
				struct ts_buf *text, struct ts_error *err)
{
	char *name = ts_arena_printf(arena, "%.*s%s", TS_SPAN_ARG(summary->name), TS_SUMMARY_ENDING);
	struct ts_file file;

	if (!name)
		return ts_arena_error(arena, err);
	return ts_view_find_file(view, summary->rank, ts_span_str(name), arena, &file, err) ? err->status
											     : ts_view_file(view, &file, text, err);
}

enum ts_status ts_summary_load(struct ts_cli *cli, const struct ts_id *run, const struct ts_run_trace *summary, struct ts_arena *arena,
			       struct ts_kernel_summary *ret, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(TS_SUMMARY_FILE_MAX);
	enum ts_status status;
	struct ts_view view;

	if (ts_view_open(&view, run, ts_stored_object, cli, err))
		return err->status;
	status = read_file(&view, summary, arena, &text, err);
	if (!status)
		status = ts_kernel_summary_read(ts_buf_view(&text), arena, ret, err);
	ts_buf_finish(&text);
	ts_view_close(&view);
	return status ? ts_error_prefix(err, "%s%s", ts_show(summary->name).text, TS_SUMMARY_ENDING) : TS_OK;
}
