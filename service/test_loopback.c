#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/clock.h"
#include "service/loopback.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int say_hello(void *ctx, struct ts_span bearer, struct ts_buf *out)
{
	if (bearer.len)
		ts_buf_printf(out, "%.*s: ", TS_SPAN_ARG(bearer));
	ts_buf_str(out, ctx);
	return 200;
}

static int say_no(void *ctx, struct ts_span bearer, struct ts_buf *out)
{
	(void)ctx, (void)bearer;
	ts_buf_str(out, "no\n");
	return 503;
}

static const struct ts_loopback_page pages[] = {{"/hello", "text/plain", say_hello}, {"/no", "text/plain", say_no}};

static int setup(void **state)
{
	static char text[] = "hello\n";
	struct ts_loopback *http;
	struct ts_error err;

	assert_int_equal(ts_loopback_start(0, pages, 2, text, &http, &err), TS_OK);
	*state = http;
	return 0;
}

static int teardown(void **state)
{
	ts_loopback_stop(*state);
	return 0;
}

static int dial(const struct ts_loopback *http)
{
	struct sockaddr_in name = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)ts_loopback_port(http)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&name, sizeof name), 0);
	return fd;
}

/* Reads to the end of the connection. */
static const char *hear(int fd, char *text, size_t size)
{
	size_t n = 0;
	ssize_t got;

	while (n + 1 < size && (got = read(fd, text + n, size - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	close(fd);
	return text;
}

static const char *ask(const struct ts_loopback *http, const char *request)
{
	static char text[8192];
	int fd = dial(http);

	assert_int_equal(write(fd, request, strlen(request)), (ssize_t)strlen(request));
	return hear(fd, text, sizeof text);
}

static void assert_starts(const char *text, const char *start)
{
	if (strncmp(text, start, strlen(start)) != 0)
		fail_msg("%s\ndoes not begin with %s", text, start);
}

static void pages_are_answered(void **state)
{
	const char *text = ask(*state, "GET /hello?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");

	assert_starts(text, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n");
	assert_string_equal(strstr(text, "\r\n\r\n") + 4, "hello\n");
	text = ask(*state, "HEAD /hello HTTP/1.1\r\n\r\n");
	assert_starts(text, "HTTP/1.1 200 OK");
	assert_string_equal(strstr(text, "\r\n\r\n") + 4, "");
	assert_starts(ask(*state, "GET /no HTTP/1.0\n\n"), "HTTP/1.1 503");
}

static void the_rest_is_refused(void **state)
{
	assert_starts(ask(*state, "GET /hell HTTP/1.1\r\n\r\n"), "HTTP/1.1 404");
	assert_starts(ask(*state, "GET /hello/ HTTP/1.1\r\n\r\n"), "HTTP/1.1 404");
	assert_starts(ask(*state, "GET  HTTP/1.1\r\n\r\n"), "HTTP/1.1 404");
	assert_starts(ask(*state, "POST /hello HTTP/1.1\r\n\r\n"), "HTTP/1.1 405");
	assert_starts(ask(*state, "\r\n\r\n"), "HTTP/1.1 405");
}

static void a_head_without_end_is_cut(void **state)
{
	struct ts_loopback *http = *state;
	char junk[8192], text[256];
	int fd = dial(http);

	memset(junk, 'a', sizeof junk);
	(void)!send(fd, junk, sizeof junk, MSG_NOSIGNAL);
	assert_string_equal(hear(fd, text, sizeof text), "");
	assert_starts(ask(http, "GET /hello HTTP/1.1\r\n\r\n"), "HTTP/1.1 200");
}

/* More than there are places: who asks is answered at once, who does not is left. */
static void half_requests_keep_nobody_out(void **state)
{
	enum { HALVES = 600, QUICK_MS = 100 };
	struct ts_loopback *http = *state;
	int halves[HALVES];
	int64_t began, longest = 0;
	char text[256];

	for (int i = 0; i < HALVES; i++) {
		halves[i] = dial(http);
		assert_int_equal(write(halves[i], "GET /h", 6), 6);
		if (i % 100 < 99)
			continue;
		began = ts_now_mono_ns();
		assert_starts(ask(http, "GET /hello HTTP/1.1\r\n\r\n"), "HTTP/1.1 200");
		longest = ts_now_mono_ns() - began > longest ? ts_now_mono_ns() - began : longest;
	}
	if (longest / 1000000 >= QUICK_MS)
		fail_msg("it took %d ms", (int)(longest / 1000000));
	(void)poll(NULL, 0, TS_LOOPBACK_SECONDS * 1000 + 200);
	assert_starts(ask(http, "GET /hello HTTP/1.1\r\n\r\n"), "HTTP/1.1 200");
	for (int i = 0; i < HALVES; i++)
		assert_string_equal(hear(halves[i], text, sizeof text), "");
}

static void another_hosts_name_is_refused(void **state)
{
	assert_starts(ask(*state, "GET /hello HTTP/1.1\r\nX: y\r\nhost: evil.example\r\n\r\n"), "HTTP/1.1 421");
	assert_starts(ask(*state, "GET /hello HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n"), "HTTP/1.1 421");
	assert_starts(ask(*state, "GET /hello HTTP/1.1\r\nHost: 127.0.0.1.evil\r\n\r\n"), "HTTP/1.1 421");
	assert_starts(ask(*state, "GET /hello HTTP/1.1\r\nHOST:LOCALHOST:9464\r\n\r\n"), "HTTP/1.1 200");
	assert_starts(ask(*state, "GET /hello HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), "HTTP/1.1 200");
}

static void a_token_is_shown_to_the_page(void **state)
{
	const char *text = ask(*state, "GET /hello HTTP/1.1\r\nAuthorization: Bearer abc\r\n\r\n");

	assert_string_equal(strstr(text, "\r\n\r\n") + 4, "abc: hello\n");
}

static void a_taken_port_is_said(void **state)
{
	struct ts_loopback *again;
	struct ts_error err;

	assert_int_equal(ts_loopback_start(ts_loopback_port(*state), pages, 2, NULL, &again, &err), TS_CONFLICT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pages_are_answered, setup, teardown),
		cmocka_unit_test_setup_teardown(the_rest_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_head_without_end_is_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(half_requests_keep_nobody_out, setup, teardown),
		cmocka_unit_test_setup_teardown(another_hosts_name_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_token_is_shown_to_the_page, setup, teardown),
		cmocka_unit_test_setup_teardown(a_taken_port_is_said, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
