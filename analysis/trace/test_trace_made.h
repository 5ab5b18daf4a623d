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
void made_finish(struct made *m);

#endif
