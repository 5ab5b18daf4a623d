/* tokens.c - MakeToken, ListTokens, RevokeToken. */
#include "base/clock.h"
#include "service/handlers/core/methods.h"

#include <stdio.h>

TS_REPLIER(tokens_reply, ts_tokens_reply);

static struct ts_token_info info_of(const struct ts_token *token)
{
	return (struct ts_token_info){
		.id = ts_span_str(token->id),
		.name = ts_span_str(token->name),
		.role = ts_span_str(ts_auth_role_word(token->role)),
		.projects = ts_span_str(token->projects),
		.maker = ts_span_str(token->maker),
		.made_ns = token->made_ns,
		.expires_ns = token->expires_ns == INT64_MAX ? 0 : token->expires_ns,
	};
}

static enum ts_status reply_one(struct ts_call *call, const struct ts_token *token, const char *secret, struct ts_error *err)
{
	struct ts_token_info info = info_of(token);

	return reply_tokens_reply(call, &(struct ts_tokens_reply){&info, 1, ts_span_str(secret)}, err);
}

enum ts_status ts_handle_make_token(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_make_token_request request;
	struct ts_token token = {.made_ns = ts_now_real_ns(), .expires_ns = INT64_MAX};
	char secret[TS_TOKEN_SECRET + 1];

	(void)state;
	if (ts_wire_unpack_make_token_request(in, call->arena, &request, err))
		return err->status;
	if (!ts_auth_role_of_word(request.role, &token.role))
		return ts_error_set(err, TS_INVALID, "'%.*s' is not read, push, maintain or admin", TS_SPAN_ARG(request.role));
	if (request.name.len > TS_TOKEN_NAME_MAX || request.projects.len > TS_TOKEN_PROJECTS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the name of a token has at most %d bytes, and its projects %d",
				    TS_TOKEN_NAME_MAX, TS_TOKEN_PROJECTS_MAX);
	(void)snprintf(token.name, sizeof token.name, "%.*s", TS_SPAN_ARG(request.name));
	(void)snprintf(token.projects, sizeof token.projects, "%.*s", TS_SPAN_ARG(request.projects));
	(void)snprintf(token.maker, sizeof token.maker, "%.*s", TS_SPAN_ARG(call->caller));
	if (request.lifetime_s)
		token.expires_ns = token.made_ns + (int64_t)request.lifetime_s * 1000000000;
	if (ts_token_make(call->engine, &token, secret, err))
		return err->status;
	return reply_one(call, &token, secret, err);
}

enum ts_status ts_handle_list_tokens(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_tokens_reply reply = {.n = 0};
	struct ts_token *tokens;
	size_t n;

	(void)state;
	(void)in; /* the request has no fields yet */
	if (ts_token_list(call->engine, call->arena, &tokens, &n, err))
		return err->status;
	reply.tokens = ts_arena_array(call->arena, n, sizeof *reply.tokens);
	if (!reply.tokens)
		return ts_arena_error(call->arena, err);
	for (; reply.n < n; reply.n++)
		reply.tokens[reply.n] = info_of(&tokens[reply.n]);
	return reply_tokens_reply(call, &reply, err);
}

enum ts_status ts_handle_revoke_token(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_revoke_token_request request;
	struct ts_token token;

	(void)state;
	if (ts_wire_unpack_revoke_token_request(in, call->arena, &request, err) ||
	    ts_token_revoke(call->engine, request.token, &token, err))
		return err->status;
	return reply_one(call, &token, "", err);
}
