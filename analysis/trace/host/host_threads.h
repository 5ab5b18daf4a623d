/* host_threads.h - what each thread of the host is for, and the names of its functions without what differs from call to call.
 *
 *	main		has an annotation ProfilerStep#N; in a trace without any, the one thread with the most marks of optimizers and
 *			loaders (Optimizer., enumerate(Data); without those, with the most Python functions; without those, the thread
 *			that is not backward with the most operators and calls
 *	backward	another thread that has operators named autograd::engine::evaluate_function..., or with a forward thread
 *	other		any other thread that has spans of the host
 *
 * A built-in method says the address of its object ("<built-in method item of Tensor object at 0x7cc4c7>"): what is said by name is
 * said without the address.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_HOST_THREADS_H
#define TSCOPE_ANALYSIS_TRACE_HOST_HOST_THREADS_H

#include "base/arena.h"
#include "run/trace.h"

enum ts_host_thread_kind { TS_HOST_MAIN, TS_HOST_BACKWARD, TS_HOST_OTHER, TS_HOST_THREAD_KINDS };

const char *ts_host_thread_word(enum ts_host_thread_kind kind);

struct ts_host_names {
	uint8_t *kinds;	       /* of each thread; TS_HOST_THREAD_KINDS: it has no spans of the host */
	uint32_t *same;	       /* of each name, the one that stands for it and all that differ by addresses alone */
	struct ts_span *texts; /* of a name that stands for others */
};

/* Everything lies in the arena but texts without an address, which are the trace's. */
enum ts_status ts_host_names(const struct ts_trace *trace, struct ts_arena *arena, struct ts_host_names *ret, struct ts_error *err);

#endif
