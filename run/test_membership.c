/* The table of memberships: words and paths are what a list and its filter can name, and no fact tells two things. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/membership.h"

#include <string.h>

static void paths_are_in_order(void **state)
{
	struct ts_span seen[TS_MEMBERSHIPS * TS_MEMBERSHIP_PATHS];
	size_t n = 0;

	(void)state;
	for (int m = 0; m < TS_MEMBERSHIPS; m++) {
		bool ended = false;

		assert_true(ts_membership_path((enum ts_membership)m, 0).len);
		assert_null(strchr(ts_membership_word((enum ts_membership)m), '.'));
		for (size_t i = 0; i < TS_MEMBERSHIP_PATHS; i++) {
			struct ts_span path = ts_membership_path((enum ts_membership)m, i);

			assert_false(path.len && ended);
			ended |= !path.len;
			for (size_t k = 0; k < n && path.len; k++)
				assert_false(ts_span_eq(path, seen[k]));
			if (path.len)
				seen[n++] = path;
		}
	}
}

static void words_are_known(void **state)
{
	(void)state;
	assert_string_equal(ts_membership_word(TS_IN_SWEEP), "sweep");
	assert_string_equal(ts_membership_word(TS_IN_PARENT), "parent");
	assert_true(ts_span_is(ts_membership_path(TS_IN_PARENT, 0), "lineage.parent")); /* docs/run-directory.md */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_in_order),
		cmocka_unit_test(words_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
