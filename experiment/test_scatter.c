#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "experiment/scatter.h"

#include <math.h>

/* Rows of two steps about (0, 0) and (10, 0), scattered by 1 in both steps. */
static const double near_a[4][2] = {{1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
static const double near_b[4][2] = {{11, 1}, {9, 1}, {11, -1}, {9, -1}};

static struct ts_scatter_group group(const double rows[4][2])
{
	return (struct ts_scatter_group){{rows[0], rows[1], rows[2], rows[3]}, 4};
}

static void test_apart(void **state)
{
	const struct ts_scatter_group a = group(near_a), b = group(near_b);
	const double middle[] = {5, 0}, as_a[] = {0.5, 0}, as_b[] = {10, 1}, far_off[] = {5, 40};
	struct ts_scatter s;
	bool is_far;

	(void)state;
	ts_scatter_of(&a, &b, 2, &s);
	assert_true(s.t > 8);
	assert_true(fabs(ts_scatter_place(&s, middle, &is_far) - 0.5) < 1e-12);
	assert_true(fabs(ts_scatter_place(&s, as_a, &is_far) - 0.05) < 1e-12);
	assert_false(is_far);
	assert_true(fabs(ts_scatter_place(&s, as_b, &is_far) - 1) < 1e-12);
	assert_false(is_far);
	(void)ts_scatter_place(&s, far_off, &is_far);
	assert_true(is_far);
}

/* Two groups of the same runs: each member that is left out lies further from its own end than from the other. */
static void test_together(void **state)
{
	const struct ts_scatter_group a = group(near_a);
	static const double moved[4][2] = {{1.1, 1}, {-0.9, 1}, {1.1, -1}, {-0.9, -1}};
	const struct ts_scatter_group b = group(moved);
	struct ts_scatter s;

	(void)state;
	ts_scatter_of(&a, &b, 2, &s);
	assert_true(s.t < 1);
}

/* Rows that are equal to the bit within each group: any gap is one, and none is none. */
static void test_no_scatter(void **state)
{
	static const double ones[4][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}}, more[4][2] = {{1, 2}, {1, 2}, {1, 2}, {1, 2}};
	const struct ts_scatter_group a = group(ones), b = group(more);
	struct ts_scatter s;

	(void)state;
	ts_scatter_of(&a, &b, 2, &s);
	assert_true(s.t > 8);
	ts_scatter_of(&a, &a, 2, &s);
	assert_true(s.t < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_no_scatter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
