/* Names of a device's memory, and units of values that have none. */
#include "ingest/rows/log_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void names_of_memory(void **state)
{
	static const struct {
		const char *name, *column;
		double bytes;
	} cases[] = {
		{"max mem", "memory.peak_alloc", 0},
		{"GPU_mem(G)", "memory.alloc", 1e9},
		{"Peak Memory (GB)", "memory.peak_alloc", 1e9},
		{"max_mem(M)", "memory.peak_alloc", 1048576},
		{"gpu_memory_allocated_mb", "memory.alloc", 1e6},
		{"memory reserved(GiB)", "memory.reserved", 1073741824.0},
		{"cuda/max_memory_reserved", "memory.peak_reserved", 0},
		{"VRAM", "memory.alloc", 0},
		{"memory", NULL, 0},
		{"mem(GB)", NULL, 0},
		{"cpu_mem_gb", NULL, 0},
		{"replay memory", NULL, 0},
		{"gpu_mem(%)", NULL, 0},
		{"gpu_mem_gb_total", NULL, 0},
		{"gpu", NULL, 0},
		{"max", NULL, 0},
		{"", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double bytes;
		const char *column = ts_log_memory(ts_span_str(cases[i].name), &bytes);

		if (!column != !cases[i].column || (column && (strcmp(column, cases[i].column) != 0 || bytes != cases[i].bytes)))
			fail_msg("%s: %s, %g", cases[i].name, column ? column : "none", bytes);
	}
}

static void units_at_the_end(void **state)
{
	(void)state;
	assert_true(ts_log_memory_unit(ts_span_str("mine (GB)")) == 1e9);
	assert_true(ts_log_memory_unit(ts_span_str("mine_mib")) == 1048576);
	assert_true(ts_log_memory_unit(ts_span_str("mine")) == 0);
	assert_true(ts_log_memory_unit(ts_span_str("gb")) == 0);
	assert_true(ts_log_memory_unit(ts_span_str("jogging")) == 0);
	assert_true(ts_log_memory_unit(ts_span_str("")) == 0);
}

/* A device has between a megabyte and some hundred gigabytes in use. */
static void units_by_size(void **state)
{
	const char *unit;

	(void)state;
	assert_true(ts_log_memory_guess(2.55, &unit) == 1e9);
	assert_string_equal(unit, "GB");
	assert_true(ts_log_memory_guess(19152, &unit) == 1048576);
	assert_string_equal(unit, "MiB");
	assert_true(ts_log_memory_guess(8e9, &unit) == 1);
	assert_true(ts_log_memory_guess(0, &unit) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_memory),
		cmocka_unit_test(units_at_the_end),
		cmocka_unit_test(units_by_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
