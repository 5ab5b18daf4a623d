/* frames.h - the frame headers of one direction of an HTTP/2 connection, read as the bytes pass by.
 *
 *	ts_frames_init(&frames, preface)
 *	while ((event = ts_frames_next(&frames, &bytes, &id, &value)) != TS_FRAMES_END) ...
 *
 * The bytes may be cut anywhere. Payloads are passed over, except for the few numbers that flow control is made of: nothing is kept and
 * nothing is allocated. Pure; threads: its owner's lock.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_FRAMES_H
#define TSCOPE_SERVICE_RPC_GUARD_FRAMES_H

#include "base/span.h"

enum ts_frame_type {
	TS_FRAME_DATA, TS_FRAME_HEADERS, TS_FRAME_PRIORITY, TS_FRAME_RST_STREAM, TS_FRAME_SETTINGS,
	TS_FRAME_PUSH_PROMISE, TS_FRAME_PING, TS_FRAME_GOAWAY, TS_FRAME_WINDOW_UPDATE, TS_FRAME_CONTINUATION
};

enum {
	TS_FRAME_HEAD = 9,
	TS_FRAME_ACK = 0x1, /* of SETTINGS and PING */
	TS_FRAME_END_STREAM = 0x1,
	TS_FRAME_END_HEADERS = 0x4,
	TS_SETTING_INITIAL_WINDOW = 4,
};

/* What every client sends first. */
#define TS_PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
enum { TS_PREFACE_BYTES = sizeof TS_PREFACE - 1 };

struct ts_frame {
	uint32_t length;
	uint8_t type, flags;
	uint32_t stream;
};

struct ts_frames {
	struct ts_frame frame;
	uint32_t left;	 /* bytes of the payload that have not passed */
	uint8_t preface; /* bytes of it that are still to come */
	uint8_t have;	 /* bytes of `small` */
	uint8_t small[TS_FRAME_HEAD];
};

enum ts_frames_event {
	TS_FRAMES_END,	      /* all bytes are read */
	TS_FRAMES_HEAD,	      /* a frame begins: frames->frame */
	TS_FRAMES_SETTING,    /* one setting of a SETTINGS frame: *ret_id and *ret_value */
	TS_FRAMES_WINDOW,     /* *ret_value is what a WINDOW_UPDATE adds */
	TS_FRAMES_NO_PREFACE, /* the first bytes are not the preface; nothing more can be read */
};

/* preface: whether this is the direction that begins with it, the client's. */
void ts_frames_init(struct ts_frames *frames, bool preface);
/* Moves *bytes past what was read. frames->frame is the frame that an event belongs to. */
enum ts_frames_event ts_frames_next(struct ts_frames *frames, struct ts_span *bytes, uint16_t *ret_id, uint32_t *ret_value);
/* Whether the next byte begins a frame. */
bool ts_frames_between(const struct ts_frames *frames);

#endif
