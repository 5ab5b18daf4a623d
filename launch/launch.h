/* launch.h - runs a command, or several processes of it, so that a training sees nothing of it.
 *
 *	const struct ts_launch_wanted wanted = {.argv = words, .folder = "runs/exp1", .finish = write_end, .ctx = &run};
 *	ts_launch(&wanted, &launched, err)
 *
 * The command has a process group of its own, and the terminal's foreground. Its stdin, stdout and stderr stay what they were
 * (output.h, terminal.h). SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 and SIGTSTP that come to the launcher go to the
 * command's process group, each as often as it comes; where the command stops, the launcher stops, and goes on with it; but
 * not with a process that SIGSTOP stops. A command
 * that leaves processes behind is over when its own process is; what these print is taken on by the minder (processes.h).
 *
 * Of several processes the first that fails has the others ended: by SIGTERM, and 30 s later by SIGKILL.
 *
 * What holds where one of ours is killed: the launcher may be killed at any moment, and the command goes on with all of its output;
 * the minder writes its end. Where the minder is killed, output goes on and the command's end is not known; a command with a terminal
 * gets SIGHUP, as where its window is closed. Where both are killed, what the command prints has no reader: a pipe is broken, and a
 * regular file goes on.
 * Threads: one, before any other is made.
 */
#ifndef TSCOPE_LAUNCH_LAUNCH_H
#define TSCOPE_LAUNCH_LAUNCH_H

#include "base/error.h"
#include "base/span.h"
#include "launch/aside.h"
#include "launch/ended.h"
#include "launch/witness.h"
#include "launch/tail.h"

enum { TS_LAUNCH_MAX = 1024 };

struct ts_launched {
	struct ts_ended *ends; /* of each process */
	struct ts_tail *tails; /* what each printed last */
	size_t n, n_over;
	size_t first_rank; /* the rank of the first of them */
	size_t world_size; /* how many ranks there are, with those of other machines; 0: not known */
	size_t first;	/* the first that failed; n: none did */
	bool alone;	/* the launcher was killed, and the minder says this */
	bool lost;	/* the minder was killed: the end is not known */
	bool left;	/* processes of the command still hold its output */
	/* the last signal that somebody sent to the launcher, for the command; 0: none */
	int sent;
	pid_t sent_by; /* 0: the terminal, the system, or not known */
	char sent_name[TS_WITNESS_NAME]; /* of that process; empty: not known */
};

struct ts_launch_wanted {
	const char *const *argv;      /* ends with NULL; argv[0] is looked for in PATH */
	const char *const *variables; /* "NAME=VALUE", ends with NULL: added to the environment */
	size_t ranks;		      /* 0: the command alone; else so many processes, each told its rank by RANK and LOCAL_RANK */
	size_t first_rank, world_size; /* of these: the rank of the first of them, and of how many */
	const char *folder;	      /* for output.txt, of several processes output.rank<RANK>.txt; NULL: nothing is kept */
	const char *lock;	      /* a file that the minder holds for as long as it waits for the command; NULL: none */
	bool all;		      /* keep all that is printed, and not only its end */
	struct ts_aside *aside;	      /* sentences to be said meanwhile (aside.h); NULL: none */
	/* Called once, when all is over, in the launcher or in the minder. */
	void (*finish)(void *ctx, const struct ts_launched *launched);
	void (*begun)(void *ctx, const struct ts_launched *launched); /* in the launcher, once the processes have begun; may be NULL */
	void *ctx;
};

/* Runs it and waits for its end. An error is one of the launcher, such as too few descriptors; a command that could not be started
 * is no error (ended.h). *ret_launched is freed by ts_launched_free. */
enum ts_status ts_launch(const struct ts_launch_wanted *wanted, struct ts_launched *ret_launched, struct ts_error *err);
void ts_launched_free(struct ts_launched *launched);
/* The exit code of the whole: that of the first process that failed. */
int ts_launched_code(const struct ts_launched *launched);

#endif
