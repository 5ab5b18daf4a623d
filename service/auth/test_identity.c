#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "service/auth/identity.h"

#include <cmocka.h>

static struct ts_grant grants[8];
static struct ts_auth_policy policy;

static int setup(void **state)
{
	(void)state;
	policy = (struct ts_auth_policy){.grants = grants, .uid = 999};
	return 0;
}

static void give(const char *text)
{
	struct ts_error err;

	if (ts_grant_parse(ts_span_str(text), &grants[policy.n_grants++], &err))
		fail_msg("%s: %s", text, err.text);
}

static enum ts_auth_role role(const struct ts_peer *peer, const char *project)
{
	struct ts_identity who;

	ts_identify(&policy, peer, &who);
	return ts_identity_role(&who, ts_span_str(project));
}

static const struct ts_peer ada = {.kind = TS_PEER_USER, .uid = 1001, .n_groups = 2, .groups = {1001, 50}, .name = "ada"};
static const struct ts_peer bob = {.kind = TS_PEER_USER, .uid = 1002, .n_groups = 1, .groups = {1002}, .name = "bob"};
static const struct ts_peer server = {.kind = TS_PEER_USER, .uid = 999, .name = "tscope"};
static const struct ts_peer root = {.kind = TS_PEER_USER, .uid = 0, .name = "root"};
static const struct ts_peer plain = {.kind = TS_PEER_ADDRESS, .name = "127.0.0.1:5"};
static const struct ts_peer tls = {.kind = TS_PEER_ADDRESS, .private_line = true, .name = "127.0.0.1:5"};
static const struct ts_peer cert = {.kind = TS_PEER_CERTIFICATE, .private_line = true, .name = "spiffe://x/ci"};
static const struct ts_peer unknown = {.kind = TS_PEER_UNKNOWN, .name = "unknown"};
static const struct ts_peer local = {.kind = TS_PEER_LOCAL, .name = "ada"};

static void the_socket_decides_without_grants(void **state)
{
	(void)state;
	assert_int_equal(role(&ada, "p"), TS_AUTH_MAINTAIN);
	assert_int_equal(role(&plain, "p"), TS_AUTH_MAINTAIN);
	assert_int_equal(role(&server, "*"), TS_AUTH_ADMIN);
	assert_int_equal(role(&root, "*"), TS_AUTH_ADMIN);
	assert_int_equal(role(&local, "*"), TS_AUTH_ADMIN);
	assert_int_equal(role(&tls, "p"), TS_AUTH_NONE);
	assert_int_equal(role(&cert, "p"), TS_AUTH_NONE);
	assert_int_equal(role(&unknown, "p"), TS_AUTH_NONE);
}

static void only_grants_count_where_there_are_any(void **state)
{
	(void)state;
	give("user:1001 push p");
	give("group:50 read *");
	give("cert:spiffe://x/ci maintain q");
	give("user:1001 read p"); /* the greater role holds, whatever the order */
	assert_int_equal(role(&ada, "p"), TS_AUTH_PUSH);
	assert_int_equal(role(&ada, "q"), TS_AUTH_READ);
	assert_int_equal(role(&ada, "pp"), TS_AUTH_READ);
	assert_int_equal(role(&ada, "*"), TS_AUTH_READ);
	assert_int_equal(role(&bob, "p"), TS_AUTH_NONE);
	assert_int_equal(role(&cert, "q"), TS_AUTH_MAINTAIN);
	assert_int_equal(role(&cert, "p"), TS_AUTH_NONE);
	assert_int_equal(role(&plain, "p"), TS_AUTH_NONE);
	assert_int_equal(role(&server, "*"), TS_AUTH_ADMIN);
	assert_int_equal(role(&root, "*"), TS_AUTH_ADMIN);
	give("anyone read open");
	assert_int_equal(role(&plain, "open"), TS_AUTH_READ);
	assert_int_equal(role(&tls, "open"), TS_AUTH_READ);
	assert_int_equal(role(&unknown, "open"), TS_AUTH_NONE);
}

static void expect_projects(const struct ts_identity *who, const char *wanted)
{
	struct ts_buf found = TS_BUF_INIT(256);
	struct ts_span project;
	size_t at = 0;

	while (ts_identity_next_project(who, &at, &project))
		ts_buf_printf(&found, "%.*s ", TS_SPAN_ARG(project));
	assert_true(ts_span_is(ts_buf_view(&found), wanted));
	ts_buf_finish(&found);
}

static void the_projects_of_an_identity_are_told(void **state)
{
	struct ts_token token = {.name = "ci", .role = TS_AUTH_READ, .projects = "q p"};
	struct ts_identity who;

	(void)state;
	give("user:1001 push p");
	give("user:1002 push r");
	give("group:50 read q");
	ts_identify(&policy, &ada, &who);
	expect_projects(&who, "p q ");
	ts_identify_token(&policy, &ada, &token, &who);
	expect_projects(&who, "q p ");
	ts_identify(&policy, &plain, &who);
	expect_projects(&who, "");
}

/* A certificate's name is whatever its CA signed; the number of a user is what the kernel says. */
static void names_of_one_kind_mean_nothing_to_another(void **state)
{
	struct ts_peer fake = {.kind = TS_PEER_CERTIFICATE, .name = "1001"}, address = {.kind = TS_PEER_ADDRESS, .name = "1001"};
	struct ts_identity who;

	(void)state;
	give("user:1001 admin *");
	give("group:1001 push *");
	assert_int_equal(role(&fake, "p"), TS_AUTH_NONE);
	assert_int_equal(role(&address, "p"), TS_AUTH_NONE);
	ts_identify(&policy, &fake, &who);
	assert_false(ts_identity_is(&who, ts_span_str("1001")));
	assert_true(ts_identity_is(&who, ts_span_str("cert:1001")));
	ts_identify(&policy, &address, &who);
	assert_false(ts_identity_is(&who, ts_span_str("1001")));
	ts_identify(&policy, &ada, &who);
	assert_true(ts_identity_is(&who, ts_span_str("ada")));
	assert_false(ts_identity_is(&who, ts_span_str("cert:ada")));
}

static void refuses_what_is_no_grant(void **state)
{
	static const char *const wrong[] = {"",		      "user:ada",	 "user:ada push",     "user: push p",	 "ada push p",
					    "user:ada write p", "user:ada push p q", "user:ada push a/b", "user:ada push p*",
					    "user:ada admin p",
					    "anyone admin *", "user:ada none p", "user:ada push p:q",
					    "user:ada push p\xe2\x80\x8b", "user:ada push p\xef\xb8\x8f"};
	struct ts_grant grant = {.role = TS_AUTH_READ};
	struct ts_error err;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_int_equal(ts_grant_parse(ts_span_str(wrong[i]), &grant, &err), TS_INVALID);
	assert_int_equal(grant.role, TS_AUTH_READ);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_socket_decides_without_grants, setup),
		cmocka_unit_test_setup(only_grants_count_where_there_are_any, setup),
		cmocka_unit_test_setup(the_projects_of_an_identity_are_told, setup),
		cmocka_unit_test_setup(names_of_one_kind_mean_nothing_to_another, setup),
		cmocka_unit_test_setup(refuses_what_is_no_grant, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
