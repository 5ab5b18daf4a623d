/* chunks.c - finds the chunks of a recording by their headers. */
#include "base/alloc.h"
#include "base/order.h"
#include "ingest/recording/walk.h"
#include "record/crc32c.h"

bool ts_chunk_header_sound(const uint8_t *header, uint32_t number)
{
	return ts_load_u32(header) == TS_FRAME_CHUNK_MAGIC &&
	       ts_load_u32(header + TS_FRAME_CHUNK_CRC) == ts_crc32c(0, header + 8, TS_FRAME_CHUNK_HEADER - 8) &&
	       ts_load_u32(header + TS_FRAME_CHUNK_NUMBER) == number;
}

/* Reads a header, which is not there if the file ends before its end. */
static enum ts_status read_header(const struct ts_source *source, uint32_t number, struct ts_chunk *ret, struct ts_error *err)
{
	uint64_t at = (uint64_t)number * TS_FRAME_CHUNK + ts_chunk_header_at(number);
	uint8_t h[TS_FRAME_CHUNK_HEADER];

	*ret = (struct ts_chunk){.number = number, .lane = TS_LANE_NONE, .end = TS_FRAME_CHUNK, .kinds = UINT32_MAX};
	if (at + sizeof h > source->size)
		return TS_OK;
	if (ts_source_read(source, h, sizeof h, at, err))
		return err->status;
	ret->sound = ts_chunk_header_sound(h, number);
	if (!ret->sound)
		return TS_OK;
	ret->lane = ts_load_u32(h + TS_FRAME_CHUNK_LANE);
	ret->ordinal = ts_load_u32(h + TS_FRAME_CHUNK_ORDINAL);
	return TS_OK;
}

TS_ORDER(by_lane, struct ts_chunk, TS_UP(lane); if (a->lane != TS_LANE_NONE) TS_UP(ordinal); TS_UP(number))

/* A second chunk of one lane and ordinal is a lane of its own. */
static void part_twins(struct ts_chunks *chunks)
{
	bool any = false;

	for (size_t i = chunks->n; i-- > 1;)
		if (chunks->items[i].lane != TS_LANE_NONE && chunks->items[i].lane == chunks->items[i - 1].lane &&
		    chunks->items[i].ordinal == chunks->items[i - 1].ordinal) {
			chunks->items[i].lane = TS_LANE_NONE;
			any = true;
		}
	if (any)
		TS_SORT(chunks->items, chunks->n, by_lane);
}

static uint64_t missing(const struct ts_chunks *chunks)
{
	uint64_t n = 0;

	for (size_t i = 0; i < chunks->n && chunks->items[i].lane != TS_LANE_NONE; i++) {
		bool first = i == 0 || chunks->items[i - 1].lane != chunks->items[i].lane;

		n += chunks->items[i].ordinal - (first ? 0 : chunks->items[i - 1].ordinal + 1);
	}
	return n;
}

static enum ts_status find(const struct ts_source *source, struct ts_chunks *chunks, struct ts_error *err)
{
	for (size_t i = 0; i < chunks->n; i++)
		if (read_header(source, (uint32_t)i, &chunks->items[i], err))
			return err->status;
	TS_SORT(chunks->items, chunks->n, by_lane);
	part_twins(chunks);
	chunks->missing = missing(chunks);
	return TS_OK;
}

/* A lane may take two chunks between two looks, of which the first was looked at before and the second after: then the first seems to
 * be missing, and is there at the second time. */
enum ts_status ts_chunks_find(const struct ts_source *source, struct ts_chunks *ret_chunks, struct ts_error *err)
{
	struct ts_chunks chunks = {.n = (size_t)(source->size / TS_FRAME_CHUNK + (source->size % TS_FRAME_CHUNK != 0))};
	enum ts_status status;

	if (chunks.n > UINT32_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%.*s: too long for a recording", TS_SPAN_ARG(source->path));
	if (chunks.n) {
		chunks.items = ts_alloc_array(chunks.n, sizeof *chunks.items);
		if (!chunks.items)
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for chunks");
	}
	status = find(source, &chunks, err);
	if (!status && chunks.missing)
		status = find(source, &chunks, err);
	if (status)
		ts_chunks_finish(&chunks);
	else
		*ret_chunks = chunks;
	return status;
}

void ts_chunks_finish(struct ts_chunks *chunks)
{
	ts_free(chunks->items);
	*chunks = (struct ts_chunks){.n = 0};
}
