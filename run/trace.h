/* trace.h - a profiler's trace as columns: what ran on the host and on devices, when, and for how long.
 *
 * The tables are spans (something lasted), flows (an arrow between spans), allocations (the allocator's instants) and counters, and
 * what only some spans say: operators, frames (Python functions), kernels, collectives and syncs, each row of which names its span. A
 * table is a set of columns of the same length; row i of each belongs together. Names, categories, shapes and the like are numbers
 * into `names`, where 0 is the empty text and stands for "not said". Threads are numbers into `threads`. Rows have the order of the
 * source, in which times go back; the column `span` increases, and no span has two rows of a table.
 *
 * Times are nanoseconds, as the source wrote them; of a source with a base, that of `about` is to be added for the time since 1970.
 * What was not said is TS_TRACE_NONE, in the columns of 32 bits TS_TRACE_NO_DEVICE: 0 is a valid stream, correlation and device.
 *
 *	struct ts_trace trace = {0};
 *	ts_trace_append(&trace, &rows, err)		as often as the reader has rows
 *	ts_trace_finish(&trace)
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_RUN_TRACE_H
#define TSCOPE_RUN_TRACE_H

#include "base/error.h"
#include "base/span.h"

#include <stdint.h>

#define TS_TRACE_NONE INT64_MIN
#define TS_TRACE_NO_DEVICE INT32_MIN

/* What a span is. Those from KERNEL to FILL are the work of devices; everything that is counted as work of a device is one of them. */
enum ts_trace_kind {
	TS_TRACE_OTHER, /* of a category that this table does not have; the column category has its name */
	TS_TRACE_OPERATOR,
	TS_TRACE_PYTHON,
	TS_TRACE_ANNOTATION,	    /* ProfilerStep#N, and what the training marked */
	TS_TRACE_RUNTIME,	    /* a call of CUDA, HIP or another platform, or of its driver */
	TS_TRACE_OVERHEAD,	    /* of the profiler */
	TS_TRACE_WINDOW,	    /* the time in which the profiler recorded */
	TS_TRACE_SYNC,		    /* a wait of a stream or a device, as the device's driver saw it */
	TS_TRACE_DEVICE_ANNOTATION, /* an annotation over the kernels that it launched, or a critical path: a view of them, no work */
	TS_TRACE_KERNEL,
	TS_TRACE_COPY,
	TS_TRACE_FILL, /* memset */
	TS_TRACE_KINDS,
};

static inline bool ts_trace_on_device(uint8_t kind)
{
	return kind >= TS_TRACE_KERNEL && kind <= TS_TRACE_FILL;
}

/* A number of `names`, of `threads`, of a row of `spans`: all the same to the compiler, but not to what stores columns. */
typedef uint32_t ts_trace_name_no;
typedef uint32_t ts_trace_thread_no;
typedef uint32_t ts_trace_span_no;

/* The columns of each table: type, name. */
#define TS_TRACE_SPAN_COLUMNS(X)                                                                                                       \
	X(int64_t, start_ns)                                                                                                           \
	X(int64_t, duration_ns)                                                                                                        \
	X(int64_t, correlation) /* what a runtime call and the work that it launched share */                                          \
	X(int64_t, external)	/* "External id": the operator that launched it, where the writer says so */                           \
	X(int64_t, bytes)	/* of a copy or a fill */                                                                              \
	X(ts_trace_name_no, name)                                                                                                      \
	X(ts_trace_thread_no, thread)                                                                                                  \
	X(ts_trace_name_no, category)	/* of OTHER alone */                                                                           \
	X(ts_trace_name_no, shapes)	/* "Input Dims" of an operator, as JSON without spaces */                                      \
	X(ts_trace_name_no, collective) /* "Collective name" */                                                                        \
	X(ts_trace_name_no, group)	/* "Process Group Name" */                                                                     \
	X(int32_t, device)                                                                                                             \
	X(int32_t, stream)                                                                                                             \
	X(uint8_t, kind)
#define TS_TRACE_FLOW_COLUMNS(X)                                                                                                       \
	X(int64_t, time_ns)                                                                                                            \
	X(int64_t, id)                                                                                                                 \
	X(ts_trace_name_no, category)                                                                                                  \
	X(ts_trace_thread_no, thread)                                                                                                  \
	X(uint8_t, end) /* 1: the arrow's head */
#define TS_TRACE_ALLOCATION_COLUMNS(X)                                                                                                 \
	X(int64_t, time_ns)                                                                                                            \
	X(int64_t, address)                                                                                                            \
	X(int64_t, bytes) /* below 0: freed */                                                                                         \
	X(int64_t, allocated)                                                                                                          \
	X(int64_t, reserved)                                                                                                           \
	X(ts_trace_thread_no, thread)                                                                                                  \
	X(int32_t, device_type) /* 0: the host's memory */                                                                             \
	X(int32_t, device)
#define TS_TRACE_COUNTER_COLUMNS(X)                                                                                                    \
	X(int64_t, time_ns)                                                                                                            \
	X(double, value)                                                                                                               \
	X(ts_trace_name_no, name)                                                                                                      \
	X(ts_trace_name_no, series)                                                                                                    \
	X(ts_trace_thread_no, thread)
/* What an operator says beside its span. Shapes are of spans, because kernels of some versions have them, too. */
#define TS_TRACE_OPERATOR_COLUMNS(X)                                                                                                   \
	X(ts_trace_span_no, span)                                                                                                      \
	X(int64_t, sequence)	    /* "Sequence number": of a forward operator and the backward ones that it led to */                \
	X(int64_t, forward_thread)  /* "Fwd thread id" of a backward operator; 0 of a forward one */                                   \
	X(ts_trace_name_no, stack)  /* "Call stack": frames with ';' between them, the innermost first */                              \
	X(ts_trace_name_no, module) /* "Module Hierarchy" */                                                                           \
	X(ts_trace_name_no, types)  /* "Input type", as JSON without spaces */                                                         \
	X(ts_trace_name_no, inputs) /* "Concrete Inputs", as JSON without spaces */
/* A Python function. */
#define TS_TRACE_FRAME_COLUMNS(X)                                                                                                      \
	X(ts_trace_span_no, span)                                                                                                      \
	X(int64_t, id)	   /* "Python id" */                                                                                           \
	X(int64_t, parent) /* "Python parent id" */                                                                                    \
	X(int64_t, module) /* "Python module id" */
/* Of kernels; of a call of ROCm, which says the same words of what it launches, the name alone. Operators that use them have no row. */
#define TS_TRACE_KERNEL_COLUMNS(X)                                                                                                     \
	X(ts_trace_span_no, span)                                                                                                      \
	X(ts_trace_name_no, grid)  /* "[32,1,1]" */                                                                                    \
	X(ts_trace_name_no, block) /* "[256,1,1]" */                                                                                   \
	X(double, occupancy)	   /* "est. achieved occupancy %": percent; NaN: not said */                                           \
	X(double, warps)	   /* "warps per SM"; NaN: not said */                                                                 \
	X(int64_t, registers)                                                                                                          \
	X(int64_t, shared_bytes)                                                                                                       \
	X(int64_t, graph) /* "graph id": it ran as a part of a CUDA graph */                                                           \
	X(int64_t, node)  /* "graph node id" */                                                                                        \
	X(ts_trace_name_no, name) /* of a call: "kernel", which it launches */
/* What PyTorch says of a collective: of the kernel, and of the operator record_param_comms. */
#define TS_TRACE_COLLECTIVE_COLUMNS(X)                                                                                                 \
	X(ts_trace_span_no, span)                                                                                                      \
	X(int64_t, elements_in)	 /* "In msg nelems" */                                                                                 \
	X(int64_t, elements_out) /* "Out msg nelems" */                                                                                \
	X(int64_t, group_size)                                                                                                         \
	X(int64_t, sequence)	   /* "Seq" of the group */                                                                            \
	X(int64_t, rank)	   /* "Rank", of the operator alone: the root among the ranks of the group, if there is one */         \
	X(int64_t, source)	   /* "Src Rank" of a receive, of the world */                                                         \
	X(int64_t, destination)	   /* "Dst Rank" of a send, of the world */                                                            \
	X(ts_trace_name_no, type)  /* "dtype" */                                                                                       \
	X(ts_trace_name_no, ranks) /* "Process Group Ranks": "[0, 1]"; long ones have "..." */                                         \
	X(ts_trace_name_no, about) /* "Process Group Description" */
/* A wait that the device's driver saw. */
#define TS_TRACE_SYNC_COLUMNS(X)                                                                                                       \
	X(ts_trace_span_no, span)                                                                                                      \
	X(ts_trace_name_no, what) /* "cuda_sync_kind" */                                                                               \
	X(int64_t, on_stream)	  /* "wait_on_stream" */                                                                               \
	X(int64_t, event)	  /* "wait_on_cuda_event_id" */                                                                        \
	X(int64_t, recorded_by)	  /* "wait_on_cuda_event_record_corr_id": the correlation of the call that recorded the event */
/* The tables: name of the struct, member, columns; those that name spans. */
#define TS_TRACE_TABLES(X)                                                                                                             \
	X(ts_trace_spans, spans, TS_TRACE_SPAN_COLUMNS)                                                                                \
	X(ts_trace_flows, flows, TS_TRACE_FLOW_COLUMNS)                                                                                \
	X(ts_trace_allocations, allocations, TS_TRACE_ALLOCATION_COLUMNS)                                                              \
	X(ts_trace_counters, counters, TS_TRACE_COUNTER_COLUMNS)                                                                       \
	TS_TRACE_DETAIL_TABLES(X)
#define TS_TRACE_DETAIL_TABLES(X)                                                                                                      \
	X(ts_trace_operators, operators, TS_TRACE_OPERATOR_COLUMNS)                                                                    \
	X(ts_trace_frames, frames, TS_TRACE_FRAME_COLUMNS)                                                                             \
	X(ts_trace_kernels, kernels, TS_TRACE_KERNEL_COLUMNS)                                                                          \
	X(ts_trace_collectives, collectives, TS_TRACE_COLLECTIVE_COLUMNS)                                                              \
	X(ts_trace_syncs, syncs, TS_TRACE_SYNC_COLUMNS)

#define TS_TRACE_MEMBER(type, column) type *column;
#define TS_TRACE_TABLE(table, member, columns)                                                                                         \
	struct table {                                                                                                                 \
		size_t n, cap;                                                                                                         \
		columns(TS_TRACE_MEMBER)                                                                                               \
	};
TS_TRACE_TABLES(TS_TRACE_TABLE)
#undef TS_TRACE_TABLE
#undef TS_TRACE_MEMBER

/* `span` of rows that are given on counts from the first span given on with them; ts_trace_append makes it that of the whole. */
#define TS_TRACE_ROWS_MEMBER(table, member, columns) struct table member;
struct ts_trace_rows {
	TS_TRACE_TABLES(TS_TRACE_ROWS_MEMBER)
};
#undef TS_TRACE_ROWS_MEMBER

/* The row of a table that is of this span, by its column `span`; SIZE_MAX: none. */
size_t ts_trace_detail(const uint32_t *spans, size_t n, uint32_t span);

/* Where something ran: a thread of a process, or what stands for a stream of a device. An id is a number, or a text ("Spans",
 * "stream 7"), whose number of a name is then not 0. */
struct ts_trace_thread {
	int64_t pid, tid;
	uint32_t pid_text, tid_text;
	uint32_t process, thread, label; /* process_name, thread_name, process_labels; names */
};

struct ts_trace_device {
	int64_t id;
	struct ts_span name; /* "Tesla V100-SXM2-32GB"; empty on some drivers */
	int64_t memory_bytes;
	int64_t multiprocessors;
};

/* What the trace says of itself. Numbers that are not said are TS_TRACE_NONE. */
struct ts_trace_about {
	int64_t schema;
	int64_t base_ns; /* baseTimeNanoseconds; 0 where times are since 1970 already */
	int64_t rank, world_size;
	struct ts_span backend;	   /* "nccl" */
	struct ts_span trace_name; /* the path that the writer gave it */
	struct ts_span trace_id;
	struct ts_trace_device *devices;
	size_t n_devices;
	struct ts_trace_said { /* the other members of the envelope: versions, options, pg_config, log lines; as JSON */
		struct ts_span key, json;
	} * said;
	size_t n_said;
};

/* What analysis/trace/device/trace_warmup.h left out of the rows; all 0 of a trace as it was read. */
struct ts_trace_warmup {
	bool given;	/* somebody said how many steps, if only 0 */
	uint64_t steps; /* left out: the first ones */
	uint64_t marked; /* the trace had so many */
	uint64_t events; /* left out with them: work of devices */
	int64_t done_ns; /* when devices were through with what those steps had launched; valid if steps > 0 */
};

struct ts_kernel_told;

struct ts_trace {
	struct ts_trace_rows rows;
	const struct ts_span *names;
	size_t n_names;
	const struct ts_trace_thread *threads;
	size_t n_threads;
	struct ts_trace_about about;
	bool cut; /* the file ended too early, so that rows of any kind may be missing */
	struct ts_trace_warmup warmup;
	struct ts_span step_name; /* annotations that begin so mark steps (trace_steps.h); empty: nobody said it */
	const struct ts_kernel_told *kernels; /* what the kernels of each name are (kernel_table.h); NULL: nobody asked */
};

/* What the reader of a file left out, mended or doubts (docs/trace.md). */
struct ts_trace_notice {
	const char *code;
	bool skipped;
	uint64_t count;
	struct ts_span detail; /* of the first case */
};

/* What reading the file found beside its columns. */
struct ts_trace_record {
	uint64_t events; /* in the list, whatever became of them */
	uint64_t bytes;	 /* of JSON */
	bool cut;	 /* the file ends too early */
	struct ts_trace_notice *notices;
	size_t n_notices;
};

/* Gives each column of each table room for so many rows; TS_NO_MEMORY. */
enum ts_status ts_trace_rows_reserve(struct ts_trace_rows *rows, size_t each, struct ts_error *err);
void ts_trace_rows_finish(struct ts_trace_rows *rows);
/* Sets the number of rows of each table to 0. */
void ts_trace_rows_clear(struct ts_trace_rows *rows);

/* The most rows of one table that ts_trace_append gathers, and the most bytes of all columns together: room for as many Python
 * functions. A trace of an hour with all of them has fewer; a file of a few MB that unpacks to more is no trace. */
#define TS_TRACE_ROWS_MAX (UINT64_C(1) << 25)
#define TS_TRACE_BYTES_MAX (UINT64_C(4) << 30)

/* What the columns take, with the room in them for more rows. */
uint64_t ts_trace_rows_bytes(const struct ts_trace_rows *rows);
/* Copies rows behind those of trace. TS_NO_MEMORY, or TS_TOO_LARGE: trace has all its old rows, and of some tables the new ones. */
enum ts_status ts_trace_append(struct ts_trace *trace, const struct ts_trace_rows *rows, struct ts_error *err);
/* Holds a trace to what is promised of its columns: numbers of names, threads and spans that are there, `span` that increases, kinds
 * that this version knows, times and ends that fit 64 bits. TS_DAMAGED. */
enum ts_status ts_trace_check(const struct ts_trace *trace, struct ts_error *err);
/* The same without a word of why, for doors (base/door.h). */
bool ts_trace_holds(const struct ts_trace *trace);
/* Frees the rows; names, threads and about belong to whoever read them. */
void ts_trace_finish(struct ts_trace *trace);

#endif
