/* admit.h - who may come in: the token of the link that was printed, the host that was meant, and from which page a request comes. */
#ifndef TSCOPE_WEB_ADMIT_H
#define TSCOPE_WEB_ADMIT_H

#include "web/http_server.h"
#include "web/web.h"

enum { TS_DOOR_TOKEN_TEXT = 2 * TS_WEB_TOKEN + 1 };

struct ts_door {
	char token[TS_DOOR_TOKEN_TEXT]; /* hex digits */
	char cookie[32];		/* its name, with the port: servers on one host do not take each other's */
	uint16_t port;
	const char *address;
	const char *const *hosts;
	size_t n_hosts;
	bool signs_in; /* the token opens nothing: users have tokens of their own (sign_in.h) */
};

enum ts_admission {
	TS_DOOR_IN,
	TS_DOOR_LINK, /* it came by the link: a cookie is to be set, and the token taken out of the address */
	TS_DOOR_STRANGER,
	TS_DOOR_OTHER_HOST, /* the request is for a name that is not ours: a page elsewhere may have had it resolved to this machine */
	TS_DOOR_OTHER_PAGE, /* a write that a page of another origin sends */
};

/* Makes a token that nobody can guess. */
enum ts_status ts_door_make(struct ts_door *door, struct ts_error *err);
/* The value of this server's cookie, and the token of the header; empty: there is none. */
struct ts_span ts_door_cookie(const struct ts_door *door, const struct ts_http_request *request);
struct ts_span ts_door_bearer(const struct ts_http_request *request);
/* Whether a program of the same user on this machine asks, and no page: MLflow's clients need no token then. False behind a proxy. */
bool ts_door_owns(const struct ts_door *door, const struct ts_http_request *request);
enum ts_admission ts_door_ask(const struct ts_door *door, const struct ts_http_request *request);

#endif
