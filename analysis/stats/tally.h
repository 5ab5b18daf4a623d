/* tally.h - a compensated sum (Neumaier) that grows value by value. */
#ifndef TSCOPE_ANALYSIS_STATS_TALLY_H
#define TSCOPE_ANALYSIS_STATS_TALLY_H

#include <math.h>

struct ts_tally {
	double sum, carry;
};

static inline void ts_tally_add(struct ts_tally *t, double v)
{
	double next = t->sum + v;

	t->carry += fabs(t->sum) >= fabs(v) ? (t->sum - next) + v : (v - next) + t->sum;
	t->sum = next;
}

static inline double ts_tally_value(const struct ts_tally *t)
{
	return t->sum + t->carry;
}

#endif
