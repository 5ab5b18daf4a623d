/* ranks.h - the ranks of a job side by side, step by step: who is slow, who waits, what it costs.
 *
 *	ts_ranks_begin(&r, ranks, n_ranks, world_size, n_aligned, arena, err)
 *	ts_ranks_window(&r, &window, err)	over all steps that every rank has, in order, once
 *	ts_ranks_finish(&r, arena, &measures, &events, &plots, err)
 *
 * What it keeps grows with ranks x 4096 cells (a cell is one step, or as many as make 4096 cells; fewer cells of more than
 * 2048 ranks) and with 48 bytes a step. Where ranks x steps is at most TS_RANKS_EXACT, one to three doubles a rank and step as
 * well: then medians of ranks are exact, and onsets and periods known to the step; beyond it they are those of cells, and the
 * row all/resolution says so.
 *
 * Definitions, a step at a time (docs/numerics.md has all of them):
 *	own time	all phases of a rank but comm, phases of unknown names too
 *	transfer	the least comm of any rank; what a rank has above it is its wait for slower ones
 *	hidden mode	the collective runs inside backward (DDP), and every rank ends the step together there. Found by the
 *			slope of backward on all else, over ranks: -1 when backward takes up what others leave, 0 when
 *			nothing synchronizes. Then the least backward of any rank is work, the rest of it wait, and own
 *			time is all but comm and that wait. A backward that is slow on one rank shows as slow backward of
 *			all: it cannot be told.
 *	wall		the longest time of any rank
 *	lost		sum over steps of (longest own - mean own) over sum of longest own
 *	blame		what the steps in which a rank was the slowest would have saved with the next slowest in its place
 * A step in which some rank has a time that is no finite number is left out and counted (all/left_out).
 *
 * Group "ranks"; subjects "all", "rank K"; "traceml" and "traceml METRIC" are TraceML's view (culprit.h), stragglers ours
 * (straggler.h). Events: ONSET of a straggler that was not always slow. Plots: rank K, slowdown (own over median own).
 * Source: pytscope 0.2.1's distributed analyzer for own, imbalance_cv, skew, lost, slowest, comm_max, to which these agree; it
 * counts wait as communication and unknown phases not at all, where they differ. NVIDIA's and ByteDance's straggler reports
 * (arXiv 2505.05713) for what is asked.
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
	/* Ranks x steps of which every value is kept: 64 MiB a double. */
	TS_RANKS_EXACT = 8 << 20,
	/* Ranks that get a plot: those of the largest slowdown. */
	TS_RANKS_PLOTTED = 256,
	TS_RANKS_PLOT_CELLS = 96,
};

/* Steps that all ranks have. phases[rank][phase] points at n seconds, 0 where the step lacks the phase; NULL: the rank has no
 * such phase there. */
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
	const struct ts_rank_memory *memory; /* one a rank, or NULL */
	bool fsdp; /* false from ts_ranks_begin; whoever knows that the job is sharded sets it, for TraceML's policy */
	struct ts_rank_sums *sums;
	struct ts_rank_steps *kept;
};

/* ranks must be ascending, and live as long as r; n_aligned is how many steps the windows will bring. */
enum ts_status ts_ranks_begin(struct ts_ranks *r, const int32_t *ranks, size_t n_ranks, uint32_t world_size, size_t n_aligned,
			      struct ts_arena *arena, struct ts_error *err);
enum ts_status ts_ranks_window(struct ts_ranks *r, const struct ts_rank_window *window, struct ts_error *err);
/* Optional, before finish: peak and growth of each rank, for the rows of it. Not copied. */
void ts_ranks_memory(struct ts_ranks *r, const struct ts_rank_memory *memory);
enum ts_status ts_ranks_finish(struct ts_ranks *r, struct ts_arena *arena, struct ts_measures *measures,
			       struct ts_events *events, struct ts_plots *plots, struct ts_error *err);

#endif
