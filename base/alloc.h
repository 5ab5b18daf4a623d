/* alloc.h - the only place where memory is allocated, so that a test can make any allocation fail.
 *
 * All code of tscope that allocates calls ts_alloc, ts_realloc and ts_free, so that a test can make the n-th allocation fail
 * and see that every scenario reports it and leaks nothing. Sizes of arrays are multiplied here and in the arena only, with
 * a check for overflow.
 * Threads: safe; the counter of ts_alloc_fail_at counts the allocations of all threads.
 */
#ifndef TSCOPE_BASE_ALLOC_H
#define TSCOPE_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* Allocates size bytes, not zeroed. NULL if there is no memory, if ts_alloc_fail_at asked for it, and for size 0. */
void *ts_alloc(size_t size);
/* Allocates count * size bytes, zeroed. NULL as for ts_alloc, and on overflow. */
void *ts_alloc_array(size_t count, size_t size);
/* Works like realloc; if it returns NULL, the old block stays valid. */
void *ts_realloc(void *block, size_t size);
/* block may be NULL. */
void ts_free(void *block);

/* For tests: makes the n-th allocation from now (1 = the next) fail, once; 0 turns this off. Returns how many allocations
 * were made since the last call. */
size_t ts_alloc_fail_at(size_t n);

/* Store a * b and a + b in ret; on overflow they return false and leave ret untouched. */
bool ts_size_mul(size_t a, size_t b, size_t *ret);
bool ts_size_add(size_t a, size_t b, size_t *ret);

#endif
