#include "analysis/trace/device/kernel_units.h"

#include "base/text.h"
#include "base/words.h"

TS_WORDS(ts_kernel_units_word, enum ts_kernel_units, "unknown", [TS_UNITS_UNKNOWN] = "unknown", [TS_UNITS_MATRIX] = "matrix",
	 [TS_UNITS_SINGLE] = "single")

/* In this order: an instruction of single numbers is named where a library has both. */
static const struct {
	const char *part;
	enum ts_kernel_units units;
} parts[] = {
	{"_simt_", TS_UNITS_SINGLE}, /* CUTLASS, and cuBLAS and cuDNN made of it */
	{"_simt<", TS_UNITS_SINGLE},
	{"cutlass_simt", TS_UNITS_SINGLE},
	{"_ffma_", TS_UNITS_SINGLE},
	{"_sgemm_", TS_UNITS_SINGLE}, /* ampere_sgemm_128x64_nn: fp32 without tf32, which is named */
	{"tensorop", TS_UNITS_MATRIX},
	{"warpgroupsize", TS_UNITS_MATRIX}, /* sm90_xmma of cuBLAS: wgmma */
	{"warpspecialized", TS_UNITS_MATRIX},
	{"hmma", TS_UNITS_MATRIX},
	{"imma", TS_UNITS_MATRIX},
	{"wgmma", TS_UNITS_MATRIX},
	{"tcgen05", TS_UNITS_MATRIX},
	{"s884", TS_UNITS_MATRIX}, /* m8n8k4 that adds in fp32, and so on */
	{"h884", TS_UNITS_MATRIX},
	{"d884", TS_UNITS_MATRIX},
	{"s1688", TS_UNITS_MATRIX}, /* and s1688cudnn, s16816 */
	{"h1688", TS_UNITS_MATRIX},
	{"i8816", TS_UNITS_MATRIX},
	{"i16832", TS_UNITS_MATRIX},
	{"s16816", TS_UNITS_MATRIX},
	{"h16816", TS_UNITS_MATRIX},
	{"tf32f32", TS_UNITS_MATRIX}, /* the types of an xmma kernel: f32f32_tf32f32 */
	{"mfma", TS_UNITS_MATRIX},
	{"wmma", TS_UNITS_MATRIX},
	{"_xdl", TS_UNITS_MATRIX}, /* Composable Kernel */
};

/* Whether the shape of a matrix instruction stands behind a mark: _MI16x16x1_ of Tensile, _m128x16x32_ of TRT-LLM. */
static bool has_matrix_instruction(struct ts_span name, const char *mark)
{
	size_t n = strlen(mark);

	for (size_t i = 0; i + n < name.len; i++)
		if (memcmp(name.data + i, mark, n) == 0 && ts_is_digit(name.data[i + n]))
			return true;
	return false;
}

enum ts_kernel_units ts_kernel_units(struct ts_span name)
{
	/* cuBLAS makes these for tensor cores alone, since Hopper. */
	if (ts_span_starts(name, ts_span_str("nvjet_")))
		return TS_UNITS_MATRIX;
	if (ts_span_contains(name, "Cijk_") && has_matrix_instruction(name, "_MI"))
		return TS_UNITS_MATRIX;
	if ((ts_span_starts(name, ts_span_str("bmm_")) || ts_span_starts(name, ts_span_str("gemm_"))) &&
	    has_matrix_instruction(name, "_m"))
		return TS_UNITS_MATRIX;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (ts_span_contains(name, parts[i].part))
			return parts[i].units;
	return TS_UNITS_UNKNOWN;
}
