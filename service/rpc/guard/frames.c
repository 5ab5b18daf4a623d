#include "service/rpc/guard/frames.h"

enum { SETTING_BYTES = 6, WINDOW_BYTES = 4 };

void ts_frames_init(struct ts_frames *frames, bool preface)
{
	*frames = (struct ts_frames){.preface = preface ? TS_PREFACE_BYTES : 0};
}

bool ts_frames_between(const struct ts_frames *frames)
{
	return !frames->preface && !frames->have && !frames->left;
}

static uint32_t be32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool pass_preface(struct ts_frames *frames, struct ts_span *bytes)
{
	size_t n = frames->preface < bytes->len ? frames->preface : bytes->len;

	if (n && memcmp(bytes->data, TS_PREFACE + TS_PREFACE_BYTES - frames->preface, n) != 0)
		return false;
	frames->preface -= (uint8_t)n;
	*bytes = ts_span_from(*bytes, n);
	return true;
}

/* Fills `small` up to `want` bytes; false if more must come. */
static bool collect(struct ts_frames *frames, struct ts_span *bytes, size_t want)
{
	size_t n = want - frames->have < bytes->len ? want - frames->have : bytes->len;

	if (n)
		memcpy(frames->small + frames->have, bytes->data, n);
	frames->have += (uint8_t)n;
	*bytes = ts_span_from(*bytes, n);
	if (frames->have < want)
		return false;
	frames->have = 0;
	return true;
}

static void begin(struct ts_frames *frames)
{
	const uint8_t *head = frames->small;

	frames->frame = (struct ts_frame){.length = be32(head) >> 8, .type = head[3], .flags = head[4],
					  .stream = be32(head + 5) & 0x7fffffff};
	frames->left = frames->frame.length;
}

/* How many bytes of the payload make one number that matters; 0 if none do. */
static uint32_t unit(const struct ts_frames *frames)
{
	uint32_t bytes = frames->frame.type == TS_FRAME_SETTINGS ? SETTING_BYTES
			 : frames->frame.type == TS_FRAME_WINDOW_UPDATE ? WINDOW_BYTES : 0;

	return frames->left + frames->have >= bytes ? bytes : 0;
}

/* Reads the next number of the payload, or passes over what has none; false: no number is complete. */
static bool pass_payload(struct ts_frames *frames, struct ts_span *bytes)
{
	uint32_t want = unit(frames);
	size_t before = bytes->len;
	bool whole = false;

	if (want)
		whole = collect(frames, bytes, want);
	else
		*bytes = ts_span_from(*bytes, frames->left < bytes->len ? frames->left : bytes->len);
	frames->left -= (uint32_t)(before - bytes->len);
	return whole;
}

enum ts_frames_event ts_frames_next(struct ts_frames *frames, struct ts_span *bytes, uint16_t *ret_id, uint32_t *ret_value)
{
	if (frames->preface && !pass_preface(frames, bytes))
		return TS_FRAMES_NO_PREFACE;
	while (bytes->len) {
		if (!frames->left) {
			if (!collect(frames, bytes, TS_FRAME_HEAD))
				break;
			begin(frames);
			return TS_FRAMES_HEAD;
		}
		if (!pass_payload(frames, bytes))
			continue;
		if (frames->frame.type == TS_FRAME_WINDOW_UPDATE) {
			*ret_value = be32(frames->small) & 0x7fffffff;
			return TS_FRAMES_WINDOW;
		}
		*ret_id = (uint16_t)(frames->small[0] << 8 | frames->small[1]);
		*ret_value = be32(frames->small + 2);
		return TS_FRAMES_SETTING;
	}
	return TS_FRAMES_END;
}
