/* What changed between two lists: which pages are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "web/changes.h"

static bool is_told(const char *before, const char *now, const char *name)
{
	return ts_changes_mark(ts_span_str(before), ts_span_str(name)) != ts_changes_mark(ts_span_str(now), ts_span_str(name));
}

/* Of two lists: whether the page of the project, that of p/a and that of p/s/b are told. */
static void expect(const char *before, const char *now, bool project, bool a, bool b)
{
	assert_int_equal(is_told(before, now, ""), project);
	assert_int_equal(is_told(before, now, "p/a"), a);
	assert_int_equal(is_told(before, now, "p/s/b"), b);
}

static void tells_what_changed(void **state)
{
	(void)state;
	expect("", "", false, false, false);
	expect("id,state,name\n1,running,p/a\n", "id,state,name\n1,running,p/a\n", false, false, false);
	expect("id,state,name\n1,running,p/a\n2,-,p/s/b\n", "id,state,name\n1,finished,p/a\n2,-,p/s/b\n", true, true, false);
	expect("id,state,name\n1,running,p/a\n", "id,state,name\n3,running,p/s/b\n1,running,p/a\n", true, false, true);
	expect("id,state,name\r\n1,running,p/a\r\n", "id,state,name\r\n2,running,p/a\r\n", true, true, false);
	expect("id,state,name\n1,running,p/a\n2,-,p/s/b\n", "id,state,name\n1,running,p/a\n", true, false, true); /* one is gone */
	expect("id,state,name\n1,running,p/a\n", "id,state,name\n1,running,p/s/a\n", true, true, false); /* one moved */
	expect("id,state,name\n", "id,state,name\n1,,p/a", true, true, false);
	expect("1,-,q/p/a\n2,-,p/a/p/a\n", "", true, false, false); /* names that end alike */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tells_what_changed)};

	return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
