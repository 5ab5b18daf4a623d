#include "service/auth/identity.h"

#include <stdio.h>

static bool in_group(const struct ts_peer *peer, uint32_t group)
{
	for (unsigned i = 0; i < peer->n_groups; i++)
		if (peer->groups[i] == group)
			return true;
	return false;
}

static bool means(const struct ts_grant *grant, const struct ts_peer *peer)
{
	switch (grant->subject) {
	case TS_SUBJECT_ANYONE:
		return peer->kind != TS_PEER_UNKNOWN;
	case TS_SUBJECT_USER:
		return peer->kind == TS_PEER_USER && grant->id != UINT32_MAX && peer->uid == grant->id;
	case TS_SUBJECT_GROUP:
		return peer->kind == TS_PEER_USER && grant->id != UINT32_MAX && in_group(peer, grant->id);
	case TS_SUBJECT_CERTIFICATE:
		return peer->kind == TS_PEER_CERTIFICATE && ts_span_is(grant->name, peer->name);
	}
	return false;
}

/* What a peer may in every project before any grant is looked at. */
static enum ts_auth_role role_of_peer(const struct ts_auth_policy *policy, const struct ts_peer *peer)
{
	if (peer->kind == TS_PEER_LOCAL)
		return TS_AUTH_ADMIN;
	if (peer->kind == TS_PEER_USER && (peer->uid == policy->uid || peer->uid == 0))
		return TS_AUTH_ADMIN;
	if (policy->n_grants > 0)
		return TS_AUTH_NONE;
	return peer->kind == TS_PEER_USER || (peer->kind == TS_PEER_ADDRESS && !peer->private_line) ? TS_AUTH_MAINTAIN : TS_AUTH_NONE;
}

void ts_identify(const struct ts_auth_policy *policy, const struct ts_peer *peer, struct ts_identity *ret_identity)
{
	struct ts_identity out = {.policy = policy, .peer = peer, .everywhere = TS_AUTH_ADMIN, .best = TS_AUTH_ADMIN};

	(void)snprintf(out.name, sizeof out.name, "%s%s", peer->kind == TS_PEER_CERTIFICATE ? "cert:" : "", peer->name);
	if (policy) {
		out.everywhere = out.best = role_of_peer(policy, peer);
		for (size_t i = 0; i < policy->n_grants && i < TS_GRANTS_MAX; i++) {
			const struct ts_grant *grant = &policy->grants[i];

			if (!means(grant, peer))
				continue;
			out.grants[i / 64] |= UINT64_C(1) << i % 64;
			if (grant->role > out.best)
				out.best = grant->role;
			if (grant->role > out.everywhere && ts_span_is(grant->project, "*"))
				out.everywhere = grant->role;
		}
	}
	*ret_identity = out;
}

void ts_identify_token(const struct ts_auth_policy *policy, const struct ts_peer *peer, const struct ts_token *token,
		       struct ts_identity *ret_identity)
{
	struct ts_identity out = {.policy = policy, .peer = peer, .token = token, .best = token->role};

	if (strcmp(token->projects, "*") == 0)
		out.everywhere = token->role;
	(void)snprintf(out.name, sizeof out.name, "token:%s", token->name);
	*ret_identity = out;
}

void ts_identity_account(const struct ts_identity *who, char out[TS_IDENTITY_TEXT])
{
	char *port;

	(void)snprintf(out, TS_IDENTITY_TEXT, "%s", who->name);
	port = !who->token && who->peer->kind == TS_PEER_ADDRESS ? strrchr(out, ':') : NULL;
	if (port)
		*port = '\0';
}

void ts_identity_sharer(const struct ts_identity *who, struct ts_peer *ret_peer)
{
	*ret_peer = *who->peer;
	if (!who->token)
		return;
	ret_peer->key = ts_peer_key(TS_PEER_UNKNOWN, ts_span_str(who->token->id));
	(void)snprintf(ret_peer->name, sizeof ret_peer->name, "%.*s", TS_PEER_TEXT - 1, who->name);
}

/* The next word of a list, from *io_at on; empty at its end. */
static struct ts_span next_word(struct ts_span list, size_t *io_at)
{
	struct ts_span rest = ts_span_from(list, *io_at < list.len ? *io_at : list.len);
	size_t through = ts_span_through(rest, ' ').len;

	*io_at += through ? through : rest.len;
	return ts_span_of(rest.data, through ? through - 1 : rest.len);
}

bool ts_identity_next_project(const struct ts_identity *who, size_t *io_at, struct ts_span *ret_project)
{
	if (who->token) {
		*ret_project = next_word(ts_span_str(who->token->projects), io_at);
		return ret_project->len > 0;
	}
	for (; who->policy && *io_at < who->policy->n_grants && *io_at < TS_GRANTS_MAX; (*io_at)++) {
		if (!(who->grants[*io_at / 64] >> *io_at % 64 & 1))
			continue;
		*ret_project = who->policy->grants[(*io_at)++].project;
		return true;
	}
	return false;
}

static bool has_project(const struct ts_token *token, struct ts_span project)
{
	struct ts_span list = ts_span_str(token->projects), word;
	size_t at = 0;

	while ((word = next_word(list, &at)).len)
		if (ts_span_eq(word, project))
			return true;
	return false;
}

static void print_right(struct ts_buf *out, enum ts_auth_role role, struct ts_span project)
{
	ts_buf_printf(out, "%s%s %.*s", out->len ? ", " : "", ts_auth_role_word(role), TS_SPAN_ARG(project));
}

void ts_identity_print(const struct ts_identity *who, struct ts_buf *out)
{
	if (who->everywhere)
		print_right(out, who->everywhere, ts_span_str("*"));
	else if (who->token)
		print_right(out, who->token->role, ts_span_str(who->token->projects));
	for (size_t i = 0; !who->token && who->best > who->everywhere && i < who->policy->n_grants && i < TS_GRANTS_MAX; i++) {
		const struct ts_grant *grant = &who->policy->grants[i];

		if (who->grants[i / 64] >> i % 64 & 1 && grant->role > who->everywhere)
			print_right(out, grant->role, grant->project);
	}
}

enum ts_auth_role ts_identity_role(const struct ts_identity *who, struct ts_span project)
{
	enum ts_auth_role role = who->everywhere;

	if (who->token)
		return role || has_project(who->token, project) ? who->token->role : TS_AUTH_NONE;
	for (size_t i = 0; who->best > role && i < who->policy->n_grants && i < TS_GRANTS_MAX; i++) {
		const struct ts_grant *grant = &who->policy->grants[i];

		if (who->grants[i / 64] >> i % 64 & 1 && grant->role > role && ts_span_eq(grant->project, project))
			role = grant->role;
	}
	return role;
}

bool ts_auth_may(const struct ts_identity *who, enum ts_auth_role role, struct ts_span project)
{
	return ts_identity_role(who, project) >= role;
}

bool ts_identity_is(const struct ts_identity *who, struct ts_span author)
{
	if (!who->policy)
		return true;
	return (who->token || who->peer->kind == TS_PEER_USER || who->peer->kind == TS_PEER_CERTIFICATE) &&
	       ts_span_is(author, who->name);
}

static bool is_among(const struct ts_auth_branches *branches, struct ts_span branch)
{
	for (size_t i = 0; i < branches->n; i++)
		if (ts_span_eq(branches->names[i], branch))
			return true;
	return false;
}

bool ts_auth_protects(const struct ts_auth_policy *policy, struct ts_span branch)
{
	return policy && (is_among(&policy->protected, branch) || is_among(&policy->closed, branch));
}

bool ts_auth_closes(const struct ts_auth_policy *policy, struct ts_span branch)
{
	return policy && is_among(&policy->closed, branch);
}
