#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/contrast.h"

#include <math.h>

enum { MOST = 16 };

struct series {
	struct ts_contrast_number numbers[MOST];
	struct ts_contrast_side side;
};

static void make(struct series *s, const double *x, size_t n)
{
	s->side = (struct ts_contrast_side){.numbers = s->numbers, .n = n};
	for (size_t i = 0; i < n; i++)
		if (x[i] != 0)
			s->numbers[s->side.n_numbers++] = (struct ts_contrast_number){(uint32_t)i, x[i]};
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= fabs(want) * 1e-12))
		fail_msg("%.17g, expected %.17g", got, want);
}

static void check(const double *a, size_t n_a, const double *b, size_t n_b, double least, const double want[4])
{
	struct series x, y;
	struct ts_contrast c;

	make(&x, a, n_a);
	make(&y, b, n_b);
	c = ts_contrast(&x.side, &y.side, least);
	assert_true(c.decided);
	near(c.difference, want[0]);
	near(c.low, want[1]);
	near(c.high, want[2]);
	near(c.p, want[3]);
}

/* Expected values here are from mpmath with 40 digits, by the definition in the header on whole series. */
static void few_numbers(void **state)
{
	static const double a[] = {1, 2, 3, 4}, b[] = {2, 4, 6, 9};

	(void)state;
	check(a, 4, b, 4, 0, (const double[]){2.75, -4.4736627068827501, 9.9736627068827501, 0.35245677251763308});
	check(a, 4, b, 4, 1, (const double[]){2.75, -4.4736627068827501, 9.9736627068827501, 0.54044465690998972});
}

/* f is then what bounds it, 0.6 n. */
static void fewer_numbers(void **state)
{
	static const double a[] = {1, 2, 4}, b[] = {3, 5, 9};

	(void)state;
	check(a, 2, b, 2, 0, (const double[]){2.5, -5.9734253537351644, 10.973425353735164, 0.25262235660529849});
	check(a, 3, b, 3, 0, (const double[]){3.3333333333333333, -7.6608203502089301, 14.327487016875597, 0.40238875893604171});
}

static void neighbours_that_are_alike(void **state)
{
	static const double a[] = {10, 12, 11, 13, 12, 14, 13, 15}, b[] = {20, 19, 21, 20, 22, 21, 20};

	(void)state;
	check(a, 8, b, 7, 0.5, (const double[]){7.9285714285714286, 5.7145459875678087, 10.142596869575048, 4.6346355216406048e-5});
}

static void numbers_that_are_absent(void **state)
{
	static const double a[] = {0, 5, 0, 0, 7, 0}, b[] = {3, 0, 0, 4, 4, 9};

	(void)state;
	check(a, 6, b, 6, 0, (const double[]){1.3333333333333333, -4.2627319416967773, 6.929398608363444, 0.59640459454436069});
}

static void a_clock_has_an_error(void **state)
{
	static const double a[] = {100, 100, 100, 100, 100}, b[] = {101, 101, 101, 101, 101};
	struct series x, y;
	struct ts_contrast c;

	(void)state;
	make(&x, a, 5);
	make(&y, b, 5);
	c = ts_contrast(&x.side, &y.side, 0);
	assert_true(c.p == 0 && c.low == 1 && c.high == 1);
	c = ts_contrast(&x.side, &y.side, 1);
	assert_true(c.p == 1);
	x.side.floor = y.side.floor = 24;
	c = ts_contrast(&x.side, &y.side, 0);
	near(c.low, -6.5681212895011052);
	near(c.p, 0.75775903723979918);
}

static void one_number_decides_nothing(void **state)
{
	static const double a[] = {1, 2, 3}, b[] = {90};
	struct series x, y;
	struct ts_contrast c;

	(void)state;
	make(&x, a, 3);
	make(&y, b, 1);
	c = ts_contrast(&x.side, &y.side, 0);
	assert_false(c.decided);
	assert_true(c.difference == 88 && c.p == 1);
	make(&y, b, 0);
	c = ts_contrast(&x.side, &y.side, 0);
	assert_false(c.decided);
	assert_true(c.b == 0);
}

/* Numbers as large as times can be, and a side that is all 0, give no NaN. */
static void extremes(void **state)
{
	static const double a[] = {0x1p63, 0, 0x1p63, 0, 0, 0x1p62}, b[] = {0, 0, 0, 0, 0, 0}, small[] = {0x1p-1074, 0, 0, 0, 0, 0};
	struct series x, y;
	struct ts_contrast c;

	(void)state;
	make(&x, a, 6);
	make(&y, b, 6);
	c = ts_contrast(&x.side, &y.side, 0);
	assert_true(c.decided && c.p >= 0 && c.p <= 1 && isfinite(c.low) && isfinite(c.high));
	make(&x, small, 6);
	c = ts_contrast(&x.side, &y.side, 0);
	assert_true(c.p >= 0 && c.p <= 1 && isfinite(c.low) && isfinite(c.high));
}

static void holm(void **state)
{
	static const double p[] = {0.001, 0.015, 0.03, 0.04};

	(void)state;
	/* 0.001 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2 */
	assert_int_equal(ts_contrast_holm(p, 4, 0.05), 2);
	assert_int_equal(ts_contrast_holm(p, 0, 0.05), 0);
	assert_int_equal(ts_contrast_holm(p, 4, 0.001), 0);
	assert_int_equal(ts_contrast_holm(p + 3, 1, 0.05), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_numbers),
		cmocka_unit_test(fewer_numbers),
		cmocka_unit_test(neighbours_that_are_alike),
		cmocka_unit_test(numbers_that_are_absent),
		cmocka_unit_test(a_clock_has_an_error),
		cmocka_unit_test(one_number_decides_nothing),
		cmocka_unit_test(extremes),
		cmocka_unit_test(holm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
