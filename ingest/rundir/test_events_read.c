/* events.jsonl: which records are taken, what of them is kept, that it alone is no run, and that export writes the same run. */
#include "ingest/core/test_support.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define STEPS "{\"step\":0,\"scalars\":{\"loss\":2}}\n"

static void events_are_rows_of_their_own(void **state)
{
	const struct ts_table *table;
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEPS);
	test_write(&t, "run/events.jsonl",
		   "{\"time\": 1795167217.125, \"name\": \"checkpoint\", \"step\": 400, \"duration\": 1.25, \"lane\": 0}\n"
		   "{\"time\": 1795167218.5, \"name\": \"message\", \"text\": \"loss scale\\nhalved\"}\n"
		   "{\"name\": \"temperature\", \"value\": -0.0, \"time\": 1795167219, \"step\": 9007199254740993}\n");
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "big_integer", TS_NOTICE_INFO, 3, 1);
	assert_int_equal(t.result.notices.n, 1);
	assert_int_equal(t.result.timed, 3);
	assert_int_equal(t.result.events, 0);
	assert_int_equal(t.result.rows, 1);
	test_index(&t, 0, &index);
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_EVENTS, "time", 3),
			    ((double[]){1795167217.125, 1795167218.5, 1795167219}), 3 * sizeof(double));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_EVENTS, "duration", 1), ((double[]){1.25}), sizeof(double));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_EVENTS, "value", 1), ((double[]){-0.0}), sizeof(double));
	(void)test_index_column(&index, TS_TABLE_EVENTS, "name", TS_COLUMN_TEXT, 3, &table);
	assert_memory_equal(test_objects_keys(&t.objects, table, &t.arena), ((int64_t[]){0, 1, 2}), 3 * sizeof(int64_t));
	(void)test_index_column(&index, TS_TABLE_EVENTS, "text", TS_COLUMN_TEXT, 1, &table);
	assert_memory_equal(test_objects_keys(&t.objects, table, &t.arena), ((int64_t[]){1}), sizeof(int64_t));
	test_round_trip(&t);
	test_run_finish(&t);
}

static void events_without_time_or_name_are_skipped(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEPS);
	test_write(&t, "run/events.jsonl",
		   "{\"time\": \"noon\", \"name\": \"a\"}\n{\"time\": 1, \"name\": 2}\n{\"name\": \"b\"}\n{\"time\": 1}\n"
		   "{\"time\": 1, \"name\": \"kept\"}\n");
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "bad_event", TS_NOTICE_SKIPPED, 1, 4);
	assert_int_equal(t.result.timed, 1);
	test_run_finish(&t);
}

/* Other tools call files so, too. */
static void events_alone_are_no_run(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/events.jsonl", "{\"time\": 1, \"name\": \"a\"}\n");
	assert_int_equal(
		ts_ingest(&(struct ts_ingest_options){.path = t.path}, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err),
		TS_INVALID);
	test_run_finish(&t);
}

static void a_run_of_events_comes_back(void **state)
{
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", "");
	test_write(&t, "run/events.jsonl", "{\"time\": 1, \"name\": \"a\"}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.n_ranks, 1);
	test_round_trip(&t);
	test_run_finish(&t);
	test_run_init(&t);
	test_write(&t, "run/events.jsonl", "{\"time\": 1, \"name\": \"job\"}\n");
	test_write(&t, "run/rank0/steps.jsonl", STEPS);
	test_write(&t, "run/rank1/steps.jsonl", STEPS);
	test_write(&t, "run/rank1/events.jsonl", "{\"time\": 2, \"name\": \"b\"}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.timed, 2);
	test_index(&t, TS_RANK_JOB, &index);
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_EVENTS, "time", 1), ((double[]){1}), sizeof(double));
	test_round_trip(&t);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_rows_of_their_own),
		cmocka_unit_test(events_without_time_or_name_are_skipped),
		cmocka_unit_test(events_alone_are_no_run),
		cmocka_unit_test(a_run_of_events_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
