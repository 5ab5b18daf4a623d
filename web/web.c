/* web.c - see web.h. */
#include "web/web.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/text.h"
#include "base/uri.h"
#include "web/admit.h"
#include "web/changes.h"
#include "web/http_server.h"
#include "web/mlflow/tracking.h"
#include "web/mlflow/tracking_users.h"
#include "web/routes.h"
#include "web/sign_in.h"
#include "web/static.h"
#include "web/writes.h"

#include <inttypes.h>
#include <sys/resource.h>

enum { LINKS_MAX = 64 << 10, ERROR_MAX = 16 << 10, SAVED_NAME = 100 };

struct web {
	const struct ts_web_wanted *wanted;
	struct ts_tracking *mlflow;	 /* NULL: nothing is logged here, or by users who sign in */
	struct ts_tracking_users *users; /* NULL: nothing is logged by them */
	struct ts_door door;
	struct ts_sessions *sessions; /* NULL: nobody signs in */
	struct ts_session guest;      /* who asks, in the copy that answers one request; of no token: whoever has the link */
};

static const char *token_of(const struct web *web)
{
	return web->guest.token[0] ? web->guest.token : NULL;
}

static void add_header(struct ts_http_reply *reply, const char *name, const char *value)
{
	if (value && reply->n_headers < TS_HTTP_HEADERS)
		reply->headers[reply->n_headers++] = (struct ts_http_header){name, value};
}

/* -- what is new -- */

/* What is new is asked for with the token of the session whose page is open. */
static void ask_for_changes(void *ctx, const struct ts_web_question *question, struct ts_web_answer *ret_answer)
{
	const struct web *web = ctx;
	struct ts_web_question asked = *question;
	struct ts_session session = {.token = ""};

	if (web->sessions && question->session)
		(void)ts_sessions_of_key(web->sessions, question->session, ts_now_mono_ns(), &session);
	asked.token = session.token[0] ? session.token : NULL;
	web->wanted->ask(web->wanted->ctx, &asked, ret_answer);
}

static bool shows_run(const struct ts_routed *r)
{
	return r->route->words == TS_ROUTE_NAME && strcmp(r->route->path, "b") != 0;
}

/* What a page is told of; NULL: nothing. The page of a branch shows runs of its project, which is all that is told of it; each session
 * sees what its own token may read. */
static const char *topic_of(const struct web *web, const struct ts_routed *r, struct ts_arena *arena)
{
	const char *topic = ts_arena_printf(arena, "%.*s%s%s\n%.*s", TS_SPAN_ARG(r->project), web->guest.key[0] ? "\t" : "",
					    web->guest.key, shows_run(r) ? (int)r->name.len : 0, (const char *)r->name.data);

	return topic && strlen(topic) < TS_HTTP_TOPIC_MAX && (!web->sessions || web->guest.key[0]) ? topic : NULL;
}

/* -- links -- */

static void put_address(struct ts_buf *out, struct ts_span project, const char *route, struct ts_span name)
{
	ts_buf_str(out, "/p/");
	ts_uri_encode(out, project, false);
	ts_buf_char(out, '/');
	ts_buf_str(out, route);
	if (name.len) {
		ts_buf_char(out, '/');
		ts_uri_encode_name(out, name);
	}
}

/* What the printed link and / lead to. */
static const char *first_address(const struct ts_web_wanted *wanted, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(TS_HTTP_HEAD_MAX);
	const char *text;

	put_address(&out, ts_span_str(wanted->project), wanted->route, ts_span_str(wanted->name));
	text = out.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)out.len, (const char *)out.data);
	ts_buf_finish(&out);
	return text;
}

static void put_link(struct ts_buf *out, const struct ts_routed *r, struct ts_span project, const char *route, struct ts_span name,
		     const char *text)
{
	bool here = r && strcmp(r->route->path, route) == 0;

	ts_buf_str(out, "<a href=\"");
	put_address(out, project, route, name);
	ts_buf_str(out, here ? "\" aria-current=\"page\">" : "\">");
	ts_buf_str(out, text);
	ts_buf_str(out, "</a>\n");
}

static bool is_live(const struct ts_routed *r)
{
	return r->project.len && (r->route->words == TS_ROUTE_FILTER || r->route->words == TS_ROUTE_NAME);
}

static void put_twin(struct ts_buf *out, const struct ts_routed *r, struct ts_span query)
{
	ts_buf_str(out, "<a href=\"");
	if (r->project.len)
		put_address(out, r->project, r->route->path, r->name);
	else
		ts_buf_str(out, r->route->path);
	ts_buf_str(out, ".json");
	if (query.len) {
		ts_buf_char(out, '?');
		ts_html_escape(out, query);
	}
	ts_buf_str(out, "\">JSON</a>\n");
}

/* Where the page hears of what is new since now: one that is renewed as a whole, or one whose curves follow the runs of its project.
 * Others hear nothing, and the store is not asked for them. */
static void put_stream(struct web *web, const struct ts_routed *r, struct ts_arena *arena, struct ts_buf *out)
{
	bool live = is_live(r);
	const char *topic = r->json || (!live && r->route->gives != TS_ROUTE_DRAWN) ? NULL : topic_of(web, r, arena);

	if (!topic)
		return;
	ts_buf_str(out, live ? " data-live=\"/live" : " data-follow=\"/live");
	put_address(out, r->project, live ? r->route->path : "runs", live ? r->name : ts_span_of("", 0));
	ts_buf_printf(out, "?since=%016" PRIx64 "\"", ts_changes_now(ask_for_changes, web, topic));
}

/* Links to the pages of the project, and of the run that is shown. r is NULL on a page that says what is wrong. */
static const char *links_of(struct web *web, const struct ts_routed *r, struct ts_span query, struct ts_arena *arena)
{
	static const struct {
		const char *route, *text;
	} of_project[] = {{"runs", "Runs"}, {"branches", "Branches"}, {"tags", "Tags"}},
	  of_run[] = {{"r", "Analysis"}, {"show", "Content"}, {"facts", "Facts"}, {"log", "Log"}, {"change", "Change"}};
	struct ts_span project = r && r->project.len ? r->project : ts_span_str(web->wanted->project), none = ts_span_of("", 0);
	struct ts_buf out = TS_BUF_INIT(LINKS_MAX);
	const char *text;

	ts_buf_str(&out, "<nav aria-label=\"Pages\"");
	if (r && r->project.len)
		put_stream(web, r, arena, &out);
	ts_buf_str(&out, ">\n<a href=\"/projects\">Projects</a>\n");
	for (size_t i = 0; i < sizeof of_project / sizeof of_project[0]; i++)
		put_link(&out, r, project, of_project[i].route, none, of_project[i].text);
	for (size_t i = 0; r && shows_run(r) && i < sizeof of_run / sizeof of_run[0]; i++)
		put_link(&out, r, project, of_run[i].route, r->name, of_run[i].text);
	if (r && strcmp(r->route->path, "b") == 0)
		put_link(&out, r, project, "change-branch", r->name, "Accept");
	if (r)
		put_twin(&out, r, query);
	if (web->guest.who[0]) {
		ts_buf_str(&out, "<form method=\"post\" action=\"/sign-out\"><span class=\"dim\">");
		ts_html_escape(&out, ts_span_str(web->guest.who));
		ts_buf_str(&out, "</span> <button>Sign out</button></form>\n");
	}
	ts_buf_str(&out, "<span id=\"live\" role=\"status\" class=\"dim\"></span>\n"
			 "<script type=\"module\" src=\"/static/live.js\"></script>\n"
			 "<script type=\"module\" src=\"/static/fragment.js\"></script></nav>\n");
	text = out.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)out.len, (const char *)out.data);
	ts_buf_finish(&out);
	return text;
}

/* -- answers -- */

/* Whatever is not named here is the client's mistake. */
static int status_of(enum ts_status status)
{
	static const int statuses[] = {[TS_OK] = 200, [TS_NOT_FOUND] = 404, [TS_DENIED] = 403, [TS_CONFLICT] = 409,
				       [TS_AMBIGUOUS] = 409,
				       [TS_UNAVAILABLE] = 503, [TS_FULL] = 503, [TS_DEADLINE] = 503, [TS_INTERNAL] = 500,
				       [TS_DAMAGED] = 500, [TS_NO_MEMORY] = 500, [TS_IO] = 500};
	size_t at = (size_t)status;

	return at < sizeof statuses / sizeof statuses[0] && statuses[at] ? statuses[at] : 400;
}

static void say_plain(struct ts_http_reply *reply, int status, const char *text)
{
	reply->status = status;
	ts_buf_str(&reply->body, text);
	ts_buf_char(&reply->body, '\n');
}

static void say_policy(struct ts_http_reply *reply, const struct ts_web_answer *answer, struct ts_arena *arena)
{
	add_header(reply, "Content-Security-Policy",
		   ts_arena_printf(arena,
				   "default-src 'none'; script-src 'self'%s%s; style-src 'self'%s%s; img-src 'self' data:; "
				   "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
				   *answer->script ? " " : "", answer->script, *answer->style ? " " : "", answer->style));
}

static void say_answer(struct ts_http_reply *reply, enum ts_web_form form, struct ts_web_answer *answer, struct ts_arena *arena)
{
	reply->status = status_of(answer->status);
	reply->type = form == TS_WEB_JSON ? "application/json" : "text/html; charset=utf-8";
	ts_buf_finish(&reply->body);
	reply->body = answer->out;
	if (form == TS_WEB_PAGE)
		say_policy(reply, answer, arena);
}

/* A text as a page of its own or a document, where no verb answers. */
static void say_error(struct web *web, const struct ts_routed *r, bool json, const struct ts_error *err, struct ts_arena *arena,
		      struct ts_http_reply *reply)
{
	const struct ts_web_question question = {.form = json ? TS_WEB_JSON : TS_WEB_PAGE,
						 .title = err->text,
						 .links = links_of(web, r, ts_span_of("", 0), arena),
						 .token = token_of(web)};
	struct ts_web_answer answer = {.status = err->status, .err = *err};

	web->wanted->ask(web->wanted->ctx, &question, &answer);
	answer.status = err->status;
	say_answer(reply, question.form, &answer, arena);
}

/* What a client gets is a file for it, and no page: no browser shows it. */
static void as_a_file(struct ts_http_reply *reply, const char *how)
{
	add_header(reply, "Content-Disposition", how);
	add_header(reply, "Content-Security-Policy", "default-src 'none'; sandbox");
}

/* What a browser calls a file that it saves: the last part of its path, in letters that mean nothing to any system. */
static const char *saved_as(struct ts_span query, struct ts_arena *arena)
{
	struct ts_span name, value = ts_span_of("", 0);
	char safe[SAVED_NAME + 1];
	struct ts_error err;
	size_t n = 0;

	while (ts_uri_field(&query, &name, &value) && !ts_span_is(name, "file"))
		;
	if (ts_uri_decode(value, true, arena, &value, &err))
		return "attachment";
	for (size_t i = 0; i < value.len; i++) {
		uint8_t c = value.data[i];

		if (c == '/') {
			n = 0;
		} else if (n < SAVED_NAME) {
			safe[n] = ts_is_alnum(c) || c == '-' || c == '_' || (c == '.' && n) ? (char)c : '_';
			n++;
		}
	}
	safe[n] = '\0';
	return n ? ts_arena_printf(arena, "attachment; filename=\"%s\"", safe) : "attachment";
}

static void say_file(struct ts_http_reply *reply, struct ts_span query, struct ts_web_answer *answer, struct ts_arena *arena)
{
	reply->status = 200;
	reply->type = "application/octet-stream";
	ts_buf_finish(&reply->body);
	reply->body = answer->out;
	as_a_file(reply, saved_as(query, arena));
}

static void say_route(struct web *web, const struct ts_http_request *request, const struct ts_routed *r, struct ts_arena *arena,
		      struct ts_http_reply *reply)
{
	bool file = r->route->gives == TS_ROUTE_FILE;
	struct ts_web_question question = {.words = r->words,
					   .n = r->n,
					   .draws = r->route->gives == TS_ROUTE_DRAWN,
					   .form = file      ? TS_WEB_FILE
						   : r->json ? TS_WEB_JSON
							     : TS_WEB_PAGE,
					   .json = r->json,
					   .title = ts_route_title(r, arena),
					   .links = links_of(web, r, request->query, arena),
					   .token = token_of(web)};
	struct ts_web_answer answer;

	if (!question.links || !question.title) {
		say_plain(reply, 503, "there is no memory for this page");
		return;
	}
	web->wanted->ask(web->wanted->ctx, &question, &answer);
	if (file && !answer.status)
		say_file(reply, request->query, &answer, arena);
	else
		say_answer(reply, r->json ? TS_WEB_JSON : TS_WEB_PAGE, &answer, arena);
}

/* -- MLflow's clients -- */

/* The door of who asks. Where users sign in it is that of their token, which the server is asked about each time: one that was revoked
 * opens nothing any more. */
static enum ts_status find_door(struct web *web, const struct ts_http_request *request, bool admitted, struct ts_arena *arena,
				struct ts_tracking **ret, struct ts_error *err)
{
	struct ts_span token = ts_door_bearer(request), who;

	if (!web->wanted->mlflow && (web->sessions || admitted))
		return ts_error_set(err, TS_UNSUPPORTED, "this tscope web takes no runs of MLflow's clients%s",
				    web->sessions ? "; who runs it says with --spool where they lie" : "");
	if (web->users && !token.len)
		return ts_error_set(err, TS_DENIED, "set MLFLOW_TRACKING_TOKEN to your token of the server of these pages");
	if (web->users)
		return ts_sign_in_try(web->wanted, token, arena, &who, err) ||
				       ts_tracking_users_door(web->users, token, ret, err)
			       ? err->status
			       : TS_OK;
	if (!admitted)
		return ts_error_set(err, TS_DENIED, "this client is not known: set MLFLOW_TRACKING_TOKEN to the token of the link that "
						    "tscope web printed");
	*ret = web->mlflow;
	return TS_OK;
}

static void answer_mlflow(struct web *web, const struct ts_http_request *request, bool admitted, struct ts_arena *arena,
			  struct ts_http_reply *reply)
{
	static const enum ts_tracking_method methods[] = {[TS_HTTP_GET] = TS_TRACKING_GET,
							  [TS_HTTP_POST] = TS_TRACKING_POST,
							  [TS_HTTP_PUT] = TS_TRACKING_PUT,
							  [TS_HTTP_PATCH] = TS_TRACKING_PATCH};
	const struct ts_tracking_call call = {.method = methods[request->method],
					      .path = request->path,
					      .query = request->query,
					      .body = request->body};
	struct ts_tracking_reply answer = {.out = &reply->body};
	struct ts_tracking *door;
	struct ts_error err;

	if (request->too_large) {
		(void)ts_error_set(&err, TS_TOO_LARGE, "an artifact has at most %d MiB, and another call %d MiB",
				   TS_HTTP_FILE_MAX >> 20, TS_HTTP_BODY_MAX >> 20);
		ts_tracking_refuse(&err, &answer);
		answer.status = 413;
	} else if (!find_door(web, request, admitted, arena, &door, &err)) {
		ts_tracking_answer(door, &call, arena, &answer);
		if (web->users)
			ts_tracking_users_give(web->users, door);
	} else {
		ts_tracking_refuse(&err, &answer);
		if (err.status == TS_DENIED)
			answer.status = 401;
	}
	reply->status = answer.status;
	reply->type = answer.type;
	as_a_file(reply, "attachment");
}

/* -- addresses that are no answers of verbs -- */

static void go_to(struct ts_http_reply *reply, int status, const char *address)
{
	reply->status = status;
	add_header(reply, "Location", address ? address : "/");
}

/* The address without its token. */
static const char *without_token(const struct ts_http_request *request, struct ts_arena *arena)
{
	struct ts_span query = request->query, name, value;
	struct ts_buf out = TS_BUF_INIT(TS_HTTP_HEAD_MAX);
	bool first = true;
	const char *text;

	/* Two slashes of either kind at the beginning would lead to another host. */
	ts_buf_span(&out, request->path.len > 1 && strchr("/\\", request->path.data[1]) ? ts_span_str("/") : request->path);
	while (ts_uri_field(&query, &name, &value)) {
		if (ts_span_is(name, "token"))
			continue;
		ts_buf_char(&out, first ? '?' : '&');
		ts_buf_span(&out, name);
		ts_buf_char(&out, '=');
		ts_buf_span(&out, value);
		first = false;
	}
	text = out.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)out.len, (const char *)out.data);
	ts_buf_finish(&out);
	return text;
}

static void let_in(const struct web *web, const struct ts_http_request *request, struct ts_arena *arena, struct ts_http_reply *reply)
{
	add_header(reply, "Set-Cookie",
		   ts_arena_printf(arena, "%s=%s; Path=/; HttpOnly; SameSite=Lax", web->door.cookie, web->door.token));
	add_header(reply, "Referrer-Policy", "no-referrer");
	go_to(reply, 303, without_token(request, arena));
}

/* The runs that were chosen in a list. */
struct picked {
	struct ts_span query; /* their fields alone: "run=A&run=B" */
	struct ts_span runs[2], column;
	size_t n;
};

static enum ts_status find_picked(struct ts_span query, struct ts_arena *arena, struct picked *ret, struct ts_error *err)
{
	struct ts_buf kept = TS_BUF_INIT(TS_HTTP_HEAD_MAX);
	struct ts_span name, value;

	*ret = (struct picked){.column = ts_span_str("loss")};
	while (ts_uri_field(&query, &name, &value)) {
		if (ts_span_is(name, "column") && value.len && ts_uri_decode(value, true, arena, &ret->column, err)) {
			ts_buf_finish(&kept);
			return err->status;
		}
		if (!ts_span_is(name, "run"))
			continue;
		ts_buf_str(&kept, ret->n ? "&run=" : "run=");
		ts_buf_span(&kept, value);
		if (ret->n < 2)
			ret->runs[ret->n] = value;
		ret->n++;
	}
	ret->query = kept.len ? ts_arena_span(arena, ts_buf_view(&kept)) : ts_span_of("", 0);
	ts_buf_finish(&kept);
	return ts_arena_check(arena, err);
}

/* The form of the list leads here. To compare: one run is shown, two are compared, and more are drawn. */
static void lead_on(const struct ts_http_request *request, struct ts_span project, bool draw, struct ts_arena *arena,
		    struct ts_http_reply *reply)
{
	struct ts_buf out = TS_BUF_INIT(TS_HTTP_HEAD_MAX);
	struct ts_span plain;
	struct picked picked;
	struct ts_error err;

	ts_buf_str(&out, "/p/");
	ts_buf_span(&out, project);
	if (find_picked(request->query, arena, &picked, &err) || picked.n == 0) {
		ts_buf_str(&out, "/runs");
	} else if (draw || picked.n > 2) {
		ts_buf_str(&out, "/plot/");
		ts_uri_encode(&out, picked.column, false);
		ts_buf_char(&out, '?');
		ts_buf_span(&out, picked.query);
	} else if (picked.n == 2) {
		ts_buf_str(&out, "/diff?a=");
		ts_buf_span(&out, picked.runs[0]);
		ts_buf_str(&out, "&b=");
		ts_buf_span(&out, picked.runs[1]);
	} else if (!ts_uri_decode(picked.runs[0], true, arena, &plain, &err)) {
		ts_buf_str(&out, "/r/");
		ts_uri_encode_name(&out, plain);
	}
	go_to(reply, 303, out.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)out.len, (const char *)out.data));
	ts_buf_finish(&out);
}

/* MLflow's clients print /#/experiments/E/runs/R, which static/fragment.js makes /mlflow/R of. */
static void go_to_run(const struct web *web, struct ts_span id, struct ts_arena *arena, struct ts_http_reply *reply)
{
	struct ts_tracking *door = web->mlflow;
	struct ts_error err;
	const char *name;
	struct ts_span project;
	struct ts_buf out = TS_BUF_INIT(TS_HTTP_HEAD_MAX);

	if (web->users && ts_tracking_users_door(web->users, ts_span_str(web->guest.token), &door, &err))
		door = NULL;
	name = door ? ts_tracking_run_name(door, id, arena) : NULL;
	if (door && web->users)
		ts_tracking_users_give(web->users, door);
	project = ts_span_through(ts_span_str(name ? name : ""), '/');
	if (!project.len) {
		say_plain(reply, 404, "no run of this id was logged here by an MLflow client");
		return;
	}
	put_address(&out, ts_span_part(project, 0, project.len - 1), "r", ts_span_str(name + project.len));
	go_to(reply, 303, out.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)out.len, (const char *)out.data));
	ts_buf_finish(&out);
}

/* What the page of a stream has seen: it carries that as since=; whoever sends none has seen what there is. */
static uint64_t seen_by(struct web *web, struct ts_span query, const char *topic)
{
	struct ts_span name, value;
	uint64_t seen;

	while (ts_uri_field(&query, &name, &value))
		if (ts_span_is(name, "since") && ts_parse_hex64(value, &seen))
			return seen;
	return ts_changes_now(ask_for_changes, web, topic);
}

/* A stream of events: /live and the address of the page. */
static void follow(struct web *web, const struct ts_http_request *request, struct ts_arena *arena, struct ts_http_reply *reply)
{
	struct ts_http_request page = *request;
	struct ts_routed r;
	struct ts_error err;
	const char *topic;

	page.path = ts_span_from(request->path, strlen("/live"));
	page.query = ts_span_of("", 0);
	if (ts_route_find(&page, arena, &r, &err) || !is_live(&r)) {
		say_plain(reply, 404, "nothing is told of this address");
		return;
	}
	if (web->sessions && !web->guest.key[0]) {
		say_plain(reply, 400, "a stream is for a browser's session; a program asks for the document again");
		return;
	}
	topic = topic_of(web, &r, arena);
	if (!topic) {
		say_plain(reply, 400, "the name is too long");
		return;
	}
	reply->status = 200;
	reply->topic = topic;
	reply->seen = seen_by(web, request->query, topic);
	add_header(reply, "Cache-Control", "no-store");
}

static void say_static(struct ts_span name, struct ts_http_reply *reply)
{
	for (size_t i = 0; i < ts_static_files_n; i++)
		if (ts_span_is(name, ts_static_files[i].name)) {
			reply->status = 200;
			reply->type = ts_span_ends(name, ".js") ? "text/javascript; charset=utf-8" : "text/css; charset=utf-8";
			ts_buf_span(&reply->body, ts_static_files[i].text);
			return;
		}
	say_plain(reply, 404, "there is no such file");
}

/* "/p/PROJECT/WORD", as the project stands in the address. */
static bool is_picked(struct ts_span path, const char *word, struct ts_span *ret_project)
{
	struct ts_span project;

	if (!ts_span_skip(&path, "/p/"))
		return false;
	project = ts_span_through(path, '/');
	if (project.len < 2 || !ts_span_is(ts_span_from(path, project.len), word))
		return false;
	*ret_project = ts_span_part(project, 0, project.len - 1);
	return true;
}

/* -- what is changed -- */

/* A page of forms; forms is NULL where there was no memory for them. */
static void say_forms(struct web *web, const char *title, const char *forms, struct ts_arena *arena, struct ts_http_reply *reply)
{
	const char *links = links_of(web, NULL, ts_span_of("", 0), arena);
	const struct ts_web_question question = {.form = TS_WEB_PAGE, .title = title, .links = links, .body = forms};
	struct ts_web_answer answer = {.status = TS_OK};

	if (!forms || !links || arena->failed) {
		say_plain(reply, 503, "there is no memory for this page");
		return;
	}
	web->wanted->ask(web->wanted->ctx, &question, &answer);
	say_answer(reply, TS_WEB_PAGE, &answer, arena);
}

static void say_changes(struct web *web, struct ts_span project, struct ts_span name, bool branch, struct ts_arena *arena,
			struct ts_http_reply *reply)
{
	say_forms(web, ts_arena_phrase(arena, "Change %s%.*s", branch ? "the branch " : "", TS_SPAN_ARG(name)),
		  ts_write_forms(project, name, branch, arena), arena, reply);
}

/* Tags and notes of the runs that were chosen in a list. */
static void say_changes_of_picked(struct web *web, const struct ts_http_request *request, struct ts_span project,
				  struct ts_arena *arena, struct ts_http_reply *reply)
{
	struct ts_span decoded;
	struct picked picked;
	struct ts_error err;

	if (find_picked(request->query, arena, &picked, &err) || ts_uri_decode(project, false, arena, &decoded, &err))
		say_error(web, NULL, false, &err, arena, reply);
	else if (picked.n == 0)
		lead_on(request, project, false, arena, reply);
	else
		say_forms(web, "Tag or note the chosen runs", ts_write_forms_of(decoded, picked.query, arena), arena, reply);
}

/* A browser is led to what it changed; a program gets the document of the verb. */
static void say_written(struct web *web, const struct ts_written *w, bool page, struct ts_arena *arena, struct ts_http_reply *reply)
{
	const struct ts_web_question question = {.words = w->words, .n = w->n, .form = TS_WEB_JSON, .token = token_of(web)};
	struct ts_buf to = TS_BUF_INIT(TS_HTTP_HEAD_MAX);
	struct ts_web_answer answer;

	web->wanted->ask(web->wanted->ctx, &question, &answer);
	if (!page) {
		say_answer(reply, TS_WEB_JSON, &answer, arena);
		return;
	}
	ts_buf_finish(&answer.out);
	if (answer.status) {
		say_error(web, NULL, false, &answer.err, arena, reply);
		return;
	}
	put_address(&to, w->project, w->write->then, strcmp(w->write->then, "runs") == 0 ? ts_span_of("", 0) : w->name);
	go_to(reply, 303, to.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)to.len, (const char *)to.data));
	ts_buf_finish(&to);
}

static void change(struct web *web, const struct ts_http_request *request, struct ts_arena *arena, struct ts_http_reply *reply)
{
	bool page = ts_span_contains(request->accept, "text/html");
	struct ts_written w;
	struct ts_error err;

	if (request->method != TS_HTTP_POST || !ts_write_find(request, arena, &w, &err))
		say_plain(reply, 405, "nothing is written at this address");
	else if (!w.n)
		say_error(web, NULL, !page, &err, arena, reply);
	else
		say_written(web, &w, page, arena, reply);
}

static void answer_guest(struct web *web, const struct ts_http_request *request, struct ts_arena *arena, struct ts_http_reply *reply)
{
	struct ts_span live = ts_span_str("/live/"), fixed = ts_span_str("/static/"), run_of_mlflow = ts_span_str("/mlflow/"), project,
		       name;
	bool branch;
	struct ts_routed r;
	struct ts_error err;

	if (request->method != TS_HTTP_GET)
		change(web, request, arena, reply);
	else if (ts_span_is(request->path, "/"))
		go_to(reply, 303, first_address(web->wanted, arena));
	else if (ts_span_starts(request->path, fixed))
		say_static(ts_span_from(request->path, fixed.len), reply);
	else if (ts_span_starts(request->path, live))
		follow(web, request, arena, reply);
	else if (ts_span_starts(request->path, run_of_mlflow))
		go_to_run(web, ts_span_from(request->path, run_of_mlflow.len), arena, reply);
	else if (ts_write_page(request->path, arena, &project, &name, &branch, &err))
		say_changes(web, project, name, branch, arena, reply);
	else if (is_picked(request->path, "compare", &project) || is_picked(request->path, "draw", &project))
		lead_on(request, project, ts_span_ends(request->path, "draw"), arena, reply);
	else if (is_picked(request->path, "change", &project))
		say_changes_of_picked(web, request, project, arena, reply);
	else if (ts_route_find(request, arena, &r, &err))
		say_error(web, NULL, r.json, &err, arena, reply);
	else
		say_route(web, request, &r, arena, reply);
}

/* Static files tell nothing of anybody. */
static bool is_for_all(struct ts_span path)
{
	return ts_span_starts(path, ts_span_str("/static/"));
}

static void say_sign_in(struct web *web, const struct ts_http_request *request, struct ts_arena *arena, struct ts_http_reply *reply)
{
	const struct ts_sign_in in = {web->sessions, &web->door, web->wanted};
	struct ts_web_question question = {.form = TS_WEB_PAGE, .title = "Sign in", .links = ""};
	struct ts_web_answer answer = {.status = TS_OK};
	int status;

	ts_sign_in_answer(&in, request, arena, reply, &question.body);
	if (!question.body)
		return;
	status = reply->status;
	web->wanted->ask(web->wanted->ctx, &question, &answer);
	say_answer(reply, TS_WEB_PAGE, &answer, arena);
	reply->status = status;
}

/* Where users sign in: who has not is led to the form, or told so where a program asks. */
static void answer_user(struct web *web, const struct ts_http_request *request, struct ts_arena *arena, struct ts_http_reply *reply)
{
	bool page = ts_span_contains(request->accept, "text/html");

	if (ts_sign_in_is(request->path))
		say_sign_in(web, request, arena, reply);
	else if (is_for_all(request->path) || ts_sign_in_who(web->sessions, &web->door, request, &web->guest))
		answer_guest(web, request, arena, reply);
	else if (page && request->method == TS_HTTP_GET)
		go_to(reply, 303, ts_sign_in_address(request, arena));
	else
		say_plain(reply, 401, "sign in at /sign-in, or send a token of the server as Authorization: Bearer TOKEN");
}

static void answer(void *ctx, const struct ts_http_request *request, struct ts_arena *arena, struct ts_http_reply *reply)
{
	struct web here = *(const struct web *)ctx, *web = &here;
	enum ts_admission asked = ts_door_ask(&web->door, request);

	add_header(reply, "Cache-Control", "no-store");
	if (ts_tracking_is(request->path) && asked != TS_DOOR_OTHER_HOST) {
		answer_mlflow(web, request, asked == TS_DOOR_IN || ts_door_owns(&web->door, request), arena, reply);
		return;
	}
	if (request->too_large) {
		say_plain(reply, 413, "the body of this request is too long");
		return;
	}
	switch (asked) {
	case TS_DOOR_OTHER_HOST:
		say_plain(reply, 421, "this server does not answer for that host; tscope web --host NAME has it do so");
		return;
	case TS_DOOR_OTHER_PAGE:
		say_plain(reply, 403, "a page of another origin may not write here");
		return;
	case TS_DOOR_STRANGER:
		if (web->sessions)
			answer_user(web, request, arena, reply);
		else
			say_plain(reply, 401, "this page opens by the link that tscope web printed, which has a token");
		return;
	case TS_DOOR_LINK:
		let_in(web, request, arena, reply);
		return;
	case TS_DOOR_IN:
		answer_guest(web, request, arena, reply);
	}
}

/* -- serving -- */

/* Each open page holds a descriptor. */
static void want_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 2 * TS_HTTP_CONNECTIONS) {
		limit.rlim_cur = limit.rlim_max < 2 * TS_HTTP_CONNECTIONS ? limit.rlim_max : 2 * TS_HTTP_CONNECTIONS;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static enum ts_status say_ready(const struct web *web, struct ts_error *err)
{
	const struct ts_web_wanted *w = web->wanted;
	bool six = strchr(w->address, ':');
	const char *begin, *link = NULL;
	struct ts_arena arena;

	ts_arena_init(&arena, 1 << 20);
	begin = first_address(w, &arena);
	if (begin)
		link = ts_arena_printf(&arena, "http://%s%s%s:%u%s%s%s", six ? "[" : "", w->address, six ? "]" : "",
				       (unsigned)web->door.port, begin, web->sessions ? "" : "?token=",
				       web->sessions ? "" : web->door.token);
	if (link)
		w->ready(w->ctx, link);
	ts_arena_finish(&arena);
	return link ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "there is no memory for the link");
}

enum ts_status ts_web_serve(const struct ts_web_wanted *wanted, struct ts_error *err)
{
	struct web web = {
		.wanted = wanted,
		.door = {.address = wanted->address, .hosts = wanted->hosts, .n_hosts = wanted->n_hosts, .signs_in = wanted->signs_in}};
	const struct ts_http_wanted http = {
		.address = wanted->address, .port = wanted->port, .threads = TS_WEB_THREADS, .answer = answer, .ctx = &web};
	enum ts_status status;
	struct ts_http *server;
	struct ts_changes *live;

	want_descriptors();
	if (ts_http_open(&http, &server, err))
		return err->status;
	web.door.port = ts_http_port(server);
	status = ts_door_make(&web.door, err);
	if (!status && wanted->signs_in)
		status = ts_sessions_open(&web.sessions, err);
	if (!status && wanted->mlflow && wanted->signs_in)
		status = ts_tracking_users_open(wanted->mlflow, TS_TRACKING_USERS, TS_TRACKING_IDLE_S, &web.users, err);
	else if (!status && wanted->mlflow)
		status = ts_tracking_open(wanted->mlflow, &web.mlflow, err);
	if (!status)
		status = ts_changes_start(server, ask_for_changes, &web, &live, err);
	if (!status) {
		status = say_ready(&web, err);
		if (!status)
			status = ts_http_run(server, err);
		ts_changes_stop(live);
	}
	ts_http_close(server);
	if (web.mlflow)
		ts_tracking_close(web.mlflow);
	if (web.users)
		ts_tracking_users_close(web.users);
	if (web.sessions)
		ts_sessions_close(web.sessions);
	return status;
}
