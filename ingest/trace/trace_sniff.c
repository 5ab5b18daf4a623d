#include "ingest/trace/trace_sniff.h"

#include "base/below.h"
#include "base/text.h"
#include "ingest/trace/trace_input.h"

#include <unistd.h>

enum { LOOK = 64 << 10 };

bool ts_trace_named(const char *path)
{
	static const char *const names[] = {"profiler_trace.json", "trace.json", "kineto.json"};
	const char *slash = strrchr(path, '/');
	struct ts_span name = ts_span_str(slash ? slash + 1 : path);

	if (ts_span_ends(name, ".gz"))
		name.len -= 3;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ts_span_is(name, names[i]))
			return true;
	return ts_span_ends(name, ".pt.trace.json");
}

static bool looks_so(struct ts_span text)
{
	if (text.len >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0)
		text = ts_span_from(text, 3);
	while (text.len && ts_is_space(text.data[0]))
		text = ts_span_from(text, 1);
	if (!text.len)
		return false;
	if (text.data[0] == '[')
		return ts_span_contains(text, "\"ph\"");
	return text.data[0] == '{' && (ts_span_contains(text, "\"traceEvents\"") ||
				       (ts_span_contains(text, "\"schemaVersion\"") && ts_span_contains(text, "\"deviceProperties\"")));
}

enum ts_status ts_trace_sniff(const char *path, bool *ret, struct ts_error *err)
{
	struct ts_source source = {.path = ts_span_str(path), .name = ts_span_str(path)};
	struct ts_trace_input in;
	struct ts_error cannot;
	enum ts_status status;

	*ret = ts_trace_named(path) && ts_below_kind(path, path) == TS_FILE_REGULAR;
	if (*ret || ts_below_kind(path, path) != TS_FILE_REGULAR)
		return TS_OK;
	/* Whoever reads it as something else says why it cannot be read. */
	if (ts_below_open(path, path, &source.fd, &source.size, &cannot))
		return TS_OK;
	status = ts_trace_input_open(&in, &source, LOOK, &cannot);
	if (!status) {
		status = ts_trace_input_more(&in, 0, &cannot);
		*ret = !status && looks_so(ts_span_of(in.window, in.len));
		ts_trace_input_close(&in);
	}
	(void)close(source.fd);
	if (status != TS_NO_MEMORY)
		return TS_OK;
	*err = cannot;
	return status;
}
