/* Tests the table of measures: no two rows can be mistaken for each other, and subjects that are filled in can be read
 * again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/measure.h"
#include "base/buf.h"

#include <stdio.h>

/* Words have only letters, digits and _, because they stand in keys of JSON and in sentences. A space stands only
 * before the K of a kind, or in "wall job". */
static void words_are_plain(void **state)
{
	(void)state;
	for (int what = 0; what < TS_MEASURE_NAMES; what++) {
		const struct ts_measure_spec *spec = &ts_measure_specs[what];

		assert_true(spec->subject && *spec->subject && spec->name && *spec->name);
		assert_int_equal(strspn(spec->name, "abcdefghijklmnopqrstuvwxyz0123456789_<>"), strlen(spec->name));
		assert_int_equal(strspn(spec->subject, "abcdefghijklmnopqrstuvwxyz0123456789_<>K "),
				 strlen(spec->subject));
		assert_true(ts_answer_group_name(spec->group).len > 0);
	}
}

static void key_of(const struct ts_measure_spec *spec, char *ret_key, size_t size)
{
	struct ts_measure row = {.name = ts_span_str(spec->name), .unit = spec->unit};

	(void)snprintf(ret_key, size, "%s%s", spec->name, ts_measure_suffix(&row));
}

/* Each measure has its own key in JSON: two of the same name must differ in their units. */
static void no_two_are_the_same(void **state)
{
	char key[96], other[96];

	(void)state;
	for (int a = 0; a < TS_MEASURE_NAMES; a++)
		for (int b = 0; b < a; b++) {
			const struct ts_measure_spec *x = &ts_measure_specs[a], *y = &ts_measure_specs[b];

			key_of(x, key, sizeof key);
			key_of(y, other, sizeof other);
			if (x->group == y->group && strcmp(x->subject, y->subject) == 0 && strcmp(key, other) == 0)
				fail_msg("twice in measures.inc: %s %s", x->subject, key);
		}
}

static bool begins_a_line(int what)
{
	return what == 0 || ts_measure_specs[what].group != ts_measure_specs[what - 1].group ||
	       strcmp(ts_measure_specs[what].subject, ts_measure_specs[what - 1].subject) != 0;
}

/* docs/numerics.md ends with a list of the table's rows; where the list is wrong, the test prints what it should be. */
static void the_document_lists_them(void **state)
{
	static char have[1 << 20];
	struct ts_buf want = TS_BUF_INIT(1 << 20);
	FILE *f = fopen("docs/numerics.md", "rb");
	char key[96];

	(void)state;
	assert_non_null(f);
	have[fread(have, 1, sizeof have - 1, f)] = '\0';
	(void)fclose(f);
	ts_buf_str(&want, "| group | subject | rows |\n|---|---|---|\n");
	for (int what = 0; what < TS_MEASURE_NAMES; what++) {
		const struct ts_measure_spec *spec = &ts_measure_specs[what];

		key_of(spec, key, sizeof key);
		if (begins_a_line(what))
			ts_buf_printf(&want, "| %.*s | `%s` | ", TS_SPAN_ARG(ts_answer_group_name(spec->group)),
				      spec->subject);
		ts_buf_printf(&want, "`%s`%s", key,
			      what + 1 == TS_MEASURE_NAMES || begins_a_line(what + 1) ? " |\n" : ", ");
	}
	ts_buf_char(&want, '\0');
	assert_false(want.failed);
	if (strlen(have) < want.len || strcmp(have + strlen(have) - (want.len - 1), (const char *)want.data) != 0) {
		(void)fprintf(stderr, "docs/numerics.md does not end with:\n%s", (const char *)want.data);
		fail();
	}
	ts_buf_finish(&want);
}

/* The rows of a group stand together in the table, because people read them in this order. */
static void groups_stand_together(void **state)
{
	(void)state;
	for (int what = 1; what < TS_MEASURE_NAMES; what++)
		assert_true(ts_measure_specs[what].group >= ts_measure_specs[what - 1].group);
	assert_int_equal(ts_measure_specs[TS_MEASURE_NAMES - 1].group, TS_ANSWER_GROUPS - 1);
}

static void subjects_of_kinds(void **state)
{
	struct ts_arena arena;
	struct ts_span part;
	int64_t k = -1;

	(void)state;
	ts_arena_init(&arena, 1 << 16);
	assert_true(ts_measure_is_kind(TS_M_RANK_OWN));
	assert_true(ts_measure_is_kind(TS_M_PHASE_MEAN));
	assert_false(ts_measure_is_kind(TS_M_STEP_MEAN));
	assert_string_equal(ts_measure_subject(TS_M_RANK_OWN, 12, &arena), "rank 12");
	assert_string_equal(ts_measure_subject(TS_M_STAGE_BUSY, 0, &arena), "stage 0");
	assert_true(ts_measure_number(TS_M_RANK_OWN, ts_span_str("rank 12"), &k) && k == 12);
	k = -1;
	assert_false(ts_measure_number(TS_M_RANK_OWN, ts_span_str("rank 1 backward"), &k));
	assert_false(ts_measure_number(TS_M_RANK_OWN, ts_span_str("rank "), &k));
	assert_false(ts_measure_number(TS_M_RANK_OWN, ts_span_str("all"), &k));
	assert_false(ts_measure_number(TS_M_RANK_OWN, ts_span_str("ran"), &k));
	assert_false(ts_measure_number(TS_M_RANKS_WALL, ts_span_str("all"), &k)); /* there is no such kind */
	assert_int_equal(k, -1);
	assert_true(ts_measure_part(TS_M_JOB_SHARE, ts_span_str("wait job"), &part) && ts_span_is(part, "wait"));
	assert_true(ts_measure_part(TS_M_JOB_SHARE, ts_span_str(" job"), &part) && part.len == 0);
	assert_false(ts_measure_part(TS_M_JOB_SHARE, ts_span_str("wait"), &part));
	assert_false(ts_measure_part(TS_M_JOB_SHARE, ts_span_str("job"), &part));
	assert_true(ts_measure_part(TS_M_PHASE_MEAN, ts_span_of(NULL, 0), &part) && part.len == 0);
	assert_false(ts_measure_part(TS_M_RANK_OWN, ts_span_of(NULL, 0), &part));
	while (ts_measure_subject(TS_M_RANK_OWN, k, &arena)) /* the result is NULL when the arena is full */
		k++;
	assert_true(k > 1000);
	ts_arena_finish(&arena);
}

/* Each member of a closed kind has a name to be shown under. */
static void names_of_closed_kinds(void **state)
{
	struct ts_span part;

	(void)state;
	for (int i = 0; i < TS_MEMORY_COLUMNS; i++)
		assert_true(ts_memory_columns[i] && *ts_memory_columns[i]);
	for (int i = 0; i < TS_BUDGET_LINES; i++)
		assert_true(ts_budget_lines[i] && *ts_budget_lines[i]);
	for (int i = 0; i < TS_JOB_LINES; i++)
		assert_true(ts_measure_part(TS_M_JOB_SHARE, ts_span_str(ts_job_lines[i]), &part) && part.len > 0);
}

/* Keys of JSON end in the unit: two units with one suffix would give two rows the same key. Text and plain numbers
 * have no suffix. */
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
		cmocka_unit_test(words_are_plain),
		cmocka_unit_test(no_two_are_the_same),
		cmocka_unit_test(the_document_lists_them),
		cmocka_unit_test(groups_stand_together),
		cmocka_unit_test(subjects_of_kinds),
		cmocka_unit_test(names_of_closed_kinds),
		cmocka_unit_test(suffixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
