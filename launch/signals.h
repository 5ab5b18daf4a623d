/* signals.h - signals as words in a pipe, each with who sent it, so that one loop waits for them and for everything else.
 *
 * A signal that this process ignores from its beginning stays ignored, as under nohup. There is one set for a process, and after a fork
 * the child calls ts_signals_catch or ts_signals_give_back itself. Threads: one.
 */
#ifndef TSCOPE_LAUNCH_SIGNALS_H
#define TSCOPE_LAUNCH_SIGNALS_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct ts_signal {
	int number;
	pid_t from; /* the process that sent it; 0: the system did, or it is not known */
};

/* Catches these signals, of which 0 is the last, from now on; *ret_fd can be read while some wait. */
enum ts_status ts_signals_catch(const int *numbers, int *ret_fd, struct ts_error *err);
/* Takes the next one; false: none waits. */
bool ts_signals_next(int fd, struct ts_signal *ret_signal);
/* Ignores what a terminal or a user may send, in a process that is to go on whatever comes. */
void ts_signals_ignore(void);
/* Puts all back to how it was before the first call, for a program that is executed next. */
void ts_signals_give_back(void);

#endif
