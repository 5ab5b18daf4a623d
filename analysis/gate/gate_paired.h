/* gate_paired.h - the statistics of pairs of base and candidate that ran in turn on one allocation.
 *
 * d_i is the candidate's value less the base's, on the scale compared; what one allocation is slower by cancels out. Two things are
 * left that a mean of differences does not withstand:
 *
 * A drift: runs that get slower one after the other. Where the candidate ran before the base in some pairs and after it in others
 * (the order ABBA, which a gate asks for), d_i = shift + drift turn_i by least squares, and a drift has no part in the shift. Where
 * it always ran on the same side, the drift is taken from the middles of successive pairs, and a shift is never larger by it.
 * The price is one degree of freedom, and with one order the error of the drift.
 *
 * A disturbed run: a pair that lies far from the others (gate_odd.h) does not count. Two pairs cannot say which of them is odd:
 * where they disagree by more than TS_GATE_NOISY times what is known of the scatter, the rest of the pairs is asked for, whatever
 * their mean.
 */
#ifndef TSCOPE_ANALYSIS_GATE_PAIRED_H
#define TSCOPE_ANALYSIS_GATE_PAIRED_H

#include "analysis/gate/gate_test.h"

#include <stdint.h>

/* Pairs that scatter by so many times what was known beforehand are held to their own scatter alone. */
#define TS_GATE_NOISY 2.0
enum {
	TS_GATE_WITHIN_LEAST = 8,  /* degrees of freedom from which on the scatter of a session's runs is known */
	TS_GATE_DRIFT_LEAST = 4,   /* pairs that a drift is estimated from */
	TS_GATE_PAIRS_LOOKED = 64, /* of more pairs none is called odd */
};

struct ts_gate_difference {
	double d;
	double turn;	  /* place of the candidate less that of the base in the order of runs, 1 right after it; 0: not recorded */
	double place;	  /* the middle of their places */
	double middle;	  /* the mean of their values */
	uint32_t session; /* places and middles of one session are compared */
	uint32_t number;  /* the caller's, of the pair */
	bool odd;	  /* set by a look: it does not count */
};

/* What pairs are held to: within, the scatter of the runs of one session, where that rests on TS_GATE_WITHIN_LEAST degrees
 * of freedom; else what draws scatter by at the first look (NULL: there was none), which holds the luck of their sessions
 * besides and so is no less. */
struct ts_gate_spread ts_gate_within(struct ts_gate_spread within, const struct ts_gate_look *first);
/* pairs: n of them, at least 1. within: what one run of a session scatters by, as far as it is known beforehand; its part of the
 * variance of a difference is twice that. scratch has room for 2 n values. */
void ts_gate_pairs_look(struct ts_gate_difference *pairs, size_t n, struct ts_gate_spread within, const struct ts_gate_rule *rule,
			double *scratch, struct ts_gate_look *ret_look);

/* Pairs are looked at twice, when there are `first` of them and when there are `most`, at half of alpha each; once, at all of it,
 * where both are equal. At the first look a difference of delta or less ends it, unless the pairs disagree: more pairs would hardly
 * make it worse. */
enum ts_gate_pairs_answer {
	TS_GATE_PAIRS_FEW = 1,	     /* fewer than `first` */
	TS_GATE_PAIRS_OPEN = 2,	     /* `first` of them leave it open: more are wanted */
	TS_GATE_PAIRS_CONFIRM = 3,
	TS_GATE_PAIRS_REFUTE = 4,
};

struct ts_gate_pairs_plan {
	size_t first, most; /* 1 <= first <= most */
	double alpha;	    /* over both looks */
};

/* ret_look: of the look that decided, or of all n where there are fewer than `first`. Pairs between `first` and `most` wait
 * for the second look, and those behind `most` count for nothing: how many are run must not depend on how they come out. n
 * >= 1. */
enum ts_gate_pairs_answer ts_gate_pairs_judge(struct ts_gate_difference *pairs, size_t n, const struct ts_gate_pairs_plan *plan,
					      struct ts_gate_spread within, const struct ts_gate_rule *rule, double *scratch,
					      struct ts_gate_look *ret_look);

#endif
