/* test_lost.c - which losses of 0 are none. */
#include "run/lost.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>

/* Only an exact 0 beside a NaN: a small loss, a true 0 and a gradient that overflowed to infinity are what they are. */
static void a_zero_beside_a_nan(void **state)
{
	static const double norms[] = {1, (double)NAN, (double)NAN, 0, (double)INFINITY, (double)NAN};
	double losses[] = {0, 0, 1e-300, 0, 0, -0.0};

	(void)state;
	ts_lost_take(losses, norms, 6);
	assert_true(losses[0] == 0 && isnan(losses[1]) && losses[2] == 1e-300);
	assert_true(losses[3] == 0 && losses[4] == 0 && isnan(losses[5]));
}

static void the_gradient_norm_of_a_loss(void **state)
{
	struct ts_column columns[] = {{.name = ts_span_str("scalars.grad_norm"), .type = TS_COLUMN_F64},
				      {.name = ts_span_str("scalars.loss"), .type = TS_COLUMN_F64}};
	struct ts_table table = {.columns = columns, .n_columns = 2};

	(void)state;
	assert_ptr_equal(ts_lost_norm(&table, ts_span_str("scalars.loss")), &columns[0]);
	assert_ptr_equal(ts_lost_norm(&table, ts_span_str("scalars.eval_loss")), &columns[0]);
	assert_null(ts_lost_norm(&table, ts_span_str("scalars.lr")));
	assert_null(ts_lost_norm(&table, ts_span_str("scalars.loss_scale"))); /* which may be 0 */
	columns[0].type = TS_COLUMN_TEXT;
	assert_null(ts_lost_norm(&table, ts_span_str("scalars.loss")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zero_beside_a_nan),
		cmocka_unit_test(the_gradient_norm_of_a_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
