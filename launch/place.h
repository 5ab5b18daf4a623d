/* place.h - where one job of the runner lies: a folder below the runner's state folder, with a worktree in it, held by a lock.
 *
 *	ts_place_make(state, clone, &place, err)	in the process of the job, which holds the lock until it ends
 *	ts_place_clear(&place)				ends what runs there, removes the worktree and the folder
 *
 * The name of a place cannot be guessed. Every process of the job has it in its environment, as TSCOPE_RUNNER: so it is found and ended
 * wherever it has gone to. A lock that nobody holds is that of a job that died: ts_places_sweep clears its place. A place without a
 * lock is one that git made anew after that, because git outlived the job: a later sweep clears it.
 * Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_PLACE_H
#define TSCOPE_LAUNCH_PLACE_H

#include "base/arena.h"
#include "base/error.h"
#include "launch/git.h"

enum { TS_PLACE_NAME = 48, TS_PLACE_PATH = 4096 };

struct ts_place {
	char name[TS_PLACE_NAME];
	const char *state; /* the folder of all places */
	const char *clone; /* whose worktree it is; NULL: not known any more */
	char lock_path[TS_PLACE_PATH];
	char folder[TS_PLACE_PATH];
	char tree[TS_PLACE_PATH]; /* the worktree, in the folder */
	int lock;
};

/* clone lies as long as the place does. */
enum ts_status ts_place_make(const char *state, const char *clone, struct ts_place *ret_place, struct ts_error *err);
/* ts_git in the clone. Git looks at all worktrees, and fails where another one is half made; so jobs of one state folder wait for each
 * other here. */
bool ts_place_git(const struct ts_place *place, const char *const *words, char ret_said[TS_GIT_SAID]);
/* Ends every process of the job by SIGKILL. Returns how many there were. */
size_t ts_place_end_processes(const struct ts_place *place);
void ts_place_clear(struct ts_place *place);
/* Clears the places of jobs that died. Those of others, which live, are left. */
enum ts_status ts_places_sweep(const char *state, struct ts_error *err);
/* Clears one of them, if its job has died. */
void ts_place_sweep(const char *state, const char *name);

#endif
