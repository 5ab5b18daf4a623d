/* What stored runs recorded when it happened: events, restarts, and when the run began. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/handlers/core/run_happenings.h"
#include "service/handlers/core/test_series_runs.h"

enum { NO_STEP = -1 };

static struct world w;

static int open_world(void **state)
{
	(void)state;
	world_open(&w);
	return 0;
}

static int close_world(void **state)
{
	(void)state;
	world_close(&w);
	return 0;
}

static void add(struct cells *c, int32_t rank, int64_t key, double time, const char *name, double step, const char *text)
{
	cells_add(c, rank, "time", key, time)->table = TS_TABLE_EVENTS;
	cells_add_text(c, rank, "name", key, name);
	c->items[c->n - 1].table = TS_TABLE_EVENTS;
	if (step != NO_STEP)
		cells_add(c, rank, "step", key, step)->table = TS_TABLE_EVENTS;
	if (text) {
		cells_add_text(c, rank, "text", key, text);
		c->items[c->n - 1].table = TS_TABLE_EVENTS;
	}
}

static struct ts_happenings happened(struct cells *c)
{
	struct ts_id id = make_run(&w, c, NULL, 0);
	struct ts_happenings h = {.n = 0};
	struct ts_error err;
	struct ts_run run;

	must(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err);
	must(ts_happenings_of_run(&w.fetch, &run, &w.arena, &h, &err), &err);
	cells_free(c);
	return h;
}

static void events_of_ranks(void **state)
{
	struct cells c = {.n = 0};
	struct ts_happenings h;

	(void)state;
	for (int32_t rank = 0; rank < 2; rank++) {
		for (int64_t i = 0; i < 4; i++) {
			cells_add(&c, rank, "scalars.loss", 10 + i, 0.5);
			cells_add(&c, rank, "timestamp", 10 + i, 101 + (double)i);
		}
		add(&c, rank, 0, 100.5, "begin", NO_STEP, NULL);
		add(&c, rank, 1, 102.5, "checkpoint", NO_STEP, "11.pt");
		add(&c, rank, 2, 103.5, "evaluate", 12, NULL);
		cells_add(&c, rank, "duration", 2, 0.25)->table = TS_TABLE_EVENTS;
	}
	add(&c, 1, 3, 103.75, "exception", 13, "ValueError");
	add(&c, 2, 0, 101.5, "maintenance", NO_STEP, NULL);
	cells_add(&c, 2, "value", 0, 7)->table = TS_TABLE_EVENTS;
	h = happened(&c);
	assert_true(h.all == 6 && h.regions == 2 && h.more == 0);
	assert_int_equal(h.n, 4);
	assert_int_equal(h.items[0].kind, TS_HAPPENING_EXCEPTION);
	assert_true(ts_span_is(h.items[0].text, "ValueError") && h.items[0].has_step && !h.items[0].after && h.items[0].step == 13);
	assert_true(h.items[0].n_ranks == 1 && h.items[0].ranks[0] == 1);
	assert_true(h.items[0].has_time && h.items[0].time_s == 3.25); /* since the event before the first step */
	assert_int_equal(h.items[1].kind, TS_HAPPENING_CHECKPOINT);
	assert_true(h.items[1].has_step && h.items[1].after && h.items[1].step == 11 && h.items[1].n_ranks == 2);
	assert_true(h.items[2].ranks[0] == 2 && h.items[2].has_value && h.items[2].value == 7 && !h.items[2].has_step);
	assert_true(ts_span_is(h.items[3].name, "begin") && !h.items[3].has_step && h.items[3].time_s == 0);
}

/* Steps 10 to 14, again 12 to 15, and again from 13: of the second execution step 12 alone is left. */
static void restarts(void **state)
{
	static const struct {
		double step, segment;
	} superseded[] = {{12, 0}, {13, 0}, {13, 1}, {14, 0}, {14, 1}, {15, 1}};
	struct cells c = {.n = 0};
	struct ts_happenings h;

	(void)state;
	for (int64_t i = 10; i < 17; i++) {
		cells_add(&c, 0, "segment", i, i < 12 ? 0 : i < 13 ? 1 : 2);
		cells_add(&c, 0, "timestamp", i, 100 + (double)i + (i < 12 ? 0 : i < 13 ? 100 : 200));
	}
	for (size_t i = 0; i < sizeof superseded / sizeof superseded[0]; i++) {
		cells_add(&c, 0, "step", (int64_t)i, superseded[i].step)->table = TS_TABLE_SUPERSEDED;
		cells_add(&c, 0, "segment", (int64_t)i, superseded[i].segment)->table = TS_TABLE_SUPERSEDED;
	}
	h = happened(&c);
	assert_true(h.n == 2 && h.all == 2 && h.more == 0);
	assert_int_equal(h.items[0].kind, TS_HAPPENING_RESTART);
	assert_true(h.items[0].step == 13 && h.items[0].time_s == 203);
	assert_true(h.items[1].step == 12 && h.items[1].time_s == 102);
}

/* The first step of a segment may be superseded itself. */
static void a_segment_of_which_nothing_is_left(void **state)
{
	struct cells c = {.n = 0};
	struct ts_happenings h;

	(void)state;
	for (int64_t i = 0; i < 3; i++)
		cells_add(&c, 0, "segment", i, i ? 2 : 0);
	cells_add(&c, 0, "step", 0, 1)->table = TS_TABLE_SUPERSEDED;
	cells_add(&c, 0, "segment", 0, 1)->table = TS_TABLE_SUPERSEDED;
	h = happened(&c);
	assert_true(h.n == 2 && h.items[0].step == 1 && h.items[1].step == 1 && !h.items[0].has_time);
}

static void no_events(void **state)
{
	struct cells c = {.n = 0};
	struct ts_happenings h;

	(void)state;
	cells_add(&c, 0, "scalars.loss", 10, 0.5);
	h = happened(&c);
	assert_true(h.n == 0 && h.all == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_of_ranks, open_world, close_world),
		cmocka_unit_test_setup_teardown(restarts, open_world, close_world),
		cmocka_unit_test_setup_teardown(a_segment_of_which_nothing_is_left, open_world, close_world),
		cmocka_unit_test_setup_teardown(no_events, open_world, close_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
