/* between.h - the time between steps: at which of them much of it was lost, and whether they come back every N steps.
 *
 * A checkpoint, an evaluation or a loader that begins anew stands between the end of one step and that of the next, and in no phase but
 * `between`, which a recorder writes. The time between is what passed from the timestamp of the step before, less the phases of the
 * step (wall.h), with its phase `between`. It is not known of a step whose timestamp or that of the step before is not, and where the
 * clock was set back.
 *
 * A step is one at which much was lost if the time between is more than half a usual step above three times what is usual: noise of
 * that size is a step of its own. Where all timestamps are whole seconds, it is more than a second above that, too. What was lost
 * is the time beyond the usual. The period is that of periods.h, of steps that take a usual one and what was lost.
 */
#ifndef TSCOPE_ANALYSIS_RANK_BETWEEN_H
#define TSCOPE_ANALYSIS_RANK_BETWEEN_H

#include "analysis/rank/periods.h"

struct ts_between {
	bool known;	     /* false: of no two steps */
	size_t n;	     /* steps at which much was lost */
	const int64_t *steps; /* they, ascending */
	double lost;	     /* s, at all of them */
	double longest;	     /* s, at one */
	int64_t longest_at;
	uint64_t every; /* 0: they do not come back regularly */
};

/* times: of n steps, in s, with the phase `between` where there is one; recorded: that phase alone, by the same steps; NULL: none.
 * Of the timestamps those of other steps are passed over. All arrays lie in the arena. */
enum ts_status ts_between_find(const int64_t *steps, const double *times, const double *recorded, size_t n,
			       const struct ts_series *stamps, struct ts_arena *arena, struct ts_between *ret, struct ts_error *err);

#endif
