/* verb_token.c - tscope token: makes, lists and revokes the tokens of a server. */
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_parts.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"

enum { DEFAULT_DAYS = 90 };

static enum ts_status projects_of(struct ts_cli *cli, struct ts_span *ret_projects, struct ts_error *err)
{
	struct ts_buf text = TS_BUF_INIT(4096);
	const char *one, *project;
	enum ts_status status = TS_OK;

	for (size_t i = 0; (one = ts_args_nth(&cli->args, "for", i)); i++)
		ts_buf_printf(&text, "%s%s", i ? " " : "", one);
	if (text.len == 0) {
		status = ts_cli_project(cli, &project, err);
		if (!status)
			ts_buf_str(&text, project);
	}
	if (!status)
		status = ts_buf_check(&text, err);
	if (!status) {
		*ret_projects = ts_arena_span(&cli->arena, ts_buf_view(&text));
		status = ret_projects->data ? TS_OK : ts_arena_error(&cli->arena, err);
	}
	ts_buf_finish(&text);
	return status;
}

static enum ts_status make(struct ts_cli *cli, const char *name, struct ts_tokens_reply *ret, struct ts_error *err)
{
	const char *role = ts_args_text(&cli->args, "role"), *expires = ts_args_text(&cli->args, "expires");
	struct ts_make_token_request request = {.name = ts_span_str(name), .role = ts_span_str(role ? role : "push")};
	bool given;

	if (expires && strcmp(expires, "never") == 0)
		request.lifetime_s = 0;
	else if (ts_args_seconds(&cli->args, "expires", &given, &request.lifetime_s, err))
		return ts_error_prefix(err, "token");
	else if (!given)
		request.lifetime_s = DEFAULT_DAYS * 86400;
	else if (request.lifetime_s == 0)
		return ts_error_set(err, TS_INVALID, "token: --expires must be more than 0s, or never");
	if (projects_of(cli, &request.projects, err) || ts_cli_open(cli, TS_USE_CREATE, err))
		return err->status;
	return ts_ask_make_token(cli->target.channel, &request, &cli->arena, ret, err);
}

static enum ts_status list_text(struct ts_cli *cli, const struct ts_tokens_reply *reply, struct ts_error *err)
{
	if (reply->n)
		return ts_text_list(cli, &ts_shape_tokens_reply, reply, "tokens", "name role projects expires made maker id", err);
	ts_cli_say(cli, "there are no tokens");
	return TS_OK;
}

/* The secret alone goes to stdout, so that it can be piped to where it belongs. */
static void made_text(struct ts_cli *cli, const struct ts_tokens_reply *reply)
{
	const struct ts_token_info *t = &reply->tokens[0];

	ts_buf_printf(&cli->out, "%.*s\n", TS_SPAN_ARG(reply->secret));
	ts_cli_say(cli, "this token is not shown again; it may %.*s in %.*s, and expires %s", TS_SPAN_ARG(t->role),
		   TS_SPAN_ARG(t->projects), t->expires_ns ? ts_show_time(t->expires_ns, &cli->arena) : "never");
}

static enum ts_status check_words(const struct ts_cli *cli, const char *verb, struct ts_error *err)
{
	size_t words = strcmp(verb, "list") == 0 ? 1 : 2;

	if (strcmp(verb, "make") != 0 && strcmp(verb, "list") != 0 && strcmp(verb, "revoke") != 0)
		return ts_error_set(err, TS_INVALID, "token: '%s' is not make, list or revoke", verb);
	if (cli->args.n_words != words)
		return ts_error_set(err, TS_INVALID, "token: %s takes %s", verb, words == 1 ? "no name" : "one name");
	return TS_OK;
}

enum ts_status ts_verb_token(struct ts_cli *cli, struct ts_error *err)
{
	const char *verb = ts_cli_word(cli, 0), *name = ts_cli_word(cli, 1);
	struct ts_tokens_reply reply;
	enum ts_status status;

	if (!verb)
		verb = "list";
	if (cli->args.n_words && check_words(cli, verb, err))
		return err->status;
	if (strcmp(verb, "make") == 0)
		status = make(cli, name, &reply, err);
	else if (ts_cli_open(cli, TS_USE_CHANGE, err))
		status = err->status;
	else if (strcmp(verb, "revoke") == 0)
		status = ts_ask_revoke_token(cli->target.channel, &(struct ts_revoke_token_request){ts_span_str(name)}, &cli->arena,
					     &reply, err);
	else
		status = ts_ask_list_tokens(cli->target.channel, &cli->arena, &reply, err);
	if (status)
		return status;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_tokens_reply, &reply, err);
	if (strcmp(verb, "list") == 0)
		return list_text(cli, &reply, err);
	if (strcmp(verb, "make") == 0)
		made_text(cli, &reply);
	else
		ts_buf_printf(&cli->out, "revoked %.*s\n", TS_SPAN_ARG(reply.tokens[0].name));
	return TS_OK;
}
