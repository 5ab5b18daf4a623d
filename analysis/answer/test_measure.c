#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/measure.h"

enum { CEILING = 1 << 20 };

static const struct ts_span forward = {(const uint8_t *)"forward", 7};

static void rows_and_their_values(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;
	double value = -1.0;

	(void)state;
	ts_arena_init(&arena, CEILING);
	assert_true(ts_measure_add(&m, &arena, TS_M_STEP_MAX, TS_NO_SUBJECT, 2.5));
	assert_true(ts_measure_add(&m, &arena, TS_M_STEP_MAX_AT, TS_NO_SUBJECT, 40.0));
	assert_true(ts_measure_add(&m, &arena, TS_M_PHASE_MEAN, forward, 0.5));
	assert_true(ts_measure_unknown(&m, &arena, TS_M_STEP_RATE, TS_NO_SUBJECT, "no step"));
	assert_true(ts_measure_text(&m, &arena, TS_M_WARMUP_METHOD, TS_NO_SUBJECT, ts_span_str("found")));
	/* The same name in two units stands for two measures. */
	assert_true(ts_measure_value(&m, TS_M_STEP_MAX, TS_NO_SUBJECT, &value) && value == 2.5);
	assert_true(ts_measure_value(&m, TS_M_STEP_MAX_AT, TS_NO_SUBJECT, &value) && value == 40.0);
	assert_true(ts_measure_value(&m, TS_M_PHASE_MEAN, forward, &value) && value == 0.5);
	value = -1.0;
	assert_false(ts_measure_value(&m, TS_M_STEP_RATE, TS_NO_SUBJECT, &value));     /* not known */
	assert_false(ts_measure_value(&m, TS_M_WARMUP_METHOD, TS_NO_SUBJECT, &value)); /* text */
	assert_false(ts_measure_value(&m, TS_M_STEP_MEAN, TS_NO_SUBJECT,
				      &value)); /* it is not there: the row found before belongs to forward */
	assert_false(ts_measure_value(&m, TS_M_PHASE_MEAN, ts_span_str("backward"), &value));
	assert_true(value == -1.0);
	ts_arena_finish(&arena);
}

/* Checks the words of a row as the protocol and people see them. */
static void words_of_a_row(void **state)
{
	struct ts_measure fixed = ts_measure_row(TS_M_STEP_MAX_AT, TS_NO_SUBJECT),
			  of = ts_measure_row(TS_M_PHASE_MEAN, forward);

	(void)state;
	assert_true(ts_span_is(fixed.group, "timing") && ts_span_is(fixed.subject, "step") &&
		    ts_span_is(fixed.name, "max"));
	assert_int_equal(fixed.unit, TS_UNIT_STEP);
	assert_false(fixed.known);
	assert_true(ts_span_is(of.group, "timing") && ts_span_is(of.subject, "forward") && ts_span_is(of.name, "mean"));
	assert_int_equal(of.unit, TS_UNIT_SECONDS);
	assert_true(ts_measure_is(&fixed, TS_M_STEP_MAX_AT));
	assert_false(ts_measure_is(&fixed, TS_M_STEP_MAX)); /* the unit is seconds */
	assert_true(ts_measure_is(&of, TS_M_PHASE_MEAN));
	assert_false(ts_measure_is(&of, TS_M_STEP_MEAN));
	assert_true(ts_measure_in(&of, TS_ANSWER_TIMING));
	assert_false(ts_measure_in(&of, TS_ANSWER_MEMORY));
}

static void text_rows(void **state)
{
	struct ts_measures m = {.n = 0};
	const struct ts_measure *row;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	assert_true(ts_measure_text(&m, &arena, TS_M_WARMUP_METHOD, TS_NO_SUBJECT, ts_span_str("none found")));
	row = ts_measure_find(&m, TS_M_WARMUP_METHOD, TS_NO_SUBJECT);
	assert_non_null(row);
	assert_true(row->known);
	assert_int_equal(row->unit, TS_UNIT_TEXT);
	assert_true(ts_span_is(row->text, "none found"));
	assert_int_equal(row->reason.len, 0);
	ts_arena_finish(&arena);
}

/* Rows keep their addresses while the list grows; a full arena is reported and adds no row. */
static void growth_and_its_end(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_span rank = ts_span_str("rank 0");
	struct ts_arena arena;
	size_t n = 0;

	(void)state;
	ts_arena_init(&arena, 100000);
	while (ts_measure_add(&m, &arena, TS_M_RANK_OWN, rank, (double)n))
		n++;
	assert_true(n >= 100);
	assert_int_equal(m.n, n);
	assert_false(ts_measure_unknown(&m, &arena, TS_M_RANK_OWN, rank, "why"));
	assert_false(ts_measure_text(&m, &arena, TS_M_RANK_STRAGGLER, rank, ts_span_str("what")));
	assert_int_equal(m.n, n);
	for (size_t i = 0; i < n; i++)
		assert_true(m.items[i].value == (double)i);
	ts_arena_finish(&arena);
}

/* The key in JSON is the name with its unit, unless the name already contains the unit. */
static void keys(void **state)
{
	static const struct {
		enum ts_measure_name what;
		const char *suffix;
	} want[] = {{TS_M_STEP_MAX, "_s"},	   {TS_M_STEP_MAX_AT, "_step"},	 {TS_M_STEP_COUNT, ""},
		    {TS_M_COINCIDENCES_COUNT, ""}, {TS_M_WALL_GAPS, "_count"},	 {TS_M_MFU, ""},
		    {TS_M_BUDGET_SECONDS, ""},	   {TS_M_BUDGET_SHARE, "_ratio"}};

	(void)state;
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct ts_measure row = ts_measure_row(want[i].what, TS_NO_SUBJECT);

		assert_string_equal(ts_measure_suffix(&row), want[i].suffix);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_their_values), cmocka_unit_test(words_of_a_row), cmocka_unit_test(text_rows),
		cmocka_unit_test(growth_and_its_end),	 cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
