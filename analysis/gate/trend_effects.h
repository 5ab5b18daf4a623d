/* trend_effects.h - what hosts and weekdays add to the values of a trend, so that it can be taken out before changes are looked for.
 *
 * The model is value = level + effect of the host + effect of the weekday + noise, where the level is constant between a few steps.
 * Steps are found one at a time by the greatest reduction of squares among runs of the same host, so that a step is not taken for
 * a host, and all are fitted together by alternating projections. If there are 32 or more, the level is not constant between
 * few steps, and nothing is taken out. Values that are odd among those of
 * their host are replaced first (ts_wander_tame).
 *
 * A block is a stretch of runs of one host, or of one day. Runs of a block share more than their label, so the test whether hosts
 * (or weekdays) differ at all is an analysis of variance of the means of blocks, at p < 0.001 (the tail of F by Paulson 1942). An
 * effect is only estimated for a label that came in two blocks or more. Where no label of before stands after, effects cannot be
 * told from a change of level: the series is cut there into parts, and the effects of each part have the mean 0.
 */
#ifndef TSCOPE_ANALYSIS_GATE_TREND_EFFECTS_H
#define TSCOPE_ANALYSIS_GATE_TREND_EFFECTS_H

#include "base/arena.h"
#include "base/span.h"

struct ts_trend_label {
	struct ts_span host; /* empty: not recorded */
	int64_t started_ns;  /* since 1970; 0: not recorded */
};

struct ts_trend_effects {
	double *effect;	      /* of each run: what host and weekday add to its value, on the scale of the values; mostly 0 */
	size_t *alike;	      /* runs of the same number (below 2 n) can be compared as far as hosts go */
	double host_spread;   /* the greatest difference between hosts; 0: none was taken out */
	double weekday_spread;
};

/* values are finite, oldest first, with a label each. The result lies in the arena. TS_NO_MEMORY is the only error. */
enum ts_status ts_trend_effects_fit(const double *values, const struct ts_trend_label *labels, size_t n, struct ts_arena *arena,
				    struct ts_trend_effects *ret, struct ts_error *err);

#endif
