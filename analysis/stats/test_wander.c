/* Steps and lines in series that wander or do not; the likelihood against one that is computed in another way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/random.h"
#include "analysis/stats/wander.h"

#include <math.h>

enum { MOST = 400 };

static double x[MOST], z[MOST];

static void fill(size_t n, double noise, double walk, uint64_t seed)
{
	struct ts_random r;
	double at = 0;

	ts_random_init(&r, seed);
	for (size_t i = 0; i < n; i++) {
		at += walk * ts_random_normal(&r);
		x[i] = at + noise * ts_random_normal(&r);
		z[i] = (double)i / (double)(n - 1);
	}
}

/* For white noise twice the logarithm of the ratio is n log(sum of squares without / with). The best of all models is at least as
 * good as white noise, with and without the step. */
static void a_step_in_white_noise(void **state)
{
	double mean[2] = {0, 0}, all = 0, with = 0, without = 0;

	(void)state;
	fill(200, 1, 0, 1);
	for (size_t i = 100; i < 200; i++)
		x[i] += 5;
	for (size_t i = 0; i < 200; i++) {
		mean[i >= 100] += x[i] / 100;
		all += x[i] / 200;
	}
	for (size_t i = 0; i < 200; i++) {
		with += (x[i] - mean[i >= 100]) * (x[i] - mean[i >= 100]);
		without += (x[i] - all) * (x[i] - all);
	}
	assert_true(ts_wander_step(x, 200, 100) > 60);
	assert_true(ts_wander_step(x, 200, 100) <= 200 * log(without / with));
	assert_true(ts_wander_step(x, 200, 50) < ts_wander_step(x, 200, 100));
	assert_true(ts_wander_likelihood(x, 200, NULL) >= -200 * log(without / 200));
	fill(200, 1, 0, 2);
	assert_true(ts_wander_step(x, 200, 100) < 10);
}

/* A step is nothing beside the steps of a random walk, unless it is far greater than those. */
static void a_step_in_a_walk(void **state)
{
	double least = INFINITY, most = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		fill(200, 0, 1, seed);
		most = fmax(most, ts_wander_step(x, 200, 100));
		for (size_t i = 100; i < 200; i++)
			x[i] += 15;
		least = fmin(least, ts_wander_step(x, 200, 100));
	}
	assert_true(most < 20 && least > 50);
}

static void a_line(void **state)
{
	struct ts_wander w;

	(void)state;
	fill(300, 1, 0, 3);
	for (size_t i = 0; i < 300; i++)
		x[i] = 1000 + x[i] + 4 * z[i];
	ts_wander_test(x, z, 300, &w);
	/* The standard error of least squares is 1 / sqrt(sum of squares of z) = sqrt(12 / 300) = 0.2. */
	assert_true(w.evidence > 25);
	assert_true(fabs(w.coefficient - 4) < 0.8);
	assert_true(w.error > 0.18);
	assert_true(w.error < 0.5);
	fill(300, 0, 1, 4);
	ts_wander_test(x, z, 300, &w);
	assert_true(w.evidence < 18 && w.error > 5 && w.correlation > 0.9);
}

static void without_noise(void **state)
{
	struct ts_wander w;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		x[i] = 7;
		z[i] = (double)i;
	}
	ts_wander_test(x, z, 20, &w);
	assert_true(w.evidence == 0 && w.coefficient == 0);
	for (size_t i = 10; i < 20; i++)
		x[i] = 8;
	assert_true(isinf(ts_wander_step(x, 20, 10)));
	for (size_t i = 0; i < 20; i++)
		x[i] = 1e300 * (i % 2 ? 1 : -1);
	assert_false(isnan(ts_wander_step(x, 20, 10)));
}

static void odd_values(void **state)
{
	struct ts_arena arena;
	struct ts_error err;
	double out[40];

	(void)state;
	ts_arena_init(&arena, 0);
	fill(40, 1, 0, 5);
	x[0] += 100;
	x[10] += 100;
	x[20] += 100;
	x[21] += 100;
	for (size_t i = 37; i < 40; i++) /* three are a level */
		x[i] += 100;
	assert_int_equal(ts_wander_tame(x, 40, &arena, out, &err), TS_OK);
	assert_true(out[0] == x[1] && out[10] == x[9] && out[20] == x[19] && out[21] == x[19]);
	for (size_t i = 37; i < 40; i++)
		assert_true(out[i] == x[i]);
	assert_int_equal(ts_wander_tame(x, 0, &arena, out, &err), TS_OK);
	assert_int_equal(ts_wander_tame(x, 1, &arena, out, &err), TS_OK);
	assert_true(out[0] == x[0]);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_in_white_noise), cmocka_unit_test(a_step_in_a_walk), cmocka_unit_test(a_line),
		cmocka_unit_test(without_noise),	 cmocka_unit_test(odd_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
