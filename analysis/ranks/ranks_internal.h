/* ranks_internal.h - what ranks.c collects and ranks_rows.c reports.
 *
 * Whether the collective hides in backward is known only at the end. So everything that depends on it is collected twice, on
 * two tracks: one for each meaning of own time.
 */
#ifndef TSCOPE_ANALYSIS_RANKS_RANKS_INTERNAL_H
#define TSCOPE_ANALYSIS_RANKS_RANKS_INTERNAL_H

#include "analysis/ranks/ranks.h"
#include "analysis/ranks/straggler.h"
#include "analysis/ranks/straggler_kind.h"
#include "analysis/stats/tally.h"

enum ts_rank_track_kind { TS_TRACK_PLAIN, TS_TRACK_HIDDEN, TS_TRACKS };

struct ts_rank_sums {
	struct ts_tally phases[TS_RANK_PHASES];
	bool has[TS_RANK_PHASES]; /* the phase was given in some window */
	struct ts_tally own[TS_TRACKS], blame[TS_TRACKS];
	struct ts_tally total, wait[TS_TRACKS];
	uint64_t slowest[TS_TRACKS];
};

struct ts_rank_track {
	bool on;
	double *cells;	   /* [rank][cell]: sums of own time; means from the start of ts_ranks_finish on */
	double *own;	   /* [rank][n_aligned], of which n are filled; or NULL */
	double *imbalance; /* per step: population CV of own time over ranks */
	double *skew;	   /* per step: largest minus median own time */
	struct ts_tally lost, longest; /* sums over steps of (largest - mean) own time and of largest own time */
};

struct ts_rank_steps {
	size_t n;	 /* steps compared so far */
	size_t left_out; /* steps with a time that is not finite */
	size_t cell;	 /* steps of one cell */
	size_t n_cells;	 /* cells that there is room for */
	size_t cells;	 /* cells that are filled; known at the end */
	bool exact;	 /* own and total of every step are kept */
	bool has_comm;
	int64_t *steps;	 /* the n steps that were compared */
	double *total;	 /* [rank][n_aligned]; NULL while no rank has comm: then own of the plain track is the total */
	struct ts_rank_track tracks[TS_TRACKS];
	struct ts_tally wall, transfer[TS_TRACKS], comm_max;
	double pre_square, pre_backward, backward_square; /* sums of products of deviations from the mean over ranks */
	/* Scratch of one block of steps, [step][rank]. */
	double *s_own, *s_comm, *s_backward, *s_select;
};

/* Ranks ascend, and the cells and steps that are filled are among those that there is room for. */
bool ts_ranks_hold(const struct ts_ranks *r);

/* The track that applies: TS_TRACK_HIDDEN if backward takes the time that the rest of a step leaves. */
enum ts_rank_track_kind ts_ranks_track(const struct ts_ranks *r);

/* Tests which ranks are slow. *ret_undecided, in the arena, is the reason why nothing could be decided; NULL if it could. */
enum ts_status ts_ranks_test(const struct ts_ranks *r, enum ts_rank_track_kind kind, struct ts_arena *arena,
			     struct ts_straggler_test *ret, char **ret_undecided, struct ts_error *err);
/* How many seconds the job would have saved if all named ranks had been no slower than the slowest of the others. */
double ts_ranks_saved(const struct ts_ranks *r, enum ts_rank_track_kind kind, const struct ts_straggler_test *t);
/* Decides how each named rank is slow, with onset and period in compared steps, and adds an event for each rank that was not
 * always slow. */
enum ts_status ts_ranks_courses(const struct ts_ranks *r, enum ts_rank_track_kind kind, const struct ts_straggler_test *t,
				const struct ts_span *subjects, struct ts_arena *arena, struct ts_straggler_course *ret_courses,
				struct ts_events *events, struct ts_error *err);
/* Appends the rows of TraceML's view; at least one step must have been compared. */
enum ts_status ts_ranks_traceml(const struct ts_ranks *r, struct ts_arena *arena, struct ts_measures *measures,
				struct ts_error *err);
/* Appends one plot for each of the slowest ranks, at most TS_RANKS_PLOTTED; *ret_plotted is how many. */
enum ts_status ts_ranks_plots(const struct ts_ranks *r, enum ts_rank_track_kind kind, const struct ts_straggler_test *test,
			      const struct ts_span *subjects, struct ts_arena *arena, struct ts_plots *plots,
			      size_t *ret_plotted, struct ts_error *err);

#endif
