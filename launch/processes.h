/* processes.h - the processes of one launch, as the launcher and the minder both see them (launch.h).
 *
 * The minder is a process between the launcher and the command: the first of the session that the command's terminal belongs to, and
 * the one that waits for the command. It has everything that the launcher has open. So whoever is killed, the launcher with SIGKILL or
 * its terminal's window closed, output is taken on and the end is written down: the minder does what the launcher would have done.
 */
#ifndef TSCOPE_LAUNCH_PROCESSES_H
#define TSCOPE_LAUNCH_PROCESSES_H

#include "launch/ended.h"
#include "launch/launch.h"
#include "launch/output.h"
#include "launch/terminal.h"

/* What both tell each other, through a pair of sockets. */
enum ts_word_kind {
	/* the minder */
	TS_WORD_BEGUN,	 /* rank, value: pid */
	TS_WORD_CANNOT,	 /* rank, value: the error number */
	TS_WORD_STOPPED,
	TS_WORD_ENDED,	 /* rank, value: the status of waitpid; asked */
	TS_WORD_ALL,	 /* no process of the command is left */
	/* the launcher */
	TS_WORD_SIGNAL,	 /* value: its number, for the command's process group */
	TS_WORD_BROKEN,	 /* value: the output that nobody reads any more */
	TS_WORD_LEAVE,	 /* the launcher has done all, and ends now */
};

struct ts_word {
	int32_t kind, rank, value, asked;
};

struct ts_processes {
	const struct ts_launch_wanted *wanted;
	struct ts_launched launched;
	struct ts_output *outputs;
	size_t n_outputs;
	int (*theirs)[3]; /* stdin, stdout and stderr of each process; closed by the launcher once they have begun */
	struct ts_terminal terminal;
	bool own_terminal; /* the command has a session with a terminal of its own */
	bool handed;	   /* it has the foreground of the launcher's terminal */
	struct ts_output *keyed; /* of the command's first terminal, whose end takes the keys; NULL: it has none */
	int64_t from[2];   /* where stdout and stderr began, where they are regular files */
	struct pollfd *polls; /* two for each output, and three */
	bool read_ends;
};

bool ts_word_send(int fd, struct ts_word word);
bool ts_word_read(int fd, struct ts_word *ret_word);
/* Takes what the minder says into what is known of the processes. */
void ts_processes_heard(struct ts_processes *job, const struct ts_word *word);
/* Takes the last of what was printed, until nothing comes for a moment. */
void ts_processes_drain(struct ts_processes *job);
/* Closes the ends of the outputs' files, once all is over. */
void ts_processes_close(struct ts_processes *job);

/* What the minder does, in a process of its own; it does not return. control: its end of the sockets. */
_Noreturn void ts_minder(struct ts_processes *job, int control);

#endif
