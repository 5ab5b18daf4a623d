#include "cli/trace/timeline_link.h"

#include "base/limits.h"
#include "base/uri.h"
#include "run/head.h"

const char *ts_timeline_link(struct ts_cli *cli, const char *run, const struct ts_run_trace *trace, const int64_t *at_ns)
{
	struct ts_buf out = TS_BUF_INIT(TS_TEXT_MAX);
	const char *text;

	ts_buf_str(&out, "timeline/");
	ts_uri_encode_name(&out, ts_span_str(run));
	ts_buf_str(&out, "?trace=");
	ts_uri_encode(&out, trace->name, false);
	if (trace->rank != TS_RANK_JOB)
		ts_buf_printf(&out, "&rank=%" PRId32, trace->rank);
	if (at_ns)
		ts_buf_printf(&out, "&at=%" PRId64, *at_ns);
	text = out.failed ? "" : ts_arena_phrase(&cli->arena, "%.*s", (int)out.len, (const char *)out.data);
	ts_buf_finish(&out);
	return text;
}
