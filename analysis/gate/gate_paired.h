/* gate_paired.h - the statistics of pairs of base and candidate that ran in turn on one allocation.
 *
 * d_i is the candidate's value minus the base's, on the scale on which values are compared, so that the speed of the allocation
 * cancels out. Two disturbances remain that would make the mean of the differences wrong:
 *
 * A drift: runs that get slower one after the other. Where the candidate ran before the base in some pairs and after it in others
 * (the order ABBA, which a gate asks for), d_i = shift + drift turn_i by least squares, and a drift has no part in the shift. The
 * same holds for a machine whose second run of a pair is slower than its first: a cache that is full, a clock that fell. The
 * estimate costs one degree of freedom.
 *
 * One order: where the candidate ran on the same side of the base each time, a change and the place of a run in its pair are the same
 * thing, and no number of such pairs tells them apart. They decide nothing, and pairs of the other order are asked for. What such a
 * look shows is less the drift that the middles of successive pairs show, where that makes the shift smaller.
 *
 * A disturbed run: a pair that lies far from the others (gate_odd.h) does not count. Two pairs cannot show which of them is odd:
 * where they disagree by more than TS_GATE_NOISY times the known spread, the gate asks for the rest of the pairs, whatever the mean
 * of the two is.
 *
 * A machine whose level wanders: from four pairs on, the middles of the pairs lie around their line further than TS_GATE_NOISY times
 * what was known. Then every pair counts, and the pairs are tested with their own spread alone.
 *
 * A noisy allocation: the known spread is that of other days, and two differences may agree by chance. So the pairs must look
 * like those days in three ways: their differences scatter no more, neither do the runs of one side (which share their session
 * with each other), and the steps of their runs do not show more error within the run than was usual. Where one of these fails,
 * the pairs are tested with their own spread alone, which takes more than two of them to decide anything. The error within the
 * runs is added to the spread in any case. Since few pairs cannot show all of that, the known spread weighs little beside them.
 *
 * Single runs that say otherwise: the first look measured the same change. Where the pairs show a change that it contradicts, one of
 * both ran under more noise than is known, so the pairs are noisy as well. Pairs that show none clear a suspect all the same: that the
 * single run was slowed by its machine is why they ran.
 */
#ifndef TSCOPE_ANALYSIS_GATE_GATE_PAIRED_H
#define TSCOPE_ANALYSIS_GATE_GATE_PAIRED_H

#include "analysis/gate/gate_test.h"

#include <stdint.h>

/* Pairs that scatter so many times more than was known beforehand ran on a noisy allocation, and are tested with their own spread
 * alone. */
#define TS_GATE_NOISY 2.0
/* The same for the scatter of the runs of one side. It is smaller, because two pairs that move together would otherwise decide by
 * chance; a quiet allocation passes for a noisy one more often, and then runs the remaining pairs. */
#define TS_GATE_SIDES 1.5
/* Pairs disagree with single runs if both would be so far apart with this probability had they measured one change. */
#define TS_GATE_DISAGREE 0.01
enum {
	TS_GATE_WITHIN_LEAST = 8,  /* degrees of freedom from which the spread of the runs of a session counts as known */
	TS_GATE_DRIFT_LEAST = 4,   /* pairs from which a drift is estimated */
	TS_GATE_FEW_DF = 4,	   /* with fewer pairs than that, the known spread weighs no more than this */
	TS_GATE_PAIRS_LOOKED = 64, /* with more pairs than this, none is called odd */
};

struct ts_gate_difference {
	double d;
	double turn;	  /* place of the candidate minus that of the base in the order of runs: 1 right after it; 0: not recorded */
	double place;	  /* the middle of their places */
	double middle;	  /* the mean of their values */
	double steps;	  /* variance of d that the steps within both runs show, beyond that of usual runs; 0: none, or not known */
	uint32_t session; /* places and middles of one session are compared */
	uint32_t number;  /* the caller's number of the pair */
	bool odd;	  /* set by a look: the pair does not count */
};

/* The spread that pairs are tested with: within, the spread of the runs of one session, where that rests on at least
 * TS_GATE_WITHIN_LEAST degrees of freedom. Otherwise the spread of draws at the first look (NULL: there was none), which also
 * contains the spread between sessions and so is no smaller. A clean candidate is suspect mostly where that spread came out too
 * small (with 10 baselines, at 0.65 of the true one), and quiet pairs would look noisy beside it. So, from TS_GATE_WITHIN_LEAST degrees
 * of freedom on, the candidate's own distance counts as one of the values, up to the distance that makes it suspect. */
struct ts_gate_spread ts_gate_within(struct ts_gate_spread within, const struct ts_gate_look *first);
/* pairs: n of them, at least 1. within: the spread of one run of a session, as far as it is known beforehand; the variance of a
 * difference is twice the variance of one run. scratch has room for 2 n values. */
void ts_gate_pairs_look(struct ts_gate_difference *pairs, size_t n, struct ts_gate_spread within, const struct ts_gate_rule *rule,
			double *scratch, struct ts_gate_look *ret_look);

/* Orders the pairs so that both orders take turns as far as there are pairs of both, each order in the order of time: the pairs that a
 * look takes then have both, wherever the pairs of the other order ran. out: n, not the same memory. */
void ts_gate_pairs_alternate(const struct ts_gate_difference *pairs, size_t n, struct ts_gate_difference *out);

/* The test looks at pairs twice, when there are `first` of them and when there are `most`, at half of alpha each; or once, at all of
 * alpha, where both are equal. The first look ends the test where it shows a worsening, an improvement at the same level, or a
 * difference of delta or less by pairs that are not noisy, where a change of `must_see` would have been found by both looks. Pairs of
 * one order leave it open, however many there are, unless the plan has but one pair. */
enum ts_gate_pairs_answer {
	TS_GATE_PAIRS_FEW = 1,	/* there are fewer than `first` */
	TS_GATE_PAIRS_OPEN = 2, /* the look does not decide, so more pairs are needed: of the other order where look.first is set */
	TS_GATE_PAIRS_CONFIRM = 3,
	TS_GATE_PAIRS_REFUTE = 4,
	TS_GATE_PAIRS_BETTER = 5, /* as sure as CONFIRM is of the contrary */
};

struct ts_gate_pairs_plan {
	size_t first, most; /* 1 <= first <= most; of one pair, the order is not asked for */
	double alpha;	    /* over both looks */
	double see_alpha;   /* the level of a single look at which must_see counts as seen */
	double must_see;    /* a worsening of this size has to be found, on the scale on which values are compared; not above 0: any */
	const struct ts_gate_look *single; /* what single runs of base and candidate said of the same change; NULL: there were none */
};

/* What the test as a whole would have found, where its first look ended it. A change of that size leaves the test open with 99 %,
 * because its difference is above delta, and the second look finds it with 95 %. The first look
 * says how much pairs scatter; where less is known of it than beforehand, what was known counts. Of noisy pairs, and where there is
 * one look, it is what that look alone finds. */
double ts_gate_pairs_found_from(const struct ts_gate_look *look, const struct ts_gate_pairs_plan *plan, struct ts_gate_spread within,
				const struct ts_gate_rule *rule);

/* ret_look: the look that decided, or a look at all n pairs where there are fewer than `first`. Pairs between `first` and `most` wait
 * for the second look, and pairs after `most` are ignored, because the number of pairs must not depend on their results. n >= 1. */
enum ts_gate_pairs_answer ts_gate_pairs_judge(struct ts_gate_difference *pairs, size_t n, const struct ts_gate_pairs_plan *plan,
					      struct ts_gate_spread within, const struct ts_gate_rule *rule, double *scratch,
					      struct ts_gate_look *ret_look);

#endif
