/* Events of stored runs: what is read of them, between which steps those without a step lie, and which ranks are compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_events.h"
#include "service/handlers/diff/diff_runs.h"

enum { NO_STEP = -1, NO_VALUE = -1 };

/* text: a literal or NULL. */
static void add(struct cells *cells, int32_t rank, int64_t key, double time, const char *name, double step, double value,
		const char *text)
{
	cells_add(cells, rank, "time", key, time)->table = TS_TABLE_EVENTS;
	cells_add_text(cells, rank, "name", key, name);
	cells->items[cells->n - 1].table = TS_TABLE_EVENTS;
	if (step != NO_STEP)
		cells_add(cells, rank, "step", key, step)->table = TS_TABLE_EVENTS;
	if (value != NO_VALUE)
		cells_add(cells, rank, "value", key, value)->table = TS_TABLE_EVENTS;
	if (text) {
		cells_add_text(cells, rank, "text", key, text);
		cells->items[cells->n - 1].table = TS_TABLE_EVENTS;
	}
}

/* Four steps of a rank, which end at 101 to 104 seconds. */
static void add_steps(struct cells *cells, int32_t rank)
{
	for (int64_t i = 0; i < 4; i++) {
		cells_add(cells, rank, "scalars.loss", 10 + i, 0.5);
		cells_add(cells, rank, "timestamp", 10 + i, 101 + (double)i);
	}
}

static struct ts_event_diff diff_of(struct world *w, const struct cells *a, const struct cells *b)
{
	struct ts_id id_a = make_run(w, a, NULL, 0), id_b = make_run(w, b, NULL, 0);
	struct ts_diff_how how = {0};
	struct ts_diff diff;
	struct ts_error err;

	must(ts_diff_runs(&w->fetch, &id_a, &id_b, &how, &w->arena, &diff, &err), &err);
	assert_int_not_equal(diff.verdict, TS_DIFF_DIFFERENT); /* events decide nothing */
	return diff.events;
}

static void everything_of_an_event(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_event_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	add_steps(&a, 0);
	add_steps(&b, 0);
	add(&a, 0, 0, 100.5, "begin", NO_STEP, NO_VALUE, NULL);
	add(&b, 0, 0, 100.9, "begin", NO_STEP, NO_VALUE, NULL);
	add(&a, 0, 1, 101.5, "rate", 11, 0.5, NULL);
	add(&b, 0, 1, 101.7, "rate", 11, 0.5, NULL);
	add(&a, 0, 2, 103, "note", NO_STEP, NO_VALUE, "x");
	add(&b, 0, 2, 103.5, "note", NO_STEP, NO_VALUE, "x");
	cells_add(&a, 0, "duration", 2, 0.25)->table = TS_TABLE_EVENTS;
	cells_add(&b, 0, "duration", 2, 0.75)->table = TS_TABLE_EVENTS;
	diff = diff_of(&w, &a, &b);
	assert_true(diff.n == 0 && diff.compared == 3 && diff.all_a == 3);
	/* One of each is changed, from the last to the first, and each is found. */
	add(&b, 0, 3, 104.5, "end", NO_STEP, NO_VALUE, NULL);
	diff = diff_of(&w, &a, &b);
	assert_int_equal(diff.n, 1);
	assert_int_equal(diff.rows[0].change, TS_EVENT_ONLY_B);
	assert_int_equal(diff.rows[0].where, TS_EVENT_BEHIND);
	assert_int_equal(diff.rows[0].step, 13);
	add(&a, 0, 3, 103.5, "end", NO_STEP, NO_VALUE, NULL); /* a step earlier is another place */
	diff = diff_of(&w, &a, &b);
	assert_int_equal(diff.rows[0].change, TS_EVENT_ONLY_A);
	assert_int_equal(diff.rows[0].step, 12);
	for (size_t i = 0; i < b.n; i++)
		if (b.items[i].table == TS_TABLE_EVENTS && ts_span_is(ts_span_str(b.items[i].name), "text"))
			b.items[i].text = "y";
	diff = diff_of(&w, &a, &b);
	assert_int_equal(diff.rows[0].change, TS_EVENT_VALUE);
	assert_int_equal(diff.rows[0].step, 12);
	assert_true(diff.rows[0].region && ts_span_is(diff.rows[0].b.text, "y"));
	for (size_t i = 0; i < b.n; i++)
		if (b.items[i].table == TS_TABLE_EVENTS && ts_span_is(ts_span_str(b.items[i].name), "time") && b.items[i].step == 0)
			b.items[i].word = (union {double d; uint64_t u; }){.d = 101.25}.u;
	diff = diff_of(&w, &a, &b);
	assert_int_equal(diff.rows[0].where, TS_EVENT_BEFORE_ALL);
	assert_true(ts_span_is(diff.rows[0].name, "begin"));
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void without_time_stamps(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_event_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	cells_add(&a, 0, "scalars.loss", 10, 0.5);
	cells_add(&b, 0, "scalars.loss", 10, 0.5);
	add(&a, 0, 0, 5, "x", NO_STEP, NO_VALUE, NULL);
	diff = diff_of(&w, &a, &b);
	assert_true(diff.n == 1 && diff.all_b == 0 && diff.only_a == 1);
	assert_int_equal(diff.rows[0].where, TS_EVENT_NOWHERE);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void ranks_that_both_have(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_event_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	for (int32_t rank = 0; rank < 3; rank++) {
		add_steps(&a, rank);
		if (rank < 2)
			add_steps(&b, rank);
		add(&a, rank, 0, 102.5, "x", 12 - rank, NO_VALUE, NULL);
	}
	add(&b, 0, 0, 102.5, "y", 13, NO_VALUE, NULL);
	diff = diff_of(&w, &a, &b);
	assert_true(diff.all_a == 2 && diff.all_b == 1 && diff.only_a == 2 && diff.only_b == 1);
	assert_int_equal(diff.n, 2);
	assert_true(diff.rows[0].rank == 1 && diff.rows[0].step == 11);
	assert_true(diff.rows[1].rank == 0 && diff.rows[1].step == 12);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_of_an_event),
		cmocka_unit_test(without_time_stamps),
		cmocka_unit_test(ranks_that_both_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
