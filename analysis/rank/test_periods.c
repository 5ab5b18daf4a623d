/* Periods against what was planted; how often chance makes one is measured in tests/quality. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/periods.h"
#include "analysis/stats/random.h"

#include <float.h>
#include <math.h>

enum { N = 3000 };

static struct ts_arena arena;
static int64_t keys[N];
static double values[N];

/* Steps take 1 s and 5 % of noise. */
static void usual(uint64_t seed)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	for (int i = 0; i < N; i++) {
		keys[i] = i;
		values[i] = 1 + 0.05 * ts_random_normal(&r);
	}
}

static struct ts_periods find_stated(size_t n, const struct ts_periods_stated *stated)
{
	struct ts_series times = {.keys = keys, .values = values, .n = n};
	struct ts_periods p;
	struct ts_error err;

	ts_arena_reset(&arena);
	assert_int_equal(ts_periods_find(&times, stated, &arena, &p, &err), TS_OK);
	assert_true(p.n || p.calm == values);
	return p;
}

static struct ts_periods find(size_t n, uint64_t declared)
{
	return find_stated(n, &(struct ts_periods_stated){.every = declared});
}

static const struct ts_period *period(const struct ts_periods *p, uint64_t every, uint64_t phase)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->items[i].every == every && p->items[i].phase == phase)
			return &p->items[i];
	for (size_t i = 0; i < p->n; i++)
		print_message("every %d at %d\n", (int)p->items[i].every, (int)p->items[i].phase);
	return NULL;
}

static void two_periods_overlap(void **state)
{
	const struct ts_period *p;
	struct ts_periods found;

	(void)state;
	usual(1);
	for (int i = 0; i < N; i++)
		values[i] += i % 50 == 49 ? 3 : i % 200 == 7 ? 8 : 0;
	values[149] = 1; /* one occurrence is missing */
	found = find(N, 0);
	assert_int_equal(found.n, 2);
	p = period(&found, 50, 49);
	assert_non_null(p);
	assert_true(p->by_step);
	assert_int_equal(p->slow, 59);
	assert_int_equal(p->places, 60);
	assert_true(fabs(p->usual - 4) < 0.05 && fabs(p->longest - 4) < 0.3);
	assert_true(fabs(p->lost - 59 * 3.0) < 59 * 0.05);
	p = period(&found, 200, 7);
	assert_non_null(p);
	assert_int_equal(p->slow, 15);
	assert_true(fabs(found.usual - 1) < 0.01);
	assert_int_equal(found.period[149], 0);
	for (int i = 0; i < N; i++) {
		assert_true(fabs(found.calm[i] - 1) < 0.3);
		assert_true(found.calm[i] == values[i] || found.period[i]);
	}
}

/* Steps may begin anywhere, below 0 too, have gaps, or be logged every tenth. */
static void phases_follow_step_numbers(void **state)
{
	struct ts_periods found;
	int n = 0;

	(void)state;
	usual(2);
	for (int i = 0; i < N; i++) {
		keys[i] = i - 1000;
		values[i] += ((keys[i] % 30) + 30) % 30 == 4 ? 4 : 0;
	}
	found = find(N, 0);
	assert_non_null(period(&found, 30, 4));
	for (int i = 0; i < N; i++) /* a part is missing */
		if (i < 700 || i > 1110) {
			keys[n] = keys[i];
			values[n++] = values[i];
		}
	found = find((size_t)n, 0);
	assert_non_null(period(&found, 30, 4));
	usual(3);
	for (int i = 0; i < N; i++) {
		keys[i] = 10 * (int64_t)i + 3;
		values[i] += keys[i] % 70 == 13 ? 4 : 0;
	}
	found = find(N, 0);
	assert_non_null(period(&found, 70, 13));
	/* Numbers that grow by ever more say nothing of a place: then records count. */
	for (int i = 0; i < N; i++)
		keys[i] = (int64_t)i * i;
	found = find(N, 0);
	assert_int_equal(found.n, 1);
	assert_false(found.items[0].by_step);
	assert_int_equal(found.items[0].every, 7);
}

/* Five of 40 records are too few to say that each eighth is slow, unless the run says that it accumulates eight. */
static void a_declared_period_needs_fewer(void **state)
{
	struct ts_periods found;

	(void)state;
	usual(4);
	for (int i = 3; i < 40; i += 8)
		values[i] = 3;
	assert_int_equal(find(40, 0).n, 0);
	found = find(40, 8);
	assert_non_null(period(&found, 8, 3));
	assert_int_equal(find(40, 7).n, 0);	   /* that is not so */
	assert_int_equal(find(40, UINT64_MAX).n, 0);
}

/* Epochs of unequal lengths, of which the first begins before the series; two of them show it, one does not. */
static void starts_of_epochs(void **state)
{
	static const int64_t epochs[] = {-5, 83, 160, 290};
	struct ts_periods_stated stated = {.epochs = epochs, .n_epochs = 4};
	struct ts_periods found;

	(void)state;
	usual(9);
	values[83] = values[160] = values[290] = 7;
	values[200] = 5; /* stays a stall */
	assert_int_equal(find(400, 0).n, 0);
	found = find_stated(400, &stated);
	assert_int_equal(found.n, 1);
	assert_true(found.items[0].at_epochs);
	assert_int_equal(found.items[0].every, 130); /* the distances are 77 and 130 */
	assert_int_equal(found.items[0].slow, 3);
	assert_int_equal(found.items[0].places, 3);
	assert_true(found.period[83] == 1 && found.period[160] == 1 && found.period[290] == 1 && found.period[200] == 0);
	assert_true(found.calm[83] < 1.2 && found.calm[200] > 4);
	found = find_stated(200, &stated); /* the third is beyond its end */
	assert_int_equal(found.n, 1);
	assert_int_equal(found.items[0].every, 77);
	assert_int_equal(find_stated(150, &stated).n, 0);
	values[160] = 1; /* two of three are enough */
	assert_int_equal(find_stated(400, &stated).n, 1);
	values[290] = 1;
	assert_int_equal(find_stated(400, &stated).n, 0);
}

static void nothing_where_nothing_comes_back(void **state)
{
	struct ts_random r;

	(void)state;
	usual(5);
	assert_int_equal(find(N, 0).n, 0);
	assert_int_equal(find(0, 4).n, 0);
	assert_int_equal(find(1, 0).n, 0);
	ts_random_init(&r, 6);
	for (int i = 0; i < N; i++)
		values[i] *= ts_random_unit(&r) < 0.02 ? 8 : 1;
	assert_int_equal(find(N, 0).n, 0);
	for (int i = 1500; i < N; i++)
		values[i] *= 4; /* slow for good */
	assert_int_equal(find(N, 0).n, 0);
}

static void any_values_and_steps(void **state)
{
	static const double odd[] = {0, -0.0, -1, DBL_MAX, -DBL_MAX, DBL_MIN, 1, 1};
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 7);
	for (int k = 0; k < 200; k++) {
		uint64_t stride = ts_random_next(&r) >> (k % 64);

		for (int i = 0; i < 100; i++) {
			uint32_t pick = ts_random_below(&r, 12);

			keys[i] = (int64_t)((uint64_t)INT64_MIN + (uint64_t)i * (stride / 128 + 1));
			values[i] = pick < 8 ? odd[pick] : pick < 10 ? (double)NAN : (double)INFINITY;
			if (i % 4 == 0)
				values[i] = 5;
		}
		(void)find(100, 4);
		(void)find(100, 0);
	}
}

static void short_memory_is_told(void **state)
{
	struct ts_series times = {.keys = keys, .values = values, .n = N};
	enum ts_status status = TS_NO_MEMORY;
	struct ts_periods p;
	struct ts_error err;

	(void)state;
	usual(8);
	for (int i = 0; i < N; i += 100)
		values[i] = 9;
	for (size_t ceiling = 1; status == TS_NO_MEMORY && ceiling < 64 << 20; ceiling += ceiling / 8 + 1) {
		struct ts_arena small;

		ts_arena_init(&small, ceiling);
		status = ts_periods_find(&times, NULL, &small, &p, &err);
		ts_arena_finish(&small);
	}
	assert_int_equal(status, TS_OK);
	assert_int_equal(p.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_periods_overlap),
		cmocka_unit_test(phases_follow_step_numbers),
		cmocka_unit_test(a_declared_period_needs_fewer),
		cmocka_unit_test(starts_of_epochs),
		cmocka_unit_test(nothing_where_nothing_comes_back),
		cmocka_unit_test(any_values_and_steps),
		cmocka_unit_test(short_memory_is_told),
	};
	int failed;

	ts_arena_init(&arena, 64 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ts_arena_finish(&arena);
	return failed;
}
