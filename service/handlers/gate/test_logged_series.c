/* test_logged_series.c - Gate and Trend by series that runs log: what is read of a run, under which name, from the cache or not, and
 * what is said where nobody has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "proto/wire.h"
#include "service/handlers/channel.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/gate/logged_series.h"

#include <math.h>

enum { STEPS = 40, EVERY = 4 };

static struct world w;
static struct ts_channel *channel;
static struct ts_error err;
static int64_t now;

static int setup(void **state)
{
	(void)state;
	world_open(&w);
	must(ts_channel_local(w.engine, "memory", &channel, &err), &err);
	now = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	channel->ops->destroy(channel);
	world_close(&w);
	return 0;
}

/* What a run logs: scalars.val_bpb at every fourth step, which falls to bpb and has 10 values; and a reward, under the column given, at
 * every step. NaN, or no column: it logs none. */
struct logs {
	double bpb;
	const char *column;
	double reward;
};

static void push(const char *name, struct logs logs, bool on_branch)
{
	const char *commit = ts_arena_printf(&w.arena, "commit-%s", name);
	const struct told facts[] = {{TS_RANK_JOB, "config.model", "llama", 0}, {TS_RANK_JOB, "code.commit", commit, 0}};
	struct ts_ref_update u[] = {{.kind = TS_REF_RUN, .name = ts_span_str(name)},
				    {.kind = TS_REF_BRANCH, .name = ts_span_str("p/main")}};
	struct cells c = {.n = 0};
	struct ts_id id;

	for (int i = 0; i < STEPS; i++) {
		cells_add(&c, 0, "phases.forward", i, 0.1 + 0.001 * (i % 3));
		cells_add(&c, 0, "scalars.loss", i, 3);
		if (logs.column)
			cells_add(&c, 0, logs.column, i, i < STEPS - STEPS / 10 ? 0 : logs.reward);
		if (!isnan(logs.bpb) && i % EVERY == EVERY - 1)
			cells_add(&c, 0, "scalars.val_bpb", i, i == STEPS - 1 ? logs.bpb : 9);
	}
	id = make_run(&w, &c, facts, 2);
	cells_free(&c);
	for (size_t k = 0; k < 1 + (size_t)on_branch; k++) {
		u[k].id = id;
		u[k].expect = TS_EXPECT_ANY;
		u[k].now_ns = now++;
		must(w.engine->ops->commit(w.engine, &u[k], 1, &w.arena, NULL, &err), &err);
	}
}

/* Pushes n runs p/b0, p/b1, ... onto the branch, around 0.95 and 1.5. */
static void push_baselines(int n)
{
	static const double noise[] = {1.001, 0.999, 1.0005, 0.9995, 1.0002, 0.9998};

	for (int i = 0; i < n; i++)
		push(ts_arena_printf(&w.arena, "p/b%d", i),
		     (struct logs){0.95 * noise[i % 6], "scalars.reward", 1.5 * noise[(i + 3) % 6]}, true);
}

static enum ts_status gate(const char *candidate, const char *metrics, struct ts_verdict *ret)
{
	struct ts_policy_item items[] = {
		{.code = ts_span_str("GATE"), .threshold = ts_span_str("metrics"), .text = ts_span_str(metrics)}};
	struct ts_span specs[] = {ts_span_str("branch:p/main"), ts_span_str(candidate ? candidate : "")}, reply;
	struct ts_gate_request request = {
		.baselines = specs, .n_baselines = 1, .candidates = &specs[1], .n_candidates = candidate != NULL, .policy = {items, 1}};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status;

	must(ts_wire_pack_gate_request(&request, &buf, &err), &err);
	status = channel->ops->call(channel, candidate ? "Gate" : "Baseline", ts_buf_view(&buf), &w.arena, &reply, &err);
	ts_buf_finish(&buf);
	if (!status && candidate)
		must(ts_wire_unpack_gate_reply(reply, &w.arena, ret, &err), &err);
	return status;
}

static struct ts_gate_row row_of(const char *candidate, const char *metrics, size_t at)
{
	struct ts_verdict v;

	must(gate(candidate, metrics, &v), &err);
	assert_true(v.n_rows > TS_METRICS + at);
	return v.rows[TS_METRICS + at];
}

/* The judge scales values, and back. */
static bool near(double x, double want)
{
	return fabs(x - want) < 1e-12;
}

static bool warned(const struct ts_verdict *v, const char *text)
{
	for (size_t i = 0; i < v->n_warnings; i++)
		if (ts_span_is(v->warnings[i], text))
			return true;
	return false;
}

/* The value is the mean of the last tenth: of ten values the last, of forty the last four. A second look comes from the cache. */
static void the_end_of_a_series_counts(void **state)
{
	(void)state;
	push_baselines(6);
	push("p/worse", (struct logs){0.97, "scalars.reward", 1.2}, false);
	push("p/clean", (struct logs){0.9504, "scalars.reward", 1.4995}, false);
	for (int again = 0; again < 2; again++) {
		struct ts_gate_row bpb = row_of("p/worse", "val_bpb", 0), reward = row_of("p/worse", "reward", 0);

		assert_true(near(bpb.candidate, 0.97) && fabs(bpb.base - 0.95) < 1e-3 && bpb.base_draws == 6);
		assert_true(near(reward.candidate, 1.2) && fabs(reward.base - 1.5) < 1e-3);
		assert_int_equal(bpb.state, TS_GATE_SUSPECT);
		assert_int_equal(reward.state, TS_GATE_SUSPECT);
		assert_int_equal(row_of("p/clean", "val_bpb", 0).state, TS_GATE_PASS);
		assert_int_equal(row_of("p/clean", "reward", 0).state, TS_GATE_PASS);
	}
}

/* Whatever is asked first, and together or not, each name has its own values. */
static void answers_of_two_names_never_mix(void **state)
{
	static const char *const metrics[] = {"val_bpb, reward", "reward, val_bpb", "val_bpb", "reward",
					      "scalars.reward, reward, val_bpb"};

	(void)state;
	push_baselines(4);
	push("p/x", (struct logs){0.9, "scalars.reward", 1.6}, false);
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
		struct ts_verdict v;

		must(gate("p/x", metrics[i], &v), &err);
		for (size_t k = TS_METRICS; k < v.n_rows; k++) {
			bool bpb = ts_span_is(v.rows[k].name, "val_bpb");

			assert_true(near(v.rows[k].candidate, bpb ? 0.9 : 1.6));
			assert_true(fabs(v.rows[k].base - (bpb ? 0.95 : 1.5)) < 1e-3);
		}
	}
}

/* An entry of the cache that belongs to another run, or to another name, counts as none. */
static void a_cache_is_not_trusted(void **state)
{
	struct ts_buf key = TS_BUF_INIT(4096), value = TS_BUF_INIT(4096);
	struct ts_reduced_series series = {.name = ts_span_str("reward"), .value = {.known = true, .value = 77}};
	struct ts_gate_run run = {.role = TS_GATE_CANDIDATE, .reduction = {.series = &series, .n_series = 1, .accumulation = 1}};
	struct ts_verdict v;

	(void)state;
	push_baselines(3);
	push("p/x", (struct logs){0.951, "scalars.reward", 1.6}, false);
	must(gate("p/x", "step_time", &v), &err);
	for (size_t i = 0; i < v.input.n_runs; i++) {
		run.id = v.input.runs[i].id;
		ts_buf_reset(&key);
		ts_buf_reset(&value);
		ts_buf_str(&key, "series ");
		ts_buf_span(&key, ts_id_span(&run.id));
		ts_buf_u64(&key, v.input.analysis_version);
		ts_buf_str(&key, "val_bpb");
		must(ts_wire_pack_gate_run(&run, &value, &err), &err);
		w.engine->ops->cache_put(w.engine, ts_buf_view(&key), ts_buf_view(&value));
	}
	assert_true(near(row_of("p/x", "val_bpb", 0).candidate, 0.951));
	ts_buf_finish(&key);
	ts_buf_finish(&value);
}

/* Runs that do not log it are counted and named; as a candidate, such a run is not judged. */
static void runs_without_it(void **state)
{
	struct ts_verdict v;

	(void)state;
	push_baselines(3);
	push("p/none", (struct logs){(double)NAN, "scalars.reward", 1.5}, true);
	push_baselines(0);
	push("p/x", (struct logs){0.951, NULL, 0}, false);
	must(gate("p/x", "val_bpb", &v), &err);
	assert_int_equal(v.state, TS_GATE_PASS);
	assert_int_equal(v.rows[TS_METRICS].base_draws, 3);
	assert_true(warned(&v, "1 of 4 baselines does not count for val_bpb (p/none): it logs no series val_bpb"));
	must(gate("p/x", "reward", &v), &err);
	assert_int_equal(v.exit_code, 3);
	assert_true(ts_span_is(v.sentence, "reward of p/x cannot be judged: the candidate has no value: it logs no series reward"));
}

/* A name that nobody has is a typing error, with the name that is near, or those that there are. */
static void a_name_that_nobody_has(void **state)
{
	static const struct {
		const char *metric, *want;
	} cases[] = {
		{"val_bbp", "there is no metric 'val_bbp', and none of the runs logs a series of that name; did you mean val_bpb?"},
		{"step_tme", "there is no metric 'step_tme', and none of the runs logs a series of that name; did you mean step_time?"},
		{"accuracy",
		 "there is no metric 'accuracy', and none of the runs logs a series of that name; one of them logs loss, reward, "
		 "val_bpb"},
	};
	struct ts_verdict v;

	(void)state;
	push_baselines(3);
	push("p/x", (struct logs){0.951, "scalars.reward", 1.5}, false);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(gate("p/x", cases[i].metric, &v), TS_INVALID);
		assert_string_equal(err.text, cases[i].want);
		assert_int_equal(gate(NULL, cases[i].metric, &v), TS_INVALID);
		assert_string_equal(err.text, cases[i].want);
	}
}

/* A logger may put "train/" in front; the verdict says which column it read. */
static void a_series_of_another_name(void **state)
{
	struct ts_verdict v;

	(void)state;
	for (int i = 0; i < 3; i++)
		push(ts_arena_printf(&w.arena, "p/b%d", i), (struct logs){0.95, "scalars.train/reward", 1.5 + 0.001 * i}, true);
	push("p/x", (struct logs){0.95, "scalars.reward", 1.501}, false);
	must(gate("p/x", "reward", &v), &err);
	assert_int_equal(v.state, TS_GATE_PASS);
	assert_true(ts_span_starts(v.sentence, ts_span_str("reward (reward, of baselines train/reward) of p/x shows no regression")));
	must(gate("p/x", "scalars.loss", &v), &err);
	assert_true(near(v.rows[TS_METRICS].candidate, 3));
}

/* A key with a dot is stored with the mark of an escape, which nobody types. */
static void a_dot_in_a_name(void **state)
{
	struct ts_verdict v;

	(void)state;
	for (int i = 0; i < 4; i++)
		push(ts_arena_printf(&w.arena, "p/b%d", i), (struct logs){0.95, "scalars.eval\\.reward", 1.5 + 0.001 * i}, i < 3);
	must(gate("p/b3", "eval.reward", &v), &err);
	assert_true(near(v.rows[TS_METRICS].candidate, 1.503));
	assert_true(ts_span_starts(v.sentence, ts_span_str("eval.reward of p/b3 shows no regression")));
}

static enum ts_status trend(const char *metric, struct ts_trend *ret)
{
	const struct ts_trend_request request = {.branch = ts_span_str("branch:p/main"), .metric = ts_span_str(metric)};
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span reply;
	enum ts_status status;

	must(ts_wire_pack_trend_request(&request, &buf, &err), &err);
	status = channel->ops->call(channel, "Trend", ts_buf_view(&buf), &w.arena, &reply, &err);
	ts_buf_finish(&buf);
	if (!status)
		must(ts_wire_unpack_trend_reply(reply, &w.arena, ret, &err), &err);
	return status;
}

/* A reward that fell is worse; of `beta` nobody knows. */
static void a_trend_knows_the_direction(void **state)
{
	static const char *const columns[] = {"scalars.reward", "scalars.beta"};
	struct ts_trend t;

	(void)state;
	for (int i = 0; i < 20; i++) {
		double noise = 1 + 0.001 * ((i * 7 % 11) - 5) / 5.0;

		push(ts_arena_printf(&w.arena, "p/b%d", i),
		     (struct logs){(i < 12 ? 0.95 : 0.99) * noise, columns[0], (i < 12 ? 1.5 : 1.2) * noise}, true);
	}
	must(trend("reward", &t), &err);
	assert_true(t.n_changes == 1 && t.changes[0].at == 12 && t.changes[0].worse && ts_trend_is_worse(&t));
	assert_true(t.metric == TS_METRICS && t.better == TS_BETTER_HIGHER && ts_span_is(t.name, "reward"));
	assert_int_equal(t.changes[0].cost, TS_TREND_ADDED);
	assert_true(ts_span_starts(t.sentence, ts_span_str("reward of main fell by 20 % between ")));
	must(trend("val_bpb", &t), &err);
	assert_true(t.n_changes == 1 && t.changes[0].worse && t.better == TS_BETTER_LOWER && t.changes[0].before < 0.96);
	assert_int_equal(trend("rewards", &t), TS_INVALID);
	assert_string_equal(err.text,
			    "there is no metric 'rewards', and none of the runs logs a series of that name; did you mean reward?");
	for (int i = 0; i < 20; i++)
		push(ts_arena_printf(&w.arena, "p/c%d", i),
		     (struct logs){0.95, columns[1], (i < 12 ? 1.5 : 1.2) * (1 + 0.001 * ((i * 7 % 11) - 5) / 5.0)}, true);
	must(trend("beta", &t), &err);
	assert_true(t.n_runs == 40 && t.left_out == 20 && t.n_changes == 1);
	assert_true(ts_span_is(t.runs[0].reason, "it logs no series beta"));
	assert_true(t.better == TS_BETTER_UNKNOWN && !t.changes[0].worse && !ts_trend_is_worse(&t));
	assert_int_equal(t.changes[0].cost, TS_TREND_UNKNOWN);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_end_of_a_series_counts),
		T(answers_of_two_names_never_mix),
		T(a_cache_is_not_trusted),
		T(runs_without_it),
		T(a_name_that_nobody_has),
		T(a_series_of_another_name),
		T(a_dot_in_a_name),
		T(a_trend_knows_the_direction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
