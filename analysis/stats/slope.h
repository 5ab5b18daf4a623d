/* slope.h - where a series is heading: a robust slope, its interval, and whether it keeps on through the whole series.
 *
 * slope
 *	Median of the slopes between all pairs of points (Theil 1950, Sen 1968), in units of the values per key: keys need not be
 *	consecutive. Median-unbiased for a straight line under symmetric noise; up to 29 % of outliers do not carry it away.
 * low, high
 *	95 % interval: the slopes at the ranks (N -+ z sqrt(Var S)) / 2 of the N pairs (Sen 1968), Var S being that of Kendall's S
 *	with ties, times the inflation around one line or around pieces, whichever is more: a series that bends, or a slow
 *	sawtooth, has no one slope. Where a third of the series does not confirm the slope (its p-value is 0.05 or more), it
 *	is widened to hold that third's own interval.
 * inflation
 *	What autocorrelation does to Var S: (1 + r) / (1 - r) of the ranks of the residuals around at most 8 straight pieces, r
 *	corrected for its bias (Hamed and Rao 1998; Yue and Wang 2004; Marriott and Pope 1954). At least 1, at most half a
 *	piece: correlation that reaches further than a piece cannot be told from the trend there.
 * p_value
 *	Of "this series keeps rising (or falling) throughout", two-sided: the greatest of the p-values (an intersection-union
 *	test, Berger 1982) of Mann and Kendall's test on all points, on each third of them, and on the medians of 12 equal
 *	parts (6 if there are few), all in one direction. So one jump, a ramp that ends or a sawtooth is no trend, and a
 *	correlation that was taken for too small would have to fool five tests at once.
 * jump
 *	If there is no such trend (p_value >= 0.01): the one level shift at the split where Mann and Whitney's test of the values
 *	before it against those after is strongest, if it is significant at 0.01 (after inflation, times the number of splits:
 *	Bonferroni) and explains the points better than the line does (sum of absolute distances).
 *
 * More than TS_SLOPE_EXACT values are first reduced to the medians, of key and of value, of TS_SLOPE_BLOCKS equal runs of values;
 * what is left is taken in O(points^2), so the whole is O(n). Medians, not means, as measured on 100,000 steps: with spikes on
 * 5 % of the steps of the second half, of up to 10 times the whole rise, the slope is 1 % off with medians and 31 % with means;
 * under a sawtooth its error is 0.05 % against 0.7 %; under white noise 0.16 % against 0.12 %. Values must be finite.
 *
 * n < 3: nothing is known. Too few pairs for 95 %: no interval. n < TS_SLOPE_LEAST: no p-value, as no order of so few could
 * make all thirds significant at 0.01. A constant series has slope 0, interval [0, 0] and p-value 1. Values whose differences
 * overflow, and keys that are one as doubles, leave it unknown.
 */
#ifndef TSCOPE_ANALYSIS_STATS_SLOPE_H
#define TSCOPE_ANALYSIS_STATS_SLOPE_H

#include "analysis/stats/series.h"
#include "base/arena.h"

#include <stdbool.h>

enum {
	TS_SLOPE_EXACT = 1000, /* as many values are taken as they are: 4 MB of slopes */
	TS_SLOPE_BLOCKS = 500,
	TS_SLOPE_LEAST = 18,
};

struct ts_slope {
	size_t n;	/* values */
	size_t points;	/* taken over so many: n, or the blocks */
	bool known, has_interval, has_p;
	double slope, low, high; /* per key */
	double p_value;
	double inflation;
	double last_level; /* median of the last 12th of the points, if n > 0 */
	bool has_jump;
	double jump;	   /* level after minus level before */
	int64_t jump_key;  /* the first key of the new level */
};

/* `blocks` instead of TS_SLOPE_BLOCKS when it is less (and at least TS_SLOPE_LEAST); then also no more values are exact. */
enum ts_status ts_slope_fit(const struct ts_series *s, size_t blocks, struct ts_arena *scratch, struct ts_slope *ret_slope,
			    struct ts_error *err);

#endif
