/* kernel_units.h - on which units a kernel computes, by the grammar of its library's names: tensor cores (NVIDIA) and matrix cores
 * (AMD), or the units for single numbers.
 *
 * Only what a name says is said: CUTLASS and cuBLAS name the instruction or `simt`, Tensile and TRT-LLM the shape of the matrix
 * instruction. A name of Triton, or of a kernel that was written by hand, says neither. Pure. Threads: any.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_KERNEL_UNITS_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_KERNEL_UNITS_H

#include "base/span.h"

enum ts_kernel_units {
	TS_UNITS_UNKNOWN,
	TS_UNITS_MATRIX, /* tensor cores, matrix cores */
	TS_UNITS_SINGLE, /* FFMA and the like */
};

enum ts_kernel_units ts_kernel_units(struct ts_span name);
/* "unknown", "matrix", "single". */
const char *ts_kernel_units_word(enum ts_kernel_units units);

#endif
