#include "service/http.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST = 4096 };

struct ts_http {
	const struct ts_http_page *pages;
	size_t n;
	void *ctx;
	int listener, wake;
	unsigned port;
	pthread_t thread;
};

/* Waits until fd is ready or the time is over. */
static bool ready(int fd, short events, int64_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = events};
	int64_t left = until_ns - ts_now_mono_ns();

	return left > 0 && poll(&p, 1, (int)(left / 1000000) + 1) == 1;
}

/* Reads up to the empty line that ends a request's head. False: too long, too slow, or gone. */
static bool read_head(int fd, char *head, int64_t until_ns)
{
	size_t n = 0;

	while (n + 1 < REQUEST && ready(fd, POLLIN, until_ns)) {
		ssize_t got = recv(fd, head + n, REQUEST - 1 - n, MSG_DONTWAIT);

		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		n += got > 0 ? (size_t)got : 0;
		head[n] = '\0';
		if (strstr(head, "\r\n\r\n") || strstr(head, "\n\n"))
			return true;
	}
	return false;
}

static void write_all(int fd, struct ts_span bytes, int64_t until_ns)
{
	for (size_t at = 0; at < bytes.len && ready(fd, POLLOUT, until_ns);) {
		ssize_t put = send(fd, bytes.data + at, bytes.len - at, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (put < 0 && errno != EAGAIN && errno != EINTR)
			return;
		at += put > 0 ? (size_t)put : 0;
	}
}

static const struct ts_http_page *page_of(const struct ts_http *http, const char *path, size_t len)
{
	for (size_t i = 0; i < http->n; i++)
		if (strlen(http->pages[i].path) == len && memcmp(http->pages[i].path, path, len) == 0)
			return &http->pages[i];
	return NULL;
}

/* Returns the status of the answer to a head, and what fills its body. */
static int route(const struct ts_http *http, const char *head, const struct ts_http_page **ret_page)
{
	bool only_head = strncmp(head, "HEAD ", 5) == 0;

	*ret_page = NULL;
	if (strncmp(head, "GET ", 4) != 0 && !only_head)
		return 405;
	head += only_head ? 5 : 4;
	*ret_page = page_of(http, head, strcspn(head, " ?\r\n"));
	return *ret_page ? 200 : 404;
}

static void answer(const struct ts_http *http, int fd, const char *head, int64_t until_ns)
{
	struct ts_buf body = TS_BUF_INIT(TS_HTTP_PAGE), out = TS_BUF_INIT(TS_HTTP_PAGE + 512);
	const struct ts_http_page *page;
	int status = route(http, head, &page);
	struct ts_error err;

	if (page)
		status = page->fill(http->ctx, &body);
	else
		ts_buf_str(&body, status == 404 ? "not found\n" : "only GET\n");
	if (ts_buf_check(&body, &err))
		status = 500;
	ts_buf_printf(&out, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", status,
		      status == 200 ? "OK" : "Error", page ? page->type : "text/plain", status == 500 ? 0 : body.len);
	if (status != 500 && strncmp(head, "HEAD ", 5) != 0)
		ts_buf_span(&out, ts_buf_view(&body));
	write_all(fd, ts_buf_view(&out), until_ns);
	ts_buf_finish(&body);
	ts_buf_finish(&out);
}

static void serve_one(const struct ts_http *http)
{
	int fd = accept4(http->listener, NULL, NULL, SOCK_CLOEXEC);
	int64_t until_ns = ts_now_mono_ns() + TS_HTTP_SECONDS * INT64_C(1000000000);
	char head[REQUEST] = "";

	if (fd < 0) {
		(void)poll(NULL, 0, 50); /* descriptors have run out: do not spin */
		return;
	}
	if (read_head(fd, head, until_ns))
		answer(http, fd, head, until_ns);
	close(fd);
}

static void *loop(void *arg)
{
	struct ts_http *http = arg;
	struct pollfd polls[] = {{.fd = http->listener, .events = POLLIN}, {.fd = http->wake, .events = POLLIN}};

	for (;;) {
		if (poll(polls, 2, -1) < 0)
			continue;
		if (polls[1].revents)
			return NULL;
		serve_one(http);
	}
}

static enum ts_status bind_port(struct ts_http *http, unsigned port, struct ts_error *err)
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
	if (listen(http->listener, 16) != 0 || getsockname(http->listener, (struct sockaddr *)&name, &len) != 0)
		return ts_error_errno(err, errno, "port %u of 127.0.0.1, for metrics", port);
	http->port = ntohs(name.sin_port);
	return TS_OK;
}

static void release(struct ts_http *http)
{
	if (http->listener >= 0)
		close(http->listener);
	if (http->wake >= 0)
		close(http->wake);
	ts_free(http);
}

enum ts_status ts_http_start(unsigned port, const struct ts_http_page *pages, size_t n, void *ctx, struct ts_http **ret_http,
			     struct ts_error *err)
{
	struct ts_http *http = ts_alloc_array(1, sizeof *http);
	int errnum;

	if (!http)
		return ts_error_set(err, TS_NO_MEMORY, "no memory for metrics");
	*http = (struct ts_http){.pages = pages, .n = n, .ctx = ctx, .listener = -1, .wake = -1};
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

unsigned ts_http_port(const struct ts_http *http)
{
	return http->port;
}

void ts_http_stop(struct ts_http *http)
{
	uint64_t one = 1;

	if (!http)
		return;
	(void)!write(http->wake, &one, sizeof one);
	pthread_join(http->thread, NULL);
	release(http);
}
