/* kernel_summary.h - what the kernels of a trace took in each step, small enough to be kept in the place of the trace.
 *
 * A row is a kernel by its name without arguments, a copy or a fill, with its category; a cell is what the calls of a row took in one
 * step, where it has any. Rows have names, those that took most first, as long as their text has TS_SUMMARY_STEP_BYTES a step; the
 * others of a category are joined in one row that says how many they are, so that all rows together are what the trace has. A long
 * name ends in digits of its digest. Beside that stand the steps, with the parts into which their time falls
 * (analysis/trace/diff/trace_diff.h).
 *
 * Durations of a cell have a sketch: its calls by bins, of which each doubling has sixteen, so that the middle of a bin is at most
 * 1/32 of a duration off. Up to three calls need none: the least, the most and the sum tell each of them.
 *
 *	ts_kernel_summary_write(&summary, &buf)		JSON, by docs/format.md
 *	ts_kernel_summary_read(text, &arena, &summary, err)
 *
 * Nanoseconds. Pure. Threads: any.
 */
#ifndef TSCOPE_RUN_KERNEL_SUMMARY_H
#define TSCOPE_RUN_KERNEL_SUMMARY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

enum {
	TS_SUMMARY_STEP_BYTES = 4900, /* of the text of rows with names, for each step */
	TS_SUMMARY_NAMES_BYTES = 8 << 20, /* of all that text */
	TS_SUMMARY_ROWS_MAX = 8192,
	TS_SUMMARY_NAME_MOST = 96, /* bytes of a name before the digits of its digest */
	TS_SUMMARY_TOLD = 3,	   /* calls that need no bins */
	TS_SUMMARY_FILE_MAX = 16 << 20,
};

/* What a file that holds a summary ends in, behind the name of the trace's file. */
#define TS_SUMMARY_ENDING ".kernels.json"

struct ts_summary_bin {
	uint32_t bin;
	uint64_t calls;
};

struct ts_summary_cell {
	uint32_t step; /* of the steps of the summary */
	uint64_t calls, sum_ns, least_ns, most_ns;
	struct ts_summary_bin *bins; /* by bin; of more than TS_SUMMARY_TOLD calls of a row with a name */
	size_t n_bins;
};

struct ts_summary_row {
	struct ts_span category, name; /* name: empty of a joined row */
	uint64_t joined;	       /* so many kernels are in a joined row, else 0 */
	struct ts_summary_cell *cells; /* by step */
	size_t n;
};

/* A part of the time of steps: "gemm", "idle: queued". */
struct ts_summary_part {
	struct ts_span name;
	uint64_t *ns; /* one for each step */
};

struct ts_summary_step {
	int64_t number; /* TS_TRACE_NONE: the trace marks no steps, and is one as a whole */
	uint64_t ns, host_ns;
};

struct ts_kernel_summary {
	int64_t rank, world_size; /* as the trace says; TS_TRACE_NONE: it does not */
	bool cut;		  /* the file ended too early */
	int64_t clock_ns;	  /* 1000 where all times are whole microseconds, else 1 */
	struct ts_summary_step *steps;
	size_t n_steps;
	struct ts_summary_part *parts;
	size_t n_parts;
	struct ts_summary_row *rows; /* those with names, that which took most first; then the joined ones */
	size_t n_rows;
};

/* The number of the bin, which grows with the duration; and the duration in its middle. */
uint32_t ts_summary_bin_of(uint64_t ns);
uint64_t ts_summary_bin_middle(uint32_t bin);
/* What stands for a name in a summary: the name, or its beginning and digits of its digest. In the arena if it is not the name itself;
 * data is NULL without memory. */
struct ts_span ts_summary_name(struct ts_span name, struct ts_arena *arena);
/* Whether a file has the name of a summary; and whether a text begins as one. */
bool ts_summary_named(struct ts_span name);
bool ts_summary_begins(struct ts_span text);

/* The median duration of the row's calls in all but the first steps, the lower one of two, at most 1/32 of it off; *ret_known is false
 * where there is no call, and of joined rows. Work is done in the arena. */
enum ts_status ts_summary_median(const struct ts_summary_row *row, size_t first_steps, struct ts_arena *arena, bool *ret_known,
				 uint64_t *ret_ns, struct ts_error *err);

/* Appends the text of a row. */
void ts_summary_row_write(const struct ts_summary_row *row, struct ts_buf *buf);
/* The buffer remembers a failure. */
void ts_kernel_summary_write(const struct ts_kernel_summary *summary, struct ts_buf *buf);
/* TS_INVALID: the text is no summary, or one that cannot be. TS_TOO_LARGE: more bytes or rows than a summary has. Everything lies in
 * the arena. */
enum ts_status ts_kernel_summary_read(struct ts_span text, struct ts_arena *arena, struct ts_kernel_summary *ret, struct ts_error *err);

#endif
