/* timing.h - how the time of a step divides into its phases, in one rank.
 *
 * The time of a step is the sum of its phases, known or unknown by name. It takes two passes over the phases, because
 * the warm-up is found from whole steps and the values of each phase leave it out. Only one phase at a time needs to be
 * in memory:
 *
 *	ts_timing_begin(&t, steps, n, arena, err)		the union of the steps on which any phase is present
 *	ts_timing_total(&t, &series, err)			once a phase, in display order
 *	ts_timing_cut(&t, has_warmup, warmup, err)		declared, or found (warmup.h); then t.first, t.warmup_cut,
 *								ts_timing_steps(&t) say what is left
 *	ts_timing_phase(&t, &series, err)			once a phase, in display order; may be left out
 *	ts_timing_waits(&t, &series, err)			where waits for a CPU were recorded: seconds by step
 *	ts_timing_finish(&t, timestamps, arena, &measures, &events, &plots, err)
 *
 * timestamps, events and plots may be NULL. The steps that are left out at the start count only in the rows of "warmup".
 *
 * Measures, group "timing":
 * - step: count; every_count (the usual distance of recorded steps, if it is more than 1);
 *   source ("phases", or "timestamps" where no phase was recorded and stamped.h made the times); mean_s,
 *   stddev_s (of the population), median_s, p95_s, p99_s; cv_ratio (stddev/mean), tail_ratio (p95/median), rate_per_s
 *   (1/mean), total_s (attributed time); max_s and max_step (the first of the largest; times that are no numbers are
 *   passed over); stall_ratio: over the steps that took more than 3 medians, the sum of what they took beyond one median,
 *   of the total; stall_s and stall_step, the longest of them. A slow step of a period (periods.h) is compared with 3
 *   times the median of that period's slow steps instead: what comes back every N steps is no stall. Of a step that waited for a
 *   CPU what it took without that wait counts, and decides which is the longest. calm_cv_ratio,
 *   calm_tail: as cv_ratio and tail_ratio, of times without periods; only where there is one.
 * - cpu_wait, where waits for a CPU were recorded: waited_s and waited_ratio, of the total; stall_ratio: what steps of more than 3
 *   medians waited, beyond one median, of the total; longest_s, longest_step and step_s, the longest wait, its step and how long that
 *   took. A wait counts there as far as its step reaches.
 * - period K, the most certain first: every_count (steps, or records where step numbers do not tell), at_step (step mod every),
 *   slow_count of places_count, usual_s (median of the slow ones), others_s (median of all other steps), longest_s, cost_ratio
 *   (what the slow ones take beyond others_s, of the total), phase (which takes at least half of that), cause: "epoch starts"
 *   (every_count is then the median length of an epoch, and at_step unknown), "gradient
 *   accumulation" (work.accumulation), "like gradient accumulation" (64 records at most, nine in ten places, less than half of
 *   the time, and in a phase that may close an optimizer step), "loader workers" (as many as the loader has), "other".
 * - a subject a phase: mean_s (per step of the run, absent = 0), median_s, p95_s (over the steps that have it),
 *   share_ratio (of the attributed time, or of the sum of all phases where they overlap; unknown where only waits and work
 *   beside training have phases), count, total_s.
 * - wall: total_s, unattributed_s (below 0 where phases overlap), unattributed_ratio (of total_s; unknown where they do), gap_s,
 *   gap_count, backwards_count, unstamped_count: wall.h.
 * - between (between.h), unless there are no phases or timestamps: long_count, the steps at which much time was lost between steps;
 *   and if there are any, lost_s and lost_ratio (of wall total_s), longest_s and longest_step, steps (the first of them), and
 *   every_count if they come back every N steps.
 * - warmup: cut_count; method ("declared", "found", "none found"); level_before_s and level_after_s, the medians of what
 *   was cut (if anything was) and of what was not.
 * With events also step/ spikes_count and shifts_count (spikes.h), the events SPIKE and SHIFT of subject "step", and by slowdown.h
 * - slowdown: kind, and unless it is "none found" or "two levels": first_step, last_step (where a ramp or a stretch ends), before_s,
 *   after_s, rise_ratio (after/before - 1), cost_ratio (what the slower steps take beyond before_s, of the total).
 * - levels, where there are two: lower_s, upper_s, upper_ratio (share of the steps), switches_count, cost_ratio.
 * With plots the plot step/value in seconds.
 * Source: definitions of pytscope 0.2.1's timing section; wall from the timestamp column.
 */
#ifndef TSCOPE_ANALYSIS_RANK_TIMING_H
#define TSCOPE_ANALYSIS_RANK_TIMING_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"
#include "analysis/answer/plot.h"
#include "analysis/rank/periods.h"
#include "analysis/rank/spikes.h"

enum { TS_TIMING_TAGS = 8 };

/* Steps that the run marks with a word, such as "checkpoint". */
struct ts_timing_tag {
	struct ts_span word;
	int64_t *steps; /* ascending */
	size_t n;
};

struct ts_timing {
	struct ts_arena *arena;
	const int64_t *steps; /* after ts_timing_cut only the steps that are left; the same holds for n and total */
	size_t n;
	int64_t first;	/* first step that counts; INT64_MAX if none is left */
	double *total;	/* s, per step */
	double *waited; /* s, per step: for a CPU; NULL: not known */
	double *between; /* s, per step: of the phase of that name; NULL: it was not recorded */
	double *carry;	/* the rounding error of total; after ts_timing_cut room for n values */
	bool cut;	/* ts_timing_cut was called */
	size_t warmup_cut;
	const char *warmup_method; /* NULL if no warm-up could be searched for; warmup_reason says why */
	const char *warmup_reason;
	double level_before; /* s, median of the steps that were cut */
	bool stamped;	     /* the times are differences of timestamps; the caller sets it, and gives no phase, but where: */
	bool overlapped;     /* phases add up to more than the wall time, so their shares are of their sum, and not of the steps */
	uint64_t accumulation;	 /* records of an optimizer step, if the run says it, else 0; the caller may set it before the cut */
	uint64_t loader_workers; /* the same for processes that load data */
	const int64_t *epochs;	 /* the first steps of epochs, where the run says them, ascending; to be set before the cut too */
	size_t n_epochs;
	struct ts_periods periods; /* of the steps that are left */
	const struct ts_timing_tag *tags; /* the words that mark steps; to be set before the end */
	size_t n_tags;
	const struct ts_spikes_fit *fit; /* after the end: of the calm times, if there are events; it lies in the arena of times */
	struct ts_timing_excess {
		struct ts_span phase; /* that takes most of what the slow steps of the period take beyond the others; no name: none */
		double seconds;	      /* so much of it */
	} excess[TS_PERIODS_MAX];
	struct ts_timing_phase *phases;
	size_t n_phases, cap_phases;
};

enum ts_status ts_timing_begin(struct ts_timing *t, const int64_t *steps, size_t n, struct ts_arena *arena,
			       struct ts_error *err);
enum ts_status ts_timing_total(struct ts_timing *t, const struct ts_series *phase, struct ts_error *err);
/* If has_warmup, the first `warmup` steps are left out, or all steps if there are no more than that. */
enum ts_status ts_timing_cut(struct ts_timing *t, bool has_warmup, uint64_t warmup, struct ts_error *err);
enum ts_status ts_timing_phase(struct ts_timing *t, const struct ts_series *phase, struct ts_error *err);
enum ts_status ts_timing_waits(struct ts_timing *t, const struct ts_series *waits, struct ts_error *err);
enum ts_status ts_timing_finish(struct ts_timing *t, const struct ts_series *timestamps, struct ts_arena *arena,
				struct ts_measures *measures, struct ts_events *events, struct ts_plots *plots,
				struct ts_error *err);
/* The times of the steps that count, as a series named "step", which lives as long as the arena; after the cut, in ts_timing_calm
 * without what comes back every N steps. */
struct ts_series ts_timing_steps(const struct ts_timing *t);
struct ts_series ts_timing_calm(const struct ts_timing *t);
/* Compares two phase names, as strcmp does: data forward backward optimizer compute comm other come first, then all other
 * names by code point. */
int ts_phase_order(struct ts_span a, struct ts_span b);

#endif
