/* The likelihood against that of the process that made the series, and against wander.h where that has the process, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/autoregression.h"
#include "analysis/stats/random.h"
#include "analysis/stats/wander.h"

#include <math.h>

enum { N = 1000 };

static struct ts_arena arena;
static double x[N];

/* x[t] = a x[t-1] + b x[t-2] + c x[t-3] + a normal number of deviation 1. */
static void fill(double a, double b, double c, uint64_t seed)
{
	struct ts_random r;
	double one = 0, two = 0, three = 0;

	ts_random_init(&r, seed);
	for (int t = -100; t < N; t++) {
		double now = a * one + b * two + c * three + ts_random_normal(&r);

		three = two;
		two = one;
		one = now;
		if (t >= 0)
			x[t] = now;
	}
}

static double likelihood(void)
{
	struct ts_error err;
	double found;

	ts_arena_reset(&arena);
	assert_int_equal(ts_autoregression_likelihood(x, N, &arena, &found, &err), TS_OK);
	return found;
}

/* Twice the logarithm of the likelihood of the true coefficients, from the fourth value on: the first three are of no weight. */
static double of_the_truth(double a, double b, double c)
{
	double rest = 0;

	for (int t = 3; t < N; t++) {
		double off = x[t] - a * x[t - 1] - b * x[t - 2] - c * x[t - 3];

		rest += off * off;
	}
	return -N * log(rest / (N - 3));
}

static void near_the_truth(void **state)
{
	static const double by[][3] = {{0, 0, 0}, {0.7, 0, 0}, {1.2, -0.8, 0}, {-0.5, 0.2, 0}, {2, -1.76, 0.64}};

	(void)state;
	for (size_t k = 0; k < sizeof by / sizeof by[0]; k++) {
		fill(by[k][0], by[k][1], by[k][2], k);
		assert_true(fabs(likelihood() - of_the_truth(by[k][0], by[k][1], by[k][2])) < 12);
	}
}

static void beside_wandering(void **state)
{
	(void)state;
	fill(0.8, 0, 0, 7);
	assert_true(fabs(likelihood() - ts_wander_likelihood(x, N, NULL)) < 8);
	fill(1.2, -0.8, 0, 8); /* it swings */
	assert_true(likelihood() > ts_wander_likelihood(x, N, NULL) + 100);
	for (int t = 0; t < N; t++)
		x[t] = 3;
	assert_true(likelihood() > 1e300);
}

static void short_memory_is_told(void **state)
{
	enum ts_status status = TS_NO_MEMORY;
	struct ts_error err;
	double found;

	(void)state;
	fill(0.8, 0, 0, 9);
	for (size_t ceiling = 1; status == TS_NO_MEMORY && ceiling < 1 << 20; ceiling += ceiling / 8 + 1) {
		struct ts_arena small;

		ts_arena_init(&small, ceiling);
		status = ts_autoregression_likelihood(x, N, &small, &found, &err);
		ts_arena_finish(&small);
	}
	assert_int_equal(status, TS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_the_truth),
		cmocka_unit_test(beside_wandering),
		cmocka_unit_test(short_memory_is_told),
	};
	int failed;

	ts_arena_init(&arena, 1 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ts_arena_finish(&arena);
	return failed;
}
