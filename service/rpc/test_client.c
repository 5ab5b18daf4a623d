/* The client where there is no server, or one that breaks. */
#include "service/rpc/testing.h"

#include "base/clock.h"
#include "service/rpc/core.h"
#include "service/rpc/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static struct testing t;
static struct ts_error err;
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

static void refused(const char *address, enum ts_status status, const char *why)
{
	struct ts_channel *ch = NULL;

	assert_int_equal(ts_client_open(address, NULL, &ch, &err), status);
	assert_null(ch);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

/* Listens, so that connections enter its backlog, but never accepts. */
static int silent_port(char address[64])
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof in;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof in), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	(void)snprintf(address, 64, "127.0.0.1:%u", ntohs(in.sin_port));
	return fd;
}

static void nobody_there_is_said_at_once(void **state)
{
	char address[64];
	int64_t began = ts_now_mono_ns();

	(void)state;
	refused("unix:/nonexistent/sock", TS_UNAVAILABLE, "no tscoped answers at unix:/nonexistent/sock: No such file");
	close(silent_port(address));
	refused(address, TS_UNAVAILABLE, "Connection refused");
	refused("no-such-host.invalid:80", TS_UNAVAILABLE, "no-such-host.invalid:80");
	refused("nonsense", TS_INVALID, "nonsense");
	assert_true(ts_now_mono_ns() - began < 30000000000);
}

static void a_socket_that_is_not_ours_to_open(void **state)
{
	(void)state;
	if (geteuid() == 0)
		skip(); /* root may open every file */
	t.listeners[0].socket_mode = 0200;
	testing_start(&t);
	chmod(t.socket, 0);
	refused(t.unix_address, TS_DENIED, "Permission denied");
}

/* The time limit of connecting applies, not that of the first call. */
static void a_silent_server_is_found_out(void **state)
{
	int64_t began = ts_now_mono_ns();
	char address[64];
	int fd = silent_port(address);

	(void)state;
	refused(address, TS_UNAVAILABLE, "does not answer like a tscoped");
	assert_true(ts_now_mono_ns() - began < 40000000000);
	close(fd);
}

static void *say_garbage(void *arg)
{
	int listener = *(int *)arg;
	int fd = accept(listener, NULL, NULL);
	char bytes[64];

	(void)!write(fd, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", 47);
	while (read(fd, bytes, sizeof bytes) > 0)
		continue;
	close(fd);
	return NULL;
}

static void a_web_server_is_found_out(void **state)
{
	char address[64];
	int fd = silent_port(address);
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, say_garbage, &fd), 0);
	refused(address, TS_UNAVAILABLE, "does not answer like a tscoped");
	pthread_join(thread, NULL);
	close(fd);
}

static void *sleep_there(void *ctx)
{
	char reply[256];

	(void)testing_call(ctx, "Sleep", ts_span_str(""), reply);
	return NULL;
}

/* Whoever connects to a full server learns from its calls that it is full; they are tried again within their time. */
static void a_full_server_says_so(void **state)
{
	int before = atomic_load(&testing_sleeping);
	struct ts_channel *ch, *more;
	struct ts_arena arena;
	struct ts_span reply;
	pthread_t thread;

	(void)state;
	t.options.max_calls = 1;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(pthread_create(&thread, NULL, sleep_there, ch), 0);
	while (atomic_load(&testing_sleeping) == before)
		(void)poll(NULL, 0, 5);
	more = testing_client(t.unix_address);
	ts_arena_init(&arena, 4096);
	assert_int_equal(ts_client_call(more, "PoolEcho", ts_span_str("x"), 900000000, &arena, &reply, &err), TS_UNAVAILABLE);
	assert_string_equal(err.text, "the server has 1 calls already, which is its limit; try again later");
	ts_arena_finish(&arena);
	more->ops->destroy(more);
	ts_server_stop(t.server, 0);
	pthread_join(thread, NULL);
	ch->ops->destroy(ch);
}

static atomic_bool enough;

static void *say_enough(void *ctx)
{
	const int *before = ctx;

	while (atomic_load(&testing_sleeping) == *before)
		(void)poll(NULL, 0, 5);
	atomic_store(&enough, true);
	return NULL;
}

/* A call that nobody waits for any more ends here and there, and the connection goes on. */
static void a_call_can_be_stopped(void **state)
{
	int before = atomic_load(&testing_sleeping), stopped = atomic_load(&testing_stopped);
	struct ts_channel *ch;
	pthread_t thread;

	(void)state;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	atomic_store(&enough, false);
	ch->stop = &enough;
	assert_int_equal(pthread_create(&thread, NULL, say_enough, &before), 0);
	assert_int_equal(testing_call(ch, "Sleep", ts_span_str(""), text), TS_CANCELLED);
	pthread_join(thread, NULL);
	for (int i = 0; i < 1000 && atomic_load(&testing_stopped) == stopped; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(atomic_load(&testing_stopped), stopped + 1);
	ch->stop = NULL;
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("on"), text), TS_OK);
	ch->ops->destroy(ch);
}

static void a_server_that_comes_back_is_found_again(void **state)
{
	struct ts_channel *ch;

	(void)state;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("1"), text), TS_OK);
	ts_server_destroy(t.server);
	t.server = NULL;
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("2"), text), TS_UNAVAILABLE);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("3"), text), TS_UNAVAILABLE);
	assert_non_null(strstr(text, "is it running?"));
	testing_start(&t);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("4"), text), TS_OK);
	ch->ops->destroy(ch);
}

/* Every operation reports a dead server, and none of them hangs. */
static void streams_of_a_server_that_dies(void **state)
{
	struct ts_upload *upload;
	struct ts_channel *ch;
	struct ts_arena arena;
	struct ts_span reply;
	enum ts_status status = TS_OK;

	(void)state;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_OK);
	assert_int_equal(ch->ops->upload_send(upload, ts_span_str("a"), &err), TS_OK);
	ts_server_destroy(t.server);
	t.server = NULL;
	for (int i = 0; i < 1000 && !status; i++) {
		status = ch->ops->upload_send(upload, ts_span_str("b"), &err);
		(void)poll(NULL, 0, 1);
	}
	assert_int_equal(status, TS_UNAVAILABLE);
	ts_arena_init(&arena, 4096);
	assert_int_equal(ch->ops->upload_finish(upload, &arena, &reply, &err), TS_UNAVAILABLE);
	ts_arena_finish(&arena);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_UNAVAILABLE);
	ch->ops->destroy(ch);
}

/* A push asks for ids while it uploads. */
static void calls_are_possible_beside_an_upload(void **state)
{
	struct ts_upload *upload;
	struct ts_channel *ch;
	struct ts_arena arena;
	struct ts_span reply;

	(void)state;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_OK);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(ch->ops->upload_send(upload, ts_span_str("abc"), &err), TS_OK);
		assert_int_equal(testing_call(ch, "PoolEcho", ts_span_str("beside"), text), TS_OK);
	}
	ts_arena_init(&arena, 4096);
	assert_int_equal(ch->ops->upload_finish(upload, &arena, &reply, &err), TS_OK);
	assert_true(ts_span_is(reply, "20 60"));
	ts_arena_finish(&arena);
	ch->ops->destroy(ch);
}

static void the_proxy_of_the_environment_is_not_asked(void **state)
{
	struct ts_channel *ch;

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	testing_start(&t);
	ch = testing_client(testing_tcp(&t));
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("direct"), text), TS_OK);
	ch->ops->destroy(ch);
	unsetenv("http_proxy");
}

/* Each status survives the conversion to a code and a word; without the word, the code is still read as a similar status. */
static void statuses_and_codes(void **state)
{
	(void)state;
	for (int s = TS_OK; s <= TS_INTERNAL; s++) {
		enum ts_status status = (enum ts_status)s;
		grpc_status_code code = ts_status_to_grpc(status);

		assert_int_equal(ts_status_from_grpc(code, ts_span_str(ts_status_word(status))), status);
		assert_true((code == GRPC_STATUS_OK) == (status == TS_OK));
	}
	assert_int_equal(ts_status_from_grpc(GRPC_STATUS_RESOURCE_EXHAUSTED, ts_span_of(NULL, 0)), TS_TOO_LARGE);
	assert_int_equal(ts_status_from_grpc(GRPC_STATUS_UNAUTHENTICATED, ts_span_of(NULL, 0)), TS_DENIED);
	assert_int_equal(ts_status_from_grpc(GRPC_STATUS_UNKNOWN, ts_span_of(NULL, 0)), TS_INTERNAL);
	assert_int_equal(ts_status_from_grpc(GRPC_STATUS_ABORTED, ts_span_str("a word of later")), TS_CONFLICT);
	assert_int_equal(ts_status_from_grpc(GRPC_STATUS_OK, ts_span_str("not_found")), TS_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_there_is_said_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(a_socket_that_is_not_ours_to_open, setup, teardown),
		cmocka_unit_test_setup_teardown(a_silent_server_is_found_out, setup, teardown),
		cmocka_unit_test_setup_teardown(a_web_server_is_found_out, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_server_says_so, setup, teardown),
		cmocka_unit_test_setup_teardown(a_call_can_be_stopped, setup, teardown),
		cmocka_unit_test_setup_teardown(a_server_that_comes_back_is_found_again, setup, teardown),
		cmocka_unit_test_setup_teardown(streams_of_a_server_that_dies, setup, teardown),
		cmocka_unit_test_setup_teardown(calls_are_possible_beside_an_upload, setup, teardown),
		cmocka_unit_test_setup_teardown(the_proxy_of_the_environment_is_not_asked, setup, teardown),
		cmocka_unit_test_setup_teardown(statuses_and_codes, setup, teardown),
	};

	return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
