/* digests.jsonl: which records are taken, what of them is kept, and that export writes the same run. */
#include "ingest/core/test_support.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const uint64_t *words(struct test_run *t, const struct ts_index *index, const char *name, uint64_t rows)
{
	const struct ts_table *table;
	const struct ts_column *c = test_index_column(index, TS_TABLE_DIGESTS, name, TS_COLUMN_U64, rows, &table);

	return test_objects_words(&t->objects, table, c, &t->arena);
}

static const int64_t *keys(struct test_run *t, const struct ts_index *index, const char *name, enum ts_column_type type,
			   uint64_t rows)
{
	const struct ts_table *table;

	(void)test_index_column(index, TS_TABLE_DIGESTS, name, type, rows, &table);
	return test_objects_keys(&t->objects, table, &t->arena);
}

static void digests_beside_steps(void **state)
{
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", "{\"step\":0,\"x\":1}\n{\"step\":1,\"x\":2}\n");
	test_write(&t, "run/digests.jsonl",
		   "{\"step\": 7, \"name\": \"layers.0.attn\", \"in\": \"0000000000000001\", \"out\": \"FEDCBA9876543210\"}\n"
		   "{\"step\": 7.0, \"name\": \"layers.0.attn\", \"occurrence\": 1, \"out\": \"0000000000000002\", \"kind\": "
		   "\"activation\", \"shape\": \"[8, 16]\", \"dtype\": \"bf16\"}\n"
		   "{\"out\": \"0000000000000003\", \"name\": \"allreduce\", \"step\": -8, \"in\": \"ffffffffffffffff\", "
		   "\"segment\": 3, \"shape\": [8, 16]}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.digests, 3);
	assert_int_equal(t.result.events, 0);
	assert_int_equal(t.result.rows, 2);
	test_index(&t, 0, &index);
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_DIGESTS, "step", 3), ((double[]){7, 7, -8}), 3 * sizeof(double));
	assert_memory_equal(words(&t, &index, "out", 3), ((uint64_t[]){0xfedcba9876543210, 2, 3}), 3 * sizeof(uint64_t));
	assert_memory_equal(words(&t, &index, "in", 2), ((uint64_t[]){1, UINT64_MAX}), 2 * sizeof(uint64_t));
	assert_memory_equal(keys(&t, &index, "in", TS_COLUMN_U64, 2), ((int64_t[]){0, 2}), 2 * sizeof(int64_t));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_DIGESTS, "occurrence", 1), ((double[]){1}), sizeof(double));
	assert_memory_equal(keys(&t, &index, "name", TS_COLUMN_TEXT, 3), ((int64_t[]){0, 1, 2}), 3 * sizeof(int64_t));
	assert_memory_equal(keys(&t, &index, "shape", TS_COLUMN_TEXT, 1), ((int64_t[]){1}), sizeof(int64_t));
	assert_memory_equal(keys(&t, &index, "shape", TS_COLUMN_JSON, 1), ((int64_t[]){2}), sizeof(int64_t));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_DIGESTS, "segment[0]", 1), ((double[]){3}), sizeof(double));
	/* The table of steps has none of these columns. */
	assert_null(ts_index_column(&index, TS_TABLE_STEPS, ts_span_str("out"), 0, NULL));
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"x\":1.0}\n{\"rank\":0,\"step\":1,\"x\":2.0}\n");
	test_round_trip(&t);
	test_run_finish(&t);
}

#define OUT ",\"out\":\"0123456789abcdef\""
#define WHOLE "{\"step\":1,\"name\":\"a\"" OUT

static void what_is_no_digest_is_said_with_its_line(void **state)
{
	static const char records[] = WHOLE "}\n"
				      "{\"step\":1,\"name\":\"a\"}\n"				   /* line 2 */
				      "{\"step\":1,\"name\":\"a\",\"out\":\"0123456789abcde\"}\n"
				      "{\"step\":1,\"name\":\"a\",\"out\":\"0123456789abcdeg\"}\n"
				      "{\"step\":1,\"name\":\"a\",\"out\":\"0x23456789abcdef\"}\n"
				      "{\"step\":1,\"name\":\"a\",\"out\":81985529216486895}\n"
				      "{\"step\":1,\"name\":\"a\",\"out\":null}\n"		   /* line 7: one notice */
				      "{\"step\":1,\"name\":\"\"" OUT "}\n"
				      "{\"step\":1,\"name\":[\"a\"]" OUT "}\n"
				      "{\"step\":1" OUT "}\n"					   /* line 10 */
				      "{\"name\":\"a\"" OUT "}\n"
				      "{\"step\":\"1\",\"name\":\"a\"" OUT "}\n"
				      "{\"step\":1.5,\"name\":\"a\"" OUT "}\n"
				      "{\"step\":9007199254740992,\"name\":\"a\"" OUT "}\n"
				      "{\"step\":1e300,\"name\":\"a\"" OUT "}\n"		   /* line 15 */
				      "{\"step\":NaN,\"name\":\"a\"" OUT "}\n"
				      WHOLE ",\"in\":\"123\"}\n"
				      WHOLE ",\"in\":[\"0123456789abcdef\"]}\n"
				      WHOLE ",\"occurrence\":-1}\n"
				      WHOLE ",\"occurrence\":0.5}\n"				   /* line 20 */
				      WHOLE ",\"occurrence\":123456789012345678901234567890}\n"
				      WHOLE ",\"occurrence\":1e19}\n"
				      WHOLE ",\"occurrence\":\"1\"}\n"
				      "[1]\n"							   /* line 24 */
				      "{\"step\":1,\"na\n"					   /* line 25 */
				      WHOLE ",\"in\":null,\"occurrence\":9007199254740991}\n"	   /* line 26 */
				      WHOLE ",\"out\":\"00000000000000AA\"}";			   /* line 27 */
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", "{\"step\":0}\n");
	test_write(&t, "run/digests.jsonl", records);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "bad_digest", TS_NOTICE_SKIPPED, 2, 22);
	test_expect_notice(&t, "not_object", TS_NOTICE_SKIPPED, 24, 1);
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 25, 1);
	test_expect_notice(&t, "null_value", TS_NOTICE_INFO, 26, 1);
	test_expect_notice(&t, "duplicate_key", TS_NOTICE_INFO, 27, 1);
	assert_true(ts_span_is(test_notice(&t, "bad_digest")->file, "digests.jsonl"));
	assert_int_equal(t.result.digests, 3);
	test_index(&t, 0, &index);
	assert_memory_equal(words(&t, &index, "out", 3), ((uint64_t[]){0x0123456789abcdef, 0x0123456789abcdef, 0xaa}),
			    3 * sizeof(uint64_t));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_DIGESTS, "occurrence", 1), ((double[]){9007199254740991}),
			    sizeof(double));
	assert_null(ts_index_column(&index, TS_TABLE_DIGESTS, ts_span_str("in"), 0, NULL));
	test_round_trip(&t);
	t.strict = true;
	assert_int_equal(test_ingest(&t), TS_INVALID);
	assert_non_null(strstr(t.err.text, "digests.jsonl line 2: bad_digest: a digest needs an out of 16 hex digits"));
	test_run_finish(&t);
}

/* The name of an operation, like a path, has at most 512 bytes. */
static void long_names(void **state)
{
	char records[2048], name[TS_PATH_MAX + 2];
	struct test_run t;

	(void)state;
	memset(name, 'n', sizeof name);
	(void)snprintf(records, sizeof records, "{\"step\":1,\"name\":\"%.*s\"" OUT "}\n{\"step\":1,\"name\":\"%.*s\"" OUT "}\n",
		       TS_PATH_MAX, name, TS_PATH_MAX + 1, name);
	test_run_init(&t);
	test_write(&t, "run/digests.jsonl", records);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "bad_digest", TS_NOTICE_SKIPPED, 2, 1);
	assert_int_equal(t.result.digests, 1);
	test_run_finish(&t);
}

static void of_ranks_and_of_the_job(void **state)
{
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/digests.jsonl", "{\"step\":1,\"name\":\"job\"" OUT "}\n");
	test_write(&t, "run/rank0/steps.jsonl", "{\"step\":0}\n");
	test_write(&t, "run/rank1/digests.jsonl", WHOLE "}\n" WHOLE "}\n");
	test_write(&t, "run/rank1/pipeline.jsonl", "{\"stage\":1,\"start\":0,\"end\":1,\"step\":5}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.digests, 3);
	assert_int_equal(t.result.events, 1);
	assert_int_equal(t.result.n_ranks, 2);
	test_index(&t, TS_RANK_JOB, &index);
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_DIGESTS, "step", 1), ((double[]){1}), sizeof(double));
	test_index(&t, 1, &index);
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_DIGESTS, "step", 2), ((double[]){1, 1}), 2 * sizeof(double));
	assert_null(test_notice(&t, "empty_rank"));
	test_round_trip(&t);
	test_run_finish(&t);
	/* The run has digests of one rank and nothing else. */
	test_run_init(&t);
	test_write(&t, "run/digests.jsonl", WHOLE "}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.n_ranks, 1);
	test_round_trip(&t);
	test_run_finish(&t);
	/* A file without a record gives the same run as no file. */
	test_run_init(&t);
	test_write(&t, "run/rank0/steps.jsonl", "{\"step\":0}\n");
	test_ingest_ok(&t, t.path);
	struct ts_id without = t.result.head;

	test_write(&t, "run/digests.jsonl", "\n");
	test_write(&t, "run/rank0/digests.jsonl", "");
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
	test_write(&t, "run/digests.jsonl", "{\"step\":0,\"name\":\"a\"" OUT "}\n{\"step\":1,\"name\":\"a\"" OUT "}\n"
					    "{\"step\":0,\"name\":\"a\"" OUT ",\"segment\":\"b\"}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.superseded, 2);
	assert_int_equal(t.result.digests, 3); /* in the order of the file */
	test_round_trip(&t);
	test_run_finish(&t);
}

/* If there are too many columns, records keep the five known ones or are left out as a whole, with a notice. */
static void steps_that_use_up_the_columns(void **state)
{
	char *steps = malloc(1 << 20), *at = steps;
	struct test_run t;

	(void)state;
	assert_non_null(steps);
	for (size_t fits = 0; fits < 2; fits++) {
		at = steps + sprintf(steps, "{\"step\":0");
		for (size_t i = 0; i < TS_COLUMNS_MAX - 3 - (fits ? 5 : 4); i++)
			at += sprintf(at, ",\"c%zu\":1", i);
		(void)sprintf(at, "}\n");
		test_run_init(&t);
		test_write(&t, "run/steps.jsonl", steps);
		test_write(&t, "run/digests.jsonl", "{\"more\":1,\"step\":1,\"name\":\"a\"" OUT "}\n");
		test_ingest_ok(&t, t.path);
		assert_int_equal(t.result.digests, fits);
		test_expect_notice(&t, "too_many_columns", TS_NOTICE_SKIPPED, fits, 1);
		test_round_trip(&t);
		test_run_finish(&t);
	}
	free(steps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_beside_steps),
		cmocka_unit_test(what_is_no_digest_is_said_with_its_line),
		cmocka_unit_test(long_names),
		cmocka_unit_test(of_ranks_and_of_the_job),
		cmocka_unit_test(beside_steps_that_went_back),
		cmocka_unit_test(steps_that_use_up_the_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
