/* analyze_trace.c - see analyze_trace.h. */
#include "cli/trace/analyze_trace.h"

#include "base/below.h"
#include "cli/core/policy_file.h"
#include "cli/core/progress.h"
#include "cli/json/json_parts.h"
#include "cli/trace/overlay.h"
#include "cli/trace/page_trace.h"
#include "ingest/trace/trace_sniff.h"

#include <unistd.h>

enum ts_status ts_is_trace(const char *word, bool *ret, struct ts_error *err)
{
	*ret = false;
	return ts_is_path(word) ? ts_trace_sniff(word, ret, err) : TS_OK;
}

enum ts_status ts_load_trace(const struct ts_cli *cli, const char *top, const char *path, struct ts_notices *notices,
			     struct ts_trace *trace, struct ts_trace_file *file, struct ts_error *err)
{
	struct ts_progress bar;
	struct ts_read_progress progress = {.tell = ts_progress_step, .ctx = &bar};
	struct ts_source source = {.path = ts_span_str(path), .name = ts_span_str(""), .progress = &progress};
	struct ts_trace_reading reading = {.notices = notices};
	enum ts_status status;

	if (ts_below_open(top, path, &source.fd, &source.size, err))
		return err->status;
	progress.total = source.size;
	ts_progress_begin(&bar, cli, "reading", path);
	status = ts_trace_load(&source, &reading, trace, file, err);
	ts_progress_end(&bar);
	(void)close(source.fd);
	return status;
}

/* What is said of the trace, with the critical path of --step alone if that is given. */
static enum ts_status compute(struct ts_cli *cli, const struct ts_trace *trace, struct ts_trace_answer *ret, struct ts_error *err)
{
	struct ts_path_asked asked = {.has_step = false};
	uint64_t step = 0;

	if (ts_args_uint(&cli->args, "step", INT64_MAX, &asked.has_step, &step, err))
		return err->status;
	asked.step = (int64_t)step;
	if (ts_trace_answer(trace, &asked, &cli->arena, ret, err))
		return err->status == TS_NOT_FOUND ? ts_error_prefix(err, "the critical path") : err->status;
	return TS_OK;
}

static enum ts_status show(struct ts_cli *cli, const char *path, const struct ts_trace *trace, const struct ts_trace_record *record,
			   struct ts_trace_answer *answer, struct ts_error *err)
{
	struct ts_policy policy;
	bool answered = false;

	if (ts_policy_file(cli, &policy, err))
		return ts_error_prefix(err, "analyze");
	if (ts_trace_judge(answer, &policy, &cli->arena, err))
		return err->status;
	cli->exit_code = ts_fails_on(cli, &answer->verdict.findings) ? TS_EXIT_NO : TS_EXIT_YES;
	answer->path = path;
	answer->events = record->events;
	answer->cut = record->cut;
	answer->notices = record->notices;
	answer->n_notices = record->n_notices;
	if (ts_trace_page(cli, trace, answer, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	return cli->json ? ts_json_answer(cli, &ts_shape_trace, answer, err) : ts_render_trace_text(cli, answer, err);
}

enum ts_status ts_show_trace(struct ts_cli *cli, const char *path, const struct ts_trace *trace, const struct ts_trace_record *record,
			     struct ts_error *err)
{
	struct ts_trace_answer answer;

	return compute(cli, trace, &answer, err) ? err->status : show(cli, path, trace, record, &answer, err);
}

/* Writes --overlay. */
static enum ts_status overlay(struct ts_cli *cli, const char *path, const struct ts_trace *trace, const struct ts_trace_file *file,
			      const struct ts_critical_path *critical, struct ts_error *err)
{
	const char *to = ts_args_text(&cli->args, "overlay");

	if (!to)
		return TS_OK;
	if (ts_write_overlay(path, trace, file, critical, to, err))
		return err->status;
	ts_cli_say(cli, "wrote the trace with its critical path to %s", to);
	return TS_OK;
}

static enum ts_status answer_of(struct ts_cli *cli, const char *path, const struct ts_notices *notices, const struct ts_trace *trace,
				const struct ts_trace_file *file, struct ts_error *err)
{
	struct ts_trace_answer answer;
	struct ts_trace_record record;

	if (compute(cli, trace, &answer, err) || overlay(cli, path, trace, file, &answer.critical, err) ||
	    ts_trace_file_record(file, notices, &cli->arena, &record, err))
		return err->status;
	return show(cli, path, trace, &record, &answer, err);
}

enum ts_status ts_analyze_trace(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	struct ts_notices notices = {.arena = &cli->arena};
	struct ts_trace_file file;
	struct ts_trace trace;
	enum ts_status status;

	if (ts_load_trace(cli, path, path, &notices, &trace, &file, err))
		return err->status;
	ts_say_notices(cli, path, &notices, false);
	status = answer_of(cli, path, &notices, &trace, &file, err);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	return status;
}
