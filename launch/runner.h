/* runner.h - takes recipes, and makes of each one run folder, in a worktree of the user's clone that lives as long as the run.
 *
 *	ts_runner_open(state, &runner, err)			before any thread is made
 *	ts_runner_begin(runner, clone, &recipe, &job, err)	as often as is wanted; returns at once
 *	ts_runner_wait(runner, -1, &ran, err)			the next one that has ended
 *	ts_runner_close(runner)					ends what still runs
 *
 * The runner is a process of its own, and so is each job: it makes the worktree (git worktree add --detach, no hooks), applies the
 * patch, copies the files, runs the command in a session of its own with stdin from /dev/null, and removes the worktree. What the
 * command prints goes to FOLDER/output.txt. All processes of the command end with it, also those that it leaves behind.
 *
 * A launcher (recipe.h) is a program that makes the run elsewhere: on another machine by srun, in a container. It is started where the
 * command would be, with the words of the command behind its own, and its exit code is the command's. TSCOPE_RECIPE names a JSON file
 * for it: command, directory, worktree, clone, commit, folder, and the variables that the recipe sets; TSCOPE_VARIABLES has their
 * names, with a blank between them, for a container that begins with none.
 *
 * Nothing of the user's tree is touched: of the clone, git writes .git/worktrees and objects alone.
 *
 * Whatever dies, the rest cleans up: where the caller is killed, the runner ends each job; where the runner is killed, each job does it
 * itself: processes by SIGTERM and 5 s later by SIGKILL, then the worktree. What is left where all of them are killed at once, or the
 * power fails, is found by the next ts_runner_open with the same state folder: each job holds a lock there for as long as it lives.
 * Processes are told from others by TSCOPE_RUNNER in their environment, never by name.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_RUNNER_H
#define TSCOPE_LAUNCH_RUNNER_H

#include "launch/ended.h"
#include "launch/recipe.h"

enum { TS_RUNNER_JOBS = 64, TS_RUNNER_WHY = 400 };

enum ts_ran_kind {
	TS_RAN_WELL,   /* the command ended with 0 */
	TS_RAN_FAILED, /* it ended otherwise */
	/* It cannot be tested: it ended with 125, or there is no such commit, the patch does not apply, a file is not there, or the
	 * program could not be started. */
	TS_RAN_CANNOT,
	TS_RAN_LIMIT, /* it ran longer than limit_ns, and was ended */
	TS_RAN_ENDED, /* ts_runner_end ended it */
};

struct ts_ran {
	uint32_t job;
	enum ts_ran_kind kind;
	struct ts_ended ended; /* of the command; begun false: it did not begin */
	int64_t took_ns;       /* of the command alone */
	char why[TS_RUNNER_WHY]; /* of all but TS_RAN_WELL, in words: "there is no commit 5f3c..."; no newline */
};

struct ts_runner;

/* state: a folder of the user's, which is made if it is not there. Jobs that died are cleaned up first. */
enum ts_status ts_runner_open(const char *state, struct ts_runner **ret_runner, struct ts_error *err);
/* clone: the top of the user's clone. Returns once the runner has the recipe. TS_INVALID: the recipe; TS_CONFLICT: the folder is there;
 * TS_TOO_LARGE: TS_RUNNER_JOBS run. */
enum ts_status ts_runner_begin(struct ts_runner *runner, const char *clone, const struct ts_recipe *recipe, uint32_t *ret_job,
			       struct ts_error *err);
/* Waits until a job is over. wait_ns below 0: for as long as it takes. TS_DEADLINE: none was; TS_NOT_FOUND: none runs. */
enum ts_status ts_runner_wait(struct ts_runner *runner, int64_t wait_ns, struct ts_ran *ret_ran, struct ts_error *err);
/* Ends a job; ts_runner_wait gives it then, with all of it cleaned up. Of one that is over it does nothing. */
void ts_runner_end(struct ts_runner *runner, uint32_t job);
/* Ends what runs, waits for it, and frees the runner. May be given NULL. */
void ts_runner_close(struct ts_runner *runner);

#endif
