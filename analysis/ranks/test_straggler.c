#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/ranks/straggler.h"
#include "analysis/ranks/straggler_blocks.h"
#include "analysis/ranks/straggler_episode.h"
#include "analysis/ranks/straggler_kind.h"
#include "analysis/ranks/straggler_level.h"
#include "analysis/stats/correlation.h"
#include "analysis/stats/outlier.h"
#include "analysis/stats/permutation.h"
#include "analysis/stats/random.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"
#include "base/test_arena.h"

#include <math.h>
#include <string.h>

enum { CEILING = 64 << 20, CELLS = 400 };

static struct ts_error err;

static void near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("%.17g is not %.17g", got, want);
}

/* The expected values count all 81 ways to pick a rank in each block, with Python's itertools.product. */
static void sums_of_chance_are_counted(void **state)
{
	static const double x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
	double p[3];

	(void)state;
	assert_int_equal(ts_permutation_p(x, 3, 4, &arena, p, &err), TS_OK);
	near(p[0], 80.0 / 81, 1e-12);
	near(p[1], 17.0 / 81, 1e-12);
	near(p[2], 19.0 / 81, 1e-12);
}

static void far_tails_have_their_size(void **state)
{
	double x[2 * 100], p[2];

	(void)state;
	for (int k = 0; k < 100; k++) {
		x[k] = 1;
		x[100 + k] = 0;
	}
	assert_int_equal(ts_permutation_p(x, 2, 100, &arena, p, &err), TS_OK);
	near(p[0] / 0x1p-100, 1, 1e-9);
	near(p[1], 1, 1e-12);
	memset(x, 0, sizeof x); /* all values are equal, so no rank differs */
	assert_int_equal(ts_permutation_p(x, 2, 100, &arena, p, &err), TS_OK);
	near(p[0], 1, 0);
}

static void how_many_blocks_a_decision_takes(void **state)
{
	(void)state;
	assert_int_equal(ts_permutation_blocks(2, 0.01), 8);   /* 2 * 2^-8 = 0.0078 */
	assert_int_equal(ts_permutation_blocks(3, 0.01), 6);   /* 3 * 3^-6 = 0.0041 */
	assert_int_equal(ts_permutation_blocks(64, 0.01), 3);  /* 64 * 64^-3 = 0.0002 */
	assert_int_equal(ts_permutation_blocks(200, 0.005), 2); /* 200 * 200^-2 = 0.005 */
	assert_int_equal(ts_permutation_blocks(1, 0.01), 0);
}

/* Computed by hand: 4 * .005, 3 * .01, 2 * .03; then .04 is not less than .06. */
static void holm_steps_down(void **state)
{
	double p[] = {0.01, 0.04, 0.03, 0.005};

	(void)state;
	assert_int_equal(ts_holm(p, 4, &arena, &err), TS_OK);
	near(p[3], 0.02, 1e-15);
	near(p[0], 0.03, 1e-15);
	near(p[2], 0.06, 1e-15);
	near(p[1], 0.06, 1e-15);
}

/* The expected values integrate the density numerically with numpy. */
static void students_tail(void **state)
{
	(void)state;
	near(ts_student_cdf(-1, 1), 0.25, 1e-12);
	near(ts_student_cdf(-2.5, 2), 0.06480586011075815, 1e-9);
	near(ts_student_cdf(-2.571, 5), 0.02498731734192574, 1e-9);
	near(ts_student_cdf(-5, 7), 0.0007826389765864141, 1e-9);
	near(ts_student_cdf(-3, 62), 0.0019421899534919627, 1e-9);
	near(ts_student_cdf(1, 4), 0.8130495168499725, 1e-9);
}

static void two_odd_ones_do_not_hide_each_other(void **state)
{
	static const double x[] = {1.0, 9.0, 1.1, 0.9, 1.2, 8.9, 0.8, 1.0, 1.1, 0.9};
	double p[10];

	(void)state;
	assert_int_equal(ts_outliers(x, 10, &arena, p, &err), TS_OK);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(p[i] <= 0.01, i == 1 || i == 5);
	/* 8.9 beside eight values of mean 1 and deviation 0.1309 is t = 56.87 of 7 degrees of freedom, of nine values. */
	near(p[5] / (9 * ts_student_cdf(-7.9 / sqrt(0.12 / 7 * 9 / 8), 7)), 1, 1e-9);
	near(p[1], p[5], 1e-15);
	assert_int_equal(ts_outliers(x + 6, 4, &arena, p, &err), TS_OK);
	assert_true(p[2] >= 1); /* the largest of four values of one group is not an outlier */
}

static void fill_ar(double *x, size_t n, double rho, double white, struct ts_random *r)
{
	double state = ts_random_normal(r);

	for (size_t i = 0; i < n; i++) {
		x[i] = state + white * ts_random_normal(r);
		state = rho * state + sqrt(1 - rho * rho) * ts_random_normal(r);
	}
}

static size_t length(const double *x, size_t n_series, size_t n)
{
	size_t cells = 9999;

	assert_int_equal(ts_correlation_length(x, CELLS, n_series, n_series, n, &arena, &cells, &err), TS_OK);
	return cells;
}

/* White noise needs blocks of 1. AR(1) of 0.8: (1 + .8)/(1 - .8) = 9, twice that is 18, and the bound adds more. A
 * correlation as long as the series gives no length. */
static void blocks_are_as_long_as_memory(void **state)
{
	double x[8 * CELLS];
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 3);
	for (size_t a = 0; a < 8; a++)
		fill_ar(x + a * CELLS, CELLS, 0, 0, &r);
	assert_int_equal(length(x, 8, CELLS), 1);
	assert_int_equal(length(x, 8, 7), 0);
	for (size_t a = 0; a < 8; a++)
		fill_ar(x + a * CELLS, CELLS, 0.8, 0, &r);
	assert_in_range(length(x, 8, CELLS), 15, 30);
	for (size_t a = 0; a < 8; a++)
		fill_ar(x + a * CELLS, CELLS, 0.99, 0, &r);
	assert_true(length(x, 8, CELLS) == 0 || length(x, 8, CELLS) > 150);
	for (size_t a = 0; a < 8; a++) /* a long correlation that is only a small part of the variance */
		fill_ar(x + a * CELLS, CELLS, 0.98, 1.7, &r);
	assert_true(length(x, 8, CELLS) == 0 || length(x, 8, CELLS) > 60);
	for (size_t a = 0; a < 8; a++) {
		fill_ar(x + a * CELLS, CELLS, 0, 0, &r);
		for (size_t i = 250; i < CELLS; i++)
			x[a * CELLS + i] += 20; /* a change of level is not autocorrelation */
	}
	assert_int_equal(length(x, 8, CELLS), 1);
	memset(x, 0, sizeof x);
	assert_int_equal(length(x, 8, CELLS), 1);
}

/* The numbers were computed by hand. */
static void medians_of_the_others(void **state)
{
	static const double odd[] = {5, 1, 9, 2, 7}, even[] = {4, 4, 1, 8}, two[] = {3, 10};
	double d[5], scratch[5];

	(void)state;
	ts_deviations(odd, 5, scratch, d);
	near(d[0], 5 - 4.5, 0); /* 1 2 7 9 */
	near(d[1], 1 - 6, 0);	/* 2 5 7 9 */
	near(d[2], 9 - 3.5, 0); /* 1 2 5 7 */
	near(d[3], 2 - 6, 0);	/* 1 5 7 9 */
	near(d[4], 7 - 3.5, 0); /* 1 2 5 9 */
	ts_deviations(even, 4, scratch, d);
	near(d[0], 0, 0);  /* 1 4 8 */
	near(d[1], 0, 0);
	near(d[2], -3, 0); /* 4 4 8 */
	near(d[3], 4, 0);  /* 1 4 4 */
	ts_deviations(two, 2, scratch, d);
	near(d[0], -7, 0);
	near(d[1], 7, 0);
}

static struct ts_straggler_test test_of(const double *own, size_t n_ranks, size_t n)
{
	static const double saved[64];
	struct ts_straggler_data data = {.own = own, .stride = CELLS, .n_ranks = n_ranks, .n_cells = n, .saved = saved};
	struct ts_straggler_test t;

	assert_int_equal(ts_straggler_test(&data, &arena, &t, &err), TS_OK);
	return t;
}

static void fill_ranks(double *own, size_t n_ranks, double by, size_t slow)
{
	struct ts_random r;

	ts_random_init(&r, 11);
	for (size_t i = 0; i < n_ranks * CELLS; i++)
		own[i] = (1 + 0.05 * ts_random_normal(&r)) * (i / CELLS < slow ? 1 + by : 1);
}

static void slow_ranks_are_named_and_others_are_not(void **state)
{
	static double own[8 * CELLS];
	struct ts_straggler_test t;

	(void)state;
	fill_ranks(own, 8, 0.2, 2);
	t = test_of(own, 8, 100);
	assert_true(t.decidable);
	assert_int_equal(t.n_named, 2);
	assert_true(t.ranks[0].named && t.ranks[1].named);
	near(t.ranks[0].slowdown, 0.2, 0.02);
	assert_true(t.ranks[0].p < 1e-6);
	fill_ranks(own, 8, 0.043, 1); /* the difference is certain, but too small to matter */
	t = test_of(own, 8, CELLS);
	assert_true(t.ranks[0].p < 1e-6);
	assert_int_equal(t.n_named, 0);
	fill_ranks(own, 8, 0, 0);
	assert_int_equal(test_of(own, 8, CELLS).n_named, 0);
}

/* The deviations are correlated for longer than the run: each rank differs a little throughout. The slowest is 9 %
 * above the median, in every block. */
static void ranks_that_all_differ_a_little(void **state)
{
	static const double off[] = {0.08, 0.05, 0.03, 0.01, -0.01, -0.03, -0.05, -0.08};
	static double own[8 * CELLS];
	struct ts_straggler_test t;

	(void)state;
	fill_ranks(own, 8, 0, 0);
	for (size_t i = 0; i < 8 * CELLS; i++)
		own[i] += off[i / CELLS];
	t = test_of(own, 8, CELLS);
	assert_true(t.ranks[0].p < 1e-6 && t.ranks[0].slowdown > 0.07);
	assert_int_equal(t.n_named, 0);
}

/* Permutations that may pick the rank at +900 % hide the one at +20 % until the first is left out. */
static void a_slow_rank_beside_a_much_slower_one(void **state)
{
	static double own[4 * CELLS];
	struct ts_straggler_test t;

	(void)state;
	fill_ranks(own, 4, 0.2, 1);
	for (size_t i = 0; i < CELLS; i++)
		own[2 * CELLS + i] *= 10;
	t = test_of(own, 4, 60);
	assert_int_equal(t.n_named, 2);
	assert_true(t.ranks[0].named && t.ranks[2].named);
}

/* One pause of another rank is longer than all the time that the slow rank loses. */
static void a_pause_elsewhere_hides_nothing(void **state)
{
	static double own[8 * CELLS];
	struct ts_straggler_test t;

	(void)state;
	fill_ranks(own, 8, 0.2, 1);
	own[5 * CELLS + 60] += 500;
	t = test_of(own, 8, 200);
	assert_int_equal(t.n_named, 1);
	assert_true(t.ranks[0].named);
}

/* Each of five ranks has one burst of ten steps; that of rank 2 is five times as strong. One accident among equal ranks says
 * nothing of the rank that had it; the same accident in every 40th step to the end does. */
static void a_burst_is_one_accident(void **state)
{
	static double own[8 * CELLS];
	struct ts_straggler_test t;

	(void)state;
	fill_ranks(own, 8, 0, 0);
	for (size_t a = 0; a < 5; a++)
		for (size_t i = 0; i < 10; i++)
			own[a * CELLS + 60 * a + 30 + i] *= a == 2 ? 6 : 2;
	assert_int_equal(test_of(own, 8, CELLS).n_named, 0);
	for (size_t i = 0; i < CELLS; i++)
		own[6 * CELLS + i] *= i % 40 < 10 ? 2 : 1;
	t = test_of(own, 8, CELLS);
	assert_int_equal(t.n_named, 1);
	assert_true(t.ranks[6].named);
}

/* Bursts of 20 cells in three ranks, and in the fourth two of 40 with 20 calm cells between them, which are not one: no cut of a rank
 * lies within one of its own, and elsewhere each rank is cut where all are. */
static void blocks_hold_bursts_whole(void **state)
{
	static double x[4 * CELLS], calm[4 * CELLS];
	struct ts_straggler_blocks blocks;

	(void)state;
	fill_ranks(x, 4, 0, 0);
	for (size_t a = 0; a < 4; a++)
		for (size_t i = 0; i < (a == 3 ? 40 : 20); i++)
			x[a * CELLS + 90 * a + 13 + i] += 3;
	for (size_t i = 0; i < 40; i++)
		x[3 * CELLS + 343 + i] += 3;
	assert_int_equal(ts_straggler_blocks(x, 4, CELLS, &arena, calm, &blocks, &err), TS_OK);
	assert_true(blocks.n > 50);
	for (size_t a = 0; a < 4; a++) {
		const size_t *from = blocks.from + a * (blocks.n + 1);
		size_t begins = 90 * a + 13, ends = begins + (a == 3 ? 40 : 20), apart = 0;

		assert_int_equal(from[0], 0);
		assert_int_equal(from[blocks.n], CELLS);
		for (size_t k = 1; k < blocks.n; k++) {
			assert_false(from[k] > begins && from[k] < ends);
			assert_false(a == 3 && from[k] > 343 && from[k] < 383);
			assert_true(from[k] == k * CELLS / blocks.n || from[k] == ends || (a == 3 && from[k] == 383));
			apart += from[k] > 323 && from[k] < 343;
		}
		assert_true(apart > 0);
	}
	for (size_t a = 0; a < 4; a++)
		assert_true(calm[a * CELLS + 90 * a + 20] < 1.2);
}

/* A rank that is slowest in every block of two ranks has 2 * 2^-blocks; twice that where clipping was tried too. */
static void two_tries_cost_a_factor_of_two(void **state)
{
	static double own[2 * CELLS];
	struct ts_straggler_test t;

	(void)state;
	fill_ranks(own, 2, 0.5, 1);
	t = test_of(own, 2, 100);
	assert_true(t.blocks > 10);
	near(t.ranks[0].p / ldexp(2, -(int)t.blocks), 1, 1e-9);
	own[50] += 30;
	t = test_of(own, 2, 100);
	assert_true(t.blocks > 10);
	near(t.ranks[0].p / ldexp(4, -(int)t.blocks), 1, 1e-9);
}

static void few_steps_decide_nothing(void **state)
{
	static double own[2 * CELLS];
	struct ts_straggler_test t;

	(void)state;
	fill_ranks(own, 2, 1, 1);
	t = test_of(own, 2, 8);
	assert_false(t.decidable);
	assert_int_equal(t.blocks_needed, 10); /* 2 * 2^-10 = 0.00195 */
	assert_int_equal(t.n_named, 0);
	assert_true(isnan(t.ranks[0].p));
	near(t.ranks[0].slowdown, 1, 0.1);
	assert_true(test_of(own, 2, CELLS).ranks[0].named);
}

/* Parts of m + e and m - e in turn: every other partial sum is e, so W = 48 m^2 / (24 e^2 / 48^2) = 4608 m^2 / e^2, and of 192
 * cells the limit is 1000 (250 / 192)^2: m / e = 0.6066. */
static void levels_of_two_ranks(void **state)
{
	enum { PARTS = 48, N = 4 * PARTS };
	static double x[2 * N];
	double p[2];
	bool decidable;

	(void)state;
	for (int named = 0; named < 2; named++) {
		for (size_t i = 0; i < N; i++)
			x[i] = -(x[N + i] = (named ? 0.61 : 0.60) + (i / 4 % 2 ? -1 : 1));
		assert_int_equal(ts_straggler_levels(x, 2, N, 100.0 * N, 0.005, &arena, p, &decidable, &err), TS_OK);
		assert_true(decidable);
		near(p[1], named ? 0.005 : 1, 0);
		near(p[0], 1, 0);
	}
	for (size_t i = 0; i < N; i++)
		x[i] = -(x[N + i] = i / 4 % 2 ? -1 : 1);
	/* 30 % of 2.03 a cell would be seen, and of 2.01 not. */
	assert_int_equal(ts_straggler_levels(x, 2, N, 2.03 * N, 0.005, &arena, p, &decidable, &err), TS_OK);
	assert_true(decidable);
	assert_int_equal(ts_straggler_levels(x, 2, N, 2.01 * N, 0.005, &arena, p, &decidable, &err), TS_OK);
	assert_false(decidable);
	assert_int_equal(ts_straggler_levels(x, 2, TS_LEVEL_CELLS - 1, 100.0 * N, 0.005, &arena, p, &decidable, &err), TS_OK);
	assert_false(decidable);
}

/* Noise that stays correlated over half of the run leaves too few blocks, and yet a slow rank stands out among eight. */
static void levels_of_many_ranks(void **state)
{
	enum { RANKS = 8, N = 100 };
	static double own[RANKS * CELLS];
	struct ts_straggler_test t;
	struct ts_random random;

	(void)state;
	ts_random_init(&random, 4);
	for (size_t a = 0; a < RANKS; a++) {
		fill_ar(own + a * CELLS, N, 0.96, 0, &random);
		for (size_t i = 0; i < N; i++)
			own[a * CELLS + i] = 1 + 0.03 * own[a * CELLS + i];
	}
	t = test_of(own, RANKS, N);
	assert_true(t.blocks < t.blocks_needed);
	assert_true(t.decidable);
	assert_int_equal(t.n_named, 0);
	for (size_t i = 0; i < N; i++)
		own[3 * CELLS + i] *= 1.4;
	t = test_of(own, RANKS, N);
	assert_true(t.blocks < t.blocks_needed);
	assert_int_equal(t.n_named, 1);
	assert_true(t.ranks[3].named && t.ranks[3].p <= TS_STRAGGLER_ALPHA);
}

static struct ts_straggler_course course(const double *x, size_t n)
{
	static double scratch[CELLS];

	return ts_straggler_course(x, n, scratch);
}

static void how_a_rank_is_slow(void **state)
{
	struct ts_straggler_course c;
	struct ts_random r;
	double x[CELLS];

	(void)state;
	ts_random_init(&r, 5);
	for (size_t i = 0; i < CELLS; i++)
		x[i] = 1 + 0.2 * ts_random_normal(&r);
	assert_int_equal(course(x, CELLS).kind, TS_STRAGGLER_PERSISTENT);
	for (size_t i = 0; i < 230; i++)
		x[i] -= 1;
	c = course(x, CELLS);
	assert_int_equal(c.kind, TS_STRAGGLER_LATE);
	assert_in_range(c.onset, 229, 231);
	near(c.before, 0, 0.05);
	near(c.after, 1, 0.05);
	for (size_t i = 0; i < CELLS; i++)
		x[i] = 0.1 * ts_random_normal(&r) + (i % 25 == 7 || i % 25 == 8 ? 3 : 0);
	c = course(x, CELLS);
	assert_int_equal(c.kind, TS_STRAGGLER_PERIODIC);
	assert_int_equal(c.period, 25);
	assert_int_equal(c.onset, 7);
	for (size_t i = 0; i < CELLS; i++)
		x[i] = 0.1 * ts_random_normal(&r) + (ts_random_unit(&r) < 0.1 ? 3 : 0);
	c = course(x, CELLS);
	assert_int_equal(c.kind, TS_STRAGGLER_INTERMITTENT);
	assert_int_equal(c.period, 0);
	x[0] = 1;
	assert_int_equal(course(x, 1).kind, TS_STRAGGLER_PERSISTENT);
}

static void the_kth_of_many_equal_ones(void **state)
{
	double x[] = {2, 2, 1, 2, 0, 2, 3, 2}, one[] = {4}, even[] = {9, 4, 1, 5};

	(void)state;
	near(ts_nth(x, 8, 0), 0, 0);
	near(ts_nth(x, 8, 1), 1, 0);
	near(ts_nth(x, 8, 4), 2, 0);
	near(ts_nth(x, 8, 7), 3, 0);
	near(ts_nth(one, 1, 0), 4, 0);
	near(ts_median_few(even, 4), 4.5, 0); /* 1 4 5 9 */
	near(ts_median_few(one, 1), 4, 0);
}

/* Of 4 ranks with noise of 1 %, rank 2 is 5 % slow in 64 of 640 cells. The window of 64 cells is 40 of its standard
 * deviations (1 %/8) out; Student's tail at 40 with 10 degrees of freedom is 2e-12, and there are some 4 x 150 windows. */
static void an_episode_stands_out_of_its_rank(void **state)
{
	enum { RANKS = 4, LONG = 640 };
	static double x[RANKS * LONG];
	struct ts_random random;
	double p[RANKS];

	(void)state;
	ts_arena_reset(&arena);
	ts_random_init(&random, 11);
	for (size_t i = 0; i < RANKS * LONG; i++) /* each rank has a level of its own, which is no episode */
		x[i] = 0.01 * ts_random_normal(&random) + 0.03 * (double)(i / LONG);
	assert_int_equal(ts_straggler_episodes(x, RANKS, LONG, 0, &arena, p, &err), TS_OK);
	for (size_t a = 0; a < RANKS; a++)
		assert_true(p[a] > 0.05);
	for (size_t c = 576; c < 640; c++)
		x[2 * LONG + c] += 0.05;
	assert_int_equal(ts_straggler_episodes(x, RANKS, LONG, 0, &arena, p, &err), TS_OK);
	assert_true(p[2] < 1e-6);
	assert_true(p[0] > 0.05 && p[1] > 0.05 && p[3] > 0.05);
	/* Where bursts may last for 100 cells, windows of 64 are not looked at, and there are fewer than 6 of 128. */
	assert_int_equal(ts_straggler_episodes(x, RANKS, LONG, 100, &arena, p, &err), TS_OK);
	assert_true(p[2] >= 1);
	/* Fewer than 6 windows of 16 cells tell nothing. */
	assert_int_equal(ts_straggler_episodes(x, RANKS, 95, 0, &arena, p, &err), TS_OK);
	assert_true(p[0] >= 1 && p[2] >= 1);
}

/* A block of an AR(1) series of 0.8 is 2 x 1.8/0.2 = 18 values, however long the series; the estimate is an upper bound. */
static void blocks_do_not_grow_with_the_series(void **state)
{
	enum { SERIES = 7, LONG = 4000 };
	static double x[SERIES * LONG];
	struct ts_random random;
	size_t block;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		ts_random_init(&random, seed);
		for (size_t a = 0; a < SERIES; a++)
			fill_ar(x + a * LONG, LONG, 0.8, 0, &random);
		assert_int_equal(ts_correlation_length(x, LONG, SERIES, SERIES, LONG, &arena, &block, &err), TS_OK);
		assert_in_range(block, 14, 40);
		ts_arena_reset(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_episode_stands_out_of_its_rank),
		cmocka_unit_test(blocks_do_not_grow_with_the_series),
		cmocka_unit_test(sums_of_chance_are_counted),
		cmocka_unit_test(far_tails_have_their_size),
		cmocka_unit_test(how_many_blocks_a_decision_takes),
		cmocka_unit_test(holm_steps_down),
		cmocka_unit_test(students_tail),
		cmocka_unit_test(two_odd_ones_do_not_hide_each_other),
		cmocka_unit_test(blocks_are_as_long_as_memory),
		cmocka_unit_test(medians_of_the_others),
		cmocka_unit_test(slow_ranks_are_named_and_others_are_not),
		cmocka_unit_test(ranks_that_all_differ_a_little),
		cmocka_unit_test(a_slow_rank_beside_a_much_slower_one),
		cmocka_unit_test(a_pause_elsewhere_hides_nothing),
		cmocka_unit_test(a_burst_is_one_accident),
		cmocka_unit_test(blocks_hold_bursts_whole),
		cmocka_unit_test(two_tries_cost_a_factor_of_two),
		cmocka_unit_test(few_steps_decide_nothing),
		cmocka_unit_test(levels_of_two_ranks),
		cmocka_unit_test(levels_of_many_ranks),
		cmocka_unit_test(how_a_rank_is_slow),
		cmocka_unit_test(the_kth_of_many_equal_ones),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
