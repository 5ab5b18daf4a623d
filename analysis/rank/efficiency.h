/* efficiency.h - where the wall time went, line by line, and how much of the hardware's arithmetic the work used.
 *
 * The functions read the rows of timing (and of ranks, if there are several) and struct ts_work, and nothing else, so that
 * the answer can be computed again from cached rows. They add the groups "budget" and "efficiency". n is the number of steps
 * that count.
 *
 * Group "budget" is about the analyzed rank. Its lines come in this order, each with seconds and share (of wall):
 *	useful_compute		min(ideal, compute) if the MFU is known and at most 1, otherwise all of compute;
 *				compute = forward + backward + optimizer + compute, ideal = FLOPs / peak
 *	compute_overhead	the rest of compute; unknown without an MFU
 *	data_stall		phase data
 *	communication		phase comm without wait: transfer
 *	wait			waiting for slower ranks, from the ranks rows; taken out of comm, or out of compute if the wait
 *				hides in backward
 *	other			phases that by their names are work of the host beside training (phase.h: checkpoints, evaluation,
 *				logging, "between"), and the rest of steps (phase "other") of which all training is marked
 *	unclassified		time of which nobody can say what was done in it: whole steps (phase "step"), phases of names that
 *				tscope does not know, and, unless compute, or forward, backward and optimizer are marked, the rest of
 *				steps; and what is outside of all phases, unless whole steps were recorded
 *	unattributed		wall minus all phases, if there are timestamps, as far as it is not unclassified
 *	wall			source: "timestamps" (the phases of the first step + the time from the first timestamp to the
 *				last, each taken at the end of its step) or "phases" (their sum; note says why; overlap is by
 *				how much the sum of the phases exceeds wall)
 * The seconds of the known lines, added as doubles in this order, are wall to the last bit. What cannot be determined (a
 * phase that was never recorded, wait seen from one rank) is unknown with its reason, and its time is in the line that the
 * reason names. wall/session is the run's own wall_time; wall/outside is the part of it before the first and after the last
 * step. The rows of the whole job have the subjects "<line> job" and are means over the ranks for the steps that they share:
 * useful_compute, own_rest (everything else that the ranks did themselves, with data and other phases), communication, wait,
 * unattributed (the share that it has in the analyzed rank), wall.
 *
 * Group "efficiency":
 *	mfu/ratio		flops_per_step * n / (wall * peak * flops_ranks): Chowdhery et al., "PaLM", 2022, appendix B.
 *				Comes with convention, dtype, device, peak, peak_source, flops_per_step, flops_ranks. It is not
 *				capped: a value above 1 is wrong, see error
 *	hfu/ratio		the same with recomputation, if that is declared; then there are also recompute TEXT (the word of
 *				work.recompute) and recomputed RATIO, the FLOPs done again over those of the model: 1/3 for "full"
 *	error/text		MFU or HFU is above 1; warning/text: above 0.7, or the ideal time is longer than compute (row
 *				warning/compute)
 *	goodput/ratio		compute / wall, productive (s), and the share of each loss: data_stall communication wait
 *				checkpoint evaluation other unattributed; session: compute / session.wall_time
 *	job/mfu, rank K/mfu	job: MFU of all ranks over the longer of the ranks' and this rank's mean step; rank K: MFU over
 *				the median step of the rank
 *	device/kind		"GPU" or "CPU"
 *	throughput/tokens	tokens per second of the job; samples likewise; tokens_per_device, samples_per_device
 * The peak is that of the command line, else work.peak_flops, else that of peaks.tsv for the device and the declared dtype.
 * Without a known device and a declared dtype peaks.tsv gives no peak.
 * Source: pytscope 0.2.1's budget, whose wall is the sum of seven known phases; here other phases and unattributed time
 * count too.
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
	const char *peak_source; /* in the arena */
};

/* Looks up the terms of the MFU. An unknown MFU is no error: the reason says why. */
enum ts_status ts_mfu_terms(const struct ts_work *work, struct ts_arena *arena, struct ts_mfu_terms *ret_terms, struct ts_error *err);

/* Appends both groups to measures, which hold the rows of timing and ranks. */
enum ts_status ts_efficiency(const struct ts_work *work, struct ts_arena *arena, struct ts_measures *measures,
			     struct ts_error *err);

#endif
