/* What lists remember of facts: short ones as they were, by path and run, within a bound. */
#include "service/handlers/runs/fact_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_arena arena;

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static struct ts_id id_of(uint64_t n)
{
	struct ts_id id;

	ts_digest(ts_span_of(&n, sizeof n), &id);
	return id;
}

static enum ts_recall recall(const char *path, uint64_t n, struct ts_fact *ret)
{
	struct ts_id id = id_of(n);
	enum ts_recall known;
	struct ts_error err;

	assert_int_equal(ts_fact_memory_find(ts_span_str(path), &id, &arena, &known, ret, &err), TS_OK);
	return known;
}

static void keep(const char *path, uint64_t n, const struct ts_fact *fact)
{
	struct ts_id id = id_of(n);

	ts_fact_memory_keep(ts_span_str(path), &id, fact);
}

static void what_was_kept_comes_back(void **state)
{
	static const struct ts_fact facts[] = {
		{.type = TS_FACT_INT, .source = TS_SOURCE_HOST, .integer = INT64_MIN},
		{.type = TS_FACT_FLOAT, .source = TS_SOURCE_RUN_JSON, .real = -0.0},
		{.type = TS_FACT_BOOL, .source = TS_SOURCE_RUN_JSON, .boolean = true},
		{.type = TS_FACT_NULL, .source = TS_SOURCE_PUSHER},
		{.type = TS_FACT_TEXT, .source = TS_SOURCE_PUSHER, .text = {(const uint8_t *)"a\0b", 3}},
		{.type = TS_FACT_TEXT, .source = TS_SOURCE_PUSHER, .text = {(const uint8_t *)"", 0}},
		{.type = TS_FACT_NUMBER, .source = TS_SOURCE_RUN_JSON, .text = {(const uint8_t *)"99999999999999999999", 20}},
		{.type = TS_FACT_ARRAY, .source = TS_SOURCE_RUN_JSON},
	};
	enum { N = sizeof facts / sizeof facts[0] };
	struct ts_fact got;

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		keep("config.a", i, &facts[i]);
	keep("config.a", N, NULL);
	for (uint64_t i = 0; i < N; i++) {
		assert_int_equal(recall("config.a", i, &got), TS_RECALL_FACT);
		assert_true(got.type == facts[i].type && got.source == facts[i].source && got.boolean == facts[i].boolean);
		assert_true(got.integer == facts[i].integer && memcmp(&got.real, &facts[i].real, sizeof got.real) == 0);
		assert_true(ts_span_eq(got.text, facts[i].text));
		assert_int_equal(recall("config.b", i, &got), TS_RECALL_NOTHING);
	}
	assert_int_equal(recall("config.a", N, &got), TS_RECALL_ABSENT);
	assert_int_equal(recall("config.a", N + 1, &got), TS_RECALL_NOTHING);
}

/* Only the head says what is long. */
static void long_ones_are_not_kept(void **state)
{
	struct ts_fact text = {.type = TS_FACT_TEXT, .text = ts_span_str("a text of more bytes than fit")};
	struct ts_fact chunk = {.type = TS_FACT_LONG, .text_len = 5000}, got;

	(void)state;
	keep("config.long", 1, &text);
	keep("config.long", 2, &chunk);
	assert_int_equal(recall("config.long", 1, &got), TS_RECALL_NOTHING);
	assert_int_equal(recall("config.long", 2, &got), TS_RECALL_NOTHING);
}

/* Columns grow to a bound, and make room for others: the one that is asked for goes last. */
static void old_columns_make_room(void **state)
{
	enum { RUNS = 400000, PATHS = 40 };
	const struct ts_fact one = {.type = TS_FACT_INT, .integer = 1};
	struct ts_fact got;
	char path[32];
	int kept = 0;

	(void)state;
	for (int p = 0; p < 4; p++) { /* 20 MiB each at least */
		(void)snprintf(path, sizeof path, "config.many%d", p);
		for (uint64_t i = 0; i < RUNS; i++)
			keep(path, i, &one);
		assert_int_equal(recall(path, RUNS - 1, &got), TS_RECALL_FACT);
	}
	assert_int_equal(recall("config.many0", 0, &got), TS_RECALL_NOTHING);
	for (int p = 0; p < PATHS; p++) {
		(void)snprintf(path, sizeof path, "config.p%d", p);
		keep(path, 7, &one);
		assert_int_equal(recall("config.many3", 7, &got), TS_RECALL_FACT);
	}
	for (int p = 0; p < PATHS; p++) {
		(void)snprintf(path, sizeof path, "config.p%d", p);
		kept += recall(path, 7, &got) == TS_RECALL_FACT;
	}
	assert_int_equal(kept, 15); /* and config.many3 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_kept_comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(long_ones_are_not_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(old_columns_make_room, setup, teardown),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
