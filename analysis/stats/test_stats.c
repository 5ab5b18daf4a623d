#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100001, LONG = 1000000 };

/* Fills x with uniform values in [0, 1): the same generator was run in Python for the constants below. */
static void fill(double *x, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		x[i] = (double)(seed >> 11) * 0x1p-53;
	}
}

/* Fills x with values over 17 decades, of both signs. */
static void fill_wide(double *x, size_t n)
{
	static const double scale[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
				       1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8};

	fill(x, n, 1);
	for (size_t i = 0; i < n; i++)
		x[i] = (x[i] - 0.5) * scale[i % 17];
}

static double *doubles(size_t n)
{
	double *x = test_malloc(n * sizeof *x);

	assert_non_null(x);
	return x;
}

static void same_bits(double got, double want)
{
	if (memcmp(&got, &want, sizeof got) != 0)
		fail_msg("got %.17g, expected %.17g", got, want);
}

static void sum_is_compensated(void **state)
{
	double tenths[10], lost[] = {1e100, 1.0, -1e100, 1.0};
	double *x = doubles(N);

	(void)state;
	for (int i = 0; i < 10; i++)
		tenths[i] = 0.1;
	same_bits(ts_sum(tenths, 10), 1.0); /* plain addition gives 0.9999999999999999 */
	same_bits(ts_sum(lost, 4), 2.0); /* plain addition gives 1 */
	same_bits(ts_sum(NULL, 0), 0.0);
	fill(x, N, 1);
	same_bits(ts_sum(x, N), 50006.82968067033); /* math.fsum */
	fill_wide(x, N);
	same_bits(ts_sum(x, N), -14420396.732921306);
	test_free(x);
}

static void sum_of_what_is_not_finite(void **state)
{
	double up[] = {1.0, HUGE_VAL, 2.0}, both[] = {HUGE_VAL, -HUGE_VAL}, nan[] = {1.0, (double)NAN};

	(void)state;
	same_bits(ts_sum(up, 3), HUGE_VAL);
	assert_true(isnan(ts_sum(both, 2)));
	assert_true(isnan(ts_sum(nan, 2)));
	assert_true(isnan(ts_stddev(nan, 2, 1.0)));
}

static void mean_and_deviation(void **state)
{
	/* The expected values are from statistics.fmean and statistics.pstdev. */
	static const double x[] = {3.5, -0.25, 2.75, 10.0, 1e-3, 7.125, 7.125};
	static const double flat[] = {0.1, 0.1, 0.1};

	(void)state;
	same_bits(ts_mean(x, 7), 4.321571428571429);
	assert_true(fabs(ts_stddev(x, 7, ts_mean(x, 7)) - 3.5990949996251183) < 1e-15);
	same_bits(ts_stddev(flat, 3, 0.1), 0.0);
}

static void percentiles_interpolate(void **state)
{
	static const double q[] = {0, 5, 50, 95, 99, 100};
	static const double want[] = {-0.25, -0.1747, 3.5, 9.137499999999998, 9.827499999999999, 10.0};
	double x[] = {3.5, -0.25, 2.75, 10.0, 1e-3, 7.125, 7.125}, even[] = {4.0, 1.0, 3.0, 2.0}, one[] = {7.0};
	double half = 50.0, out[6];

	(void)state;
	ts_percentiles(x, 7, q, 6, out);
	for (int i = 0; i < 6; i++)
		same_bits(out[i], want[i]);
	ts_percentiles(even, 4, &half, 1, out);
	same_bits(out[0], 2.5);
	ts_percentiles(one, 1, q, 6, out);
	for (int i = 0; i < 6; i++)
		same_bits(out[i], 7.0);
}

static void median_leaves_its_values(void **state)
{
	double x[] = {5, 1, 4, 2}, scratch[4];

	(void)state;
	same_bits(ts_median(x, 3, scratch), 4);
	same_bits(ts_median(x, 4, scratch), 3);
	same_bits(x[0], 5);
	same_bits(x[3], 2);
	same_bits(ts_median(x, 4, x), 3);
}

static void median_of_what_is_finite(void **state)
{
	double x[] = {HUGE_VAL, 1, NAN, 4, -HUGE_VAL, 2}, scratch[6];

	(void)state;
	same_bits(ts_median_finite(x, 6, scratch), 2);
	same_bits(ts_median_finite(x, 4, scratch), 2.5);
	assert_true(isnan(ts_median_finite(x, 1, scratch)) && isnan(ts_median_finite(NULL, 0, scratch)));
	same_bits(ts_median_finite(x, 6, x), 2);
}

static void split_between_two_levels(void **state)
{
	/* to the levels 0 and 4: 0 1 | 3 4 4, and a 2 is as near to one as to the other */
	static const double x[] = {0, 1, 3, 4, 4}, even[] = {0, 2, 2, 4};

	(void)state;
	for (size_t at = 0; at <= 5; at++)
		assert_int_equal(ts_level_split(x, 0, at, 5, 0, 4), 2);
	assert_int_equal(ts_level_split(x, 3, 4, 5, 0, 4), 3); /* the nearest that may be */
	assert_int_equal(ts_level_split(x, 0, 0, 1, 0, 4), 1);
	for (size_t at = 1; at <= 3; at++)
		assert_int_equal(ts_level_split(even, 0, at, 4, 0, 4), at);
	assert_int_equal(ts_level_split(even, 0, 0, 4, 0, 4), 1);
	assert_int_equal(ts_level_split(even, 0, 4, 4, 0, 4), 3);
}

/* -0 is before 0. */
static int by_value_and_sign(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y ? 1 : (signbit(y) != 0) - (signbit(x) != 0);
}

static double value_of(uint64_t random, int kind, size_t i, size_t n)
{
	static const double odd[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, 1e308, -1e308, 4.9e-324, 1.0};

	switch (kind) {
	case 0:
		return (double)(random >> 11) * 1e-16 - 0.5;
	case 1:
		return (double)(random >> 62);
	case 2:
		return odd[random >> 61];
	case 3:
		return random >> 63 ? 0.0 : -0.0;
	case 4:
		return (double)i;
	case 5:
		return i < n / 2 ? (double)i : (double)(n - i);
	case 6: /* of 256 values, a sample at equal distances sees the lower half alone */
		return i % 4 < 2 ? 1.0 : 2.0;
	default:
		return random >> 58 ? 3.5 : (double)(random >> 40);
	}
}

/* Medians are selected in three ways, by their number of values; none may differ from a sort in a single bit. */
static void medians_are_those_of_a_sort(void **state)
{
	static const size_t sizes[] = {1, 2, 15, 16, 16, 16, 17, 255, 256, 257, 1000, 4097};
	double *x = doubles(4097), *sorted = doubles(4097), *scratch = doubles(4097);
	uint64_t random = 9;

	(void)state;
	for (int round = 0; round < 700; round++)
		for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
			size_t n = sizes[k];
			double a, b, want;

			for (size_t i = 0; i < n; i++) {
				random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
				x[i] = value_of(random, round % 8, i, n);
			}
			memcpy(sorted, x, n * sizeof *x);
			qsort(sorted, n, sizeof *x, by_value_and_sign);
			a = sorted[(n - 1) / 2];
			b = sorted[n / 2];
			want = a == b ? a : a * 0.5 + b * 0.5;
			if (isnan(want))
				assert_true(isnan(ts_median(x, n, scratch)));
			else
				same_bits(ts_median(x, n, scratch), want);
			x[random % n] = (double)NAN;
			assert_true(isnan(ts_median(x, n, scratch)));
		}
	test_free(x);
	test_free(sorted);
	test_free(scratch);
}

static void percentiles_of_many(void **state)
{
	static const double q[] = {0, 1, 50, 95, 99, 99.9, 100};
	static const double want[] = {3.6332361726953977e-06, 0.009862738314639574, 0.4999523306363217,
				      0.9496330590034233,     0.9898567365718509,   0.9989651277733367,
				      0.9999896933183157};
	static const double wide[] = {-49994133.952569485, -32291520.441258013, -6.054680834449711e-12,
				      1341129.0118015907,  32826008.059624046,  48320299.04888554,
				      49987540.41097336};
	double *x = doubles(N), out[7];

	(void)state;
	fill(x, N, 1);
	ts_percentiles(x, N, q, 7, out);
	for (int i = 0; i < 7; i++)
		same_bits(out[i], want[i]);
	fill_wide(x, N);
	ts_percentiles(x, N, q, 7, out);
	for (int i = 0; i < 7; i++)
		same_bits(out[i], wide[i]);
	test_free(x);
}

static void percentiles_of_what_is_not_finite(void **state)
{
	static const double q[] = {0, 50, 100};
	double inf[] = {HUGE_VAL, 1.0, HUGE_VAL, 2.0, 3.0}, nan[] = {1.0, (double)NAN, 2.0};
	double zeros[] = {0.0, -0.0, 0.0}, ends[30], out[3];

	(void)state;
	ts_percentiles(inf, 5, q, 3, out);
	same_bits(out[0], 1.0);
	same_bits(out[1], 3.0);
	same_bits(out[2], HUGE_VAL);
	ts_percentiles(nan, 3, q, 3, out);
	for (int i = 0; i < 3; i++)
		assert_true(isnan(out[i]));
	ts_percentiles(zeros, 3, q, 3, out);
	same_bits(out[0], -0.0);
	same_bits(out[2], 0.0);
	/* The values span the widest range that words can have. */
	for (int i = 0; i < 30; i++)
		ends[i] = i % 3 == 0 ? -HUGE_VAL : (i % 3 == 1 ? 5e-324 : HUGE_VAL);
	ts_percentiles(ends, 30, q, 3, out);
	same_bits(out[0], -HUGE_VAL);
	same_bits(out[1], 5e-324);
	same_bits(out[2], HUGE_VAL);
	for (int i = 0; i < 30; i++)
		ends[i] = i % 3 == 0 ? -HUGE_VAL : (i % 3 == 1 ? 5e-324 : HUGE_VAL);
	ts_percentiles(ends, 30, q + 2, 1, out); /* the last band extends past the last word */
	same_bits(out[0], HUGE_VAL);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* These shapes are the worst cases of a careless quickselect; they are so long that quadratic time would never end. */
static void selection_is_linear(void **state)
{
	static const double q[] = {5, 50, 95, 99};
	double *x = doubles(LONG), *sorted = doubles(LONG), out[4];

	(void)state;
	for (int shape = 0; shape < 6; shape++) {
		for (size_t i = 0; i < LONG; i++)
			x[i] = shape == 0   ? 0.25
			       : shape == 1 ? (double)i
			       : shape == 2 ? (double)(LONG - i)
			       : shape == 3 ? (double)(i < LONG / 2 ? i : LONG - i)
			       : shape == 4 ? (double)(i % 2)
					    : (i == 7 ? 1e300 : 0.022 + (double)(i % 1000) * 1e-9);
		memcpy(sorted, x, LONG * sizeof *x);
		qsort(sorted, LONG, sizeof *x, by_value);
		ts_percentiles(x, LONG, q, 4, out);
		for (int i = 0; i < 4; i++) {
			double pos = q[i] / 100.0 * (LONG - 1), f = pos - floor(pos);
			double lo = sorted[(size_t)pos], hi = sorted[(size_t)pos + 1];

			same_bits(out[i], lo < hi ? lo * (1.0 - f) + hi * f : lo);
		}
	}
	test_free(x);
	test_free(sorted);
}

/* Every length is tried with many ties: the ranks of close percentiles coincide. */
static void selection_agrees_with_sorting(void **state)
{
	static const double q[] = {0, 25, 50, 50.5, 75, 95, 97, 99, 99.9, 100};
	double x[200], sorted[200], out[10];

	(void)state;
	for (size_t n = 1; n <= 200; n++) {
		fill(x, n, n);
		for (size_t i = 0; i < n; i++)
			sorted[i] = x[i] = floor(x[i] * (double)(n % 50 + 2)) - 3.0;
		qsort(sorted, n, sizeof *x, by_value);
		ts_percentiles(x, n, q, 10, out);
		for (int i = 0; i < 10; i++) {
			double pos = q[i] / 100.0 * (double)(n - 1), f = pos - floor(pos);
			double lo = sorted[(size_t)pos], hi = sorted[f > 0.0 ? (size_t)pos + 1 : (size_t)pos];

			assert_true(out[i] == (lo < hi ? lo * (1.0 - f) + hi * f : lo));
		}
	}
}

/* A network that sorts every input of zeros and ones sorts every input (Knuth, TAOCP 3, 5.3.4 Z). */
static void sixteen_are_sorted(void **state)
{
	(void)state;
	for (unsigned ones = 0; ones < 1u << 16; ones++) {
		double x[16];

		for (size_t i = 0; i < 16; i++)
			x[i] = ones >> i & 1;
		ts_sort_16(x);
		for (size_t i = 0; i < 16; i++)
			assert_true(x[i] == (i + (size_t)__builtin_popcount(ones) >= 16));
	}
}

static void four_are_sorted(void **state)
{
	(void)state;
	for (unsigned ones = 0; ones < 1u << 4; ones++) {
		double x[4];

		for (size_t i = 0; i < 4; i++)
			x[i] = ones >> i & 1;
		ts_sort_4(x);
		for (size_t i = 0; i < 4; i++)
			assert_true(x[i] == (i + (size_t)__builtin_popcount(ones) >= 4));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_are_sorted),
		cmocka_unit_test(sixteen_are_sorted),
		cmocka_unit_test(sum_is_compensated),  cmocka_unit_test(sum_of_what_is_not_finite),
		cmocka_unit_test(mean_and_deviation),  cmocka_unit_test(percentiles_interpolate),
		cmocka_unit_test(median_leaves_its_values),
		cmocka_unit_test(median_of_what_is_finite), cmocka_unit_test(split_between_two_levels),
		cmocka_unit_test(medians_are_those_of_a_sort),
		cmocka_unit_test(percentiles_of_many),
		cmocka_unit_test(percentiles_of_what_is_not_finite),
		cmocka_unit_test(selection_is_linear), cmocka_unit_test(selection_agrees_with_sorting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
