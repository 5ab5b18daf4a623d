/* sign_in.h - who asks, where users sign in: a token of the server that pages are of, in a header or under a session, and the page on
 * which a browser's user gives it.
 *
 *	/sign-in	a form; POST begins a session and sets its cookie
 *	/sign-out	POST ends it
 *
 * Which token is good, and what it may do, the server says (`tscope whoami`); nothing is decided here.
 */
#ifndef TSCOPE_WEB_SIGN_IN_H
#define TSCOPE_WEB_SIGN_IN_H

#include "web/admit.h"
#include "web/http_server.h"
#include "web/sessions.h"
#include "web/web.h"

/* Whether the request has a token or a session; *ret is then whose. A token of a header is not tried here. */
bool ts_sign_in_who(struct ts_sessions *sessions, const struct ts_door *door, const struct ts_http_request *request,
		    struct ts_session *ret);
bool ts_sign_in_is(struct ts_span path);
/* Answers both addresses. The body of what it says is HTML for a page of that title; without one the reply is whole. */
struct ts_sign_in {
	struct ts_sessions *sessions;
	const struct ts_door *door;
	const struct ts_web_wanted *wanted;
};
void ts_sign_in_answer(const struct ts_sign_in *in, const struct ts_http_request *request, struct ts_arena *arena,
		       struct ts_http_reply *reply, const char **ret_page);
/* Asks the server who has a token; TS_DENIED: nobody. */
enum ts_status ts_sign_in_try(const struct ts_web_wanted *wanted, struct ts_span token, struct ts_arena *arena, struct ts_span *ret_who,
			      struct ts_error *err);
/* The address of the form, which leads back to what was asked for. */
const char *ts_sign_in_address(const struct ts_http_request *request, struct ts_arena *arena);

#endif
