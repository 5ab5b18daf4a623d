/* spikes.h - what in a series departs from its own neighbourhood: spikes, dips and level shifts.
 *
 *	struct ts_spikes found;
 *	ts_spikes_find(&series, TS_SPIKES_CHANCE, arena, &found, err);
 *	found.items[i].first .. last	indices into the series, not steps
 *
 * Baseline. The series is cut into blocks of 16 finite values (8 or 4 where it is short). What is expected at a value lies
 * between the level before (the median of the medians of the three blocks before its own) and the level after (the three
 * blocks after), and a value between the two never counts: a trend is no spike, and neither is the step of a level shift. Fewer
 * than half of a block's values do not move its median, and one block of three does not move theirs, so a burst of up to about
 * two blocks is not its own baseline.
 *
 * Scale. Distances are measured on a scale that makes the noise even: x, its square root, its fourth root or its logarithm
 * (for positive series only). Where the level moves, the one on which the spread goes least with the level (Tukey, Exploratory
 * Data Analysis, 1977); else, for what lies above, the first that is not skew upward, and for what lies below the last that is
 * not skew downward (Hinkley's quantile skewness at 5 %, 1975). A robust deviation is the running median of the interquartile
 * ranges of 129 blocks, divided by 1.349.
 *
 * Threshold. The chance of a distance is read off the tail of this very series: its quantiles at 50 to 99.9 % (as far as there
 * are values to say them) against those of a normal distribution, extended beyond by the steepest slope seen that its error
 * supports, a margin for few values (and 5 % in long series), and its growth. A quantile that lies far outside of what the ones
 * before it lead to is taken for spikes, not for the tail. A value is a hit where the expected number of values as far out in
 * all of the series is below `chance`: the rate of false events is one of a series, whatever its length. tests/quality measures
 * it.
 * A tail heavier than that of an exponential, or one like it on both sides of 0, is underrated: its extremes are events.
 *
 * Hits with no more than two values between them are one event. A level shift is a jump of the block medians: the four blocks
 * after it lie beyond the four before it, the gap between them is more than either side varies, and the jump is 6 times what
 * jumps usually are here and what noise makes of them, more than the trend around it explains. It is dated by the split that
 * parts best. A burst that comes back later than about four blocks is two shifts.
 *
 * A flat series (19 of 20 values equal to their level, most blocks without any spread) has no deviation: there any departure is
 * an event, and its score is the departure over the level. Values that are not finite are skipped. Fewer than
 * TS_SPIKES_LEAST finite values: nothing is found and `decided` is false. The first four values are judged by nothing before them
 * and so never hit; the last four are judged by what stands before them and by a trend that goes on.
 *
 * O(n): three passes and a bounded sample, some 40 ns a value; work memory is 4 to 7 bytes a value and 0.5 MB.
 */
#ifndef TSCOPE_ANALYSIS_RANK_SPIKES_H
#define TSCOPE_ANALYSIS_RANK_SPIKES_H

#include "analysis/answer/event.h"
#include "analysis/stats/series.h"

enum { TS_SPIKES_LEAST = 24 };

/* False events of each kind that are expected in a clean series. */
#define TS_SPIKES_CHANCE 0.0035

struct ts_spike {
	enum ts_event_kind kind;   /* SPIKE, DIP or SHIFT */
	size_t first, last, peak;  /* indices into the series; of a shift all are where the new level begins */
	double value, expected;	   /* at the peak; of a shift the levels after and before */
	double score;		   /* robust deviations, the most of its values; over the level where the series is flat */
	double chance;		   /* that one value of clean noise is as far out, the least of its values; of a shift 0 */
};

struct ts_spikes {
	struct ts_spike *items; /* by index; shifts last */
	size_t n;
	size_t spikes, dips, shifts;
	size_t judged; /* finite values */
	bool decided;
};

/* chance: false events of a kind in a clean series, above 0. All in the arena. */
enum ts_status ts_spikes_find(const struct ts_series *series, double chance, struct ts_arena *arena,
			      struct ts_spikes *ret_spikes, struct ts_error *err);

#endif
