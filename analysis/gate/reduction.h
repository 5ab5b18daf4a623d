/* reduction.h - one run as the few numbers that runs are compared by.
 *
 *	ts_reducer_begin(&r, options, work, arena, err)
 *	ts_reducer_rows(&r, &rows, err)			the rows of the job; r.steps[0 .. r.n_steps) are then those that count
 *	ts_reducer_ranks(&r, ranks, n, names, n_names, n_rows, arena, err)	if any rank has phases
 *	ts_reducer_window(&r, &window, err)		phases of the steps that count, in order, a piece at a time
 *	ts_reducer_finish(&r, &ends, &reduction, err)
 *
 * A synchronous job is as slow as its slowest rank: a step ends when its last rank ends it. Time is what passed between the
 * end of a step and that of the row before, divided by the steps between the two, where there are timestamps; else the
 * longest sum of phases that any rank has there. time_source says which. A record is a row that has such a time: with
 * timestamps not the first of a segment, not one before which the clock was set back, nor one that comes after a gap of
 * more than 64 times the usual distance between rows.
 *
 * Left out, and counted: warm-up (declared, or found by warmup.h, in each segment); steps by tag; steps whose phase of
 * that name took time, and the row after each of those; every N-th step. What no one can measure is unknown with its reason.
 *
 * step_time: the median over all windows of TS_REDUCE_WINDOW consecutive records, of the time that passed in the window by the
 * optimizer steps in it. So a slow record in each 32 counts in full, though the median record would not know of it. Spikes are
 * made harmless before: one in a window of 32 moves it by 6 %, and of 500 records with 1 % of spikes a quarter of the windows
 * has one, enough to move the median of windows by 0.7 % from run to run. Of what exceeds the usual time of a record, the largest
 * 1/36 are cut down to the next (fewer than one record in 32, so that what comes in each window of 32 stays). What is usual is the
 * median record; where records have a period (work.accumulation; else each k-th record, k up to TS_REDUCE_PERIOD_MAX, is slower
 * by more than chance) the median at that place of the period, and the window is a multiple of it. docs/numerics.md has the
 * measured noise. step_time_mean beside it has every spike in full.
 *
 * step_time_floor: the 10th percentile of single records, or of the means of whole periods, where records have one.
 *
 * The error of a value is that of ten batches of consecutive records, each of whole periods: of their mean, or, where the value is a
 * median or a percentile, of their median. With fewer than ten periods it is not
 * known, and neither is that of an extreme, of a share, of a percentile in the tail and of a part of the run.
 */
#ifndef TSCOPE_ANALYSIS_GATE_REDUCTION_H
#define TSCOPE_ANALYSIS_GATE_REDUCTION_H

#include "analysis/gate/metric.h"
#include "analysis/rank/work.h"
#include "analysis/stats/batch.h"
#include "analysis/stats/tally.h"

enum {
	TS_REDUCE_WINDOW = 32,	    /* records */
	TS_REDUCE_LEAST = 20,	    /* records that must be left */
	TS_REDUCE_PERIOD_MAX = 128, /* records of a period that is looked for: 8 of them must be there */
	TS_REDUCE_RANKS_MAX = 4096, /* that are told apart */
	TS_REDUCE_PARTS_MAX = 64,
	TS_REDUCE_PIECES = 8, /* lengths of pieces: TS_REDUCE_WINDOW records, twice as many, ... */
};

struct ts_reduced {
	bool known;
	double value;
	struct ts_span reason; /* if not */
	bool has_error;
	double error; /* standard error of value, as the steps of this run vary (stats/batch.h); false: not known */
};

/* What a phase takes of an optimizer step: mean over the steps that count and have phases, of the slowest rank of each step (the one
 * whose own work, ranks.h, is longest). */
struct ts_reduced_part {
	struct ts_span name; /* "forward"; "unattributed": mean wall time that no phase claims */
	double seconds;	     /* of unattributed below 0 where phases overlap */
};

struct ts_reduced_rank {
	int32_t rank;
	double work; /* s of an optimizer step: all its phases less the wait, mean */
	double wait; /* s: for slower ranks, as ranks.h tells it; NaN: not known */
};

/* How a metric scatters between pieces of one run, of one length: logarithms of its ratio to that of the whole run. A run of that
 * length scatters as much. A few spikes that a long run hides stand out in a short one, so the greatest is kept as well. */
struct ts_reduced_piece {
	uint64_t n;		   /* pieces */
	double time_sd, time_most; /* of step_time: root mean square, and the greatest */
	double mean_sd, mean_most; /* of step_time_mean */
};

/* A series that the run logs under a name of its own, as what it came to: the mean of the last tenth of its values, like a loss. */
struct ts_reduced_series {
	struct ts_span name;   /* as a policy spells it: "val_bpb", "eval/accuracy" */
	struct ts_span column; /* the column, an escaped path, if it is neither that name nor scalars.NAME: "scalars.train/reward" */
	struct ts_reduced value;
	int64_t last_step; /* of its last value; values of runs that end at other steps are not compared */
};

struct ts_reduction {
	struct ts_reduced metrics[TS_METRICS];
	struct ts_reduced wall_time; /* s: from the end of the first row to that of the last, all that lies between included */
	struct ts_reduced best_loss; /* the least of the loss curve */
	struct ts_span loss_column;  /* the column of the loss, an escaped path, if it is not scalars.loss: "scalars.train/loss" */
	struct ts_reduced_series *series; /* those that the policy named for which the run was reduced */
	size_t n_series;
	struct ts_reduced_part *parts; /* in the order of ts_phase_order, unattributed last */
	size_t n_parts;
	struct ts_reduced_rank *ranks; /* ascending */
	size_t n_ranks;
	struct ts_reduced_piece *pieces; /* of TS_REDUCE_WINDOW << i records; as long as the run has four of them */
	size_t n_pieces;
	struct ts_span time_source;    /* "timestamps", "phases", or why there is no time */
	struct ts_span mfu_basis;      /* "989 TFLOP/s (peaks.tsv: H100 SXM bf16), 6N": two MFUs compare only if equal; empty: no MFU */
	uint64_t records;	       /* rows of the job (steps on which every rank that has time has some) that have a time */
	uint64_t warmup, excluded;     /* of those, left out */
	uint64_t counted;	       /* the rest */
	uint64_t window;	       /* records in a window */
	uint64_t windows;
	double accumulation;	       /* records per optimizer step, work.accumulation; 1 unless the run says otherwise */
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

/* Rows of the job, in the order of their steps. Arrays of n; NULL: nothing of the sort is there. */
struct ts_reduce_rows {
	const int64_t *steps;
	size_t n;
	const double *ends;  /* s since 1970 when the last rank ended the step; not above 0 or not finite: not known */
	const double *times; /* s: the longest sum of phases of any rank; looked at without ends */
	const bool *starts;  /* a segment begins; the first row always begins one */
	const bool *tagged;  /* has a tag that is left out */
	const bool *phased;  /* a phase that is left out took time on some rank */
	const double *tokens, *samples; /* of all ranks */
	const double *cpu;		/* s of CPU time of all ranks */
};

/* Steps that count and that every rank with phases has; seconds[rank * n_names + name] points at n values, 0 where the step
 * lacks the phase; NULL: the rank has no such phase. */
struct ts_reduce_window {
	const int64_t *steps;
	size_t n;
	const double *const *seconds;
};

/* What is not counted by rows. */
struct ts_reduce_ends {
	bool has_peak;
	double peak_bytes;   /* largest of any rank */
	bool has_loss;
	double loss;	     /* mean of the last tenth */
	double loss_error;   /* standard error of loss; NaN: not known */
	const char *loss_column; /* as in the reduction; NULL: scalars.loss */
	bool has_best;
	double best_loss;
	const char *no_peak, *no_loss; /* why, if not */
	uint32_t devices;    /* ranks that are in the run: what the job is divided by unless parallelism.world_size is known */
	const char *no_time; /* why rows has neither ends nor times; NULL if it has */
};

struct ts_reducer {
	const struct ts_reduce_options *options;
	const struct ts_work *work;
	struct ts_arena *arena;
	int64_t *steps; /* set by ts_reducer_rows: those that count */
	size_t n_steps;
	bool stamped;	/* time is by timestamps */
	bool coarse;	/* and three rows or more have one same timestamp, which are one record then */
	double wall_time; /* s; 0: not known */
	uint64_t records, warmup, excluded;
	double *wall, *span;	  /* of each step that counts: s, and how many steps it stands for */
	double *tokens, *samples, *cpu; /* of it; NULL: no such column */
	struct ts_reducer_ranks *ranks; /* set by ts_reducer_ranks */
};

/* A loss curve of `rows` values, which is added value by value, in order:
 *
 *	struct ts_reduce_loss l = ts_reduce_loss_of(rows);	1 or more
 *	ts_reduce_loss_add(&l, value)				rows times
 *	ts_reduce_loss_finish(&l, &ends)			sets what ends has of the loss
 *
 * The error of loss is about a straight line through ten parts of the last tenth, since a curve that goes on falling is no noise; it
 * is not known with fewer than 20 values there. */
struct ts_reduce_loss {
	size_t rows, tail, seen; /* tail: values of the last tenth */
	struct ts_tally batches[TS_BATCHES];
	size_t counts[TS_BATCHES];
	bool some; /* a value was finite */
	double best;
};

struct ts_reduce_loss ts_reduce_loss_of(size_t rows);
void ts_reduce_loss_add(struct ts_reduce_loss *l, double value);
void ts_reduce_loss_finish(const struct ts_reduce_loss *l, struct ts_reduce_ends *io_ends);

/* Spans and arrays of the arguments live as long as r. */
enum ts_status ts_reducer_begin(struct ts_reducer *r, const struct ts_reduce_options *options, const struct ts_work *work,
				struct ts_arena *arena, struct ts_error *err);
/* rows may go afterwards. */
enum ts_status ts_reducer_rows(struct ts_reducer *r, const struct ts_reduce_rows *rows, struct ts_error *err);
/* ranks ascending; names in the order of ts_phase_order, at most TS_REDUCE_PARTS_MAX - 1; windows will bring n_rows steps. What
 * ranks.h keeps of them lies in the arena given, which may be another. */
enum ts_status ts_reducer_ranks(struct ts_reducer *r, const int32_t *ranks, size_t n_ranks, const struct ts_span *names, size_t n_names,
				size_t n_rows, struct ts_arena *arena, struct ts_error *err);
enum ts_status ts_reducer_window(struct ts_reducer *r, const struct ts_reduce_window *window, struct ts_error *err);
/* The result lies in the arena. */
enum ts_status ts_reducer_finish(struct ts_reducer *r, const struct ts_reduce_ends *ends, struct ts_reduction *ret_reduction,
				 struct ts_error *err);

/* The period of values at ascending positions (0 < position): every k-th is larger by more than chance. 0: none. Finite values. Of very
 * many the first 16,384 are looked at. O(n * TS_REDUCE_PERIOD_MAX). */
enum ts_status ts_reduce_period(const double *values, const uint64_t *positions, size_t n, struct ts_arena *arena, size_t *ret_period,
				struct ts_error *err);

#endif
