#include "analysis/trace/advice/trace_answer.h"

#include "base/door.h"
#include "base/order.h"

static void count(const struct ts_trace *trace, struct ts_trace_answer *out)
{
	uint64_t n[TS_TRACE_KINDS] = {0};

	for (size_t i = 0; i < trace->rows.spans.n; i++)
		n[trace->rows.spans.kind[i]]++;
	out->spans = trace->rows.spans.n;
	out->operators = n[TS_TRACE_OPERATOR];
	out->python = n[TS_TRACE_PYTHON];
	out->annotations = n[TS_TRACE_ANNOTATION];
	out->runtime = n[TS_TRACE_RUNTIME];
	out->kernels = n[TS_TRACE_KERNEL];
	out->copies = n[TS_TRACE_COPY];
	out->fills = n[TS_TRACE_FILL];
	out->flows = trace->rows.flows.n;
	out->allocations = trace->rows.allocations.n;
	out->counters = trace->rows.counters.n;
}

TS_ORDER(by_count, struct ts_trace_other, TS_DOWN(count); TS_TEXT(category))

static enum ts_status others(const struct ts_trace *trace, struct ts_arena *arena, struct ts_trace_answer *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint64_t *counts = ts_arena_array(arena, trace->n_names + 1, sizeof *counts);
	size_t n = 0;

	for (size_t i = 0; counts && i < s->n; i++)
		if (s->kind[i] == TS_TRACE_OTHER)
			n += !counts[s->category[i]]++;
	out->others = ts_arena_array(arena, n, sizeof *out->others);
	if (!counts || !out->others)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->n_names; i++)
		if (counts[i])
			out->others[out->n_others++] = (struct ts_trace_other){.category = trace->names[i], .count = counts[i]};
	TS_SORT(out->others, out->n_others, by_count);
	return TS_OK;
}

enum ts_status ts_trace_answer(const struct ts_trace *trace, const struct ts_critical_path *critical, struct ts_arena *arena,
			       struct ts_trace_answer *ret, struct ts_error *err)
{
	const struct ts_trace_about *about = &trace->about;
	struct ts_trace_answer out = {.has_rank = about->rank != TS_TRACE_NONE,
				      .has_world_size = about->world_size != TS_TRACE_NONE,
				      .rank = about->rank,
				      .world_size = about->world_size,
				      .backend = about->backend,
				      .base_ns = about->base_ns,
				      .warmup = trace->warmup};
	struct ts_nest nest;

	TS_DOOR(ts_trace_holds(trace));
	if (about->n_devices)
		out.device_name = about->devices[0].name;
	count(trace, &out);
	if (ts_trace_recorded(about, arena, &out.recorded, err) || others(trace, arena, &out, err) ||
	    ts_timelines(trace, arena, &out.lines, err) || ts_kernel_sums(trace, arena, &out.sums, err) ||
	    ts_idle_rows(trace, arena, &out.idle, &out.n_idle, err) || ts_nest(trace, arena, &nest, err) ||
	    ts_trace_host(trace, &nest, &out.lines, arena, &out.host, err) ||
	    (!critical && ts_critical_path(trace, &nest, &(struct ts_path_asked){.has_step = false}, arena, &out.critical, err)) ||
	    ts_trace_work(trace, &nest, &out.lines, arena, &out.work, err) ||
	    ts_allocation_sums(trace, &nest, arena, &out.memory, &out.n_memory, err))
		return err->status;
	ts_nest_give(&nest, arena);
	if (critical)
		out.critical = *critical;
	*ret = out;
	return TS_OK;
}
