/* convergence.h - what a loss did: its levels, whether it fell, whether it still falls, where it blew up (a lower
 * value is taken for better).
 *
 * Group "convergence", subject = the series' name without "scalars.". Rows, over the values from step `first` on:
 *
 *   count			all values, finite or not
 *   nonfinite first_nonfinite	how many are NaN or infinite, the step of the first; no rows where there are none
 *   first last best best_step	over finite values; best is the least, at the first step that has it
 *   initial final		levels: medians of the first fiftieth and the last tenth of the finite values, 5 to 100 of them
 *   change			(final - initial) / |initial|
 *   change_low change_high	its 95 % interval: those of both medians by order statistics (Hahn and Meeker, Statistical
 *				Intervals, 1991, 5.2), put together as Zou and Donner (2008) do for a difference
 *   progress TEXT		of the whole: "fell" or "rose" if that interval lies beyond 5 % of the initial level, "none" if
 *				not, "unknown" if there is no interval
 *   recent			how much the second half of the values climbs from its beginning to its end, over its level (the
 *   recent_low recent_high	median of those): by Theil and Sen's slope through the medians of 32 equal runs, with Sen's 95 %
 *				interval (1968), wider by what the correlation of neighbours (lag 1) asks for (Hamed and Rao 1998)
 *   trend TEXT			"diverged"  the last value is NaN or infinite, or the series blew up
 *				"improving" the second half still falls: the 99 % interval is below 0, and the fall is at least
 *					    1 % of the level
 *				"worsening" it rises so
 *				"plateau"   neither. A run that converged ends on a plateau, and so does one that never learned:
 *					    progress tells them apart
 *				"unknown"   fewer than 20 finite values
 *   spikes dips shifts		how many (spikes.h); unknown for fewer than TS_SPIKES_LEAST finite values
 *   blow_up STEP		no row where there is none
 *
 * Blow-up: from a step on every value stays above the middle between the lowest level reached and the last level, and that last
 * level (the median of its finite values, at most the last 16) is at least double the level before, 10 robust deviations above
 * it, and all values from the step on lie beyond 99 % of those before. "Before" is as many values as follow the step, 64 at least, but
 * at most half of those there are, leaving out the 16 just before it, which the rise may take: a loss that jumps back to where it
 * began blows up. Three finite values must follow, or one and then NaN. A rise
 * over many steps is "worsening", not a blow-up.
 *
 * Events SPIKE, DIP, SHIFT, NONFINITE (a run of such values; its score is its length), BLOW_UP, of each kind at most
 * TS_EVENTS_MAX. Plot convergence/<s>/value.
 */
#ifndef TSCOPE_ANALYSIS_RANK_CONVERGENCE_H
#define TSCOPE_ANALYSIS_RANK_CONVERGENCE_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"
#include "analysis/answer/plot.h"
#include "analysis/stats/series.h"

enum ts_status ts_convergence_summary(const struct ts_series *series, int64_t first, struct ts_arena *arena,
				      struct ts_measures *measures, struct ts_events *events, struct ts_plots *plots,
				      struct ts_error *err);

#endif
