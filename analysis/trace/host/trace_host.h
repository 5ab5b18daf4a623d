/* trace_host.h - what a trace says of the host: what it launched, how it waited, and where its time went. A part of trace_answer.h. */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_TRACE_HOST_H
#define TSCOPE_ANALYSIS_TRACE_HOST_TRACE_HOST_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/host/longest.h"
#include "base/arena.h"
#include "run/trace.h"

/* --- host_threads.c ---
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

enum ts_host_thread_kind { TS_HOST_MAIN, TS_HOST_BACKWARD, TS_HOST_OTHER, TS_HOST_THREAD_KINDS };

const char *ts_host_thread_word(enum ts_host_thread_kind kind);

struct ts_host_names {
	uint8_t *kinds;	       /* of each thread; TS_HOST_THREAD_KINDS: it has no spans of the host */
	uint32_t *same;	       /* of each name, the one that stands for it and all that differ by addresses alone */
	struct ts_span *texts; /* of a name that stands for others */
};

/* Everything lies in the arena but texts without an address, which are the trace's. */
enum ts_status ts_host_names(const struct ts_trace *trace, struct ts_arena *arena, struct ts_host_names *ret, struct ts_error *err);

/* --- launch_rows.c ---
 *
 * The population are the events whose launching call the trace has; the others are in `events` alone.
 *
 *	delay	begin of the event less the end of its call. It is below 0 where the event began before the call returned, which is
 *		frequent; HTA counts such a delay as 0, and so do `delay` and `sum_ns` here, but `unclipped` does not. Of several
 *		events of one call, which a CUDA graph makes, only the one that began first has a delay (of those that began at once,
 *		that of the lowest device and stream): the others waited for it, not for the host.
 *	quantile	the least value that is not below the given share of all (nearest rank): always one that occurred
 *	long		delays above 100 us, calls above 50 us, kernels that are shorter than their call on the host: the bounds of
 *			HTA
 *	queued		an event from the begin of its call to its own begin: +1 at the launch, -1 at the begin, as HTA's queue length
 *	outstanding	the same to its end
 *	full		from 1,024 on, as HTA has it. Devices are found to hold calls from some fewer on: what calls took that began
 *			with 1,000 and more queued is measured beside
 *	window		from the first begin of a call or event to the last end of an event; times of depth are parts of it
 *
 * An event that began before its call did, which clocks that disagree make, is never queued, and counted in `before_call`.
 */

enum { TS_LAUNCH_LONG_NS = 100000, TS_CALL_LONG_NS = 50000, TS_QUEUE_FULL = 1024, TS_QUEUE_NEARLY_FULL = 1000 };

struct ts_launch_times {
	int64_t least_ns, median_ns, p95_ns, most_ns;
};

struct ts_queue {
	uint64_t most;
	uint64_t sum_ns;   /* depth x time: by the window it is the mean */
	uint64_t empty_ns; /* at depth 0 */
	uint64_t full_ns;  /* at TS_QUEUE_FULL and more */
};

struct ts_launch_row {
	int32_t device, stream; /* stream: TS_TRACE_NO_DEVICE of the whole device, and if not known */
	bool all_streams;
	uint64_t events, launched, before_call;
	uint64_t delays; /* calls that launched: what follows is of them, and valid if there are any */
	struct ts_launch_times delay, unclipped;
	uint64_t sum_ns;
	uint64_t early; /* delays below 0 */
	uint64_t long_delays, long_calls, short_kernels;
	uint64_t window_ns;
	struct ts_queue queued, outstanding;
	uint64_t calls_ns;		    /* how long the calls took */
	uint64_t full_calls, full_calls_ns; /* those that began with TS_QUEUE_NEARLY_FULL and more queued: a full queue holds them */
};

/* A row for each device, and behind it one for each of its streams. They lie in the arena. */
enum ts_status ts_launch_rows(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			      struct ts_launch_row **ret, size_t *ret_n, struct ts_error *err);

/* --- host_waits.c ---
 *
 * What waits: synchronizations of a device, stream, event or context; synchronous copies; calls that free memory of a device, which
 * waits for it; and, as found, a copy whose call ended after the copy did, though it is called asynchronous, as those from and to
 * memory that is not pinned are. A call within a call that waits is a part of it. Times are sums over all threads.
 *
 *	outstanding	what devices had to do when the call began: events whose call had begun and that had not ended, and the time
 *			until the last of them ended. An event without its call, or that began before it, counts from its begin on.
 *			What the call launched itself does not
 *	drained		calls at whose end nothing was left of what had been launched until then, if anything had: the device ran dry
 *	idle		what such a call cost the devices at most. They were idle from the end of the last event, or from the begin of
 *			the call if that was later, to the begin of the next event; without the call the host would have gone on
 *			earlier by as long as the call took, and no more. It is the lesser of both, and 0 if nothing was outstanding,
 *			as before a copy that waits for itself alone. Of several calls in one gap the first that had something
 *			outstanding has it. A gap at the end of the trace is none
 *	operator	the innermost one that encloses the call, and the outermost
 *	source		of the Python functions that enclose the call, the innermost one that is not torch's own; where there is none,
 *			the innermost such frame of the call stack of an operator
 */

struct ts_host_wait_sum {
	uint64_t calls, ns, max_ns;
	uint64_t outstanding, outstanding_ns;
	uint64_t drained, idle_ns;
};

struct ts_host_wait {
	struct ts_span call, in_operator, in_outer, source; /* empty: none */
	struct ts_host_wait_sum sum;
};

struct ts_host_waits {
	struct ts_host_wait_sum all;
	struct ts_host_wait *items; /* by call, operators and source; the longest first */
	size_t n;
	struct ts_host_wait_step { /* the calls that began during it, on all threads */
		int64_t number;
		uint64_t calls, ns;
	} * steps; /* one for each of the timelines */
	size_t n_steps;
	const bool *waiting; /* of each span: it waits, or stands within a call that does */
	bool has_sources;    /* the trace has Python functions or call stacks */
	bool has_work;	     /* it has events of devices; else outstanding, drained and idle mean nothing */
	struct ts_longest idle_longest; /* of all.idle_ns, by wait */
};

/* Whether a call of this name waits; copies that are called asynchronous are judged by their time. */
bool ts_call_waits(struct ts_span name);
/* Whether a call of this name sets a device up, which the first calls of a program do: it gets or returns memory, makes a stream, an
 * event or a context, loads a module, or asks what the device is. */
bool ts_call_sets_up(struct ts_span name);
/* Whether a Python function ("torch/nn/modules/module.py(1501): _call_impl") is torch's own, built in, or without a file. */
bool ts_is_torch_frame(struct ts_span name);

/* Everything lies in the arena but texts, which are the trace's. */
enum ts_status ts_host_waits(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines,
			     struct ts_arena *arena, struct ts_host_waits *ret, struct ts_error *err);

/* --- host_steps.c ---
 *
 * At each moment the innermost span that is open, the last that began, says what the thread did; annotations but those of data loaders
 * are marks, and say nothing. The parts of a row add up to its wall time, to the nanosecond:
 *
 *	loading		within an annotation of a data loader ("enumerate(DataLoader)#...__next__")
 *	waits		within a call that waits for a device (host_waits.c)
 *	calls		in any other call of the runtime
 *	operators	in an operator
 *	backward	in a Python function, or in nothing, while an operator or a call of a backward thread is open: it waits for
 *			that thread
 *	python		in a Python function otherwise
 *	nothing		in nothing that was recorded
 */

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

/* waiting: of each span, as host_waits.c has it. Everything lies in the arena. */
enum ts_status ts_host_steps(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			     const struct ts_timelines *lines, const bool *waiting, struct ts_arena *arena, struct ts_host_steps *ret,
			     struct ts_error *err);

/* --- host_sums.c ---
 *
 *	self	of a span, the time that none of the spans covers whose parent it is (nest.h), on its own thread
 *	total	of a name, the durations of its spans without those that stand within another of the same name, so that recursion
 *		counts once
 *
 * Names are those of host_threads.c: without addresses.
 */

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

/* --- idle.c ---
 *
 * The causes of a row add up to its idle time, to the nanosecond.
 *
 * A gap lies between the end of all earlier events and the begin of the next, N. With b, the begin of the call that launched N; where
 * several events begin there at once, of the call that began first, because from then on the host was no longer waited for:
 *
 *	host	the part before b: the stream was empty, and the host had not asked for N yet
 *	launch	if b lies in the gap, the part from b on: what it took from the call to the begin of N
 *	behind	if b lies before the gap, so that N was queued: the part during which other streams of the device were busy. N may have
 *		waited for one of them, for a free processor, or, where that is communication, for another rank
 *	queued	of such a gap, the part during which the whole device was idle: a dependency, a wait of the driver, or the time
 *		from one kernel to the next
 *	unknown	the gap before events whose calls the trace does not have
 *
 * HTA's three causes are of whole gaps: its host_wait is our host + launch, its kernel_wait the short ones among queued.
 */

/* From a call to its work on an idle device a launch takes microseconds. The first work of a name for which that takes a millisecond,
 * most of it within the call, had its module loaded, or the device set up: a first launch. One whose call began before the gap takes
 * all of it. What sets a device up (host_waits.c) takes microseconds, too, but for the first calls. */
#define TS_FIRST_LAUNCH_NS UINT64_C(1000000)

struct ts_idle {
	int32_t device, stream; /* stream: TS_TRACE_NO_DEVICE of the whole device, and if not known */
	bool all_streams;
	uint64_t gaps;
	uint64_t idle_ns, host_ns, launch_ns, behind_ns, queued_ns, unknown_ns;
	uint64_t first_launch_ns, first_queued_ns; /* of launch_ns, and of queued_ns: first launches of TS_FIRST_LAUNCH_NS and more */
	uint64_t loading_ns; /* of host_ns: while some thread of the host was in a data loader (host_steps.c) */
	uint64_t setup_ns;   /* of host_ns: else while one was in a call of TS_FIRST_LAUNCH_NS and more that sets a device up */
	struct ts_longest host_longest, launch_longest, loading_longest; /* of these, by gap, without first launches and setup */
	uint64_t longest_ns;   /* gap */
	int64_t longest_at_ns; /* its begin; valid if there are gaps */
};

/* A row for each device, and behind it one for each of its streams. They lie in the arena. */
enum ts_status ts_idle_rows(const struct ts_trace *trace, struct ts_arena *arena, struct ts_idle **ret, size_t *ret_n,
			    struct ts_error *err);

/* --- trace_host.c --- */

struct ts_trace_host {
	struct ts_launch_row *launches; /* of each device and stream */
	size_t n_launches;
	struct ts_host_waits waits;
	struct ts_host_steps steps;
	struct ts_host_sums sums;
};

/* Everything lies in the arena but texts, which are the trace's. */
enum ts_status ts_trace_host(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines,
			     struct ts_arena *arena, struct ts_trace_host *ret, struct ts_error *err);

#endif
