/* bench_clock.h - the processor time that this process has taken, in ns: what a bench reports where the machine has other work. */
#ifndef TSCOPE_TESTS_BENCH_BENCH_CLOCK_H
#define TSCOPE_TESTS_BENCH_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t bench_cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
