#include "analysis/snapshot/heap.h"

#include <stdlib.h>

#define ROUND 512			  /* c10: kMinBlockSize */
#define SMALL_SEGMENT (UINT64_C(2) << 20) /* kSmallBuffer */

static int compare_ranges(const void *va, const void *vb)
{
	const struct ts_heap_range *a = va, *b = vb;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

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
		cut(m, e->address, e->address + e->size);
	else if (ts_snapshot_gives(e) && m->n < m->room)
		m->ranges[m->n++] = (struct ts_heap_range){
			.begin = e->address, .end = e->address + e->size, .stream = e->stream, .small = e->size <= SMALL_SEGMENT};
}

static void take_segments(struct ts_heap *m, const struct ts_replay *r)
{
	const struct ts_snapshot *s = r->snapshot;

	for (const struct ts_snapshot_segment *g = s->segments; g < s->segments + s->n_segments; g++)
		if (g->device == r->device)
			m->ranges[m->n++] = (struct ts_heap_range){.begin = g->address,
								   .end = g->address + g->total,
								   .stream = g->stream,
								   .small = g->small,
								   .pooled = g->pool[0] || g->pool[1]};
}

/* --- what lives in them --- */

static int compare_lives(const void *va, const void *vb)
{
	const struct ts_life *const *a = va, *const *b = vb;

	return ((*a)->address > (*b)->address) - ((*a)->address < (*b)->address);
}

static uint64_t end_of(const struct ts_life *life)
{
	uint64_t size = life->size ? life->size : (life->requested + ROUND - 1) / ROUND * ROUND;

	return life->address + size;
}

static void add_gap(struct ts_heap_range *g, uint64_t begin, uint64_t end)
{
	if (end <= begin)
		return;
	g->free += end - begin;
	g->largest = end - begin > g->largest ? end - begin : g->largest;
}

/* lives: sorted by address; returns those behind this range. */
static const struct ts_life **fill(struct ts_heap_range *g, const struct ts_replay *r, const struct ts_life **lives,
				   const struct ts_life **end)
{
	uint64_t at = g->begin;

	g->biggest = UINT32_MAX;
	while (lives < end && (*lives)->address < g->begin)
		lives++;
	for (; lives < end && (*lives)->address < g->end; lives++) {
		uint64_t stop = end_of(*lives) < g->end ? end_of(*lives) : g->end;

		add_gap(g, at, (*lives)->address);
		g->n_used++;
		if (g->biggest == UINT32_MAX || (*lives)->requested > r->lives[g->biggest].requested)
			g->biggest = (uint32_t)(*lives - r->lives);
		at = stop > at ? stop : at;
	}
	add_gap(g, at, g->end);
	g->used = g->end - g->begin - g->free;
	return lives;
}

static enum ts_status fill_all(struct ts_heap *m, const struct ts_replay *r, uint32_t event, struct ts_arena *arena,
			       struct ts_error *err)
{
	const struct ts_life **lives = ts_arena_array(arena, r->n_lives, sizeof *lives), **at = lives;
	size_t n = 0;

	if (!lives)
		return ts_arena_error(arena, err);
	for (uint32_t i = 0; i < r->n_lives; i++)
		if (ts_life_at(&r->lives[i], event))
			lives[n++] = &r->lives[i];
	if (n)
		qsort(lives, n, sizeof *lives, compare_lives);
	for (uint32_t i = 0; i < m->n; i++)
		at = fill(&m->ranges[i], r, at, lives + n);
	return TS_OK;
}

enum ts_status ts_heap_after(const struct ts_replay *r, uint32_t event, struct ts_arena *arena, struct ts_heap *ret_heap,
			     struct ts_error *err)
{
	uint32_t first = event == TS_REPLAY_BEFORE ? 0 : event + 1;
	struct ts_heap m = {.known = true};
	size_t steps = 0;

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
	if (m.n)
		qsort(m.ranges, m.n, sizeof *m.ranges, compare_ranges);
	if (fill_all(&m, r, event, arena, err))
		return err->status;
	*ret_heap = m;
	return TS_OK;
}
