/* culprit.h - how TraceML v0.3.6 sees the ranks of a job: a second opinion beside straggler.h, from means over all steps
 * alone.
 *
 * Median and worst rank of a metric: the median is that of the ranks' means (for an even number of ranks the average of the
 * two middle ones), and is attributed to the real rank nearest to it (ties: the lower value, then the lower rank). The worst
 * rank is the one with the largest mean, the lowest rank of equal ones. skew = (worst - median)/median.
 *
 * Rank-straggler policy: if ranks synchronize inside backward, the slow rank waits least there. The culprit is the rank with
 * the smallest visible cost (backward; under FSDP forward + backward). The victim is the rank with the upper median of the
 * visible costs. cost is the difference of the two, and score = cost / step time of the victim. From TS_CULPRIT_SCORE on the
 * culprit is a straggler. The component that explains it is the one of input wait, host-to-device copies and forward in
 * which the culprit exceeds the victim most, if that covers TS_CULPRIT_COVERED of the cost. The policy does not find a rank
 * that is slow in backward or in the optimizer: it has no such component.
 * Source: TraceML's rules in our own words; reproduces its answers for the cases of tests/golden/traceml.
 */
#ifndef TSCOPE_ANALYSIS_RANKS_CULPRIT_H
#define TSCOPE_ANALYSIS_RANKS_CULPRIT_H

#include "analysis/answer/row_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_CULPRIT_SCORE 0.10
#define TS_CULPRIT_COVERED 0.80

/* Means over steps of one rank, all in the same unit; NaN: not measured. */
struct ts_culprit_rank {
	int32_t rank;
	double input, h2d, forward, backward, step;
};

struct ts_culprit {
	int32_t culprit, victim;
	const char *visible;   /* "backward" or "forward+backward" */
	double cost, score;    /* cost in the unit of the means */
	const char *component; /* "input", "h2d", "compute", "sync_or_unattributed" */
	enum ts_culprit_kind kind; /* none below TS_CULPRIT_SCORE */
};

/* ranks are ascending. False if fewer than two ranks have input wait, a step time above 0 and a backward above 0 (with FSDP
 * also forward). scratch has room for n values. */
bool ts_culprit_find(const struct ts_culprit_rank *ranks, size_t n, bool fsdp, double *scratch, struct ts_culprit *ret);

struct ts_rank_spread {
	double median; /* of the ranks' means, not of any one rank */
	int32_t median_rank, worst_rank;
	double median_value, worst_value; /* the means of these two ranks */
	double skew;  /* NaN with one rank, and if the median is 0 and the worst is above it */
	size_t n;     /* ranks that have the metric */
};

/* values[i] belongs to ranks[i], which are ascending; NaN: not measured. scratch has room for n values. False if no rank has
 * a value. */
bool ts_rank_spread(const double *values, const int32_t *ranks, size_t n, double *scratch, struct ts_rank_spread *ret);

#endif
