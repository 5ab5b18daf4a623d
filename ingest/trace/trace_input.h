/* trace_input.h - the bytes of a trace, plain or in gzip, through one window.
 *
 *	ts_trace_input_open(&in, source, window, err)	looks whether it is gzip: by its first bytes, not by its name
 *	while (ts_trace_input_more(&in, keep, err) == TS_OK && in.len)
 *		... in.window[0 .. in.len), followed by TS_TRACE_PAD quotes; in.base is the place of in.window[0] ...
 *	ts_trace_input_close(&in)
 *
 * Where a core is free, the bytes of gzip that come next are inflated beside the caller. Places are those in the JSON, not in the
 * file. Members of gzip may follow each other, and zeros the last; anything else behind one is left out, and `trailing` says how many
 * bytes of the file that is. A file that ends inside a member is `cut`; a wrong checksum is TS_DAMAGED. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_INPUT_H
#define TSCOPE_INGEST_TRACE_TRACE_INPUT_H

#include "ingest/core/source.h"

struct ts_trace_inflate;
struct ts_helper;

struct ts_trace_input {
	const struct ts_source *source;
	uint64_t at; /* place in the file of what is read next */
	uint8_t *window;
	size_t len, cap;
	uint64_t base;
	bool ended; /* the window's end is that of the JSON */
	bool cut;
	uint64_t trailing;
	struct ts_trace_inflate *inflate; /* NULL: plain */
	/* What a helper reads meanwhile. */
	struct ts_helper *helper;
	uint8_t *ahead;
	size_t ahead_len;
	bool ahead_ended;
	enum ts_status ahead_status;
	struct ts_error ahead_err;
	uint64_t told;
};

/* window: its size, at least 4 KiB; it grows for a value that is longer, up to TS_TRACE_VALUE_MAX. */
enum {
	TS_TRACE_VALUE_MAX = 64 << 20,
	TS_TRACE_WINDOW_BYTES = 256 << 10, /* it stays in a core's cache between the copy and the scan */
};

enum ts_status ts_trace_input_open(struct ts_trace_input *in, const struct ts_source *source, size_t window, struct ts_error *err);
/* Drops the bytes before keep and reads behind the others; at the end it reads nothing and sets `ended`. TS_TOO_LARGE: the window is
 * full and has its full size. */
enum ts_status ts_trace_input_more(struct ts_trace_input *in, size_t keep, struct ts_error *err);
void ts_trace_input_close(struct ts_trace_input *in);

#endif
