/* Restarts: the last writer of a step wins, the others are kept as superseded rows, and export writes both back. */
#include "ingest/core/test_support.h"

#include "base/limits.h"
#include "run/block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void run_of_two_segments(void **state)
{
	struct test_run t;
	struct ts_index index;
	const struct ts_table *table = NULL;
	const struct ts_column *column;
	int64_t *keys;
	double *values;

	(void)state;
	test_run_init(&t);
	test_steps(&t, "{\"step\":0,\"x\":10}\n{\"step\":1,\"x\":11}\n{\"step\":2,\"x\":12}\n"
		       "{\"step\":1,\"x\":21}\n{\"step\":2,\"x\":22}\n{\"step\":3,\"x\":23}\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"x\":10.0}\n{\"rank\":0,\"step\":1,\"x\":21.0}\n"
					    "{\"rank\":0,\"step\":2,\"x\":22.0}\n{\"rank\":0,\"step\":3,\"x\":23.0}\n");
	test_expect_notice(&t, "restart", TS_NOTICE_INFO, 4, 1);
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.rows, 4);
	assert_int_equal(t.result.superseded, 2);
	test_index(&t, 0, &index);
	column = ts_index_column(&index, TS_TABLE_STEPS, ts_span_str("segment"), TS_COLUMN_F64, &table);
	assert_non_null(column);
	values = (double *)test_objects_words(&t.objects, table, column, &t.arena);
	assert_memory_equal(values, ((double[]){0, 1, 1, 1}), 4 * sizeof(double));
	column = ts_index_column(&index, TS_TABLE_SUPERSEDED, ts_span_str("x"), TS_COLUMN_F64, &table);
	assert_non_null(column);
	keys = test_objects_keys(&t.objects, table, &t.arena);
	assert_memory_equal(keys, ((int64_t[]){0, 1}), 2 * sizeof(int64_t));
	values = (double *)test_objects_words(&t.objects, table, column, &t.arena);
	assert_memory_equal(values, ((double[]){11, 12}), 2 * sizeof(double));
	column = ts_index_column(&index, TS_TABLE_SUPERSEDED, ts_span_str("step"), TS_COLUMN_F64, &table);
	values = (double *)test_objects_words(&t.objects, table, column, &t.arena);
	assert_memory_equal(values, ((double[]){1, 2}), 2 * sizeof(double));
	column = ts_index_column(&index, TS_TABLE_SUPERSEDED, ts_span_str("segment"), TS_COLUMN_F64, &table);
	values = (double *)test_objects_words(&t.objects, table, column, &t.arena);
	assert_memory_equal(values, ((double[]){0, 0}), 2 * sizeof(double));
	test_round_trip(&t);
	/* No double holds these steps exactly. */
	test_steps(&t, "{\"step\":9007199254740993,\"x\":1}\n{\"step\":9007199254740995,\"x\":2}\n"
		       "{\"step\":9007199254740993,\"x\":3}\n");
	test_index(&t, 0, &(struct ts_index){0});
	assert_int_equal(t.result.superseded, 2);
	test_round_trip(&t);
	test_run_finish(&t);
}

/* A step that follows itself is one row, whose last values count. A record that was cut by a crash and glued to the
 * next one does not prevent this. */
static void restarts_at_odd_places(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_steps(&t, "{\"step\":5,\"x\":1}\n{\"step\":5,\"x\":2}\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":5,\"x\":2.0}\n");
	assert_int_equal(t.result.superseded, 0);
	assert_int_equal(t.result.segments, 1);
	test_expect_notice(&t, "repeated_value", TS_NOTICE_SKIPPED, 2, 1);
	test_round_trip(&t);
	test_steps(&t, "{\"step\":0,\"x\":1}\n{\"step\":1,\"x\":2}\n{\"step\":2,\"pha{\"step\":0,\"x\":3}{\"step\":1,\"x\":4}\n"
		       "[]\n{\"step\":0,\"segment\":7,\"x\":5}");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"segment\":7.0,\"x\":5.0}\n");
	test_expect_notice(&t, "restart", TS_NOTICE_INFO, 3, 2);
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 3, 1);
	test_expect_notice(&t, "not_object", TS_NOTICE_SKIPPED, 4, 1);
	assert_int_equal(t.result.segments, 3);
	assert_int_equal(t.result.superseded, 4);
	test_round_trip(&t);
	test_run_finish(&t);
}

/* The loop logs the loss of a step in one record and its learning rate in the next, without and with a restart. */
static void steps_in_two_records(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_steps(&t, "{\"step\":0,\"x\":1}\n{\"step\":0,\"y\":2}\n{\"step\":1,\"x\":3}\n{\"step\":1,\"y\":4}\n");
	assert_string_equal(test_jsonl(&t),
			    "{\"rank\":0,\"step\":0,\"x\":1.0,\"y\":2.0}\n{\"rank\":0,\"step\":1,\"x\":3.0,\"y\":4.0}\n");
	assert_int_equal(t.result.segments, 1);
	assert_int_equal(t.result.superseded, 0);
	test_round_trip(&t);
	test_steps(&t, "{\"step\":0,\"x\":1}\n{\"step\":0,\"y\":2}\n{\"step\":1,\"x\":3}\n{\"step\":1,\"y\":4}\n"
		       "{\"step\":1,\"x\":5}\n{\"step\":0,\"y\":6}\n{\"step\":0,\"x\":7}\n{\"step\":1,\"x\":8}\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"x\":7.0,\"y\":6.0}\n{\"rank\":0,\"step\":1,\"x\":8.0}\n");
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.superseded, 2);
	test_round_trip(&t);
	test_run_finish(&t);
}

/* The first segment ends in text that is no record, which is met after the record of the second segment was parsed.
 * That record must be parsed again. */
static void garbage_at_the_end_of_a_segment(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_steps(&t, "{\"step\":0,\"x\":1}\n{\"step\":2,\"x\":2,\"t\":\"b\\nc\"}\n{\"a\":9}\n{\"step\":2,\"x\":3,\"t\":\"d\\ne\"}\n"
		       "{\"step\":1,\"x\":4}\n{\"step\":2,\"x\":5,\"t\":\"f\\ng\"}\n{\"b\":\"h\\n\"}\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"x\":1.0}\n{\"rank\":0,\"step\":1,\"x\":4.0}\n"
					    "{\"rank\":0,\"step\":2,\"t\":\"f\\ng\",\"x\":5.0}\n");
	test_round_trip(&t);
	/* The lane that ends first is not the one that was parsed last. */
	test_steps(&t, "{\"step\":0,\"x\":1}\n{\"step\":0,\"x\":2}\n{\"step\":5,\"x\":3}\n{\"step\":1,\"x\":4}\n"
		       "{\"no\":8}\n{\"step\":1,\"x\":6}\n{\"step\":2,\"x\":7}\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"x\":2.0}\n{\"rank\":0,\"step\":1,\"x\":6.0}\n"
					    "{\"rank\":0,\"step\":2,\"x\":7.0}\n");
	test_round_trip(&t);
	test_run_finish(&t);
}

struct written {
	int64_t step;
	int segment;
	int value;
};

static int by_step_and_segment(const void *a, const void *b)
{
	const struct written *wa = a, *wb = b;

	if (wa->step != wb->step)
		return wa->step < wb->step ? -1 : 1;
	return wa->segment - wb->segment;
}

/* The row of a step counts if no later segment began at it or before it. */
static bool counts(const struct written *row, const int64_t *first, int segments)
{
	for (int s = row->segment + 1; s < segments; s++)
		if (first[s] <= row->step)
			return false;
	return true;
}

/* Random segments are merged and compared with a sort of all records. */
static void merging_is_sorting(void **state)
{
	uint64_t random = 3;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct written *all = calloc(20000, sizeof *all);
		struct ts_buf steps = TS_BUF_INIT(8 << 20), expected = TS_BUF_INIT(8 << 20);
		int segments = 2 + (int)(test_random(&random) % 30);
		int64_t step = 0, first[32];
		size_t n = 0;
		struct test_run t;

		assert_non_null(all);
		for (int s = 0; s < segments; s++) {
			size_t rows = 1 + test_random(&random) % 300;

			if (test_random(&random) % 2)
				ts_buf_str(&steps, "{\"no\":1}\n{\"step\":\"none\"}\n");

			if (s) {
				step -= 1 + (int64_t)(test_random(&random) % 100);
				ts_buf_str(&steps, "{\"restart\":true}\n");
			}
			first[s] = step;
			for (size_t i = 0; i < rows; i++) {
				all[n] = (struct written){step, s, (int)n};
				ts_buf_printf(&steps, "{\"step\":%" PRId64 ",\"x\":%zu%s}\n", step, n,
					      test_random(&random) % 4 ? "" : ",\"t\":\"some text\"");
				n++;
				step += 1 + (int64_t)(test_random(&random) % 3);
			}
			step--; /* at most the last written step, because the next segment begins by going back */
			while (step > all[n - 1].step)
				step--;
		}
		qsort(all, n, sizeof *all, by_step_and_segment);
		test_run_init(&t);
		test_write_bytes(&t, "run/steps.jsonl", steps.data, steps.len);
		assert_int_equal(test_ingest(&t), TS_OK);
		assert_int_equal(t.result.segments, segments);
		for (size_t i = 0; i < n; i++)
			if (counts(&all[i], first, segments))
				ts_buf_printf(&expected, "%" PRId64 ":%d\n", all[i].step, all[i].value);
		ts_buf_char(&expected, '\0');
		/* The expected "step:value" of each line of the export. */
		{
			struct ts_buf got = TS_BUF_INIT(8 << 20);

			for (const char *line = test_jsonl(&t); *line; line = strchr(line, '\n') + 1)
				ts_buf_printf(&got, "%d:%d\n", atoi(strstr(line, "\"step\":") + 7),
					      atoi(strstr(line, "\"x\":") + 4));
			ts_buf_char(&got, '\0');
			assert_string_equal((char *)got.data, (char *)expected.data);
			ts_buf_finish(&got);
		}
		assert_int_equal(t.result.rows + t.result.superseded, n);
		test_round_trip(&t);
		test_run_finish(&t);
		ts_buf_finish(&steps);
		ts_buf_finish(&expected);
		free(all);
	}
}

static void too_many_segments(void **state)
{
	struct ts_buf steps = TS_BUF_INIT(8 << 20);
	struct test_run t;

	(void)state;
	test_run_init(&t);
	for (int i = 0; i < TS_SEGMENTS_MAX; i++)
		ts_buf_printf(&steps, "{\"step\":%d,\"x\":1}\n{\"step\":%d,\"x\":1}\n", 10000 - i, 10001 - i);
	test_write_bytes(&t, "run/steps.jsonl", steps.data, steps.len);
	assert_int_equal(test_ingest(&t), TS_OK);
	assert_int_equal(t.result.segments, TS_SEGMENTS_MAX);
	assert_int_equal(t.result.rows, 2);
	assert_int_equal(t.result.superseded, 2 * TS_SEGMENTS_MAX - 2);
	test_round_trip(&t);
	ts_buf_str(&steps, "{\"step\":0,\"x\":1}\n");
	test_write_bytes(&t, "run/steps.jsonl", steps.data, steps.len);
	assert_int_equal(test_ingest(&t), TS_TOO_LARGE);
	assert_non_null(strstr(t.err.text, "run/steps.jsonl line 8193"));
	assert_non_null(strstr(t.err.text, "sort"));
	ts_buf_finish(&steps);
	test_run_finish(&t);
}

/* What the abandoned first pass gave to the sink is not counted. */
static void only_the_pass_that_counts_is_counted(void **state)
{
	struct ts_buf steps = TS_BUF_INIT(64 << 20);
	struct test_run t;

	(void)state;
	test_run_init(&t);
	for (int i = 0; i < 40000; i++)
		ts_buf_printf(&steps, "{\"step\":%d,\"x\":%d.5}\n", i, i);
	ts_buf_str(&steps, "{\"step\":39998,\"x\":1}\n");
	test_write_bytes(&t, "run/steps.jsonl", steps.data, steps.len);
	assert_int_equal(test_ingest(&t), TS_OK);
	/* The keys, x and segment have 3 blocks each. The two superseded rows have one block each of the same columns and of
	 * its step. Then come the index and the head. The two blocks that the first pass had already cut are not
	 * counted. */
	assert_int_equal(t.result.objects, 3 * 3 + 4 + 2);
	ts_buf_finish(&steps);
	test_run_finish(&t);
}

/* An evaluation of step 1 that is written behind step 3 goes into the row of step 1, which keeps its time; a second value of the loss
 * brings its own. Neither is a restart. */
static void what_comes_late(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_steps(&t, "{\"step\":1,\"timestamp\":10,\"x\":1}\n{\"step\":2,\"timestamp\":20,\"x\":2}\n"
		       "{\"step\":3,\"timestamp\":30,\"x\":3}\n{\"step\":1,\"timestamp\":31,\"y\":9}\n"
		       "{\"step\":4,\"timestamp\":40,\"x\":4}\n{\"step\":2,\"timestamp\":41,\"x\":5}\n"
		       "{\"step\":5,\"timestamp\":50,\"x\":6}\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":1,\"timestamp\":10.0,\"x\":1.0,\"y\":9.0}\n"
					    "{\"rank\":0,\"step\":2,\"timestamp\":41.0,\"x\":5.0}\n"
					    "{\"rank\":0,\"step\":3,\"timestamp\":30.0,\"x\":3.0}\n"
					    "{\"rank\":0,\"step\":4,\"timestamp\":40.0,\"x\":4.0}\n"
					    "{\"rank\":0,\"step\":5,\"timestamp\":50.0,\"x\":6.0}\n");
	assert_int_equal(t.result.segments, 1);
	assert_int_equal(t.result.superseded, 0);
	test_round_trip(&t);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_of_two_segments),	 cmocka_unit_test(restarts_at_odd_places),
		cmocka_unit_test(steps_in_two_records),
		cmocka_unit_test(garbage_at_the_end_of_a_segment),
		cmocka_unit_test(merging_is_sorting),	 cmocka_unit_test(too_many_segments),
		cmocka_unit_test(only_the_pass_that_counts_is_counted),
		cmocka_unit_test(what_comes_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
