/* test_search.c - the procedure on worlds that are written by hand; thousands of drawn ones are in tests/quality/quality_why.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "experiment/search.h"

#include <string.h>

enum { N = 6, MOST = 60, FIRST = 5, END = 50 };

/* A run is B where it has all of the guilty from B, from step FIRST on; and `later` from step 20 on. */
struct world {
	uint64_t guilty, later;
	bool gone;     /* B had something that no rerun has */
	size_t commit; /* factor 0 is the code, and this one of 8 is guilty */
	struct ts_search search;
	struct ts_factor factors[N];
	struct ts_trial_answer answers[MOST];
	size_t n;
	struct ts_arena arena;
};

static void make(struct world *w, uint64_t guilty)
{
	memset(w, 0, sizeof *w);
	w->guilty = guilty;
	for (size_t i = 0; i < N; i++)
		w->factors[i] = (struct ts_factor){ts_span_str("config.key"), TS_FACTOR_SETTING, 1};
	w->search = (struct ts_search){
		.factors = w->factors, .n = N, .first = FIRST, .end = END, .most_runs = MOST, .most_steps = MOST * END};
	ts_arena_init(&w->arena, 8 << 20);
}

static bool has(const struct world *w, const struct ts_trial *t, uint64_t group)
{
	uint64_t from_b = t->from_b.words[0];

	if (w->commit && t->commit)
		from_b = (from_b & ~UINT64_C(1)) | (t->commit >= w->commit);
	return (from_b & group) == group;
}

static struct ts_trial_result run(const struct world *w, const struct ts_trial *t)
{
	bool first = has(w, t, w->guilty) && !w->gone, later = !w->later || has(w, t, w->later);

	if (first && (later || t->stop <= 20))
		return (struct ts_trial_result){.like = TS_LIKE_B, .parts_from_b = INT64_MAX};
	if (first)
		return (struct ts_trial_result){.like = 2, .parts_from_b = 20};
	return (struct ts_trial_result){.like = TS_LIKE_A, .parts_from_b = FIRST};
}

static struct ts_search_step step_of(struct world *w)
{
	struct ts_search_step step;
	struct ts_error err;

	ts_arena_reset(&w->arena);
	assert_int_equal(ts_search_next(&w->search, w->answers, w->n, &w->arena, &step, &err), TS_OK);
	return step;
}

static struct ts_search_verdict solve(struct world *w)
{
	struct ts_search_step step;

	while (!(step = step_of(w)).done) {
		assert_true(w->n < MOST);
		for (size_t i = 0; i < w->n; i++) /* Nothing is asked for twice. */
			assert_false(ts_trials_equal(&w->answers[i].trial, &step.trial));
		w->answers[w->n] = (struct ts_trial_answer){step.trial, run(w, &step.trial)};
		w->n++;
	}
	assert_int_equal(step.verdict.runs, w->n);
	ts_arena_finish(&w->arena);
	return step.verdict;
}

static void test_every_set(void **state)
{
	(void)state;
	for (uint64_t guilty = 1; guilty < 1u << N; guilty++) {
		struct world w;
		struct ts_search_verdict v;

		make(&w, guilty);
		v = solve(&w);
		assert_int_equal(v.n_causes, 1);
		assert_int_equal(v.causes[0].found, TS_ROOT_SET);
		assert_int_equal(v.causes[0].set.words[0], guilty);
		assert_int_equal(v.causes[0].needed.words[0], guilty);
		assert_true(v.proved);
		/* B again chooses the way, so it comes first; and short runs stop four steps behind. */
		assert_int_equal(w.answers[0].trial.why, TS_TRIAL_B_AGAIN);
		assert_int_equal(w.answers[0].trial.stop, FIRST + 4);
		assert_int_equal(w.answers[w.n - 1].trial.why, TS_TRIAL_TO_THE_END);
	}
}

/* Stopped after any run and asked again, it goes on as if it had never stopped: nothing is kept but the answers. */
static void test_resumes(void **state)
{
	struct world w;
	struct ts_search_step once, again;

	(void)state;
	make(&w, 0x15);
	while (!(once = step_of(&w)).done) {
		again = step_of(&w);
		assert_true(ts_trials_equal(&once.trial, &again.trial));
		w.answers[w.n] = (struct ts_trial_answer){once.trial, run(&w, &once.trial)};
		w.n++;
	}
	ts_arena_finish(&w.arena);
}

static void test_later(void **state)
{
	struct world w;
	struct ts_search_verdict v;

	(void)state;
	make(&w, 2);
	w.later = 8;
	v = solve(&w);
	assert_int_equal(v.n_causes, 2);
	assert_int_equal(v.causes[0].set.words[0], 2);
	assert_int_equal(v.causes[1].set.words[0], 8);
	assert_int_equal(v.causes[1].step, 20);
	assert_true(v.proved);
}

static void test_commit(void **state)
{
	(void)state;
	for (size_t commit = 1; commit <= 8; commit++) {
		struct world w;
		struct ts_search_verdict v;

		make(&w, 1 | 4);
		w.factors[0].kind = TS_FACTOR_CODE;
		w.search.n_commits = 8;
		w.commit = commit;
		v = solve(&w);
		assert_int_equal(v.causes[0].set.words[0], 5);
		assert_int_equal(v.causes[0].commit_first, commit);
		assert_int_equal(v.causes[0].commit_last, commit);
		assert_int_equal(v.causes[0].commit_whole, commit);
	}
}

/* A rerun of B that is as A proves no fault of a machine, unless all that goes into a run was recorded and is the same here. */
static void test_gone(void **state)
{
	(void)state;
	static const enum ts_root_kind found[] = {
		[TS_RECORD_OPEN] = TS_ROOT_NOT_AGAIN, [TS_RECORD_ONE_GONE] = TS_ROOT_GONE, [TS_RECORD_WHOLE] = TS_ROOT_ONE_OFF};

	for (int known = TS_RECORD_OPEN; known <= TS_RECORD_WHOLE; known++) {
		struct world w;
		struct ts_search_verdict v;

		make(&w, 1);
		w.gone = true;
		w.search.record[TS_LIKE_B] = (enum ts_search_record)known;
		v = solve(&w);
		assert_int_equal(v.causes[0].found, found[known]);
		assert_int_equal(v.causes[0].side, TS_LIKE_B);
		assert_int_equal(v.causes[0].repeats, 3);
		assert_false(v.proved);
	}
}

/* Where runs are used up, what is left is said, and it has the guilty ones. */
static void test_budget(void **state)
{
	(void)state;
	for (size_t most = 0; most < 9; most++) {
		struct world w;
		struct ts_search_verdict v;

		make(&w, 0x12);
		w.search.most_runs = most;
		v = solve(&w);
		assert_int_equal(w.n, most);
		assert_false(v.proved);
		if (v.causes[0].found == TS_ROOT_SET)
			continue;
		assert_int_equal(v.causes[0].undecided, TS_UNDECIDED_BUDGET);
		assert_int_equal(v.causes[0].set.words[0] & 0x12, 0x12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_set), cmocka_unit_test(test_resumes), cmocka_unit_test(test_later),
		cmocka_unit_test(test_commit),	  cmocka_unit_test(test_gone),	  cmocka_unit_test(test_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
