/* Housekeeping: what a policy of retention lets go before a gc, and policies that are none. */
#include "service/housekeeping.h"

#include "base/digest.h"
#include "base/object.h"
#include "run/kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64], policy[96];
static struct ts_engine *engine;
static struct ts_arena arena;
static struct ts_error err;

static void write_policy(const char *text)
{
	FILE *f = fopen(policy, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void ok(enum ts_status status)
{
	if (status)
		fail_msg("%s", err.text);
}

static int setup(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof dir, "/tmp/tscope-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)snprintf(policy, sizeof policy, "%s/keep.policy", dir);
	ts_arena_init(&arena, 0);
	ok(ts_digest_init(&err));
	ok(ts_memory_open(NULL, &engine, &err));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)unlink(policy);
	(void)rmdir(dir);
	ts_engine_destroy(engine);
	ts_arena_finish(&arena);
	return 0;
}

/* A branch of five runs without content: an engine asks only whether their objects are there, and a head without references is. */
static void make_branch(void)
{
	for (uint8_t i = 0; i < 5; i++) {
		struct ts_ref_update u = {.kind = TS_REF_BRANCH, .name = ts_span_str("p/main"), .now_ns = i + 1};
		struct ts_sealed sealed = {.kind = TS_KIND_HEAD};

		sealed.id.bytes[0] = i;
		u.id = sealed.id;
		ok(engine->ops->put_many(engine, &sealed, 1, NULL, &err));
		ok(engine->ops->commit(engine, &u, 1, &arena, NULL, &err));
	}
}

static uint64_t pruned(void)
{
	struct ts_pruned p;

	ok(engine->ops->log_pruned(engine, TS_REF_BRANCH, ts_span_str("p/main"), &arena, &p, &err));
	if (p.entries)
		assert_true(ts_span_is(p.who, "tscoped (policy)"));
	return p.entries;
}

/* Waits until so many entries were pruned, for ten seconds at most. */
static void wait_for(uint64_t entries)
{
	for (int i = 0; i < 1000 && pruned() < entries; i++)
		(void)poll(NULL, 0, 10);
	assert_int_equal(pruned(), entries);
}

static void a_policy_is_kept_to_and_read_each_time(void **state)
{
	struct ts_housekeeping_options options = {.engine = engine, .interval_ns = 1000000, .keep_ns = 1, .retention = policy};
	struct ts_housekeeping *h;

	(void)state;
	make_branch();
	write_policy("RETENTION.branch = */main: last 4\n");
	ok(ts_housekeeping_start(&options, &h, &err));
	wait_for(1);
	write_policy("RETENTION.branch = */main: lst 2\n"); /* an error lets nothing go, and does not end the thread */
	(void)poll(NULL, 0, 50);
	assert_int_equal(pruned(), 1);
	write_policy("RETENTION.branch = */main: last 2\n");
	wait_for(3);
	ts_housekeeping_stop(h);
}

static void a_policy_that_is_none_is_refused_at_start(void **state)
{
	struct ts_housekeeping_options options = {.engine = engine, .interval_ns = 1000000, .keep_ns = 1, .retention = policy};
	struct ts_housekeeping *h;

	(void)state;
	assert_int_equal(ts_housekeeping_start(&options, &h, &err), TS_NOT_FOUND);
	write_policy("\nRETENTION.branch = */main: lst 2\n");
	assert_int_equal(ts_housekeeping_start(&options, &h, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "keep.policy:2: 'lst 2' does not say what stays"));
	write_policy("GATE.delta = 1 %\n");
	assert_int_equal(ts_housekeeping_start(&options, &h, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "keep.policy: the policy has no rule of retention"));
	options.retention = "";
	ok(ts_housekeeping_start(&options, &h, &err));
	ts_housekeeping_stop(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_policy_is_kept_to_and_read_each_time, setup, teardown),
		cmocka_unit_test_setup_teardown(a_policy_that_is_none_is_refused_at_start, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
