/* rows.h and spill.h: order, restarts, repeated cells, memory. Expected rows were worked out by hand from the rule. */
#include "ingest/core/test_support.h"

#include "ingest/rows/import.h"
#include "ingest/rows/spill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* What a log does, one action after another. */
enum what { STEP, CELL, RESTART, PART };

struct event {
	enum what what;
	int64_t step; /* for STEP and RESTART */
	const char *name;
	double value;
};

struct log {
	const struct event *events;
	size_t n;
	int feeds;
};

static enum ts_status take(struct ts_rows *rows, const struct event *e, struct ts_error *err)
{
	struct ts_rows_column column = {
		.name = ts_span_str(e->name ? e->name : ""),
		.type = TS_COLUMN_F64,
		.quiet = e->name && (*e->name == 'q' || *e->name == 't'),
	};
	uint32_t c;

	if (e->what == STEP)
		return ts_rows_step(rows, e->step, err);
	if (e->what == PART) {
		ts_rows_part(rows);
		return TS_OK;
	}
	if (e->what == RESTART)
		return ts_rows_restart(rows, e->step, err);
	return ts_rows_column(rows, &column, &c, err) ? err->status : ts_rows_f64(rows, c, e->value, err);
}

static enum ts_status feed(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	struct log *log = ctx;

	log->feeds++;
	for (size_t i = 0; i < log->n; i++) {
		const struct event *e = &log->events[i];

		if (take(rows, e, err))
			return err->status;
	}
	return TS_OK;
}

static void import(struct test_run *t, struct log *log, size_t memory)
{
	struct ts_import i = {.format = "test", .rows = {.feed = feed, .ctx = log, .memory = memory}};
	struct ts_ingest_options options = {.path = "log"};
	struct ts_notices notices = {.arena = &t->arena};
	uint64_t bytes = 0;

	log->feeds = 0;
	if (ts_import_run(&i, &options, test_objects_sink, &t->objects, &notices, &bytes, &t->arena, &t->result, &t->err))
		fail_msg("%s", t->err.text);
}

static void steps_in_order_go_straight_through(void **state)
{
	static const struct event events[] = {{STEP, 1, NULL, 0}, {CELL, 0, "a", 1}, {STEP, 1, NULL, 0}, {CELL, 0, "b", 2},
					      {STEP, 5, NULL, 0}, {CELL, 0, "a", 3}};
	struct log log = {events, 6, 0};
	struct test_run t;

	(void)state;
	test_run_init(&t);
	import(&t, &log, 0);
	assert_int_equal(log.feeds, 1);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"a\":1.0,\"b\":2.0}\n{\"rank\":0,\"step\":5,\"a\":3.0}\n");
	assert_int_equal(t.result.segments, 1);
	assert_int_equal(t.result.notices.n, 0);
	test_run_finish(&t);
}

static void series_may_come_one_after_another(void **state)
{
	static const struct event events[] = {{STEP, 1, NULL, 0}, {CELL, 0, "a", 1}, {STEP, 2, NULL, 0}, {CELL, 0, "a", 2},
					      {STEP, 1, NULL, 0}, {CELL, 0, "b", 3}, {STEP, 2, NULL, 0}, {CELL, 0, "b", 4},
					      {STEP, 2, NULL, 0}, {CELL, 0, "a", 9}};
	struct log log = {events, 10, 0};
	struct test_run t;

	(void)state;
	for (size_t memory = 1; memory < 300; memory += 37) {
		test_run_init(&t);
		import(&t, &log, memory);
		assert_int_equal(log.feeds, 2);
		assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"a\":1.0,\"b\":3.0}\n"
						    "{\"rank\":0,\"step\":2,\"a\":9.0,\"b\":4.0}\n");
		assert_int_equal(t.result.segments, 1);
		test_expect_notice(&t, "repeated_value", TS_NOTICE_SKIPPED, 0, 1);
		test_run_finish(&t);
	}
}

/* In a quiet column, the first cell of a step is kept, whether the rows were sorted or not. */
static void the_first_of_a_quiet_column_stays(void **state)
{
	static const struct event events[] = {{STEP, 1, NULL, 0}, {CELL, 0, "q", 1}, {STEP, 1, NULL, 0}, {CELL, 0, "q", 2},
					      {STEP, 2, NULL, 0}, {CELL, 0, "q", 3}, {STEP, 1, NULL, 0}, {CELL, 0, "q", 4}};
	struct test_run t;

	(void)state;
	for (size_t n = 6; n <= 8; n += 2) {
		struct log log = {events, n, 0};

		test_run_init(&t);
		import(&t, &log, 0);
		assert_int_equal(log.feeds, n == 6 ? 1 : 2);
		assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"q\":1.0}\n{\"rank\":0,\"step\":2,\"q\":3.0}\n");
		assert_int_equal(t.result.notices.n, 0);
		test_run_finish(&t);
	}
}

static void rows_that_go_back_are_a_restart(void **state)
{
	static const struct event events[] = {{STEP, 1, NULL, 0}, {CELL, 0, "a", 1}, {STEP, 2, NULL, 0}, {CELL, 0, "a", 2},
					      {STEP, 3, NULL, 0}, {CELL, 0, "a", 3}, {STEP, 2, NULL, 0}, {CELL, 0, "a", 4}};
	struct log log = {events, 8, 0};
	struct test_run t, u;

	(void)state;
	test_run_init(&t);
	import(&t, &log, 0);
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.superseded, 2); /* 3, too: the second execution has not reached it yet */
	assert_int_equal(t.result.rows, 2);
	/* steps.jsonl gives the same run, even the same id of the index. */
	test_run_init(&u);
	test_steps(&u, "{\"step\":1,\"a\":1}\n{\"step\":2,\"a\":2}\n{\"step\":3,\"a\":3}\n{\"step\":2,\"a\":4}\n");
	assert_int_equal(test_ingest(&u), TS_OK);
	assert_string_equal(test_jsonl(&t), test_jsonl(&u));
	assert_memory_equal(&t.result.head, &u.result.head, sizeof t.result.head);
	test_run_finish(&t);
	test_run_finish(&u);
}

static void a_restart_that_is_said_takes_back_what_lies_behind(void **state)
{
	static const struct event events[] = {{STEP, 1, NULL, 0}, {CELL, 0, "a", 1}, {STEP, 2, NULL, 0}, {CELL, 0, "a", 2},
					      {STEP, 3, NULL, 0}, {CELL, 0, "a", 3}, {RESTART, 2, NULL, 0}, {STEP, 2, NULL, 0},
					      {CELL, 0, "b", 4}};
	struct log log = {events, 9, 0};
	struct test_run t;

	(void)state;
	test_run_init(&t);
	import(&t, &log, 0);
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.superseded, 2);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"a\":1.0}\n"
					    "{\"rank\":0,\"step\":2,\"b\":4.0}\n");
	test_run_finish(&t);
}

/* The second part executes the last step again. What comes between the parts is of the row before, as W&B's samples are. */
static void a_further_part(void **state)
{
	static const struct event events[] = {{STEP, 1, NULL, 0}, {CELL, 0, "a", 1}, {STEP, 2, NULL, 0}, {CELL, 0, "a", 2},
					      {PART, 0, NULL, 0}, {CELL, 0, "b", 9}, {STEP, 2, NULL, 0}, {CELL, 0, "a", 3},
					      {STEP, 3, NULL, 0}, {CELL, 0, "a", 4}};
	struct log log = {events, 10, 0};
	const double *b;
	struct ts_index index;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	import(&t, &log, 0);
	assert_int_equal(t.result.segments, 2);
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"a\":1.0}\n{\"rank\":0,\"step\":2,\"a\":3.0}\n"
					    "{\"rank\":0,\"step\":3,\"a\":4.0}\n");
	test_index(&t, 0, &index);
	b = test_index_numbers(&t, &index, TS_TABLE_SUPERSEDED, "b", 1);
	assert_true(*b == 9);
	test_run_finish(&t);
}

/* A row has the time of its first record, but of the last one whose value replaced another; sorted or not. */
static void the_time_is_that_of_the_value(void **state)
{
	static const struct event events[] = {{STEP, 1, NULL, 0}, {CELL, 0, "timestamp", 10}, {CELL, 0, "a", 1},
					      {STEP, 1, NULL, 0}, {CELL, 0, "timestamp", 11}, {CELL, 0, "b", 2},
					      {STEP, 2, NULL, 0}, {CELL, 0, "timestamp", 20}, {CELL, 0, "a", 3},
					      {STEP, 2, NULL, 0}, {CELL, 0, "timestamp", 21}, {CELL, 0, "a", 4},
					      {STEP, 1, NULL, 0}, {CELL, 0, "timestamp", 22}, {CELL, 0, "c", 5}};
	struct test_run t;

	(void)state;
	for (size_t n = 12; n <= 15; n += 3) {
		struct log log = {events, n, 0};

		test_run_init(&t);
		import(&t, &log, 0);
		assert_int_equal(log.feeds, n == 12 ? 1 : 2);
		assert_non_null(strstr(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"timestamp\":10.0,"));
		assert_non_null(strstr(test_jsonl(&t), "{\"rank\":0,\"step\":2,\"timestamp\":21.0,\"a\":4.0}"));
		test_run_finish(&t);
	}
}

/* Sorting with little memory and with much memory gives the same order. */
static void spilling_changes_nothing(void **state)
{
	enum { N = 5000 };
	uint64_t seed = 7;
	int64_t last_step = -1, step;
	int last = -1, n = 0, value;
	struct ts_spill *s;
	struct ts_span bytes;
	struct ts_error err;
	bool more;

	(void)state;
	assert_int_equal(ts_spill_create(4096, &s, &err), TS_OK);
	for (int i = 0; i < N; i++) {
		char record[64] = {0};

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		memcpy(record, &i, sizeof i);
		assert_int_equal(ts_spill_add(s, (int64_t)(seed >> 58) - 20, ts_span_of(record, 4 + (seed >> 40) % 60), &err), TS_OK);
	}
	for (;;) {
		assert_int_equal(ts_spill_next(s, &step, &bytes, &more, &err), TS_OK);
		if (!more)
			break;
		memcpy(&value, bytes.data, sizeof value);
		assert_true(n == 0 || step > last_step || (step == last_step && value > last));
		last = value;
		last_step = step;
		n++;
	}
	assert_int_equal(n, N);
	ts_spill_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_in_order_go_straight_through),
		cmocka_unit_test(series_may_come_one_after_another),
		cmocka_unit_test(the_first_of_a_quiet_column_stays),
		cmocka_unit_test(rows_that_go_back_are_a_restart),
		cmocka_unit_test(a_restart_that_is_said_takes_back_what_lies_behind),
		cmocka_unit_test(a_further_part),
		cmocka_unit_test(the_time_is_that_of_the_value),
		cmocka_unit_test(spilling_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
