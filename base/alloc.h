/* alloc.h - the only place where memory is allocated, so that a test can make any allocation fail.
 *
 * Everything of tscope that allocates goes through ts_alloc/ts_realloc/ts_free, so that a test can
 * make the n-th allocation fail and see that every scenario reports it and leaks nothing.
 * Sizes of arrays are multiplied here and in the arena only, with overflow checked.
 * Threads: safe; the trap counts across threads.
 */
#ifndef TSCOPE_BASE_ALLOC_H
#define TSCOPE_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/* NULL when there is no memory, when the trap says so, and for size 0. Not zeroed. */
void *ts_alloc(size_t size);
/* count * size bytes, zeroed; NULL on overflow too. */
void *ts_alloc_array(size_t count, size_t size);
/* As realloc, but the old block stays valid on NULL. */
void *ts_realloc(void *block, size_t size);
/* NULL is allowed. */
void ts_free(void *block);

/* Makes the n-th allocation from now (1 = the next) fail, once; 0 disarms. Returns how many
 * allocations were made since it was armed last. For tests. */
size_t ts_alloc_fail_at(size_t n);

/* ret = a * b, a + b; false and ret untouched on overflow. */
bool ts_size_mul(size_t a, size_t b, size_t *ret);
bool ts_size_add(size_t a, size_t b, size_t *ret);

#endif
