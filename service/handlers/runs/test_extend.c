/* Which run continues another (extend.h): steps, events and records of operations may only come, and what a restart wrote again does
 * not count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/runs/extend.h"

static struct world w;
static struct cells before, after;
static char reason[TS_EXTEND_REASON];

static int set_up(void **state)
{
	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 5; step++)
		(void)cells_add(&before, 0, "scalars.loss", step, 1.0 / (double)(1 + step));
	cells_copy(&before, &after);
	(void)cells_add(&after, 0, "scalars.loss", 5, 0.1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cells_free(&before);
	cells_free(&after);
	world_close(&w);
	return 0;
}

static struct ts_run run_of(const struct cells *cells, const struct told *fact)
{
	struct ts_id id = make_run(&w, cells, fact, fact != NULL);
	struct ts_error err;
	struct ts_run run;

	must(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err);
	return run;
}

static bool extends_with(const struct told *then, const struct told *now)
{
	struct ts_run a = run_of(&before, then), b = run_of(&after, now);
	struct ts_error err;
	bool does;

	reason[0] = '\0';
	must(ts_run_extends(&w.fetch, &a, &b, &does, reason, &err), &err);
	return does;
}

static bool extends(void)
{
	return extends_with(NULL, NULL);
}

static void assert_differs(const char *why)
{
	assert_false(extends());
	assert_string_equal(reason, why);
}

static void more_steps_extend(void **state)
{
	(void)state;
	assert_true(extends());
	after.items[4].word ^= 1;
	assert_differs("rank 0 column scalars.loss differs at step 4");
}

static void superseded(struct cells *cells, const char *name, int64_t ordinal, double value)
{
	cells_add(cells, 0, name, ordinal, value)->table = TS_TABLE_SUPERSEDED;
}

/* When a log was cut at its last checkpoint, its superseded rows are written again with other values, or are absent. */
static void superseded_rows_may_change(void **state)
{
	(void)state;
	superseded(&before, "scalars.loss", 0, 7);
	superseded(&before, "scalars.loss", 1, 8);
	assert_true(extends()); /* no superseded row */
	superseded(&after, "scalars.loss", 0, 9);
	assert_true(extends()); /* fewer rows, and another value */
	superseded(&after, "scalars.other", 1, 8);
	assert_true(extends());
}

/* A restart executed steps 3 and 4 again: what they were is superseded, and a column that it has not at step 4 lost a row. */
static void steps_that_were_executed_again_extend(void **state)
{
	(void)state;
	after.items[3].word ^= 1;
	assert_differs("rank 0 column scalars.loss differs at step 3");
	superseded(&after, "step", 0, 3);
	superseded(&after, "scalars.loss", 0, 0.25);
	assert_true(extends());
	after.items[4].word ^= 1;
	assert_differs("rank 0 column scalars.loss differs at step 4");
	superseded(&after, "step", 1, 4);
	superseded(&after, "scalars.loss", 1, 0.125);
	assert_differs("rank 0 column scalars.loss differs at step 4"); /* it was 0.2 */
	after.items[after.n - 1] = after.items[4];
	after.items[after.n - 1].table = TS_TABLE_SUPERSEDED;
	after.items[after.n - 1].step = 1;
	after.items[after.n - 1].word = before.items[4].word;
	assert_true(extends());
	(void)cells_add(&before, 0, "scalars.norm", 2, 1);
	(void)cells_add(&before, 0, "scalars.norm", 4, 2);
	(void)cells_add(&after, 0, "scalars.norm", 2, 1);
	(void)cells_add(&after, 0, "scalars.norm", 3, 7);
	assert_differs("rank 0 column scalars.norm no longer has step 4");
	superseded(&after, "scalars.norm", 1, 2);
	assert_true(extends());
	/* All rows of a column may have been replaced by ones without it. */
	(void)cells_add(&before, 0, "scalars.wait", 4, 9);
	assert_differs("rank 0 no longer has column scalars.wait");
	superseded(&after, "scalars.wait", 1, 9);
	assert_true(extends());
	(void)cells_add(&before, 0, "scalars.wait", 1, 9);
	assert_differs("rank 0 column scalars.wait no longer has step 1");
}

static void events_and_operations_stay(void **state)
{
	(void)state;
	cells_add(&before, 0, "ms", 0, 1)->table = TS_TABLE_PIPELINE;
	assert_differs("rank 0 no longer has column ms");
	cells_add(&after, 0, "ms", 0, 2)->table = TS_TABLE_PIPELINE;
	assert_differs("rank 0 column ms differs at event 0");
	after.items[after.n - 1].word = before.items[before.n - 1].word;
	assert_true(extends());
	cells_add(&before, 0, "norm", 0, 1)->table = TS_TABLE_DIGESTS;
	cells_add(&after, 0, "norm", 0, 2)->table = TS_TABLE_DIGESTS;
	assert_differs("rank 0 column norm differs at record 0");
}

/* A run that is pushed while it goes on counts on what it had said of itself; what it was told to do stays. */
static void what_is_counted_may_change(void **state)
{
	static const char *const counted[] = {"work.modes.last", "determinism.changed.benchmark", "other.summary.best"};
	static const char *const fixed[] = {"work.modest", "work.tokens_per_step", "determinism.benchmark", "other.note", "config.lr"};

	(void)state;
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		const struct told then = {0, counted[i], NULL, 7}, now = {0, counted[i], NULL, 40};

		assert_true(extends_with(&then, &now));
	}
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		const struct told then = {0, fixed[i], NULL, 7}, now = {0, fixed[i], NULL, 40};

		assert_false(extends_with(&then, &now));
		assert_non_null(strstr(reason, "has changed"));
	}
}

/* A run of two traces alone is continued by one that has both, and another one, and by nothing else. */
static void traces_alone_are_what_a_run_is(void **state)
{
	struct ts_file old_files[] = {{.name = ts_span_str("a.json"), .has_columns = true, .columns = {{1}}},
				      {.name = ts_span_str("b.json"), .has_columns = true, .columns = {{2}}},
				      {.name = ts_span_str("notes.txt")}},
		       new_files[] = {
			       old_files[0], {.name = ts_span_str("aa.json"), .has_columns = true, .columns = {{9}}}, old_files[1]};
	struct ts_index old_index = {.files = old_files, .n_files = 3}, new_index = {.files = new_files, .n_files = 3};
	struct ts_rank_ref rank = {.rank = 0};
	struct ts_run a = {.head = {.ranks = &rank, .n_ranks = 1}, .indexes = &old_index},
		      b = {.head = {.ranks = &rank, .n_ranks = 1}, .indexes = &new_index};
	struct ts_table table = {.kind = TS_TABLE_SUPERSEDED};
	struct ts_error err;
	bool does;

	(void)state;
	must(ts_run_extends(&w.fetch, &a, &b, &does, reason, &err), &err);
	assert_true(does);
	new_files[2].columns.bytes[0] = 3;
	must(ts_run_extends(&w.fetch, &a, &b, &does, reason, &err), &err);
	assert_false(does);
	assert_string_equal(reason, "rank 0 has another file b.json");
	new_index.n_files = 2;
	must(ts_run_extends(&w.fetch, &a, &b, &does, reason, &err), &err);
	assert_false(does);
	assert_string_equal(reason, "rank 0 no longer has file b.json");
	old_index.tables = &table;
	old_index.n_tables = 1;
	must(ts_run_extends(&w.fetch, &a, &b, &does, reason, &err), &err);
	assert_true(does); /* beside steps a trace may be recorded again */
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {T(more_steps_extend), T(superseded_rows_may_change), T(what_is_counted_may_change),
					   T(steps_that_were_executed_again_extend), T(events_and_operations_stay),
					   T(traces_alone_are_what_a_run_is)};

	return cmocka_run_group_tests_name("extend", tests, NULL, NULL);
}
