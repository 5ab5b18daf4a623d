#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/wall.h"
#include "analysis/stats/stats.h"

#include <math.h>

enum { N = 6 };

/* Six steps of 2 s each have timestamps 3 s apart; the numbers below were computed by hand. */
static const int64_t steps[N] = {1, 2, 3, 4, 5, 6};
static const double times[N] = {2.0, 2.0, 2.0, 2.0, 2.0, 2.0};

static struct ts_wall measure(const int64_t *keys, const double *stamps, size_t n, int64_t first)
{
	struct ts_series s = {.name = ts_span_str("timestamp"), .keys = keys, .values = stamps, .n = n};
	struct ts_wall wall;
	double scratch[N + 1];

	assert_in_range(n, 0, N + 1);
	ts_wall_measure(steps, times, N, stamps ? &s : NULL, first, scratch, &wall);
	return wall;
}

static void expect(const struct ts_wall *w, double total, double attributed, double gap)
{
	assert_null(w->reason);
	assert_true(w->total == total);
	assert_true(w->attributed == attributed);
	assert_true(w->gap == gap);
}

static void from_the_first_stamp_to_the_last(void **state)
{
	static const double stamps[N] = {1003.0, 1006.0, 1009.0, 1012.0, 1015.0, 1018.0};
	struct ts_wall w = measure(steps, stamps, N, 1);

	(void)state;
	expect(&w, 15.0, 10.0, 0.0);
	assert_int_equal(w.unstamped, 0);
	w = measure(steps, stamps, N, 3); /* the warm-up is left out */
	expect(&w, 9.0, 6.0, 0.0);
}

/* Readers write 0.0 for a missing timestamp. Steps 1, 3 and 6 have no known timestamp. */
static void unknown_stamps_are_passed_over(void **state)
{
	static const double stamps[N] = {0.0, 1006.0, (double)NAN, 1012.0, 1015.0, HUGE_VAL};
	static const int64_t some_keys[] = {2, 4, 5};
	static const double some[] = {1006.0, 1012.0, 1015.0};
	static const int64_t other_keys[] = {2, 5, 8};
	static const double other[] = {1006.0, 1015.0, 1018.0};
	struct ts_wall w = measure(steps, stamps, N, 1);

	(void)state;
	expect(&w, 9.0, 6.0, 0.0);
	assert_int_equal(w.unstamped, 3);
	w = measure(some_keys, some, 3, 1); /* the column may also have no rows for these steps */
	expect(&w, 9.0, 6.0, 0.0);
	assert_int_equal(w.unstamped, 3);
	w = measure(other_keys, other, 3, 1); /* the phases have no step 8, and step 6 has no timestamp */
	expect(&w, 12.0, 8.0, 0.0);
	assert_int_equal(w.unstamped, 4);
}

/* A timestamp belongs to a step without phases: its time has passed but is unattributed. */
static void a_step_without_phases(void **state)
{
	static const int64_t keys[] = {1, 2, 3, 4, 5, 6, 7};
	static const double stamps[] = {1003.0, 1006.0, 1009.0, 1012.0, 1015.0, 1018.0, 1022.0};
	struct ts_wall w = measure(keys, stamps, 7, 1);

	(void)state;
	expect(&w, 19.0, 10.0, 0.0);
	assert_int_equal(w.unstamped, 0);
}

/* After step 3 the clock is set back by an hour: the interval counts as the 2 s that the phases of step 4 take. */
static void a_clock_that_was_set_back(void **state)
{
	static const double stamps[N] = {5003.0, 5006.0, 5009.0, 1412.0, 1415.0, 1418.0};
	struct ts_wall w = measure(steps, stamps, N, 1);

	(void)state;
	expect(&w, 4 * 3.0 + 2.0, 10.0, 0.0);
	assert_int_equal(w.backwards, 1);
}

/* A restart between steps 3 and 4 took 600 s beyond the 2 s of step 4. */
static void a_gap_is_told_apart(void **state)
{
	static const double stamps[N] = {1003.0, 1006.0, 1009.0, 1611.0, 1614.0, 1617.0};
	static const double slow[N] = {2.0, 2.0, 2.0, 602.0, 2.0, 2.0};
	struct ts_series s = {.keys = steps, .values = stamps, .n = N};
	struct ts_wall w = measure(steps, stamps, N, 1);
	double scratch[N];

	(void)state;
	expect(&w, 614.0, 10.0, 600.0);
	assert_int_equal(w.gaps, 1);
	/* The same time inside a step is not a gap. */
	ts_wall_measure(steps, slow, N, &s, 1, scratch, &w);
	expect(&w, 614.0, 610.0, 0.0);
	assert_int_equal(w.gaps, 0);
}

/* 20 medians of 3 s are 60 s: 59 s beyond the phases are not a gap, 61 s are. */
static void what_is_a_gap(void **state)
{
	double stamps[N] = {1003.0, 1006.0, 1009.0, 1070.0, 1073.0, 1076.0};
	struct ts_wall w = measure(steps, stamps, N, 1);

	(void)state;
	assert_int_equal(w.gaps, 0);
	for (int i = 3; i < N; i++)
		stamps[i] += 2.0;
	w = measure(steps, stamps, N, 1);
	assert_int_equal(w.gaps, 1);
	assert_true(w.gap == 61.0);
}

static void too_few_stamps(void **state)
{
	static const double zeros[N] = {0.0, 0.0, 0.0, 0.0, 1015.0, 0.0};
	static const double same[N] = {1015.0, 1015.0, 1015.0, 1015.0, 1015.0, 1015.0};
	struct ts_wall w = measure(steps, NULL, 0, 1);

	(void)state;
	assert_non_null(w.reason);
	assert_int_equal(w.unstamped, N);
	w = measure(steps, zeros, N, 1);
	assert_non_null(w.reason);
	assert_int_equal(w.unstamped, N - 1);
	w = measure(steps, zeros, 0, 1);
	assert_non_null(w.reason);
	w = measure(steps, same, N, 1); /* no time passed between any two: that is no 0 s */
	assert_string_equal(w.reason, "all timestamps are the same, which is too coarse");
}

/* The same by its definition, with every interval in an array. */
static struct ts_wall by_arrays(const int64_t *at, const double *took, size_t n, const struct ts_series *s, int64_t first)
{
	static double passed[300], claimed[300], scratch[300];
	struct ts_wall w = {.unstamped = n};
	size_t m = 0, i = 0, known = SIZE_MAX, from;
	double begin = 0, set = 0, median;

	for (size_t k = 0; k < s->n; k++) {
		if (s->keys[k] < first || !ts_stamp_known(s->values[k]))
			continue;
		for (from = i; i < n && at[i] <= s->keys[k];)
			i++;
		for (size_t j = from; j < i; j++)
			w.unstamped -= at[j] == s->keys[k];
		if (known == SIZE_MAX) {
			begin = s->values[k];
		} else {
			passed[m] = s->values[k] - s->values[known];
			claimed[m++] = ts_sum(took + from, i - from);
		}
		known = k;
	}
	w.reason = m ? NULL : "none";
	if (m == 0)
		return w;
	for (size_t k = 0; k < m; k++) {
		w.backwards += passed[k] < 0;
		set += passed[k] < 0 ? claimed[k] - passed[k] : 0;
	}
	w.total = s->values[known] - begin + set;
	w.attributed = ts_sum(claimed, m);
	median = ts_median(passed, m, scratch);
	for (size_t k = 0; k < m; k++)
		if (passed[k] - claimed[k] > fmax(5.0, 20.0 * median)) {
			w.gap += passed[k] - claimed[k];
			w.gaps++;
		}
	return w;
}

static void it_is_what_its_definition_says(void **state)
{
	uint64_t random = 11;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		int64_t at[300], keys[300];
		double took[300], stamps[300], scratch[300], now = 1e9;
		size_t n = 0, m = 0;
		struct ts_series s = {.keys = keys, .values = stamps};
		struct ts_wall got, want;

		for (int64_t step = 0; step < round % 290; step++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			now += (double)(random >> 40) * 1e-7 + (random >> 56 == 1 ? 700 : random >> 56 == 2 ? -900 : 0);
			if (random >> 60 || round % 3) {
				at[n] = step;
				took[n++] = random >> 57 == 3 && round % 5 == 0 ? (double)NAN : (double)(random >> 33) * 1e-10;
			}
			if ((random >> 20 & 15) || round % 4) {
				keys[m] = step;
				stamps[m++] = (random >> 24 & 31) == 0 ? 0 : now;
			}
		}
		s.n = m;
		if (m == 0)
			continue;
		ts_wall_measure(at, took, n, &s, round % 7, scratch, &got);
		want = by_arrays(at, took, n, &s, round % 7);
		assert_int_equal(!got.reason, !want.reason);
		got.reason = want.reason = NULL;
		assert_true(isnan(want.attributed) ? isnan(got.attributed) : got.attributed == want.attributed);
		assert_true(isnan(want.total) ? isnan(got.total) : got.total == want.total);
		assert_true(got.gap == want.gap);
		assert_int_equal(got.gaps, want.gaps);
		assert_int_equal(got.backwards, want.backwards);
		assert_int_equal(got.unstamped, want.unstamped);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_first_stamp_to_the_last),
		cmocka_unit_test(unknown_stamps_are_passed_over),
		cmocka_unit_test(a_step_without_phases),
		cmocka_unit_test(a_clock_that_was_set_back),
		cmocka_unit_test(a_gap_is_told_apart),
		cmocka_unit_test(what_is_a_gap),
		cmocka_unit_test(too_few_stamps),
		cmocka_unit_test(it_is_what_its_definition_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
