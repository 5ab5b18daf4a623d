#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/epochs.h"

#include <math.h>

static struct ts_arena arena;
static struct ts_error err;

static void is(const int64_t *found, size_t n, const int64_t *want, size_t n_want)
{
	assert_int_equal(n, n_want);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(found[i], want[i]);
}

static void of(const double *values, size_t n, const int64_t *want, size_t n_want)
{
	static const int64_t keys[] = {10, 11, 12, 13, 14, 15, 16, 17};
	struct ts_series column = {.keys = keys, .values = values, .n = n};
	int64_t *found;
	size_t n_found;

	assert_int_equal(ts_epochs_of_column(&column, &arena, &found, &n_found, &err), TS_OK);
	is(found, n_found, want, n_want);
}

static void whole_numbers_name_the_epoch(void **state)
{
	static const double whole[] = {0, 0, 0, 1, 1, 2, 2, 2}, gaps[] = {3, NAN, 4, NAN, NAN, 4, 3, 4}, one[] = {5};

	(void)state;
	of(whole, 8, (const int64_t[]){13, 15}, 2);
	of(gaps, 8, (const int64_t[]){12, 17}, 2);
	of(one, 1, NULL, 0);
	of(NULL, 0, NULL, 0);
}

static void fractions_say_what_is_over(void **state)
{
	static const double thirds[] = {0.333, 0.667, 1.0, 1.333, 1.667, 2.0, 2.333, 2.667};

	(void)state;
	of(thirds, 8, (const int64_t[]){13, 16}, 2);
}

static void epochs_of_one_length(void **state)
{
	static const int64_t zero[] = {0, 1, 2, 3, 4, 5, 6}, one[] = {1, 2, 3, 4, 5, 6, 7}, later[] = {5, 7, 9, 11, 12};
	int64_t *found;
	size_t n;

	(void)state;
	assert_int_equal(ts_epochs_of_length(zero, 7, 3, &arena, &found, &n, &err), TS_OK);
	is(found, n, (const int64_t[]){3, 6}, 2);
	assert_int_equal(ts_epochs_of_length(one, 7, 3, &arena, &found, &n, &err), TS_OK);
	is(found, n, (const int64_t[]){4, 7}, 2);
	assert_int_equal(ts_epochs_of_length(later, 5, 3, &arena, &found, &n, &err), TS_OK);
	is(found, n, (const int64_t[]){9, 12}, 2);
	assert_int_equal(ts_epochs_of_length(zero, 0, 3, &arena, &found, &n, &err), TS_OK);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_name_the_epoch),
		cmocka_unit_test(fractions_say_what_is_over),
		cmocka_unit_test(epochs_of_one_length),
	};
	int failed;

	ts_arena_init(&arena, 1 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ts_arena_finish(&arena);
	return failed;
}
