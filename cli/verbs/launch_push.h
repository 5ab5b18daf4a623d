/* launch_push.h - pushes a run while it goes on, in a process of its own, so that a server that is down, slow or full costs the
 * training nothing.
 *
 * Each push is a process, too, and has 60 s; what one did not send the next one sends. Threads: one. */
#ifndef TSCOPE_CLI_VERBS_LAUNCH_PUSH_H
#define TSCOPE_CLI_VERBS_LAUNCH_PUSH_H

#include "cli/verbs/launch_beside.h"
#include "cli/verbs/launch_folder.h"

/* Begins to push the folder as the option --push says, if it was given. */
enum ts_status ts_launch_push_begin(struct ts_launch_folder *folder, struct ts_beside *ret, struct ts_error *err);
/* Has the end pushed, and says in a line where that failed; waits 30 s at most. */
void ts_launch_push_end(const struct ts_launch_folder *folder, struct ts_beside *push);

#endif
