/* gap.h - by how much a series of two runs differs, from the first point that differs on.
 *
 *	ts_gap_begin(&m, resolution_a, resolution_b, arena, &err)
 *	ts_gap_add(&m, step, a, b)	every common point from the first whose bits differ on, in order
 *	ts_gap_hole(&m)			points were left out here: what follows is of another place of the run
 *	ts_gap_end(&m, &gap, &err)
 *
 * Points are paired by step (or by samples, tokens: the axis), never by position.
 *
 * r = |a - b| / max(|a|, |b|), 0 to 2. It is 0 where the bits are equal, both are NaN, both are the same infinity, or one is +0 and
 * the other -0; 1 where they are not equal and one of them is no finite number.
 * quantum: how finely the coarser of the two was written, at the greater magnitude (resolution.h).
 * A difference is visible when r > 0 and |a - b| exceeds half the quantum at that point, by more than the doubles
 * that hold decimals are off. So a double and its float32 do not differ visibly; two float32 that are not equal do.
 * Exchanging a and b changes nothing but bias, which becomes 1 - bias.
 * Source: measurements of growing differences, docs/numerics.md.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_GAP_H
#define TSCOPE_ANALYSIS_DIVERGE_GAP_H

#include "analysis/stats/resolution.h"
#include "analysis/stats/series.h"
#include "base/arena.h"

enum {
	TS_GAP_WINDOW = 103,	/* points kept from where it begins: 100 later and two beyond */
	TS_GAP_SLOPE = 60,	/* of them, for the slope */
	TS_GAP_SLOPE_LEAST = 10, /* with r > 0 */
	TS_GAP_TAIL = 1 << 14,	/* of the last tenth no more points than this are taken */
	TS_GAP_TAIL_LEAST = 5,
	TS_GAP_DIGITS_LEAST = 5, /* significant digits that a side may have been rounded to */
	TS_GAP_DIGITS_MOST = 9,
};

struct ts_gap {
	bool known;	       /* looked at: numbers on both sides, and the series differs */
	double quantum;	       /* absolute, at the first point; 0 = doubles */
	bool visible;	       /* somewhere in what was looked at */
	int64_t visible_step;  /* the first such step */
	double first;	       /* r at the first point, whose bits differ: 0 for +0 against -0 */
	double at_visible;     /* r at visible_step; NaN without one */
	/* Median r of the 5 points around the 10th, 30th, 100th point after the visible one (after the first if none is visible);
	 * NaN: there are not so many, or a hole before them. */
	double after_10, after_30, after_100;
	/* Of ln r a step, over the first 60 points from the visible one (else the first) on: the median of the slopes between all
	 * pairs of those with r > 0 (Theil, Sen). NaN: fewer than 10. */
	double slope;
	double saturation;     /* median r of the last tenth of the points, as far as no hole lies within; NaN: fewer than 5 */
	double greatest;       /* r */
	int64_t greatest_step; /* the first such step */
	bool only_one_grows;   /* somewhere one is 10 times what the other ever is here, or no finite number */
	bool ends_grown;       /* it is so at the last point */
	/* b / a lies within these at every point but those where both are 0, as far as the writing of both lets it: a range that is
	 * empty says that it is no constant. NaN: no point with values that are finite and not 0. */
	double ratio_least, ratio_most;
	uint64_t zeros;	       /* points where both are 0 */
	double spread_a;       /* of the values of a at those points: greatest less least, relative to the greatest magnitude */
	uint8_t digits;	       /* significant ones, 5 to 9, to which one side was rounded at every point; 0: none */
	double bias;	       /* share of the points with a > b among those with a > b or a < b: 0.5 has no side; NaN: none */
	uint64_t points;       /* common ones that were looked at, from the first that differs on */
	uint64_t differing;    /* of those, with r > 0 */
	int64_t last_step;     /* of what was looked at */
};

struct ts_gap_meter {
	struct ts_resolution a, b;
	double grid_a, grid_b; /* their quanta, for those that are the same everywhere */
	struct ts_gap gap;
	uint64_t above, below; /* points with a > b, a < b */
	double most_a, most_b; /* magnitudes */
	double last_a, last_b; /* those of the last point */
	double least_a, greatest_a; /* of the points of the ratio */
	bool no_ratio;	       /* a value is not finite, or one of the two is 0 */
	unsigned rounded;      /* bit d: every point so far is one of d significant digits on one side */
	int64_t steps[TS_GAP_WINDOW];
	double near[TS_GAP_WINDOW]; /* r from the visible point on, or the first */
	size_t n_near;
	bool closed; /* no more points follow those */
	double *tail; /* a ring of the last TS_GAP_TAIL */
	uint64_t n_tail; /* since the last hole */
	struct ts_arena *arena;
};

double ts_gap_ratio(double a, double b); /* r */
double ts_gap_quantum(struct ts_resolution a, struct ts_resolution b, double x, double y); /* of values x and y */

enum ts_status ts_gap_begin(struct ts_gap_meter *m, struct ts_resolution a, struct ts_resolution b, struct ts_arena *arena,
			    struct ts_error *err);
void ts_gap_add(struct ts_gap_meter *m, int64_t step, double a, double b);
void ts_gap_hole(struct ts_gap_meter *m);
/* Would the next points say more of where it begins? False once TS_GAP_WINDOW are known from the visible one on. */
bool ts_gap_wants(const struct ts_gap_meter *m);
enum ts_status ts_gap_end(struct ts_gap_meter *m, struct ts_gap *ret_gap, struct ts_error *err);


#endif
