/* The server under many clients, at its limits, and while it stops. */
#include "service/rpc/testing.h"

#include "base/clock.h"
#include "proto/health.h"
#include "service/auth/shared_policy.h"
#include "service/auth/token.h"
#include "service/rpc/core.h"
#include "store/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <grpc/byte_buffer.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* What a busy machine adds to the time to drain: under the thread sanitizer seconds, and without the limit C-core waits 20 s. */
#ifdef __SANITIZE_THREAD__
#define LATE_NS INT64_C(6000000000)
#else
#define LATE_NS 0
#endif

static struct testing t;
static char text[256];
static atomic_int connected; /* sleepers: a test stops no server while one of them still connects */

static int setup(void **state)
{
	(void)state;
	testing_init(&t);
	atomic_store(&testing_opened, 0);
	atomic_store(&testing_dropped, 0);
	atomic_store(&testing_sleeping, 0);
	atomic_store(&testing_stopped, 0);
	atomic_store(&connected, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	testing_finish(&t);
	return 0;
}

static bool wait_until(atomic_int *counter, int at_least)
{
	for (int i = 0; i < 4000 && atomic_load(counter) < at_least; i++)
		(void)poll(NULL, 0, 5);
	return atomic_load(counter) >= at_least;
}

/* ---- lanes ---- */

static int nice_of(struct ts_channel *ch, const char *method)
{
	assert_int_equal(testing_call(ch, method, ts_span_str(""), text), TS_OK);
	return atoi(text);
}

static void small_questions_stand_before_analyses_and_uploads(void **state)
{
	struct ts_channel *ch;
	int own = getpriority(PRIO_PROCESS, 0);

	(void)state;
	if (own > 10)
		skip();
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(nice_of(ch, "Nice"), own);
	assert_true(nice_of(ch, "LongNice") > own);
	assert_true(nice_of(ch, "WriteNice") > nice_of(ch, "LongNice"));
	ch->ops->destroy(ch);
}

/* ---- many clients ---- */

enum { CLIENTS = 64 };

struct client_thread {
	pthread_t thread;
	const char *address;
	unsigned number, good, unavailable, wrong;
	atomic_bool *stop; /* NULL: a fixed number of rounds */
	char last[256];
};

static enum ts_status upload_three(struct ts_channel *ch, char out[256])
{
	struct ts_upload *upload;
	struct ts_span reply;
	struct ts_arena arena;
	struct ts_error err;
	enum ts_status status;

	if (ch->ops->upload_open(ch, "Sum", &upload, &err))
		return err.status;
	for (int i = 0; i < 3; i++)
		(void)ch->ops->upload_send(upload, ts_span_str("abcd"), &err);
	ts_arena_init(&arena, 4096);
	status = ch->ops->upload_finish(upload, &arena, &reply, &err);
	if (status)
		(void)snprintf(out, 256, "%.255s", err.text);
	else
		(void)snprintf(out, 256, "%.*s", (int)reply.len, (const char *)reply.data);
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status take_one(void *ctx, struct ts_span message, struct ts_error *err)
{
	(void)ctx, (void)message, (void)err;
	return TS_OK;
}

static enum ts_status count_one(struct ts_channel *ch)
{
	struct ts_error err;

	return ch->ops->download(ch, "Count", ts_span_of("\1\0\0\0\1\0\0\0", 8), take_one, NULL, &err);
}

static void one_round(struct client_thread *c, struct ts_channel *ch, unsigned round)
{
	char want[256], got[256];
	enum ts_status status;

	(void)snprintf(want, sizeof want, "client %u round %u", c->number, round);
	if (round % 4 == 2) {
		(void)snprintf(want, sizeof want, "3 12");
		status = upload_three(ch, got);
	} else if (round % 8 == 3) {
		status = testing_call(ch, "Quick", ts_span_str("q"), got);
		(void)snprintf(want, sizeof want, "quick");
	} else {
		static const char *const methods[4] = {"PoolEcho", "Echo", NULL, "Quick"};

		status = testing_call(ch, methods[round % 4], ts_span_str(want), got);
	}
	if (status == TS_OK && strcmp(want, got) == 0) {
		c->good++;
	} else if (status == TS_UNAVAILABLE) {
		c->unavailable++;
	} else {
		c->wrong++;
		(void)snprintf(c->last, sizeof c->last, "%s: %.200s", ts_status_word(status), got);
	}
}

static void *client_loop(void *arg)
{
	struct client_thread *c = arg;
	struct ts_channel *ch = NULL;
	struct ts_error err;

	if (ts_client_open(c->address, NULL, &ch, &err)) {
		*(err.status == TS_UNAVAILABLE && c->stop ? &c->unavailable : &c->wrong) += 1;
		(void)snprintf(c->last, sizeof c->last, "%.255s", err.text);
		return NULL;
	}
	for (unsigned round = 0; c->stop ? !atomic_load(c->stop) : round < 12; round++)
		one_round(c, ch, round);
	ch->ops->destroy(ch);
	return NULL;
}

static void start_clients(struct client_thread *clients, unsigned n, atomic_bool *stop)
{
	for (unsigned i = 0; i < n; i++) {
		clients[i] = (struct client_thread){.address = i % 2 ? t.unix_address : testing_tcp(&t), .number = i, .stop = stop};
		assert_int_equal(pthread_create(&clients[i].thread, NULL, client_loop, &clients[i]), 0);
	}
}

static void sixty_four_clients_at_once(void **state)
{
	static struct client_thread clients[CLIENTS];

	(void)state;
	testing_start(&t);
	start_clients(clients, CLIENTS, NULL);
	for (int i = 0; i < CLIENTS; i++) {
		pthread_join(clients[i].thread, NULL);
		if (clients[i].wrong || clients[i].good != 12)
			fail_msg("client %d: %u good, %u wrong: %s", i, clients[i].good, clients[i].wrong, clients[i].last);
	}
	assert_int_equal(atomic_load(&testing_opened), CLIENTS * 3);
	assert_int_equal(atomic_load(&testing_dropped), CLIENTS * 3);
}

static void two_queue_threads_serve_too(void **state)
{
	static struct client_thread clients[8];

	(void)state;
	t.options.queue_threads = 2;
	testing_start(&t);
	start_clients(clients, 8, NULL);
	for (int i = 0; i < 8; i++) {
		pthread_join(clients[i].thread, NULL);
		assert_int_equal(clients[i].good, 12);
	}
}

/* ---- stopping ---- */

/* Every call of every client is answered or told that the server is shutting down; no call hangs, and none is dropped twice. */
static void stopping_under_load_answers_everybody(void **state)
{
	static struct client_thread clients[16];
	static atomic_bool stop;
	unsigned good = 0, unavailable = 0;

	(void)state;
	testing_start(&t);
	start_clients(clients, 16, &stop);
	assert_true(wait_until(&testing_dropped, 32));
	ts_server_stop(t.server, 5000000000);
	(void)poll(NULL, 0, 50);
	atomic_store(&stop, true);
	for (int i = 0; i < 16; i++) {
		pthread_join(clients[i].thread, NULL);
		if (clients[i].wrong)
			fail_msg("client %d: %s", i, clients[i].last);
		good += clients[i].good;
		unavailable += clients[i].unavailable;
	}
	assert_true(good >= 32);
	assert_true(unavailable >= 16);
	assert_int_equal(atomic_load(&testing_opened), atomic_load(&testing_dropped));
}

struct sleeper {
	pthread_t thread;
	const char *method; /* NULL: Sleep */
	const char *token;  /* NULL: none */
	enum ts_status status;
	char text[256];
};

static void *sleeper_run(void *arg)
{
	struct sleeper *s = arg;
	struct ts_client_login login = {.token = s->token, .from = "the test"};
	struct ts_channel *ch;
	struct ts_error err;

	s->status = ts_client_open(t.unix_address, &login, &ch, &err);
	atomic_fetch_add(&connected, 1);
	if (s->status) { /* an assertion that fails in a thread ends the program without a word */
		(void)snprintf(s->text, sizeof s->text, "%.255s", err.text);
		return NULL;
	}
	s->status = testing_call(ch, s->method ? s->method : "Sleep", ts_span_str("z"), s->text);
	ch->ops->destroy(ch);
	return NULL;
}

static void what_does_not_drain_is_cancelled(void **state)
{
	struct sleeper sleepers[3] = {{.method = NULL}};

	(void)state;
	testing_start(&t);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleeper_run, &sleepers[i]), 0);
	assert_true(wait_until(&testing_sleeping, 3));
	ts_server_stop(t.server, 100000000);
	for (int i = 0; i < 3; i++) {
		pthread_join(sleepers[i].thread, NULL);
		assert_true(sleepers[i].status == TS_UNAVAILABLE || sleepers[i].status == TS_CANCELLED);
	}
	assert_int_equal(atomic_load(&testing_stopped), 3);
}

/* Calls that do not end by themselves in every lane, twice as many as there are threads, and an upload that waits. */
static void the_end_comes_within_the_time_to_drain(void **state)
{
	enum { EACH = 8, BUSY = 4 * EACH };
	static const char *const methods[] = {"Sleep", "WriteSleep", "DownSleep", "LongSleep"};
	static struct sleeper sleepers[BUSY];
	struct ts_upload *upload;
	struct ts_channel *ch;
	struct ts_error err;
	int64_t began;

	(void)state;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_OK);
	for (int i = 0; i < BUSY; i++) {
		sleepers[i] = (struct sleeper){.method = methods[i % 4]};
		assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleeper_run, &sleepers[i]), 0);
	}
	assert_true(wait_until(&connected, BUSY));
	assert_true(wait_until(&testing_sleeping, 3 * 3 + EACH)); /* of one peer: 3 threads of 4, and of downloads enough for all */
	began = ts_now_mono_ns();
	ts_server_stop(t.server, INT64_C(4000000000));
	assert_in_range(ts_now_mono_ns() - began, INT64_C(3000000000), INT64_C(4000000000) + LATE_NS);
	for (int i = 0; i < BUSY; i++) {
		pthread_join(sleepers[i].thread, NULL);
		assert_true(sleepers[i].status == TS_UNAVAILABLE || sleepers[i].status == TS_CANCELLED);
	}
	assert_true(atomic_load(&testing_stopped) >= 3 * 3 + EACH);
	ch->ops->upload_cancel(upload);
	ch->ops->destroy(ch);
}

static void *stop_server(void *arg)
{
	ts_server_stop(t.server, 20000000000);
	return arg;
}

static void what_can_drain_is_answered(void **state)
{
	struct ts_channel *ch;
	struct ts_upload *upload;
	struct ts_span reply;
	struct ts_arena arena;
	struct ts_error err;
	pthread_t stopper;

	(void)state;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_OK);
	assert_int_equal(ch->ops->upload_send(upload, ts_span_str("1234"), &err), TS_OK);
	assert_true(wait_until(&testing_opened, 1));
	/* Another thread stops the server, and waits for this upload, which is finished here. */
	assert_int_equal(pthread_create(&stopper, NULL, stop_server, NULL), 0);
	(void)poll(NULL, 0, 50);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("late"), text), TS_UNAVAILABLE);
	assert_string_equal(text, "the server is shutting down");
	/* A new call, for which the client would like to reconnect, does not break the upload in progress either. */
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("late"), text), TS_UNAVAILABLE);
	ts_arena_init(&arena, 4096);
	assert_int_equal(ch->ops->upload_finish(upload, &arena, &reply, &err), TS_OK);
	assert_true(ts_span_is(reply, "1 4"));
	ts_arena_finish(&arena);
	pthread_join(stopper, NULL);
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("gone"), text), TS_UNAVAILABLE);
	ch->ops->destroy(ch);
}

/* C-core would wait 20 s for the answer to its ping. */
static void a_client_that_answers_nothing_does_not_delay_the_end(void **state)
{
	static const char hello[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
	char settings[9];
	int64_t began;
	int fd;

	(void)state;
	testing_start(&t);
	fd = testing_connect(t.unix_address);
	assert_int_equal(write(fd, hello, sizeof hello), sizeof hello);
	assert_int_equal(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 20000), 1);
	assert_int_equal(recv(fd, settings, sizeof settings, MSG_WAITALL), sizeof settings); /* it is a connection of the core now */
	began = ts_now_mono_ns();
	ts_server_stop(t.server, 15000000000);
	assert_in_range(ts_now_mono_ns() - began, 0, 10000000000);
	close(fd);
}

/* ---- limits ---- */

/* Two of four calls are the share of one user. Another peer, which TCP makes of this process, has its own, and health and what is cheap
 * is answered in any case. */
static void calls_over_the_share_are_refused(void **state)
{
	struct sleeper sleepers[2] = {{.method = NULL}};
	struct ts_channel *ch, *other;
	int64_t began;

	(void)state;
	t.options.max_calls = 4;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	other = testing_client(testing_tcp(&t));
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleeper_run, &sleepers[i]), 0);
	assert_true(wait_until(&testing_sleeping, 2));
	began = ts_now_mono_ns();
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_str("x"), text), TS_UNAVAILABLE);
	assert_true(ts_now_mono_ns() - began >= 6300000000); /* 0.1 + 0.2 + ... + 3.2 s: it was tried again */
	assert_non_null(strstr(text, "has 2 calls already, which is the share of one user while others have 0 of the server's 4"));
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("x"), text), TS_OK);
	assert_int_equal(testing_call(other, "PoolEcho", ts_span_str("x"), text), TS_OK);
	other->ops->destroy(other);
	ch->ops->destroy(ch);
	ts_server_stop(t.server, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(sleepers[i].thread, NULL);
}

/* A server with tokens, whose engine ends with the test. */
static struct ts_engine *start_with_tokens(const char *const names[2], char secrets[2][TS_TOKEN_SECRET + 1])
{
	struct ts_shared_policy *policy;
	struct ts_engine *engine;
	struct ts_error err;

	assert_int_equal(ts_memory_open(NULL, &engine, &err), TS_OK);
	for (int i = 0; i < 2; i++) {
		struct ts_token token = {.role = TS_AUTH_ADMIN, .projects = "*", .maker = "test", .expires_ns = INT64_MAX};

		(void)snprintf(token.name, sizeof token.name, "%s", names[i]);
		assert_int_equal(ts_token_make(engine, &token, secrets[i], &err), TS_OK);
	}
	assert_int_equal(ts_shared_policy_create(&policy, &err), TS_OK);
	policy->auth.uid = geteuid();
	t.options.engine = engine;
	testing_start(&t);
	ts_server_set_policy(t.server, policy);
	ts_shared_policy_release(policy);
	return engine;
}

/* What one token took does not stand in the way of another one of the same user, nor of the user itself. */
static void a_token_has_its_own_share(void **state)
{
	static const char *const names[2] = {"eve", "ci"};
	char secrets[2][TS_TOKEN_SECRET + 1];
	struct sleeper sleepers[4] = {{.token = secrets[0]}, {.token = secrets[0]}, {.token = secrets[1]}, {.token = NULL}};
	struct ts_engine *engine;

	(void)state;
	t.options.max_calls = 8; /* 4 are the share of the first, 2 of these may wait */
	engine = start_with_tokens(names, secrets);
	for (int i = 0; i < 4; i++) { /* one after the other: who comes last may have as many threads as others left */
		assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleeper_run, &sleepers[i]), 0);
		assert_true(wait_until(&testing_sleeping, i + 1)); /* as one peer the third and fourth would wait for a thread */
	}
	ts_server_stop(t.server, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(sleepers[i].thread, NULL);
	ts_engine_destroy(engine);
}

/* A call that runs and an upload that waits end within seconds, and other tokens' go on. */
static void a_revoked_token_ends_its_calls(void **state)
{
	static const char *const names[2] = {"eve", "ci"};
	char secrets[2][TS_TOKEN_SECRET + 1];
	struct ts_client_login login = {.token = secrets[0], .from = "the test"};
	struct sleeper eve = {.token = secrets[0]}, ci = {.token = secrets[1]};
	struct ts_upload *upload;
	struct ts_engine *engine;
	struct ts_channel *ch;
	struct ts_token token;
	struct ts_arena arena;
	struct ts_span reply;
	struct ts_error err;
	int64_t began;

	(void)state;
	engine = start_with_tokens(names, secrets);
	assert_int_equal(ts_client_open(t.unix_address, &login, &ch, &err), TS_OK);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &upload, &err), TS_OK);
	assert_int_equal(ch->ops->upload_send(upload, ts_span_str("1234"), &err), TS_OK);
	assert_true(wait_until(&testing_opened, 1));
	assert_int_equal(pthread_create(&ci.thread, NULL, sleeper_run, &ci), 0);
	assert_int_equal(pthread_create(&eve.thread, NULL, sleeper_run, &eve), 0);
	assert_true(wait_until(&testing_sleeping, 2));
	began = ts_now_mono_ns();
	assert_int_equal(ts_token_revoke(engine, ts_span_str("eve"), &token, &err), TS_OK);
	pthread_join(eve.thread, NULL);
	assert_in_range(ts_now_mono_ns() - began, 0, 5000000000);
	assert_int_equal(eve.status, TS_DENIED);
	assert_non_null(strstr(eve.text, "is revoked or has expired"));
	assert_true(wait_until(&testing_dropped, 1)); /* calls are ended one after the other, and what came in between is answered */
	assert_in_range(ts_now_mono_ns() - began, 0, 5000000000);
	ts_arena_init(&arena, 4096);
	assert_int_equal(ch->ops->upload_finish(upload, &arena, &reply, &err), TS_DENIED);
	assert_true(wait_until(&testing_stopped, 1)); /* the handler is told as its client is */
	assert_int_equal(testing_call(ch, "Echo", ts_span_str("x"), text), TS_DENIED);
	ts_arena_finish(&arena);
	ch->ops->destroy(ch);
	ts_server_stop(t.server, 0);
	pthread_join(ci.thread, NULL);
	assert_true(ci.status != TS_DENIED);
	ts_engine_destroy(engine);
}

/* Uploads that are open and say nothing use up what their user may have of them; its questions are answered, and so is its next
 * upload when one of them is over. */
static void idle_uploads_leave_room_for_questions(void **state)
{
	struct ts_upload *uploads[8];
	struct ts_channel *ch;
	struct ts_error err;
	unsigned n = 0;

	(void)state;
	t.options.max_calls = 16; /* 8 are the share of one, and 6 of these may wait */
	testing_start(&t);
	ch = testing_client(t.unix_address);
	for (; n < 6; n++)
		assert_int_equal(ch->ops->upload_open(ch, "Sum", &uploads[n], &err), TS_OK);
	for (int i = 0; i < 2000 && ts_server_calls(t.server) < 6; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(upload_three(ch, text), TS_UNAVAILABLE);
	assert_non_null(strstr(text, "has 6 uploads, downloads, watches and analyses already"));
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_str("served"), text), TS_OK);
	ch->ops->upload_cancel(uploads[--n]);
	for (int i = 0; i < 2000 && ts_server_calls(t.server) > 5; i++)
		(void)poll(NULL, 0, 5);
	assert_int_equal(upload_three(ch, text), TS_OK);
	while (n > 0)
		ch->ops->upload_cancel(uploads[--n]);
	ch->ops->destroy(ch);
}

/* The arena of one call draws on what its peer may hold; the next one has all of it again. */
static void memory_is_bounded_over_calls(void **state)
{
	struct ts_channel *ch;

	(void)state;
	t.options.memory = 16 << 20;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(testing_call(ch, "Alloc", ts_span_of("\x0a", 1), text), TS_OK);
	assert_int_equal(testing_call(ch, "Alloc", ts_span_of("\x0e", 1), text), TS_NO_MEMORY);
	assert_non_null(strstr(text, "may use at most 125829")); /* 75 percent of 16 MiB */
	assert_int_equal(testing_call(ch, "Alloc", ts_span_of("\x0a", 1), text), TS_OK);
	ch->ops->destroy(ch);
}

/* The only thread of the pool is busy: a call that needs a thread waits for it, and a call with a quick answer is answered. */
static void a_quick_answer_needs_no_thread(void **state)
{
	struct sleeper sleeper = {.method = NULL};
	struct ts_channel *ch;
	struct ts_arena arena;
	struct ts_span reply;
	struct ts_error err;

	(void)state;
	t.options.pool_threads = 1;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(pthread_create(&sleeper.thread, NULL, sleeper_run, &sleeper), 0);
	assert_true(wait_until(&testing_sleeping, 1));
	ts_arena_init(&arena, 4096);
	assert_int_equal(ts_client_call(ch, "Quick", ts_span_str("not at once"), 500000000, &arena, &reply, &err), TS_DEADLINE);
	assert_int_equal(ts_client_call(ch, "Quick", ts_span_str("q"), 10000000000, &arena, &reply, &err), TS_OK);
	assert_true(ts_span_is(reply, "quick"));
	assert_int_equal(atomic_load(&testing_stopped), 0); /* the thread is still busy */
	ts_arena_finish(&arena);
	ch->ops->destroy(ch);
	ts_server_stop(t.server, 0);
	pthread_join(sleeper.thread, NULL);
}

static void an_idle_upload_holds_no_thread(void **state)
{
	struct ts_upload *uploads[3];
	struct ts_channel *ch;
	struct ts_error err;

	(void)state;
	t.options.pool_threads = 1;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ch->ops->upload_open(ch, "Sum", &uploads[i], &err), TS_OK);
		assert_int_equal(ch->ops->upload_send(uploads[i], ts_span_str("first"), &err), TS_OK);
	}
	assert_true(wait_until(&testing_opened, 3));
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_str("served"), text), TS_OK);
	for (int i = 0; i < 3; i++)
		ch->ops->upload_cancel(uploads[i]);
	ch->ops->destroy(ch);
}

/* Nothing of a lane waits for what another lane does, and nothing of a peer alone keeps the next from a thread. */
static void a_busy_lane_delays_no_other(void **state)
{
	struct sleeper sleepers[3] = {{.method = NULL}};
	struct ts_channel *ch;

	(void)state;
	t.options.pool_threads = 1;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	for (int i = 0; i < 3; i++) {
		sleepers[i].method = "LongSleep";
		assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleeper_run, &sleepers[i]), 0);
	}
	assert_true(wait_until(&connected, 3));
	assert_true(wait_until(&testing_sleeping, 1));
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_str("read"), text), TS_OK);
	assert_int_equal(upload_three(ch, text), TS_OK);
	assert_int_equal(count_one(ch), TS_OK);
	assert_int_equal(atomic_load(&testing_sleeping), 1); /* two still wait for the only thread of their lane */
	ch->ops->destroy(ch);
	ts_server_stop(t.server, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(sleepers[i].thread, NULL);
}

/* An upload that goes on lasts; one of which nothing comes is ended, and its client is told. */
static void a_stalled_upload_is_ended(void **state)
{
	struct ts_upload *stalled, *lively;
	struct ts_channel *ch;
	struct ts_span reply;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	t.options.upload_ns = 2000000000;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &stalled, &err), TS_OK);
	assert_int_equal(ch->ops->upload_open(ch, "Sum", &lively, &err), TS_OK);
	assert_int_equal(ch->ops->upload_send(stalled, ts_span_str("1"), &err), TS_OK);
	for (int i = 0; i < 500 && atomic_load(&testing_dropped) == 0; i++) {
		assert_int_equal(ch->ops->upload_send(lively, ts_span_str("1"), &err), TS_OK);
		(void)poll(NULL, 0, 20);
	}
	assert_int_equal(atomic_load(&testing_dropped), 1);
	ts_arena_init(&arena, 4096);
	assert_int_equal(ch->ops->upload_finish(lively, &arena, &reply, &err), TS_OK);
	assert_int_equal(ch->ops->upload_finish(stalled, &arena, &reply, &err), TS_UNAVAILABLE);
	assert_non_null(strstr(err.text, "nothing came of this upload (Sum)"));
	ts_arena_finish(&arena);
	ch->ops->destroy(ch);
}

static void connections_over_the_limit_are_closed(void **state)
{
	struct ts_channel *ch[3], *more = NULL;
	struct ts_error err;
	enum ts_status status = TS_UNAVAILABLE;

	(void)state;
	t.options.max_connections = t.options.peer_connections = 3;
	testing_start(&t);
	for (int i = 0; i < 3; i++)
		ch[i] = testing_client(t.unix_address);
	assert_int_equal(ts_client_open(t.unix_address, NULL, &more, &err), TS_UNAVAILABLE);
	assert_int_equal(testing_call(ch[0], "Echo", ts_span_str("x"), text), TS_OK);
	ch[2]->ops->destroy(ch[2]);
	/* The server notices the end of a connection after some time. */
	for (int i = 0; i < 200 && status; i++) {
		(void)poll(NULL, 0, 10);
		status = ts_client_open(t.unix_address, NULL, &more, &err);
	}
	assert_int_equal(status, TS_OK);
	more->ops->destroy(more);
	for (int i = 0; i < 2; i++)
		ch[i]->ops->destroy(ch[i]);
}

/* Returns true when the peer has closed the connection. */
static bool is_closed(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char bytes[64];
	ssize_t n = 1;

	while (poll(&p, 1, 100) == 1 && n > 0)
		n = read(fd, bytes, sizeof bytes);
	return n <= 0;
}

/* The listener of C-core would never accept again (CVE-2023-4785). Sockets of clients are made before the limit is
 * lowered, since both sides are in this process. */
static void running_out_of_descriptors_is_survived(void **state)
{
	enum { SOCKETS = 24, SPARE = 4 };
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	struct rlimit old, low;
	struct ts_channel *ch, *after;
	int fds[SOCKETS], next, closed = 0;

	(void)state;
	testing_start(&t);
	ch = testing_client(t.unix_address);
	memcpy(name.sun_path, t.socket, strlen(t.socket) + 1);
	for (int i = 0; i < SOCKETS; i++)
		fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	next = dup(0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = old;
	low.rlim_cur = (rlim_t)next + SPARE;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	for (int i = 0; i < SOCKETS; i++)
		(void)!connect(fds[i], (struct sockaddr *)&name, sizeof name);
	(void)poll(NULL, 0, 300);
	assert_int_equal(testing_call(ch, "PoolEcho", ts_span_str("still served"), text), TS_OK);
	for (int i = 0; i < SOCKETS; i++)
		closed += is_closed(fds[i]);
	assert_true(closed >= SOCKETS - SPARE - 1);
	assert_true(closed < SOCKETS);
	for (int i = 0; i < SOCKETS; i++)
		close(fds[i]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	after = testing_client(t.unix_address);
	assert_int_equal(testing_call(after, "Echo", ts_span_str("recovered"), text), TS_OK);
	after->ops->destroy(after);
	ch->ops->destroy(ch);
}

/* ---- health ---- */

static grpc_completion_queue *queue;

static void *next_tag(void)
{
	grpc_event event = grpc_completion_queue_next(queue, ts_core_deadline(ts_now_mono_ns() + 20000000000), NULL);

	assert_int_equal(event.type, GRPC_OP_COMPLETE);
	return event.tag;
}

static enum ts_health next_health(grpc_call *call)
{
	enum ts_health health = TS_HEALTH_UNKNOWN;
	grpc_byte_buffer *message = NULL;
	grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
	struct ts_arena arena;
	struct ts_error err;
	grpc_slice bytes;

	op.data.recv_message.recv_message = &message;
	assert_int_equal(grpc_call_start_batch(call, &op, 1, &op, NULL), GRPC_CALL_OK);
	assert_ptr_equal(next_tag(), &op);
	if (!message)
		return TS_HEALTH_UNKNOWN;
	assert_true(ts_core_flatten(message, &bytes));
	ts_arena_init(&arena, 4096);
	assert_int_equal(ts_wire_unpack_health_reply(ts_core_span(&bytes), &arena, &health, &err), TS_OK);
	ts_arena_finish(&arena);
	grpc_slice_unref(bytes);
	grpc_byte_buffer_destroy(message);
	return health;
}

static grpc_call *start_watch(grpc_channel *channel, const char *service, grpc_metadata_array *initial)
{
	struct ts_buf request = TS_BUF_INIT(256);
	grpc_slice path = grpc_slice_from_static_string(TS_HEALTH_PATH "Watch");
	grpc_call *call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, queue, path, NULL,
						   gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
	grpc_byte_buffer *message;
	struct ts_error err;
	grpc_op ops[4] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}, {.op = GRPC_OP_SEND_MESSAGE},
			  {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT}, {.op = GRPC_OP_RECV_INITIAL_METADATA}};

	assert_int_equal(ts_wire_pack_health_request(ts_span_str(service), &request, &err), TS_OK);
	message = ts_core_message(ts_buf_view(&request));
	ops[1].data.send_message.send_message = message;
	ops[3].data.recv_initial_metadata.recv_initial_metadata = initial;
	assert_int_equal(grpc_call_start_batch(call, ops, 4, ops, NULL), GRPC_CALL_OK);
	assert_ptr_equal(next_tag(), ops);
	grpc_byte_buffer_destroy(message);
	ts_buf_finish(&request);
	return call;
}

static grpc_status_code end_of(grpc_call *call)
{
	grpc_op op = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT};
	grpc_metadata_array trailing;
	grpc_slice details = grpc_empty_slice();
	grpc_status_code code = GRPC_STATUS_UNKNOWN;

	grpc_metadata_array_init(&trailing);
	op.data.recv_status_on_client.trailing_metadata = &trailing;
	op.data.recv_status_on_client.status = &code;
	op.data.recv_status_on_client.status_details = &details;
	assert_int_equal(grpc_call_start_batch(call, &op, 1, &op, NULL), GRPC_CALL_OK);
	assert_ptr_equal(next_tag(), &op);
	grpc_slice_unref(details);
	grpc_metadata_array_destroy(&trailing);
	grpc_call_unref(call);
	return code;
}

static void watch_tells_of_the_end(void **state)
{
	grpc_channel_credentials *credentials;
	grpc_metadata_array initial[3];
	grpc_channel *channel;
	grpc_call *ours, *other, *given_up;
	pthread_t stopper;

	(void)state;
	testing_start(&t);
	grpc_init();
	queue = grpc_completion_queue_create_for_next(NULL);
	credentials = grpc_insecure_credentials_create();
	channel = grpc_channel_create_from_fd("test", testing_connect(t.unix_address), credentials, NULL);
	for (int i = 0; i < 3; i++)
		grpc_metadata_array_init(&initial[i]);
	ours = start_watch(channel, "tscope.v1.Tscope", &initial[0]);
	assert_int_equal(next_health(ours), TS_HEALTH_SERVING);
	other = start_watch(channel, "another.Service", &initial[1]);
	assert_int_equal(next_health(other), TS_HEALTH_SERVICE_UNKNOWN);
	given_up = start_watch(channel, "", &initial[2]);
	assert_int_equal(next_health(given_up), TS_HEALTH_SERVING);
	assert_int_equal(grpc_call_cancel(given_up, NULL), GRPC_CALL_OK);
	assert_int_equal(end_of(given_up), GRPC_STATUS_CANCELLED);
	assert_int_equal(pthread_create(&stopper, NULL, stop_server, NULL), 0);
	assert_int_equal(next_health(ours), TS_HEALTH_NOT_SERVING);
	assert_int_equal(next_health(other), TS_HEALTH_NOT_SERVING);
	assert_int_equal(end_of(ours), GRPC_STATUS_UNAVAILABLE);
	assert_int_equal(end_of(other), GRPC_STATUS_UNAVAILABLE);
	pthread_join(stopper, NULL);
	for (int i = 0; i < 3; i++)
		grpc_metadata_array_destroy(&initial[i]);
	grpc_channel_destroy(channel);
	grpc_channel_credentials_release(credentials);
	grpc_completion_queue_shutdown(queue);
	assert_int_equal(grpc_completion_queue_next(queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type, GRPC_QUEUE_SHUTDOWN);
	grpc_completion_queue_destroy(queue);
	grpc_shutdown_blocking();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(small_questions_stand_before_analyses_and_uploads, setup, teardown),
		cmocka_unit_test_setup_teardown(sixty_four_clients_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(two_queue_threads_serve_too, setup, teardown),
		cmocka_unit_test_setup_teardown(stopping_under_load_answers_everybody, setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_drain_is_cancelled, setup, teardown),
		cmocka_unit_test_setup_teardown(the_end_comes_within_the_time_to_drain, setup, teardown),
		cmocka_unit_test_setup_teardown(what_can_drain_is_answered, setup, teardown),
		cmocka_unit_test_setup_teardown(a_client_that_answers_nothing_does_not_delay_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(calls_over_the_share_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_token_has_its_own_share, setup, teardown),
		cmocka_unit_test_setup_teardown(a_revoked_token_ends_its_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(idle_uploads_leave_room_for_questions, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_is_bounded_over_calls, setup, teardown),
		cmocka_unit_test_setup_teardown(a_quick_answer_needs_no_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(an_idle_upload_holds_no_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(a_busy_lane_delays_no_other, setup, teardown),
		cmocka_unit_test_setup_teardown(a_stalled_upload_is_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(connections_over_the_limit_are_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(running_out_of_descriptors_is_survived, setup, teardown),
		cmocka_unit_test_setup_teardown(watch_tells_of_the_end, setup, teardown),
	};

	return cmocka_run_group_tests_name("server load", tests, NULL, NULL);
}
