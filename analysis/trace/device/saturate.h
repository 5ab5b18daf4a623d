/* saturate.h - sums of times that stay at the end of their range instead of going over it: hostile traces reach it, others never. */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_SATURATE_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_SATURATE_H

#include <stdint.h>

static inline uint64_t ts_plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t ts_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline int64_t ts_minus(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < b ? INT64_MIN : INT64_MAX;
	return difference;
}

#endif
