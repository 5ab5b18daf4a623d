/* grow.h - room for more items in an array that grows.
 *
 *	if (!TS_GROW(list->items, list->cap, list->n + 1, 16))
 *		return ts_error_set(err, TS_NO_MEMORY, "out of memory for names");
 *	list->items[list->n++] = item;
 *	...
 *	ts_free(list->items);
 *
 * TS_GROW keeps the array in memory of its own, which the caller frees; TS_GROW_IN in an arena, where the arrays before it stay until
 * the arena ends. An array begins as NULL with a cap of 0. Its cap becomes `first`, which is not 0, and then doubles until the items
 * that are wanted fit. New items are zero. Without memory, or if no size_t is so large, they are false and the array stays as it was.
 */
#ifndef TSCOPE_BASE_GROW_H
#define TSCOPE_BASE_GROW_H

#include "base/arena.h"

/* True if there is room for `want` items afterwards; items is a pointer and cap a size_t, both variables. */
#define TS_GROW(items, cap, want, first) ((want) <= (cap) || ts_grow(&(items), &(cap), sizeof *(items), (want), (first)))
#define TS_GROW_IN(arena, items, cap, want, first)                                                                                     \
	((want) <= (cap) || ts_grow_in((arena), &(items), &(cap), sizeof *(items), (want), (first)))

/* The same for an array in an arena that grows by one item at a time and has no cap beside it: it is full where n, the number of its
 * items, is 0 or `first` times a power of two. */
#define TS_GROW_BY_ONE_IN(arena, items, n, first) ts_grow_by_one_in((arena), &(items), sizeof *(items), (n), (first))

/* What the macros call: items is the address of the pointer. */
bool ts_grow(void *items, size_t *cap, size_t size, size_t want, size_t first);
bool ts_grow_in(struct ts_arena *arena, void *items, size_t *cap, size_t size, size_t want, size_t first);
bool ts_grow_by_one_in(struct ts_arena *arena, void *items, size_t size, size_t n, size_t first);

#endif
