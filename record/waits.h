/* waits.h - in which steps the training thread waited for a CPU.
 *
 * The system counts how long the thread waited in all, and to ask it is a system call, which a step does not make. So the keeper
 * asks at
 * each of its turns, and the thread of the steps notes which steps were long. What was waited in a turn belongs to the long steps that
 * lie in it, as far as they reach; the rest to the step that was open, whose length is not known. So waits are right for steps that
 * they made long, and for the sum of all steps; of many short steps one has what all waited.
 *
 * The thread is the one that opened the recording. If another one makes the steps, nothing is known of it.
 */
#ifndef TSCOPE_RECORD_WAITS_H
#define TSCOPE_RECORD_WAITS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	TS_WAITS_LONG = 32,	  /* long steps that wait for the keeper; further ones are not noted */
	TS_WAITS_LEAST = 1000000, /* ns: what is shorter is no news */
};

struct ts_long_step {
	int64_t step, begin, end; /* ns of ts_tick_ns; from the end of the step before */
};

struct ts_waits {
	int fd; /* ts_cpu_open; -1: nothing is known */
	pthread_t thread;
	_Atomic bool others; /* another thread makes steps */

	/* of the thread of the steps */
	int64_t usual; /* ns of a step */
	struct ts_long_step ring[TS_WAITS_LONG];
	_Atomic uint32_t put;

	/* of the keeper */
	_Atomic uint32_t taken;
	int64_t at;	/* its last turn */
	int64_t waited; /* in all, until then */
	int64_t held;	/* of it, not given to a step yet: it belongs to ... */
	int64_t held_by; /* ... the step that was open then, TSCOPE_NEXT before the first */
};

typedef void ts_waits_give(void *arg, int64_t step, int64_t waited_ns);

/* For the calling thread. */
void ts_waits_begin(struct ts_waits *w, int64_t now);
void ts_waits_end(struct ts_waits *w);
/* The keeper; `step` is the one that is open at this moment, or was last. */
void ts_waits_turn(struct ts_waits *w, int64_t now, int64_t step, ts_waits_give *give, void *arg);

/* The thread of the steps: one ended. A long one takes at least twice as long as is usual. */
static inline void ts_waits_step(struct ts_waits *w, int64_t step, int64_t begin, int64_t end)
{
	int64_t took = end - begin, over = took - w->usual;
	bool is_long = w->usual && over > w->usual && took >= TS_WAITS_LEAST;
	uint32_t put = atomic_load_explicit(&w->put, memory_order_relaxed);

	if (!pthread_equal(w->thread, pthread_self()))
		atomic_store_explicit(&w->others, true, memory_order_relaxed);
	w->usual = !w->usual ? took : over < 0 ? w->usual + over / 4 : w->usual + (is_long ? w->usual : over) / 16;
	if (!is_long || put - atomic_load_explicit(&w->taken, memory_order_acquire) >= TS_WAITS_LONG)
		return;
	w->ring[put % TS_WAITS_LONG] = (struct ts_long_step){step, begin, end};
	atomic_store_explicit(&w->put, put + 1, memory_order_release);
}

#endif
