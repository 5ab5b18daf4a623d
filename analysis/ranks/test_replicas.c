/* Ranks that hold copies of one model: digests that stand here, and what is right by their definition. */
#include "analysis/ranks/replicas.h"

#include "analysis/answer/test_seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/test_arena.h"

enum { STEPS = 12, RANKS = 4 };

static const int64_t keys[STEPS] = {0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55};

/* values[rank][i]; a row of a rank repeats its last value. */
static struct ts_replicas judge_as(size_t n, bool promised, uint64_t values[RANKS][STEPS])
{
	struct ts_replica ranks[RANKS];
	struct ts_replicas found;
	struct ts_error err;

	for (size_t r = 0; r < n; r++)
		ranks[r] = (struct ts_replica){(int32_t)r, keys, values[r], STEPS};
	assert_int_equal(ts_replicas_judge(ranks, n, promised, &arena, &found, &err), TS_OK);
	return found;
}

static struct ts_replicas judge(size_t n, uint64_t values[RANKS][STEPS])
{
	return judge_as(n, false, values);
}

/* All ranks alike, another digest at each step. */
static void alike(uint64_t values[RANKS][STEPS])
{
	for (size_t r = 0; r < RANKS; r++)
		for (size_t i = 0; i < STEPS; i++)
			values[r][i] = 1000 + i;
}

static void test_equal_copies(void **state)
{
	uint64_t v[RANKS][STEPS];
	struct ts_replicas f;

	(void)state;
	alike(v);
	f = judge(RANKS, v);
	assert_true(f.judged && !f.apart && f.n_ranks == 4 && f.steps == STEPS);
}

/* Equal at the first step alone: copies or shards that began equal. Where the recorder saw what keeps copies equal, they part. */
static void test_promised(void **state)
{
	uint64_t v[RANKS][STEPS];
	struct ts_replicas f;

	(void)state;
	alike(v);
	assert_true(judge_as(RANKS, true, v).judged && !judge_as(RANKS, true, v).apart);
	for (size_t i = 1; i < STEPS; i++)
		v[0][i] += 77;
	assert_false(judge(2, v).judged);
	f = judge_as(2, true, v);
	assert_true(f.judged && f.apart && f.last_equal == 0 && f.first_apart == 5 && f.n_odd == 2);
	v[0][0]++; /* never equal: the promise was of something else */
	assert_false(judge_as(2, true, v).judged);
	v[0][0]--;
	for (size_t i = 1; i < STEPS; i++)
		v[0][i] = v[1][i] = 1000; /* no update */
	assert_false(judge_as(2, true, v).judged);
}

static void test_the_odd_one(void **state)
{
	uint64_t v[RANKS][STEPS];
	struct ts_measures m = {.n = 0};
	struct ts_replicas f;
	struct ts_error err;
	double value;

	(void)state;
	alike(v);
	for (size_t i = 5; i < STEPS; i++)
		v[2][i] += 77;
	f = judge(RANKS, v);
	assert_true(f.judged && f.apart && f.majority && f.n_odd == 1 && f.odd[0] == 2);
	assert_true(f.last_equal == 20 && f.first_apart == 25 && f.apart_steps == 7);
	assert_int_equal(ts_replicas_rows(&f, "params", &arena, &m, &err), TS_OK);
	assert_int_equal(ts_replicas_rank_rows(&f, &arena, &m, &err), TS_OK);
	assert_true(test_seen(&m));
	assert_true(ts_measure_value(&m, TS_M_RANK_APART, ts_span_str("rank 2"), &value) && value == 25);
	assert_true(ts_measure_value(&m, TS_M_REPLICAS_FIRST_APART, ts_span_str("replicas of params"), &value) && value == 25);
}

static void test_two_ranks_have_no_majority(void **state)
{
	uint64_t v[RANKS][STEPS];
	struct ts_replicas f;

	(void)state;
	alike(v);
	v[1][STEPS - 1] = 1; /* once, at the end */
	f = judge(2, v);
	assert_true(f.judged && f.apart && !f.majority && f.n_odd == 2 && f.first_apart == 55);
	alike(v);
	for (size_t i = 3; i < STEPS; i++)
		v[0][i] = v[1][i] = 7 + i; /* two against two */
	f = judge(4, v);
	assert_true(f.apart && !f.majority && f.n_odd == 4);
}

static void test_shards_are_no_copies(void **state)
{
	uint64_t v[RANKS][STEPS];
	struct ts_replicas f;

	(void)state;
	alike(v);
	for (size_t r = 0; r < RANKS; r++)
		for (size_t i = 0; i < STEPS; i++)
			v[r][i] += 100 * r;
	f = judge(RANKS, v);
	assert_false(f.judged);
	alike(v); /* shards of zeros: equal before the first update alone */
	for (size_t r = 0; r < RANKS; r++)
		for (size_t i = 1; i < STEPS; i++)
			v[r][i] += 100 * r;
	f = judge(RANKS, v);
	assert_false(f.judged);
	alike(v); /* an optimizer whose state is sharded has none at first: the digest of no tensor is 0 */
	for (size_t r = 0; r < RANKS; r++)
		for (size_t i = 0; i < STEPS; i++)
			v[r][i] = i ? 100 * r + i : 0;
	f = judge(RANKS, v);
	assert_false(f.judged);
}

static void test_copies_of_shards(void **state)
{
	uint64_t v[RANKS][STEPS];
	struct ts_replicas f;

	(void)state;
	alike(v); /* ranks 0 and 2 hold one half of the model, 1 and 3 the other */
	for (size_t r = 1; r < RANKS; r += 2)
		for (size_t i = 0; i < STEPS; i++)
			v[r][i] += 5000;
	f = judge(RANKS, v);
	assert_true(f.judged && !f.apart && f.n_ranks == 2);
	for (size_t i = 8; i < STEPS; i++)
		v[3][i] = i;
	f = judge(RANKS, v);
	assert_true(f.judged && f.apart && f.first_apart == 40 && !f.majority && f.n_odd == 2 && f.odd[0] == 1 && f.odd[1] == 3);
}

static void test_copies_that_meet_again(void **state)
{
	uint64_t v[RANKS][STEPS];
	struct ts_replicas f;

	(void)state;
	alike(v);
	for (size_t r = 0; r < RANKS; r++)
		for (size_t i = 4; i < STEPS; i++)
			v[r][i] += i % 2 ? 100 * r : 0;
	f = judge(RANKS, v);
	assert_false(f.judged);
}

static void test_facts_of_local_sgd(void **state)
{
	struct ts_fact fact = {.path = ts_span_str("config.optim.post_local_sgd"), .type = TS_FACT_BOOL, .boolean = true};
	struct ts_facts facts = {.items = &fact, .n = 1};

	(void)state;
	assert_true(ts_replicas_may_part(&facts));
	fact.boolean = false;
	assert_false(ts_replicas_may_part(&facts));
	fact = (struct ts_fact){.path = ts_span_str("parallelism.strategy"), .type = TS_FACT_TEXT, .text = ts_span_str("DiLoCo")};
	assert_true(ts_replicas_may_part(&facts));
	fact.text = ts_span_str("ddp");
	assert_false(ts_replicas_may_part(&facts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_equal_copies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_promised, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_odd_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_ranks_have_no_majority, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shards_are_no_copies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copies_of_shards, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copies_that_meet_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_facts_of_local_sgd, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
