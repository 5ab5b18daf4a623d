/* What attempts cost, in scenarios whose times are chosen by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/attempts.h"

static struct ts_arena arena;
static struct ts_measures measures;

static void measure(struct ts_executed *rows, size_t n_rows, const struct ts_attempt_said *said, size_t n)
{
	struct ts_error err;

	ts_arena_finish(&arena);
	ts_arena_init(&arena, 0);
	measures = (struct ts_measures){.n = 0};
	assert_int_equal(ts_attempts_measure(rows, n_rows, said, n, &arena, &measures, &err), TS_OK);
}

static void is(enum ts_measure_name what, const char *subject, double expected)
{
	double value;

	assert_true(ts_measure_value(&measures, what, subject ? ts_span_str(subject) : TS_NO_SUBJECT, &value));
	if (!(fabs(value - expected) < 1e-9))
		fail_msg("measure %d is %.17g, not %.17g", (int)what, value, expected);
}

/* The attempt began at 0, made steps from 2 to 12 of one second each, the last three of which were made again, and recorded nothing
 * behind 12.5. The second began at 20, came to no step and ended at 21. The third began at 30, made five steps of 2 s from 33 on. */
static void all_time_is_somewhere(void **state)
{
	struct ts_executed rows[15];
	const struct ts_attempt_said said[] = {
		{.number = 1, .began = 0, .ended = 12.5, .stepped = true, .steps = 10, .end = ts_span_str("cut")},
		{.number = 2, .began = 20, .ended = 21, .end = ts_span_str("ValueError")},
		{.number = 4,
		 .began = 30,
		 .ended = 44,
		 .stepped = true,
		 .steps = 5,
		 .first_step = 7,
		 .checkpoint = ts_span_str("c.pt"),
		 .changed = ts_span_str("config.lr")},
	};

	(void)state;
	for (int i = 0; i < 10; i++)
		rows[14 - i] = (struct ts_executed){.end = 3 + i, .own = 1, .segment = 0, .superseded = i >= 7};
	for (int i = 0; i < 5; i++)
		rows[i] = (struct ts_executed){.end = 35 + 2 * i, .own = 2, .segment = 1};
	measure(rows, 15, said, 3);
	is(TS_M_ATTEMPTS_COUNT, NULL, 3);
	is(TS_M_ATTEMPTS_PRODUCTIVE, NULL, 7 + 10);
	is(TS_M_ATTEMPTS_REPEATED, NULL, 3);
	is(TS_M_ATTEMPTS_REPEATED_STEPS, NULL, 3);
	is(TS_M_ATTEMPTS_STARTUP, NULL, 2 + 1 + 3);
	is(TS_M_ATTEMPTS_UNFINISHED, NULL, 0.5 + 1);
	is(TS_M_ATTEMPTS_GAPS, NULL, 7.5 + 9);
	is(TS_M_ATTEMPTS_WALL, NULL, 44);
	is(TS_M_ATTEMPTS_GOODPUT, NULL, 17.0 / 44);
	is(TS_M_ATTEMPT_AT, "attempt 4", 7);
	is(TS_M_ATTEMPT_STEPS, "attempt 2", 0);
	assert_non_null(ts_measure_find(&measures, TS_M_ATTEMPT_CHANGED, ts_span_str("attempt 4")));
	assert_null(ts_measure_find(&measures, TS_M_ATTEMPT_CHECKPOINT, ts_span_str("attempt 2")));
}

/* Steps that go back within an attempt make more segments than attempts: the times tell which is whose. */
static void an_attempt_may_have_several_segments(void **state)
{
	struct ts_executed rows[] = {{.end = 1, .own = 1, .segment = 0, .superseded = true},
				     {.end = 2, .own = 1, .segment = 1},
				     {.end = 11, .own = 1, .segment = 2}};
	const struct ts_attempt_said said[] = {{.number = 1, .began = 0, .ended = 2, .stepped = true},
					       {.number = 2, .began = 9, .ended = 11, .stepped = true}};

	(void)state;
	measure(rows, 3, said, 2);
	is(TS_M_ATTEMPTS_PRODUCTIVE, NULL, 2);
	is(TS_M_ATTEMPTS_REPEATED, NULL, 1);
	is(TS_M_ATTEMPTS_STARTUP, NULL, 1);
	is(TS_M_ATTEMPTS_GAPS, NULL, 7);
}

/* A log that training was restarted into says no beginnings. */
static void segments_alone_are_attempts(void **state)
{
	struct ts_executed rows[] = {{.end = 1, .own = NAN, .segment = 0},
				     {.end = 2, .own = NAN, .segment = 0, .superseded = true},
				     {.end = 10, .own = 0.5, .segment = 1},
				     {.end = 11, .own = 0.5, .segment = 1}};
	struct ts_measure one;

	(void)state;
	measure(rows, 4, NULL, 0);
	is(TS_M_ATTEMPTS_COUNT, NULL, 2);
	is(TS_M_ATTEMPTS_PRODUCTIVE, NULL, 1.5);
	is(TS_M_ATTEMPTS_REPEATED, NULL, 1);
	is(TS_M_ATTEMPTS_GAPS, NULL, 7.5);
	measure(rows, 2, NULL, 0);
	assert_int_equal(measures.n, 0);
	rows[2].end = rows[3].end = 0.5; /* another host's clock */
	measure(rows, 4, NULL, 0);
	one = *ts_measure_find(&measures, TS_M_ATTEMPTS_GOODPUT, TS_NO_SUBJECT);
	assert_false(one.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_time_is_somewhere),
		cmocka_unit_test(an_attempt_may_have_several_segments),
		cmocka_unit_test(segments_alone_are_attempts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
