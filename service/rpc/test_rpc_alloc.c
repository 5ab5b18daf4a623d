/* Server and client with the n-th allocation of either failing, for every n: the call says so or has its answer, nothing leaks (the
 * sanitizer looks), nobody waits for ever. What gRPC itself allocates is not ours. */
#include "service/rpc/remote_depot.h"
#include "service/rpc/testing.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/object.h"
#include "proto/wire.h"
#include "run/kind.h"
#include "service/handlers/core/handler.h"
#include "store/test_seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

/* The object is larger than a block of an arena, so that its bytes need an allocation of their own. */
enum { MOST_ALLOCATIONS = 20000, OBJECT_BYTES = 100000 };

static struct testing t;
static struct ts_engine *store;
static struct ts_sealed object;
static struct ts_arena arena; /* for what is made once */
static struct ts_buf ask, put;

static int setup(void **state)
{
	struct ts_buf bytes = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_digest_init(&err), TS_OK);
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_memory_open(NULL, &store, &err), TS_OK);
	ts_object_begin(&bytes, TS_KIND_CHUNK, 1, TS_LAYOUT_BYTES, NULL, 0);
	for (uint32_t i = 0, seed = 1; i < OBJECT_BYTES; i++) { /* a linear congruential generator, whose bytes do not compress */
		seed = seed * 1664525u + 1013904223u;
		ts_buf_u8(&bytes, (uint8_t)(seed >> 24));
	}
	assert_int_equal(test_seal_bytes(ts_arena_span(&arena, ts_buf_view(&bytes)), &arena, &object, &err), TS_OK);
	ts_buf_finish(&bytes);
	ask = put = TS_BUF_INIT(TS_MESSAGE_MAX);
	assert_int_equal(ts_wire_pack_has_request(&(struct ts_has_request){&object.id, 1}, &ask, &err), TS_OK);
	assert_int_equal(ts_wire_pack_put_request(&(struct ts_put_request){&object, 1}, &put, &err), TS_OK);
	testing_init(&t);
	t.options.engine = store;
	t.options.handlers = ts_handlers(&t.options.n_handlers);
	t.options.n_listeners = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	testing_finish(&t);
	ts_engine_destroy(store);
	ts_buf_finish(&ask);
	ts_buf_finish(&put);
	ts_arena_finish(&arena);
	return 0;
}

static enum ts_status upload(struct ts_channel *ch, struct ts_arena *a, struct ts_error *err)
{
	struct ts_upload *u;
	struct ts_span reply;

	if (ch->ops->upload_open(ch, "PutObjects", &u, err))
		return err->status;
	if (ch->ops->upload_send(u, ts_buf_view(&put), err)) {
		ch->ops->upload_cancel(u);
		return err->status;
	}
	return ch->ops->upload_finish(u, a, &reply, err);
}

/* Reads the object from the server as a depot. */
static enum ts_status read_back(struct ts_channel *ch, struct ts_arena *a, struct ts_error *err)
{
	struct ts_depot *remote;
	struct ts_sealed got;

	if (ts_remote_depot_open(ch, &remote, err))
		return err->status;
	if (remote->ops->get(remote, &object.id, a, &got, err)) {
		ts_depot_destroy(remote);
		return err->status;
	}
	assert_true(ts_id_eq(&got.id, &object.id));
	assert_true(ts_span_eq(got.bytes, object.bytes));
	ts_depot_destroy(remote);
	return TS_OK;
}

static enum ts_status talk(struct ts_channel *ch, struct ts_arena *a, struct ts_error *err)
{
	struct ts_has_reply has;
	struct ts_span reply;

	if (upload(ch, a, err) || ch->ops->call(ch, "HasObjects", ts_buf_view(&ask), a, &reply, err) ||
	    ts_wire_unpack_has_reply(reply, a, &has, err))
		return err->status;
	assert_int_equal(has.n, 0);
	if (ch->ops->call(ch, "ListRuns", ts_span_str(""), a, &reply, err))
		return err->status;
	return read_back(ch, a, err);
}

/* Runs a whole cycle, from starting a server to stopping it. */
static enum ts_status whole(struct ts_error *err)
{
	struct ts_channel *ch;
	struct ts_arena a;
	enum ts_status status = ts_server_create(&t.options, &t.server, err);

	if (status)
		return status;
	ts_arena_init(&a, 0);
	status = ts_client_open(t.unix_address, NULL, &ch, err);
	if (!status) {
		status = talk(ch, &a, err);
		ch->ops->destroy(ch);
	}
	ts_arena_finish(&a);
	ts_server_destroy(t.server);
	t.server = NULL;
	return status;
}

static void every_allocation_may_fail(void **state)
{
	size_t failed = 0, unavailable = 0;

	(void)state;
	for (size_t n = 1; n < MOST_ALLOCATIONS; n++) {
		struct ts_error err = {.status = TS_OK};
		enum ts_status status;
		size_t made;

		(void)ts_alloc_fail_at(n);
		status = whole(&err);
		made = ts_alloc_fail_at(0);
		if (made < n) {
			if (status)
				fail_msg("without a failed allocation: %s: %s", ts_status_word(status), err.text);
			assert_true(failed > 0);
			return;
		}
		/* A server that cannot remember a connection closes it: its log has the reason, which the client cannot know. */
		if (status && status != TS_NO_MEMORY && !(status == TS_UNAVAILABLE && !unavailable++))
			fail_msg("allocation %zu: %s: %s", n, ts_status_word(status), err.text);
		failed += status == TS_NO_MEMORY;
	}
	fail_msg("allocates without end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(every_allocation_may_fail, setup, teardown)};

	return cmocka_run_group_tests_name("rpc_alloc", tests, NULL, NULL);
}
