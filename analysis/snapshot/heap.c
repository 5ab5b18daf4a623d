#include "analysis/snapshot/heap.h"

#include "base/door.h"
#include "base/order.h"

#include <stdlib.h>

#define ROUND 512			  /* c10: kMinBlockSize */
#define SMALL_MAX (UINT64_C(1) << 20)	  /* kSmallSize */
#define SMALL_SEGMENT (UINT64_C(2) << 20) /* kSmallBuffer, and kRoundLarge */
#define LARGE_SEGMENT (UINT64_C(20) << 20) /* kLargeBuffer */
#define LARGE_MIN (UINT64_C(10) << 20)	  /* kMinLargeAlloc */

/* Foreign numbers may reach beyond the last address. */
static uint64_t end_of(uint64_t address, uint64_t size)
{
	return size > UINT64_MAX - address ? UINT64_MAX : address + size;
}

TS_ORDER(compare_ranges, struct ts_heap_range, TS_UP(begin))

/* Takes the bytes from begin to end out of the ranges; one that has more on both sides becomes two. */
static void cut(struct ts_heap *m, uint64_t begin, uint64_t end)
{
	for (uint32_t i = m->n; i-- > 0;) {
		struct ts_heap_range *g = &m->ranges[i];

		if (g->end <= begin || g->begin >= end)
			continue;
		if (g->begin < begin && g->end > end) {
			if (m->n == m->room) /* segments that overlap, which no allocator has */
				continue;
			m->ranges[m->n] = *g;
			m->ranges[m->n++].begin = end;
			g->end = begin;
		} else if (g->begin < begin) {
			g->end = begin;
		} else if (g->end > end) {
			g->begin = end;
		} else {
			*g = m->ranges[--m->n];
		}
	}
}

static void undo(struct ts_heap *m, const struct ts_snapshot_event *e)
{
	if (ts_snapshot_takes(e))
		cut(m, e->address, end_of(e->address, e->size));
	else if (ts_snapshot_gives(e) && m->n < m->room)
		m->ranges[m->n++] = (struct ts_heap_range){.begin = e->address,
							   .end = end_of(e->address, e->size),
							   .stream = e->stream,
							   .pool = {e->pool[0], e->pool[1]},
							   .small = e->size <= SMALL_SEGMENT,
							   .expandable = e->action == TS_ACTION_SEGMENT_UNMAP};
}

static void take_segments(struct ts_heap *m, const struct ts_replay *r)
{
	const struct ts_snapshot *s = r->snapshot;

	for (const struct ts_snapshot_segment *g = s->segments; g < s->segments + s->n_segments; g++)
		if (g->device == r->device)
			m->ranges[m->n++] = (struct ts_heap_range){.begin = g->address,
								   .end = end_of(g->address, g->total),
								   .stream = g->stream,
								   .small = g->small,
								   .pool = {g->pool[0], g->pool[1]},
								   .expandable = g->expandable};
}

static bool is_said(const uint64_t pool[2])
{
	return pool[0] != TS_SNAPSHOT_NO_POOL || pool[1] != TS_SNAPSHOT_NO_POOL;
}

bool ts_heap_private(const uint64_t pool[2])
{
	return is_said(pool) && (pool[0] || pool[1]);
}

bool ts_heap_same_pool(const uint64_t a[2], const uint64_t b[2])
{
	return (!ts_heap_private(a) && !ts_heap_private(b)) || (a[0] == b[0] && a[1] == b[1]);
}

static bool go_together(const struct ts_heap_range *a, const struct ts_heap_range *b)
{
	return a->expandable && b->expandable && a->end == b->begin && a->stream == b->stream &&
	       (!is_said(a->pool) || !is_said(b->pool) || ts_heap_same_pool(a->pool, b->pool));
}

/* Of sorted ranges. What the snapshot shows says more of a range than the event that unmapped a part of it. */
static void join_pages(struct ts_heap *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		struct ts_heap_range *last = n ? &m->ranges[n - 1] : NULL, *g = &m->ranges[i];

		if (last && go_together(last, g)) {
			last->small &= g->small;
			if (is_said(g->pool))
				memcpy(last->pool, g->pool, sizeof last->pool);
			last->end = g->end;
		} else {
			m->ranges[n++] = *g;
		}
	}
	m->n = n;
}

/* --- what lives in them --- */

TS_ORDER_OF_POINTERS(compare_lives, struct ts_life, TS_UP(address))

uint64_t ts_heap_end_of(const struct ts_life *life)
{
	uint64_t up = (ROUND - life->requested % ROUND) % ROUND;

	return end_of(life->address, life->size ? life->size : end_of(life->requested, up));
}

static void add_gap(struct ts_heap_range *g, uint64_t begin, uint64_t end)
{
	if (end <= begin)
		return;
	g->free += end - begin;
	g->largest = end - begin > g->largest ? end - begin : g->largest;
}

/* Fills the range with the lives in it; `at` is the first that may be. Returns that of the next range. */
static size_t fill(const struct ts_heap *m, struct ts_heap_range *g, const struct ts_replay *r, size_t at)
{
	uint64_t from = g->begin;

	g->biggest = UINT32_MAX;
	g->pooled = ts_heap_private(g->pool);
	while (at < m->n_lives && m->lives[at]->address < g->begin)
		at++;
	g->first = at;
	for (; at < m->n_lives && m->lives[at]->address < g->end; at++) {
		const struct ts_life *life = m->lives[at];
		uint64_t stop = ts_heap_end_of(life) < g->end ? ts_heap_end_of(life) : g->end;

		add_gap(g, from, life->address);
		g->n_used++;
		if (g->biggest == UINT32_MAX || life->requested > r->lives[g->biggest].requested)
			g->biggest = (uint32_t)(life - r->lives);
		from = stop > from ? stop : from;
	}
	add_gap(g, from, g->end);
	g->used = g->end - g->begin - g->free;
	return at;
}

static enum ts_status fill_all(struct ts_heap *m, const struct ts_replay *r, uint32_t event, struct ts_arena *arena,
			       struct ts_error *err)
{
	size_t at = 0;

	m->lives = ts_arena_array(arena, r->n_lives, sizeof *m->lives);
	if (!m->lives)
		return ts_arena_error(arena, err);
	for (uint32_t i = 0; i < r->n_lives; i++)
		if (ts_life_at(&r->lives[i], event))
			m->lives[m->n_lives++] = &r->lives[i];
	TS_SORT(m->lives, m->n_lives, compare_lives);
	for (uint32_t i = 0; i < m->n; i++)
		at = fill(m, &m->ranges[i], r, at);
	return TS_OK;
}

uint64_t ts_heap_segment_for(uint64_t requested)
{
	if (requested <= SMALL_MAX)
		return SMALL_SEGMENT;
	if (requested < LARGE_MIN)
		return LARGE_SEGMENT;
	return end_of(requested, (SMALL_SEGMENT - requested % SMALL_SEGMENT) % SMALL_SEGMENT);
}

bool ts_heap_small(uint64_t requested)
{
	return requested <= SMALL_MAX;
}

bool ts_heap_serves(const struct ts_heap_range *range, const struct ts_snapshot_event *request)
{
	return ts_heap_same_pool(range->pool, request->pool) && range->stream == request->stream &&
	       range->small == ts_heap_small(request->size);
}

const struct ts_heap_range *ts_heap_find(const struct ts_heap *heap, uint64_t address)
{
	for (uint32_t i = 0; i < heap->n; i++)
		if (address >= heap->ranges[i].begin && address < heap->ranges[i].end)
			return &heap->ranges[i];
	return NULL;
}

enum ts_status ts_heap_after(const struct ts_replay *r, uint32_t event, struct ts_arena *arena, struct ts_heap *ret_heap,
			     struct ts_error *err)
{
	uint32_t first = event == TS_REPLAY_BEFORE ? 0 : event + 1;
	struct ts_heap m = {.known = true};
	size_t steps = 0;

	TS_DOOR(ts_replay_holds(r));
	for (uint32_t i = first; i < r->n_events; i++)
		steps += ts_snapshot_takes(&r->events[i]) || ts_snapshot_gives(&r->events[i]);
	if (steps > UINT16_MAX || steps * (r->n_segments + steps) > TS_HEAP_WORK_MAX) {
		*ret_heap = (struct ts_heap){0};
		return TS_OK;
	}
	m.room = r->n_segments + (uint32_t)steps * 2;
	m.ranges = ts_arena_array(arena, m.room, sizeof *m.ranges);
	if (!m.ranges)
		return ts_arena_error(arena, err);
	take_segments(&m, r);
	for (uint32_t i = r->n_events; i-- > first;)
		undo(&m, &r->events[i]);
	TS_SORT(m.ranges, m.n, compare_ranges);
	join_pages(&m);
	if (fill_all(&m, r, event, arena, err))
		return err->status;
	*ret_heap = m;
	return TS_OK;
}
