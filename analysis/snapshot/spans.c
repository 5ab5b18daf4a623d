#include "analysis/snapshot/spans.h"

#include "base/door.h"
#include "base/order.h"

/* The smallest value that at least this share of the sorted ones does not exceed. */
static int64_t quantile(const int64_t *values, size_t n, unsigned percent)
{
	return n ? values[(n * percent + 99) / 100 - 1] : 0;
}

/* The number of steps that ended before each event; *ret_begin: the first event of forward or backward. What was allocated before
 * it is there from the start. */
static uint32_t *steps_before(const struct ts_memory *m, struct ts_arena *arena, uint32_t *ret_steps, uint32_t *ret_begin)
{
	const struct ts_replay *r = m->replay;
	uint32_t *before = ts_arena_array(arena, (size_t)r->n_events + 1, sizeof *before), steps = 0;
	uint8_t last = TS_PHASE_UNSAID;

	*ret_begin = r->n_events;
	for (uint32_t i = 0; before && i < r->n_events; i++) {
		uint32_t stack = r->events[i].stack;
		uint8_t phase = stack == TS_SNAPSHOT_NONE ? TS_PHASE_UNSAID : m->origins[stack].phase;

		before[i] = steps;
		if (phase == TS_PHASE_UNSAID)
			continue;
		if (phase != TS_PHASE_SETUP && phase != TS_PHASE_OPTIMIZER && *ret_begin == r->n_events)
			*ret_begin = i;
		steps += phase == TS_PHASE_OPTIMIZER && last != TS_PHASE_UNSAID && last != phase;
		last = phase;
	}
	if (before)
		before[r->n_events] = steps;
	*ret_steps = steps;
	return before;
}

static bool is_carried(const struct ts_memory *m, uint32_t i, const uint32_t *before, uint32_t begin)
{
	const struct ts_life *life = &m->replay->lives[i];
	uint32_t end = life->died == TS_REPLAY_NEVER ? m->replay->n_events : life->died;

	if (life->born == TS_REPLAY_BEFORE || life->born < begin || m->kinds[i] == TS_MEMORY_PARAMETERS ||
	    m->kinds[i] == TS_MEMORY_GRADIENTS || m->kinds[i] == TS_MEMORY_OPTIMIZER)
		return false;
	if (life->stack != TS_SNAPSHOT_NONE && m->origins[life->stack].workspace)
		return false;
	return before[end] - before[life->born] >= 2;
}

static void take_span(struct ts_spans *s, const struct ts_replay *r, const struct ts_life *life, int64_t *events, int64_t *us)
{
	int64_t began = r->events[life->born].time_us, ended = r->events[life->died].time_us;

	events[s->n] = (int64_t)life->died - life->born;
	s->timed &= began != INT64_MIN && ended != INT64_MIN;
	us[s->n] = s->timed ? (int64_t)((uint64_t)ended - (uint64_t)began) : 0;
	if (events[s->n] <= TS_SPANS_SHORT) {
		s->n_short++;
		s->short_bytes += life->requested;
	}
	s->n++;
}

static void take_quantiles(struct ts_spans *s, int64_t *events, int64_t *us)
{
	if (!s->n)
		return;
	TS_SORT(events, s->n, ts_by_i64);
	TS_SORT(us, s->n, ts_by_i64);
	s->median_events = (uint32_t)quantile(events, s->n, 50);
	s->p99_events = (uint32_t)quantile(events, s->n, 99);
	s->longest_events = (uint32_t)events[s->n - 1];
	if (!s->timed)
		return;
	s->median_us = quantile(us, s->n, 50);
	s->p99_us = quantile(us, s->n, 99);
	s->longest_us = us[s->n - 1];
}

enum ts_status ts_spans_of(const struct ts_memory *m, struct ts_arena *arena, struct ts_spans *ret_spans, struct ts_error *err)
{
	const struct ts_replay *r = m->replay;
	struct ts_spans s = {.timed = true};
	int64_t *events = ts_arena_array(arena, r->n_lives, sizeof *events), *us = ts_arena_array(arena, r->n_lives, sizeof *us);
	uint32_t begin, *before = steps_before(m, arena, &s.steps, &begin);
	uint8_t *carried = ts_arena_array(arena, r->n_lives, 1);

	TS_DOOR(ts_memory_holds(m));
	if (!events || !us || !before || !carried)
		return ts_arena_error(arena, err);
	for (uint32_t i = 0; i < r->n_lives; i++) {
		const struct ts_life *life = &r->lives[i];

		if (life->born != TS_REPLAY_BEFORE && life->died != TS_REPLAY_NEVER)
			take_span(&s, r, life, events, us);
		carried[i] = is_carried(m, i, before, begin);
	}
	s.timed &= s.n > 0;
	take_quantiles(&s, events, us);
	if (ts_holders_among(m, carried, TS_BY_STACK, arena, &s.carried, err))
		return err->status;
	*ret_spans = s;
	return TS_OK;
}
