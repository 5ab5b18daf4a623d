/* GetUsage by who asks, and quotas at work, over a store on disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "proto/wire.h"
#include "service/handlers/core/handler.h"
#include "store/test_store.h"

static char dir[256];
static struct ts_engine *engine;
static struct ts_arena arena;
static struct ts_error err;
static struct ts_quota lines[4];
static struct ts_quotas quotas;
static struct ts_spending spending;
static struct ts_grant grants[4];
static struct ts_auth_policy policy;
static struct ts_span answer;

static void give(const char *text)
{
	assert_int_equal(ts_grant_parse(ts_span_str(text), &grants[policy.n_grants++], &err), TS_OK);
}

static void allow(const char *text)
{
	assert_int_equal(ts_quota_parse(ts_span_str(text), &lines[quotas.n++], &err), TS_OK);
}

static int setup(void **state)
{
	struct ts_lmdb_options options = {.path = dir, .create = true, .spending = &spending};

	(void)state;
	policy = (struct ts_auth_policy){.grants = grants, .uid = 999};
	quotas = (struct ts_quotas){.lines = lines};
	spending = ts_quota_spending(&quotas);
	ts_arena_init(&arena, 0);
	test_make_dir(dir, sizeof dir);
	assert_int_equal(ts_lmdb_open(&options, &engine, &err), TS_OK);
	give("user:1001 push p");
	give("user:1002 push q");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_engine_destroy(engine);
	test_remove_dir(dir);
	ts_arena_finish(&arena);
	return 0;
}

static enum ts_status take(struct ts_call *call, struct ts_span message, struct ts_error *error)
{
	(void)call, (void)error;
	answer = ts_arena_span(&arena, message);
	return TS_OK;
}

struct as {
	struct ts_peer peer;
	struct ts_identity who;
	struct ts_server_facts facts;
	struct ts_call call;
};

/* Begins a call of this user; the engine of the call is the one that a handler sees. */
static enum ts_status begin(struct as *as, uint32_t uid, const char *name, const char *method)
{
	*as = (struct as){.peer = {.kind = TS_PEER_USER, .uid = uid}, .facts = {.quotas = &quotas}};
	(void)snprintf(as->peer.name, sizeof as->peer.name, "%s", name);
	ts_identify(&policy, &as->peer, &as->who);
	as->call = (struct ts_call){.engine = engine, .server = &as->facts, .arena = &arena, .peer = &as->peer, .who = &as->who,
				    .caller = ts_span_str(as->who.name), .deadline_ns = INT64_MAX, .reply = take};
	return ts_call_begin(&as->call, ts_handler_find(ts_span_str(method)), &err);
}

static enum ts_status push(uint32_t uid, const char *who, const char *name, uint64_t seed)
{
	struct ts_sealed objects[6];
	struct ts_ref_update u;
	struct as as;

	(void)test_run(&arena, seed, 4, objects);
	assert_int_equal(begin(&as, uid, who, "CommitRun"), TS_OK);
	if (as.call.engine->ops->put_many(as.call.engine, objects, 6, NULL, &err) || !name)
		return err.status;
	u = test_update(TS_REF_RUN, name, &objects[0].id, 1);
	return as.call.engine->ops->commit(as.call.engine, &u, 1, &arena, NULL, &err);
}

static struct ts_usage_reply ask(uint32_t uid, const char *who)
{
	struct ts_usage_reply reply;
	struct as as;

	assert_int_equal(begin(&as, uid, who, "GetUsage"), TS_OK);
	assert_int_equal(ts_handler_find(ts_span_str("GetUsage"))->message(&as.call, NULL, ts_span_of(NULL, 0), &err), TS_OK);
	assert_int_equal(ts_wire_unpack_usage_reply(answer, &arena, &reply, &err), TS_OK);
	return reply;
}

static void one_sees_what_one_may_read_and_sent(void **state)
{
	struct ts_usage_reply reply;
	struct as as;
	uint64_t used[TS_USES];
	bool counted;

	(void)state;
	allow("* unnamed 1MiB");
	allow("p names 5");
	err.status = TS_OK;
	assert_int_equal(push(1001, "ada", "p/a", 1), TS_OK);
	assert_int_equal(push(1002, "bob", "q/b", 2), TS_OK);
	assert_int_equal(push(1001, "ada", NULL, 3), TS_OK);
	assert_int_equal(push(1002, "bob", NULL, 4), TS_OK);

	reply = ask(1001, "ada");
	assert_int_equal(reply.n_projects, 1);
	assert_true(ts_span_is(reply.projects[0].project, "p"));
	assert_true(reply.projects[0].has_names_limit && reply.projects[0].names_limit == 5 && !reply.projects[0].has_sealed_limit);
	assert_int_equal(reply.n_senders, 1);
	assert_true(ts_span_is(reply.senders[0].sender, "ada") && reply.senders[0].own && reply.senders[0].unnamed_bytes > 0);
	assert_int_equal(reply.senders[0].unnamed_limit, 1 << 20);

	reply = ask(999, "server"); /* an admin, who has sent nothing */
	assert_int_equal(reply.n_projects, 2);
	assert_int_equal(reply.n_senders, 3);
	assert_true(reply.senders[0].own && reply.senders[0].unnamed_bytes == 0 && !reply.senders[1].own);

	assert_int_equal(begin(&as, 1001, "ada", "GetUsage"), TS_OK);
	assert_int_equal(as.call.engine->ops->usage_get(as.call.engine, false, ts_span_str("p"), used, &counted, &err), TS_OK);
	assert_int_equal(as.call.engine->ops->usage_get(as.call.engine, true, ts_span_str("ada"), used, &counted, &err), TS_OK);
	assert_int_equal(as.call.engine->ops->usage_get(as.call.engine, false, ts_span_str("q"), used, &counted, &err), TS_DENIED);
	assert_int_equal(as.call.engine->ops->usage_get(as.call.engine, true, ts_span_str("bob"), used, &counted, &err), TS_DENIED);
	assert_int_equal(as.call.engine->ops->recount(as.call.engine, &err), TS_DENIED);
	assert_int_equal(begin(&as, 7, "eve", "GetUsage"), TS_DENIED);
}

static void admins_are_held_to_quotas_too(void **state)
{
	(void)state;
	allow("q names 1");
	err.status = TS_OK;
	assert_int_equal(push(1002, "bob", "q/a", 1), TS_OK);
	assert_int_equal(push(1002, "bob", "q/b", 2), TS_TOO_LARGE);
	assert_non_null(strstr(err.text, "the quota 'names' of project q"));
	assert_int_equal(push(0, "root", "q/b", 2), TS_TOO_LARGE);
	assert_int_equal(push(0, "root", "p/b", 2), TS_OK);
	assert_int_equal(quotas.refused[TS_USE_NAMES], 2);
}

/* Each connection from an address has another port, and its bytes are those of the address. */
static void an_address_counts_without_its_port(void **state)
{
	char account[TS_IDENTITY_TEXT];
	struct ts_identity who;
	struct ts_peer peer = {.kind = TS_PEER_ADDRESS, .name = "127.0.0.1:5123"};
	struct ts_token token = {.name = "ci", .projects = "*"};

	(void)state;
	ts_identify(&policy, &peer, &who);
	ts_identity_account(&who, account);
	assert_string_equal(account, "127.0.0.1");
	ts_identify_token(&policy, &peer, &token, &who);
	ts_identity_account(&who, account);
	assert_string_equal(account, "token:ci");
	peer = (struct ts_peer){.kind = TS_PEER_CERTIFICATE, .name = "spiffe://x/y:z"};
	ts_identify(&policy, &peer, &who);
	ts_identity_account(&who, account);
	assert_string_equal(account, "cert:spiffe://x/y:z");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_sees_what_one_may_read_and_sent, setup, teardown),
		cmocka_unit_test_setup_teardown(admins_are_held_to_quotas_too, setup, teardown),
		cmocka_unit_test_setup_teardown(an_address_counts_without_its_port, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
