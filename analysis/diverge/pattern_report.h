/* pattern_report.h - the losses of one run are computed from those of the other alone: a constant is added, they are logged some
 * records late, a mean over several records is logged, or a root or an exponential of them.
 *
 * A training that differs has losses that no such rule gives for long, so where one gives every value, only the report differs. Values
 * are as exact as they were written: the rule may be off by `slack` of theirs.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_PATTERN_REPORT_H
#define TSCOPE_ANALYSIS_DIVERGE_PATTERN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ts_report_rule {
	TS_REPORT_NONE = 0,
	TS_REPORT_PLUS = 1,	/* the other loss plus a constant */
	TS_REPORT_LATE = 2,	/* the other loss some records before */
	TS_REPORT_SMOOTHED = 3, /* a mean with weights that fall by a constant factor from one record to the one before */
	TS_REPORT_RUNNING = 4,	/* the mean of all records since some record, as of an epoch or an interval */
	TS_REPORT_WINDOW = 5,	/* the mean of the last records, always as many */
	TS_REPORT_ROOT = 6,	/* the square root, as an RMSE is of an MSE */
	TS_REPORT_EXP = 7,	/* the exponential, as a perplexity is of an nll */
};

struct ts_pattern_report {
	enum ts_report_rule rule;
	bool second;	  /* the second run logs what the rule makes of the first; else the other way round */
	double number;	  /* what is added; the factor of the weights */
	uint64_t records; /* late by; in a window */
	uint64_t points;  /* values that the rule gives */
};

/* The losses of n common records in their order; `slack`: what a value may be off by. */
struct ts_pattern_report ts_pattern_report_find(const double *a, const double *b, size_t n, double slack);

#endif
