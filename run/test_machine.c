/* Checks run/machine.h: what is known, what is not, and what is left out. */
#include "run/machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum ts_status read_text(const char *text, struct ts_arena *arena, struct ts_machine_rows *rows)
{
	struct ts_error err;

	return ts_machine_read(ts_span_str(text), arena, rows, &err);
}

static void test_a_table(void **unused)
{
	struct ts_machine_rows rows;
	struct ts_arena arena;

	(void)unused;
	ts_arena_init(&arena, 0);
	assert_int_equal(
		read_text("seconds,load,of_later,cpu_cores\n1,0.5,7,2\n2,,7,1.5\n3,1\n4,x,7,1\n,1,7,1\n5,1,7,1", &arena, &rows), TS_OK);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.left_out, 3); /* too few, no number, no time; and the last line, which is cut off, is none */
	assert_true(rows.values[TS_MACHINE_SECONDS][1] == 2 && rows.values[TS_MACHINE_CPU][0] == 2 &&
		    rows.values[TS_MACHINE_CPU][1] == 1.5);
	assert_true(rows.values[TS_MACHINE_LOAD][0] == 0.5 && isnan(rows.values[TS_MACHINE_LOAD][1])); /* not known is no zero */
	assert_true(isnan(rows.values[TS_MACHINE_STEAL][0]));
	assert_int_equal(read_text("step,loss\n1,2\n", &arena, &rows), TS_INVALID);
	assert_int_equal(read_text("", &arena, &rows), TS_INVALID);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_table)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
