#include "service/loopback.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST = 4096, CLIENTS = 256, BACKLOG = 128 };

struct client {
	int fd; /* -1: the slot is free */
	int64_t until_ns;
	size_t n; /* bytes of the head */
	char head[REQUEST];
	bool answering;
	struct ts_buf out;
	size_t put; /* bytes of it that were sent */
};

struct ts_loopback {
	const struct ts_loopback_page *pages;
	size_t n;
	void *ctx;
	int listener, wake;
	unsigned port;
	pthread_t thread;
	struct client clients[CLIENTS];
};

static void drop(struct client *c)
{
	close(c->fd);
	c->fd = -1;
	ts_buf_finish(&c->out);
}

/* Reads what has come of a head. False: it is too long, or the client is gone; *ret_whole: up to its empty line. */
static bool read_head(struct client *c, bool *ret_whole)
{
	ssize_t got = recv(c->fd, c->head + c->n, REQUEST - 1 - c->n, MSG_DONTWAIT);

	*ret_whole = false;
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		return false;
	c->n += got > 0 ? (size_t)got : 0;
	c->head[c->n] = '\0';
	*ret_whole = strstr(c->head, "\r\n\r\n") || strstr(c->head, "\n\n");
	return *ret_whole || c->n + 1 < REQUEST;
}

/* Sends what the client takes now. False: that was all, or it is gone. */
static bool write_more(struct client *c)
{
	ssize_t put = send(c->fd, c->out.data + c->put, c->out.len - c->put, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (put < 0)
		return errno == EAGAIN || errno == EINTR;
	c->put += (size_t)put;
	return c->put < c->out.len;
}

/* The value of a field of a head; empty: there is none. */
static struct ts_span field_of(const char *head, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = strchr(head, '\n'); at; at = strchr(at + 1, '\n')) {
		const char *value = at + 1 + len + 1;

		if (strncasecmp(at + 1, name, len) != 0 || at[1 + len] != ':')
			continue;
		value += strspn(value, " \t");
		return ts_span_of(value, strcspn(value, "\r\n"));
	}
	return ts_span_of(NULL, 0);
}

/* A page of another site that gave its name this address would ask under that name. */
static bool is_here(struct ts_span host)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t len = strlen(names[i]);

		if (host.len >= len && strncasecmp((const char *)host.data, names[i], len) == 0 &&
		    (host.len == len || host.data[len] == ':'))
			return true;
	}
	return host.len == 0;
}

static const struct ts_loopback_page *page_of(const struct ts_loopback *http, const char *path, size_t len)
{
	for (size_t i = 0; i < http->n; i++)
		if (strlen(http->pages[i].path) == len && memcmp(http->pages[i].path, path, len) == 0)
			return &http->pages[i];
	return NULL;
}

/* Returns the status of the answer to a head, and what fills its body. */
static int route(const struct ts_loopback *http, const char *head, const struct ts_loopback_page **ret_page)
{
	bool only_head = strncmp(head, "HEAD ", 5) == 0;

	*ret_page = NULL;
	if (!is_here(field_of(head, "Host")))
		return 421;
	if (strncmp(head, "GET ", 4) != 0 && !only_head)
		return 405;
	head += only_head ? 5 : 4;
	*ret_page = page_of(http, head, strcspn(head, " ?\r\n"));
	return *ret_page ? 200 : 404;
}

static const char *refusal(int status)
{
	return status == 404   ? "not found\n"
	       : status == 421 ? "ask by the name localhost or 127.0.0.1\n"
			       : "only GET\n";
}

static struct ts_span bearer_of(const char *head)
{
	struct ts_span value = field_of(head, "Authorization");

	return ts_span_starts(value, ts_span_str("Bearer ")) ? ts_span_from(value, 7) : ts_span_of(NULL, 0);
}

/* Makes the answer to a whole head. */
static void answer(const struct ts_loopback *http, struct client *c)
{
	struct ts_buf body = TS_BUF_INIT(TS_LOOPBACK_PAGE);
	const struct ts_loopback_page *page;
	int status = route(http, c->head, &page);
	struct ts_error err;

	if (page)
		status = page->fill(http->ctx, bearer_of(c->head), &body);
	else
		ts_buf_str(&body, refusal(status));
	if (ts_buf_check(&body, &err))
		status = 500;
	ts_buf_printf(&c->out, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", status,
		      status == 200 ? "OK" : "Error", page ? page->type : "text/plain", status == 500 ? 0 : body.len);
	if (status != 500 && strncmp(c->head, "HEAD ", 5) != 0)
		ts_buf_span(&c->out, ts_buf_view(&body));
	ts_buf_finish(&body);
	c->answering = !ts_buf_check(&c->out, &err);
	c->put = 0;
}

/* Goes on with a client that is ready; false: it is done with. */
static bool go_on(const struct ts_loopback *http, struct client *c)
{
	bool whole;

	if (!c->answering) {
		if (!read_head(c, &whole))
			return false;
		if (!whole)
			return true;
		answer(http, c);
		if (!c->answering)
			return false;
	}
	return write_more(c);
}

/* A free slot, or that of whoever has kept one longest, who first of all has not asked yet. */
static struct client *slot_for_one(struct ts_loopback *http)
{
	struct client *best = &http->clients[0];

	for (size_t i = 0; i < CLIENTS; i++) {
		struct client *c = &http->clients[i];

		if (c->fd < 0)
			return c;
		if (c->answering != best->answering ? best->answering : c->until_ns < best->until_ns)
			best = c;
	}
	drop(best);
	return best;
}

static void accept_one(struct ts_loopback *http)
{
	int fd = accept4(http->listener, NULL, NULL, SOCK_CLOEXEC);
	struct client *c;

	if (fd < 0) {
		(void)poll(NULL, 0, 50); /* descriptors have run out: do not spin */
		return;
	}
	c = slot_for_one(http);
	c->fd = fd;
	c->until_ns = ts_now_mono_ns() + TS_LOOPBACK_SECONDS * INT64_C(1000000000);
	c->n = 0;
	c->answering = false;
	c->out = TS_BUF_INIT(TS_LOOPBACK_PAGE + 512);
}

static void drop_late(struct ts_loopback *http)
{
	int64_t now = ts_now_mono_ns();

	for (size_t i = 0; i < CLIENTS; i++)
		if (http->clients[i].fd >= 0 && http->clients[i].until_ns <= now)
			drop(&http->clients[i]);
}

/* Milliseconds until somebody's time is over; -1: nobody is there. */
static int wait_for(const struct ts_loopback *http)
{
	int64_t first = INT64_MAX, left;

	for (size_t i = 0; i < CLIENTS; i++)
		if (http->clients[i].fd >= 0 && http->clients[i].until_ns < first)
			first = http->clients[i].until_ns;
	if (first == INT64_MAX)
		return -1;
	left = first - ts_now_mono_ns();
	return left > 0 ? (int)(left / 1000000) + 1 : 0;
}

static void *loop(void *arg)
{
	enum { OWN = 2 };
	struct ts_loopback *http = arg;
	struct pollfd polls[OWN + CLIENTS] = {{.fd = http->listener, .events = POLLIN}, {.fd = http->wake, .events = POLLIN}};

	for (;;) {
		for (size_t i = 0; i < CLIENTS; i++)
			polls[OWN + i] = (struct pollfd){.fd = http->clients[i].fd,
							 .events = http->clients[i].answering ? POLLOUT : POLLIN};
		if (poll(polls, OWN + CLIENTS, wait_for(http)) < 0)
			continue;
		if (polls[1].revents)
			return NULL;
		for (size_t i = 0; i < CLIENTS; i++)
			if (polls[OWN + i].revents && http->clients[i].fd >= 0 && !go_on(http, &http->clients[i]))
				drop(&http->clients[i]);
		drop_late(http);
		if (polls[0].revents)
			accept_one(http);
	}
}

static enum ts_status bind_port(struct ts_loopback *http, unsigned port, struct ts_error *err)
{
	struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof name;
	int one = 1;

	http->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	http->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (http->listener < 0 || http->wake < 0)
		return ts_error_errno(err, errno, "sockets for metrics");
	(void)setsockopt(http->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(http->listener, (struct sockaddr *)&name, sizeof name) != 0)
		return errno == EADDRINUSE ? ts_error_set(err, TS_CONFLICT, "port %u of 127.0.0.1, for metrics, is taken", port)
					   : ts_error_errno(err, errno, "port %u of 127.0.0.1, for metrics", port);
	if (listen(http->listener, BACKLOG) != 0 || getsockname(http->listener, (struct sockaddr *)&name, &len) != 0)
		return ts_error_errno(err, errno, "port %u of 127.0.0.1, for metrics", port);
	http->port = ntohs(name.sin_port);
	return TS_OK;
}

static void release(struct ts_loopback *http)
{
	if (http->listener >= 0)
		close(http->listener);
	if (http->wake >= 0)
		close(http->wake);
	for (size_t i = 0; i < CLIENTS; i++)
		if (http->clients[i].fd >= 0)
			drop(&http->clients[i]);
	ts_free(http);
}

enum ts_status ts_loopback_start(unsigned port, const struct ts_loopback_page *pages, size_t n, void *ctx,
				 struct ts_loopback **ret_http, struct ts_error *err)
{
	struct ts_loopback *http = ts_alloc_array(1, sizeof *http);
	int errnum;

	if (!http)
		return ts_error_set(err, TS_NO_MEMORY, "no memory for metrics");
	http->pages = pages;
	http->n = n;
	http->ctx = ctx;
	http->listener = http->wake = -1;
	for (size_t i = 0; i < CLIENTS; i++)
		http->clients[i].fd = -1;
	if (bind_port(http, port, err)) {
		release(http);
		return err->status;
	}
	errnum = pthread_create(&http->thread, NULL, loop, http);
	if (errnum) {
		release(http);
		return ts_error_errno(err, errnum, "start the thread of metrics");
	}
	*ret_http = http;
	return TS_OK;
}

unsigned ts_loopback_port(const struct ts_loopback *http)
{
	return http->port;
}

void ts_loopback_stop(struct ts_loopback *http)
{
	uint64_t one = 1;

	if (!http)
		return;
	(void)!write(http->wake, &one, sizeof one);
	pthread_join(http->thread, NULL);
	release(http);
}
