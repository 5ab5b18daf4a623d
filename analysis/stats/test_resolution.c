/* test_resolution.c - tests how a series was written, on values that were made in a known way: multiples of a quadratic
 * irrational number (no grid holds them), the same rounded to d decimals, and as float32.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/resolution.h"

#include <math.h>

enum { N = 64 };

static const struct ts_resolution doubles = {TS_PRECISION_F64, 0}, floats = {TS_PRECISION_F32, 0};

static void fill(double *x, size_t n, double size)
{
	for (size_t i = 0; i < n; i++)
		x[i] = size * (1 + fmod((double)(i + 1) * 1.4142135623730951, 1));
}

static void rounded(double *x, size_t n, int digits)
{
	double per_unit = pow(10, digits);

	for (size_t i = 0; i < n; i++)
		x[i] = nearbyint(x[i] * per_unit) / per_unit;
}

static void single(double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (double)(float)x[i];
}

static void is(const struct ts_writing *w, enum ts_precision precision, unsigned digits, bool inferred)
{
	assert_int_equal(w->resolution.precision, precision);
	assert_int_equal(w->resolution.digits, digits);
	assert_int_equal(w->inferred, inferred);
}

static void what_values_show(void **state)
{
	double x[N];
	struct ts_writing w;

	(void)state;
	for (double size = 1e-2; size < 1e4; size *= 10) {
		fill(x, N, size);
		w = ts_resolution_infer(doubles, true, x, N);
		is(&w, TS_PRECISION_F64, 0, false);
		single(x, N);
		w = ts_resolution_infer(doubles, true, x, N);
		is(&w, TS_PRECISION_F32, 0, true);
		assert_int_equal(w.values, N);
		for (int digits = 3; digits <= 6; digits++) {
			fill(x, N, size);
			rounded(x, N, digits);
			w = ts_resolution_infer(doubles, true, x, N);
			is(&w, TS_PRECISION_DECIMALS, (unsigned)digits, true);
		}
	}
	/* Seven decimals are more than the function looks for. */
	fill(x, N, 1);
	rounded(x, N, 7);
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_F64, 0, false);
}

/* Values of four decimals that were stored as float32 have no exact decimals any more, but their resolution is no
 * finer for that. */
static void decimals_as_float32(void **state)
{
	double x[N];
	struct ts_writing w;

	(void)state;
	fill(x, N, 2);
	rounded(x, N, 4);
	single(x, N);
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_DECIMALS, 4, true);
	w = ts_resolution_infer(floats, true, x, N);
	is(&w, TS_PRECISION_DECIMALS, 4, true);
	/* From 2000 to 4000 neighbouring float32 are 1.2e-4 to 2.4e-4 apart: four decimals cannot be told from none. */
	fill(x, N, 2000);
	rounded(x, N, 4);
	single(x, N);
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_F32, 0, true);
}

static void what_was_declared(void **state)
{
	static const struct ts_resolution five = {TS_PRECISION_DECIMALS, 5};
	double x[N];
	struct ts_writing w;

	(void)state;
	fill(x, N, 1);
	rounded(x, N, 3);
	w = ts_resolution_infer(five, true, x, N);
	is(&w, TS_PRECISION_DECIMALS, 5, false);
	fill(x, N, 1);
	single(x, N);
	w = ts_resolution_infer(floats, true, x, N);
	is(&w, TS_PRECISION_F32, 0, false);
}

/* The function concludes nothing from few values, from few distinct ones, from counts, or if one value contradicts. */
static void too_little_to_see(void **state)
{
	double x[N];
	struct ts_writing w;

	(void)state;
	fill(x, N, 1);
	rounded(x, N, 4);
	w = ts_resolution_infer(doubles, true, x, 9);
	is(&w, TS_PRECISION_F64, 0, false);
	w = ts_resolution_infer(doubles, true, x, 10);
	is(&w, TS_PRECISION_DECIMALS, 4, true);
	x[N - 1] = 1.4142135623730951;
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_F64, 0, false);
	for (size_t i = 0; i < N; i++)
		x[i] = 0.001 * (double)(i % 9 + 1);
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_F64, 0, false);
	for (size_t i = 0; i < N; i++)
		x[i] = (double)i;
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_F64, 0, false);
	w = ts_resolution_infer(doubles, true, x, 0);
	is(&w, TS_PRECISION_F64, 0, false);
}

/* The values are a constant 0.001 and its float32, then multiples of 0.001, whose digits are those of a decimal. */
static void what_was_chosen(void **state)
{
	double x[N];
	struct ts_writing w;

	(void)state;
	for (size_t i = 0; i < N; i++)
		x[i] = 0.001;
	w = ts_resolution_infer(doubles, false, x, N);
	is(&w, TS_PRECISION_F64, 0, false);
	single(x, N);
	w = ts_resolution_infer(doubles, false, x, N);
	is(&w, TS_PRECISION_F32, 0, true);
	for (size_t i = 0; i < N; i++)
		x[i] = 0.001 * (double)(i + 1);
	w = ts_resolution_infer(doubles, false, x, N);
	is(&w, TS_PRECISION_F64, 0, false);
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_DECIMALS, 3, true);
	for (size_t i = 0; i < N; i++)
		x[i] = 0.5 + 0.125 * (double)(i % 4); /* these values have three decimals and are also float32, so
						       * neither kind is preferred */
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_F64, 0, false);
}

/* A value that is not finite says nothing about the grid. */
static void not_finite(void **state)
{
	double x[N];
	struct ts_writing w;

	(void)state;
	fill(x, N, 1);
	rounded(x, N, 4);
	x[3] = (double)NAN;
	x[4] = (double)INFINITY;
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_DECIMALS, 4, true);
	assert_int_equal(w.values, N - 2);
	for (size_t i = 0; i < N; i++)
		x[i] = i % 2 ? (double)NAN : (double)-INFINITY;
	w = ts_resolution_infer(doubles, true, x, N);
	is(&w, TS_PRECISION_F64, 0, false);
}

/* A float32 has a spacing of 2^-23 of its binade, and 2^-149 below the normal numbers; computed by hand. */
static void quanta(void **state)
{
	static const struct ts_resolution four = {TS_PRECISION_DECIMALS, 4};

	(void)state;
	assert_true(ts_resolution_quantum(doubles, 3) == 0);
	assert_true(ts_resolution_quantum(floats, 3) == 0x1p-22);
	assert_true(ts_resolution_quantum(floats, -1) == 0x1p-23);
	assert_true(ts_resolution_quantum(floats, 1e-45) == 0x1p-149);
	assert_true(ts_resolution_quantum(floats, (double)INFINITY) == 0);
	assert_true(fabs(ts_resolution_quantum(four, 77) - 1e-4) < 1e-18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_values_show), cmocka_unit_test(decimals_as_float32), cmocka_unit_test(what_was_declared),
		cmocka_unit_test(too_little_to_see), cmocka_unit_test(what_was_chosen),
		cmocka_unit_test(not_finite), cmocka_unit_test(quanta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
