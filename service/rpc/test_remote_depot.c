/* An engine in memory over the objects of a real server, over the real handlers. */
#include "service/rpc/remote_depot.h"
#include "service/rpc/testing.h"

#include "base/digest.h"
#include "base/limits.h"
#include "base/object.h"
#include "store/test_lease.h"
#include "store/test_seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

enum { OBJECTS = 40, OBJECT_BYTES = 100000 };

static struct testing t;
static struct ts_depot *depot;
static struct ts_engine *store, *remote; /* remote lies over the depot */
static struct ts_channel *ch;
static struct ts_sealed sealed[OBJECTS];
static struct ts_arena arena;
static struct ts_error err;

/* The ops of the store itself, and how often they were called on the queue thread (look) and on the pool (has). */
static const struct ts_engine_ops *store_ops;
static struct ts_engine_ops counting_ops;
static atomic_int looked, asked;

static enum ts_status counting_look_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
					 bool *ret_leased, struct ts_error *ret_err)
{
	atomic_fetch_add(&looked, 1);
	return store_ops->look_many(e, ids, n, ret_present, ret_leased, ret_err);
}

static enum ts_status counting_has_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
					struct ts_error *ret_err)
{
	atomic_fetch_add(&asked, 1);
	return store_ops->has_many(e, ids, n, ret_present, ret_err);
}

/* Fills the object with bytes of a linear congruential generator, which zstd cannot compress, so that they do not fit
 * one message. */
static void fill(struct ts_buf *object, uint32_t seed)
{
	ts_object_begin(object, 3, 1, TS_LAYOUT_BYTES, NULL, 0);
	for (int i = 0; i < OBJECT_BYTES; i++) {
		seed = seed * 1664525u + 1013904223u;
		ts_buf_u8(object, (uint8_t)(seed >> 24));
	}
}

static int setup(void **state)
{
	struct ts_put_stats stats;

	(void)state;
	assert_int_equal(ts_digest_init(&err), TS_OK);
	ts_arena_init(&arena, 64 << 20);
	assert_int_equal(ts_memory_open(NULL, &store, &err), TS_OK);
	store_ops = store->ops;
	counting_ops = *store_ops;
	counting_ops.look_many = counting_look_many;
	counting_ops.has_many = counting_has_many;
	store->ops = &counting_ops;
	atomic_store(&looked, 0);
	atomic_store(&asked, 0);
	for (uint32_t i = 0; i < OBJECTS; i++) {
		struct ts_buf object = TS_BUF_INIT(1 << 20);

		fill(&object, i);
		assert_int_equal(test_seal_bytes(ts_arena_span(&arena, ts_buf_view(&object)), &arena, &sealed[i], &err), TS_OK);
		ts_buf_finish(&object);
	}
	assert_int_equal(store->ops->put_many(store, sealed, OBJECTS, &stats, &err), TS_OK);
	testing_init(&t);
	t.options.engine = store;
	t.options.handlers = ts_handlers(&t.options.n_handlers);
	testing_start(&t);
	ch = testing_client(t.unix_address);
	assert_int_equal(ts_remote_depot_open(ch, &depot, &err), TS_OK);
	assert_int_equal(ts_memory_over(depot, &remote, &err), TS_OK);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_engine_destroy(remote);
	ts_depot_destroy(depot);
	ch->ops->destroy(ch);
	testing_finish(&t);
	ts_engine_destroy(store);
	ts_arena_finish(&arena);
	return 0;
}

static void same_object(struct ts_engine *engine, const struct ts_sealed *want)
{
	struct ts_sealed got;

	err.status = TS_OK;
	if (engine->ops->get(engine, &want->id, &arena, &got, &err))
		fail_msg("%s", err.text);
	assert_int_equal(err.status, TS_OK); /* untouched */
	assert_true(ts_id_eq(&got.id, &want->id));
	assert_int_equal(got.kind, want->kind);
	assert_int_equal(got.raw_len, want->raw_len);
	assert_true(ts_span_eq(got.bytes, want->bytes));
}

static void objects_come_as_they_are_stored(void **state)
{
	(void)state;
	for (int i = 0; i < OBJECTS; i++)
		same_object(remote, &sealed[i]);
}

static void what_was_fetched_needs_no_server(void **state)
{
	(void)state;
	for (int i = 0; i < OBJECTS; i++)
		same_object(remote, &sealed[i]);
	ts_server_destroy(t.server);
	t.server = NULL;
	for (int i = OBJECTS - 1; i >= 0; i--)
		same_object(remote, &sealed[i]);
}

static void what_is_not_there(void **state)
{
	struct ts_id ids[4] = {sealed[0].id, {{7}}, sealed[1].id, {{8}}};
	bool present[4] = {false, true, false, true};
	struct ts_sealed got;

	(void)state;
	assert_int_equal(remote->ops->has_many(remote, ids, 4, present, &err), TS_OK);
	assert_true(present[0]);
	assert_false(present[1]);
	assert_true(present[2]);
	assert_false(present[3]);
	assert_int_equal(remote->ops->get(remote, &ids[1], &arena, &got, &err), TS_NOT_FOUND);
	same_object(remote, &sealed[1]);
}

static void ask(const struct ts_id *ids, size_t n, int want_looked, int want_asked)
{
	bool present[100];

	assert_int_equal(remote->ops->has_many(remote, ids, n, present, &err), TS_OK);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(present[i], i % 3 != 1);
	assert_int_equal(atomic_load(&looked), want_looked);
	assert_int_equal(atomic_load(&asked), want_asked);
}

static void an_old_lease_is_renewed_by_the_pool(void **state)
{
	struct ts_id ids[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		ids[i] = i % 3 == 1 ? (struct ts_id){{7, (uint8_t)i}} : sealed[i % OBJECTS].id;
	ask(ids, 64, 1, 0);
	ask(ids, 65, 1, 1); /* too many to be looked up on the queue thread */
	test_age(store, &ids[2], TS_LEASE_FRESH_SECONDS + 60);
	ask(ids, 2, 2, 1);
	ask(ids, 3, 3, 2);
	ask(ids, 3, 4, 2); /* the leases were renewed */
}

/* It knows nothing of a server's objects without asking it. */
static void it_cannot_tell_at_once(void **state)
{
	bool present, leased = true;

	(void)state;
	assert_int_equal(remote->ops->look_many(remote, &sealed[0].id, 1, &present, &leased, &err), TS_OK);
	assert_false(leased);
	assert_int_equal(atomic_load(&looked) + atomic_load(&asked), 0);
}

static void outlines_are_those_of_what_is_fetched(void **state)
{
	struct ts_id ids[3] = {sealed[4].id, {{7}}, sealed[5].id};
	struct ts_outline outlines[3];

	(void)state;
	assert_int_equal(remote->ops->outline_many(remote, ids, 3, outlines, &err), TS_OK);
	assert_true(outlines[0].present && outlines[2].present && !outlines[1].present);
	assert_int_equal(outlines[2].raw_len, sealed[5].raw_len);
	assert_int_equal(outlines[2].kind, sealed[5].kind);
}

/* Whole ids are found, here and there; of a part nobody can say who else has it. */
static void ids_are_found_whole(void **state)
{
	char hex[TS_ID_HEX + 1];
	struct ts_id *ids;
	size_t n;

	(void)state;
	ts_id_hex(&sealed[6].id, hex);
	assert_int_equal(remote->ops->find_prefix(remote, sealed[6].kind, ts_span_str(hex), 10, &arena, &ids, &n, &err), TS_OK);
	assert_true(n == 1 && ts_id_eq(&ids[0], &sealed[6].id));
	hex[0] = hex[0] == '0' ? '1' : '0';
	assert_int_equal(remote->ops->find_prefix(remote, sealed[6].kind, ts_span_str(hex), 10, &arena, &ids, &n, &err), TS_OK);
	assert_int_equal(n, 0);
	hex[TS_ID_HEX - 1] = 0;
	assert_int_equal(remote->ops->find_prefix(remote, sealed[6].kind, ts_span_str(hex), 10, &arena, &ids, &n, &err),
			 TS_UNSUPPORTED);
	assert_non_null(strstr(err.text, t.socket));
}

/* What is put and named over a server stays here, and a name needs everything that it reaches, here or there. */
static void nothing_is_written_to_the_server(void **state)
{
	struct ts_ref_update update = {.kind = TS_REF_RUN, .name = ts_span_str("p/r")};
	struct ts_buf object = TS_BUF_INIT(1 << 20);
	struct ts_id refs[2] = {sealed[3].id, {{7}}};
	struct ts_sealed own;
	struct ts_put_stats stats;
	struct ts_ref ref;
	bool present;

	(void)state;
	for (uint32_t n = 2; n; n--) { /* the second of two is nowhere */
		ts_object_begin(&object, 3, 1, TS_LAYOUT_BYTES, refs, n);
		assert_int_equal(test_seal_bytes(ts_arena_span(&arena, ts_buf_view(&object)), &arena, &own, &err), TS_OK);
		ts_buf_finish(&object);
		assert_int_equal(remote->ops->put_many(remote, &own, 1, &stats, &err), TS_OK);
		same_object(remote, &own);
		update.id = own.id;
		assert_int_equal(remote->ops->commit(remote, &update, 1, &arena, &ref, &err), n == 2 ? TS_NOT_FOUND : TS_OK);
		assert_int_equal(store->ops->has_many(store, &own.id, 1, &present, &err), TS_OK);
		assert_false(present);
	}
	assert_int_equal(remote->ops->ref_get(remote, TS_REF_RUN, ts_span_str("p/r"), &arena, &ref, &err), TS_OK);
	assert_int_equal(store->ops->ref_get(store, TS_REF_RUN, ts_span_str("p/r"), &arena, &ref, &err), TS_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(objects_come_as_they_are_stored, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_fetched_needs_no_server, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_there, setup, teardown),
		cmocka_unit_test_setup_teardown(an_old_lease_is_renewed_by_the_pool, setup, teardown),
		cmocka_unit_test_setup_teardown(it_cannot_tell_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(outlines_are_those_of_what_is_fetched, setup, teardown),
		cmocka_unit_test_setup_teardown(ids_are_found_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_written_to_the_server, setup, teardown),
	};

	return cmocka_run_group_tests_name("remote depot", tests, NULL, NULL);
}
