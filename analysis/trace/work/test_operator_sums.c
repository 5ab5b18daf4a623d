/* operator_sums.c: sums of operators, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_operator_sum *sums_of(struct made *m, struct ts_device_work *work, size_t *ret_n)
{
	struct ts_operator_sum *sums;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_device_work(&m->trace, &nest, &m->arena, work, &m->err) ||
	    ts_operator_sums(&m->trace, &nest, work, &m->arena, &sums, ret_n, &m->err))
		fail_msg("%s", m->err.text);
	return sums;
}

static void same(const struct ts_operator_sum *s, const char *name, uint64_t count, uint64_t own, uint64_t own_ns, uint64_t total,
		 uint64_t total_ns)
{
	assert_true(ts_span_is(s->name, name));
	assert_int_equal(s->count, count);
	assert_int_equal(s->own.count, own);
	assert_int_equal(s->own.ns, own_ns);
	assert_int_equal(s->total.count, total);
	assert_int_equal(s->total.ns, total_ns);
}

/* linear launches 5 ns itself, and 100 within addmm. A copy_ within a copy_ counts once in the total, and each its own. */
static void own_and_total(void **state)
{
	struct ts_operator_sum *sums;
	struct ts_device_work work;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "aten::linear", 0, 0, 100);
	made_host(&m, TS_TRACE_OPERATOR, "aten::addmm", 0, 10, 50);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 7, 20, 200, 300);
	made_launch(&m, TS_TRACE_KERNEL, "bias", 7, 60, 300, 305);
	made_host(&m, TS_TRACE_OPERATOR, "aten::copy_", 0, 110, 190);
	made_host(&m, TS_TRACE_OPERATOR, "aten::copy_", 0, 120, 180);
	made_launch(&m, TS_TRACE_COPY, "Memcpy", 7, 130, 310, 320);
	made_launch(&m, TS_TRACE_COPY, "Memcpy", 7, 185, 320, 323);
	made_host(&m, TS_TRACE_OPERATOR, "aten::view", 0, 195, 196);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 7, 500, 600, 601);			  /* outside of operators */
	made_add(&m, TS_TRACE_KERNEL, made_name(&m, "gemm"), 7, 700, 702, TS_TRACE_NONE); /* whose call is not there */
	sums = sums_of(&m, &work, &n);
	assert_int_equal(n, 4);
	same(&sums[0], "aten::addmm", 1, 1, 100, 1, 100);
	same(&sums[1], "aten::copy_", 2, 2, 13, 2, 13);
	same(&sums[2], "aten::linear", 1, 1, 5, 2, 105);
	same(&sums[3], "aten::view", 1, 0, 0, 0, 0);
	assert_int_equal(work.all.count, 6);
	assert_int_equal(work.all.ns, 100 + 5 + 10 + 3 + 1 + 2);
	assert_int_equal(work.known.ns, 118);
	assert_int_equal(work.unknown.count, 2);
	assert_int_equal(work.unknown.ns, 3);
	made_finish(&m);
}

/* A call outside of operators, whose event says the operator by "External id": it counts there, and for nothing around the call. */
static void by_external_id(void **state)
{
	struct ts_operator_sum *sums;
	struct ts_device_work work;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "outer", 0, 0, 20);
	made_host(&m, TS_TRACE_OPERATOR, "inner", 0, 5, 10);
	m.trace.rows.spans.external[1] = 77;
	made_host(&m, TS_TRACE_ANNOTATION, "## later ##", 0, 30, 60);
	made_launch(&m, TS_TRACE_KERNEL, "gemm", 7, 40, 100, 109);
	m.trace.rows.spans.external[4] = 77;
	sums = sums_of(&m, &work, &n);
	assert_int_equal(n, 2);
	same(&sums[0], "inner", 1, 1, 9, 1, 9);
	same(&sums[1], "outer", 1, 0, 0, 1, 9);
	assert_int_equal(work.below[2].count, 0);
	assert_int_equal(work.known.count, 1);
	made_finish(&m);
}

/* Durations that 64 bits cannot add stay at the largest. */
static void largest(void **state)
{
	struct ts_operator_sum *sums;
	struct ts_device_work work;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_OPERATOR, "op", 0, INT64_MIN + 1, INT64_MIN + 100);
	for (int i = 0; i < 3; i++)
		made_launch(&m, TS_TRACE_KERNEL, "gemm", -1, INT64_MIN + 10 + i, 0, INT64_MAX);
	sums = sums_of(&m, &work, &n);
	assert_int_equal(n, 1);
	assert_true(sums[0].own.ns == UINT64_MAX && sums[0].total.ns == UINT64_MAX && work.all.ns == UINT64_MAX);
	made_finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_and_total),
		cmocka_unit_test(by_external_id),
		cmocka_unit_test(largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
