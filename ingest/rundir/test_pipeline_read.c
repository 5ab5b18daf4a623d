/* pipeline.jsonl: which events are taken, what of them is kept, and that export writes the same run. */
#include "ingest/core/test_support.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const double *column(struct test_run *t, const struct ts_index *index, const char *name, uint64_t rows)
{
	const struct ts_table *table = NULL;
	const struct ts_column *c = ts_index_column(index, TS_TABLE_PIPELINE, ts_span_str(name), TS_COLUMN_F64, &table);

	if (!c)
		fail_msg("no column %s", name);
	assert_int_equal(table->rows, rows);
	return (const double *)test_objects_words(&t->objects, table, c, &t->arena);
}

static void events_beside_steps(void **state)
{
	struct test_run t;
	struct ts_index index;
	const struct ts_table *table = NULL;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", "{\"step\":0,\"x\":1}\n{\"step\":1,\"x\":2}\n");
	test_write(&t, "run/pipeline.jsonl",
		   "{\"stage\": 0, \"start\": 1.5, \"end\": 2.5, \"microbatch\": 0, \"step\": 7}\n"
		   "{\"stage\": 1, \"start\": 2.5, \"end\": 3.25, \"microbatch\": 0, \"step\": 7, \"kind\": \"forward\"}\n"
		   "{\"end\": 1.0, \"start\": 4, \"stage\": 0, \"segment\": 3}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.events, 3);
	assert_int_equal(t.result.rows, 2);
	test_index(&t, 0, &index);
	assert_memory_equal(column(&t, &index, "stage", 3), ((double[]){0, 1, 0}), 3 * sizeof(double));
	assert_memory_equal(column(&t, &index, "start", 3), ((double[]){1.5, 2.5, 4}), 3 * sizeof(double));
	assert_memory_equal(column(&t, &index, "end", 3), ((double[]){2.5, 3.25, 1}), 3 * sizeof(double)); /* these are unchanged */
	assert_memory_equal(column(&t, &index, "step", 2), ((double[]){7, 7}), 2 * sizeof(double));
	assert_memory_equal(column(&t, &index, "segment[0]", 1), ((double[]){3}), sizeof(double));
	assert_non_null(ts_index_column(&index, TS_TABLE_PIPELINE, ts_span_str("kind"), TS_COLUMN_TEXT, &table));
	assert_memory_equal(test_objects_keys(&t.objects, table, &t.arena), ((int64_t[]){1}), sizeof(int64_t));
	/* The table of steps has none of these columns. */
	assert_null(ts_index_column(&index, TS_TABLE_STEPS, ts_span_str("stage"), 0, NULL));
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"x\":1.0}\n{\"rank\":0,\"step\":1,\"x\":2.0}\n");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void what_is_no_event_is_said_with_its_line(void **state)
{
	static const char events[] = "{\"stage\":0,\"start\":0,\"end\":1}\n"
				     "{\"stage\":0,\"start\":0}\n"
				     "{\"stage\":\"first\",\"start\":0,\"end\":1}\n"
				     "{\"stage\":null,\"start\":0,\"end\":1}\n"
				     "[1]\n"
				     "{\"stage\":0,\"start\":0,\"end\":1,\"end\":\"late\"}\n"
				     "\n"
				     "{\"stage\":0,\"sta\n"
				     "{\"stage\":1,\"start\":NaN,\"end\":Infinity}\n"
				     "{\"stage\":1,\"start\":1,\"end\":2,\"microbatch\":null}";
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", "{\"step\":0}\n");
	test_write(&t, "run/pipeline.jsonl", events);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "bad_event", TS_NOTICE_SKIPPED, 2, 4);
	test_expect_notice(&t, "not_object", TS_NOTICE_SKIPPED, 5, 1);
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 8, 1);
	test_expect_notice(&t, "null_value", TS_NOTICE_INFO, 10, 1);
	assert_true(ts_span_is(test_notice(&t, "bad_event")->file, "pipeline.jsonl"));
	assert_int_equal(t.result.events, 3);
	test_index(&t, 0, &index);
	assert_memory_equal(column(&t, &index, "stage", 3), ((double[]){0, 1, 1}), 3 * sizeof(double));
	test_round_trip(&t);
	t.strict = true;
	assert_int_equal(test_ingest(&t), TS_INVALID);
	assert_non_null(strstr(t.err.text, "pipeline.jsonl line 2: bad_event"));
	test_run_finish(&t);
}

static void of_ranks_and_of_the_job(void **state)
{
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/pipeline.jsonl", "{\"stage\":9,\"start\":0,\"end\":1}\n");
	test_write(&t, "run/rank0/steps.jsonl", "{\"step\":0}\n");
	test_write(&t, "run/rank1/pipeline.jsonl", "{\"stage\":1,\"start\":0,\"end\":1}\n{\"stage\":1,\"start\":2,\"end\":3}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.events, 3);
	assert_int_equal(t.result.n_ranks, 2);
	test_index(&t, TS_RANK_JOB, &index);
	assert_memory_equal(column(&t, &index, "stage", 1), ((double[]){9}), sizeof(double));
	test_index(&t, 1, &index);
	assert_memory_equal(column(&t, &index, "stage", 2), ((double[]){1, 1}), 2 * sizeof(double));
	assert_null(test_notice(&t, "empty_rank"));
	test_round_trip(&t);
	test_run_finish(&t);
	/* The run has events of one rank and nothing else. */
	test_run_init(&t);
	test_write(&t, "run/pipeline.jsonl", "{\"stage\":1,\"start\":0,\"end\":1}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.n_ranks, 1);
	test_round_trip(&t);
	test_run_finish(&t);
	/* A file without an event gives the same run as no file. */
	test_run_init(&t);
	test_write(&t, "run/rank0/steps.jsonl", "{\"step\":0}\n");
	test_ingest_ok(&t, t.path);
	struct ts_id without = t.result.head;

	test_write(&t, "run/pipeline.jsonl", "\n");
	test_write(&t, "run/rank0/pipeline.jsonl", "");
	test_ingest_ok(&t, t.path);
	assert_true(ts_id_eq(&t.result.head, &without));
	test_run_finish(&t);
}

static void beside_steps_that_went_back(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", "{\"step\":0,\"x\":1}\n{\"step\":1,\"x\":2}\n{\"step\":0,\"x\":3}\n");
	test_write(&t, "run/pipeline.jsonl", "{\"stage\":0,\"start\":0,\"end\":1,\"step\":1}\n"
					     "{\"stage\":0,\"start\":5,\"end\":6,\"step\":0,\"segment\":\"b\"}\n"
					     "{\"stage\":0,\"start\":5,\"end\":6,\"step\":9007199254740993}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.superseded, 2);
	assert_int_equal(t.result.events, 3);
	test_round_trip(&t);
	test_run_finish(&t);
}

/* If there are too many columns, events keep their three or are left out as a whole, with a notice. */
static void steps_that_use_up_the_columns(void **state)
{
	char *steps = malloc(1 << 20), *at = steps;
	struct test_run t;

	(void)state;
	assert_non_null(steps);
	for (size_t less = 0; less < 2; less++) {
		at = steps + sprintf(steps, "{\"step\":0");
		for (size_t i = 0; i < TS_COLUMNS_MAX - 3 - (less ? 3 : 0); i++)
			at += sprintf(at, ",\"c%zu\":1", i);
		(void)sprintf(at, "}\n");
		test_run_init(&t);
		test_write(&t, "run/steps.jsonl", steps);
		test_write(&t, "run/pipeline.jsonl", "{\"more\":1,\"stage\":0,\"start\":0,\"end\":1}\n");
		test_ingest_ok(&t, t.path);
		assert_int_equal(t.result.events, less);
		test_expect_notice(&t, "too_many_columns", TS_NOTICE_SKIPPED, less, 1);
		test_round_trip(&t);
		test_run_finish(&t);
	}
	free(steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_beside_steps),
		cmocka_unit_test(what_is_no_event_is_said_with_its_line),
		cmocka_unit_test(of_ranks_and_of_the_job),
		cmocka_unit_test(beside_steps_that_went_back),
		cmocka_unit_test(steps_that_use_up_the_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
