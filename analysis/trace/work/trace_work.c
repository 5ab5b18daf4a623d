#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/device/saturate.h"
#include "base/door.h"
#include "base/scratch.h"

enum ts_status ts_trace_work(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines,
			     struct ts_arena *arena, struct ts_trace_work *ret, struct ts_error *err)
{
	struct ts_trace_work out = {0};
	struct ts_device_work work;
	uint64_t busy = 0;
	size_t warmup = trace->warmup.given ? 0 : ts_step_warmup(lines->n_steps);

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (ts_device_work(trace, nest, arena, &work, err) ||
	    ts_operator_sums(trace, nest, &work, arena, &out.operators, &out.n_operators, err) ||
	    ts_module_sums(trace, nest, &work, arena, &out.modules, err) || ts_flop_sums(trace, nest, &work, arena, &out.flops, err) ||
	    ts_move_sums(trace, nest, &work, arena, &out.moves, err) ||
	    ts_kernel_uses(trace, arena, &out.use, err) || ts_transfer_sums(trace, nest, arena, &out.transfers, err) ||
	    ts_collective_sums(trace, arena, &out.collectives, err) ||
	    ts_work_marks(trace, nest, &work, arena, &out.marks, err) || ts_run_sums(trace, nest, arena, &out.runs, err) ||
	    ts_step_sums(trace, nest, lines, warmup, arena, &out.steps, err))
		return err->status;
	ts_scratch_give(arena, work.below);
	for (size_t i = 0; i < lines->n_devices; i++)
		busy = ts_plus(busy, lines->devices[i].timeline.busy_ns);
	ts_flops_of_busy(&out.flops, busy);
	out.all = work.all;
	out.known = work.known;
	out.unknown = work.unknown;
	*ret = out;
	return TS_OK;
}
