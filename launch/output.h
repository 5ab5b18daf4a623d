/* output.h - what a process prints, on its way to where it would have gone, with its end kept.
 *
 * A terminal stays a terminal, and a pipe a pipe: both are relayed. A regular file, /dev/null and other devices are given to the
 * process as they are, so that nobody stands between. What cannot take more is not waited for: the process waits as it would have,
 * and this loop goes on.
 * Where a reader or a terminal has gone, the process finds its pipe broken or its terminal hung up, as it would have. Threads: one.
 */
#ifndef TSCOPE_LAUNCH_OUTPUT_H
#define TSCOPE_LAUNCH_OUTPUT_H

#include "launch/tail.h"

#include <poll.h>

enum ts_output_kind { TS_OUTPUT_AS_IS, TS_OUTPUT_TERMINAL, TS_OUTPUT_PIPE };

struct ts_output {
	int from;	/* our end; -1: it has ended, or nothing is relayed */
	int to;
	struct ts_tail *tail;
	uint8_t bytes[4096];
	size_t n, at;	/* bytes that were read, and how many of them `to` has taken */
	bool gone;	/* `to` takes nothing any more */
	bool broken;	/* and the process has to be told so: set here, and cleared by who does that */
	bool within;	/* what `to` took last ended no line */
};

enum ts_output_kind ts_output_kind(int fd);
/* Whether both lead to the same place. */
bool ts_output_same(int fd, int other);

/* Fills in what is waited for; two entries an output. */
void ts_outputs_wait(const struct ts_output *outputs, size_t n, struct pollfd *polls);
/* Reads and writes what can be, without waiting. Returns whether anything came. */
bool ts_outputs_serve(struct ts_output *outputs, size_t n, const struct pollfd *polls);
/* Closes our end, so that the process finds its pipe broken, or its terminal hung up. */
void ts_output_break(struct ts_output *output);
/* Whether any has not ended. */
bool ts_outputs_open(const struct ts_output *outputs, size_t n);
/* Puts /dev/null in the place of stdin, stdout and stderr, in a process beside the command that is to hold nobody's open. */
void ts_output_leave(void);
/* Puts the end of a regular file that was given as it is into the tail; from: where the process began to write. */
void ts_output_read_end(int fd, int64_t from, struct ts_tail *tail);

#endif
