/* test_gate_work.c - floors, and candidates whose steps do other work than those of their baselines. Ten baselines at an MFU of 40 %
 * and 0.1 s a step scatter by 0.5 % (values written by hand). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/test_gate_runs.h"

#include <math.h>

/* Adds a run of which a step does `flops` times the FLOPs and `tokens` tokens, with an MFU. NaN: the run does not record it. */
static struct ts_gate_run *put(enum ts_gate_role role, double mfu, double flops, double tokens)
{
	double step_time = 0.1 * (isnan(flops) ? 1 : flops) * 0.4 / mfu;
	struct ts_gate_run *run = ts_test_gate_put(role);

	run->reduction.mfu_basis = ts_span_str("989 TFLOP/s, 6N");
	ts_test_gate_set(run, TS_METRIC_STEP_TIME, step_time);
	ts_test_gate_set(run, TS_METRIC_MFU, isnan(flops) ? flops : mfu);
	ts_test_gate_set(run, TS_METRIC_TOKENS_PER_S_DEVICE, tokens / step_time);
	ts_test_gate_set(run, TS_METRIC_PEAK_MEMORY, 1e9 * (isnan(flops) ? 1 : flops));
	return run;
}

static void baselines(double flops, double tokens)
{
	for (size_t i = 0; i < 10; i++)
		put(TS_GATE_BASELINE, 0.4 * ts_test_ten[i], flops, tokens);
}

static void says(struct ts_span text, const char *part)
{
	if (!ts_test_gate_holds(text, part))
		fail_msg("'%.*s' lacks '%s'", TS_SPAN_ARG(text), part);
}

static void warns(const char *part)
{
	if (!ts_test_gate_warned(part))
		fail_msg("no warning has '%s'", part);
}

/* The interval at 40 % is about 40 % times exp(+-3.25 * 0.5 %), so floors at 38 %, 40 % and 42 % have three answers. */
static void a_floor_has_three_answers(void **state)
{
	static const struct {
		double least;
		enum ts_gate_state state;
		uint32_t exit_code;
		const char *says;
	} rows[] = {
		{0.38, TS_GATE_PASS, 0, "step time"},
		{0.40, TS_GATE_BLIND, 3, "MFU of"},
		{0.42, TS_GATE_REGRESSION, 1, "lies below its floor: it is 40.0 % (99 % interval 39."},
	};

	(void)state;
	baselines(1, 1000);
	put(TS_GATE_CANDIDATE, 0.4, 1, 1000);
	for (size_t i = 0; i < 3; i++) {
		const struct ts_gate_row *row;

		t.input.policy.least[TS_METRIC_MFU] = rows[i].least;
		row = ts_test_gate_judge(TS_METRIC_MFU);
		assert_true(row->floored && row->counts && !row->gates && row->state == rows[i].state);
		assert_true(row->value_low < 0.4 && row->value_high > 0.4 && row->value_low > 0.39 && row->value_high < 0.41);
		assert_int_equal(t.v.exit_code, rows[i].exit_code);
		assert_true(t.v.rows[TS_METRIC_STEP_TIME].state == TS_GATE_PASS);
		says(t.v.sentence, rows[i].says);
	}
	/* Pairs would not tell more of a floor. */
	assert_int_equal(t.v.ask.pairs, 0);
}

/* Where the metric of a floor decides as well and both fail, the headline is about the floor, which no pairs can move. */
static void a_floor_stands_in_the_headline(void **state)
{
	const struct ts_gate_row *row;

	(void)state;
	baselines(1, 1000);
	put(TS_GATE_CANDIDATE, 0.32, 1, 1000);
	t.input.policy.gates[TS_METRIC_STEP_TIME] = false;
	t.input.policy.gates[TS_METRIC_MFU] = true;
	t.input.policy.rerun = false;
	row = ts_test_gate_judge(TS_METRIC_MFU);
	assert_true(row->state == TS_GATE_REGRESSION && !row->floored);
	says(t.v.sentence, "MFU of p/run10 has regressed: it is 20 % lower");
	t.input.policy.least[TS_METRIC_MFU] = 0.38;
	row = ts_test_gate_judge(TS_METRIC_MFU);
	assert_true(row->state == TS_GATE_REGRESSION && row->floored);
	says(t.v.sentence, "MFU of p/run10 lies below its floor: it is 32.0 %");
}

static void a_floor_without_a_value_is_inconclusive(void **state)
{
	(void)state;
	baselines(1, 1000);
	put(TS_GATE_CANDIDATE, 0.4, NAN, 1000);
	t.input.policy.least[TS_METRIC_MFU] = 0.3;
	assert_int_equal(ts_test_gate_judge(TS_METRIC_MFU)->state, TS_GATE_INCONCLUSIVE);
	assert_int_equal(t.v.exit_code, 3);
}

/* Without baselines runs are assumed to differ by 10 %: half of the floor is far below, and the rest is not known yet. */
static void a_floor_holds_without_baselines(void **state)
{
	(void)state;
	put(TS_GATE_CANDIDATE, 0.4, 1, 1000);
	t.input.policy.least[TS_METRIC_MFU] = 0.8;
	assert_int_equal(ts_test_gate_judge(TS_METRIC_MFU)->state, TS_GATE_REGRESSION);
	t.input.policy.least[TS_METRIC_MFU] = 0.38;
	assert_int_equal(ts_test_gate_judge(TS_METRIC_MFU)->state, TS_GATE_COLLECTING);
	t.input.policy.least[TS_METRIC_MFU] = 0.2;
	assert_int_equal(ts_test_gate_judge(TS_METRIC_MFU)->state, TS_GATE_PASS);
}

static void other_flops_are_judged_by_mfu(void **state)
{
	const struct ts_gate_row *row;

	(void)state;
	baselines(1, 1000);
	put(TS_GATE_CANDIDATE, 0.4 * 1.115, 4.0 / 3, 1333);
	row = ts_test_gate_judge(TS_METRIC_MFU);
	assert_true(row->gates && row->state == TS_GATE_PASS && t.v.state == TS_GATE_PASS);
	assert_true(t.v.rows[TS_METRIC_STEP_TIME].state == TS_GATE_INCONCLUSIVE && !t.v.rows[TS_METRIC_STEP_TIME].counts);
	assert_true(t.v.rows[TS_METRIC_PEAK_MEMORY].state == TS_GATE_INCONCLUSIVE && !t.v.rows[TS_METRIC_PEAK_MEMORY].counts);
	warns("a step of the candidate does 33 % more FLOPs than one of its baselines, so the gate compares MFU in place of step time");
	/* 4/3 of the FLOPs at 1.115 times the speed: 1.196 of the time. */
	says(t.v.rates, "MFU 40.0 % -> 44.6 % (99 % interval ");
	says(t.v.rates, "steps are 20 % longer, with 33 % more FLOPs a step; tokens per second and device 10,000 -> 11,1");
	t.runs[10].reduction.metrics[TS_METRIC_MFU].value = 0.36;
	t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.1 * 4 / 3 * 0.4 / 0.36;
	assert_int_equal(ts_test_gate_judge(TS_METRIC_MFU)->state, TS_GATE_SUSPECT);
	assert_int_equal(t.v.exit_code, 4);
	t.input.policy.other_work = false;
	assert_int_equal(ts_test_gate_judge(TS_METRIC_MFU)->counts, false);
	assert_int_equal(t.v.exit_code, 3);
	warns("GATE.other_work = off");
}

static void without_flops_tokens_decide(void **state)
{
	(void)state;
	baselines(NAN, 1000);
	put(TS_GATE_CANDIDATE, 0.2, NAN, 2000);
	assert_int_equal(ts_test_gate_judge(TS_METRIC_TOKENS_PER_S_DEVICE)->state, TS_GATE_PASS);
	assert_true(t.v.rows[TS_METRIC_TOKENS_PER_S_DEVICE].gates);
	warns("a step of the candidate does 100 % more tokens than one of its baselines, so the gate compares tokens per second and "
	      "device");
	warns("if the model or the length of its sequences changed, tokens are other work");
	says(t.v.rates, "steps are 100 % longer, with 100 % more tokens a step");
}

static void baselines_of_the_same_work_come_first(void **state)
{
	(void)state;
	baselines(1, 1000);
	for (size_t i = 0; i < 4; i++)
		put(TS_GATE_BASELINE, 0.4 * ts_test_ten[i], 2, 2000);
	put(TS_GATE_CANDIDATE, 0.4, 2, 2000);
	assert_int_equal(ts_test_gate_judge(TS_METRIC_STEP_TIME)->state, TS_GATE_PASS);
	assert_int_equal(t.v.rows[TS_METRIC_STEP_TIME].base_draws, 4);
	warns("10 of 14 baselines do not count for step time: a step of the candidate does 100 % more FLOPs");
}

static void another_workload_without_a_rate_is_inconclusive(void **state)
{
	(void)state;
	baselines(NAN, NAN);
	put(TS_GATE_CANDIDATE, 0.4, NAN, NAN);
	t.input.other_work = ts_span_str("the candidate has another workload than its baselines: config.batch is 64 instead of 32");
	assert_int_equal(ts_test_gate_judge(TS_METRIC_STEP_TIME)->state, TS_GATE_INCONCLUSIVE);
	assert_int_equal(t.v.exit_code, 3);
	warns("neither MFU nor tokens or samples per second and device are known of both sides");
	assert_int_equal(t.v.rates.len, 0);
}

static void another_convention_is_not_compared(void **state)
{
	(void)state;
	baselines(1, NAN);
	put(TS_GATE_CANDIDATE, 0.4, 2, NAN)->reduction.mfu_basis = ts_span_str("989 TFLOP/s, counted");
	t.input.other_work = ts_span_str("the candidate has another workload than its baselines");
	assert_int_equal(ts_test_gate_judge(TS_METRIC_MFU)->state, TS_GATE_INCONCLUSIVE);
	assert_int_equal(t.v.exit_code, 3);
}

/* A loss of NaN is a regression whatever work the steps do. */
static void nan_is_seen_through_other_work(void **state)
{
	(void)state;
	baselines(1, 1000);
	put(TS_GATE_CANDIDATE, 0.4, 2, 2000)->reduction.metrics[TS_METRIC_LOSS] = (struct ts_reduced){.known = true, .value = NAN};
	for (size_t i = 0; i < 10; i++)
		ts_test_gate_set(&t.runs[i], TS_METRIC_LOSS, 2);
	assert_int_equal(ts_test_gate_judge(TS_METRIC_LOSS)->state, TS_GATE_REGRESSION);
	assert_int_equal(t.v.exit_code, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_floor_has_three_answers, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(a_floor_stands_in_the_headline, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(a_floor_without_a_value_is_inconclusive, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(a_floor_holds_without_baselines, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(other_flops_are_judged_by_mfu, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(without_flops_tokens_decide, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(baselines_of_the_same_work_come_first, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(another_workload_without_a_rate_is_inconclusive, ts_test_gate_setup,
						ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(another_convention_is_not_compared, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(nan_is_seen_through_other_work, ts_test_gate_setup, ts_test_gate_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
