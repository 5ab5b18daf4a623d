/* huge_pages_posix.c - no huge pages: a block stays as it is. */
#include "base/huge_pages.h"

void ts_huge_pages_want(void *block, size_t size)
{
	(void)block;
	(void)size;
}
