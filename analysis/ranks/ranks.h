/* ranks.h - the ranks of a job side by side, step by step: which rank is slow, which ranks wait, what it costs.
 *
 *	ts_ranks_begin(&r, ranks, n_ranks, world_size, n_aligned, arena, err)
 *	ts_ranks_window(&r, &window, err)	over all steps that every rank has, in order, once
 *	ts_ranks_finish(&r, arena, &measures, &events, &plots, err)
 *
 * Memory grows with ranks x 4096 cells (a cell is one step, or as many steps as make 4096 cells; with more than 2048 ranks
 * there are fewer cells) and with 48 bytes a step. If ranks x steps is at most TS_RANKS_EXACT, it also holds one to three
 * doubles for each rank and step; then medians of ranks are exact, and onsets and periods are known to the step. Above that
 * they are those of cells, and the row all/resolution says so.
 *
 * Definitions for one step (docs/numerics.md has all of them):
 *	own time	all phases of a rank except comm, with phases of unknown names
 *	transfer	the least comm of any rank; what a rank has above it is its wait for slower ranks
 *	hidden mode	the collective runs inside backward (DDP), and all ranks end the step together there. It is found by the
 *			slope of backward on everything else, over ranks: -1 if backward takes the time that the rest leaves,
 *			0 if nothing synchronizes. Then the least backward of any rank counts as work and the rest of backward
 *			as wait, and own time is everything except comm and that wait. A backward that is slow on one rank
 *			shows as slow backward of all ranks: the data cannot tell which rank it is.
 *	wall		the longest time of any rank
 *	lost		sum over steps of (longest own - mean own), divided by the sum of longest own
 *	blame		what the job would have saved in the steps in which this rank was the slowest, had it been as fast as
 *			the next slowest
 * A step in which some rank has a time that is not finite is left out and counted (all/left_out).
 *
 * The group is "ranks"; the subjects are "all" and "rank K", and "traceml" and "traceml METRIC" for TraceML's view
 * (culprit.h). Stragglers are those of straggler.h. Events: ONSET of a straggler that was not always slow. Plots: rank K,
 * slowdown (own over median own).
 * Source: own, imbalance_cv, skew, lost, slowest and comm_max agree with pytscope 0.2.1's distributed analyzer, except where
 * that counts wait as communication and leaves out unknown phases. The questions are those of the straggler reports of NVIDIA
 * and ByteDance (arXiv 2505.05713).
 */
#ifndef TSCOPE_ANALYSIS_RANKS_RANKS_H
#define TSCOPE_ANALYSIS_RANKS_RANKS_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"
#include "analysis/answer/phase.h"
#include "analysis/answer/plot.h"
#include "analysis/rank/memory.h"

enum {
	TS_RANKS_CELLS = 4096,
	/* Up to so many ranks x steps every value is kept: 64 MiB for each double. */
	TS_RANKS_EXACT = 8 << 20,
	/* The most ranks that get a plot: those with the largest slowdown. */
	TS_RANKS_PLOTTED = 256,
	TS_RANKS_PLOT_CELLS = 96,
};

/* A range of steps that all ranks have. phases[rank][phase] points at n values in seconds, 0 where the step lacks the phase;
 * it is NULL if the rank does not have the phase in these steps. */
struct ts_rank_window {
	const int64_t *steps;
	size_t n;
	const double *const (*phases)[TS_RANK_PHASES];
};

struct ts_ranks {
	struct ts_arena *arena;
	const int32_t *ranks; /* ascending */
	size_t n_ranks;
	uint32_t world_size; /* 0: not known */
	size_t n_aligned;
	const struct ts_rank_memory *memory; /* one for each rank, or NULL */
	bool fsdp; /* false from ts_ranks_begin; whoever knows that the job is sharded sets it, for TraceML's policy */
	struct ts_rank_sums *sums;
	struct ts_rank_steps *kept;
};

/* ranks must be ascending and live as long as r; n_aligned is the number of steps that the windows will have in all. */
enum ts_status ts_ranks_begin(struct ts_ranks *r, const int32_t *ranks, size_t n_ranks, uint32_t world_size, size_t n_aligned,
			      struct ts_arena *arena, struct ts_error *err);
/* Adds the next steps; the arrays are not kept. */
enum ts_status ts_ranks_window(struct ts_ranks *r, const struct ts_rank_window *window, struct ts_error *err);
/* Optional, before ts_ranks_finish: sets peak and growth of memory of each rank, for the rows about them. The array is not
 * copied. */
void ts_ranks_memory(struct ts_ranks *r, const struct ts_rank_memory *memory);
/* Appends rows, events and plots; r cannot be used afterwards. */
enum ts_status ts_ranks_finish(struct ts_ranks *r, struct ts_arena *arena, struct ts_measures *measures,
			       struct ts_events *events, struct ts_plots *plots, struct ts_error *err);

#endif
