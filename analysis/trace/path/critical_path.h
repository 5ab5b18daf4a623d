/* critical_path.h - the chain of stretches that a step waited for, and what the step would take if a part of it took no time.
 *
 * The path of a window goes backwards from the last point of the window (path_graph.h): from each point to the one that bound it. Its
 * stretches lie end to end, so their times add up to the window, to the nanosecond. Where nothing is known to have led to a point, the
 * time before it is unknown.
 *
 * A step lasts from the moment when everything of the steps before was done to the moment when everything of its own was: its
 * annotation on the host, and all work of devices that was launched before the next step began. So steps follow each other without a
 * gap, and a host that runs ahead of its devices makes no step shorter. Of a trace with three steps or more the windows are the steps
 * but the first, or but as many as are asked to be left out; of others there is one, from the first point of the recording to the last.
 *
 * "What if" moves every point of the windows as early as its links allow (path_graph.h) when the stretches of some kind take no time
 * and all others take what they took. What was before the first window stays. Without a change every point has to stay where it was
 * recorded, because what no link explains is kept as a fixed delay: the error of the model, which is 0 ns.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_PATH_CRITICAL_PATH_H
#define TSCOPE_ANALYSIS_TRACE_PATH_CRITICAL_PATH_H

#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/device/nest.h"
#include "base/arena.h"
#include "run/trace.h"

/* --- path_what.c ---
 *
 * The first are the categories of kernel_sums.h, the next the kinds of collectives; a kernel of communication is the latter alone.
 * Threads: safe.
 */

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

/* --- critical_path.c --- */

struct ts_path_piece {
	int64_t begin_ns;
	uint64_t ns;
	uint32_t span;	 /* whose; UINT32_MAX: the trace has none there */
	uint32_t thread; /* of the trace, where it is; UINT32_MAX: nowhere */
	uint8_t what;	 /* path_what.c */
};

struct ts_path_row {
	uint32_t what;
	enum ts_path_group group;
	uint64_t ns, count, longest_ns;
};

struct ts_path_window {
	bool is_step;
	int64_t step;
	int64_t begin_ns;
	uint64_t ns;
	uint64_t groups[TS_PATH_GROUPS];
};

/* What takes no time in a "what if". */
enum ts_ideal {
	TS_IDEAL_WHAT,	      /* one kind of stretch */
	TS_IDEAL_GROUP,	      /* a group of them */
	TS_IDEAL_COLLECTIVES, /* each collective takes what the quickest of its kind, size and group in the trace took */
	TS_IDEAL_SHORTER,     /* what was asked */
};

struct ts_what_if {
	enum ts_ideal ideal;
	uint32_t what;		  /* of WHAT */
	enum ts_path_group group; /* of GROUP */
	uint64_t ns, saved_ns;
};

struct ts_critical_path {
	struct ts_path_window *windows; /* by time, end to end; none: the trace has nothing with a time */
	size_t n_windows;
	uint64_t ns; /* of all windows */
	uint64_t groups[TS_PATH_GROUPS];
	enum ts_path_group bound; /* the longest of them */
	struct ts_path_row *rows; /* the longest first */
	size_t n_rows;
	struct ts_path_piece *pieces; /* by time, end to end */
	size_t n_pieces;
	struct ts_path_stretch {
		struct ts_path_piece piece;
		struct ts_span name; /* of its span, the trace's; empty: it has none */
	} * longest;		     /* the longest first */
	size_t n_longest;
	struct ts_what_if *ifs; /* what saves most first */
	size_t n_ifs;
	uint64_t error_ns; /* by how much the windows differ from what was recorded when nothing is changed */
	uint64_t inferred; /* links that only times tell (path_graph.h) */
	uint64_t early;	   /* work that began before its call did, whose launch so is no link */
};

enum { TS_PATH_LONGEST = 10 };

/* What is asked. */
struct ts_path_asked {
	bool has_step; /* of one step alone */
	int64_t step;
	bool has_warmup; /* else the first of three steps and more is left out */
	uint64_t warmup; /* so many are; fewer than there are, if any */
	const uint32_t *shorter; /* spans of work, such as collectives that waited for other ranks, in any order ... */
	const uint64_t *by_ns;	 /* ... and by how much they are to be shorter, for a "what if" SHORTER */
	size_t n_shorter;
};

/* Everything lies in the arena. TS_NOT_FOUND: the trace does not have the step. */
enum ts_status ts_critical_path(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_path_asked *asked,
				struct ts_arena *arena, struct ts_critical_path *ret, struct ts_error *err);

#endif
