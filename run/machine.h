/* machine.h - what the machine did while a run went on: a table of observations by time, machine.tscope of a run's folder
 * (docs/run.md).
 *
 * The file is UTF-8 text: a line of names, then a line for each observation with as many values between commas; a value that is not
 * known is empty. The first column is `seconds` since the run began. A line that is cut off or has another number of values is left
 * out, and counted. Pure. Threads: any.
 */
#ifndef TSCOPE_RUN_MACHINE_H
#define TSCOPE_RUN_MACHINE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/span.h"

enum ts_machine_column {
	TS_MACHINE_SECONDS,
	TS_MACHINE_CPU,		    /* cores in use, of the control group, else of the machine */
	TS_MACHINE_CORES,	    /* that it may use: its quota, else those of the machine */
	TS_MACHINE_THROTTLED,	    /* share of the time in which its quota held it */
	TS_MACHINE_STEAL,	    /* share of the machine's time that its host gave to others */
	TS_MACHINE_LOAD,	    /* of one minute */
	TS_MACHINE_CPU_PRESSURE,    /* share of the time in which some process waited for a core */
	TS_MACHINE_MEMORY_PRESSURE, /* for memory */
	TS_MACHINE_IO_PRESSURE,	    /* for a disk */
	TS_MACHINE_MEMORY,	    /* bytes in use, of the control group, else of the machine */
	TS_MACHINE_MEMORY_LIMIT,    /* bytes */
	TS_MACHINE_SWAPPED,	    /* pages a second, in and out */
	TS_MACHINE_FAULTS,	    /* page faults a second that a disk served */
	TS_MACHINE_READ,	    /* bytes a second, of all disks */
	TS_MACHINE_WRITTEN,
	TS_MACHINE_RECEIVED, /* bytes a second, of all networks but the machine's own */
	TS_MACHINE_SENT,
	TS_MACHINE_COLUMNS,
};

enum { TS_MACHINE_ROWS_MAX = 1 << 17 };

struct ts_machine_rows {
	size_t n;
	double *values[TS_MACHINE_COLUMNS]; /* NaN: not known; a column that the file lacks is not known in any row */
	uint64_t left_out;
};

extern const char *const ts_machine_names[TS_MACHINE_COLUMNS]; /* "cpu_cores", ...: as the file has them */

/* TS_INVALID: it is no such table. TS_TOO_LARGE: it has more than TS_MACHINE_ROWS_MAX observations. */
enum ts_status ts_machine_read(struct ts_span text, struct ts_arena *arena, struct ts_machine_rows *ret_rows, struct ts_error *err);

#endif
