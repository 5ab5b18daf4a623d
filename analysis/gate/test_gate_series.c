/* test_gate_series.c - logged series before the gate: both directions, names that tell none, runs that lack them, other ends, and
 * settings of their own. */
#include "analysis/gate/test_gate_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#define FIRST ((enum ts_metric)TS_METRICS)

enum { LAST_STEP = 1000 };

/* The first of the names decides, and then the others. */
static void decide_by(const char *a, const char *b)
{
	(void)ts_gate_policy_only(&t.input.policy, a);
	if (!b)
		return;
	t.input.policy.logged[t.input.policy.n_logged] = b;
	t.input.policy.gates[TS_METRICS + t.input.policy.n_logged++] = true;
}

static struct ts_reduced_series *set(struct ts_gate_run *run, const char *name, double value)
{
	struct ts_reduced_series *series = ts_arena_array(&t.arena, run->reduction.n_series + 1, sizeof *series);

	assert_non_null(series);
	for (size_t i = 0; i < run->reduction.n_series; i++)
		series[i] = run->reduction.series[i];
	run->reduction.series = series;
	series += run->reduction.n_series++;
	*series =
		(struct ts_reduced_series){.name = ts_span_str(name), .value = {.known = true, .value = value}, .last_step = LAST_STEP};
	return series;
}

/* n baselines around `level`, with deviations of `noise` times those of ts_test_ten (0.5 %), and a candidate. */
static struct ts_gate_run *runs(const char *name, size_t n, double level, double noise, double candidate)
{
	struct ts_gate_run *run;

	for (size_t i = 0; i < n; i++)
		set(ts_test_gate_put(TS_GATE_BASELINE), name, level * (1 + noise * (ts_test_ten[i % 10] - 1)));
	run = ts_test_gate_put(TS_GATE_CANDIDATE);
	set(run, name, candidate);
	return run;
}

static void is(enum ts_gate_state state, uint32_t exit_code)
{
	if (t.v.state != state || t.v.exit_code != exit_code)
		fail_msg("%s, exit %u: %.*s", ts_gate_state_word(t.v.state), t.v.exit_code, TS_SPAN_ARG(t.v.sentence));
}

static void says(const char *part)
{
	if (!ts_test_gate_holds(t.v.sentence, part))
		fail_msg("%.*s", TS_SPAN_ARG(t.v.sentence));
}

/* Less of val_bpb is better, more of a reward: the same distance is suspect or passes. */
static void a_name_tells_what_is_worse(void **state)
{
	static const struct {
		const char *name;
		double candidate;
		enum ts_gate_state want;
	} cases[] = {
		{"val_bpb", 0.98, TS_GATE_SUSPECT}, {"val_bpb", 0.92, TS_GATE_PASS}, {"reward", 0.98, TS_GATE_PASS},
		{"reward", 0.92, TS_GATE_SUSPECT},  {"reward", 0.95, TS_GATE_PASS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_gate_row *row;

		t.input.n_runs = 0;
		decide_by(cases[i].name, NULL);
		runs(cases[i].name, 10, 0.95, 1, cases[i].candidate);
		row = ts_test_gate_judge(FIRST);
		is(cases[i].want, cases[i].want == TS_GATE_SUSPECT ? 4 : 0);
		assert_int_equal(t.v.n_rows, TS_METRICS + 1);
		assert_true(ts_span_is(row->name, cases[i].name) && row->gates && row->counts);
		assert_true(fabs(row->size - (cases[i].candidate / 0.95 - 1)) < 1e-3);
		assert_true(row->low < row->size && row->size < row->high);
		assert_false(t.v.rows[TS_METRIC_STEP_TIME].gates);
	}
}

/* A series has no least size: a change of a third of a percent counts where runs differ by less than a tenth of one, and a loss of that
 * size does not. The policy can set one, and that is then the tolerance as well. */
static void a_small_change_counts(void **state)
{
	(void)state;
	decide_by("val_bpb", NULL);
	runs("val_bpb", 10, 0.95, 0.1, 0.95 * 1.003);
	(void)ts_test_gate_judge(FIRST);
	is(TS_GATE_SUSPECT, 4);
	says("it is 0.3 % higher");
	t.input.policy.min_size[FIRST] = 0.005;
	(void)ts_test_gate_judge(FIRST);
	is(TS_GATE_PASS, 0);
}

/* Runs that repeat to the last bit differ by a rounding: that is no change. */
static void a_rounding_is_no_change(void **state)
{
	(void)state;
	decide_by("val_bpb", NULL);
	runs("val_bpb", 5, 0.95, 0, nextafter(0.95, 1));
	(void)ts_test_gate_judge(FIRST);
	is(TS_GATE_PASS, 0);
}

/* Nobody knows which way kl_coef is better: both are suspect, and where no pairs are run, it moved. */
static void a_name_that_tells_nothing_moves(void **state)
{
	static const double candidates[] = {0.106, 0.094};

	(void)state;
	decide_by("kl_coef", NULL);
	for (size_t i = 0; i < 2; i++) {
		struct ts_gate_row *row;

		t.input.n_runs = 0;
		runs("kl_coef", 10, 0.1, 1, candidates[i]);
		row = ts_test_gate_judge(FIRST);
		is(TS_GATE_SUSPECT, 4);
		says(i ? "kl_coef of p/run10 may have moved: it is 6.0 % lower"
		       : "may have moved: it is 6.0 % higher than that of main");
		says("whether that is better or worse is not known: state GATE.kl_coef.better");
		says("or run 2 pairs of base and candidate");
		assert_true(row->better == TS_BETTER_UNKNOWN && row->could_miss > 0 && row->low < row->size && row->size < row->high);
		t.input.policy.rerun = false;
		(void)ts_test_gate_judge(FIRST);
		is(TS_GATE_INCONCLUSIVE, 3);
		says(i ? "kl_coef of p/run10 moved: it is 6.0 % lower than that of main"
		       : "moved: it is 6.0 % higher than that of main");
		t.input.policy.rerun = true;
		t.input.policy.better[FIRST] = TS_BETTER_HIGHER;
		(void)ts_test_gate_judge(FIRST);
		is(i ? TS_GATE_SUSPECT : TS_GATE_PASS, i ? 4 : 0);
		says(i ? "may have regressed" : "shows no regression");
		t.input.policy.better[FIRST] = TS_BETTER_UNKNOWN;
	}
	t.input.n_runs = 0;
	runs("kl_coef", 10, 0.1, 1, 0.1005);
	(void)ts_test_gate_judge(FIRST);
	is(TS_GATE_PASS, 0);
	says("kl_coef of p/run10 shows no change");
	says("the gate could have missed a change of up to");
}

/* Pairs of such a series say that it moved, too, and no more. */
static void pairs_move_either_way(void **state)
{
	static const double changes[] = {1.05, 0.95, 1};

	(void)state;
	decide_by("kl_coef", NULL);
	for (size_t k = 0; k < 3; k++) {
		t.input.n_runs = 0;
		runs("kl_coef", 10, 0.1, 1, 0.1);
		for (uint32_t i = 0; i < 12; i++) {
			bool base = (i % 4 == 0) || i % 4 == 3;
			struct ts_gate_run *run = ts_test_gate_put(base ? TS_GATE_PAIR_BASE : TS_GATE_PAIR_CANDIDATE);

			run->group = i / 2;
			run->workload.session = ts_span_str("pairs");
			run->workload.started_ns = i + 1;
			set(run, "kl_coef", 0.1 * ts_test_ten[i % 10] * (base ? 1 : changes[k]));
		}
		(void)ts_test_gate_judge(FIRST);
		is(k == 2 ? TS_GATE_PASS : TS_GATE_INCONCLUSIVE, k == 2 ? 0 : 3);
		if (k < 2)
			says("whether that is better or worse is not known");
	}
}

/* Runs without the series are counted and named, and never compared. */
static void runs_without_it_are_named(void **state)
{
	static const char *const lacking[] = {"p/run1", "p/run3"};

	(void)state;
	decide_by("val_bpb", NULL);
	runs("val_bpb", 6, 0.95, 1, 0.951);
	for (size_t i = 0; i < 2; i++) {
		struct ts_gate_run *run = &t.runs[1 + 2 * i];

		assert_true(ts_span_is(run->name, lacking[i]));
		run->reduction.series[0].value =
			(struct ts_reduced){.known = false, .value = 0, .reason = ts_span_str("it logs no series val_bpb")};
	}
	assert_int_equal(ts_test_gate_judge(FIRST)->base_draws, 4);
	is(TS_GATE_PASS, 0);
	assert_int_equal(ts_test_gate_warned("2 of 6 baselines do not count for val_bpb (p/run1, p/run3): it logs no series val_bpb"),
			 1);
	t.runs[6].reduction.series[0].value.known = false;
	t.runs[6].reduction.series[0].value.reason = ts_span_str("it logs no series val_bpb");
	(void)ts_test_gate_judge(FIRST);
	is(TS_GATE_INCONCLUSIVE, 3);
	says("the candidate has no value: it logs no series val_bpb");
}

/* Of many, the first five are named. */
static void many_are_counted(void **state)
{
	(void)state;
	decide_by("val_bpb", NULL);
	runs("val_bpb", 20, 0.95, 1, 0.951);
	for (size_t i = 0; i < 9; i++)
		t.runs[i].reduction.n_series = 0;
	(void)ts_test_gate_judge(FIRST);
	assert_int_equal(ts_test_gate_warned(
				 "9 of 20 baselines do not count for val_bpb (p/run0, p/run1, p/run2, p/run3, p/run4 and 4 more): its "
				 "series was not reduced"),
			 1);
}

static void a_series_that_ends_elsewhere_is_not_compared(void **state)
{
	struct ts_gate_run *candidate;

	(void)state;
	decide_by("val_bpb", NULL);
	candidate = runs("val_bpb", 10, 0.95, 1, 1.2);
	candidate->reduction.series[0].last_step = 600;
	(void)ts_test_gate_judge(FIRST);
	is(TS_GATE_INCONCLUSIVE, 3);
	says("its series ends at step 600, and that of its baselines at step 1000");
	candidate->reduction.series[0].last_step = 950;
	(void)ts_test_gate_judge(FIRST);
	is(TS_GATE_SUSPECT, 4);
}

static void nan_is_worse_whatever_the_direction(void **state)
{
	static const char *const names[] = {"reward", "kl_coef"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		t.input.n_runs = 0;
		decide_by(names[i], NULL);
		runs(names[i], 10, 0.95, 1, (double)NAN);
		(void)ts_test_gate_judge(FIRST);
		is(TS_GATE_REGRESSION, 1);
		says("its value is NaN or infinite, and that of none of 10 baselines is");
	}
}

static void few_baselines_collect(void **state)
{
	(void)state;
	for (size_t n = 0; n < 3; n++) {
		t.input.n_runs = 0;
		decide_by(n % 2 ? "val_bpb" : "kl_coef", NULL);
		runs(n % 2 ? "val_bpb" : "kl_coef", n, 0.95, 1, 0.9501);
		(void)ts_test_gate_judge(FIRST);
		is(TS_GATE_COLLECTING, 0);
	}
}

/* Two series decide together, and neither takes the other's value. */
static void two_series_decide(void **state)
{
	struct ts_gate_run *candidate;

	(void)state;
	decide_by("val_bpb", "eval/accuracy");
	candidate = runs("val_bpb", 10, 0.95, 1, 0.951);
	for (size_t i = 0; i < 10; i++)
		set(&t.runs[i], "eval/accuracy", 0.7 * ts_test_ten[i]);
	set(candidate, "eval/accuracy", 0.66);
	assert_true(fabs(ts_test_gate_judge((enum ts_metric)(TS_METRICS + 1))->base - 0.7) < 0.001);
	is(TS_GATE_SUSPECT, 4);
	says("eval/accuracy of p/run10 may have regressed: it is 5.7 % lower");
	assert_true(fabs(t.v.rows[FIRST].base - 0.95) < 0.001 && t.v.rows[FIRST].state == TS_GATE_PASS);
}

/* More of an accuracy is better, so it may have a floor. */
static void a_floor_holds(void **state)
{
	(void)state;
	decide_by("acc", NULL);
	t.input.policy.least[FIRST] = 0.75;
	runs("acc", 10, 0.7, 1, 0.7);
	(void)ts_test_gate_judge(FIRST);
	is(TS_GATE_REGRESSION, 1);
	says("acc of p/run10 lies below its floor");
	says("and GATE.acc.least is 0.75");
}

/* A policy that now names one series keeps what it says of it. */
static void one_metric_of_a_policy(void **state)
{
	(void)state;
	decide_by("a", "b");
	t.input.policy.min_size[FIRST + 1] = 0.25;
	t.input.policy.better[FIRST + 1] = TS_BETTER_LOWER;
	assert_int_equal(ts_gate_policy_only(&t.input.policy, "b"), FIRST);
	assert_true(t.input.policy.n_logged == 1 && t.input.policy.min_size[FIRST] == 0.25);
	assert_int_equal(ts_gate_metric_better(&t.input.policy, FIRST), TS_BETTER_LOWER);
	assert_int_equal(ts_gate_policy_only(&t.input.policy, "mfu"), TS_METRIC_MFU);
	assert_true(t.input.policy.n_logged == 0 && t.input.policy.gates[TS_METRIC_MFU] && !t.input.policy.gates[FIRST]);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, ts_test_gate_setup, ts_test_gate_teardown)
	const struct CMUnitTest tests[] = {
		T(a_name_tells_what_is_worse),
		T(a_small_change_counts),
		T(a_rounding_is_no_change),
		T(a_name_that_tells_nothing_moves),
		T(pairs_move_either_way),
		T(runs_without_it_are_named),
		T(many_are_counted),
		T(a_series_that_ends_elsewhere_is_not_compared),
		T(nan_is_worse_whatever_the_direction),
		T(few_baselines_collect),
		T(two_series_decide),
		T(a_floor_holds),
		T(one_metric_of_a_policy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
