/* Retain: what a policy lets go, what changed since the plan and stays, and pushes and tags beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/limits.h"
#include "service/handlers/core/test_runs.h"
#include "service/handlers/store/keep_to.h"
#include "service/handlers/store/retention.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct test_store s;

enum { RUNS = 6 };
static struct ts_id ids[RUNS];

/* Puts a run of its own and lets a name, and a branch, point at it. */
static struct ts_id push(const char *name, const char *branch, double scale)
{
	struct test_run run = test_run_plain();
	struct ts_commit_request request = {.name = ts_span_str(name), .branch = ts_span_str(branch)};
	struct ts_commit_reply reply;

	run.scale = scale;
	request.head = test_run_put(&s, &run);
	must(test_commit(&s, &request, &reply), &s.err);
	return request.head;
}

/* p/a to p/f in the order of the branch p/main, and q/alone beside it. */
static int setup(void **state)
{
	static const char *const names[RUNS] = {"p/a", "p/b", "p/c", "p/d", "p/e", "p/f"};

	(void)state;
	test_store_open(&s);
	for (int i = 0; i < RUNS; i++)
		ids[i] = push(names[i], "p/main", 2 + i);
	push("q/alone", "", 50);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&s);
	return 0;
}

static enum ts_status ask(const struct ts_retain_request *request, struct ts_retain_reply *ret)
{
	struct ts_buf buf = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_span bytes;
	enum ts_status status;

	must(ts_wire_pack_retain_request(request, &buf, &s.err), &s.err);
	status = test_call(&s, "Retain", &buf, &bytes);
	if (!status)
		must(ts_wire_unpack_retain_reply(bytes, &s.arena, ret, &s.err), &s.err);
	ts_buf_finish(&buf);
	return status;
}

static struct ts_retain_reply apply(const char *policy, const struct ts_retain_reply *of)
{
	struct ts_retain_request request = {
		.policy = ts_span_str(policy), .as_of_ns = of->as_of_ns, .items = of->items, .n = of->n};
	struct ts_retain_reply reply;

	must(ask(&request, &reply), &s.err);
	return reply;
}

/* "p/main:1 p/main:2 p/a tagged": the items with why they stay. */
static const char *items_of(const struct ts_retain_reply *reply)
{
	char *text = ts_arena_printf(&s.arena, "%s", "");

	for (size_t i = 0; i < reply->n; i++) {
		const struct ts_retain_item *item = &reply->items[i];

		text = ts_arena_printf(&s.arena, "%s%s%.*s", text, *text ? " " : "", TS_SPAN_ARG(item->what.name));
		if (item->what.seq)
			text = ts_arena_printf(&s.arena, "%s:%d", text, (int)item->what.seq);
		if (item->why.len)
			text = ts_arena_printf(&s.arena, "%s [%.*s]", text, TS_SPAN_ARG(item->why));
	}
	return text;
}

static size_t entries_left(struct ts_engine *engine)
{
	struct ts_log_entry *log;
	size_t n;

	must(engine->ops->ref_log(engine, TS_REF_BRANCH, ts_span_str("p/main"), 0, &s.arena, &log, &n, &s.err), &s.err);
	return n;
}

static bool is_there(const char *name)
{
	struct ts_ref ref;

	return s.engine->ops->ref_get(s.engine, TS_REF_RUN, ts_span_str(name), &s.arena, &ref, &s.err) == TS_OK;
}

/* Names younger than no time at all: all of them are too old once the clock has moved. */
static const char last_2[] = "RETENTION.branch = */main: last 2\nRETENTION.runs = p/*: younger 1s";

static struct ts_retain_reply plan_later(const char *policy)
{
	struct ts_retain_request request = {.policy = ts_span_str(policy)};
	struct ts_retain_reply reply;
	struct ts_ref_update u = {.kind = TS_REF_RUN, .expect = TS_EXPECT_ANY, .now_ns = 1};
	static const char *const names[RUNS] = {"p/a", "p/b", "p/c", "p/d", "p/e", "p/f"};

	for (int i = 0; i < RUNS; i++) { /* as if they had been pushed long ago */
		u.name = ts_span_str(names[i]);
		u.id = ids[i];
		must(s.engine->ops->commit(s.engine, &u, 1, &s.arena, NULL, &s.err), &s.err);
	}
	must(ask(&request, &reply), &s.err);
	return reply;
}

static void a_plan_changes_nothing_and_says_why(void **state)
{
	struct ts_retain_reply reply = plan_later(last_2);

	(void)state;
	assert_string_equal(items_of(&reply), "p/main:1 p/main:2 p/main:3 p/main:4 p/a p/b p/c p/d");
	assert_true(reply.entries == 4 && reply.names == 4 && reply.more_items == 0);
	assert_true(reply.other_names == 1 && reply.other_entries == 0);
	assert_int_equal(reply.n_rows, 2);
	assert_true(ts_span_is(reply.rows[0].name, "p/main") && ts_span_is(reply.rows[0].rule, "*/main: last 2"));
	assert_int_equal(reply.rows[0].count[TS_RETENTION_GOES], 4);
	assert_int_equal(reply.rows[0].count[TS_RETENTION_NEWEST] + reply.rows[0].count[TS_RETENTION_LAST], 2);
	assert_true(ts_span_is(reply.rows[1].name, "p") && ts_span_is(reply.rows[1].rule, "p/*: younger 1s"));
	assert_int_equal(reply.rows[1].count[TS_RETENTION_ON_BRANCH], 2);
	assert_int_equal(entries_left(s.engine), RUNS);
	assert_true(is_there("p/a"));
}

/* Without leases, and without names that were removed. */
static void sweep(struct ts_sweep_report *ret)
{
	struct ts_sweep_options now = {.now_ns = ts_now_real_ns() + 1000000000};

	must(s.engine->ops->sweep(s.engine, &now, ret, &s.err), &s.err);
}

/* What a plan says that it frees is what it frees, and objects that others share do not count. */
static void a_plan_counts_what_is_freed(void **state)
{
	struct ts_retain_reply before = plan_later(last_2);
	struct ts_sweep_report swept;

	(void)state;
	sweep(&swept);
	assert_true(before.objects > 0 && before.bytes > 0);
	(void)apply(last_2, &before);
	sweep(&swept);
	assert_int_equal(swept.freed, before.objects);
	assert_int_equal(swept.freed_bytes, before.bytes);
}

static void what_changed_since_the_plan_stays(void **state)
{
	struct ts_retain_reply before = plan_later(last_2), done;
	struct ts_ref_request tag = {.kind = TS_REF_TAG, .name = ts_span_str("p/v1"), .target = ts_span_str("p/b")};
	struct ts_ref_reply tagged;

	(void)state;
	must(test_update(&s, &tag, &tagged), &s.err);
	must(test_note(&s, "p/c", "accepted", "yes"), &s.err);
	push("p/new", "p/main", 60); /* moves what is among the last 2, and lets nothing go that the plan kept */
	done = apply(last_2, &before);
	assert_string_equal(items_of(&done), "p/main:2 [tagged] p/main:3 [kept by a note] p/b [tagged] p/c [kept by a note]");
	assert_true(done.entries == 2 && done.names == 2);
	assert_int_equal(entries_left(s.engine), RUNS + 1 - 2);
	assert_true(is_there("p/b") && is_there("p/c") && is_there("p/e") && !is_there("p/a") && !is_there("p/d"));
	done = apply(last_2, &before);
	assert_true(done.entries == 0 && done.names == 0 && done.n == before.n);
	assert_int_equal(entries_left(s.engine), RUNS + 1 - 2);
}

/* The plan is old by the time that its transactions run: the engine looks again. */
static void a_stale_plan_takes_nothing_that_changed(void **state)
{
	struct ts_call call = {.engine = s.engine, .caller = ts_span_str("ann"), .deadline_ns = INT64_MAX};
	struct ts_ref_request tag = {.kind = TS_REF_TAG, .name = ts_span_str("p/v1"), .target = ts_span_str("p/a")};
	struct ts_retain_reply before = plan_later(last_2);
	struct ts_retention_done done;
	struct ts_retention_work work;
	struct ts_ref_reply tagged;
	struct ts_retired *items;
	const char *why[2 * RUNS];
	uint64_t more;
	size_t n;

	(void)state;
	must(ts_retention_open(&work, &call, ts_span_str(last_2), "policy", before.as_of_ns, &s.err), &s.err);
	must(ts_retention_items(&work, SIZE_MAX, &items, &n, &more, &s.err), &s.err);
	assert_int_equal(n, before.n);
	must(test_update(&s, &tag, &tagged), &s.err);
	must(test_note(&s, "p/b", "accepted", "late"), &s.err);
	must(ts_retention_let_go(&work, items, n, 1, why, &done, &s.err), &s.err);
	assert_true(done.entries == 3 && done.names == 2);
	assert_string_equal(why[0], "tagged");
	assert_null(why[1]); /* the entry of p/b: its name came back to a note too late for it, and stays */
	assert_string_equal(why[4], "on a branch"); /* p/a, because its entry stays */
	assert_string_equal(why[5], "it changed since the plan");
	assert_true(is_there("p/a") && is_there("p/b") && !is_there("p/c") && !is_there("p/d"));
	ts_retention_close(&work);
}

/* So few fit into a plan that the entries do not: then no name goes. */
static void names_go_with_their_entries_only(void **state)
{
	struct ts_call call = {.engine = s.engine, .deadline_ns = INT64_MAX};
	struct ts_retain_reply before = plan_later(last_2), done;
	struct ts_retention_work work;
	struct ts_retired *items;
	uint64_t more;
	size_t n;

	(void)state;
	must(ts_retention_open(&work, &call, ts_span_str(last_2), "policy", before.as_of_ns, &s.err), &s.err);
	must(ts_retention_items(&work, 3, &items, &n, &more, &s.err), &s.err);
	assert_true(n == 3 && more == 5 && items[2].kind == TS_REF_BRANCH);
	must(ts_retention_items(&work, 5, &items, &n, &more, &s.err), &s.err);
	assert_true(n == 5 && more == 3 && items[4].kind == TS_REF_RUN);
	ts_retention_close(&work);
	before.items += 4; /* the names without their entries */
	before.n -= 4;
	done = apply(last_2, &before);
	assert_string_equal(items_of(&done), "p/a [on a branch] p/b [on a branch] p/c [on a branch] p/d [on a branch]");
	assert_true(done.names == 0 && is_there("p/a"));
}

static void wrong_requests_are_refused(void **state)
{
	struct ts_retain_reply before = plan_later(last_2), reply;
	struct ts_retain_request request = {.policy = ts_span_str("RETENTION.brnch = a: all")};

	(void)state;
	assert_int_equal(ask(&request, &reply), TS_INVALID);
	assert_non_null(strstr(s.err.text, "policy:1: RETENTION has no setting brnch"));
	request.policy = ts_span_str("");
	assert_int_equal(ask(&request, &reply), TS_INVALID);
	request = (struct ts_retain_request){.policy = ts_span_str(last_2), .items = before.items, .n = before.n};
	assert_int_equal(ask(&request, &reply), TS_INVALID); /* of no moment */
	request.as_of_ns = ts_now_real_ns() + INT64_C(3600000000000);
	assert_int_equal(ask(&request, &reply), TS_INVALID);
	before.items[5] = before.items[6] = before.items[7]; /* the name of p/d, and once more */
	before.items[0].what.id = ids[5]; /* of no such plan */
	before.items[1].what.seq = 77;
	before.items[4].what.name = ts_span_str("p/f");
	reply = apply(last_2, &before);
	assert_string_equal(items_of(&reply), "p/main:1 [it changed since the plan] p/main:77 [it changed since the plan] "
					      "p/f [it changed since the plan] p/d [it is named twice] p/d [it is named twice]");
	assert_true(reply.names == 1 && reply.entries == 2);
	assert_int_equal(entries_left(s.engine), RUNS - 2);
}

/* ---- beside others ---- */

enum { PUSHES = 300 };

struct beside {
	struct ts_engine *engine;
	atomic_bool done;
	uint64_t kept[PUSHES]; /* numbers of entries that were there after a tag had been set on their run */
	struct ts_id tagged[PUSHES];
	size_t n_kept;
	uint64_t applied;
};

static void *keep_to(void *arg)
{
	struct beside *b = arg;
	struct ts_kept_to done;
	struct ts_error err;

	while (!atomic_load(&b->done)) {
		if (ts_keep_to(b->engine, ts_span_str("RETENTION.branch = *: last 3"), "policy", &done, &err))
			fail_msg("%s", err.text);
		b->applied += done.entries;
	}
	return NULL;
}

static bool has_entry(const struct ts_log_entry *log, size_t n, uint64_t seq, const struct ts_id *id)
{
	for (size_t i = 0; i < n; i++)
		if (log[i].seq == seq)
			return ts_id_eq(&log[i].id, id);
	return false;
}

static struct ts_ref_update update(enum ts_ref_kind kind, const char *name, struct ts_id id)
{
	return (struct ts_ref_update){.kind = kind, .name = ts_span_str(name), .id = id, .now_ns = ts_now_real_ns()};
}

/* Pushes, and tags an entry that the policy is about to take. If it is there after the tag was set, it must be there for ever. */
static void push_and_tag(struct beside *b, uint64_t i, struct test_store *to)
{
	struct test_run run = test_run_plain();
	struct ts_ref_update u;
	struct ts_log_entry *log;
	char tag[32];
	size_t n;

	run.scale = 2 + (double)i;
	u = update(TS_REF_BRANCH, "p/main", test_run_put(to, &run));
	must(b->engine->ops->commit(b->engine, &u, 1, &to->arena, NULL, &to->err), &to->err);
	must(b->engine->ops->ref_log(b->engine, TS_REF_BRANCH, u.name, 0, &to->arena, &log, &n, &to->err), &to->err);
	if (n < 4 || i % 3)
		return;
	(void)snprintf(tag, sizeof tag, "p/t%d", (int)i);
	u = update(TS_REF_TAG, tag, log[3].id);
	must(b->engine->ops->commit(b->engine, &u, 1, &to->arena, NULL, &to->err), &to->err);
	b->kept[b->n_kept] = log[3].seq;
	b->tagged[b->n_kept] = log[3].id;
	must(b->engine->ops->ref_log(b->engine, TS_REF_BRANCH, ts_span_str("p/main"), 0, &to->arena, &log, &n, &to->err), &to->err);
	b->n_kept += has_entry(log, n, b->kept[b->n_kept], &b->tagged[b->n_kept]);
}

static void remove_store(const char *dir)
{
	static const char *const files[] = {"data.mdb", "lock.mdb"};
	char path[300];

	for (int i = 0; i < 2; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", dir, files[i]);
		(void)unlink(path);
	}
	(void)rmdir(dir);
}

static void a_policy_beside_pushes_and_tags_loses_nothing(void **state)
{
	static struct beside b;
	struct ts_verify_report report;
	struct ts_log_entry *log;
	struct ts_pruned pruned;
	struct test_store to = {.engine = NULL};
	const char *tmp = getenv("TMPDIR");
	pthread_t thread;
	char dir[256];
	size_t n;

	(void)state;
	(void)snprintf(dir, sizeof dir, "%s/tscope-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	must(ts_lmdb_open(&(struct ts_lmdb_options){.path = dir, .create = true}, &b.engine, &s.err), &s.err);
	ts_arena_init(&to.arena, 0);
	to.engine = b.engine;
	assert_int_equal(pthread_create(&thread, NULL, keep_to, &b), 0);
	for (uint64_t i = 0; i < PUSHES; i++)
		push_and_tag(&b, i, &to);
	atomic_store(&b.done, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	must(b.engine->ops->ref_log(b.engine, TS_REF_BRANCH, ts_span_str("p/main"), 0, &to.arena, &log, &n, &s.err), &s.err);
	must(b.engine->ops->log_pruned(b.engine, TS_REF_BRANCH, ts_span_str("p/main"), &to.arena, &pruned, &s.err), &s.err);
	assert_int_equal(log[0].seq, PUSHES);
	assert_int_equal(n + pruned.entries, PUSHES);
	assert_int_equal(pruned.entries, b.applied);
	assert_true(b.n_kept > 0 && b.applied > 0);
	for (size_t i = 0; i < b.n_kept; i++)
		assert_true(has_entry(log, n, b.kept[i], &b.tagged[i]));
	must(b.engine->ops->verify(b.engine, NULL, &to.arena, &report, &s.err), &s.err);
	assert_int_equal(report.missing + report.damaged + report.records, 0);
	print_message("%d pushes, %zu tags in time, %d entries went\n", PUSHES, b.n_kept, (int)b.applied);
	ts_engine_destroy(b.engine);
	remove_store(dir);
	ts_arena_finish(&to.arena);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_plan_changes_nothing_and_says_why),
		TEST(a_plan_counts_what_is_freed),
		TEST(what_changed_since_the_plan_stays),
		TEST(a_stale_plan_takes_nothing_that_changed),
		TEST(names_go_with_their_entries_only),
		TEST(wrong_requests_are_refused),
		TEST(a_policy_beside_pushes_and_tags_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
