/* trace_diff.h - what differs between two traces, step by step, and what only varies.
 *
 * A row is compared by its mean over the steps of each side (trace_side.c), with the noise over steps as the error: the interval and
 * the chance are those of contrast.h, and a row stands out if its chance, by Holm over the times and the varying counts of its table
 * at TS_TRACE_DIFF_ALPHA, says so, of a difference of more than TS_TRACE_DIFF_LEAST of the larger mean: so much the clock of a device
 * moves from run to run, which steps of one run do not show. On the host the times of small operators move much more from run to run,
 * so there it must be more than TS_TRACE_DIFF_HOST_LEAST of a step, too. A count that is the same in all steps of a side is exact: if
 * both sides' counts are and differ, that is a fact; counts that vary are compared as times are. Where counts depend on data, two or
 * three steps show one count by chance: a table has no such facts, and their times do not stand out, if the rows whose counts vary let
 * expect more than TS_TRACE_DIFF_ALPHA of them (each the chance that steps drawn from its own show one count throughout A and another
 * one throughout B). With one step on a side no error can be given: times are shown and not judged, nor are the host's counts, some of
 * which are of polls. What only some steps of one side have may be chance: it is shown, and does not stand out.
 *
 * A file that ends too early may lack rows of every step, as a profiler writes kind after kind: of it nothing is decided, and the
 * sentence says so before all else.
 *
 * Kernels are paired by name without arguments. One that only A has is `replaced` by one that only B has where the same operator,
 * with the same shapes of its inputs where they were recorded, launched the one in A and the other in B.
 *
 * Nanoseconds; all memory is the arena's, and the traces must outlive the answer. Pure; one thread at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_DIFF_H
#define TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_DIFF_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/device/trace_recorded.h"
#include "analysis/trace/device/trace_warmup.h"
#include "run/index.h"
#include "run/kernel_summary.h"

/* --- trace_side.c ---
 *
 * Steps are ProfilerStep#N, all but the first of three or more, which a profiler's start and warm-up lengthen, or but as many as are
 * asked to be left out; a trace without them counts as one. On devices the time of a step goes from the completion of the one before
 * (the end of the last event that it or an earlier one launched) to its own; the first from its begin on the host. So the times of
 * steps add up to that of the trace however far the host runs ahead, which makes the durations of ProfilerStep itself too short. On
 * the host it is the step's own duration.
 *
 * The moments of that time belong to parts (moments.c):
 *	on devices	categories of kernels, then exposed communication by kind, then exposed copies, then idle by cause
 *			(trace_host.h; of all devices as one, so that nothing runs behind others)
 *	on the host	operators of the step's thread, then operators of other threads, then Python functions of the step's thread,
 *			each with its self time; then nothing that was recorded
 * The other tables are sums over what belongs to the step: events of devices whose call began in it (timeline.h), spans of the host
 * that began in it.
 */

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

struct ts_trace_diff_row;
struct ts_trace_diff_sum;

/* The name that a row of a summary has in a comparison. */
struct ts_row_name {
	struct ts_span name;
	uint32_t row;
};

struct ts_trace_window {
	int64_t begin, end;
};

struct ts_trace_side {
	const struct ts_trace *trace; /* NULL: of a summary (summarize.h), which has parts, categories and kernels alone */
	const struct ts_kernel_summary *summary;
	const struct ts_span *row_names; /* of the summary */
	const struct ts_row_name *by_name; /* the same, sorted by name */
	bool device;	     /* steps are timed on devices */
	bool whole;	     /* no ProfilerStep: all of the trace is one step */
	size_t n_recorded;   /* steps of the trace */
	size_t skipped;	     /* of the first */
	size_t n;	     /* compared */
	int64_t first, last; /* their numbers; not of the whole */
	int64_t clock_ns;    /* 1000 where every time is whole microseconds, else 1 */
	struct ts_trace_window *windows;
	uint64_t *host_ns; /* durations of ProfilerStep; NULL of the whole */
	uint32_t *step;	   /* of each span of the trace: 0 to n - 1, or TS_SIDE_NO_STEP; like what follows NULL of a summary */
	struct ts_nest nest;
	uint64_t *self; /* of each span of the trace: its time without what stands within it (nest.h) */
};

/* One stretch of a trace: when it began, by the trace's clock, and how long it was. */
struct ts_trace_moment {
	int64_t at_ns;
	uint64_t ns;
};

/* What a row took in a step. Each row and step has at most one cell; cells are by row and step. */
struct ts_trace_cell {
	uint32_t row, step;
	uint64_t ns, count;
	struct ts_trace_moment longest; /* of the stretches that it adds up; the first of equal ones */
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
/* --- summary_side.c --- */

/* other: what it is compared with. */
enum ts_status ts_summary_side(const struct ts_kernel_summary *summary, const struct ts_kernel_summary *other,
			       const struct ts_warmup_asked *warmup, const char *name, struct ts_arena *arena,
			       struct ts_trace_side *ret, struct ts_error *err);
/* As ts_trace_cells, of a side of a summary and the tables that it has. */
enum ts_status ts_summary_cells(const struct ts_trace_side *side, enum ts_side_table table, struct ts_arena *arena,
				struct ts_trace_cells *ret, struct ts_error *err);
/* What the side's summary says of a row of the table of kernels beside its cells: its category, unless it lacks the row, and the
 * median of its calls. */
enum ts_status ts_summary_kernel(const struct ts_trace_side *side, struct ts_arena *arena, struct ts_trace_diff_row *io_row,
				 struct ts_trace_diff_sum *io_sum, struct ts_error *err);
/* The longer of two; of equal ones the earlier. */
struct ts_trace_moment ts_trace_longer(struct ts_trace_moment a, struct ts_trace_moment b);
/* Sorts by row and step, and adds up those of one row and step; returns how many are left. */
size_t ts_trace_cells_settle(struct ts_trace_cell *cells, size_t n);

/* --- trace_diff.c --- */

#define TS_TRACE_DIFF_ALPHA 0.05
#define TS_TRACE_DIFF_LEAST 0.01
#define TS_TRACE_DIFF_HOST_LEAST 0.005

struct ts_trace_diff_sum {
	uint64_t ns;	      /* over all steps that are compared */
	bool counted;	      /* else the counts are none: of a step and of its parts */
	uint64_t count;	      /* over all steps */
	uint64_t least, most; /* count of one step */
	int64_t mean_ns;      /* of a step, to the nearest */
	bool has_median;      /* of kernels of a summary (kernel_summary.h); else the median is none */
	uint64_t median_ns;   /* of a call */
	bool has_longest;     /* there is any stretch */
	struct ts_trace_moment longest;
};

struct ts_trace_diff_row {
	struct ts_span name; /* without arguments; the traces' */
	uint32_t category;   /* of kernels: kernel_sums.h */
	struct ts_trace_diff_sum a, b;
	int64_t difference_ns; /* of a step */
	bool decided;	       /* both sides have two steps; else low and high are not valid */
	int64_t low_ns, high_ns;
	bool time_differs, count_differs; /* stands out */
	struct ts_span replaced_by;	  /* empty: not found; only of rows that B lacks */
	struct ts_span replaced_under;	  /* the operator */
	double p, p_count;
};

struct ts_trace_diff_table {
	enum ts_side_table of;
	struct ts_trace_diff_row
		*rows; /* those that differ, then those of one side alone, then the rest; of each the largest difference first */
	size_t n, n_differ, n_alone;
};

struct ts_trace_diff_side {
	bool whole;
	bool cut; /* the file ended too early: what it lacks may be what differs */
	bool summary; /* the trace is not there, only the summary of its kernels */
	uint64_t recorded, skipped, n;
	int64_t first, last; /* valid unless whole */
	struct ts_trace_recorded recording;
};

enum ts_trace_diff_verdict {
	TS_TRACE_DIFF_SAME, /* nothing stands out */
	TS_TRACE_DIFF_DIFFERS,
	TS_TRACE_DIFF_UNDECIDED, /* one step on a side, and what differs could be noise; or a side is cut */
};

struct ts_trace_diff {
	const char *path_a, *path_b; /* for the caller to set */
	bool device;		     /* steps are timed on devices; else on the host */
	struct ts_trace_diff_side a, b;
	struct ts_trace_diff_row step, host; /* the time of a step; ProfilerStep's own duration, of which device = false is the same */
	bool has_host;
	struct ts_trace_diff_table *tables;
	size_t n_tables;
	enum ts_trace_diff_verdict verdict;
	struct ts_span sentence; /* what it comes to */
	struct ts_span recorded_apart; /* how the recordings differ, which can be why their times do; empty: nothing of it is said */
};

/* warmup: as in trace_side.c; NULL: not given. */
enum ts_status ts_trace_diff(const struct ts_trace *a, const struct ts_trace *b, const struct ts_warmup_asked *warmup,
			     struct ts_arena *arena, struct ts_trace_diff *ret, struct ts_error *err);
/* The same of two traces of which one or both are only there as summaries: the tables of parts, categories and kernels, with the
 * figures that the traces have. Kernels that a summary of either side has joined are joined on both, as "other gemm kernels".
 * recorded_apart is empty. TS_INVALID: warmup leaves no step of one, which is named. */
enum ts_status ts_trace_diff_summaries(const struct ts_kernel_summary *a, const char *name_a, const struct ts_kernel_summary *b,
				       const char *name_b, const struct ts_warmup_asked *warmup, struct ts_arena *arena,
				       struct ts_trace_diff *ret, struct ts_error *err);
/* The same of stored traces, by the ids of their columns; they are loaded for it, and what the answer keeps of them is the arena's. */
enum ts_status ts_trace_diff_stored(ts_object_source *get, void *ctx, const struct ts_id *a, const struct ts_id *b,
				    struct ts_arena *arena, struct ts_trace_diff *ret, struct ts_error *err);

/* "gemm", "kernel", ...: the word of a table in JSON, and its heading. */
const char *ts_side_table_word(enum ts_side_table table);
const char *ts_trace_diff_verdict_word(enum ts_trace_diff_verdict verdict);
/* Whether the row is there on one side only. */
static inline bool ts_trace_diff_appeared(const struct ts_trace_diff_row *row)
{
	return !row->a.ns && !row->a.count && (row->b.ns || row->b.count);
}

static inline bool ts_trace_diff_vanished(const struct ts_trace_diff_row *row)
{
	return (row->a.ns || row->a.count) && !row->b.ns && !row->b.count;
}

#endif
