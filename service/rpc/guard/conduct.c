#include "service/rpc/guard/conduct.h"

#define SECOND INT64_C(1000000000)

enum {
	WINDOW_AT_FIRST = 65535,  /* of HTTP/2, before the client says otherwise */
	SETTINGS_BYTES = 40 * 6,
	HEADER_BYTES = 32 << 10,  /* of one block; C-core takes 8 KiB of metadata */
	HEADER_PIECES = 8,
	LEAST_DATA = 5,		  /* the prefix of a gRPC message */
	LEAST_WINDOW = 1024,	  /* a client that opens its window by a byte at a time blocks the server as well */
	WINDOWS_A_CALL = 4,
	BYTES_A_WINDOW = 512,
	BYTES_A_PING = 16 << 10,  /* C-core measures the bandwidth of a download by pings */
	BYTES_AN_ODD_FRAME = 1024,
};

static const struct ts_rate pings = {500, 20}, settings = {100, 5}, windows = {20000, 1000}, odd = {500, 20};

void ts_conduct_init(struct ts_conduct *conduct, int64_t now_ns)
{
	memset(conduct, 0, sizeof *conduct);
	ts_frames_init(&conduct->up, true);
	ts_frames_init(&conduct->down, false);
	conduct->window = conduct->initial_window = WINDOW_AT_FIRST;
	conduct->began_ns = conduct->idle_since_ns = now_ns;
}

static enum ts_cutoff spend(struct ts_allowance *allowance, const struct ts_rate *rate, enum ts_cutoff cause, int64_t now_ns)
{
	return ts_allowance_spend(allowance, rate, 1, now_ns) ? TS_CUTOFF_NONE : cause;
}

/* ---- streams ---- */

static void close_stream(struct ts_conduct *c, uint32_t id, bool well, int64_t now_ns)
{
	bool ended;

	if (!ts_streams_close(&c->streams, id, &ended))
		return;
	c->calls += well && ended;
	if (!c->streams.n)
		c->idle_since_ns = now_ns;
}

static enum ts_cutoff open_stream(struct ts_conduct *c, const struct ts_frame *frame)
{
	if (frame->stream <= c->last_stream || !(frame->stream & 1))
		return TS_CUTOFF_BAD_FRAME;
	c->last_stream = frame->stream;
	ts_allowance_earn(&c->windows, WINDOWS_A_CALL);
	/* C-core resets a stream that is more than it announced. */
	if (!ts_streams_open(&c->streams, frame->stream, frame->flags & TS_FRAME_END_STREAM, c->initial_window))
		c->resets++;
	return TS_CUTOFF_NONE;
}

/* ---- frames of the client ---- */

static enum ts_cutoff take_headers(struct ts_conduct *c, const struct ts_frame *frame, int64_t now_ns)
{
	struct ts_stream *stream = ts_streams_find(&c->streams, frame->stream);

	if (frame->length > HEADER_BYTES)
		return TS_CUTOFF_HEADERS;
	if (!(frame->flags & TS_FRAME_END_HEADERS)) {
		c->block = frame->stream;
		c->block_bytes = frame->length;
		c->block_pieces = 1;
		c->block_since_ns = now_ns;
	}
	if (!stream)
		return open_stream(c, frame);
	stream->ended |= frame->flags & TS_FRAME_END_STREAM;
	return TS_CUTOFF_NONE;
}

static enum ts_cutoff take_continuation(struct ts_conduct *c, const struct ts_frame *frame)
{
	if (!c->block)
		return TS_CUTOFF_BAD_FRAME;
	if (frame->length > HEADER_BYTES - c->block_bytes || ++c->block_pieces > HEADER_PIECES)
		return TS_CUTOFF_HEADERS;
	c->block_bytes += frame->length;
	if (frame->flags & TS_FRAME_END_HEADERS)
		c->block = 0;
	return TS_CUTOFF_NONE;
}

static enum ts_cutoff take_data(struct ts_conduct *c, const struct ts_frame *frame, int64_t now_ns)
{
	struct ts_stream *stream = ts_streams_find(&c->streams, frame->stream);
	bool ends = stream && !stream->ended && frame->flags & TS_FRAME_END_STREAM;

	if (ends)
		stream->ended = true;
	ts_allowance_earn(&c->odd, (double)frame->length / BYTES_AN_ODD_FRAME);
	if (frame->length >= LEAST_DATA || ends)
		return TS_CUTOFF_NONE;
	return spend(&c->odd, &odd, TS_CUTOFF_ODD_FRAMES, now_ns);
}

static enum ts_cutoff take_frame(struct ts_conduct *c, const struct ts_frame *frame, int64_t now_ns)
{
	if (c->block && (frame->type != TS_FRAME_CONTINUATION || frame->stream != c->block))
		return TS_CUTOFF_BAD_FRAME;
	switch (frame->type) {
	case TS_FRAME_DATA:
		return take_data(c, frame, now_ns);
	case TS_FRAME_HEADERS:
		return take_headers(c, frame, now_ns);
	case TS_FRAME_CONTINUATION:
		return take_continuation(c, frame);
	case TS_FRAME_RST_STREAM:
		c->resets++;
		close_stream(c, frame->stream, false, now_ns);
		return TS_CUTOFF_NONE;
	case TS_FRAME_PING:
		return frame->length != 8 ? TS_CUTOFF_BAD_FRAME : spend(&c->pings, &pings, TS_CUTOFF_PINGS, now_ns);
	case TS_FRAME_SETTINGS:
		return frame->length > SETTINGS_BYTES ? TS_CUTOFF_BAD_FRAME
						      : spend(&c->settings, &settings, TS_CUTOFF_SETTINGS, now_ns);
	case TS_FRAME_WINDOW_UPDATE:
		return frame->length != 4 ? TS_CUTOFF_BAD_FRAME : spend(&c->windows, &windows, TS_CUTOFF_WINDOWS, now_ns);
	case TS_FRAME_PUSH_PROMISE:
		return TS_CUTOFF_BAD_FRAME;
	default:
		return spend(&c->odd, &odd, TS_CUTOFF_ODD_FRAMES, now_ns);
	}
}

static void widen(struct ts_conduct *c, uint32_t by)
{
	struct ts_stream *stream;

	if (!c->up.frame.stream) {
		c->window += by;
		return;
	}
	stream = ts_streams_find(&c->streams, c->up.frame.stream);
	if (stream)
		stream->window += by;
}

static void set_initial_window(struct ts_conduct *c, uint32_t bytes)
{
	ts_streams_widen(&c->streams, (int64_t)bytes - c->initial_window);
	c->initial_window = bytes;
}

enum ts_cutoff ts_conduct_up(struct ts_conduct *c, struct ts_span bytes, int64_t now_ns)
{
	enum ts_cutoff cause = TS_CUTOFF_NONE;
	uint32_t value;
	uint16_t id;

	while (!cause) {
		switch (ts_frames_next(&c->up, &bytes, &id, &value)) {
		case TS_FRAMES_END:
			return TS_CUTOFF_NONE;
		case TS_FRAMES_NO_PREFACE:
			return TS_CUTOFF_PREFACE;
		case TS_FRAMES_HEAD:
			cause = take_frame(c, &c->up.frame, now_ns);
			break;
		case TS_FRAMES_WINDOW:
			widen(c, value);
			break;
		case TS_FRAMES_SETTING:
			if (id == TS_SETTING_INITIAL_WINDOW)
				set_initial_window(c, value);
			break;
		}
	}
	return cause;
}

/* ---- frames of the server ---- */

static void send_data(struct ts_conduct *c, const struct ts_frame *frame)
{
	struct ts_stream *stream = ts_streams_find(&c->streams, frame->stream);

	c->window -= frame->length;
	if (stream)
		stream->window -= frame->length;
	ts_allowance_earn(&c->windows, (double)frame->length / BYTES_A_WINDOW);
	ts_allowance_earn(&c->pings, (double)frame->length / BYTES_A_PING);
}

static void send_frame(struct ts_conduct *c, const struct ts_frame *frame, int64_t now_ns)
{
	if (frame->type == TS_FRAME_DATA)
		send_data(c, frame);
	if ((frame->type == TS_FRAME_DATA || frame->type == TS_FRAME_HEADERS) && frame->flags & TS_FRAME_END_STREAM)
		close_stream(c, frame->stream, true, now_ns);
	if (frame->type == TS_FRAME_RST_STREAM) {
		/* A stream that has ended well is often reset after that, which costs nothing. */
		c->resets += ts_streams_find(&c->streams, frame->stream) != NULL;
		close_stream(c, frame->stream, false, now_ns);
	}
	/* The client answers these. */
	if (frame->type == TS_FRAME_PING && !(frame->flags & TS_FRAME_ACK))
		ts_allowance_earn(&c->pings, 1);
	if (frame->type == TS_FRAME_SETTINGS && !(frame->flags & TS_FRAME_ACK))
		ts_allowance_earn(&c->settings, 1);
}

void ts_conduct_down(struct ts_conduct *c, struct ts_span bytes, int64_t now_ns)
{
	enum ts_frames_event event;
	uint32_t value;
	uint16_t id;

	c->sent += bytes.len;
	while ((event = ts_frames_next(&c->down, &bytes, &id, &value)) != TS_FRAMES_END)
		if (event == TS_FRAMES_HEAD)
			send_frame(c, &c->down.frame, now_ns);
}

/* ---- what a client does not do ---- */

enum ts_cutoff ts_conduct_overdue(struct ts_conduct *c, int64_t now_ns)
{
	uint64_t sent = c->sent - c->sent_before;
	bool blocked = c->full || (c->streams.n && (c->window < LEAST_WINDOW || ts_streams_narrow(&c->streams, LEAST_WINDOW)));

	c->sent_before = c->sent;
	if (c->up.preface)
		return now_ns - c->began_ns > TS_BEGIN_SECONDS * SECOND ? TS_CUTOFF_SLOW_BEGIN : TS_CUTOFF_NONE;
	if (c->block && now_ns - c->block_since_ns > TS_BEGIN_SECONDS * SECOND)
		return TS_CUTOFF_SLOW_HEADERS;
	if (!blocked || sent >= LEAST_WINDOW)
		c->blocked_since_ns = 0;
	else if (!c->blocked_since_ns)
		c->blocked_since_ns = now_ns;
	else if (now_ns - c->blocked_since_ns > TS_TAKE_SECONDS * SECOND)
		return TS_CUTOFF_SLOW_READER;
	return TS_CUTOFF_NONE;
}

void ts_conduct_take(struct ts_conduct *c, unsigned *ret_calls, unsigned *ret_resets)
{
	*ret_calls = c->calls;
	*ret_resets = c->resets;
	c->calls = c->resets = 0;
}
