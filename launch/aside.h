/* aside.h - sentences about a training that stand between what it prints, on stderr, while it goes on.
 *
 *	ts_aside_open(&aside, err)			before the processes that use it are made
 *	ts_aside_say(&aside, lines)			a process beside the training
 *	polls[i] = ts_aside_wait(&aside);		the launcher, in its loop
 *	ts_aside_serve(&aside, outputs, n)		and once it was waited for
 *
 * They begin on a line of their own, and at a moment at which nothing that the command printed is on its way. Where stderr takes
 * nothing, or less, the rest waits, and nobody waits for it: a turn writes no more than a pipe that can be written to takes at once.
 * Once the launcher is gone, they go nowhere. Threads: one.
 */
#ifndef TSCOPE_LAUNCH_ASIDE_H
#define TSCOPE_LAUNCH_ASIDE_H

#include "base/error.h"
#include "base/span.h"
#include "launch/output.h"

enum {
	TS_ASIDE_SHOWN = 4096,		     /* what a pipe takes whole: PIPE_BUF of Linux */
	TS_ASIDE_BYTES = TS_ASIDE_SHOWN - 4, /* with the ends of two lines of a terminal, also where it is one line */
};

struct ts_aside {
	int from, to;
	bool waits; /* for stderr: a sentence is here, or in the pipe */
	uint8_t came[TS_ASIDE_BYTES], shown[TS_ASIDE_SHOWN];
	size_t n_came;	    /* bytes that were read and are to be shown */
	size_t n_shown, at; /* bytes as they are shown, and how many of them stderr has taken */
};

enum ts_status ts_aside_open(struct ts_aside *ret_aside, struct ts_error *err);
/* Whole lines; those of more than TS_ASIDE_BYTES, and those for which there is no room, are left out. */
void ts_aside_say(const struct ts_aside *aside, struct ts_span lines);
/* What is waited for. */
struct pollfd ts_aside_wait(const struct ts_aside *aside);
/* Prints whole lines of what came, if stderr takes them and no output is half way to the same place. */
void ts_aside_serve(struct ts_aside *aside, const struct ts_output *outputs, size_t n);

#endif
