/* measure_name.h - what can be measured, as symbols: a mistyped name does not compile.
 *
 * measures.inc has one row for each measure; group, subject, name and unit are written there and nowhere else. Code that
 * produces a row of an answer, asks for one in a rule, or shows one in a report uses the symbol (TS_M_STEP_MEDIAN). Words
 * come in only from the wire, and go out only to people and to JSON.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_MEASURE_NAME_H
#define TSCOPE_ANALYSIS_ANSWER_MEASURE_NAME_H

#include "base/arena.h"

enum ts_unit {
	TS_UNIT_NONE = 0,	    /* a count or a plain number */
	TS_UNIT_SECONDS = 1,	    /* _s */
	TS_UNIT_BYTES = 2,	    /* _bytes */
	TS_UNIT_RATIO = 3,	    /* _ratio, 1 = 100 % */
	TS_UNIT_PER_SECOND = 4,	    /* _per_s */
	TS_UNIT_STEP = 5,	    /* _step: a step number */
	TS_UNIT_COUNT = 6,	    /* _count */
	TS_UNIT_BYTES_PER_STEP = 7, /* _bytes_per_step */
	TS_UNIT_FLOPS = 8,	    /* _flops: floating-point operations */
	TS_UNIT_FLOPS_PER_S = 9,    /* _flops_per_s */
	TS_UNIT_TEXT = 10,	    /* a word or a sentence, in the field text instead of value */
};

/* A group holds the rows, events and plots of one analysis. */
enum ts_answer_group {
	TS_ANSWER_TIMING,
	TS_ANSWER_MEMORY,
	TS_ANSWER_CONVERGENCE,
	TS_ANSWER_CROSS,
	TS_ANSWER_RANKS,
	TS_ANSWER_BUDGET,
	TS_ANSWER_EFFICIENCY,
	TS_ANSWER_PIPELINE,
	TS_ANSWER_DIVERGENCE,
	TS_ANSWER_RESUME,
	TS_ANSWER_TRACE,
	TS_ANSWER_SNAPSHOT,
	TS_ANSWER_SETUP,
	TS_ANSWER_MACHINE,
	TS_ANSWER_GROUPS,
};

enum ts_measure_name {
#define M(symbol, group, subject, name, unit) TS_M_##symbol,
#include "analysis/answer/measures.inc"
	TS_MEASURE_NAMES,
};

struct ts_measure_spec {
	enum ts_answer_group group;
	const char *subject; /* "step", or a pattern that each row fills: "rank <K>" */
	const char *name;    /* "median", without its unit */
	enum ts_unit unit;
};

extern const struct ts_measure_spec ts_measure_specs[TS_MEASURE_NAMES];

/* The columns of memory, which are the subjects of TS_M_MEMORY_*. */
enum ts_memory_column {
	TS_MEMORY_ALLOC,
	TS_MEMORY_RESERVED,
	TS_MEMORY_PEAK_ALLOC,
	TS_MEMORY_PEAK_RESERVED,
	TS_MEMORY_COLUMNS
};
extern const char *const ts_memory_columns[TS_MEMORY_COLUMNS];

/* The lines of the budget of wall time, which are the subjects of TS_M_BUDGET_*. ts_job_lines are those of TS_M_JOB_*. */
enum ts_budget_line {
	TS_LINE_USEFUL,
	TS_LINE_OVERHEAD,
	TS_LINE_DATA,
	TS_LINE_COMM,
	TS_LINE_WAIT,
	TS_LINE_OTHER,
	TS_LINE_UNCLASSIFIED,
	TS_LINE_UNATTRIBUTED,
	TS_BUDGET_LINES,
};
extern const char *const ts_budget_lines[TS_BUDGET_LINES];

enum ts_job_line { TS_JOB_USEFUL, TS_JOB_OWN_REST, TS_JOB_COMM, TS_JOB_WAIT, TS_JOB_UNATTRIBUTED, TS_JOB_LINES };
extern const char *const ts_job_lines[TS_JOB_LINES];

/* Times of the devices of a trace, which are the subjects of TS_M_TRACE_TIME and TS_M_TRACE_SHARE (trace_answer.h). */
enum ts_trace_time {
	TS_TIME_SPAN,
	TS_TIME_BUSY,
	TS_TIME_COMPUTATION,
	TS_TIME_COMMUNICATION,
	TS_TIME_EXPOSED_COMMUNICATION,
	TS_TIME_COPIES,
	TS_TIME_EXPOSED_COPIES,
	TS_TIME_IDLE,
	TS_TIME_IDLE_HOST,
	TS_TIME_IDLE_LAUNCH,
	TS_TIME_IDLE_BEHIND,
	TS_TIME_IDLE_QUEUED,
	TS_TIME_IDLE_UNKNOWN,
	TS_TIME_IDLE_AFTER_WAITS,
	TS_TIME_FILLS,
	TS_TIME_ELEMENTWISE,
	TS_TIME_IDLE_LOADING,
	TS_TIME_MATH_ATTENTION,
	TS_TIME_CONVOLUTIONS,
	TS_TIME_FLOAT32_PRODUCTS,
	TS_TIME_GENERATED,
	TS_TIME_IDLE_FIRST_LAUNCH,
	TS_TIME_IDLE_HOST_LONGEST,
	TS_TIME_IDLE_LAUNCH_LONGEST,
	TS_TIME_IDLE_LOADING_LONGEST,
	TS_TIME_IDLE_AFTER_WAITS_LONGEST,
	TS_TIME_EXPOSED_WAITING, /* known of the ranks of a job alone (trace_answer.h) */
	TS_TRACE_TIMES,
};
extern const char *const ts_trace_times[TS_TRACE_TIMES];

struct ts_span ts_answer_group_name(enum ts_answer_group group); /* "timing" */
const char *ts_unit_suffix(enum ts_unit unit);			 /* "", "_s", "_bytes", ... */

/* True if the subject is a pattern, which each row fills. */
bool ts_measure_is_kind(enum ts_measure_name what);
/* The subject for the number k: "rank 3" for a measure of "rank <K>"; NULL when the arena is full. */
char *ts_measure_subject(enum ts_measure_name what, int64_t k, struct ts_arena *arena);
/* The part of a subject that stands for the <> of the pattern: "3" of "rank 3", "wait" of "wait job". False if the subject
 * does not fit the pattern. */
bool ts_measure_part(enum ts_measure_name what, struct ts_span subject, struct ts_span *ret_part);
/* The same part as a number; false for "rank x". */
bool ts_measure_number(enum ts_measure_name what, struct ts_span subject, int64_t *ret_k);
/* True if a text fits the pattern of the table: "all" fits "all", "rank 3" fits "rank <K>". */
bool ts_measure_fits(const char *pattern, struct ts_span text);

#endif
