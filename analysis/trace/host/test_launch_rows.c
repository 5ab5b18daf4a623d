/* launch_rows.c: launches that were found on paper, and random ones against the definition, nanosecond by nanosecond. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/stats/random.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_launch_row *rows_of(struct made *m, size_t *n)
{
	struct ts_launch_row *rows;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_launch_rows(&m->trace, &nest, &m->arena, &rows, n, &m->err))
		fail_msg("%s", m->err.text);
	return rows;
}

static void call(struct made *m, int64_t start, int64_t end, int64_t correlation)
{
	made_add(m, TS_TRACE_RUNTIME, NAME_NONE, 0, start, end, correlation);
}

static void kernel(struct made *m, int32_t stream, int64_t start, int64_t end, int64_t correlation)
{
	made_add(m, TS_TRACE_KERNEL, NAME_GEMM, stream, start, end, correlation);
}

/* Stream 0: calls at 0, 10, 20; kernels [8, 30), [30, 40), [90, 95), and one that was launched before the recording. The queue of its
 * launches is 1 in [0, 8), [10, 20), [30, 90), 2 in [20, 30), empty in [8, 10) and [90, 95). */
static void on_paper(void **state)
{
	const struct ts_launch_row *r;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	call(&m, 0, 10, 1);
	call(&m, 10, 15, 2);
	call(&m, 20, 24, 3);
	kernel(&m, 0, 8, 30, 1);   /* began 2 before its call returned */
	kernel(&m, 0, 30, 40, 2);  /* 15 behind its call */
	kernel(&m, 0, 90, 95, 3);  /* 66 behind */
	kernel(&m, 0, 96, 97, 77); /* nobody knows */
	made_add(&m, TS_TRACE_COPY, NAME_NONE, 1, 300000, 300001, 4);
	call(&m, 100, 60101, 4); /* a delay of 239899, a call of 60001 */
	r = rows_of(&m, &n);
	assert_int_equal(n, 3);
	assert_int_equal(r[0].stream, TS_TRACE_NO_DEVICE);
	assert_int_equal(r[0].events, 5);
	assert_int_equal(r[0].launched, 4);
	assert_int_equal(r[0].long_delays, 1);
	assert_int_equal(r[0].long_calls, 1);
	assert_int_equal(r[1].stream, 0);
	assert_int_equal(r[1].events, 4);
	assert_int_equal(r[1].launched, 3);
	assert_int_equal(r[1].delays, 3);
	assert_int_equal(r[1].unclipped.least_ns, -2);
	assert_int_equal(r[1].unclipped.median_ns, 15);
	assert_int_equal(r[1].unclipped.p95_ns, 66);
	assert_int_equal(r[1].unclipped.most_ns, 66);
	assert_int_equal(r[1].delay.least_ns, 0);
	assert_int_equal(r[1].delay.median_ns, 15);
	assert_int_equal(r[1].sum_ns, 81);
	assert_int_equal(r[1].early, 1);
	assert_int_equal(r[1].short_kernels, 0);
	assert_int_equal(r[1].window_ns, 95);
	assert_int_equal(r[1].queued.most, 2);
	assert_int_equal(r[1].queued.sum_ns, 8 + 10 + 20 + 60);
	assert_int_equal(r[1].queued.empty_ns, 2 + 5);
	assert_int_equal(r[1].outstanding.most, 3);			   /* [20, 30) */
	assert_int_equal(r[1].outstanding.sum_ns, 10 + 20 + 30 + 20 + 55); /* [0,10) [10,20) [20,30) [30,40) [40,95) */
	assert_int_equal(r[1].outstanding.empty_ns, 0);
	assert_int_equal(r[2].stream, 1);
	assert_int_equal(r[2].delay.median_ns, 239899);
	assert_int_equal(r[2].window_ns, 299901);
	made_finish(&m);
}

/* A graph: one call, 1,100 kernels of 10 ns, of which the first begins 5 behind the call; and a call while more than 1,024 wait. */
static void graph_fills_the_queue(void **state)
{
	const struct ts_launch_row *r;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	call(&m, 0, 100, 1);
	for (int i = 0; i < 1100; i++)
		kernel(&m, 0, 105 + 10 * i, 115 + 10 * i, 1);
	call(&m, 106, 506, 2);
	kernel(&m, 0, 20000, 20001, 2);
	r = rows_of(&m, &n);
	assert_int_equal(r[0].launched, 1101);
	assert_int_equal(r[0].delays, 2);
	assert_int_equal(r[0].unclipped.least_ns, 5);
	assert_int_equal(r[0].unclipped.most_ns, 20000 - 506);
	assert_int_equal(r[0].short_kernels, 2);
	assert_int_equal(r[0].queued.most, 1100);
	/* 1,100 in [0, 115) but 1,099 in [105, 106); then one less each 10 ns: 1,024 still in [865, 875) */
	assert_int_equal(r[0].queued.full_ns, 875);
	assert_int_equal(r[0].full_calls, 1);
	assert_int_equal(r[0].full_calls_ns, 400);
	assert_int_equal(r[0].calls_ns, 500);
	made_finish(&m);
}

static void clocks_that_disagree(void **state)
{
	const struct ts_launch_row *r;
	struct made m;
	size_t n;

	(void)state;
	made_begin(&m);
	call(&m, 50, 60, 1);
	kernel(&m, -1, 40, 45, 1);
	call(&m, INT64_MAX - 5, INT64_MAX, 2);
	kernel(&m, 0, INT64_MIN + 1, INT64_MIN + 2, 2);
	kernel(&m, 0, INT64_MAX - 1, INT64_MAX, 3);
	call(&m, INT64_MIN + 1, INT64_MIN + 1, 3);
	r = rows_of(&m, &n);
	assert_int_equal(r[0].before_call, 2);
	assert_int_equal(r[0].unclipped.least_ns, INT64_MIN);
	assert_int_equal(r[0].unclipped.most_ns, INT64_MAX);
	assert_int_equal(r[0].queued.most, 1);
	assert_int_equal(r[0].window_ns, UINT64_MAX - 1);
	made_finish(&m);
}

enum { TIMES = 400, EVENTS = 60 };

/* The depth of stream 0 counted at each nanosecond. */
static void against_the_definition(void **state)
{
	struct ts_random random;

	(void)state;
	ts_random_init(&random, 16);
	for (int round = 0; round < 200; round++) {
		int depth[2][TIMES] = {{0}}, most[2] = {0};
		int64_t from = TIMES, to = 0;
		uint64_t sum[2] = {0}, empty[2] = {0};
		const struct ts_launch_row *r;
		struct made m;
		size_t n;

		made_begin(&m);
		for (int i = 0; i < EVENTS; i++) {
			int64_t at = (int64_t)ts_random_below(&random, 300), until = at + (int64_t)ts_random_below(&random, 20);
			int64_t begin = at + (int64_t)ts_random_below(&random, 60), end = begin + (int64_t)ts_random_below(&random, 20);

			call(&m, at, until, i);
			kernel(&m, 0, begin, end, i);
			from = at < from ? at : from;
			to = end > to ? end : to;
			for (int64_t t = at; t < end; t++) {
				depth[0][t] += t < begin;
				depth[1][t]++;
			}
		}
		r = rows_of(&m, &n);
		for (int64_t t = from; t < to; t++)
			for (int k = 0; k < 2; k++) {
				most[k] = depth[k][t] > most[k] ? depth[k][t] : most[k];
				sum[k] += (uint64_t)depth[k][t];
				empty[k] += depth[k][t] == 0;
			}
		assert_int_equal(r[1].window_ns, to - from);
		assert_int_equal(r[1].queued.most, most[0]);
		assert_int_equal(r[1].queued.sum_ns, sum[0]);
		assert_int_equal(r[1].queued.empty_ns, empty[0]);
		assert_int_equal(r[1].outstanding.most, most[1]);
		assert_int_equal(r[1].outstanding.sum_ns, sum[1]);
		assert_int_equal(r[1].outstanding.empty_ns, empty[1]);
		made_finish(&m);
	}
}

/* A call launches on streams 0 and 1 what begins at once: stream 0 has the delay, whichever comes first in the file. Stream 1 has a
 * queue all the same. */
static void first_at_once(void **state)
{
	(void)state;
	for (int32_t stream = 0; stream < 2; stream++) {
		const struct ts_launch_row *r;
		struct made m;
		size_t n;

		made_begin(&m);
		call(&m, 0, 10, 1);
		kernel(&m, stream, 20, 30, 1);
		kernel(&m, 1 - stream, 20, 25, 1);
		r = rows_of(&m, &n);
		assert_int_equal(n, 3);
		assert_int_equal(r[1].delays, 1);
		assert_int_equal(r[1].delay.least_ns, 10);
		assert_int_equal(r[2].delays, 0);
		assert_int_equal(r[2].launched, 1);
		assert_int_equal(r[2].queued.sum_ns, 20);
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(graph_fills_the_queue),
		cmocka_unit_test(first_at_once),
		cmocka_unit_test(clocks_that_disagree),
		cmocka_unit_test(against_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
