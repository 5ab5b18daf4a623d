/* test_gate_odd.c - which values are odd: the cut by hand, groups, what is known from elsewhere, and when nobody can tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/gate_odd.h"

#include <math.h>

static const struct ts_gate_spread none = {0, 0};
static double scratch[64];
static bool odd[64];

static size_t of(const double *x, size_t n, struct ts_gate_spread known)
{
	return ts_gate_odd(x, &n, 1, known, 0, scratch, odd);
}

/* Computed by numpy: the median is 0.003, 1.4826 times the median distance is 0.0103782, and the cut is (3.9 + 31 /
 * 7) times that, 0.08643558. */
static void the_cut(void **state)
{
	double x[] = {0.010, -0.004, 0.006, -0.011, 0.002, 0.003, 0.30};

	(void)state;
	assert_int_equal(of(x, 7, none), 1);
	assert_true(odd[6] && !odd[3]);
	x[6] = 0.0894355;
	assert_int_equal(of(x, 7, none), 0);
	x[6] = 0.0894357;
	assert_int_equal(of(x, 7, none), 1);
	x[6] = 0.003 - 0.0864357;
	assert_int_equal(of(x, 7, none), 1);
}

static void few_values_cannot_tell(void **state)
{
	static const double x[] = {0, 0.001, 0.002, 0.003, 0.5};

	(void)state;
	assert_int_equal(of(x, 5, none), 0);
	assert_int_equal(of(x, 5, (struct ts_gate_spread){0.002, TS_GATE_ODD_KNOWN - 1}), 0);
	assert_int_equal(of(x, 5, (struct ts_gate_spread){0.002, 30}), 1);
	/* (3.9 + 31 / 35) 0.12 is 0.574: a value within the known spread is not an outlier. */
	assert_int_equal(of(x, 5, (struct ts_gate_spread){0.12, 30}), 0);
	assert_int_equal(of(x, 0, none), 0);
	assert_int_equal(of(x, 1, none), 0);
}

/* If more than a quarter of the values are far away, there are two kinds of runs and no outliers. */
static void more_than_a_quarter_is_none(void **state)
{
	double x[] = {0, 0.001, 0.002, 0.003, 0.001, 0.002, 0.5, 0.5};

	(void)state;
	assert_int_equal(of(x, 8, none), 2);
	x[5] = 0.5;
	assert_int_equal(of(x, 8, none), 0);
	assert_false(odd[6]);
}

/* Each group has its own level; the distances of all groups together decide what is far. */
static void groups(void **state)
{
	static const double x[] = {0, 0.001, 0.002, 1, 1.001, 1.002, 5, 5.001, 5.3};
	static const size_t sizes[] = {3, 3, 3}, empty[] = {3, 0, 3, 3};

	(void)state;
	assert_int_equal(ts_gate_odd(x, sizes, 3, none, 0, scratch, odd), 1);
	assert_true(odd[8]);
	assert_int_equal(ts_gate_odd(x, empty, 4, none, 0, scratch, odd), 1);
}

static void equal_values_are_held_to_the_floor(void **state)
{
	static const double x[] = {1, 1, 1, 1, 1, 1, 1, 1.004};
	size_t n = 8;

	(void)state;
	assert_int_equal(of(x, 8, none), 1);
	assert_int_equal(ts_gate_odd(x, &n, 1, none, 0.001, scratch, odd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cut),
		cmocka_unit_test(few_values_cannot_tell),
		cmocka_unit_test(more_than_a_quarter_is_none),
		cmocka_unit_test(groups),
		cmocka_unit_test(equal_values_are_held_to_the_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
