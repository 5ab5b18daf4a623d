/* floor.h - the floor under a series: the lowest values of equal blocks, or of the cycles between sudden drops.
 *
 * Memory goes up and down within what a program does; what it never gives back shows in its lowest values. Where it is collected at
 * times of its own, a block may hold no collection, and the floor is that of its cycles.
 */
#ifndef TSCOPE_ANALYSIS_RANK_FLOOR_H
#define TSCOPE_ANALYSIS_RANK_FLOOR_H

#include <stdbool.h>
#include <stddef.h>

enum { TS_FLOOR_MOST = 128, TS_FLOOR_CYCLES = 6, TS_FLOOR_SAMPLED = 12 };

struct ts_floor {
	double y[TS_FLOOR_MOST];
	size_t at[TS_FLOOR_MOST]; /* index of the value that is the lowest there */
	size_t n;
};

/* Equal blocks; 1 <= blocks <= n, TS_FLOOR_MOST. */
void ts_floor_blocks(const double *x, size_t n, size_t blocks, struct ts_floor *ret);
/* Cycles begin where values fall at once by 8 robust deviations of the differences of neighbours; what lies before the first is left
 * out. Returns false if there are fewer than TS_FLOOR_CYCLES, or so many that blocks see their floor. scratch has room for
 * n / TS_FLOOR_SAMPLED + 1 values. */
bool ts_floor_cycles(const double *x, size_t n, double *scratch, struct ts_floor *ret);

#endif
