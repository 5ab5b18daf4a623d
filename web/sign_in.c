/* sign_in.c - see sign_in.h. */
#include "web/sign_in.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "base/uri.h"

#include <stdio.h>

enum { PAGE_MAX = 64 << 10 };

static const char in_path[] = "/sign-in", out_path[] = "/sign-out";

bool ts_sign_in_is(struct ts_span path)
{
	return ts_span_is(path, in_path) || ts_span_is(path, out_path);
}

bool ts_sign_in_who(struct ts_sessions *sessions, const struct ts_door *door, const struct ts_http_request *request,
		    struct ts_session *ret)
{
	struct ts_span bearer = ts_door_bearer(request);

	if (bearer.len && bearer.len < sizeof ret->token) {
		*ret = (struct ts_session){.who = ""};
		(void)snprintf(ret->token, sizeof ret->token, "%.*s", TS_SPAN_ARG(bearer));
		return true;
	}
	return ts_sessions_find(sessions, ts_door_cookie(door, request), ts_now_mono_ns(), ret);
}

/* An address of ours, and not of another host: "//host" and "/\host" are. */
static struct ts_span leads_to(struct ts_span to)
{
	bool ours = to.len && to.data[0] == '/' && (to.len == 1 || !strchr("/\\", to.data[1])) && !ts_sign_in_is(to);

	for (size_t i = 0; i < to.len; i++)
		ours &= to.data[i] > ' ' && to.data[i] < 0x7f;
	return ours ? to : ts_span_str("/");
}

const char *ts_sign_in_address(const struct ts_http_request *request, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(4 * TS_HTTP_HEAD_MAX), asked = TS_BUF_INIT(TS_HTTP_HEAD_MAX);
	const char *text;

	ts_buf_span(&asked, request->path);
	if (request->query.len) {
		ts_buf_char(&asked, '?');
		ts_buf_span(&asked, request->query);
	}
	ts_buf_str(&out, "/sign-in?to=");
	ts_uri_encode(&out, ts_buf_view(&asked), true);
	text = out.failed || asked.failed ? in_path : ts_arena_printf(arena, "%.*s", (int)out.len, (const char *)out.data);
	ts_buf_finish(&asked);
	ts_buf_finish(&out);
	return text;
}

static struct ts_span field_of(struct ts_span fields, const char *wanted, struct ts_arena *arena)
{
	struct ts_span name, value, plain;
	struct ts_error err;

	while (ts_uri_field(&fields, &name, &value))
		if (ts_span_is(name, wanted) && !ts_uri_decode(value, true, arena, &plain, &err))
			return plain;
	return ts_span_of("", 0);
}

static const char *form(const char *problem, struct ts_span to, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(PAGE_MAX);
	const char *page;

	if (*problem) {
		ts_buf_str(&out, "<p role=\"alert\">");
		ts_html_escape(&out, ts_span_str(problem));
		ts_buf_str(&out, "</p>\n");
	}
	ts_buf_str(&out,
		   "<form method=\"post\" action=\"/sign-in\" class=\"filter\">\n"
		   "<label for=\"token\">Your token of this server</label>\n"
		   "<input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"current-password\" required=\"required\"/>\n"
		   "<input type=\"hidden\" name=\"to\" value=\"");
	ts_html_escape(&out, to);
	ts_buf_str(
		&out,
		"\"/>\n<button>Sign in</button>\n</form>\n"
		"<p class=\"dim\">An administrator of the server makes tokens with <code>tscope token make</code>. You see and change "
		"here what <code>tscope</code> with this token may.</p>\n");
	page = out.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)out.len, (const char *)out.data);
	ts_buf_finish(&out);
	return page;
}

/* The member "who" of what whoami says; empty: the server does not say who asks. */
static struct ts_span who_of(struct ts_span document, struct ts_arena *arena)
{
	struct ts_buf scratch = TS_BUF_INIT(PAGE_MAX);
	struct ts_span who = ts_span_of("", 0);
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;

	ts_json_reader_init(&r, document, &scratch);
	if (!ts_json_next(&r, &t, &err) && t.type == TS_JSON_OBJECT)
		while (!ts_json_next(&r, &t, &err) && t.type == TS_JSON_KEY) {
			bool is_who = ts_span_is(t.text, "who");

			if (is_who ? ts_json_next(&r, &t, &err) : ts_json_skip(&r, NULL, &err))
				break;
			if (is_who && t.type == TS_JSON_STRING)
				who = ts_arena_span(arena, t.text);
		}
	ts_buf_finish(&scratch);
	return who.data ? who : ts_span_of("", 0);
}

enum ts_status ts_sign_in_try(const struct ts_web_wanted *wanted, struct ts_span token, struct ts_arena *arena, struct ts_span *ret_who,
			      struct ts_error *err)
{
	static const char *const words[] = {"whoami"};
	const struct ts_web_question question = {
		.words = words, .n = 1, .form = TS_WEB_JSON, .token = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(token))};
	struct ts_web_answer answer;

	if (!question.token)
		return ts_arena_error(arena, err);
	wanted->ask(wanted->ctx, &question, &answer);
	*err = answer.err;
	*ret_who = answer.status ? ts_span_of("", 0) : who_of(ts_buf_view(&answer.out), arena);
	ts_buf_finish(&answer.out);
	if (answer.status)
		return err->status = answer.status;
	return ret_who->len ? TS_OK : ts_error_set(err, TS_DENIED, "the server does not say whose token this is");
}

static void set_cookie(const struct ts_sign_in *in, const char *value, int seconds, struct ts_arena *arena, struct ts_http_reply *reply)
{
	/* behind a proxy with TLS the browser sends it over TLS alone */
	const char *cookie = ts_arena_printf(arena, "%s=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s", in->door->cookie, value,
					     seconds, in->door->n_hosts ? "; Secure" : "");

	if (cookie)
		reply->headers[reply->n_headers++] = (struct ts_http_header){"Set-Cookie", cookie};
}

static void go_to(struct ts_http_reply *reply, const char *address)
{
	reply->status = 303;
	reply->headers[reply->n_headers++] = (struct ts_http_header){"Location", address ? address : "/"};
}

static void sign_in(const struct ts_sign_in *in, const struct ts_http_request *request, struct ts_arena *arena,
		    struct ts_http_reply *reply, const char **ret_page)
{
	struct ts_span token = ts_trim(field_of(request->body, "token", arena)), to = leads_to(field_of(request->body, "to", arena)),
		       who;
	char id[TS_SESSION_ID];
	struct ts_error err;

	if (!token.len || token.len >= TS_SESSION_TOKEN) {
		reply->status = 400;
		*ret_page = form("This is no token.", to, arena);
		return;
	}
	if (ts_sign_in_try(in->wanted, token, arena, &who, &err) ||
	    ts_sessions_begin(in->sessions, token, ts_utf8_cut(who, TS_SESSION_WHO - 1), ts_now_mono_ns(), id, &err)) {
		reply->status = err.status == TS_UNAVAILABLE ? 503 : 403;
		*ret_page = form(err.text, to, arena);
		return;
	}
	set_cookie(in, ts_arena_phrase(arena, "%s", id), TS_SESSION_HOURS * 3600, arena, reply);
	go_to(reply, ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(to)));
}

void ts_sign_in_answer(const struct ts_sign_in *in, const struct ts_http_request *request, struct ts_arena *arena,
		       struct ts_http_reply *reply, const char **ret_page)
{
	*ret_page = NULL;
	if (ts_span_is(request->path, out_path)) {
		if (request->method == TS_HTTP_POST) {
			ts_sessions_end(in->sessions, ts_door_cookie(in->door, request));
			set_cookie(in, "", 0, arena, reply);
		}
		go_to(reply, in_path);
		return;
	}
	if (request->method == TS_HTTP_POST) {
		sign_in(in, request, arena, reply, ret_page);
		return;
	}
	reply->status = 200;
	*ret_page = form("", leads_to(field_of(request->query, "to", arena)), arena);
}
