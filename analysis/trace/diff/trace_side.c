/* trace_side.c - one trace as a side of a comparison: its steps, and what each of them took, as cells of a row and a step. */
#include "analysis/trace/diff/trace_diff.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/nest.h"
#include "base/door.h"

bool ts_trace_has_device(const struct ts_trace *trace)
{
	for (size_t i = 0; i < trace->rows.spans.n; i++)
		if (ts_trace_on_device(trace->rows.spans.kind[i]))
			return true;
	return false;
}

static int64_t end_of(const struct ts_trace_spans *s, size_t i)
{
	return s->start_ns[i] + s->duration_ns[i];
}

/* Whether a span is counted on this side at all: work of devices, and what ran on the host. */
static bool counted(uint8_t kind)
{
	return ts_trace_on_device(kind) || kind == TS_TRACE_OPERATOR || kind == TS_TRACE_PYTHON || kind == TS_TRACE_RUNTIME;
}

static int64_t clock_of(const struct ts_trace_spans *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (counted(s->kind[i]) && (s->start_ns[i] % 1000 || s->duration_ns[i] % 1000))
			return 1;
	return 1000;
}

/* --- steps --- */

/* The step of each span, among all that the trace has, or TS_SIDE_NO_STEP. */
static void place(struct ts_trace_side *side, const struct ts_timelines *lines)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t call = ts_trace_on_device(s->kind[i]) ? side->nest.parent[i] : TS_NEST_NONE;
		size_t at = side->whole ? 1 : ts_timelines_step_at(lines, s->start_ns[call == TS_NEST_NONE ? i : call]);

		side->step[i] = at && counted(s->kind[i]) ? (uint32_t)(at - 1) : TS_SIDE_NO_STEP;
	}
}

static bool in_basis(const struct ts_trace_side *side, uint8_t kind)
{
	return side->device ? ts_trace_on_device(kind) : counted(kind);
}

static void whole_window(struct ts_trace_side *side)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;
	struct ts_trace_window w = {INT64_MAX, INT64_MIN};

	for (size_t i = 0; i < s->n; i++) {
		if (!in_basis(side, s->kind[i]))
			continue;
		w.begin = s->start_ns[i] < w.begin ? s->start_ns[i] : w.begin;
		w.end = end_of(s, i) > w.end ? end_of(s, i) : w.end;
	}
	side->windows[0] = w.end > w.begin ? w : (struct ts_trace_window){0, 0};
}

/* The time on the host; of steps that overlap, which no profiler writes, the later one has the rest. */
static void host_windows(struct ts_trace_side *side, const struct ts_timelines *lines)
{
	int64_t until = INT64_MIN;

	for (size_t i = 0; i < side->n_recorded; i++) {
		const struct ts_timeline_step *step = &lines->steps[i];
		struct ts_trace_window w = {step->start_ns, step->start_ns + (int64_t)step->duration_ns};

		w.begin = w.begin > until ? w.begin : until;
		w.end = w.end > w.begin ? w.end : w.begin;
		until = w.end;
		side->windows[i] = w;
	}
}

/* From completion to completion. Here windows are by the steps of the trace. */
static void device_windows(struct ts_trace_side *side, const struct ts_timelines *lines)
{
	int64_t until = side->n_recorded ? lines->steps[0].start_ns : 0;

	for (size_t i = 0; i < side->n_recorded; i++) {
		const struct ts_timeline_step *step = &lines->steps[i];
		int64_t end = step->timeline.events ? step->timeline.end_ns : step->start_ns + (int64_t)step->duration_ns;

		side->windows[i] = (struct ts_trace_window){until, end > until ? end : until};
		until = side->windows[i].end;
	}
}

/* Leaves out the first steps, and those beyond the most. */
static void choose(struct ts_trace_side *side, const struct ts_timelines *lines, const struct ts_warmup_asked *warmup)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;

	side->skipped = warmup->given ? (size_t)warmup->steps : side->n_recorded >= TS_SIDE_WARM_UP_OF;
	side->n = side->n_recorded - side->skipped;
	side->n = side->n < TS_SIDE_STEPS_MOST ? side->n : TS_SIDE_STEPS_MOST;
	side->windows += side->skipped;
	side->first = lines->steps[side->skipped].number;
	side->last = lines->steps[side->skipped + side->n - 1].number;
	for (size_t i = 0; i < side->n; i++)
		side->host_ns[i] = lines->steps[side->skipped + i].duration_ns;
	for (size_t i = 0; i < s->n; i++) {
		if (side->step[i] == TS_SIDE_NO_STEP)
			continue;
		side->step[i] = side->step[i] < side->skipped || side->step[i] - side->skipped >= side->n
					? TS_SIDE_NO_STEP
					: side->step[i] - (uint32_t)side->skipped;
	}
}

enum ts_status ts_trace_side(const struct ts_trace *trace, bool device, const struct ts_warmup_asked *warmup, struct ts_arena *arena,
			     struct ts_trace_side *ret, struct ts_error *err)
{
	struct ts_trace_side side = {.trace = trace, .device = device, .clock_ns = clock_of(&trace->rows.spans)};
	struct ts_timelines lines;

	TS_DOOR(ts_trace_holds(trace));
	if (ts_timelines(trace, arena, &lines, err) || ts_nest(trace, arena, &side.nest, err) ||
	    ts_self_times(trace, &side.nest, arena, &side.self, err))
		return err->status;
	side.whole = !lines.n_steps;
	side.n_recorded = side.whole ? 1 : lines.n_steps;
	side.windows = ts_arena_array(arena, side.n_recorded, sizeof *side.windows);
	side.host_ns = ts_arena_array(arena, side.n_recorded, sizeof *side.host_ns);
	side.step = ts_arena_array(arena, trace->rows.spans.n, sizeof *side.step);
	if (!side.windows || !side.host_ns || !side.step)
		return ts_arena_error(arena, err);
	place(&side, &lines);
	if (side.whole) {
		side.n = 1;
		side.host_ns = NULL;
		whole_window(&side);
	} else {
		(device ? device_windows : host_windows)(&side, &lines);
		choose(&side, &lines, warmup);
	}
	TS_DOOR(side.n && side.n <= side.n_recorded);
	TS_DOOR_SORTED(i, side.n, side.windows[i - 1].begin <= side.windows[i].begin);
	TS_DOOR_ALL(i, side.n, side.windows[i].begin <= side.windows[i].end);
	TS_DOOR_ALL(i, trace->rows.spans.n, side.step[i] < side.n || side.step[i] == TS_SIDE_NO_STEP);
	*ret = side;
	return TS_OK;
}
