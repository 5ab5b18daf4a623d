/* scratch.h - memory for work: an arena beside the one in which the result lies, and arrays that are not zeroed.
 *
 *	struct ts_arena scratch;
 *	ts_scratch_init(&scratch, arena);
 *	spare = ts_scratch_array(&scratch, n, sizeof *spare);
 *	...
 *	ts_arena_finish(&scratch);
 *	ts_scratch_give(arena, items);		of any arena
 *
 * The kernel takes longer to give memory than one pass over it takes, so what is done with goes back before the next work begins, and
 * what is never written is never touched. Threads: as arenas.
 */
#ifndef TSCOPE_BASE_SCRATCH_H
#define TSCOPE_BASE_SCRATCH_H

#include "base/arena.h"

/* An arena that may use what another one has left of its ceiling. */
void ts_scratch_init(struct ts_arena *scratch, const struct ts_arena *arena);
/* As ts_arena_array, of any arena, but not zeroed: for who writes each place before it is read. */
void *ts_scratch_array(struct ts_arena *arena, size_t count, size_t size);
/* Frees an array before its arena ends, for who needs it no more (arena.c). Only a block that is larger than chunks are, a MiB or less,
 * is freed; any other one, NULL and what was given before stay as they are. */
void ts_scratch_give(struct ts_arena *arena, const void *array);

#endif
