/* convergence.h - what a loss did: its levels, whether it fell, whether it still falls, where it blew up (a lower value
 * counts as better).
 *
 * The group is "convergence", the subject is the name of the series without "scalars.". Rows, over the values from step
 * `first` on:
 *
 *   count			number of all values, finite or not
 *   nonfinite first_nonfinite	how many values are NaN or infinite, and the step of the first; no rows if there are none
 *   lost STEP			from which step on no value to the end is finite, if those are at least TS_CONVERGENCE_LOST, or
 *				all of the series, TS_CONVERGENCE_ALL at least; no row if that is not so
 *   every end (STEP)		the mean distance of its values, in steps, and the step of the last one, finite or not; of two or more
 *   first last best best_step	of the finite values; best is the least, at the first step that has it; no rows of best where nobody
 *				knows which value is better (run/direction.h)
 *   initial final		levels: medians of the first fiftieth and of the last tenth of the finite values, 5 to 100 each
 *   change			(final - initial) / |initial|
 *   change_low change_high	95 % interval of change: the intervals of both medians by order statistics (Hahn and Meeker,
 *				Statistical Intervals, 1991, 5.2), combined as Zou and Donner (2008) do for a difference; not below
 *				-1 if no value is below 0
 *   progress TEXT		over the whole series: "fell" or "rose" if that interval lies beyond 5 % of the initial level,
 *				"none" if not, "unknown" if there is no interval
 *   recent			rise of the second half of the values from its beginning to its end, relative to its level (the
 *   recent_low recent_high	median of those values; of a series that is never below 0 a fall is relative to the level at the
 *				beginning of the half): Theil and Sen's slope through the medians of 32 parts of equal length,
 *				with Sen's 95 % interval (1968), widened for the lag-1 correlation of the ranks of the
 *				residuals (Hamed and Rao 1998)
 *   rise_low rise_end		if the series ends in a rise (rise.h) of at least 1 % of its lowest level and 0.5 % of what it had
 *   rise (STEP, RATIO)		gained: its lowest level, the level at its end, the step from which it rises, and by what share of
 *				the lowest level; no rows if it does not
 *   trend TEXT			"diverged"  the last value is NaN or infinite, the series blew up, or a loss ends in a rise to at
 *					    least double its lowest level and by at least 5 % of what it had gained
 *				"worsening" it ends in a smaller rise; or the 99 % interval of recent is above 0, and recent is
 *					    at least 1 % of the level
 *				"improving" the second half falls by at least 1 % of its level, and the 99 % interval is below 0,
 *					    or the fall is one that its ups and downs do not explain (rise.h)
 *				"falling" "rising"  the same two of a series of which nobody knows which value is better
 *				"plateau"   none of these, and the 95 % interval of recent lies within 3 robust deviations of single
 *					    values, 5 % of what was gained, or 1 % of the level, whichever is most. A run that
 *					    converged ends on a plateau, and so does one that never learned: progress
 *					    distinguishes them
 *				"unknown"   the interval is wider than that, or there are fewer than 20 finite values
 *				What was gained is the fall from the first five values to the lowest level.
 *   spikes dips shifts		how many (spikes.h); unknown with fewer than TS_SPIKES_LEAST finite values
 *   spikes_p_value		how many values as far out as the furthest spike a clean series of this length is expected to have,
 *				at most 1; no row if there are no spikes
 *   blow_up STEP		the step at which a blow-up begins; no row if there is none
 *
 * A blow-up begins at a step from which on every value stays above the middle between the lowest level reached and the last
 * level. The last level (the median of its finite values, at most the last 16) must be at least double the level before and
 * 10 robust deviations above it, and all values from the step on must lie above 99 % of the values before. "Before" is as
 * many values as follow the step, at least 64 but at most half of those there are, without the 16 just before the step,
 * which the rise may take: so a loss that jumps back to where it began also blows up. At least three finite values must
 * follow, or one and then NaN. A rise over many steps is no blow-up, but see rise.
 *
 * Events: SPIKE, DIP, SHIFT, NONFINITE (a run of non-finite values; its score is its length), BLOW_UP, at most TS_EVENTS_MAX
 * of each kind. Plot: convergence/<series>/value.
 */
#ifndef TSCOPE_ANALYSIS_RANK_CONVERGENCE_H
#define TSCOPE_ANALYSIS_RANK_CONVERGENCE_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"
#include "analysis/answer/plot.h"
#include "analysis/rank/spikes.h"
#include "analysis/stats/series.h"

/* Values in a row up to the end of which none is finite: by chance, where a loss scaler overflows at one step of ten, one run of
 * 100,000 ends so. */
enum { TS_CONVERGENCE_LOST = 5, TS_CONVERGENCE_ALL = 3 };

/* Appends rows, events and the plot of one series. *ret_fit (ret_fit may be NULL) is that of the counted steps, and lies in the
 * arena. */
enum ts_status ts_convergence_summary(const struct ts_series *series, int64_t first, struct ts_arena *arena,
				      struct ts_measures *measures, struct ts_events *events, struct ts_plots *plots,
				      const struct ts_spikes_fit **ret_fit, struct ts_error *err);

#endif
