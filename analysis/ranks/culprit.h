/* culprit.h - how TraceML v0.3.6 sees the ranks of a job: a second opinion beside straggler.h, from means over all steps alone.
 *
 * Median and worst rank of a metric: the median is that of the ranks' means (of two the average), shown by the real rank
 * nearest to it (ties: lower value, then lower rank); worst is the largest, lowest rank first; skew = (worst - median)/median.
 *
 * Rank-straggler policy: where ranks synchronize inside backward, the slow one waits least there. Culprit is the rank with the
 * smallest visible cost (backward; under FSDP forward + backward), victim the upper median of them, cost what lies between, score
 * cost / step time of the victim. From TS_CULPRIT_SCORE on it is a straggler. What the culprit has more than the victim of input
 * wait, host-to-device copies or forward says why, if the most of these covers TS_CULPRIT_COVERED of the cost. A rank that is
 * slow in backward or in the optimizer is not seen for it: its policy has no such component.
 * Source: TraceML's rules in our own words; reproduces its answers for the cases of tests/golden/traceml.
 */
#ifndef TSCOPE_ANALYSIS_RANKS_CULPRIT_H
#define TSCOPE_ANALYSIS_RANKS_CULPRIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_CULPRIT_SCORE 0.10
#define TS_CULPRIT_COVERED 0.80

/* Means over steps in one unit, whichever; NaN: not measured. */
struct ts_culprit_rank {
	int32_t rank;
	double input, h2d, forward, backward, step;
};

struct ts_culprit {
	int32_t culprit, victim;
	const char *visible;   /* "backward" or "forward+backward" */
	double cost, score;    /* cost in the unit of the means */
	const char *component; /* "input", "h2d", "compute", "sync_or_unattributed" */
	const char *kind;      /* "INPUT_STRAGGLER", ..., "STRAGGLER"; "none" below TS_CULPRIT_SCORE */
};

/* Ranks ascending. False when fewer than two have input wait, step time above 0 and backward above 0 (FSDP: forward too). scratch
 * holds n. */
bool ts_culprit_find(const struct ts_culprit_rank *ranks, size_t n, bool fsdp, double *scratch, struct ts_culprit *ret);

struct ts_rank_spread {
	double median; /* of the ranks' means, not of any one rank */
	int32_t median_rank, worst_rank;
	double median_value, worst_value; /* of these ranks */
	double skew;  /* NaN with one rank, and where the median is 0 below the worst */
	size_t n;     /* ranks that have it */
};

/* values[i] belongs to ranks[i], ascending; NaN: not measured. scratch holds n. False if no rank has it. */
bool ts_rank_spread(const double *values, const int32_t *ranks, size_t n, double *scratch, struct ts_rank_spread *ret);

#endif
