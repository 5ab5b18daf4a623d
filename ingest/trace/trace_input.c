#include "ingest/trace/trace_input.h"

#include "base/alloc.h"
#include "ingest/core/inflow.h"
#include "ingest/trace/trace_event.h"

static enum ts_status widen(struct ts_trace_input *in, struct ts_error *err)
{
	uint8_t *window;

	if (in->cap >= TS_TRACE_VALUE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%.*s: byte %" PRIu64 ": a value of more than %d MiB",
				    TS_SPAN_ARG(in->source->path), in->base, TS_TRACE_VALUE_MAX >> 20);
	window = ts_realloc(in->window, in->cap * 2 + TS_TRACE_PAD);
	if (!window)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a window of a trace");
	in->window = window;
	in->cap *= 2;
	return TS_OK;
}

enum ts_status ts_trace_input_more(struct ts_trace_input *in, size_t keep, struct ts_error *err)
{
	size_t n = 0;

	in->len -= keep;
	in->base += keep;
	memmove(in->window, in->window + keep, in->len);
	if (!in->ended && in->len == in->cap && widen(in, err))
		return err->status;
	if (!in->ended && ts_inflow_read(in->inflow, in->window + in->len, in->cap - in->len, &n, err))
		return err->status;
	in->len += n;
	if (!in->ended && !n) {
		in->ended = true;
		in->end = ts_inflow_end(in->inflow);
	}
	memset(in->window + in->len, '"', TS_TRACE_PAD);
	return TS_OK;
}

enum ts_status ts_trace_input_open(struct ts_trace_input *in, const struct ts_source *source, size_t window, struct ts_error *err)
{
	enum { PACKED_WINDOW = 1 << 20 }; /* so that the thread that reads ahead and this one wait for each other less often */

	*in = (struct ts_trace_input){.source = source, .cap = window};
	if (ts_inflow_open(source, &in->inflow, err))
		return err->status;
	if (ts_inflow_packed(in->inflow) && window == TS_TRACE_WINDOW_BYTES)
		in->cap = PACKED_WINDOW;
	in->window = ts_alloc(in->cap + TS_TRACE_PAD);
	if (!in->window) {
		ts_trace_input_close(in);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a window of a trace");
	}
	memset(in->window, '"', TS_TRACE_PAD);
	return TS_OK;
}

void ts_trace_input_close(struct ts_trace_input *in)
{
	ts_inflow_close(in->inflow);
	ts_free(in->window);
	memset(in, 0, sizeof *in);
}
