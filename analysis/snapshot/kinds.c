#include "analysis/snapshot/kinds.h"

#include "base/door.h"

struct kinds {
	const struct ts_replay *r;
	const struct ts_origin *origins;
	uint32_t *other; /* of each event: the next whose phase is another one and known; n_events: none */
	int64_t step_end; /* of the last step of an optimizer that the profiler marked; INT64_MIN: none */
	uint32_t seen;	 /* a bit for each phase that an event has */
	struct ts_origin none; /* of what has no stack */
	bool frees_have_stacks; /* some do */
	bool forward_only;     /* no event is of backward, of an optimizer, or lets go of what autograd saved */
};

static const struct ts_origin *origin_of(const struct kinds *k, uint32_t stack)
{
	return stack == TS_SNAPSHOT_NONE ? &k->none : &k->origins[stack];
}

/* Whether an event of this action has a stack. */
static bool some_stack(const struct ts_replay *r, uint8_t action)
{
	for (uint32_t i = 0; i < r->n_events; i++)
		if (r->events[i].action == action && r->events[i].stack != TS_SNAPSHOT_NONE)
			return true;
	return false;
}

/* With stacks of Python alone an event without a stack is of a thread without Python, of which training has one: autograd's. Frees
 * have stacks of their own there, or none would say that. */
static enum ts_memory_phase phase_without_stack(const struct kinds *k)
{
	return k->frees_have_stacks && some_stack(k->r, TS_ACTION_ALLOC) && ts_origins_python(k->r->snapshot) ? TS_PHASE_BACKWARD
													      : TS_PHASE_UNSAID;
}

static bool only_forward(const struct kinds *k)
{
	const uint32_t others = UINT32_C(1) << TS_PHASE_BACKWARD | UINT32_C(1) << TS_PHASE_OPTIMIZER;

	for (uint32_t i = 0; i < k->r->n_events; i++)
		if (origin_of(k, k->r->events[i].stack)->releases)
			return false;
	return k->frees_have_stacks && !(k->seen & others);
}

/* Recomputation is a part of backward. */
static uint8_t part_of(uint8_t phase)
{
	return phase == TS_PHASE_RECOMPUTE ? TS_PHASE_BACKWARD : phase;
}

static void find_others(struct kinds *k)
{
	uint32_t n = k->r->n_events, next = n, following = n; /* the next known event, and the first after it of another phase */

	for (uint32_t i = n; i-- > 0;) {
		uint8_t phase = part_of(origin_of(k, k->r->events[i].stack)->phase);

		k->other[i] = next;
		if (phase == TS_PHASE_UNSAID)
			continue;
		k->seen |= UINT32_C(1) << phase;
		if (next < n && part_of(origin_of(k, k->r->events[next].stack)->phase) != phase)
			following = next;
		k->other[i] = following;
		next = i;
	}
}

/* The time of the last end of an optimizer's step that the profiler marked; INT64_MIN: there is none. */
static int64_t last_step_end(const struct ts_replay *r)
{
	const struct ts_snapshot *s = r->snapshot;
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < s->n_marks; i++)
		if (s->marks[i].device == r->device && s->marks[i].time_us > last &&
		    ts_span_is(ts_snapshot_text(s, s->marks[i].stage), "END") &&
		    ts_span_starts(ts_snapshot_text(s, s->marks[i].name), ts_span_str("Optimizer.step")))
			last = s->marks[i].time_us;
	return last;
}

/* Whether a step of the optimizer that was going on at an event, or had ended before it, ended before the last event. */
static bool step_ended(const struct kinds *k, uint32_t event)
{
	return event < k->r->n_events && k->r->events[event].time_us != INT64_MIN && k->r->events[event].time_us <= k->step_end;
}

/* Whether it was still there when the phase in which it was allocated was over. */
static bool outlived(const struct kinds *k, const struct ts_life *life, uint8_t phase)
{
	bool before = life->born == TS_REPLAY_BEFORE;

	if (before ? life->died == TS_REPLAY_NEVER && k->seen & ~(UINT32_C(1) << part_of(phase))
		   : k->other[life->born] < life->died && k->other[life->born] < k->r->n_events)
		return true;
	return phase == TS_PHASE_OPTIMIZER && life->died == TS_REPLAY_NEVER && step_ended(k, before ? 0 : life->born);
}

static enum ts_memory_kind kind_of(const struct kinds *k, const struct ts_life *life)
{
	static const struct ts_origin unsaid = {.frame = TS_SNAPSHOT_NONE};
	bool before = life->born == TS_REPLAY_BEFORE;
	const struct ts_origin *from = before && life->stack == TS_SNAPSHOT_NONE ? &unsaid : origin_of(k, life->stack);
	bool freed = life->let_go != TS_REPLAY_NEVER;
	const struct ts_origin *to = freed ? origin_of(k, k->r->events[life->let_go].stack) : &unsaid;
	bool stays = outlived(k, life, from->phase);
	bool within = freed && !before && !stays && part_of(to->phase) == part_of(from->phase);

	if (to->zeroes || from->buckets)
		return TS_MEMORY_GRADIENTS;
	if (to->uncasts)
		return TS_MEMORY_CASTS;
	if (from->workspace)
		return TS_MEMORY_WORKSPACE;
	if (from->gathers)
		return within ? TS_MEMORY_TEMPORARY : TS_MEMORY_PARAMETERS;
	switch ((enum ts_memory_phase)from->phase) {
	case TS_PHASE_SETUP:
		if (freed && !stays)
			return within ? TS_MEMORY_TEMPORARY : TS_MEMORY_UNKNOWN;
		return from->made ? TS_MEMORY_MADE : TS_MEMORY_PARAMETERS;
	case TS_PHASE_OPTIMIZER:
		return within ? TS_MEMORY_TEMPORARY : stays && to->phase != TS_PHASE_BACKWARD ? TS_MEMORY_OPTIMIZER : TS_MEMORY_UNKNOWN;
	case TS_PHASE_RECOMPUTE:
		return TS_MEMORY_RECOMPUTATION;
	case TS_PHASE_BACKWARD:
		return within ? TS_MEMORY_TEMPORARY : stays || (from->accumulates && !freed) ? TS_MEMORY_GRADIENTS : TS_MEMORY_UNKNOWN;
	case TS_PHASE_FORWARD:
		if (to->releases || part_of(to->phase) == TS_PHASE_BACKWARD)
			return TS_MEMORY_ACTIVATIONS;
		if (within)
			return TS_MEMORY_TEMPORARY;
		stays |= to->outside || (k->forward_only && !before);
		return stays && k->frees_have_stacks ? TS_MEMORY_KEPT : TS_MEMORY_UNKNOWN;
	case TS_PHASE_UNSAID:
	default:
		return to->releases ? TS_MEMORY_ACTIVATIONS : TS_MEMORY_UNKNOWN;
	}
}

enum { SEEN_ACTIVATION = 1, SEEN_OTHER = 2 };

/* What is still there of a forward that had not ended is activations if all that its stack asked for before was. */
static bool know_by_stack(const struct kinds *k, uint8_t *kinds, struct ts_arena *arena)
{
	const struct ts_replay *r = k->r;
	uint8_t *seen = ts_arena_array(arena, r->snapshot->n_stacks, 1);

	if (!seen)
		return false;
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < r->n_lives; i++) {
			const struct ts_life *life = &r->lives[i];

			if (life->stack == TS_SNAPSHOT_NONE || k->origins[life->stack].phase != TS_PHASE_FORWARD)
				continue;
			if (life->let_go == TS_REPLAY_NEVER && !outlived(k, life, TS_PHASE_FORWARD)) {
				if (pass && kinds[i] == TS_MEMORY_UNKNOWN && seen[life->stack] == SEEN_ACTIVATION)
					kinds[i] = TS_MEMORY_ACTIVATIONS;
			} else if (!pass) {
				seen[life->stack] |= kinds[i] == TS_MEMORY_ACTIVATIONS ? SEEN_ACTIVATION : SEEN_OTHER;
			}
		}
	return true;
}

const uint8_t *ts_kinds_of(const struct ts_replay *r, const struct ts_origin *origins, struct ts_arena *arena)
{
	struct kinds k = {.r = r, .origins = origins, .other = ts_arena_array(arena, (size_t)r->n_events + 1, sizeof *k.other)};
	uint8_t *kinds = ts_arena_array(arena, r->n_lives, 1);

	TS_DOOR(ts_replay_holds(r));
	if (!k.other || !kinds)
		return NULL;
	k.step_end = last_step_end(r);
	k.frees_have_stacks = some_stack(r, TS_ACTION_FREE_COMPLETED);
	k.none = (struct ts_origin){.frame = TS_SNAPSHOT_NONE, .phase = (uint8_t)phase_without_stack(&k)};
	find_others(&k);
	k.forward_only = only_forward(&k);
	for (uint32_t i = 0; i < r->n_lives; i++) {
		kinds[i] = (uint8_t)kind_of(&k, &r->lives[i]);
		if (r->n_events && kinds[i] == TS_MEMORY_UNKNOWN && r->lives[i].born == TS_REPLAY_BEFORE)
			kinds[i] = TS_MEMORY_BEFORE;
	}
	return know_by_stack(&k, kinds, arena) ? kinds : NULL;
}
