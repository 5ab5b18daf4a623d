#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/memory.h"
#include "analysis/test_expected.h"

enum { CEILING = 64 << 20 };

static const int64_t steps[] = {3, 5, 9};
static const double alloc[] = {100.0, 40.0, 70.0};
static const double peak[] = {150.0, 180.0, 180.0};
static const struct ts_series alloc_series = {.keys = steps, .values = alloc, .n = 3};
static const struct ts_series peak_series = {.keys = steps, .values = peak, .n = 3};

static void summary(const struct ts_series *a, const struct ts_series *pa, int64_t first, struct ts_arena *arena,
		    struct ts_measures *m)
{
	struct ts_error err;

	m->n = 0;
	assert_int_equal(ts_memory_summary(a, NULL, pa, NULL, first, arena, m, &err), TS_OK);
}

static void peaks_and_levels(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	summary(&alloc_series, &peak_series, 0, &arena, &m);
	expect_measure(&m, "memory", "peak_alloc", "peak_bytes", 180);
	expect_measure(&m, "memory", "peak_alloc", "at_step", 5); /* where it is reached first */
	expect_measure(&m, "memory", "alloc", "mean_bytes", 70);
	expect_measure(&m, "memory", "alloc", "last_bytes", 70);
	expect_unknown(&m, "memory", "peak_reserved", "peak_bytes");
	expect_unknown(&m, "memory", "reserved", "mean_bytes");
	summary(&alloc_series, &peak_series, 6, &arena, &m);
	expect_measure(&m, "memory", "peak_alloc", "at_step", 9);
	summary(&alloc_series, &peak_series, 10, &arena, &m);
	expect_unknown(&m, "memory", "peak_alloc", "peak_bytes");
	expect_unknown(&m, "memory", "alloc", "last_bytes");
	ts_arena_finish(&arena);
}

static void falls_back_and_says_so(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	summary(&alloc_series, NULL, 0, &arena, &m);
	expect_measure(&m, "memory", "alloc", "peak_bytes", 100);
	expect_measure(&m, "memory", "alloc", "at_step", 3);
	assert_null(ts_measure_find(&m, "memory", "peak_alloc", "peak_bytes"));
	summary(NULL, NULL, 0, &arena, &m);
	expect_unknown(&m, "memory", "peak_alloc", "peak_bytes");
	ts_arena_finish(&arena);
}

static void a_nan_is_no_peak(void **state)
{
	static const double holes[] = {(double)NAN, 40.0, (double)NAN},
			    none[] = {(double)NAN, (double)NAN, (double)NAN};
	struct ts_series s = {.keys = steps, .values = holes, .n = 3}, n = {.keys = steps, .values = none, .n = 3};
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	summary(NULL, &s, 0, &arena, &m);
	expect_measure(&m, "memory", "peak_alloc", "peak_bytes", 40);
	expect_measure(&m, "memory", "peak_alloc", "at_step", 5);
	summary(NULL, &n, 0, &arena, &m);
	expect_unknown(&m, "memory", "peak_alloc", "peak_bytes");
	ts_arena_finish(&arena);
}

static void agrees_with_pytscope(void **state)
{
	struct expected_run *run = test_malloc(sizeof *run);
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, CEILING);
	if (!expected_load("10k_a", &arena, run)) {
		test_free(run);
		ts_arena_finish(&arena);
		skip();
	}
	assert_int_equal(ts_memory_summary(expected_column(run, "memory.alloc"),
					   expected_column(run, "memory.reserved"),
					   expected_column(run, "memory.peak_alloc"),
					   expected_column(run, "memory.peak_reserved"), 0, &arena, &m, &err),
			 TS_OK);
	expect_measure(&m, "memory", "peak_alloc", "peak_bytes", expected_number(run, "memory.peak_alloc_bytes"));
	expect_measure(&m, "memory", "peak_reserved", "peak_bytes", expected_number(run, "memory.peak_reserved_bytes"));
	expect_measure(&m, "memory", "alloc", "mean_bytes", expected_number(run, "memory.mean_alloc_bytes"));
	test_free(run);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(peaks_and_levels),
		cmocka_unit_test(falls_back_and_says_so),
		cmocka_unit_test(a_nan_is_no_peak),
		cmocka_unit_test(agrees_with_pytscope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
