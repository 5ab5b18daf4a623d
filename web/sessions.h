/* sessions.h - who has signed in: the token of a server under which a browser's requests go, known by a session that the browser keeps.
 *
 * A session lives for TS_SESSION_HOURS, and there are at most TS_SESSIONS, of which the oldest goes when one more begins. They are in
 * memory alone: a new start of the program knows none. What the browser has is random and not kept here, only its digest is.
 * Threads: any number.
 */
#ifndef TSCOPE_WEB_SESSIONS_H
#define TSCOPE_WEB_SESSIONS_H

#include "base/error.h"
#include "base/span.h"

enum {
	TS_SESSIONS = 4096,
	TS_SESSION_HOURS = 12,
	TS_SESSION_TOKEN = 128, /* bytes of texts, their NUL included */
	TS_SESSION_WHO = 160,
	TS_SESSION_ID = 65,
	TS_SESSION_KEY = 17,
};

struct ts_sessions;

struct ts_session {
	char token[TS_SESSION_TOKEN];
	char who[TS_SESSION_WHO];
	char key[TS_SESSION_KEY]; /* names the session within this process, and opens nothing */
};

enum ts_status ts_sessions_open(struct ts_sessions **ret, struct ts_error *err);
void ts_sessions_close(struct ts_sessions *sessions);
/* TS_INVALID for a token that is too long to be one. ret_id: what the browser keeps. */
enum ts_status ts_sessions_begin(struct ts_sessions *sessions, struct ts_span token, struct ts_span who, int64_t now_ns,
				 char ret_id[TS_SESSION_ID], struct ts_error *err);
/* False: there is none, or not any more. */
bool ts_sessions_find(struct ts_sessions *sessions, struct ts_span id, int64_t now_ns, struct ts_session *ret);
bool ts_sessions_of_key(struct ts_sessions *sessions, const char *key, int64_t now_ns, struct ts_session *ret);
void ts_sessions_end(struct ts_sessions *sessions, struct ts_span id);

#endif
