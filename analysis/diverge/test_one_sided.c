/* A series that begins alike in two runs, and moves in one alone. */
#include "analysis/diverge/one_sided.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void what_is_one_sided(void **state)
{
	static const struct {
		struct ts_sided a, b;
		bool is;
	} cases[] = {
		{{0.011, 0.0112, 0.001, 0}, {0.0118, 0.034, 0.001, 0}, true},
		{{0.011, 0.034, 0.001, 0}, {0.011, 0.0112, 0.001, 0}, true},
		{{1, 1, 0.01, 0}, {1, 0.5, 0.01, 0}, true},
		{{0.011, 0.0112, 0.001, 0}, {0.02, 0.06, 0.001, 0}, false}, /* not alike at first */
		{{1, 1.3, 0.01, 0}, {1, 2, 0.01, 0}, false},		    /* both move */
		{{1, 1, 0.01, 0}, {1, 1.4, 0.01, 0}, false},		    /* by too little */
		{{1, 1, 0.01, 0}, {1, 2, 0.25, 0}, false},		    /* as chance may */
		{{1, 1, 0.01, 0}, {1, 2, (double)NAN, 0}, false},	    /* nobody knows whether chance may */
		{{1, 1, 0.01, 0.6}, {1, 2, 0.01, 1}, false},		    /* as the other wanders */
		{{-1, -1, 0.01, 0}, {-1, -3, 0.01, 0}, false},
		{{(double)NAN, 1, 0.01, 0}, {1, 2, 0.01, 0}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (ts_is_one_sided(&cases[i].a, &cases[i].b) != cases[i].is)
			fail_msg("%zu", i);
}

static void it_takes_the_place_of_a_guess(void **state)
{
	static const struct ts_sided a = {1, 1, 0.01, 0}, b = {1, 3, 0.01, 0};
	enum ts_cause order[] = {TS_CAUSE_DATA_ORDER};
	struct ts_diagnosis guess = {
		.cause = TS_CAUSE_INIT_OR_DATA, .confidence = TS_CONFIDENCE_LOW, .remaining = order, .n_remaining = 1};
	struct ts_diagnosis known = {.cause = TS_CAUSE_CONFIG, .confidence = TS_CONFIDENCE_LOW, .sentence = ts_span_str("known")};
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 0);
	assert_int_equal(ts_diagnose_one_sided(ts_span_str("scalars.gap"), &a, &b, &arena, &guess, &err), TS_OK);
	assert_int_equal(guess.cause, TS_CAUSE_UNKNOWN);
	assert_true(ts_span_contains(guess.sentence,
				     "gap begins alike in both runs, and grows by 200 % in the second run alone (in the first by "
				     "0.0 %)"));
	assert_int_equal(guess.n_remaining, 2);
	assert_int_equal(guess.remaining[0], TS_CAUSE_INIT_OR_DATA);
	assert_int_equal(ts_diagnose_one_sided(ts_span_str("scalars.gap"), &a, &b, &arena, &known, &err), TS_OK);
	assert_true(ts_span_is(known.sentence, "known"));
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_one_sided),
		cmocka_unit_test(it_takes_the_place_of_a_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
