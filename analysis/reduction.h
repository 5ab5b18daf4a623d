/* reduction.h - one run as the few numbers that runs are compared by.
 *
 * A synchronous job is as slow as its slowest rank: of each step counts the longest time that any rank took. Time is
 * what passed between the timestamps of a step and the one before, where there are timestamps, else the sum of the
 * phases; time_source says which.
 *
 *	ts_reducer_begin(&r, options, n_rows, arena, err)
 *	ts_reducer_rows(&r, &rows, err)		every step, in order, a piece at a time
 *	ts_reducer_finish(&r, &reduction, err)
 *
 * Left out, and counted: warm-up (declared, or found by warmup.h, in each segment); steps by tag; steps whose phase of
 * that name took time, and the step after each of those; every N-th step. What no one can measure is unknown with its reason.
 *
 * step_time: records are cut into windows of TS_REDUCE_WINDOW records (rounded up to a multiple of the period, where
 * work.accumulation or the values themselves say that every k-th record is of another sort), each window's wall time is
 * divided by the optimizer steps in it, and the median of those counts. So a slow record in each 32 counts in full, a
 * rare spike hardly, and step_time_mean beside it has both in full.
 */
#ifndef TSCOPE_ANALYSIS_REDUCTION_H
#define TSCOPE_ANALYSIS_REDUCTION_H

#include "analysis/metric.h"
#include "base/digest.h"

enum {
	TS_REDUCE_WINDOW = 32,	    /* records */
	TS_REDUCE_LEAST = 20,	    /* records that must be left */
	TS_REDUCE_RANKS_MAX = 4096, /* that are told apart */
	TS_REDUCE_PARTS_MAX = 64,
};

struct ts_reduced {
	bool known;
	double value;
	struct ts_span reason; /* if not */
};

/* What a phase takes of an optimizer step: mean over the steps that count, of the slowest rank of each step. */
struct ts_reduced_part {
	struct ts_span name; /* "forward"; "unattributed": wall that no phase claims */
	double seconds;
};

struct ts_reduced_rank {
	int32_t rank;
	double work; /* s of an optimizer step: its own phases, mean; NaN: not known */
	double wait; /* s: for slower ranks; NaN: not known */
};

struct ts_reduction {
	struct ts_reduced metrics[TS_METRICS];
	struct ts_reduced_part *parts; /* in the order of ts_phase_order, unattributed last */
	size_t n_parts;
	struct ts_reduced_rank *ranks; /* ascending */
	size_t n_ranks;
	struct ts_span time_source;    /* "timestamps", "phases", or why there is no time */
	struct ts_span mfu_basis;      /* "989 TFLOP/s (peaks.tsv: H100 SXM bf16), 6N": two MFUs compare only if equal; empty: no MFU */
	uint64_t records;	       /* rows of the job: steps on which every rank that has time has some */
	uint64_t warmup, excluded;     /* of those, left out */
	uint64_t counted;	       /* the rest */
	uint64_t window;	       /* records in a window */
	uint64_t windows;
	double accumulation;	       /* records per optimizer step; 1 unless the run says otherwise */
};

/* What is left out, and what counts as one step. Parsed from a policy (gate_policy.h). */
enum ts_exclude_kind { TS_EXCLUDE_TAG, TS_EXCLUDE_PHASE, TS_EXCLUDE_EVERY };

struct ts_exclude {
	enum ts_exclude_kind kind;
	struct ts_span name; /* TAG, PHASE */
	uint64_t every;	     /* EVERY: steps whose number it divides */
};

struct ts_reduce_options {
	bool has_warmup;
	uint64_t warmup; /* records left out at the start of each segment */
	const struct ts_exclude *excludes;
	size_t n_excludes;
};

#endif
