/* The server with a real client: what each kind of call does, and what it says when it cannot. */
#include "service/rpc/testing.h"

#include "base/clock.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/user.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct testing t;
static struct ts_channel *ch;
static char text[256];

static int setup(void **state)
{
	(void)state;
	testing_init(&t);
	testing_start(&t);
	ch = testing_client(t.unix_address);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (ch)
		ch->ops->destroy(ch);
	ch = NULL;
	testing_finish(&t);
	return 0;
}

static void unary_inline_and_in_the_pool(void **state)
{
	(void)state;
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("hello"), text), TS_OK);
	assert_string_equal(text, "hello");
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_str("from the pool"), text), TS_OK);
	assert_string_equal(text, "from the pool");
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_of(NULL, 0), text), TS_OK);
	assert_string_equal(text, "");
}

/* The pool gets the whole request, even if a quick answer was tried before. */
static void a_quick_answer_or_one_from_the_pool(void **state)
{
	char longest[TS_QUICK_BYTES + 1];

	(void)state;
	memset(longest, 'q', sizeof longest);
	assert_int_equal(testing_call(ch, "Quick", ts_span_str("q?"), text), TS_OK);
	assert_string_equal(text, "quick");
	assert_int_equal(testing_call(ch, "Quick", ts_span_str("not at once"), text), TS_OK);
	assert_string_equal(text, "not at once");
	assert_int_equal(testing_call(ch, "Quick", ts_span_of(NULL, 0), text), TS_OK);
	assert_string_equal(text, "");
	assert_int_equal(testing_call(ch, "Quick", ts_span_of(longest, TS_QUICK_BYTES), text), TS_OK);
	assert_string_equal(text, "quick");
	assert_int_equal(testing_call(ch, "Quick", ts_span_of(longest, sizeof longest), text), TS_OK);
	assert_memory_equal(text, longest, 255); /* too long for a quick answer */
}

static void tcp_serves_the_same(void **state)
{
	struct ts_channel *tcp = testing_client(testing_tcp(&t));

	(void)state;
	assert_int_equal(testing_call(tcp, "PoolEcho", ts_span_str("x"), text), TS_OK);
	assert_string_equal(text, "x");
	tcp->ops->destroy(tcp);
}

static void the_caller_is_named(void **state)
{
	struct ts_channel *tcp = testing_client(testing_tcp(&t));
	char want[TS_USER_TEXT];

	(void)state;
	ts_user_name(getuid(), want);
	assert_int_equal(testing_call(ch, "Who", ts_span_str("?"), text), TS_OK);
	assert_string_equal(text, want);
	assert_int_equal(testing_call(tcp, "Who", ts_span_str("?"), text), TS_OK);
	assert_memory_equal(text, "127.0.0.1:", 10);
	tcp->ops->destroy(tcp);
}

/* Every status and its text arrive as the handler returned them. */
static void statuses_cross(void **state)
{
	(void)state;
	for (int s = TS_INVALID; s <= TS_INTERNAL; s++) {
		char request[64], want[64];
		int n = snprintf(want, sizeof want, "reason %d: 100%% \xc3\xa9", s);

		request[0] = (char)s;
		memcpy(request + 1, want, (size_t)n);
		assert_int_equal(testing_call(ch, "Fail", ts_span_of(request, (size_t)n + 1), text), s);
		assert_memory_equal(text, want, (size_t)n);
		/* Of what went wrong in the server, its log may say more. */
		if (s == TS_DAMAGED || s == TS_NO_MEMORY || s == TS_IO || s == TS_FULL || s == TS_INTERNAL)
			assert_memory_equal(text + n, " (call ", 7);
		else
			assert_string_equal(text, want);
	}
}

static void unknown_methods_are_told_at_once(void **state)
{
	int64_t began = ts_now_mono_ns();

	(void)state;
	assert_int_equal(testing_call(ch, "NoSuchMethod", ts_span_str(""), text), TS_UNSUPPORTED);
	assert_non_null(strstr(text, "no such method"));
	assert_true(ts_now_mono_ns() - began < 20000000000); /* its time limit is 60 s */
}

static enum ts_status sum_of(unsigned messages, size_t size, const char *last)
{
	struct ts_upload *upload;
	struct ts_span reply = {NULL, 0};
	struct ts_arena arena;
	struct ts_error err = {.text = ""};
	enum ts_status status;
	char *bytes = calloc(1, size + 1);

	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_OK);
	for (unsigned i = 0; i < messages; i++) {
		status = ch->ops->upload_send(upload, ts_span_of(bytes, size), &err);
		if (status)
			break;
	}
	if (last)
		(void)ch->ops->upload_send(upload, ts_span_str(last), &err);
	status = ch->ops->upload_finish(upload, &arena, &reply, &err);
	(void)snprintf(text, sizeof text, "%.*s", (int)(status ? strlen(err.text) : reply.len),
		       status ? err.text : (const char *)reply.data);
	ts_arena_finish(&arena);
	free(bytes);
	return status;
}

static void uploads_arrive_whole(void **state)
{
	(void)state;
	atomic_store(&testing_opened, 0);
	atomic_store(&testing_dropped, 0);
	assert_int_equal(sum_of(0, 1, NULL), TS_OK);
	assert_string_equal(text, "0 0");
	assert_int_equal(sum_of(1, 0, NULL), TS_OK);
	assert_string_equal(text, "1 0");
	assert_int_equal(sum_of(40, 1 << 20, NULL), TS_OK);
	assert_string_equal(text, "40 41943040");
	assert_int_equal(sum_of(2000, 100, NULL), TS_OK);
	assert_string_equal(text, "2000 200000");
	assert_int_equal(atomic_load(&testing_opened), 4);
	assert_int_equal(atomic_load(&testing_dropped), 4);
}

static void a_refused_upload_says_why(void **state)
{
	(void)state;
	assert_int_equal(sum_of(3, 10, "bad"), TS_DAMAGED);
	assert_memory_equal(text, "message 4 is bad", 16);
}

/* An upload that was cut off does not count as complete: the handler is not told of an end. */
static void an_upload_can_be_given_up(void **state)
{
	struct ts_upload *upload;
	struct ts_error err;

	(void)state;
	atomic_store(&testing_opened, 0);
	atomic_store(&testing_closed, 0);
	atomic_store(&testing_dropped, 0);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_OK);
	assert_int_equal(ch->ops->upload_send(upload, ts_span_str("one"), &err), TS_OK);
	for (int i = 0; i < 4000 && atomic_load(&testing_opened) == 0; i++)
		(void)poll(NULL, 0, 5);
	ch->ops->upload_cancel(upload);
	for (int i = 0; i < 4000 && ts_server_calls(t.server) > 0; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(ts_server_calls(t.server), 0);
	assert_int_equal(atomic_load(&testing_opened), atomic_load(&testing_dropped));
	assert_int_equal(atomic_load(&testing_closed), 0);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("still here"), text), TS_OK);
}

struct counted {
	unsigned n, wrong, stop_at;
	size_t size;
};

static enum ts_status on_counted(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct counted *c = ctx;

	if (message.len != c->size || (message.len && message.data[message.len - 1] != (c->n & 255)))
		c->wrong++;
	if (++c->n == c->stop_at)
		return ts_error_set(err, TS_FULL, "enough");
	return TS_OK;
}

static enum ts_status count_down(uint32_t n, uint32_t size, struct counted *c)
{
	uint8_t request[8];
	struct ts_error err;
	enum ts_status status;

	ts_store_u32(request, n);
	ts_store_u32(request + 4, size);
	c->size = size;
	status = ch->ops->download(ch, "Count", ts_span_of(request, 8), on_counted, c, &err);
	(void)snprintf(text, sizeof text, "%.255s", status ? err.text : "");
	return status;
}

static void downloads_arrive_in_order(void **state)
{
	struct counted none = {0}, small = {0}, big = {0};

	(void)state;
	assert_int_equal(count_down(0, 1, &none), TS_OK);
	assert_int_equal(none.n, 0);
	assert_int_equal(count_down(1000, 10, &small), TS_OK);
	assert_int_equal(small.n, 1000);
	assert_int_equal(small.wrong, 0);
	assert_int_equal(count_down(30, 1 << 20, &big), TS_OK);
	assert_int_equal(big.n, 30);
	assert_int_equal(big.wrong, 0);
}

static void a_download_can_be_stopped(void **state)
{
	struct counted c = {.stop_at = 3};

	(void)state;
	assert_int_equal(count_down(1000, 1 << 16, &c), TS_FULL);
	assert_string_equal(text, "enough");
	assert_int_equal(c.n, 3);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("still here"), text), TS_OK);
}

static enum ts_status call_within(const char *method, int64_t limit_ms)
{
	struct ts_arena arena;
	struct ts_span reply = {NULL, 0};
	struct ts_error err;
	enum ts_status status;

	ts_arena_init(&arena, 1 << 20);
	status = ts_client_call(ch, method, ts_span_str("x"), limit_ms * 1000000, &arena, &reply, &err);
	(void)snprintf(text, sizeof text, "%.*s", status ? (int)strlen(err.text) : (int)reply.len,
		       status ? err.text : (const char *)reply.data);
	ts_arena_finish(&arena);
	return status;
}

static void deadlines_reach_the_handler(void **state)
{
	int stopped = atomic_load(&testing_stopped);

	(void)state;
	assert_int_equal(call_within("Left", 30000), TS_OK);
	assert_in_range(atoi(text), 20000, 31000); /* the header has few digits and is rounded up */
	assert_int_equal(call_within("Sleep", 100), TS_DEADLINE);
	for (int i = 0; i < 2000 && atomic_load(&testing_stopped) == stopped; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(atomic_load(&testing_stopped), stopped + 1);
}

/* The tests write HTTP/2 by hand, for clients that behave as the tscope client never does. */
static size_t frame(uint8_t *at, uint8_t type, uint8_t flags, uint32_t stream, const uint8_t *payload, size_t n)
{
	at[0] = 0;
	at[1] = (uint8_t)(n >> 8);
	at[2] = (uint8_t)n;
	at[3] = type;
	at[4] = flags;
	for (int i = 0; i < 4; i++)
		at[5 + i] = (uint8_t)(stream >> (24 - 8 * i));
	if (n)
		memcpy(at + 9, payload, n);
	return n + 9;
}

static size_t header(uint8_t *at, const char *key, const char *value)
{
	size_t k = strlen(key), v = strlen(value);

	at[0] = 0x10;
	at[1] = (uint8_t)k;
	memcpy(at + 2, key, k);
	at[2 + k] = (uint8_t)v;
	memcpy(at + 3 + k, value, v);
	return k + v + 3;
}

/* Writes the HEADERS of a call, in literal never-indexed fields. */
static size_t headers(uint8_t *at, uint32_t stream, const char *path)
{
	uint8_t block[512];
	size_t b = 0;

	b += header(block + b, ":method", "POST");
	b += header(block + b, ":scheme", "http");
	b += header(block + b, ":path", path);
	b += header(block + b, ":authority", "x");
	b += header(block + b, "te", "trailers");
	b += header(block + b, "content-type", "application/grpc");
	return frame(at, 1, 4, stream, block, b);
}

/* Writes the connection preface and empty SETTINGS. */
static size_t preface(uint8_t *at)
{
	memcpy(at, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
	return 24 + frame(at + 24, 4, 0, 0, NULL, 0);
}

/* The client vanishes in the middle of a call that has no deadline. */
static void cancellation_reaches_the_handler(void **state)
{
	int stopped = atomic_load(&testing_stopped), sleeping = atomic_load(&testing_sleeping);
	int fd = testing_connect(t.unix_address);
	uint8_t out[1024];
	size_t n;

	(void)state;
	n = preface(out);
	n += headers(out + n, 1, "/tscope.v1.Tscope/Sleep");
	n += frame(out + n, 0, 1, 1, (const uint8_t *)"\0\0\0\0\1x", 6);
	assert_int_equal(write(fd, out, n), n);
	for (int i = 0; i < 2000 && atomic_load(&testing_sleeping) == sleeping; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(atomic_load(&testing_sleeping), sleeping + 1);
	assert_int_equal(atomic_load(&testing_stopped), stopped);
	close(fd);
	for (int i = 0; i < 2000 && atomic_load(&testing_stopped) == stopped; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(atomic_load(&testing_stopped), stopped + 1);
}

/* Owners of the policy: this test, the server until it gets another one, and each call that it judged. */
static void a_call_keeps_the_policy_that_it_began_with(void **state)
{
	struct ts_shared_policy *before, *after;
	struct ts_error err;
	int sleeping = atomic_load(&testing_sleeping);
	uint8_t out[1024];
	size_t n;
	int fd;

	(void)state;
	assert_int_equal(ts_shared_policy_create(&before, &err), TS_OK);
	assert_int_equal(ts_shared_policy_create(&after, &err), TS_OK);
	ts_server_set_policy(t.server, before);
	assert_int_equal(atomic_load(&before->owners), 2);
	fd = testing_connect(t.unix_address);
	n = preface(out);
	n += headers(out + n, 1, "/tscope.v1.Tscope/Sleep");
	n += frame(out + n, 0, 1, 1, (const uint8_t *)"\0\0\0\0\1x", 6);
	assert_int_equal(write(fd, out, n), n);
	for (int i = 0; i < 2000 && atomic_load(&testing_sleeping) == sleeping; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(atomic_load(&before->owners), 3);
	ts_server_set_policy(t.server, after);
	assert_int_equal(atomic_load(&before->owners), 2);
	close(fd);
	for (int i = 0; i < 2000 && atomic_load(&before->owners) > 1; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(atomic_load(&before->owners), 1);
	assert_int_equal(atomic_load(&after->owners), 2);
	ts_shared_policy_release(before);
	ts_shared_policy_release(after);
}

static void too_long_is_refused_on_both_sides(void **state)
{
	char *bytes = calloc(1, TS_MESSAGE_MAX + 1);
	uint8_t want[4];

	(void)state;
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_of(bytes, TS_MESSAGE_MAX + 1), text), TS_TOO_LARGE);
	ts_store_u32(want, TS_MESSAGE_MAX + 1);
	assert_int_equal(testing_call(ch, "Blob", ts_span_of(want, 4), text), TS_TOO_LARGE);
	assert_non_null(strstr(text, "4194304"));
	/* A message of exactly the maximum size passes in both directions. */
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_of(bytes, TS_MESSAGE_MAX), text), TS_OK);
	free(bytes);
}

static void a_call_has_a_ceiling_of_memory(void **state)
{
	(void)state;
	assert_int_equal(testing_call(ch, "Alloc", ts_span_of("\x20", 1), text), TS_OK);
	assert_int_equal(testing_call(ch, "Alloc", ts_span_of("\x41", 1), text), TS_NO_MEMORY);
	assert_int_equal(testing_call(ch, "Diff", ts_span_of("\x41", 1), text), TS_OK);
}

static void a_read_only_server_does_not_write(void **state)
{
	(void)state;
	assert_int_equal(testing_call(ch, "Write", ts_span_str("w"), text), TS_OK);
	ch->ops->destroy(ch);
	ts_server_destroy(t.server);
	t.facts.read_only = true;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(testing_call(ch, "Write", ts_span_str("w"), text), TS_DENIED);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("r"), text), TS_OK);
}

static void garbage_on_the_port_is_shrugged_off(void **state)
{
	static const char *const garbage[] = {
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"",
	};

	(void)state;
	for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
		int fd = testing_connect(testing_tcp(&t));
		struct pollfd p = {.fd = fd, .events = POLLIN};
		char byte[512];

		assert_int_equal(write(fd, garbage[i], strlen(garbage[i])), strlen(garbage[i]));
		if (i == 3) {
			close(fd);
			continue;
		}
		/* The server closes the connection, after it has sent its HTTP/2 frames. */
		for (;;) {
			assert_int_equal(poll(&p, 1, 10000), 1);
			if (read(fd, byte, sizeof byte) <= 0)
				break;
		}
		close(fd);
	}
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("fine"), text), TS_OK);
}

/* With RST_STREAM in place of DATA, the call arrives without a payload, but with success. */
static void a_reset_before_the_message_does_no_harm(void **state)
{
	static const uint8_t reset[4] = {0, 0, 0, 8};
	static const char *const paths[] = {"/tscope.v1.Tscope/Echo", "/tscope.v1.Tscope/PoolEcho", "/tscope.v1.Tscope/Sum",
					    "/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch", "/no/such",
					    "/tscope.v1.Tscope/Quick"};
	uint8_t out[16384];
	int fd = testing_connect(t.unix_address);
	size_t n = preface(out);

	(void)state;
	for (uint32_t i = 0; i < 70; i++) {
		n += headers(out + n, 2 * i + 1, paths[i % 7]);
		n += frame(out + n, 3, 0, 2 * i + 1, reset, 4);
		assert_true(n < sizeof out - 600);
	}
	assert_int_equal(write(fd, out, n), n);
	(void)poll(NULL, 0, 300);
	close(fd);
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_str("alive"), text), TS_OK);
	for (int i = 0; i < 2000 && ts_server_calls(t.server) > 0; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(ts_server_calls(t.server), 0);
}

static void a_second_server_is_refused(void **state)
{
	struct ts_server *second = NULL;
	struct ts_server_options options = t.options;
	char address[80];
	struct ts_listener tcp = {.address = address};
	struct ts_error err;

	(void)state;
	(void)snprintf(address, sizeof address, "tcp:%s", testing_tcp(&t));
	options.n_listeners = 1;
	assert_int_equal(ts_server_create(&options, &second, &err), TS_CONFLICT);
	assert_non_null(strstr(err.text, t.socket));
	assert_null(second);
	options.listeners = &tcp;
	assert_int_equal(ts_server_create(&options, &second, &err), TS_CONFLICT);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("the first still serves"), text), TS_OK);
}

static void a_stale_socket_is_replaced_and_a_file_is_not(void **state)
{
	struct testing u;
	struct ts_server *server = NULL;
	struct ts_channel *other;
	struct ts_error err;
	struct stat st;
	int fd;

	(void)state;
	testing_init(&u);
	testing_start(&u);
	assert_int_equal(stat(u.socket, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0660);
	ts_server_destroy(u.server);
	u.server = NULL;
	assert_int_not_equal(stat(u.socket, &st), 0);
	/* The file is what a killed server leaves. */
	{
		struct ts_listener stale = {.address = u.unix_address};
		struct ts_server_options options = u.options;
		char moved[96];

		options.listeners = &stale;
		options.n_listeners = 1;
		assert_int_equal(ts_server_create(&options, &server, &err), TS_OK);
		(void)snprintf(moved, sizeof moved, "%s.moved", u.socket);
		assert_int_equal(rename(u.socket, moved), 0);
		ts_server_destroy(server);
		assert_int_equal(rename(moved, u.socket), 0);
	}
	testing_start(&u);
	other = testing_client(u.unix_address);
	other->ops->destroy(other);
	ts_server_destroy(u.server);
	u.server = NULL;
	fd = open(u.socket, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	assert_int_equal(ts_server_create(&u.options, &server, &err), TS_CONFLICT);
	assert_int_equal(stat(u.socket, &st), 0);
	testing_finish(&u);
}

static void remote_addresses_need_an_explicit_word(void **state)
{
	struct ts_server *server = NULL;
	struct ts_server_options options = t.options;
	struct ts_listener open_to_all = {.address = "tcp:0.0.0.0:0"};
	struct ts_error err;

	(void)state;
	options.listeners = &open_to_all;
	options.n_listeners = 1;
	assert_int_equal(ts_server_create(&options, &server, &err), TS_DENIED);
	assert_non_null(strstr(err.text, "tls:0.0.0.0:0"));
	open_to_all.allow_remote = true;
	assert_int_equal(ts_server_create(&options, &server, &err), TS_OK);
	ts_server_destroy(server);
}

/* Each call is one line, with the values that an operator needs. */
static void every_call_is_one_line(void **state)
{
	char path[96], log[4096], id[24] = "", want[64];
	int saved = dup(STDERR_FILENO), fd;
	const char *line;
	ssize_t n;

	(void)state;
	ch->ops->destroy(ch);
	ch = NULL;
	testing_finish(&t);
	testing_init(&t);
	t.options.quiet = false;
	(void)snprintf(path, sizeof path, "%s/log", t.dir);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	dup2(fd, STDERR_FILENO);
	testing_start(&t);
	ch = testing_client(t.unix_address);
	(void)testing_call(ch, "PoolEcho", ts_span_str("12345"), text);
	(void)testing_call(ch, "Quick", ts_span_str("q?"), text);
	(void)testing_call(ch, "Quick", ts_span_str("no"), text);
	(void)testing_call(ch, "Fail", ts_span_of("\x03gone", 5), text);
	(void)testing_call(ch, "Fail",
			   ts_span_of("\x0f"
				      "broken",
				      7),
			   text);
	assert_int_equal(sscanf(text, "broken (call %20s in the log of the server)", id), 1);
	(void)testing_call(ch, "No such\nmethod", ts_span_of("", 0), text);
	ch->ops->destroy(ch);
	ch = NULL;
	ts_server_stop(t.server, 1000000000);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = pread(fd, log, sizeof log - 1, 0);
	close(fd);
	assert_true(n > 0);
	log[n] = 0;
	line = strstr(log, "event=call method=PoolEcho peer=");
	assert_non_null(line);
	assert_non_null(strstr(line, "status=ok ms="));
	assert_non_null(strstr(line, " in=5 out=5\n"));
	line = strstr(log, "event=call method=Quick");
	assert_non_null(line);
	assert_non_null(strstr(line, " in=2 out=5\n"));
	assert_non_null(strstr(line, " in=2 out=2\n"));
	assert_non_null(strstr(log, "method=Fail"));
	assert_non_null(strstr(log, "status=not_found"));
	/* The client says by which id the log has the call. */
	(void)snprintf(want, sizeof want, " id=%s status=internal ", id);
	assert_non_null(strstr(log, want));
	n = 0;
	for (const char *at = log; (at = strstr(at, "event=call")); at++)
		n++;
	assert_true(n == 5 || n == 6); /* C-core may refuse the name of another server itself */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unary_inline_and_in_the_pool, setup, teardown),
		cmocka_unit_test_setup_teardown(a_quick_answer_or_one_from_the_pool, setup, teardown),
		cmocka_unit_test_setup_teardown(tcp_serves_the_same, setup, teardown),
		cmocka_unit_test_setup_teardown(the_caller_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(statuses_cross, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_methods_are_told_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(uploads_arrive_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(a_refused_upload_says_why, setup, teardown),
		cmocka_unit_test_setup_teardown(an_upload_can_be_given_up, setup, teardown),
		cmocka_unit_test_setup_teardown(downloads_arrive_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(a_download_can_be_stopped, setup, teardown),
		cmocka_unit_test_setup_teardown(deadlines_reach_the_handler, setup, teardown),
		cmocka_unit_test_setup_teardown(cancellation_reaches_the_handler, setup, teardown),
		cmocka_unit_test_setup_teardown(a_call_keeps_the_policy_that_it_began_with, setup, teardown),
		cmocka_unit_test_setup_teardown(too_long_is_refused_on_both_sides, setup, teardown),
		cmocka_unit_test_setup_teardown(a_call_has_a_ceiling_of_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(a_read_only_server_does_not_write, setup, teardown),
		cmocka_unit_test_setup_teardown(garbage_on_the_port_is_shrugged_off, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reset_before_the_message_does_no_harm, setup, teardown),
		cmocka_unit_test_setup_teardown(a_second_server_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_stale_socket_is_replaced_and_a_file_is_not, setup, teardown),
		cmocka_unit_test_setup_teardown(remote_addresses_need_an_explicit_word, setup, teardown),
		cmocka_unit_test_setup_teardown(every_call_is_one_line, setup, teardown),
	};

	return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
