#include "service/handlers/gate/trend_machine.h"

#include "analysis/machine/machine_compare.h"
#include "base/limits.h"
#include "base/text.h"
#include "service/handlers/analyze/analyze_machine_rows.h"

enum { CHANGES_MOST = 8, RUNS_MOST = 8 };

/* The rows of the first run from `at` on that has any, by steps of `by`, with `end` not among them. */
static enum ts_status rows_from(struct ts_fetch *f, const struct ts_trend *trend, size_t at, size_t end, size_t by,
				struct ts_arena *arena, struct ts_measures *ret, struct ts_error *err)
{
	const struct ts_id *ids[RUNS_MOST];
	size_t n = 0;

	for (; at != end && n < RUNS_MOST; at += by)
		if (trend->runs[at].known)
			ids[n++] = &trend->runs[at].id;
	return ts_machine_rows_of_first(f, ids, n, arena, ret, err);
}

static enum ts_status compare(struct ts_fetch *f, struct ts_trend *trend, size_t i, struct ts_arena *scratch, struct ts_arena *arena,
			      struct ts_error *err)
{
	struct ts_trend_change *change = &trend->changes[i];
	size_t begin = i ? (size_t)trend->changes[i - 1].at : 0, end = i + 1 < trend->n_changes ? (size_t)change[1].at : trend->n_runs;
	struct ts_measures before = {.n = 0}, after = {.n = 0};
	struct ts_span differs = {NULL, 0};

	ts_arena_reset(scratch);
	if (rows_from(f, trend, (size_t)change->last_before, begin - 1, (size_t)-1, scratch, &before, err))
		return err->status;
	if (before.n && (rows_from(f, trend, (size_t)change->at, end, 1, scratch, &after, err) ||
			 ts_machine_compare(&after, &before, scratch, &differs, err)))
		return err->status;
	change->machines = ts_arena_span(arena, ts_utf8_cut(differs, TS_PATH_MAX));
	return ts_arena_check(arena, err);
}

enum ts_status ts_trend_machines(struct ts_fetch *f, struct ts_trend *trend, struct ts_arena *scratch, struct ts_arena *arena,
				 struct ts_error *err)
{
	if (trend->metric >= TS_METRICS || trend->metric == TS_METRIC_LOSS)
		return TS_OK;
	for (size_t i = trend->n_changes, n = 0; i-- > 0 && n < CHANGES_MOST; n++)
		if (compare(f, trend, i, scratch, arena, err))
			return err->status;
	return TS_OK;
}
