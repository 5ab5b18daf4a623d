/* Every reader, and what finds and writes runs, with its n-th allocation failing, for every n: it says so or makes the same run,
 * leaks nothing (the sanitizer looks), and passes over no run. */
#include "base/alloc.h"
#include "base/file.h"
#include "ingest/core/test_support.h"
#include "ingest/discover.h"
#include "ingest/facts/facts_json.h"
#include "ingest/mlflow/mlflow_db.h"
#include "ingest/readers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Each of the first allocations fails once; of the later ones, only one in STRIDE. */
enum { FIRST = 2000, STRIDE = 17, MOST_ALLOCATIONS = 1000000 };

static struct test_run t;

static int setup(void **state)
{
	(void)state;
	test_run_init(&t);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_run_finish(&t);
	return 0;
}

/* A scenario's result as a digest: equal results have equal digests. */
typedef enum ts_status scenario(const void *ctx, struct ts_arena *arena, struct ts_id *ret_answer, struct ts_error *err);

static void fail_each(const char *what, scenario *run, const void *ctx)
{
	struct ts_id want = {{0}}, got;
	struct ts_error err;
	struct ts_arena arena;
	size_t failed = 0;

	ts_arena_init(&arena, 0);
	if (run(ctx, &arena, &want, &err))
		fail_msg("%s: %s", what, err.text);
	ts_arena_finish(&arena);
	for (size_t n = 1; n < MOST_ALLOCATIONS; n += n < FIRST ? 1 : STRIDE) {
		enum ts_status status;
		size_t made;

		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(n);
		status = run(ctx, &arena, &got, &err);
		made = ts_alloc_fail_at(0);
		ts_arena_finish(&arena);
		if (status && status != TS_NO_MEMORY)
			fail_msg("%s, allocation %zu: %s: %s", what, n, ts_status_word(status), err.text);
		if (!status && !ts_id_eq(&got, &want))
			fail_msg("%s, allocation %zu: another answer", what, n);
		failed += status == TS_NO_MEMORY;
		if (made < n) {
			assert_int_equal(status, TS_OK);
			assert_true(failed > 0);
			return;
		}
	}
	fail_msg("%s allocates without end", what);
}

/* --- scenarios --- */

static enum ts_status drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)ctx;
	(void)id;
	(void)object;
	(void)err;
	return TS_OK;
}

/* Reads the run, and adds every notice to the digest. */
static enum ts_status read_one(const void *ctx, struct ts_arena *arena, struct ts_id *ret_answer, struct ts_error *err)
{
	struct ts_ingest_options options = {.path = ctx};
	const char *hash = strrchr(options.path, '#');
	struct ts_ingest_result result;
	struct ts_hasher hasher;
	char path[256];

	if (hash) {
		(void)snprintf(path, sizeof path, "%.*s", (int)(hash - options.path), options.path);
		options.path = path;
		options.part = hash + 1;
	}
	if (ts_ingest(&options, drop, NULL, arena, &result, err))
		return err->status;
	if (ts_hasher_init(&hasher, err))
		return err->status;
	ts_hasher_start(&hasher);
	ts_hasher_add(&hasher, ts_span_of(result.head.bytes, TS_ID_BYTES));
	ts_hasher_add(&hasher, ts_span_str(result.format));
	for (size_t i = 0; i < result.notices.n; i++) {
		const struct ts_notice *n = &result.notices.items[i];

		ts_hasher_add(&hasher, ts_span_str(n->code));
		ts_hasher_add(&hasher, n->detail);
		ts_hasher_add(&hasher, ts_span_of(&n->count, sizeof n->count));
	}
	ts_hasher_end(&hasher, ret_answer);
	ts_hasher_finish(&hasher);
	return TS_OK;
}

static enum ts_status find(const void *ctx, struct ts_arena *arena, struct ts_id *ret_answer, struct ts_error *err)
{
	struct ts_found_run *runs;
	struct ts_hasher hasher;
	size_t n;

	if (ts_discover(ctx, arena, &runs, &n, err))
		return err->status;
	if (ts_hasher_init(&hasher, err))
		return err->status;
	ts_hasher_start(&hasher);
	for (size_t i = 0; i < n; i++) {
		ts_hasher_add(&hasher, ts_span_str(runs[i].path));
		ts_hasher_add(&hasher, ts_span_str(runs[i].name));
		ts_hasher_add(&hasher, ts_span_str(runs[i].reader->name));
		ts_hasher_add(&hasher, ts_span_str(runs[i].part ? runs[i].part : ""));
	}
	ts_hasher_end(&hasher, ret_answer);
	ts_hasher_finish(&hasher);
	return TS_OK;
}

static const char *below(const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof path, "%s/%s", t.base, name);
	return path;
}

/* --- tests --- */

static const char *const folders[] = {
	"tests/golden/pytscope",    "tests/golden/demo/runs",	"tests/golden/tensorboard", "tests/golden/traceml",
	"tests/golden/huggingface", "tests/golden/files",	"tests/golden/mlflow",	    "tests/golden/wandb",
	"tests/golden/text",	    "tests/golden/deepspeed",   "tests/golden/trackers",
	"tests/cli/runs",
};

/* Reads every run in the folder, and the search for them. */
static void read_folder(const char *folder)
{
	struct ts_found_run *runs;
	struct ts_arena arena;
	size_t n;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_discover(folder, &arena, &runs, &n, &t.err), TS_OK);
	fail_each(folder, find, folder);
	for (size_t i = 0; i < n; i++) {
		struct ts_id ignored;

		if (read_one(runs[i].path, &arena, &ignored, &t.err) == TS_OK) /* some folders of tests/cli are not runs */
			fail_each(runs[i].path, read_one, runs[i].path);
	}
	ts_arena_finish(&arena);
}

static void each_golden_run(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		read_folder(folders[i]);
}

static void tables_by_hand(void **state)
{
	(void)state;
	test_write(&t, "t.csv", "step,loss,lr\n0,1.5,0.1\n1,1.25,0.1\n1,1.125,\nbad,,\n");
	test_write(&t, "l.jsonl",
		   "{\"step\": 0, \"loss\": 2.5, \"note\": \"a\\nb\"}\n{\"step\": 1, \"loss\": 2.25, \"x\": {\"y\": 1}}\nbad\n");
	test_write(&t, ".tscope-map", "loss = loss\n");
	fail_each("a table", read_one, below("t.csv"));
	fail_each("JSON Lines", read_one, below("l.jsonl"));
	fail_each("a folder of both", find, t.base);
}

static enum ts_status fact_of_argument(const void *ctx, struct ts_arena *arena, struct ts_id *ret_answer, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(1 << 16);
	struct ts_fact fact;
	enum ts_status status;

	if (ts_fact_from_arg(ts_span_str(ctx), TS_SOURCE_PUSHER, arena, &fact, err))
		return err->status;
	ts_fact_print(&fact, &text);
	status = ts_buf_check(&text, err);
	ts_digest(ts_buf_view(&text), ret_answer);
	ts_buf_finish(&text);
	return status;
}

static void facts_of_arguments(void **state)
{
	static const char *const arguments[] = {"config.a=\"one\\ntwo\"", "config.a=1.5", "config.a=one two", "config.token=x",
						"session.command=t.py --token x u://a:b@c"};

	(void)state;
	for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
		fail_each(arguments[i], fact_of_argument, arguments[i]);
}

static void databases(void **state)
{
	struct ts_found_run *runs;
	char command[512], part[256];
	size_t n;

	(void)state;
	(void)snprintf(command, sizeof command,
		       "python3 -c \"import sqlite3; "
		       "sqlite3.connect('%s').executescript(open('tests/golden/mlflow/mlflow.db.sql').read())\"",
		       below("x.db"));
	assert_int_equal(system(command), 0);
	if (!ts_mlflow_db_built)
		skip();
	fail_each("a database", find, below("x.db"));
	assert_int_equal(ts_discover(below("x.db"), &t.arena, &runs, &n, &t.err), TS_OK);
	(void)snprintf(part, sizeof part, "%s#%s", runs[0].path, runs[0].part);
	fail_each(part, read_one, part);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {T(each_golden_run), T(tables_by_hand), T(facts_of_arguments), T(databases)};

	return cmocka_run_group_tests_name("ingest_alloc", tests, NULL, NULL);
}
