/* path_what.h - what a stretch of a critical path is: the work of a device by category, what the host did, or why nothing ran.
 *
 * The first are the categories of kernel_sums.h, the next the kinds of collectives; a kernel of communication is the latter alone.
 * Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_PATH_PATH_WHAT_H
#define TSCOPE_ANALYSIS_TRACE_PATH_PATH_WHAT_H

#include "analysis/trace/device/kernel_sums.h"

enum {
	TS_PATH_COLLECTIVES = TS_SUM_CATEGORIES,
	TS_PATH_LAUNCH = TS_PATH_COLLECTIVES + TS_COLLECTIVES, /* from a call to the begin of its work, for which nothing else waited */
	TS_PATH_STREAM_ORDER, /* from the end of work to the begin of the next on its stream, which was queued */
	TS_PATH_STREAM_WAIT,  /* from the end of work to the begin of what waited for it on another stream */
	TS_PATH_RETURN,	      /* from the end of work to the end of the call that waited for it */
	TS_PATH_OPERATOR,     /* self time of operators: no other span was inside */
	TS_PATH_PYTHON,	      /* self time of Python functions */
	TS_PATH_LAUNCH_CALL,  /* calls that put work on a stream */
	TS_PATH_MEMORY_CALL,  /* calls that take or give back memory */
	TS_PATH_CALL,	      /* other calls of CUDA, HIP and their drivers */
	TS_PATH_THREADS,      /* between the forward thread and the backward thread */
	TS_PATH_UNSAID,	      /* a thread of the host, where the trace has an annotation or nothing */
	TS_PATH_OTHER_SPAN,   /* a span of a category that tscope does not know */
	TS_PATH_DATA,	      /* waiting for the data loader */
	TS_PATH_WAIT,	      /* a call that waits, where the trace does not say for what */
	TS_PATH_UNKNOWN,      /* before the first thing that is known to have led here */
	TS_PATH_WHATS,
};

enum ts_path_group {
	TS_PATH_OF_COMPUTATION,
	TS_PATH_OF_COMMUNICATION,
	TS_PATH_OF_COPIES,
	TS_PATH_OF_LAUNCH,
	TS_PATH_OF_QUEUE,
	TS_PATH_OF_HOST,
	TS_PATH_OF_DATA,
	TS_PATH_OF_WAIT,
	TS_PATH_OF_UNKNOWN,
	TS_PATH_GROUPS,
};

/* What calls of the runtime do, by their name. */
enum ts_path_call {
	TS_PATH_CALL_OTHER,
	TS_PATH_CALL_LAUNCH,
	TS_PATH_CALL_MEMORY,
	TS_PATH_CALL_COPY, /* a copy that returns when it is done */
	TS_PATH_CALL_WAIT_DEVICE,
	TS_PATH_CALL_WAIT_STREAM,
	TS_PATH_CALL_WAIT_EVENT,
};

enum ts_path_call ts_path_call(struct ts_span name);
bool ts_path_is_data(struct ts_span name);
enum ts_path_group ts_path_group(uint32_t what);
/* "gemm", "all_reduce", "launch"; "computation". */
const char *ts_path_what_word(uint32_t what);
const char *ts_path_group_word(enum ts_path_group group);

#endif
