/* trace_host.h: times at both ends of their range, streams of -1, threads without order: nothing goes over, and parts add up. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/stats/random.h"
#include "analysis/trace/host/flame.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static int64_t hostile(struct ts_random *random)
{
	static const int64_t ends[] = {INT64_MIN + 1, INT64_MIN + 2, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
	uint32_t i = ts_random_below(random, 10);

	return i < sizeof ends / sizeof ends[0] ? ends[i] : (int64_t)ts_random_next(random) / 2;
}

static void make(struct made *m, struct ts_random *random)
{
	static const char *const names[] = {"ProfilerStep#1",
					    "ProfilerStep#-7",
					    "enumerate(DataLoader)#x",
					    "autograd::engine::evaluate_function: X",
					    "cudaStreamSynchronize",
					    "cudaMemcpy",
					    "a.py(1): f",
					    "Memcpy DtoH (Device -> Pageable)"};

	for (int i = 0; i < 40; i++) {
		int64_t a = hostile(random), b = hostile(random), swap = a;
		enum ts_trace_kind kind = (enum ts_trace_kind)ts_random_below(random, TS_TRACE_KINDS);

		a = a < b ? a : b;
		b = swap < b ? b : swap;
		if ((uint64_t)b - (uint64_t)a > INT64_MAX) /* as the reader leaves it out */
			b = a + INT64_MAX;
		made_add(m, kind, made_name(m, names[ts_random_below(random, 8)]), (int32_t)ts_random_below(random, 40) - 11, a, b,
			 (int64_t)ts_random_below(random, 12));
		m->trace.rows.spans.thread[i] = ts_random_below(random, THREADS);
	}
}

static void at_the_ends(void **state)
{
	struct ts_random random;

	(void)state;
	ts_random_init(&random, 16);
	for (int round = 0; round < 400; round++) {
		struct ts_host_names names;
		struct ts_trace_host host;
		struct ts_timelines lines;
		struct ts_flame_view view;
		struct ts_flame flame;
		struct ts_nest nest;
		struct made m;

		made_begin(&m);
		make(&m, &random);
		if (ts_nest(&m.trace, &m.arena, &nest, &m.err) || ts_timelines(&m.trace, &m.arena, &lines, &m.err) ||
		    ts_trace_host(&m.trace, &nest, &lines, &m.arena, &host, &m.err) ||
		    ts_host_names(&m.trace, &m.arena, &names, &m.err) ||
		    ts_flame(&m.trace, &nest, &names, host.waits.waiting, &m.arena, &flame, &m.err) ||
		    ts_flame_look(&flame, TS_FLAME_HOST, 10, 5, &m.arena, &view, &m.err) ||
		    ts_flame_look(&flame, TS_FLAME_DEVICE, 10, 5, &m.arena, &view, &m.err))
			fail_msg("%s", m.err.text);
		for (size_t i = 0; i < host.steps.n; i++) {
			uint64_t sum = 0;

			for (int p = 0; p < TS_HOST_PARTS; p++)
				sum += host.steps.items[i].parts[p];
			assert_int_equal(sum, host.steps.items[i].wall_ns);
		}
		for (size_t i = 0; i < host.n_launches; i++) {
			assert_true(host.launches[i].queued.empty_ns <= host.launches[i].window_ns);
			assert_true(host.launches[i].queued.most <= host.launches[i].launched);
		}
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
