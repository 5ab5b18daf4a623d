/* shape_token.c - the tables of the messages about tokens. */
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

#define TYPE struct ts_make_token_request
static const struct ts_shape_field make_rows[] = {
	{"name", NULL, TEXT(name, TS_NAME_MAX)},
	{"role", NULL, TEXT(role, TS_NAME_MAX)},
	{"projects", NULL, TEXT(projects, TS_WIRE_PROJECTS_MAX)},
	{"lifetime_s", NULL, U64(lifetime_s), MAX(TS_WIRE_LIFETIME_MAX)},
};
const struct ts_shape ts_shape_make_token_request = {SHAPE("make_token_request", make_token_request, make_rows)};
#undef TYPE

#define TYPE struct ts_revoke_token_request
static const struct ts_shape_field revoke_rows[] = {
	{"token", NULL, TEXT(token, TS_NAME_MAX)},
};
const struct ts_shape ts_shape_revoke_token_request = {SHAPE("revoke_token_request", revoke_token_request, revoke_rows)};
#undef TYPE

#define TYPE struct ts_token_info
static const struct ts_shape_field token_rows[] = {
	{"id", "id", TEXT(id, TS_NAME_MAX), HEAD("id"), IDENTITY},
	{"name", "name", TEXT(name, TS_NAME_MAX), HEAD("name")},
	{"role", "role", TEXT(role, TS_NAME_MAX), HEAD("role")},
	{"projects", "projects", TEXT(projects, TS_WIRE_PROJECTS_MAX), HEAD("projects"), NARROW(8)},
	{"maker", "maker", TEXT(maker, TS_WIRE_WHO_MAX), HEAD("maker"), DIM, NARROW(8)},
	{"made_ns", "made", TIME(made_ns), OR_NULL, HEAD("made"), DIM, NARROW(10)},
	{"expires_ns", "expires", TIME(expires_ns), OR_NULL, HEAD("expires"), NARROW(10), ABSENT("never")},
};
static const struct ts_shape token_shape = {SHAPE("token", token, token_rows)};
#undef TYPE

#define TYPE struct ts_tokens_reply
static const struct ts_shape_field tokens_rows[] = {
	{"tokens", "tokens", MANY(tokens, n, token_shape, ENTRIES(36))},
	{"secret", "secret", TEXT(secret, TS_NAME_MAX), OR_NULL, ABOUT("of the token that was made, told this once")},
};
const struct ts_shape ts_shape_tokens_reply = {SHAPE("tokens", tokens_reply, tokens_rows)};
#undef TYPE

WIRE_SHAPE(make_token_request, ts_make_token_request, ts_shape_make_token_request);
WIRE_SHAPE(revoke_token_request, ts_revoke_token_request, ts_shape_revoke_token_request);
WIRE_SHAPE(tokens_reply, ts_tokens_reply, ts_shape_tokens_reply);
