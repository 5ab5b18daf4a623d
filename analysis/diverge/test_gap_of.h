/* test_gap_of.h - the gap of two series that lie in arrays, as tests have them. */
#ifndef TSCOPE_ANALYSIS_DIVERGE_TEST_GAP_OF_H
#define TSCOPE_ANALYSIS_DIVERGE_TEST_GAP_OF_H

#include "analysis/diverge/gap.h"

/* The n common points from the first that differs on; known is false for n = 0. */
static inline enum ts_status test_gap_of(const int64_t *steps, const double *a, const double *b, size_t n,
					 struct ts_resolution resolution_a, struct ts_resolution resolution_b,
					 struct ts_arena *scratch, struct ts_gap *ret_gap, struct ts_error *err)
{
	struct ts_gap_meter m;

	if (ts_gap_begin(&m, resolution_a, resolution_b, scratch, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		ts_gap_add(&m, steps[i], a[i], b[i]);
	return ts_gap_end(&m, ret_gap, err);
}

#endif
