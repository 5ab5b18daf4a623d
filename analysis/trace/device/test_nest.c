/* nest.h: nestings that were found on paper, and random ones against the definition, pair by pair. */
#include "analysis/trace/device/nest.h"

#include "analysis/stats/random.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_nest nest_of(struct made *m)
{
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err))
		fail_msg("%s", m->err.text);
	return nest;
}

static void host(struct made *m, enum ts_trace_kind kind, uint32_t thread, int64_t start, int64_t end)
{
	made_add(m, kind, NAME_NONE, 0, start, end, TS_TRACE_NONE);
	m->trace.rows.spans.thread[m->trace.rows.spans.n - 1] = thread;
}

static void on_paper(void **state)
{
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	host(&m, TS_TRACE_RUNTIME, 0, 12, 14);	  /* 0, in 3 */
	host(&m, TS_TRACE_ANNOTATION, 0, 0, 100); /* 1 */
	host(&m, TS_TRACE_OPERATOR, 0, 10, 20);	  /* 2, of the same time as the Python function 4 */
	host(&m, TS_TRACE_OPERATOR, 0, 11, 20);	  /* 3, in 2 */
	host(&m, TS_TRACE_PYTHON, 0, 10, 20);	  /* 4, in 1 */
	host(&m, TS_TRACE_OPERATOR, 0, 20, 30);	  /* 5, begins where 4 ended: in 1 */
	host(&m, TS_TRACE_OPERATOR, 0, 29, 31);	  /* 6, ends after 5: in 1 */
	host(&m, TS_TRACE_RUNTIME, 0, 30, 31);	  /* 7, in 6 */
	host(&m, TS_TRACE_OPERATOR, 1, 10, 20);	  /* 8, on another thread */
	host(&m, TS_TRACE_RUNTIME, 0, 100, 101);  /* 9, behind all */
	nest = nest_of(&m);
	assert_int_equal(nest.n_order, 10);
	assert_int_equal(nest.parent[0], 3);
	assert_int_equal(nest.in_operator[0], 3);
	assert_int_equal(nest.parent[1], TS_NEST_NONE);
	assert_int_equal(nest.parent[2], 4);
	assert_int_equal(nest.in_operator[2], TS_NEST_NONE);
	assert_int_equal(nest.parent[3], 2);
	assert_int_equal(nest.in_operator[3], 2);
	assert_int_equal(nest.parent[4], 1);
	assert_int_equal(nest.parent[5], 1);
	assert_int_equal(nest.parent[6], 1);
	assert_int_equal(nest.parent[7], 6);
	assert_int_equal(nest.parent[8], TS_NEST_NONE);
	assert_int_equal(nest.parent[9], TS_NEST_NONE);
	made_finish(&m);
}

static void launched(struct made *m, int64_t correlation, int64_t external)
{
	made_add(m, TS_TRACE_KERNEL, NAME_GEMM, 7, 50, 60, correlation);
	m->trace.rows.spans.external[m->trace.rows.spans.n - 1] = external;
}

static void devices(void **state)
{
	for (int repeats = 0; repeats < 2; repeats++) {
		struct ts_nest nest;
		struct made m;

		(void)state;
		made_begin(&m);
		host(&m, TS_TRACE_OPERATOR, 0, 10, 20);			/* 0, whose external id is 5 */
		host(&m, TS_TRACE_RUNTIME, 0, 11, 12);			/* 1, in 0 */
		host(&m, TS_TRACE_RUNTIME, 0, 30, 31);			/* 2, in no operator */
		m.trace.rows.spans.external[0] = 5;
		m.trace.rows.spans.correlation[1] = 100;
		m.trace.rows.spans.correlation[2] = 101;
		launched(&m, 100, repeats ? 100 : 77);			/* 3 */
		launched(&m, 101, repeats ? 101 : TS_TRACE_NONE);	/* 4 */
		launched(&m, 5, 5);					/* 5: no call has this correlation */
		nest = nest_of(&m);
		assert_int_equal(nest.parent[3], 1);
		assert_int_equal(nest.in_operator[3], 0);
		assert_int_equal(nest.parent[4], 2);
		assert_int_equal(nest.in_operator[4], TS_NEST_NONE);
		assert_int_equal(nest.parent[5], TS_NEST_NONE);
		/* Where every external id repeats a correlation, it is the id of no operator. */
		assert_int_equal(nest.in_operator[5], repeats ? TS_NEST_NONE : 0);
		made_finish(&m);
	}
}

static int rank_of(uint8_t kind)
{
	return kind == TS_TRACE_ANNOTATION ? 0 : kind == TS_TRACE_PYTHON ? 1 : kind == TS_TRACE_OPERATOR ? 2 : 3;
}

/* Whether a stands before b in the order of the definition: began first, or is the outer of two of the same begin. */
static bool stands_before(const struct ts_trace_spans *s, size_t a, size_t b)
{
	if (s->start_ns[a] != s->start_ns[b])
		return s->start_ns[a] < s->start_ns[b];
	if (s->duration_ns[a] != s->duration_ns[b])
		return s->duration_ns[a] > s->duration_ns[b];
	if (s->kind[a] != s->kind[b])
		return rank_of(s->kind[a]) < rank_of(s->kind[b]);
	return a < b;
}

static uint32_t parent_by_definition(const struct ts_trace_spans *s, size_t i)
{
	uint32_t best = TS_NEST_NONE;

	for (size_t k = 0; k < s->n; k++) {
		int64_t end = s->start_ns[k] + s->duration_ns[k];

		if (k == i || s->thread[k] != s->thread[i] || !stands_before(s, k, i) || end <= s->start_ns[i] ||
		    end < s->start_ns[i] + s->duration_ns[i])
			continue;
		if (best == TS_NEST_NONE || stands_before(s, best, k))
			best = (uint32_t)k;
	}
	return best;
}

static void random_ones(void **state)
{
	static const enum ts_trace_kind kinds[] = {TS_TRACE_ANNOTATION, TS_TRACE_PYTHON, TS_TRACE_OPERATOR, TS_TRACE_RUNTIME};
	struct ts_random random;

	(void)state;
	ts_random_init(&random, 16);
	for (int round = 0; round < 200; round++) {
		struct ts_nest nest;
		struct made m;

		made_begin(&m);
		for (int i = 0; i < 60; i++) {
			int64_t start = (int64_t)ts_random_below(&random, 40);

			host(&m, kinds[ts_random_below(&random, 4)], (uint32_t)ts_random_below(&random, 2), start,
			     start + (int64_t)ts_random_below(&random, 20));
		}
		nest = nest_of(&m);
		for (size_t i = 0; i < m.trace.rows.spans.n; i++)
			assert_int_equal(nest.parent[i], parent_by_definition(&m.trace.rows.spans, i));
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(devices),
		cmocka_unit_test(random_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
