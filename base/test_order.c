/* order.h: each kind of key decides where those before it do not, and plain values stand in their order. */
#include "base/digest.h"
#include "base/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

struct item {
	int64_t step;
	double score;
	bool known;
	struct ts_span name;
	int at;
};

static double half_of(const struct item *x)
{
	return x->score / 2;
}

TS_ORDER(by_all, struct item, TS_DOWN(known); if (a->known) TS_UP(step); TS_DOWN_OF(half_of); TS_TEXT(name); TS_THEN(a->at - b->at))
TS_ORDER(by_end, struct item, TS_BY(b->step + b->at, a->step + a->at))
TS_ORDER_OF_POINTERS(by_score, struct item, TS_UP_OF(half_of); TS_BY(a, b))

static struct item item(int64_t step, double score, bool known, const char *name, int at)
{
	return (struct item){step, score, known, ts_span_str(name), at};
}

static void the_first_key_that_differs_decides(void **state)
{
	const struct item sorted[] = {
		item(INT64_MIN, 0, true, "z", 9), item(3, 2, true, "z", 9), item(3, 1, true, "a", 9), item(3, 1, true, "b", 1),
		item(3, 1, true, "b", 2),	  item(9, 5, false, "a", 0), item(7, 4, false, "a", 0),
	};
	const int n = sizeof sorted / sizeof sorted[0];

	(void)state;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++) {
			int c = by_all(&sorted[i], &sorted[k]);

			assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
		}
	assert_int_equal(by_end(&sorted[5], &sorted[6]), -1);
	assert_int_equal(by_end(&sorted[1], &sorted[1]), 0);
}

static void a_number_that_is_none_is_equal_to_all(void **state)
{
	struct item a = item(0, NAN, false, "b", 0), b = item(0, 1, false, "a", 0);

	(void)state;
	assert_true(by_all(&a, &b) > 0);
	assert_true(by_all(&b, &a) < 0);
}

static void pointers_are_sorted_by_what_they_point_to(void **state)
{
	struct item items[] = {item(0, 3, true, "", 0), item(0, 1, true, "", 1), item(0, 1, true, "", 2)};
	const struct item *order[] = {&items[2], &items[0], &items[1]};

	(void)state;
	TS_SORT(order, 3, by_score);
	assert_ptr_equal(order[0], &items[1]);
	assert_ptr_equal(order[1], &items[2]);
	assert_ptr_equal(order[2], &items[0]);
}

static void nothing_is_sorted_without_items(void **state)
{
	struct item *none = NULL;

	(void)state;
	TS_SORT(none, 0, by_all);
}

static void values_ascend(void **state)
{
	int32_t i32[] = {INT32_MAX, 0, INT32_MIN};
	int64_t i64[] = {INT64_MAX, 0, INT64_MIN};
	uint32_t u32[] = {UINT32_MAX, 5, 0};
	uint64_t u64[] = {UINT64_MAX, 5, 0};
	double reals[] = {INFINITY, 0, -INFINITY};
	struct ts_span spans[] = {ts_span_str("b"), ts_span_str("aa"), ts_span_str("a")};
	struct ts_id ids[] = {{{0, 2}}, {{0, 1}}, {{0, 0, 9}}};

	(void)state;
#define ASCENDS(values, order)                                                                                                         \
	assert_true(order(&(values)[0], &(values)[1]) > 0 && order(&(values)[1], &(values)[2]) > 0);                                  \
	assert_true(order(&(values)[2], &(values)[0]) < 0 && order(&(values)[1], &(values)[1]) == 0)
	ASCENDS(i32, ts_by_i32);
	ASCENDS(i64, ts_by_i64);
	ASCENDS(u32, ts_by_u32);
	ASCENDS(u64, ts_by_u64);
	ASCENDS(reals, ts_by_double);
	ASCENDS(spans, ts_by_span);
	ASCENDS(ids, ts_by_id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_key_that_differs_decides),
		cmocka_unit_test(a_number_that_is_none_is_equal_to_all),
		cmocka_unit_test(pointers_are_sorted_by_what_they_point_to),
		cmocka_unit_test(nothing_is_sorted_without_items),
		cmocka_unit_test(values_ascend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
