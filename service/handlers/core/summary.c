#include "service/handlers/core/summary.h"

#include "base/cursor.h"
#include "base/limits.h"

enum { VERSION = 1, HEADER = 1 + 1 + 4 + 8 + 8 + 8 + 8 + 4 };
enum { HAS_STARTED = 1, HAS_WORLD = 2, HAS_NAME = 4, LONG_NAME = 8 };

enum ts_status ts_summary_make(const struct ts_description *d, struct ts_arena *arena, struct ts_span *ret_summary,
			       struct ts_error *err)
{
	bool has_name = d->run.own_name.len > 0 && d->run.own_name.len <= TS_SUMMARY_MAX - HEADER;
	size_t len = HEADER + (has_name ? d->run.own_name.len : 0);
	uint8_t *at = ts_arena_alloc(arena, len);

	if (!at)
		return ts_arena_error(arena, err);
	at[0] = VERSION;
	at[1] = (uint8_t)((d->has_started ? HAS_STARTED : 0) | (d->has_world ? HAS_WORLD : 0) |
			  (has_name ? HAS_NAME : 0) | (!has_name && d->run.own_name.len ? LONG_NAME : 0));
	ts_store_u32(at + 2, d->run.ranks);
	ts_store_u64(at + 6, d->run.steps);
	ts_store_u64(at + 14, (uint64_t)d->run.first_step);
	ts_store_u64(at + 22, (uint64_t)d->run.last_step);
	ts_store_u64(at + 30, (uint64_t)d->started_ns);
	ts_store_u32(at + 38, (uint32_t)d->world_size);
	if (has_name)
		memcpy(at + HEADER, d->run.own_name.data, d->run.own_name.len);
	*ret_summary = ts_span_of(at, len);
	return TS_OK;
}

bool ts_summary_read(struct ts_span bytes, struct ts_summary *ret_summary)
{
	struct ts_cursor c = ts_cursor_of(bytes);
	struct ts_summary s;
	uint8_t flags;

	if (ts_cursor_u8(&c) != VERSION)
		return false;
	flags = ts_cursor_u8(&c);
	s.ranks = ts_cursor_u32(&c);
	s.steps = ts_cursor_u64(&c);
	s.first_step = (int64_t)ts_cursor_u64(&c);
	s.last_step = (int64_t)ts_cursor_u64(&c);
	s.started_ns = (int64_t)ts_cursor_u64(&c);
	s.world_size = ts_cursor_u32(&c);
	s.has_started = flags & HAS_STARTED;
	s.has_world = flags & HAS_WORLD;
	s.has_name = flags & HAS_NAME;
	s.long_name = flags & LONG_NAME;
	s.own_name = ts_cursor_bytes(&c, ts_cursor_left(&c));
	if (c.failed)
		return false;
	*ret_summary = s;
	return true;
}
