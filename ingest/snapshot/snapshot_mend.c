#include "ingest/snapshot/snapshot_mend.h"

#include "ingest/snapshot/snapshot_rows.h"

/* bytes, unless that would be too many for one segment or for all together. */
static uint64_t allowed(uint64_t bytes, uint64_t most, uint64_t *io_bytes)
{
	if (bytes > most || bytes > (uint64_t)INT64_MAX - *io_bytes)
		return 0;
	*io_bytes += bytes;
	return bytes;
}

/* Where block i ends: the next one begins there, or the segment ends. */
static uint64_t end_of(const struct ts_snapshot_segment *s, const struct ts_snapshot_block *blocks, uint32_t i)
{
	if (i + 1 < s->n_blocks && blocks[i + 1].address != TS_NO_ADDRESS)
		return blocks[i + 1].address;
	return i + 1 == s->n_blocks && s->total != TS_NO_SIZE ? s->address + s->total : blocks[i].address;
}

static void mend_blocks(const struct ts_snapshot_segment *s, struct ts_snapshot_block *blocks, uint64_t *io_bytes)
{
	uint64_t at = s->address, most = s->total == TS_NO_SIZE ? (uint64_t)INT64_MAX : s->total;

	for (uint32_t i = 0; i < s->n_blocks; i++) {
		struct ts_snapshot_block *b = &blocks[i];

		if (b->address == TS_NO_ADDRESS)
			b->address = at;
		if (b->size == TS_NO_SIZE)
			b->size = allowed(end_of(s, blocks, i) - b->address, most, io_bytes);
		if (b->requested == TS_NO_SIZE)
			b->requested = allowed(b->size, most, io_bytes);
		at = b->address + b->size;
	}
}

void ts_snapshot_mend(struct ts_snapshot_segment *segment, struct ts_snapshot_block *blocks, uint64_t *io_bytes)
{
	uint64_t total = 0, allocated = 0, active = 0, requested = 0;

	if (segment->address == TS_NO_ADDRESS)
		segment->address = segment->n_blocks && blocks[0].address != TS_NO_ADDRESS ? blocks[0].address : 0;
	mend_blocks(segment, blocks, io_bytes);
	for (uint32_t i = 0; i < segment->n_blocks; i++) {
		bool used = blocks[i].state == TS_BLOCK_ACTIVE || blocks[i].state == TS_BLOCK_PENDING;

		total += blocks[i].size;
		allocated += blocks[i].state == TS_BLOCK_ACTIVE ? blocks[i].size : 0;
		active += used ? blocks[i].size : 0;
		requested += used ? blocks[i].requested : 0;
	}
	if (segment->total == TS_NO_SIZE)
		segment->total = allowed(total, INT64_MAX, io_bytes);
	if (segment->allocated == TS_NO_SIZE)
		segment->allocated = allowed(allocated, INT64_MAX, io_bytes);
	if (segment->active == TS_NO_SIZE)
		segment->active = allowed(active, INT64_MAX, io_bytes);
	if (segment->requested == TS_NO_SIZE)
		segment->requested = allowed(requested, INT64_MAX, io_bytes);
}

void ts_snapshot_mend_devices(struct ts_snapshot_segment *segments, size_t n)
{
	uint16_t before = TS_NO_SEGMENT_DEVICE;
	size_t next = 0;

	for (size_t i = 0; i < n; i++) {
		while (next < n && (next < i || segments[next].device == TS_NO_SEGMENT_DEVICE))
			next++;
		if (before == TS_NO_SEGMENT_DEVICE && next < n)
			before = segments[next].device;
		if (i < next && (next == n || segments[next].device == before))
			segments[i].device = before;
		else if (i == next)
			before = segments[i].device;
	}
}
