/* axolotl_frames.h - who Axolotl's analyze_profile.py (067b021c) blames for an allocation: a frame of its stack, and a category by
 * that.
 *
 * The frame is the first of a Python file (its name ends in ".py") that is none of torch's own, else the first of any Python file.
 * Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_AXOLOTL_FRAMES_H
#define TSCOPE_ANALYSIS_PEERS_AXOLOTL_FRAMES_H

#include "base/arena.h"
#include "run/snapshot.h"

enum ts_axolotl_source {
	TS_SOURCE_CHECKPOINT,
	TS_SOURCE_BNB,
	TS_SOURCE_SCATTERMOE,
	TS_SOURCE_OPTIMIZER,
	TS_SOURCE_NORM,
	TS_SOURCE_FLA,
	TS_SOURCE_OTHER,
	TS_SOURCE_UNKNOWN, /* at the peak, without a frame */
	TS_SOURCES,
};

/* The frame of each stack, or TS_SNAPSHOT_NONE. The arena's; NULL: no memory. */
uint32_t *ts_axolotl_frames(const struct ts_snapshot *s, struct ts_arena *arena);
enum ts_axolotl_source ts_axolotl_source(const struct ts_snapshot *s, uint32_t frame);
const char *ts_axolotl_source_word(enum ts_axolotl_source source);
/* A path as it shows it; NULL: no memory. */
const char *ts_axolotl_short_path(struct ts_span path, struct ts_arena *arena);

#endif
