/* Stretches that are joined come to what the whole comes to, whatever is not finite in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/cell.h"

#include <math.h>

static void one_value_is_itself(void **state)
{
	static const double values[] = {0.1, -0.0, 5e-324, -1.7976931348623157e308};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct ts_cell cell = ts_cell_open;

		ts_cell_add(&cell, 7, values[i]);
		assert_true(cell.first == 7 && cell.last == 7 && cell.count == 1 && cell.odd == 0);
		assert_true(cell.min == values[i] && cell.max == values[i] && ts_cell_mean(&cell) == values[i]);
		assert_true(!signbit(values[i]) == !signbit(ts_cell_mean(&cell)));
	}
}

/* Small whole numbers, whose sums are exact in any order. */
static void joined_is_whole(void **state)
{
	static const double values[] = {3, NAN, -8, 12, INFINITY, 5, -INFINITY, 0, 12, NAN};
	enum { N = 10 };

	(void)state;
	for (int cut = 0; cut <= N; cut++) {
		struct ts_cell a = ts_cell_open, b = ts_cell_open;

		for (int i = 0; i < N; i++)
			ts_cell_add(i < cut ? &a : &b, i == 2 ? (double)NAN : 10 + i, values[i]);
		ts_cell_join(&a, &b);
		assert_true(a.first == 10 && a.last == 19 && a.count == 6 && a.odd == 4);
		assert_true(a.min == -8 && a.max == 12 && ts_cell_mean(&a) == 4);
	}
}

static void nothing_is_known_of_nothing(void **state)
{
	struct ts_cell cell = ts_cell_open, huge = ts_cell_open;

	(void)state;
	ts_cell_add(&cell, INFINITY, NAN);
	ts_cell_join(&cell, &ts_cell_open);
	assert_true(isnan(cell.first) && isnan(cell.last) && cell.count == 0 && cell.odd == 1 && isnan(ts_cell_mean(&cell)));
	ts_cell_add(&huge, 0, 1.7e308);
	ts_cell_add(&huge, 1, 1.7e308);
	assert_true(isnan(ts_cell_mean(&huge)) && huge.max == 1.7e308);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_value_is_itself),
		cmocka_unit_test(joined_is_whole),
		cmocka_unit_test(nothing_is_known_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
