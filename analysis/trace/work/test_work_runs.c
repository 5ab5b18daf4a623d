/* work_runs.c: storms and launch-bound stretches, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ELEMENTWISE "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)"

static struct ts_run_sums runs_of(struct made *m)
{
	struct ts_run_sums out;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_run_sums(&m->trace, &nest, &m->arena, &out, &m->err))
		fail_msg("%s", m->err.text);
	return out;
}

/* 17 on stream 7, a product, 15 more; 16 on stream 20 at the same time. Only the 17 and the 16 are runs. */
static void storms(void **state)
{
	struct ts_run_sums r;
	struct made m;

	(void)state;
	made_begin(&m);
	for (int64_t i = 0; i < 16; i++)
		made_add(&m, TS_TRACE_KERNEL, made_name(&m, ELEMENTWISE), 20, 10 * i, 10 * i + 5, TS_TRACE_NONE);
	for (int64_t i = 0; i < 33; i++)
		made_add(&m, TS_TRACE_KERNEL, i == 17 ? NAME_GEMM : made_name(&m, ELEMENTWISE), 7, 10 * i, 10 * i + 4, TS_TRACE_NONE);
	r = runs_of(&m);
	assert_int_equal(r.elementwise.count, 16 + 32);
	assert_int_equal(r.storms.runs, 2);
	assert_int_equal(r.storms.work.count, 33);
	assert_int_equal(r.storms.work.ns, 17 * 4 + 16 * 5);
	assert_int_equal(r.storms.span_ns, 164 + 155);
	assert_int_equal(r.storms.most, 17);
	assert_int_equal(r.storms.most_at_ns, 0);
	assert_int_equal(r.storms.most_device, 0);
	assert_int_equal(r.storms.most_stream, 7);
	assert_int_equal(r.launch_bound.runs, 0);
	made_finish(&m);
}

/* n events of 3 ns, whose calls take 8; each call begins when the event before has ended, but for one, which was queued. */
static struct ts_run_sums bound(int n, int queued, int64_t brief)
{
	struct ts_run_sums r;
	struct made m;

	made_begin(&m);
	for (int i = 0; i < n; i++) {
		int64_t call = 20 * (int64_t)i;

		made_call(&m, TS_TRACE_KERNEL, "gemm", 7, i == queued ? call - 10 : call, i == queued ? call - 2 : call + 8, call + 10,
			  call + 10 + brief);
	}
	r = runs_of(&m);
	made_finish(&m);
	return r;
}

static void launch_bound(void **state)
{
	struct ts_run_sums r = bound(16, -1, 3);

	(void)state;
	assert_int_equal(r.launch_bound.runs, 1);
	assert_int_equal(r.launch_bound.work.count, 16);
	assert_int_equal(r.launch_bound.work.ns, 48);
	assert_int_equal(r.launch_bound.span_ns, 15 * 20 + 3);
	assert_int_equal(bound(15, -1, 3).launch_bound.runs, 0);
	assert_int_equal(bound(16, -1, 8).launch_bound.runs, 0); /* as long as the call */
	assert_int_equal(bound(16, 9, 3).launch_bound.runs, 0);	 /* its call began before the one before had ended */
	assert_int_equal(bound(40, 9, 3).launch_bound.runs, 1);	 /* 31 from there on */
	assert_int_equal(bound(40, 9, 3).launch_bound.work.count, 31);
	assert_int_equal(bound(40, 20, 3).launch_bound.runs, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(storms),
		cmocka_unit_test(launch_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
