/* trace_ranks.h: which traces are pairs, and which differs most. */
#include "analysis/trace/diff/trace_ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_arena arena;
static struct ts_error err;

static int begin(void **state)
{
	(void)state;
	ts_arena_init(&arena, 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static struct ts_rank_trace of(const char *name, int64_t rank)
{
	return (struct ts_rank_trace){.name = name, .rank = rank, .has_rank = true};
}

static struct ts_trace_diff that_differs(bool step, int64_t by, enum ts_trace_diff_verdict verdict)
{
	return (struct ts_trace_diff){.step = {.time_differs = step, .difference_ns = by, .decided = true},
				      .verdict = verdict,
				      .sentence = ts_span_str("They differ.")};
}

static void test_pairs_by_name_then_by_rank(void **state)
{
	const struct ts_rank_trace a[] = {of("x", 3), of("y", 1), of("z", 1), {.name = "none"}, {.name = "lost"}, of("only", 7)};
	const struct ts_rank_trace b[] = {of("w", 1), of("y", 1), of("x", 3), of("x", 4), {.name = "other"}, {.name = "none"}};
	struct ts_rank_diff d;

	(void)state;
	assert_int_equal(ts_rank_diff_pairs(a, 6, b, 6, &arena, &d, &err), TS_OK);
	assert_int_equal(d.n, 4);
	assert_string_equal(d.pairs[0].a.name, "y");
	assert_string_equal(d.pairs[0].b.name, "y");
	assert_string_equal(d.pairs[1].a.name, "z");
	assert_string_equal(d.pairs[1].b.name, "w");
	assert_int_equal(d.pairs[2].a.rank, 3);
	assert_int_equal(d.pairs[2].b.rank, 3);
	assert_string_equal(d.pairs[3].b.name, "none");
	assert_int_equal(d.n_alone, 4);
	assert_string_equal(d.alone[0].trace.name, "lost");
	assert_string_equal(d.alone[1].trace.name, "only");
	assert_false(d.alone[1].in_b);
	assert_int_equal(d.alone[2].trace.rank, 4);
	assert_true(d.alone[2].in_b);
	assert_string_equal(d.alone[3].trace.name, "other");
}

static void test_one_on_each_side_are_a_pair(void **state)
{
	const struct ts_rank_trace a = of("x", 0), b = of("y", 5);
	struct ts_rank_diff d;

	(void)state;
	assert_int_equal(ts_rank_diff_pairs(&a, 1, &b, 1, &arena, &d, &err), TS_OK);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.n_alone, 0);
}

static void test_nothing_in_common_is_undecided(void **state)
{
	const struct ts_rank_trace a[] = {of("x", 0), of("y", 1)}, b = of("z", 2);
	struct ts_rank_diff d;

	(void)state;
	assert_int_equal(ts_rank_diff_pairs(a, 2, &b, 1, &arena, &d, &err), TS_OK);
	assert_int_equal(ts_rank_diff_judge(&d, &arena, &err), TS_OK);
	assert_int_equal(d.n, 0);
	assert_int_equal(d.n_alone, 3);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_UNDECIDED);
	assert_true(ts_span_is(d.sentence, "The two have no trace of the same rank."));
}

static void test_the_largest_that_stands_out_is_the_worst(void **state)
{
	const struct ts_rank_trace t[] = {of("a", 0), of("b", 1), of("c", 2), of("d", 3)};
	const struct ts_trace_diff diffs[] = {
		that_differs(false, 900, TS_TRACE_DIFF_UNDECIDED), that_differs(false, 0, TS_TRACE_DIFF_DIFFERS),
		that_differs(true, 5, TS_TRACE_DIFF_DIFFERS), that_differs(true, -6, TS_TRACE_DIFF_DIFFERS)};
	struct ts_rank_diff d;

	(void)state;
	assert_int_equal(ts_rank_diff_pairs(t, 4, t, 4, &arena, &d, &err), TS_OK);
	for (size_t i = 0; i < 4; i++) {
		assert_true(ts_rank_diff_take(&d, &diffs[i]));
		assert_int_equal(d.worst, i);
	}
	assert_int_equal(ts_rank_diff_judge(&d, &arena, &err), TS_OK);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_DIFFERS);
	assert_true(ts_span_is(d.sentence, "Of 4 pairs of traces that of rank 3 differs most: They differ."));
}

static void test_all_the_same(void **state)
{
	const struct ts_rank_trace t[] = {of("a", 0), of("b", 1)};
	const struct ts_trace_diff same = that_differs(false, 3, TS_TRACE_DIFF_SAME),
				   open = that_differs(false, 3, TS_TRACE_DIFF_UNDECIDED);
	struct ts_rank_diff d;

	(void)state;
	assert_int_equal(ts_rank_diff_pairs(t, 2, t, 2, &arena, &d, &err), TS_OK);
	assert_true(ts_rank_diff_take(&d, &same));
	assert_false(ts_rank_diff_take(&d, &same));
	assert_int_equal(ts_rank_diff_judge(&d, &arena, &err), TS_OK);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_SAME);
	assert_int_equal(ts_rank_diff_pairs(t, 2, t, 2, &arena, &d, &err), TS_OK);
	(void)ts_rank_diff_take(&d, &same);
	(void)ts_rank_diff_take(&d, &open);
	assert_int_equal(ts_rank_diff_judge(&d, &arena, &err), TS_OK);
	assert_int_equal(d.verdict, TS_TRACE_DIFF_UNDECIDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pairs_by_name_then_by_rank, begin, end),
		cmocka_unit_test_setup_teardown(test_one_on_each_side_are_a_pair, begin, end),
		cmocka_unit_test_setup_teardown(test_nothing_in_common_is_undecided, begin, end),
		cmocka_unit_test_setup_teardown(test_the_largest_that_stands_out_is_the_worst, begin, end),
		cmocka_unit_test_setup_teardown(test_all_the_same, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
