/* quality_parts.h - one function a file; quality.c runs them in this order. */
#ifndef TSCOPE_TESTS_QUALITY_QUALITY_PARTS_H
#define TSCOPE_TESTS_QUALITY_QUALITY_PARTS_H

#include "quality.h"

#define QUALITY_PARTS(X)                                                                                                               \
	X(quality_timing) X(quality_between) X(quality_patterns) X(quality_slow) X(quality_levels) X(quality_memory) \
	X(quality_convergence) X(quality_ranks) X(quality_efficiency) X(quality_bound) X(quality_advice) \
	X(quality_findings) X(quality_divergence) X(quality_repeats) X(quality_resume) X(quality_reduction) \
	X(quality_outcomes) X(quality_sketch) X(quality_gate) X(quality_gate_days) X(quality_gate_bursts) \
	X(quality_gate_steps) X(quality_trend) X(quality_traces) X(quality_trace) X(quality_moves) \
	X(quality_replicas) X(quality_silent) X(quality_names) X(quality_gate_series) X(quality_one_sided) \
	X(quality_machine) X(quality_why) X(quality_bisect) X(quality_losses) X(quality_repro) X(quality_settings)

#define QUALITY_DECLARE(name) void name(struct quality *q);
QUALITY_PARTS(QUALITY_DECLARE)

#endif
