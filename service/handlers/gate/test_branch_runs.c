/* The history of a branch: each run once, newest first, with notes by name; what is gone does not fail the rest. The value of
 * a run is its config.lr here: how runs are reduced is another test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "service/handlers/core/test_runs.h"
#include "service/handlers/gate/branch_runs.h"

static struct test_store s;
static struct ts_id damaged;
static size_t reduced;

static bool never(const struct ts_call *call)
{
	(void)call;
	return false;
}

static bool number(const struct ts_run *run, const char *path, double *ret)
{
	const struct ts_fact *fact = ts_facts_find(&run->head.facts, ts_span_str(path));

	if (fact)
		*ret = fact->real;
	return fact != NULL;
}

enum ts_status ts_reduce_expect(const struct ts_run *run, struct ts_error *err)
{
	(void)run;
	(void)err;
	return TS_OK;
}

enum ts_status ts_reduce_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy, struct ts_arena *arena,
			     struct ts_gate_run *ret_run, struct ts_error *err)
{
	double started = 0;
	struct ts_run run;

	(void)policy;
	reduced++;
	if (ts_id_eq(id, &damaged))
		return ts_error_set(err, TS_DAMAGED, "a block is");
	if (ts_run_open(f, id, arena, &run, err))
		return err->status;
	ret_run->reduction.metrics[TS_METRIC_STEP_TIME].known =
		number(&run, "config.lr", &ret_run->reduction.metrics[TS_METRIC_STEP_TIME].value);
	if (number(&run, "session.started", &started))
		ret_run->workload.started_ns = (int64_t)(started * 1e9);
	return TS_OK;
}

static int setup(void **state)
{
	(void)state;
	test_store_open(&s);
	memset(&damaged, 0, sizeof damaged);
	reduced = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&s);
	return 0;
}

static struct ts_id push(const char *name, const char *branch, struct test_run run, bool force)
{
	struct ts_commit_request request = {
		.name = ts_span_str(name), .branch = ts_span_str(branch), .head = test_run_put(&s, &run), .force = force};
	struct ts_commit_reply reply;

	must(test_commit(&s, &request, &reply), &s.err);
	return request.head;
}

static struct test_run run_of(double lr)
{
	struct test_run run = test_run_plain();

	run.lr = lr;
	return run;
}

struct got {
	struct ts_branch_run *runs;
	size_t n;
	uint64_t older;
	struct ts_pruned pruned;
};

/* Reduces every entry, and leaves out the entries that the header says to leave out. */
static enum ts_status keep_runs(struct ts_fetch *f, struct got *got)
{
	static const struct ts_gate_policy policy = {.delta = 0.01};
	struct ts_branch_run *kept = ts_arena_array(&s.arena, got->n, sizeof *kept);
	size_t n = 0;

	assert_non_null(kept);
	for (size_t i = 0; i < got->n; i++) {
		struct ts_branch_run *r = &got->runs[i];
		const struct ts_branch_run *later = r->later == SIZE_MAX ? NULL : &got->runs[r->later];

		if (ts_branch_reduce(f, &policy, &s.arena, r, &s.err))
			return s.err.status;
		if (!later || r->gone || later->gone || !ts_branch_same_run(&r->run.workload, &later->run.workload))
			kept[n++] = *r;
	}
	got->runs = kept;
	got->n = n;
	return TS_OK;
}

static enum ts_status history(const char *branch, size_t limit, struct got *got)
{
	struct ts_call call = {.engine = s.engine, .arena = &s.arena, .deadline_ns = INT64_MAX, .cancelled = never};
	struct ts_fetch f;
	enum ts_status status;

	ts_fetch_init(&f, &call);
	status = ts_branch_entries(&f, ts_span_str(branch), limit, &s.arena, &got->runs, &got->n, &got->older, &got->pruned, &s.err);
	if (!status)
		status = keep_runs(&f, got);
	ts_fetch_finish(&f);
	return status;
}

static double value(const struct ts_branch_run *run)
{
	return run->run.reduction.metrics[TS_METRIC_STEP_TIME].value;
}

static void each_once_newest_first(void **state)
{
	struct ts_ref_request again = {.kind = TS_REF_BRANCH, .name = ts_span_str("p/main"), .target = ts_span_str("p/a")};
	struct ts_ref_reply reply;
	struct got got = {0};
	struct ts_id a = push("p/a", "p/main", run_of(0.001), false), b = push("p/b", "p/main", run_of(0.002), false),
		     c = push("p/c", "p/main", run_of(0.003), false);

	(void)state;
	must(history("p/main", 0, &got), &s.err);
	assert_int_equal(got.n, 3);
	assert_int_equal(got.older, 0);
	assert_true(ts_id_eq(&got.runs[0].run.id, &c) && ts_id_eq(&got.runs[1].run.id, &b) && ts_id_eq(&got.runs[2].run.id, &a));
	assert_true(value(&got.runs[0]) == 0.003 && value(&got.runs[2]) == 0.001);
	assert_true(got.runs[0].seq == 3 && got.runs[2].seq == 1 && got.runs[0].moved_ns >= got.runs[2].moved_ns);
	assert_true(ts_span_is(got.runs[1].run.name, "p/b"));
	must(test_update(&s, &again, &reply), &s.err);
	must(history("p/main", 0, &got), &s.err);
	assert_int_equal(got.n, 3); /* a was pushed again, and is at the place of its last push */
	assert_true(ts_id_eq(&got.runs[0].run.id, &a) && got.runs[0].seq == 4 && ts_id_eq(&got.runs[1].run.id, &c));
	assert_int_equal(reduced, 6);
	must(history("p/main", 2, &got), &s.err);
	assert_int_equal(got.n, 2);
	assert_int_equal(got.older, 2); /* b, and the first entry of a */
	must(history("p/main", 4, &got), &s.err);
	assert_int_equal(got.older, 0);
}

/* Of five entries the second and the third were retired: what is older than the newest entry read is one, not four. */
static void a_pruned_history_says_so(void **state)
{
	static const char *const names[] = {"p/a", "p/b", "p/c", "p/d", "p/e"};
	struct ts_retired items[2] = {{.kind = TS_REF_BRANCH, .seq = 2}, {.kind = TS_REF_BRANCH, .seq = 3}};
	struct ts_retire what = {.items = items, .n = 2, .planned_ns = INT64_MAX, .now_ns = 7, .who = ts_span_str("ann")};
	enum ts_retire_outcome outcomes[2];
	struct got got = {0};
	struct ts_id ids[5];

	(void)state;
	for (int i = 0; i < 5; i++)
		ids[i] = push(names[i], "p/main", run_of(0.001 * (i + 1)), false);
	for (int i = 0; i < 2; i++) {
		items[i].name = ts_span_str("p/main");
		items[i].id = ids[1 + i];
	}
	must(s.engine->ops->retire(s.engine, &what, outcomes, &s.err), &s.err);
	must(history("p/main", 2, &got), &s.err);
	assert_true(got.n == 2 && got.older == 1 && got.pruned.entries == 2 && got.pruned.at_ns == 7);
	must(history("p/main", 3, &got), &s.err);
	assert_true(got.n == 3 && got.older == 0 && got.runs[2].seq == 1);
	must(history("p/main", 0, &got), &s.err);
	assert_true(got.n == 3 && got.older == 0 && got.pruned.entries == 2);
}

static void has_notes(void **state)
{
	struct ts_ref_request second = {.kind = TS_REF_RUN, .name = ts_span_str("p/also-a"), .target = ts_span_str("p/a")};
	struct ts_ref_request elsewhere = {.kind = TS_REF_RUN, .name = ts_span_str("q/b"), .target = ts_span_str("p/b")};
	struct ts_ref_reply reply;
	struct got got = {0};

	(void)state;
	push("p/a", "p/main", run_of(0.001), false);
	push("p/b", "p/main", run_of(0.002), false);
	push("p/c", "p/main", run_of(0.003), false);
	must(test_update(&s, &second, &reply), &s.err);
	must(test_update(&s, &elsewhere, &reply), &s.err);
	must(test_note(&s, "p/also-a", "bad", "broken fan"), &s.err); /* a note on any name of the run counts */
	must(test_note(&s, "q/b", "bad", "of another project"), &s.err);
	must(test_note(&s, "p/b", "accepted", "new kernel"), &s.err);
	must(test_note(&s, "p/c", "state", "running"), &s.err);
	must(history("p/main", 0, &got), &s.err);
	assert_true(got.runs[0].training && got.runs[0].bad.len == 0 && got.runs[0].accepted.len == 0);
	assert_true(!got.runs[1].training && got.runs[1].bad.len == 0 && ts_span_is(got.runs[1].accepted, "new kernel"));
	assert_true(ts_span_is(got.runs[2].bad, "broken fan") && ts_span_is(got.runs[2].run.name, "p/a"));
}

static void a_run_that_trains_on_is_one(void **state)
{
	struct test_run run = run_of(0.001);
	struct ts_id last;
	struct got got = {0};

	(void)state;
	run.started = 1e9;
	push("p/a", "p/main", run, false);
	push("p/b", "p/main", run_of(0.002), false);
	run.steps = 20;
	push("p/a", "p/main", run, false);
	run.steps = 30;
	last = push("p/a", "p/main", run, false);
	must(history("p/main", 0, &got), &s.err);
	assert_int_equal(got.n, 2);
	assert_true(ts_id_eq(&got.runs[0].run.id, &last) && value(&got.runs[1]) == 0.002);
	run.started = 2e9; /* the name is used again for a run of another day: these are two runs */
	run.lr = 0.004;
	push("p/a", "p/main", run, true);
	must(history("p/main", 0, &got), &s.err);
	assert_int_equal(got.n, 3);
	assert_true(ts_id_eq(&got.runs[1].run.id, &last) && got.runs[1].run.name.len == 0);
}

static void what_is_gone_does_not_fail_the_rest(void **state)
{
	struct got got = {0};

	(void)state;
	push("p/a", "p/main", run_of(0.001), false);
	damaged = push("p/b", "p/main", run_of(0.002), false);
	push("p/c", "p/main", run_of(0.003), false);
	must(history("p/main", 0, &got), &s.err);
	assert_int_equal(got.n, 3);
	assert_true(got.runs[1].gone && ts_span_is(got.runs[1].bad, "it cannot be read: a block is"));
	assert_true(!got.runs[0].gone && !got.runs[2].gone && value(&got.runs[2]) == 0.001);
}

/* The name moved on to a damaged run: only the older push can be read. */
static void gone_later(void **state)
{
	struct test_run run = run_of(0.001);
	struct got got = {0};

	(void)state;
	push("p/a", "p/main", run, false);
	run.steps = 20;
	damaged = push("p/a", "p/main", run, false);
	must(history("p/main", 0, &got), &s.err);
	assert_int_equal(got.n, 2);
	assert_true(got.runs[0].gone && !got.runs[1].gone);
}

static void no_branch(void **state)
{
	struct got got = {0};

	(void)state;
	push("p/a", "p/main", run_of(0.001), false);
	assert_int_equal(history("p/none", 0, &got), TS_NOT_FOUND);
	assert_int_equal(history("p/a", 0, &got), TS_NOT_FOUND); /* a run is not a branch */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_once_newest_first, setup, teardown),
		cmocka_unit_test_setup_teardown(a_pruned_history_says_so, setup, teardown),
		cmocka_unit_test_setup_teardown(has_notes, setup, teardown),
		cmocka_unit_test_setup_teardown(a_run_that_trains_on_is_one, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_gone_does_not_fail_the_rest, setup, teardown),
		cmocka_unit_test_setup_teardown(gone_later, setup, teardown),
		cmocka_unit_test_setup_teardown(no_branch, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
