/* kernel_use.c: occupancy and small grids, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/test_trace_made.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* 50 % for 10 ns and 90 % for 30 ns are 80 %; what failed or is not said has no part in it. The device has 80 multiprocessors. */
static void on_paper(void **state)
{
	static const struct {
		const char *name, *grid;
		double occupancy, warps;
		int64_t graph, ns;
	} kernels[] = {
		{"volta_sgemm_nt", "[10,8,1]", 50, 8, TS_TRACE_NONE, 10},
		{"volta_sgemm_nt", "[79,1,1]", 90, 8, 3, 30},
		{"volta_sgemm_nt", "[10,10,10]", 0, 1.5, 0, 100},
		{"softmax_kernel", "[1,1,1]", 0, 0.25, TS_TRACE_NONE, 7},
		{"softmax_kernel", "", -1, NAN, TS_TRACE_NONE, 5},
		{"softmax_kernel", "[x]", NAN, NAN, TS_TRACE_NONE, 2},
		{"softmax_kernel", "[18446744073709551616,1,1]", NAN, NAN, TS_TRACE_NONE, 1},
	};
	struct ts_trace_device device = {.id = 0, .multiprocessors = 80};
	struct ts_kernel_uses u;
	struct made m;

	(void)state;
	made_begin(&m);
	m.trace.about.devices = &device;
	m.trace.about.n_devices = 1;
	for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
		made_add(&m, TS_TRACE_KERNEL, made_name(&m, kernels[i].name), 7, 0, kernels[i].ns, TS_TRACE_NONE);
		made_kernel(&m, kernels[i].grid, kernels[i].occupancy, kernels[i].warps, kernels[i].graph);
	}
	made_add(&m, TS_TRACE_KERNEL, made_name(&m, "volta_sgemm_nt"), 17, 0, 1000, TS_TRACE_NONE); /* without details */
	assert_int_equal(ts_kernel_uses(&m.trace, &m.arena, &u, &m.err), TS_OK);
	assert_int_equal(u.n_names, 2);
	assert_int_equal(u.n_categories, 2);
	assert_true(ts_span_is(u.names[0].name, "volta_sgemm_nt"));
	assert_int_equal(u.names[0].sum.ns, 1140);
	assert_int_equal(u.names[0].rated.ns, 40);
	assert_true(u.names[0].has_occupancy && u.names[0].occupancy == 80);
	assert_int_equal(u.names[0].sized.ns, 140);
	assert_int_equal(u.names[0].small.ns, 30);
	assert_int_equal(u.names[0].graphed.count, 1);
	assert_int_equal(u.names[1].rated.ns, 7);
	assert_true(u.names[1].has_occupancy && u.names[1].occupancy == 0);
	assert_int_equal(u.names[1].sized.ns, 8);
	assert_int_equal(u.names[1].small.ns, 7);
	assert_int_equal(u.all.sum.count, 8);
	assert_int_equal(u.all.small.count, 2);
	made_finish(&m);
}

static void not_recorded(void **state)
{
	struct ts_kernel_uses u;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, 0, 10, TS_TRACE_NONE);
	made_kernel(&m, "[1,1,1]", NAN, NAN, TS_TRACE_NONE);
	assert_int_equal(ts_kernel_uses(&m.trace, &m.arena, &u, &m.err), TS_OK);
	assert_false(u.all.has_occupancy);
	assert_int_equal(u.all.rated.count, 0);
	assert_int_equal(u.all.sized.count, 0);
	made_finish(&m);
}

/* Durations of a hostile trace, whose sum has more than 64 bits: the mean of 90 % three times is no more than 100 %. */
static void too_long(void **state)
{
	struct ts_kernel_uses u;
	struct made m;

	(void)state;
	made_begin(&m);
	for (int i = 0; i < 3; i++) {
		made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 7, 0, INT64_MAX, TS_TRACE_NONE);
		made_kernel(&m, "[1,1,1]", 90, 8, TS_TRACE_NONE);
	}
	assert_int_equal(ts_kernel_uses(&m.trace, &m.arena, &u, &m.err), TS_OK);
	assert_true(u.all.rated.ns == UINT64_MAX && u.all.has_occupancy);
	assert_true(u.all.occupancy > 0 && u.all.occupancy <= 100);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(not_recorded),
		cmocka_unit_test(too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
