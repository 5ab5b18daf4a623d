#include "analysis/trace/trace_answer.h"

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

enum ts_status ts_trace_answer(const struct ts_trace *trace, const struct ts_path_asked *asked, struct ts_arena *arena,
			       struct ts_trace_answer *ret, struct ts_error *err)
{
	static const struct ts_path_asked whole = {.has_step = false};
	const struct ts_trace_about *about = &trace->about;
	struct ts_trace_answer out = {.has_rank = about->rank != TS_TRACE_NONE,
				      .has_world_size = about->world_size != TS_TRACE_NONE,
				      .rank = about->rank,
				      .world_size = about->world_size,
				      .backend = about->backend,
				      .base_ns = about->base_ns};
	struct ts_nest nest;

	if (about->n_devices)
		out.device_name = about->devices[0].name;
	count(trace, &out);
	if (ts_timelines(trace, arena, &out.lines, err) || ts_kernel_sums(trace, arena, &out.sums, err) ||
	    ts_idle_rows(trace, arena, &out.idle, &out.n_idle, err) || ts_nest(trace, arena, &nest, err) ||
	    ts_trace_host(trace, &nest, &out.lines, arena, &out.host, err) ||
	    ts_critical_path(trace, &nest, asked ? asked : &whole, arena, &out.critical, err) ||
	    ts_trace_work(trace, &nest, &out.lines, arena, &out.work, err))
		return err->status;
	*ret = out;
	return TS_OK;
}
