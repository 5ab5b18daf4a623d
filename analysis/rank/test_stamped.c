/* Times from timestamps, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/stamped.h"

#include <math.h>

static struct ts_arena arena;
static uint64_t coarse; /* rows of the last call */

static struct ts_series times_of(const int64_t *keys, const double *values, size_t n, const struct ts_series *segments)
{
	struct ts_series stamps = {.keys = keys, .values = values, .n = n}, out;
	struct ts_error err;

	ts_arena_reset(&arena);
	assert_int_equal(ts_stamped_times(&stamps, segments, &arena, &out, &coarse, &err), TS_OK);
	return out;
}

static void by_hand(void **state)
{
	static const int64_t keys[] = {10, 11, 12, 13, 14, 16, 17, 18, 19, 4000, 4001};
	/* 12 has no timestamp, the clock is set back before 17, a second segment begins at 19, and 4000 is far away. */
	static const double stamps[] = {100, 101, 0, 105, (double)NAN, 111, 90, 92, 500, 600, 603};
	static const int64_t starts[] = {10, 19};
	static const double segment[] = {1, 2};
	struct ts_series segments = {.keys = starts, .values = segment, .n = 2};
	struct ts_series t = times_of(keys, stamps, 11, &segments);
	static const int64_t want_keys[] = {11, 13, 16, 18, 4001};
	static const double want[] = {1, 2, 2, 2, 3};

	(void)state;
	assert_int_equal(t.n, 5);
	for (size_t i = 0; i < t.n; i++) {
		assert_int_equal(t.keys[i], want_keys[i]);
		assert_true(t.values[i] == want[i]);
	}
	t = times_of(keys, stamps, 11, NULL);
	assert_int_equal(t.n, 6); /* 19 too */
	assert_true(t.values[4] == 408);
	/* Rows of each tenth step: the time of one step. */
	t = times_of((const int64_t[]){0, 10, 20}, (const double[]){1, 6, 11}, 3, NULL);
	assert_int_equal(t.n, 2);
	assert_true(t.values[1] == 0.5);
}

static void few(void **state)
{
	(void)state;
	assert_int_equal(times_of((const int64_t[]){0}, (const double[]){1}, 0, NULL).n, 0);
	assert_int_equal(times_of((const int64_t[]){0}, (const double[]){1}, 1, NULL).n, 0);
	assert_int_equal(times_of((const int64_t[]){0, 1}, (const double[]){0, 0}, 2, NULL).n, 0);
	assert_int_equal(times_of((const int64_t[]){INT64_MIN, INT64_MAX}, (const double[]){1, 2}, 2, NULL).n, 1);
}

/* A clock of seconds at four steps a second: no step took 0 s, and each took 0.25 s. Two rows alone may have one time. */
static void a_coarse_clock(void **state)
{
	struct ts_series t;

	(void)state;
	t = times_of((const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, (const double[]){9, 9, 9, 9, 10, 10, 10, 10, 11}, 9, NULL);
	assert_int_equal(coarse, 8);
	assert_int_equal(t.n, 2);
	assert_true(t.keys[0] == 4 && t.values[0] == 0.25);
	assert_true(t.keys[1] == 8 && t.values[1] == 0.25);
	t = times_of((const int64_t[]){0, 1, 2}, (const double[]){9, 9, 9}, 3, NULL);
	assert_int_equal(coarse, 3);
	assert_int_equal(t.n, 0);
	t = times_of((const int64_t[]){0, 1, 2}, (const double[]){9, 9, 10}, 3, NULL);
	assert_int_equal(coarse, 0);
	assert_int_equal(t.n, 2);
}

static void short_memory_is_told(void **state)
{
	struct ts_series stamps = {.keys = (const int64_t[]){0, 1}, .values = (const double[]){1, 2}, .n = 2}, out;
	struct ts_arena small;
	struct ts_error err;

	(void)state;
	ts_arena_init(&small, 1);
	assert_int_equal(ts_stamped_times(&stamps, NULL, &small, &out, &coarse, &err), TS_NO_MEMORY);
	ts_arena_finish(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(few),
		cmocka_unit_test(a_coarse_clock),
		cmocka_unit_test(short_memory_is_told),
	};
	int failed;

	ts_arena_init(&arena, 1 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ts_arena_finish(&arena);
	return failed;
}
