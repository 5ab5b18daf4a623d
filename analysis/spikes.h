/* spikes.h - what in a series departs from its own neighbourhood: spikes, dips and level shifts.
 *
 *	struct ts_spikes found;
 *	ts_spikes_find(&series, TS_SPIKES_CHANCE, arena, &found, err);
 *	found.items[i].first .. last	indices into the series, not steps
 *
 * Baseline. The series is cut into blocks of 16 finite values (8 or 4 where it is short). What is expected at a value lies between
 * the level before (the median of the medians of the three blocks before its own) and the level after (the three blocks after), and
 * a value between the two never counts: a trend is no spike, and neither is the step of a level shift. Fewer than half of a block's
 * values do not move its median, and one block of three does not move theirs, so a burst of up to about two blocks is not its own baseline.
 *
 * Scale. Distances are measured on a scale that makes the noise even: x, its square root, its fourth root or its logarithm
 * (for positive series only), whichever makes the values about their level least skew (Hinkley 1977's quantile measure at 5 %), or
 * makes the spread least dependent on the level where the level moves (Tukey 1977, spread against level). A robust deviation is the
 * running median of the interquartile ranges of 33 blocks, divided by 1.349.
 *
 * Threshold. The chance of a distance is read off the tail of this very series: its quantiles at 75 to 99.9 % (as far as there are
 * values to say them) against those of a normal distribution, extended beyond by the steepest slope seen and its growth. A quantile
 * that lies far outside of what the ones before it lead to is taken for spikes, not for the tail. A value is a hit where the expected
 * number of values as far out in all of the series is below `chance`, so the rate of false events is one of a series, whatever its length.
 *
 * Hits with no more than two values between them are one event. A level shift is a jump of the block medians: the four blocks after
 * it lie beyond the four before it, and the gap between them is far more than either side varies; it is dated by the split that
 * parts best. A burst that comes back later than about four blocks is two shifts.
 *
 * A flat series (19 of 20 values equal to their level) has no deviation: there any departure is an event, and its score is the
 * departure over the level. Values that are not finite are skipped. Fewer than TS_SPIKES_LEAST finite values: nothing is found
 * and `decided` is false. The first four values are judged by nothing before them and so never hit; the last ones
 * are judged by what stands before them alone.
 *
 * O(n): two passes and a bounded sample; work memory is about 4 bytes a value.
 */
#ifndef TSCOPE_ANALYSIS_SPIKES_H
#define TSCOPE_ANALYSIS_SPIKES_H

#include "analysis/event.h"
#include "analysis/series.h"

enum { TS_SPIKES_LEAST = 24 };

/* False events of each kind that are expected in a clean series. */
#define TS_SPIKES_CHANCE 0.003

struct ts_spike {
	enum ts_event_kind kind;   /* SPIKE, DIP or SHIFT */
	size_t first, last, peak;  /* indices into the series; of a shift all are where the new level begins */
	double value, expected;	   /* at the peak; of a shift the levels after and before */
	double score;		   /* robust deviations; over the level where the series is flat */
	double chance;		   /* that one value of clean noise is as far out; of a shift 0 */
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
