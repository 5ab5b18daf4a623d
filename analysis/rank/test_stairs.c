/* test_stairs.c - stairs that are planted at known steps, and changes of level that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/stairs.h"
#include "base/test_arena.h"

#include <math.h>

enum { N = 600 };

static double x[N];

/* A level of 1,000 with a ripple of 0 to 4 that is periodic in 7 values. */
static void level(void)
{
	for (size_t i = 0; i < N; i++)
		x[i] = 1000 + (double)(i * 3 % 7) * 2 / 3;
}

static void add(size_t from, double by)
{
	for (size_t i = from; i < N; i++)
		x[i] += by;
}

static struct ts_stairs find(size_t n)
{
	struct ts_stairs stairs;
	struct ts_error err;

	ts_arena_reset(&arena);
	assert_int_equal(ts_stairs_find(x, n, &arena, &stairs, &err), TS_OK);
	return stairs;
}

static void where_they_are(void **state)
{
	static const size_t at[] = {150, 303, 444};
	struct ts_stairs stairs;

	(void)state;
	level();
	add(150, 100);
	add(303, 80);
	add(444, 120);
	stairs = find(N);
	assert_int_equal(stairs.n, 3);
	for (size_t k = 0; k < 3; k++)
		assert_int_equal(stairs.at[k], at[k]);
	assert_true(fabs(stairs.level[0] - 1000) < 0.1 && fabs(stairs.level[1] - 1100) < 0.1);
	assert_true(fabs(stairs.level[2] - 1180) < 0.1 && fabs(stairs.level[3] - 1300) < 0.1);
	for (size_t i = 0; i < N; i++) /* the same under teeth of three times their height; each is 12 values wide */
		x[i] += 300 * (double)(i % 12) / 12;
	stairs = find(N);
	assert_int_equal(stairs.n, 3);
	for (size_t k = 0; k < 3; k++) /* since the last tooth that began on the old level */
		assert_true(stairs.at[k] + 12 >= at[k] && stairs.at[k] <= at[k]);
}

static void what_is_none(void **state)
{
	(void)state;
	level();
	assert_int_equal(find(N).n, 0);
	add(300, 100);
	assert_int_equal(find(N).n, 0);
	add(400, 100);
	assert_int_equal(find(N).n, 0);
	add(500, 100);
	assert_int_equal(find(N).n, 3);
	add(550, -70); /* it gives back what it took */
	assert_int_equal(find(N).n, 0);
	level();
	for (size_t k = 0; k < 4; k++)
		add(20 + 30 * k, 100); /* it has ended */
	assert_int_equal(find(N).n, 0);
	level();
	add(20, 100);
	add(50, 100);
	add(400, 100); /* a model, its optimizer, and once something else */
	assert_int_equal(find(N).n, 0);
	level();
	add(150, 100);
	add(300, 20);
	add(450, 100); /* of three, one is far less than the others */
	assert_int_equal(find(N).n, 0);
	for (size_t i = 0; i < N; i++)
		x[i] = 1000 + (double)i; /* a slope */
	assert_int_equal(find(N).n, 0);
	for (size_t i = 0; i < N; i++)
		x[i] = 1000 - 300 * exp(-(double)i / 100); /* a cache */
	assert_int_equal(find(N).n, 0);
}

/* Few values, and values at the ends of the range of doubles. */
static void hostile(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		x[i] = i / 150 % 2 ? 1e308 : -1e308;
	(void)find(N);
	for (size_t i = 0; i < N; i++)
		x[i] = i % 2 ? 5e-324 : 1e308;
	(void)find(N);
	for (size_t i = 0; i < N; i++)
		x[i] = (double)(i / 12);
	for (size_t n = 0; n < TS_STAIRS_VALUES; n++)
		assert_int_equal(find(n).n, 0);
	assert_int_equal(find(TS_STAIRS_VALUES).n, 3);
}

static void no_memory(void **state)
{
	struct ts_stairs stairs;
	struct ts_arena none;
	struct ts_error err;

	(void)state;
	level();
	ts_arena_init(&none, 16);
	assert_int_equal(ts_stairs_find(x, N, &none, &stairs, &err), TS_NO_MEMORY);
	ts_arena_finish(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_they_are),
		cmocka_unit_test(what_is_none),
		cmocka_unit_test(hostile),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
