/* Trends: which runs count, what is to blame, which direction is worse, what was accepted. Levels are planted, and sizes
 * are their ratios. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/trend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 200 };

static struct ts_arena arena;
static struct ts_trend_run runs[MOST];
static char commits[MOST][24];
static struct ts_gate_policy policy;

/* Makes n runs at level, with 0.1 % of noise that cancels in the median. */
static struct ts_trend trend_of(enum ts_metric metric, size_t n, double level)
{
	for (size_t i = 0; i < n; i++) {
		(void)snprintf(commits[i], sizeof commits[i], "c%zu", i);
		runs[i] = (struct ts_trend_run){.id = {{(uint8_t)i}},
						.commit = ts_span_str(commits[i]),
						.known = true,
						.value = level * (1 + 0.001 * ((double)(i * 7 % 11) - 5) / 5)};
	}
	return (struct ts_trend){.branch = ts_span_str("p/main"), .metric = metric, .runs = runs, .n_runs = n};
}

static void times(size_t from, size_t to, double factor)
{
	for (size_t i = from; i < to; i++)
		runs[i].value *= factor;
}

static void judge(struct ts_trend *trend)
{
	struct ts_error err;

	assert_int_equal(ts_trend_judge(trend, &policy, &arena, &err), TS_OK);
}

static void says(const struct ts_trend *trend, const char *text)
{
	if (!ts_span_is(trend->sentence, text))
		fail_msg("%.*s", TS_SPAN_ARG(trend->sentence));
}

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 0);
	ts_gate_policy_default(&policy);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static void rises(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 100, 0.2);

	(void)state;
	times(88, 100, 1.05);
	judge(&t);
	assert_int_equal(t.n_changes, 1);
	assert_true(t.changes[0].at == 88 && t.changes[0].last_before == 87);
	assert_true(fabs(t.changes[0].size - 0.05) < 0.001 && fabs(t.changes[0].before - 0.2) < 1e-3);
	assert_true(t.changes[0].worse && !t.changes[0].accepted && ts_trend_is_worse(&t));
	says(&t, "step time of main rose by 5.0 % between c87 and c88, 12 runs ago");
}

/* A greater number of tokens is better. */
static void direction_is_the_metrics(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_TOKENS_PER_S, 100, 5000);

	(void)state;
	times(60, 100, 1.1);
	judge(&t);
	assert_true(t.n_changes == 1 && !t.changes[0].worse && !ts_trend_is_worse(&t));
	times(60, 100, 0.8);
	judge(&t);
	assert_true(t.n_changes == 1 && t.changes[0].worse && ts_trend_is_worse(&t));
	says(&t, "tokens per second of main fell by 12 % between c59 and c60, 40 runs ago");
}

/* Steps of 3 % among 25 runs each, and noise of 0.5 %: ten of them are claimed in 250 runs, and as many in the same runs four times
 * over, since a change does not need more evidence where the history is longer. */
static void a_claim_does_not_depend_on_the_history(void **state)
{
	static struct ts_trend_run many[1000];
	size_t claimed[2];

	(void)state;
	for (size_t times_over = 1; times_over <= 4; times_over += 3) {
		struct ts_trend t = {
			.branch = ts_span_str("p/main"), .metric = TS_METRIC_STEP_TIME, .runs = many, .n_runs = 250 * times_over};

		for (size_t i = 0; i < t.n_runs; i++)
			many[i] = (struct ts_trend_run){.known = true,
							.value = (i / 25 % 2 ? 1.03 : 1) *
								 (1 + 0.009 * ((double)(i * 7919 % 251) / 250 - 0.5) * 2)};
		judge(&t);
		claimed[times_over / 4] = t.n_changes;
	}
	assert_int_equal(claimed[0], 9);
	assert_int_equal(claimed[1], 39);
}

/* What became of a change: it went away again, another workload has it the other way, or it stays. */
static void costs(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 160, 0.2);
	const struct ts_span names[] = {ts_span_str("small")};

	(void)state;
	times(40, 80, 1.1);
	times(120, 160, 1.05);
	for (size_t i = 1; i < 160; i += 4) { /* every fourth run is of another workload */
		runs[i].known = false;
		runs[i].other = 1;
		runs[i].value = 0.05 * (i < 120 ? 1 : 0.94) * (1 + 0.001 * ((double)(i * 7 % 11) - 5) / 5);
	}
	t.others = names;
	t.n_others = 1;
	judge(&t);
	assert_int_equal(t.n_changes, 3);
	assert_true(t.changes[0].cost == TS_TREND_WENT && t.changes[0].mate == 1);
	assert_true(t.changes[1].cost == TS_TREND_CAME_BACK && t.changes[1].mate == 0);
	assert_true(t.changes[2].cost == TS_TREND_MOVED && ts_span_is(t.changes[2].other, "small"));
	assert_true(fabs(t.changes[2].other_size + 0.06) < 0.003);
	says(&t,
	     "step time of main rose by 5.0 % between c119 and c120, 40 runs ago; another workload (small) fell by 6.0 % there, so the "
	     "cost moved");
	for (size_t i = 1; i < 160; i += 4)
		runs[i].value = 0.05;
	judge(&t);
	assert_true(t.changes[2].cost == TS_TREND_ADDED && t.changes[2].other.len == 0);
}

/* Bursts of three runs hide no step, and one more at the end is none; without others, three runs are. */
static void bursts_come_and_go(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 100, 0.2);

	(void)state;
	for (size_t i = 10; i < 90; i += 20)
		times(i, i + 3, 1.2);
	times(60, 100, 1.05);
	judge(&t);
	assert_true(t.n_changes == 1 && t.changes[0].at == 60 && t.n_moved == 0);
	times(97, 100, 1.2);
	judge(&t);
	assert_true(t.n_changes == 1 && t.n_moved == 1 && t.moved[0].at == 97);
	t = trend_of(TS_METRIC_STEP_TIME, 100, 0.2);
	times(97, 100, 1.2);
	judge(&t);
	assert_true(t.n_changes == 1 && t.changes[0].at == 97);
}

/* The new level begins with two runs that look like a burst, since runs of the old level follow: it begins with the first of them. */
static void the_place_is_where_the_level_begins(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 100, 0.2);

	(void)state;
	times(50, 100, 1.08);
	for (size_t i = 52; i < 58; i += 2)
		times(i, i + 1, 1 / 1.08);
	judge(&t);
	assert_true(t.n_changes == 1 && t.changes[0].at == 50 && t.n_moved == 0);
}

/* Runs without a value stand between the two levels: their commits may be the cause, too. */
static void left_out(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 100, 1);

	(void)state;
	times(70, 100, 1.04);
	for (size_t i = 68; i < 72; i++)
		runs[i].known = false;
	runs[10].value = 0;
	runs[11].value = -1;
	runs[12].value = INFINITY;
	runs[13].commit = ts_span_of(NULL, 0);
	judge(&t);
	assert_int_equal(t.left_out, 7);
	assert_true(!runs[10].known && ts_span_is(runs[10].reason, "its value is not above 0") && !runs[11].known);
	assert_true(!runs[12].known && ts_span_is(runs[12].reason, "its value is not finite"));
	assert_true(t.n_changes == 1 && t.changes[0].at == 72 && t.changes[0].last_before == 67 && t.changes[0].runs_ago == 28);
	assert_true(ts_span_is(t.changes[0].commit_before, "c67") && ts_span_is(t.changes[0].commit_after, "c72"));
	runs[72].commit = ts_span_of(NULL, 0);
	judge(&t);
	says(&t, "step time of main rose by 4.0 % between c67 and run 480000000000, 28 runs ago");
}

static void accepted_on_the_level(void **state)
{
	static const struct {
		size_t at;
		bool yes;
	} cases[] = {{67, false}, {68, true}, {70, true}, {99, true}, {20, false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 100, 1);

		times(70, 100, 1.04);
		runs[cases[i].at].accepted = true;
		judge(&t);
		assert_int_equal(t.n_changes, 1);
		assert_int_equal(t.changes[0].accepted, cases[i].yes);
		assert_int_equal(ts_trend_is_worse(&t), !cases[i].yes);
		if (cases[i].yes)
			says(&t, "step time of main rose by 4.0 % between c69 and c70, 30 runs ago; this change was accepted");
	}
}

/* Of two levels, accepting the second does not accept the first; the newest decides. */
static void several(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 120, 1);

	(void)state;
	times(50, 120, 1.06);
	times(90, 120, 0.96);
	runs[95].accepted = true;
	judge(&t);
	assert_int_equal(t.n_changes, 2);
	assert_true(t.changes[0].worse && !t.changes[0].accepted && !t.changes[1].worse && t.changes[1].accepted);
	assert_false(ts_trend_is_worse(&t));
	assert_true(fabs(t.changes[1].size + 0.04) < 0.001);
}

/* 3 MiB of 200 MiB are more than 1 %, but less than the 4 MiB that count. */
static void memory_has_an_absolute_size(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_PEAK_MEMORY, 100, 209715200.0);

	(void)state;
	times(50, 100, 1.015);
	judge(&t);
	assert_int_equal(t.n_changes, 0);
	t = trend_of(TS_METRIC_PEAK_MEMORY, 100, 209715200.0);
	times(50, 100, 1.04);
	judge(&t);
	assert_int_equal(t.n_changes, 1);
	t = trend_of(TS_METRIC_PEAK_MEMORY, 100, 8 * 209715200.0);
	times(50, 100, 1.015);
	judge(&t);
	assert_int_equal(t.n_changes, 1);
}

/* Memory grows by half a percent with each of ten merges: it is never 1 % above the greatest value before it. */
static void memory_that_creeps(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_PEAK_MEMORY, 200, 8 * 209715200.0);

	(void)state;
	for (size_t i = 10; i < 200; i += 20)
		times(i, 200, 1.005);
	judge(&t);
	assert_true(t.n_changes == 0 && t.drift && t.drift->worse && ts_trend_is_worse(&t));
	assert_true(t.drift->from == 0 && t.drift->to == 199 && t.drift->low > 0.04 && t.drift->high < 0.06);
}

/* A straight rise of 3 % is a drift with its interval, and accepting a change on the way accepts it. */
static void drifts(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 200, 1);

	(void)state;
	for (size_t i = 0; i < 200; i++)
		runs[i].value *= 1 + 0.03 * (double)i / 199;
	judge(&t);
	assert_true(t.n_changes == 0 && t.drift && t.drift->worse && !t.drift->accepted && ts_trend_is_worse(&t));
	assert_true(fabs(t.drift->size - 0.03) < 0.001 && t.drift->low < 0.03 && t.drift->high > 0.03 && t.drift->low > 0.025);
	if (!strstr((const char *)t.sentence.data, "step time of main rose by 3.0 % (99 % interval "))
		fail_msg("%.*s", TS_SPAN_ARG(t.sentence));
	runs[150].accepted = true;
	judge(&t);
	assert_true(t.drift && t.drift->accepted && !ts_trend_is_worse(&t));
}

/* The level goes up and down by small steps, all the time. No step is more than the others. */
static void wanders(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 200, 1);

	(void)state;
	for (size_t i = 0; i < 200; i++)
		runs[i].value *= 1 + 0.05 * sin((double)i / 12);
	judge(&t);
	assert_true(t.n_changes == 0 && !t.drift && t.n_moved > 0 && !ts_trend_is_worse(&t));
	if (!strstr((const char *)t.sentence.data, "none of it is claimed: that the level wanders"))
		fail_msg("%.*s", TS_SPAN_ARG(t.sentence));
}

static void on_host(size_t from, size_t to, const char *host, double factor)
{
	times(from, to, factor);
	for (size_t i = from; i < to; i++)
		runs[i].host = ts_span_str(host);
}

/* Two hosts, 4 % apart, take turns: this is no change, and a real one is found under it. */
static void hosts_take_turns(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 120, 1);

	(void)state;
	for (size_t i = 0; i < 120; i += 20) {
		on_host(i, i + 10, "slow", 1.04);
		on_host(i + 10, i + 20, "fast", 1);
	}
	judge(&t);
	assert_true(t.n_changes == 0 && fabs(t.host_spread - 0.04) < 0.001 && t.weekday_spread == 0);
	times(70, 120, 1.05);
	judge(&t);
	assert_true(t.n_changes == 1 && t.changes[0].at == 70 && !t.changes[0].with_host && fabs(t.changes[0].size - 0.05) < 0.001);
	assert_true(ts_span_is(t.changes[0].host_before, "slow") && ts_span_is(t.changes[0].host_after, "fast"));
}

/* All runs move to another host where the level rises. */
static void host_and_change_coincide(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 100, 1);

	(void)state;
	on_host(0, 60, "old", 1);
	on_host(60, 100, "new", 1.05);
	judge(&t);
	assert_true(t.n_changes == 1 && t.changes[0].with_host && t.changes[0].worse && !ts_trend_is_worse(&t));
	assert_true(ts_span_is(t.changes[0].host_before, "old") && ts_span_is(t.changes[0].host_after, "new"));
	says(&t, "step time of main rose by 5.0 % between c59 and c60, 40 runs ago; the runs before and after it are of different "
		 "hosts, so nobody can tell whether the host or the code is the cause");
	on_host(60, 62, "new", 1);
	on_host(62, 70, "old", 1); /* the old host is as slow now */
	judge(&t);
	assert_true(t.n_changes == 1 && !t.changes[0].with_host && ts_trend_is_worse(&t));
}

/* Five runs a day, and those of Monday are slower. */
static void weekdays_differ(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 175, 1);

	(void)state;
	for (size_t i = 0; i < 175; i++) {
		runs[i].started_ns = (int64_t)(20000 + i / 5) * 86400000000000;
		runs[i].value *= i / 5 % 7 == 4 ? 1.04 : 1;
	}
	judge(&t);
	assert_true(t.n_changes == 0 && !t.drift && fabs(t.weekday_spread - 0.04) < 0.002 && t.host_spread == 0);
	times(100, 175, 1.04);
	judge(&t);
	assert_true(t.n_changes == 1 && t.changes[0].at == 100 && fabs(t.changes[0].size - 0.04) < 0.002);
}

/* The loss is below 0, so it is not compared by ratio. */
static void loss_by_difference(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_LOSS, 100, -4);

	(void)state;
	for (size_t i = 60; i < 100; i++)
		runs[i].value += 0.2;
	judge(&t);
	assert_true(t.n_changes == 1 && t.changes[0].worse && t.left_out == 0);
	assert_true(fabs(t.changes[0].size - 0.05) < 0.001);
	t = trend_of(TS_METRIC_STALL_SHARE, 100, 0);
	for (size_t i = 60; i < 100; i++)
		runs[i].value = 0.02;
	judge(&t);
	assert_true(t.n_changes == 1 && isinf(t.changes[0].size));
	says(&t, "share of stalls of main rose from 0 to 2.0 % between c59 and c60, 40 runs ago");
	for (size_t i = 60; i < 100; i++)
		runs[i].value = 0.005; /* this is below the least size that counts */
	judge(&t);
	assert_int_equal(t.n_changes, 0);
}

static void policy_sets_the_size(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 100, 1);

	(void)state;
	times(50, 100, 1.03);
	policy.min_size[TS_METRIC_STEP_TIME] = 0.04;
	judge(&t);
	assert_int_equal(t.n_changes, 0);
	ts_gate_policy_default(&policy);
}

static void few_or_none(void **state)
{
	struct ts_trend t = trend_of(TS_METRIC_STEP_TIME, 0, 1);

	(void)state;
	judge(&t);
	says(&t, "no run of main has a step time that counts");
	t = trend_of(TS_METRIC_STEP_TIME, 1, 0.25);
	judge(&t);
	says(&t, "step time of main is 250 ms in the one run that counts; one run is too few for a trend");
	t = trend_of(TS_METRIC_STEP_TIME, 5, 0.25);
	judge(&t);
	says(&t, "step time of main is 250 ms in 5 runs; these are too few for a trend");
	t = trend_of(TS_METRIC_STEP_TIME, 30, 0.25);
	judge(&t);
	says(&t, "step time of main is 250 ms over 30 runs, and no change of its level was found");
	assert_false(ts_trend_is_worse(&t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rises),
		cmocka_unit_test(direction_is_the_metrics),
		cmocka_unit_test(a_claim_does_not_depend_on_the_history),
		cmocka_unit_test(costs),
		cmocka_unit_test(bursts_come_and_go),
		cmocka_unit_test(the_place_is_where_the_level_begins),
		cmocka_unit_test(left_out),
		cmocka_unit_test(accepted_on_the_level),
		cmocka_unit_test(several),
		cmocka_unit_test(memory_has_an_absolute_size),
		cmocka_unit_test(memory_that_creeps),
		cmocka_unit_test(drifts),
		cmocka_unit_test(wanders),
		cmocka_unit_test(hosts_take_turns),
		cmocka_unit_test(host_and_change_coincide),
		cmocka_unit_test(weekdays_differ),
		cmocka_unit_test(loss_by_difference),
		cmocka_unit_test(policy_sets_the_size),
		cmocka_unit_test(few_or_none),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
