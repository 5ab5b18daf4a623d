/* marked.h - finds processes of this user by what stands in their environment, by /proc (marked_linux.c), or none (marked_posix.c).
 * Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_MARKED_H
#define TSCOPE_LAUNCH_MARKED_H

#include <stddef.h>

/* Sends SIGKILL to each process of this user that began with the variable `mark`, "NAME=VALUE", but for this one. Returns how many. */
size_t ts_marked_kill(const char *mark);
/* Makes this process the parent of what its descendants leave behind, so that it can wait for them; where the system can. */
void ts_marked_adopt(void);

#endif
