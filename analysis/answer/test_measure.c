#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/measure.h"

enum { CEILING = 1 << 20 };

static struct ts_span step(void)
{
	return ts_span_str("step");
}

static void rows_and_their_values(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;
	double value = -1.0;

	(void)state;
	ts_arena_init(&arena, CEILING);
	assert_true(ts_measure_add(&m, &arena, "timing", step(), "max", TS_UNIT_SECONDS, 2.5));
	assert_true(ts_measure_add(&m, &arena, "timing", step(), "max", TS_UNIT_STEP, 40.0));
	assert_true(ts_measure_unknown(&m, &arena, "timing", step(), "rate", TS_UNIT_PER_SECOND, "no step"));
	assert_true(ts_measure_text(&m, &arena, "timing", step(), "method", ts_span_str("found")));
	assert_true(ts_measure_value(&m, "timing", "step", "max", &value) && value == 2.5);
	assert_true(ts_measure_value(&m, "timing", "step", "max_s", &value) && value == 2.5);
	assert_true(ts_measure_value(&m, "timing", "step", "max_step", &value) && value == 40.0);
	value = -1.0;
	assert_false(ts_measure_value(&m, "timing", "step", "rate", &value));	/* not known */
	assert_false(ts_measure_value(&m, "timing", "step", "method", &value)); /* text */
	assert_false(ts_measure_value(&m, "timing", "step", "min", &value));	/* not there */
	assert_false(ts_measure_value(&m, "memory", "step", "max", &value));
	assert_false(ts_measure_value(&m, "timing", "steps", "max", &value));
	assert_true(value == -1.0);
	ts_arena_finish(&arena);
}

static void text_rows(void **state)
{
	struct ts_measures m = {.n = 0};
	const struct ts_measure *row;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	assert_true(ts_measure_text(&m, &arena, "timing", step(), "method", ts_span_str("none found")));
	row = ts_measure_find(&m, "timing", "step", "method");
	assert_non_null(row);
	assert_true(row->known);
	assert_int_equal(row->unit, TS_UNIT_TEXT);
	assert_true(ts_span_is(row->text, "none found"));
	assert_int_equal(row->reason.len, 0);
	ts_arena_finish(&arena);
}

/* Rows stay as they are while the list grows; a full arena is told and adds nothing. */
static void growth_and_its_end(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;
	size_t n = 0;

	(void)state;
	ts_arena_init(&arena, 100000);
	while (ts_measure_add(&m, &arena, "ranks", step(), "own", TS_UNIT_SECONDS, (double)n))
		n++;
	assert_true(n >= 100);
	assert_int_equal(m.n, n);
	assert_false(ts_measure_unknown(&m, &arena, "ranks", step(), "own", TS_UNIT_SECONDS, "why"));
	assert_false(ts_measure_text(&m, &arena, "ranks", step(), "own", ts_span_str("what")));
	assert_int_equal(m.n, n);
	for (size_t i = 0; i < n; i++)
		assert_true(m.items[i].value == (double)i);
	ts_arena_finish(&arena);
}

/* Keys of JSON are made of them: two units of one suffix would be two rows of one key. Text and plain numbers have none. */
static void suffixes(void **state)
{
	static const char *const want[] = {"",	     "_s",	     "_bytes", "_ratio",
					   "_per_s", "_step",	     "_count", "_bytes_per_step",
					   "_flops", "_flops_per_s", ""};

	(void)state;
	for (int unit = TS_UNIT_NONE; unit <= TS_UNIT_TEXT; unit++)
		assert_string_equal(ts_unit_suffix((enum ts_unit)unit), want[unit]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_their_values),
		cmocka_unit_test(text_rows),
		cmocka_unit_test(growth_and_its_end),
		cmocka_unit_test(suffixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
