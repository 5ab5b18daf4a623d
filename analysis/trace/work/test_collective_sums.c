/* collective_sums.c: bandwidths of collectives, found on paper. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void collective(struct made *m, const char *kernel, const char *type, int64_t in, int64_t out, int64_t ranks, int64_t ns)
{
	struct ts_trace_collectives *c = &m->one.collectives;
	int64_t at = (int64_t)m->trace.rows.spans.n * 1000000;

	c->n = 1;
	c->span[0] = 0;
	c->elements_in[0] = in;
	c->elements_out[0] = out;
	c->group_size[0] = ranks;
	c->sequence[0] = c->rank[0] = c->source[0] = c->destination[0] = TS_TRACE_NONE;
	c->type[0] = made_name(m, type);
	c->ranks[0] = c->about[0] = 0;
	made_add(m, TS_TRACE_KERNEL, made_name(m, kernel), 0, at, at + ns, TS_TRACE_NONE);
	c->n = 0;
}

static struct ts_collective_sums sums_of(struct made *m)
{
	struct ts_collective_sums sums;

	if (ts_collective_sums(&m->trace, &m->arena, &sums, &m->err))
		fail_msg("%s", m->err.text);
	return sums;
}

/* 4 million bytes in 1 ms and in 3 ms: 2 GB/s over both. Each of 4 ranks moves three quarters of them twice: 3 GB/s, and 6 GB/s of the
 * kernel that waited less. */
static void an_all_reduce(void **state)
{
	struct ts_collective_sums s;
	struct made m;

	(void)state;
	made_begin(&m);
	collective(&m, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "Float", 1000000, 1000000, 4, 3000000);
	collective(&m, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "Float", 1000000, 1000000, 4, 1000000);
	collective(&m, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "Float", 1000000, 1000000, TS_TRACE_NONE, 1000);
	collective(&m, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ComplexFloat", 1000000, 1000000, 4, 70);
	collective(&m, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "Float", TS_TRACE_NONE, 5, 4, 7);
	s = sums_of(&m);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.items[0].kind, TS_COLLECTIVE_ALL_REDUCE);
	assert_int_equal(s.items[0].bytes, 4000000);
	assert_int_equal(s.items[0].work.count, 2);
	assert_true(s.items[0].has_rate && s.items[0].algorithm == 2e9);
	assert_true(s.items[0].has_bus && s.items[0].bus == 3e9 && s.items[0].bus_most == 6e9);
	assert_true(s.items[1].has_rate && !s.items[1].has_bus); /* of how many ranks is not said */
	assert_true(s.items[1].bus_most == 0);
	assert_int_equal(s.unsized.count, 2);
	assert_int_equal(s.unsized.ns, 77);
	made_finish(&m);
}

/* One rank has nobody to send to: what its kernels do says nothing of a bus. */
static void one_rank(void **state)
{
	static const char *const kernels[] = {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclDevKernel_AllGather_RING_LL",
					      "ncclDevKernel_Broadcast_RING_LL"};

	(void)state;
	for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
		struct ts_collective_sums s;
		struct made m;

		made_begin(&m);
		collective(&m, kernels[i], "Float", 1000, 1000, 1, 1000);
		s = sums_of(&m);
		assert_int_equal(s.n, 1);
		assert_true(s.items[0].has_rate && !s.items[0].has_bus);
		assert_true(s.items[0].bus == 0 && s.items[0].bus_most == 0);
		made_finish(&m);
	}
}

/* What is counted of each kind, and the part of it that crosses a link: 1,000 bytes on one side, 8,000 on the other, 8 ranks, 1 us. */
static void each_kind(void **state)
{
	static const struct {
		const char *kernel;
		int64_t in, out;
		double bus;
	} cases[] = {
		{"ncclDevKernel_AllGather_RING_LL", 1000, 8000, 7e9},
		{"ncclDevKernel_ReduceScatter_Sum_i8_RING_LL", 8000, 1000, 7e9},
		{"ncclDevKernel_Broadcast_RING_LL", 8000, 8000, 8e9},
		{"ncclDevKernel_SendRecv", 0, 8000, 8e9},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_collective_sums s;
		struct made m;

		made_begin(&m);
		collective(&m, cases[i].kernel, "Byte", cases[i].in, cases[i].out, 8, 1000);
		s = sums_of(&m);
		assert_int_equal(s.n, 1);
		assert_true(s.items[0].has_bus && s.items[0].bus == cases[i].bus);
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_all_reduce),
		cmocka_unit_test(one_rank),
		cmocka_unit_test(each_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
