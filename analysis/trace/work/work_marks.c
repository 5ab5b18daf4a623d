/* work_marks.c - work of devices by what the host was about: recomputation, optimizer, attention, compiled regions, CUDA graphs. */
#include "analysis/trace/work/trace_work.h"
#include "base/order.h"
#include "base/scratch.h"
#include "base/words.h"

#include "analysis/trace/work/work_parts.h"
#include "base/door.h"
#include "base/number.h"

/* What the name of a span says. */
enum mark {
	CHECKPOINT = 1,
	NODE = 2,
	STEP = 4, /* of an optimizer */
	FUSED = 8,
	FOREACH = 16,
	REGION = 32,
	COMPILING = 64,
	MULTI_TENSOR = 128, /* a kernel */
};

struct marks {
	const struct ts_trace *trace;
	const struct ts_nest *nest;
	uint8_t *of_name;   /* enum mark, by name; which counts is a matter of the kind of span, too */
	uint8_t *attention; /* enum ts_attention, by name */
};

static bool is_operator(uint8_t kind)
{
	return kind == TS_TRACE_OPERATOR;
}

static bool names_checkpoint(struct ts_span name)
{
	return ts_span_contains(name, "CheckpointFunctionBackward") || ts_span_contains(name, "recompute") ||
	       ts_span_ends(name, ": unpack_hook");
}

static uint8_t marks_of(struct ts_span name)
{
	struct ts_span node = ts_span_str("autograd::engine::evaluate_function: "), step = ts_span_str("Optimizer.step#");
	uint8_t m = 0;

	m |= names_checkpoint(name) ? CHECKPOINT : 0;
	m |= ts_span_starts(name, node) ? NODE : 0;
	m |= ts_span_starts(name, step) ? STEP : 0;
	m |= ts_span_starts(name, ts_span_str("aten::_fused_")) ? FUSED : 0;
	m |= ts_span_starts(name, ts_span_str("aten::_foreach_")) ? FOREACH : 0;
	m |= ts_span_starts(name, ts_span_str("Torch-Compiled Region")) ? REGION : 0;
	m |= ts_span_contains(name, "multi_tensor") ? MULTI_TENSOR : 0;
	if (ts_span_contains(name, "(dynamo_timed)") ||
	    (ts_span_contains(name, "_dynamo/convert_frame.py(") && ts_span_contains(name, "compile")))
		m |= COMPILING;
	return m;
}

static uint8_t attention_of(struct ts_span name)
{
	static const struct {
		const char *part;
		uint8_t forward, backward;
	} parts[] = {
		{"flash_attention", TS_ATTENTION_FLASH, TS_ATTENTION_FLASH_BACKWARD},
		{"efficient_attention", TS_ATTENTION_EFFICIENT, TS_ATTENTION_EFFICIENT_BACKWARD},
		{"cudnn_attention", TS_ATTENTION_CUDNN, TS_ATTENTION_CUDNN_BACKWARD},
	};

	if (!ts_span_skip(&name, "aten::_"))
		return TS_ATTENTION_NONE;
	if (ts_span_is(name, "scaled_dot_product_attention_math") || ts_span_is(name, "scaled_dot_product_attention_math_for_mps"))
		return TS_ATTENTION_MATH;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (ts_span_contains(name, parts[i].part))
			return ts_span_ends(name, "_backward") ? parts[i].backward : parts[i].forward;
	return TS_ATTENTION_NONE;
}

TS_WORDS(ts_attention_word, enum ts_attention, "unknown", [TS_ATTENTION_NONE] = "none", [TS_ATTENTION_FLASH] = "flash",
	 [TS_ATTENTION_FLASH_BACKWARD] = "flash_backward", [TS_ATTENTION_EFFICIENT] = "efficient",
	 [TS_ATTENTION_EFFICIENT_BACKWARD] = "efficient_backward", [TS_ATTENTION_CUDNN] = "cudnn",
	 [TS_ATTENTION_CUDNN_BACKWARD] = "cudnn_backward", [TS_ATTENTION_MATH] = "math", [TS_ATTENTION_SINGLE] = "single_operations")

static enum ts_status read_names(struct marks *m, struct ts_arena *arena, struct ts_error *err)
{
	m->of_name = ts_arena_array(arena, m->trace->n_names, 1);
	m->attention = ts_arena_array(arena, m->trace->n_names, 1);
	if (!m->of_name || !m->attention)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < m->trace->n_names; i++) {
		m->of_name[i] = marks_of(m->trace->names[i]);
		m->attention[i] = attention_of(m->trace->names[i]);
	}
	return TS_OK;
}

/* Marks of a span of the host, by its kind. */
static uint8_t marks_at(const struct marks *m, uint32_t i)
{
	uint8_t marks = m->of_name[m->trace->rows.spans.name[i]], kind = m->trace->rows.spans.kind[i];
	struct ts_span name = m->trace->names[m->trace->rows.spans.name[i]];

	if (kind == TS_TRACE_PYTHON) {
		marks &= CHECKPOINT | COMPILING;
		if (marks & CHECKPOINT && !ts_span_contains(name, "checkpoint.py("))
			marks &= (uint8_t)~CHECKPOINT;
	} else if (is_operator(kind)) {
		marks &= CHECKPOINT | NODE | FUSED | FOREACH | REGION | COMPILING;
		if (marks & CHECKPOINT && !ts_span_contains(name, "CheckpointFunctionBackward"))
			marks &= (uint8_t)~CHECKPOINT;
	} else {
		marks &= kind == TS_TRACE_ANNOTATION ? CHECKPOINT | STEP | REGION | COMPILING : 0;
	}
	return marks;
}

/* --- recomputation --- */

enum state { PLAIN, IN_NODE, REBUILT, RECOMPUTED };

/* What an operator says of autograd: it belongs to the backward pass, or builds a graph. */
enum autograd { NO_GRAPH, BACKWARD, BUILDS };

static uint8_t state_of(const struct marks *m, uint32_t i, uint8_t around, const uint8_t *autograd)
{
	uint8_t marks = marks_at(m, i);

	if (marks & CHECKPOINT)
		return RECOMPUTED;
	if (marks & NODE || autograd[i] == BACKWARD)
		return IN_NODE;
	if (around == IN_NODE && autograd[i] == BUILDS)
		return REBUILT;
	return around;
}

static void read_autograd(const struct ts_trace_operators *o, uint8_t *autograd, bool *ret_said)
{
	for (size_t i = 0; i < o->n; i++) {
		if (o->sequence[i] == TS_TRACE_NONE || o->sequence[i] < 0)
			continue;
		autograd[o->span[i]] = o->forward_thread[i] > 0 ? BACKWARD : BUILDS;
		*ret_said = true;
	}
}

static enum ts_status recomputation(const struct marks *m, struct ts_arena *arena, struct ts_work_marks *out, struct ts_error *err)
{
	const struct ts_trace_rows *rows = &m->trace->rows;
	uint8_t *state = ts_arena_array(arena, rows->spans.n, 1), *autograd = ts_arena_array(arena, rows->spans.n, 1);

	if (!state || !autograd)
		return ts_arena_error(arena, err);
	read_autograd(&rows->operators, autograd, &out->has_sequences);
	for (size_t k = 0; k < m->nest->n_order; k++) {
		uint32_t i = m->nest->order[k], parent = m->nest->parent[i];

		state[i] = state_of(m, i, parent == TS_NEST_NONE ? PLAIN : state[parent], autograd);
	}
	for (size_t i = 0; i < rows->spans.n; i++) {
		uint32_t span;

		if (!ts_trace_on_device(rows->spans.kind[i]) || (span = ts_device_work_of(m->nest, i)) == TS_NEST_NONE)
			continue;
		if (state[span] == RECOMPUTED)
			ts_work_add(&out->recomputed, 1, (uint64_t)rows->spans.duration_ns[i]);
		else if (state[span] == REBUILT)
			ts_work_add(&out->rebuilt, 1, (uint64_t)rows->spans.duration_ns[i]);
	}
	ts_scratch_give(arena, state);
	ts_scratch_give(arena, autograd);
	return TS_OK;
}

/* --- optimizer --- */

static bool is_step(const struct ts_trace *trace, uint32_t span, const void *ctx)
{
	(void)trace;
	return (marks_at(ctx, span) & STEP) != 0;
}

static bool is_styled(const struct ts_trace *trace, uint32_t span, const void *ctx)
{
	(void)trace;
	return (marks_at(ctx, span) & (FUSED | FOREACH)) != 0;
}

TS_ORDER(longest_optimizer, struct ts_optimizer_sum, TS_DOWN(sum.ns); TS_TEXT(name))

static void add_optimizer(const struct marks *m, size_t event, uint32_t styled, struct ts_optimizer_sum *sum)
{
	const struct ts_trace_spans *s = &m->trace->rows.spans;
	uint64_t ns = (uint64_t)s->duration_ns[event];
	uint8_t style = styled == TS_NEST_NONE ? 0 : marks_at(m, styled);

	ts_work_add(&sum->sum, 1, ns);
	if (style & FUSED)
		ts_work_add(&sum->fused, 1, ns);
	else if (style & FOREACH || m->of_name[s->name[event]] & MULTI_TENSOR)
		ts_work_add(&sum->foreach, 1, ns);
	else
		ts_work_add(&sum->each, 1, ns);
}

static enum ts_status optimizers(const struct marks *m, struct ts_arena *arena, struct ts_work_marks *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &m->trace->rows.spans;
	struct ts_optimizer_sum *sums = ts_arena_array(arena, m->trace->n_names, sizeof *sums);
	uint32_t *step, *styled;

	if (!sums)
		return ts_arena_error(arena, err);
	if (ts_nest_nearest(m->trace, m->nest, is_step, m, arena, &step, err) ||
	    ts_nest_nearest(m->trace, m->nest, is_styled, m, arena, &styled, err))
		return err->status;
	for (size_t k = 0; k < m->nest->n_order; k++)
		sums[s->name[m->nest->order[k]]].count += step[m->nest->order[k]] == m->nest->order[k];
	for (size_t i = 0; i < s->n; i++) {
		uint32_t span;

		if (ts_trace_on_device(s->kind[i]) && (span = ts_device_work_of(m->nest, i)) != TS_NEST_NONE &&
		    step[span] != TS_NEST_NONE)
			add_optimizer(m, i, styled[span], &sums[s->name[step[span]]]);
	}
	ts_scratch_give(arena, step);
	ts_scratch_give(arena, styled);
	out->optimizers = sums;
	for (size_t i = 0; i < m->trace->n_names; i++) {
		if (!sums[i].count)
			continue;
		sums[i].name = m->trace->names[i];
		sums[out->n_optimizers++] = sums[i];
	}
	TS_SORT(sums, out->n_optimizers, longest_optimizer);
	return TS_OK;
}

/* --- attention --- */

static enum ts_status attention(const struct marks *m, const struct ts_device_work *work, struct ts_arena *arena,
				struct ts_work_marks *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &m->trace->rows.spans;
	struct ts_attention_sum sums[TS_ATTENTIONS] = {0};
	uint8_t *within = ts_arena_array(arena, s->n, 1);
	struct ts_single_attention single;

	out->found = ts_arena_array(arena, TS_ATTENTIONS, sizeof *out->found);
	if (!within || !out->found)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < m->nest->n_order; k++) {
		uint32_t i = m->nest->order[k], parent = m->nest->parent[i];
		uint8_t own = is_operator(s->kind[i]) ? m->attention[s->name[i]] : TS_ATTENTION_NONE;
		uint8_t around = parent == TS_NEST_NONE ? TS_ATTENTION_NONE : within[parent];

		within[i] = around ? around : own;
		if (around || !own)
			continue;
		sums[own].attention = (enum ts_attention)own;
		sums[own].count++;
		ts_work_add(&sums[own].sum, work->below[i].count, work->below[i].ns);
	}
	if (ts_single_attention(m->trace, m->nest, work, within, arena, &single, err))
		return err->status;
	ts_scratch_give(arena, within);
	sums[TS_ATTENTION_SINGLE] = (struct ts_attention_sum){TS_ATTENTION_SINGLE, single.count, single.sum};
	out->unsaid_attention = single.unsaid;
	for (size_t i = 0; i < TS_ATTENTIONS; i++)
		if (sums[i].count)
			out->found[out->n_found++] = sums[i];
	return TS_OK;
}

/* --- compiled regions --- */

TS_ORDER(longest_region, struct ts_region_sum, TS_DOWN(sum.ns); TS_TEXT(name))

/* The 1 of "Torch-Compiled Region: 0/1"; the name may go on behind a space. */
static int64_t compilation(struct ts_span name)
{
	struct ts_span number = ts_span_after(name, '/');
	size_t n = 0;
	int64_t v;

	while (n < number.len && number.data[n] >= '0' && number.data[n] <= '9')
		n++;
	return number.len < name.len && n && ts_parse_i64(ts_span_part(number, 0, n), &v) ? v : -1;
}

/* Counts an entry, and takes what it launched from the region around it; outer is that one's row, and 1. */
static void enter(struct ts_region_sum *sums, const uint32_t *names, const struct ts_work_sum *below, uint32_t i, uint32_t outer)
{
	struct ts_region_sum *around = outer ? &sums[names[outer - 1]] : NULL;

	sums[names[i]].count++;
	if (around) {
		around->sum.count -= below[i].count < around->sum.count ? below[i].count : around->sum.count;
		around->sum.ns -= below[i].ns < around->sum.ns ? below[i].ns : around->sum.ns;
	}
	ts_work_add(&sums[names[i]].sum, below[i].count, below[i].ns);
}

static enum ts_status regions(const struct marks *m, const struct ts_device_work *work, struct ts_arena *arena,
			      struct ts_work_marks *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &m->trace->rows.spans;
	struct ts_region_sum *sums = ts_arena_array(arena, m->trace->n_names, sizeof *sums);
	uint32_t *region = ts_arena_array(arena, s->n, sizeof *region); /* the innermost, and 1 */
	uint8_t *within = ts_arena_array(arena, s->n, 1);

	if (!sums || !within || !region)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < m->nest->n_order; k++) {
		uint32_t i = m->nest->order[k], parent = m->nest->parent[i];
		uint8_t own = marks_at(m, i) & (REGION | COMPILING), around = parent == TS_NEST_NONE ? 0 : within[parent];

		within[i] = around | own;
		region[i] = parent == TS_NEST_NONE ? 0 : region[parent];
		if (own & REGION) {
			enter(sums, s->name, work->below, i, region[i]);
			region[i] = i + 1;
		}
		if (own & COMPILING && !(around & COMPILING)) {
			out->compiling++;
			out->compile_ns += (uint64_t)s->duration_ns[i];
			out->compile_ns = out->compile_ns < (uint64_t)s->duration_ns[i] ? UINT64_MAX : out->compile_ns;
		}
	}
	ts_scratch_give(arena, within);
	ts_scratch_give(arena, region);
	out->regions = sums;
	for (size_t i = 0; i < m->trace->n_names; i++) {
		if (!sums[i].count)
			continue;
		sums[i].name = m->trace->names[i];
		sums[i].compilation = compilation(sums[i].name);
		out->recompiled += sums[i].compilation > 0;
		sums[out->n_regions++] = sums[i];
	}
	TS_SORT(sums, out->n_regions, longest_region);
	return TS_OK;
}

enum { CALL_GRAPH = 1, CALL_CAPTURE = 2, CALL_KERNEL = 4 };

static uint8_t call_of(struct ts_span name)
{
	if (ts_is_graph_launch(name))
		return CALL_GRAPH;
	if (ts_span_contains(name, "StreamBeginCapture"))
		return CALL_CAPTURE;
	return ts_span_contains(name, "LaunchKernel") ? CALL_KERNEL : 0;
}

static enum ts_status graphs(const struct marks *m, struct ts_arena *arena, struct ts_work_marks *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &m->trace->rows.spans;
	uint8_t *calls = ts_arena_alloc(arena, m->trace->n_names + 1);

	if (!calls)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < m->trace->n_names; i++)
		calls[i] = call_of(m->trace->names[i]);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t by = ts_trace_on_device(s->kind[i]) ? m->nest->parent[i] : TS_NEST_NONE;

		out->graphed += by != TS_NEST_NONE && s->kind[by] == TS_TRACE_RUNTIME && calls[s->name[by]] == CALL_GRAPH;
		out->kernels += s->kind[i] == TS_TRACE_KERNEL;
		if (s->kind[i] != TS_TRACE_RUNTIME)
			continue;
		out->graph_launches += calls[s->name[i]] == CALL_GRAPH;
		out->captures += calls[s->name[i]] == CALL_CAPTURE;
		out->kernel_launches += calls[s->name[i]] == CALL_KERNEL;
	}
	return TS_OK;
}

static bool is_named(const struct ts_trace *trace, const char *part)
{
	for (size_t i = 0; i < trace->n_names; i++)
		if (ts_span_contains(trace->names[i], part))
			return true;
	return false;
}

enum ts_status ts_work_marks(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			     struct ts_arena *arena, struct ts_work_marks *ret, struct ts_error *err)
{
	struct marks m = {.trace = trace, .nest = nest};
	struct ts_work_marks out = {0};

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (read_names(&m, arena, err) || recomputation(&m, arena, &out, err) || optimizers(&m, arena, &out, err) ||
	    attention(&m, work, arena, &out, err) || regions(&m, work, arena, &out, err) ||
	    ts_graph_breaks(trace, nest, arena, &out.breaks, err) || graphs(&m, arena, &out, err))
		return err->status;
	out.has_workers = is_named(trace, "_MultiProcessingDataLoaderIter") && !is_named(trace, "_SingleProcessDataLoaderIter");
	*ret = out;
	return TS_OK;
}
