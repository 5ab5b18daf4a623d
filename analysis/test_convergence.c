#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/convergence.h"
#include "analysis/test_expected.h"

enum { CEILING = 64 << 20 };

static void summary_of(const struct ts_series *s, int64_t first, struct ts_arena *arena, struct ts_measures *m,
		       struct ts_events *events)
{
	struct ts_plots plots = {.n = 0};
	struct ts_error err;

	m->n = events->n = 0;
	assert_int_equal(ts_convergence_summary(s, first, arena, m, events, &plots, &err), TS_OK);
}

static void summary(const struct ts_series *s, int64_t first, struct ts_arena *arena, struct ts_measures *m)
{
	struct ts_events events = {.n = 0};

	summary_of(s, first, arena, m, &events);
}

static void first_last_best(void **state)
{
	static const int64_t steps[] = {100, 200, 300, 400, 500};
	static const double loss[] = {HUGE_VAL, 2.0, 0.5, 0.5, 0.75};
	struct ts_series s = {.name = ts_span_str("scalars.loss"), .keys = steps, .values = loss, .n = 5};
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	summary(&s, 0, &arena, &m);
	expect_measure(&m, "convergence", "loss", "count", 5);
	expect_measure(&m, "convergence", "loss", "first", 2);
	expect_measure(&m, "convergence", "loss", "last", 0.75);
	expect_measure(&m, "convergence", "loss", "best", 0.5);
	expect_measure(&m, "convergence", "loss", "best_step", 300); /* a step number, not a list position */
	expect_measure(&m, "convergence", "loss", "nonfinite_count", 1);
	expect_measure(&m, "convergence", "loss", "first_nonfinite_step", 100);
	summary(&s, 350, &arena, &m);
	expect_measure(&m, "convergence", "loss", "count", 2);
	expect_measure(&m, "convergence", "loss", "best_step", 400);
	assert_null(ts_measure_find(&m, "convergence", "loss", "nonfinite_count"));
	summary(&s, 501, &arena, &m);
	expect_measure(&m, "convergence", "loss", "count", 0);
	expect_unknown(&m, "convergence", "loss", "best");
	ts_arena_finish(&arena);
}

static void agrees_with_pytscope(void **state)
{
	static const char *const names[] = {"cross", "lossnan", "allnan", "10k_a", "10k_b"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct expected_run *run = test_malloc(sizeof *run);
		struct ts_measures m = {.n = 0};
		struct ts_arena arena;
		double final, diverged;

		ts_arena_init(&arena, CEILING);
		if (!expected_load(names[i], &arena, run)) {
			assert_true(i >= 3); /* those have no copy here */
		} else {
			summary(expected_column(run, "scalars.loss"), 0, &arena, &m);
			final = expected_number(run, "convergence.final_loss");
			diverged = expected_number(run, "convergence.diverged_at");
			if (isnan(final)) {
				expect_unknown(&m, "convergence", "loss", "last");
				expect_unknown(&m, "convergence", "loss", "best_step");
			} else {
				expect_measure(&m, "convergence", "loss", "last", final);
				expect_measure(&m, "convergence", "loss", "best",
					       expected_number(run, "convergence.best_loss"));
			}
			if (isnan(diverged))
				assert_null(ts_measure_find(&m, "convergence", "loss", "first_nonfinite_step"));
			else
				expect_measure(&m, "convergence", "loss", "first_nonfinite_step", diverged);
		}
		test_free(run);
		ts_arena_finish(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_last_best),
		cmocka_unit_test(agrees_with_pytscope),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
