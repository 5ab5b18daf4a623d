/* host_steps.h - what the host did during each step, on the thread of the step's annotation; and on the main thread over the whole
 * trace.
 *
 * At each moment the innermost span that is open, the last that began, says what the thread did; annotations but those of data
 * loaders are marks, and say nothing. The parts of a row add up to its wall time, to the nanosecond:
 *
 *	loading		within an annotation of a data loader ("enumerate(DataLoader)#...__next__")
 *	waits		within a call that waits for a device (host_waits.h)
 *	calls		in any other call of the runtime
 *	operators	in an operator
 *	backward	in a Python function, or in nothing, while an operator or a call of a backward thread is open: it waits for
 *			that thread
 *	python		in a Python function otherwise
 *	nothing		in nothing that was recorded
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_HOST_STEPS_H
#define TSCOPE_ANALYSIS_TRACE_HOST_HOST_STEPS_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/host/host_threads.h"

enum ts_host_part {
	TS_HOST_LOADING,
	TS_HOST_WAITS,
	TS_HOST_CALLS,
	TS_HOST_OPERATORS,
	TS_HOST_BACKWARD_PASS,
	TS_HOST_PYTHON,
	TS_HOST_NOTHING,
	TS_HOST_PARTS,
};

struct ts_host_step {
	int64_t number;	 /* of ProfilerStep#N */
	uint32_t thread; /* of the trace */
	int64_t begin_ns;
	uint64_t wall_ns;
	uint64_t parts[TS_HOST_PARTS];
};

struct ts_host_steps {
	struct ts_host_step all;    /* the first main thread, from its first begin to its last end; wall_ns 0: the trace has none */
	struct ts_host_step *items; /* by time */
	size_t n;
};

/* Whether an annotation or operator of this name is that of a data loader. */
bool ts_is_data_loader(struct ts_span name);
const char *ts_host_part_word(enum ts_host_part part);

/* waiting: of each span, as host_waits.h has it. Everything lies in the arena. */
enum ts_status ts_host_steps(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			     const struct ts_timelines *lines, const bool *waiting, struct ts_arena *arena, struct ts_host_steps *ret,
			     struct ts_error *err);

#endif
