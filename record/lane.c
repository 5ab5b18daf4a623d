#include "record/lane.h"

static void put_header(struct ts_lane *lane, uint8_t *header)
{
	memset(header + TS_FRAME_CHUNK_NUMBER, 0, TS_FRAME_CHUNK_HEADER - TS_FRAME_CHUNK_NUMBER);
	ts_put32(header + TS_FRAME_CHUNK_NUMBER, lane->chunk.number);
	ts_put32(header + TS_FRAME_CHUNK_LANE, lane->number);
	ts_put32(header + TS_FRAME_CHUNK_ORDINAL, lane->chunks);
	ts_put32(header + TS_FRAME_CHUNK_CRC,
		 ts_crc32c(0, header + TS_FRAME_CHUNK_NUMBER, TS_FRAME_CHUNK_HEADER - TS_FRAME_CHUNK_NUMBER));
	ts_lane_publish(header, TS_FRAME_CHUNK_MAGIC);
	lane->chunks++;
	atomic_store_explicit(&lane->at, header + TS_FRAME_CHUNK_HEADER, memory_order_relaxed);
}

bool ts_lane_next(struct ts_lane *lane)
{
	struct ts_chunk next;
	uint8_t *header;

	if (!ts_space_take(lane->space, &next))
		return false;
	if (lane->chunk.extent)
		ts_space_give_back(&lane->chunk);
	lane->chunk = next;
	header = next.at + (next.number == 0 ? TS_FRAME_FILE_HEADER : 0);
	lane->limit = next.at + TS_FRAME_CHUNK - (lane->number == 0 ? TS_LANE_TAIL : 0);
	put_header(lane, header);
	return true;
}
