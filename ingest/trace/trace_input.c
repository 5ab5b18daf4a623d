#include "ingest/trace/trace_input.h"

#include "base/alloc.h"
#include "base/helper.h"
#include "ingest/trace/trace_event.h"

#include <zlib.h>

enum { PACKED_CHUNK = 128 << 10, AHEAD_CHUNK = 512 << 10, AHEAD_FROM = 128 << 10 };

struct ts_trace_inflate {
	z_stream z;
	bool inside;  /* a member has begun and has not ended */
	bool damaged; /* what stands before the damage goes out first, so that the answer does not depend on the window */
	uint8_t packed[PACKED_CHUNK];
};

/* --- gzip --- */

static enum ts_status refill(struct ts_trace_input *in, struct ts_trace_inflate *g, struct ts_error *err)
{
	uint64_t left = in->source->size - in->at;
	size_t n = left < PACKED_CHUNK ? (size_t)left : PACKED_CHUNK;

	if (ts_source_read(in->source, g->packed, n, in->at, err))
		return err->status;
	in->at += n;
	g->z.next_in = g->packed;
	g->z.avail_in = (uInt)n;
	return TS_OK;
}

/* Between members: true if another begins here. */
static bool next_member(struct ts_trace_input *in, struct ts_trace_inflate *g)
{
	while (g->z.avail_in && *g->z.next_in == 0) {
		g->z.next_in++;
		g->z.avail_in--;
	}
	if (!g->z.avail_in)
		return false;
	if (*g->z.next_in == 0x1f) {
		g->inside = true;
		return inflateReset(&g->z) == Z_OK;
	}
	in->trailing = in->source->size - in->at + g->z.avail_in;
	in->at = in->source->size;
	g->z.avail_in = 0;
	return false;
}

static enum ts_status packed_damage(const struct ts_trace_input *in, const struct ts_trace_inflate *g, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "%.*s: byte %" PRIu64 " of the file: gzip: %s", TS_SPAN_ARG(in->source->path),
			    in->at - g->z.avail_in, g->z.msg ? g->z.msg : "damaged");
}

static enum ts_status inflate_some(struct ts_trace_input *in, uint8_t *to, size_t n, size_t *ret_n, bool *ret_ended,
				   struct ts_error *err)
{
	struct ts_trace_inflate *g = in->inflate;

	g->z.next_out = to;
	g->z.avail_out = (uInt)n;
	*ret_ended = false;
	while (g->z.avail_out && !*ret_ended && !g->damaged) {
		int code;

		if (!g->z.avail_in && in->at < in->source->size && refill(in, g, err))
			return err->status;
		if (!g->z.avail_in || (!g->inside && !next_member(in, g))) {
			*ret_ended = in->at == in->source->size;
			continue;
		}
		code = inflate(&g->z, Z_NO_FLUSH);
		if (code == Z_STREAM_END)
			g->inside = false;
		else if (code == Z_MEM_ERROR)
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for zlib");
		else if (code != Z_OK && code != Z_BUF_ERROR) {
			g->damaged = true;
			break;
		}
	}
	if (g->damaged && g->z.avail_out == n)
		return packed_damage(in, g, err);
	in->cut = *ret_ended && g->inside;
	*ret_n = n - g->z.avail_out;
	return TS_OK;
}

/* --- either form --- */

static enum ts_status produce(struct ts_trace_input *in, uint8_t *to, size_t n, size_t *ret_n, bool *ret_ended, struct ts_error *err)
{
	uint64_t left = in->source->size - in->at;

	if (in->inflate)
		return inflate_some(in, to, n, ret_n, ret_ended, err);
	n = left < n ? (size_t)left : n;
	if (ts_source_read(in->source, to, n, in->at, err))
		return err->status;
	in->at += n;
	*ret_n = n;
	*ret_ended = in->at == in->source->size;
	return TS_OK;
}

static void produce_ahead(void *ctx)
{
	struct ts_trace_input *in = ctx;

	in->ahead_status = produce(in, in->ahead, AHEAD_CHUNK, &in->ahead_len, &in->ahead_ended, &in->ahead_err);
}

static enum ts_status take_ahead(struct ts_trace_input *in, size_t room, struct ts_error *err)
{
	ts_helper_wait(in->helper);
	if (in->ahead_status) {
		*err = in->ahead_err;
		return err->status;
	}
	if (room < in->ahead_len)
		return ts_error_set(err, TS_INTERNAL, "a window of a trace without room for what was read ahead");
	memcpy(in->window + in->len, in->ahead, in->ahead_len);
	in->len += in->ahead_len;
	in->ended = in->ahead_ended;
	if (!in->ended)
		ts_helper_give(in->helper, produce_ahead, in);
	return TS_OK;
}

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
	size_t n = 0, least = in->helper ? AHEAD_CHUNK : 1;

	in->len -= keep;
	in->base += keep;
	memmove(in->window, in->window + keep, in->len);
	while (!in->ended && in->cap - in->len < least)
		if (widen(in, err))
			return err->status;
	if (in->ended) {
		n = 0;
	} else if (in->helper) {
		if (take_ahead(in, in->cap - in->len, err))
			return err->status;
	} else {
		if (produce(in, in->window + in->len, in->cap - in->len, &n, &in->ended, err))
			return err->status;
		in->len += n;
	}
	memset(in->window + in->len, '"', TS_TRACE_PAD);
	return TS_OK;
}

static enum ts_status open_packed(struct ts_trace_input *in, struct ts_error *err)
{
	in->inflate = ts_alloc(sizeof *in->inflate);
	if (!in->inflate)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for zlib");
	memset(&in->inflate->z, 0, sizeof in->inflate->z);
	in->inflate->inside = true;
	in->inflate->damaged = false;
	if (inflateInit2(&in->inflate->z, MAX_WBITS + 16) == Z_OK)
		return TS_OK;
	ts_free(in->inflate);
	in->inflate = NULL;
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for zlib");
}

static void hire(struct ts_trace_input *in)
{
	if (!in->inflate || in->source->size < AHEAD_FROM || in->cap < 2 * AHEAD_CHUNK)
		return;
	in->helper = ts_helper_hire();
	in->ahead = in->helper ? ts_alloc(AHEAD_CHUNK) : NULL;
	if (in->helper && !in->ahead) {
		ts_helper_dismiss(in->helper);
		in->helper = NULL;
	}
	if (in->helper)
		ts_helper_give(in->helper, produce_ahead, in);
}

enum ts_status ts_trace_input_open(struct ts_trace_input *in, const struct ts_source *source, size_t window, struct ts_error *err)
{
	uint8_t magic[2] = {0};

	memset(in, 0, sizeof *in);
	in->source = source;
	in->cap = window;
	if (source->size >= sizeof magic && ts_source_read(source, magic, sizeof magic, 0, err))
		return err->status;
	if (magic[0] == 0x1f && magic[1] == 0x8b && open_packed(in, err))
		return err->status;
	if (in->inflate && window == TS_TRACE_WINDOW_BYTES)
		in->cap = 2 * AHEAD_CHUNK; /* so that the threads wait for each other less often */
	in->window = ts_alloc(in->cap + TS_TRACE_PAD);
	if (!in->window) {
		ts_trace_input_close(in);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a window of a trace");
	}
	memset(in->window, '"', TS_TRACE_PAD);
	hire(in);
	return TS_OK;
}

void ts_trace_input_close(struct ts_trace_input *in)
{
	if (in->helper)
		ts_helper_wait(in->helper);
	ts_helper_dismiss(in->helper);
	if (in->inflate)
		(void)inflateEnd(&in->inflate->z);
	ts_free(in->inflate);
	ts_free(in->ahead);
	ts_free(in->window);
	memset(in, 0, sizeof *in);
}
