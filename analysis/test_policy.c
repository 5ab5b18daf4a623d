#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/cuts.h"
#include "analysis/policy.h"
#include "analysis/rules/rule.h"

#include <math.h>

static enum ts_status parse(const char *text, struct ts_arena *arena, struct ts_policy *p, struct ts_error *err)
{
	return ts_policy_parse(ts_span_str(text), "team.policy", arena, p, err);
}

static void settings_in_order(void **state)
{
	struct ts_arena arena;
	struct ts_policy p = {.n = 0};
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(parse("# our limits\n\n  TIMING.JITTER.min_cv = 0.8 # noisy hosts\r\n"
			       "MEMORY.FRAGMENTATION=off\n\tMEMORY.FRAGMENTATION = on\nDIST.COMM_BOUND.min_share=1e-1",
			       &arena, &p, &err),
			 TS_OK);
	assert_int_equal(p.n, 4);
	assert_true(ts_span_is(p.items[0].code, "TIMING.JITTER"));
	assert_true(ts_span_is(p.items[0].threshold, "min_cv"));
	assert_true(p.items[0].value == 0.8);
	assert_true(p.items[1].off && p.items[1].threshold.len == 0);
	assert_true(ts_span_is(p.items[1].code, "MEMORY.FRAGMENTATION"));
	assert_false(p.items[2].off);
	assert_true(p.items[3].value == 0.1);
	assert_int_equal(ts_policy_check(&p, &err), TS_OK);
	assert_int_equal(parse("", &arena, &p, &err), TS_OK);
	assert_int_equal(p.n, 0);
	assert_int_equal(parse("# nothing\n#", &arena, &p, &err), TS_OK);
	assert_int_equal(p.n, 0);
	ts_arena_finish(&arena);
}

static void mistakes_have_a_line_and_a_way_out(void **state)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
		{"\nTIMING.JITER.min_cv = 1\n",
		 "team.policy:2: there is no rule TIMING.JITER; did you mean TIMING.JITTER?"},
		{"timing.jitter = off", "team.policy:1: there is no rule timing.jitter; did you mean TIMING.JITTER?"},
		{"what.ever.else = 1", "team.policy:1: there is no rule what.ever; 'tscope explain' lists them"},
		{"TIMING.JITTER.cv = 1",
		 "team.policy:1: rule TIMING.JITTER has no threshold cv; it has min_steps, min_cv, min_tail"},
		{"CONVERGENCE.DIVERGED.min = 1", "team.policy:1: rule CONVERGENCE.DIVERGED has no threshold min: it "
						 "has none, it can only be off or on"},
		{"TIMING.JITTER.min_cv = high", "team.policy:1: 'high' is not a finite number"},
		{"TIMING.JITTER.min_cv = NaN", "team.policy:1: 'NaN' is not a finite number"},
		{"TIMING.JITTER.min_cv = Infinity", "team.policy:1: 'Infinity' is not a finite number"},
		{"TIMING.JITTER.min_cv = 1e999", "team.policy:1: '1e999' is not a finite number"},
		{"TIMING.JITTER.min_cv = 80%", "team.policy:1: '80%' is not a finite number"},
		{"TIMING.JITTER.min_cv = 1 2", "team.policy:1: '1 2' is not a finite number"},
		{"TIMING.JITTER.min_cv =", "team.policy:1: '' is not a finite number"},
		{"TIMING.JITTER.min_cv = off",
		 "team.policy:1: a threshold cannot be off or on; a rule can: TIMING.JITTER = off"},
		{"TIMING.JITTER = 0.8", "team.policy:1: TIMING.JITTER can be off or on, not '0.8'; a threshold is set "
					"as TIMING.JITTER.NAME = NUMBER"},
		{"TIMING.JITTER",
		 "team.policy:1: 'TIMING.JITTER' sets nothing: CODE.threshold = NUMBER, or CODE = off"},
		{"= off", "team.policy:1: there is no name before '='"},
		{"TIMING.JITTER. = 1", "team.policy:1: there is no threshold after the last '.' of TIMING.JITTER."},
		{"divergence.numeric_jump = 1",
		 "team.policy:1: there is no rule divergence.numeric_jump; did you mean DIVERGENCE?"},
		{"DIVERGENCES.numeric_jump = 1",
		 "team.policy:1: there is no rule DIVERGENCES.numeric_jump; did you mean DIVERGENCE?"},
		{"\nDIVERGENCE.numeric_jum = 1",
		 "team.policy:2: DIVERGENCE has no cut-off numeric_jum; did you mean numeric_jump?"},
		{"DIVERGENCE.x = 1", "team.policy:1: DIVERGENCE has no cut-off x; it has numeric_jump, numeric_grad, "
				     "init_jump, precision_jump, "
				     "resume_data_jump, latch_slope, hidden_slope, quanta, spread_times, blow_up, "
				     "blow_up_records, report_records, common_records, "
				     "resume_records, input_records, lr_records, envelope_window, envelope_run, "
				     "envelope_at_once, envelope_amplified, "
				     "envelope_chance"},
		{"DIVERGENCE = off",
		 "team.policy:1: DIVERGENCE cannot be off or on; a cut-off is set as DIVERGENCE.NAME = NUMBER"},
		{"DIVERGENCE = 1",
		 "team.policy:1: DIVERGENCE cannot be off or on; a cut-off is set as DIVERGENCE.NAME = NUMBER"},
		{"DIVERGENCE.numeric_jump = off",
		 "team.policy:1: a cut-off cannot be off or on: DIVERGENCE.numeric_jump = NUMBER"},
		{"DIVERGENCE. = 1", "team.policy:1: there is no threshold after the last '.' of DIVERGENCE."},
		{"DIVERGENCE.numeric_jump = low", "team.policy:1: 'low' is not a finite number"},
		{"DIVERGENCE.numeric_jum = low",
		 "team.policy:1: DIVERGENCE has no cut-off numeric_jum; did you mean numeric_jump?"},
		{"DIVERGENCE.numeric_jump = -1", "team.policy:1: DIVERGENCE.numeric_jump is at least 0, not -1"},
		{"DIVERGENCE.common_records = 2.5",
		 "team.policy:1: DIVERGENCE.common_records is a whole number from 1 to 1e+09, not 2.5"},
		{"DIVERGENCE.envelope_run = 0",
		 "team.policy:1: DIVERGENCE.envelope_run is a whole number from 1 to 1e+09, not 0"},
		{"DIVERGENCE.envelope_window = 1e300",
		 "team.policy:1: DIVERGENCE.envelope_window is a whole number from 1 to 1e+09, not 1e+300"},
		{"\x1b[31m = 1", "team.policy:1: there is no rule \\x1B[31m; 'tscope explain' lists them"},
	};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ts_policy p = {.n = 77};
		struct ts_error err;

		assert_int_equal(parse(bad[i].text, &arena, &p, &err), TS_INVALID);
		assert_string_equal(err.text, bad[i].want);
		assert_int_equal(p.n, 77);
	}
	ts_arena_finish(&arena);
}

/* Names that are as long as an error's text end in an error, not in a write past its end. */
static void long_names(void **state)
{
	enum { LONG = 5000 };
	char *text = test_malloc(LONG + 8);
	struct ts_arena arena;
	struct ts_policy p;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	memset(text, 'A', LONG);
	memcpy(text + LONG, " = off", 7);
	assert_int_equal(parse(text, &arena, &p, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "AAA...; 'tscope explain' lists them"));
	memset(text, '\x01', LONG);
	assert_int_equal(parse(text, &arena, &p, &err), TS_INVALID);
	test_free(text);
	ts_arena_finish(&arena);
}

static void a_policy_from_elsewhere_is_checked(void **state)
{
	struct ts_policy_item item = {.code = ts_span_str("TIMING.JITTER"), .threshold = ts_span_str("min_cv"), .value = 1};
	struct ts_policy p = {.items = &item, .n = 1};
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_policy_check(&p, &err), TS_OK);
	item.value = (double)NAN;
	assert_int_equal(ts_policy_check(&p, &err), TS_INVALID);
	assert_string_equal(err.text, "policy: TIMING.JITTER.min_cv is not a finite number");
	item.value = 1;
	item.text = ts_span_str("5 %");
	assert_int_equal(ts_policy_check(&p, &err), TS_INVALID);
	assert_string_equal(err.text, "policy: '5 %' is not a finite number");
	item.text = ts_span_of(NULL, 0);
	item.threshold = ts_span_str("min");
	assert_int_equal(ts_policy_check(&p, &err), TS_UNSUPPORTED);
	item.threshold = ts_span_of(NULL, 0);
	assert_int_equal(ts_policy_check(&p, &err), TS_OK);
	item.code = ts_span_str("TIMING");
	assert_int_equal(ts_policy_check(&p, &err), TS_UNSUPPORTED);
	item.code = ts_span_of(NULL, 0);
	assert_int_equal(ts_policy_check(&p, &err), TS_UNSUPPORTED);
}

static void cut_offs_of_a_diagnosis(void **state)
{
	struct ts_cuts cuts, standard;
	struct ts_arena arena;
	struct ts_policy p;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 1 << 20);
	ts_cuts_default(&standard);
	ts_cuts_of(NULL, &cuts);
	assert_memory_equal(&cuts, &standard, sizeof cuts);
	assert_int_equal(parse("DIVERGENCE.numeric_jump = 1\nTIMING.JITTER = off\nDIVERGENCE.envelope_run = 7\n"
			       "DIVERGENCE.numeric_jump = 1e-5\n",
			       &arena, &p, &err),
			 TS_OK);
	assert_int_equal(p.n, 4);
	assert_true(ts_span_is(p.items[0].code, "DIVERGENCE"));
	assert_true(ts_span_is(p.items[0].threshold, "numeric_jump"));
	assert_int_equal(ts_policy_check(&p, &err), TS_OK);
	ts_cuts_of(&p, &cuts);
	assert_true(cuts.value[TS_CUT_NUMERIC] == 1e-5); /* the later line counts */
	assert_true(cuts.value[TS_CUT_RUN] == 7);
	cuts.value[TS_CUT_NUMERIC] = standard.value[TS_CUT_NUMERIC];
	cuts.value[TS_CUT_RUN] = standard.value[TS_CUT_RUN];
	assert_memory_equal(&cuts, &standard, sizeof cuts);
	/* Each default must lie in the range that a policy may set. */
	for (size_t i = 0; i < TS_CUTS; i++) {
		struct ts_policy_item item = {ts_span_str("DIVERGENCE"), ts_span_str(ts_cut_rows[i].name), false,
					      ts_cut_rows[i].value, {NULL, 0}};
		struct ts_policy one = {&item, 1};

		assert_int_equal(ts_policy_check(&one, &err), TS_OK);
		item.value = ts_cut_rows[i].least - 1;
		assert_int_equal(ts_policy_check(&one, &err), TS_INVALID);
		item.value = (double)INFINITY;
		assert_int_equal(ts_policy_check(&one, &err), TS_INVALID);
		item.value = ts_cut_rows[i].value;
		item.text = ts_span_str("much");
		assert_int_equal(ts_policy_check(&one, &err), TS_INVALID);
		assert_string_equal(err.text, "policy: 'much' is not a finite number");
	}
	ts_arena_finish(&arena);
}

static void a_full_arena(void **state)
{
	struct ts_arena arena;
	struct ts_policy p;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, 16);
	assert_int_equal(parse("TIMING.JITTER = off\n", &arena, &p, &err), TS_NO_MEMORY);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_in_order),
		cmocka_unit_test(mistakes_have_a_line_and_a_way_out),
		cmocka_unit_test(long_names),
		cmocka_unit_test(a_policy_from_elsewhere_is_checked),
		cmocka_unit_test(cut_offs_of_a_diagnosis),
		cmocka_unit_test(a_full_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
