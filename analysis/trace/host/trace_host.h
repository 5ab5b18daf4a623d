/* trace_host.h - what a trace says of the host: what it launched, how it waited, and where its time went. A part of trace_answer.h. */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_TRACE_HOST_H
#define TSCOPE_ANALYSIS_TRACE_HOST_TRACE_HOST_H

#include "analysis/trace/host/host_steps.h"
#include "analysis/trace/host/host_sums.h"
#include "analysis/trace/host/host_waits.h"
#include "analysis/trace/host/launch_rows.h"

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
