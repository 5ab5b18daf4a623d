/* kinds.h - what a life was for: parameters, gradients, optimizer state, activations, temporary, recomputation, or unknown.
 *
 * A kind is said only where the stacks of its allocation and of its release, and what happened between them, leave no other; the rules
 * stand in docs/memory.md and in kinds.c, one a line. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_KINDS_H
#define TSCOPE_ANALYSIS_SNAPSHOT_KINDS_H

#include "analysis/snapshot/origin.h"
#include "analysis/snapshot/replay.h"

enum ts_memory_kind {
	TS_MEMORY_UNKNOWN = 0,
	TS_MEMORY_PARAMETERS, /* and buffers of modules, which no stack tells from them */
	TS_MEMORY_GRADIENTS,
	TS_MEMORY_OPTIMIZER,
	TS_MEMORY_ACTIVATIONS,
	TS_MEMORY_TEMPORARY,
	TS_MEMORY_RECOMPUTATION,
	TS_MEMORY_KINDS
};

/* "parameters", "optimizer state", ... */
const char *ts_memory_kind_word(enum ts_memory_kind kind);

/* The kind of each life of the replay, as bytes. NULL: no memory. */
const uint8_t *ts_kinds_of(const struct ts_replay *r, const struct ts_origin *origins, struct ts_arena *arena);

#endif
