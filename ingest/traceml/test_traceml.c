/* TraceML's final_summary.json: nothing of it is lost, whatever its size; and damage. */
#include "ingest/core/test_support.h"

#include "ingest/discover.h"
#include "ingest/facts/facts_json.h"
#include "ingest/traceml/reader_traceml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN "tests/golden/traceml/summary"
#define HEAD "{\"schema_version\":1.7,\"meta\":{\"run_name\":\"r\",\"world_size\":2},"
#define REST "\"system\":{},\"process\":{},\"step_time\":{},\"step_memory\":{}}"

/* Each leaf of the file must be among the facts as it is written: a float is not an integer, and null is null. */
static const char check[] = "want = json.load(open(sys.argv[1]))\n"
			    "facts = json.load(open(sys.argv[2]))['other']\n"
			    "got = facts['traceml']\n"
			    "def put(to, parts):\n"
			    "    for k, v in parts.items():\n"
			    "        if isinstance(v, dict): put(to.setdefault(k, {}), v)\n"
			    "        else:\n"
			    "            assert k not in to, k\n"
			    "            to[k] = json.loads(v)\n"
			    "texts = facts.get('traceml_json', {})\n"
			    "assert len(str(texts)) >= int(sys.argv[3]), len(str(texts))\n"
			    "put(got, texts)\n"
			    "def leaves(v, p=''):\n"
			    "    items = v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else None\n"
			    "    if items: \n"
			    "        for k, x in items: yield from leaves(x, p + '/' + str(k))\n"
			    "    else: yield p, repr(v)\n"
			    "want, got = dict(leaves(want)), dict(leaves(got))\n"
			    "assert want == got, sorted(set(want.items()) ^ set(got.items()))[:6]\n"
			    "assert len(want) > 20\n";

/* least_text is the least number of bytes that must be kept as texts. */
static void expect_all_of(struct test_run *t, const char *file, size_t least_text)
{
	struct ts_buf json = TS_BUF_INIT(16 << 20);
	struct ts_facts facts = t->result.facts;

	for (size_t i = 0; i < facts.n; i++) {
		struct ts_fact *f = &facts.items[i];

		if (f->type == TS_FACT_LONG)
			f->type = TS_FACT_TEXT; /* the text lives as long as the arena */
	}
	ts_facts_to_json(&facts, &json);
	assert_int_equal(ts_buf_check(&json, &t->err), TS_OK);
	test_write_bytes(t, "facts.json", json.data, json.len);
	ts_buf_finish(&json);
	test_script(t, check, file, "facts.json", "%zu", least_text);
}

static void keeps_all_of_a_summary(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_ingest_ok(&t, GOLDEN);
	assert_string_equal(t.result.format, "TraceML final summary");
	assert_true(t.result.finished);
	assert_int_equal(t.result.rows, 0);
	assert_string_equal(test_fact(&t, "session.name"), "ddp4_balanced");
	assert_string_equal(test_fact(&t, "session.wall_time"), "10.0");
	assert_string_equal(test_fact(&t, "parallelism.world_size"), "4");
	assert_string_equal(test_fact(&t, "parallelism.nodes"), "1");
	assert_string_equal(test_fact(&t, "other.traceml.step_time.global.average.step_time_gpu_ms"), "102.90885791666668");
	expect_all_of(&t, GOLDEN "/final_summary.json", 0);
	test_round_trip(&t);
	test_run_finish(&t);
}

static void summary_of_ranks(struct test_run *t, int ranks)
{
	struct ts_buf text = TS_BUF_INIT(16 << 20);

	ts_buf_str(&text, HEAD "\"system\":{},\"process\":{},\"step_memory\":{\"card\":\"");
	for (int i = 0; i < 3000; i++)
		ts_buf_str(&text, "\\u00e4\\n");
	ts_buf_str(&text, "\"},\"step_time\":{\"global\":{\"average\":{\"step_time_gpu_ms\":1.5}},\"groups\":{\"rows\":{");
	for (int i = 0; i < ranks; i++)
		ts_buf_printf(&text,
			      "%s\"%d\":{\"identity\":{\"global_rank\":%d,\"hostname\":\"node-%d\"},\"metrics\":{\"forward_"
			      "ms\":%d.25,\"h2d_ms\":null}}",
			      i ? "," : "", i, i, i / 8, i);
	ts_buf_str(&text, "}}}}");
	test_write_bytes(t, "final_summary.json", text.data, text.len);
	ts_buf_finish(&text);
}

static void rows_of_many_ranks_become_a_text(void **state)
{
	struct test_run t;
	char file[128];

	(void)state;
	test_run_init(&t);
	(void)snprintf(file, sizeof file, "%s/final_summary.json", t.base);
	summary_of_ranks(&t, 8);
	test_ingest_ok(&t, file);
	assert_string_equal(test_fact(&t, "other.traceml.step_time.groups.rows.7.metrics.forward_ms"), "7.25");
	assert_string_equal(test_fact(&t, "other.traceml.step_time.groups.rows.7.metrics.h2d_ms"), "null");
	assert_null(test_notice(&t, "kept_as_text"));
	expect_all_of(&t, file, 0);
	summary_of_ranks(&t, 1024);
	test_ingest_ok(&t, file);
	test_expect_notice(&t, "kept_as_text", TS_NOTICE_INFO, 0, 1);
	assert_string_equal(test_fact(&t, "other.traceml.step_time.global.average.step_time_gpu_ms"), "1.5");
	test_round_trip(&t);
	test_ingest_ok(&t, file);
	expect_all_of(&t, file, 1024 * 90);
	test_run_finish(&t);
}

static void values_are_kept_as_they_are_written(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write(&t, "x.json",
		   HEAD "\"strange\":{\"a.b\":[1,1.0,null,true,\"1.50\",{}]},\"big\":123456789012345678901234567890,\"nan\":"
			"NaN,\"inf\":-Infinity,"
			"\"twice\":{\"x\":1},\"twice\":2,\"api_key\":\"hunter2\",\"step_time\":{\"twice\":1}," REST);
	assert_int_equal(test_ingest_path(&t, t.path), TS_NOT_FOUND);
	(void)snprintf(t.path, sizeof t.path, "%s/x.json", t.base);
	test_ingest_ok(&t, t.path);
	assert_string_equal(test_fact(&t, "other.traceml.strange.a\\.b[0]"), "1");
	assert_string_equal(test_fact(&t, "other.traceml.strange.a\\.b[1]"), "1.0");
	assert_string_equal(test_fact(&t, "other.traceml.strange.a\\.b[2]"), "null");
	assert_string_equal(test_fact(&t, "other.traceml.strange.a\\.b[3]"), "true");
	assert_string_equal(test_fact(&t, "other.traceml.strange.a\\.b[4]"), "1.50");
	assert_string_equal(test_fact(&t, "other.traceml.big"), "123456789012345678901234567890");
	assert_string_equal(test_fact(&t, "other.traceml.nan"), "NaN");
	assert_string_equal(test_fact(&t, "other.traceml.inf"), "-Infinity");
	assert_string_equal(test_fact(&t, "other.traceml.twice"), "2");
	assert_string_equal(test_fact(&t, "other.traceml.twice.x"), "");
	assert_string_equal(test_fact(&t, "other.traceml.step_time.twice"),
			    ""); /* of two equal sections the last counts, as in Python */
	assert_string_equal(test_fact(&t, "other.traceml.api_key"), "<redacted>");
	test_run_finish(&t);
}

static void a_long_part_with_a_secret_is_left_out(void **state)
{
	struct ts_buf text = TS_BUF_INIT(1 << 20);
	struct test_run t;

	(void)state;
	test_run_init(&t);
	for (int with = 0; with < 2; with++) {
		ts_buf_reset(&text);
		ts_buf_str(&text, HEAD "\"o\":{");
		for (int i = 0; i < 3000; i++)
			ts_buf_printf(&text, "\"k%d\":0,", i);
		ts_buf_str(&text, with ? "\"password\":\"hunter2\"}," REST : "\"word\":0}," REST);
		test_write_bytes(&t, "final_summary.json", text.data, text.len);
		test_ingest_ok(&t, t.base);
		test_expect_notice(&t, "kept_as_text", TS_NOTICE_INFO, 0, 1);
		assert_int_equal(strcmp(test_fact(&t, "other.traceml_json.o"), "<redacted>") == 0, with);
	}
	ts_buf_finish(&text);
	test_run_finish(&t);
}

static void refuse(struct test_run *t, const char *text, const char *why)
{
	test_write(t, "final_summary.json", text);
	assert_int_equal(test_ingest_path(t, t->base), TS_INVALID);
	if (!strstr(t->err.text, why) || !strstr(t->err.text, "final_summary.json: "))
		fail_msg("'%s' is not '%s'", t->err.text, why);
}

static void what_is_no_summary_is_refused_with_its_byte(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	refuse(&t, "", "byte 0: ");
	refuse(&t, "\xef\xbb\xbf{}", "byte 0: ");
	refuse(&t, "[1,2]", "byte 0: this is not a summary of TraceML: an object was expected");
	refuse(&t, "{\"schema_version\": 1.7,", "byte 23: the text ends inside an object");
	refuse(&t, "{\"schema_version\":1.7," REST " x", "byte 80: ");
	refuse(&t, "{\"schema_version\":1.7," REST "{}", "byte 79: there is text after the summary");
	refuse(&t, "{\"schema_version\":null," REST, "it has no schema_version");
	refuse(&t, "{" REST, "it has no schema_version");
	refuse(&t, HEAD "\"system\":{},\"process\":{},\"step_time\":{}}", "it has no section step_memory");
	refuse(&t, HEAD "\"system\":{},\"process\":[],\"step_time\":{},\"step_memory\":{}}",
	       "this is not a summary of TraceML: process is not an object");
	refuse(&t, HEAD "\"system\":{},\"process\":null,\"step_time\":{},\"step_memory\":{}}",
	       "process is not an object");
	refuse(&t, HEAD "\"schema_version\":null," REST, "it has no schema_version"); /* the last value counts */
	refuse(&t, HEAD "\"text\":\"\xff\"," REST, "byte 69: ");
	test_run_finish(&t);
}

static void wrong_types_and_sizes_do_no_harm(void **state)
{
	struct ts_buf text = TS_BUF_INIT(16 << 20);
	struct test_run t;
	char path[128];

	(void)state;
	test_run_init(&t);
	test_write(&t, "final_summary.json",
		   "{\"schema_version\":[],\"meta\":3,\"duration_s\":\"long\",\"primary_diagnosis\":[],\"system\":{\"global\":"
		   "1},\"process\":"
		   "{\"diagnosis\":[[]]},\"step_time\":{\"global\":{\"average\":[],\"window\":\"\"}},\"step_memory\":{"
		   "\"global\":null,\"\":{\"\":0}}}");
	test_ingest_ok(&t, t.base);
	test_expect_notice(&t, "other_schema", TS_NOTICE_INFO, 0, 1);
	assert_string_equal(test_fact(&t, "session.wall_time"), "");
	assert_string_equal(test_fact(&t, "other.traceml.step_memory.global"), "null");
	/* nested to the limit: another member becomes a text, but one that the compare needs is refused */
	for (int needed = 0; needed < 2; needed++) {
		ts_buf_reset(&text);
		ts_buf_str(&text, needed ? HEAD "\"primary_diagnosis\":" : HEAD "\"other\":");
		for (int i = 0; i < 62; i++)
			ts_buf_str(&text, "{\"\":");
		ts_buf_char(&text, '0');
		for (int i = 0; i < 62; i++)
			ts_buf_char(&text, '}');
		ts_buf_str(&text, "," REST);
		test_write_bytes(&t, "final_summary.json", text.data, text.len);
		if (needed)
			assert_int_equal(test_ingest_path(&t, t.base), TS_TOO_LARGE);
		else
			test_ingest_ok(&t, t.base);
	}
	assert_non_null(strstr(t.err.text, "byte 81: primary_diagnosis is too deep for a summary"));
	ts_buf_reset(&text);
	ts_buf_char(&text, '{');
	for (int i = 0; i < 5000; i++)
		ts_buf_printf(&text, "\"k%d\":0,", i);
	ts_buf_str(&text, REST);
	test_write_bytes(&t, "final_summary.json", text.data, text.len);
	assert_int_equal(test_ingest_path(&t, t.base), TS_TOO_LARGE);
	assert_non_null(strstr(t.err.text, "more than 4096 members"));
	/* a hundred megabytes of zeros are not read */
	(void)snprintf(path, sizeof path, "%s/final_summary.json", t.base);
	assert_int_equal(truncate(path, 100 << 20), 0);
	assert_int_equal(test_ingest_path(&t, t.base), TS_TOO_LARGE);
	ts_buf_finish(&text);
	test_run_finish(&t);
}

static void files_and_folders_are_known(void **state)
{
	struct ts_found_run *runs;
	struct test_run t;
	char path[128];
	size_t n;

	(void)state;
	test_run_init(&t);
	test_write(&t, "logs/a/final_summary.json", HEAD REST);
	test_write(&t, "logs/b/final_summary.json", "garbage");
	test_write(&t, "logs/c/other.json", "{\"schema_version\":2,\"lhs\":{}}");
	test_write(&t, "by_content.json", HEAD REST);
	(void)snprintf(path, sizeof path, "%s/logs", t.base);
	if (ts_discover(path, &t.arena, &runs, &n, &t.err))
		fail_msg("%s", t.err.text);
	assert_int_equal(n, 2);
	assert_string_equal(runs[0].name, "a");
	assert_string_equal(runs[1].name, "b");
	(void)snprintf(path, sizeof path, "%s/by_content.json", t.base);
	assert_true(ts_traceml_sniff(path) > 0);
	(void)snprintf(path, sizeof path, "%s/logs/c/other.json", t.base);
	assert_int_equal(ts_traceml_sniff(path), 0);
	(void)snprintf(path, sizeof path, "%s/logs/c", t.base);
	assert_int_equal(ts_traceml_sniff(path), 0);
	(void)snprintf(path, sizeof path, "%s/logs/c/final_summary.json", t.base);
	assert_int_equal(symlink("../a/final_summary.json", path), 0);
	(void)snprintf(path, sizeof path, "%s/logs/c", t.base);
	assert_int_equal(ts_traceml_sniff(path), 0); /* a link may lead anywhere */
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_all_of_a_summary),
		cmocka_unit_test(rows_of_many_ranks_become_a_text),
		cmocka_unit_test(values_are_kept_as_they_are_written),
		cmocka_unit_test(a_long_part_with_a_secret_is_left_out),
		cmocka_unit_test(what_is_no_summary_is_refused_with_its_byte),
		cmocka_unit_test(wrong_types_and_sizes_do_no_harm),
		cmocka_unit_test(files_and_folders_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
