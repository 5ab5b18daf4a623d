/* huge_pages.h - pages of 2 MiB behind large blocks of memory: huge_pages_linux.c, and huge_pages_posix.c for all other systems.
 *
 * It stands apart from system.h because allocation uses it, and what reads files of the system allocates.
 * Threads: safe.
 */
#ifndef TSCOPE_BASE_HUGE_PAGES_H
#define TSCOPE_BASE_HUGE_PAGES_H

#include <stddef.h>

/* Asks for huge pages behind a block that begins and ends at such pages; where there are none, it stays as it is. */
void ts_huge_pages_want(void *block, size_t size);

#endif
