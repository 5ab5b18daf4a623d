/* efficiency.h - where the wall time went, line by line, and how much of the hardware's arithmetic the work used.
 *
 * Reads the rows of timing (and of ranks, where there are several), adds the groups "budget" and "efficiency"; n is the
 * number of steps that count. Nothing is read but rows and struct ts_work, so the answer can be had again from cached
 * rows.
 *
 * budget, of the rank in view. Lines in this order, each seconds and share (of wall):
 *	useful_compute		min(ideal, compute) where MFU is known and at most 1, else all of compute;
 *				compute = forward + backward + optimizer + compute, ideal = FLOPs / peak
 *	compute_overhead	the rest of compute; unknown without an MFU
 *	data_stall		phase data
 *	communication		phase comm without wait: transfer
 *	wait			for slower ranks, from the ranks rows; taken out of comm, or out of compute where it hides in
 *				backward
 *	other			every other phase: checkpoints, evaluation, names that nobody knows
 *	unattributed		wall - all phases, where timestamps say so
 *	wall			source: "timestamps" (the phases of the first step + the time from the first timestamp to the
 *				last, each taken at the end of its step) or "phases" (their sum; note says why; overlap is by
 *				how much phases add up to more)
 * The seconds of the known lines, added as doubles in this order, are wall to the last bit. What cannot be told (a phase
 * never recorded, wait seen from one rank) is unknown with its reason and lies in the line that the reason names.
 * wall/session: the run's own wall_time, wall/outside: what of it lies before the first and after the last step. The
 * whole job has the subjects "<line> job", means over the ranks for the steps that they share: useful_compute, own_rest
 * (what else the ranks did themselves, data and other phases too), communication, wait, wall.
 *
 * efficiency:
 *	mfu/ratio		flops_per_step * n / (wall * peak * flops_ranks): Chowdhery et al., "PaLM", 2022, appendix B.
 *				With convention, dtype, device, peak, peak_source, flops_per_step, flops_ranks. Not capped:
 *				above 1 it is wrong, see error
 *	hfu/ratio		the same with recomputation, where that is declared
 *	error/text		MFU or HFU is above 1; warning/text: above 0.7, or the ideal time is longer than compute (row
 *				warning/compute)
 *	goodput/ratio		compute / wall, productive (s), and the share of each loss: data_stall communication wait
 *				checkpoint evaluation other unattributed; session: compute / session.wall_time
 *	job/mfu, rank K/mfu	of all ranks by the longer of the ranks' and this rank's mean step; of a rank by its median step
 *	throughput/tokens	of the job, a second; samples; tokens_per_device, samples_per_device
 * The peak is the command line's, else work.peak_flops, else that of peaks.tsv for the device and the declared dtype; an
 * unknown device or an undeclared dtype gives none.
 * Source: pytscope 0.2.1's budget, whose wall is the sum of seven known phases; other phases and unattributed time count
 * here.
 */
#ifndef TSCOPE_ANALYSIS_RANK_EFFICIENCY_H
#define TSCOPE_ANALYSIS_RANK_EFFICIENCY_H

#include "analysis/answer/measure.h"
#include "analysis/rank/work.h"

/* The terms of the MFU, which is flops / (step time * peak). */
struct ts_mfu_terms {
	const char *reason; /* the reason why the MFU is not known; NULL if it is */
	double flops;	    /* model FLOPs of one rank and step */
	double peak;	    /* FLOP/s of one device */
	char *peak_source;  /* in the arena */
};

enum ts_status ts_mfu_terms(const struct ts_work *work, struct ts_arena *arena, struct ts_mfu_terms *ret_terms, struct ts_error *err);

enum ts_status ts_efficiency(const struct ts_work *work, struct ts_arena *arena, struct ts_measures *measures,
			     struct ts_error *err);

#endif
