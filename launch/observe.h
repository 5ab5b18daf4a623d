/* observe.h - what the machine does now, by /proc and control groups of either version (observe_linux.c), or nothing
 * (observe_posix.c), what the training takes of it (tree.h), and what its GPUs do (gpus.h), as rows of a table that grows
 * (run/machine.h says what its columns mean).
 *
 *	ts_observe_begin(&m, launcher)
 *	ts_observe_look(&m)				each second
 *	ts_observe_head(&m, text, sizeof text)		before the first row, and where it says that there are further columns
 *	ts_observe_row(&m, text, sizeof text)		now and then: a line of values, of the time since the row before
 *	ts_observe_end(&m)
 *
 * What the system does not tell is left empty. Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_OBSERVE_H
#define TSCOPE_LAUNCH_OBSERVE_H

#include "launch/gpus.h"
#include "launch/tree.h"

/* Counters since some beginning; below 0: not known. */
enum ts_observe_counter {
	TS_COUNT_CPU_US, /* of the control group */
	TS_COUNT_THROTTLED_US,
	TS_COUNT_BUSY, /* of the machine, in ticks */
	TS_COUNT_STEAL,
	TS_COUNT_TICKS, /* of all kinds */
	TS_COUNT_CPU_WAIT_US,
	TS_COUNT_MEMORY_WAIT_US,
	TS_COUNT_IO_WAIT_US,
	TS_COUNT_SWAPPED,
	TS_COUNT_FAULTS,
	TS_COUNT_READ,
	TS_COUNT_WRITTEN,
	TS_COUNT_RECEIVED,
	TS_COUNT_SENT,
	TS_COUNTERS,
};

struct ts_observer {
	int64_t began_ns, last_ns;
	double last[TS_COUNTERS];
	char group[2]
		  [512]; /* the folders of the control group: of version 2, or of cpu and of memory of version 1; "": there is none */
	bool second;	 /* it is of version 2 */
	struct ts_tree tree;
	struct ts_gpus gpus;
	size_t named; /* GPUs whose columns the line of names had; SIZE_MAX: there was none */
};

enum { TS_OBSERVE_LINE = 16384 };

/* launcher: the process below which the training is. Where there may be GPUs, a process is started that asks for them. */
void ts_observe_begin(struct ts_observer *machine, pid_t launcher);
/* Takes what is known of GPUs. */
void ts_observe_look(struct ts_observer *machine);
/* Writes the line of names with its end, if it is to be written now. Returns its length; 0: not now, or it does not fit. */
size_t ts_observe_head(struct ts_observer *machine, char *to, size_t room);
/* Writes a line with its end. Returns its length; 0: nothing of the machine is known, or it does not fit. */
size_t ts_observe_row(struct ts_observer *machine, char *to, size_t room);
void ts_observe_end(struct ts_observer *machine);

#endif
