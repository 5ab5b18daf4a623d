/* Trend through the local channel: which runs of a branch have a value, why the others do not, and where the level changed.
 * Every step of run i takes what the test says, so that its step time is that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "proto/wire.h"
#include "service/handlers/channel.h"
#include "service/handlers/core/test_series_runs.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 30 };

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

static const char *loss_column = "scalars.loss";

/* Returns the id of a run of one rank whose steps take `seconds`; commit is that of the code. 0 seconds: it records no time. */
static struct ts_id run_of(double seconds, const char *model, const char *commit)
{
	const struct told facts[] = {{TS_RANK_JOB, "config.model", model, 0}, {TS_RANK_JOB, "code.commit", commit, 0}};
	struct cells c = {.n = 0};
	struct ts_id id;

	for (int i = 0; i < STEPS; i++) {
		if (seconds > 0)
			cells_add(&c, 0, "phases.forward", i, seconds);
		cells_add(&c, 0, loss_column, i, 1.0 / (i + 1));
	}
	id = make_run(&w, &c, facts, 2);
	cells_free(&c);
	return id;
}

static void point(enum ts_ref_kind kind, const char *name, struct ts_id id)
{
	struct ts_ref_update u = {.kind = kind, .name = ts_span_str(name), .id = id, .expect = TS_EXPECT_ANY, .now_ns = now++};

	must(w.engine->ops->commit(w.engine, &u, 1, &w.arena, NULL, &err), &err);
}

static void push(const char *name, double seconds, const char *model, const char *commit)
{
	struct ts_id id = run_of(seconds, model, commit);

	point(TS_REF_RUN, name, id);
	point(TS_REF_BRANCH, "p/main", id);
}

static void push_many(int from, int to, double seconds)
{
	for (int i = from; i < to; i++) {
		const char *name = ts_arena_printf(&w.arena, "p/r%d", i), *commit = ts_arena_printf(&w.arena, "c%d", i);

		push(name, seconds * (1 + 0.001 * ((i * 7 % 11) - 5) / 5.0), "llama", commit);
	}
}

static void note(const char *name, const char *key, const char *value)
{
	struct ts_note n = {.key = ts_span_str(key), .value = ts_span_str(value)};

	must(w.engine->ops->note_put(w.engine, ts_span_str(name), &n, &err), &err);
}

static enum ts_status ask(struct ts_trend_request request, struct ts_trend *ret)
{
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span reply;
	enum ts_status status;

	if (!request.metric.len)
		request.metric = ts_span_str("step_time");
	must(ts_wire_pack_trend_request(&request, &buf, &err), &err);
	status = channel->ops->call(channel, "Trend", ts_buf_view(&buf), &w.arena, &reply, &err);
	ts_buf_finish(&buf);
	if (!status)
		must(ts_wire_unpack_trend_reply(reply, &w.arena, ret, &err), &err);
	return status;
}

static void says(const struct ts_trend *t, const char *begin)
{
	if (!ts_span_starts(t->sentence, ts_span_str(begin)))
		fail_msg("%.*s", TS_SPAN_ARG(t->sentence));
}

static struct ts_trend trend(void)
{
	struct ts_trend t;

	must(ask((struct ts_trend_request){.branch = ts_span_str("branch:p/main")}, &t), &err);
	return t;
}

static void a_loss_of_another_name(void **state)
{
	const struct ts_trend_request request = {.branch = ts_span_str("branch:p/main"), .metric = ts_span_str("loss")};
	struct ts_trend t;

	(void)state;
	loss_column = "scalars.train/loss"; /* the last lines set it back */
	push_many(0, 2, 0.2);
	must(ask(request, &t), &err);
	assert_true(t.n_runs == 2 && t.left_out == 0 && t.runs[0].known && t.runs[1].known);
	says(&t, "loss at the end (train/loss) of main is ");
	loss_column = "scalars.loss";
	push_many(2, 4, 0.2);
	must(ask(request, &t), &err);
	assert_int_equal(t.left_out, 0);
	says(&t, "loss at the end (loss, of older runs train/loss) of main is ");
}

static void finds_a_change(void **state)
{
	struct ts_trend t;

	(void)state;
	push_many(0, 40, 0.2);
	push_many(40, 50, 0.21);
	t = trend();
	assert_true(ts_span_is(t.branch, "p/main") && t.metric == TS_METRIC_STEP_TIME && t.n_runs == 50 && t.older == 0);
	assert_true(ts_span_is(t.runs[0].commit, "c0") && ts_span_is(t.runs[49].commit, "c49"));
	assert_true(t.runs[0].moved_ns < t.runs[49].moved_ns && t.left_out == 0);
	assert_true(fabs(t.runs[0].value - 0.2 * 0.999) < 1e-12);
	assert_int_equal(t.n_changes, 1);
	assert_true(t.changes[0].at == 40 && t.changes[0].last_before == 39 && t.changes[0].worse);
	assert_true(fabs(t.changes[0].size - 0.05) < 0.001);
	assert_true(ts_span_is(t.sentence, "step time of main rose by 5.0 % between c39 and c40, 10 runs ago"));
	assert_int_equal(t.workload.len, 12);
	note("p/r41", "accepted", "wanted");
	t = trend();
	assert_true(t.changes[0].accepted && t.runs[41].accepted && ts_span_is(t.runs[41].accept_reason, "wanted"));
	must(ask((struct ts_trend_request){.branch = ts_span_str("branch:p/main"), .limit = 20}, &t), &err);
	assert_true(t.n_runs == 20 && t.older == 30 && ts_span_is(t.runs[0].commit, "c30"));
}

static void expect_left_out(const struct ts_trend *t, size_t i, const char *reason)
{
	assert_false(t->runs[i].known);
	if (!ts_span_is(t->runs[i].reason, reason))
		fail_msg("%zu: %.*s", i, TS_SPAN_ARG(t->runs[i].reason));
}

/* The newest run that may count determines the workload. */
static void leaves_out(void **state)
{
	struct ts_trend t;

	(void)state;
	push_many(0, 3, 0.2);
	push("p/other", 0.5, "gpt", "c3");
	push("p/none", 0, "llama", "c4");
	push("p/bad", 0.7, "llama", "c5");
	push("p/last", 0.2, "llama", "c6");
	push("p/odd", 0.9, "gpt", "c7");
	push("p/now", 0.9, "gpt", "c8");
	note("p/bad", "bad", "broken fan");
	note("p/odd", "bad", "wrong node");
	note("p/now", "state", "running");
	t = trend();
	assert_true(t.n_runs == 9 && t.left_out == 5);
	expect_left_out(&t, 3, "of another workload: different config");
	assert_false(t.runs[4].known);
	assert_true(t.runs[4].reason.len > 0);
	expect_left_out(&t, 5, "marked bad: broken fan");
	assert_true(t.runs[6].known && t.runs[6].value > 0.19);
	expect_left_out(&t, 7, "marked bad: wrong node");
	expect_left_out(&t, 8, "still training");
}

static void like_another(void **state)
{
	struct ts_trend t;

	(void)state;
	push_many(0, 3, 0.2);
	push("p/other", 0.5, "gpt", "c3");
	must(ask((struct ts_trend_request){.branch = ts_span_str("branch:p/main"), .like = ts_span_str("run:p/r1")}, &t), &err);
	assert_int_equal(t.left_out, 1);
	expect_left_out(&t, 3, "of another workload: different config");
	t = trend();
	assert_int_equal(t.left_out, 3);
}

/* A run that was pushed while it trained, and again after its end, counts once. */
static void pushed_again(void **state)
{
	struct ts_id early = run_of(0.2, "llama", "c9"), late = run_of(0.21, "llama", "c9");
	struct ts_trend t;

	(void)state;
	push_many(0, 2, 0.2);
	point(TS_REF_RUN, "p/long", early);
	point(TS_REF_BRANCH, "p/main", early);
	push("p/between", 0.2, "llama", "c8");
	point(TS_REF_RUN, "p/long", late);
	point(TS_REF_BRANCH, "p/main", late);
	t = trend();
	assert_int_equal(t.n_runs, 4);
	assert_true(ts_id_eq(&t.runs[3].id, &late) && ts_span_is(t.runs[2].commit, "c8"));
}

static void a_declared_workload(void **state)
{
	const struct told facts[] = {{TS_RANK_JOB, "config.model", "gpt", 0}, {TS_RANK_JOB, "work.workload", "nightly", 0}};
	struct cells c = {.n = 0};
	struct ts_trend t;

	(void)state;
	for (int i = 0; i < STEPS; i++)
		cells_add(&c, 0, "phases.forward", i, 0.3);
	push_many(0, 2, 0.2);
	point(TS_REF_BRANCH, "p/main", make_run(&w, &c, facts, 2));
	cells_free(&c);
	t = trend();
	assert_true(ts_span_is(t.workload, "nightly") && t.left_out == 2 && t.runs[2].known);
}

/* Timestamps include what phases leave out, so the two are not compared, and the newest value determines which counts. */
static void measured_by_other_means(void **state)
{
	const struct told facts[] = {{TS_RANK_JOB, "config.model", "llama", 0}};
	struct cells c = {.n = 0};
	struct ts_trend t;

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		cells_add(&c, 0, "phases.forward", i, 0.2);
		cells_add(&c, 0, "timestamp", i, 1.7e9 + 0.25 * i);
		cells_add(&c, 0, "scalars.loss", i, 1);
	}
	push_many(0, 2, 0.2);
	point(TS_REF_BRANCH, "p/main", make_run(&w, &c, facts, 1));
	cells_free(&c);
	t = trend();
	assert_true(t.left_out == 2 && fabs(t.runs[2].value - 0.25) < 1e-6);
	expect_left_out(&t, 0, "measured in another way than the newest run: by phases");
	must(ask((struct ts_trend_request){.branch = ts_span_str("branch:p/main"), .metric = ts_span_str("loss")}, &t), &err);
	assert_int_equal(t.left_out, 0);
}

static void other_metrics(void **state)
{
	struct ts_trend t;

	(void)state;
	push_many(0, 10, 0.2);
	must(ask((struct ts_trend_request){.branch = ts_span_str("branch:p/main"), .metric = ts_span_str("peak_memory")}, &t), &err);
	assert_int_equal(t.left_out, 10);
	assert_true(ts_span_is(t.sentence, "no run of main has a peak memory that counts"));
	must(ask((struct ts_trend_request){.branch = ts_span_str("branch:p/main"), .metric = ts_span_str("loss")}, &t), &err);
	assert_int_equal(t.left_out, 0);
}

static void a_policy(void **state)
{
	struct ts_policy_item items[] = {
		{.code = ts_span_str("GATE"), .threshold = ts_span_str("workload"), .text = ts_span_str("none-has-it")},
		{.code = ts_span_str("GATE"), .threshold = ts_span_str("no_such_thing"), .value = 1}};
	struct ts_trend_request request = {.branch = ts_span_str("branch:p/main"), .policy = {items, 1}};
	struct ts_trend t;

	(void)state;
	push_many(0, 2, 0.2);
	must(ask(request, &t), &err);
	assert_int_equal(t.left_out, 2);
	expect_left_out(&t, 0, "not of workload none-has-it");
	assert_int_equal(t.workload.len, 0);
	request.policy.n = 2;
	assert_int_equal(ask(request, &t), TS_UNSUPPORTED); /* a newer client may have it */
	assert_non_null(strstr(err.text, "no_such_thing"));
}

static void refuses(void **state)
{
	struct ts_trend t;

	(void)state;
	push_many(0, 2, 0.2);
	assert_int_equal(ask((struct ts_trend_request){.branch = ts_span_str("branch:p/mian")}, &t), TS_NOT_FOUND);
	assert_non_null(strstr(err.text, "similar names: p/main"));
	assert_int_equal(ask((struct ts_trend_request){.branch = ts_span_str("run:p/r1")}, &t), TS_INVALID);
	assert_non_null(strstr(err.text, "is not a branch"));
	assert_int_equal(ask((struct ts_trend_request){.branch = ts_span_str("branch:p/main"), .like = ts_span_str("run:p/x")}, &t),
			 TS_NOT_FOUND);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_loss_of_another_name),
		T(finds_a_change),	T(leaves_out), T(like_another), T(pushed_again), T(a_declared_workload),
		T(measured_by_other_means), T(other_metrics), T(a_policy), T(refuses),
	};

	return cmocka_run_group_tests_name("trend_runs", tests, NULL, NULL);
}
