/* web.h - pages in a browser: what verbs answer, at addresses that can be sent to somebody.
 *
 *	/p/PROJECT/runs?q=FILTER&sort=KEY	/p/PROJECT/r/NAME	/p/PROJECT/diff/A..B	/p/PROJECT/b/BRANCH
 *
 * routes.h has the table. Each address has a twin, the JSON document of the same verb: with .json behind its last part, or where
 * the client accepts application/json before HTML. This room knows no verb: it turns an address into the words of a command line, and
 * somebody who asks by them gives back the document.
 *
 * Who may ask: whoever has the token of the link that was printed, as a cookie or as a bearer token. Requests for another host
 * (DNS rebinding) and writes from another origin are refused.
 * Threads: ts_web_serve is one thread's; the function that asks is called by several at once.
 */
#ifndef TSCOPE_WEB_WEB_H
#define TSCOPE_WEB_WEB_H

#include "base/arena.h"
#include "base/buf.h"
#include "web/mlflow/tracking.h"

enum { TS_WEB_THREADS = 8, TS_WEB_TOKEN = 32, TS_WEB_HOSTS = 16 };

enum ts_web_form {
	TS_WEB_JSON,
	TS_WEB_PAGE,  /* a whole page, with links in its place for them */
	TS_WEB_TABLE, /* CSV, for the server itself */
	TS_WEB_FILE,  /* what the verb gives, as it is; where there is no answer, a page or, with json, a document says so */
};

struct ts_web_question {
	const char *const *words; /* of a command line, the verb first; "--html" and its like are not among them */
	size_t n; /* 0: no verb is asked, and the page or document says the error that ret_answer comes with */
	bool draws;	       /* the verb draws pages of its own; else its text becomes one */
	enum ts_web_form form;
	bool json; /* a document was asked for, also of a file, which has none */
	const char *title;     /* of a page that is made of text */
	const char *links;     /* HTML for the page's place for links */
	const char *body;      /* where no verb is asked: HTML of a page of that title, in the place of an error; NULL: none */
	const char *token;     /* whose token the server is asked with; NULL: what this program has itself */
	const char *session;   /* of who asks, for this room alone (sessions.h); NULL: none */
};

struct ts_web_answer {
	enum ts_status status; /* with err: there is no answer */
	struct ts_error err;
	struct ts_buf out;
	char style[80], script[80]; /* 'sha256-...' of the style and the script in the page; empty: none */
};

/* Fills *ret_answer; its out is freed by the caller, whatever the status. */
typedef void ts_web_ask_fn(void *ctx, const struct ts_web_question *question, struct ts_web_answer *ret_answer);

struct ts_web_wanted {
	const char *address;
	uint16_t port;
	const char *project;	  /* that / leads to */
	const char *route, *name; /* what the printed link leads to in it: "runs" and "", "r" and the name of a run, ... */
	const char *const *hosts; /* names that a request may be for, beside the address and those of loopback */
	size_t n_hosts;
	ts_web_ask_fn *ask;
	bool signs_in; /* users sign in with tokens of the server, and ask with these alone; else who has the link asks as we do */
	const struct ts_tracking_wanted *mlflow; /* what MLflow's clients log goes there; NULL: nowhere */
	/* Called once the server listens, with the link that opens it, or the address where users sign in. */
	void (*ready)(void *ctx, const char *link);
	void *ctx;
};

/* Serves until SIGINT or SIGTERM. */
enum ts_status ts_web_serve(const struct ts_web_wanted *wanted, struct ts_error *err);

#endif
