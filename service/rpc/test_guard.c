/* The guard before C-core: clients that work hard are never cut, floods are, and whoever is idle makes room. */
#include "service/rpc/testing.h"

#include "service/rpc/guard/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static struct testing t;
static char text[256];

static int setup(void **state)
{
	(void)state;
	testing_init(&t);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	testing_finish(&t);
	return 0;
}

/* ---- clients that behave ---- */

enum { MESSAGE = 1 << 20, MESSAGES = 128, WORKERS = 4 };

struct worker {
	pthread_t thread;
	const char *address;
	bool fine;
	uint64_t taken;
};

static enum ts_status take(void *ctx, struct ts_span message, struct ts_error *err)
{
	struct worker *w = ctx;

	(void)err;
	w->taken += message.len;
	return TS_OK;
}

static bool upload(struct ts_channel *ch)
{
	static const uint8_t message[MESSAGE];
	struct ts_upload *up;
	struct ts_span reply;
	struct ts_arena arena;
	struct ts_error err;
	bool fine;

	if (ch->ops->upload_open(ch, "Sum", &up, &err))
		return false;
	for (int i = 0; i < MESSAGES; i++)
		(void)ch->ops->upload_send(up, ts_span_of(message, sizeof message), &err);
	ts_arena_init(&arena, 4096);
	fine = ch->ops->upload_finish(up, &arena, &reply, &err) == TS_OK && ts_span_is(reply, "128 134217728");
	ts_arena_finish(&arena);
	return fine;
}

static void *work(void *arg)
{
	static const uint32_t request[2] = {MESSAGES, MESSAGE};
	struct worker *w = arg;
	struct ts_channel *ch = NULL;
	struct ts_error err;
	char got[256];

	w->fine = !ts_client_open(w->address, NULL, &ch, &err);
	w->fine = w->fine && upload(ch);
	w->fine = w->fine && !ch->ops->download(ch, "Count", ts_span_of(request, sizeof request), take, w, &err) &&
		  w->taken == (uint64_t)MESSAGES * MESSAGE;
	for (int i = 0; w->fine && i < 1000; i++)
		w->fine = testing_call(ch, "Echo", ts_span_str("x"), got) == TS_OK;
	if (ch)
		ch->ops->destroy(ch);
	return NULL;
}

static void a_gigabyte_and_thousands_of_calls_pass(void **state)
{
	struct worker workers[WORKERS];

	(void)state;
	testing_start(&t);
	for (int i = 0; i < WORKERS; i++) {
		workers[i] = (struct worker){.address = i % 2 ? t.unix_address : testing_tcp(&t)};
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_true(workers[i].fine);
	}
}

/* ---- clients that do not ---- */

/* A TCP connection from the given address of this machine. */
static int connect_from(const char *source)
{
	struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
	const char *address = testing_tcp(&t);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(inet_pton(AF_INET, source, &from.sin_addr), 1);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons((uint16_t)strtoul(strrchr(address, ':') + 1, NULL, 10));
	assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	return fd;
}

static void say(int fd, const void *bytes, size_t n)
{
	assert_int_equal(send(fd, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

static void greet(int fd)
{
	static const uint8_t settings[TS_FRAME_HEAD] = {[3] = TS_FRAME_SETTINGS};

	say(fd, TS_PREFACE, TS_PREFACE_BYTES);
	say(fd, settings, sizeof settings);
}

/* Reads to the end of the connection, or for so long; whether it ended, and whether the bytes were said. */
static bool hears(int fd, const char *want, int ms, bool *ret_ended)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	static uint8_t bytes[1 << 16];
	size_t n = 0;
	ssize_t got = 1;

	while (poll(&p, 1, ms) == 1 && n < sizeof bytes && (got = read(fd, bytes + n, sizeof bytes - n)) > 0)
		n += (size_t)got;
	*ret_ended = got <= 0;
	return ts_span_contains(ts_span_of(bytes, n), want);
}

static void *flood(void *arg)
{
	static const uint8_t ping[TS_FRAME_HEAD + 8] = {[2] = 8, [3] = TS_FRAME_PING};
	bool *cut = arg;

	for (int round = 0; round < 20; round++) {
		int fd = connect_from("127.0.0.2");
		ssize_t n = 1;

		(void)send(fd, TS_PREFACE, TS_PREFACE_BYTES, MSG_NOSIGNAL);
		for (int i = 0; i < 100000 && n > 0; i++)
			n = send(fd, ping, sizeof ping, MSG_NOSIGNAL);
		*cut &= n < 0 && (errno == EPIPE || errno == ECONNRESET);
		close(fd);
	}
	return NULL;
}

static void floods_are_cut_while_others_call(void **state)
{
	struct ts_channel *ch;
	pthread_t threads[2];
	bool cut[2] = {true, true};

	(void)state;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, flood, &cut[i]), 0);
	for (int i = 0; i < 500; i++)
		assert_int_equal(testing_call(ch, i % 2 ? "Echo" : "PoolEcho", ts_span_str("x"), text), TS_OK);
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_true(cut[i]);
	}
	ch->ops->destroy(ch);
}

static void one_peer_leaves_room_for_others(void **state)
{
	enum { MOST = 4 };
	int fds[MOST], more;
	bool ended;

	(void)state;
	t.options.max_connections = 2 * MOST;
	t.options.peer_connections = MOST;
	testing_start(&t);
	for (int i = 0; i < MOST; i++)
		greet(fds[i] = connect_from("127.0.0.2"));
	more = connect_from("127.0.0.2");
	assert_true(hears(more, "as many connections as peer-connections allows", 5000, &ended));
	assert_true(ended);
	close(more);
	greet(more = connect_from("127.0.0.3"));
	assert_false(hears(more, "peer-connections", 200, &ended));
	assert_false(ended);
	close(more);
	for (int i = 0; i < MOST; i++)
		close(fds[i]);
}

static void the_idlest_of_the_largest_peer_makes_room(void **state)
{
	enum { MOST = 6 };
	struct ts_channel *ch;
	int fds[MOST];
	unsigned n_ended = 0;
	bool ended;

	(void)state;
	t.options.max_connections = t.options.peer_connections = MOST;
	testing_start(&t);
	for (int i = 0; i < MOST; i++) {
		greet(fds[i] = connect_from("127.0.0.2"));
		(void)poll(NULL, 0, 20);
	}
	(void)poll(NULL, 0, 1100);
	ch = testing_client(t.unix_address);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("x"), text), TS_OK);
	assert_true(hears(fds[0], "another connection needed the room", 5000, &ended));
	assert_true(ended);
	for (int i = 1; i < MOST; i++) {
		(void)hears(fds[i], "x", 20, &ended);
		n_ended += ended;
	}
	assert_int_equal(n_ended, 0);
	ch->ops->destroy(ch);
	for (int i = 0; i < MOST; i++)
		close(fds[i]);
}

static void what_has_not_begun_does_not_hold_up_the_end(void **state)
{
	int fds[3];
	bool ended;

	(void)state;
	testing_start(&t);
	for (int i = 0; i < 3; i++)
		fds[i] = connect_from("127.0.0.2");
	say(fds[1], TS_PREFACE, 5);
	say(fds[2], "GET / HTTP/1.1\r\n\r\n", 18);
	assert_true(hears(fds[2], "what it sends is not HTTP/2", 5000, &ended));
	assert_true(ended);
	ts_server_stop(t.server, 0);
	for (int i = 0; i < 3; i++) {
		(void)hears(fds[i], "", 5000, &ended);
		assert_true(ended);
		close(fds[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_gigabyte_and_thousands_of_calls_pass, setup, teardown),
		cmocka_unit_test_setup_teardown(floods_are_cut_while_others_call, setup, teardown),
		cmocka_unit_test_setup_teardown(one_peer_leaves_room_for_others, setup, teardown),
		cmocka_unit_test_setup_teardown(the_idlest_of_the_largest_peer_makes_room, setup, teardown),
		cmocka_unit_test_setup_teardown(what_has_not_begun_does_not_hold_up_the_end, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
