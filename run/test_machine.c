/* Checks run/machine.h: what is known, what is not, and what is left out. */
#include "run/machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* What is known of GPUs begins where a line of names says it, and a GPU that is not named has no column. */
static void test_gpus(void **unused)
{
	struct ts_machine_rows rows;
	struct ts_arena arena;

	(void)unused;
	ts_arena_init(&arena, 0);
	assert_int_equal(
		read_text("seconds,load\n1,0.5\nseconds,gpu1_power_w,load,gpu1_temperature_c,gpu16_power_w,gpu_power_w,gpu1power_w\n"
			  "2,300,0.25,61,1,2,3\n3,,0.25,,,,\n4,0.5\n",
			  &arena, &rows),
		TS_OK);
	assert_int_equal(rows.n, 3);
	assert_int_equal(rows.left_out, 1);
	assert_int_equal(rows.n_gpus, 2);
	assert_true(isnan(rows.gpus[1][TS_GPU_POWER][0]) && rows.gpus[1][TS_GPU_POWER][1] == 300 &&
		    rows.gpus[1][TS_GPU_TEMPERATURE][1] == 61 && isnan(rows.gpus[1][TS_GPU_POWER][2]));
	assert_true(isnan(rows.gpus[0][TS_GPU_POWER][1]) && isnan(rows.gpus[1][TS_GPU_BUSY][1]));
	assert_true(rows.values[TS_MACHINE_LOAD][0] == 0.5 && rows.values[TS_MACHINE_LOAD][1] == 0.25);
	ts_arena_finish(&arena);
}

/* Short lines behind a line of many names do not make memory that the file does not pay for. */
static void test_too_large(void **unused)
{
	static char text[1 << 18];
	struct ts_machine_rows rows;
	struct ts_arena arena;
	size_t n = (size_t)snprintf(text, sizeof text, "seconds,gpu15_power_w\n");

	(void)unused;
	while (n + 2 < sizeof text)
		n += (size_t)snprintf(text + n, sizeof text - n, "1\n");
	ts_arena_init(&arena, 0);
	assert_int_equal(read_text(text, &arena, &rows), TS_TOO_LARGE);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_table), cmocka_unit_test(test_gpus),
					   cmocka_unit_test(test_too_large)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
