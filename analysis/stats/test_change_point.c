/* Tests of change points. Places and p-values of short series were computed by a separate program from the definition, with
 * double sums over pairs: p over all orders (n <= 8), or over 100,000 random orders of numpy (n = 18). In the other tests
 * the change is planted here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/change_point.h"
#include "analysis/stats/random.h"
#include "analysis/stats/stats.h"
#include "base/test_arena.h"

#include <math.h>

enum { MOST = 10000 };

static double x[MOST];

struct got {
	struct ts_change_point *points;
	size_t n;
};

static struct got find_with(const double *values, size_t n, struct ts_change_options options)
{
	struct ts_error err;
	struct got got;

	assert_int_equal(ts_change_points(values, n, &options, &arena, &got.points, &got.n, &err), TS_OK);
	return got;
}

static struct got find(size_t n)
{
	return find_with(x, n, (struct ts_change_options){.max_p = 0.001, .min_size = 0.0198, .seed = 1});
}

/* Fills the values with noise of standard deviation sd around 0. */
static void noise(size_t n, double sd, uint64_t seed)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	for (size_t i = 0; i < n; i++)
		x[i] = sd * ts_random_normal(&r);
}

static void shift(size_t at, size_t n, double size)
{
	for (size_t i = at; i < n; i++)
		x[i] += size;
}

/* Compares the mean of p over seeds with a known p: each p has a standard deviation of sqrt(p (1 - p) / 1999). */
static void check_p(const double *values, size_t n, size_t at, double p, double max_p)
{
	enum { SEEDS = 40 };
	double sum = 0, expected = (1999 * p + 1) / 2000;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct got got =
			find_with(values, n, (struct ts_change_options){.max_p = max_p, .min_size = 0, .seed = seed});

		assert_int_equal(got.n, 1);
		assert_int_equal(got.points[0].at, at);
		sum += got.points[0].p;
	}
	if (fabs(sum / SEEDS - expected) > 4 * sqrt(p * (1 - p) / 1999 / SEEDS) + 0.0006)
		fail_msg("p %g, not %g", sum / SEEDS, expected);
}

/* The expected p-values count all orders of the values; two of them are computed by hand. */
static void by_all_orders(void **state)
{
	static const double halves[] = {1, 2, 3, 7, 8, 9}, two_levels[] = {1, 1, 1, 1, 1, 2, 2, 2};
	static const double fall[] = {6, 6, 9, 7, 2, 5, 1, 0}, weak[] = {9, 5, 8, 9, 6, 9, 3, 5}, rises[] = {4, 9, 2, 5, 8, 9, 9};
	static const double early[] = {0, 5, 4, 7, 4, 9, 9}, eight[] = {4, 3, 1, 0, 8, 3, 5, 9};
	static const double odd[] = {4, 8, 4, 7, 5, 6, 100, 6}, ties[] = {2, 7, 7, 4, 2, 1, 1};

	(void)state;
	check_p(halves, 6, 3, 0.1, 1);		/* 2 of C(6, 3) */
	check_p(two_levels, 8, 5, 2 / 56.0, 1); /* 2 of C(8, 3) */
	check_p(fall, 8, 4, 0.05714285714285714, 1);
	check_p(weak, 8, 4, 0.5982142857142857, 1);
	check_p(rises, 7, 4, 0.22857142857142856, 1);
	check_p(early, 7, 3, 0.18571428571428572, 1);
	check_p(eight, 8, 4, 0.16785714285714284, 1);
	check_p(odd, 8, 5, 0.48214285714285715, 1);
	check_p(ties, 7, 4, 0.14285714285714285, 1);
}

static void by_many_orders(void **state)
{
	static const double late[] = {9, 0, 9, 5, 0, 0, 1, 6, 0, 6, 2, 1, 6, 5, 13, 9, 11, 9};
	static const double odd[] = {500, 6, 4, 4, 0, 8, 6, 7, 0, 3, 12, 14, 11, 9, 10, 15, 10, 7};
	static const double early[] = {4, 0, 5, 6, 3, 2, 9, 7, 5, 7, 12, 4, 7, 13, 7, 13, 10, 7};

	(void)state;
	check_p(late, 18, 14, 0.02346, 0.09);
	check_p(odd, 18, 10, 0.03191, 0.09);
	check_p(early, 18, 6, 0.02382, 0.09);
}

static void too_few(void **state)
{
	static const double five[] = {1, 1, 1, 9, 9};

	(void)state;
	for (size_t n = 0; n <= 5; n++)
		assert_int_equal(find_with(five, n, (struct ts_change_options){.max_p = 1}).n, 0);
}

static void a_step_in_the_middle(void **state)
{
	struct got got;

	(void)state;
	noise(100, 0.005, 1);
	shift(40, 100, 0.03);
	got = find(100);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.points[0].at, 40);
	assert_true(fabs(got.points[0].after - got.points[0].before - 0.03) < 0.003);
	assert_true(got.points[0].p <= 0.001 && got.points[0].p >= 0.0005);
	for (size_t i = 0; i < 100; i++) /* the step goes down, and lies far from 0 */
		x[i] = 7 - x[i];
	got = find(100);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.points[0].at, 40);
	assert_true(got.points[0].after < got.points[0].before);
}

/* The step is found wherever windows begin and end. */
static void a_step_anywhere(void **state)
{
	(void)state;
	for (size_t at = 20; at <= 100; at++) {
		struct got got;

		noise(120, 0.005, at);
		shift(at, 120, 0.03);
		got = find(120);
		assert_int_equal(got.n, 1);
		assert_in_range(got.points[0].at, at - 1, at + 1);
	}
}

static void several_steps(void **state)
{
	struct got got;

	(void)state;
	noise(200, 0.005, 3);
	shift(50, 200, 0.04);
	shift(80, 200, -0.06);
	shift(130, 200, 0.03);
	got = find(200);
	assert_int_equal(got.n, 3);
	assert_in_range(got.points[0].at, 49, 51);
	assert_in_range(got.points[1].at, 79, 81);
	assert_in_range(got.points[2].at, 129, 131);
	assert_true(fabs(got.points[1].before - 0.04) < 0.003 && fabs(got.points[1].after + 0.02) < 0.003);
	assert_true(fabs(got.points[2].after - 0.01) < 0.003);
}

/* The later of the two steps is the larger. */
static void two_steps_close_together(void **state)
{
	struct got got;

	(void)state;
	noise(54, 0.005, 17);
	shift(40, 54, 0.03);
	shift(46, 54, 0.1);
	got = find(54);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.points[0].at, 40);
	assert_int_equal(got.points[1].at, 46);
	assert_true(fabs(got.points[1].before - 0.03) < 0.005 && fabs(got.points[1].after - 0.13) < 0.005);
}

/* Six runs, the sixth of which ends a window, and then the old level again, for too few runs to show a change: no
 * level differs. With more of them there are two changes. The level before is computed from all of its values again. */
static void a_step_that_went_back(void **state)
{
	double scratch[MOST];
	struct got got;

	(void)state;
	noise(120, 0.005, 19);
	shift(20, 120, 0.1);
	shift(78, 120, 0.03);
	shift(84, 120, -0.03);
	got = find(84);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.points[1].at, 78);
	got = find(91);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.points[0].at, 20);
	assert_true(got.points[0].after == ts_median(x + 20, 71, scratch));
	got = find(120);
	assert_int_equal(got.n, 3);
	assert_int_equal(got.points[1].at, 78);
	assert_int_equal(got.points[2].at, 84);
}

/* Three runs of the new level show a change, and two do not, whatever its size. */
static void three_runs(void **state)
{
	unsigned found = 0, early = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct ts_change_options options = {.max_p = 0.001, .min_size = 0.0198, .seed = seed};
		struct got got;

		noise(53, 0.005, seed);
		shift(50, 53, 0.03);
		got = find_with(x, 53, options);
		found += got.n == 1 && got.points[0].at == 50;
		shift(50, 53, 3);
		early += find_with(x, 52, options).n;
	}
	assert_true(found >= 90);
	assert_int_equal(early, 0);
}

static void odd_runs_are_no_change(void **state)
{
	struct got got;

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		noise(100, 0.005, seed);
		x[30] += 10;
		x[99] += 10;
		x[60] -= 10;
		x[61] -= 10;
		assert_int_equal(find(100).n, 0);
	}
	noise(100, 0.005, 7); /* the noise hides no change */
	shift(60, 100, 0.03);
	for (size_t i = 5; i < 100; i += 10)
		x[i] += 0.5;
	got = find(100);
	assert_int_equal(got.n, 1);
	assert_in_range(got.points[0].at, 58, 62);
}

static void constant_and_ties(void **state)
{
	struct got got;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		x[i] = 3;
	assert_int_equal(find(100).n, 0);
	assert_int_equal(find_with(x, 100, (struct ts_change_options){.max_p = 0.001}).n, 0); /* no least size is asked for */
	x[70] = 4;
	assert_int_equal(find(100).n, 0);
	x[70] = 3;
	shift(60, 100, 0.5); /* there is no deviation to clip by */
	got = find(100);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.points[0].at, 60);
	assert_true(got.points[0].before == 3 && got.points[0].after == 3.5);
	for (size_t i = 0; i < 100; i++)
		x[i] = (double)(i % 2);
	assert_int_equal(find(100).n, 0);
}

static void too_small(void **state)
{
	(void)state;
	noise(200, 0.001, 5);
	shift(100, 200, 0.015); /* 15 standard deviations */
	assert_int_equal(find(200).n, 0);
	shift(100, 200, 0.007);
	assert_int_equal(find(200).n, 1);
}

/* The slope is 0.2 % a run: neighbours never differ by much, but the levels do. */
static void a_slope(void **state)
{
	struct got got;

	(void)state;
	noise(150, 0.005, 9);
	for (size_t i = 50; i < 100; i++)
		x[i] += 0.002 * (double)(i - 50);
	shift(100, 150, 0.1);
	got = find(150);
	assert_in_range(got.n, 2, 6);
	for (size_t i = 0; i < got.n; i++) {
		assert_in_range(got.points[i].at, 50, 104);
		assert_true(got.points[i].after > got.points[i].before);
	}
	assert_true(fabs(got.points[0].before) < 0.005 && fabs(got.points[got.n - 1].after - 0.1) < 0.005);
}

/* The drift is 0.05 % a run: halves of 50 runs differ by 1.25 %, halves of 200 by 5 %. */
static void a_drift(void **state)
{
	struct got got;

	(void)state;
	noise(400, 0.005, 21);
	for (size_t i = 100; i < 300; i++)
		x[i] += 0.0005 * (double)(i - 100);
	shift(300, 400, 0.1);
	shift(360, 400, 0.1); /* this change is found among the runs, before any drift is */
	got = find(400);
	assert_in_range(got.n, 2, 6);
	assert_int_equal(got.points[got.n - 1].at, 360);
	for (size_t i = 0; i < got.n; i++) {
		assert_in_range(got.points[i].at, 100, i + 1 < got.n ? 300 : 360);
		assert_true(got.points[i].after - got.points[i].before >= 0.0198);
		assert_true(i == 0 || got.points[i].at > got.points[i - 1].at);
	}
	assert_int_equal(find(100).n, 0);
}

static void large_and_small_numbers(void **state)
{
	static const double scales[] = {1e-308, 1e-300, 1e300, 8e307};

	(void)state;
	for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
		struct got got;

		noise(60, 0.01, 11);
		for (size_t i = 0; i < 60; i++)
			x[i] = (x[i] + (i < 30 ? -1 : 1)) * scales[s];
		got = find_with(x, 60, (struct ts_change_options){.max_p = 0.001, .min_size = scales[s]});
		assert_int_equal(got.n, 1);
		assert_int_equal(got.points[0].at, 30);
	}
}

static void same_seed_same_answer(void **state)
{
	struct got a, b;

	(void)state;
	noise(1000, 0.01, 13);
	for (size_t i = 100; i < 1000; i += 100)
		shift(i, 1000, i % 200 ? 0.03 : -0.03);
	a = find(1000);
	b = find(1000);
	assert_int_equal(a.n, b.n);
	assert_true(a.n >= 5 && memcmp(a.points, b.points, a.n * sizeof *a.points) == 0);
}

static void no_change_in_long_series(void **state)
{
	(void)state;
	noise(MOST, 0.005, 15);
	assert_int_equal(find(MOST).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_all_orders),
		cmocka_unit_test(by_many_orders),
		cmocka_unit_test(too_few),
		cmocka_unit_test(a_step_in_the_middle),
		cmocka_unit_test(a_step_anywhere),
		cmocka_unit_test(several_steps),
		cmocka_unit_test(two_steps_close_together),
		cmocka_unit_test(a_step_that_went_back),
		cmocka_unit_test(three_runs),
		cmocka_unit_test(odd_runs_are_no_change),
		cmocka_unit_test(constant_and_ties),
		cmocka_unit_test(too_small),
		cmocka_unit_test(a_slope),
		cmocka_unit_test(a_drift),
		cmocka_unit_test(large_and_small_numbers),
		cmocka_unit_test(same_seed_same_answer),
		cmocka_unit_test(no_change_in_long_series),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
