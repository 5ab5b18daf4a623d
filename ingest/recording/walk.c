#include "ingest/recording/walk.h"

#include "base/alloc.h"
#include "record/crc32c.h"

#include <stdio.h>

void ts_frame_walk_init(struct ts_frame_walk *w, const struct ts_source *source, struct ts_chunks *chunks, uint32_t kinds,
		  struct ts_notices *notices)
{
	*w = (struct ts_frame_walk){.source = source, .chunks = chunks, .kinds = kinds, .notices = notices, .time = TS_TIME_NONE};
}

void ts_frame_walk_finish(struct ts_frame_walk *w)
{
	ts_free(w->data);
	w->data = NULL;
	w->at = w->len = 0;
}

/* --- frames --- */

struct ts_frame_cells ts_frame_cells(uint32_t kind, const uint8_t *frame)
{
	size_t cells = kind == TS_FRAME_STEP ? TS_FRAME_STEP_CELLS : TS_FRAME_LATE_CELLS;
	uint32_t n = ts_frame_u16(frame, kind == TS_FRAME_STEP ? TS_FRAME_STEP_COUNT : TS_FRAME_LATE_COUNT);

	return (struct ts_frame_cells){frame + cells, frame + cells + TS_FRAME_ALIGNED((size_t)2 * n), n};
}

static bool cells_fit(const uint8_t *frame, size_t len, size_t count_at, size_t cells_at)
{
	size_t n;

	if (len < cells_at)
		return false;
	n = ts_frame_u16(frame, count_at);
	return len == cells_at + TS_FRAME_ALIGNED(2 * n) + 8 * n;
}

/* text: its length as the frame has it. */
static bool text_fits(size_t len, size_t text_at, uint64_t text)
{
	return text <= TS_FRAME_CHUNK && len == TS_FRAME_ALIGNED(text_at + text);
}

bool ts_frame_fits(const uint8_t *frame, size_t len)
{
	switch (TS_FRAME_KIND(ts_load_u32(frame))) {
	case TS_FRAME_COLUMN:
		return len >= TS_FRAME_COLUMN_NAME && text_fits(len, TS_FRAME_COLUMN_NAME, frame[TS_FRAME_COLUMN_LENGTH]);
	case TS_FRAME_STEP:
		return cells_fit(frame, len, TS_FRAME_STEP_COUNT, TS_FRAME_STEP_CELLS);
	case TS_FRAME_LATE:
		return cells_fit(frame, len, TS_FRAME_LATE_COUNT, TS_FRAME_LATE_CELLS);
	case TS_FRAME_REGION:
		return len == TS_FRAME_REGION_SIZE;
	case TS_FRAME_EVENT:
		if (len < TS_FRAME_EVENT_VALUE)
			return false;
		return ts_frame_u16(frame, TS_FRAME_EVENT_FORM) == TS_FRAME_TEXT
			       ? text_fits(len, TS_FRAME_EVENT_VALUE, ts_load_u32(frame + TS_FRAME_EVENT_LENGTH))
			       : ts_frame_u16(frame, TS_FRAME_EVENT_FORM) == TS_FRAME_NUMBER && len == TS_FRAME_EVENT_VALUE + 8;
	case TS_FRAME_DIGEST:
		return len >= TS_FRAME_DIGEST_NAME && frame[TS_FRAME_DIGEST_KIND] <= TS_FRAME_DIGEST_RNG &&
		       text_fits(len, TS_FRAME_DIGEST_NAME, ts_frame_u16(frame, TS_FRAME_DIGEST_LENGTH));
	case TS_FRAME_FIRST:
		return len == TS_FRAME_FIRST_SIZE;
	case TS_FRAME_END:
		return len == TS_FRAME_END_SIZE;
	default:
		return false;
	}
}

static int64_t time_of(const uint8_t *frame, uint32_t kind, int64_t before)
{
	switch (kind) {
	case TS_FRAME_STEP:
		return ts_time_add(ts_frame_i64(frame, TS_FRAME_STEP_BEGIN), ts_frame_i64(frame, TS_FRAME_STEP_DURATION));
	case TS_FRAME_REGION:
		return ts_time_add(ts_frame_i64(frame, TS_FRAME_REGION_BEGIN), ts_frame_i64(frame, TS_FRAME_REGION_DURATION));
	case TS_FRAME_EVENT:
		return ts_frame_i64(frame, TS_FRAME_EVENT_TIME);
	case TS_FRAME_FIRST:
		return ts_frame_i64(frame, TS_FRAME_FIRST_TIME);
	case TS_FRAME_END:
		return ts_frame_i64(frame, TS_FRAME_END_TIME);
	default:
		return before;
	}
}

/* The length of a frame that may begin here; 0: none can. */
static size_t plausible(const struct ts_frame_walk *w, size_t at)
{
	uint32_t word = at + TS_FRAME_HEADER <= w->len ? ts_load_u32(w->data + at) : 0;
	size_t len = TS_FRAME_LENGTH(word);

	return len >= TS_FRAME_HEADER && len % 8 == 0 && len <= TS_FRAME_CHUNK - at ? len : 0;
}

static bool is_sound(const struct ts_frame_walk *w, size_t at)
{
	size_t len = plausible(w, at);
	const uint8_t *frame = w->data + at;

	return len && len <= w->len - at &&
	       ts_crc32c(ts_crc32c(0, frame, 4), frame + TS_FRAME_HEADER, len - TS_FRAME_HEADER) == ts_load_u32(frame + 4);
}

/* Where the next sound frame of a known kind begins, or the end. What does not fit costs no checksum. */
static size_t next_sound(const struct ts_frame_walk *w, size_t at)
{
	for (; at + TS_FRAME_HEADER <= w->len; at += 8) {
		size_t len = plausible(w, at);

		if (len && len <= w->len - at && ts_frame_fits(w->data + at, len) && is_sound(w, at))
			return at;
	}
	return w->len;
}

/* Whether a frame may be taken without its checksum, because the first walk has looked at every frame of this chunk. Its length is
 * looked at all the same. */
static bool was_sound(const struct ts_frame_walk *w)
{
	size_t len = plausible(w, w->at);

	return w->chunk->learnt && !w->chunk->damaged && len && len <= w->len - w->at;
}

/* --- chunks --- */

static void tell(const struct ts_frame_walk *w, const char *code, enum ts_notice_level level, size_t at, const char *what)
{
	char detail[160];

	if (!w->notices)
		return;
	(void)snprintf(detail, sizeof detail, "chunk %" PRIu32 ", byte %" PRIu64 ": %s", w->chunk->number,
		       (uint64_t)w->chunk->number * TS_FRAME_CHUNK + at, what);
	ts_notice_add(w->notices, code, level, w->source->name, 0, detail);
}

static enum ts_status read_chunk(struct ts_frame_walk *w, struct ts_error *err)
{
	uint64_t offset = (uint64_t)w->chunk->number * TS_FRAME_CHUNK;
	uint64_t left = w->source->size - offset;

	w->len = left < w->chunk->end ? (size_t)left : w->chunk->end;
	return ts_source_read(w->source, w->data, w->len, offset, err);
}

static bool all_zero(const uint8_t *data, size_t n)
{
	return n == 0 || (data[0] == 0 && memcmp(data, data + 1, n - 1) == 0);
}

static bool has_header(const struct ts_frame_walk *w)
{
	size_t at = ts_chunk_header_at(w->chunk->number);

	return w->len >= at + TS_FRAME_CHUNK_HEADER && ts_chunk_header_sound(w->data + at, w->chunk->number);
}

/* The first word of a header is stored last, so that a header without it is being written, and nothing stands behind it yet. */
static bool is_being_taken(const struct ts_frame_walk *w)
{
	size_t at = ts_chunk_header_at(w->chunk->number), end = at + TS_FRAME_CHUNK_HEADER;

	return w->len >= end && ts_load_u32(w->data + at) == 0 && all_zero(w->data + end, w->len - end);
}

/* A chunk of which no lane is known. One whose header came after headers were read has been taken since, and belongs to the next
 * reading: what follows a header was written after it, so the header is looked at again where something does. */
static enum ts_status open_stray(struct ts_frame_walk *w, struct ts_error *err)
{
	size_t begin = w->at, header = ts_chunk_header_at(w->chunk->number), end = w->len < begin ? w->len : begin;
	bool zero = end <= header || all_zero(w->data + header, end - header);

	w->chunk->damaged = true;
	w->at = next_sound(w, begin);
	if (w->chunk->learnt || (zero && w->at == w->len))
		return TS_OK;
	if (read_chunk(w, err))
		return err->status;
	if (!w->chunk->sound && (has_header(w) || is_being_taken(w))) {
		w->at = w->len;
		w->chunk->end = 0;
	} else {
		w->at = next_sound(w, begin);
		tell(w, "bad_chunk", TS_NOTICE_SKIPPED, header,
		     "the header of the chunk is damaged; the sound frames in it are read");
	}
	return TS_OK;
}

static enum ts_status open_chunk(struct ts_frame_walk *w, struct ts_chunk *chunk, struct ts_error *err)
{
	bool same_lane = w->chunk && w->chunk->lane == chunk->lane && chunk->lane != TS_LANE_NONE;

	if (!chunk->learnt) {
		chunk->kinds = 0;
		chunk->time = same_lane ? w->time : TS_TIME_NONE;
	}
	w->time = chunk->time;
	w->chunk = chunk;
	w->open = true;
	w->again = false;
	if (!w->data)
		w->data = ts_alloc(TS_FRAME_CHUNK);
	if (!w->data)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a chunk");
	if (read_chunk(w, err) || ts_source_done(w->source, w->len, err))
		return err->status;
	w->at = ts_chunk_header_at(chunk->number) + TS_FRAME_CHUNK_HEADER;
	return chunk->lane == TS_LANE_NONE ? open_stray(w, err) : TS_OK;
}

static void close_chunk(struct ts_frame_walk *w)
{
	if (!w->chunk->learnt && w->chunk->end)
		w->chunk->end = (uint32_t)(w->at < w->len ? w->at : w->len);
	w->chunk->learnt = true;
	w->open = false;
	w->at = w->len = 0;
}

/* Whether something has been written here since the chunk was read; then it is read again. */
static enum ts_status is_written(struct ts_frame_walk *w, bool *ret_written, struct ts_error *err)
{
	uint8_t word[4];

	*ret_written = false;
	if (w->chunk->learnt)
		return TS_OK;
	if (ts_source_read(w->source, word, sizeof word, (uint64_t)w->chunk->number * TS_FRAME_CHUNK + w->at, err))
		return err->status;
	*ret_written = ts_load_u32(word) != 0;
	return *ret_written ? read_chunk(w, err) : TS_OK;
}

/* Nothing was written here, or not yet. A frame behind it was written later, so that what is still missing after that one was seen is
 * lost. */
static enum ts_status pass_hole(struct ts_frame_walk *w, struct ts_error *err)
{
	size_t next = all_zero(w->data + w->at, w->len - w->at) ? w->len : next_sound(w, w->at + 8);
	enum ts_status status;
	bool written;

	if (next == w->len) {
		close_chunk(w); /* a frame that is being written may stand here */
		return TS_OK;
	}
	status = is_written(w, &written, err);
	if (status || written)
		return status;
	w->chunk->damaged = true;
	tell(w, "nul_bytes", TS_NOTICE_SKIPPED, w->at, "zero bytes between frames, which a loss of power leaves");
	w->at = next;
	return TS_OK;
}

static enum ts_status pass_damage(struct ts_frame_walk *w, struct ts_error *err)
{
	size_t len = plausible(w, w->at);
	size_t next;

	if (!w->again && !w->chunk->learnt) { /* the chunk may have been read while the frame was written */
		w->again = true;
		return read_chunk(w, err);
	}
	w->chunk->damaged = true;
	next = next_sound(w, w->at + 8);
	if (next == w->len && len > w->len - w->at && w->len < TS_FRAME_CHUNK)
		tell(w, "cut_recording", TS_NOTICE_SKIPPED, w->at, "the file ends inside a frame");
	else
		tell(w, "bad_frame", TS_NOTICE_SKIPPED, w->at, "a damaged frame was left out");
	w->at = next;
	return TS_OK;
}

static enum ts_status take_frame(struct ts_frame_walk *w, struct ts_frame *ret_frame, bool *ret_taken)
{
	const uint8_t *bytes = w->data + w->at;
	uint32_t word = ts_load_u32(bytes), kind = TS_FRAME_KIND(word);
	size_t len = TS_FRAME_LENGTH(word);
	bool known = (kind >= TS_FRAME_COLUMN && kind <= TS_FRAME_FIRST) || kind == TS_FRAME_END,
	     fits = known && ts_frame_fits(bytes, len);

	if (!w->chunk->learnt) {
		w->chunk->kinds |= fits ? 1u << kind : 0;
		if (!known)
			tell(w, "unknown_frame", TS_NOTICE_SKIPPED, w->at,
			     "a frame of a kind that this version of tscope does not know");
		else if (!fits)
			tell(w, "bad_frame", TS_NOTICE_SKIPPED, w->at, "a frame whose length is not that of what it holds");
	}
	*ret_taken = fits && (w->kinds == TS_WALK_ALL || w->kinds & 1u << kind);
	if (fits)
		w->time = time_of(bytes, kind, w->time);
	if (*ret_taken)
		*ret_frame = (struct ts_frame){.kind = kind,
					       .lane = w->chunk->lane,
					       .at = (uint64_t)w->chunk->number * TS_FRAME_CHUNK + w->at,
					       .chunk = w->chunk->number,
					       .bytes = bytes,
					       .len = len,
					       .time = w->time};
	w->at += len;
	w->again = false;
	return TS_OK;
}

enum ts_status ts_frame_walk_next(struct ts_frame_walk *w, struct ts_frame *ret_frame, bool *ret_more, struct ts_error *err)
{
	bool taken = false;

	while (!taken) {
		enum ts_status status;

		if (w->at + TS_FRAME_HEADER > w->len) {
			if (w->open)
				close_chunk(w);
			while (w->next < w->chunks->n && w->kinds != TS_WALK_ALL && !(w->chunks->items[w->next].kinds & w->kinds))
				w->next++;
			*ret_more = w->next < w->chunks->n;
			if (!*ret_more)
				return TS_OK;
			status = open_chunk(w, &w->chunks->items[w->next++], err);
		} else if (ts_load_u32(w->data + w->at) == 0) {
			status = pass_hole(w, err);
		} else if (was_sound(w) || is_sound(w, w->at)) {
			status = take_frame(w, ret_frame, &taken);
		} else {
			status = pass_damage(w, err);
		}
		if (status)
			return status;
	}
	*ret_more = true;
	return TS_OK;
}
