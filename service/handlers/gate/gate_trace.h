/* gate_trace.h - why a step became slower, by the traces of a candidate and of a baseline: the first of each that has some.
 *
 * Of the first rank that has a trace in both runs, the first trace of each is compared (analysis/trace/diff/trace_diff.h), and the
 * sentence goes in front of the parts of the step. Traces of more events than TS_SERVED_TRACE_EVENTS are not read here, which the
 * row says.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_GATE_TRACE_H
#define TSCOPE_SERVICE_HANDLERS_GATE_GATE_TRACE_H

#include "analysis/gate/gate.h"
#include "service/handlers/core/read.h"

/* Adds a row to the verdict's why, if it asks for one and both runs have traces. */
enum ts_status ts_gate_trace_why(struct ts_fetch *f, struct ts_verdict *v, struct ts_arena *arena, struct ts_error *err);

#endif
