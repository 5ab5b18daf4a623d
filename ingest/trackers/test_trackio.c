/* trackio's databases: one that it wrote (tests/golden/trackers), one of an early version, and damaged ones. */
#include "ingest/core/test_support.h"
#include "ingest/discover.h"
#include "ingest/trackers/reader_trackio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char file[128];

/* Makes base/x.db by a script of SQL, or of a file. */
static void make_base(struct test_run *t, const char *sql, bool is_file)
{
	char command[512];

	(void)snprintf(file, sizeof file, "%s/x.db", t->base);
	if (!is_file)
		test_write(t, "x.sql", sql);
	(void)snprintf(command, sizeof command,
		       "python3 -c \"import sqlite3; sqlite3.connect('%s').executescript(open('%s%s').read())\"", file,
		       is_file ? sql : t->base, is_file ? "" : "/x.sql");
	assert_int_equal(system(command), 0);
}

static enum ts_status read_part(struct test_run *t, const char *part)
{
	struct ts_ingest_options options = {.path = file, .part = part};

	ts_arena_reset(&t->arena);
	return ts_ingest(&options, test_objects_sink, &t->objects, &t->arena, &t->result, &t->err);
}

static bool is_built(void)
{
	return *ts_trackio_loses != '\0';
}

static void as_trackio_writes(void **state)
{
	struct ts_found_run *runs;
	struct test_run t;
	size_t n;
	char part[64];

	(void)state;
	if (!is_built())
		skip();
	test_run_init(&t);
	make_base(&t, "tests/golden/trackers/trackio.db.sql", true);
	assert_int_equal(ts_discover(file, &t.arena, &runs, &n, &t.err), TS_OK);
	assert_int_equal(n, 2);
	assert_string_equal(runs[0].reader->name, "trackio database");
	assert_string_equal(runs[1].own_name, "second run");
	(void)snprintf(part, sizeof part, "%s", runs[1].part);
	if (read_part(&t, part))
		fail_msg("%s", t.err.text);
	assert_int_equal(t.result.notices.n, 0 + (size_t)(test_notice(&t, "redacted") != NULL));
	assert_string_equal(test_fact(&t, "session.name"), "second run");
	assert_string_equal(test_fact(&t, "config.lr"), "0.02");
	assert_string_equal(test_fact(&t, "config.opt.kind"), "adam");
	assert_string_equal(test_fact(&t, "config.api_key"), "<redacted>");
	assert_non_null(strstr(test_fact(&t, "other.trackio.Created"), "2026-"));
	test_script(&t, "got = {}\n"
			"for line in open(sys.argv[2]):\n"
			"    row = json.loads(line)\n"
			"    got[row['step']] = row\n"
			"assert sorted(got) == list(range(12))\n"
			"for i in range(12):\n"
			"    s = got[i]['scalars']\n"
			"    if i == 5: assert s == {'loss': 'NaN', 'inf': 'Infinity', 'deep/a': 1.5}, s\n"
			"    else: assert s == {'loss': 2 + 9 * math.exp(-i / 12), 'lr': 0.02}, s\n"
			"    assert got[i]['timestamp'] > 1.79e9\n"
			"assert got[3]['extra'] == {'note': 'x'}\n",
		    "x", NULL, "x");
	test_round_trip(&t);
	assert_int_equal(read_part(&t, NULL), TS_INVALID);
	assert_non_null(strstr(t.err.text, "there are 2 runs; give one of them as"));
	assert_int_equal(read_part(&t, "none"), TS_NOT_FOUND);
	test_run_finish(&t);
}

#define SCHEMA "CREATE TABLE configs (id INTEGER, run_name TEXT, config TEXT, created_at TEXT);" \
	"CREATE TABLE metrics (id INTEGER, timestamp TEXT, run_name TEXT, step INTEGER, metrics TEXT);"

/* Early versions had no ids of runs. What is no JSON, or has no step, is left out and said. */
static void odd_rows(void **state)
{
	struct test_run t;

	(void)state;
	if (!is_built())
		skip();
	test_run_init(&t);
	make_base(&t,
		  SCHEMA "INSERT INTO configs VALUES (1, 'a', '[1]', 'x');"
			 "INSERT INTO metrics VALUES (1, '2026-11-20T11:27:00', 'a', 0, '{\"loss\": 2.5, \"l\": [1]}');"
			 "INSERT INTO metrics VALUES (2, NULL, 'a', 1, '{\"loss\": 2.');"
			 "INSERT INTO metrics VALUES (3, 'x', 'a', 2, '7');"
			 "INSERT INTO metrics VALUES (4, 'x', 'a', 'three', '{\"loss\": 2}');"
			 "INSERT INTO metrics VALUES (5, 'x', 'a', 4, X'7B226C6F7373223A2031FF7D');",
		  false);
	if (read_part(&t, NULL))
		fail_msg("%s", t.err.text);
	if (!strstr(test_jsonl(&t), "{\"loss\":2.5}"))
		fail_msg("%s", test_jsonl(&t));
	assert_int_equal(t.result.rows, 1);
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 2, 2);
	test_expect_notice(&t, "bad_step", TS_NOTICE_SKIPPED, 4, 1);
	test_expect_notice(&t, "not_object", TS_NOTICE_SKIPPED, 3, 1);
	test_expect_notice(&t, "not_scalar", TS_NOTICE_SKIPPED, 1, 1);
	test_expect_notice(&t, "bad_config", TS_NOTICE_SKIPPED, 0, 1);
	test_run_finish(&t);
}

static void bases_of_others(void **state)
{
	static const char *const cases[] = {
		"CREATE TABLE metrics (run_name TEXT, step INTEGER);CREATE TABLE configs (x)",
		"CREATE TABLE m (run_name, step, timestamp, metrics); CREATE TABLE configs (x); CREATE VIEW metrics AS SELECT * FROM m",
		"CREATE TABLE runs (run_uuid TEXT)",
	};

	(void)state;
	if (!is_built())
		skip();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		make_base(&t, cases[i], false);
		assert_int_equal(ts_trackio_sniff(file), 0);
		test_run_finish(&t);
	}
}

#define ONE_ROW "INSERT INTO configs VALUES (1, 'a', '{}', 'x'); INSERT INTO metrics VALUES (1, 'x', 'a', 0, '{\"loss\": 2.5}');"

/* Reads base/folder/x.db below base/folder, or below the database itself if `folder` is not. */
static enum ts_status read_below(struct test_run *t, const char *path, bool folder)
{
	char top[128], database[160];
	struct ts_ingest_options options = {.path = database, .top = folder ? top : NULL};

	(void)snprintf(top, sizeof top, "%s/folder", t->base);
	(void)snprintf(database, sizeof database, "%s/%s", t->base, path);
	ts_arena_reset(&t->arena);
	return ts_ingest(&options, test_objects_sink, &t->objects, &t->arena, &t->result, &t->err);
}

static void make_links(const struct test_run *t, const char *script)
{
	char command[512];

	(void)snprintf(command, sizeof command, "cd %s && %s", t->base, script);
	assert_int_equal(system(command), 0);
}

/* SQLite opens the database and what lies beside it by path; a link there must not lead it elsewhere, and a pipe must not stop it. */
static void links_are_not_followed(void **state)
{
	static const char *const beside[] = {"-wal", "-shm", "-journal"};
	char script[256];
	struct test_run t;

	(void)state;
	if (!is_built())
		skip();
	test_run_init(&t);
	make_base(&t, SCHEMA ONE_ROW, false);
	make_links(
		&t,
		"mkdir folder other && cp x.db folder/own.db && cp x.db other/x.db && touch empty && ln -s ../x.db folder/link.db && "
		"ln -s ../other folder/deep && ln -s folder latest");
	assert_int_equal(read_below(&t, "folder/own.db", true), TS_OK);
	assert_int_equal(read_below(&t, "latest/own.db", false), TS_OK);
	assert_int_equal(read_below(&t, "folder/link.db", false), TS_OK); /* the link was named itself */
	assert_int_equal(read_below(&t, "folder/link.db", true), TS_INVALID);
	assert_int_equal(read_below(&t, "folder/deep/x.db", true), TS_INVALID);
	for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
		(void)snprintf(script, sizeof script, "ln -s ../empty folder/own.db%s", beside[i]);
		make_links(&t, script);
		assert_int_equal(read_below(&t, "folder/own.db", true), TS_INVALID);
		(void)snprintf(script, sizeof script, "rm folder/own.db%s && mkfifo folder/own.db%s", beside[i], beside[i]);
		make_links(&t, script);
		(void)alarm(60);
		assert_int_equal(read_below(&t, "folder/own.db", true), TS_INVALID);
		(void)alarm(0);
		(void)snprintf(script, sizeof script, "rm folder/own.db%s", beside[i]);
		make_links(&t, script);
	}
	assert_int_equal(read_below(&t, "folder/own.db", true), TS_OK);
	test_run_finish(&t);
}

/* The folder that is held open for SQLite is closed with the database. */
static void no_descriptor_is_left(void **state)
{
	struct test_run t;
	int before, after;

	(void)state;
	if (!is_built())
		skip();
	test_run_init(&t);
	make_base(&t, SCHEMA ONE_ROW, false);
	before = dup(0);
	(void)close(before);
	for (int i = 0; i < 3; i++)
		assert_int_equal(read_part(&t, NULL), TS_OK);
	after = dup(0);
	(void)close(after);
	assert_int_equal(before, after);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_trackio_writes),	 cmocka_unit_test(odd_rows),
		cmocka_unit_test(bases_of_others),	 cmocka_unit_test(links_are_not_followed),
		cmocka_unit_test(no_descriptor_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
