/* trace_steps.h - the steps that a trace marks: of a training its annotations ProfilerStep#N, of a server the iterations of its engine.
 *
 * Of these annotations one kind marks the steps of a trace, the first that is there:
 *
 *	named		those that begin with ts_trace.step_name, where somebody said it (--step-name)
 *	profiler	ProfilerStep#N
 *	execute		"execute_32_context_0(...)_generation_32(...)" of vLLM and SGLang's tools, "execute_diffusion_1_256x256" of xDiT
 *	server		"step[DECODE bs=32]" of SGLang
 *
 * but where more iterations than steps of the profiler are marked, as where a profiler records one long step of a server, they are the
 * steps. What has no number of its own is numbered from 0, by begin. Names with a number behind the name that was said have that.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_TRACE_STEPS_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_TRACE_STEPS_H

#include "base/arena.h"
#include "run/trace.h"

enum ts_step_kind { TS_STEPS_PROFILER, TS_STEPS_EXECUTE, TS_STEPS_SERVER, TS_STEPS_NAMED, TS_STEP_KINDS };

/* What marks the steps of a trace. Texts are the trace's. */
struct ts_step_mark {
	enum ts_step_kind kind;
	struct ts_span name; /* of NAMED: how the annotations begin */
};

/* Of a trace without marks PROFILER. Linear. */
struct ts_step_mark ts_step_mark(const struct ts_trace *trace);
/* Whether an annotation of this name marks a step, whatever stands behind its '#'. */
bool ts_is_step(const struct ts_step_mark *mark, struct ts_span name);

enum ts_step_phase { TS_STEP_UNSAID, TS_STEP_PREFILL, TS_STEP_DECODE, TS_STEP_MIXED, TS_STEP_PHASES };

/* "prefill"; of UNSAID "unknown". */
const char *ts_step_phase_word(enum ts_step_phase phase);

/* What the name of an iteration says of it. */
struct ts_step_said {
	enum ts_step_phase phase;
	bool has_requests, has_tokens;
	uint64_t requests, tokens; /* of the batch; tokens that are computed in the iteration */
};

struct ts_step_said ts_step_said(struct ts_span name);

struct ts_trace_step {
	int64_t number;	  /* N */
	int64_t start_ns; /* on the host */
	uint32_t row;	  /* of spans: the annotation */
};

/* How many steps have a number. */
size_t ts_trace_steps_count(const struct ts_trace *trace);
/* The steps that have a number, by begin, in the arena. */
enum ts_status ts_trace_steps(const struct ts_trace *trace, struct ts_arena *arena, struct ts_trace_step **ret, size_t *ret_n,
			      struct ts_error *err);

#endif
