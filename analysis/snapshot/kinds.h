/* kinds.h - what a life was for: parameters, gradients, optimizer state, activations, temporary, recomputation, copies of autocast,
 * what a forward kept, what was there before recording, or unknown.
 *
 * A kind is said only where the stacks of its allocation and of its release, and what happened between them, leave no other; the rules
 * stand in docs/memory.md and in kinds.c, one a line. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_KINDS_H
#define TSCOPE_ANALYSIS_SNAPSHOT_KINDS_H

#include "analysis/answer/row_words.h"
#include "analysis/snapshot/origin.h"
#include "analysis/snapshot/replay.h"

/* The kind of each life of the replay, as bytes. NULL: no memory. */
const uint8_t *ts_kinds_of(const struct ts_replay *r, const struct ts_origin *origins, struct ts_arena *arena);

#endif
