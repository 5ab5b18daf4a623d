#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/serve/token_count.h"

/* What tokenizers make of a text at most: tiktoken 0.14 (cl100k_base, o200k_base), those of Claude (2023) and DeepSeek, and two of
 * Qwen's, which give each digit a token of its own. */
static const struct {
	const char *text;
	size_t most;
} texts[] = {
	{"the optimizer state was not restored at step 50", 11},
	{"verdict: regressed\nsentence: step time is 12.4 % longer than that of 5 baselines (p = 0.002)\n", 36},
	{"Call CompiledFxGraph f243tnra5stnlighwuzwrkxlxp7gc27regp6sm5ua4zranp7muki", 37},
	{"27469 | 13735 | -4811 | 4811 | no | no", 28},
	{"id: 60a764b3150fb3f8; change_ratio: -0.284054", 31},
	{" - NaN\n - NaN\n - 1.11138\n", 16},
	{"1.5e-05 | -2.25e+10 | 0.1 | 1e-08 | 123456789 | 4.00001", 49},
	{"all_reduce | 2 | 9890723 | 2 | 4626702 | 5264021 | 0 | -", 40},
	{"model.layers.11.self_attn.q_proj.weight /data/imgnet/ckpt-77.pt", 26},
	{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 30},
	{"sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nchw", 35},
	{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3> >(int, float)",
	 41},
	{"3f2504e0-4f89-11d3-9a0c-0305e82c3301", 36},
	{"\\u001b[31mred\\x00\\n", 14},
	{"{}[]()<>!?#$%^&*=+~`|\\/:;,.\"'", 20},
	{"all of it: tscope gate slow --baseline base --json\n", 15},
	{"学习率在第五步改变了。", 12},
	{"Größenänderungsgeschwindigkeit überprüfen", 13},
	{"🔥🚀✨", 8},
};

/* Never below what a tokenizer makes, and of ASCII not half as much again. */
static void test_tokenizers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		size_t counted = ts_tokens_most(ts_span_str(texts[i].text));
		bool ascii = true;

		for (const char *c = texts[i].text; *c; c++)
			ascii &= (unsigned char)*c < 0x80;
		if (counted < texts[i].most || (ascii && 2 * counted >= 3 * texts[i].most))
			fail_msg("%s: %zu tokens, counted as %zu", texts[i].text, texts[i].most, counted);
	}
}

/* No byte is free for ever: many spaces, and letters without an end, are more tokens. */
static void test_edges(void **state)
{
	static uint8_t many[1000];

	(void)state;
	assert_int_equal(ts_tokens_most(ts_span_of(NULL, 0)), 0);
	memset(many, ' ', sizeof many);
	assert_in_range(ts_tokens_most(ts_span_of(many, sizeof many)), 60, 1000);
	memset(many, 'x', sizeof many);
	assert_in_range(ts_tokens_most(ts_span_of(many, sizeof many)), 1000, 2000);
	memset(many, 0xff, sizeof many);
	assert_int_equal(ts_tokens_most(ts_span_of(many, sizeof many)), 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokenizers),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
