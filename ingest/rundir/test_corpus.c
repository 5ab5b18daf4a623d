/* Run directories that pytscope wrote: those of tests/golden always, those of ../shared/corpus where it is.
 *
 * What is expected is computed by Python's json module over the same files: every number of every record, by rank, step
 * and name, is compared with what the run holds.
 */
#include "ingest/core/test_support.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Reads the directory as pytscope's reader does, with two corrections: glued records are split into two, and text that
 * is not JSON is skipped. Then compares the values with those of the export, bit by bit. */
static const char script[] =
	"import json, os, sys, struct, math\n"
	"path, lines = sys.argv[1], sys.argv[2]\n"
	"def bits(x): return 'nan' if isinstance(x, float) and math.isnan(x) else struct.pack('<d', float(x))\n"
	"expected = {}\n"
	"ranks = [d for d in os.listdir(path) if d.startswith('rank') and d[4:].isdigit()]\n"
	"for d in ranks or ['']:\n"
	"    f = os.path.join(path, d, 'steps.jsonl')\n"
	"    for line in open(f, encoding='utf-8') if os.path.exists(f) else []:\n"
	"        at, dec = 0, json.JSONDecoder()\n"
	"        line = line.strip()\n"
	"        while at < len(line):\n"
	"            try: r, at = dec.raw_decode(line, at)\n"
	"            except ValueError: break\n"
	"            row = {}\n"
	"            if 'timestamp' in r: row['timestamp'] = r['timestamp']\n"
	"            for s in ('phases', 'scalars', 'memory'):\n"
	"                for k, v in r.get(s, {}).items(): row[s + '.' + k] = v\n"
	"            expected[int(d[4:] or 0), r['step']] = {k: bits(v) for k, v in row.items()}\n"
	"got = {}\n"
	"for line in open(lines):\n"
	"    r = json.loads(line)\n"
	"    row = {}\n"
	"    if 'timestamp' in r: row['timestamp'] = r['timestamp']\n"
	"    for s in ('phases', 'scalars', 'memory'):\n"
	"        for k, v in r.get(s, {}).items(): row[s + '.' + k] = v\n"
	"    got[r['rank'], r['step']] = {k: bits(float(v)) for k, v in row.items()}\n"
	"assert got == expected, [k for k in set(got) | set(expected) if got.get(k) != expected.get(k)][:5]\n"
	"print(len(got), 'steps agree')\n";

static void check_run(const char *path)
{
	struct test_run t;

	test_run_init(&t);
	test_ingest_ok(&t, path);
	test_script(&t, script, path, NULL, "> /dev/null");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void check_all(const char *directory)
{
	struct ts_arena arena;
	struct ts_error err;
	char **names;
	size_t n;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_list_dir(directory, &arena, &names, &n, &err), TS_OK);
	for (size_t i = 0; i < n; i++) {
		char *path = ts_arena_printf(&arena, "%s/%s", directory, names[i]);

		if (ts_file_kind(path) == TS_FILE_DIRECTORY)
			check_run(path);
	}
	ts_arena_finish(&arena);
}

static void golden_runs(void **state)
{
	(void)state;
	check_all("tests/golden/pytscope");
}

static void shared_corpus(void **state)
{
	(void)state;
	if (ts_file_kind("../shared/corpus/pytscope/runs") != TS_FILE_DIRECTORY) {
		print_message("skipped: no ../shared/corpus here\n");
		skip();
	}
	check_all("../shared/corpus/pytscope/runs");
}

/* The expected numbers are those of the README beside the runs. */
static void what_is_known_of_golden_runs(void **state)
{
	struct test_run t;
	struct ts_id glue;

	(void)state;
	test_run_init(&t);
	assert_int_equal(test_ingest_path(&t, "tests/golden/pytscope/glue"), TS_OK);
	assert_int_equal(t.result.rows, 20);
	test_expect_notice(&t, "glued_records", TS_NOTICE_INFO, 6, 1);
	glue = t.result.head;
	assert_int_equal(test_ingest_path(&t, "tests/golden/pytscope/trunc"), TS_OK);
	test_expect_notice(&t, "cut_line", TS_NOTICE_SKIPPED, 21, 1);
	assert_memory_equal(glue.bytes, t.result.head.bytes, TS_ID_BYTES);
	assert_int_equal(test_ingest_path(&t, "tests/golden/pytscope/demo"), TS_OK);
	assert_int_equal(t.result.first_step, 5); /* five steps of warm-up were not stored */
	assert_int_equal(t.result.last_step, 99);
	assert_true(t.result.finished);
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(test_ingest_path(&t, "tests/golden/pytscope/ddp_manual"), TS_OK);
	assert_int_equal(t.result.n_ranks, 3);
	assert_int_equal(t.result.world_size, 3);
	assert_int_equal(t.result.n_missing, 0);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_runs),
		cmocka_unit_test(shared_corpus),
		cmocka_unit_test(what_is_known_of_golden_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
