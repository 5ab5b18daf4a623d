/* What changed between two lists: which pages are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "web/changes.h"

static struct ts_buf told;

static void note(void *ctx, struct ts_span name)
{
	(void)ctx;
	ts_buf_char(&told, '[');
	ts_buf_span(&told, name);
	ts_buf_char(&told, ']');
}

static void expect(const char *before, const char *now, const char *text)
{
	told = TS_BUF_INIT(4096);
	ts_changes_compare(ts_span_str(before), ts_span_str(now), note, NULL);
	if (!ts_span_is(ts_buf_view(&told), text))
		fail_msg("told %.*s, not %s", TS_SPAN_ARG(ts_buf_view(&told)), text);
	ts_buf_finish(&told);
}

static void tells_what_changed(void **state)
{
	(void)state;
	expect("", "", "");
	expect("id,state,name\n1,running,a\n", "id,state,name\n1,running,a\n", "");
	expect("id,state,name\n1,running,a\n2,-,s/b\n", "id,state,name\n1,finished,a\n2,-,s/b\n", "[][a]");
	expect("id,state,name\n1,running,a\n", "id,state,name\n3,running,s/b\n1,running,a\n", "[][s/b]");
	expect("id,state,name\r\n1,running,a\r\n", "id,state,name\r\n2,running,a\r\n", "[][a]");
	expect("id,state,name\n1,running,a\n2,-,b\n", "id,state,name\n1,running,a\n", "[][b]"); /* one is gone */
	expect("id,state,name\n", "id,state,name\n1,,a", "[][a]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tells_what_changed)};

	return cmocka_run_group_tests_name("changes", tests, NULL, NULL);
}
