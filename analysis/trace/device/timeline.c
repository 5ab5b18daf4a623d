#include "analysis/trace/device/timeline.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/trace_steps.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/scratch.h"

/* --- one population --- */

/* The length of a union of intervals that come by their begins. */
struct cover {
	int64_t until;
	uint64_t ns;
	bool any;
};

static void cover(struct cover *c, int64_t begin, int64_t end)
{
	if (c->any && end <= c->until)
		return;
	c->ns += (uint64_t)end - (uint64_t)(c->any && begin < c->until ? c->until : begin);
	c->until = end;
	c->any = true;
}

struct covers {
	struct cover parts[8]; /* by the mask of parts that it covers */
	struct cover collectives[TS_COLLECTIVES], with_computation[TS_COLLECTIVES];
	uint8_t occurring[TS_COLLECTIVES]; /* the collectives of this population */
	size_t n_occurring;
};

static void cover_all(struct covers *c, const struct ts_device_event *w)
{
	static const uint8_t masks[] = {TS_PART_COMPUTATION, TS_PART_COMMUNICATION, TS_PART_MEMORY,
					TS_PART_COMPUTATION | TS_PART_COMMUNICATION,
					TS_PART_COMPUTATION | TS_PART_COMMUNICATION | TS_PART_MEMORY};

	for (size_t i = 0; i < sizeof masks; i++)
		if (w->class & masks[i])
			cover(&c->parts[masks[i]], w->begin, w->end);
	if (w->class & TS_PART_COMMUNICATION)
		cover(&c->collectives[w->collective], w->begin, w->end);
	for (size_t i = 0; i < c->n_occurring; i++)
		if (w->class & TS_PART_COMPUTATION || (w->class & TS_PART_COMMUNICATION && w->collective == c->occurring[i]))
			cover(&c->with_computation[c->occurring[i]], w->begin, w->end);
}

static void count(struct ts_timeline *t, const struct ts_device_event *w, const struct ts_trace_spans *spans)
{
	uint64_t duration = (uint64_t)w->end - (uint64_t)w->begin;

	if (!t->events++ || w->end > t->end_ns)
		t->end_ns = w->end;
	t->communications += w->class == TS_PART_COMMUNICATION;
	t->computations += w->class == TS_PART_COMPUTATION;
	t->copies += w->class == TS_PART_MEMORY;
	t->fills += spans->kind[w->row] == TS_TRACE_FILL;
	t->collectives[w->collective].events += w->class == TS_PART_COMMUNICATION;
	t->sum_ns = t->sum_ns + duration < duration ? UINT64_MAX : t->sum_ns + duration;
}

/* w is sorted by begin. */
static struct ts_timeline measure(const struct ts_device_event *w, size_t n, const struct ts_trace_spans *spans)
{
	struct ts_timeline t = {0};
	struct covers c = {0};

	for (int i = 0; i < TS_COLLECTIVES; i++)
		t.collectives[i].kind = (enum ts_collective)i;
	if (!n)
		return t;
	for (size_t i = 0; i < n; i++)
		count(&t, &w[i], spans);
	for (uint8_t i = 0; i < TS_COLLECTIVES; i++)
		if (t.collectives[i].events)
			c.occurring[c.n_occurring++] = i;
	for (size_t i = 0; i < n; i++)
		cover_all(&c, &w[i]);
	t.begin_ns = w[0].begin;
	t.span_ns = (uint64_t)t.end_ns - (uint64_t)t.begin_ns;
	t.computation_ns = c.parts[TS_PART_COMPUTATION].ns;
	t.communication_ns = c.parts[TS_PART_COMMUNICATION].ns;
	t.memory_ns = c.parts[TS_PART_MEMORY].ns;
	t.busy_ns = c.parts[TS_PART_COMPUTATION | TS_PART_COMMUNICATION | TS_PART_MEMORY].ns;
	t.idle_ns = t.span_ns - t.busy_ns;
	t.exposed_communication_ns = c.parts[TS_PART_COMPUTATION | TS_PART_COMMUNICATION].ns - t.computation_ns;
	t.overlapped_communication_ns = t.communication_ns - t.exposed_communication_ns;
	t.exposed_memory_ns = t.busy_ns - c.parts[TS_PART_COMPUTATION | TS_PART_COMMUNICATION].ns;
	for (size_t i = 0; i < c.n_occurring; i++) {
		struct ts_timeline_collective *k = &t.collectives[c.occurring[i]];

		k->ns = c.collectives[c.occurring[i]].ns;
		k->exposed_ns = c.with_computation[c.occurring[i]].ns - t.computation_ns;
	}
	return t;
}

/* --- devices and streams --- */

/* Puts the events of each group together, in their order, and calls make for each group. */
static void by_group(struct ts_device_event *w, size_t n, struct ts_device_event *spare, const struct ts_trace_spans *spans, void *ctx,
		     void (*make)(void *ctx, uint64_t group, const struct ts_timeline *timeline))
{
	ts_device_events_by_group(w, n, spare);
	for (size_t i = 0; i < n;) {
		struct ts_timeline timeline;
		size_t end = i;

		while (end < n && w[end].group == w[i].group)
			end++;
		timeline = measure(w + i, end - i, spans);
		make(ctx, w[i].group, &timeline);
		i = end;
	}
}

/* Where an event ran, as one number that sorts by device and then stream. */
enum { OFFSET = -INT32_MAX - 1 };

static uint64_t place_of(int32_t device, int32_t stream)
{
	return (uint64_t)((uint32_t)device ^ (uint32_t)OFFSET) << 32 | ((uint32_t)stream ^ (uint32_t)OFFSET);
}

struct places {
	struct ts_timeline_of *items;
	size_t n;
};

static void add_place(void *ctx, uint64_t group, const struct ts_timeline *timeline)
{
	struct places *p = ctx;

	p->items[p->n++] = (struct ts_timeline_of){.device = (int32_t)((uint32_t)(group >> 32) ^ (uint32_t)OFFSET),
						   .stream = (int32_t)((uint32_t)group ^ (uint32_t)OFFSET),
						   .timeline = *timeline};
}

static size_t count_groups(const struct ts_device_event *w, size_t n)
{
	size_t groups = n > 0;

	for (size_t i = 1; i < n; i++)
		groups += w[i].group != w[i - 1].group;
	return groups;
}

/* w is sorted by begin, and is so afterwards in `sorted`, from which it is copied. */
static enum ts_status places(struct ts_device_event *w, const struct ts_device_event *sorted, size_t n, struct ts_device_event *spare,
			     const struct ts_trace_spans *s, bool streams, struct ts_arena *arena, struct places *ret,
			     struct ts_error *err)
{
	memcpy(w, sorted, n * sizeof *w);
	for (size_t i = 0; i < n; i++)
		w[i].group = place_of(s->device[w[i].row], streams ? s->stream[w[i].row] : TS_TRACE_NO_DEVICE);
	ts_device_events_by_group(w, n, spare);
	ret->items = ts_arena_array(arena, count_groups(w, n), sizeof *ret->items);
	if (!ret->items)
		return ts_arena_error(arena, err);
	by_group(w, n, spare, s, ret, add_place);
	for (size_t i = 0; i < ret->n; i++)
		ret->items[i].all_streams = !streams;
	return TS_OK;
}

/* --- steps --- */

static enum ts_status find_steps(const struct ts_trace *trace, struct ts_arena *arena, struct ts_timelines *out, struct ts_error *err)
{
	struct ts_trace_step *steps = NULL;

	if (ts_trace_steps(trace, arena, &steps, &out->n_steps, err))
		return err->status;
	out->steps = ts_arena_array(arena, out->n_steps, sizeof *out->steps);
	if (!out->steps)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < out->n_steps; i++)
		out->steps[i] = (struct ts_timeline_step){.number = steps[i].number,
							  .row = steps[i].row,
							  .said = ts_step_said(trace->names[trace->rows.spans.name[steps[i].row]]),
							  .start_ns = steps[i].start_ns,
							  .duration_ns = (uint64_t)trace->rows.spans.duration_ns[steps[i].row]};
	return TS_OK;
}

/* Steps may stand within each other, so a moment belongs to the last-begun of those that have not ended. The moments when that changes:
 * `open` holds the steps that have begun, of which those that ended are taken off when they come to lie on top. */
static enum ts_status find_turns(struct ts_timelines *out, struct ts_arena *arena, struct ts_error *err)
{
	size_t *open = ts_arena_array(arena, out->n_steps, sizeof *open), n_open = 0;

	out->turns = ts_arena_array(arena, 2 * out->n_steps, sizeof *out->turns);
	if (!open || !out->turns)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < out->n_steps || n_open;) {
		const struct ts_timeline_step *top = n_open ? &out->steps[open[n_open - 1]] : NULL;
		int64_t end = top ? top->start_ns + (int64_t)top->duration_ns : 0;

		if (i < out->n_steps && (!top || out->steps[i].start_ns < end)) {
			open[n_open++] = i;
			out->turns[out->n_turns++] = (struct ts_timeline_turn){out->steps[i].start_ns, i + 1};
			i++;
			continue;
		}
		n_open--;
		if (out->turns[out->n_turns - 1].time_ns < end)
			out->turns[out->n_turns++] = (struct ts_timeline_turn){end, 0};
		out->turns[out->n_turns - 1].step = n_open ? open[n_open - 1] + 1 : 0;
	}
	return TS_OK;
}

size_t ts_timelines_step_at(const struct ts_timelines *out, int64_t time)
{
	size_t low = 0;

	TS_DOOR(out->n_turns || !out->n_steps);
	TS_BISECT(low, out->n_turns, i, out->turns[i].time_ns <= time);
	return low ? out->turns[low - 1].step : 0;
}

static void set_step(void *ctx, uint64_t group, const struct ts_timeline *timeline)
{
	struct ts_timelines *out = ctx;

	*(group ? &out->steps[group - 1].timeline : &out->between) = *timeline;
}

static enum ts_status by_step(const struct ts_trace *trace, struct ts_device_event *w, size_t n, struct ts_device_event *spare,
			      struct ts_arena *arena, struct ts_timelines *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_launches launches = {0};
	size_t launched = 0;

	if (find_steps(trace, arena, out, err) || find_turns(out, arena, err) || ts_launches_find(trace, arena, &launches, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		int64_t correlation = s->correlation[w[i].row];
		const struct ts_device_event *launch =
			correlation == TS_TRACE_NONE ? NULL : ts_launch_of(&launches, (uint64_t)correlation);

		if (launch)
			spare[launched++] = w[i];
		w[i].group = ts_timelines_step_at(out, launch ? launch->begin : w[i].begin);
	}
	out->launched = measure(spare, launched, s);
	out->between = measure(NULL, 0, s);
	for (size_t i = 0; i < out->n_steps; i++)
		out->steps[i].timeline = out->between;
	out->unlaunched = n - launched;
	by_group(w, n, spare, s, out, set_step);
	ts_scratch_give(arena, launches.items);
	return TS_OK;
}

/* Of a trace in which some step says its phase. */
static enum ts_status add_phases(struct ts_timelines *out, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_step_phase_sum sums[TS_STEP_PHASES] = {0};
	bool any = false;

	out->phases = ts_arena_array(arena, TS_STEP_PHASES, sizeof *out->phases);
	if (!out->phases)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < out->n_steps; i++) {
		const struct ts_timeline_step *step = &out->steps[i];
		struct ts_step_phase_sum *sum = &sums[step->said.phase];

		any |= step->said.phase != TS_STEP_UNSAID;
		sum->has_requests = (sum->has_requests || !sum->steps) && step->said.has_requests;
		sum->has_tokens = (sum->has_tokens || !sum->steps) && step->said.has_tokens;
		sum->steps++;
		sum->host_ns += step->duration_ns;
		sum->busy_ns += step->timeline.busy_ns;
		sum->requests += step->said.requests;
		sum->tokens += step->said.tokens;
	}
	for (int i = 0; any && i < TS_STEP_PHASES; i++) {
		sums[i].phase = (enum ts_step_phase)i;
		if (sums[i].steps)
			out->phases[out->n_phases++] = sums[i];
	}
	return TS_OK;
}

static bool holds(const struct ts_timeline *t)
{
	return t->busy_ns <= t->span_ns && t->idle_ns == t->span_ns - t->busy_ns && t->busy_ns <= t->sum_ns &&
	       t->communications + t->computations + t->copies == t->events && t->fills <= t->computations &&
	       t->exposed_memory_ns <= t->memory_ns &&
	       t->exposed_communication_ns + t->overlapped_communication_ns == t->communication_ns &&
	       t->computation_ns + t->exposed_communication_ns + t->exposed_memory_ns == t->busy_ns;
}

enum ts_status ts_timelines(const struct ts_trace *trace, struct ts_arena *arena, struct ts_timelines *ret, struct ts_error *err)
{
	struct ts_timelines out = {0};
	struct places devices = {0}, streams = {0};
	struct ts_device_event *sorted = NULL, *w, *spare;
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	if (ts_device_events(trace, arena, &sorted, &n, err))
		return err->status;
	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!w || !spare)
		return ts_arena_error(arena, err);
	ts_device_events_by_begin(sorted, n, spare);
	out.all = measure(sorted, n, &trace->rows.spans);
	if (places(w, sorted, n, spare, &trace->rows.spans, false, arena, &devices, err) ||
	    places(w, sorted, n, spare, &trace->rows.spans, true, arena, &streams, err) ||
	    by_step(trace, sorted, n, spare, arena, &out, err) || add_phases(&out, arena, err))
		return err->status;
	ts_scratch_give(arena, sorted);
	ts_scratch_give(arena, w);
	ts_scratch_give(arena, spare);
	out.devices = devices.items;
	out.n_devices = devices.n;
	out.streams = streams.items;
	out.n_streams = streams.n;
	TS_DOOR(holds(&out.all) && holds(&out.between) && holds(&out.launched));
	TS_DOOR_ALL(i, out.n_devices, holds(&out.devices[i].timeline));
	TS_DOOR_ALL(i, out.n_streams, holds(&out.streams[i].timeline));
	TS_DOOR_ALL(i, out.n_steps, holds(&out.steps[i].timeline));
	TS_DOOR_SORTED(i, out.n_steps, out.steps[i - 1].start_ns <= out.steps[i].start_ns);
	TS_DOOR_SORTED(i, out.n_turns, out.turns[i - 1].time_ns <= out.turns[i].time_ns);
	TS_DOOR(out.launched.events + out.unlaunched == out.all.events);
	*ret = out;
	return TS_OK;
}
