/* moves.c: bytes and operations by hand. */
#include "analysis/trace/work/work_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define BF16 "\"c10::BFloat16\""
#define F32 "\"float\""
#define N (16 * 559 * 1024)

static const struct {
	const char *name, *shapes, *types;
	uint64_t flops, bytes; /* flops 0: not known */
} cases[] = {
	{"aten::copy_", "[[16,559,1024],[16,559,1024],[]]", "[" F32 "," BF16 ",\"Scalar\"]", N, N *(4 + 2)},
	{"aten::copy_", "[[16,559,1024],[16,559,1],[]]", "[" F32 "," BF16 ",\"Scalar\"]", N, N * 4 + 16 * 559 * 2},
	{"aten::silu", "[[16,559,1024]]", "[" BF16 "]", N, N * 4},
	{"aten::pow", "[[16,559,1024],[]]", "[" F32 ",\"Scalar\"]", N, N * 8},
	{"aten::rsqrt", "[[16,559,1]]", "[\"c10::complex<float>\"]", 0, 0},
	{"aten::mul", "[[16,559,1024],[16,559,1]]", "[" F32 "," F32 "]", N, N * 8 + 16 * 559 * 4},
	{"aten::mul", "[[1024],[16,559,1024]]", "[" BF16 "," F32 "]", N, 1024 * 2 + N * (4 + 4)},
	{"aten::add_", "[[8,1],[1,4],[]]", "[" BF16 "," BF16 ",\"Scalar\"]", 32, (8 + 4 + 32) * 2},
	{"aten::add", "[[8,4],[],[]]", "[" F32 ",\"Scalar\",\"Scalar\"]", 32, 32 * 8},
	{"aten::add", "[[8,4],[8,4],[],[8,4]]", "[" F32 "," F32 "]", 32, 32 * 12},
	{"aten::threshold_backward", "[[8,4],[8,4],[]]", "[" BF16 "," BF16 ",\"Scalar\"]", 32, 32 * 6},
	{"aten::add", "[[8,3],[8,4],[]]", "[" F32 "," F32 "]", 0, 0},
	{"aten::add", "[[],[],[]]", "[" F32 "," F32 "]", 0, 0},
	{"aten::add", "[[8,4],[8,4]]", "", 0, 0},
	{"aten::add", "[[4294967296,4294967296,4]]", "[" F32 "]", 0, 0},
	{"aten::sub", "[[4294967296,4294967296,4],[1]]", "[" F32 "," F32 "]", 0, 0},
	{"aten::native_layer_norm", "[[32,100,512],[],[512],[512],[]]", "[" BF16 ",\"ScalarList\"," BF16 "," BF16 ",\"Scalar\"]",
	 5 * 32 * 100 * 512, 32 * 100 * 512 * 4 + 2 * 512 * 2},
	{"aten::_fused_rms_norm", "[[64,128],[],[128],[]]", "[" BF16 ",\"ScalarList\"," F32 ",\"Scalar\"]", 4 * 64 * 128,
	 64 * 128 * 4 + 128 * 4},
	{"aten::cudnn_batch_norm", "[[2,8,4,4],[8],[8],[8],[8],[],[],[]]", "[" F32 "," F32 "," F32 "," F32 "," F32 "]", 5 * 256,
	 256 * 8 + 4 * 8 * 4},
	{"aten::native_layer_norm_backward", "[[4,8],[4,8],[],[4,1],[4,1],[8],[8],[]]",
	 "[" F32 "," F32 ",\"ScalarList\"," F32 "," F32 "," F32 "," F32 ",\"\"]", 9 * 32, 3 * 32 * 4 + (4 + 4 + 8 + 8) * 4},
	{"aten::native_batch_norm_backward", "[[4,8],[4,9]]", "[" F32 "," F32 "]", 0, 0},
	{"aten::mm", "[[4,8],[8,9]]", "[" F32 "," F32 "]", 0, 0},
	{"add", "[[4,8],[4,8]]", "[" F32 "," F32 "]", 0, 0},
};

static void by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t flops = 1, bytes = 1;
		bool known = ts_moves_of(ts_span_str(cases[i].name), ts_span_str(cases[i].shapes), ts_span_str(cases[i].types),
					 ts_span_str("[]"), &flops, &bytes);

		if (known != (cases[i].flops > 0) || (known && (flops != cases[i].flops || bytes != cases[i].bytes)))
			fail_msg("case %zu, %s %s: %d, %" PRIu64 " operations, %" PRIu64 " bytes", i, cases[i].name, cases[i].shapes,
				 known, flops, bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
