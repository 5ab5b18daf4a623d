/* Rank correlations against figures that scipy 1.11 (spearmanr) and arithmetic by hand give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/rank_correlation.h"

#include <math.h>

static void near(double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		fail_msg("%.12g is not %.12g", got, want);
}

static struct ts_rank_correlation of(const double *x, const double *y, size_t n, struct ts_arena *arena)
{
	double rx[16], ry[16];

	assert_true(ts_ranks_of(x, n, arena, rx) && ts_ranks_of(y, n, arena, ry));
	return ts_rank_correlation(rx, ry, n, 0.05);
}

static void test_ranks(void **state)
{
	static const double x[] = {3, 1, 2, 2, -INFINITY, 2}, want[] = {6, 2, 4, 4, 1, 4};
	struct ts_arena arena;
	double ranks[6];

	(void)state;
	ts_arena_init(&arena, 1 << 16);
	assert_int_equal(ts_ranks_of(x, 6, &arena, ranks), 3);
	for (int i = 0; i < 6; i++)
		near(ranks[i], want[i], 0);
	ts_arena_finish(&arena);
}

/* IQ and hours of television of ten people, the example of the textbooks: rho = -29/165, p = 0.627. */
static void test_textbook(void **state)
{
	static const double iq[] = {106, 86, 100, 101, 99, 103, 97, 113, 112, 110}, hours[] = {7, 0, 27, 50, 28, 29, 20, 12, 6, 17};
	struct ts_rank_correlation c;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 1 << 16);
	c = of(iq, hours, 10, &arena);
	assert_true(c.known && c.n == 10);
	near(c.rho, -29.0 / 165, 1e-14);
	near(c.p, 0.6271883447764844, 1e-10); /* scipy.stats.spearmanr */
	/* atanh(rho) = -0.17760; half = 1.959964 sqrt((1 + rho^2 / 2) / 7) = 0.746496. */
	near(c.low, tanh(-0.1776016 - 0.746496), 1e-6);
	near(c.high, tanh(-0.1776016 + 0.746496), 1e-6);
	ts_arena_finish(&arena);
}

static void test_ends(void **state)
{
	static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8}, down[] = {9, 8, 7, 6, 5, 4, 3, 2}, same[8] = {0};
	struct ts_rank_correlation c;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 1 << 16);
	c = of(x, down, 8, &arena);
	assert_true(c.known);
	near(c.rho, -1, 0);
	near(c.low, -1, 0);
	near(c.high, -1, 0);
	near(c.p, 0, 0);
	assert_false(of(x, same, 8, &arena).known);
	assert_false(of(x, down, 7, &arena).known);
	/* x and y are nothing but z: nothing is left. (0.5 - 0.4 * 0.6) / sqrt(0.84 * 0.64) = 0.354604: t of 17 degrees = 1.563684. */
	near(ts_rank_partial_p(1, 1, 1, 20), 1, 0);
	near(ts_rank_partial_p(0.5, 0.4, 0.6, 20), 0.13631503, 1e-7);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_textbook),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
