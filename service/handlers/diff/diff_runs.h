/* diff_runs.h - the Diff method: in which facts, series and steps two runs differ, and what that means.
 *
 * Equal ids are SAME at once. Otherwise only what differs in the indexes is opened: docs/architecture.md walks through it.
 * Verdict, from the trajectory of all ranks: DIFFERENT when a common step of a trajectory column differs, or a digest of an operation
 * that both recorded, or the sketch of a tensor; SAME when both
 * have the same trajectory columns, steps and bits, the same ranks, and no unknown column differs; INCONCLUSIVE otherwise, also
 * when there is no trajectory at all. Times, memory and facts are reported and do not decide.
 * Mirror: exchanging the runs exchanges a and b in every row and changes nothing else but the words of the reason.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_RUNS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_RUNS_H

#include "analysis/diverge/diff_say.h"
#include "service/handlers/diff/diff_repeats.h"
#include "service/handlers/diff/fact_diff.h"

/* Bytes of rows of facts, and of series, in one answer; what is left out is said in the reason. */
enum { TS_DIFF_ROWS_BYTES = 3 << 19 };

/* How two runs are compared. */
struct ts_diff_how {
	struct ts_fact_globs ignore;
	struct ts_fact_globs expected; /* to differ: facts like others, but the reason does not say that they do */
	/* Points are paired by this column (see series_axis.h), which itself is not compared; steps and their extent stay those of
	 * steps. Empty: by step. */
	struct ts_span axis;
	struct ts_run_ids repeats;	/* the second run is held against these repeats of the first (diff_repeats.h) */
	bool tensors;			/* sketches of tensors are compared, too */
	bool has_rounding;
	struct ts_id rounding;		/* the run that shows how far rounding goes (diff_sketches.h) */
	const struct ts_policy *policy; /* its cut-offs count, and are told; NULL: none */
	bool outcomes; /* ts_diff_outcomes follows: what it takes is looked at before anything is compared */
};

/* Spans of the result lie in the arena. TS_INVALID: a side lacks the axis, or the policy names no rule or cut-off of ours. */
enum ts_status ts_diff_runs(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, const struct ts_diff_how *how,
			    struct ts_arena *arena, struct ts_diff *ret_diff, struct ts_error *err);

/* Sets verdict and reason of a diff whose rows are complete and sorted. The reason does not name facts that are expected to differ. */
enum ts_status ts_diff_judge(struct ts_diff *diff, const struct ts_diff_tally *tally, struct ts_fact_globs expected,
			     struct ts_arena *arena, struct ts_error *err);

#endif
