/* host_steps.c: steps whose parts were found on paper, and random ones against the definition, nanosecond by nanosecond. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/stats/random.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_host_steps steps_of(struct made *m)
{
	struct ts_host_waits waits;
	struct ts_timelines lines;
	struct ts_host_names names;
	struct ts_host_steps steps;
	struct ts_nest nest;

	if (ts_nest(&m->trace, &m->arena, &nest, &m->err) || ts_timelines(&m->trace, &m->arena, &lines, &m->err) ||
	    ts_host_names(&m->trace, &m->arena, &names, &m->err) ||
	    ts_host_waits(&m->trace, &nest, &lines, &m->arena, &waits, &m->err) ||
	    ts_host_steps(&m->trace, &nest, &names, &lines, waits.waiting, &m->arena, &steps, &m->err))
		fail_msg("%s", m->err.text);
	return steps;
}

static void check(const struct ts_host_step *s, const uint64_t wanted[TS_HOST_PARTS])
{
	uint64_t sum = 0;

	for (int i = 0; i < TS_HOST_PARTS; i++) {
		if (s->parts[i] != wanted[i])
			fail_msg("step %" PRId64 ": part %d %" PRIu64 " and not %" PRIu64, s->number, i, s->parts[i], wanted[i]);
		sum += s->parts[i];
	}
	assert_int_equal(sum, s->wall_ns);
}

static void on_paper(void **state)
{
	struct ts_host_steps steps;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_PYTHON, "train.py(7): main", 0, 0, 150);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#8", 0, 10, 110);
	made_host(&m, TS_TRACE_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 10, 30);
	made_host(&m, TS_TRACE_OPERATOR, "aten::stack", 0, 12, 20); /* loading, too */
	made_host(&m, TS_TRACE_OPERATOR, "aten::mm", 0, 35, 45);    /* 10 less 4 */
	made_host(&m, TS_TRACE_RUNTIME, "cudaLaunchKernel", 0, 36, 40);
	made_host(&m, TS_TRACE_OPERATOR, "aten::item", 0, 90, 100); /* 10 less 6 */
	made_host(&m, TS_TRACE_RUNTIME, "cudaStreamSynchronize", 0, 92, 98);
	made_host(&m, TS_TRACE_ANNOTATION, "Optimizer.step#SGD.step", 0, 100, 105); /* a mark: Python */
	made_host(&m, TS_TRACE_OPERATOR, "autograd::engine::evaluate_function: MmBackward0", 1, 50, 70);
	made_host(&m, TS_TRACE_OPERATOR, "autograd::engine::evaluate_function: MmBackward0", 1, 95, 96); /* main waits for the device */
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#9", 0, 110, 160);
	steps = steps_of(&m);
	assert_int_equal(steps.n, 2);
	assert_int_equal(steps.items[0].number, 8);
	/* 100 = 20 loading, 6 waits, 4 calls, 6 + 4 operators, 20 backward;
	 * Python has the rest: 30 to 35, 45 to 50, 70 to 90, 100 to 110 */
	check(&steps.items[0], (const uint64_t[]){20, 6, 4, 10, 20, 40, 0});
	/* The function ended at 150, and the step, which outlasts it, stands for nothing. */
	check(&steps.items[1], (const uint64_t[]){0, 0, 0, 0, 0, 40, 10});
	assert_int_equal(steps.all.wall_ns, 160);
	check(&steps.all, (const uint64_t[]){20, 6, 4, 10, 20, 90, 10});
	made_finish(&m);
}

enum { SPANS = 30, TIMES = 200, THREADS_MADE = 3 };

/* The span that was the last to begin of those open, at each nanosecond of each step; nest.order says which began last. */
static void count(const struct made *m, const struct ts_nest *nest, const struct ts_host_step *step, uint64_t parts[TS_HOST_PARTS])
{
	const struct ts_trace_spans *s = &m->trace.rows.spans;

	memset(parts, 0, TS_HOST_PARTS * sizeof *parts);
	for (int64_t t = step->begin_ns; t < step->begin_ns + (int64_t)step->wall_ns; t++) {
		uint8_t kind = TS_TRACE_KINDS;
		bool backward = false;

		for (size_t k = 0; k < nest->n_order; k++) {
			uint32_t i = nest->order[k];
			bool open = s->start_ns[i] <= t && t < s->start_ns[i] + s->duration_ns[i];

			backward |= open && s->thread[i] == 2;
			if (open && s->thread[i] == step->thread && s->kind[i] != TS_TRACE_ANNOTATION)
				kind = s->kind[i];
		}
		if (kind == TS_TRACE_OPERATOR)
			parts[TS_HOST_OPERATORS]++;
		else if (kind == TS_TRACE_RUNTIME)
			parts[TS_HOST_CALLS]++;
		else if (backward)
			parts[TS_HOST_BACKWARD_PASS]++;
		else
			parts[kind == TS_TRACE_PYTHON ? TS_HOST_PYTHON : TS_HOST_NOTHING]++;
	}
}

static void against_the_definition(void **state)
{
	static const enum ts_trace_kind kinds[] = {TS_TRACE_OPERATOR, TS_TRACE_PYTHON, TS_TRACE_RUNTIME, TS_TRACE_ANNOTATION};
	static const char *const names[] = {"aten::mm", "a.py(1): f", "cudaLaunchKernel", "mark"};
	struct ts_random random;

	(void)state;
	ts_random_init(&random, 16);
	for (int round = 0; round < 200; round++) {
		struct ts_host_steps steps;
		struct ts_nest nest;
		struct made m;

		made_begin(&m);
		made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#1", 0, 20, 90);
		made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#2", 0, 80, 150); /* overlaps: each has its own parts */
		made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#3", 1, 40, 60);
		for (int i = 0; i < SPANS; i++) {
			int64_t at = (int64_t)ts_random_below(&random, 120), len = (int64_t)ts_random_below(&random, 60);
			uint32_t kind = ts_random_below(&random, 4), thread = ts_random_below(&random, THREADS_MADE);

			if (thread == 2)
				made_host(&m, TS_TRACE_OPERATOR, "autograd::engine::evaluate_function: X", 2, at, at + len / 8);
			else
				made_host(&m, kinds[kind], names[kind], thread, at, at + len);
		}
		steps = steps_of(&m);
		assert_int_equal(ts_nest(&m.trace, &m.arena, &nest, &m.err), TS_OK);
		assert_int_equal(steps.n, 3);
		for (size_t i = 0; i < steps.n; i++) {
			uint64_t parts[TS_HOST_PARTS];

			count(&m, &nest, &steps.items[i], parts);
			check(&steps.items[i], parts);
		}
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(against_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
