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

static void assert_same(const struct ts_cell *a, const struct ts_cell *b)
{
	assert_true(a->count == b->count && a->odd == b->odd && a->first == b->first && a->last == b->last);
	if (a->count)
		assert_true(a->min == b->min && a->max == b->max && ts_cell_mean(a) == ts_cell_mean(b));
}

/* Small whole numbers again, with what is not finite at each place in turn. */
static void at_once_is_one_by_one(void **state)
{
	static const double odd[] = {1, NAN, INFINITY, -INFINITY};
	enum { N = 13 };

	(void)state;
	for (int n = 1; n <= N; n++)
		for (int at = 0; at < n; at++)
			for (int k = 0; k < 4; k++) {
				struct ts_cell one = ts_cell_open, whole;
				double values[N];

				for (int i = 0; i < n; i++) {
					values[i] = i == at ? odd[k] : (i * 5) % N - 6;
					ts_cell_add(&one, 100 + i, values[i]);
				}
				whole = ts_cell_of(values, (size_t)n, 100, 99 + n);
				assert_same(&whole, &one);
			}
	assert_true(ts_cell_of(NULL, 0, 0, 0).count == 0);
}

/* The sum of these is larger than a double holds, and no value is odd. */
static void at_once_a_sum_may_be_too_large(void **state)
{
	static const double values[] = {1.7e308, 1.7e308, 1, 2, 1.7e308, 3, 4, 5};
	struct ts_cell cell = ts_cell_of(values, 8, 0, 7);

	(void)state;
	assert_true(cell.count == 8 && cell.odd == 0 && cell.min == 1 && cell.max == 1.7e308 && isnan(ts_cell_mean(&cell)));
}

static void at_once_zero_keeps_its_sign(void **state)
{
	static const double values[] = {-0.0, -0.0, -0.0, -0.0};
	struct ts_cell cell = ts_cell_of(values, 4, 0, 3);

	(void)state;
	assert_true(signbit(ts_cell_mean(&cell)) && signbit(cell.min) && signbit(cell.max));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_value_is_itself),
		cmocka_unit_test(joined_is_whole),
		cmocka_unit_test(nothing_is_known_of_nothing),
		cmocka_unit_test(at_once_is_one_by_one),
		cmocka_unit_test(at_once_a_sum_may_be_too_large),
		cmocka_unit_test(at_once_zero_keeps_its_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
