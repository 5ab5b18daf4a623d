/* Under which names a column that somebody typed is looked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/handlers/core/typed_column.h"

#include <string.h>

/* Returns the place of a name among those under which it may be stored; -1: it is not among them. */
static int place_of(const char *typed, const char *stored)
{
	struct ts_arena arena;
	struct ts_error err;
	const char *name;
	int found = -1;

	ts_arena_init(&arena, 0);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(ts_typed_column(ts_span_str(typed), (size_t)i, &arena, &name, &err), TS_OK);
		if (!name)
			break;
		if (found < 0 && strcmp(name, stored) == 0)
			found = i;
	}
	assert_null(name);
	ts_arena_finish(&arena);
	return found;
}

static void test_a_name_is_looked_for_as_it_was_typed_first(void **state)
{
	(void)state;
	assert_int_equal(place_of("loss", "loss"), 0);
	assert_int_equal(place_of("loss", "scalars.loss"), 1);
	assert_true(place_of("loss", "extra.loss") < TS_TYPED_ANY_GROUP);
	assert_true(place_of("loss", "scalars.train/loss") > 0);
	assert_int_equal(place_of("loss", "digests.loss"), -1);
}

/* The recorder takes the name of a number for one key, whatever stands in it (run/fact.h). */
static void test_dots_may_belong_to_the_name(void **state)
{
	(void)state;
	assert_true(place_of("loss.0", "scalars.loss\\.0") > place_of("loss.0", "scalars.loss.0"));
	assert_true(place_of("scalars.loss.0", "scalars.loss\\.0") > 0);
	assert_true(place_of("eval.top.1", "scalars.eval\\.top\\.1") > 0);
	assert_true(place_of("phases.load.disk", "phases.load\\.disk") > 0);
	assert_int_equal(place_of("loss\\.0", "scalars.loss\\.0"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_name_is_looked_for_as_it_was_typed_first),
		cmocka_unit_test(test_dots_may_belong_to_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
