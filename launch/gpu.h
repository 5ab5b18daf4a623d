/* gpu.h - what can be known of a GPU at one look, and how tscope-gpus (program/) says it to tscope. */
#ifndef TSCOPE_LAUNCH_GPU_H
#define TSCOPE_LAUNCH_GPU_H

#include <stdint.h>

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

enum { TS_GPUS_MAX = 16, TS_GPUS_FORM = 1 };

/* What tscope-gpus says at each look. */
struct ts_gpus_told {
	uint32_t form; /* TS_GPUS_FORM, which another release may have raised */
	uint32_t n;
	double values[TS_GPUS_MAX][TS_GPU_VALUES]; /* NAN: not known */
};
_Static_assert(sizeof(struct ts_gpus_told) < 4096, "a pipe takes it whole");

#endif
