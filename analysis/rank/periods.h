/* periods.h - which slow steps come back every N steps: checkpoints, evaluations, waits for the data loader, the records of
 * gradient accumulation that close an optimizer step.
 *
 * A step is slow if it takes `level` times the lower quartile of the 64 records around it, where level is 6, 3 or 1.5,
 * so that few large stalls are not lost among many small ones. The distances between a slow step and
 * the next eight propose periods. A period N with a phase (step mod N) is accepted if so many of its places are slow as
 * chance would not explain: with a share q of slow steps, h of s places are slow with a chance of at most
 *
 *	exp(-s D(h/s || q)),  D the divergence of two Bernoulli distributions (Chernoff 1952)
 *
 * which, times the number of periods and phases up to a third of the run and the number of levels, must be below 0.001.
 * The bound holds for slow steps at random, and for those whose rate changes slowly: within one period every place is as
 * likely, and a sum of unequal chances varies no more than the binomial of their mean (Hoeffding 1956). At least three in
 * five places must be slow, so that a period whose occurrence is missing now and then is found. Slow steps of an accepted period are
 * taken out, and the search goes on: two periods may overlap.
 *
 * Epochs: where the run says at which steps its epochs begin, these steps are tried before any period, at 0.01 over the levels, with
 * the same bound; two that are slow are enough, and they need not be equally far apart.
 *
 * The period begins anywhere: if that is less likely by chance, only the places from the first slow one to the last count,
 * of which these two prove nothing.
 *
 * The gate has a search of its own (analysis/gate/reduction_period.c), for places that are longer by a few percent.
 *
 * O(n), some 5 ns a value where no step is slow and 50 where many cells have one.
 */
#ifndef TSCOPE_ANALYSIS_RANK_PERIODS_H
#define TSCOPE_ANALYSIS_RANK_PERIODS_H

#include "analysis/stats/series.h"
#include "base/arena.h"

enum {
	TS_PERIODS_MAX = 4,
	TS_PERIODS_STEPS = 24, /* fewer records show no period */
};

struct ts_period {
	bool at_epochs;	   /* its places are the first steps of epochs; phase says nothing */
	uint64_t every;	   /* steps from one place to the next, of epochs the median; records if !by_step */
	uint64_t phase;	   /* the number of a place, mod every; of the record in the run if !by_step */
	bool by_step;	   /* places follow the step numbers; false where these say nothing, as with gaps of many sizes */
	size_t slow;	   /* of so many places are slow */
	size_t places;
	double usual, longest; /* s, of the slow ones */
	double lost;	   /* s, sum over the slow ones beyond the usual time of the other steps */
};

struct ts_periods {
	struct ts_period items[TS_PERIODS_MAX];
	size_t n;
	double usual;	      /* s, the median of the steps that are in no period; NaN if n is 0 */
	const double *calm;   /* the times, where slow steps of a period are divided by what is usual for them beside the others */
	const uint8_t *period; /* of each step, 1 + the index of its period if it is a slow step of one; NULL if n is 0 */
};

/* What the run itself states. */
struct ts_periods_stated {
	uint64_t every;	       /* a period in records, or 0: it is tried first, at 0.01, so that fewer occurrences show it */
	const int64_t *epochs; /* the keys of the first steps of epochs, ascending; those that the series lacks do not count */
	size_t n_epochs;
};

/* The values are times of steps, in s; what is not finite is not slow. stated may be NULL. The result and its
 * arrays lie in the arena; calm is times->values if there is no period. */
enum ts_status ts_periods_find(const struct ts_series *times, const struct ts_periods_stated *stated, struct ts_arena *arena,
			       struct ts_periods *ret_periods, struct ts_error *err);

#endif
