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

/* Reads at most n bytes; *ret_n is 0 at the end, and where gzip is damaged. */
static enum ts_status read_some(struct ts_trace_input *in, uint8_t *to, size_t n, size_t *ret_n, struct ts_error *err)
{
	struct ts_error why;

	*ret_n = 0;
	if (in->ended)
		return TS_OK;
	if (ts_inflow_read(in->inflow, to, n, ret_n, &why)) {
		if (why.status != TS_DAMAGED) {
			*err = why;
			return err->status;
		}
		in->damage = why;
		*ret_n = 0;
	}
	if (!*ret_n) {
		in->ended = true;
		in->end = ts_inflow_end(in->inflow);
	}
	return TS_OK;
}

/* The opening quote of the string in which the window ends; NULL: it ends outside of strings. */
static uint8_t *open_string(const struct ts_trace_input *in, bool *ret_escaped)
{
	uint8_t *open = NULL;
	bool escaped = false;

	for (uint8_t *p = in->window; p < in->window + in->len; p++) {
		if (escaped)
			escaped = false;
		else if (*p == '\\')
			escaped = open != NULL;
		else if (*p == '"')
			open = open ? NULL : p;
	}
	*ret_escaped = escaped;
	return open;
}

/* The quote that closes a string within n bytes, of which the first is escaped where *io_escaped says so; NULL: it goes on. */
static const uint8_t *closing(const uint8_t *p, size_t n, bool *io_escaped)
{
	const uint8_t *end = p + n;

	for (; p < end; p++) {
		if (*io_escaped)
			*io_escaped = false;
		else if (*p == '"')
			return p;
		else
			*io_escaped = *p == '\\';
	}
	return NULL;
}

/* The string's first bytes that are kept end before an escape or a character that would be cut. */
static size_t kept_bytes(const uint8_t *text, size_t most)
{
	size_t n = most, slashes = 0;

	while (n && (text[n] & 0xc0) == 0x80)
		n--;
	while (slashes < n && text[n - 1 - slashes] == '\\')
		slashes++;
	return n - slashes % 2;
}

/* Cuts the string that fills most of the window, reads on to its end, and what stands behind it. */
static enum ts_status cut_string(struct ts_trace_input *in, bool *ret_cut, struct ts_error *err)
{
	bool escaped = false;
	uint8_t *open = open_string(in, &escaped), *behind;
	size_t held, n = 0, kept;
	const uint8_t *quote = NULL;

	*ret_cut = open && (size_t)(in->window + in->len - open) > TS_TRACE_VALUE_MAX / 2;
	if (!*ret_cut)
		return TS_OK;
	kept = kept_bytes(open + 1, TS_TRACE_CUT_BYTES);
	in->cut_at = in->n_cut++ ? in->cut_at : in->base + (uint64_t)(open - in->window);
	behind = open + 1 + kept;
	held = (size_t)(in->window + in->len - behind);
	in->base += held;
	in->len -= held;
	do {
		if (read_some(in, behind, in->cap - (size_t)(behind - in->window), &n, err))
			return err->status;
		quote = closing(behind, n, &escaped);
		in->base += quote ? (size_t)(quote - behind) : n;
	} while (n && !quote);
	if (quote) {
		n -= (size_t)(quote - behind);
		memmove(behind, quote, n);
		in->len += n;
	}
	return TS_OK;
}

enum ts_status ts_trace_input_more(struct ts_trace_input *in, size_t keep, struct ts_error *err)
{
	bool cut = false;
	size_t n = 0;

	in->len -= keep;
	in->base += keep;
	memmove(in->window, in->window + keep, in->len);
	if (!in->ended && in->len == in->cap && in->cap >= TS_TRACE_VALUE_MAX && cut_string(in, &cut, err))
		return err->status;
	if (!in->ended && !cut && in->len == in->cap && widen(in, err))
		return err->status;
	if (!in->ended && !cut && read_some(in, in->window + in->len, in->cap - in->len, &n, err))
		return err->status;
	in->len += n;
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
