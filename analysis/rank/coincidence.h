/* coincidence.h - events that hit several signals of a run (time, memory, loss) at the same steps more often than
 * independent signals would.
 *
 *	ts_coincidence_begin(&c, arena);
 *	ts_coincidence_axis(&c, name, keys, values, n, err);	while the series is in memory: only its hits are kept
 *	ts_coincidence_finish(&c, arena, &measures, &events, err);
 *
 * Hits. An axis is hit where spikes.h finds a spike or a dip at a low threshold (0.5 / sqrt(n) of clean values a side, at
 * most 1 %), and where a run of NaN or infinities begins. The chance of a hit is that of spikes.h, both sides, and never
 * less than 1 / (20 n); to it is added the rate of other hits of this axis that are at least half as far out and more
 * than its tail explains: an axis that jumps every 100 steps, as for a checkpoint, meets something sooner or later.
 *
 * Single coincidences. Hits of two axes no more than 2 steps apart, with chances a and b: the product of two uniform
 * numbers is at most t = ab with chance t(1 - ln t) (Fisher 1932). That times the steps where both have values, the pairs
 * of axes, the offsets of their peaks that were looked at, and 2 (half of the error goes to hits that peak at the same
 * step, half to the others) bounds the chance that independent axes show such a thing anywhere (Bonferroni). Correlation
 * inside an axis does not break the bound. Significant at TS_COINCIDENCE_LEVEL.
 *
 * Repeated ones. Hits that are spikes on their own (TS_SPIKES_CHANCE) of two axes meet k times: k against a Poisson
 * number with the mean N_a N_b (width of a hit of either, and 3) / steps, times 2 and the pairs of axes. Where that is
 * significant, each of them is.
 *
 * Rows, group "cross":
 *   axes/present TEXT, checked COUNT  names in order, and the values of the longest axis; too_short TEXT: axes with fewer than
 *			TS_SPIKES_LEAST finite values
 *   coincidences/count COUNT	places at which two axes or more are hit, at the rate at which independent axes of white
 *			noise would meet about once
 *   coincidences/expected NONE	 how often independent axes with just so many hits would
 *   coincidences/p_value NONE	 of the most unlikely one, over all that was looked at; 1 if there is none
 *   coincidences/significant COUNT  how many are
 *   coincidence K/first last STEP, axes TEXT, p_value NONE, <axis> and <axis>_expected: the TS_COINCIDENCE_ROWS most
 *			significant, from K = 1
 * Events COINCIDENCE: the significant ones, by step. Subject: the axes, joined by ", "; value and expected: of the axis
 * that is furthest out; score: -log10 of its p_value.
 */
#ifndef TSCOPE_ANALYSIS_RANK_COINCIDENCE_H
#define TSCOPE_ANALYSIS_RANK_COINCIDENCE_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"
#include "analysis/stats/series.h"

enum {
	TS_COINCIDENCE_AXES = 8,
	TS_COINCIDENCE_ROWS = 8,
};

#define TS_COINCIDENCE_LEVEL 0.01

struct ts_hit {
	int64_t first, last, peak; /* steps */
	double value, expected;
	double score;  /* robust deviations; infinite for NaN and infinities */
	double chance; /* probability that a step of this axis has such a hit; see above */
	bool strong;   /* a spike on its own */
};

struct ts_axis {
	struct ts_span name;
	size_t n; /* values */
	struct ts_hit *hits; /* by step */
	size_t n_hits;
	bool decided;
};

struct ts_coincidence {
	struct ts_arena *arena;
	struct ts_axis axes[TS_COINCIDENCE_AXES];
	size_t n_axes;
};

void ts_coincidence_begin(struct ts_coincidence *c, struct ts_arena *arena);
/* Adds an axis of n keys and values. The name is kept, keys and values are not. An axis beyond TS_COINCIDENCE_AXES is an
 * error. */
enum ts_status ts_coincidence_axis(struct ts_coincidence *c, struct ts_span name, const int64_t *keys, const double *values,
				   size_t n, struct ts_error *err);
enum ts_status ts_coincidence_finish(struct ts_coincidence *c, struct ts_arena *arena, struct ts_measures *measures,
				     struct ts_events *events, struct ts_error *err);

#endif
