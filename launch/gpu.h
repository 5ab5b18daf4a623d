/* gpu.h - what the GPUs of this machine do now, by a library of their driver: NVML of NVIDIA (gpu_nvml.c) or ROCm SMI of AMD
 * (gpu_rocm.c), which is looked for while the program runs. Of AMD's two libraries it is ROCm SMI, whose functions take a number for a
 * device and give one value each; AMD SMI gives structs that grow from release to release.
 *
 * A library of a driver may hang, end the process, print, or say what cannot be. So these functions are for the process of gpus.h
 * alone, and each value that cannot be is not known. Threads: one.
 */
#ifndef TSCOPE_LAUNCH_GPU_H
#define TSCOPE_LAUNCH_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of the columns of machine.tscope (run/machine.h). */
enum ts_gpu_value {
	TS_GPU_IS_BUSY, /* shares: 0 to 1 */
	TS_GPU_IS_MEMORY_BUSY,
	TS_GPU_HAS_MEMORY, /* bytes */
	TS_GPU_HAS_MEMORY_LIMIT,
	TS_GPU_HAS_CLOCK, /* MHz */
	TS_GPU_HAS_CLOCK_LIMIT,
	TS_GPU_HAS_MEMORY_CLOCK,
	TS_GPU_TAKES_POWER, /* W */
	TS_GPU_MAY_TAKE_POWER,
	TS_GPU_WAS_MADE_FOR_POWER, /* the limit that its maker set */
	TS_GPU_IS_HOT,		 /* degrees Celsius */
	TS_GPU_IS_HELD_BY_POWER, /* 0 or 1 */
	TS_GPU_IS_HELD_BY_HEAT,
	TS_GPU_IS_HELD_BY_OTHERS,
	TS_GPU_COUNT_PCIE_RECEIVED, /* bytes a second */
	TS_GPU_COUNT_PCIE_SENT,
	TS_GPU_COUNT_NVLINK_RECEIVED,
	TS_GPU_COUNT_NVLINK_SENT,
	TS_GPU_COUNT_CORRECTED, /* errors since the look before */
	TS_GPU_COUNT_UNCORRECTED,
	TS_GPU_SAYS_XID, /* the number of the newest critical error since then; 0: none */
	TS_GPU_VALUES,
};

enum { TS_GPUS_MAX = 16 };

/* A vendor's library. */
struct ts_gpu_library {
	/* How many GPUs there are, from 0 on; 0: the library is not there, or has none. */
	size_t (*open)(void);
	/* The values of one; NAN: not known. seconds: since the look before; 0: there was none. */
	void (*look)(size_t gpu, double seconds, double to[TS_GPU_VALUES]);
};

extern const struct ts_gpu_library ts_gpu_nvml, ts_gpu_rocm;

/* --- what both of them need --- */

/* Loads the first library of these names, of which NULL is the last; NULL: none is there. */
void *ts_gpu_load(const char *const *names);
/* A number in its range, both ends included, else NAN. */
double ts_gpu_within(double value, double least, double most);
/* What a counter rose by since the look before, *io_last (NAN: not known), over a whole; NAN: not known, or it began anew. */
double ts_gpu_rise(double now, double *io_last, double whole);

#endif
