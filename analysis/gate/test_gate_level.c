/* test_gate_level.c - baselines that drift or are of two kinds, odd runs with a fact of their own, candidates that are too short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/gate_level.h"
#include "analysis/gate/test_gate_runs.h"

#include <math.h>
#include <stdio.h>

/* Runs are put in the order in which they began. */
static struct ts_gate_run *put(enum ts_gate_role role, double step_time, const char *labels)
{
	struct ts_gate_run *run = ts_test_gate_put(role);

	run->workload.started_ns = (int64_t)t.input.n_runs;
	run->workload.labels = ts_span_str(labels);
	ts_test_gate_set(run, TS_METRIC_STEP_TIME, step_time);
	run->reduction.records = 1000;
	run->reduction.counted = 1000;
	return run;
}

static const struct ts_gate_row *judge(void)
{
	return ts_test_gate_judge(TS_METRIC_STEP_TIME);
}

static void warns(const char *part)
{
	if (!ts_test_gate_warned(part))
		fail_msg("no warning has '%s'", part);
}

/* A line of slope 1 with residuals +-0.1 is a drift; a step and a wave are none. */
static void a_drift_is_a_line(void **state)
{
	double place[12], line[12], step[12], flat[12];
	struct ts_gate_line found;

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		place[i] = (double)i;
		line[i] = (double)i + (i % 2 ? 0.1 : -0.1);
		step[i] = (i < 6 ? 0 : 5) + (i % 2 ? 0.1 : -0.1);
		flat[i] = i % 2 ? 0.1 : -0.1;
	}
	found = ts_gate_drift(line, place, 12);
	assert_true(found.slope > 0.99 && found.slope < 1.02 && found.place == 5.5 && found.sxx == 143);
	assert_true(ts_gate_drift(step, place, 12).slope == 0 && ts_gate_drift(flat, place, 12).slope == 0);
	assert_true(ts_gate_drift(line, place, 7).slope == 0 && ts_gate_drift(line, place, 0).slope == 0);
	line[3] = INFINITY;
	assert_true(ts_gate_drift(line, place, 12).slope == 0);
}

static void two_kinds_are_two_tight_parts(void **state)
{
	double x[] = {-0.2, -0.1, 0, 0.1, 0.2, 7.8, 7.9, 8, 8.1, 8.2}, even[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	double one_far[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 20}, equal[] = {1, 1, 1, 1, 1, 1, 1, 1};

	(void)state;
	assert_int_equal(ts_gate_two_kinds(x, 10), 5);
	assert_int_equal(ts_gate_two_kinds(x, 7), 0); /* too few */
	assert_int_equal(ts_gate_two_kinds(even, 10), 0);
	assert_int_equal(ts_gate_two_kinds(one_far, 10), 0); /* one is odd, not of another kind */
	assert_int_equal(ts_gate_two_kinds(equal, 8), 0);
	assert_int_equal(ts_gate_two_kinds(NULL, 0), 0);
}

/* Baselines that get 1 % slower from run to run: the next is 1 % slower again, and is clean. */
static void a_drift_is_followed(void **state)
{
	(void)state;
	for (size_t i = 0; i < 10; i++)
		put(TS_GATE_BASELINE, 0.1 * pow(1.01, (double)i) * (i % 2 ? 1.001 : 0.999), "");
	put(TS_GATE_CANDIDATE, 0.1 * pow(1.01, 10), "");
	assert_int_equal(judge()->state, TS_GATE_PASS);
	assert_true(fabs(t.v.rows[TS_METRIC_STEP_TIME].size) < 0.003);
	warns("each baseline is on average 1.0 % longer than that of the one before it");
	t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME].value *= 1.03;
	assert_int_equal(judge()->state, TS_GATE_SUSPECT);
}

/* Ten runs on each of two hosts, the second 8 % slower; the candidate is 5 % slower than the first. */
static void two_hosts(bool told)
{
	for (size_t i = 0; i < 20; i++)
		put(TS_GATE_BASELINE, 0.1 * (i % 2 ? 1.08 : 1) * ts_test_ten[i / 2],
		    !told   ? ""
		    : i % 2 ? "session.host=b\n"
			    : "session.host=a\n");
	put(TS_GATE_CANDIDATE, 0.105, told ? "session.host=a\n" : "");
}

static void a_fact_tells_two_kinds(void **state)
{
	(void)state;
	two_hosts(true);
	assert_int_equal(judge()->state, TS_GATE_SUSPECT);
	assert_int_equal(t.v.rows[TS_METRIC_STEP_TIME].base_draws, 10);
	warns("the fact session.host tells them apart: the candidate is compared with the 10 of its own kind only");
	assert_non_null(memmem(t.v.sentence.data, t.v.sentence.len, "from 10 baselines of its own kind)", 34));
	t.runs[20].workload.labels = ts_span_str("session.host=b\n");
	judge();
	assert_true(t.v.rows[TS_METRIC_STEP_TIME].size < 0 && t.v.rows[TS_METRIC_STEP_TIME].state == TS_GATE_PASS);
	t.runs[20].workload.labels = ts_span_str("session.host=c\n");
	assert_int_equal(judge()->state, TS_GATE_SUSPECT);
	warns("no baseline shares the candidate's value of it");
}

/* Nothing tells them: between both kinds a candidate is like neither, and like the slower kind it may be either. */
static void without_a_fact_both_kinds_are_possible(void **state)
{
	(void)state;
	two_hosts(false);
	assert_int_equal(judge()->state, TS_GATE_SUSPECT);
	warns("no recorded fact tells them apart");
	warns("session.host, hardware.gpus[0].name");
	assert_non_null(memmem(t.v.sentence.data, t.v.sentence.len, "from 10 baselines of the nearer of two kinds)", 45));
	t.runs[20].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.108;
	assert_true(judge()->could_miss > 0.09); /* the other kind, 8 %, and more */
	assert_int_equal(t.v.state, TS_GATE_BLIND);
	t.runs[20].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.116;
	assert_int_equal(judge()->state, TS_GATE_SUSPECT);
}

/* Two of fourteen baselines are 8 % faster than the others and do not count. The candidate may be of their kind and 8 % slower. One
 * alone is an accident. */
static void several_faster_ones_blind_the_gate(void **state)
{
	(void)state;
	for (size_t i = 0; i < 12; i++)
		put(TS_GATE_BASELINE, 0.1 * ts_test_ten[i % 10], "");
	put(TS_GATE_BASELINE, 0.0925, "");
	put(TS_GATE_CANDIDATE, 0.1, "");
	assert_int_equal(judge()->state, TS_GATE_PASS);
	t.input.n_runs = 0;
	for (size_t i = 0; i < 12; i++)
		put(TS_GATE_BASELINE, 0.1 * ts_test_ten[i % 10], "");
	put(TS_GATE_BASELINE, 0.0925, "");
	put(TS_GATE_BASELINE, 0.0926, "");
	put(TS_GATE_CANDIDATE, 0.1, "");
	assert_true(judge()->could_miss > 0.1); /* 1 % of tolerance, 7.8 %, and what the noise hides */
	assert_int_equal(t.v.state, TS_GATE_BLIND);
	warns("several of those are better than the others, by 7.8 %: a candidate of their kind");
}

static void an_odd_run_shows_what_only_it_has(void **state)
{
	(void)state;
	for (size_t i = 0; i < 10; i++)
		put(TS_GATE_BASELINE, 0.1 * ts_test_ten[i] * (i == 4 ? 1.3 : 1),
		    i == 4 ? "hardware.gpus[0].driver=470\nsession.host=b\n" : "hardware.gpus[0].driver=550\nsession.host=b\n");
	put(TS_GATE_CANDIDATE, 0.1, "hardware.gpus[0].driver=550\nsession.host=b\n");
	assert_int_equal(judge()->state, TS_GATE_PASS);
	warns("what no other baseline has: hardware.gpus[0].driver is 470; if its machine");
	assert_false(ts_test_gate_warned("session.host"));
}

static void a_run_that_ends_in_its_warmup_is_not_judged(void **state)
{
	struct ts_gate_run *candidate;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		put(TS_GATE_BASELINE, 0.1 * ts_test_ten[i], "")->reduction.warmup = 60;
	candidate = put(TS_GATE_CANDIDATE, 0.148, "");
	candidate->reduction.records = candidate->reduction.counted = 50;
	assert_int_equal(judge()->state, TS_GATE_INCONCLUSIVE);
	assert_int_equal(t.v.exit_code, 3);
	assert_non_null(memmem(t.v.sentence.data, t.v.sentence.len, "the run ended in its warm-up: it has 50 records", 46));
	candidate->reduction.records = candidate->reduction.counted = 90;
	assert_int_equal(judge()->state, TS_GATE_INCONCLUSIVE);
	assert_non_null(memmem(t.v.sentence.data, t.v.sentence.len, "ended soon after its warm-up", 28));
	candidate->reduction.records = candidate->reduction.counted = 1000;
	assert_int_equal(judge()->state, TS_GATE_SUSPECT);
	candidate->reduction.counted = 40; /* of 100, with its own warm-up left out */
	candidate->reduction.warmup = 60;
	assert_int_equal(judge()->state, TS_GATE_SUSPECT);
}

/* A loss of 8 at step 50 is no worse than one of 2 at step 500, and NaN is NaN at any step. */
static void ends_at_other_steps_are_not_compared(void **state)
{
	struct ts_gate_run *candidate;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		struct ts_gate_run *run = put(TS_GATE_BASELINE, 0.1 * ts_test_ten[i], "");

		run->reduction.records = run->reduction.counted = 500;
		run->reduction.metrics[TS_METRIC_LOSS] = (struct ts_reduced){.known = true, .value = 2 * ts_test_ten[i]};
	}
	candidate = put(TS_GATE_CANDIDATE, 0.1, "");
	candidate->reduction.metrics[TS_METRIC_LOSS] = (struct ts_reduced){.known = true, .value = 8};
	candidate->reduction.records = candidate->reduction.counted = 500;
	(void)judge();
	assert_int_equal(t.v.state, TS_GATE_SUSPECT);
	candidate->reduction.records = candidate->reduction.counted = 50;
	(void)judge();
	assert_int_equal(t.v.state, TS_GATE_PASS);
	candidate->reduction.metrics[TS_METRIC_LOSS].value = (double)NAN;
	(void)judge();
	assert_int_equal(t.v.state, TS_GATE_REGRESSION);
}

/* Pieces of 64 records scatter by 4 %: a run of 64 records that is 5 % slower is no news, one of 1,000 is. */
static void a_short_run_may_scatter_more(void **state)
{
	struct ts_reduced_piece pieces[] = {
		{31, 0.06, 0.12, 0.06, 0.12}, {15, 0.04, 0.08, 0.04, 0.08}, {7, 0.002, 0.003, 0.002, 0.003}};
	struct ts_gate_run *candidate;

	(void)state;
	for (size_t i = 0; i < 10; i++) {
		struct ts_gate_run *run = put(TS_GATE_BASELINE, 0.1 * ts_test_ten[i], "");

		run->reduction.pieces = pieces;
		run->reduction.n_pieces = 3;
	}
	candidate = put(TS_GATE_CANDIDATE, 0.105, "");
	assert_int_equal(judge()->state, TS_GATE_SUSPECT);
	candidate->reduction.counted = 64;
	assert_int_equal(judge()->state, TS_GATE_BLIND);
	warns("the candidate has fewer steps than its baselines, so its step time scatters by a further 4.0 %");
}

/* On a noisy machine the tenth percentile is quieter, and the verdict says what it would see, even where that is not enough. */
static void a_blind_verdict_names_the_quieter_metric(void **state)
{
	static const double noise[] = {0.7, 1.4, 0.9, 1.2, 0.8, 1.3, 1.0, 0.75, 1.25, 1.1};

	(void)state;
	for (size_t i = 0; i < 11; i++) {
		struct ts_gate_run *run = put(i < 10 ? TS_GATE_BASELINE : TS_GATE_CANDIDATE, 0.1 * (i < 10 ? noise[i] : 1), "");

		run->reduction.metrics[TS_METRIC_STEP_TIME_P10] =
			(struct ts_reduced){.known = true, .value = 0.1 * pow(i < 10 ? noise[i] : 1, 0.2)};
	}
	assert_int_equal(judge()->state, TS_GATE_BLIND);
	warns("less disturbed by other work on the machine, and able to decide (GATE.metrics): step_time_p10 (a change of ");
	for (size_t i = 0; i < 10; i++)
		t.runs[i].reduction.metrics[TS_METRIC_STEP_TIME_P10].value = 0.1 * ts_test_ten[i];
	assert_int_equal(judge()->state, TS_GATE_BLIND);
	warns("able to decide (GATE.metrics): step_time_p10 (a change of 3.");
}

/* The floor of step time does not see the noise: the blind verdict names it with what it would have seen, and it decides where the
 * policy says so. */
static void the_floor_is_named_and_decides(void **state)
{
	static const double noise[] = {0.7, 1.4, 0.9, 1.2, 0.8, 1.3, 1.0, 0.75, 1.25, 1.1};
	const struct ts_gate_row *floor;
	char named[64];

	(void)state;
	for (size_t i = 0; i < 11; i++) {
		put(i < 10 ? TS_GATE_BASELINE : TS_GATE_CANDIDATE, 0.1 * (i < 10 ? noise[i] : 1), "");
		ts_test_gate_set(&t.runs[i], TS_METRIC_STEP_TIME_FLOOR, 0.08 * (i < 10 ? ts_test_ten[i] : 1));
	}
	assert_int_equal(judge()->state, TS_GATE_BLIND);
	floor = &t.v.rows[TS_METRIC_STEP_TIME_FLOOR];
	assert_true(floor->could_miss > 0.03 && floor->could_miss < 0.04);
	(void)snprintf(named, sizeof named, "step_time_floor (a change of %.1f %%), the smallest", 100 * floor->could_miss);
	warns(named);
	t.input.policy.gates[TS_METRIC_STEP_TIME] = false;
	t.input.policy.gates[TS_METRIC_STEP_TIME_FLOOR] = true;
	(void)judge();
	assert_int_equal(t.v.state, TS_GATE_PASS);
	assert_true(ts_test_gate_holds(t.v.sentence, "floor of step time of p/run10 shows no regression"));
	t.runs[10].reduction.metrics[TS_METRIC_STEP_TIME_FLOOR].value = 0.09;
	(void)judge();
	assert_int_equal(t.v.state, TS_GATE_SUSPECT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drift_is_a_line),
		cmocka_unit_test(two_kinds_are_two_tight_parts),
		cmocka_unit_test_setup_teardown(a_drift_is_followed, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(a_fact_tells_two_kinds, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(without_a_fact_both_kinds_are_possible, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(several_faster_ones_blind_the_gate, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(an_odd_run_shows_what_only_it_has, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(a_run_that_ends_in_its_warmup_is_not_judged, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(a_blind_verdict_names_the_quieter_metric, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(the_floor_is_named_and_decides, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(ends_at_other_steps_are_not_compared, ts_test_gate_setup, ts_test_gate_teardown),
		cmocka_unit_test_setup_teardown(a_short_run_may_scatter_more, ts_test_gate_setup, ts_test_gate_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
