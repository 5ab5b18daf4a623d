/* trace_steps.h - the steps of a training that a trace marks: its annotations ProfilerStep#N. */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_TRACE_STEPS_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_TRACE_STEPS_H

#include "base/arena.h"
#include "run/trace.h"

struct ts_trace_step {
	int64_t number;	  /* N */
	int64_t start_ns; /* on the host */
	uint32_t row;	  /* of spans: the annotation */
};

/* Whether an annotation of this name marks a step, whatever stands behind its '#'. */
bool ts_is_step(struct ts_span name);
/* How many steps have a number. */
size_t ts_trace_steps_count(const struct ts_trace *trace);
/* The steps that have a number, by begin, in the arena. */
enum ts_status ts_trace_steps(const struct ts_trace *trace, struct ts_arena *arena, struct ts_trace_step **ret, size_t *ret_n,
			      struct ts_error *err);

#endif
