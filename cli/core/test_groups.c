/* test_groups.c - groups of rows made by hand, and their means and spreads by hand. */
#include "base/test_arena.h"
#include "cli/core/groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

enum { ROWS = 8 };

static struct ts_error err;

static struct ts_list_cell integer(int64_t v)
{
	return (struct ts_list_cell){.known = true, .value = {.type = TS_FACT_INT, .integer = v}};
}

static struct ts_list_cell real(double v)
{
	return (struct ts_list_cell){.known = true, .value = {.type = TS_FACT_FLOAT, .real = v}};
}

static struct ts_list_cell text(const char *v)
{
	return (struct ts_list_cell){.known = true, .value = {.type = TS_FACT_TEXT, .text = ts_span_str(v)}};
}

static const struct ts_list_cell unknown;
static struct ts_list_cell cells[ROWS][2];
static struct ts_list_row rows[ROWS];
static struct ts_span columns[2];

/* Rows of (key, value), in this order. */
static struct ts_listing listing(size_t n)
{
	columns[0] = ts_span_str("config.lr");
	columns[1] = ts_span_str("loss.best");
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct ts_list_row){.name = ts_span_str("p/run"), .cells = cells[i], .n_cells = 2};
	return (struct ts_listing){.rows = rows, .n = n, .columns = columns, .n_columns = 2};
}

static void set(size_t row, struct ts_list_cell key, struct ts_list_cell value)
{
	cells[row][0] = key;
	cells[row][1] = value;
}

static struct ts_groups make(void)
{
	struct ts_listing list;
	struct ts_groups groups;

	set(0, real(0.1), real(4));
	set(1, text("auto"), real(5));
	set(2, integer(1), real(7));
	set(3, unknown, real(9));
	set(4, real(0.1), real(1));
	set(5, real(1.0), unknown); /* 1 and 1.0 are one number */
	set(6, real(0.1), real(2));
	list = listing(7);
	assert_int_equal(ts_groups_make(&list, 1, &arena, &groups, &err), TS_OK);
	return groups;
}

static void groups_by_value(void **state)
{
	struct ts_groups groups = make();
	double sd;

	(void)state;
	assert_int_equal(groups.n, 4);
	assert_true(groups.groups[0].by[0].value.real == 0.1 && groups.groups[0].runs == 3);
	assert_int_equal(groups.groups[0].stats[0].n, 3);
	assert_true(fabs(groups.groups[0].stats[0].mean - 7.0 / 3) < 1e-15);
	/* The squares of 4 - 7/3, 1 - 7/3 and 2 - 7/3 add up to 42/9; over 2 that is 7/3. */
	assert_true(ts_group_sd(&groups.groups[0].stats[0], &sd) && fabs(sd - sqrt(7.0 / 3)) < 1e-15);
	assert_int_equal(groups.groups[1].runs, 2);
	assert_int_equal(groups.groups[1].stats[0].n, 1);
	assert_true(groups.groups[1].stats[0].mean == 7);
	assert_false(ts_group_sd(&groups.groups[1].stats[0], &sd));
	assert_true(ts_span_is(groups.groups[2].by[0].value.text, "auto"));
	assert_false(groups.groups[3].by[0].known);
	assert_true(groups.groups[3].stats[0].mean == 9);
}

static void sorts_groups(void **state)
{
	struct ts_groups groups = make();

	(void)state;
	assert_int_equal(ts_groups_sort(&groups, ts_span_str("loss.best"), true, &arena, &err), TS_OK);
	assert_true(groups.groups[0].stats[0].mean == 9 && groups.groups[1].stats[0].mean == 7 && groups.groups[2].stats[0].mean == 5);
	assert_int_equal(ts_groups_sort(&groups, ts_span_str("config.lr"), true, &arena, &err), TS_OK);
	assert_true(ts_span_is(groups.groups[0].by[0].value.text, "auto"));
	assert_true(groups.groups[2].by[0].value.real == 0.1);
	assert_false(groups.groups[3].by[0].known); /* unknown comes last in both directions */
	assert_int_equal(ts_groups_sort(&groups, ts_span_str("steps"), false, &arena, &err), TS_INVALID);
}

static void a_group_without_values_has_no_mean(void **state)
{
	struct ts_listing list;
	struct ts_groups groups;

	(void)state;
	set(0, integer(1), unknown);
	set(1, integer(2), real(-1));
	list = listing(2);
	assert_int_equal(ts_groups_make(&list, 1, &arena, &groups, &err), TS_OK);
	assert_int_equal(groups.groups[0].stats[0].n, 0);
	assert_int_equal(ts_groups_sort(&groups, ts_span_str("loss.best"), false, &arena, &err), TS_OK);
	assert_int_equal(groups.groups[0].stats[0].n, 1); /* -1, before what is not known */
}

static void refuses_what_is_no_number(void **state)
{
	struct ts_listing list;
	struct ts_groups groups;

	(void)state;
	set(0, integer(1), text("high"));
	list = listing(1);
	assert_int_equal(ts_groups_make(&list, 1, &arena, &groups, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "loss.best of p/run is no number"));
	list.n = 0;
	assert_int_equal(ts_groups_make(&list, 1, &arena, &groups, &err), TS_OK);
	assert_int_equal(groups.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_by_value),
		cmocka_unit_test(sorts_groups),
		cmocka_unit_test(a_group_without_values_has_no_mean),
		cmocka_unit_test(refuses_what_is_no_number),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
