#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/rank/coincidence.h"
#include "analysis/rank/test_expected.h"
#include "analysis/stats/random.h"
#include "base/test_arena.h"

#include <math.h>

enum { CEILING = 64 << 20, MOST = 10000 };

static int64_t keys[MOST];
static double loss[MOST], grad[MOST], step_time[MOST];
static struct ts_measures measures;
static struct ts_events events;

/* Makes three axes of plain noise, from step 1000 on. */
static void clean(size_t n, uint64_t seed)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	for (size_t i = 0; i < n; i++) {
		keys[i] = 1000 + (int64_t)i;
		loss[i] = 2 + 0.1 * ts_random_normal(&r);
		grad[i] = exp(0.3 * ts_random_normal(&r));
		step_time[i] = 0.01 * exp(0.1 * ts_random_normal(&r));
	}
}

static void find(size_t n, bool with_time)
{
	struct ts_coincidence c;
	struct ts_error err;

	ts_arena_reset(&arena);
	measures = (struct ts_measures){.n = 0};
	events = (struct ts_events){.n = 0};
	ts_coincidence_begin(&c, &arena);
	assert_int_equal(ts_coincidence_axis(&c, ts_span_str("loss"), keys, loss, n, &err), TS_OK);
	assert_int_equal(ts_coincidence_axis(&c, ts_span_str("grad_norm"), keys, grad, n, &err), TS_OK);
	if (with_time)
		assert_int_equal(ts_coincidence_axis(&c, ts_span_str("step_time"), keys, step_time, n, &err), TS_OK);
	assert_int_equal(ts_coincidence_finish(&c, &arena, &measures, &events, &err), TS_OK);
	assert_true(test_seen(&measures));
}

static double number(const char *subject, const char *name)
{
	double value = NAN;

	assert_true(test_value(&measures, "cross", subject, name, &value));
	return value;
}

static bool text_is(const char *subject, const char *name, const char *want)
{
	const struct ts_measure *row = test_find(&measures, "cross", subject, name);

	return row && row->known && ts_span_is(row->text, want);
}

/* The event was planted at steps 1500 to 1502 of one axis and 1501 of the other: it is one event, with the steps and
 * the values of both. */
static void one_that_was_planted(void **state)
{
	(void)state;
	clean(1000, 3);
	loss[500] = loss[501] = loss[502] = 6;
	grad[501] = 8;
	find(1000, true);
	assert_int_equal(events.n, 1);
	assert_int_equal(events.items[0].kind, TS_EVENT_COINCIDENCE);
	assert_int_equal(events.items[0].first_step, 1500);
	assert_int_equal(events.items[0].last_step, 1502);
	assert_true(ts_span_is(events.items[0].subject, "grad_norm, loss"));
	assert_true(events.items[0].value == 6); /* 40 deviations; the gradient norm has 7 */
	assert_true(fabs(events.items[0].expected - 2) < 0.2);
	assert_true(events.items[0].score > 2);
	assert_true(number("coincidences", "significant") == 1);
	assert_true(number("coincidences", "count") >= 1);
	assert_true(number("coincidences", "p_value") <= 0.01);
	assert_true(fabs(number("coincidence 1", "p_value") - pow(10, -events.items[0].score)) < 1e-12);
	assert_true(number("coincidence 1", "first_step") == 1500 && number("coincidence 1", "last_step") == 1502);
	assert_true(text_is("coincidence 1", "axes", "grad_norm, loss"));
	assert_true(text_is("coincidence 1", "rising", "grad_norm, loss"));
	assert_true(number("coincidence 1", "loss") == 6 && number("coincidence 1", "grad_norm") == 8);
	assert_true(fabs(number("coincidence 1", "grad_norm_expected") - 1) < 0.3);
	assert_null(test_find(&measures, "cross", "coincidence 1", "step_time"));
	assert_true(text_is("axes", "present", "grad_norm, loss, step_time"));
	assert_true(number("axes", "checked_count") == 1000);
}

/* On an easy batch the loss and the gradient norm fall together, far below what they are, again and again: nothing is wrong.
 * Where the step takes longer on one such batch, the step time alone rises. */
static void what_falls_together_is_none(void **state)
{
	(void)state;
	clean(1000, 3);
	for (size_t i = 100; i < 1000; i += 173) {
		loss[i] = 0.2;
		grad[i] = 0.02;
	}
	find(1000, true);
	assert_int_equal(events.n, 0);
	assert_true(number("coincidences", "significant") == 0);
	clean(1000, 3);
	loss[446] = 0.2;
	grad[446] = 0.02;
	step_time[446] = 0.05;
	find(1000, true);
	assert_int_equal(events.n, 1);
	assert_true(text_is("coincidence 1", "rising", "step_time"));
	loss[446] = 6;
	find(1000, true);
	assert_true(text_is("coincidence 1", "rising", "loss, step_time"));
}

/* An axis of memory is in bytes, and its key in JSON says so. */
static void an_axis_of_memory(void **state)
{
	struct ts_coincidence c;
	struct ts_error err;

	(void)state;
	clean(1000, 3);
	for (size_t i = 0; i < 1000; i++)
		step_time[i] *= 1e11; /* about 1e9 bytes */
	loss[500] = 6;
	step_time[500] = 9e9;
	measures = (struct ts_measures){.n = 0};
	events = (struct ts_events){.n = 0};
	ts_coincidence_begin(&c, &arena);
	assert_int_equal(ts_coincidence_axis(&c, ts_span_str("loss"), keys, loss, 1000, &err), TS_OK);
	assert_int_equal(ts_coincidence_axis(&c, ts_span_str("memory"), keys, step_time, 1000, &err), TS_OK);
	assert_int_equal(ts_coincidence_finish(&c, &arena, &measures, &events, &err), TS_OK);
	assert_true(test_seen(&measures));
	assert_true(number("coincidence 1", "memory_bytes") == 9e9);
	assert_true(fabs(number("coincidence 1", "memory_expected_bytes") - 1e9) < 3e8);
	assert_int_equal(test_find(&measures, "cross", "coincidence 1", "loss")->unit, TS_UNIT_NONE);
}

/* Hits two steps apart are simultaneous, three steps apart are not; and one axis alone makes no event. */
static void together_is_within_two_steps(void **state)
{
	(void)state;
	for (size_t apart = 0; apart < 5; apart++) {
		clean(2000, 5);
		loss[500] = 6;
		step_time[500 + apart] = 0.1;
		find(2000, true);
		assert_int_equal(events.n, apart <= 2);
	}
	clean(2000, 5);
	loss[500] = 6;
	find(2000, true);
	assert_int_equal(events.n, 0);
	assert_true(number("coincidences", "significant") == 0);
}

/* The rows list the strongest first, whatever the order of steps; events are sorted by step. */
static void the_most_significant_first(void **state)
{
	(void)state;
	clean(5000, 7);
	loss[1000] = 2.62; /* 6 deviations */
	grad[1000] = 5;
	loss[4000] = 60;
	grad[4000] = 100;
	step_time[4000] = 1;
	find(5000, true);
	assert_int_equal(events.n, 2);
	assert_int_equal(events.items[0].first_step, 2000);
	assert_int_equal(events.items[1].first_step, 5000);
	assert_true(number("coincidence 1", "first_step") == 5000);
	assert_true(number("coincidence 2", "first_step") == 2000);
	assert_true(text_is("coincidence 1", "axes", "grad_norm, loss, step_time"));
	assert_true(number("coincidence 1", "step_time_s") == 1);
}

/* An axis that jumps every 50 steps meets the one jump of another by chance; if they meet every time, it is not
 * chance. */
static void a_regular_jump_meets_something(void **state)
{
	(void)state;
	clean(10000, 9);
	for (size_t i = 49; i < 10000; i += 50)
		step_time[i] = 0.1;
	grad[549] = 20;
	find(10000, true);
	assert_int_equal(events.n, 0);
	clean(10000, 9);
	for (size_t i = 999; i < 10000; i += 1000) {
		step_time[i] = 0.1;
		loss[i] = 6;
	}
	for (size_t i = 30; i < 10000; i += 100) /* with other jumps in between, so that one alone says little */
		step_time[i] = 0.1;
	find(10000, true);
	assert_int_equal(events.n, 10);
	assert_true(number("coincidences", "p_value") < 1e-6);
}

/* In white noise the number of events is about the expected number. */
static void expected_of_independent_axes(void **state)
{
	double count = 0, expected = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		clean(5000, 100 + seed);
		find(5000, true);
		count += number("coincidences", "count");
		expected += number("coincidences", "expected");
		assert_true(number("coincidences", "p_value") <= 1);
	}
	assert_true(expected > 30 && expected < 120);
	assert_true(fabs(count - expected) < 4 * sqrt(expected));
}

static void nan_is_a_hit_where_it_begins(void **state)
{
	(void)state;
	clean(1000, 11);
	for (size_t i = 700; i < 1000; i++)
		loss[i] = (double)NAN;
	grad[900] = 50;
	find(1000, true);
	assert_int_equal(events.n, 0);
	clean(1000, 11);
	for (size_t i = 700; i < 1000; i++)
		loss[i] = (double)NAN;
	grad[699] = 50;
	find(1000, true);
	assert_int_equal(events.n, 1);
	assert_int_equal(events.items[0].first_step, 1699);
	assert_int_equal(events.items[0].last_step, 1700);
	assert_true(isnan(number("coincidence 1", "loss")));
	assert_false(test_find(&measures, "cross", "coincidence 1", "loss_expected")->known);
}

static void too_little(void **state)
{
	struct ts_coincidence c;
	struct ts_error err;

	(void)state;
	clean(1000, 13);
	for (size_t n = 0; n < 100; n++) {
		find(n, true);
		assert_int_equal(test_find(&measures, "cross", "coincidences", "count")->known, n >= 24);
		assert_int_equal(text_is("axes", "too_short", "grad_norm, loss, step_time"), n < 24);
	}
	for (size_t i = 0; i < 1000; i++)
		loss[i] = (double)NAN;
	find(1000, false);
	assert_true(text_is("axes", "present", "grad_norm"));
	assert_true(text_is("axes", "too_short", "loss"));
	expect_unknown(&measures, "cross", "coincidences", "significant_count");
	for (size_t i = 0; i < 1000; i++)
		loss[i] = grad[i] = 1;
	find(1000, false);
	assert_int_equal(events.n, 0);
	ts_coincidence_begin(&c, &arena);
	measures.n = 0;
	assert_int_equal(ts_coincidence_finish(&c, &arena, &measures, &events, &err), TS_OK);
	assert_true(test_seen(&measures));
	expect_unknown(&measures, "cross", "axes", "present");
	for (size_t i = 0; i < TS_COINCIDENCE_AXES; i++)
		assert_int_equal(ts_coincidence_axis(&c, ts_span_str("x"), keys, grad, 100, &err), TS_OK);
	assert_int_equal(ts_coincidence_axis(&c, ts_span_str("x"), keys, grad, 100, &err), TS_TOO_LARGE);
}

/* The phases are added up by hand here; steps 70 to 72 were planted on three axes. */
static void the_planted_event_of_the_corpus(void **state)
{
	struct expected_run *run = ts_arena_alloc(&arena, sizeof *run);
	struct ts_coincidence c;
	struct ts_error err;

	(void)state;
	assert_true(expected_load("cross", &arena, run));
	for (size_t i = 0; i < run->n_steps; i++)
		step_time[i] = expected_column(run, "phases.data")->values[i] +
			       expected_column(run, "phases.forward")->values[i] +
			       expected_column(run, "phases.backward")->values[i] +
			       expected_column(run, "phases.optimizer")->values[i];
	measures = (struct ts_measures){.n = 0};
	events = (struct ts_events){.n = 0};
	ts_coincidence_begin(&c, &arena);
	for (size_t i = 0; i < 2; i++) {
		const struct ts_series *s = expected_column(run, i ? "scalars.grad_norm" : "scalars.loss");

		assert_int_equal(
			ts_coincidence_axis(&c, ts_span_str(i ? "grad_norm" : "loss"), s->keys, s->values, s->n, &err), TS_OK);
	}
	assert_int_equal(ts_coincidence_axis(&c, ts_span_str("step_time"), run->steps, step_time, run->n_steps, &err), TS_OK);
	assert_int_equal(ts_coincidence_finish(&c, &arena, &measures, &events, &err), TS_OK);
	assert_true(test_seen(&measures));
	assert_int_equal(events.n, 1);
	assert_int_equal(events.items[0].first_step, 70);
	assert_int_equal(events.items[0].last_step, 72);
	assert_true(ts_span_is(events.items[0].subject, "grad_norm, loss, step_time"));
	assert_true(number("coincidence 1", "loss") == 3.5785855530457917 && number("coincidence 1", "grad_norm") == 45);
}

static void no_memory(void **state)
{
	size_t refused = 0;

	(void)state;
	clean(1000, 3);
	loss[500] = 6;
	grad[501] = 8;
	for (size_t ceiling = 64;; ceiling += 512) {
		struct ts_measures m = {.n = 0};
		struct ts_events e = {.n = 0};
		struct ts_coincidence c;
		struct ts_error err = {.status = TS_OK};
		struct ts_arena small;
		enum ts_status status;

		ts_arena_init(&small, ceiling);
		ts_coincidence_begin(&c, &small);
		status = ts_coincidence_axis(&c, ts_span_str("loss"), keys, loss, 1000, &err);
		if (!status)
			status = ts_coincidence_axis(&c, ts_span_str("grad_norm"), keys, grad, 1000, &err);
		if (!status)
			status = ts_coincidence_finish(&c, &small, &m, &e, &err);
		ts_arena_finish(&small);
		if (!status)
			break;
		refused++;
		assert_int_equal(status, TS_NO_MEMORY);
	}
	assert_true(refused > 10);
}

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	(void)state;
	assert_true(test_seen_all(TS_ANSWER_CROSS, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_that_was_planted, setup, teardown),
		cmocka_unit_test_setup_teardown(what_falls_together_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(an_axis_of_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(together_is_within_two_steps, setup, teardown),
		cmocka_unit_test_setup_teardown(the_most_significant_first, setup, teardown),
		cmocka_unit_test_setup_teardown(a_regular_jump_meets_something, setup, teardown),
		cmocka_unit_test_setup_teardown(expected_of_independent_axes, setup, teardown),
		cmocka_unit_test_setup_teardown(nan_is_a_hit_where_it_begins, setup, teardown),
		cmocka_unit_test_setup_teardown(too_little, setup, teardown),
		cmocka_unit_test_setup_teardown(the_planted_event_of_the_corpus, setup, teardown),
		cmocka_unit_test_setup_teardown(no_memory, setup, teardown),
		cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
