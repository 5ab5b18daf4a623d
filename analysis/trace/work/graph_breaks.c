/* graph_breaks.c - what a trace proves of code that torch.compile compiled: how often it was entered, where it ended early, and which
 * calls ran as they are. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/device/trace_steps.h"
#include "base/door.h"
#include "base/scratch.h"

/* What the name of a span says, and what stands around a span. */
enum mark { REGION = 1, GRAPH = 2, LOOKUP = 4, STEP = 8, BACKWARD = 16 };

struct work {
	const struct ts_trace *trace;
	const struct ts_nest *nest;
	uint8_t *of_name;  /* enum mark, by name */
	uint8_t *around;   /* by span: marks of what it stands in, and its own */
	uint32_t *region;  /* by span: the region in which it stands or which it is, not through a graph; TS_NEST_NONE */
	uint8_t *broken;   /* by span: a region that is counted as a break */
	uint32_t *waiting; /* by parent, and behind those by thread: the row of a lookup that led to nothing yet, and 1 */
	uint32_t *last;	   /* by thread: its last span, and 1 */
	struct ts_graph_breaks *out;
};

static uint8_t marks_of(const struct ts_step_mark *step, struct ts_span name)
{
	if (ts_span_starts(name, ts_span_str("Torch-Compiled Region")))
		return REGION;
	if (ts_span_starts(name, ts_span_str("CompiledFunctionBackward")) ||
	    ts_span_starts(name, ts_span_str("autograd::engine::evaluate_function: ")))
		return GRAPH | BACKWARD;
	if (ts_span_starts(name, ts_span_str("CompiledFunction")) || ts_span_starts(name, ts_span_str("## Call CompiledFxGraph")))
		return GRAPH;
	if (ts_span_is(name, "TorchDynamo Cache Lookup"))
		return LOOKUP;
	return ts_is_step(step, name) ? STEP : 0;
}

static uint8_t own_marks(const struct work *w, uint32_t i)
{
	uint8_t kind = w->trace->rows.spans.kind[i];

	return kind == TS_TRACE_OPERATOR || kind == TS_TRACE_ANNOTATION ? w->of_name[w->trace->rows.spans.name[i]] : 0;
}

/* What a span stands in has its lookups apart from other spans and threads. */
static size_t place_of(const struct work *w, uint32_t i)
{
	const struct ts_trace_spans *s = &w->trace->rows.spans;

	return w->nest->parent[i] == TS_NEST_NONE ? s->n + s->thread[i] : w->nest->parent[i];
}

static void fall_back(struct work *w, uint32_t lookup)
{
	w->out->all.fell_back++;
	w->out->in_steps.fell_back += (w->around[lookup] & STEP) != 0;
}

static void take_lookup(struct work *w, uint32_t i)
{
	uint32_t *waiting = &w->waiting[place_of(w, i)];

	w->out->all.lookups++;
	w->out->in_steps.lookups += (w->around[i] & STEP) != 0;
	if (*waiting)
		fall_back(w, *waiting - 1);
	*waiting = i + 1;
}

static void take_region(struct work *w, uint32_t i, uint32_t outer)
{
	bool in_step = (w->around[i] & STEP) != 0;

	w->out->all.entries++;
	w->out->in_steps.entries += in_step;
	w->waiting[place_of(w, i)] = 0;
	if (outer == TS_NEST_NONE || w->broken[outer])
		return;
	w->broken[outer] = 1;
	w->out->all.breaks++;
	w->out->in_steps.breaks += (w->around[outer] & STEP) != 0;
}

static void take(struct work *w, uint32_t i)
{
	uint32_t parent = w->nest->parent[i], outer = parent == TS_NEST_NONE ? TS_NEST_NONE : w->region[parent];
	uint8_t own = own_marks(w, i), around = parent == TS_NEST_NONE ? 0 : w->around[parent];

	w->around[i] = around | own;
	w->region[i] = own & REGION ? i : own & GRAPH ? TS_NEST_NONE : outer;
	w->last[w->trace->rows.spans.thread[i]] = i + 1;
	if (own & REGION)
		take_region(w, i, outer);
	if (own & LOOKUP)
		take_lookup(w, i);
	w->out->steps += own == STEP;
	w->out->graph_calls += own == GRAPH && !(around & (GRAPH | REGION | BACKWARD));
}

/* Lookups that nothing answered; the recording may have ended before. */
static void take_unanswered(struct work *w)
{
	const struct ts_trace_spans *s = &w->trace->rows.spans;

	for (size_t k = 0; k < s->n + w->trace->n_threads; k++) {
		uint32_t lookup = w->waiting[k] - 1, last;

		if (!w->waiting[k])
			continue;
		last = w->last[s->thread[lookup]] - 1;
		if (last != lookup && s->start_ns[last] >= s->start_ns[lookup] + s->duration_ns[lookup])
			fall_back(w, lookup);
	}
}

enum ts_status ts_graph_breaks(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			       struct ts_graph_breaks *ret, struct ts_error *err)
{
	struct ts_graph_breaks out = {.steps = 0};
	size_t n = trace->rows.spans.n, threads = trace->n_threads;
	struct work w = {.trace = trace,
			 .nest = nest,
			 .of_name = ts_arena_array(arena, trace->n_names, 1),
			 .around = ts_arena_array(arena, n, 1),
			 .region = ts_arena_array(arena, n, sizeof *w.region),
			 .broken = ts_arena_array(arena, n, 1),
			 .waiting = ts_arena_array(arena, n + threads, sizeof *w.waiting),
			 .last = ts_arena_array(arena, threads, sizeof *w.last),
			 .out = &out};
	struct ts_step_mark step = ts_step_mark(trace);

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (!w.of_name || !w.around || !w.region || !w.broken || !w.waiting || !w.last)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->n_names; i++)
		w.of_name[i] = marks_of(&step, trace->names[i]);
	for (size_t k = 0; k < nest->n_order; k++)
		take(&w, nest->order[k]);
	take_unanswered(&w);
	ts_scratch_give(arena, w.around);
	ts_scratch_give(arena, w.region);
	ts_scratch_give(arena, w.broken);
	ts_scratch_give(arena, w.waiting);
	*ret = out;
	return TS_OK;
}
