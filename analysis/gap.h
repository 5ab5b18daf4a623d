/* gap.h - how far apart a series of two runs is, from the step on which it parts.
 *
 * r = |a - b| / max(|a|, |b|); 0 where the bits are equal, both are NaN, both the same infinity, or ±0; 1 where only one is a number.
 * A difference is visible when r > 0 and |a - b| exceeds half the quantum of the coarser source: float32 has
 * 2^-23 of the value, four decimals 1e-4, a double none. Steps are aligned by number (or by samples, tokens: the axis),
 * never by position. "between": the last axis point before it that both have and that agrees, when it is not the one before.
 * Source: measurements of growing differences, docs/divergence.md.
 */
#ifndef TSCOPE_ANALYSIS_GAP_H
#define TSCOPE_ANALYSIS_GAP_H

#include "analysis/series.h"
#include "base/arena.h"

struct ts_gap {
	bool known;	       /* looked at: numbers on both sides, and the series parts */
	double quantum;	       /* absolute, at the first step; 0 = doubles */
	bool visible;	       /* somewhere in what was looked at */
	int64_t visible_step;  /* the first such step */
	double first;	       /* r at the first step whose bits differ */
	double at_visible;     /* r at visible_step; NaN without one */
	/* Median r of the 5 common points around that many points later; NaN: there are not so many. */
	double after_10, after_30, after_100;
	double slope;	       /* of ln r a step over the first 60 common points; NaN: cannot be fitted */
	double saturation;     /* median r of the last tenth of what was looked at; NaN: too little */
	double greatest;       /* r */
	int64_t greatest_step;
	double bias;	       /* share of differing points with a > b, 0 to 1: 0.5 has no side */
	uint64_t points;       /* common ones that were looked at, from the first that differs on */
	uint64_t differing;    /* of those */
	int64_t last_step;     /* of what was looked at */
};

/* keys and values from the first differing point on, already paired: n common points. */
void ts_gap_measure(const int64_t *steps, const double *a, const double *b, size_t n, double quantum_a, double quantum_b,
			struct ts_arena *scratch, struct ts_gap *ret);

#endif
