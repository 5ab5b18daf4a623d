/* http_server.h - a small HTTP/1.1 server: requests are answered by threads, and pages that stay open are told what is new.
 *
 *	const struct ts_http_wanted wanted = {.address = "127.0.0.1", .port = 8765, .answer = answer, .ctx = &web};
 *	ts_http_open(&wanted, &server, err)
 *	ts_http_run(server, err)	until SIGINT or SIGTERM
 *
 * What a client may cost is bounded: connections, the bytes of a request, the time from its first byte to its last, and the time
 * that it may take to read an answer. What is over is cut, and nothing waits for it.
 * Threads: open, run and close are one thread's; ts_http_tell and ts_http_topics are any thread's.
 */
#ifndef TSCOPE_WEB_HTTP_SERVER_H
#define TSCOPE_WEB_HTTP_SERVER_H

#include "base/arena.h"
#include "base/buf.h"
#include "web/own_user.h"

enum {
	TS_HTTP_HEADERS = 8,
	TS_HTTP_HEAD_MAX = 32 << 10, /* bytes of the line and the headers of a request */
	TS_HTTP_BODY_MAX = 1 << 20,
	TS_HTTP_FILE_MAX = 16 << 20, /* of a PUT */
	TS_HTTP_READ_MAX = 64 << 20, /* up to here a body that is too large is read, so that its client reads the answer */
	TS_HTTP_COMING_MAX = 128 << 20, /* bytes of all requests that are on their way here; the largest is cut then */
	TS_HTTP_REPLY_MAX = 256 << 20,
	TS_HTTP_GOING_MAX = 256 << 20, /* bytes of all answers on their way out; one more is 503 then, unless it is the only one */
	TS_HTTP_CONNECTIONS = 2048,
	TS_HTTP_TOPIC_MAX = 1024,
};

enum ts_http_method {
	TS_HTTP_GET, /* or HEAD; every other one writes */
	TS_HTTP_POST,
	TS_HTTP_PUT,   /* of a file */
	TS_HTTP_PATCH, /* as MLflow's clients send */
};

/* A request as it came: nothing is decoded. A header that was not sent is empty; of one that came twice the first counts. */
struct ts_http_request {
	enum ts_http_method method;
	bool too_large; /* its body was longer than it may be, and is not here */
	bool forwarded; /* a proxy says that it sent the request on */
	struct ts_ends ends;
	struct ts_span path, query; /* before and behind the '?' */
	struct ts_span host, origin, cookie, accept, authorization, fetch_site, type;
	struct ts_span body;
};

struct ts_http_header {
	const char *name;
	const char *value;
};

/* What a function that answers fills in. It is zeroed before, but for body, which is empty. */
struct ts_http_reply {
	int status;
	const char *type; /* NULL: plain text */
	struct ts_http_header headers[TS_HTTP_HEADERS];
	size_t n_headers;
	struct ts_buf body;
	/* Not NULL: the answer is a stream of events (text/event-stream) that stays open; ts_http_tell of this topic adds to it. */
	const char *topic;
	uint64_t seen; /* what of its topic the client of a stream has seen: any number that another state does not have */
};

/* Answers one request; called by several threads at once. What the reply points at lies in the arena, which lives until it was sent. */
typedef void ts_http_answer_fn(void *ctx, const struct ts_http_request *request, struct ts_arena *arena, struct ts_http_reply *reply);

struct ts_http_wanted {
	const char *address; /* numeric, of version 4 or 6 */
	uint16_t port;	     /* 0: any that is free */
	size_t threads;
	ts_http_answer_fn *answer;
	void *ctx;
};

struct ts_http;

/* Binds and listens. TS_UNAVAILABLE if the port is taken, TS_INVALID if the address is none of this machine. */
enum ts_status ts_http_open(const struct ts_http_wanted *wanted, struct ts_http **ret_server, struct ts_error *err);
uint16_t ts_http_port(const struct ts_http *server);
/* Serves until SIGINT or SIGTERM. */
enum ts_status ts_http_run(struct ts_http *server, struct ts_error *err);
/* Waits for the answers that are being made. */
void ts_http_close(struct ts_http *server);

/* What streams are open for. */
struct ts_http_topic {
	const char *name;
	uint64_t seen;
};

/* Sends one event to every stream of the topic whose client has seen something else than `now`, which it has seen then. The text has
 * one line. */
void ts_http_tell(struct ts_http *server, const char *topic, const char *text, uint64_t now);
/* The topics that streams are open for, each once for each state that clients have seen, sorted. */
enum ts_status ts_http_topics(struct ts_http *server, struct ts_arena *arena, struct ts_http_topic **ret_topics, size_t *ret_n,
			      struct ts_error *err);

#endif
