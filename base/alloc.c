#include "base/alloc.h"

#include "base/huge_pages.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* Blocks from this size on begin and end at huge pages, because the kernel takes as long to give 4 KiB as to read 100 numbers. */
enum { HUGE_PAGE = 2 << 20, HUGE_FROM = 2 * HUGE_PAGE };

static atomic_size_t made;
static atomic_size_t trap;

static bool trapped(void)
{
	size_t at = atomic_load_explicit(&trap, memory_order_relaxed);

	if (at == 0)
		return false;
	return atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) + 1 == at;
}

/* Where the kernel has no huge pages for it, the block is one like any other. */
static void *alloc_huge(size_t size)
{
	size_t whole = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
	void *block = aligned_alloc(HUGE_PAGE, whole);

	if (block)
		ts_huge_pages_want(block, whole);
	return block;
}

void *ts_alloc(size_t size)
{
	if (size == 0 || trapped())
		return NULL;
	return size >= HUGE_FROM && size <= SIZE_MAX - HUGE_PAGE ? alloc_huge(size) : malloc(size);
}

void *ts_alloc_array(size_t count, size_t size)
{
	size_t total;

	if (!ts_size_mul(count, size, &total) || total == 0 || trapped())
		return NULL;
	return calloc(1, total);
}

void *ts_realloc(void *block, size_t size)
{
	if (size == 0 || trapped())
		return NULL;
	return realloc(block, size);
}

void ts_free(void *block)
{
	free(block);
}

size_t ts_alloc_fail_at(size_t n)
{
	size_t count = atomic_exchange(&made, 0);

	atomic_store(&trap, n);
	return count;
}

bool ts_size_mul(size_t a, size_t b, size_t *ret)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*ret = product;
	return true;
}

bool ts_size_add(size_t a, size_t b, size_t *ret)
{
	size_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret = sum;
	return true;
}
