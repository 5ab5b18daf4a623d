#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/student.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void near(double got, double want)
{
	if (!(fabs(got - want) <= fabs(want) * 1e-12))
		fail_msg("%.17g, expected %.17g", got, want);
}

/* Expected values here and below are from mpmath 1.4.1 with 60 digits (betainc, findroot); scipy 1.17.1 agrees to 15
 * of them. */
static void distribution(void **state)
{
	static const double rows[][3] = {
		{-1, 1, 0.25},
		{-2.5, 2, 0.064805860110755405},
		{-2.571, 5, 0.024987317341925701},
		{-5, 7, 0.00078263897658641229},
		{-0.001, 3, 0.49963244748473047},
		{-0.3, 2.5, 0.3936711857475986},
		{-40, 9, 9.4914992246699132e-12},
		{-1e120, 2, 5.0e-241},
		{-3, 62, 0.0019421899534919721},
		{-20, 30, 3.3745418328856432e-19},
		{-1.5, 0.5, 0.25395089532405422},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		near(ts_student_cdf(rows[i][0], rows[i][1]), rows[i][2]);
		near(ts_student_cdf(-rows[i][0], rows[i][1]), 1 - rows[i][2]);
	}
}

static void quantiles(void **state)
{
	static const double rows[][3] = {
		{0.025, 1, -12.706204736174705},
		{0.025, 2, -4.3026527297494639},
		{0.005, 2, -9.9248432009182931},
		{0.05, 4, -2.1318467863266503},
		{0.025, 9, -2.2621571627982055},
		{0.005, 30, -2.7499956535672253},
		{0.0005, 1000, -3.3002826484239129},
		{0.3, 3, -0.58438972743981867},
		{0.4999, 5, -0.00026343055607021453},
		{1e-12, 4, -1316.0727465592565},
		{0.01, 1.5, -11.197316179568399},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		near(ts_student_quantile(rows[i][0], rows[i][1]), rows[i][2]);
	near(ts_student_quantile(0.975, 2), 4.3026527297494639);
	near(ts_student_quantile(0.75, 1), 1);
}

/* One degree of freedom is Cauchy's distribution, tan(pi (p - 1/2)); two have (2p - 1) / sqrt(2 p (1 - p)). */
static void closed_forms(void **state)
{
	(void)state;
	for (int i = 1; i < 100; i++) {
		double p = i / 100.0;

		if (i == 50)
			continue;
		near(ts_student_quantile(p, 1), tan(3.14159265358979323846 * (p - 0.5)));
		near(ts_student_quantile(p, 2), (2 * p - 1) / sqrt(2 * p * (1 - p)));
	}
}

/* The expected values are scipy's norm.cdf(-2) and norm.ppf(0.01). */
static void many_degrees_are_normal(void **state)
{
	(void)state;
	near(ts_student_cdf(-2, (double)INFINITY), 0.022750131948179195);
	near(ts_student_quantile(0.01, (double)INFINITY), -2.3263478740408408);
	assert_true(fabs(ts_student_quantile(0.01, 9.9e8) + 2.3263478740408408) < 1e-7);
	assert_true(fabs(ts_student_quantile(0.01, 1.1e9) + 2.3263478740408408) < 1e-7);
}

static void one_undoes_the_other(void **state)
{
	static const double df[] = {0.2, 1, 1.7, 2, 3, 6, 17, 90, 3000};

	(void)state;
	for (size_t d = 0; d < COUNT(df); d++)
		for (double p = 1e-150; p < 0.5; p *= 31.6) {
			double t = ts_student_quantile(p, df[d]), back = ts_student_cdf(t, df[d]);

			if (isinf(t))
				continue;
			if (!(fabs(back - p) <= p * 1e-10))
				fail_msg("df %g: %.17g came back as %.17g", df[d], p, back);
		}
}

static void edges(void **state)
{
	double inf = (double)INFINITY, nan = (double)NAN;

	(void)state;
	assert_true(ts_student_cdf(0, 3) == 0.5 && ts_student_quantile(0.5, 3) == 0);
	assert_true(ts_student_cdf(inf, 3) == 1 && ts_student_cdf(-inf, 3) == 0);
	assert_true(ts_student_quantile(0, 3) == -inf && ts_student_quantile(1, 3) == inf);
	/* t would be about 1e1000. */
	assert_true(ts_student_quantile(1e-100, 0.1) == -inf);
	assert_true(isnan(ts_student_cdf(nan, 3)) && isnan(ts_student_cdf(1, 0)) && isnan(ts_student_cdf(1, nan)));
	assert_true(isnan(ts_student_quantile(-0.1, 3)) && isnan(ts_student_quantile(1.1, 3)) && isnan(ts_student_quantile(nan, 3)));
	assert_true(isnan(ts_student_quantile(0.1, -1)) && isnan(ts_student_quantile(0.1, nan)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distribution),	      cmocka_unit_test(quantiles),
		cmocka_unit_test(closed_forms),	      cmocka_unit_test(many_degrees_are_normal),
		cmocka_unit_test(one_undoes_the_other), cmocka_unit_test(edges),
	};

	return cmocka_run_group_tests_name("student", tests, NULL, NULL);
}
