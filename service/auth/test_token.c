/* Tokens: the form of a secret, what the store keeps, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/digest.h"
#include "service/auth/identity.h"

#include <cmocka.h>
#include <stdio.h>

/* base64.b32encode(bytes(range(32)) + hashlib.sha256(b"tscope_" + bytes(range(32))).digest()[:4]), in lower case, of Python */
#define VECTOR "tscope_aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dyp2myq7jy"

static struct ts_engine *e;
static struct ts_error err;

static int setup(void **state)
{
	(void)state;
	return ts_digest_init(&err) || ts_memory_open(NULL, &e, &err);
}

static int teardown(void **state)
{
	(void)state;
	ts_engine_destroy(e);
	return 0;
}

static struct ts_token make(const char *name, enum ts_auth_role role, const char *projects, char secret[TS_TOKEN_SECRET + 1])
{
	struct ts_token token = {.role = role, .made_ns = 10, .expires_ns = 1000};

	(void)snprintf(token.name, sizeof token.name, "%s", name);
	(void)snprintf(token.projects, sizeof token.projects, "%s", projects);
	(void)snprintf(token.maker, sizeof token.maker, "ada");
	if (ts_token_make(e, &token, secret, &err))
		fail_msg("%s", err.text);
	return token;
}

static enum ts_status find(const char *secret, int64_t now_ns, struct ts_token *ret)
{
	return ts_token_find(e, ts_span_str(secret), now_ns, ret, &err);
}

static void a_secret_has_the_form_that_is_written_down(void **state)
{
	uint8_t bytes[TS_TOKEN_BYTES];
	char wrong[TS_TOKEN_SECRET + 1];

	(void)state;
	assert_int_equal(strlen(VECTOR), TS_TOKEN_SECRET);
	assert_int_equal(ts_token_parse(ts_span_str(VECTOR), bytes, &err), TS_OK);
	for (int i = 0; i < TS_TOKEN_BYTES; i++)
		assert_int_equal(bytes[i], i);
	/* Any other character at any place, and any other length. */
	for (int i = 0; i < TS_TOKEN_SECRET; i++) {
		strcpy(wrong, VECTOR);
		wrong[i] = wrong[i] == 'q' ? 'r' : 'q';
		assert_int_equal(ts_token_parse(ts_span_str(wrong), bytes, &err), TS_INVALID);
		assert_null(strstr(err.text, VECTOR + 7));
		assert_int_equal(ts_token_parse(ts_span_of(VECTOR, (size_t)i), bytes, &err), TS_INVALID);
	}
	assert_int_equal(ts_token_parse(ts_span_str(VECTOR "a"), bytes, &err), TS_INVALID);
	/* The last character has two bits that mean nothing: one secret is not spelled in four ways. */
	strcpy(wrong, VECTOR);
	wrong[TS_TOKEN_SECRET - 1]++;
	assert_int_equal(ts_token_parse(ts_span_str(wrong), bytes, &err), TS_INVALID);
	strcpy(wrong, VECTOR);
	wrong[20] = 'A';
	assert_int_equal(ts_token_parse(ts_span_str(wrong), bytes, &err), TS_INVALID);
	wrong[20] = 0;
	assert_int_equal(ts_token_parse(ts_span_of(wrong, TS_TOKEN_SECRET), bytes, &err), TS_INVALID);
}

static void a_made_token_is_found_until_it_expires(void **state)
{
	char secret[TS_TOKEN_SECRET + 1];
	struct ts_token made = make("ci", TS_AUTH_PUSH, "a b", secret), got;

	(void)state;
	assert_int_equal(find(secret, 999, &got), TS_OK);
	assert_string_equal(got.name, "ci");
	assert_string_equal(got.projects, "a b");
	assert_string_equal(got.maker, "ada");
	assert_string_equal(got.id, made.id);
	assert_int_equal(got.role, TS_AUTH_PUSH);
	assert_int_equal(find(secret, 1000, &got), TS_DENIED);
	assert_string_equal(err.text, "the token ci expired at 1970-01-01T00:00:00.000001Z");
}

static void a_wrong_or_revoked_token_is_refused(void **state)
{
	char secret[TS_TOKEN_SECRET + 1], other[TS_TOKEN_SECRET + 1], third[TS_TOKEN_SECRET + 1];
	struct ts_token token = make("ci", TS_AUTH_PUSH, "a", secret), second = make("other", TS_AUTH_READ, "*", other), got;
	struct ts_record record = {ts_span_str("token/"), ts_span_str("")};
	struct ts_arena arena;
	char key[64];

	(void)state;
	assert_int_equal(find(VECTOR, 20, &got), TS_DENIED);
	assert_non_null(strstr(err.text, "no such token"));
	/* Who knows the public part has nothing: the record of one under the name of the other. */
	ts_arena_init(&arena, 1 << 16);
	(void)snprintf(key, sizeof key, "token/%s", second.id);
	assert_int_equal(e->ops->record_get(e, ts_span_str(key), &arena, &record.value, &err), TS_OK);
	(void)snprintf(key, sizeof key, "token/%s", token.id);
	record.key = ts_span_str(key);
	assert_int_equal(e->ops->record_put(e, &record, NULL, &err), TS_OK);
	assert_int_equal(find(secret, 20, &got), TS_DENIED);
	ts_arena_finish(&arena);
	assert_int_equal(ts_token_revoke(e, ts_span_str(token.id), &got, &err), TS_OK);
	assert_int_equal(find(other, 20, &got), TS_OK);
	assert_int_equal(ts_token_revoke(e, ts_span_str("other"), &got, &err), TS_OK);
	assert_int_equal(find(other, 20, &got), TS_DENIED);
	assert_int_equal(ts_token_revoke(e, ts_span_str("other"), &got, &err), TS_NOT_FOUND);
	(void)make("ci", TS_AUTH_PUSH, "a", third);
	assert_string_not_equal(third, secret);
}

static void a_token_that_makes_no_sense_is_not_made(void **state)
{
	static const struct ts_token wrong[] = {
		{.name = "", .role = TS_AUTH_READ, .projects = "p"},	 {.name = "a b", .role = TS_AUTH_READ, .projects = "p"},
		{.name = "a", .role = TS_AUTH_READ, .projects = ""},	 {.name = "a", .role = TS_AUTH_READ, .projects = "p/x"},
		{.name = "a", .role = TS_AUTH_ADMIN, .projects = "p"}, {.name = "a", .role = TS_AUTH_READ, .projects = "p  q"},
		{.name = "a:b", .role = TS_AUTH_READ, .projects = "p"},
	};
	char secret[TS_TOKEN_SECRET + 1];
	struct ts_token again;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		again = wrong[i];
		assert_int_equal(ts_token_make(e, &again, secret, &err), TS_INVALID);
	}
	again = make("ci", TS_AUTH_READ, "p", secret);
	assert_int_equal(ts_token_make(e, &again, secret, &err), TS_CONFLICT);
}

/* A token is not the sum of itself and of who shows it. */
static void a_token_stands_for_itself(void **state)
{
	char secret[TS_TOKEN_SECRET + 1];
	struct ts_token token = make("ci", TS_AUTH_PUSH, "a b", secret), all = make("all", TS_AUTH_READ, "*", secret);
	struct ts_auth_policy policy = {.uid = 7};
	struct ts_peer root = {.kind = TS_PEER_USER, .uid = 0, .name = "root"};
	struct ts_buf text = TS_BUF_INIT(256);
	struct ts_identity who;

	(void)state;
	ts_identify_token(&policy, &root, &token, &who);
	assert_string_equal(who.name, "token:ci");
	assert_int_equal(ts_identity_role(&who, ts_span_str("a")), TS_AUTH_PUSH);
	assert_int_equal(ts_identity_role(&who, ts_span_str("b")), TS_AUTH_PUSH);
	assert_int_equal(ts_identity_role(&who, ts_span_str("a b")), TS_AUTH_NONE);
	assert_int_equal(ts_identity_role(&who, ts_span_str("c")), TS_AUTH_NONE);
	assert_int_equal(ts_identity_role(&who, ts_span_str("*")), TS_AUTH_NONE);
	assert_true(ts_identity_is(&who, ts_span_str("token:ci")) && !ts_identity_is(&who, ts_span_str("root")));
	ts_identify_token(&policy, &root, &all, &who);
	assert_int_equal(ts_identity_role(&who, ts_span_str("c")), TS_AUTH_READ);
	ts_identity_print(&who, &text);
	assert_true(ts_span_is(ts_buf_view(&text), "read *"));
	ts_buf_finish(&text);
}

static void a_damaged_record_is_no_token(void **state)
{
	char secret[TS_TOKEN_SECRET + 1], key[64];
	struct ts_token token = make("ci", TS_AUTH_ADMIN, "*", secret), got;
	struct ts_arena arena;
	struct ts_span value;

	(void)state;
	ts_arena_init(&arena, 1 << 16);
	(void)snprintf(key, sizeof key, "token/%s", token.id);
	assert_int_equal(e->ops->record_get(e, ts_span_str(key), &arena, &value, &err), TS_OK);
	for (size_t n = 1; n < value.len; n++) {
		struct ts_record record = {ts_span_str(key), ts_span_of(value.data, n)};

		assert_int_equal(e->ops->record_put(e, &record, NULL, &err), TS_OK);
		assert_int_equal(find(secret, 20, &got), TS_DAMAGED);
	}
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_secret_has_the_form_that_is_written_down, setup, teardown),
		cmocka_unit_test_setup_teardown(a_made_token_is_found_until_it_expires, setup, teardown),
		cmocka_unit_test_setup_teardown(a_wrong_or_revoked_token_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_token_that_makes_no_sense_is_not_made, setup, teardown),
		cmocka_unit_test_setup_teardown(a_token_stands_for_itself, setup, teardown),
		cmocka_unit_test_setup_teardown(a_damaged_record_is_no_token, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
