/* What a file below artifacts/ is called in a run, and back. The encoded forms are written by hand, as RFC 3986 has them. */
#include "run/file_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void names_have_one_part_and_lead_back(void **state)
{
	static const char *const pairs[][2] = {{"MLmodel", "artifacts%2FMLmodel"},
					       {"model/data/model.pkl", "artifacts%2Fmodel%2Fdata%2Fmodel.pkl"},
					       {"100%/a%2Fb", "artifacts%2F100%25%2Fa%252Fb"},
					       {"\xC3\xA9t\xC3\xA9 1.txt", "artifacts%2F\xC3\xA9t\xC3\xA9 1.txt"}};
	char name[TS_FILE_NAME_BYTES];
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct ts_span path;

		assert_true(ts_artifact_name(ts_span_str(pairs[i][0]), name));
		assert_string_equal(name, pairs[i][1]);
		assert_true(ts_is_artifact(ts_span_str(name)));
		path = ts_file_path(ts_span_str(name), &arena);
		assert_true(ts_span_starts(path, ts_span_str("artifacts/")));
		assert_true(ts_span_is(ts_span_from(path, strlen("artifacts/")), pairs[i][0]));
	}
	ts_arena_finish(&arena);
}

static void other_names_are_paths_as_they_are(void **state)
{
	static const char *const names[] = {"trace.json", "a%2Fb", "artifacts", "artifacts%2F", "artifacts%2f.txt"};
	static const char *const of_no_path[] = {"artifacts%2Fa%2", "artifacts%2Fa%41", "artifacts%2Fa%2fb", "artifacts%2Fa%"};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		assert_false(ts_is_artifact(ts_span_str(names[i])));
		assert_true(ts_span_is(ts_file_path(ts_span_str(names[i]), &arena), names[i]));
	}
	for (size_t i = 0; i < sizeof of_no_path / sizeof of_no_path[0]; i++)
		assert_true(ts_span_is(ts_file_path(ts_span_str(of_no_path[i]), &arena), of_no_path[i]));
	ts_arena_finish(&arena);
}

static void a_name_has_at_most_255_bytes(void **state)
{
	char below[TS_FILE_NAME_BYTES], name[TS_FILE_NAME_BYTES];

	(void)state;
	memset(below, 'x', sizeof below);
	assert_true(ts_artifact_name(ts_span_of(below, 255 - 12), name)); /* artifacts%2F has 12 */
	assert_int_equal(strlen(name), 255);
	assert_false(ts_artifact_name(ts_span_of(below, 255 - 11), name));
	below[3] = '/';
	assert_false(ts_artifact_name(ts_span_of(below, 255 - 12), name));
	assert_true(ts_artifact_name(ts_span_of(below, 255 - 14), name));
	assert_false(ts_artifact_name(ts_span_of(below, 0), name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_one_part_and_lead_back),
		cmocka_unit_test(other_names_are_paths_as_they_are),
		cmocka_unit_test(a_name_has_at_most_255_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
