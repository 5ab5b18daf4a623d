/* Layouts of run directories, the facts of ranks, files that are kept, and what is refused. */
#include "ingest/core/test_support.h"

#include "base/alloc.h"
#include "run/block.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define STEP "{\"step\":0,\"x\":1}\n"

static void expect_error(struct test_run *t, enum ts_status status, const char *text)
{
	assert_int_equal(test_ingest(t), status);
	if (!strstr(t->err.text, text))
		fail_msg("'%s' is not in '%s'", text, t->err.text);
}

static size_t ranks(struct test_run *t)
{
	struct ts_head head;

	assert_int_equal(ts_head_decode(test_objects_find(&t->objects, &t->result.head), &t->arena, &head, &t->err),
			 TS_OK);
	return head.n_ranks;
}

/* Returns the printed value of a fact in a rank's own index, or "" if the index does not have it. */
static const char *own_fact(struct test_run *t, int32_t rank, const char *path)
{
	static char text[256];
	struct ts_buf buf = TS_BUF_INIT(sizeof text - 1);
	struct ts_index index;

	text[0] = '\0';
	test_index(t, rank, &index);
	for (size_t i = 0; i < index.facts.n; i++) {
		if (!ts_span_is(index.facts.items[i].path, path))
			continue;
		ts_fact_print(&index.facts.items[i], &buf);
		memcpy(text, buf.data, buf.len);
		text[buf.len] = '\0';
	}
	ts_buf_finish(&buf);
	return text;
}

static void what_is_no_run(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	expect_error(&t, TS_NOT_FOUND, "run: no such directory");
	test_write(&t, "run/notes.txt", "hello");
	expect_error(&t, TS_INVALID,
		     "is not a run directory: it has no steps.jsonl, no recording.tscope, no run.json, no rank*/, no trace "
		     "and no snapshot of memory");
	test_write(&t, "file", "x");
	(void)snprintf(t.path, sizeof t.path, "%s/file", t.base);
	expect_error(&t, TS_INVALID, "file is a file; a run is a directory");
	test_run_finish(&t);
}

static void a_single_directory(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/run.json", "{\"name\":\"n\",\"rank\":0,\"world_size\":2,\"wall_time\":1.5,\"n_steps\":1}");
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/unrelated.txt", "x");
	test_ingest_ok(&t, t.path);
	assert_string_equal(t.result.format, "pytscope run directory");
	assert_true(ts_span_is(t.result.own_name, "n"));
	assert_true(t.result.finished);
	assert_int_equal(t.result.n_ranks, 1);
	assert_int_equal(t.result.world_size, 2);
	assert_int_equal(t.result.n_missing, 1);
	assert_int_equal(t.result.missing_ranks[0], 1);
	assert_int_equal(t.result.notices.n, 1);
	test_expect_notice(&t, "unread", TS_NOTICE_INFO, 0, 1);
	assert_true(ts_span_is(test_notice(&t, "unread")->detail, "unrelated.txt"));
	assert_string_equal(test_fact(&t, "parallelism.rank"), "");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void a_single_directory_of_another_rank(void **state)
{
	struct test_run t;
	struct ts_index index = {0};

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/run.json", "{\"name\":\"n\",\"rank\":3}");
	test_write(&t, "run/steps.jsonl", STEP);
	test_ingest_ok(&t, t.path);
	test_index(&t, 3, &index);
	assert_int_equal(index.rank, 3);
	assert_false(t.result.finished);
	test_round_trip(&t);
	/* A value that cannot be a rank stays a fact. */
	test_write(&t, "run/run.json", "{\"name\":\"n\",\"rank\":\"three\"}");
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "rank_mismatch", TS_NOTICE_INFO, 0, 1);
	assert_string_equal(test_fact(&t, "parallelism.rank"), "three");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void rank_directories(void **state)
{
	struct test_run t;
	struct ts_index index = {0};

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/rank0/steps.jsonl", "{\"step\":0,\"x\":1}\n{\"step\":1,\"x\":1}\n");
	test_write(&t, "run/rank0/run.json",
		   "{\"name\":\"n\",\"rank\":0,\"world_size\":4,\"started\":1.5,\"config\":{\"lr\":0.1}}");
	test_write(&t, "run/rank10/steps.jsonl", "{\"step\":5,\"x\":1}\n");
	test_write(&t, "run/rank10/run.json",
		   "{\"name\":\"n\",\"rank\":10,\"world_size\":4,\"started\":2.5,\"extra\":true}");
	test_write(&t, "run/rank2/steps.jsonl", "");
	test_write(&t, "run/rank3/notes", "");
	test_write(&t, "run/ranking/steps.jsonl", STEP);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/trace.json", "[]");
	test_write(&t, "run/run.json", "{\"name\":\"root\",\"rank\":0,\"note\":\"of the job\"}");
	test_ingest_ok(&t, t.path);
	assert_int_equal(ranks(&t), 4); /* the job, 0, 2, 10 */
	assert_int_equal(t.result.n_ranks, 2);
	assert_int_equal(t.result.steps, 2);
	assert_int_equal(t.result.rows, 3);
	assert_int_equal(t.result.first_step, 0);
	assert_int_equal(t.result.last_step, 5);
	assert_int_equal(t.result.n_missing, 2);
	assert_int_equal(t.result.missing_ranks[0], 1);
	assert_int_equal(t.result.missing_ranks[1], 3);
	test_expect_notice(&t, "root_steps_ignored", TS_NOTICE_SKIPPED, 0, 1);
	test_expect_notice(&t, "empty_rank", TS_NOTICE_INFO, 0, 1);
	test_expect_notice(&t, "no_steps", TS_NOTICE_INFO, 0, 1);
	test_index(&t, TS_RANK_JOB, &index);
	assert_int_equal(index.n_files, 1);
	assert_string_equal(test_fact(&t, "session.name"), "n"); /* the rank's own run.json takes precedence */
	assert_string_equal(test_fact(&t, "other.note"), "of the job");
	assert_string_equal(test_fact(&t, "session.started"), "1.5");
	assert_string_equal(own_fact(&t, 10, "session.started"), "2.5");
	assert_string_equal(own_fact(&t, 10, "config.lr"), "<absent>");
	assert_string_equal(own_fact(&t, 10, "other.extra"), "true");
	assert_string_equal(own_fact(&t, 10, "session.name"), "");
	assert_string_equal(own_fact(&t, 2, "session.name"), "root"); /* this rank has no run.json of its own */
	test_round_trip(&t);
	t.strict = true;
	expect_error(&t, TS_INVALID, "run/steps.jsonl: root_steps_ignored");
	test_run_finish(&t);
}

static void write_ranks(struct test_run *t, int from, int to)
{
	char name[64];

	for (int i = from; i < to; i++) {
		(void)snprintf(name, sizeof name, "run/rank%d/steps.jsonl", i);
		test_write(t, name, STEP);
	}
}

/* Of 65536 bytes, 26 are always used, 34 by parallelism.world_size (1 + 1 + 2 + 22 + 8), 32 by the digest of its group,
 * and 36 by each rank: 1817 ranks fit and leave 32 bytes. */
static void as_many_ranks_as_fit(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	write_ranks(&t, 0, 1819);
	test_write(&t, "run/rank0/run.json", "{\"world_size\":2000}");
	test_write(&t, "run/rank5000/notes", ""); /* this directory holds nothing of a run */
	test_ingest_ok(&t, t.path);
	assert_int_equal(ranks(&t), 1819);
	/* The following directories are refused before a record is read. Otherwise, strict mode would refuse their records. */
	t.strict = true;
	test_write(&t, "run/rank0/steps.jsonl", "no record\n");
	expect_error(&t, TS_INVALID, "rank0/steps.jsonl line 1: bad_json");
	test_write(&t, "run/trace.json", "[]"); /* the file belongs to the job */
	expect_error(&t, TS_TOO_LARGE, "run: a run has at most 1819 ranks, and these are 1820");
	write_ranks(&t, 1819, 2000);
	expect_error(&t, TS_TOO_LARGE, "run: a run has at most 1819 ranks, and these are 2001");
	test_run_finish(&t);
}

static void rank_0_is_empty(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/rank0/steps.jsonl", "");
	test_write(&t, "run/rank1/steps.jsonl", STEP);
	test_write(&t, "run/rank1/run.json", "{\"name\":\"n\",\"rank\":1,\"world_size\":2}");
	test_ingest_ok(&t, t.path);
	assert_int_equal(ranks(&t), 2);
	assert_int_equal(t.result.rows, 1);
	assert_true(ts_span_is(t.result.own_name, "n")); /* the first rank that has facts */
	assert_string_equal(own_fact(&t, 0, "session.name"), "<absent>");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void two_directories_for_one_rank(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/rank1/steps.jsonl", STEP);
	test_write(&t, "run/rank01/steps.jsonl", STEP);
	expect_error(&t, TS_INVALID, "run/rank01 and ");
	assert_non_null(strstr(t.err.text, "run/rank1 are both rank 1"));
	test_run_finish(&t);
	test_run_init(&t);
	test_write(&t, "run/rank99999999999/steps.jsonl", STEP);
	expect_error(&t, TS_INVALID, "rank99999999999: the rank is too large");
	test_run_finish(&t);
}

static void a_rank_that_says_another(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/rank1/steps.jsonl", STEP);
	test_write(&t, "run/rank1/run.json", "{\"rank\":4}");
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "rank_mismatch", TS_NOTICE_INFO, 0, 1);
	assert_string_equal(test_fact(&t, "parallelism.rank"), "4");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void legacy_siblings(void **state)
{
	struct test_run t;
	struct ts_index index = {0};
	char path[160];

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/run.json", "{\"name\":\"n\",\"rank\":0,\"world_size\":3}");
	test_write(&t, "run_rank1/steps.jsonl", STEP);
	test_write(&t, "run_rank1/run.json", "{\"name\":\"n\",\"rank\":1,\"world_size\":3}");
	test_write(&t, "run_rank2/steps.jsonl", STEP);
	test_write(&t, "run_rank3/run.json", "{\"rank\":7}"); /* it declares another rank */
	test_write(&t, "run_rank4/notes", "no run");
	test_write(&t, "run_rank0/steps.jsonl", STEP);
	test_ingest_ok(&t, t.path);
	assert_int_equal(ranks(&t), 3);
	test_expect_notice(&t, "legacy_ranks", TS_NOTICE_INFO, 0, 1);
	assert_non_null(strstr((const char *)test_notice(&t, "legacy_ranks")->detail.data, "2 directories"));
	test_index(&t, 2, &index);
	/* The same directory is named by another spelling of the path. */
	{
		struct ts_id id = t.result.head;

		(void)snprintf(path, sizeof path, "%s/run_rank1/../run/", t.base);
		assert_int_equal(test_ingest_path(&t, path), TS_OK);
		assert_memory_equal(id.bytes, t.result.head.bytes, TS_ID_BYTES);
	}
	test_round_trip(&t);
	/* A sibling that is pushed alone is a run with its own rank only. */
	(void)snprintf(path, sizeof path, "%s/run_rank1", t.base);
	assert_int_equal(test_ingest_path(&t, path), TS_OK);
	assert_int_equal(ranks(&t), 1);
	test_index(&t, 1, &index);
	test_run_finish(&t);
}

static void traces_are_kept_as_they_are(void **state)
{
	static const char gzip[] = "\x1f\x8b\x08 not a whole gzip \xff\x00 file";
	struct test_run t;
	size_t len;
	char *text;
	char *big = malloc(3 << 20);

	(void)state;
	assert_non_null(big);
	for (size_t i = 0; i < 3 << 20; i++)
		big[i] = (char)(i * 2654435761u >> 13);
	test_run_init(&t);
	test_write_bytes(&t, "run/trace.json.gz", gzip, sizeof gzip);
	test_write_bytes(&t, "run/kineto.json", big, 3 << 20);
	test_write(&t, "run/trace.json", "");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.n_ranks, 1);
	assert_int_equal(t.result.rows, 0);
	assert_non_null(test_notice(&t, "trace_not_read"));
	test_round_trip(&t);
	text = test_read(&t, "again/trace.json.gz", &len);
	assert_int_equal(len, sizeof gzip);
	assert_memory_equal(text, gzip, len);
	free(text);
	text = test_read(&t, "again/kineto.json", &len);
	assert_int_equal(len, 3 << 20);
	assert_memory_equal(text, big, len);
	free(text);
	free(big);
	test_run_finish(&t);
}

static void only_files_of_the_job(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/trace.json", "[1]");
	test_write(&t, "run/rank0/notes", "");
	test_ingest_ok(&t, t.path);
	assert_int_equal(ranks(&t), 1);
	test_round_trip(&t);
	test_run_finish(&t);
	test_run_init(&t);
	test_write(&t, "run/rank0/notes", "");
	expect_error(&t, TS_INVALID, "rank directories are empty");
	test_run_finish(&t);
}

/* If run.json is damaged as in pytscope's own list of cases, the run is read without it. */
static void broken_run_json(void **state)
{
	static const struct {
		const char *json;
		const char *detail;
	} rows[] = {
		{"[1,2]", "byte 0: expected an object"},
		{"{\"name\":", "byte 8"},
		{"", "byte 0"},
		{"{\"name\":\"\xff\"}", "UTF-8"},
		{"{\"a\":1} x", "byte 8"},
		{"\"text\"", "byte 0: expected an object"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct test_run t;
		const struct ts_notice *notice;

		test_run_init(&t);
		test_write(&t, "run/steps.jsonl", STEP);
		test_write(&t, "run/run.json", rows[i].json);
		test_ingest_ok(&t, t.path);
		test_expect_notice(&t, "bad_run_json", TS_NOTICE_SKIPPED, 0, 1);
		notice = test_notice(&t, "bad_run_json");
		assert_true(ts_span_is(notice->file, "run.json"));
		if (!strstr((const char *)notice->detail.data, rows[i].detail))
			fail_msg("'%s' is not in '%s'", rows[i].detail, (const char *)notice->detail.data);
		assert_int_equal(t.result.rows, 1);
		assert_int_equal(t.result.facts.n, 0);
		test_round_trip(&t);
		t.strict = true;
		expect_error(&t, TS_INVALID, "run/run.json: bad_run_json");
		test_run_finish(&t);
	}
}

/* Facts that one nested object cannot hold are exported by their whole path: a list with a gap, a value with something
 * below it, a group that is a value, and more levels than JSON may have. 250 of them are longer than a JSON writer
 * accepts. */
static void facts_that_do_not_nest(void **state)
{
	struct ts_buf json = TS_BUF_INIT(1 << 16);
	struct test_run t;

	(void)state;
	ts_buf_str(&json, "{\"sources\": [{\"source\": \"run.json\", \"paths\": {\"config.list[0]\": 1, \"config.list[2]\": 3,"
			  "\"config.a\": 1, \"config.a.b\": 2, \"config\": 5, \"config[0]\": 6, \"config");
	for (int i = 0; i < 250; i++)
		ts_buf_str(&json, ".d");
	ts_buf_str(&json, "\": 4}}]}");
	ts_buf_char(&json, '\0');
	assert_int_equal(json.failed, TS_OK);
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/facts.json", (const char *)json.data);
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.facts.n, 7);
	test_round_trip(&t);
	ts_buf_finish(&json);
	test_run_finish(&t);
}

/* In an export, [10] stands before [2], so the word that follows --auth in the file is not the one that follows it in
 * the list. */
static void words_of_a_command_keep_their_order(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(
		&t, "run/facts.json",
		"{\"session\": {\"argv\": [\"t.py\", \"--auth\", \"s\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\", \"ten\"]}}");
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_fact(&t, "session.argv[2]"), "<redacted>");
	assert_string_equal(test_fact(&t, "session.argv[10]"), "ten");
	test_round_trip(&t);
	test_run_finish(&t);
	/* The same list is written in that order by hand. */
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/facts.json",
		   "{\"paths\": {\"session.argv[0]\": \"t.py\", \"session.argv[2]\": \"s\", \"session.argv[1]\": \"--auth\"}}");
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_fact(&t, "session.argv[2]"), "<redacted>");
	test_run_finish(&t);
}

static void keys_that_stand_twice_are_counted(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/run.json", "{\"name\": \"n\", \"config\": {\"a\": 1, \"a\": 2}, \"config\": {\"a\": 3, \"b\": 4}}");
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_fact(&t, "config.a"), "3");
	test_expect_notice(&t, "duplicate_key", TS_NOTICE_INFO, 0, 2);
	assert_true(ts_span_is(test_notice(&t, "duplicate_key")->file, "run.json"));
	test_round_trip(&t);
	test_run_finish(&t);
	/* Equal groups in another object of "sources" are no repetition. "sources" itself may be repeated. */
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/facts.json", "{\"config\": {\"a\": 1}, \"sources\": [{\"source\": \"host\", \"config\": {\"a\": 2}}]}");
	test_ingest_ok(&t, t.path);
	assert_null(test_notice(&t, "duplicate_key"));
	test_write(&t, "run/facts.json", "{\"config\": {\"a\": 1}, \"sources\": [{\"source\": \"host\", \"config\": {\"a\": 2}}],"
					 "\"config\": {\"b\": 1}}");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.facts.n, 2);
	test_expect_notice(&t, "duplicate_key", TS_NOTICE_INFO, 0, 1);
	test_run_finish(&t);
}

static void odd_run_json(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/run.json",
		   "{\"flops_per_step\":\"6e12\",\"config\":[1,{\"a\":null}],\"environment\":\"none\",\"name\":null}");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.notices.n, 0);
	assert_string_equal(test_fact(&t, "work.flops_per_step"), "6e12"); /* a text stays a text */
	assert_string_equal(test_fact(&t, "other.config[1].a"), "null");
	assert_string_equal(test_fact(&t, "other.environment"), "none");
	assert_int_equal(t.result.own_name.len, 0);
	test_round_trip(&t);
	test_run_finish(&t);
}

static void broken_facts_json_is_an_error(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/facts.json", "{\"config\":{\"lr\":}}");
	expect_error(&t, TS_INVALID, "run/facts.json: byte 16");
	test_write(&t, "run/facts.json", "{\"weather\":{\"sun\":1}}");
	expect_error(&t, TS_INVALID, "'weather' is not a group");
	test_run_finish(&t);
}

static void who_said_it(void **state)
{
	struct ts_fact pushed = {.path = ts_span_str("config.lr"),
				 .type = TS_FACT_FLOAT,
				 .source = TS_SOURCE_PUSHER,
				 .real = 0.3};
	struct ts_facts given = {.items = &pushed, .n = 1};
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/run.json", "{\"config\":{\"lr\":0.1,\"layers\":[4,8]}}");
	test_write(&t, "run/facts.json",
		   "{\"config\":{\"lr\":0.2},\"sources\":[{\"source\":\"host\",\"session\":{\"host\":\"h1\"}}]}");
	t.facts = &given;
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_fact(&t, "config.lr"), "0.3");
	assert_int_equal(t.result.facts.n, 6);
	assert_int_equal(t.result.facts.items[2].source, TS_SOURCE_RUN_JSON);
	assert_int_equal(t.result.facts.items[3].source, TS_SOURCE_FACTS_JSON);
	assert_int_equal(t.result.facts.items[4].source, TS_SOURCE_PUSHER);
	assert_int_equal(ts_facts_find(&t.result.facts, ts_span_str("session.host"))->source, TS_SOURCE_HOST);
	test_round_trip(&t);
	test_run_finish(&t);
}

/* Facts beside the rank directories count if the rank says nothing on the same path. A list is one value. */
static void near_facts_hide_far_ones(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/rank0/steps.jsonl", STEP);
	test_write(&t, "run/rank0/run.json", "{\"config\":{\"list\":[9],\"tree\":1,\"deep\":{\"a\":1},\"esc.aped\":1}}");
	test_write(&t, "run/run.json", "{\"config\":{\"list\":[1,2,3],\"tree\":{\"a\":2},\"deep\":{\"b\":2},"
				       "\"esc.aped\":2,\"esc\":{\"aped\":3}}}");
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_fact(&t, "config.list[0]"), "9");
	assert_string_equal(test_fact(&t, "config.list[1]"), "");
	assert_string_equal(test_fact(&t, "config.tree"), "1");
	assert_string_equal(test_fact(&t, "config.tree.a"), "");
	assert_string_equal(test_fact(&t, "config.deep.b"), "2");
	assert_string_equal(test_fact(&t, "config.esc\\.aped"), "1");
	assert_string_equal(test_fact(&t, "config.esc.aped"), "3");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void long_facts_lie_beside_the_head(void **state)
{
	struct ts_buf json = TS_BUF_INIT(8 << 20);
	const struct ts_fact *fact;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	ts_buf_str(&json, "{\"config\":{\"short\":\"");
	for (int i = 0; i < 1024; i++)
		ts_buf_char(&json, 's');
	ts_buf_str(&json, "\",\"long\":\"");
	for (int i = 0; i < 100000; i++)
		ts_buf_char(&json, (char)('a' + i % 26));
	ts_buf_str(&json, "\",\"too_long\":\"");
	for (int i = 0; i < (1 << 20) + 1; i++)
		ts_buf_char(&json, 'x');
	ts_buf_str(&json, "\"}}");
	test_write_bytes(&t, "run/run.json", json.data, json.len);
	ts_buf_finish(&json);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "long_fact", TS_NOTICE_SKIPPED, 0, 1);
	assert_int_equal(t.result.facts.n, 2);
	fact = ts_facts_find(&t.result.facts, ts_span_str("config.long"));
	assert_int_equal(fact->type, TS_FACT_LONG);
	assert_int_equal(fact->text_len, 100000);
	assert_true(test_objects_has(&t.objects, &fact->text_id));
	assert_int_equal(ts_facts_find(&t.result.facts, ts_span_str("config.short"))->type, TS_FACT_TEXT);
	test_round_trip(&t);
	test_run_finish(&t);
}

static void secrets_stay_at_home(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEP);
	test_write(&t, "run/run.json",
		   "{\"config\":{\"db_password\":\"hunter2\",\"n_tokens\":7,\"pad_token\":\"<pad>\",\"hf_token\":\"hf_abc\","
		   "\"auth\":{\"user\":\"me\",\"on\":true},\"apiKey\":12345,\"author\":\"A\",\"tokenizer\":\"bpe\","
		   "\"url\":\"postgres://me:pw@host/db and http://a:b@c\",\"clean\":\"ssh://git@host/x\"}}");
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_fact(&t, "config.db_password"), "<redacted>");
	assert_string_equal(test_fact(&t, "config.hf_token"), "<redacted>");
	assert_string_equal(test_fact(&t, "config.auth.user"), "<redacted>");
	assert_string_equal(test_fact(&t, "config.auth.on"), "true");
	assert_string_equal(test_fact(&t, "config.apiKey"), "<redacted>");
	assert_string_equal(test_fact(&t, "config.n_tokens"), "7");
	assert_string_equal(test_fact(&t, "config.pad_token"), "<pad>");
	assert_string_equal(test_fact(&t, "config.author"), "A");
	assert_string_equal(test_fact(&t, "config.tokenizer"), "bpe");
	assert_string_equal(test_fact(&t, "config.url"), "postgres://<redacted>@host/db and http://<redacted>@c");
	assert_string_equal(test_fact(&t, "config.clean"), "ssh://git@host/x");
	test_expect_notice(&t, "redacted", TS_NOTICE_INFO, 0, 5);
	for (size_t i = 0; i < t.objects.n; i++)
		assert_null(memmem(t.objects.items[i].bytes.data, t.objects.items[i].bytes.len, "hunter2", 7));
	test_round_trip(&t);
	test_run_finish(&t);
}

struct stop {
	uint64_t calls, last, total;
	uint64_t stop_at;
};

static bool tell(void *ctx, uint64_t done, uint64_t total)
{
	struct stop *stop = ctx;

	assert_true(done >= stop->last && done <= total);
	stop->last = done;
	stop->total = total;
	return ++stop->calls != stop->stop_at;
}

static void progress_is_told_and_can_stop(void **state)
{
	struct ts_buf steps = TS_BUF_INIT(64 << 20);
	struct stop stop = {0};
	struct test_run t;
	struct ts_ingest_options options = {.path = t.path, .progress = tell, .progress_ctx = &stop};

	(void)state;
	test_run_init(&t);
	for (int i = 0; i < 200000; i++)
		ts_buf_printf(&steps, "{\"step\":%d,\"scalars\":{\"loss\":%d.25,\"grad_norm\":0.125}}\n", i, i);
	test_write_bytes(&t, "run/steps.jsonl", steps.data, steps.len);
	assert_int_equal(ts_ingest(&options, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err), TS_OK);
	assert_true(stop.calls >= 2);
	assert_int_equal(stop.total, steps.len);
	assert_int_equal(t.result.bytes_read, steps.len);
	stop = (struct stop){.stop_at = 2};
	assert_int_equal(ts_ingest(&options, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err), TS_CANCELLED);
	ts_buf_finish(&steps);
	test_run_finish(&t);
}

struct grower {
	char path[256];
	const char *text;
	off_t cut;
	bool done;
};

static bool change_file(void *ctx, uint64_t done, uint64_t total)
{
	struct grower *g = ctx;
	int fd;

	(void)done;
	(void)total;
	if (g->done)
		return true;
	g->done = true;
	if (g->cut) {
		assert_int_equal(truncate(g->path, g->cut), 0);
		return true;
	}
	fd = open(g->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, g->text, strlen(g->text)), strlen(g->text));
	(void)close(fd);
	return true;
}

/* A loss beside scalars stays where it is, and is said to be no loss; files that look like steps of ranks are said to be unread. */
static void what_is_not_where_it_belongs(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/steps_rank1.jsonl", "{\"step\": 1}\n");
	test_steps(&t, "{\"step\": 1, \"loss\": 2.5, \"scalars\": {\"lr\": 0.5}}\n");
	assert_non_null(strstr(test_jsonl(&t), "},\"loss\":2.5}"));
	test_expect_notice(&t, "flat_scalar", TS_NOTICE_INFO, 0, 1);
	test_expect_notice(&t, "unread_steps", TS_NOTICE_SKIPPED, 0, 1);
	test_steps(&t, "{\"step\": 1, \"scalars\": {\"loss\": 2.5}}\n");
	assert_null(test_notice(&t, "flat_scalar"));
	test_run_finish(&t);
}

static void a_file_that_changes_meanwhile(void **state)
{
	struct ts_buf steps = TS_BUF_INIT(64 << 20);
	struct grower grower = {.text = "\"x\":7}\n"};
	struct test_run t;
	struct ts_ingest_options options = {.path = t.path, .progress = change_file, .progress_ctx = &grower};

	(void)state;
	test_run_init(&t);
	(void)snprintf(grower.path, sizeof grower.path, "%s/run/steps.jsonl", t.base);
	for (int i = 0; i < 200000; i++)
		ts_buf_printf(&steps, "{\"step\":%d,\"scalars\":{\"loss\":%d.25,\"grad_norm\":0.125}}\n", i, i);
	ts_buf_str(&steps, "{\"step\":200000,");
	test_write_bytes(&t, "run/steps.jsonl", steps.data, steps.len);
	assert_int_equal(ts_ingest(&options, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err), TS_OK);
	test_expect_notice(&t, "still_growing", TS_NOTICE_INFO, 200001, 1);
	assert_int_equal(t.result.notices.n, 1);
	assert_int_equal(t.result.rows, 200000);
	grower.done = false;
	grower.cut = 5 << 20;
	assert_int_equal(ts_ingest(&options, test_objects_sink, &t.objects, &t.arena, &t.result, &t.err), TS_IO);
	assert_non_null(strstr(t.err.text, "steps.jsonl: the file became shorter"));
	ts_buf_finish(&steps);
	test_run_finish(&t);
}

/* Each allocation fails once. Each time there is an error, and no leak or crash. */
static void any_allocation_may_fail(void **state)
{
	struct test_run t;
	struct ts_id head;
	size_t n = 0;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/rank0/steps.jsonl",
		   "{\"step\":0,\"x\":1,\"t\":\"a\\nb\",\"l\":[1, 2]}\n{\"step\":1,\"x\":1}\n{\"step\":0,\"x\":2}\nbad\n");
	test_write(&t, "run/rank0/run.json", "{\"name\":\"n\",\"config\":{\"a\":[1,2],\"url\":\"a://b:c@d\"}}");
	test_write(&t, "run/rank1/run.json", "{\"name\":\"m\"}");
	test_write(&t, "run/facts.json", "{\"code\":{\"commit\":\"abc\"}}");
	test_write(&t, "run/run.json", "{\"name\":\"root\",\"config\":{\"a\":[7,8,9],\"b\":1}}");
	test_write(&t, "run/trace.json", "[]");
	test_ingest_ok(&t, t.path);
	head = t.result.head;
	for (size_t at = 1;; at++) {
		struct ts_ingest_options options = {.path = t.path};
		struct ts_ingest_result result;
		struct ts_arena arena;
		struct ts_error err = {.status = TS_OK};
		enum ts_status status;

		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(at);
		status = ts_ingest(&options, test_objects_sink, &t.objects, &arena, &result, &err);
		n = ts_alloc_fail_at(0);
		ts_arena_finish(&arena);
		if (n < at) { /* the failing allocation was never reached, so this run had all its memory */
			assert_int_equal(status, TS_OK);
			break;
		}
		if (status)
			assert_int_equal(status, TS_NO_MEMORY);
		else
			assert_memory_equal(result.head.bytes, head.bytes, TS_ID_BYTES);
	}
	assert_true(n > 30);
	test_run_finish(&t);
}

/* --- whatever lies in a directory: an export of it is the same run --- */

static const char *pick(uint64_t *random, const char *const *list, size_t n)
{
	return list[test_random(random) % n];
}

#define PICK(random, list) pick(random, list, sizeof(list) / sizeof *(list))

static void write_random_steps(struct test_run *t, const char *directory, uint64_t *random)
{
	static const char *const lines[] = {
		"{\"step\":%d,\"phases\":{\"forward\":0.25,\"b.c\":-1},\"scalars\":{\"loss\":NaN}}\n",
		"{\"step\":%d,\"scalars\":{\"loss\":1.5}}\n",
		"{\"step\":%d,\"scalars\":{\"loss\":\"text\"},\"tags\":[1, 2]}\n",
		"{\"step\":%d,\"segment\":{\"a\":1},\"digests\":{\"w\":\"0123456789abcdef\"}}\n",
		"{\"step\":%d,\"segment\":2,\"x\":{\"y\":{},\"z\":true},\"big\":123456789012345678901}\n",
		"{\"step\":%d}\n",
		"{\"step\":%d,\"pha",
		"{\"step\":%d,\"x\":null}{\"no\":1}\n",
		"garbage %d\n",
		"\n",
	};
	struct ts_buf steps = TS_BUF_INIT(1 << 20);
	char name[64];
	int step = 0;

	for (size_t n = test_random(random) % 60; n > 0; n--) {
		const char *line = PICK(random, lines);
		const char *at = strstr(line, "%d");

		ts_buf_bytes(&steps, line, at ? (size_t)(at - line) : strlen(line));
		if (at)
			ts_buf_printf(&steps, "%d%s", step, at + 2);
		step += test_random(random) % 16 ? 1 + (int)(test_random(random) % 3) : -(int)(test_random(random) % 20);
	}
	(void)snprintf(name, sizeof name, "run/%ssteps.jsonl", directory);
	test_write_bytes(t, name, steps.data, steps.len);
	ts_buf_finish(&steps);
}

static void write_random_rank(struct test_run *t, const char *directory, uint64_t *random)
{
	static const char *const metas[] = {
		"{\"name\":\"n\",\"config\":{\"l\":[1,{\"a\":[]}],\"d.e\":{\"f\":null}},\"world_size\":3,\"rank\":0}",
		"{\"name\":\"n\",\"config\":{\"l\":[2],\"d\":{\"e\":2}},\"rank\":1,\"mine\":{\"x\":{}}}",
		"{\"config\":7,\"environment\":{\"python\":\"3\",\"env\":{\"A\":\"1\"},\"new\":[NaN,-0.0]}}",
		"{\"environment\":\"none\",\"other\":{\"config\":1},\"big\":123456789012345678901,\"token\":\"s\"}",
		"[broken",
		"{}",
	};
	static const char *const facts[] = {
		"{\"code\":{\"commit\":\"c\"},\"config\":{\"l\":[9,9,9]}}",
		"{\"source\":\"host\",\"session\":{\"host\":\"h\"},\"sources\":[{\"source\":\"pusher\",\"config\":{\"l\":1}}]}",
		"{\"paths\":{\"config.a\":1,\"config.a.b\":2,\"config.l[7]\":3}}",
		"{}",
	};
	char name[64];

	(void)snprintf(name, sizeof name, "run/%sx", directory);
	test_write(t, name, "");
	if (test_random(random) % 4)
		write_random_steps(t, directory, random);
	(void)snprintf(name, sizeof name, "run/%srun.json", directory);
	if (test_random(random) % 2)
		test_write(t, name, PICK(random, metas));
	(void)snprintf(name, sizeof name, "run/%sfacts.json", directory);
	if (test_random(random) % 2)
		test_write(t, name, PICK(random, facts));
	(void)snprintf(name, sizeof name, "run/%strace.json", directory);
	if (test_random(random) % 4 == 0)
		test_write(t, name, "[]");
}

static void random_directories_come_back(void **state)
{
	uint64_t random = 11;
	int read = 0;

	(void)state;
	for (int i = 0; i < 400; i++) {
		struct test_run t;
		bool multi = test_random(&random) % 2;

		test_run_init(&t);
		write_random_rank(&t, "", &random);
		for (int rank = 0; multi && rank < 4; rank++) {
			char directory[16];

			(void)snprintf(directory, sizeof directory, "rank%d/", rank * rank);
			if (test_random(&random) % 4)
				write_random_rank(&t, directory, &random);
		}
		if (test_ingest(&t) == TS_OK) {
			test_round_trip(&t);
			read++;
		} else {
			assert_int_equal(t.err.status, TS_INVALID);
			assert_non_null(strstr(t.err.text, "is not a run directory"));
		}
		test_run_finish(&t);
	}
	assert_true(read > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_run),
		cmocka_unit_test(a_single_directory),
		cmocka_unit_test(a_single_directory_of_another_rank),
		cmocka_unit_test(rank_directories),
		cmocka_unit_test(as_many_ranks_as_fit),
		cmocka_unit_test(rank_0_is_empty),
		cmocka_unit_test(two_directories_for_one_rank),
		cmocka_unit_test(a_rank_that_says_another),
		cmocka_unit_test(legacy_siblings),
		cmocka_unit_test(traces_are_kept_as_they_are),
		cmocka_unit_test(only_files_of_the_job),
		cmocka_unit_test(broken_run_json),
		cmocka_unit_test(odd_run_json),
		cmocka_unit_test(facts_that_do_not_nest),
		cmocka_unit_test(words_of_a_command_keep_their_order),
		cmocka_unit_test(keys_that_stand_twice_are_counted),
		cmocka_unit_test(broken_facts_json_is_an_error),
		cmocka_unit_test(who_said_it),
		cmocka_unit_test(near_facts_hide_far_ones),
		cmocka_unit_test(long_facts_lie_beside_the_head),
		cmocka_unit_test(secrets_stay_at_home),
		cmocka_unit_test(progress_is_told_and_can_stop),
		cmocka_unit_test(what_is_not_where_it_belongs),
		cmocka_unit_test(a_file_that_changes_meanwhile),
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(random_directories_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
