/* suggest.h - finds the known word nearest to a mistyped one. */
#ifndef TSCOPE_BASE_SUGGEST_H
#define TSCOPE_BASE_SUGGEST_H

#include <stddef.h>

enum { TS_SUGGEST_MAX = 32 };

/* How many letters must be inserted, deleted, changed or swapped with their neighbour to turn a into b. At most
 * TS_SUGGEST_MAX letters of each are compared. */
size_t ts_word_distance(const char *a, const char *b);

/* One step of a search for the nearest word of a list. The first call gets best = NULL and a bound in *io_distance, each
 * later call the result so far. Returns word, and updates *io_distance, if it is nearer than *io_distance; otherwise returns
 * best. */
const char *ts_suggest(const char *typed, const char *word, const char *best, size_t *io_distance);

/* The bound for a typed word: a third of its letters plus one, so that "lsit" finds "list" and "x" finds nothing. */
size_t ts_suggest_bound(const char *typed);

#endif
