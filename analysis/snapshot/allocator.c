#include "analysis/snapshot/allocator.h"

#include "base/door.h"

static void take_elsewhere(struct ts_oom *oom, const struct ts_heap_range *g, const struct ts_snapshot_event *request)
{
	oom->elsewhere += g->free;
	if (!g->free)
		return;
	oom->of_other_pools |= !ts_heap_same_pool(g->pool, request->pool);
	oom->of_other_streams |= g->stream != request->stream;
	oom->of_other_sizes |= g->small != ts_heap_small(request->size);
}

static void take_range(struct ts_oom *oom, const struct ts_heap_range *g, const struct ts_snapshot_event *request)
{
	oom->reserved += g->end - g->begin;
	if (!ts_heap_serves(g, request)) {
		take_elsewhere(oom, g, request);
		oom->cached += g->n_used || ts_heap_private(g->pool) ? 0 : g->free;
		return;
	}
	oom->free += g->free;
	oom->largest = g->largest > oom->largest ? g->largest : oom->largest;
	if (g->n_used && g->free > oom->pinned_free) {
		oom->pinned_range = g->end - g->begin;
		oom->pinned_free = g->free;
		oom->pinned_used = g->used;
		oom->pinned_by = g->biggest;
		oom->n_pinned = g->n_used;
	}
}

static void take_life(struct ts_oom *oom, const struct ts_life *life)
{
	oom->live += life->requested;
	oom->before += life->born == TS_REPLAY_BEFORE ? life->requested : 0;
	oom->waiting += life->let_go < oom->event ? life->requested : 0;
}

static enum ts_status explain(const struct ts_replay *r, uint32_t event, struct ts_arena *arena, struct ts_oom *ret,
			      struct ts_error *err)
{
	const struct ts_snapshot_event *e = &r->events[event];
	struct ts_oom oom = {.event = event,
			     .requested = e->size,
			     .device_free = e->address,
			     .private = ts_heap_private(e->pool),
			     .pool = {e->pool[0], e->pool[1]},
			     .pinned_by = UINT32_MAX};
	struct ts_heap heap;

	if (ts_heap_after(r, event, arena, &heap, err))
		return err->status;
	for (uint32_t i = 0; i < r->n_lives; i++)
		if (ts_life_at(&r->lives[i], event))
			take_life(&oom, &r->lives[i]);
	oom.known = heap.known;
	oom.segment = ts_heap_segment_for(oom.requested);
	for (uint32_t i = 0; i < heap.n; i++)
		take_range(&oom, &heap.ranges[i], e);
	*ret = oom;
	return TS_OK;
}

/* Adds the time from one event to another, if it goes forward. */
static void add_time(int64_t *sum, const struct ts_snapshot_event *from, const struct ts_snapshot_event *to)
{
	int64_t between;

	if (from->time_us == INT64_MIN || to->time_us <= from->time_us ||
	    __builtin_sub_overflow(to->time_us, from->time_us, &between) || __builtin_add_overflow(*sum, between, &between))
		return;
	*sum = between;
}

/* The events that a retry gives back before the event `at`, which asks again: all in a row, or it was no retry. */
static void take_retry(struct ts_allocator *a, const struct ts_replay *r, uint32_t at)
{
	uint32_t stack = r->events[at].stack, first = at;
	uint64_t bytes = 0;

	if (stack == TS_SNAPSHOT_NONE)
		return;
	for (uint32_t i = at; i-- > 0;) {
		const struct ts_snapshot_event *e = &r->events[i];

		if (!ts_snapshot_gives(e))
			break;
		if (e->stack != stack)
			return;
		bytes += e->size;
		first = i;
	}
	add_time(&a->retry_us, &r->events[first], &r->events[at]);
	a->n_retries += bytes > 0;
	a->retried += bytes;
}

enum ts_status ts_allocator_of(const struct ts_replay *r, struct ts_arena *arena, struct ts_allocator *ret_allocator,
			       struct ts_error *err)
{
	struct ts_allocator a = {.timed = r->n_events && r->events[0].time_us != INT64_MIN};

	TS_DOOR(ts_replay_holds(r));
	for (uint32_t i = 0; i < r->n_events; i++) {
		const struct ts_snapshot_event *e = &r->events[i];

		if (i && (ts_snapshot_takes(e) || ts_snapshot_gives(e)))
			add_time(&a.most_us, &e[-1], e);
		if (ts_snapshot_takes(e)) {
			a.n_taken++;
			a.taken += e->size;
			take_retry(&a, r, i);
		} else if (ts_snapshot_gives(e)) {
			a.n_given++;
			a.given += e->size;
		} else if (e->action == TS_ACTION_OOM) {
			take_retry(&a, r, i);
			if (a.n_ooms < TS_OOMS_MAX && explain(r, i, arena, &a.ooms[a.n_ooms], err))
				return err->status;
			a.n_ooms++;
		}
	}
	*ret_allocator = a;
	return TS_OK;
}
