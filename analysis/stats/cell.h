/* cell.h - what a stretch of a series came to: where it begins and ends, and the least, greatest and mean value.
 *
 *	struct ts_cell cell = ts_cell_open;
 *	ts_cell_add(&cell, place, value)	once for each value
 *	ts_cell_of(values, n, first, last)	at once, where the values lie one behind the other
 *	ts_cell_join(&whole, &cell)		stretches that follow one another
 *
 * Values that are not finite are counted and part of nothing else. Of one value, least, greatest and mean are that value, bit by bit.
 */
#ifndef TSCOPE_ANALYSIS_STATS_CELL_H
#define TSCOPE_ANALYSIS_STATS_CELL_H

#include <stddef.h>
#include <stdint.h>

struct ts_cell {
	double first, last; /* the least and the greatest place of a value; NaN: none has a place */
	double min, max, sum; /* if count is 0, all of them are undefined */
	uint64_t count, odd; /* values that are finite, and that are not */
};

extern const struct ts_cell ts_cell_open; /* of no value */

/* A place that is not finite is none. */
void ts_cell_add(struct ts_cell *cell, double place, double value);
/* The cell of n values, the first and the last of which have finite places; those between lie between. Their sum is rounded otherwise
 * than if they were added one by one, and takes a fifth of the time. */
struct ts_cell ts_cell_of(const double *values, size_t n, double first, double last);
void ts_cell_join(struct ts_cell *cell, const struct ts_cell *next);
/* NaN: no value is finite, or their sum is larger than a double holds. */
double ts_cell_mean(const struct ts_cell *cell);

#endif
