/* analyze_trace.c - see analyze_trace.h. */
#include "cli/trace/analyze_trace.h"

#include "base/below.h"
#include "cli/core/path_run.h"
#include "cli/core/progress.h"
#include "cli/json/json_parts.h"
#include "ingest/trace/trace_read.h"
#include "ingest/trace/trace_sniff.h"

#include <unistd.h>

enum ts_status ts_is_trace(const char *word, bool *ret, struct ts_error *err)
{
	*ret = false;
	return ts_is_path(word) ? ts_trace_sniff(word, ret, err) : TS_OK;
}

enum ts_status ts_load_trace(const struct ts_cli *cli, const char *path, struct ts_notices *notices, struct ts_trace *trace,
			     struct ts_trace_file *file, struct ts_error *err)
{
	struct ts_progress bar;
	struct ts_read_progress progress = {.tell = ts_progress_step, .ctx = &bar};
	struct ts_source source = {.path = ts_span_str(path), .name = ts_span_str(""), .progress = &progress};
	struct ts_trace_reading reading = {.notices = notices};
	enum ts_status status;

	if (ts_below_open(path, path, &source.fd, &source.size, err))
		return err->status;
	progress.total = source.size;
	ts_progress_begin(&bar, cli, "reading", path);
	status = ts_trace_load(&source, &reading, trace, file, err);
	ts_progress_end(&bar);
	(void)close(source.fd);
	return status;
}

static enum ts_status keep_notices(struct ts_cli *cli, const struct ts_notices *notices, struct ts_trace_answer *answer,
				   struct ts_error *err)
{
	answer->notices = ts_arena_array(&cli->arena, notices->n, sizeof *answer->notices);
	if (!answer->notices)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < notices->n; i++)
		answer->notices[answer->n_notices++] = (struct ts_trace_notice){.code = notices->items[i].code,
										.skipped = notices->items[i].level == TS_NOTICE_SKIPPED,
										.count = notices->items[i].count,
										.detail = notices->items[i].detail};
	return TS_OK;
}

static enum ts_status answer_of(struct ts_cli *cli, const char *path, const struct ts_notices *notices, const struct ts_trace *trace,
				const struct ts_trace_file *file, const struct ts_policy *policy, struct ts_findings *ret_findings,
				struct ts_error *err)
{
	struct ts_trace_answer answer;

	if (ts_trace_answer(trace, &cli->arena, &answer, err) || keep_notices(cli, notices, &answer, err))
		return err->status;
	answer.path = path;
	answer.events = file->events;
	answer.cut = file->cut;
	if (ts_trace_judge(&answer, policy, &cli->arena, err))
		return err->status;
	*ret_findings = answer.verdict.findings;
	return cli->json ? ts_json_answer(cli, &ts_shape_trace, &answer, err) : ts_render_trace_text(cli, &answer, err);
}

enum ts_status ts_analyze_trace(struct ts_cli *cli, const char *path, const struct ts_policy *policy, struct ts_findings *ret_findings,
				struct ts_error *err)
{
	struct ts_notices notices = {.arena = &cli->arena};
	struct ts_trace_file file;
	struct ts_trace trace;
	enum ts_status status;

	if (ts_load_trace(cli, path, &notices, &trace, &file, err))
		return err->status;
	ts_say_notices(cli, path, &notices, false);
	status = answer_of(cli, path, &notices, &trace, &file, policy, ret_findings, err);
	ts_trace_finish(&trace);
	ts_trace_file_finish(&file);
	return status;
}
