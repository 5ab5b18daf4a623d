/* memory_rise.h - whether memory grew all the time, and by how much.
 *
 * The last three quarters of the time are cut into six equal parts. The least of a part is what a program does not give back: what it
 * takes for a while (an evaluation, a checkpoint) is above it. Memory that leaks has a higher least in each part than in the one
 * before, and rises as much at the end as at the beginning; what fills up and stops (caches, allocators) rises less and less.
 * Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_MACHINE_MEMORY_RISE_H
#define TSCOPE_ANALYSIS_MACHINE_MEMORY_RISE_H

#include <stdbool.h>
#include <stddef.h>

enum { TS_MEMORY_PARTS = 6 };

struct ts_memory_rise {
	double first, last; /* least bytes of the first and the last part */
	double seconds;	    /* from the middle of the first to that of the last */
	int rises;	    /* parts whose least is above that of the part before */
	double late;	    /* rise over the last two parts divided by that over the first two; infinite if that is 0 or less */
};

/* seconds ascend; NaN in values: not known. False: a part has fewer than four known values. */
bool ts_memory_rise(const double *seconds, const double *values, size_t n, struct ts_memory_rise *ret);

#endif
