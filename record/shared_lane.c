/* shared_lane.c - the lanes that threads borrow for a moment, and the numbers of these threads. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/recorder.h"

#include <sched.h>

uint32_t ts_run_thread(void)
{
	static _Atomic uint32_t threads;
	static _Thread_local uint32_t mine; /* and one more */

	if (mine == 0)
		mine = atomic_fetch_add(&threads, 1) + 1;
	return mine - 1;
}

/* Each thread begins to look at another lane, and nearly always has it at once. */
struct ts_lane *ts_run_borrow(struct tscope_run *run)
{
	for (uint32_t i = ts_run_thread(), tries = 1;; i++, tries++) {
		struct ts_shared_lane *s = &run->shared[i % TS_RUN_SHARED];

		if (!atomic_flag_test_and_set_explicit(&s->busy, memory_order_acquire))
			return &s->lane;
		if (tries % TS_RUN_SHARED == 0)
			(void)sched_yield();
	}
}

void ts_run_return(struct ts_lane *lane)
{
	struct ts_shared_lane *s = (struct ts_shared_lane *)(void *)((char *)lane - offsetof(struct ts_shared_lane, lane));

	atomic_flag_clear_explicit(&s->busy, memory_order_release);
}
