/* series_diff.h - where one series of two runs first differs, opening no more blocks than needed.
 *
 * Rows are paired by step. A pair of blocks with the same keys and the same values (equal ids) is passed unopened; blocks
 * that have no step in common are counted unopened; only others are opened, in order, until a common step differs. Blocks
 * cut at other steps (another cadence, another start, another first step) are walked as they lie.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_DIFF_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_DIFF_H

#include "service/handlers/core/read.h"

/* Text of a cell is cut after this many bytes, and an ellipsis says so. */
enum { TS_CELL_TEXT = 512 };

struct ts_series_side {
	const struct ts_table *table;
	const struct ts_column *column;
};

/* Decoded blocks of both sides, used again for every series. */
struct ts_series_walk;

enum ts_status ts_series_walk_create(struct ts_fetch *f, struct ts_series_walk **ret_walk, struct ts_error *err);
void ts_series_walk_destroy(struct ts_series_walk *walk); /* NULL is allowed */
/* Keeps up to so many bytes of decoded blocks; a few are kept without it. */
void ts_series_walk_keep(struct ts_series_walk *walk, size_t bytes);

/* Fills state, first_step, after_*, a, b, steps_*, counted, common, only_*; texts lie in the arena. Both columns have the
 * same type. For PARTS the counts are of what lies before first_step. */
enum ts_status ts_series_compare(struct ts_series_walk *walk, struct ts_series_side a, struct ts_series_side b,
				 struct ts_arena *arena, struct ts_series_row *row, struct ts_error *err);

/* Looks no further than it must to know whether they differ at a step of at most `last`: any state but PARTS says no more than that
 * they do not, and PARTS may be of a later step. Fills what ts_series_compare does for PARTS. */
enum ts_status ts_series_compare_upto(struct ts_series_walk *walk, struct ts_series_side a, struct ts_series_side b,
				      int64_t last, struct ts_arena *arena, struct ts_series_row *row,
				      struct ts_error *err);

#endif
