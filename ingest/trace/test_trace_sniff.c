/* trace_sniff.h: files that are traces, by name or by content, and those of other tools that are none. */
#include "ingest/trace/trace_sniff.h"

#include "tests/fuzz/fuzz_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void by_name(void **state)
{
	(void)state;
	assert_true(ts_trace_named("runs/a/host_12.1694128201545.pt.trace.json"));
	assert_true(ts_trace_named("host_12.1694128201545.pt.trace.json.gz"));
	assert_true(ts_trace_named("./trace.json"));
	assert_true(ts_trace_named("profiler_trace.json.gz"));
	assert_true(ts_trace_named("/x/kineto.json"));
	assert_false(ts_trace_named("mytrace.json"));
	assert_false(ts_trace_named("trace.json.bak"));
	assert_false(ts_trace_named("trace.json/steps.jsonl"));
}

static bool is_trace(const char *name, const char *text)
{
	struct ts_error err;
	bool is;

	assert_int_equal(ts_trace_sniff(fuzz_folder_put(name, ts_span_str(text)), &is, &err), TS_OK);
	return is;
}

static void by_content(void **state)
{
	struct ts_error err;
	bool is;

	(void)state;
	assert_true(is_trace("a.json", "{\"traceEvents\": []}"));
	assert_true(is_trace("a.json", "\xef\xbb\xbf\r\n {\"schemaVersion\": 1, \"deviceProperties\": ["));
	assert_true(is_trace("a.json", "[{\"ph\": \"X\"}]"));
	assert_true(is_trace("trace.json", "")); /* whose reader says that it is empty */
	assert_false(is_trace("a.json", "[1, 2]"));
	assert_false(is_trace("a.json", "{\"step\": 1, \"loss\": 2.5}\n"));
	assert_false(is_trace("a.json", "traceEvents"));
	assert_false(is_trace("a.json", ""));
	assert_int_equal(ts_trace_sniff(fuzz_folder(), &is, &err), TS_OK);
	assert_false(is);
	assert_int_equal(ts_trace_sniff("/nowhere/trace.json", &is, &err), TS_OK);
	assert_false(is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_name),
		cmocka_unit_test(by_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
