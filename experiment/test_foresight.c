/* test_foresight.c - what may be asked for next holds what is asked for, however the runs before it come out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "experiment/foresight.h"

enum { N = 5, FIRST = 5, END = 50, MOST = 40 };

static struct ts_factor factors[N];

static struct ts_search search_of(void)
{
	for (size_t i = 0; i < N; i++)
		factors[i] = (struct ts_factor){ts_span_str("config.key"), TS_FACTOR_SETTING, 1};
	return (struct ts_search){
		.factors = factors, .n = N, .first = FIRST, .end = END, .most_runs = MOST, .most_steps = MOST * END};
}

/* A run is as B where it has these facts of B. */
static struct ts_trial_result run(uint64_t guilty, const struct ts_trial *trial)
{
	bool b = (trial->from_b.words[0] & guilty) == guilty;

	return (struct ts_trial_result){.like = b ? TS_LIKE_B : TS_LIKE_A, .parts_from_b = b ? INT64_MAX : FIRST};
}

/* A search by rounds of trials side by side. Returns its rounds; *ret_runs: all that were made. */
static size_t rounds(uint64_t guilty, size_t most, size_t *ret_runs)
{
	struct ts_search search = search_of();
	struct ts_trial_answer answers[MOST], made[MOST * TS_AHEAD_MOST];
	struct ts_trial ahead[TS_AHEAD_MOST];
	size_t n = 0, n_made = 0, round = 0, found;
	struct ts_search_step step;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 64 << 20);
	for (;;) {
		bool here = false;

		ts_arena_reset(&arena);
		assert_int_equal(ts_search_next(&search, answers, n, &arena, &step, &err), TS_OK);
		if (step.done)
			break;
		for (size_t i = 0; i < n_made && !here; i++)
			if (ts_trials_equal(&made[i].trial, &step.trial)) {
				answers[n++] = made[i];
				here = true;
			}
		if (here)
			continue;
		assert_int_equal(ts_search_ahead(&search, answers, n, most, &arena, ahead, &found, &err), TS_OK);
		assert_in_range(found, 1, most);
		assert_true(ts_trials_equal(&ahead[0], &step.trial));
		for (size_t i = 0; i < found; i++) {
			for (size_t k = 0; k < i; k++)
				assert_false(ts_trials_equal(&ahead[i], &ahead[k]));
			for (size_t k = 0; k < n_made; k++) /* what was made is not made again */
				here |= ts_trials_equal(&ahead[i], &made[k].trial);
			if (!here)
				made[n_made++] = (struct ts_trial_answer){ahead[i], run(guilty, &ahead[i])};
			here = false;
		}
		round++;
	}
	assert_int_equal(step.verdict.causes[0].found, TS_ROOT_SET);
	assert_int_equal(step.verdict.causes[0].set.words[0], guilty);
	ts_arena_finish(&arena);
	*ret_runs = n_made;
	return round;
}

static void test_trials_side_by_side_need_fewer_rounds(void **unused)
{
	static const uint64_t guilty[] = {1, 4, 16, 6, 9, 31};

	(void)unused;
	for (size_t i = 0; i < sizeof guilty / sizeof guilty[0]; i++) {
		size_t runs_one, runs_four, one = rounds(guilty[i], 1, &runs_one), four = rounds(guilty[i], 4, &runs_four);

		assert_int_equal(one, runs_one);
		assert_true(four <= (one + 1) / 2 + 1);
		assert_true(runs_four >= runs_one && runs_four <= 4 * four);
	}
}

static void test_both_reruns_are_asked_for_at_once(void **unused)
{
	struct ts_search search = search_of();
	struct ts_trial ahead[2];
	struct ts_arena arena;
	struct ts_error err;
	size_t found;

	(void)unused;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_search_ahead(&search, NULL, 0, 2, &arena, ahead, &found, &err), TS_OK);
	assert_int_equal(found, 2);
	assert_int_equal(ahead[0].why, TS_TRIAL_B_AGAIN);
	assert_int_equal(ahead[1].why, TS_TRIAL_A_AGAIN);
	ts_arena_finish(&arena);
}

static void test_versions_side_by_side_are_the_quarters(void **unused)
{
	const struct ts_bisection b = {.n = 64, .sure = 0.99, .most = 100};
	struct ts_ahead_version ahead[7];
	struct ts_arena arena;
	struct ts_error err;
	size_t found;

	(void)unused;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_bisection_ahead(&b, NULL, 0, ts_judge_evidence(true, 1e-6), 7, &arena, ahead, &found, &err), TS_OK);
	assert_int_equal(found, 7);
	assert_int_equal(ahead[0].version, 32);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(ahead[i].version % 8, 0);
		assert_int_equal(ahead[i].repeat, 0);
	}
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trials_side_by_side_need_fewer_rounds),
		cmocka_unit_test(test_both_reruns_are_asked_for_at_once),
		cmocka_unit_test(test_versions_side_by_side_are_the_quarters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
