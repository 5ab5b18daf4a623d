#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/random.h"
#include "analysis/stats/slope.h"

#include <math.h>

enum { CEILING = 64 << 20, MOST = 20000 };

struct fixture {
	struct ts_arena arena;
	int64_t keys[MOST];
	double values[MOST];
	struct ts_random random;
};

static int setup(void **state)
{
	struct fixture *f = test_malloc(sizeof *f);

	ts_arena_init(&f->arena, CEILING);
	ts_random_init(&f->random, 1);
	for (size_t i = 0; i < MOST; i++)
		f->keys[i] = (int64_t)i;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_arena_finish(&f->arena);
	test_free(f);
	return 0;
}

static struct ts_slope fit(struct fixture *f, size_t n)
{
	struct ts_series s = {.keys = f->keys, .values = f->values, .n = n};
	struct ts_slope out;
	struct ts_error err;

	ts_arena_reset(&f->arena);
	assert_int_equal(ts_slope_fit(&s, TS_SLOPE_BLOCKS, &f->arena, &out, &err), TS_OK);
	return out;
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= fabs(want) * 1e-9 + 1e-12))
		fail_msg("%.17g, expected %.17g", got, want);
}

/* The expected values are from numpy, from the definitions in slope.h (medians of all pairs, percentile, erfc), not
 * from this code. */
static void agrees_with_the_definition(void **state)
{
	static const int64_t keys[] = {104, 107, 110, 114, 117, 121, 125, 126, 127, 129, 131, 135,
				       139, 140, 142, 146, 147, 151, 152, 154, 158, 160, 162, 164};
	static const double values[] = {62.8,  63.6,  79.8,  97.6,  90.2,  109.3, 109.8, 117.7, 116.3, 135.1, 132.9, 157.2,
					168.3, 168.5, 155.9, 183.7, 190.6, 203.9, 193.8, 208.2, 216.2, 223.5, 244.5, 235.5};
	static const double wander[] = {0, 0, 3, 0, 0, 0, 1, -4, -3, 3, -4, 0,	1,  -2, 6, 8, 2,  2,
					4, 2, 4, 3, 5, 10, 5, 5, 2, 2, -3, -5, -5, 0,  5, -2, -4, -1};
	static const double teeth[] = {0.1, 0.9, 3.4, 4.8,  7.2,  8.2,	9.8,  11.4, 12.8, 15.1, 16.9, 17.8,
				       3.2, 4.9, 6.1, 7.6,  9.6,  11.0, 11.3, 13.7, 15.2, 17.2, 19.5, 21.1,
				       5.6, 6.7, 8.2, 9.4,  11.1, 12.5, 14.8, 16.5, 18.7, 20.2, 20.8, 23.1};
	static const double worn[] = {0.1, 1.4, 3.1, 5.1, 6.7, 8.0, 9.2,  9.8,	10.6, 11.1, 12.1, 12.8,
				      2.2, 2.8, 4.1, 5.2, 6.1, 6.7, 7.9,  9.0,	9.6,  11.0, 11.6, 12.3,
				      4.4, 5.5, 6.8, 7.9, 9.2, 9.9, 11.0, 11.8, 12.7, 13.8, 14.4, 15.0};
	struct fixture *f = *state;
	struct ts_slope out;

	memcpy(f->keys, keys, sizeof keys);
	memcpy(f->values, values, sizeof values);
	out = fit(f, 24);
	assert_true(out.known && out.has_interval && out.has_p);
	near(out.slope, 3.0010638297872343);
	near(out.low, 2.8251048530552114);
	near(out.high, 3.2219044147214304);
	near(out.inflation, 1.0);
	near(out.p_value, 0.018741136789596685);   /* the p-value of the second third */
	near(out.last_level, 240.0);		   /* (244.5 + 235.5) / 2 */
	for (int64_t i = 0; i < 36; i++)
		f->keys[i] = i;
	memcpy(f->values, wander, sizeof wander);
	out = fit(f, 36);
	near(out.slope, 0.0);
	near(out.low, -0.9515390897774638); /* the interval is that of the first third, which does not confirm the trend */
	near(out.high, 0.45153908977746315);
	near(out.inflation, 1.9783285535120716);
	near(out.p_value, 1.0);
	assert_false(out.has_jump);
	memcpy(f->values, teeth, sizeof teeth);
	out = fit(f, 36);
	near(out.slope, 0.43390804597701155);
	near(out.low, -0.32182606223813515);
	near(out.high, 1.6372028800119347);
	near(out.inflation, 3.0130124839986374);
	near(out.p_value, 0.04674494105371118); /* the p-value of the levels */
	memcpy(f->values, worn, sizeof worn);
	near(fit(f, 36).p_value, 0.08976375382499546); /* the p-value of the whole */
}

static void a_line_is_its_slope(void **state)
{
	struct fixture *f = *state;
	static const size_t lengths[] = {3, 18, 1000, 1001, 1999, 20000};

	for (size_t c = 0; c < sizeof lengths / sizeof lengths[0]; c++) {
		struct ts_slope out;

		for (size_t i = 0; i < lengths[c]; i++) {
			f->keys[i] = INT64_C(4000000000) + (int64_t)(i * i % 7 + 7 * i); /* the steps are not evenly spaced */
			f->values[i] = 1e9 - 0.1 * (double)f->keys[i];			 /* the values are rounded almost at random */
		}
		out = fit(f, lengths[c]);
		assert_true(out.known);
		assert_true(fabs(out.slope + 0.1) < 1e-7);
		assert_int_equal(out.points, lengths[c] <= TS_SLOPE_EXACT ? lengths[c] : TS_SLOPE_BLOCKS);
		assert_int_equal(out.has_p, lengths[c] >= TS_SLOPE_LEAST);
		if (out.has_p) {
			assert_true(out.p_value < 0.01);
			assert_true(fabs(out.low + 0.1) < 1e-7 && fabs(out.high + 0.1) < 1e-7);
		}
		assert_false(out.has_jump);
	}
}

/* Steps are logged ever more rarely: the step of a block must be its middle one. */
static void cadence_does_not_bend_it(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < MOST; i++) {
		f->keys[i] = (int64_t)(i * i);
		f->values[i] = 0.5 * (double)(i * i);
	}
	near(fit(f, MOST).slope, 0.5);
}

static void noise_is_no_trend_and_a_leak_is(void **state)
{
	struct fixture *f = *state;
	struct ts_slope out;

	for (size_t i = 0; i < MOST; i++)
		f->values[i] = ts_random_normal(&f->random);
	out = fit(f, MOST);
	assert_true(out.p_value > 0.05);
	assert_true(out.low < 0 && out.high > 0);
	for (size_t i = 0; i < MOST; i++)
		f->values[i] += 1e-4 * (double)i; /* the rise over the whole is 2 standard deviations */
	out = fit(f, MOST);
	assert_true(out.p_value < 0.01);
	assert_true(out.low < 1e-4 && out.high > 1e-4);
	assert_true(out.high - out.low < 1e-5); /* 4 standard errors: 4 sqrt(12 / 20000^3) = 4.9e-6 */
}

/* The series grows ever faster, without any noise: growth cannot be clearer. */
static void a_curve_that_keeps_rising_is_a_trend(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < MOST; i++)
		f->values[i] = (double)i * (double)i;
	assert_true(fit(f, MOST).p_value < 0.01);
	for (size_t i = 0; i < MOST; i++)
		f->values[i] = -sqrt((double)i);
	assert_true(fit(f, MOST).p_value < 0.01);
}

static void one_jump_is_told_apart(void **state)
{
	static const size_t at[] = {600, 7003, 13000};
	struct fixture *f = *state;

	for (size_t c = 0; c < sizeof at / sizeof at[0]; c++) {
		struct ts_slope out;

		for (size_t i = 0; i < MOST; i++)
			f->values[i] = (i < at[c] ? 5000.0 : 4000.0) + ts_random_normal(&f->random);
		out = fit(f, MOST);
		assert_true(out.p_value > 0.01);
		assert_true(out.low < 0 && out.high > -1e-4);
		assert_true(out.has_jump);
		assert_true(fabs(out.jump + 1000) < 1);
		assert_int_equal(out.jump_key, at[c]);
	}
}

static void a_ramp_that_ends_is_no_trend(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < MOST; i++)
		f->values[i] = (double)(i < MOST / 2 ? i : MOST / 2) + ts_random_normal(&f->random);
	assert_true(fit(f, MOST).p_value > 0.01);
	assert_false(fit(f, MOST).has_jump); /* there is no jump either: a line fits better */
}

static void a_sawtooth_is_no_trend(void **state)
{
	struct fixture *f = *state;

	for (size_t period = 2; period < 900; period = period * 3 / 2 + 1) {
		for (size_t i = 0; i < 2000; i++)
			f->values[i] = (double)((i + 5) % period);
		if (fit(f, 2000).p_value < 0.01)
			fail_msg("period %zu", period);
	}
}

static void correlation_widens(void **state)
{
	struct fixture *f = *state;
	struct ts_slope white, red;
	double x = 0;

	for (size_t i = 0; i < 900; i++)
		f->values[i] = ts_random_normal(&f->random);
	white = fit(f, 900);
	for (size_t i = 0; i < 900; i++)
		f->values[i] = x = 0.8 * x + ts_random_normal(&f->random);
	red = fit(f, 900);
	assert_true(white.inflation < 1.3);
	assert_true(red.inflation > 6 && red.inflation < 13); /* (1 + 0.8) / (1 - 0.8) = 9 */
}

static void spikes_do_not_carry_it_away(void **state)
{
	struct fixture *f = *state;
	struct ts_slope out;

	for (size_t i = 0; i < MOST; i++)
		f->values[i] = 2.0 * (double)i + ts_random_normal(&f->random) + (i % 20 == 19 && i > MOST / 2 ? -1e9 : 0);
	out = fit(f, MOST);
	assert_true(fabs(out.slope - 2) < 1e-3); /* means of blocks would all be wrong in one half */
}

static void few_and_constant(void **state)
{
	struct fixture *f = *state;
	struct ts_slope out;

	for (size_t i = 0; i < MOST; i++)
		f->values[i] = 7;
	for (size_t n = 0; n < 3; n++) {
		out = fit(f, n);
		assert_false(out.known || out.has_interval || out.has_p || out.has_jump);
		assert_int_equal(out.n, n);
	}
	assert_true(out.last_level > 6 && out.last_level < 8);
	out = fit(f, 3);
	assert_true(out.known && out.has_interval && !out.has_p);
	near(out.slope, 0);
	out = fit(f, MOST);
	assert_true(out.has_p && out.p_value >= 1);
	near(out.low, 0);
	near(out.high, 0);
	assert_false(out.has_jump);
	f->values[1] = 8;
	out = fit(f, 4);
	assert_true(out.known);
	assert_false(out.has_interval); /* 6 pairs are too few for 95 % */
}

static void hostile_values(void **state)
{
	struct fixture *f = *state;
	struct ts_slope out;

	for (size_t i = 0; i < 100; i++)
		f->values[i] = i % 2 ? 1.7e308 : -1.7e308;
	out = fit(f, 100);
	assert_true(!out.known || isfinite(out.slope));
	for (size_t i = 0; i < 100; i++)
		f->values[i] = 5e-324 * (double)(i % 3);
	assert_true(fit(f, 100).known);
	f->keys[0] = INT64_MIN;
	f->keys[99] = INT64_MAX;
	for (size_t i = 1; i < 99; i++)
		f->keys[i] = (int64_t)i;
	assert_false(fit(f, 100).known); /* as doubles, 2^63 + 1 and 2^63 + 2 are one key */
}

static void no_memory_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct ts_series s = {.keys = f->keys, .values = f->values, .n = 1000};
	struct ts_slope out = {.n = 77};
	struct ts_arena small;
	struct ts_error err;

	memset(f->values, 0, sizeof f->values);
	for (size_t ceiling = 64; ceiling < 4 << 20; ceiling *= 2) {
		ts_arena_init(&small, ceiling);
		if (ts_slope_fit(&s, TS_SLOPE_BLOCKS, &small, &out, &err) != TS_OK)
			assert_int_equal(out.n, 77);
		ts_arena_finish(&small);
	}
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(agrees_with_the_definition),
		CASE(a_line_is_its_slope),
		CASE(cadence_does_not_bend_it),
		CASE(noise_is_no_trend_and_a_leak_is),
		CASE(a_curve_that_keeps_rising_is_a_trend),
		CASE(one_jump_is_told_apart),
		CASE(a_ramp_that_ends_is_no_trend),
		CASE(a_sawtooth_is_no_trend),
		CASE(correlation_widens),
		CASE(spikes_do_not_carry_it_away),
		CASE(few_and_constant),
		CASE(hostile_values),
		CASE(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
