/* test_trace_made.h - traces that tests make event by event. */
#ifndef TSCOPE_ANALYSIS_TRACE_TEST_TRACE_MADE_H
#define TSCOPE_ANALYSIS_TRACE_TEST_TRACE_MADE_H

#include "base/arena.h"
#include "run/trace.h"

enum { NAME_NONE, NAME_GEMM, NAME_ALL_REDUCE, NAME_ALL_GATHER, NAME_STEP_1, NAME_STEP_2, NAMES, NAMES_MAX = 64, THREADS = 8 };

struct made {
	struct ts_trace trace;
	struct ts_trace_rows one;
	struct ts_span names[NAMES_MAX];
	struct ts_trace_thread threads[THREADS];
	struct ts_arena arena;
	struct ts_error err;
};

void made_begin(struct made *m);
/* stream: device * 10 + stream. */
void made_add(struct made *m, enum ts_trace_kind kind, uint32_t name, int32_t stream, int64_t start, int64_t end, int64_t correlation);
/* The number of a name, which is a new one at its first use. */
uint32_t made_name(struct made *m, const char *name);
/* A span of a thread of the host. */
void made_host(struct made *m, enum ts_trace_kind kind, const char *name, uint32_t thread, int64_t start, int64_t end);
/* An operator with a call stack. */
void made_stack(struct made *m, const char *name, uint32_t thread, int64_t start, int64_t end, const char *stack);
/* A call of thread 0, and the event of a device that it launched. */
void made_launch(struct made *m, enum ts_trace_kind kind, const char *name, int32_t stream, int64_t call, int64_t start, int64_t end);
/* The same with a call of this length. */
void made_call(struct made *m, enum ts_trace_kind kind, const char *name, int32_t stream, int64_t call, int64_t called, int64_t start,
	       int64_t end);
/* What an operator says: sequence and forward_thread may be TS_TRACE_NONE, texts "". */
void made_operator(struct made *m, const char *name, uint32_t thread, int64_t start, int64_t end, int64_t sequence,
		   int64_t forward_thread);
/* Of the last span that was made: its shapes, and as an operator its types and inputs. */
void made_arguments(struct made *m, const char *shapes, const char *types, const char *inputs);
/* Of the last span that was made, as a kernel. */
void made_kernel(struct made *m, const char *grid, double occupancy, double warps, int64_t graph);
/* Of the last span that was made, as a kernel of a graph: its node. */
void made_node(struct made *m, int64_t node);
/* Of the last span that was made, as a call: the kernel that it launches. */
void made_launches(struct made *m, const char *kernel);
/* An arrow of the category "fwdbwd" between threads. */
void made_arrow(struct made *m, int64_t id, uint32_t from, int64_t from_ns, uint32_t to, int64_t to_ns);
void made_finish(struct made *m);

#endif
