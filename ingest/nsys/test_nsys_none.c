/* A program built without SQLite knows an export of Nsight Systems when it sees one, and says that it cannot read it. */
#include "ingest/core/test_support.h"
#include "ingest/nsys/nsys_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void is_known_and_refused(void **state)
{
	static const char export[] = "SQLite format 3\0\x10\0 CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER)";
	struct ts_trace_reading reading = {.notices = NULL};
	struct ts_trace_file file;
	struct ts_trace trace;
	struct test_run run;
	struct ts_error err;
	char path[128];

	(void)state;
	test_run_init(&run);
	test_write_bytes(&run, "x.sqlite", export, sizeof export);
	(void)snprintf(path, sizeof path, "%s/x.sqlite", run.base);
	assert_true(ts_nsys_is(path));
	assert_int_equal(ts_nsys_load(path, &reading, &trace, &file, &err), TS_UNSUPPORTED);
	assert_non_null(strstr(err.text, "built without SQLite"));
	test_write(&run, "x.sqlite", "SQLite format 3");
	assert_false(ts_nsys_is(path));
	test_run_finish(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(is_known_and_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
