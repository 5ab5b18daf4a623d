/* host_sums.h - what operators and Python functions took by name, on each kind of thread, and what each thread did.
 *
 *	self	of a span, the time that none of the spans covers whose parent it is (nest.h), on its own thread
 *	total	of a name, the durations of its spans without those that stand within another of the same name, so that recursion
 *		counts once
 *
 * Names are those of host_threads.h: without addresses.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_HOST_SUMS_H
#define TSCOPE_ANALYSIS_TRACE_HOST_HOST_SUMS_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/host/host_threads.h"

struct ts_host_sum {
	struct ts_span name;
	enum ts_host_thread_kind on;
	uint64_t count, self_ns, total_ns, longest_ns;
};

struct ts_host_thread {
	uint32_t thread; /* of the trace */
	int64_t id;	 /* its tid, where that is a number, else TS_TRACE_NONE */
	enum ts_host_thread_kind kind;
	uint64_t spans; /* operators, Python functions, calls and annotations */
	int64_t begin_ns, end_ns;
	uint64_t operator_ns, python_ns, call_ns; /* self times */
};

struct ts_host_sums {
	struct ts_host_sum *operators, *python; /* by kind of thread, those of the greatest self time first */
	size_t n_operators, n_python;
	struct ts_host_thread *threads; /* by kind, the one with the most spans first */
	size_t n_threads;
};

/* Everything lies in the arena but texts, which are those of names. */
enum ts_status ts_host_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			    struct ts_arena *arena, struct ts_host_sums *ret, struct ts_error *err);

#endif
