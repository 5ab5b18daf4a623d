/* diff_repeats.h - the repeats of a Diff: several runs of the first run's recipe, and the second run against their
 * envelope.
 *
 * Series are walked side by side, a block of each at a time, twice: once to learn how far the repeats are apart, once to hold
 * the candidate against that. Blocks that all of them share are not decoded. The series are the loss and the gradient norm of
 * the lowest rank on which all runs have them. Levels at the end (analysis/diverge/equivalence.h) are those of the loss and of
 * the first eight losses of evaluations that both runs have. Rows are paired by step, and the verdict says so where the diff is not.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_REPEATS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_REPEATS_H

#include "analysis/diverge/evidence.h"
#include "service/handlers/core/read.h"

struct ts_run_ids {
	const struct ts_id *ids;
	size_t n;
};

/* named: the repeats. The first run is one of them whether it is named or not; the second is not, unless it is the first. diff says
 * where the two differ. cuts: NULL for the defaults. Everything of the result lies in the arena. */
enum ts_status ts_diff_repeats(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_run_ids named,
			       const struct ts_cuts *cuts, const struct ts_diff *diff, struct ts_arena *arena,
			       struct ts_repeats *ret_repeats, struct ts_error *err);
/* As the diagnosis wants it; runs is 0 where no spread is known. */
struct ts_repeats_seen ts_repeats_seen_of(const struct ts_repeats *repeats);

#endif
