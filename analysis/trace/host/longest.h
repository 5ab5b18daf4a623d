/* longest.h - of many times of one kind the few longest, so that a share can be asked for without what happened once. */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_LONGEST_H
#define TSCOPE_ANALYSIS_TRACE_HOST_LONGEST_H

#include <stddef.h>
#include <stdint.h>

/* So many times, of at least ten times as many, may be of something that no step has again: a compilation, a module that is loaded. In
 * fewer steps than these the longest times may be one of each step, so that only one is of something else. */
enum { TS_LONGEST_MOST = 3, TS_LONGEST_STEPS = 10 };

struct ts_longest {
	uint64_t ns[TS_LONGEST_MOST]; /* the longest first */
	uint64_t n;		      /* of how many */
};

void ts_longest_add(struct ts_longest *io, uint64_t ns);
/* The sum of the longest, or the longest alone where there are few times, or few steps (0: the trace has none). */
uint64_t ts_longest_sum(const struct ts_longest *l, size_t steps);

#endif
