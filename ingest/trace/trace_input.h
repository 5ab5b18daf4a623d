/* trace_input.h - the bytes of a trace, plain or in gzip, through one window.
 *
 *	ts_trace_input_open(&in, source, window, err)	looks whether it is gzip: by its first bytes, not by its name
 *	while (ts_trace_input_more(&in, keep, err) == TS_OK && in.len)
 *		... in.window[0 .. in.len), followed by TS_TRACE_PAD quotes; in.base is the place of in.window[0] ...
 *	ts_trace_input_close(&in)
 *
 * Places are those in the JSON, not in the file. `end` says whether gzip was cut, and what stands behind it (ingest/core/inflow.h).
 * Where gzip is damaged the input ends, and `damage` says so. A string that is longer than the largest window is cut to its first bytes
 * while it is read; the bytes behind it have their places all the same. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_INPUT_H
#define TSCOPE_INGEST_TRACE_TRACE_INPUT_H

#include "ingest/core/inflow.h"

struct ts_trace_input {
	const struct ts_source *source;
	struct ts_inflow *inflow;
	uint8_t *window;
	size_t len, cap;
	uint64_t base;
	bool ended; /* the window's end is that of the JSON */
	struct ts_inflow_end end;
	struct ts_error damage; /* status TS_DAMAGED, once the input has ended there */
	uint64_t n_cut;		/* strings that were cut */
	uint64_t cut_at;	/* the place of the first of them */
};

/* window: its size, at least 4 KiB; it grows for a value that is longer, up to TS_TRACE_VALUE_MAX. */
enum {
	TS_TRACE_VALUE_MAX = 64 << 20,
	TS_TRACE_CUT_BYTES = 1024,	   /* of a string that is cut */
	TS_TRACE_WINDOW_BYTES = 256 << 10, /* it stays in a core's cache between the copy and the scan */
};

enum ts_status ts_trace_input_open(struct ts_trace_input *in, const struct ts_source *source, size_t window, struct ts_error *err);
/* Drops the bytes before keep and reads behind the others; at the end it reads nothing and sets `ended`. TS_TOO_LARGE: the window is
 * full and has its full size, and no string that could be cut fills most of it. */
enum ts_status ts_trace_input_more(struct ts_trace_input *in, size_t keep, struct ts_error *err);
void ts_trace_input_close(struct ts_trace_input *in);

#endif
