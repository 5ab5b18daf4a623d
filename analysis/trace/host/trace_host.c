#include "analysis/trace/host/trace_host.h"

enum ts_status ts_trace_host(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines,
			     struct ts_arena *arena, struct ts_trace_host *ret, struct ts_error *err)
{
	struct ts_trace_host out = {0};
	struct ts_host_names names;

	if (ts_launch_rows(trace, nest, arena, &out.launches, &out.n_launches, err) ||
	    ts_host_waits(trace, nest, lines, arena, &out.waits, err) || ts_host_names(trace, arena, &names, err) ||
	    ts_host_steps(trace, nest, &names, lines, out.waits.waiting, arena, &out.steps, err) ||
	    ts_host_sums(trace, nest, &names, arena, &out.sums, err))
		return err->status;
	*ret = out;
	return TS_OK;
}
