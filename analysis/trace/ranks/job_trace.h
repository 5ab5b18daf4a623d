/* job_trace.h - what a job needs of the trace of one of its ranks, so that the columns need not be kept: its times, its steps, its
 * collectives, and when its communication was exposed.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_RANKS_JOB_TRACE_H
#define TSCOPE_ANALYSIS_TRACE_RANKS_JOB_TRACE_H

#include "analysis/trace/device/kernel.h"
#include "analysis/trace/device/trace_recorded.h"
#include "base/arena.h"
#include "run/trace.h"

#include <stdbool.h>

/* The times that are summed and compared over ranks. The first seven are those of timeline.h, of all devices of the rank. */
enum ts_job_figure {
	TS_JOB_SPAN,
	TS_JOB_BUSY,
	TS_JOB_IDLE,
	TS_JOB_COMPUTATION,
	TS_JOB_COMMUNICATION,
	TS_JOB_EXPOSED,
	TS_JOB_MEMORY,
	TS_JOB_TIMELINE_FIGURES,
	TS_JOB_WAITING = TS_JOB_TIMELINE_FIGURES, /* in collectives, for their last rank (job.h) */
	TS_JOB_EXPOSED_WAITING,			  /* the part of it in which the rank computed nothing */
	TS_JOB_FIGURES,
};

struct ts_job_interval {
	int64_t begin, end;
};

/* A process group as one rank's trace names it. Where the trace names none, `ordinal` counts the streams with such kernels, so that
 * those of ranks can be told apart; it is -1 of a named group. */
struct ts_job_group_name {
	struct ts_span name, ranks, about;
	int64_t size; /* TS_TRACE_NONE: not said */
	int64_t ordinal;
	int32_t stream; /* of its first kernel */
};

enum ts_job_way { TS_JOB_WAY_UNKNOWN, TS_JOB_SENDS, TS_JOB_RECEIVES };

/* A kernel of communication, or a collective of gloo on the host. Ranks are those of the world. */
struct ts_job_arrival {
	int64_t begin, end;			     /* by the rank's clock */
	int64_t root;				     /* of a broadcast or reduce; TS_TRACE_NONE: not said */
	int64_t peer;				     /* of a send or receive; TS_TRACE_NONE: not said */
	int64_t sequence, elements_in, elements_out; /* TS_TRACE_NONE: not said */
	int64_t step;				     /* that launched it; valid if in_step */
	uint32_t group;				     /* of the trace's groups */
	uint8_t collective;			     /* enum ts_collective */
	uint8_t way;				     /* enum ts_job_way, of a send or receive */
	bool in_step, launched;			     /* launched: the trace has the call */
};

/* A step as the devices saw it: from the end of what the steps before it had launched (of the first step, from its begin on the
 * host) to the end of what it launched. So steps follow each other without gap or overlap. */
struct ts_job_step {
	int64_t number;
	int64_t begin, end;
	uint64_t host_ns; /* its duration on the host */
	bool there;	  /* it launched something; or the trace has no devices, and the step is that of the host */
};

struct ts_job_trace {
	const char *file; /* as it was named */
	bool has_rank, has_world_size;
	int64_t rank, world_size;
	struct ts_span backend, device_name, host; /* empty: not said */
	struct ts_trace_recorded recorded;
	int64_t base_ns;
	int64_t from, until; /* the first begin and the last end of everything; valid if there are spans */
	bool any;	     /* there are spans */
	bool on_host;	     /* its collectives are those of gloo, which the host does; a trace of devices without any of theirs */
	uint64_t events;     /* kernels, copies and fills */
	uint64_t ns[TS_JOB_TIMELINE_FIGURES];
	uint64_t step_ns[TS_JOB_TIMELINE_FIGURES]; /* sums over steps, each of what the step launched */
	struct ts_job_step *steps;		   /* by time */
	size_t n_steps;
	struct ts_trace_warmup warmup; /* of the trace */
	struct ts_job_group_name *groups;
	size_t n_groups;
	struct ts_job_arrival *arrivals; /* by begin */
	size_t n_arrivals;
	struct ts_job_interval *exposed; /* communication less computation, by time, disjoint */
	size_t n_exposed;
};

/* Everything lies in the arena, texts too, so trace need not live on; the scratch arena is used only during the call. `file` is the
 * caller's to set. */
enum ts_status ts_job_trace_of(const struct ts_trace *trace, struct ts_arena *scratch, struct ts_arena *arena, struct ts_job_trace *ret,
			       struct ts_error *err);

/* Where a trace has calls that launched kernels, what none of them launched was launched before it began. */
bool ts_job_has_launches(const struct ts_job_trace *t);

/* Adds, and stops at the largest number. */
static inline void ts_job_add(uint64_t *sum, uint64_t ns)
{
	*sum = *sum + ns < ns ? UINT64_MAX : *sum + ns;
}

#endif
