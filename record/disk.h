/* disk.h - what a recording asks of the file system, by Linux (disk_linux.c) or by POSIX alone (disk_posix.c).
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
/* Makes the file longer, so that every byte of the new part has its place on the disk: a full disk is an error here, and not a signal
 * when the part is written to. Beyond the limit of the process it is EFBIG, without SIGXFSZ. */
int ts_disk_extend(int fd, uint64_t at, size_t len);
/* Maps a part of the file, which a fork does not hand on, and touches its pages, so that writers do not fault later. */
int ts_disk_map(int fd, uint64_t at, size_t len, void **ret_map);
/* Waits until what was written through all maps of the file has reached the disk: first ts_disk_flush_map of each, then
 * ts_disk_flush. */
int ts_disk_flush_map(void *map, size_t len);
int ts_disk_flush(int fd);
/* Makes the pages of a part of a map ready for writing again: a flush protects them, and the next writer of each would fault.
 * Changes no byte. Best effort. */
void ts_disk_warm(void *map, size_t len);
/* Puts memory in the place of a map whose file was cut, or writing to it would be SIGBUS. Best effort. */
void ts_disk_detach(void *map, size_t len);

#endif
