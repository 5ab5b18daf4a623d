#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/wall.h"

#include <math.h>

enum { CEILING = 1 << 20, N = 6 };

/* Six steps of 2 s each have timestamps 3 s apart; the numbers below were computed by hand. */
static const int64_t steps[N] = {1, 2, 3, 4, 5, 6};
static const double times[N] = {2.0, 2.0, 2.0, 2.0, 2.0, 2.0};

static struct ts_wall measure(const int64_t *keys, const double *stamps, size_t n, int64_t first)
{
	struct ts_series s = {.name = ts_span_str("timestamp"), .keys = keys, .values = stamps, .n = n};
	struct ts_wall wall;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, CEILING);
	assert_int_equal(ts_wall_measure(steps, times, N, stamps ? &s : NULL, first, &arena, &wall, &err), TS_OK);
	ts_arena_finish(&arena);
	return wall;
}

static void expect(const struct ts_wall *w, double total, double attributed, double gap)
{
	assert_null(w->reason);
	assert_true(w->total == total);
	assert_true(w->attributed == attributed);
	assert_true(w->gap == gap);
}

static void from_the_first_stamp_to_the_last(void **state)
{
	static const double stamps[N] = {1003.0, 1006.0, 1009.0, 1012.0, 1015.0, 1018.0};
	struct ts_wall w = measure(steps, stamps, N, 1);

	(void)state;
	expect(&w, 15.0, 10.0, 0.0);
	assert_int_equal(w.unstamped, 0);
	w = measure(steps, stamps, N, 3); /* the warm-up is left out */
	expect(&w, 9.0, 6.0, 0.0);
}

/* Readers write 0.0 for a missing timestamp. Steps 1, 3 and 6 have no known timestamp. */
static void unknown_stamps_are_passed_over(void **state)
{
	static const double stamps[N] = {0.0, 1006.0, (double)NAN, 1012.0, 1015.0, HUGE_VAL};
	static const int64_t some_keys[] = {2, 4, 5};
	static const double some[] = {1006.0, 1012.0, 1015.0};
	static const int64_t other_keys[] = {2, 5, 8};
	static const double other[] = {1006.0, 1015.0, 1018.0};
	struct ts_wall w = measure(steps, stamps, N, 1);

	(void)state;
	expect(&w, 9.0, 6.0, 0.0);
	assert_int_equal(w.unstamped, 3);
	w = measure(some_keys, some, 3, 1); /* the column may also have no rows for these steps */
	expect(&w, 9.0, 6.0, 0.0);
	assert_int_equal(w.unstamped, 3);
	w = measure(other_keys, other, 3, 1); /* the phases have no step 8, and step 6 has no timestamp */
	expect(&w, 12.0, 8.0, 0.0);
	assert_int_equal(w.unstamped, 4);
}

/* A timestamp belongs to a step without phases: its time has passed but is unattributed. */
static void a_step_without_phases(void **state)
{
	static const int64_t keys[] = {1, 2, 3, 4, 5, 6, 7};
	static const double stamps[] = {1003.0, 1006.0, 1009.0, 1012.0, 1015.0, 1018.0, 1022.0};
	struct ts_wall w = measure(keys, stamps, 7, 1);

	(void)state;
	expect(&w, 19.0, 10.0, 0.0);
	assert_int_equal(w.unstamped, 0);
}

/* After step 3 the clock is set back by an hour: the interval counts as the 2 s that the phases of step 4 take. */
static void a_clock_that_was_set_back(void **state)
{
	static const double stamps[N] = {5003.0, 5006.0, 5009.0, 1412.0, 1415.0, 1418.0};
	struct ts_wall w = measure(steps, stamps, N, 1);

	(void)state;
	expect(&w, 4 * 3.0 + 2.0, 10.0, 0.0);
	assert_int_equal(w.backwards, 1);
}

/* A restart between steps 3 and 4 took 600 s beyond the 2 s of step 4. */
static void a_gap_is_told_apart(void **state)
{
	static const double stamps[N] = {1003.0, 1006.0, 1009.0, 1611.0, 1614.0, 1617.0};
	static const double slow[N] = {2.0, 2.0, 2.0, 602.0, 2.0, 2.0};
	struct ts_series s = {.keys = steps, .values = stamps, .n = N};
	struct ts_wall w = measure(steps, stamps, N, 1);
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	expect(&w, 614.0, 10.0, 600.0);
	assert_int_equal(w.gaps, 1);
	/* The same time inside a step is not a gap. */
	ts_arena_init(&arena, CEILING);
	assert_int_equal(ts_wall_measure(steps, slow, N, &s, 1, &arena, &w, &err), TS_OK);
	expect(&w, 614.0, 610.0, 0.0);
	assert_int_equal(w.gaps, 0);
	ts_arena_finish(&arena);
}

/* 20 medians of 3 s are 60 s: 59 s beyond the phases are not a gap, 61 s are. */
static void what_is_a_gap(void **state)
{
	double stamps[N] = {1003.0, 1006.0, 1009.0, 1070.0, 1073.0, 1076.0};
	struct ts_wall w = measure(steps, stamps, N, 1);

	(void)state;
	assert_int_equal(w.gaps, 0);
	for (int i = 3; i < N; i++)
		stamps[i] += 2.0;
	w = measure(steps, stamps, N, 1);
	assert_int_equal(w.gaps, 1);
	assert_true(w.gap == 61.0);
}

static void too_few_stamps(void **state)
{
	static const double zeros[N] = {0.0, 0.0, 0.0, 0.0, 1015.0, 0.0};
	struct ts_wall w = measure(steps, NULL, 0, 1);

	(void)state;
	assert_non_null(w.reason);
	assert_int_equal(w.unstamped, N);
	w = measure(steps, zeros, N, 1);
	assert_non_null(w.reason);
	assert_int_equal(w.unstamped, N - 1);
	w = measure(steps, zeros, 0, 1);
	assert_non_null(w.reason);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_first_stamp_to_the_last),
		cmocka_unit_test(unknown_stamps_are_passed_over),
		cmocka_unit_test(a_step_without_phases),
		cmocka_unit_test(a_clock_that_was_set_back),
		cmocka_unit_test(a_gap_is_told_apart),
		cmocka_unit_test(what_is_a_gap),
		cmocka_unit_test(too_few_stamps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
