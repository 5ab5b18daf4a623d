/* gpus.h - what the GPUs did since they were looked at before, by the program tscope-gpus (program/), which asks the library of their
 * driver each second (gpus_linux.c), or nothing (gpus_posix.c).
 *
 *	ts_gpus_begin(&gpus)
 *	ts_gpus_take(&gpus)		each second: what that program said since; it is never waited for
 *	ts_gpus_row(&gpus, values)	as often as a row is written: the means since the row before
 *	ts_gpus_end(&gpus)
 *
 * The program lies beside this one; where it is not there, nothing is known of GPUs. A library that hangs, crashes or prints costs
 * the caller nothing: what is not heard is not known, and what crashed is not begun again. The process has nothing that its parent
 * has open, and ends with it. Threads: one.
 */
#ifndef TSCOPE_LAUNCH_GPUS_H
#define TSCOPE_LAUNCH_GPUS_H

#include "launch/gpu.h"

#include <stddef.h>
#include <stdint.h>

struct ts_gpus {
	int fd;	     /* -1: nobody is asked, or any more */
	int64_t pid; /* 0: there is none */
	size_t n;    /* GPUs that there are, once the process said so */
	struct {
		double sum;
		uint32_t known;
	} since[TS_GPUS_MAX][TS_GPU_VALUES]; /* the row before */
};

void ts_gpus_begin(struct ts_gpus *gpus);
void ts_gpus_take(struct ts_gpus *gpus);
/* Of each GPU, NAN: not known. Means; of errors the sum, and of Xid the newest that is none of 0. */
void ts_gpus_row(struct ts_gpus *gpus, double to[TS_GPUS_MAX][TS_GPU_VALUES]);
void ts_gpus_end(struct ts_gpus *gpus);

#endif
