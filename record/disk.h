/* disk.h - what a recording asks of the system, by Linux (disk_linux.c) or by POSIX alone (disk_posix.c).
 *
 * Functions that return int: 0, or errno. Threads: safe.
 */
#ifndef TSCOPE_RECORD_DISK_H
#define TSCOPE_RECORD_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Holds a lock on the first byte of the file until it is closed, by which readers tell a recording that goes on from one that was
 * killed. Best effort: nobody waits for it. */
void ts_disk_hold(int fd);
/* Whether somebody else holds that lock. Where nobody can tell, nobody does. */
bool ts_disk_is_held(int fd);
/* Makes the file longer, so that every byte of the new part has its place on the disk. Beyond the limit of the process it is EFBIG,
 * without SIGXFSZ. */
int ts_disk_extend(int fd, uint64_t at, size_t len);
/* Waits until what was written to the file has reached the disk. */
int ts_disk_flush(int fd);

/* Returns a descriptor of `size` bytes of memory that another process can map and nobody can cut, of which the first `allocated` are
 * there; -1 if the system has no such thing. */
int ts_disk_memory(size_t size, size_t allocated);
/* Allocates a part of such memory. */
int ts_disk_allocate(int fd, uint64_t at, size_t len);
/* Allocates a part of such memory where it is mapped, and makes it ready for writing, so that its first writer does not fault. Changes
 * no byte, and waits for nobody who allocates another part. EINVAL: the system has no such call. */
int ts_disk_warm(void *memory, size_t len);

#endif
