/* test_expected.h - for tests: the steps of a small run as series, and what pytscope 0.2.1 computes for it.
 *
 * The files are looked for in ../shared/corpus/pytscope first, then in tests/golden/pytscope-expected. Everything lies in
 * the arena.
 */
#ifndef TSCOPE_ANALYSIS_RANK_TEST_EXPECTED_H
#define TSCOPE_ANALYSIS_RANK_TEST_EXPECTED_H

#include "analysis/answer/measure.h"
#include "analysis/stats/series.h"

struct expected_run {
	struct ts_series columns[32]; /* "timestamp", "phases.forward", "scalars.loss", ... */
	size_t n_columns;
	int64_t *steps;
	size_t n_steps;
	struct {
		struct ts_span path; /* "timing.mean_step_time" */
		double value; /* NaN for null */
	} numbers[512];
	size_t n_numbers;
};

/* Loads the run of that name. False if neither place has it; the test fails if it cannot be read. */
bool expected_load(const char *name, struct ts_arena *arena, struct expected_run *ret_run);
const struct ts_series *expected_column(const struct expected_run *run, const char *name); /* NULL if none */
/* The number at a path, which must exist. */
double expected_number(const struct expected_run *run, const char *path);

/* Asserts that the measure is known and equal within a relative error of 2^-50 (4 units in the last place). */
void expect_measure(const struct ts_measures *m, const char *group, const char *subject, const char *name, double want);
void expect_unknown(const struct ts_measures *m, const char *group, const char *subject, const char *name);

#endif
