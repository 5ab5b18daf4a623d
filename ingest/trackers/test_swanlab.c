/* SwanLab's logs: one that it wrote (tests/golden/trackers), and damaged ones. */
#include "ingest/core/test_support.h"
#include "ingest/trackers/reader_swanlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define LOG "tests/golden/trackers/run-toy.swanlab"

static const char losses[] = "n = int(sys.argv[1])\n"
			     "rows = [json.loads(line) for line in open(sys.argv[2])]\n"
			     "assert [r['step'] for r in rows] == list(range(n)), rows\n"
			     "for i in range(n):\n"
			     "    want = {'loss': 2 + 9 * math.exp(-i / 12), 'zero': 0.0}\n"
			     "    if i == 3 and n == 12: want['bad'] = 'NaN'\n"
			     "    assert {k: rows[i]['scalars'][k] for k in want} == want, rows[i]\n"
			     "    assert rows[i]['timestamp'] > 1.79e9\n";

static void as_swanlab_writes(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, LOG);
	assert_string_equal(t.result.format, "SwanLab log");
	assert_int_equal(ts_notices_skipped(&t.result.notices), 0);
	assert_true(t.result.finished);
	test_script(&t, losses, "12", NULL, "x");
	assert_string_equal(test_fact(&t, "session.name"), "run-a");
	assert_string_equal(test_fact(&t, "other.swanlab.project"), "toy");
	assert_non_null(strstr(test_fact(&t, "session.started"), "2026-"));
	test_round_trip(&t);
	test_run_finish(&t);
}

/* Copies the first n bytes of the log to base/run/x.swanlab, one of them changed (at < n). */
static void copy(struct test_run *t, size_t n, size_t at)
{
	FILE *f = fopen(LOG, "rb");
	uint8_t bytes[16384];
	size_t got;

	assert_non_null(f);
	got = fread(bytes, 1, sizeof bytes, f);
	(void)fclose(f);
	if (n > got)
		n = got;
	if (at < n)
		bytes[at] ^= 0x40;
	test_write_bytes(t, "run/x.swanlab", bytes, n);
}

static void damaged(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	copy(&t, 900, SIZE_MAX);
	test_ingest_ok(&t, t.path);
	assert_non_null(test_notice(&t, "cut_record"));
	assert_false(t.result.finished);
	assert_in_range(t.result.rows, 1, 11);
	copy(&t, SIZE_MAX, 900);
	test_ingest_ok(&t, t.path);
	assert_non_null(test_notice(&t, "bad_block"));
	assert_in_range(t.result.rows, 1, 11);
	copy(&t, SIZE_MAX, 6);
	assert_int_equal(test_ingest(&t), TS_INVALID);
	assert_non_null(strstr(t.err.text, "byte 6: a SwanLab log of version 2 does not begin like this"));
	test_write(&t, "run/y.swanlab", "");
	assert_int_equal(ts_swanlab_sniff(t.path), 0);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_swanlab_writes),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
