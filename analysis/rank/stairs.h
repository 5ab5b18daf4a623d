/* stairs.h - whether the floor under a series rises in stairs: at once, several times, and stays there in between.
 *
 * A leak of one piece for each evaluation, checkpoint or epoch has no slope in most of its blocks, so that neither a test for a trend
 * nor the moves of a path see it. One rise is a change of level, and two may be a model that was built and an optimizer that
 * followed: neither goes on. Three that are alike and spread over the run, without a fall, do. Levels that rise or fall by chance
 * rise three times in a row in one of eight, and so much is left of the doubt where there are only three; each further rise
 * halves it.
 *
 * The floor is that of 24, 48 or 96 blocks, or of cycles (floor.h). A rise is a stretch of differences of neighbours of it that
 * climbs by
 *
 *	T = the largest of	1.5 D	D: the largest descent of the floor anywhere
 *				6 N	N: the robust deviation of its differences
 *				R / 25	R: from its first level to its last
 *
 * in all, each of them by T / 4 at least. Rises below a quarter of the largest do not count. There are stairs if
 *
 *	three rises or more count (of three, the least is 40 % of the largest), none is more than 60 % of R, and all together are at
 *		least 75 % of R: a slope or a cache that fills up is none
 *	at most a third of the blocks from the first to the last rise lie within rises
 *	from the first rise to the last it is at least a quarter of the run, and no gap between two is more than two thirds of that
 *	they have not ended: behind the last one is at most 1.5 times the longest gap between two
 *
 * tests/quality/quality_memory.c has the measured rates. O(n); the values must be finite.
 */
#ifndef TSCOPE_ANALYSIS_RANK_STAIRS_H
#define TSCOPE_ANALYSIS_RANK_STAIRS_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_STAIRS_LEAST = 3, TS_STAIRS_MOST = 32, TS_STAIRS_VALUES = 48 };

struct ts_stairs {
	size_t n;		 /* rises; 0 if there are no stairs */
	size_t at[TS_STAIRS_MOST]; /* index of the first value that never was as low again */
	double level[TS_STAIRS_MOST + 1]; /* of the floor: before the first rise, and behind each */
};

/* With fewer than TS_STAIRS_VALUES values nothing is found. The arena holds work memory of n / 12 values. TS_NO_MEMORY is the only
 * error. */
enum ts_status ts_stairs_find(const double *x, size_t n, struct ts_arena *arena, struct ts_stairs *ret_stairs,
			      struct ts_error *err);

#endif
