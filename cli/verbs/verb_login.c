/* verb_login.c - tscope login, logout and whoami: the server that commands go to, and as whom. */
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/core/ask.h"
#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/text/text_parts.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_copy.h"
#include "cli/view/show_value.h"
#include "service/auth/token.h"
#include "service/rpc/address.h"

#include <errno.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#define DEFAULT_PORT "7443"

enum { TOKEN_LINE_MAX = 256 };

/* ---- what a server says of the caller ---- */

/* What the caller sent and no name has reached; NULL: the server does not tell. */
static const struct ts_sender_usage *own_of(const struct ts_usage_reply *usage)
{
	for (size_t i = 0; i < usage->n_senders; i++)
		if (usage->senders[i].own)
			return &usage->senders[i];
	return NULL;
}

static void json_count_or_null(struct ts_json *j, const char *key, bool known, uint64_t n)
{
	if (known) {
		ts_json_count(j, key, n);
		return;
	}
	ts_json_key(j, key);
	ts_json_null(j);
}

static void json(struct ts_cli *cli, const char *server, const struct ts_info_reply *info, const char *from,
		 const struct ts_usage_reply *usage)
{
	const struct ts_sender_usage *own = usage ? own_of(usage) : NULL;
	struct ts_json writer = ts_cli_json(cli), *j = &writer;

	ts_json_object(j);
	ts_json_key(j, "server");
	ts_json_string(j, server);
	ts_json_key(j, "who");
	ts_json_span(j, info->who);
	ts_json_key(j, "may");
	ts_json_span(j, info->may);
	ts_json_key(j, "token_from");
	ts_json_string(j, from);
	ts_json_time(j, "token_expires", info->token_expires_ns);
	if (usage) {
		ts_json_text(j, "leader", info->copy.of);
		ts_json_time(j, "held", info->copy.held_ns);
		json_count_or_null(j, "unnamed_bytes", own, own ? own->unnamed_bytes : 0);
		json_count_or_null(j, "unnamed_limit_bytes", own && own->has_unnamed_limit, own ? own->unnamed_limit : 0);
	}
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}

static void show_own(struct ts_cli *cli, const struct ts_sender_usage *own)
{
	struct ts_arena *arena = &cli->arena;
	const char *used = ts_show_bytes((double)own->unnamed_bytes, arena);

	if (own->has_unnamed_limit)
		used = ts_arena_printf(arena, "%s of %s", used, ts_show_bytes((double)own->unnamed_limit, arena));
	if (own->unnamed_bytes || own->has_unnamed_limit)
		ts_text_field(cli, "unnamed", ts_arena_printf(arena, "%s, sent and reached by no name yet", used));
}

/* usage: what a login does not ask for; NULL. */
static void show(struct ts_cli *cli, const char *server, const struct ts_info_reply *info, const struct ts_client_login *login,
		 const struct ts_usage_reply *usage)
{
	const char *from = login && login->token ? login->from : NULL;
	struct ts_arena *arena = &cli->arena;

	if (cli->json) {
		json(cli, server, info, from, usage);
		return;
	}
	ts_text_field(cli, "server", server);
	if (info->copy.of.len)
		ts_text_field(cli, "copy of", ts_show_copy(&info->copy, arena));
	ts_text_field(cli, "who",
		      info->who.len ? ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(info->who))
				    : "you; a store of one's own, or an older server, has no roles");
	if (info->who.len)
		ts_text_field(cli, "may", ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(info->may)));
	if (from)
		ts_text_field(cli, "token",
			      ts_arena_printf(arena, "of %s, expires %s", from,
					      info->token_expires_ns ? ts_show_time(info->token_expires_ns, arena) : "never"));
	if (usage && own_of(usage))
		show_own(cli, own_of(usage));
}

enum ts_status ts_verb_whoami(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_usage_reply usage = {.n_senders = 0};
	struct ts_info_reply info;
	struct ts_error ignored; /* an older server, or one that gives the caller no role, does not tell */

	if (ts_cli_open(cli, TS_USE_READ, err) || ts_ask_info(cli->target.channel, &cli->arena, &info, err))
		return err->status;
	if (info.who.len && ts_ask_usage(cli->target.channel, &cli->arena, &usage, &ignored))
		usage = (struct ts_usage_reply){.n_senders = 0};
	show(cli, cli->target.where, &info, &cli->target.login, &usage);
	return TS_OK;
}

/* ---- login ---- */

/* HOST and HOST:PORT mean TLS here: a token is not sent over plain TCP. */
static enum ts_status address_of(struct ts_cli *cli, const char *word, const char **ret_address, struct ts_error *err)
{
	static const char *const forms[] = {"unix:", "/", "ssh://", "tls:"};
	struct ts_address parsed;
	const char *address = word;
	bool named = false;

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		named |= strncmp(word, forms[i], strlen(forms[i])) == 0;
	if (!named)
		address = ts_arena_printf(&cli->arena, "tls:%s%s", word, strchr(word, ':') ? "" : ":" DEFAULT_PORT);
	if (!address)
		return ts_arena_error(&cli->arena, err);
	if (ts_address_parse(address, &parsed, err))
		return err->status;
	*ret_address = address;
	return TS_OK;
}

/* Nobody behind the person should read the token. */
static bool hide_typing(struct termios *old)
{
	struct termios quiet;

	if (tcgetattr(STDIN_FILENO, old) != 0)
		return false;
	quiet = *old;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	return tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
}

static enum ts_status read_line(char line[TOKEN_LINE_MAX], struct ts_error *err)
{
	size_t n = 0;

	for (;;) {
		ssize_t got = read(STDIN_FILENO, line + n, 1);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ts_error_errno(err, errno, "the token on stdin");
		if (got == 0 || line[n] == '\n')
			break;
		if (++n == TOKEN_LINE_MAX - 1)
			return ts_error_set(err, TS_INVALID, "the line on stdin is longer than a token");
	}
	line[n] = 0;
	return TS_OK;
}

/* The checksum is looked at here, so that a mistyped token does not travel. */
static enum ts_status ask_token(struct ts_cli *cli, const char **ret_token, struct ts_error *err)
{
	static const char prompt[] = "token: ";
	uint8_t bytes[TS_TOKEN_BYTES];
	char line[TOKEN_LINE_MAX];
	struct termios old;
	struct ts_span token;
	struct ts_error unused;
	bool hidden = isatty(STDIN_FILENO) && hide_typing(&old);
	enum ts_status status;

	if (hidden)
		(void)ts_write_full(STDERR_FILENO, prompt, sizeof prompt - 1, &unused);
	status = read_line(line, err);
	if (hidden) {
		(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
		(void)ts_write_full(STDERR_FILENO, "\n", 1, &unused);
	}
	if (status)
		return status;
	token = ts_trim(ts_span_str(line));
	if (ts_token_parse(token, bytes, err))
		return ts_error_prefix(err, "login");
	token = ts_arena_span(&cli->arena, token);
	if (!token.data)
		return ts_arena_error(&cli->arena, err);
	*ret_token = (const char *)token.data;
	return TS_OK;
}

/* A path is kept as it will be found from any folder. */
static enum ts_status whole_path(struct ts_cli *cli, const char *option, const char **ret, struct ts_error *err)
{
	const char *given = ts_args_text(&cli->args, option);
	char *real;

	*ret = NULL;
	if (!given)
		return TS_OK;
	real = realpath(given, NULL);
	if (!real)
		return ts_error_errno(err, errno, "--%s %s", option, given);
	*ret = ts_arena_printf(&cli->arena, "%s", real);
	free(real);
	return *ret ? TS_OK : ts_arena_error(&cli->arena, err);
}

static enum ts_status try_it(struct ts_cli *cli, const char *address, const struct ts_client_login *login,
			     struct ts_info_reply *ret_info, struct ts_error *err)
{
	struct ts_channel *channel;
	enum ts_status status = ts_client_open(address, login, &channel, err);

	if (status)
		return status;
	status = ts_ask_info(channel, &cli->arena, ret_info, err);
	channel->ops->destroy(channel);
	return status;
}

static struct ts_span span_or_none(const char *text)
{
	return text ? ts_span_str(text) : ts_span_of(NULL, 0);
}

static enum ts_status keep(struct ts_credentials *all, const char *path, const char *address, const struct ts_client_login *login,
			   struct ts_error *err)
{
	struct ts_credential *item = ts_credentials_find(all, ts_span_str(address));

	if (!item && all->n == TS_CREDENTIALS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%s has %d servers already; tscope logout removes one", path,
				    TS_CREDENTIALS_MAX);
	if (!item)
		item = &all->items[all->n++];
	*item = (struct ts_credential){ts_span_str(address), span_or_none(login->token), span_or_none(login->ca),
				       span_or_none(login->cert), span_or_none(login->key)};
	all->server = item->server;
	return ts_credentials_save(path, all, err);
}

static enum ts_status load(struct ts_cli *cli, const char **ret_path, struct ts_credentials *ret, struct ts_error *err)
{
	if (ts_credentials_path(&cli->arena, ret_path, err))
		return err->status;
	if (!*ret_path)
		return ts_error_set(err, TS_INVALID, "there is no home folder for the credentials: HOME names none");
	return ts_credentials_load(*ret_path, &cli->arena, ret, err);
}

enum ts_status ts_verb_login(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_credentials all;
	struct ts_client_login login = {.from = "this login"};
	struct ts_info_reply info;
	const char *path, *address;

	if (load(cli, &path, &all, err) || address_of(cli, ts_cli_word(cli, 0), &address, err) ||
	    whole_path(cli, "ca", &login.ca, err) || whole_path(cli, "cert", &login.cert, err) ||
	    whole_path(cli, "key", &login.key, err))
		return err->status;
	if (!ts_args_has(&cli->args, "no-token") && ask_token(cli, &login.token, err))
		return err->status;
	if (try_it(cli, address, &login, &info, err) || keep(&all, path, address, &login, err))
		return err->status;
	login.from = path;
	show(cli, address, &info, &login, NULL);
	ts_cli_say(cli,
		   "commands go to this server now, unless --server, --store or the environment name another; tscope logout ends that");
	return TS_OK;
}

enum ts_status ts_verb_logout(struct ts_cli *cli, struct ts_error *err)
{
	const char *word = ts_cli_word(cli, 0), *path, *address = NULL;
	struct ts_credential *item;
	struct ts_credentials all;
	struct ts_span server;

	if (load(cli, &path, &all, err) || (word && address_of(cli, word, &address, err)))
		return err->status;
	server = word ? ts_span_str(address) : all.server;
	item = server.len ? ts_credentials_find(&all, server) : NULL;
	if (!item)
		return word ? ts_error_set(err, TS_NOT_FOUND, "logout: %s does not name %s", path, address)
			    : ts_error_set(err, TS_NOT_FOUND, "logout: you are logged in nowhere");
	if (ts_span_eq(all.server, item->server))
		all.server = ts_span_of(NULL, 0);
	*item = all.items[--all.n];
	if (ts_credentials_save(path, &all, err))
		return err->status;
	if (cli->json) {
		struct ts_json j = ts_cli_json(cli);

		ts_json_object(&j);
		ts_json_key(&j, "server");
		ts_json_span(&j, server);
		ts_json_end(&j);
		ts_cli_json_end(cli, &j);
		return TS_OK;
	}
	ts_buf_printf(&cli->out, "logged out of %.*s; the token itself lives until it expires or is revoked\n", TS_SPAN_ARG(server));
	return TS_OK;
}
