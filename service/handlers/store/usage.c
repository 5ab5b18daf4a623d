/* usage.c - GetUsage: what projects use of the store, what was sent and has no name, and how much is allowed. */
#include "service/handlers/core/methods.h"

TS_REPLIER(usage_reply, ts_usage_reply);

struct usage {
	struct ts_call *call;
	char own[TS_IDENTITY_TEXT]; /* empty: the command itself */
	struct ts_usage_reply reply;
};

static void limit(const struct usage *u, int kind, struct ts_span whose, uint64_t *ret_limit, bool *ret_has)
{
	uint64_t most = ts_quota_limit(u->call->server->quotas, kind, whose);

	*ret_has = most != UINT64_MAX;
	*ret_limit = *ret_has ? most : 0;
}

static void add_project(struct usage *u, const struct ts_account *account)
{
	struct ts_project_usage *p = &u->reply.projects[u->reply.n_projects++];

	*p = (struct ts_project_usage){
		.project = account->name,
		.sealed_bytes = account->used[TS_USE_SEALED],
		.raw_bytes = account->used[TS_USE_RAW],
		.names = account->used[TS_USE_NAMES],
		.notes = account->used[TS_USE_NOTES],
	};
	limit(u, TS_USE_SEALED, p->project, &p->sealed_limit, &p->has_sealed_limit);
	limit(u, TS_USE_RAW, p->project, &p->raw_limit, &p->has_raw_limit);
	limit(u, TS_USE_NAMES, p->project, &p->names_limit, &p->has_names_limit);
	limit(u, TS_USE_NOTES, p->project, &p->notes_limit, &p->has_notes_limit);
	limit(u, TS_QUOTA_ROWS, p->project, &p->rows_limit, &p->has_rows_limit);
}

static bool is_own(const struct usage *u, struct ts_span sender)
{
	return u->own[0] && ts_span_is(sender, u->own);
}

static void add_sender(struct usage *u, struct ts_span name, uint64_t unnamed)
{
	struct ts_sender_usage *s = &u->reply.senders[u->reply.n_senders++];

	*s = (struct ts_sender_usage){.sender = name, .own = is_own(u, name), .unnamed_bytes = unnamed};
	limit(u, TS_USE_UNNAMED, name, &s->unnamed_limit, &s->has_unnamed_limit);
}

/* The caller stands first, also when it has sent nothing. */
static enum ts_status collect(struct usage *u, struct ts_error *err)
{
	struct ts_call *call = u->call;
	struct ts_account *accounts;
	bool counted;
	uint64_t own[TS_USES] = {0};
	size_t n;

	if (call->engine->ops->usage_list(call->engine, call->arena, &accounts, &n, &counted, err))
		return err->status;
	u->reply.projects = ts_arena_array(call->arena, n, sizeof *u->reply.projects);
	u->reply.senders = ts_arena_array(call->arena, n + 1, sizeof *u->reply.senders);
	if (!u->reply.projects || !u->reply.senders)
		return ts_arena_error(call->arena, err);
	for (size_t i = 0; i < n; i++)
		if (accounts[i].sender && is_own(u, accounts[i].name))
			own[TS_USE_UNNAMED] = accounts[i].used[TS_USE_UNNAMED];
	if (u->own[0])
		add_sender(u, ts_span_str(u->own), own[TS_USE_UNNAMED]);
	for (size_t i = 0; i < n; i++) {
		if (!accounts[i].sender)
			add_project(u, &accounts[i]);
		else if (!is_own(u, accounts[i].name) && accounts[i].name.len)
			add_sender(u, accounts[i].name, accounts[i].used[TS_USE_UNNAMED]);
	}
	u->reply.uncounted = !counted;
	return TS_OK;
}

enum ts_status ts_handle_get_usage(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct usage u = {.call = call};

	(void)state;
	(void)in; /* the request has no fields yet */
	if (call->who)
		ts_identity_account(call->who, u.own);
	return collect(&u, err) ? err->status : reply_usage_reply(call, &u.reply, err);
}
