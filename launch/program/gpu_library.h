/* gpu_library.h - what the GPUs of this machine do now, by a library of their driver: NVML of NVIDIA (gpu_nvml.c) or ROCm SMI of AMD
 * (gpu_rocm.c), which is looked for while the program runs. Of AMD's two libraries it is ROCm SMI, whose functions take a number for a
 * device and give one value each; AMD SMI gives structs that grow from release to release.
 *
 * A library of a driver may hang, end the process, print, or say what cannot be. So these functions are for tscope-gpus alone, which
 * is a process of its own, and each value that cannot be is not known. Threads: one.
 */
#ifndef TSCOPE_LAUNCH_PROGRAM_GPU_LIBRARY_H
#define TSCOPE_LAUNCH_PROGRAM_GPU_LIBRARY_H

#include "launch/gpu.h"

#include <stddef.h>

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
