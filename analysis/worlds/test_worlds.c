/* Checks worlds.h on arithmetic by hand: laws that hold exactly, losses that add up, and runs that cannot be compared. */
#include "analysis/worlds/worlds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct ts_arena arena;

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

/* A run whose steps take this long for a batch of all ranks; a tenth of a percent of error. */
static struct ts_world_seen run(uint32_t ranks, double step_s, double batch)
{
	return (struct ts_world_seen){.ranks = ranks, .rate = batch / step_s, .step_s = step_s, .error = 0.001};
}

static struct ts_worlds judge(const struct ts_world_seen *seen, size_t n)
{
	struct ts_worlds w;
	struct ts_error err;

	assert_int_equal(ts_worlds_judge(seen, n, &arena, &w, &err), TS_OK);
	return w;
}

static bool says(const struct ts_worlds *w, const char *part)
{
	for (size_t i = 0; i < w->n_sentences; i++)
		if (ts_span_contains(w->sentences[i], part))
			return true;
	return false;
}

/* Step times by Amdahl's law with a tenth of the work serial: T(r) = 0.1 + 0.9 / r. */
static void test_amdahl(void **state)
{
	const struct ts_world_seen seen[] = {run(8, 0.1 + 0.9 / 8, 64), run(1, 1, 64), run(2, 0.1 + 0.9 / 2, 64),
					     run(4, 0.1 + 0.9 / 4, 64)};
	struct ts_worlds w = judge(seen, 4);

	(void)state;
	assert_int_equal(w.kind, TS_WORLDS_STRONG);
	assert_int_equal(w.base_ranks, 1);
	assert_true(fabs(w.fit.serial - 0.1) < 1e-9 && w.fit.half > 0 && w.fit.half < 0.01);
	assert_true(fabs(w.fit.most - 10) < 1e-6);
	assert_true(fabs(w.rows[3].speedup - 1 / 0.2125) < 1e-9 && fabs(w.rows[3].efficiency - 1 / 0.2125 / 8) < 1e-9);
	assert_true(w.rows[3].smaller_batch && !w.rows[3].slower);
	assert_true(says(&w, "8 ranks are 4.706 times as fast as 1, 59 % of the 8 times") && says(&w, "more than 10 times as fast"));
}

/* Scaled speedup by Gustafson's law with 0.2: S = r - 0.2 (r - 1). */
static void test_gustafson(void **state)
{
	const struct ts_world_seen seen[] = {run(2, 1, 64), run(4, 2 / 1.8, 128), run(8, 4 / (4 - 0.2 * 3), 256)};
	struct ts_worlds w = judge(seen, 3);

	(void)state;
	assert_int_equal(w.kind, TS_WORLDS_WEAK);
	assert_int_equal(w.base_ranks, 2);
	assert_true(fabs(w.fit.serial - 0.2) < 1e-9 && w.fit.most == 0);
	assert_true(says(&w, "the batch of each rank stays 32 samples") && !w.rows[2].smaller_batch);
}

/* The interval of a fit has what runs differ by around it: three points about a line of 0.1 by Student's t with two degrees. */
static void test_interval(void **state)
{
	const struct ts_world_seen seen[] = {run(1, 1, 64), run(2, 0.60, 64), run(4, 0.30, 64), run(8, 0.25, 64)};
	struct ts_worlds w = judge(seen, 4);
	const double x[] = {0.5, 0.75, 0.875}, y[] = {0.60 - 0.5, 0.30 - 0.25, 0.25 - 0.125};
	double xx = 0, xy = 0, off = 0, s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		xx += x[i] * x[i];
		xy += x[i] * y[i];
	}
	s = xy / xx;
	for (int i = 0; i < 3; i++)
		off += (y[i] - s * x[i]) * (y[i] - s * x[i]);
	assert_true(fabs(w.fit.serial - s) < 1e-9);
	assert_true(fabs(w.fit.half - 4.30265273 * sqrt(off / 2 / xx)) < 1e-6); /* t(0.975, 2) of the tables */
	assert_true(w.fit.most == 0 || w.fit.serial > w.fit.half);
}

static void test_losses_add_up(void **state)
{
	struct ts_world_seen seen[] = {run(1, 1, 64), run(4, 0.5, 64)};
	struct ts_worlds w;
	double sum = 0;

	(void)state;
	seen[0].split = seen[1].split = true;
	seen[0].shares[TS_WORLD_COMPUTE] = 0.9;
	seen[0].shares[TS_WORLD_INPUT] = 0.1;
	seen[1].shares[TS_WORLD_COMPUTE] = 0.52;
	seen[1].shares[TS_WORLD_COMMUNICATION] = 0.4;
	seen[1].shares[TS_WORLD_INPUT] = 0.08;
	w = judge(seen, 2);
	/* A sample costs 1/64 rank-seconds in the base, 2/64 here: half is lost. Communication 0.8/64 of 2/64. */
	for (int i = 0; i < TS_WORLD_LINES; i++)
		sum += w.rows[1].lost[i];
	assert_true(fabs(sum - 0.5) < 1e-12 && fabs(sum - (1 - w.rows[1].efficiency)) < 1e-12);
	assert_true(fabs(w.rows[1].lost[TS_WORLD_COMMUNICATION] - 0.4) < 1e-12);
	assert_true(fabs(w.rows[1].lost[TS_WORLD_COMPUTE] - 0.07) < 1e-12 && fabs(w.rows[1].lost[TS_WORLD_INPUT] - 0.03) < 1e-12);
	assert_true(says(&w, "40 % of its time is lost to communication, and 7.0 % to the smaller batch of each rank"));
}

static void test_more_ranks_that_are_slower(void **state)
{
	const struct ts_world_seen seen[] = {run(1, 1, 64), run(8, 1.25, 64)}, near[] = {run(1, 1, 64), run(8, 1.001, 64)};
	struct ts_worlds w = judge(seen, 2);

	(void)state;
	assert_true(w.rows[1].slower && says(&w, "8 ranks are slower than 1: their throughput is 80 % of it"));
	assert_true(w.fit.most == 0 && says(&w, "which Amdahl's law does not explain"));
	w = judge(near, 2);
	assert_false(w.rows[1].slower); /* within what the steps vary by */
}

static void test_what_cannot_be_compared(void **state)
{
	struct ts_world_seen seen[] = {run(1, 1, 64), run(2, 1, 64)}, two[] = {run(2, 1, 64), run(2, 1, 96)};
	const struct ts_world_seen mixed[] = {run(1, 1, 64), run(2, 1, 96)}, one[] = {run(2, 1, 64), run(2, 1.1, 64)};
	struct ts_worlds w;
	struct ts_error err;

	(void)state;
	seen[1].tokens = true;
	assert_int_equal(ts_worlds_judge(seen, 2, &arena, &w, &err), TS_INVALID);
	assert_int_equal(ts_worlds_judge(two, 2, &arena, &w, &err), TS_INVALID);
	w = judge(mixed, 2);
	assert_true(w.kind == TS_WORLDS_MIXED && !w.fit.known);
	w = judge(one, 2);
	assert_true(w.kind == TS_WORLDS_NONE && !w.fit.known && says(&w, "All of these runs have 2 ranks"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_amdahl, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gustafson, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interval, setup, teardown),
		cmocka_unit_test_setup_teardown(test_losses_add_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_more_ranks_that_are_slower, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_compared, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
