#include "service/handlers/gate/gate_trace.h"

#include "analysis/trace/trace_diff.h"
#include "base/limits.h"
#include "run/trace_columns.h"
#include "run/trace_list.h"

#include <math.h>

enum { RUNS_MOST = 16 /* looked at for a trace */ };

struct traces {
	struct ts_run_trace *items;
	size_t n;
};

/* The traces of the first runs of a role that have some. Baselines come in the order in which they were chosen, the newest first. */
static enum ts_status traces_of(struct ts_fetch *f, const struct ts_gate_input *input, enum ts_gate_role role, struct ts_arena *arena,
				struct traces *ret, struct ts_error *err)
{
	size_t looked = 0;

	*ret = (struct traces){0};
	for (size_t i = 0; i < input->n_runs && !ret->n && looked < RUNS_MOST; i++) {
		if (input->runs[i].role != role)
			continue;
		looked++;
		if (ts_run_traces(ts_fetch_source, f, &input->runs[i].id, arena, &ret->items, &ret->n, err))
			return err->status;
	}
	return TS_OK;
}

/* Of each side the first trace of the first rank that both have; false: there is none. */
static bool choose(const struct traces traces[2], const struct ts_run_trace *ret[2])
{
	for (size_t i = 0; i < traces[0].n; i++)
		for (size_t k = 0; k < traces[1].n; k++)
			if (traces[0].items[i].rank == traces[1].items[k].rank) {
				ret[0] = &traces[0].items[i];
				ret[1] = &traces[1].items[k];
				return true;
			}
	return false;
}

/* As much of the text as a row may carry, whole characters. */
static struct ts_span cut(struct ts_span text)
{
	size_t n = text.len < TS_PATH_MAX ? text.len : TS_PATH_MAX;

	while (n && n < text.len && (text.data[n] & 0xc0) == 0x80)
		n--;
	return ts_span_part(text, 0, n);
}

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

static enum ts_status compare(struct ts_fetch *f, const struct ts_run_trace *const of[2], struct ts_arena *own,
			      struct ts_trace_diff *ret, struct ts_error *err)
{
	struct ts_trace_record record;
	struct ts_trace traces[2];
	enum ts_status status = TS_OK;
	int n = 0;

	for (; n < 2 && !status; n += !status)
		status = ts_trace_columns_load(ts_fetch_source, f, &of[n]->columns, own, &traces[n], &record, err);
	if (!status)
		status = ts_trace_diff(&traces[0], &traces[1], own, ret, err);
	while (n-- > 0)
		ts_trace_finish(&traces[n]);
	return status;
}

static enum ts_status row_of(struct ts_fetch *f, const struct ts_run_trace *const of[2], struct ts_arena *own, struct ts_gate_why *ret,
			     struct ts_error *err)
{
	struct ts_trace_diff diff;
	bool few;

	*ret = (struct ts_gate_why){.kind = ts_span_str("trace"), .base = NAN, .candidate = NAN, .share = NAN};
	if (are_few(f, of, own, &few, err))
		return err->status;
	if (!few) {
		ret->name = ts_span_str("both runs have traces, which are too long to be compared here: tscope diff compares them");
		return TS_OK;
	}
	if (compare(f, of, own, &diff, err))
		return err->status;
	ret->name = cut(diff.sentence);
	ret->base = (double)diff.step.a.mean_ns / 1e9;
	ret->candidate = (double)diff.step.b.mean_ns / 1e9;
	return TS_OK;
}

enum ts_status ts_gate_trace_why(struct ts_fetch *f, struct ts_verdict *v, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_run_trace *of[2] = {NULL, NULL};
	struct traces traces[2];
	struct ts_gate_why why;
	struct ts_arena own;
	enum ts_status status;

	if (!ts_gate_asks_why(v))
		return TS_OK;
	if (traces_of(f, &v->input, TS_GATE_BASELINE, arena, &traces[0], err) ||
	    traces_of(f, &v->input, TS_GATE_CANDIDATE, arena, &traces[1], err))
		return err->status;
	if (!choose(traces, of))
		return TS_OK;
	ts_arena_init(&own, TS_ANALYSIS_ARENA);
	status = row_of(f, of, &own, &why, err);
	if (!status) {
		why.name = ts_arena_span(arena, why.name);
		status = why.name.data ? ts_gate_why_first(v, why, arena, err) : ts_arena_error(arena, err);
	}
	ts_arena_finish(&own);
	return status;
}
