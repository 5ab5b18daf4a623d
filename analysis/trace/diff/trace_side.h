/* trace_side.h - one trace as a side of a comparison: its steps, and what each of them took, as cells of a row and a step.
 *
 * Steps are ProfilerStep#N, all but the first of three or more, which a profiler's start and warm-up lengthen, or but as many as are
 * asked to be left out; a trace without them counts as one. On devices the time of a step goes from the completion of the one before
 * (the end of the last event that it or an earlier one launched) to its own; the first from its begin on the host. So the times of
 * steps add up to that of the trace however far the host runs ahead, which makes the durations of ProfilerStep itself too short. On the
 * host it is the step's own duration.
 *
 * The moments of that time belong to parts (moments.h):
 *	on devices	categories of kernels, then exposed communication by kind, then exposed copies, then idle by cause (idle.h; of
 *			all devices as one, so that nothing runs behind others)
 *	on the host	operators of the step's thread, then operators of other threads, then Python functions of the step's thread,
 *			each with its self time; then nothing that was recorded
 * The other tables are sums over what belongs to the step: events of devices whose call began in it (timeline.h), spans of the host
 * that began in it.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_SIDE_H
#define TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_SIDE_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/device/trace_warmup.h"

enum { TS_SIDE_STEPS_MOST = 100000, TS_SIDE_WARM_UP_OF = 3 };
#define TS_SIDE_NO_STEP UINT32_MAX

enum ts_side_table {
	TS_SIDE_PARTS,
	TS_SIDE_CATEGORIES,
	TS_SIDE_KERNELS,	  /* by name without arguments; copies and fills, too */
	TS_SIDE_DEVICE_OPERATORS, /* device time by the operator that launched it */
	TS_SIDE_OPERATORS,	  /* self time */
	TS_SIDE_FUNCTIONS,	  /* of Python: self time */
	TS_SIDE_CALLS,		  /* of the runtime */
	TS_SIDE_TABLES,
};

struct ts_trace_window {
	int64_t begin, end;
};

struct ts_trace_side {
	const struct ts_trace *trace;
	bool device;	     /* steps are timed on devices */
	bool whole;	     /* no ProfilerStep: all of the trace is one step */
	size_t n_recorded;   /* steps of the trace */
	size_t skipped;	     /* of the first */
	size_t n;	     /* compared */
	int64_t first, last; /* their numbers; not of the whole */
	int64_t clock_ns;    /* 1000 where every time is whole microseconds, else 1 */
	struct ts_trace_window *windows;
	uint64_t *host_ns; /* durations of ProfilerStep; NULL of the whole */
	uint32_t *step;	   /* of each span of the trace: 0 to n - 1, or TS_SIDE_NO_STEP */
	struct ts_nest nest;
	uint64_t *self; /* of each span of the trace: its time without what stands within it (self_times.h) */
};

/* What a row took in a step. Each row and step has at most one cell; cells are by row and step. */
struct ts_trace_cell {
	uint32_t row, step;
	uint64_t ns, count;
};

struct ts_trace_cells {
	struct ts_trace_cell *items;
	size_t n;
	const struct ts_span *names; /* of the rows; those without a cell may be anything */
	size_t n_names;
};

/* Whether the trace has work of a device. */
bool ts_trace_has_device(const struct ts_trace *trace);
/* warmup: how many of the first steps are left out, if that is given; fewer than there are (trace_warmup.h). */
enum ts_status ts_trace_side(const struct ts_trace *trace, bool device, const struct ts_warmup_asked *warmup, struct ts_arena *arena,
			     struct ts_trace_side *ret, struct ts_error *err);
/* Cells are by the trace's own names. Several of them may be one text in `names`, of kernels without arguments, of functions without
 * the address of an object: whoever pairs them adds them up. */
enum ts_status ts_trace_cells(const struct ts_trace_side *side, enum ts_side_table table, struct ts_arena *arena,
			      struct ts_trace_cells *ret, struct ts_error *err);
/* Sorts by row and step, and adds up those of one row and step; returns how many are left. */
size_t ts_trace_cells_settle(struct ts_trace_cell *cells, size_t n);

#endif
