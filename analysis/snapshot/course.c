#include "analysis/snapshot/course.h"

#include "base/door.h"
#include "base/order.h"
#include <stdlib.h>

struct walk {
	const struct ts_memory *m;
	const struct ts_replay *r;
	uint32_t *born, *died; /* of each event: the life that it begins, and ends, + 1; no event does more */
	struct ts_course_state now;
	struct ts_course course;
};

static bool index_lives(struct walk *w, struct ts_arena *arena)
{
	w->born = ts_arena_array(arena, w->r->n_events, sizeof *w->born);
	w->died = ts_arena_array(arena, w->r->n_events, sizeof *w->died);
	if (!w->born || !w->died)
		return false;
	for (uint32_t i = 0; i < w->r->n_lives; i++) {
		const struct ts_life *life = &w->r->lives[i];

		if (life->born != TS_REPLAY_BEFORE)
			w->born[life->born] = i + 1;
		else
			w->now.kinds[w->m->kinds[i]] += life->requested;
		if (life->died != TS_REPLAY_NEVER)
			w->died[life->died] = i + 1;
	}
	return true;
}

static void add(struct walk *w, uint32_t life, bool begins)
{
	uint64_t bytes = life ? w->r->lives[life - 1].requested : 0;
	uint64_t *kind = life ? &w->now.kinds[w->m->kinds[life - 1]] : NULL;

	if (!life)
		return;
	*kind = begins ? *kind + bytes : *kind - bytes;
	w->now.total = begins ? w->now.total + bytes : w->now.total - bytes;
}

static void step(struct walk *w, uint32_t event)
{
	const struct ts_snapshot_event *e = &w->r->events[event];

	add(w, w->died[event], false);
	add(w, w->born[event], true);
	w->now.event = event;
	if (ts_snapshot_takes(e))
		w->now.reserved += e->size;
	else if (ts_snapshot_gives(e))
		w->now.reserved -= e->size;
}

static void keep(struct ts_course *c, const struct ts_course_state *state)
{
	if (!c->n || c->states[c->n - 1].event != state->event || state->event == TS_REPLAY_BEFORE)
		c->states[c->n++] = *state;
}

/* One piece: where least and where most was in use, in their order. */
static void take_piece(struct walk *w, uint32_t first, uint32_t end)
{
	struct ts_course_state least = {.total = UINT64_MAX}, most = {.event = first};
	uint64_t reserved = 0;

	for (uint32_t i = first; i < end; i++) {
		step(w, i);
		if (w->now.total < least.total)
			least = w->now;
		if (i == first || w->now.total > most.total)
			most = w->now;
		reserved = w->now.reserved > reserved ? w->now.reserved : reserved;
	}
	least.reserved_most = most.reserved_most = reserved;
	keep(&w->course, least.event < most.event ? &least : &most);
	keep(&w->course, least.event < most.event ? &most : &least);
}

/* --- the largest --- */

struct large {
	uint64_t bytes;
	uint32_t life;
};

/* Larger first; of equal ones the first. */
TS_ORDER(compare_large, struct large, TS_DOWN(bytes); TS_UP(life))

static void take_largest(struct walk *w, struct large *large)
{
	size_t n = w->r->n_lives < TS_COURSE_LOOKED_AT ? w->r->n_lives : TS_COURSE_LOOKED_AT;

	for (uint32_t i = 0; i < w->r->n_lives; i++)
		large[i] = (struct large){w->r->lives[i].requested, i};
	TS_SORT(large, w->r->n_lives, compare_large);
	for (size_t i = 0; i < n && i < TS_COURSE_LARGEST; i++)
		w->course.largest[w->course.n_largest++] = large[i].life;
	for (size_t s = 0; s < w->course.n; s++) {
		struct ts_course_state *state = &w->course.states[s];

		for (size_t i = 0; i < n && state->n_holds < TS_COURSE_HOLDS; i++)
			if (ts_life_at(&w->r->lives[large[i].life], state->event))
				state->holds[state->n_holds++] = large[i].life;
	}
}

enum ts_status ts_course_of(const struct ts_memory *m, struct ts_arena *arena, struct ts_course *ret_course, struct ts_error *err)
{
	struct walk w = {.m = m, .r = m->replay, .now = {.event = TS_REPLAY_BEFORE}};
	uint32_t n = w.r->n_events, each = n / TS_COURSE_PIECES + (n % TS_COURSE_PIECES != 0);
	struct large *large = ts_arena_array(arena, w.r->n_lives, sizeof *large);
	uint64_t requested;

	TS_DOOR(ts_memory_holds(m));
	w.course.states = ts_arena_array(arena, 2 * TS_COURSE_PIECES + 2, sizeof *w.course.states);
	if (!large || !w.course.states || !index_lives(&w, arena))
		return ts_arena_error(arena, err);
	for (int i = 0; i < TS_MEMORY_KINDS; i++)
		w.now.total += w.now.kinds[i];
	ts_replay_level(w.r, TS_REPLAY_BEFORE, &requested, &w.now.reserved);
	w.now.reserved_most = w.now.reserved;
	keep(&w.course, &w.now);
	for (uint32_t at = 0; at < n; at += each)
		take_piece(&w, at, n - at < each ? n : at + each);
	w.now.reserved_most = w.now.reserved;
	if (n)
		keep(&w.course, &w.now);
	take_largest(&w, large);
	*ret_course = w.course;
	return TS_OK;
}
