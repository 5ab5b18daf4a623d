/* resolution.h - how finely a series was written: as declared, or as its values show.
 *
 * Seen where all values lie on one grid:
 *
 *	decimals  1e-1 to 1e-TS_RESOLUTION_DIGITS, the coarsest that holds all of them: as doubles, or after they were float32 where
 *		  those are fine enough there to tell (their spacing is at most a fiftieth of the grid's). Takes
 *		  TS_RESOLUTION_LEAST different values that are no whole numbers, and that were measured: what somebody chose, a
 *		  learning rate for one, has few digits for another reason
 *	float32	  every value is one, and some value needs more decimals than those
 *
 * A measured double lies on a grid of six decimals by chance once in 1e9, and is a float32 once in 5e8. Whole numbers (counts), and
 * what was declared as decimals, are left as they are.
 */
#ifndef TSCOPE_ANALYSIS_STATS_RESOLUTION_H
#define TSCOPE_ANALYSIS_STATS_RESOLUTION_H

#include "run/index.h"

enum {
	TS_RESOLUTION_LEAST = 10,
	TS_RESOLUTION_MOST = 4096, /* values that are looked at */
	TS_RESOLUTION_DIGITS = 6,
};

/* How finely a side was written. */
struct ts_resolution {
	enum ts_precision precision;
	uint8_t digits; /* of TS_PRECISION_DECIMALS */
};

/* The same, and how it is known. */
struct ts_writing {
	struct ts_resolution resolution;
	bool inferred;
	size_t values; /* that it was seen in, if inferred */
};

/* What is finer than its values show is taken for what they show. At most TS_RESOLUTION_MOST of them are looked at. */
struct ts_writing ts_resolution_infer(struct ts_resolution declared, bool measured, const double *values, size_t n);
/* Absolute: of float32 the distance between neighbours at x, of d decimals 10^-d, of a double 0. */
double ts_resolution_quantum(struct ts_resolution r, double x);

#endif
