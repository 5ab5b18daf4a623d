/* test_gate.c - from runs in their roles to a verdict. Numbers of the test itself are in test_gate_test.c; here stand who
 * counts, with whom, and what is said. Ten baselines of 0.1 s that scatter by 0.5 % (values written by hand) carry most
 * cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/test_gate_runs.h"

#include <math.h>

static int setup(void **state)
{
	(void)ts_test_gate_setup(state);
	t.input.policy.suspect_alpha = 0.05; /* the expected numbers were computed with this value */
	return 0;
}

static struct ts_gate_run *put(enum ts_gate_role role, double step_time)
{
	struct ts_gate_run *run = ts_test_gate_put(role);

	run->workload.commit = ts_span_str(role == TS_GATE_BASELINE ? "b0b0" : "cafe");
	ts_test_gate_set(run, TS_METRIC_STEP_TIME, step_time);
	return run;
}

static void put_session(enum ts_gate_role role, double step_time, const char *session)
{
	put(role, step_time)->workload.session = ts_span_str(session);
}

static void baselines(size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(TS_GATE_BASELINE, 0.1 * ts_test_ten[i % 10]);
}

static void put_pair(uint32_t number, double base, double candidate, const char *session)
{
	struct ts_gate_run *run = put(TS_GATE_PAIR_BASE, base);

	run->group = number;
	run->workload.session = ts_span_str(session);
	run = put(TS_GATE_PAIR_CANDIDATE, candidate);
	run->group = number;
	run->workload.session = ts_span_str(session);
}

static struct ts_gate_row *judge(void)
{
	return ts_test_gate_judge(TS_METRIC_STEP_TIME);
}

static void says(const char *part)
{
	if (!ts_test_gate_holds(t.v.sentence, part))
		fail_msg("'%.*s' lacks '%s'", TS_SPAN_ARG(t.v.sentence), part);
}

static void is(enum ts_gate_state state, unsigned exit_code)
{
	if (t.v.state != state || t.v.exit_code != exit_code)
		fail_msg("%s, exit %u: %.*s", ts_gate_state_word(t.v.state), t.v.exit_code, TS_SPAN_ARG(t.v.sentence));
}

/* The expected values are from numpy and scipy: log values of ten, one candidate of 0.1001, s from 9 degrees of
 * freedom. */
static void clean_passes_and_says_what_it_missed(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.1001);
	row = judge();
	is(TS_GATE_PASS, 0);
	says("shows no regression: it is 0.1 % longer than that of main (99 % confidence interval of the change -1.7 % to 1.9 %, from "
	     "10 baselines); the gate could have missed a regression of up to 3.1 %");
	assert_true(fabs(row->could_miss - 0.03050531655211331) < 1e-12);
	assert_true(fabs(row->p - 0.9312797156031964) < 1e-12);
	assert_true(row->base_draws == 10 && row->candidate_draws == 1 && !row->paired);
	assert_int_equal(t.v.n_warnings, 0);
	assert_int_equal(t.v.ask.pairs, 0);
}

/* What would be green is not where baselines were lost, whatever the policy makes of other inconclusive verdicts. */
static void losses_make_nothing_green(void **state)
{
	(void)state;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.1001);
	t.input.lost = ts_span_str("2 baselines were marked since the candidate came, by bob");
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("there is no verdict on p/run10: 2 baselines were marked since the candidate came, by bob; it would be pass with what is "
	     "left");
	t.input.policy.on_inconclusive = TS_GATE_GREEN;
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	assert_int_equal(ts_test_gate_warned("that exit 0"), 0);
	t.input.policy.on_inconclusive = TS_GATE_FAILS;
	judge();
	is(TS_GATE_INCONCLUSIVE, 1);
	t.input.n_runs = 0;
	baselines(2);
	put(TS_GATE_CANDIDATE, 0.1001);
	t.input.policy.on_inconclusive = TS_GATE_EXIT_3;
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("it would be collecting");
}

/* What fails or asks for pairs without them does so with them, and says it. */
static void losses_excuse_nothing(void **state)
{
	(void)state;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.12);
	t.input.lost = ts_span_str("1 baseline was marked");
	judge();
	is(TS_GATE_SUSPECT, 4);
	assert_int_equal(ts_test_gate_warned("1 baseline was marked"), 1);
}

/* The same run: the gate could have missed 3.05 %. */
static void what_could_have_missed_too_much_is_blind(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.1001);
	for (size_t i = 0; i < 11; i++)
		t.runs[i].reduction.metrics[TS_METRIC_PEAK_MEMORY] = (struct ts_reduced){.known = true, .value = 1e9};
	t.input.policy.must_catch = 0.03;
	row = judge();
	is(TS_GATE_BLIND, 3);
	assert_int_equal(row->state, TS_GATE_BLIND);
	says("step time of p/run10 shows no regression, but this test is blind: the gate could have missed a regression of up to 3.1 "
	     "%, and GATE.must_catch is 3.0 %; it is 0.1 % longer than that of main");
	assert_int_equal(
		ts_test_gate_warned("differs too much to show a change of 3.0 %: run 2 pairs of base and candidate on one machine"), 1);
	assert_int_equal(ts_test_gate_warned("(GATE.blind = pass)"), 0);
	assert_int_equal(ts_test_gate_warned("able to decide"), 0); /* memory says nothing about time */
	assert_int_equal(t.v.ask.pairs, 2);
	t.input.policy.on_blind = TS_GATE_FAILS;
	judge();
	is(TS_GATE_BLIND, 1);
	t.input.policy.on_blind = TS_GATE_GREEN;
	judge();
	is(TS_GATE_BLIND, 0);
	assert_int_equal(t.v.ask.pairs, 0); /* the policy accepts it, so nothing is trained for it */
	assert_int_equal(ts_test_gate_warned("the verdict is blind, and the policy (GATE.blind = pass) makes that exit 0"), 1);
	t.input.policy.must_catch = 0.032;
	judge();
	is(TS_GATE_PASS, 0);
	t.input.policy.must_catch = (double)NAN;
	judge();
	is(TS_GATE_PASS, 0);
	/* A metric that is only shown is never blind. One that resists noise is offered, and one that is step time on
	 * another scale is not. */
	t.input.policy.must_catch = 0.03;
	for (size_t i = 0; i < 11; i++) {
		ts_test_gate_set(&t.runs[i], TS_METRIC_STEP_TIME_FLOOR, 0.1);
		ts_test_gate_set(&t.runs[i], TS_METRIC_TOKENS_PER_S, 1000);
	}
	judge();
	assert_int_equal(t.v.rows[TS_METRIC_TOKENS_PER_S].state, TS_GATE_PASS);
	assert_int_equal(ts_test_gate_warned("able to decide (GATE.metrics): step_time_floor (a change of 2."), 1);
	assert_int_equal(ts_test_gate_warned("tokens_per_s"), 0);
	/* A machine that became faster hides a regression, so a shorter step time does not make the test less blind. */
	t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.05;
	judge();
	assert_int_equal(t.v.state, TS_GATE_BLIND);
}

static void all_have(enum ts_metric metric, double value, double candidate)
{
	for (size_t i = 0; i < t.input.n_runs; i++)
		t.runs[i].reduction.metrics[metric] = (struct ts_reduced){
			.known = true,
			.value = t.runs[i].role == TS_GATE_CANDIDATE ? candidate : value * (1 + 0.001 * (double)(i % 3))};
}

/* Makes ten baselines at 100 ms, a candidate that is as fast, and one metric that does not decide. */
static void watched(enum ts_metric metric, double value, double candidate)
{
	t.input.n_runs = 0;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.1);
	all_have(metric, value, candidate);
	judge();
}

static void what_is_watched_counts_when_it_is_grossly_worse(void **state)
{
	(void)state;
	watched(TS_METRIC_STEP_TIME_MEAN, 0.1, 0.1035);
	is(TS_GATE_PASS, 0);
	assert_int_equal(t.v.rows[TS_METRIC_STEP_TIME_MEAN].state, TS_GATE_SUSPECT);
	assert_false(t.v.rows[TS_METRIC_STEP_TIME_MEAN].counts);
	watched(TS_METRIC_STEP_TIME_MEAN, 0.1, 0.108); /* 2 % of the steps are five times as long */
	is(TS_GATE_SUSPECT, 4);
	says("mean step time of p/run10 may have regressed: it is 7.9 % longer");
	assert_true(t.v.rows[TS_METRIC_STEP_TIME_MEAN].counts && !t.v.rows[TS_METRIC_STEP_TIME_MEAN].gates);
	assert_int_equal(t.v.ask.pairs, 2);
	watched(TS_METRIC_STEP_TIME_END, 0.1, 0.13);
	is(TS_GATE_SUSPECT, 4);
	assert_false(ts_gate_asks_memory(&t.v));
	watched(TS_METRIC_PEAK_MEMORY, 500 << 20, 560 << 20);
	is(TS_GATE_SUSPECT, 4);
	assert_true(ts_gate_asks_memory(&t.v) && !ts_gate_asks_why(&t.v));
	t.input.policy.watch[TS_METRIC_PEAK_MEMORY] = false;
	watched(TS_METRIC_PEAK_MEMORY, 500 << 20, 560 << 20);
	assert_false(ts_gate_asks_memory(&t.v)); /* it is shown alone */
	t.input.policy.watch[TS_METRIC_PEAK_MEMORY] = true;
	watched(TS_METRIC_LOSS, 2, 4);
	is(TS_GATE_SUSPECT, 4);
	watched(TS_METRIC_LOSS, 2, 1); /* the candidate is better */
	is(TS_GATE_PASS, 0);
	watched(TS_METRIC_STEP_TIME_P95, 0.1, 0.2); /* this metric is not watched */
	is(TS_GATE_PASS, 0);
	t.input.policy.watch[TS_METRIC_LOSS] = false;
	watched(TS_METRIC_LOSS, 2, 4);
	is(TS_GATE_PASS, 0);
}

static void a_loss_that_is_not_finite_fails(void **state)
{
	(void)state;
	watched(TS_METRIC_LOSS, 2, NAN);
	is(TS_GATE_REGRESSION, 1);
	says("loss at the end of p/run10 has regressed: its value is NaN or infinite, and that of none of 10 baselines is");
	for (size_t i = 0; i < t.input.n_runs; i++)
		t.runs[i].reduction.loss_column = ts_span_str("scalars.train/loss");
	judge();
	says("loss at the end (train/loss) of p/run10 has regressed");
	watched(TS_METRIC_LOSS, 2, INFINITY);
	is(TS_GATE_REGRESSION, 1);
	/* If a baseline also ends with such a loss, the change is not to blame. */
	t.runs[3].reduction.metrics[TS_METRIC_LOSS].value = NAN;
	judge();
	is(TS_GATE_PASS, 0);
	assert_true(ts_span_is(t.v.rows[TS_METRIC_LOSS].reason, "its value is NaN or infinite, as in 1 of 10 baselines"));
	t.runs[10].reduction.metrics[TS_METRIC_LOSS].value = 2;
	judge();
	is(TS_GATE_PASS, 0);
	t.input.policy.watch[TS_METRIC_LOSS] = false;
	watched(TS_METRIC_LOSS, 2, NAN);
	is(TS_GATE_PASS, 0);
	assert_int_equal(t.v.rows[TS_METRIC_LOSS].state, TS_GATE_REGRESSION);
}

/* Where the baseline is 0, a relative size has no meaning, so there is nothing that must be caught. */
static void nothing_relative_is_not_blind(void **state)
{
	(void)state;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.1);
	t.input.policy.gates[TS_METRIC_STEP_TIME] = false;
	t.input.policy.gates[TS_METRIC_STALL_SHARE] = true;
	for (size_t i = 0; i < 11; i++)
		t.runs[i].reduction.metrics[TS_METRIC_STALL_SHARE] = (struct ts_reduced){.known = true, .value = 0};
	judge();
	is(TS_GATE_PASS, 0);
}

static void suspect_asks_and_pairs_decide(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	t.input.policy.pairs = 4;
	t.input.policy.pairs_most = 8;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.108);
	row = judge();
	is(TS_GATE_SUSPECT, 4);
	says("step time of p/run10 may have regressed: it is 8.0 % longer than that of main (99 % confidence interval of the change "
	     "6.1 % to 9.9 %, from 10 baselines); run 4 pairs of base and candidate on one allocation to confirm");
	assert_true(fabs(row->p - 3.2846285252817617e-07) < 1e-16);
	assert_int_equal(t.v.ask.pairs, 4);
	assert_true(ts_span_is(t.v.ask.base_commit, "b0b0") && ts_span_is(t.v.ask.candidate_commit, "cafe"));
	assert_int_equal(t.v.ask.candidate.bytes[0], 10);
	for (uint32_t i = 0; i < 3; i++)
		put_pair(i, 0.1003, 0.1003 * (1.08 + 0.001 * i), "s");
	judge();
	is(TS_GATE_SUSPECT, 4);
	assert_int_equal(t.v.ask.pairs, 1);
	put_pair(3, 0.0998, 0.0998 * 1.079, "s");
	row = judge();
	is(TS_GATE_REGRESSION, 1);
	says("longer than that of main (99 % confidence interval of the change 6.6 % to 9.5 %, from 4 pairs on one allocation)");
	assert_true(row->paired && row->pairs == 4 && t.v.ask.pairs == 0);
	/* The expected value is the mean of log 1.08, 1.081, 1.082, 1.079. */
	assert_true(fabs(log1p(row->size) - (log(1.08) + log(1.081) + log(1.082) + log(1.079)) / 4) < 1e-12);
}

static void pairs_that_do_not_confirm(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	t.input.policy.pairs = 4;
	t.input.policy.pairs_most = 8;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.104);
	for (uint32_t i = 0; i < 4; i++)
		put_pair(i, 0.1003, 0.1003 * (1.002 - 0.001 * i), "s");
	row = judge();
	is(TS_GATE_PASS, 0);
	says("was suspect at the first look, and the pairs do not confirm a regression: it is 0.05 % longer");
	says("the gate could have missed a regression of up to");
	assert_true(row->could_miss > 0.02 && row->could_miss < 0.03);
	/* The result lies between the limits: the gate asks for more pairs and says so. */
	t.input.n_runs = 11;
	for (uint32_t i = 0; i < 5; i++)
		put_pair(i, 0.1003, 0.1003 * 1.018, "s");
	judge();
	is(TS_GATE_SUSPECT, 4);
	says("run another 3 pairs");
}

/* Step times of one commit differ by up to 40 %, in six pairs as well. The floor of the candidate is 10 % longer in each of them. */
static void the_floor_decides_where_step_time_is_blind(void **state)
{
	static const double noise[] = {0.8, 1.2, 1, 1.15, 0.85, 0.9, 1.1, 0.95, 1.2, 0.8}; /* by hand */

	(void)state;
	for (double slower = 1.1; slower >= 1; slower -= 0.1) {
		t.input.n_runs = 0;
		for (size_t i = 0; i < 10; i++)
			put(TS_GATE_BASELINE, 0.1 * noise[i]);
		put(TS_GATE_CANDIDATE, 0.1);
		for (uint32_t i = 0; i < 6; i++)
			put_pair(i, 0.1 * noise[i], 0.1 * noise[9 - i], "s");
		for (size_t i = 0; i < t.input.n_runs; i++) {
			bool base = t.runs[i].role == TS_GATE_BASELINE || t.runs[i].role == TS_GATE_PAIR_BASE;

			ts_test_gate_set(&t.runs[i], TS_METRIC_STEP_TIME_FLOOR, 0.08 * ts_test_ten[i % 10] * (base ? 1 : slower));
		}
		assert_int_equal(judge()->state, TS_GATE_BLIND);
		if (slower > 1.05) {
			is(TS_GATE_REGRESSION, 1);
			says("floor of step time of p/run10 has regressed: it is ");
		} else {
			is(TS_GATE_BLIND, 3); /* that the floor is the same shows nothing */
		}
		assert_int_equal(ts_test_gate_warned("in pairs as well, so its floor decides"), slower > 1.05);
	}
}

/* Six pairs in the order ABBA, each run slower than the one before by `drift`, with `scatter` from run to run. */
static void put_turns(double drift, double scatter)
{
	static const double shape[12] = {1, -2, 3, -1, 2, -3, -1, 3, -2, 1, 2, -3}; /* by hand */
	uint32_t place = 0;

	for (uint32_t k = 0; k < 6; k++)
		for (size_t second = 0; second < 2; second++, place++) {
			bool base = (k % 2 == 0) == (second == 0);
			struct ts_gate_run *run = put(base ? TS_GATE_PAIR_BASE : TS_GATE_PAIR_CANDIDATE,
						      0.1 * exp(drift * place + scatter * shape[place]));

			run->group = k;
			run->workload.session = ts_span_str("s");
			run->workload.started_ns = (int64_t)(1 + place) * 1000000000;
		}
}

static void a_drift_of_pairs_is_said_above_its_noise(void **state)
{
	static const struct {
		double drift, scatter;
		size_t said;
	} rows[] = {{0.02, 0.001, 1}, {0.02, 0.02, 0}, {0.009, 0.0001, 0} /* below delta */};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		t.input.n_runs = 0;
		baselines(10);
		put(TS_GATE_CANDIDATE, 0.108);
		put_turns(rows[i].drift, rows[i].scatter);
		judge();
		assert_int_equal(ts_test_gate_warned("this drift is removed from the comparison"), rows[i].said);
	}
}

static void pairs_of_two_sessions_do_not_count(void **state)
{
	(void)state;
	t.input.policy.pairs = 2;
	t.input.policy.pairs_most = 2;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.108);
	put_pair(0, 0.1, 0.108, "a");
	put_pair(1, 0.1, 0.108, "a");
	t.runs[14].workload.session = ts_span_str("b");
	put_pair(2, 0.1, 0.108, "");
	t.runs[16].workload.session = ts_span_str("a");
	put_pair(3, 0.1, 0.108, "a");
	t.input.n_runs--;
	put_pair(4, 0.1, 0.108, "c");
	t.runs[t.input.n_runs - 1].id = t.runs[12].id;
	judge();
	is(TS_GATE_SUSPECT, 4);
	assert_int_equal(t.v.rows[TS_METRIC_STEP_TIME].pairs, 1);
	assert_int_equal(t.v.ask.pairs, 1);
	assert_int_equal(ts_test_gate_warned("pair 1 does not count: its runs come from two different sessions"), 1);
	assert_int_equal(ts_test_gate_warned("pair 2 does not count: its runs do not record their session"), 1);
	assert_int_equal(ts_test_gate_warned("pair 3 does not count: it has no run of the candidate"), 1);
	assert_int_equal(ts_test_gate_warned("pair 4 does not count: one of its runs is already in another pair"), 1);
}

/* The first look takes the pairs that were run first, whatever their numbers: two that refute were run first, four
 * that would confirm later. */
static void pairs_count_in_the_order_in_which_they_ran(void **state)
{
	(void)state;
	t.input.policy.pairs = 2;
	t.input.policy.pairs_most = 6;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.108);
	for (uint32_t i = 0; i < 6; i++)
		put_pair(i, 0.1, i < 4 ? 0.108 : 0.1, i < 4 ? "later" : "first");
	judge();
	is(TS_GATE_REGRESSION, 1);
	for (size_t i = 11; i < 23; i++)
		t.runs[i].workload.started_ns = (t.runs[i].group < 4 ? 2000 : 0) + (int64_t)(t.runs[i].group % 2 ? i ^ 1 : i);
	judge();
	is(TS_GATE_PASS, 0);
	says("the pairs do not confirm a regression: it is 0 % longer than that of main");
	says("2 pairs on one allocation");
}

/* The base ran first in every pair: whatever they show, pairs of the other order are asked for, and decide with them. */
static void pairs_of_one_order_are_completed(void **state)
{
	struct ts_gate_orders orders;

	(void)state;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.108);
	for (uint32_t i = 1; i <= 6; i++)
		put_pair(i, 0.1, 0.103 + 0.0001 * i, "one");
	for (size_t i = 11; i < t.input.n_runs; i++)
		t.runs[i].workload.started_ns = (int64_t)i;
	judge();
	is(TS_GATE_SUSPECT, 4);
	assert_int_equal(t.v.ask.pairs, 2);
	says("is not judged yet: in each of 6 pairs the base ran first");
	says("run another 2 pairs on one allocation, beginning with the candidate");
	orders = ts_gate_orders_of(&t.input);
	assert_true(orders.base == 6 && orders.candidate == 0);
	assert_false(ts_gate_base_first(&orders, 7) || ts_gate_base_first(&orders, 8));
	for (uint32_t i = 7; i <= 8; i++) {
		put_pair(i, 0.1034 + 0.0001 * i, 0.1, "one");
		t.runs[t.input.n_runs - 2].workload.started_ns = 100 + 2 * i + 1;
		t.runs[t.input.n_runs - 1].workload.started_ns = 100 + 2 * i;
	}
	judge();
	is(TS_GATE_PASS, 0);
	/* A pair that does not record its start is of no order: it does not complete the others, and alone it is taken as it is. */
	t.input.n_runs -= 4;
	t.runs[11].workload.started_ns = 0;
	judge();
	is(TS_GATE_SUSPECT, 4);
	for (size_t i = 11; i < t.input.n_runs; i++)
		t.runs[i].workload.started_ns = 0;
	judge();
	is(TS_GATE_REGRESSION, 1);
}

static void one_look_decides_where_nothing_is_run_again(void **state)
{
	(void)state;
	t.input.policy.rerun = false;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.103); /* p = 0.00297 by scipy */
	judge();
	is(TS_GATE_REGRESSION, 1);
	t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.1025; /* p = 0.0124 */
	judge();
	is(TS_GATE_PASS, 0);
	t.input.policy.rerun = true;
	judge();
	is(TS_GATE_SUSPECT, 4);
}

static void improvement_is_the_mirror(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.092);
	judge();
	is(TS_GATE_PASS, 0);
	says("shows no regression: it is 8.0 % shorter than that of main (99 % confidence interval of the change -9.6 % to -6.3 %, "
	     "from 10 "
	     "baselines), which one run cannot attribute to the commit; ");
	assert_int_equal(t.v.n_why, 0);
	t.input.policy.rerun = false;
	row = judge();
	is(TS_GATE_IMPROVEMENT, 0);
	says("has improved: it is 8.0 % shorter than that of main (99 % confidence interval of the change -9.6 % to -6.3 %");
	assert_false(ts_test_gate_holds(t.v.sentence, "one run cannot"));
	assert_true(row->size < 0 && row->low < row->size && row->size < row->high);
}

/* Throughput is the inverse of time: the same runs give the same verdict, p and draws, and a size of the other sign. */
static void direction_can_be_exchanged(void **state)
{
	static const double candidates[] = {0.1001, 0.1025, 0.108, 0.092};

	(void)state;
	t.input.policy.gates[TS_METRIC_TOKENS_PER_S] = true;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0);
	for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
		const struct ts_gate_row *time, *rate;

		t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME].value = candidates[i];
		for (size_t k = 0; k < 11; k++)
			t.runs[k].reduction.metrics[TS_METRIC_TOKENS_PER_S] = (struct ts_reduced){
				.known = true, .value = 1000 / t.runs[k].reduction.metrics[TS_METRIC_STEP_TIME].value};
		judge();
		time = &t.v.rows[TS_METRIC_STEP_TIME];
		rate = &t.v.rows[TS_METRIC_TOKENS_PER_S];
		assert_int_equal(time->state, rate->state);
		assert_true(fabs(time->p - rate->p) < 1e-9);
		assert_true(fabs((1 + time->size) * (1 + rate->size) - 1) < 1e-12);
		assert_true(fabs((1 + time->could_miss) * (1 - rate->could_miss) - 1) < 1e-12);
		assert_true(fabs((1 + time->low) * (1 + rate->high) - 1) < 1e-12);
	}
}

static void sessions_are_draws(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	/* Eight runs of one session and one of another are two draws, whose spread is not known. */
	for (size_t i = 0; i < 8; i++)
		put_session(TS_GATE_BASELINE, 0.1 * ts_test_ten[i], "a");
	put_session(TS_GATE_BASELINE, 0.1, "b");
	put_session(TS_GATE_CANDIDATE, 0.11, "c");
	row = judge();
	is(TS_GATE_COLLECTING, 0);
	assert_int_equal(row->base_draws, 2);
	says("the gate has 9 baselines of 2 sessions (runs of one session count as one) so far; a verdict needs at least 3, and 10 are "
	     "recommended");
	/* For three sessions, their means 0.1, 0.102 and 0.104 count, not the runs. */
	t.input.n_runs = 0;
	for (size_t i = 0; i < 6; i++)
		put_session(TS_GATE_BASELINE, i % 2 ? 0.101 : 0.0990099009900990, "a");
	put_session(TS_GATE_BASELINE, 0.102, "b");
	put_session(TS_GATE_BASELINE, 0.104, "d");
	put_session(TS_GATE_CANDIDATE, 0.102, "c");
	put_session(TS_GATE_CANDIDATE, 0.104, "c");
	row = judge();
	assert_true(row->base_draws == 3 && row->candidate_draws == 1 && row->df == 2);
	assert_true(fabs(row->base - cbrt(0.1 * 0.102 * 0.104)) < 1e-6);
	assert_true(fabs(row->candidate - sqrt(0.102 * 0.104)) < 1e-12);
	/* Candidates without a session are one draw together, and each baseline is its own; a warning says so. */
	t.input.n_runs = 0;
	for (size_t i = 0; i < 5; i++)
		put_session(TS_GATE_BASELINE, 0.1 * ts_test_ten[i], "");
	put_session(TS_GATE_CANDIDATE, 0.1, "");
	put_session(TS_GATE_CANDIDATE, 0.1, "");
	row = judge();
	assert_true(row->base_draws == 5 && row->candidate_draws == 1);
	assert_int_equal(ts_test_gate_warned("5 of 5 baselines do not record the session: the gate"), 1);
	/* It is said once for two metrics, and names them where a third one has no such baselines. */
	t.input.policy.gates[TS_METRIC_STEP_TIME_P10] = true;
	for (size_t i = 0; i < t.input.n_runs; i++)
		ts_test_gate_set(&t.runs[i], TS_METRIC_STEP_TIME_P10, 0.09 * ts_test_ten[i]);
	judge();
	assert_int_equal(ts_test_gate_warned("5 of 5 baselines do not record the session: the gate"), 1);
	assert_int_equal(ts_test_gate_warned("record the session"), 1);
	t.input.policy.gates[TS_METRIC_STEP_TIME_MEAN] = true;
	for (size_t i = 0; i < 3; i++)
		ts_test_gate_set(put(TS_GATE_BASELINE, (double)NAN), TS_METRIC_STEP_TIME_MEAN, 0.1 * ts_test_ten[i]);
	ts_test_gate_set(&t.runs[5], TS_METRIC_STEP_TIME_MEAN, 0.1);
	judge();
	assert_int_equal(ts_test_gate_warned("do not record the session (for step time, 10th percentile of step time): the gate"), 1);
	assert_int_equal(ts_test_gate_warned("record the session"), 1);
}

/* On a private machine jobs have no number: all runs are one session, whose state affects both sides. */
static void one_session_for_all(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		put_session(TS_GATE_BASELINE, 0.1 * ts_test_ten[i], "box");
	put_session(TS_GATE_BASELINE, 0.2, "another");
	put_session(TS_GATE_CANDIDATE, 0.1001, "box");
	put_session(TS_GATE_CANDIDATE, 0.1001, "box");
	row = judge();
	is(TS_GATE_PASS, 0);
	assert_true(row->base_draws == 10 && row->candidate_draws == 1);
	assert_true(fabs(row->p - 0.9312797156031964) < 1e-12);
	says("10 baselines of the same session");
}

static void history_gives_spread_not_level(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	baselines(3);
	put(TS_GATE_CANDIDATE, 0.1);
	row = judge();
	assert_true(row->df == 2 && row->prior_df == 0 && isnan(row->prior_sd));
	/* The two groups have different levels, 1 and 1.02, 3 and 3.06: (log 1.02)^2 / 2 each, one degree of freedom
	 * each. */
	put(TS_GATE_HISTORY, 1)->group = 1;
	put(TS_GATE_HISTORY, 3)->group = 2;
	put(TS_GATE_HISTORY, 1.02)->group = 1;
	put(TS_GATE_HISTORY, 3.06)->group = 2;
	row = judge();
	assert_true(row->df == 4 && row->prior_df == 2);
	assert_true(fabs(row->prior_sd - log(1.02) / sqrt(2)) < 1e-12);
	assert_true(fabs(row->base - cbrt(0.1004 * 0.0997 * 0.1006)) < 1e-12);
	t.input.policy.prior_df_most = 1;
	assert_true(judge()->df == 3);
	t.input.policy.prior_sd = 0.004;
	t.input.policy.prior_df = 7;
	row = judge();
	assert_true(row->prior_df == 7 && row->prior_sd == 0.004 && row->df == 9);
}

/* After `accept` the mean is new, and the runs before it still show how much runs differ: one baseline is enough. */
static void one_baseline_is_enough_where_the_spread_is_known(void **state)
{
	struct ts_gate_row *row;

	(void)state;
	for (size_t i = 0; i < 9; i++)
		put(TS_GATE_HISTORY, 2 * 0.1 * ts_test_ten[i])->group = 1;
	put(TS_GATE_CANDIDATE, 0.1);
	judge();
	is(TS_GATE_COLLECTING, 0); /* there is no mean without a baseline */
	baselines(1);
	row = judge();
	is(TS_GATE_PASS, 0);
	assert_true(row->df == 8 && row->could_miss < 0.1);
	t.runs[9].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.105;
	judge();
	is(TS_GATE_SUSPECT, 4);
	/* With one run less of history, the assumed spread is used too. */
	t.runs[0].role = TS_GATE_BASELINE;
	t.runs[0].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.1;
	row = judge();
	is(TS_GATE_COLLECTING, 0);
	assert_true(row->df == 7 + 4 + 1);
}

static void collecting_until_there_are_three(void **state)
{
	(void)state;
	put(TS_GATE_CANDIDATE, 0.2);
	judge();
	is(TS_GATE_COLLECTING, 0);
	says("the gate has 0 baselines so far; a verdict needs at least 3, and 10 are recommended");
	baselines(2);
	t.runs[0].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.15;
	judge();
	is(TS_GATE_COLLECTING, 0);
	says("the gate has 2 baselines so far; a verdict needs at least 3");
	says("; until then only a regression above");
	assert_int_equal(ts_test_gate_warned("is not judged yet"), 0); /* once is enough */
	/* A run that takes twice the time exceeds any spread that one would assume. */
	t.runs[0].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.2;
	judge();
	is(TS_GATE_SUSPECT, 4);
	baselines(1);
	t.runs[0].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.15;
	judge();
	is(TS_GATE_SUSPECT, 4);
	/* Pairs need no baselines. */
	t.input.n_runs = 1;
	t.input.policy.pairs = t.input.policy.pairs_most = 4;
	for (uint32_t i = 0; i < 4; i++)
		put_pair(i, 0.1003, 0.1003 * (1.08 + 0.001 * i), "s");
	judge();
	is(TS_GATE_REGRESSION, 1);
}

static void inconclusive_is_never_a_pass(void **state)
{
	(void)state;
	baselines(5);
	put(TS_GATE_CANDIDATE, 0.1)->reduction.metrics[TS_METRIC_STEP_TIME] =
		(struct ts_reduced){.reason = ts_span_str("the run has no column timestamp")};
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("step time of p/run5 cannot be judged: the candidate has no value: the run has no column timestamp");
	t.input.policy.on_inconclusive = TS_GATE_FAILS;
	judge();
	is(TS_GATE_INCONCLUSIVE, 1);
	t.input.policy.on_inconclusive = TS_GATE_GREEN;
	judge();
	is(TS_GATE_INCONCLUSIVE, 0);
	assert_int_equal(ts_test_gate_warned("(GATE.inconclusive = pass) makes that exit 0"), 1);
	/* One of two candidates has the metric: that one counts, and a warning names the other. */
	put(TS_GATE_CANDIDATE, 0.1);
	judge();
	is(TS_GATE_PASS, 0);
	says("step time of p/run5 and 1 more run shows no regression");
	assert_int_equal(ts_test_gate_warned("1 of 2 candidates does not count for step time: the run has no column timestamp"), 1);
	/* No baseline has the metric. */
	for (size_t i = 0; i < 5; i++)
		t.runs[i].reduction.metrics[TS_METRIC_STEP_TIME] = t.runs[i].reduction.metrics[TS_METRIC_LOSS];
	judge();
	is(TS_GATE_INCONCLUSIVE, 0);
	says("no baseline has a value to compare with: no column");
	t.input.policy.on_inconclusive = TS_GATE_EXIT_3;
	t.input.n_runs = 0;
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("there is no candidate");
	baselines(5);
	put(TS_GATE_CANDIDATE, 0.1);
	t.input.not_comparable = ts_span_str("hardware differs");
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("hardware differs");
	t.input.not_comparable = ts_span_str("");
	t.input.policy.gates[TS_METRIC_STEP_TIME] = false;
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("names no metric");
}

static void values_that_are_none(void **state)
{
	static const double odd[] = {0, -0.1, INFINITY, -INFINITY, NAN};

	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		t.input.n_runs = 0;
		baselines(9);
		put(TS_GATE_BASELINE, odd[i]);
		put(TS_GATE_CANDIDATE, 0.1);
		assert_int_equal(judge()->base_draws, 9);
		is(TS_GATE_PASS, 0);
		assert_int_equal(ts_test_gate_warned("1 of 10 baselines does not count for step time: its value is not"), 1);
		put(TS_GATE_CANDIDATE, odd[i]);
		t.runs[10] = t.runs[11];
		t.input.n_runs = 11;
		judge();
		is(TS_GATE_INCONCLUSIVE, 3);
	}
	/* The smallest and the greatest doubles are judged or inconclusive, and never cause a crash. */
	t.input.n_runs = 0;
	for (size_t i = 0; i < 4; i++)
		put(TS_GATE_BASELINE, i % 2 ? 1e308 : 5e-324);
	put(TS_GATE_CANDIDATE, 1e308);
	judge();
	for (size_t i = 0; i < 5; i++) {
		t.runs[i].reduction.metrics[TS_METRIC_LOSS] = (struct ts_reduced){.known = true, .value = i % 2 ? 1.7e308 : -1.7e308};
		t.input.policy.gates[TS_METRIC_LOSS] = true;
	}
	judge();
	assert_int_equal(t.v.rows[TS_METRIC_LOSS].state, TS_GATE_INCONCLUSIVE);
}

static void measured_by_other_means(void **state)
{
	(void)state;
	baselines(6);
	put(TS_GATE_CANDIDATE, 0.1)->reduction.time_source = ts_span_str("phases");
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("its value was measured by timestamps, and the candidate's by phases");
	for (size_t i = 0; i < 4; i++)
		t.runs[i].reduction.time_source = ts_span_str("phases");
	judge();
	is(TS_GATE_PASS, 0);
	assert_int_equal(
		ts_test_gate_warned("2 of 6 baselines do not count for step time: its value was measured by timestamps, and the "
				    "candidate's by phases"),
		1);
	put(TS_GATE_CANDIDATE, 0.1);
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("the candidate's runs were measured in different ways");
}

static void mfu_is_no_second_test(void **state)
{
	(void)state;
	t.input.policy.gates[TS_METRIC_MFU] = true;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.1001);
	for (size_t i = 0; i < 11; i++) {
		t.runs[i].reduction.metrics[TS_METRIC_MFU] = (struct ts_reduced){.known = true, .value = 0.4};
		t.runs[i].reduction.mfu_basis = ts_span_str(i < 10 ? "989 TFLOP/s, 6N" : "312 TFLOP/s, 6N");
	}
	judge();
	is(TS_GATE_PASS, 0);
	assert_false(t.v.rows[TS_METRIC_MFU].gates);
	assert_int_equal(t.v.rows[TS_METRIC_MFU].state, TS_GATE_INCONCLUSIVE);
	assert_int_equal(ts_test_gate_warned("MFU is shown and does not decide"), 1);
	t.input.policy.gates[TS_METRIC_STEP_TIME] = false;
	judge();
	is(TS_GATE_INCONCLUSIVE, 3);
	says("its value was measured by 989 TFLOP/s, 6N, and the candidate's by 312 TFLOP/s, 6N");
}

/* A difference counts from 1 %, and from 4 MiB, which is two of the allocator's smallest blocks: 3 of 100 MiB are
 * ignored, 60 of 500 are not. */
static void memory_has_an_absolute_size(void **state)
{
	static const struct {
		double base, more;
		enum ts_gate_state want;
	} cases[] = {
		{100, 3.9, TS_GATE_PASS}, {100, 4.5, TS_GATE_SUSPECT}, {500, 60, TS_GATE_SUSPECT},
		{8192, 70, TS_GATE_PASS}, {8192, 180, TS_GATE_SUSPECT},
	};

	(void)state;
	t.input.policy.gates[TS_METRIC_STEP_TIME] = false;
	t.input.policy.gates[TS_METRIC_PEAK_MEMORY] = true;
	t.input.policy.delta = 0.005;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		t.input.n_runs = 0;
		baselines(5);
		put(TS_GATE_CANDIDATE, 0.1);
		for (size_t k = 0; k < 6; k++)
			t.runs[k].reduction.metrics[TS_METRIC_PEAK_MEMORY] =
				(struct ts_reduced){.known = true, .value = cases[i].base * (1 << 20)};
		t.runs[5].reduction.metrics[TS_METRIC_PEAK_MEMORY].value += cases[i].more * (1 << 20);
		judge();
		if (t.v.state != cases[i].want)
			fail_msg("%zu: %.*s", i, TS_SPAN_ARG(t.v.sentence));
	}
	says("higher than that of main");
}

/* A share may be 0, to which nothing is relative; then 0.01 is the least difference that counts. */
static void shares_of_nothing(void **state)
{
	static const struct {
		double candidate;
		enum ts_gate_state want;
	} cases[] = {{0, TS_GATE_PASS}, {0.009, TS_GATE_PASS}, {0.02, TS_GATE_SUSPECT}};

	(void)state;
	t.input.policy.gates[TS_METRIC_STEP_TIME] = false;
	t.input.policy.gates[TS_METRIC_STALL_SHARE] = true;
	baselines(5);
	put(TS_GATE_CANDIDATE, 0.1);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (size_t k = 0; k < 6; k++)
			t.runs[k].reduction.metrics[TS_METRIC_STALL_SHARE] =
				(struct ts_reduced){.known = true, .value = k == 5 ? cases[i].candidate : 0};
		judge();
		if (t.v.state != cases[i].want)
			fail_msg("%zu: %.*s", i, TS_SPAN_ARG(t.v.sentence));
		assert_true(isnan(t.v.rows[TS_METRIC_STALL_SHARE].size));
	}
	says("share of stalls of p/run5 may have regressed: it is 2.0 %, and that of main is 0 % (from 5 baselines)");
}

/* Two metrics that decide share the level: p = 0.0124 passes half of 0.05, and so does its twin; p = 0.03 would pass
 * alone, but not beside a clean metric. */
static void levels_are_shared(void **state)
{
	double mean = 0;

	(void)state;
	t.input.policy.gates[TS_METRIC_STEP_TIME_P95] = true;
	t.input.policy.min_size[TS_METRIC_STEP_TIME_P95] = 0.02;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.1022); /* scipy: p = 0.0284 */
	for (size_t i = 0; i < 11; i++) {
		t.runs[i].reduction.metrics[TS_METRIC_STEP_TIME_P95] = t.runs[i].reduction.metrics[TS_METRIC_STEP_TIME];
		mean += i < 10 ? 0.1 * ts_test_ten[i] / 10 : 0;
	}
	t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME_P95].value = mean;
	judge();
	is(TS_GATE_PASS, 0);
	t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME_P95].value = 0.1025; /* p = 0.0124 < 0.025, then 0.0284 < 0.05 */
	judge();
	is(TS_GATE_SUSPECT, 4);
	assert_int_equal(t.v.rows[TS_METRIC_STEP_TIME].state, TS_GATE_SUSPECT);
	/* A metric that does not decide takes nothing from the level, and is tested at the whole of it. */
	t.input.policy.gates[TS_METRIC_STEP_TIME_MEAN] = true;
	t.input.policy.gates[TS_METRIC_STEP_TIME_P95] = false;
	for (size_t i = 0; i < 11; i++) {
		t.runs[i].reduction.metrics[TS_METRIC_STEP_TIME_MEAN] = t.runs[0].reduction.metrics[TS_METRIC_STEP_TIME];
		t.runs[i].reduction.metrics[TS_METRIC_STEP_TIME_P95] = t.runs[i].reduction.metrics[TS_METRIC_STEP_TIME];
	}
	judge();
	is(TS_GATE_PASS, 0);
	assert_int_equal(t.v.rows[TS_METRIC_STEP_TIME].state, TS_GATE_PASS);
	assert_int_equal(t.v.rows[TS_METRIC_STEP_TIME_P95].state, TS_GATE_SUSPECT);
	t.input.policy.gates[TS_METRIC_STEP_TIME_MEAN] = false;
	t.input.policy.gates[TS_METRIC_STEP_TIME_P95] = false;
	t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME_P95].value = mean;
	judge();
	is(TS_GATE_SUSPECT, 4);
}

/* Each row of a verdict is equal to the bit, whatever the order of the runs. */
static void order_does_not_matter(void **state)
{
	struct ts_gate_row rows[TS_METRICS];

	(void)state;
	for (size_t i = 0; i < 12; i++)
		put_session(TS_GATE_BASELINE, 0.1 + 0.0001234567 * (double)((i * 7) % 12), i % 3 ? t.sessions[i] : "shared");
	for (size_t i = 0; i < 9; i++)
		put(TS_GATE_HISTORY, 0.2 + 0.0003 * (double)((i * 5) % 9))->group = (uint32_t)(i % 2);
	for (size_t i = 0; i < 3; i++)
		put(TS_GATE_CANDIDATE, 0.1 + 0.0011 * (double)i);
	for (uint32_t i = 0; i < 5; i++)
		put_pair(i, 0.1 + 0.0001 * i, 0.1021 + 0.00013 * i, "s");
	put(TS_GATE_BASELINE, 0);
	put(TS_GATE_BASELINE, (double)NAN);
	judge();
	assert_int_equal(ts_test_gate_warned("2 of 14 baselines do not count for step time: its value is not above 0"), 1);
	assert_int_equal(t.v.n_rows, TS_METRICS);
	memcpy(rows, t.v.rows, sizeof rows);
	for (size_t round = 0; round < 20; round++) {
		for (size_t i = t.input.n_runs - 1; i > 0; i--) {
			size_t j = (i * 2654435761U + round * 40503U) % (i + 1);
			struct ts_gate_run swap = t.runs[i];

			t.runs[i] = t.runs[j];
			t.runs[j] = swap;
		}
		judge();
		assert_int_equal(ts_test_gate_warned("2 of 14 baselines do not count for step time: its value is not above 0"), 1);
		for (size_t i = 0; i < TS_METRICS; i++) {
			struct ts_gate_row *a = &rows[i], *b = &t.v.rows[i];

			assert_int_equal(a->state, b->state);
			assert_true(ts_span_eq(a->reason, b->reason));
			assert_memory_equal(&a->base, &b->base,
					    offsetof(struct ts_gate_row, paired) - offsetof(struct ts_gate_row, base));
			assert_memory_equal(&a->pairs, &b->pairs, sizeof *a - offsetof(struct ts_gate_row, pairs));
		}
	}
}

static void bounds_of_input(void **state)
{
	static const double odd[] = {0, -1, 1, INFINITY, NAN};
	struct ts_gate_policy good = t.input.policy;
	struct ts_verdict v;
	struct ts_error err;

	(void)state;
	for (size_t i = 0; i < 4090; i++)
		put(TS_GATE_BASELINE, 0.1 + 1e-7 * (double)(i * 7919 % 4090));
	for (size_t i = 0; i < 6; i++)
		put(TS_GATE_CANDIDATE, 0.1);
	assert_int_equal(t.input.n_runs, TS_GATE_RUNS_MAX);
	assert_int_equal(judge()->base_draws, 4090);
	is(TS_GATE_PASS, 0);
	for (size_t i = 0; i < TS_GATE_RUNS_MAX; i++) {
		t.runs[i].role = i % 2 ? TS_GATE_PAIR_BASE : TS_GATE_PAIR_CANDIDATE;
		t.runs[i].group = (uint32_t)(i / 2);
		t.runs[i].workload.session = ts_span_str("s");
	}
	t.input.policy.must_catch = (double)NAN; /* two pairs of which no spread is known are blind, and would wait for more */
	assert_int_equal(judge()->pairs, 2);
	assert_int_equal(ts_test_gate_warned("do not count: GATE.pairs_most of the policy is"), 1);
	put(TS_GATE_CANDIDATE, 0.1);
	assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_TOO_LARGE);
	t.input.n_runs = 1;
	t.runs[0].role = 6;
	assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_INVALID);
	t.runs[0].role = TS_GATE_CANDIDATE;
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		t.input.policy = good;
		t.input.policy.alpha = odd[i];
		assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_INVALID);
		t.input.policy = good;
		t.input.policy.suspect_alpha = odd[i];
		assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_INVALID);
		if (odd[i] >= 0 && isfinite(odd[i]))
			continue;
		t.input.policy = good;
		t.input.policy.delta = odd[i];
		assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_INVALID);
		t.input.policy = good;
		t.input.policy.min_size[TS_METRIC_LOSS] = odd[i];
		assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_INVALID);
		t.input.policy = good;
		t.input.policy.prior_df_most = odd[i];
		assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_INVALID);
	}
	t.input.policy = good;
	t.input.policy.pairs = t.input.policy.pairs_most + 1;
	assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_INVALID);
	t.input.policy.pairs = 0;
	assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_INVALID);
	t.input.policy = good;
	assert_int_equal(ts_gate_judge(&t.input, &t.arena, &v, &err), TS_OK);
}

static bool explains(const char *part)
{
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	bool found;

	ts_gate_explain(&t.input.policy, &out);
	assert_int_equal(out.failed, TS_OK);
	found = memmem(out.data, out.len, part, strlen(part)) != NULL;
	ts_buf_finish(&out);
	return found;
}

static void explained_with_the_numbers_of_the_policy(void **state)
{
	(void)state;
	t.input.policy.pairs = 3;
	t.input.policy.pairs_most = 7;
	t.input.policy.delta = 0.013;
	t.input.policy.alpha = 0.004;
	t.input.policy.suspect_alpha = 0.06;
	t.input.policy.must_catch = 0.031;
	t.input.policy.min_size[TS_METRIC_STEP_TIME] = 0.024;
	assert_true(explains("Metrics that decide: step time (wall time of an optimizer step, median over windows of steps)."));
	assert_true(explains("D - log(1 + 0.013)"));
	assert_true(explains("below 0.06 where the true change is 1.3 %, and below 0.0065 where there is no change"));
	assert_true(explains("step time below 2.4 % is ignored"));
	assert_true(explains("exits with 4 and asks for 3 pairs"));
	assert_true(explains("p below 0.002"));
	assert_true(explains("asks for 4 more pairs, and the same test on all 7 decides"));
	assert_true(explains("If that size is above 3.1 %, the verdict is blind, which is never a pass (exit 3)"));
	assert_true(explains("with at most 30 degrees of freedom"));
	assert_false(explains("Holm"));
	t.input.policy.gates[TS_METRIC_PEAK_MEMORY] = t.input.policy.gates[TS_METRIC_MFU] = true;
	t.input.policy.rerun = false;
	t.input.policy.prior_sd = 0.006;
	t.input.policy.prior_df = 12;
	assert_true(explains("Holm") && explains("or below 4 MiB, is ignored") && !explains("MFU"));
	assert_true(explains("A metric has regressed if a T so large has a probability below 0.004") && !explains("Pairs."));
	assert_true(explains("sets the standard deviation between runs to 0.6 % beforehand, with the weight of 12 degrees"));
}

/* Every allocation of an arena that is too small fails in turn: the result is an error each time, never a crash or
 * half a verdict. */
static void a_full_arena(void **state)
{
	struct ts_arena arena;
	struct ts_verdict v;
	struct ts_error err;
	enum ts_status status = TS_NO_MEMORY;

	(void)state;
	baselines(10);
	put(TS_GATE_CANDIDATE, 0.108);
	put_pair(0, 0.1, 0.108, "s");
	put_pair(1, 0.1, 0.108, "");
	for (size_t room = 16; status; room += 64) {
		ts_arena_init(&arena, room);
		status = ts_gate_judge(&t.input, &arena, &v, &err);
		assert_true(status == TS_OK || status == TS_NO_MEMORY || status == TS_TOO_LARGE);
		ts_arena_finish(&arena);
	}
}

/* One of ten at 0.13, 29.7 % above the median of all ten (the geometric mean of 0.1001 and 0.1003). A candidate at +8 % is as
 * suspect as it is without that run, and the run is named. */
static void an_odd_baseline_does_not_blind_the_gate(void **state)
{
	struct ts_gate_row *row;
	double size, sd;

	(void)state;
	baselines(9);
	put(TS_GATE_CANDIDATE, 0.108);
	row = judge();
	assert_int_equal(row->state, TS_GATE_SUSPECT);
	assert_int_equal(ts_test_gate_warned("does not count"), 0);
	size = row->size;
	sd = row->sd;
	t.input.n_runs = 0;
	baselines(9);
	put(TS_GATE_BASELINE, 0.13);
	put(TS_GATE_CANDIDATE, 0.108);
	row = judge();
	assert_int_equal(row->state, TS_GATE_SUSPECT);
	assert_int_equal(row->base_draws, 9);
	says("from 9 baselines)");
	assert_true(row->size == size && row->sd == sd);
	assert_int_equal(ts_test_gate_warned("the step time of baseline p/run9 is 30 % longer than that of the median baseline"), 1);
	assert_int_equal(ts_test_gate_warned("tscope note p/run9 bad='why'"), 1);
}

/* Two odd baselines that no fact tells from the others share a sentence. */
static void odd_baselines_share_a_sentence(void **state)
{
	(void)state;
	baselines(10);
	put(TS_GATE_BASELINE, 0.13);
	put(TS_GATE_BASELINE, 0.15);
	put(TS_GATE_CANDIDATE, 0.1);
	assert_int_equal(judge()->base_draws, 10);
	assert_int_equal(ts_test_gate_warned("the step time of 2 baselines lies far outside"), 1);
	assert_int_equal(ts_test_gate_warned("p/run10 (30 % longer), p/run11 (50 % longer) than that of the median baseline"), 1);
	assert_int_equal(ts_test_gate_warned("of baseline p/run"), 0);
}

/* A run of the history at twice the time of its level says nothing about how runs scatter. */
static void an_odd_run_of_the_history(void **state)
{
	struct ts_gate_row *row;
	double sd = 0;

	(void)state;
	for (int odd = 0; odd < 2; odd++) {
		t.input.n_runs = 0;
		baselines(3);
		for (size_t i = 0; i < 20; i++)
			put(TS_GATE_HISTORY, 0.1 * ts_test_ten[i % 10])->group = 1;
		if (odd)
			put(TS_GATE_HISTORY, 0.2)->group = 1;
		put(TS_GATE_CANDIDATE, 0.108);
		row = judge();
		assert_int_equal(row->state, TS_GATE_SUSPECT);
		if (odd)
			assert_true(row->prior_sd == sd);
		sd = row->prior_sd;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, ts_test_gate_teardown)
		TEST(clean_passes_and_says_what_it_missed),
		TEST(losses_make_nothing_green),
		TEST(losses_excuse_nothing),
		TEST(an_odd_baseline_does_not_blind_the_gate),
		TEST(odd_baselines_share_a_sentence),
		TEST(an_odd_run_of_the_history),
		TEST(what_could_have_missed_too_much_is_blind),
		TEST(nothing_relative_is_not_blind),
		TEST(what_is_watched_counts_when_it_is_grossly_worse),
		TEST(a_loss_that_is_not_finite_fails),
		TEST(suspect_asks_and_pairs_decide),
		TEST(pairs_that_do_not_confirm),
		TEST(the_floor_decides_where_step_time_is_blind),
		TEST(a_drift_of_pairs_is_said_above_its_noise),
		TEST(pairs_of_two_sessions_do_not_count),
		TEST(pairs_count_in_the_order_in_which_they_ran),
		TEST(pairs_of_one_order_are_completed),
		TEST(one_look_decides_where_nothing_is_run_again),
		TEST(improvement_is_the_mirror),
		TEST(direction_can_be_exchanged),
		TEST(sessions_are_draws),
		TEST(one_session_for_all),
		TEST(history_gives_spread_not_level),
		TEST(collecting_until_there_are_three),
		TEST(one_baseline_is_enough_where_the_spread_is_known),
		TEST(inconclusive_is_never_a_pass),
		TEST(values_that_are_none),
		TEST(measured_by_other_means),
		TEST(mfu_is_no_second_test),
		TEST(memory_has_an_absolute_size),
		TEST(shares_of_nothing),
		TEST(levels_are_shared),
		TEST(order_does_not_matter),
		TEST(bounds_of_input),
		TEST(explained_with_the_numbers_of_the_policy),
		TEST(a_full_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
