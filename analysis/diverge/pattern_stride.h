/* pattern_stride.h - one run has the values of the other at steps that are counted at another rate: step s of the first is step
 * k s + c of the second. Two optimizers whose updates are both counted do this, and micro-steps under accumulation.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_PATTERN_STRIDE_H
#define TSCOPE_ANALYSIS_DIVERGE_PATTERN_STRIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_stride_series {
	const int64_t *steps; /* ascending */
	const uint64_t *words; /* bits of the values */
	size_t n;
};

struct ts_pattern_stride {
	bool found;
	bool second; /* the steps of the second run are those of the first times k, plus c; else the other way round */
	int64_t times; /* k, at least 2 */
	int64_t plus;  /* c */
	uint64_t steps; /* that agree so */
};

struct ts_pattern_stride ts_pattern_stride_find(const struct ts_stride_series *a, const struct ts_stride_series *b);

#endif
