/* Runs of sacred: one that it wrote (tests/golden/trackers), and damaged ones. */
#include "ingest/core/test_support.h"
#include "ingest/trackers/reader_sacred.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void as_sacred_writes(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, "tests/golden/trackers/sacred/1");
	assert_string_equal(t.result.format, "sacred run");
	assert_true(t.result.finished);
	assert_int_equal(t.result.segments, 1);
	assert_int_equal(t.result.notices.n, 1);
	assert_non_null(test_notice(&t, "redacted"));
	assert_string_equal(test_fact(&t, "session.name"), "toy");
	assert_string_equal(test_fact(&t, "config.optimizer.kind"), "adam");
	assert_string_equal(test_fact(&t, "config.api_key"), "<redacted>");
	assert_string_equal(test_fact(&t, "other.sacred.status"), "COMPLETED");
	assert_string_equal(test_fact(&t, "other.sacred.result"), "0.5");
	test_script(&t, "run = json.load(open('tests/golden/trackers/sacred/1/run.json'))\n"
			"for line in open(sys.argv[2]):\n"
			"    row = json.loads(line)\n"
			"    i = row['step'] // 10\n"
			"    want = {'loss': 2 + 9 * math.exp(-i / 12)}\n"
			"    if i % 4 == 0: want['eval/acc'] = i / 16\n"
			"    if i == 3: want['bad'] = 'NaN'\n"
			"    assert row['scalars'] == want, row\n"
			"    import datetime\n"
			"    start = datetime.datetime.fromisoformat(run['start_time'] + '+00:00').timestamp()\n"
			"    assert 0 <= row['timestamp'] - start < 60\n",
		    "x", NULL, "x");
	test_round_trip(&t);
	test_run_finish(&t);
}

static void damaged(void **state)
{
	static const struct {
		const char *metrics, *want; /* an error, or the code of a notice */
		bool fails;
	} cases[] = {
		{"{\"loss\": {\"steps\": [1, 2], \"values\": [2.5, 2", "metrics.json: byte", true},
		{"[1]", "not a JSON object", true},
		{"{\"loss\": {\"steps\": [1, 2], \"values\": [2.5]}}", "bad_metric", false},
		{"{\"loss\": {\"steps\": [1], \"values\": [2.5, 3]}}", "bad_metric", false},
		{"{\"loss\": {\"steps\": [1, null], \"values\": [2.5, 3]}}", "bad_metric", false},
		{"{\"loss\": {\"steps\": [1, 2], \"values\": [2.5, {\"a\": 1}], \"timestamps\": 7}}", "not_scalar", false},
		{"{\"loss\": {\"steps\": [1, 2], \"values\": [2.5, [1]], \"timestamps\": [\"x\"]}}", "not_scalar", false},
		{"{\"loss\": {\"steps\": [1]}, \"x\": {\"steps\": [1], \"values\": [2.5]}}", "bad_metric", false},
		{"{\"loss\": 7, \"x\": {\"steps\": [1], \"values\": [2.5]}}", "bad_metric", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct test_run t;

		test_run_init(&t);
		test_write(&t, "run/run.json", "{\"status\": \"FAILED\", \"start_time\": 7}");
		test_write(&t, "run/config.json", "{\"lr\": ");
		test_write(&t, "run/cout.txt", "");
		test_write(&t, "run/metrics.json", cases[i].metrics);
		if ((test_ingest(&t) != TS_OK) != cases[i].fails)
			fail_msg("case %zu: %s", i, t.err.text);
		if (cases[i].fails && !strstr(t.err.text, cases[i].want))
			fail_msg("case %zu: %s", i, t.err.text);
		if (!cases[i].fails && (!test_notice(&t, cases[i].want) || !test_notice(&t, "bad_config")))
			fail_msg("case %zu: no notice", i);
		if (!cases[i].fails)
			assert_non_null(strstr(test_jsonl(&t), "2.5}"));
		test_run_finish(&t);
	}
}

/* A run directory of pytscope has a run.json too. */
static void whose_run_json_it_is(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/run.json", "{}");
	test_write(&t, "run/config.json", "{}");
	assert_int_equal(ts_sacred_sniff(t.path), 0);
	test_write(&t, "run/cout.txt", "");
	assert_true(ts_sacred_sniff(t.path) > 100);
	test_write(&t, "run/steps.jsonl", "");
	assert_int_equal(ts_sacred_sniff(t.path), 0);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_sacred_writes),
		cmocka_unit_test(damaged),
		cmocka_unit_test(whose_run_json_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
