/* resolution.h - how finely the values of a series were written: as the run declares it, or as the values show.
 *
 * Values show a resolution if all of them lie on one grid:
 *
 *	decimals  1e-1 to 1e-TS_RESOLUTION_DIGITS: the coarsest grid that holds all values, as doubles, or after rounding to
 *		  float32 if float32 is fine enough there to tell (its spacing is at most a fiftieth of the grid's). This takes
 *		  at least TS_RESOLUTION_LEAST different values that are not whole numbers. The values must be measured ones: a
 *		  number that somebody chose, such as a learning rate, has few digits for another reason
 *	float32	  every value is a float32, and some value needs more decimals than TS_RESOLUTION_DIGITS
 *
 * By chance, a measured double lies on a grid of six decimals once in 1e9, and is a float32 once in 5e8. Whole numbers
 * (counts) and series that are declared as decimals are not examined.
 */
#ifndef TSCOPE_ANALYSIS_STATS_RESOLUTION_H
#define TSCOPE_ANALYSIS_STATS_RESOLUTION_H

#include "run/index.h"

#include <string.h>

enum {
	TS_RESOLUTION_LEAST = 10,
	TS_RESOLUTION_MOST = 4096, /* values that are examined at most */
	TS_RESOLUTION_DIGITS = 6,
};

/* How finely a side was written. */
struct ts_resolution {
	enum ts_precision precision;
	uint8_t digits; /* of TS_PRECISION_DECIMALS */
};

/* The resolution of a side, and how it is known. */
struct ts_writing {
	struct ts_resolution resolution;
	bool inferred;
	size_t values; /* if inferred: in how many values it was seen */
};

/* The distance from a finite |x| to the next float32, as if there were no greatest one: 2^(e - 23) for 2^e <= |x| < 2^(e + 1). */
static inline double ts_float32_spacing(double x)
{
	uint64_t bits;
	int e;

	memcpy(&bits, &x, sizeof bits);
	e = (int)(bits >> 52 & 0x7ff) - 1023;
	bits = (uint64_t)((e < -126 ? -126 : e) - 23 + 1023) << 52;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* The declared resolution, or the coarser one that the values show. At most TS_RESOLUTION_MOST values are examined. */
struct ts_writing ts_resolution_infer(struct ts_resolution declared, bool measured, const double *values, size_t n);
/* The step between two values that can be written near x, in the unit of x: the spacing of float32 at x, 10^-d for d
 * decimals, 0 for a double. */
double ts_resolution_quantum(struct ts_resolution r, double x);

#endif
