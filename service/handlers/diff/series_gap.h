/* series_gap.h - by how much a series of two runs differs from its first difference on, opening a bounded part of what follows.
 *
 * Looked at are the common points of the blocks that the first difference lies in and of those after it, until TS_GAP_POINTS points
 * or TS_GAP_BLOCKS blocks of the two together are past; further only while no difference was visible, or where points are so few
 * that it is not yet known how it begins. Then those of the last block that both have, and of the one before it: the gap's
 * points and last_step say what was looked at.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_GAP_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_GAP_H

#include "analysis/stats/resolution.h"
#include "service/handlers/diff/series_diff.h"

enum { TS_GAP_POINTS = 1 << 16, TS_GAP_BLOCKS = 8 };

/* How the two sides were written. */
struct ts_writings {
	struct ts_writing a, b;
};

/* Right after ts_series_compare of two F64 series that gave TS_SERIES_PARTS; the walk goes on from there. What is not
 * declared of how finely the numbers were written is inferred from the block of either side where they differ; measured: see
 * resolution.h. */
enum ts_status ts_series_gap(struct ts_series_walk *walk, bool measured, struct ts_arena *scratch, struct ts_gap *ret_gap,
			     struct ts_writings *ret_writings, struct ts_error *err);
/* How the side was written, seen in its first block. */
enum ts_status ts_series_writing(struct ts_fetch *f, const struct ts_series_side *side, bool measured,
				 struct ts_writing *ret_writing, struct ts_error *err);

#endif
