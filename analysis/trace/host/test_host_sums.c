/* host_sums.c, host_threads.c: self and total times that were found on paper, and random ones against the definition, pair by pair. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/stats/random.h"
#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_host_sums sums_of(struct made *m, struct ts_nest *nest)
{
	struct ts_host_names names;
	struct ts_host_sums sums;

	if (ts_nest(&m->trace, &m->arena, nest, &m->err) || ts_host_names(&m->trace, &m->arena, &names, &m->err) ||
	    ts_host_sums(&m->trace, nest, &names, &m->arena, &sums, &m->err))
		fail_msg("%s", m->err.text);
	return sums;
}

static void check(const struct ts_host_sum *s, const char *name, enum ts_host_thread_kind on, uint64_t count, uint64_t self,
		  uint64_t total)
{
	if (!ts_span_is(s->name, name))
		fail_msg("%.*s and not %s", TS_SPAN_ARG(s->name), name);
	assert_int_equal(s->on, on);
	assert_int_equal(s->count, count);
	assert_int_equal(s->self_ns, self);
	assert_int_equal(s->total_ns, total);
}

static void on_paper(void **state)
{
	struct ts_host_sums sums;
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#3", 2, 0, 100);
	made_host(&m, TS_TRACE_PYTHON, "train.py(7): main", 2, 0, 100); /* 100 - 60 - 10 - 10 */
	made_host(&m, TS_TRACE_OPERATOR, "aten::linear", 2, 10, 70);	/* 60 - 40 */
	made_host(&m, TS_TRACE_OPERATOR, "aten::addmm", 2, 20, 60);	/* 40 - 5 - 10: a call and the same operator again */
	made_host(&m, TS_TRACE_RUNTIME, "cudaLaunchKernel", 2, 21, 26); /* 5 */
	made_host(&m, TS_TRACE_OPERATOR, "aten::addmm", 2, 30, 40);	/* 10, within one of its name: not in the total */
	made_host(&m, TS_TRACE_PYTHON, "<built-in method item of Tensor object at 0x7f01>", 2, 75, 85);
	made_host(&m, TS_TRACE_PYTHON, "<built-in method item of Tensor object at 0x7Fa2>", 2, 90, 100);
	made_host(&m, TS_TRACE_OPERATOR, "autograd::engine::evaluate_function: AddmmBackward0", 5, 50, 90); /* 40 - 30 */
	made_host(&m, TS_TRACE_OPERATOR, "aten::addmm", 5, 55, 85);
	made_host(&m, TS_TRACE_OPERATOR, "aten::addmm", 1, 55, 58);
	made_host(&m, TS_TRACE_OPERATOR, "aten::add", 1, 57, 60); /* ends behind its neighbour: no child */
	sums = sums_of(&m, &nest);
	assert_int_equal(sums.n_operators, 6);
	check(&sums.operators[0], "aten::addmm", TS_HOST_MAIN, 2, 35, 40);
	check(&sums.operators[1], "aten::linear", TS_HOST_MAIN, 1, 20, 60);
	check(&sums.operators[2], "aten::addmm", TS_HOST_BACKWARD, 1, 30, 30);
	check(&sums.operators[3], "autograd::engine::evaluate_function: AddmmBackward0", TS_HOST_BACKWARD, 1, 10, 40);
	check(&sums.operators[4], "aten::add", TS_HOST_OTHER, 1, 3, 3);
	check(&sums.operators[5], "aten::addmm", TS_HOST_OTHER, 1, 3, 3);
	assert_int_equal(sums.n_python, 2);
	check(&sums.python[0], "train.py(7): main", TS_HOST_MAIN, 1, 20, 100);
	check(&sums.python[1], "<built-in method item of Tensor object>", TS_HOST_MAIN, 2, 20, 20);
	assert_int_equal(sums.n_threads, 3);
	assert_int_equal(sums.threads[0].thread, 2);
	assert_int_equal(sums.threads[0].spans, 8);
	assert_int_equal(sums.threads[0].operator_ns, 55);
	assert_int_equal(sums.threads[0].python_ns, 40);
	assert_int_equal(sums.threads[0].call_ns, 5);
	assert_int_equal(sums.threads[1].kind, TS_HOST_BACKWARD);
	assert_int_equal(sums.threads[2].kind, TS_HOST_OTHER);
	made_finish(&m);
}

/* Without a step the thread with the most Python functions is the main one; an address is none if it does not close the name. */
static void without_steps(void **state)
{
	struct ts_host_sums sums;
	struct ts_nest nest;
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_PYTHON, "f at 0x>", 3, 0, 1);
	made_host(&m, TS_TRACE_PYTHON, "f at 0x12", 4, 0, 1);
	made_host(&m, TS_TRACE_PYTHON, " at 0x12>", 4, INT64_MIN + 1, INT64_MIN + 3);
	made_host(&m, TS_TRACE_ANNOTATION, "many", 3, 0, 1);
	made_host(&m, TS_TRACE_ANNOTATION, "many", 3, 1, 2);
	sums = sums_of(&m, &nest);
	assert_int_equal(sums.n_python, 3);
	check(&sums.python[0], ">", TS_HOST_MAIN, 1, 2, 2);
	check(&sums.python[1], "f at 0x12", TS_HOST_MAIN, 1, 1, 1);
	check(&sums.python[2], "f at 0x>", TS_HOST_OTHER, 1, 1, 1);
	made_finish(&m);
}

/* Without steps and Python, the thread of the optimizer; without that, the one that is not backward. */
static void main_by_marks(void **state)
{
	(void)state;
	for (int marked = 0; marked < 2; marked++) {
		struct ts_host_sums sums;
		struct ts_nest nest;
		struct made m;

		made_begin(&m);
		for (int i = 0; i < 5; i++)
			made_host(&m, TS_TRACE_OPERATOR, "autograd::engine::evaluate_function: AddBackward0", 1, 10 * i, 10 * i + 9);
		for (int i = 0; i < 3; i++)
			made_host(&m, TS_TRACE_OPERATOR, "aten::mm", 2, 10 * i, 10 * i + 9);
		made_host(&m, TS_TRACE_OPERATOR, "aten::mm", 3, 0, 9);
		if (marked)
			made_host(&m, TS_TRACE_ANNOTATION, "Optimizer.step#SGD.step", 3, 10, 19);
		sums = sums_of(&m, &nest);
		assert_int_equal(sums.n_threads, 3);
		assert_int_equal(sums.threads[0].kind, TS_HOST_MAIN);
		assert_int_equal(sums.threads[0].thread, marked ? 3 : 2);
		assert_int_equal(sums.threads[1].kind, TS_HOST_BACKWARD);
		assert_int_equal(sums.threads[2].kind, TS_HOST_OTHER);
		made_finish(&m);
	}
}

enum { SPANS = 40, TIMES = 120 };

/* Self times by counting, of each span, the nanoseconds that no child covers. */
static void against_the_definition(void **state)
{
	struct ts_random random;

	(void)state;
	ts_random_init(&random, 16);
	for (int round = 0; round < 200; round++) {
		uint64_t self = 0, said = 0;
		struct ts_host_sums sums;
		struct ts_nest nest;
		struct made m;

		made_begin(&m);
		for (int i = 0; i < SPANS; i++) {
			int64_t at = (int64_t)ts_random_below(&random, 60), len = (int64_t)ts_random_below(&random, 60);

			made_host(&m, ts_random_below(&random, 2) ? TS_TRACE_OPERATOR : TS_TRACE_PYTHON, "a",
				  ts_random_below(&random, 2), at, at + len);
		}
		sums = sums_of(&m, &nest);
		for (uint32_t i = 0; i < SPANS; i++) {
			bool covered[TIMES] = {false};

			for (uint32_t c = 0; c < SPANS; c++)
				for (int64_t t = 0; nest.parent[c] == i && t < m.trace.rows.spans.duration_ns[c]; t++)
					covered[m.trace.rows.spans.start_ns[c] + t] = true;
			for (int64_t t = 0; t < m.trace.rows.spans.duration_ns[i]; t++)
				self += !covered[m.trace.rows.spans.start_ns[i] + t];
		}
		for (size_t i = 0; i < sums.n_operators; i++)
			said += sums.operators[i].self_ns;
		for (size_t i = 0; i < sums.n_python; i++)
			said += sums.python[i].self_ns;
		assert_int_equal(said, self);
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_paper),
		cmocka_unit_test(without_steps),
		cmocka_unit_test(main_by_marks),
		cmocka_unit_test(against_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
