/* flops.c: counts by the formulas, on paper. tests/golden/trace/ops.py holds them to torch.utils.flop_counter. */
#include "analysis/trace/work/work_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define CONV_INPUTS(stride, padding, dilation, transposed)                                                                             \
	"[\"\",\"\",\"\",\"" stride "\",\"" padding "\",\"" dilation "\",\"" transposed "\",\"[0, 0]\",\"1\"]"
#define BACKWARD_INPUTS(transposed, mask)                                                                                              \
	"[\"\",\"\",\"\",\"[8]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"" transposed "\",\"[0, 0]\",\"2\",\"" mask "\"]"
#define BETA(beta) "[\"\",\"\",\"\",\"" beta "\",\"1\"]"

static const struct {
	const char *name, *shapes, *inputs;
	uint64_t flops; /* 0: not known */
} cases[] = {
	{"aten::mm", "[[128,8],[8,4]]", "", 2 * 128 * 8 * 4},
	{"aten::mm", "[[128,8],[7,4]]", "", 0},
	{"aten::mm", "[[128,8]]", "", 0},
	{"aten::mm", "", "", 0},
	{"aten::mm", "[[128,8],[8,", "", 0},
	{"aten::mm", "[[4294967296,4294967296],[4294967296,4294967296]]", "", 0},
	{"aten::mm", "[[-128,8],[8,-4]]", "", 0},
	{"aten::mm", "[[128,8.5],[8.5,4]]", "", 0},
	{"aten::mm", "[[[128,8],[8,4]],[8,4]]", "", 0},
	{"aten::mm", "[[1,1,1,1,1,1,1,1,128,8],[8,4]]", "", 0},
	{"aten::linear", "[[128,8],[4,8],[4]]", "", 0}, /* addmm within it counts */
	{"mm", "[[128,8],[8,4]]", "", 0},
	{"aten::addmm", "[[768],[788,768],[768,768],[],[]]", "", UINT64_C(2) * 788 * 768 * 768},
	{"aten::_addmm_activation", "[[4],[128,8],[8,4]]", "", 2 * 128 * 8 * 4},
	{"aten::_scaled_mm", "[[128,8],[8,4],[],[]]", "", 2 * 128 * 8 * 4},
	{"aten::bmm", "[[3,128,8],[3,8,4]]", "", 3 * 2 * 128 * 8 * 4},
	{"aten::bmm", "[[3,128,8],[1,8,4]]", "", 0},
	{"aten::baddbmm", "[[3,128,4],[3,128,8],[3,8,4]]", "", 3 * 2 * 128 * 8 * 4},
	/* 16 by 16 becomes 8 by 8; with a dilation of 2 the kernel reaches over 5, and 15 positions of 2 are left at a stride of 1 */
	{"aten::convolution", "[[2,4,16,16],[8,2,3,3],[8]]", CONV_INPUTS("[2, 2]", "[1, 1]", "[1, 1]", "False"),
	 2 * 2 * 64 * 8 * 2 * 9},
	{"aten::convolution", "[[2,4,16,6],[8,4,3,3],[8]]", CONV_INPUTS("[1]", "[0]", "[2]", "False"), 2 * 2 * 12 * 2 * 8 * 4 * 9},
	{"aten::_convolution", "[[2,8,8,8],[8,6,3,3],[6]]", CONV_INPUTS("[2, 2]", "[0, 0]", "[1, 1]", "True"), 2 * 2 * 64 * 8 * 6 * 9},
	{"aten::convolution", "[[2,4,16],[8,4,3],[]]", CONV_INPUTS("[1]", "[1]", "[1]", "False"), 2 * 2 * 16 * 8 * 4 * 3},
	{"aten::convolution", "[[2,4,2,2],[8,4,3,3],[]]", CONV_INPUTS("[1, 1]", "[0, 0]", "[1, 1]", "False"), 0},
	{"aten::convolution", "[[2,4,16,16],[8,2,3,3],[8]]", CONV_INPUTS("[0, 0]", "[1, 1]", "[1, 1]", "False"), 0},
	{"aten::convolution", "[[2,4,16,16],[8,2,3,3],[8]]", CONV_INPUTS("[1, 1]", "[9223372036854775807]", "[1, 1]", "False"), 0},
	{"aten::convolution", "[[2,4,16,16],[8,2,3,3],[8]]", "", 0},
	{"aten::convolution_backward", "[[2,8,8,8],[2,4,16,16],[8,2,3,3]]", BACKWARD_INPUTS("False", "[True, True, False]"),
	 2 * (2 * 2 * 64 * 8 * 2 * 9)},
	{"aten::convolution_backward", "[[2,8,8,8],[2,4,16,16],[8,2,3,3]]", BACKWARD_INPUTS("False", "[False, True, True]"),
	 2 * 2 * 64 * 8 * 2 * 9},
	{"aten::convolution_backward", "[[2,6,18,18],[2,8,8,8],[8,6,3,3]]", BACKWARD_INPUTS("True", "[True, False, False]"),
	 2 * 2 * 64 * 8 * 6 * 9},
	{"aten::convolution_backward", "[[2,8,8,8],[2,4,16,16],[8,2,3,3]]", BACKWARD_INPUTS("False", ""), 0},
	/* 4 heads of queries share 2 of keys */
	{"aten::_scaled_dot_product_flash_attention", "[[2,4,16,8],[2,2,32,8],[2,2,32,10],[],[]]", "", 2 * 2 * 4 * 16 * 32 * 18},
	{"aten::_scaled_dot_product_efficient_attention", "[[2,3,16,8],[2,2,32,8],[2,2,32,10]]", "", 0},
	{"aten::_scaled_dot_product_cudnn_attention", "[[2,4,16,8],[2,4,32,9],[2,4,32,9]]", "", 0},
	{"aten::_scaled_dot_product_flash_attention_backward", "[[2,4,16,10],[2,4,16,8],[2,4,32,8],[2,4,32,10]]", "",
	 2 * 2 * 4 * 16 * 32 * (3 * 8 + 2 * 10)},
	{"aten::_flash_attention_forward", "[[4,197,12,64],[4,197,12,64],[4,197,12,64],[],[]]", "",
	 UINT64_C(2) * 4 * 12 * 197 * 197 * 128},
	{"aten::_flash_attention_forward", "[[197,12,64],[197,12,64],[197,12,64],[5],[5]]", "", 0},
	{"aten::_flash_attention_forward", "[[1,197,12,64],[1,197,12,64],[1,197,12,64],[5],[5]]", "", 0},
	{"aten::_efficient_attention_forward", "[[4,197,12,64],[4,197,12,64],[4,197,12,64],[],[]]", "",
	 UINT64_C(2) * 4 * 12 * 197 * 197 * 128},
	{"aten::_scaled_dot_product_attention_math", "[[2,4,16,8],[2,4,32,8],[2,4,32,8]]", "", 0},
	{"aten::_scaled_dot_product_flash_attention",
	 "[[1,1,16,9223372036854775807],[1,1,3,9223372036854775807],[1,1,3,9223372036854775807]]", "", 0},
};

static void on_paper(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t flops = 0;
		uint64_t bytes = 1;
		bool known = ts_flops_of(ts_span_str(cases[i].name), ts_span_str(cases[i].shapes), ts_span_str(""),
					 ts_span_str(cases[i].inputs), &flops, &bytes);

		if (known != (cases[i].flops != 0) || (known && flops != cases[i].flops))
			fail_msg("%s %s %s: %" PRIu64 " and not %" PRIu64, cases[i].name, cases[i].shapes, cases[i].inputs, flops,
				 cases[i].flops);
		assert_int_equal(bytes, known ? 0 : 1); /* without types */
	}
}

/* Each tensor once: the inputs, by their types, and the output, of the first one's. */
static const struct {
	const char *name, *shapes, *types, *inputs;
	uint64_t bytes;
} moved[] = {
	{"aten::mm", "[[128,8],[8,4]]", "[\"c10::BFloat16\",\"c10::BFloat16\"]", "", 2 * (128 * 8 + 8 * 4 + 128 * 4)},
	{"aten::mm", "[[128,8],[8,4]]", "[\"float\",\"c10::Half\"]", "", 4 * 128 * 8 + 2 * 8 * 4 + 4 * 128 * 4},
	{"aten::mm", "[[128,8],[8,4]]", "[\"float\"]", "", 0},
	{"aten::mm", "[[128,8],[8,4]]", "[\"float\",\"c10::complex<float>\"]", "", 0},
	{"aten::_scaled_mm", "[[128,8],[8,4]]", "[\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\"]", "", 0},
	{"aten::addmm", "[[4],[128,8],[8,4]]", "[\"double\",\"double\",\"double\"]", BETA("1."), 8 * (4 + 128 * 8 + 8 * 4 + 128 * 4)},
	{"aten::addmm", "[[4],[128,8],[8,4]]", "[\"double\",\"double\",\"double\"]", "", 8 * (128 * 8 + 8 * 4 + 128 * 4)},
	{"aten::baddbmm", "[[3,128,4],[3,128,8],[3,8,4]]", "[\"float\",\"float\",\"float\"]", BETA("0.5"),
	 4 * 3 * (128 * 4 + 128 * 8 + 8 * 4 + 128 * 4)},
	/* with a beta of 0 nothing is added, and attention gives a tensor that nobody filled */
	{"aten::baddbmm", "[[3,128,4],[3,128,8],[3,8,4]]", "[\"float\",\"float\",\"float\"]", BETA("0."),
	 4 * 3 * (128 * 8 + 8 * 4 + 128 * 4)},
	/* 2 images of 4 channels of 16 by 16 become 8 channels of 8 by 8; the bias has 8 numbers, or is not there */
	{"aten::convolution", "[[2,4,16,16],[8,2,3,3],[8]]", "[\"float\",\"float\",\"float\"]",
	 CONV_INPUTS("[2, 2]", "[1, 1]", "[1, 1]", "False"), 4 * (2 * 4 * 256 + 8 * 2 * 9 + 8 + 2 * 8 * 64)},
	{"aten::convolution", "[[2,4,16],[8,4,3],[]]", "[\"float\",\"float\",\"\"]", CONV_INPUTS("[1]", "[1]", "[1]", "False"),
	 4 * (2 * 4 * 16 + 8 * 4 * 3 + 2 * 8 * 16)},
	{"aten::_convolution", "[[2,8,8,8],[8,6,3,3],[6]]", "[\"float\",\"float\",\"float\"]",
	 CONV_INPUTS("[2, 2]", "[0, 0]", "[1, 1]", "True"), 0},
	{"aten::convolution_backward", "[[2,8,8,8],[2,4,16,16],[8,2,3,3]]", "[\"float\",\"float\",\"float\"]",
	 BACKWARD_INPUTS("False", "[True, True, False]"), 4 * (2 * 8 * 64 + 2 * (2 * 4 * 256 + 8 * 2 * 9))},
	{"aten::convolution_backward", "[[2,8,8,8],[2,4,16,16],[8,2,3,3]]", "[\"float\",\"float\",\"float\"]",
	 BACKWARD_INPUTS("False", "[False, True, False]"), 4 * (2 * 8 * 64 + 2 * 4 * 256 + 8 * 2 * 9)},
	{"aten::_scaled_dot_product_flash_attention", "[[2,4,16,8],[2,2,32,8],[2,2,32,10],[],[]]",
	 "[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"Scalar\",\"Scalar\"]", "",
	 2 * (2 * 4 * 16 * 8 + 2 * 2 * 32 * 8 + 2 * 2 * 32 * 10 + 2 * 4 * 16 * 10)},
	{"aten::_scaled_dot_product_flash_attention_backward", "[[2,4,16,10],[2,4,16,8],[2,4,32,8],[2,4,32,10]]",
	 "[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"c10::Half\"]", "",
	 2 * (2 * (2 * 4 * 16 * 8 + 2 * 4 * 32 * 8 + 2 * 4 * 32 * 10) + 2 * 4 * 16 * 10)},
};

static void bytes_on_paper(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++) {
		uint64_t flops = 0, bytes = 1;

		assert_true(ts_flops_of(ts_span_str(moved[i].name), ts_span_str(moved[i].shapes), ts_span_str(moved[i].types),
					ts_span_str(moved[i].inputs), &flops, &bytes));
		if (bytes != moved[i].bytes)
			fail_msg("%s %s %s: %" PRIu64 " and not %" PRIu64, moved[i].name, moved[i].shapes, moved[i].types, bytes,
				 moved[i].bytes);
	}
}

/* Shapes nested deeper than JSON may be, and more inputs than any operator has. */
static void hostile(void **state)
{
	enum { MANY = 4000 };
	char *deep = test_malloc(2 * MANY + 1);
	uint64_t flops, bytes;

	(void)state;
	memset(deep, '[', MANY);
	memset(deep + MANY, ']', MANY);
	assert_false(ts_flops_of(ts_span_str("aten::mm"), ts_span_of(deep, 2 * MANY), ts_span_str(""), ts_span_str(""), &flops,
				 &bytes));
	deep[0] = '[';
	for (int i = 0; i < MANY - 1; i++)
		memcpy(deep + 1 + 2 * i, "1,", 2);
	memcpy(deep + 2 * MANY - 1, "1]", 2);
	assert_false(ts_flops_of(ts_span_str("aten::mm"), ts_span_of(deep, 2 * MANY + 1), ts_span_str(""), ts_span_str(""), &flops,
				 &bytes));
	test_free(deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(bytes_on_paper),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
