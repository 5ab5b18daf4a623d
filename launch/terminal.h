/* terminal.h - the terminal that a command is started from, and a terminal of its own for the command, as script(1) makes one.
 *
 * While the terminal is raw, each key goes to the command's terminal, which makes signals of ^C, ^Z and ^\ itself. It is raw only while
 * this process is in its foreground, and ts_terminal_back has to be called before this process stops or ends. Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_TERMINAL_H
#define TSCOPE_LAUNCH_TERMINAL_H

#include "base/error.h"

#include <stdbool.h>
#include <termios.h>

struct ts_terminal {
	int fd; /* of the terminal; -1: there is none */
	bool keys; /* keys are passed on: stdin is this terminal */
	struct termios before;
	bool known; /* before is set */
	bool raw;
};

/* fd: an open terminal, or -1. */
void ts_terminal_init(struct ts_terminal *terminal, int fd, bool keys);
/* Whether this process is in the terminal's foreground. */
bool ts_terminal_is_ours(const struct ts_terminal *terminal);
/* Makes the terminal raw if this process is in its foreground and passes keys on. */
void ts_terminal_raw(struct ts_terminal *terminal);
void ts_terminal_back(struct ts_terminal *terminal);
/* Puts a process group into the terminal's foreground, from whatever group. */
void ts_terminal_take(int fd, pid_t group);

/* Makes a pair of a new terminal with the settings and the size of this one: *ret_ours is our end, *ret_theirs the command's. Both are
 * closed when a program is executed. */
enum ts_status ts_terminal_pair(const struct ts_terminal *terminal, int *ret_ours, int *ret_theirs, struct ts_error *err);
/* Gives the command's terminal the size that ours has now. */
void ts_terminal_resize(const struct ts_terminal *terminal, int ours);
/* Makes `theirs` the controlling terminal of this process, the first of a new session. */
void ts_terminal_own(int theirs);

#endif
