/* test_gate_why.c - where a difference lies, from parts and ranks written by hand; the sums are done in the comments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/gate.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 40, RANKS = 16, PARTS = 4 };

static const char *const names[PARTS] = {"data", "forward", "backward", "unattributed"};

static struct {
	struct ts_arena arena;
	struct ts_gate_input input;
	struct ts_gate_run runs[RUNS];
	struct ts_reduced_part parts[RUNS][PARTS];
	struct ts_reduced_rank ranks[RUNS][RANKS];
	char sessions[RUNS][16];
	struct ts_verdict v;
} t;

/* Adds a run with a step of 100 ms: data 10, forward 30, backward 55, unattributed 5; each of 4 ranks works 90 ms
 * and waits 10. */
static struct ts_gate_run *put(enum ts_gate_role role, double step_time)
{
	static const double usual[PARTS] = {0.010, 0.030, 0.055, 0.005};
	size_t at = t.input.n_runs++;
	struct ts_gate_run *run = &t.runs[at];

	*run = (struct ts_gate_run){.role = role};
	(void)snprintf(t.sessions[at], sizeof t.sessions[at], "%zu", at);
	run->workload.session = ts_span_str(t.sessions[at]);
	run->id.bytes[0] = (uint8_t)at;
	run->reduction.time_source = ts_span_str("timestamps");
	run->reduction.metrics[TS_METRIC_STEP_TIME] = (struct ts_reduced){.known = true, .value = step_time};
	for (size_t i = 0; i < PARTS; i++)
		t.parts[at][i] = (struct ts_reduced_part){ts_span_str(names[i]), usual[i]};
	for (int32_t i = 0; i < RANKS; i++)
		t.ranks[at][i] = (struct ts_reduced_rank){i, 0.09, 0.01};
	run->reduction.parts = t.parts[at];
	run->reduction.n_parts = PARTS;
	run->reduction.ranks = t.ranks[at];
	run->reduction.n_ranks = 4;
	return run;
}

/* There are six baselines, and a candidate that is 8 ms longer. */
static int setup(void **state)
{
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_digest_init(&err), TS_OK);
	ts_arena_init(&t.arena, (size_t)16 << 20);
	t.input = (struct ts_gate_input){.runs = t.runs};
	ts_gate_policy_default(&t.input.policy);
	for (size_t i = 0; i < 6; i++)
		put(TS_GATE_BASELINE, 0.1 + 0.0001 * (double)(i % 3));
	put(TS_GATE_CANDIDATE, 0.108);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&t.arena);
	return 0;
}

static void judge(enum ts_gate_state want)
{
	struct ts_error err = {0};

	if (ts_gate_judge(&t.input, &t.arena, &t.v, &err))
		fail_msg("%s", err.text);
	if (t.v.state != want)
		fail_msg("%.*s", TS_SPAN_ARG(t.v.sentence));
}

static const struct ts_gate_why *find(const char *kind, const char *name)
{
	for (size_t i = 0; i < t.v.n_why; i++)
		if (ts_span_is(t.v.why[i].kind, kind) && ts_span_is(t.v.why[i].name, name))
			return &t.v.why[i];
	return NULL;
}

static void row(const char *kind, const char *name, double base, double candidate, double share)
{
	const struct ts_gate_why *w = find(kind, name);

	if (!w)
		fail_msg("no row %s %s", kind, name);
	else if (fabs(w->base - base) > 1e-12 || fabs(w->candidate - candidate) > 1e-12 || fabs(w->share - share) > 1e-9)
		fail_msg("%s %s: %g to %g, share %g", kind, name, w->base, w->candidate, w->share);
}

static size_t warned(const char *part)
{
	size_t n = 0;

	for (size_t i = 0; i < t.v.n_warnings; i++)
		n += memmem(t.v.warnings[i].data, t.v.warnings[i].len, part, strlen(part)) != NULL;
	return n;
}

/* Data takes 17 ms instead of 10, backward 56 instead of 55: 7/8 and 1/8. Rank 2 works 8 ms longer, the others wait 8 ms
 * longer: the mean rank works 2 ms longer (1/4) and waits 6 ms longer (3/4). */
static void by_phase_and_rank(void **state)
{
	(void)state;
	t.parts[6][0].seconds = 0.017;
	t.parts[6][2].seconds = 0.056;
	for (size_t i = 0; i < 4; i++)
		*(i == 2 ? &t.ranks[6][i].work : &t.ranks[6][i].wait) += 0.008;
	judge(TS_GATE_SUSPECT);
	row("phase", "data", 0.010, 0.017, 0.875);
	row("phase", "backward", 0.055, 0.056, 0.125);
	row("phase", "forward", 0.030, 0.030, 0);
	row("phase", "unattributed", 0.005, 0.005, 0);
	row("work", "all ranks", 0.09, 0.092, 0.25);
	row("wait", "all ranks", 0.01, 0.016, 0.75);
	row("rank", "rank 2", 0.09, 0.098, 1);
	assert_int_equal(t.v.n_why, 7);
	for (size_t i = 1; i < t.v.n_why; i++)
		assert_true(t.v.why[i - 1].share >= t.v.why[i].share);
	assert_int_equal(warned("not known"), 0);
}

/* Of 16 ranks, 8 to 11 and 14 grow by 8 ms, 3 by 5, and 12 by 3, which is less than half of 8. */
static void ranks_in_groups(void **state)
{
	(void)state;
	for (size_t i = 0; i < 7; i++)
		t.runs[i].reduction.n_ranks = RANKS;
	t.parts[6][1].seconds = 0.038;
	for (size_t i = 8; i < 12; i++)
		t.ranks[6][i].work = 0.098;
	t.ranks[6][14].work = 0.098;
	t.ranks[6][3].work = 0.095;
	t.ranks[6][12].work = 0.093;
	judge(TS_GATE_SUSPECT);
	row("rank", "ranks 8-11", 0.09, 0.098, 1);
	row("rank", "rank 14", 0.09, 0.098, 1);
	row("rank", "rank 3", 0.09, 0.095, 0.625);
	assert_null(find("rank", "ranks 8-12"));
	assert_null(find("rank", "rank 12"));
	/* All ranks grow. */
	for (size_t i = 0; i < RANKS; i++)
		t.ranks[6][i].work = 0.098;
	judge(TS_GATE_SUSPECT);
	row("rank", "all ranks", 0.09, 0.098, 1);
	/* Rank 5 is missing in every run: numbers with a gap are two groups. */
	for (size_t i = 0; i < 7; i++)
		for (int32_t k = 5; k < RANKS; k++)
			t.ranks[i][k].rank = k + 1;
	for (size_t i = 0; i < 3; i++)
		t.ranks[6][i].work = 0.09;
	judge(TS_GATE_SUSPECT);
	row("rank", "ranks 3-4", 0.09, 0.098, 1);
	row("rank", "ranks 6-16", 0.09, 0.098, 1);
}

static void an_improvement_is_split_too(void **state)
{
	(void)state;
	t.runs[6].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.092;
	t.parts[6][1].seconds = 0.022;
	t.ranks[6][1].work = 0.082;
	t.input.policy.rerun = false; /* otherwise one run cannot show an improvement of the commit */
	judge(TS_GATE_IMPROVEMENT);
	row("phase", "forward", 0.030, 0.022, 1);
	row("rank", "rank 1", 0.09, 0.082, 1);
	assert_null(find("rank", "rank 0"));
}

/* Where pairs decide, the phases are those of the pairs: there it is forward, and data takes 12 ms on either side;
 * in the first look it was data. */
static void of_the_pairs(void **state)
{
	(void)state;
	t.parts[6][0].seconds = 0.018;
	for (uint32_t i = 0; i < 2; i++) {
		struct ts_gate_run *run = put(TS_GATE_PAIR_BASE, 0.1);

		run->group = i;
		run->workload.session = ts_span_str("pairs");
		t.parts[t.input.n_runs - 1][0].seconds = 0.012;
		run = put(TS_GATE_PAIR_CANDIDATE, 0.108);
		run->group = i;
		run->workload.session = ts_span_str("pairs");
		t.parts[t.input.n_runs - 1][0].seconds = 0.012;
		t.parts[t.input.n_runs - 1][1].seconds = 0.038;
	}
	judge(TS_GATE_REGRESSION);
	row("phase", "forward", 0.030, 0.038, 1);
	row("phase", "data", 0.012, 0.012, 0);
}

static void nothing_is_claimed_of_what_is_missing(void **state)
{
	(void)state;
	/* One baseline lacks a phase, only the candidate has another, and a wait is not known. */
	t.parts[6][0].seconds = 0.018;
	t.parts[0][1].name = ts_span_str("fwd");
	t.parts[6][3].name = ts_span_str("recompute");
	t.ranks[3][1].wait = (double)NAN;
	judge(TS_GATE_SUSPECT);
	assert_null(find("phase", "forward"));
	assert_null(find("phase", "fwd"));
	assert_null(find("phase", "recompute"));
	assert_null(find("phase", "unattributed"));
	row("phase", "data", 0.010, 0.018, 1);
	assert_int_equal(warned("some runs do not record phase forward,"), 1);
	assert_int_equal(warned("some runs do not record phase fwd,"), 1);
	assert_int_equal(warned("some runs do not record phase recompute,"), 1);
	assert_int_equal(warned("some runs do not record phase unattributed,"), 1);
	assert_null(find("wait", "all ranks"));
	assert_int_equal(warned("some runs do not record wait for every rank"), 1);
	row("work", "all ranks", 0.09, 0.09, 0);
	/* One run has other ranks. */
	t.runs[2].reduction.n_ranks = 3;
	judge(TS_GATE_SUSPECT);
	assert_null(find("work", "all ranks"));
	assert_int_equal(warned("do not record the same ranks"), 1);
	t.runs[2].reduction.n_ranks = 4;
	t.ranks[2][3].rank = 7;
	judge(TS_GATE_SUSPECT);
	assert_int_equal(warned("do not record the same ranks"), 1);
	/* One run has no phases at all. */
	t.runs[1].reduction.n_parts = 0;
	judge(TS_GATE_SUSPECT);
	assert_int_equal(t.v.n_why, 0);
	assert_int_equal(warned("some runs do not record phases"), 1);
	t.runs[1].reduction.n_parts = PARTS;
	t.parts[1][1].seconds = (double)INFINITY;
	judge(TS_GATE_SUSPECT);
	assert_int_equal(t.v.n_why, 0);
}

/* Memory is suspect and step time is not, so the phases of a step explain nothing. */
static void the_step_is_not_split_for_another_metric(void **state)
{
	(void)state;
	t.input.policy.gates[TS_METRIC_PEAK_MEMORY] = true;
	t.runs[6].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.1001;
	for (size_t i = 0; i < 7; i++)
		t.runs[i].reduction.metrics[TS_METRIC_PEAK_MEMORY] = (struct ts_reduced){.known = true, .value = i < 6 ? 8e9 : 1e10};
	t.parts[6][0].seconds = 0.017;
	judge(TS_GATE_SUSPECT);
	assert_int_equal(t.v.n_why, 0);
	t.runs[6].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.108;
	t.runs[6].reduction.metrics[TS_METRIC_PEAK_MEMORY].value = 8e9;
	judge(TS_GATE_SUSPECT);
	assert_true(t.v.n_why > 0);
}

/* The work of the only rank is that of all ranks, which has its line. */
static void one_rank_has_one_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < 7; i++)
		t.runs[i].reduction.n_ranks = 1;
	t.parts[6][0].seconds = 0.018;
	t.ranks[6][0].work += 0.008;
	judge(TS_GATE_SUSPECT);
	row("work", "all ranks", 0.09, 0.098, 1);
	for (size_t i = 0; i < t.v.n_why; i++)
		assert_false(ts_span_is(t.v.why[i].kind, "rank"));
}

static void a_pass_has_no_why(void **state)
{
	(void)state;
	t.runs[6].reduction.metrics[TS_METRIC_STEP_TIME].value = 0.1;
	t.parts[6][0].seconds = 0.018;
	judge(TS_GATE_PASS);
	assert_int_equal(t.v.n_why, 0);
	assert_int_equal(t.v.n_warnings, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(by_phase_and_rank),
		TEST(ranks_in_groups),
		TEST(an_improvement_is_split_too),
		TEST(of_the_pairs),
		TEST(nothing_is_claimed_of_what_is_missing),
		TEST(a_pass_has_no_why),
		TEST(the_step_is_not_split_for_another_metric),
		TEST(one_rank_has_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
