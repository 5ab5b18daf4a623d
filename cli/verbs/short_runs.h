/* short_runs.h - runs of one command here, each a few steps long, so that they can be compared.
 *
 *	ts_experiment_runner(cli, &runner, err)			before any thread is made
 *	ts_short_of(cli, words, "determinism", &recipe, err)	what is run: the user's own code as it stands in this folder
 *	ts_short_run(cli, runner, &recipe, 1, &run, err)	as often as is wanted; each in a folder of its own
 *
 * The code is that of the commit that is checked out, with the changes of files that git tracks; each run has a worktree of it, so
 * that nothing of the user's tree is touched. What git does not track is not there, unless --copy names it. The command is what the
 * user typed; nothing that was recorded is executed. Its recorder is asked by the environment where to record, when to end, and for
 * digests.
 * Threads: one at a time.
 */
#ifndef TSCOPE_CLI_VERBS_SHORT_RUNS_H
#define TSCOPE_CLI_VERBS_SHORT_RUNS_H

#include "cli/core/context.h"
#include "launch/runner.h"

struct ts_short {
	struct ts_recipe recipe; /* but for the folder; steps, digests and variables may be set by the caller */
	const char *clone;
	const char *directory; /* in which the folders are made, absolute; it is there */
};

struct ts_short_run {
	const char *folder;  /* absolute, of the run */
	const char *problem; /* why it could not be run to its end, with the last line that it printed; NULL: it ran */
	struct ts_span spec; /* by which the store's handlers know it; empty: nothing was recorded */
};

/* The options that it reads: --clone, --directory, --limit, --copy, --runner. `what` names the folder below the user's state folder. */
enum ts_status ts_short_of(struct ts_cli *cli, const char *const *words, const char *what, struct ts_short *ret_short,
			   struct ts_error *err);
/* Asks for steps 0 to n - 1, with digests in each of them; operations: and those of each operation of torch. */
void ts_short_steps(struct ts_short *s, int64_t n, bool operations);
/* Runs it, waits, and ingests what it recorded, for this command alone. A run that fails is no error: it has a problem. */
enum ts_status ts_short_run(struct ts_cli *cli, struct ts_runner *runner, const struct ts_short *s, unsigned number,
			    struct ts_short_run *ret_run, struct ts_error *err);

#endif
