/* trace_warmup.h - leaves the first steps of a trace out as warm-up: by steps, as ProfilerStep#N marks them, never by a share of the
 * time.
 *
 * What belongs to them goes, so that every figure is of one population, what is left: work of devices that was launched before the
 * first step that is left began (timeline.h), and what the host began before. An operator or a Python function that was still open
 * then, such as the one around the whole training, counts from then on.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_TRACE_WARMUP_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_TRACE_WARMUP_H

#include "base/arena.h"
#include "run/trace.h"

struct ts_warmup_asked {
	bool given;
	uint64_t steps;
};

/* TS_INVALID, with the trace's name, unless a step would be left of it. */
enum ts_status ts_warmup_check(const struct ts_trace *trace, const struct ts_warmup_asked *asked, const char *name,
			       struct ts_error *err);
/* The same of what marks so many steps. */
enum ts_status ts_warmup_check_steps(uint64_t marked, const struct ts_warmup_asked *asked, const char *name, struct ts_error *err);
/* Checks, leaves the rows out and sets io->warmup; does nothing where nothing is asked. The scratch arena is used during the call. */
enum ts_status ts_warmup_leave_out(struct ts_trace *io, const struct ts_warmup_asked *asked, const char *name, struct ts_arena *scratch,
				   struct ts_error *err);

#endif
