/* Events of two runs that differ in one thing, and random ones against a count that knows nothing of sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/diverge/event_diff.h"

#include <math.h>

static struct ts_arena arena;

static struct ts_timed_event at(enum ts_event_where where, int64_t step, const char *name)
{
	return (struct ts_timed_event){.where = where, .step = step, .name = ts_span_str(name), .lane = 1};
}

static struct ts_timed_event valued(int64_t step, const char *name, double value)
{
	struct ts_timed_event e = at(TS_EVENT_IN, step, name);

	e.has_value = true;
	e.value = value;
	return e;
}

static struct ts_timed_event said(int64_t step, const char *name, const char *text)
{
	struct ts_timed_event e = at(TS_EVENT_IN, step, name);

	e.text = ts_span_str(text);
	return e;
}

static void number(struct ts_timed_event *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		items[i].ordinal = i;
}

static struct ts_event_diff diff_of(struct ts_timed_event *a, size_t n_a, struct ts_timed_event *b, size_t n_b)
{
	struct ts_timed_events of_a = {a, n_a, INT64_MIN}, of_b = {b, n_b, INT64_MIN};
	struct ts_event_diff diff = {.n = 0};
	struct ts_error err;

	number(a, n_a);
	number(b, n_b);
	assert_int_equal(ts_event_diff_rank(&diff, 3, &of_a, &of_b, &arena, &arena, &err), TS_OK);
	assert_int_equal(diff.all_a, n_a);
	assert_int_equal(diff.all_b, n_b);
	assert_int_equal(diff.compared + diff.only_a, n_a);
	assert_int_equal(diff.compared + diff.only_b, n_b);
	return diff;
}

#define DIFF(a, b) diff_of(a, sizeof(a) / sizeof(a)[0], b, sizeof(b) / sizeof(b)[0])

static void the_same(void **state)
{
	struct ts_timed_event a[] = {at(TS_EVENT_BEFORE_ALL, 0, "resumed"), said(4, "checkpoint", "runs/a/4.pt"),
				     valued(5, "rate", NAN),
				     at(TS_EVENT_BEHIND, 5, "x"), at(TS_EVENT_NOWHERE, 0, "y")};
	struct ts_timed_event b[] = {at(TS_EVENT_BEFORE_ALL, 0, "resumed"), said(4, "checkpoint", "runs/b/4.pt"),
				     valued(5, "rate", -NAN),
				     at(TS_EVENT_BEHIND, 5, "x"), at(TS_EVENT_NOWHERE, 0, "y")};
	struct ts_event_diff diff = DIFF(a, b);

	(void)state;
	assert_int_equal(diff.n, 0);
	assert_true(diff.compared == 5 && !diff.values && !diff.reordered);
	diff = diff_of(a, 0, b, 0);
	assert_true(diff.n == 0 && !diff.compared);
}

static void one_run_alone_has_it(void **state)
{
	struct ts_timed_event a[] = {at(TS_EVENT_IN, 7, "evaluation"), said(9, "exception", "ValueError"),
				     at(TS_EVENT_IN, 12, "evaluation")};
	struct ts_timed_event b[] = {at(TS_EVENT_IN, 7, "evaluation"), at(TS_EVENT_IN, 12, "evaluation"),
				     at(TS_EVENT_IN, 12, "evaluation")};
	struct ts_event_diff diff = DIFF(a, b);

	(void)state;
	assert_int_equal(diff.n, 1);
	assert_true(diff.compared == 2 && diff.only_a == 1 && diff.only_b == 1);
	assert_int_equal(diff.rows[0].rank, 3);
	assert_int_equal(diff.rows[0].change, TS_EVENT_ONLY_A);
	assert_int_equal(diff.rows[0].step, 9);
	assert_true(ts_span_is(diff.rows[0].name, "exception") && ts_span_is(diff.rows[0].a.text, "ValueError"));
	/* The other way round the first is only in b; without it, it is the second evaluation of step 12. */
	diff = diff_of(b, 3, a, 3);
	assert_int_equal(diff.rows[0].change, TS_EVENT_ONLY_B);
	assert_true(ts_span_is(diff.rows[0].b.text, "ValueError"));
	a[1] = a[2];
	diff = diff_of(a, 2, b, 3);
	assert_int_equal(diff.rows[0].change, TS_EVENT_ONLY_B);
	assert_int_equal(diff.rows[0].step, 12);
	assert_int_equal(diff.rows[0].occurrence, 1);
}

static void values_and_texts(void **state)
{
	struct ts_timed_event a[] = {valued(7, "rate", 0.5), said(8, "phase", "warm"), at(TS_EVENT_IN, 9, "note")};
	struct ts_timed_event b[] = {valued(7, "rate", 0.25), said(8, "phase", "cold"), valued(9, "note", 0)};
	struct ts_event_diff diff = DIFF(a, b);

	(void)state;
	assert_int_equal(diff.values, 3);
	assert_int_equal(diff.rows[0].change, TS_EVENT_VALUE);
	assert_int_equal(diff.rows[0].step, 7);
	assert_true(diff.rows[0].a.value == 0.5 && diff.rows[0].b.value == 0.25);
	diff = diff_of(a + 1, 2, b + 1, 2);
	assert_true(ts_span_is(diff.rows[0].a.text, "warm") && ts_span_is(diff.rows[0].b.text, "cold"));
}

/* A run that is shorter does not lack what came behind its end. */
static void behind_the_end_of_the_other(void **state)
{
	struct ts_timed_event a[] = {at(TS_EVENT_IN, 7, "x"), at(TS_EVENT_BEHIND, 7, "x"), at(TS_EVENT_IN, 8, "x"),
				     at(TS_EVENT_BEHIND, 9, "x")};
	struct ts_timed_events of_a = {a, 4, 9}, of_b = {NULL, 0, 7};
	struct ts_event_diff diff = {.n = 0};
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_event_diff_rank(&diff, 0, &of_a, &of_b, &arena, &arena, &err), TS_OK);
	assert_true(diff.only_a == 2 && diff.beyond_a == 2 && diff.n == 1);
	diff = (struct ts_event_diff){.n = 0};
	of_a = (struct ts_timed_events){a + 2, 2, 9};
	assert_int_equal(ts_event_diff_rank(&diff, 0, &of_b, &of_a, &arena, &arena, &err), TS_OK);
	assert_true(diff.only_b == 0 && diff.beyond_b == 2 && diff.n == 0);
}

/* In a step comes before behind it; before all steps is before the first, and nowhere is last. */
static void places_in_order(void **state)
{
	struct ts_timed_event a[] = {at(TS_EVENT_NOWHERE, 0, "d"), at(TS_EVENT_BEHIND, 5, "c"), at(TS_EVENT_IN, 5, "b"),
				     at(TS_EVENT_BEFORE_ALL, 0, "a")};
	static const char *const first[] = {"a", "b", "c", "d"};
	struct ts_timed_event none[1];

	(void)state;
	for (size_t n = 4; n > 0; n--) {
		struct ts_timed_event left[4];
		struct ts_event_diff diff;

		memcpy(left, a, sizeof a);
		diff = diff_of(left, n, none, 0);
		assert_true(ts_span_is(diff.rows[0].name, first[4 - n]));
		assert_int_equal(diff.rows[0].where, a[n - 1].where);
	}
	/* The same name at another place is another event. */
	a[0] = at(TS_EVENT_IN, 5, "x");
	none[0] = at(TS_EVENT_BEHIND, 5, "x");
	assert_int_equal(diff_of(a, 1, none, 1).compared, 0);
	a[0].region = true;
	none[0] = at(TS_EVENT_IN, 5, "x");
	assert_int_equal(diff_of(a, 1, none, 1).compared, 0);
}

static void another_order(void **state)
{
	struct ts_timed_event a[] = {at(TS_EVENT_IN, 7, "save"), at(TS_EVENT_IN, 7, "evaluate"), at(TS_EVENT_IN, 8, "x")};
	struct ts_timed_event b[] = {at(TS_EVENT_IN, 7, "evaluate"), at(TS_EVENT_IN, 7, "save"), at(TS_EVENT_IN, 8, "x")};
	struct ts_timed_event threads[] = {at(TS_EVENT_IN, 7, "evaluate"), at(TS_EVENT_IN, 7, "save"), at(TS_EVENT_IN, 8, "x")};
	struct ts_event_diff diff = DIFF(a, b);

	(void)state;
	assert_int_equal(diff.n, 1);
	assert_int_equal(diff.rows[0].change, TS_EVENT_ORDER);
	assert_true(diff.reordered == 1 && diff.compared == 3);
	assert_true(ts_span_is(diff.rows[0].name, "evaluate"));
	/* Two threads take turns as they like. */
	threads[0].lane = 2;
	a[0] = at(TS_EVENT_IN, 7, "save");
	a[1] = at(TS_EVENT_IN, 7, "evaluate");
	a[2] = at(TS_EVENT_IN, 8, "x");
	diff = DIFF(a, threads);
	assert_int_equal(diff.n, 0);
}

static uint32_t chance(uint64_t *s)
{
	*s = *s * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*s >> 33);
}

/* Of each identity both have the lesser number, and the rest is in one run only. */
static void as_many_as_counted(void **state)
{
	static const char *const names[] = {"p", "q", "r"};
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		size_t count[2][4][3] = {{{0}}}, both = 0;
		struct ts_timed_event items[2][30];
		size_t n[2];
		struct ts_event_diff diff;

		for (int side = 0; side < 2; side++) {
			n[side] = chance(&seed) % 30;
			for (size_t i = 0; i < n[side]; i++) {
				size_t step = chance(&seed) % 4, name = chance(&seed) % 3;

				items[side][i] = at(TS_EVENT_IN, (int64_t)step, names[name]);
				count[side][step][name]++;
			}
		}
		for (size_t s = 0; s < 4; s++)
			for (size_t k = 0; k < 3; k++)
				both += count[0][s][k] < count[1][s][k] ? count[0][s][k] : count[1][s][k];
		diff = diff_of(items[0], n[0], items[1], n[1]);
		assert_int_equal(diff.compared, both);
		assert_int_equal(diff.n, both != n[0] || both != n[1] || diff.reordered);
	}
}

static void long_texts_are_cut_between_characters(void **state)
{
	char text[600];
	struct ts_timed_event a[1], none[1];
	struct ts_event_diff diff;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof text; i++)
		text[i] = i % 2 ? (char)0xa9 : (char)0xc3; /* é */
	memmove(text + 1, text, sizeof text - 2);
	text[0] = 'a';
	text[sizeof text - 1] = '\0';
	a[0] = said(1, "x", text);
	diff = diff_of(a, 1, none, 0);
	assert_int_equal(diff.rows[0].a.text.len, 511);
}

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same),	    cmocka_unit_test(one_run_alone_has_it),
		cmocka_unit_test(values_and_texts), cmocka_unit_test(places_in_order),
		cmocka_unit_test(behind_the_end_of_the_other), cmocka_unit_test(another_order),    cmocka_unit_test(as_many_as_counted),
		cmocka_unit_test(long_texts_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
