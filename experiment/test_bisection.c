#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "experiment/bisection.h"

#include <math.h>

enum { MOST = 64 };

static struct ts_bisection_step next(const struct ts_bisection *b, const struct ts_judged *judged, size_t n)
{
	struct ts_arena arena;
	struct ts_error err;
	struct ts_bisection_step step = {0};

	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_bisection_next(b, judged, n, &arena, &step, &err), TS_OK);
	ts_arena_finish(&arena);
	return step;
}

/* A judge that is never wrong makes it a binary search: each place is found in at most log2 n judgements, rounded up. */
static void test_binary(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 40; n++)
		for (size_t bad = 1; bad <= n; bad++) {
			const struct ts_bisection b = {.n = n, .sure = 0.99, .most = MOST};
			struct ts_judged judged[MOST];
			struct ts_bisection_step step;
			size_t k = 0;

			while ((step = next(&b, judged, k)).end == TS_BISECTION_GOES_ON) {
				judged[k] = (struct ts_judged){step.next, false, ts_judge_evidence(step.next >= bad, 1e-9)};
				k++;
			}
			assert_int_equal(step.end, TS_BISECTION_FOUND);
			assert_int_equal(step.first, bad);
			assert_int_equal(step.last, bad);
			assert_true((double)k <= ceil(log2((double)n)));
		}
}

/* Posteriors of two versions by hand: one judgement of version 1, by a judge that is wrong in one of five, says that it is good. Then
 * the first bad one is 2 with 0.8, and one more of the same makes that 0.8^2 / (0.8^2 + 0.2^2) = 16/17. */
static void test_posterior(void **state)
{
	const struct ts_bisection b = {.n = 2, .sure = 0.99, .most = MOST};
	const double evidence = ts_judge_evidence(false, 0.2);
	const struct ts_judged judged[] = {{1, false, evidence}, {1, false, evidence}};
	struct ts_bisection_step step;

	(void)state;
	assert_true(fabs(evidence + log(4)) < 1e-12);
	step = next(&b, judged, 1);
	assert_int_equal(step.end, TS_BISECTION_GOES_ON);
	assert_int_equal(step.next, 1);
	assert_int_equal(step.first, 2);
	assert_true(fabs(step.chance - 0.8) < 1e-12);
	step = next(&b, judged, 2);
	assert_true(fabs(step.chance - 16.0 / 17) < 1e-12);
}

static void test_prior(void **state)
{
	const double prior[] = {1, 1, 1, 1, 1, 1, 93, 1};
	const struct ts_bisection b = {.n = 8, .prior = prior, .sure = 0.99, .most = MOST};
	const struct ts_judged judged[] = {{6, false, ts_judge_evidence(false, 1e-6)}, {7, false, ts_judge_evidence(true, 1e-6)}};
	struct ts_bisection_step step = next(&b, judged, 0);

	(void)state;
	/* 6 of 100 lie before 7 and 1 behind it, so the version before it tells most. */
	assert_int_equal(step.next, 6);
	step = next(&b, judged, 2);
	assert_int_equal(step.end, TS_BISECTION_FOUND);
	assert_int_equal(step.first, 7);
}

/* Versions 3 to 6 of 8 cannot be judged, and the first bad one is 5: the answer is the range from 3 to 7. */
static void test_range(void **state)
{
	const struct ts_bisection b = {.n = 8, .sure = 0.99, .most = MOST};
	struct ts_judged judged[MOST];
	struct ts_bisection_step step;
	size_t k = 0;

	(void)state;
	while ((step = next(&b, judged, k)).end == TS_BISECTION_GOES_ON) {
		judged[k] = (struct ts_judged){step.next, step.next >= 3 && step.next <= 6, ts_judge_evidence(step.next >= 5, 1e-9)};
		k++;
	}
	assert_int_equal(step.end, TS_BISECTION_RANGE);
	assert_int_equal(step.first, 3);
	assert_int_equal(step.last, 7);
	assert_true(step.chance > 0.99);
}

/* Where judgements are used up, the range has what is left. */
static void test_over(void **state)
{
	const struct ts_bisection b = {.n = 16, .sure = 0.99, .most = 1};
	const struct ts_judged judged[] = {{8, false, ts_judge_evidence(true, 1e-9)}};
	struct ts_bisection_step step = next(&b, judged, 1);

	(void)state;
	assert_int_equal(step.end, TS_BISECTION_OVER);
	assert_int_equal(step.first, 1);
	assert_int_equal(step.last, 8);
}

/* One run of each end, at 100 and 105, and a deviation of 1: a run at 104 is 4 from one and 1 from the other, each with the error of
 * the level itself: (16 - 1) / (2 * 2). A judge that may be wrong otherwise says no more than its share. */
static void test_levels(void **state)
{
	const struct ts_two_levels levels = {100, 105, 1, 1, 1};

	(void)state;
	assert_true(fabs(ts_level_evidence(&levels, 104, 1e-9) - 15.0 / 4) < 1e-12);
	assert_true(fabs(ts_level_evidence(&levels, 101, 1e-9) + 15.0 / 4) < 1e-12);
	assert_true(fabs(ts_level_evidence(&levels, 104, 0.1) - log(9)) < 1e-12);
	assert_true(fabs(ts_level_evidence(&levels, 102.5, 1e-9)) < 1e-12);
	/* Beyond an end it is no less of it. */
	assert_true(ts_level_evidence(&levels, 120, 1e-9) >= ts_level_evidence(&levels, 105, 1e-9));
	assert_true(ts_level_evidence(&levels, 80, 1e-9) <= ts_level_evidence(&levels, 100, 1e-9));
}

/* Ends that were measured once, both 1 too high: runs that are sure to be of a side take its level with them, so that 110 becomes surer
 * to be bad. By the ends alone it is 9 from one and 1 from the other: (81 - 1) / (2 * 2). */
static void test_refined(void **state)
{
	const struct ts_bisection b = {.n = 8, .sure = 0.99, .most = MOST};
	const struct ts_two_levels known = {101, 111, 1, 1, 1};
	const double values[] = {110, 100, 110, 110};
	struct ts_judged judged[] = {{7, false, 0}, {1, false, 0}, {6, false, 0}, {6, false, 0}};
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_measured_evidence(&b, &known, values, 1e-12, judged, 4, &arena, &err), TS_OK);
	assert_true(fabs(ts_level_evidence(&known, 110, 1e-12) - 20) < 1e-9);
	assert_true(judged[0].evidence > 25);
	assert_true(judged[1].evidence < -25);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_binary),	cmocka_unit_test(test_posterior), cmocka_unit_test(test_prior),
		cmocka_unit_test(test_range),	cmocka_unit_test(test_over),	  cmocka_unit_test(test_levels),
		cmocka_unit_test(test_refined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
