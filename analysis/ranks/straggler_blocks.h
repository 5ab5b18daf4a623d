/* straggler_blocks.h - where the steps of a job may be cut into blocks that count as independent.
 *
 * Two things make neighbouring cells alike. Noise that depends on itself: a block is as long as correlation.h says, of the
 * deviations without bursts. And bursts: a rank that takes twice as long for ten cells has had one accident, not ten. All ranks are
 * cut at the same places, at equal distances, but a burst of a rank belongs whole to the block in which it begins. So ranks that are
 * alike can still be exchanged within a block, however many bursts the ranks have between them, and nothing of a burst is in two.
 *
 * A burst is a stretch of far cells (straggler_burst.h) of at most TS_BURST_MOST of the run, TS_BURST_LASTS if it lasts to the end, or
 * TS_BURST_CELLS; where the job has four stretches or more that are longer than a pause, also of any length that the longest
 * of so many has by chance, if their lengths are exponential, in all but 0.2 % of jobs. A third of the run is none. A longer
 * stretch is a time in which the rank was slow, and is cut like the rest.
 */
#ifndef TSCOPE_ANALYSIS_RANKS_STRAGGLER_BLOCKS_H
#define TSCOPE_ANALYSIS_RANKS_STRAGGLER_BLOCKS_H

#include "base/arena.h"

#include <stddef.h>

#define TS_BURST_MOST 0.12
#define TS_BURST_LASTS 0.08
enum { TS_BURST_CELLS = 32 };

struct ts_straggler_blocks {
	size_t length; /* cells that noise without bursts needs; 0: it is as long as the run, and there are no blocks */
	size_t n;      /* blocks */
	size_t *from;  /* [rank][n + 1]: the first cell of each block, and n_cells; in the arena */
	size_t burst;  /* cells of the longest burst that chance explains in such a job; 0: it has fewer than four */
};

/* x is [rank][cell], finite: deviations from the other ranks, relative to the level of the cell; n_ranks >= 2, n_cells >= 1.
 * calm[rank][cell] gets x without bursts. TS_NO_MEMORY is the only error. */
enum ts_status ts_straggler_blocks(const double *x, size_t n_ranks, size_t n_cells, struct ts_arena *arena, double *calm,
				   struct ts_straggler_blocks *ret, struct ts_error *err);

#endif
