/* verb_web.c - tscope web: the answers of verbs as pages in a browser. What a page asks for is answered as a command is
 * (cli/verbs/answer.h), by a connection to the store or the server that the command would have; a few are kept, since each serves one
 * question at a time. Of a folder that nobody pushed, the store is the one of web_folder.h. */
#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/core/names.h"
#include "cli/core/path_run.h"
#include "cli/core/project.h"
#include "cli/report/page.h"
#include "cli/verbs/answer.h"
#include "cli/verbs/kept_targets.h"
#include "cli/verbs/verbs.h"
#include "cli/verbs/web_folder.h"
#include "cli/verbs/web_parts.h"
#include "cli/verbs/web_runs.h"
#include "service/rpc/address.h"
#include "web/web.h"

#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

enum { PORT_DEFAULT = 8765, WORDS_MAX = 300 };

struct serving {
	struct ts_cli *cli;
	struct ts_web_folder *folder; /* NULL: what other commands would ask is asked */
	const char *server; /* that users sign in to, each with a token of their own; NULL: nobody signs in */
	struct ts_kept_targets kept;
};

/* -- connections -- */

static enum ts_status open_target(void *ctx, struct ts_kept_target *t, struct ts_error *err)
{
	const struct serving *s = ctx;
	const struct ts_args *args = &s->cli->args;

	if (s->folder)
		return ts_target_open(&t->target, ts_web_folder_store(s->folder), NULL, TS_USE_READ, &t->arena, err);
	if (!s->server)
		return ts_target_open(&t->target, ts_args_text(args, "store"), ts_args_text(args, "server"), TS_USE_READ, &t->arena,
				      err);
	if (!t->token[0])
		return ts_error_set(err, TS_DENIED, "nobody has signed in");
	return ts_target_open_as(&t->target, s->server, t->token, &t->arena, err);
}

/* -- pages -- */

static void own_page(struct ts_buf *out, const char *title, const char *body)
{
	ts_page_open(out, title, NULL);
	ts_page_element(out, "<header><h1>", title, "</h1></header>\n<main><section>\n");
	ts_buf_str(out, body);
	ts_buf_str(out, "</section></main>\n");
	ts_page_close(out, "web");
}

static void error_page(struct ts_buf *out, const struct ts_error *err)
{
	ts_page_open(out, ts_status_word(err->status), NULL);
	ts_page_element(out, "<header><h1>", err->status == TS_NOT_FOUND ? "This is not there" : "There is no answer",
			"</h1></header>\n");
	ts_page_element(out, "<main><section><p role=\"alert\">", err->text, "</p></section></main>\n");
	ts_page_close(out, "web");
}

/* What a verb drew, or an error, as the server sends it. */
static void serve(const struct ts_web_question *q, struct ts_answer *from, struct ts_web_answer *to)
{
	bool drawn = q->form == TS_WEB_PAGE || (q->form == TS_WEB_FILE && to->status && !q->json);
	struct ts_buf page = TS_BUF_INIT(TS_ANSWER_MAX);

	if (!drawn && to->status) {
		ts_answer_error(&to->out, &to->err);
		return;
	}
	if (!drawn) {
		to->out = from->out;
		from->out = TS_BUF_INIT(0);
		return;
	}
	if (q->body)
		own_page(&page, q->title, q->body);
	else if (to->status)
		error_page(&page, &to->err);
	else if (q->draws)
		ts_buf_span(&page, ts_buf_view(&from->out));
	else
		ts_page_of_text(&page, q->title, ts_buf_view(&from->out));
	if (page.failed)
		ts_buf_lacks(&to->out, &page);
	else
		ts_page_serve(&to->out, ts_buf_view(&page), q->links, to->style, to->script);
	ts_buf_finish(&page);
}

static size_t words_of(const struct ts_web_question *q, const char *words[WORDS_MAX])
{
	size_t n = 0;

	words[n++] = q->words[0];
	if (q->form == TS_WEB_JSON)
		words[n++] = "--json";
	else if (q->form == TS_WEB_PAGE && q->draws)
		words[n++] = "--html=-";
	for (size_t i = 1; i < q->n && n < WORDS_MAX; i++)
		words[n++] = q->words[i];
	return n;
}

static void put_parts(const struct ts_web_question *q, struct ts_target *target, struct ts_answer *answer)
{
	if (!answer->status && q->form == TS_WEB_PAGE)
		ts_web_parts_put(target, q->words, q->n, &answer->out);
}

static void ask(void *ctx, const struct ts_web_question *q, struct ts_web_answer *ret)
{
	struct ts_answer answer = {.out = TS_BUF_INIT(0), .said = TS_BUF_INIT(0)};
	const char *words[WORDS_MAX];
	struct serving *s = ctx;
	struct ts_kept_target *t;

	ret->out = TS_BUF_INIT(TS_ANSWER_MAX);
	ret->style[0] = ret->script[0] = '\0';
	if (q->n) {
		ret->status = TS_UNAVAILABLE;
		t = ts_kept_target_take(&s->kept, q->token ? q->token : "", &ret->err);
		if (t) {
			ts_answer(&(struct ts_asked){.words = words, .n = words_of(q, words), .target = &t->target, .page = !q->draws},
				  &answer);
			ret->status = answer.status;
			ret->err = answer.err;
			put_parts(q, &t->target, &answer);
			ts_kept_target_give(&s->kept, t, answer.status);
		} else {
			ret->status = ret->err.status;
		}
	}
	serve(q, &answer, ret);
	ts_buf_finish(&answer.out);
	ts_buf_finish(&answer.said);
}

/* -- the verb -- */

extern char **environ;

/* As a browser is opened everywhere: by a program that the desktop has. It is no error that there is none. */
static void open_browser(struct serving *s, const char *link)
{
	char program[] = "xdg-open", *copy = ts_arena_printf(&s->cli->arena, "%s", link), *const argv[] = {program, copy, NULL};
	pid_t pid;

	if (!copy || posix_spawnp(&pid, program, NULL, NULL, argv, environ) != 0)
		ts_cli_say(s->cli, "there is no xdg-open here, so that no browser was opened");
}

static void ready(void *ctx, const char *link)
{
	struct serving *s = ctx;

	ts_cli_say(s->cli, "the pages are at %s", link);
	if (s->server) {
		if (ts_args_has(&s->cli->args, "spool"))
			ts_cli_say(s->cli, "MLflow's clients log here with their token as MLFLOW_TRACKING_TOKEN");
		ts_cli_say(s->cli, "users sign in there with a token of %s; ^C ends the server", s->server);
		return;
	}
	if (!s->folder)
		ts_cli_say(s->cli, "MLflow's clients log here with MLFLOW_TRACKING_URI=%.*s", (int)(strcspn(link + 8, "/") + 8),
			   link);
	ts_cli_say(s->cli, "who has this link reads and changes what you can; ^C ends the server");
	if (ts_args_has(&s->cli->args, "open"))
		open_browser(s, link);
}

static enum ts_status take_hosts(const struct ts_cli *cli, const char *hosts[TS_WEB_HOSTS], size_t *ret_n, struct ts_error *err)
{
	const char *host;
	size_t n = 0;

	while ((host = ts_args_nth(&cli->args, "host", n))) {
		if (n == TS_WEB_HOSTS)
			return ts_error_set(err, TS_INVALID, "web: --host is given more than %d times", TS_WEB_HOSTS);
		hosts[n++] = host;
	}
	*ret_n = n;
	return TS_OK;
}

/* The folder that a word names, which is read for these pages alone. */
static enum ts_status open_folder(struct serving *s, const char *path, struct ts_web_wanted *wanted, struct ts_error *err)
{
	const struct ts_cli *cli = s->cli;
	const char *run;

	if (ts_args_has(&cli->args, "store") || ts_args_has(&cli->args, "server"))
		return ts_error_set(err, TS_INVALID, "web: %s is shown by itself, so that --store and --server have no place beside it",
				    path);
	if (ts_web_folder_open(s->cli, path, wanted->project, &s->folder, err))
		return err->status;
	run = ts_web_folder_run(s->folder, &s->cli->arena);
	if (run) {
		wanted->route = "r";
		wanted->name = run;
	}
	return TS_OK;
}

/* The page of a run, a tag or a branch, which may be in another project. */
static enum ts_status find_page(struct ts_cli *cli, const char *word, struct ts_web_wanted *wanted, struct ts_error *err)
{
	const uint8_t *slash;
	struct ts_ref ref;

	if (ts_cli_open(cli, TS_USE_READ, err) || ts_cli_refs(cli, &word, 1, &ref, err))
		return err->status;
	slash = memchr(ref.name.data, '/', ref.name.len);
	if (!slash)
		return ts_error_set(err, TS_DAMAGED, "web: a name without a project");
	wanted->project = ts_arena_printf(&cli->arena, "%.*s", (int)(slash - ref.name.data), (const char *)ref.name.data);
	wanted->name = ts_arena_printf(&cli->arena, "%s%.*s", ref.kind == TS_REF_TAG ? "tag:" : "",
				       TS_SPAN_ARG(ts_span_from(ref.name, (size_t)(slash - ref.name.data) + 1)));
	wanted->route = ref.kind == TS_REF_BRANCH ? "b" : "r";
	return wanted->project && wanted->name ? TS_OK : ts_arena_error(&cli->arena, err);
}

static enum ts_status find_begin(struct serving *s, struct ts_web_wanted *wanted, struct ts_error *err)
{
	if (s->cli->args.n_words == 0)
		return TS_OK;
	if (ts_cli_settle(s->cli, err))
		return err->status;
	if (ts_is_path(ts_cli_word(s->cli, 0)))
		return open_folder(s, ts_cli_word(s->cli, 0), wanted, err);
	return find_page(s->cli, ts_cli_word(s->cli, 0), wanted, err);
}

static void close_all(struct serving *s)
{
	ts_kept_targets_close(&s->kept);
	if (s->folder)
		ts_web_folder_close(s->folder);
}

/* The server whose tokens users have. */
static enum ts_status find_server(struct ts_cli *cli, const char **ret_server, struct ts_error *err)
{
	struct ts_credentials credentials;
	struct ts_address address;
	const char *origin;

	if (ts_target_server(ts_args_text(&cli->args, "store"), ts_args_text(&cli->args, "server"), &cli->arena, &credentials,
			     ret_server, &origin, err))
		return err->status;
	if (!*ret_server)
		return ts_error_set(err, TS_INVALID, "web: --sign-in is for a server, whose tokens users have; name one with --server");
	if (ts_address_parse(*ret_server, &address, err))
		return ts_error_prefix(err, "%s", origin);
	return address.kind == TS_ADDRESS_TCP
		       ? ts_error_set(err, TS_INVALID, "web: %s is plain TCP, over which no token is sent; use tls:, unix: or ssh://",
				      *ret_server)
		       : TS_OK;
}

enum ts_status ts_verb_web(struct ts_cli *cli, struct ts_error *err)
{
	struct serving s = {.cli = cli};
	const char *address = ts_args_text(&cli->args, "address"), *hosts[TS_WEB_HOSTS];
	struct ts_web_wanted wanted = {.address = address ? address : "127.0.0.1", .route = "runs", .name = "", .hosts = hosts,
				       .ask = ask, .ready = ready, .ctx = &s};
	uint64_t port = PORT_DEFAULT;
	struct ts_tracking_wanted mlflow;
	struct ts_web_runs runs;
	struct ts_kept_target *first;
	enum ts_status status;
	bool given;

	if (ts_args_uint(&cli->args, "port", UINT16_MAX, &given, &port, err) || ts_cli_project(cli, &wanted.project, err) ||
	    take_hosts(cli, hosts, &wanted.n_hosts, err))
		return err->status;
	wanted.port = (uint16_t)(given ? port : PORT_DEFAULT);
	ts_kept_targets_init(&s.kept, open_target, &s);
	status = find_begin(&s, &wanted, err);
	if (!status && ts_args_has(&cli->args, "sign-in"))
		status = s.folder ? ts_error_set(err, TS_INVALID, "web: --sign-in is for a server, and not for a folder")
				  : find_server(cli, &s.server, err);
	wanted.signs_in = s.server != NULL;
	if (!status)
		status = ts_web_runs(cli, wanted.project, s.server, &runs, &mlflow, err);
	/* What lies in a folder is shown, and nothing is added to it. For users of a server somebody has said where their runs lie. */
	wanted.mlflow = s.folder || (s.server && !ts_args_has(&cli->args, "spool")) ? NULL : &mlflow;
	/* A server that is not there is said before a page is opened. */
	first = status || s.server ? NULL : ts_kept_target_take(&s.kept, "", err);
	if (first)
		ts_kept_target_give(&s.kept, first, TS_OK);
	if (!status)
		status = first || s.server ? ts_web_serve(&wanted, err) : err->status;
	close_all(&s);
	return status;
}
