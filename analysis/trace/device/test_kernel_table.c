/* kernel_table.h: what operators and the user's table say of kernels, by hand. */
#include "analysis/trace/device/kernel_table.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(const struct made *m, const char *name, enum ts_kernel_category category, enum ts_kernel_by by)
{
	for (size_t i = 0; i < m->trace.n_names; i++)
		if (ts_span_is(m->trace.names[i], name)) {
			struct ts_kernel_told told = ts_kernel_told(&m->trace, (uint32_t)i);

			if (told.category != category || told.by != by)
				fail_msg("%s: %s by %s", name, ts_kernel_category_word((enum ts_kernel_category)told.category),
					 ts_kernel_by_word((enum ts_kernel_by)told.by));
			return;
		}
	fail_msg("no name %s", name);
}

/* A kernel that this operator launched, of 10 ns. */
static void launched(struct made *m, const char *operator, const char *kernel, int64_t at)
{
	struct ts_trace_spans *s = &m->trace.rows.spans;

	made_host(m, TS_TRACE_OPERATOR, operator, 0, at, at + 5);
	s->external[s->n - 1] = at;
	made_add(m, TS_TRACE_KERNEL, made_name(m, kernel), 0, at, at + 10, at + 1);
	s->external[s->n - 1] = at;
}

static void everything(struct made *m)
{
	launched(m, "aten::cudnn_convolution", "volta_sgemm_128x64_nn", 100);
	launched(m, "aten::mm", "volta_sgemm_32x32_nn", 200);
	launched(m, "vllm::moe_forward", "bmm_Bfloat16_E2m1_Fp32_swiGlu", 300);
	launched(m, "vllm::moe_forward", "some_kernel", 400);
	launched(m, "aten::native_layer_norm", "void at::native::reduce_kernel<512>(int)", 500);
	launched(m, "my::thing", "another_kernel", 600);
	launched(m, "aten::convolution_backward", "nchwToNhwcKernel", 700);
	/* Of three that have this name, one is a convolution's. */
	launched(m, "aten::convolution_backward", "sgemm_of_both", 800);
	launched(m, "aten::mm", "sgemm_of_both", 900);
	launched(m, "aten::addmm", "sgemm_of_both", 1000);
}

static void expect_everything(const struct made *m)
{
	expect(m, "volta_sgemm_128x64_nn", TS_KERNEL_CONVOLUTION, TS_KERNEL_BY_OPERATOR);
	expect(m, "volta_sgemm_32x32_nn", TS_KERNEL_GEMM, TS_KERNEL_BY_WORD);
	expect(m, "bmm_Bfloat16_E2m1_Fp32_swiGlu", TS_KERNEL_GEMM, TS_KERNEL_BY_GRAMMAR);
	expect(m, "some_kernel", TS_KERNEL_MOE, TS_KERNEL_BY_OPERATOR);
	expect(m, "void at::native::reduce_kernel<512>(int)", TS_KERNEL_NORMALIZATION, TS_KERNEL_BY_OPERATOR);
	expect(m, "another_kernel", TS_KERNEL_OTHER, TS_KERNEL_BY_NOTHING);
	expect(m, "nchwToNhwcKernel", TS_KERNEL_COPY, TS_KERNEL_BY_WORD);
	expect(m, "sgemm_of_both", TS_KERNEL_GEMM, TS_KERNEL_BY_WORD);
}

static void operators_count_where_names_do_not_say(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	everything(&m);
	assert_null(m.trace.kernels); /* until somebody asks */
	expect(&m, "volta_sgemm_128x64_nn", TS_KERNEL_GEMM, TS_KERNEL_BY_WORD);
	assert_int_equal(ts_kernel_table(&m.trace, NULL, &m.arena, &m.err), TS_OK);
	expect_everything(&m);
	made_finish(&m);
}

/* The same by the calls around the launches, where no event has an external id of its own. */
static void operators_around_the_calls(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "aten::convolution_backward", 0, 0, 100);
	made_launch(&m, TS_TRACE_KERNEL, "volta_sgemm_128x64_nn", 0, 50, 200, 300);
	made_launch(&m, TS_TRACE_KERNEL, "volta_sgemm_32x32_nn", 0, 150, 300, 400); /* behind it */
	assert_int_equal(ts_kernel_table(&m.trace, NULL, &m.arena, &m.err), TS_OK);
	expect(&m, "volta_sgemm_128x64_nn", TS_KERNEL_CONVOLUTION, TS_KERNEL_BY_OPERATOR);
	expect(&m, "volta_sgemm_32x32_nn", TS_KERNEL_GEMM, TS_KERNEL_BY_WORD);
	made_finish(&m);
}

static void the_table_of_the_user_comes_first(void **state)
{
	static const char text[] = "# ours\n\nattention  SGEMM_32x32 \r\nother\tanother_\nfused another_kernel\n";
	struct ts_kernel_rules rules;
	struct made m;

	(void)state;
	made_begin(&m);
	everything(&m);
	assert_int_equal(ts_kernel_rules_parse(ts_span_str(text), &m.arena, &rules, &m.err), TS_OK);
	assert_int_equal(rules.n, 3);
	assert_int_equal(ts_kernel_table(&m.trace, &rules, &m.arena, &m.err), TS_OK);
	expect(&m, "volta_sgemm_32x32_nn", TS_KERNEL_ATTENTION, TS_KERNEL_BY_USER);
	expect(&m, "another_kernel", TS_KERNEL_OTHER, TS_KERNEL_BY_USER); /* the first rule */
	expect(&m, "volta_sgemm_128x64_nn", TS_KERNEL_CONVOLUTION, TS_KERNEL_BY_OPERATOR);
	assert_int_equal(ts_kernel_rules_parse(ts_span_str("gemm a\nmatmul b"), &m.arena, &rules, &m.err), TS_INVALID);
	assert_non_null(strstr(m.err.text, "line 2: \"matmul\" is no category of kernels"));
	assert_int_equal(ts_kernel_rules_parse(ts_span_str("\ngemm  "), &m.arena, &rules, &m.err), TS_INVALID);
	assert_non_null(strstr(m.err.text, "line 2: a category without a pattern"));
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_count_where_names_do_not_say),
		cmocka_unit_test(operators_around_the_calls),
		cmocka_unit_test(the_table_of_the_user_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
