/* spikes.h - what in a series departs from its own neighbourhood: spikes, dips and level shifts.
 *
 *	ts_spikes_fit(&series, arena, &fit, err);
 *	ts_spikes_of(fit, TS_SPIKES_CHANCE, &found, err);
 *	found.items[i].first .. last	indices into the series, not steps
 *
 * Baseline. The series is cut into blocks of 16 finite values (8 or 4 if it is short). The expected value lies between the
 * level before (the median of the medians of the three blocks before the value's own block) and the level after (of the
 * three blocks after it). A value between the two is never a hit: a trend is no spike, and neither is the step of a level
 * shift. Fewer than half of a block's values cannot move its median, and one block of three cannot move the median of the
 * three, so a burst of up to about two blocks does not become its own baseline.
 *
 * Scale. Distances are measured on a scale on which the noise is even: x, its square root, its fourth root or its logarithm
 * (for positive series only). If the level moves, it is the scale on which the spread depends least on the level (Tukey,
 * Exploratory Data Analysis, 1977). Otherwise, for values above, it is the first scale that is not skewed upward, and for
 * values below the last one that is not skewed downward (Hinkley's quantile skewness at 5 %, 1975). A robust deviation is
 * the running median of the interquartile ranges of 129 blocks, divided by 1.349; where a block falls or rises by more than
 * its noise explains, of its values less that trend.
 *
 * Threshold. The chance of a distance is estimated from the tail of this very series: its quantiles at 50 to 99.9 % (as far
 * as there are enough values for them) are compared with those of a normal distribution and extended beyond by the steepest
 * slope that the error of its estimate supports, by a margin for few values (and 5 % in long series), and by the growth of
 * that slope. A quantile far outside of what the quantiles before it lead to counts as spikes, not as part of the tail. A
 * value is a hit if the expected number of values as far out in the whole series is below `chance`: so the rate of false
 * events is per series, whatever its length; in a series that falls, a hundredth of it for dips, which nobody looks for in a
 * decay. tests/quality measures it. For a tail heavier than that of an exponential
 * distribution, or one as heavy on both sides of 0, the chance comes out too small: its extremes are reported as events.
 *
 * Hits with no more than two values between them are one event. A level shift is a jump of the block medians: the four
 * blocks after it lie beyond the four before it, the gap between them is larger than the variation on either side, and the
 * jump is 6 times the usual jumps of this series and what noise makes of them, and larger than the trend around it explains.
 * It is dated by the split that separates best. A burst that ends after more than about four blocks counts as two shifts.
 *
 * A flat series (19 of 20 values equal to their level, most blocks without any spread) has no deviation: there any departure
 * is an event, and its score is the departure relative to the level. Values that are not finite are skipped. With fewer than
 * TS_SPIKES_LEAST finite values nothing is found and `decided` is false. The first four values have no values before them to
 * be compared with and are never hits; the last four are compared with the values before them and with a trend that
 * continues.
 *
 * O(n): three passes and a bounded sample, some 40 ns a value; work memory is 4 to 7 bytes a value and 0.5 MB.
 */
#ifndef TSCOPE_ANALYSIS_RANK_SPIKES_H
#define TSCOPE_ANALYSIS_RANK_SPIKES_H

#include "analysis/answer/event.h"
#include "analysis/stats/series.h"

enum { TS_SPIKES_LEAST = 24 };

/* The number of false events of each kind that is expected in a clean series. */
#define TS_SPIKES_CHANCE 0.0035

struct ts_spike {
	enum ts_event_kind kind;   /* SPIKE, DIP or SHIFT */
	size_t first, last, peak;  /* indices into the series; for a shift all three are where the new level begins */
	double value, expected;	   /* at the peak; for a shift the levels after and before it */
	double score;		   /* the largest of its values, in robust deviations; in a flat series relative to the level */
	double chance;		   /* the least chance of its values that clean noise is as far out; for a shift 0 */
};

struct ts_spikes {
	struct ts_spike *items; /* ordered by index; shifts last */
	size_t n;
	size_t spikes, dips, shifts;
	size_t judged; /* number of finite values */
	bool decided;
};

/* A series with its scales, deviations and tails, in which events of several chances can be found. */
struct ts_spikes_fit;

/* The fit lies in the arena, and so will everything that is found in it. The values and keys of the series must outlive it. */
enum ts_status ts_spikes_fit(const struct ts_series *series, struct ts_arena *arena, const struct ts_spikes_fit **ret_fit,
			     struct ts_error *err);
const struct ts_series *ts_spikes_series(const struct ts_spikes_fit *fit);
/* The number of blocks, 0 if there are too few values; the median of block b, and the index at which it begins. */
size_t ts_spikes_blocks(const struct ts_spikes_fit *fit);
double ts_spikes_block(const struct ts_spikes_fit *fit, size_t b, size_t *ret_at);
/* chance is the expected number of false events of a kind in a clean series, above 0. */
enum ts_status ts_spikes_of(const struct ts_spikes_fit *fit, double chance, struct ts_spikes *ret_spikes, struct ts_error *err);
/* The same without shifts, which do not depend on the chance. */
enum ts_status ts_spikes_hits(const struct ts_spikes_fit *fit, double chance, struct ts_spikes *ret_spikes, struct ts_error *err);

#endif
