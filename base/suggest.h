/* suggest.h - the known word nearest to a mistyped one. */
#ifndef TSCOPE_BASE_SUGGEST_H
#define TSCOPE_BASE_SUGGEST_H

#include <stddef.h>

enum { TS_SUGGEST_MAX = 32 };

/* How many letters must be put in, taken out, changed or swapped; at most TS_SUGGEST_MAX letters of each are looked at. */
size_t ts_word_distance(const char *a, const char *b);

/* The nearest of a list: give best = NULL and *io_distance = a bound first, then the answer so far. Returns word when
 * it is nearer than *io_distance, else best. */
const char *ts_suggest(const char *typed, const char *word, const char *best, size_t *io_distance);

/* A bound for a typed word: a third of its letters and one, so that "lsit" finds list and "x" finds nothing. */
size_t ts_suggest_bound(const char *typed);

#endif
