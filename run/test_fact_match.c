#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/fact_match.h"

static bool matches(const char *pattern, const char *path)
{
	struct ts_folded folded;

	assert_true(ts_path_fold(ts_span_str(path), &folded));
	return ts_path_matches(pattern, &folded);
}

static void paths_are_folded(void **state)
{
	(void)state;
	assert_true(matches("config:lr", "config.LR"));
	assert_true(matches("config:num_workers", "config.data.Train.num-workers"));
	assert_true(matches("config:layers", "config.model.layers[3]"));
	assert_true(matches("config.a.*", "config.a.b.c"));
	assert_true(matches("determinism.cudnn\\.benchmark", "determinism.cudnn\\.benchmark"));
	assert_false(matches("config:lr", "config.lr.base"));
	assert_false(matches("config:lr", "configs.lr"));
	assert_false(matches("config:lr", "other.config.lr"));
	assert_false(matches("config:lr", "config"));
	assert_false(matches("config:lr", "lr"));
}

static void a_path_that_is_too_long_matches_nothing(void **state)
{
	struct ts_folded folded;
	char path[TS_PATH_MAX + 1];

	(void)state;
	memset(path, 'a', sizeof path);
	assert_true(ts_path_fold(ts_span_of(path, TS_PATH_MAX), &folded));
	assert_int_equal(folded.len, TS_PATH_MAX);
	assert_false(ts_path_fold(ts_span_of(path, sizeof path), &folded));
}

static void values_are_words(void **state)
{
	const struct ts_fact yes = {.type = TS_FACT_BOOL, .boolean = true}, one = {.type = TS_FACT_INT, .integer = 1},
			     text = {.type = TS_FACT_TEXT, .text = ts_span_str("False")}, null = {.type = TS_FACT_NULL};

	(void)state;
	assert_true(ts_fact_is(&yes, "true"));
	assert_false(ts_fact_is(&yes, "1"));
	assert_true(ts_fact_is(&one, "1"));
	assert_false(ts_fact_is(&one, "true"));
	assert_true(ts_fact_is(&text, "false"));
	assert_true(ts_fact_is(&text, "False"));
	assert_false(ts_fact_is(&text, "true"));
	assert_false(ts_fact_is(&null, "false"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_folded),
		cmocka_unit_test(a_path_that_is_too_long_matches_nothing),
		cmocka_unit_test(values_are_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
