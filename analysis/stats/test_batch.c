/* Expected values: the definitions of batch.h in Python with math.fsum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/batch.h"

#include <math.h>

static const double some[TS_BATCHES] = {3.0, 1.0, 4.0, 1.5, 5.0, 9.0, 2.0, 6.0, 5.5, 3.5};

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-14 * fabs(want) + 1e-15))
		fail_msg("%.17g, expected %.17g", got, want);
}

static void spread_about_the_mean(void **state)
{
	(void)state;
	near(ts_batch_error(some), 0.7653975002136689);
}

static void spread_about_a_line(void **state)
{
	double line[TS_BATCHES];

	(void)state;
	near(ts_batch_error_of_trend(some), 0.7473944640204963);
	for (int i = 0; i < TS_BATCHES; i++)
		line[i] = 7 - 0.5 * i;
	near(ts_batch_error_of_trend(line), 0);
	assert_true(ts_batch_error(line) > 0.4);
}

static void not_a_number(void **state)
{
	double with[TS_BATCHES] = {1, 2, 3, 4, NAN, 6, 7, 8, 9, 10};

	(void)state;
	assert_true(isnan(ts_batch_error(with)));
	assert_true(isnan(ts_batch_error_of_trend(with)));
	with[4] = INFINITY;
	assert_true(isnan(ts_batch_error(with)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spread_about_the_mean),
		cmocka_unit_test(spread_about_a_line),
		cmocka_unit_test(not_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
