/* timeline.h: small traces whose figures were found on paper, and a random one against a count of each nanosecond. */
#include "analysis/trace/device/timeline.h"

#include "analysis/trace/test_trace_made.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_timelines lines;

static const struct ts_timeline *measure(struct made *m)
{
	if (ts_timelines(&m->trace, &m->arena, &lines, &m->err))
		fail_msg("%s", m->err.text);
	return &lines.all;
}

/* stream 0: gemm [0, 10) and [20, 30); stream 1: all-reduce [8, 24); stream 2: a copy [5, 12) and a fill [40, 41) with a copy
 * [40, 43) beside it. */
static void figures_found_on_paper(void **state)
{
	const struct ts_timeline *t;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 20, 30, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 1, 8, 24, 2);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 0, 10, 3);
	made_add(&m, TS_TRACE_COPY, NAME_NONE, 2, 5, 12, 4);
	made_add(&m, TS_TRACE_FILL, NAME_NONE, 2, 40, 41, 5);
	made_add(&m, TS_TRACE_COPY, NAME_NONE, 2, 40, 43, 6);
	/* No work of a device, whatever they say. */
	made_add(&m, TS_TRACE_DEVICE_ANNOTATION, NAME_GEMM, 0, 0, 100, 1);
	made_add(&m, TS_TRACE_SYNC, NAME_GEMM, 0, 0, 100, 1);
	made_add(&m, TS_TRACE_OPERATOR, NAME_GEMM, 0, 0, 100, 1);
	t = measure(&m);
	assert_int_equal(t->events, 6);
	assert_int_equal(t->communications, 1);
	assert_int_equal(t->computations, 3);
	assert_int_equal(t->fills, 1);
	assert_int_equal(t->copies, 2);
	assert_int_equal(t->begin_ns, 0);
	assert_int_equal(t->end_ns, 43);
	assert_int_equal(t->span_ns, 43);
	assert_int_equal(t->sum_ns, 10 + 16 + 10 + 7 + 1 + 3);
	assert_int_equal(t->busy_ns, 30 + 3);
	assert_int_equal(t->idle_ns, 10);
	assert_int_equal(t->computation_ns, 21);
	assert_int_equal(t->communication_ns, 16);
	assert_int_equal(t->exposed_communication_ns, 10); /* [10, 20) */
	assert_int_equal(t->overlapped_communication_ns, 6);
	assert_int_equal(t->memory_ns, 10);
	assert_int_equal(t->exposed_memory_ns, 2); /* [41, 43) */
	assert_int_equal(t->collectives[TS_COLLECTIVE_ALL_REDUCE].exposed_ns, 10);
	assert_int_equal(lines.n_streams, 3);
	assert_int_equal(lines.streams[0].timeline.idle_ns, 10);
	assert_int_equal(lines.streams[1].stream, 1);
	assert_int_equal(lines.streams[1].timeline.exposed_communication_ns, 16);
	assert_int_equal(lines.streams[2].timeline.span_ns, 38);
	assert_int_equal(lines.n_devices, 1);
	assert_int_equal(lines.devices[0].stream, TS_TRACE_NO_DEVICE);
	assert_int_equal(lines.devices[0].timeline.busy_ns, 33);
	made_finish(&m);
}

/* Two kinds at once: all-reduce [0, 10), all-gather [5, 15), gemm [8, 12). Each kind's exposed time is its own less computation. */
static void kinds_of_communication(void **state)
{
	const struct ts_timeline *t;
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_REDUCE, 1, 0, 10, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_ALL_GATHER, 2, 5, 15, 2);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 8, 12, 3);
	t = measure(&m);
	assert_int_equal(t->communication_ns, 15);
	assert_int_equal(t->exposed_communication_ns, 11);
	assert_int_equal(t->collectives[TS_COLLECTIVE_ALL_REDUCE].ns, 10);
	assert_int_equal(t->collectives[TS_COLLECTIVE_ALL_REDUCE].exposed_ns, 8);
	assert_int_equal(t->collectives[TS_COLLECTIVE_ALL_GATHER].ns, 10);
	assert_int_equal(t->collectives[TS_COLLECTIVE_ALL_GATHER].exposed_ns, 6);
	assert_int_equal(t->collectives[TS_COLLECTIVE_BROADCAST].ns, 0);
	made_finish(&m);
}

/* Kernels run long after the step that launched them: by the launch, not by their own time. */
static void steps_have_what_they_launched(void **state)
{
	struct made m;

	(void)state;
	made_begin(&m);
	made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_2, 0, 100, 200, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_ANNOTATION, NAME_STEP_1, 0, 0, 100, TS_TRACE_NONE);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 10, 12, 7);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 99, 101, 8);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 100, 102, 9);
	made_add(&m, TS_TRACE_RUNTIME, NAME_NONE, 0, 200, 202, 10);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 150, 160, 7);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 160, 165, 8);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 170, 172, 9);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 205, 207, 10);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 180, 181, 999); /* launched before the window */
	(void)measure(&m);
	assert_int_equal(lines.n_steps, 2);
	assert_int_equal(lines.steps[0].number, 1);
	assert_int_equal(lines.steps[0].duration_ns, 100);
	assert_int_equal(lines.steps[0].timeline.events, 2);
	assert_int_equal(lines.steps[0].timeline.busy_ns, 15);
	assert_int_equal(lines.steps[0].timeline.span_ns, 15);
	assert_int_equal(lines.steps[1].timeline.events, 2);
	assert_int_equal(lines.steps[1].timeline.busy_ns, 3);
	assert_int_equal(lines.between.events, 1);
	assert_int_equal(lines.unlaunched, 1);
	assert_int_equal(lines.launched.events, 4);
	assert_int_equal(lines.launched.busy_ns, 10 + 5 + 2 + 2);
	assert_int_equal(lines.launched.span_ns, 207 - 150);
	made_finish(&m);
}

/* Step 1 [0, 100) has step 2 [20, 40) within it, and one of no time; step 3 [90, 120) goes on behind it. */
static void steps_within_steps(void **state)
{
	static const int64_t calls[] = {10, 20, 30, 39, 40, 60, 89, 90, 99, 100, 119, 120};
	static const size_t steps[] = {1, 2, 2, 2, 1, 1, 1, 4, 4, 4, 4, 0};
	size_t events[5] = {0};
	struct made m;

	(void)state;
	made_begin(&m);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#1", 0, 0, 100);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#2", 0, 20, 40);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#7", 0, 60, 60);
	made_host(&m, TS_TRACE_ANNOTATION, "ProfilerStep#3", 0, 90, 120);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		made_launch(&m, TS_TRACE_KERNEL, "gemm", 0, calls[i], 200 + 2 * (int64_t)i, 201 + 2 * (int64_t)i);
		events[steps[i]]++;
	}
	(void)measure(&m);
	assert_int_equal(lines.n_steps, 4);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		assert_int_equal(ts_timelines_step_at(&lines, calls[i]), steps[i]);
	assert_int_equal(ts_timelines_step_at(&lines, -1), 0);
	for (size_t i = 0; i < lines.n_steps; i++)
		assert_int_equal(lines.steps[i].timeline.events, events[i + 1]);
	assert_int_equal(lines.between.events, events[0]);
	made_finish(&m);
}

static void extremes(void **state)
{
	const struct ts_timeline *t;
	struct made m;

	(void)state;
	made_begin(&m);
	t = measure(&m);
	assert_int_equal(t->events, 0);
	assert_int_equal(t->span_ns, 0);
	assert_int_equal(lines.n_devices, 0);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, INT64_MIN + 1, INT64_MIN + 2, 1);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, INT64_MAX - 1, INT64_MAX, 2);
	made_add(&m, TS_TRACE_KERNEL, NAME_GEMM, 0, 5, 5, 3); /* no length */
	t = measure(&m);
	assert_true(t->span_ns == UINT64_MAX - 1);
	assert_int_equal(t->busy_ns, 2);
	assert_int_equal(t->computations, 3);
	made_finish(&m);
}

/* --- each nanosecond --- */

enum { LONG = 400 };

static int64_t counted(const uint8_t *line, uint8_t any_of, uint8_t none_of)
{
	int64_t n = 0;

	for (size_t i = 0; i < LONG; i++)
		n += (line[i] & any_of) && !(line[i] & none_of);
	return n;
}

static void agrees_with_a_count_of_each_nanosecond(void **state)
{
	enum { COMPUTE = 1, REDUCE = 2, GATHER = 4, COPY = 8 };
	static const struct {
		enum ts_trace_kind kind;
		uint32_t name;
		uint8_t bit;
	} kinds[] = {{TS_TRACE_KERNEL, NAME_GEMM, COMPUTE},
		     {TS_TRACE_KERNEL, NAME_ALL_REDUCE, REDUCE},
		     {TS_TRACE_KERNEL, NAME_ALL_GATHER, GATHER},
		     {TS_TRACE_COPY, NAME_NONE, COPY},
		     {TS_TRACE_FILL, NAME_NONE, COMPUTE}};
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		uint8_t line[LONG] = {0};
		const struct ts_timeline *t;
		struct made m;

		made_begin(&m);
		for (int i = 0; i < round % 40; i++) {
			seed = seed * 1664525 + 1013904223;
			size_t kind = (seed >> 8) % 5, at = (seed >> 16) % 300, len = (seed >> 4) % 90;

			made_add(&m, kinds[kind].kind, kinds[kind].name, (int32_t)(seed >> 28), (int64_t)at, (int64_t)(at + len), i);
			for (size_t k = at; k < at + len; k++)
				line[k] |= kinds[kind].bit;
		}
		t = measure(&m);
		assert_int_equal(t->busy_ns, counted(line, 15, 0));
		assert_int_equal(t->computation_ns, counted(line, COMPUTE, 0));
		assert_int_equal(t->communication_ns, counted(line, REDUCE | GATHER, 0));
		assert_int_equal(t->exposed_communication_ns, counted(line, REDUCE | GATHER, COMPUTE));
		assert_int_equal(t->memory_ns, counted(line, COPY, 0));
		assert_int_equal(t->exposed_memory_ns, counted(line, COPY, COMPUTE | REDUCE | GATHER));
		assert_int_equal(t->collectives[TS_COLLECTIVE_ALL_GATHER].exposed_ns, counted(line, GATHER, COMPUTE));
		made_finish(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_found_on_paper),
		cmocka_unit_test(kinds_of_communication),
		cmocka_unit_test(steps_have_what_they_launched), cmocka_unit_test(steps_within_steps),
		cmocka_unit_test(extremes),
		cmocka_unit_test(agrees_with_a_count_of_each_nanosecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
