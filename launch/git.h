/* git.h - runs git for the runner: without a shell, hooks, prompts, or the variables by which a hook of git names its own repository.
 * Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_GIT_H
#define TSCOPE_LAUNCH_GIT_H

#include <stdbool.h>
#include <stddef.h>

enum { TS_GIT_SAID = 300 };

/* Runs git with these words, which end with NULL, in a folder, and waits for it. ret_said: the first line of what it printed, as what
 * was wrong where it failed; may be NULL. False: it failed, or there is no git. */
bool ts_git(const char *folder, const char *const *words, char ret_said[TS_GIT_SAID]);
/* Does git track this file, or one below this folder, in what is checked out there? */
bool ts_git_tracks(const char *folder, const char *path);
/* The environment of this process without what names a repository to git, and with what has git ask nobody; ends with NULL. Freed by
 * ts_free; NULL: no memory. */
const char **ts_git_environment(void);

#endif
