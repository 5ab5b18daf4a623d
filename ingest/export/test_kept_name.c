#include "ingest/export/kept_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void names(void **state)
{
	static const struct {
		const char *name, *kept;
	} cases[] = {
		{"trace.json.gz", "trace.json.gz"},
		{"\xc3\xa9t\xc3\xa9 100%.pickle", "\xc3\xa9t\xc3\xa9 100%.pickle"},
		{"events.jsonl", "events.jsonl"},
		{"rank0_snapshot.pickle", "rank0_snapshot.pickle"},
		{"a\nb.pickle", "a%0Ab.pickle"},
		{"bad\xff.pickle", "bad%FF.pickle"},
		{"\x7f\x1b[31m", "%7F%1B[31m"},
		{"steps.jsonl", "steps.jsonl.kept"},
		{"run.json", "run.json.kept"},
		{"recording.2.tscope", "recording.2.tscope.kept"},
		{"rank12", "rank12.kept"},
		{"..", "...kept"},
		{"a/b", "a%2Fb"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char kept[TS_KEPT_NAME_BYTES];

		assert_int_equal(ts_kept_name(ts_span_str(cases[i].name), kept), strcmp(cases[i].name, cases[i].kept) != 0);
		assert_string_equal(kept, cases[i].kept);
	}
}

/* The longest name a run may have, of bytes that each take three. */
static void long_names(void **state)
{
	char name[255], kept[TS_KEPT_NAME_BYTES];

	(void)state;
	memset(name, '\n', sizeof name);
	assert_true(ts_kept_name(ts_span_of(name, sizeof name), kept));
	assert_int_equal(strlen(kept), 240);
	memset(name, 'x', sizeof name);
	assert_true(ts_kept_name(ts_span_of(name, sizeof name), kept));
	assert_int_equal(strlen(kept), 240);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
