/* Which run continues another (extend.h): steps, events and records of operations may only come, and what a restart wrote again does
 * not count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

static struct ts_run run_of(const struct cells *cells)
{
	struct ts_id id = make_run(&w, cells, NULL, 0);
	struct ts_error err;
	struct ts_run run;

	must(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err);
	return run;
}

static bool extends(void)
{
	struct ts_run a = run_of(&before), b = run_of(&after);
	struct ts_error err;
	bool does;

	reason[0] = '\0';
	must(ts_run_extends(&w.fetch, &a, &b, &does, reason, &err), &err);
	return does;
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

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {T(more_steps_extend), T(superseded_rows_may_change), T(events_and_operations_stay)};

	return cmocka_run_group_tests_name("extend", tests, NULL, NULL);
}
