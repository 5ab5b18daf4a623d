/* test_pattern_losses.c - losses that are computed from those of the other run, by rules applied by hand, and losses whose noise is
 * shared or is not; and near misses of both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/pattern_noise.h"
#include "analysis/diverge/pattern_report.h"

#include <math.h>

enum { N = 60 };

static const double slack = 3e-7;

static uint64_t seed;

/* A uniform number of -0.5 to 0.5, by Knuth's MMIX constants. */
static double draw(void)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	return (double)(seed >> 11) * 0x1p-53 - 0.5;
}

/* A loss that falls, with the noise of batches. */
static void falling(double x[N], uint64_t from)
{
	seed = from;
	for (size_t i = 0; i < N; i++)
		x[i] = 1 + 2 * exp(-(double)i / 20) + 0.2 * draw();
}

static void expect_rule(const double *a, const double *b, enum ts_report_rule rule, double number, uint64_t records)
{
	struct ts_pattern_report r = ts_pattern_report_find(a, b, N, slack);

	assert_int_equal(r.rule, rule);
	if (rule == TS_REPORT_NONE)
		return;
	assert_true(r.second && fabs(r.number - number) < 1e-6);
	assert_int_equal(r.records, records);
	r = ts_pattern_report_find(b, a, N, slack);
	assert_int_equal(r.rule, rule);
	assert_true(rule == TS_REPORT_PLUS || !r.second);
}

static void test_rules(void **state)
{
	double a[N], b[N], sum = 0;

	(void)state;
	falling(a, 1);
	for (size_t i = 0; i < N; i++)
		b[i] = a[i] + 0.25;
	expect_rule(a, b, TS_REPORT_PLUS, 0.25, 0);
	for (size_t i = 0; i < N; i++)
		b[i] = a[i < 2 ? 0 : i - 2];
	expect_rule(a, b, TS_REPORT_LATE, 0, 2);
	b[0] = a[0];
	for (size_t i = 1; i < N; i++)
		b[i] = 0.9 * b[i - 1] + 0.1 * a[i];
	expect_rule(a, b, TS_REPORT_SMOOTHED, 0.9, 0);
	/* Begun with 0, and divided by the sum of its weights. */
	for (size_t i = 0; i < N; i++) {
		sum = 0.98 * sum + 0.02 * a[i];
		b[i] = sum / (1 - pow(0.98, (double)i + 1));
	}
	expect_rule(a, b, TS_REPORT_SMOOTHED, 0.98, 0);
	/* Of each 20 steps. */
	for (size_t i = 0; i < N; i++) {
		sum = i % 20 ? sum + a[i] : a[i];
		b[i] = sum / (double)(i % 20 + 1);
	}
	expect_rule(a, b, TS_REPORT_RUNNING, 0, 0);
	for (size_t i = 0; i < N; i++)
		b[i] = i < 4 ? a[i] : (a[i] + a[i - 1] + a[i - 2] + a[i - 3] + a[i - 4]) / 5;
	expect_rule(a, b, TS_REPORT_WINDOW, 0, 5);
	for (size_t i = 0; i < N; i++)
		b[i] = sqrt(a[i]);
	expect_rule(a, b, TS_REPORT_ROOT, 0, 0);
	for (size_t i = 0; i < N; i++)
		b[i] = exp(a[i]);
	expect_rule(a, b, TS_REPORT_EXP, 0, 0);
	b[N / 2] *= 1.001; /* one value that is not */
	assert_int_equal(ts_pattern_report_find(a, b, N, slack).rule, TS_REPORT_NONE);
}

static void test_no_rule(void **state)
{
	double a[N], b[N];

	(void)state;
	falling(a, 1);
	falling(b, 2);
	expect_rule(a, b, TS_REPORT_NONE, 0, 0);
	/* Rounding, and one value that the rule does not give. */
	for (size_t i = 0; i < N; i++)
		b[i] = a[i] * (1 + 1e-7 * draw());
	expect_rule(a, b, TS_REPORT_NONE, 0, 0);
	for (size_t i = 0; i < N; i++)
		b[i] = a[i] + (i == 40 ? 0.26 : 0.25);
	expect_rule(a, b, TS_REPORT_NONE, 0, 0);
	b[40] = NAN;
	expect_rule(a, b, TS_REPORT_NONE, 0, 0);
	/* A loss that stands still follows from any other by any rule. */
	for (size_t i = 0; i < N; i++) {
		a[i] = 1;
		b[i] = 1.5;
	}
	expect_rule(a, b, TS_REPORT_NONE, 0, 0);
	assert_int_equal(ts_pattern_report_find(a, b, 3, slack).rule, TS_REPORT_NONE);
}

static enum ts_noise_answer noise_of(const double *a, const double *b, size_t n)
{
	struct ts_arena arena;
	enum ts_noise_answer answer;

	ts_arena_init(&arena, 1 << 20);
	answer = ts_pattern_noise_find(a, b, n, &arena).answer;
	ts_arena_finish(&arena);
	return answer;
}

static bool one_way(const double *a, const double *b, size_t n)
{
	struct ts_arena arena;
	bool answer;

	ts_arena_init(&arena, 1 << 20);
	answer = ts_pattern_noise_find(a, b, n, &arena).one_way;
	ts_arena_finish(&arena);
	return answer;
}

static void test_one_way(void **state)
{
	double a[N], b[N];

	(void)state;
	falling(a, 1);
	falling(b, 1);
	for (size_t i = 0; i < N; i++)
		b[i] += 0.01;
	assert_true(one_way(a, b, N) && one_way(b, a, N));
	/* Eight records are enough, and fewer are not. */
	assert_true(one_way(a, b, 8));
	assert_false(one_way(a, b, 7));
	b[5] = a[5];
	assert_false(one_way(a, b, N));
	falling(b, 2);
	assert_false(one_way(a, b, N));
}

static void test_noise(void **state)
{
	double a[N], b[N];

	(void)state;
	falling(a, 1);
	/* Other weights: another level and scale, and a little noise of its own, on the same batches. */
	for (size_t i = 0; i < N; i++)
		b[i] = 0.9 * a[i] + 0.05 + 0.02 * draw();
	assert_int_equal(noise_of(a, b, N), TS_NOISE_TOGETHER);
	falling(b, 2);
	assert_int_equal(noise_of(a, b, N), TS_NOISE_APART);
	/* Too few, and none that is finite. */
	assert_int_equal(noise_of(a, b, TS_NOISE_LEAST - 1), TS_NOISE_UNKNOWN);
	b[10] = NAN;
	assert_int_equal(noise_of(a, b, N), TS_NOISE_UNKNOWN);
	assert_int_equal(noise_of(a, b, 0), TS_NOISE_UNKNOWN);
}

static void test_no_noise(void **state)
{
	double a[N], b[N];

	(void)state;
	/* Whole data sets: smooth losses rise and fall together whatever is in them. */
	for (size_t i = 0; i < N; i++) {
		a[i] = exp(-(double)i / 20);
		b[i] = exp(-(double)i / 25);
	}
	assert_int_equal(noise_of(a, b, N), TS_NOISE_UNKNOWN);
	/* Tasks take turns, of which every third is hard: levels agree on whatever batches. */
	falling(a, 1);
	falling(b, 2);
	for (size_t i = 0; i < N; i += 3) {
		a[i] += 3;
		b[i] += 3;
	}
	assert_int_equal(noise_of(a, b, N), TS_NOISE_UNKNOWN);
	/* Another level from the first difference on, as of another objective. */
	falling(a, 1);
	falling(b, 2);
	for (size_t i = 0; i < N; i++)
		b[i] += 2;
	assert_int_equal(noise_of(a, b, N), TS_NOISE_UNKNOWN);
	/* A push too small for other batches. */
	falling(b, 1);
	for (size_t i = 0; i < 12; i++)
		b[i] += 1e-5 * draw();
	for (size_t i = 12; i < N; i++)
		b[i] += draw();
	assert_int_equal(noise_of(a, b, N), TS_NOISE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_no_rule),
		cmocka_unit_test(test_one_way),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_no_noise),
	};

	return cmocka_run_group_tests_name("pattern_losses", tests, NULL, NULL);
}
