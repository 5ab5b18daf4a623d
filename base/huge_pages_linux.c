/* huge_pages_linux.c - huge pages by madvise. */
#include "base/huge_pages.h"

#include <sys/mman.h>

void ts_huge_pages_want(void *block, size_t size)
{
	(void)madvise(block, size, MADV_HUGEPAGE);
}
