/* kernel_sums.h: sums found on paper. */
#include "analysis/trace/device/kernel_sums.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void by_category_and_name(void **state)
{
	struct ts_kernel_sums sums;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 0, 10, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 1, 0, 7, 2); /* at once with the first: a sum counts both */
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 0, 10, 40, 3);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_GATHER, 0, 40, 45, 4);
	made_add(&m, TS_TRACE_COPY, NAME_NONE, 0, 50, 51, 5);
	m.trace.rows.spans.bytes[4] = 4096;
	made_add(&m, TS_TRACE_FILL, NAME_STEP_1, 0, 60, 62, 6);
	made_add(&m, TS_TRACE_OPERATOR, NAME_GEMM, 0, 0, 1000, 7);
	assert_int_equal(ts_kernel_sums(&m.trace, &m.arena, &sums, &m.err), TS_OK);
	assert_int_equal(sums.sum_ns, 10 + 7 + 30 + 5 + 1 + 2);
	assert_int_equal(sums.n_categories, 4);
	assert_string_equal(ts_sum_category_word(sums.categories[0].category), "communication");
	assert_int_equal(sums.categories[0].sum_ns, 35);
	assert_int_equal(sums.categories[0].count, 2);
	assert_int_equal(sums.categories[0].max_ns, 30);
	assert_string_equal(ts_sum_category_word(sums.categories[1].category), "gemm");
	assert_string_equal(ts_sum_category_word(sums.categories[2].category), "memset");
	assert_string_equal(ts_sum_category_word(sums.categories[3].category), "memcpy");
	assert_int_equal(sums.categories[3].bytes, 4096);
	assert_int_equal(sums.n_names, 5);
	assert_true(ts_span_starts(sums.names[0].name, ts_span_str("ncclDevKernel_AllReduce")));
	assert_int_equal(sums.names[1].sum_ns, 17);
	assert_int_equal(sums.names[1].count, 2);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_category_and_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
