/* straggler_kind.h - how a slow rank is slow: always, from some step on, now and then, or every so many steps.
 *
 *	persistent	in most steps the rank has at least half of its mean excess
 *	late		there is one change of level, with less than a quarter of the excess before it; from there on persistent
 *	periodic	slow steps (the upper of two clusters) begin at equal distances, four of five of them within 5 %
 *	intermittent	anything else
 */
#ifndef TSCOPE_ANALYSIS_RANKS_STRAGGLER_KIND_H
#define TSCOPE_ANALYSIS_RANKS_STRAGGLER_KIND_H

#include <stddef.h>

enum ts_straggler_kind {
	TS_STRAGGLER_PERSISTENT = 1,
	TS_STRAGGLER_LATE = 2,
	TS_STRAGGLER_INTERMITTENT = 3,
	TS_STRAGGLER_PERIODIC = 4,
};

struct ts_straggler_course {
	enum ts_straggler_kind kind;
	size_t onset;  /* index of the first slow value; 0 for persistent */
	size_t period; /* values from one slow value to the next; 0 unless periodic */
	double before, after; /* mean excess before the onset and from it on, in the unit of x */
};

/* x is the excess of the rank in each step, with a positive mean; scratch has room for n values; n >= 1. */
struct ts_straggler_course ts_straggler_course(const double *x, size_t n, double *scratch);
const char *ts_straggler_word(enum ts_straggler_kind kind); /* "persistent", ... */

#endif
