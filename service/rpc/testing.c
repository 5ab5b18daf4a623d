#include "service/rpc/testing.h"

#include "base/clock.h"
#include "base/cursor.h"
#include "service/rpc/dial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

atomic_int testing_opened, testing_closed, testing_dropped, testing_sleeping, testing_stopped;

static enum ts_status echo(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	(void)state;
	return call->reply(call, request, err);
}

static bool quick(struct ts_call *call, struct ts_span request)
{
	struct ts_error ignored;

	return request.len && request.data[0] == 'q' && call->reply(call, ts_span_str("quick"), &ignored) == TS_OK;
}

static enum ts_status who(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	(void)state, (void)request;
	return call->reply(call, call->caller, err);
}

static enum ts_status left(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	char text[32];

	(void)state, (void)request;
	if (call->deadline_ns == INT64_MAX)
		return call->reply(call, ts_span_str("none"), err);
	(void)snprintf(text, sizeof text, "%" PRId64, ((call->deadline_ns - ts_now_mono_ns()) / 1000000));
	return call->reply(call, ts_span_str(text), err);
}

static enum ts_status own_nice(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	char text[32];

	(void)state, (void)request;
	(void)snprintf(text, sizeof text, "%d", getpriority(PRIO_PROCESS, 0));
	return call->reply(call, ts_span_str(text), err);
}

static enum ts_status refuse(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	(void)state, (void)call;
	return ts_error_set(err, (enum ts_status)request.data[0], "%.*s", (int)request.len - 1, (const char *)request.data + 1);
}

static enum ts_status nap(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	(void)state, (void)request;
	atomic_fetch_add(&testing_sleeping, 1);
	for (int i = 0; i < 4000; i++) {
		if (call->cancelled(call)) {
			atomic_fetch_add(&testing_stopped, 1);
			return ts_error_set(err, ts_now_mono_ns() < call->deadline_ns ? TS_UNAVAILABLE : TS_DEADLINE,
					    "told to stop");
		}
		(void)poll(NULL, 0, 5);
	}
	return call->reply(call, ts_span_str("slept"), err);
}

static enum ts_status blob(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct ts_cursor in = ts_cursor_of(request);
	uint32_t n = ts_cursor_u32(&in);
	uint8_t *bytes = ts_arena_alloc(call->arena, n);

	(void)state;
	if (!bytes)
		return ts_arena_error(call->arena, err);
	memset(bytes, 'b', n);
	return call->reply(call, ts_span_of(bytes, n), err);
}

static enum ts_status take(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	(void)state;
	for (int i = 0; i < request.data[0]; i++) {
		if (!ts_arena_alloc(call->arena, 1 << 20))
			return ts_arena_error(call->arena, err);
	}
	return call->reply(call, ts_span_str("taken"), err);
}

struct sum {
	unsigned messages;
	uint64_t bytes;
};

static enum ts_status sum_open(struct ts_call *call, void **ret_state, struct ts_error *err)
{
	(void)call, (void)err;
	*ret_state = calloc(1, sizeof(struct sum));
	atomic_fetch_add(&testing_opened, 1);
	return TS_OK;
}

static enum ts_status sum_message(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct sum *sum = state;

	(void)call;
	if (ts_span_is(request, "bad"))
		return ts_error_set(err, TS_DAMAGED, "message %u is bad", sum->messages + 1);
	sum->messages++;
	sum->bytes += request.len;
	return TS_OK;
}

static enum ts_status sum_close(struct ts_call *call, void *state, struct ts_error *err)
{
	struct sum *sum = state;
	char text[64];

	atomic_fetch_add(&testing_closed, 1);
	(void)snprintf(text, sizeof text, "%u %" PRIu64, sum->messages, sum->bytes);
	return call->reply(call, ts_span_str(text), err);
}

static void sum_drop(void *state)
{
	free(state);
	atomic_fetch_add(&testing_dropped, 1);
}

static enum ts_status count(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct ts_cursor in = ts_cursor_of(request);
	uint32_t n = ts_cursor_u32(&in), size = ts_cursor_u32(&in);
	uint8_t *bytes = ts_arena_alloc(call->arena, size);

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		memset(bytes, (int)(i & 255), size);
		if (call->reply(call, ts_span_of(bytes, size), err))
			return err->status;
	}
	return TS_OK;
}

const struct ts_handler testing_handlers[] = {
	{.method = "Echo", .flags = TS_METHOD_CHEAP, .message = echo},
	{.method = "PoolEcho", .message = echo},
	{.method = "Quick", .message = echo, .quick = quick},
	{.method = "Who", .flags = TS_METHOD_CHEAP, .message = who},
	{.method = "Left", .message = left},
	{.method = "Fail", .message = refuse},
	{.method = "Sleep", .message = nap},
	{.method = "WriteSleep", .lane = TS_LANE_WRITE, .message = nap},
	{.method = "DownSleep", .lane = TS_LANE_DOWN, .message = nap},
	{.method = "LongSleep", .lane = TS_LANE_LONG, .message = nap},
	{.method = "Nice", .message = own_nice},
	{.method = "WriteNice", .lane = TS_LANE_WRITE, .message = own_nice},
	{.method = "LongNice", .lane = TS_LANE_LONG, .message = own_nice},
	{.method = "Blob", .message = blob},
	{.method = "Alloc", .message = take},
	{.method = "Diff", .message = take},
	{.method = "Write", .flags = TS_METHOD_WRITES, .message = echo},
	{.method = "Sum",
	 .lane = TS_LANE_WRITE,
	 .flags = TS_METHOD_STREAM_UP,
	 .open = sum_open,
	 .message = sum_message,
	 .close = sum_close,
	 .drop = sum_drop},
	{.method = "Count", .lane = TS_LANE_DOWN, .flags = TS_METHOD_STREAM_DOWN, .message = count},
};
const size_t testing_n_handlers = sizeof testing_handlers / sizeof testing_handlers[0];

void testing_init(struct testing *t)
{
	memset(t, 0, sizeof *t);
	(void)snprintf(t->dir, sizeof t->dir, "/tmp/tscope-test-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	(void)snprintf(t->socket, sizeof t->socket, "%s/s", t->dir);
	(void)snprintf(t->unix_address, sizeof t->unix_address, "unix:%s", t->socket);
	t->listeners[0] = (struct ts_listener){.address = t->unix_address};
	t->listeners[1] = (struct ts_listener){.address = "tcp:127.0.0.1:0"};
	t->facts = (struct ts_server_facts){.version = "test", .store = "none"};
	t->options = (struct ts_server_options){.facts = &t->facts, .handlers = testing_handlers,
						.n_handlers = testing_n_handlers, .listeners = t->listeners,
						.n_listeners = 2, .quiet = true};
}

void testing_start(struct testing *t)
{
	struct ts_error err;

	if (ts_server_create(&t->options, &t->server, &err))
		fail_msg("%s", err.text);
}

void testing_finish(struct testing *t)
{
	DIR *dir;
	struct dirent *entry;

	ts_server_destroy(t->server);
	t->server = NULL;
	dir = opendir(t->dir);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	(void)rmdir(t->dir);
}

const char *testing_tcp(const struct testing *t)
{
	return ts_server_address(t->server, 1);
}

struct ts_channel *testing_client(const char *address)
{
	struct ts_channel *ch = NULL;
	struct ts_error err;

	if (ts_client_open(address, NULL, &ch, &err))
		fail_msg("%s", err.text);
	return ch;
}

enum ts_status testing_call(struct ts_channel *ch, const char *method, struct ts_span request, char text[256])
{
	struct ts_arena arena;
	struct ts_span reply;
	struct ts_error err;
	enum ts_status status;

	ts_arena_init(&arena, 16 << 20);
	status = ch->ops->call(ch, method, request, &arena, &reply, &err);
	if (status)
		(void)snprintf(text, 256, "%.255s", err.text);
	else
		(void)snprintf(text, 256, "%.*s", (int)(reply.len < 255 ? reply.len : 255), (const char *)reply.data);
	ts_arena_finish(&arena);
	return status;
}

int testing_connect(const char *address)
{
	struct ts_address parsed;
	struct ts_error err;
	int fd;

	if (ts_address_parse(address, &parsed, &err) || ts_dial(&parsed, ts_now_mono_ns() + 5000000000, &fd, &err))
		fail_msg("%s: %s", address, err.text);
	return fd;
}
