#include "service/handlers/gate/gate_trace.h"

#include "analysis/trace/diff/trace_diff.h"
#include "run/trace_columns.h"
#include "service/handlers/gate/gate_files.h"

#include <math.h>

/* *ret_few: both have so few events that they are compared here. */
static enum ts_status are_few(struct ts_fetch *f, const struct ts_run_trace *const of[2], struct ts_arena *arena, bool *ret_few,
			      struct ts_error *err)
{
	*ret_few = true;
	for (int k = 0; k < 2; k++) {
		struct ts_trace_record record;
		struct ts_trace_about about;

		if (ts_trace_columns_about(ts_fetch_source, f, &of[k]->columns, arena, &about, &record, err))
			return err->status;
		*ret_few = *ret_few && record.events <= TS_SERVED_TRACE_EVENTS;
	}
	return TS_OK;
}

static enum ts_status row_of(struct ts_fetch *f, const struct ts_run_trace *const of[2], struct ts_arena *own, struct ts_gate_why *ret,
			     double *ret_more, struct ts_error *err)
{
	struct ts_trace_diff diff;
	bool few;

	*ret_more = 0;
	*ret = (struct ts_gate_why){
		.kind = ts_span_str(ts_gate_part_word(TS_GATE_PART_TRACE)), .base = NAN, .candidate = NAN, .share = NAN};
	if (are_few(f, of, own, &few, err))
		return err->status;
	if (!few) {
		ret->name = ts_span_str("both runs have traces, which are too long to be compared here: tscope diff compares them");
		return TS_OK;
	}
	if (ts_trace_diff_stored(ts_fetch_source, f, &of[0]->columns, &of[1]->columns, own, &diff, err))
		return err->status;
	ret->name = diff.sentence;
	ret->base = (double)diff.step.a.mean_ns / 1e9;
	ret->candidate = (double)diff.step.b.mean_ns / 1e9;
	return TS_OK;
}

enum ts_status ts_gate_trace_why(struct ts_fetch *f, struct ts_verdict *v, struct ts_arena *arena, struct ts_error *err)
{
	return ts_gate_asks_why(v) ? ts_gate_files_why(f, v, ts_run_traces, row_of, 1, arena, err) : TS_OK;
}
