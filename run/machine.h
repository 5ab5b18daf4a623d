/* machine.h - what the machine did while a run went on: a table of observations by time, machine.tscope of a run's folder
 * (docs/run.md).
 *
 * The file is UTF-8 text: a line of names, then a line for each observation with as many values between commas; a value that is not
 * known is empty. The first column is `seconds` since the run began. Where further columns are found while the run goes on, a line of
 * names comes again, and holds from there on. A column `gpu<K>_<name>` is of GPU K, and not of the machine. A line that is cut off or
 * has another number of values is left out, and counted. Pure. Threads: any.
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
	TS_MACHINE_HOST_USED, /* cores in use on the whole machine, by whomever */
	TS_MACHINE_HOST,      /* cores that it has */
	/* of the processes that the command started, and those that they started */
	TS_MACHINE_PROCESSES,
	TS_MACHINE_JOB_CPU,	    /* cores that they use */
	TS_MACHINE_JOB_MEMORY,	    /* bytes in memory, without those that are shared with others or with files */
	TS_MACHINE_THREADS_READY,   /* threads that run, or could run if they had a core */
	TS_MACHINE_BUSIEST,	    /* cores that the busiest process uses that is no worker */
	TS_MACHINE_WORKERS,	    /* processes that load data for others (launch/tree.h) */
	TS_MACHINE_WORKER_CPU,	    /* cores that one of them uses, on the average; 1: it never waits */
	TS_MACHINE_WORKERS_BLOCKED, /* share of them that waits for a disk or a network file system */
	TS_MACHINE_COLUMNS,
};

/* Of one GPU. */
enum ts_gpu_column {
	TS_GPU_BUSY,	     /* share of the time in which it did anything */
	TS_GPU_MEMORY_BUSY,  /* in which its memory was read or written */
	TS_GPU_MEMORY,	     /* bytes */
	TS_GPU_MEMORY_LIMIT, /* bytes that it has */
	TS_GPU_SM_CLOCK,     /* MHz */
	TS_GPU_SM_CLOCK_LIMIT,
	TS_GPU_MEMORY_CLOCK,
	TS_GPU_POWER, /* W */
	TS_GPU_POWER_LIMIT,
	TS_GPU_POWER_DEFAULT, /* the limit that it has from its maker */
	TS_GPU_TEMPERATURE,   /* degrees Celsius */
	TS_GPU_HELD_BY_POWER, /* share of the time in which its clock was lowered, by the limit of its power */
	TS_GPU_HELD_BY_HEAT,
	TS_GPU_HELD_BY_OTHERS, /* by what its board or other GPUs ask */
	TS_GPU_PCIE_RECEIVED,  /* bytes a second */
	TS_GPU_PCIE_SENT,
	TS_GPU_NVLINK_RECEIVED,
	TS_GPU_NVLINK_SENT,
	TS_GPU_ECC_CORRECTED, /* errors since the row before */
	TS_GPU_ECC_UNCORRECTED,
	TS_GPU_XID, /* the number of the newest critical error since the row before; 0: there was none */
	TS_GPU_COLUMNS,
};

#define TS_MACHINE_FILE "machine.tscope"

enum {
	TS_MACHINE_FILE_MAX = 16 << 20, /* bytes; more of a file are not kept */
	TS_MACHINE_ROWS_MAX = 1 << 17,
	TS_MACHINE_GPUS_MAX = 16,
};

struct ts_machine_rows {
	size_t n;
	double *values[TS_MACHINE_COLUMNS]; /* NaN: not known; a column that the file lacks is not known in any row */
	size_t n_gpus;			    /* the highest K and one; the others have no columns */
	double *gpus[TS_MACHINE_GPUS_MAX][TS_GPU_COLUMNS];
	uint64_t left_out;
};

extern const char *const ts_machine_names[TS_MACHINE_COLUMNS]; /* "cpu_cores", ...: as the file has them */
extern const char *const ts_gpu_names[TS_GPU_COLUMNS];	       /* "busy", ...: behind "gpu0_" */

/* TS_INVALID: it is no such table. TS_TOO_LARGE: it has more than TS_MACHINE_ROWS_MAX observations, or 64 MiB of values. */
enum ts_status ts_machine_read(struct ts_span text, struct ts_arena *arena, struct ts_machine_rows *ret_rows, struct ts_error *err);

#endif
