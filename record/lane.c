#include "record/lane.h"

#include "record/companion.h"

static void put_header(struct ts_lane *lane, uint8_t *header)
{
	memset(header + TS_FRAME_CHUNK_NUMBER, 0, TS_FRAME_CHUNK_HEADER - TS_FRAME_CHUNK_NUMBER);
	ts_put32(header + TS_FRAME_CHUNK_NUMBER, lane->slot->number);
	ts_put32(header + TS_FRAME_CHUNK_LANE, lane->number);
	ts_put32(header + TS_FRAME_CHUNK_ORDINAL, lane->chunks);
	ts_put32(header + TS_FRAME_CHUNK_CRC,
		 ts_crc32c(0, header + TS_FRAME_CHUNK_NUMBER, TS_FRAME_CHUNK_HEADER - TS_FRAME_CHUNK_NUMBER));
	ts_put32(header, TS_FRAME_CHUNK_MAGIC);
	lane->chunks++;
	lane->at = header + TS_FRAME_CHUNK_HEADER;
}

bool ts_lane_next(struct ts_lane *lane)
{
	struct ts_slot *next = ts_area_take(lane->area);

	if (lane->companion && (!next || ts_area_is_short(lane->area)))
		next = ts_companion_hurry(lane->companion, next);
	if (!next)
		return false;
	if (lane->slot)
		ts_area_full(lane->slot);
	lane->slot = next;
	next->lane = lane->number;
	lane->base = ts_area_bytes(lane->area, next);
	lane->limit = lane->base + TS_FRAME_CHUNK - (lane->number == 0 ? TS_LANE_TAIL : 0);
	put_header(lane, lane->base + (next->number == 0 ? TS_FRAME_FILE_HEADER : 0));
	return true;
}

bool ts_lane_late(struct ts_lane *lane, int64_t step, const uint16_t *columns, const uint64_t *values, uint32_t count)
{
	size_t size = TS_FRAME_LATE_CELLS + ts_cells_size(count);
	uint8_t *frame = ts_lane_room(lane, size);

	if (!frame)
		return false;
	ts_put64(frame + TS_FRAME_LATE_STEP, (uint64_t)step);
	ts_put64(frame + TS_FRAME_LATE_COUNT, count);
	ts_put_cells(frame + TS_FRAME_LATE_CELLS, columns, values, count);
	ts_lane_put(lane, frame, TS_FRAME_LATE, size);
	return true;
}
