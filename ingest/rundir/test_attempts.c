/* The recordings of several attempts of one training: rows of which the last execution counts, columns and clocks of each recording,
 * and what is said of each attempt. */
#include "ingest/core/test_support.h"
#include "ingest/recording/test_recording_file.h"

#include "run/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static void put_u64(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* A recording that began so many seconds after TEST_UNIX, on a machine whose clock stands elsewhere. */
static void begin(struct test_file *f, int64_t after_s)
{
	test_file_init(f, 0, 1);
	put_u64(f->data + 40, (uint64_t)(TEST_UNIX + after_s * SECOND));
	test_mend_header(f);
}

static void write_attempt(struct test_run *t, const char *name, struct test_file *f)
{
	test_write_bytes(t, name, f->data, f->size);
	test_file_finish(f);
}

/* Step i of an attempt ends at its second i + 1; the loss tells attempt and step. */
static void one_step(struct test_file *f, uint16_t loss, int attempt, int64_t step, int64_t i)
{
	test_step(f, 0, step, TEST_MONO + i * SECOND, SECOND, TEST_CELLS({loss, test_bits(attempt * 100 + (double)step)}));
}

/* Attempt 1 made steps 0 to 9 and was killed; attempt 2 came to no step; 3 is lost; 4 made 7 to 12, with other columns. */
static void write_attempts(struct test_run *t, bool fourth)
{
	struct test_file f;

	begin(&f, 0);
	test_column(&f, 0, 1, TEST_NUMBER, "loss");
	test_column(&f, 0, 2, TEST_EVENT, "checkpoint");
	for (int64_t i = 0; i < 10; i++)
		one_step(&f, 1, 1, i, i);
	test_event_text(&f, 1, 2, 6, TEST_MONO + 7 * SECOND, "c.pt");
	write_attempt(t, "run/recording.tscope", &f);
	test_write(t, "run/run.json", "{\"config\": {\"lr\": 1, \"gone\": 3}, \"rank\": 0, \"wall_time\": 7}");
	test_write(
		t, "run/facts.json",
		"{\"format\": 1, \"code\": {\"commit\": \"a\"}, \"session\": {\"host\": \"n1\", \"end\": {\"state\": \"running\"}}}");
	begin(&f, 20);
	test_column(&f, 0, 1, TEST_EVENT, "note");
	test_event_text(&f, 1, 1, INT64_MIN, TEST_MONO + 2 * SECOND, "no memory");
	test_end(&f, 0, TEST_MONO + 3 * SECOND, 0, 1);
	write_attempt(t, "run/recording.2.tscope", &f);
	test_write(t, "run/facts.2.json",
		   "{\"session\": {\"host\": \"n2\", \"end\": {\"state\": \"crashed\", \"type\": \"ValueError\"}}}");
	if (!fourth)
		return;
	begin(&f, 40);
	test_column(&f, 0, 1, TEST_NUMBER, "accuracy");
	test_column(&f, 0, 2, TEST_NUMBER, "loss");
	for (int64_t i = 0; i < 6; i++)
		one_step(&f, 2, 4, 7 + i, i);
	test_late(&f, 2, 5, TEST_CELLS({1, test_bits(0.5)}));
	test_late(&f, 2, 8, TEST_CELLS({1, test_bits(0.75)}));
	write_attempt(t, "run/recording.4.tscope", &f);
	test_write(t, "run/run.4.json", "{\"config\": {\"lr\": 2}, \"rank\": 0, \"world_size\": 1}");
	test_write(t, "run/facts.4.json",
		   "{\"code\": {\"commit\": \"a\"}, \"data\": {\"name\": \"new\"}, \"session\": {\"host\": \"n2\"},"
		   " \"lineage\": {\"checkpoint\": \"c.pt\", \"resumed_step\": 7}}");
}

static void the_last_execution_of_a_step_counts(void **state)
{
	struct ts_index index;
	struct test_run t;
	const double *v;

	(void)state;
	test_run_init(&t);
	write_attempts(&t, true);
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.rows, 13);
	assert_int_equal(t.result.segments, 2);
	assert_int_equal(t.result.timed, 2);
	assert_false(t.result.finished);
	test_index(&t, 0, &index);
	assert_int_equal(ts_index_superseded(&index), 3);
	v = test_index_numbers(&t, &index, TS_TABLE_STEPS, "scalars.loss", 13);
	for (int i = 0; i < 13; i++)
		assert_true(v[i] == (i < 7 ? 100 + i : 400 + i));
	v = test_index_numbers(&t, &index, TS_TABLE_STEPS, "segment", 13);
	for (int i = 0; i < 13; i++)
		assert_true(v[i] == (i < 7 ? 0 : 1));
	v = test_index_numbers(&t, &index, TS_TABLE_STEPS, "timestamp", 13);
	for (int i = 0; i < 13; i++)
		assert_true(v[i] == (double)(TEST_UNIX / SECOND) + (i < 7 ? 0 + i + 1 : 40 + i - 7 + 1));
	v = test_index_numbers(&t, &index, TS_TABLE_SUPERSEDED, "scalars.loss", 3);
	for (int i = 0; i < 3; i++)
		assert_true(v[i] == 107 + i);
	/* The value for step 5, which the fourth attempt did not execute, is not one of the first attempt's row. */
	assert_true(test_index_numbers(&t, &index, TS_TABLE_STEPS, "scalars.accuracy", 1)[0] == 0.75);
	test_expect_notice(&t, "restart", TS_NOTICE_INFO, 0, 1);
	test_expect_notice(&t, "lost_attempt", TS_NOTICE_SKIPPED, 0, 1);
	assert_true(ts_span_is(test_notice(&t, "lost_attempt")->file, "recording.3.tscope"));
	assert_null(test_notice(&t, "unread"));
	test_round_trip(&t);
	test_run_finish(&t);
}

static void each_attempt_says_where_it_began_and_how_it_ended(void **state)
{
	static const char *const facts[][2] = {
		{"session.attempts.1.began", "1795167217.0"},
		{"session.attempts.1.ended", "1795167227.0"},
		{"session.attempts.1.steps", "10"},
		{"session.attempts.1.last_step", "9"},
		{"session.attempts.1.end.state", "running"},
		{"session.attempts.2.began", "1795167237.0"},
		{"session.attempts.2.ended", "1795167240.0"},
		{"session.attempts.2.steps", "0"},
		{"session.attempts.2.first_step", ""},
		{"session.attempts.2.end.type", "ValueError"},
		{"session.attempts.2.changed.session.host", "n2"},
		{"session.attempts.3.steps", ""},
		{"session.attempts.4.first_step", "7"},
		{"session.attempts.4.last_step", "12"},
		{"session.attempts.4.resumed_step", "7"},
		{"session.attempts.4.checkpoint", "c.pt"},
		{"session.attempts.4.end.cause", "cut"},
		{"session.attempts.4.changed.config.lr", "2"},
		{"session.attempts.4.changed.config.gone", "null"},
		{"session.attempts.4.changed.session.host", ""},
		{"session.attempts.4.changed.code.commit", ""},
		/* The first attempt's stay, what is new is added, and the end is that of the last. */
		{"config.lr", "1"},
		{"session.host", "n1"},
		{"data.name", "new"},
		{"lineage.checkpoint", ""},
		{"session.end.cause", "cut"},
		{"session.end.state", ""},
		{"session.wall_time", ""},
	};
	struct test_run t;

	(void)state;
	test_run_init(&t);
	write_attempts(&t, true);
	test_ingest_ok(&t, t.path);
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (strcmp(test_fact(&t, facts[i][0]), facts[i][1]) != 0)
			fail_msg("%s is '%s', not '%s'", facts[i][0], test_fact(&t, facts[i][0]), facts[i][1]);
	}
	test_run_finish(&t);
}

/* A file of no byte is what a recorder leaves that is killed at its beginning; one of noise is what a disk leaves. */
static void a_damaged_attempt_costs_itself(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	write_attempts(&t, true);
	test_write(&t, "run/recording.3.tscope", "");
	test_write(&t, "run/recording.5.tscope", "noise, and not a recording");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.rows, 13);
	assert_null(test_notice(&t, "lost_attempt"));
	assert_string_equal(test_fact(&t, "session.attempts.5.steps"), "0");
	assert_string_equal(test_fact(&t, "session.attempts.5.began"), "");
	test_run_finish(&t);
}

static void what_is_no_attempt_is_none(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	write_attempts(&t, false);
	test_write(&t, "run/recording.02.tscope", "x");
	test_write(&t, "run/recording.1.tscope", "x");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.segments, 1);
	assert_int_equal(test_notice(&t, "unread")->count, 2);
	test_write(&t, "run/recording.401.tscope", "x");
	assert_int_equal(test_ingest(&t), TS_TOO_LARGE);
	test_run_finish(&t);
}

/* One process began, and two went on: its folder stays that of rank 0. */
static void a_run_of_one_process_may_go_on_with_several(void **state)
{
	static const char *const names[] = {"run/recording.tscope", "run/recording.2.tscope", "run/rank1/recording.tscope"};
	struct ts_index index;
	struct test_file f;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	for (int k = 0; k < 3; k++) {
		begin(&f, 20 * k);
		if (k == 2)
			f.data[32] = 1;
		test_mend_header(&f);
		test_column(&f, 0, 1, TEST_NUMBER, "loss");
		for (int64_t i = 0; i < 3; i++)
			one_step(&f, 1, k, k ? 2 + i : i, i);
		write_attempt(&t, names[k], &f);
	}
	test_write(&t, "run/events.jsonl", "{\"time\": 1, \"name\": \"x\"}\n");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.n_ranks, 2);
	assert_int_equal(t.result.timed, 1);
	test_index(&t, 0, &index);
	test_index_numbers(&t, &index, TS_TABLE_STEPS, "scalars.loss", 5);
	test_index(&t, 1, &index);
	test_index_numbers(&t, &index, TS_TABLE_STEPS, "scalars.loss", 3);
	assert_null(test_notice(&t, "root_steps_ignored"));
	assert_null(test_notice(&t, "rank_mismatch"));
	test_round_trip(&t);
	test_run_finish(&t);
}

/* The second attempt begins with the step behind the last, and the third with the last one: no step goes back, and what was exported
 * says where they began. */
static void segments_whose_steps_do_not_go_back_are_exported(void **state)
{
	static const int64_t first[] = {0, 3, 5};
	struct test_file f;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	for (int k = 0; k < 3; k++) {
		char name[64];

		begin(&f, 20 * k);
		test_column(&f, 0, 1, TEST_NUMBER, "loss");
		for (int64_t i = 0; i < 3; i++)
			one_step(&f, 1, k, first[k] + i, i);
		(void)snprintf(name, sizeof name, k ? "run/recording.%d.tscope" : "run/recording.tscope", k + 1);
		write_attempt(&t, name, &f);
	}
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.segments, 3);
	assert_int_equal(t.result.rows, 8);
	test_round_trip(&t);
	test_run_finish(&t);
}

static void a_line_of_a_log_says_a_restart(void **state)
{
	struct ts_index index;
	struct test_run t;
	const double *v;

	(void)state;
	test_run_init(&t);
	test_steps(&t, "{\"restart\": true}\n{\"step\":1,\"a\":1}\n{\"step\":2,\"a\":2}\n{\"restart\": true}\n{\"step\":2,\"a\":3}\n"
		       "{\"restart\":true}\n");
	assert_int_equal(t.result.segments, 2);
	assert_null(test_notice(&t, "no_step"));
	test_index(&t, 0, &index);
	v = test_index_numbers(&t, &index, TS_TABLE_STEPS, "a", 2);
	assert_true(v[0] == 1 && v[1] == 3);
	assert_true(test_index_numbers(&t, &index, TS_TABLE_SUPERSEDED, "a", 1)[0] == 2);
	test_round_trip(&t);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_execution_of_a_step_counts),
		cmocka_unit_test(each_attempt_says_where_it_began_and_how_it_ended),
		cmocka_unit_test(a_damaged_attempt_costs_itself),
		cmocka_unit_test(what_is_no_attempt_is_none),
		cmocka_unit_test(segments_whose_steps_do_not_go_back_are_exported),
		cmocka_unit_test(a_line_of_a_log_says_a_restart),
		cmocka_unit_test(a_run_of_one_process_may_go_on_with_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
