/* coincidence.h - events that hit several signals of a run (time, memory, loss) at the same steps more often than
 * independent signals would. A signal is called an axis here.
 *
 *	ts_coincidence_begin(&c, arena);
 *	ts_coincidence_axis(&c, name, keys, values, n, err);	while the series is in memory: only its hits are kept
 *	ts_coincidence_finish(&c, arena, &measures, &events, err);
 *
 * Hits. An axis has a hit where spikes.h finds a spike or a dip at a low threshold (a share of 0.5 / sqrt(n) of clean
 * values exceeds it on each side, at most 1 %), and where a run of NaN or infinite values begins. The chance of a hit
 * is that of spikes.h for both sides, and at least 1 / (20 n). To it is added the rate of the other hits of this axis
 * that are at least half as far out, as far as it exceeds what the tail explains: an axis that jumps every 100 steps,
 * for instance at checkpoints, meets another axis sooner or later.
 *
 * Two hits that both go down are no coincidence: a batch that is easy, or short, lowers the loss and the norm of the gradient
 * together, or the time and the memory, and nothing is wrong. A run of values that are not finite counts as going up.
 *
 * Single coincidences. Two axes have hits no more than 2 steps apart, with chances a and b. The product of two uniform
 * numbers is at most t = ab with chance t(1 - ln t) (Fisher 1932). This is multiplied by the number of steps where both axes
 * have values, by the number of pairs of axes, by the number of offsets between peaks that were examined, and by 2 (half of
 * the error rate goes to hits that peak at the same step, half to the others). The product bounds the chance that
 * independent axes show such a coincidence anywhere (Bonferroni). Correlation inside an axis does not break the bound. A
 * coincidence is significant if the product is at most TS_COINCIDENCE_LEVEL.
 *
 * Repeated coincidences. Hits of two axes that are spikes on their own (TS_SPIKES_CHANCE) meet k times. k is tested against
 * a Poisson distribution with the mean N_a N_b (width of a hit of either axis + 3) / steps, and the result is multiplied by
 * 2 and by the number of pairs of axes. If it is significant, so is each of these coincidences.
 *
 * Rows, group "cross":
 *   axes/present TEXT, checked COUNT  names in order, and the number of values of the longest axis; too_short TEXT: axes with
 *			fewer than TS_SPIKES_LEAST finite values
 *   coincidences/count COUNT	places at which two axes or more have hits, at a threshold at which independent axes of white
 *			noise would meet about once
 *   coincidences/expected NONE	 how many independent axes with as many hits would have
 *   coincidences/p_value NONE	 p-value of the most unlikely coincidence, corrected for everything that was examined; 1 if there
 *			is none
 *   coincidences/significant COUNT  how many coincidences are significant
 *   coincidence K/first last STEP, axes TEXT, rising TEXT (those of them that go up), p_value NONE, <axis> and
 *			<axis>_expected: the TS_COINCIDENCE_ROWS most significant coincidences, from K = 1
 * Events COINCIDENCE: the significant coincidences, by step. The subject is the names of the axes, joined by ", "; value and
 * expected are those of the axis that is furthest out; score is -log10 of the p-value.
 */
#ifndef TSCOPE_ANALYSIS_RANK_COINCIDENCE_H
#define TSCOPE_ANALYSIS_RANK_COINCIDENCE_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"
#include "analysis/rank/spikes.h"
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
	bool rises;    /* it goes up, or is not finite */
	double chance; /* probability that a step of this axis has a hit this far out; see above */
	bool strong;   /* it is a spike on its own (TS_SPIKES_CHANCE) */
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
/* Adds an axis of n keys and values. The span of the name must outlive c; keys and values need not. TS_TOO_LARGE for more
 * than TS_COINCIDENCE_AXES axes. */
enum ts_status ts_coincidence_axis(struct ts_coincidence *c, struct ts_span name, const int64_t *keys, const double *values,
				   size_t n, struct ts_error *err);
/* Adds an axis to whose series spikes have been fitted. */
enum ts_status ts_coincidence_fitted(struct ts_coincidence *c, struct ts_span name, const struct ts_spikes_fit *fit,
				     struct ts_error *err);
/* Adds the axes of other after its own. The arena of other must outlive c. TS_TOO_LARGE as above. */
enum ts_status ts_coincidence_join(struct ts_coincidence *c, const struct ts_coincidence *other, struct ts_error *err);
/* Compares all axes and appends rows and events. */
enum ts_status ts_coincidence_finish(struct ts_coincidence *c, struct ts_arena *arena, struct ts_measures *measures,
				     struct ts_events *events, struct ts_error *err);

#endif
