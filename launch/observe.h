/* observe.h - what the machine does now, by /proc and control groups of either version (observe_linux.c), or nothing
 * (observe_posix.c), as rows of a table that grows (run/machine.h says what its columns mean).
 *
 *	ts_observe_begin(&m)
 *	ts_observe_row(&m, text, sizeof text)		now and then: a line of values, of the time since the row before
 *
 * What the system does not tell is left empty. Threads: one at a time.
 */
#ifndef TSCOPE_LAUNCH_OBSERVE_H
#define TSCOPE_LAUNCH_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
};

/* The line of names. */
extern const char ts_observe_head[];
void ts_observe_begin(struct ts_observer *machine);
/* Writes a line with its end. Returns its length; 0: nothing of the machine is known, or it does not fit. */
size_t ts_observe_row(struct ts_observer *machine, char *to, size_t room);

#endif
