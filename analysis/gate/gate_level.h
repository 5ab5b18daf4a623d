/* gate_level.h - what shape the baselines have that are not all of one level: a drift from run to run, or two kinds of runs.
 *
 * Drift: least squares over the places of the runs in time. It counts if a slope so large has a probability below TS_GATE_DRIFT_P
 * without any, and if a line fits the values better than two levels do. With n values, the line at another place is known up to
 * s sqrt(1/n + far^2 / Sxx).
 *
 * Two kinds: of all splits of the sorted values into two parts of at least 3 and a fifth, the one with the smallest sum of squares
 * within. The values are of two kinds if that is a smaller share of the whole than min(0.1, 0.2 - 1.5/n): 1 in 1,000 sets of normal
 * values has one so small, and fewer of those with heavy tails (`./dev bench quality 'gate days'`). Source of the split: Fisher 1958,
 * "On grouping for maximum homogeneity".
 */
#ifndef TSCOPE_ANALYSIS_GATE_GATE_LEVEL_H
#define TSCOPE_ANALYSIS_GATE_GATE_LEVEL_H

#include "analysis/gate/gate_test.h"

enum { TS_GATE_LEVEL_LEAST = 8 /* values */ };

#define TS_GATE_DRIFT_P 0.001

struct ts_gate_line {
	double slope; /* of a value from one place to the next; 0: there is no drift */
	double place; /* the mean place */
	double sxx;   /* sum of squares of places around it */
};

/* Fits n values at their places. x and place may have any order. O(n^2), or O(n) where the slope does not stand out. */
struct ts_gate_line ts_gate_drift(const double *x, const double *place, size_t n);

/* Returns how many of the n ascending values are of the lower kind, or 0 if all are of one. */
size_t ts_gate_two_kinds(const double *x, size_t n);

#endif
