/* trace_sniff.h and trace_foreign.h: files that are traces, by name or by content, and those of other tools that are none. */
#include "ingest/trace/trace_foreign.h"
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

static const char *foreign(const char *name, struct ts_span text)
{
	const char *what;
	struct ts_error err;

	assert_int_equal(ts_trace_foreign(fuzz_folder_put(name, text), &what, &err), TS_OK);
	return what ? what : "";
}

/* Each begins as its profiler writes it. */
static void files_of_other_profilers(void **state)
{
	static const struct {
		const char *name, *text, *says;
	} files[] = {
		{"et.json", "{\n  \"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 10, \"nodes\": [", "execution trace"},
		{"host.xplane.pb", "\n\x05/host", "xplane"},
		{"r_results.json", "{\"rocprofiler-sdk-tool\": [{\"metadata\": {", "rocprofv3"},
		{"report1.nsys-rep", "NVIDIA", "Nsight Systems"},
		{"memory.raw.json", "[[1700000000000, 1, 2048, 3], [-1, 2, 512, 1", "memory timeline"},
		{"memory.json", "[[1, 2, 3], [[0, 0, 512], [0", "memory timeline"},
		{"trace.json", "{\"schemaVersion\": 1, \"deviceProperties\": [], \"traceEvents\": [", ""},
		{"a.json", "[1, 2]", ""},
		{"a.json", "[[\"a\", 1]]", ""},
		{"a.db", "SQLite format 3", ""},
		{"a.json", "{\"schema\": 1, \"nodes\": []}", ""},
		{"a.json", "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		const char *what = foreign(files[i].name, ts_span_str(files[i].text));

		if (*files[i].says ? !strstr(what, files[i].says) : *what != '\0')
			fail_msg("%s: %s", files[i].name, what);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_name),
		cmocka_unit_test(by_content),
		cmocka_unit_test(files_of_other_profilers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
