/* Tests what every engine promises: the same suite runs on LMDB, memory, and memory laid over LMDB. The numbers are those of
 * engine.h.
 */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "store/store_internal.h"
#include "store/test_store.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum kind { LMDB, MEMORY, OVERLAY };

struct fixture {
	enum kind kind;
	char dir[256];
	struct ts_engine *base;
	struct ts_engine *e;
	struct ts_arena arena;
	struct ts_error err;
};

static enum kind kind_now;

static struct ts_engine *open_lmdb(const char *dir)
{
	struct ts_lmdb_options options = {.path = dir, .create = true};
	struct ts_engine *e;
	struct ts_error err;

	if (ts_lmdb_open(&options, &e, &err))
		fail_msg("%s", err.text);
	return e;
}

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	f->kind = kind_now;
	ts_arena_init(&f->arena, 0);
	if (f->kind != MEMORY) {
		test_make_dir(f->dir, sizeof f->dir);
		f->base = open_lmdb(f->dir);
	}
	f->e = f->base;
	if (f->kind != LMDB)
		assert_int_equal(ts_memory_open(f->base, &f->e, &f->err), TS_OK);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_engine_destroy(f->e);
	if (f->kind == OVERLAY)
		ts_engine_destroy(f->base);
	if (f->kind != MEMORY)
		test_remove_dir(f->dir);
	ts_arena_finish(&f->arena);
	test_free(f);
	return 0;
}

#define OK(call) \
	do { \
		if ((call) != TS_OK) \
			fail_msg("%s: %s", #call, f->err.text); \
	} while (0)

static struct ts_ref get_ref(struct fixture *f, enum ts_ref_kind kind, const char *name)
{
	struct ts_ref ref = {0};

	OK(f->e->ops->ref_get(f->e, kind, ts_span_str(name), &f->arena, &ref, &f->err));
	return ref;
}

static bool has(struct fixture *f, const struct ts_id *id)
{
	bool present;

	OK(f->e->ops->has_many(f->e, id, 1, &present, &f->err));
	return present;
}

static void what_was_put_comes_back(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[40];
	size_t n = test_run(&f->arena, 1, 38, objects);
	struct ts_id ids[41];
	bool present[41];
	struct ts_sealed big = test_block(&f->arena, 5, 100000, true); /* larger than a pack */
	struct ts_sealed got;
	struct ts_span bytes;

	for (size_t i = 0; i < n; i++)
		ids[i] = objects[i].id;
	ids[40] = big.id;
	OK(f->e->ops->has_many(f->e, ids, 41, present, &f->err));
	for (int i = 0; i < 41; i++)
		assert_false(present[i]);
	assert_int_equal(f->e->ops->get(f->e, &ids[3], &f->arena, &got, &f->err), TS_NOT_FOUND);
	test_push(f->e, "p/one", objects, n, 100);
	OK(f->e->ops->put_many(f->e, &big, 1, NULL, &f->err));
	OK(f->e->ops->has_many(f->e, ids, 41, present, &f->err));
	for (int i = 0; i < 41; i++)
		assert_true(present[i]);
	for (size_t i = 0; i < n; i++) {
		OK(f->e->ops->get(f->e, &ids[i], &f->arena, &got, &f->err));
		assert_true(ts_id_eq(&got.id, &ids[i]));
		assert_true(ts_span_eq(got.bytes, objects[i].bytes));
		OK(ts_sealed_verify(&got, &f->arena, &bytes, &f->err));
	}
	OK(f->e->ops->get(f->e, &big.id, &f->arena, &got, &f->err));
	assert_true(ts_span_eq(got.bytes, big.bytes));
}

static void p3_equal_content_is_stored_once(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[10];
	struct ts_put_stats stats;
	struct ts_store_stats before;
	struct ts_store_stats after;

	test_run(&f->arena, 1, 8, objects);
	objects[9] = objects[8]; /* the same object twice in one call */
	OK(f->e->ops->put_many(f->e, objects, 10, &stats, &f->err));
	assert_int_equal(stats.objects, 10);
	assert_int_equal(stats.new_objects, 9);
	OK(f->e->ops->stats(f->e, &before, &f->err));
	assert_int_equal(before.objects, 9);
	assert_int_equal(before.stored_bytes, stats.new_bytes);
	OK(f->e->ops->put_many(f->e, objects, 10, &stats, &f->err));
	assert_int_equal(stats.new_objects, 0);
	assert_int_equal(stats.new_bytes, 0);
	OK(f->e->ops->stats(f->e, &after, &f->err));
	assert_int_equal(after.objects, before.objects);
	assert_int_equal(after.stored_bytes, before.stored_bytes);
}

static void p2_no_name_for_what_is_not_complete(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	size_t n = test_run(&f->arena, 1, 10, objects);
	struct ts_ref_update update = test_update(TS_REF_RUN, "p/half", &objects[0].id, 1);
	struct ts_ref ref;
	char hex[TS_ID_HEX + 1];

	for (size_t missing = 0; missing < n; missing++) { /* each object is missing once, also the head */
		struct ts_engine *e;
		struct ts_arena arena;

		ts_arena_init(&arena, 0);
		OK(ts_memory_open(f->e, &e, &f->err));
		OK(e->ops->put_many(e, objects, missing, NULL, &f->err));
		OK(e->ops->put_many(e, objects + missing + 1, n - missing - 1, NULL, &f->err));
		assert_int_equal(e->ops->commit(e, &update, 1, &arena, &ref, &f->err), TS_NOT_FOUND);
		assert_non_null(strstr(f->err.text, ts_id_hex(&objects[missing].id, hex)));
		assert_int_equal(e->ops->ref_get(e, TS_REF_RUN, update.name, &arena, &ref, &f->err), TS_NOT_FOUND);
		ts_engine_destroy(e);
		ts_arena_finish(&arena);
	}
	OK(f->e->ops->put_many(f->e, objects, n - 1, NULL, &f->err));
	assert_int_equal(f->e->ops->commit(f->e, &update, 1, &f->arena, &ref, &f->err), TS_NOT_FOUND);
	assert_non_null(strstr(f->err.text, ts_id_hex(&objects[n - 1].id, hex)));
	assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_RUN, update.name, &f->arena, &ref, &f->err), TS_NOT_FOUND);
	OK(f->e->ops->put_many(f->e, objects + n - 1, 1, NULL, &f->err));
	OK(f->e->ops->commit(f->e, &update, 1, &f->arena, &ref, &f->err));
}

/* The test builds a chain of objects that each refer twice to the next: 64 objects, 2^64 paths. */
static void a_closure_is_walked_once(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed chain[66];
	struct ts_ref_update update;

	chain[65] = test_block(&f->arena, 1, 8, false);
	for (int i = 64; i >= 0; i--) {
		struct ts_sealed two[2] = {chain[i + 1], chain[i + 1]};

		chain[i] = test_node(&f->arena, TEST_INDEX, two, 2, (uint64_t)i);
	}
	OK(f->e->ops->put_many(f->e, chain, 66, NULL, &f->err));
	update = test_update(TS_REF_RUN, "p/chain", &chain[0].id, 1);
	assert_int_equal(test_commit(f->e, &update), TS_OK);
}

static void p4_a_name_moves_by_compare_and_set(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed a[3];
	struct ts_sealed b[3];
	struct ts_ref_update u;
	struct ts_ref ref;

	test_run(&f->arena, 1, 1, a);
	test_run(&f->arena, 2, 1, b);
	OK(f->e->ops->put_many(f->e, a, 3, NULL, &f->err));
	OK(f->e->ops->put_many(f->e, b, 3, NULL, &f->err));
	u = test_update(TS_REF_RUN, "p/x", &a[0].id, 10);
	u.expect = TS_EXPECT_ID;
	u.expected = b[0].id;
	assert_int_equal(test_commit(f->e, &u), TS_CONFLICT); /* the name does not exist, but the update expects it to */
	u.expect = TS_EXPECT_ABSENT;
	OK(f->e->ops->commit(f->e, &u, 1, &f->arena, &ref, &f->err));
	assert_int_equal(ref.seq, 1);
	assert_int_equal(test_commit(f->e, &u), TS_CONFLICT); /* the name exists by now */
	u.id = b[0].id;
	u.expect = TS_EXPECT_ID;
	assert_int_equal(test_commit(f->e, &u), TS_CONFLICT); /* the update expects head b, the name points at a */
	u.expected = a[0].id;
	u.now_ns = 20;
	OK(f->e->ops->commit(f->e, &u, 1, &f->arena, &ref, &f->err));
	assert_int_equal(ref.seq, 2);
	assert_true(ts_id_eq(&ref.id, &b[0].id));
	ref = get_ref(f, TS_REF_RUN, "p/x");
	assert_int_equal(ref.seq, 2);
	assert_int_equal(ref.moved_ns, 20);
	assert_true(ts_span_is(ref.who, "tester"));
	assert_true(ts_span_is(ref.summary, "summary"));
	assert_true(ts_span_is(ref.name, "p/x"));
	/* A commit applies all updates or none: the second of these two fails. */
	{
		struct ts_ref_update two[2] = {test_update(TS_REF_TAG, "p/t", &a[0].id, 30), u};

		two[1].expect = TS_EXPECT_ABSENT;
		assert_int_equal(f->e->ops->commit(f->e, two, 2, &f->arena, &ref, &f->err), TS_CONFLICT);
		assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_TAG, ts_span_str("p/t"), &f->arena, &ref, &f->err),
				 TS_NOT_FOUND);
		two[1].expect = TS_EXPECT_ANY;
		OK(f->e->ops->commit(f->e, two, 2, &f->arena, &ref, &f->err));
		assert_int_equal(ref.kind, TS_REF_TAG);
		two[1] = two[0];
		assert_int_equal(f->e->ops->commit(f->e, two, 2, &f->arena, &ref, &f->err), TS_INVALID);
	}
}

struct racer {
	struct ts_engine *e;
	const struct ts_sealed *heads;
	unsigned won;
};

enum { RACERS = 4, MOVES = 40 };

/* Each thread moves the name on from its current head, until the log has MOVES entries. */
static void *race(void *ctx)
{
	struct racer *r = ctx;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	for (;;) {
		struct ts_ref_update u = test_update(TS_REF_BRANCH, "p/main", &r->heads[0].id, 1);
		struct ts_ref ref = {0};
		enum ts_status status;

		ts_arena_reset(&arena);
		status = r->e->ops->ref_get(r->e, TS_REF_BRANCH, u.name, &arena, &ref, &err);
		if (status == TS_OK && ref.seq >= MOVES)
			break;
		u.expect = status == TS_OK ? TS_EXPECT_ID : TS_EXPECT_ABSENT;
		u.expected = ref.id;
		u.id = r->heads[(ref.seq + 1) % 2].id;
		status = r->e->ops->commit(r->e, &u, 1, &arena, NULL, &err);
		if (status != TS_OK && status != TS_CONFLICT)
			break;
		r->won += status == TS_OK;
	}
	ts_arena_finish(&arena);
	return NULL;
}

static void p4_concurrent_writers_lose_nothing(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[2] = {test_node(&f->arena, TEST_HEAD, NULL, 0, 1), test_node(&f->arena, TEST_HEAD, NULL, 0, 2)};
	struct racer racers[RACERS];
	pthread_t threads[RACERS];
	struct ts_log_entry *log;
	unsigned won = 0;
	size_t n;

	OK(f->e->ops->put_many(f->e, heads, 2, NULL, &f->err));
	for (int i = 0; i < RACERS; i++) {
		racers[i] = (struct racer){.e = f->e, .heads = heads};
		assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
	}
	for (int i = 0; i < RACERS; i++) {
		pthread_join(threads[i], NULL);
		won += racers[i].won;
	}
	OK(f->e->ops->ref_log(f->e, TS_REF_BRANCH, ts_span_str("p/main"), 0, &f->arena, &log, &n, &f->err));
	assert_int_equal(n, won); /* every move that was answered with OK is in the log, once */
	assert_in_range(n, MOVES, MOVES + RACERS);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(log[i].seq, n - i);
		assert_true(ts_id_eq(&log[i].id, &heads[(n - i) % 2].id)); /* each move follows the one before */
	}
}

static void the_log_is_kept_newest_first(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[3];
	struct ts_log_entry *log;
	size_t n;

	for (uint64_t i = 0; i < 3; i++)
		heads[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, i);
	OK(f->e->ops->put_many(f->e, heads, 3, NULL, &f->err));
	for (int64_t i = 0; i < 300; i++) {
		struct ts_ref_update u = test_update(TS_REF_BRANCH, "p/b", &heads[i % 3].id, i);
		struct ts_ref_update other = test_update(TS_REF_BRANCH, "p/bb", &heads[0].id, i); /* a name of which it is a prefix */

		assert_int_equal(test_commit(f->e, &u), TS_OK);
		if (i % 50 == 0)
			assert_int_equal(test_commit(f->e, &other), TS_OK);
	}
	OK(f->e->ops->ref_log(f->e, TS_REF_BRANCH, ts_span_str("p/b"), 0, &f->arena, &log, &n, &f->err));
	assert_int_equal(n, 300);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(log[i].seq, 300 - i);
		assert_int_equal(log[i].moved_ns, 299 - i);
		assert_true(ts_id_eq(&log[i].id, &heads[(299 - i) % 3].id));
		assert_true(ts_span_is(log[i].message, "message") && log[i].standing == TS_STANDING_UNKNOWN);
	}
	OK(f->e->ops->ref_log(f->e, TS_REF_BRANCH, ts_span_str("p/b"), 7, &f->arena, &log, &n, &f->err));
	assert_int_equal(n, 7);
	assert_int_equal(log[6].seq, 294);
	assert_int_equal(f->e->ops->ref_log(f->e, TS_REF_RUN, ts_span_str("p/b"), 0, &f->arena, &log, &n, &f->err),
			 TS_NOT_FOUND);
}

/* Walks a whole list by pages; every name must come once, in order. Returns the number of names. */
static size_t walk_pages(struct fixture *f, enum ts_ref_order order, const char *prefix, size_t limit)
{
	struct ts_ref_query q = {.kind = TS_REF_RUN, .prefix = ts_span_str(prefix), .order = order, .limit = limit};
	struct ts_ref last = {0};
	size_t total = 0;

	do {
		struct ts_ref *refs;
		size_t n;

		OK(f->e->ops->ref_list(f->e, &q, &f->arena, &refs, &n, &q.after, &f->err));
		assert_true(n <= limit);
		assert_true(q.after.len == 0 || n == limit);
		for (size_t i = 0; i < n; i++, total++) {
			assert_true(ts_span_starts(refs[i].name, q.prefix));
			if (total && order == TS_ORDER_NAME)
				assert_true(ts_span_cmp(last.name, refs[i].name) < 0);
			if (total && order == TS_ORDER_NEWEST)
				assert_true(last.moved_ns > refs[i].moved_ns ||
					    (last.moved_ns == refs[i].moved_ns && ts_span_cmp(last.name, refs[i].name) < 0));
			last = refs[i];
		}
	} while (q.after.len);
	return total;
}

static void lists_go_page_by_page(void **state)
{
	struct fixture *f = *state;
	enum { REFS = 5000, GROUP = 250 };
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_ref_update group[GROUP];
	struct ts_engine *first_half = f->kind == OVERLAY ? f->base : f->e;
	struct ts_ref_query q = {.kind = TS_REF_RUN, .limit = 0};
	struct ts_ref *refs;
	struct ts_span next;
	size_t n;

	OK(f->base ? f->base->ops->put_many(f->base, &head, 1, NULL, &f->err) : TS_OK);
	OK(f->e->ops->put_many(f->e, &head, 1, NULL, &f->err));
	for (int i = 0; i < REFS; i += GROUP) {
		struct ts_engine *e = i < REFS / 2 ? first_half : f->e;

		for (int k = 0; k < GROUP; k++) { /* times repeat and are in another order than the names; some are before 1970 */
			char *name = ts_arena_printf(&f->arena, "%s/run-%05d", (i + k) % 10 == 3 ? "q" : "p", i + k);

			group[k] = test_update(TS_REF_RUN, name, &head.id, (i + k) * 7919 % 1000 - 100);
		}
		OK(e->ops->commit(e, group, GROUP, &f->arena, NULL, &f->err));
	}
	/* Some names move again, in an overlay also names of base, and some are removed. */
	for (int i = 0; i < REFS; i += 500) {
		struct ts_ref_update u = test_update(TS_REF_RUN, ts_arena_printf(&f->arena, "p/run-%05d", i), &head.id, 5000 + i);

		assert_int_equal(test_commit(f->e, &u), TS_OK);
		u.name = ts_span_str(ts_arena_printf(&f->arena, "p/run-%05d", i + 1));
		u.remove = true;
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	assert_int_equal(walk_pages(f, TS_ORDER_NAME, "", 97), REFS - 10);
	assert_int_equal(walk_pages(f, TS_ORDER_NEWEST, "", 97), REFS - 10);
	assert_int_equal(walk_pages(f, TS_ORDER_NEWEST, "q/", 50), REFS / 10);
	assert_int_equal(walk_pages(f, TS_ORDER_NAME, "q/", 50), REFS / 10);
	assert_int_equal(walk_pages(f, TS_ORDER_NAME, "p/run-0123", 3), 9); /* 01233 belongs to q */
	assert_int_equal(walk_pages(f, TS_ORDER_NEWEST, "zz", 3), 0);
	assert_int_equal(walk_pages(f, TS_ORDER_NEWEST, "", 100000), REFS - 10);
	assert_int_equal(f->e->ops->ref_list(f->e, &q, &f->arena, &refs, &n, &next, &f->err), TS_INVALID);
	q.limit = 1;
	q.after = ts_span_str("\x01\x02");
	assert_int_equal(f->e->ops->ref_list(f->e, &q, &f->arena, &refs, &n, &next, &f->err), TS_INVALID);
	q.after = ts_span_of(NULL, 0);
	OK(f->e->ops->ref_list(f->e, &q, &f->arena, &refs, &n, &next, &f->err));
	assert_true(ts_span_is(refs[0].name, "p/run-04500"));
}

/* Names of a-b lie before those of a, though the project a comes first. */
static void a_list_of_some_projects_has_the_names_of_no_other(void **state)
{
	static const char *const names[] = {"a-b/x", "a/x", "a/y", "b/x", "b/y", "c/x", "d/x"};
	const struct ts_span asked[] = {ts_span_str("a"), ts_span_str("a-b"), ts_span_str("c"), ts_span_str("e")};
	const char *const by_name[] = {"a-b/x", "a/x", "a/y", "c/x"}, *const newest[] = {"c/x", "a/y", "a/x", "a-b/x"};
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);

	for (int i = 0; i < 7; i++)
		test_push(f->e, names[i], &head, 1, i);
	for (int order = TS_ORDER_NEWEST; order <= TS_ORDER_NAME; order++)
		for (size_t limit = 1; limit <= 5; limit++) {
			struct ts_ref_query q = {.kind = TS_REF_RUN, .projects = asked, .n_projects = 4, .limit = limit};
			const char *const *expected = order == TS_ORDER_NAME ? by_name : newest;
			struct ts_ref *refs;
			size_t n, total = 0;

			q.order = (enum ts_ref_order)order;
			do {
				OK(f->e->ops->ref_list(f->e, &q, &f->arena, &refs, &n, &q.after, &f->err));
				assert_true(q.after.len == 0 || n == limit);
				for (size_t i = 0; i < n; i++, total++)
					assert_true(total < 4 && ts_span_is(refs[i].name, expected[total]));
			} while (q.after.len);
			assert_int_equal(total, 4);
			q.n_projects = 0;
			OK(f->e->ops->ref_list(f->e, &q, &f->arena, &refs, &n, &q.after, &f->err));
			assert_int_equal(n, 0);
			q.n_projects = 4;
			q.prefix = ts_span_str("b/");
			OK(f->e->ops->ref_list(f->e, &q, &f->arena, &refs, &n, &q.after, &f->err));
			assert_int_equal(n, 0);
		}
}

static void kinds_do_not_share_names(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[3];
	const enum ts_ref_kind kinds[3] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
	struct ts_store_stats stats;

	for (uint64_t i = 0; i < 3; i++) {
		struct ts_ref_update u;

		heads[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, i);
		OK(f->e->ops->put_many(f->e, &heads[i], 1, NULL, &f->err));
		u = test_update(kinds[i], "p/same", &heads[i].id, 1);
		u.expect = TS_EXPECT_ABSENT;
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	for (int i = 0; i < 3; i++) {
		struct ts_ref ref = get_ref(f, kinds[i], "p/same");

		assert_true(ts_id_eq(&ref.id, &heads[i].id));
	}
	OK(f->e->ops->stats(f->e, &stats, &f->err));
	assert_int_equal(stats.refs, 3);
}

static void put_note(struct fixture *f, const char *key, const char *value)
{
	struct ts_note note = {.key = ts_span_str(key), .value = ts_span_str(value), .at_ns = 5, .who = ts_span_str("me")};

	OK(f->e->ops->note_put(f->e, ts_span_str("p/x"), &note, &f->err));
}

static void notes_lie_beside_a_run(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_engine *where = f->base ? f->base : f->e;
	struct ts_note note = {.key = ts_span_str("bad"), .value = ts_span_str("yes")};
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/x", &head.id, 1);
	struct ts_note *notes;
	size_t n;

	assert_int_equal(f->e->ops->note_put(f->e, ts_span_str("p/x"), &note, &f->err), TS_NOT_FOUND);
	test_push(where, "p/x", &head, 1, 1);
	test_push(where, "p/xy", &head, 1, 1);
	OK(f->e->ops->note_put(f->e, ts_span_str("p/xy"), &note, &f->err));
	OK(where->ops->note_put(where, ts_span_str("p/x"), &note, &f->err));
	put_note(f, "state", "running");
	put_note(f, "note", "first");
	put_note(f, "note", "second");
	put_note(f, "aaa", "x");
	put_note(f, "aaa", "");
	OK(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 3);
	assert_true(ts_span_is(notes[0].key, "bad") && ts_span_is(notes[0].value, "yes"));
	assert_true(ts_span_is(notes[1].key, "note") && ts_span_is(notes[1].value, "second"));
	assert_true(ts_span_is(notes[2].key, "state") && ts_span_is(notes[2].who, "me"));
	assert_int_equal(notes[2].at_ns, 5);
	put_note(f, "bad", "");
	OK(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 2);
	u.remove = true;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	u.remove = false;
	assert_int_equal(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err), TS_NOT_FOUND);
	OK(f->e->ops->put_many(f->e, &head, 1, NULL, &f->err));
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	OK(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 2); /* the notes came back with the name */
	assert_true(ts_span_is(notes[0].key, "note") && ts_span_is(notes[0].value, "second"));
	OK(f->e->ops->note_list(f->e, ts_span_str("p/xy"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 1);
	assert_int_equal(get_ref(f, TS_REF_RUN, "p/x").seq, 1); /* the log was removed as well */
	note.key = ts_span_str("");
	assert_int_equal(f->e->ops->note_put(f->e, ts_span_str("p/x"), &note, &f->err), TS_INVALID);
}

static void note_as(struct fixture *f, const char *value, int64_t at_ns, enum ts_standing standing)
{
	struct ts_note note = {.key = ts_span_str("bad"), .value = ts_span_str(value), .at_ns = at_ns, .who = ts_span_str("me"),
			       .standing = standing};

	OK(f->e->ops->note_put(f->e, ts_span_str("p/x"), &note, &f->err));
}

static size_t notes_were(struct fixture *f, const char *name, struct ts_note **ret_notes)
{
	size_t n;

	OK(f->e->ops->note_log(f->e, ts_span_str(name), &f->arena, ret_notes, &n, &f->err));
	return n;
}

static void notes_keep_their_history(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_ref_update remove = test_update(TS_REF_RUN, "p/x", &head.id, 100);
	struct ts_sweep_report swept;
	struct ts_note *notes;

	test_push(f->e, "p/x", &head, 1, 1);
	test_push(f->e, "p/xx", &head, 1, 1);
	assert_int_equal(notes_were(f, "p/x", &notes), 0);
	note_as(f, "", 9, TS_STANDING_PUSHER); /* there is none to take away */
	note_as(f, "yes", 10, TS_STANDING_PUSHER);
	note_as(f, "no", 30, TS_STANDING_MAINTAINER);
	put_note(f, "note", "at 5");
	note_as(f, "", 40, TS_STANDING_UNKNOWN);
	assert_int_equal(notes_were(f, "p/x", &notes), 4);
	assert_true(notes[0].value.len == 0 && notes[0].at_ns == 40 && ts_span_is(notes[0].key, "bad"));
	assert_int_equal(notes[0].standing, TS_STANDING_UNKNOWN);
	assert_true(ts_span_is(notes[1].value, "no") && notes[1].standing == TS_STANDING_MAINTAINER);
	assert_true(ts_span_is(notes[2].value, "yes") && notes[2].standing == TS_STANDING_PUSHER && ts_span_is(notes[2].who, "me"));
	assert_true(ts_span_is(notes[3].key, "note") && notes[3].at_ns == 5);
	for (int i = 0; i < 2 * TS_NOTE_LOG_MAX; i++)
		note_as(f, "again", 50 + i, TS_STANDING_PUSHER);
	assert_int_equal(notes_were(f, "p/x", &notes), TS_NOTE_LOG_MAX + 1); /* and the one of the other key */
	assert_int_equal(notes[0].at_ns, 49 + 2 * TS_NOTE_LOG_MAX);
	assert_int_equal(notes_were(f, "p/xx", &notes), 0);
	/* It stays when the name goes, and goes when the name is forgotten. */
	remove.remove = true;
	assert_int_equal(test_commit(f->e, &remove), TS_OK);
	assert_int_equal(notes_were(f, "p/x", &notes), TS_NOTE_LOG_MAX + 1);
	OK(TEST_SWEEP(f->e, &swept, &f->err, .now_ns = ts_now_real_ns() + 1000, .removed_ns = 10));
	assert_int_equal(notes_were(f, "p/x", &notes), 0);
}

static void a_note_is_written_with_its_run(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1), next = test_node(&f->arena, TEST_HEAD, NULL, 0, 2);
	struct ts_note note = {.key = ts_span_str("state"), .value = ts_span_str("running"), .who = ts_span_str("me")};
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/x", &head.id, 1);
	struct ts_note *notes;
	size_t n;

	OK(f->e->ops->put_many(f->e, &head, 1, NULL, &f->err));
	OK(f->e->ops->put_many(f->e, &next, 1, NULL, &f->err));
	u.note = &note;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	note.value = ts_span_str("crashed"); /* a commit that is refused writes no note */
	u.expect = TS_EXPECT_ABSENT;
	assert_int_equal(test_commit(f->e, &u), TS_CONFLICT);
	OK(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 1);
	assert_true(ts_span_is(notes[0].key, "state") && ts_span_is(notes[0].value, "running") && ts_span_is(notes[0].who, "me"));
	u = test_update(TS_REF_RUN, "p/x", &next.id, 2);
	note.value = ts_span_str("finished");
	u.note = &note;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	OK(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 1);
	assert_true(ts_span_is(notes[0].value, "finished"));
	u.remove = true;
	assert_int_equal(test_commit(f->e, &u), TS_INVALID);
	u = test_update(TS_REF_BRANCH, "p/b", &next.id, 2);
	u.note = &note;
	assert_int_equal(test_commit(f->e, &u), TS_INVALID);
}

static size_t count_notes(struct fixture *f)
{
	struct ts_note *notes;
	size_t n;

	OK(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err));
	return n;
}

/* Removes p/x and names this run so; a sweep may come between. */
static void name_again(struct fixture *f, const struct ts_sealed *head, bool sweep)
{
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/x", &head->id, 1);
	struct ts_sweep_report report;

	u.remove = true;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	if (sweep)
		OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = 1000));
	test_push(f->e, "p/x", head, 1, 1);
}

static void notes_come_back_to_their_run_only(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1), other = test_node(&f->arena, TEST_HEAD, NULL, 0, 2);
	struct ts_engine *where = f->base ? f->base : f->e;
	struct ts_note note = {.key = ts_span_str("bad"), .value = ts_span_str("yes")};

	test_push(where, "p/x", &head, 1, 1);
	OK(where->ops->note_put(where, ts_span_str("p/x"), &note, &f->err));
	put_note(f, "note", "mine");
	name_again(f, &head, false);
	assert_int_equal(count_notes(f), 2);
	name_again(f, &other, false);
	assert_int_equal(count_notes(f), 0);
	name_again(f, &head, false); /* what another run's notes were is forgotten, not kept for later */
	assert_int_equal(count_notes(f), 0);
	put_note(f, "note", "mine");
	name_again(f, &head, true);
	assert_int_equal(count_notes(f), 0);
	put_note(f, "note", "new");
	assert_int_equal(count_notes(f), 1);
}

struct seen {
	struct ts_id ids[8];
	char values[8];
	size_t n;
};

static enum ts_status see(void *ctx, const struct ts_id *id, struct ts_span value, struct ts_error *err)
{
	struct seen *seen = ctx;

	(void)err;
	for (size_t i = 0; i < seen->n; i++)
		if (ts_id_eq(&seen->ids[i], id))
			return TS_OK; /* the first call counts */
	assert_true(seen->n < 8 && value.len == 1);
	seen->ids[seen->n] = *id;
	seen->values[seen->n++] = (char)value.data[0];
	return TS_OK;
}

static struct seen walk_extracts(struct fixture *f, const struct ts_extract_key *key)
{
	struct seen seen = {.n = 0};

	OK(f->e->ops->extracts_walk(f->e, key, see, &seen, &f->err));
	return seen;
}

static char extract_of(struct fixture *f, const struct ts_extract_key *key, const struct ts_id *id)
{
	struct ts_span value;

	if (f->e->ops->extract_get(f->e, key, id, &f->arena, &value, &f->err)) {
		assert_int_equal(f->err.status, TS_NOT_FOUND);
		return 0;
	}
	assert_int_equal(value.len, 1);
	return (char)value.data[0];
}

static void extracts_lie_beside_a_run_and_go_with_it(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed a = test_node(&f->arena, TEST_HEAD, NULL, 0, 1), b = test_node(&f->arena, TEST_HEAD, NULL, 0, 2);
	const struct ts_extract_key one = {"one"}, two = {"two"};
	struct ts_extract of_a[] = {{one, ts_span_str("1")}, {two, ts_span_str("2")}}, of_b = {one, ts_span_str("3")};
	struct ts_extract again = {one, ts_span_str("4")}, empty = {two, ts_span_str("")}, large = {one, {NULL, TS_EXTRACT_MAX + 1}};
	const struct ts_extract_key three = {"three"};
	struct ts_extract third = {three, ts_span_str("5")};
	struct ts_extracts both[] = {{a.id, &third, 1}, {b.id, &large, 1}};
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/a", &a.id, 1);
	struct ts_sweep_report report;
	struct ts_span value;
	struct seen seen;

	OK(f->e->ops->put_many(f->e, &a, 1, NULL, &f->err));
	u.extracts = of_a;
	u.n_extracts = 2;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	test_push(f->e, "p/b", &b, 1, 2);
	assert_int_equal(extract_of(f, &one, &b.id), 0);
	OK(test_extract(f->e, &b.id, &of_b, &f->err));
	assert_int_equal(extract_of(f, &one, &a.id), '1');
	assert_int_equal(extract_of(f, &two, &a.id), '2');
	assert_int_equal(extract_of(f, &one, &b.id), '3');
	OK(test_extract(f->e, &a.id, &again, &f->err));
	seen = walk_extracts(f, &one);
	assert_int_equal(seen.n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(seen.values[i], ts_id_eq(&seen.ids[i], &a.id) ? '4' : '3');
	assert_int_equal(walk_extracts(f, &two).n, 1);
	OK(test_extract(f->e, &b.id, &empty, &f->err));
	OK(f->e->ops->extract_get(f->e, &two, &b.id, &f->arena, &value, &f->err));
	assert_int_equal(value.len, 0);
	assert_int_equal(test_extract(f->e, &b.id, &large, &f->err), TS_TOO_LARGE);
	assert_int_equal(f->e->ops->extracts_put(f->e, both, 2, &f->err), TS_TOO_LARGE);
	assert_int_equal(extract_of(f, &three, &a.id), 0); /* none of both */
	both[1].items = &third;
	OK(f->e->ops->extracts_put(f->e, both, 2, &f->err));
	assert_int_equal(extract_of(f, &three, &a.id), '5');
	assert_int_equal(extract_of(f, &three, &b.id), '5');
	u = test_update(TS_REF_RUN, "p/a", &a.id, 3);
	u.remove = true;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
	assert_int_equal(report.freed, 1);
	seen = walk_extracts(f, &one);
	assert_int_equal(seen.n, 1);
	assert_true(ts_id_eq(&seen.ids[0], &b.id));
	assert_int_equal(extract_of(f, &two, &a.id), 0);
}

enum { MANY = 500 };

/* The extract of the i-th run in a round: as many bytes as the run's number says. */
static struct ts_span many_value(size_t i, int round)
{
	static char bytes[TS_EXTRACT_MAX];

	memset(bytes, 'a' + round, sizeof bytes);
	return ts_span_of(bytes, (i * 37 + (size_t)round * 64) % (TS_EXTRACT_MAX + 1));
}

struct many {
	const struct ts_sealed *runs;
	int rounds[MANY]; /* of the value that was seen first, and 0: none */
	size_t calls;
};

static enum ts_status see_many(void *ctx, const struct ts_id *id, struct ts_span value, struct ts_error *err)
{
	struct many *m = ctx;
	size_t i = 0;

	(void)err;
	m->calls++;
	while (!ts_id_eq(&m->runs[i].id, id))
		assert_true(++i < MANY);
	for (int round = 1; round < 4 && !m->rounds[i]; round++)
		m->rounds[i] = ts_span_eq(value, many_value(i, round)) ? round : 0;
	assert_true(m->rounds[i]);
	return TS_OK;
}

/* Every third run has the extract of the second round, every fifth none of the other key, and `least` is the first that is there. */
static void expect_many(struct fixture *f, const struct ts_extract_key *key, const struct ts_sealed *runs, size_t least, bool other)
{
	struct many m = {.runs = runs};
	struct ts_span value;
	size_t n = 0;

	OK(f->e->ops->extracts_walk(f->e, key, see_many, &m, &f->err));
	for (size_t i = 0; i < MANY; i++) {
		int round = i < least || (other && i % 5 == 0) ? 0 : other ? 3 : i % 3 == 0 ? 2 : 1;

		n += round > 0;
		assert_int_equal(m.rounds[i], round);
		assert_int_equal(f->e->ops->extract_get(f->e, key, &runs[i].id, &f->arena, &value, &f->err),
				 round ? TS_OK : TS_NOT_FOUND);
		assert_true(!round || ts_span_eq(value, many_value(i, round)));
	}
	assert_int_equal(m.calls, n);
}

static void extracts_of_many_runs_are_found_by_key(void **state)
{
	struct fixture *f = *state;
	const struct ts_extract_key one = {"one"}, two = {"onf"}; /* neighbours */
	struct ts_sealed *runs = ts_arena_array(&f->arena, MANY, sizeof *runs);
	struct ts_ref_update u;

	for (size_t i = 0; i < MANY; i++) {
		struct ts_extract of[] = {{one, {0}}, {two, {0}}};
		uint8_t bytes[2][TS_EXTRACT_MAX];

		runs[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, i);
		for (int k = 0; k < 2; k++) {
			struct ts_span value = many_value(i, 1 + 2 * k);

			memcpy(bytes[k], value.data, value.len);
			of[k].value = ts_span_of(bytes[k], value.len);
		}
		OK(f->e->ops->put_many(f->e, &runs[i], 1, NULL, &f->err));
		u = test_update(TS_REF_RUN, ts_arena_printf(&f->arena, "p/%zu", i), &runs[i].id, 1);
		u.extracts = of;
		u.n_extracts = i % 5 ? 2 : 1;
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	for (size_t i = 0; i < MANY; i += 3) {
		struct ts_extract again = {one, many_value(i, 2)};

		OK(test_extract(f->e, &runs[i].id, &again, &f->err));
	}
	expect_many(f, &one, runs, 0, false);
	expect_many(f, &two, runs, 0, true);
	for (size_t i = 0; i < MANY - 20; i++) {
		u = test_update(TS_REF_RUN, ts_arena_printf(&f->arena, "p/%zu", i), &runs[i].id, 2);
		u.remove = true;
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	assert_int_equal(test_sweep_now(f->e, &(struct ts_sweep_report){0}), TS_OK);
	expect_many(f, &one, runs, MANY - 20, false);
	expect_many(f, &two, runs, MANY - 20, true);
}

static void an_overlay_shows_the_extracts_of_its_base(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	const struct ts_extract_key key = {"key"};
	struct ts_extract below = {key, ts_span_str("b")}, above = {key, ts_span_str("a")};
	struct seen seen;

	if (f->kind != OVERLAY)
		return;
	OK(test_extract(f->base, &head.id, &below, &f->err));
	assert_int_equal(extract_of(f, &key, &head.id), 'b');
	OK(test_extract(f->e, &head.id, &above, &f->err));
	assert_int_equal(extract_of(f, &key, &head.id), 'a');
	seen = walk_extracts(f, &key);
	assert_true(seen.n == 1 && seen.values[0] == 'a');
}

/* The base gets an object that was put into an overlay before: what the overlay lets go of is its own copy alone. */
static void an_overlay_lets_go_of_what_is_its_own(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1), found;
	struct ts_sweep_report report;
	struct ts_put_stats stats;
	bool present = false;

	if (f->kind != OVERLAY)
		return;
	OK(f->e->ops->put_many(f->e, &head, 1, &stats, &f->err));
	OK(f->base->ops->put_many(f->base, &head, 1, &stats, &f->err)); /* no name reaches it yet */
	assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
	assert_int_equal(report.freed, 1);
	OK(f->e->ops->get(f->e, &head.id, &f->arena, &found, &f->err));
	OK(f->e->ops->has_many(f->e, &head.id, 1, &present, &f->err));
	assert_true(present);
}

static void removing_a_name_checks_it(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/gone", &head.id, 1);
	struct ts_ref ref;

	u.remove = true;
	assert_int_equal(test_commit(f->e, &u), TS_NOT_FOUND);
	test_push(f->e, "p/gone", &head, 1, 1);
	u.expect = TS_EXPECT_ID;
	assert_int_equal(test_commit(f->e, &u), TS_CONFLICT);
	u.expected = head.id;
	OK(f->e->ops->commit(f->e, &u, 1, &f->arena, &ref, &f->err));
	assert_true(ts_id_eq(&ref.id, &head.id)); /* the reply has the ref that was removed */
	assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_RUN, u.name, &f->arena, &ref, &f->err), TS_NOT_FOUND);
	assert_int_equal(walk_pages(f, TS_ORDER_NEWEST, "", 5), 0);
}

static void names_are_checked(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	char longest[300];
	struct ts_ref_update u;

	memset(longest, 'a', sizeof longest);
	OK(f->e->ops->put_many(f->e, &head, 1, NULL, &f->err));
	u = test_update(TS_REF_RUN, "", &head.id, 1);
	assert_int_equal(test_commit(f->e, &u), TS_INVALID);
	u.name = ts_span_of("a\0b", 3);
	assert_int_equal(test_commit(f->e, &u), TS_INVALID);
	u.name = ts_span_of(longest, 258);
	assert_int_equal(test_commit(f->e, &u), TS_INVALID);
	u.name = ts_span_of(longest, 257); /* project / name, 128 each */
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	assert_int_equal(walk_pages(f, TS_ORDER_NEWEST, "", 1), 1);
	u.summary = ts_span_of(longest, 0);
	u.kind = (enum ts_ref_kind)'x';
	assert_int_equal(test_commit(f->e, &u), TS_INVALID);
}

static void ids_are_found_by_their_beginning(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[200];
	struct ts_sealed block = test_block(&f->arena, 1, 8, false);
	char hex[TS_ID_HEX + 1];
	struct ts_id *ids;
	size_t n;

	for (uint64_t i = 0; i < 200; i++)
		heads[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, i);
	if (f->kind == OVERLAY) /* an overlay gets objects of both layers, ten of them in both */
		OK(f->base->ops->put_many(f->base, heads, 110, NULL, &f->err));
	OK(f->e->ops->put_many(f->e, heads, f->kind == OVERLAY ? 10 : 200, NULL, &f->err));
	OK(f->e->ops->put_many(f->e, heads + 100, 100, NULL, &f->err));
	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	for (int len = 1; len <= 64; len += len < 4 ? 1 : 20) {
		size_t want = 0;

		ts_id_hex(&heads[150].id, hex);
		for (int i = 0; i < 200; i++) {
			char other[TS_ID_HEX + 1];

			want += strncmp(ts_id_hex(&heads[i].id, other), hex, (size_t)len) == 0;
		}
		OK(f->e->ops->find_prefix(f->e, TEST_HEAD, ts_span_of(hex, (size_t)len), 1000, &f->arena, &ids, &n, &f->err));
		assert_int_equal(n, want);
		for (size_t i = 1; i < n; i++)
			assert_true(ts_id_cmp(&ids[i - 1], &ids[i]) < 0);
	}
	ts_id_hex(&block.id, hex);
	OK(f->e->ops->find_prefix(f->e, TEST_HEAD, ts_span_of(hex, 64), 10, &f->arena, &ids, &n, &f->err));
	assert_int_equal(n, 0); /* the id has another kind */
	assert_int_equal(f->e->ops->find_prefix(f->e, TEST_HEAD, ts_span_str("xyz"), 10, &f->arena, &ids, &n, &f->err),
			 TS_INVALID);
}

static void the_cache_remembers(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_span key = ts_span_str("a key of any length, longer than what LMDB allows: ..............................");
	struct ts_span value;

	assert_int_equal(f->e->ops->cache_get(f->e, key, &f->arena, &value, &f->err), TS_NOT_FOUND);
	f->e->ops->cache_put(f->e, key, ts_span_str("old"));
	f->e->ops->cache_put(f->e, key, ts_span_str("value"));
	OK(f->e->ops->cache_get(f->e, key, &f->arena, &value, &f->err));
	assert_true(ts_span_is(value, "value"));
	test_push(f->e, "p/x", &head, 1, 1); /* the note is committed together with the run */
	OK(f->e->ops->cache_get(f->e, key, &f->arena, &value, &f->err));
	assert_true(ts_span_is(value, "value"));
	assert_int_equal(f->e->ops->cache_get(f->e, ts_span_str("a"), &f->arena, &value, &f->err), TS_NOT_FOUND);
	f->e->ops->cache_put(f->e, ts_span_str("b"), ts_span_str(""));
	OK(f->e->ops->cache_get(f->e, ts_span_str("b"), &f->arena, &value, &f->err));
	assert_int_equal(value.len, 0);
}

static struct ts_verify_report verify(struct fixture *f)
{
	struct ts_verify_report report;

	OK(f->e->ops->verify(f->e, NULL, &f->arena, &report, &f->err));
	return report;
}

static bool stop_at_three(void *ctx, uint64_t done, uint64_t total)
{
	(void)total;
	*(uint64_t *)ctx = done;
	return done < 3;
}

static void verify_reads_everything(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[22];
	struct ts_verify_report report;
	uint64_t done = 0;
	uint64_t bytes = 0;
	const struct ts_verify_options stops = {.progress = stop_at_three, .ctx = &done};

	test_push(f->e, "p/x", objects, test_run(&f->arena, 1, 20, objects), 1);
	for (int i = 0; i < 22; i++)
		bytes += objects[i].bytes.len;
	report = verify(f);
	assert_int_equal(report.objects, 22);
	assert_int_equal(report.bytes, bytes);
	assert_int_equal(report.damaged + report.missing + report.n_ids, 0);
	assert_int_equal(f->e->ops->verify(f->e, &stops, &f->arena, &report, &f->err), TS_CANCELLED);
	assert_int_equal(done, 3);
}

static struct ts_verify_report verify_more(struct fixture *f, bool only_new, bool sound)
{
	struct ts_verify_report report;

	OK(test_verify(f->e, only_new, sound, &f->arena, &report, &f->err));
	return report;
}

static void verify_reads_what_is_new(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed first[12], second[5];
	struct ts_verify_report report;
	const int64_t began_ns = ts_now_real_ns();

	test_push(f->e, "p/x", first, test_run(&f->arena, 1, 10, first), 1);
	report = verify_more(f, true, true);
	assert_true(report.objects == 12 && report.unread == 0 && report.sound_ns == 0); /* there was none to go by */
	test_push(f->e, "p/y", second, test_run(&f->arena, 2, 3, second), 1);
	report = verify_more(f, true, true);
	if (f->kind == OVERLAY) { /* which is of one command */
		assert_true(report.objects == 17 && report.unread == 0 && report.sound_ns == 0);
		return;
	}
	assert_true(report.objects == 5 && report.unread == 12);
	assert_true(report.sound_ns >= began_ns && report.sound_ns <= ts_now_real_ns());
	report = verify_more(f, true, true);
	assert_true(report.objects == 0 && report.unread == 17 && report.sound_ns >= began_ns);
	assert_true(verify(f).unread == 0); /* who asks for all gets all */
}

static void verify_does_not_go_by_one_that_found_damage(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	struct ts_verify_report report;

	test_push(f->e, "p/x", objects, test_run(&f->arena, 1, 10, objects), 1);
	(void)verify(f); /* it did not ask what the objects mean */
	assert_int_equal(verify_more(f, true, true).unread, 0);
	(void)verify_more(f, false, false);
	assert_int_equal(verify_more(f, true, false).unread, 0);
	report = verify_more(f, true, true);
	assert_true(report.unread == 0 && report.sound_ns == 0);
	assert_int_equal(verify_more(f, true, true).unread, f->kind == OVERLAY ? 0 : 12);
}

/* Of objects that a sweep moved, the bytes lie elsewhere. */
static void verify_reads_what_was_moved(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[44]; /* of one pack: a run, and what goes */
	struct ts_verify_report report;
	struct ts_sweep_report swept;
	size_t n = test_run(&f->arena, 1, 10, objects);

	(void)test_run(&f->arena, 2, 30, objects + n);
	OK(f->e->ops->put_many(f->e, objects, 44, NULL, &f->err));
	test_push(f->e, "p/x", objects, n, 1);
	(void)verify_more(f, false, true);
	OK(test_sweep_now(f->e, &swept));
	assert_int_equal(swept.freed, 32);
	report = verify_more(f, true, true);
	assert_true(report.objects == 12 && report.unread == 0);
}

/* An engine trusts the caller that put an object; verify does not. */
static void p6_verify_finds_what_is_not_its_id(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[6];
	struct ts_sealed wrong;
	struct ts_verify_report report;

	test_run(&f->arena, 1, 4, objects);
	wrong = objects[3];
	wrong.id.bytes[0] ^= 1;
	test_push(f->e, "p/x", objects, 6, 1);
	OK(f->e->ops->put_many(f->e, &wrong, 1, NULL, &f->err));
	report = verify(f);
	assert_int_equal(report.objects, 7);
	assert_int_equal(report.damaged, 1);
	assert_int_equal(report.n_ids, 1);
	assert_true(ts_id_eq(&report.ids[0], &wrong.id));
}

static void p7_sweep_frees_what_nothing_reaches(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed a[12];
	struct ts_sealed b[12];
	struct ts_sealed c[12];
	struct ts_ref_update u;
	struct ts_sweep_report report;
	struct ts_store_stats stats;
	uint64_t bytes = 0;

	test_run(&f->arena, 1, 10, a);
	test_run(&f->arena, 2, 10, b);
	test_run(&f->arena, 3, 10, c);
	c[4] = a[4]; /* shared with objects that stay */
	c[1] = test_node(&f->arena, TEST_INDEX, c + 2, 10, 3);
	c[0] = test_node(&f->arena, TEST_HEAD, c + 1, 1, 3);
	test_push(f->e, "p/a", a, 12, 1);
	test_push(f->e, "p/c", c, 12, 1);
	OK(f->e->ops->put_many(f->e, b, 12, NULL, &f->err)); /* no name ever points at these */
	u = test_update(TS_REF_RUN, "p/c", &c[0].id, 1);
	u.remove = true;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	for (int i = 0; i < 12; i++)
		bytes += b[i].bytes.len + (i == 4 ? 0 : c[i].bytes.len);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns() + TEST_LATER, .dry_run = true));
	assert_int_equal(report.freed, 23);
	assert_int_equal(report.freed_bytes, bytes);
	assert_true(has(f, &b[0].id)); /* the sweep only counted */
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns(), .lease_ns = 3600 * (int64_t)1000000000));
	assert_int_equal(report.freed, 0); /* leases protect them */
	assert_int_equal(report.leased, 23);
	assert_int_equal(report.kept, 35);
	assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
	assert_int_equal(report.freed, 23);
	assert_int_equal(report.freed_bytes, bytes);
	assert_int_equal(report.kept, 12);
	assert_int_equal(report.leased, 0);
	for (int i = 0; i < 12; i++) {
		assert_true(has(f, &a[i].id));
		assert_false(has(f, &b[i].id));
		assert_int_equal(has(f, &c[i].id), i == 4);
	}
	OK(f->e->ops->stats(f->e, &stats, &f->err));
	assert_int_equal(stats.objects, 12);
	assert_int_equal(verify(f).damaged + verify(f).missing, 0);
	/* Objects that were freed can be pushed again, and the check of completeness is as strict as before. */
	u.remove = false;
	assert_int_equal(test_commit(f->e, &u), TS_NOT_FOUND);
	OK(f->e->ops->put_many(f->e, c, 11, NULL, &f->err));
	assert_int_equal(test_commit(f->e, &u), TS_NOT_FOUND);
	test_push(f->e, "p/c", c, 12, 1);
	assert_int_equal(verify(f).objects, 23);
}

static void p7_roots_are_what_they_should_be(void **state)
{
	struct fixture *f = *state;
	const enum ts_ref_kind kinds[3] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
	struct ts_sealed heads[6];
	struct ts_sweep_report report;

	for (uint64_t i = 0; i < 6; i++)
		heads[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, i);
	OK(f->e->ops->put_many(f->e, heads, 6, NULL, &f->err));
	for (int i = 0; i < 6; i++) { /* each kind moves from heads[k] to heads[k + 3] */
		struct ts_ref_update u = test_update(kinds[i % 3], "p/x", &heads[i].id, i);

		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
	assert_int_equal(report.freed, 2);
	assert_false(has(f, &heads[0].id)); /* earlier heads of a run or a tag are no roots */
	assert_false(has(f, &heads[1].id));
	assert_true(has(f, &heads[2].id)); /* an earlier head of a branch is a root */
}

/* A lease on a head protects what it refers to: a client that learnt that the head is there need not ask for the rest. */
static void p7_a_lease_holds_a_whole_closure(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[6];
	struct ts_sweep_report report;
	int64_t between;
	size_t n = test_run(&f->arena, 1, 4, objects);

	OK(f->e->ops->put_many(f->e, objects + 1, n - 1, NULL, &f->err));
	between = ts_now_real_ns();
	while (ts_now_real_ns() == between)
		;
	OK(f->e->ops->put_many(f->e, objects, 1, NULL, &f->err));
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = between)); /* only the lease of the head is newer */
	assert_int_equal(report.freed, 0);
	assert_int_equal(report.leased, n);
	test_push(f->e, "p/x", objects, 1, 1);
}

/* The clock of whoever put the object was 100 days ahead: the lease must end as if it had been made when a sweep met it. */
static void p7_a_lease_of_a_fast_clock_ends(void **state)
{
	const int64_t day = (int64_t)86400 * 1000000000, now = ts_now_real_ns();
	struct fixture *f = *state;
	struct ts_sealed block = test_block(&f->arena, 1, 100, true);
	struct ts_sweep_report report;

	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	test_age(f->e, &block.id, -100 * (int64_t)86400);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now, .lease_ns = day));
	assert_int_equal(report.leased, 1);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now + day - 1, .lease_ns = day));
	assert_int_equal(report.leased, 1);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now + day, .lease_ns = day));
	assert_int_equal(report.freed, 1);
}

/* A real clock that was set ahead frees neither what was asked for lately nor what was removed lately, however often it is swept; time
 * that the machine was up does. */
static void p7_a_clock_that_runs_ahead_frees_nothing(void **state)
{
	const int64_t hour = (int64_t)3600 * 1000000000, day = 24 * hour, now = ts_now_real_ns();
	struct fixture *f = *state;
	struct ts_sealed block = test_block(&f->arena, 1, 100, true), run = test_block(&f->arena, 2, 100, true);
	struct ts_sweep_clock clock = {.boot = 3, .up_ns = 1000 * hour, .unproven_ns = 6 * hour};
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/removed", &run.id, now);
	struct ts_sweep_options options = {.now_ns = now, .clock = &clock, .lease_ns = day, .removed_ns = 30 * day};
	struct ts_sweep_report report;
	struct ts_ref ref;

	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	OK(f->e->ops->put_many(f->e, &run, 1, NULL, &f->err));
	OK(test_commit(f->e, &u));
	u.remove = true;
	OK(test_commit(f->e, &u));
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	assert_int_equal(report.freed, 0);
	assert_int_equal(report.ahead_ns, 0);
	for (int i = 0; i < 5; i++) {
		options.now_ns = now + 400 * day + i * hour;
		clock.up_ns += hour;
		OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
		assert_int_equal(report.freed, 0);
		assert_in_range(report.ahead_ns / hour, 399 * 24, 400 * 24);
	}
	clock = (struct ts_sweep_clock){.boot = 5, .up_ns = hour, .unproven_ns = 6 * hour}; /* of the machine, started anew */
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	assert_int_equal(report.freed, 0);
	options.now_ns = now + 12 * hour; /* set right again */
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	assert_int_equal(report.freed, 0);
	options.now_ns = now + 400 * day;
	clock.up_ns += 14 * hour;
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	assert_int_equal(report.freed, 1);
	OK(f->e->ops->ref_restore(f->e, TS_REF_RUN, ts_span_str("p/removed"), ts_span_of(NULL, 0), &f->arena, &ref, &f->err));
	OK(test_commit(f->e, &u));
	clock.up_ns += 31 * day;
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	assert_int_equal(f->e->ops->ref_restore(f->e, TS_REF_RUN, u.name, ts_span_of(NULL, 0), &f->arena, &ref, &f->err), TS_NOT_FOUND);
}

/* A clock that lost its time, as that of a machine without a battery, frees nothing and dates nothing back, which would free it
 * later; nor is a name that is removed by it old once it is right again. */
static void p7_a_clock_that_is_behind_dates_nothing_back(void **state)
{
	const int64_t hour = (int64_t)3600 * 1000000000, day = 24 * hour, now = ts_now_real_ns();
	struct fixture *f = *state;
	struct ts_sealed block = test_block(&f->arena, 1, 100, true);
	struct ts_sweep_clock clock = {.boot = 3, .up_ns = 1000 * hour, .unproven_ns = INT64_MAX};
	struct ts_sweep_options options = {.now_ns = now, .clock = &clock, .lease_ns = day, .removed_ns = 30 * day};
	struct ts_sealed run = test_block(&f->arena, 2, 100, true);
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/removed", &run.id, now);
	struct ts_sweep_report report;
	struct ts_ref ref;

	OK(f->e->ops->put_many(f->e, &run, 1, NULL, &f->err));
	OK(test_commit(f->e, &u));
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	u.remove = true;
	u.now_ns = day;
	OK(test_commit(f->e, &u));
	clock = (struct ts_sweep_clock){.boot = 5, .up_ns = hour, .unproven_ns = INT64_MAX};
	options.now_ns = day;
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	assert_int_equal(report.leased, 1);
	options.now_ns = now + hour;
	clock.up_ns += hour;
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	assert_int_equal(report.leased, 1);
	OK(f->e->ops->ref_restore(f->e, TS_REF_RUN, u.name, ts_span_of(NULL, 0), &f->arena, &ref, &f->err));
	clock.boot = 7; /* whoever is alone believes the clock once the machine was started anew */
	options.now_ns = now + 2 * day;
	OK(f->e->ops->sweep(f->e, &options, &report, &f->err));
	assert_int_equal(report.freed, 1);
}

/* Reads an object and compares it with what was put. */
static bool reads_back(struct fixture *f, const struct ts_sealed *want)
{
	struct ts_sealed got;
	struct ts_arena arena;
	bool same;

	ts_arena_init(&arena, 0);
	OK(f->e->ops->get(f->e, &want->id, &arena, &got, &f->err));
	same = ts_span_eq(got.bytes, want->bytes);
	ts_arena_finish(&arena);
	return same;
}

/* So many bytes that an engine may keep objects together: some are freed, and others of any size take their place. */
static void p7_many_large_objects(void **state)
{
	enum { N = 300 };
	struct fixture *f = *state;
	struct ts_sealed *objects = ts_arena_array(&f->arena, N, sizeof *objects), head;
	struct ts_sweep_report report;
	struct ts_store_stats stats;

	for (uint64_t i = 0; i < N; i++)
		objects[i] = test_block(&f->arena, i + 1, i % 7 ? 9000 + i * 8 : i % 3 ? 70000 : 100, true);
	OK(f->e->ops->put_many(f->e, objects, N, NULL, &f->err));
	head = test_node(&f->arena, TEST_INDEX, objects, N / 2, 1);
	OK(f->e->ops->put_many(f->e, &head, 1, NULL, &f->err));
	head = test_node(&f->arena, TEST_HEAD, &head, 1, 1);
	test_push(f->e, "p/x", &head, 1, 1);
	for (size_t round = 0; round < 3; round++) {
		for (size_t i = 0; i < N; i++)
			assert_true(reads_back(f, &objects[i]));
		assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
		assert_int_equal(report.freed, N / 2);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(has(f, &objects[i].id), i < N / 2);
		OK(f->e->ops->put_many(f->e, objects + N / 2, N / 2, NULL, &f->err));
	}
	OK(f->e->ops->stats(f->e, &stats, &f->err));
	assert_int_equal(stats.objects, N + 2);
	assert_int_equal(verify(f).damaged, 0);
}

/* Compares what look_many answers with what has_many answers for the same ids. Returns false when look_many gives no answer. */
static bool look(struct fixture *f, const struct ts_id *ids, size_t n)
{
	bool asked[32];
	bool looked[32];
	bool leased;

	for (size_t i = 0; i < n; i++)
		looked[i] = i % 2; /* the array holds arbitrary values before the call */
	OK(f->e->ops->look_many(f->e, ids, n, looked, &leased, &f->err));
	if (!leased)
		return false;
	OK(f->e->ops->has_many(f->e, ids, n, asked, &f->err));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(looked[i], asked[i]);
	return true;
}

static void looking_says_what_asking_says(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[22];
	struct ts_id ids[32];
	size_t n = test_run(&f->arena, 1, 20, objects);
	bool present[32];
	bool leased;

	for (size_t i = 0; i < 32; i++) /* the last ten ids occur twice */
		ids[i] = objects[i < n ? i : i - 10].id;
	assert_true(look(f, ids, 0));
	assert_true(look(f, ids, 32));
	for (size_t i = 0; i < n; i += 3) /* in an overlay, objects are in the overlay, in base, or in neither */
		OK(f->e->ops->put_many(f->e, &objects[i], 1, NULL, &f->err));
	for (size_t i = 1; i < n && f->kind == OVERLAY; i += 3)
		OK(f->base->ops->put_many(f->base, &objects[i], 1, NULL, &f->err));
	assert_true(look(f, ids, 32));
	OK(f->e->ops->look_many(f->e, ids, n, present, &leased, &f->err));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(present[i], i % 3 == 0 || (i % 3 == 1 && f->kind == OVERLAY));
}

/* An outline is what the sealed object says of itself, wherever the object lies. */
static void outlines_are_those_of_the_objects(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[22];
	struct ts_outline outlines[22];
	struct ts_id ids[22];
	size_t n = test_run(&f->arena, 1, 20, objects);

	for (size_t i = 0; i < n; i++) {
		ids[i] = objects[i].id;
		if (i % 3 == 0) /* the others are in base, or nowhere */
			OK(f->e->ops->put_many(f->e, &objects[i], 1, NULL, &f->err));
		else if (i % 3 == 1 && f->kind == OVERLAY)
			OK(f->base->ops->put_many(f->base, &objects[i], 1, NULL, &f->err));
	}
	OK(f->e->ops->outline_many(f->e, ids, n, outlines, &f->err));
	for (size_t i = 0; i < n; i++) {
		bool there = i % 3 == 0 || (i % 3 == 1 && f->kind == OVERLAY);

		assert_int_equal(outlines[i].present, there);
		if (!there)
			continue;
		assert_int_equal(outlines[i].kind, objects[i].kind);
		assert_int_equal(outlines[i].nrefs, objects[i].nrefs);
		assert_int_equal(outlines[i].raw_len, objects[i].raw_len);
	}
}

/* look_many does not vouch for an object with an old lease until somebody has asked for it, which renews the lease. */
static void looking_renews_nothing(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	struct ts_id ids[12];
	size_t n = test_run(&f->arena, 1, 10, objects);

	for (size_t i = 0; i < n; i++)
		ids[i] = objects[i].id;
	for (int in_base = 0; in_base < (f->kind == OVERLAY ? 2 : 1); in_base++) {
		struct ts_engine *at = in_base ? f->base : f->e;
		const struct ts_id *old = &ids[in_base ? 7 : 3];

		OK(at->ops->put_many(at, &objects[in_base ? 7 : 3], 1, NULL, &f->err));
		test_age(at, old, TS_LEASE_FRESH_SECONDS - 60);
		assert_true(look(f, ids, n));
		test_age(at, old, 120);
		assert_false(look(f, ids, n));
		assert_false(look(f, ids, n));
		assert_true(look(f, ids, 3)); /* for other objects it answers what it knows */
		assert_true(has(f, old));
		assert_true(look(f, ids, n));
	}
}

struct looking {
	struct fixture *f;
	struct ts_id id;
	bool leased;
};

static enum ts_status look_while_writing(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct looking *looking = ctx;
	struct ts_engine *e = looking->f->e;
	bool present;

	(void)w;
	return e->ops->look_many(e, &looking->id, 1, &present, &looking->leased, err);
}

/* A thread that works on the memory may take long, and an overlay may be asking its base. */
static void looking_waits_for_nobody(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed block = test_block(&f->arena, 1, 10, false);
	struct looking looking = {.f = f, .id = block.id, .leased = true};

	if (f->kind == LMDB) /* test_lmdb tests the LMDB engine in more detail */
		return;
	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	OK(ts_store_write(ts_store_of(f->e), look_while_writing, &looking, 0, &f->err));
	assert_false(looking.leased);
	assert_true(look(f, &block.id, 1));
}

struct pusher {
	struct ts_engine *e;
	int number;
	int pushed;
	char text[256];
};

/* A correct pusher: it asks, sends what is missing, commits, and begins again when a sweep came between. */
static bool push_patiently(struct pusher *p, struct ts_arena *arena, const char *name, const struct ts_sealed *objects, size_t n)
{
	struct ts_ref_update u = test_update(TS_REF_RUN, name, &objects[0].id, 1);
	struct ts_error err = {0};
	struct ts_id ids[16];
	bool present[16];

	for (size_t i = 0; i < n; i++)
		ids[i] = objects[i].id;
	for (int tries = 0; tries < 1000; tries++) {
		if (p->e->ops->has_many(p->e, ids, n, present, &err))
			break;
		for (size_t i = 0; i < n; i++)
			if (!present[i] && p->e->ops->put_many(p->e, &objects[i], 1, NULL, &err))
				break;
		if (p->e->ops->commit(p->e, &u, 1, arena, NULL, &err) == TS_OK)
			return true;
		if (err.status != TS_NOT_FOUND)
			break;
	}
	(void)snprintf(p->text, sizeof p->text, "%s: %.200s", name, err.text);
	return false;
}

static void *push_on(void *ctx)
{
	struct pusher *p = ctx;
	struct ts_arena arena;

	ts_arena_init(&arena, 0);
	for (int i = 0; i < 15; i++) {
		struct ts_sealed objects[8];
		size_t n = test_run(&arena, (uint64_t)i, 6, objects); /* all pushers push the same content */

		if (!push_patiently(p, &arena, ts_arena_printf(&arena, "p/%d-%d", p->number, i), objects, n))
			break;
		p->pushed++;
	}
	ts_arena_finish(&arena);
	return NULL;
}

static void p7_sweeps_beside_pushes(void **state)
{
	struct fixture *f = *state;
	struct pusher pushers[3];
	pthread_t threads[3];
	struct ts_verify_report report;

	for (int i = 0; i < 3; i++) {
		pushers[i] = (struct pusher){.e = f->e, .number = i};
		assert_int_equal(pthread_create(&threads[i], NULL, push_on, &pushers[i]), 0);
	}
	for (int i = 0; i < 60; i++) {
		struct ts_sweep_report swept;

		assert_int_equal(test_sweep_now(f->e, &swept), TS_OK);
	}
	for (int i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		if (pushers[i].pushed != 15)
			fail_msg("%s", pushers[i].text);
	}
	report = verify(f);
	assert_int_equal(report.damaged + report.missing, 0);
	assert_int_equal(walk_pages(f, TS_ORDER_NAME, "", 100), 45);
}

/* Runs every operation of a client once. Returns TS_OK or TS_NO_MEMORY; no operation may be half done. */
static enum ts_status scenario(struct ts_engine *e, const struct ts_sealed *objects, size_t n, size_t number,
			       struct ts_arena *arena, struct ts_error *err)
{
	char name[16] = {'p', '/', (char)('a' + number / 26), (char)('a' + number % 26)};
	struct ts_ref_update u = test_update(TS_REF_RUN, name, &objects[0].id, 1);
	struct ts_note note = {.key = ts_span_str("k"), .value = ts_span_str("v")};
	struct ts_ref_query q = {.kind = TS_REF_RUN, .limit = 10};
	struct ts_verify_report verified;
	struct ts_sweep_report swept;
	struct ts_log_entry *log;
	struct ts_sealed got;
	struct ts_note *notes;
	struct ts_ref *refs;
	struct ts_span next;
	struct ts_id *ids;
	bool present;
	bool leased;
	size_t count;

	e->ops->cache_put(e, ts_span_str("k"), ts_span_str("v"));
	if (e->ops->look_many(e, &objects[0].id, 1, &present, &leased, err) ||
	    e->ops->has_many(e, &objects[0].id, 1, &present, err) || e->ops->put_many(e, objects, n, NULL, err) ||
	    e->ops->commit(e, &u, 1, arena, NULL, err) || e->ops->get(e, &objects[1].id, arena, &got, err) ||
	    e->ops->note_put(e, u.name, &note, err) || e->ops->note_list(e, u.name, arena, NULL, &notes, &count, err) ||
	    e->ops->ref_list(e, &q, arena, &refs, &count, &next, err) ||
	    e->ops->ref_log(e, TS_REF_RUN, u.name, 0, arena, &log, &count, err) ||
	    e->ops->find_prefix(e, TEST_HEAD, ts_span_str("a"), 9, arena, &ids, &count, err) ||
	    TEST_SWEEP(e, &swept, err, .now_ns = 1) || e->ops->verify(e, NULL, arena, &verified, err))
		return err->status;
	return TS_OK;
}

/* Removes every run and the objects that it held. */
static void clear(struct fixture *f, struct ts_engine *e)
{
	struct ts_ref_query q = {.kind = TS_REF_RUN, .limit = 1};
	struct ts_sweep_report swept;
	struct ts_span next;
	struct ts_ref *refs;
	size_t n;

	OK(e->ops->ref_list(e, &q, &f->arena, &refs, &n, &next, &f->err));
	if (n) {
		struct ts_ref_update u = {.kind = TS_REF_RUN, .name = refs[0].name, .remove = true};

		assert_int_equal(test_commit(e, &u), TS_OK);
	}
	assert_int_equal(test_sweep_now(e, &swept), TS_OK);
}

/* Uses objects and a name that the engine has not seen, so that every allocation happens again each time. */
static size_t fail_one(struct fixture *f, struct ts_engine *e, size_t at)
{
	struct ts_sealed objects[12];
	struct ts_arena arena;
	enum ts_status status;
	size_t made;
	size_t n;

	ts_arena_init(&arena, 0);
	n = test_run(&arena, at, 10, objects);
	ts_arena_reset(&f->arena);
	ts_alloc_fail_at(at);
	status = scenario(e, objects, n, at, &f->arena, &f->err);
	made = ts_alloc_fail_at(0);
	if (status != TS_OK && status != TS_NO_MEMORY)
		fail_msg("allocation %zu: %s", at, f->err.text);
	OK(scenario(e, objects, n, at, &f->arena, &f->err)); /* the failed attempt left nothing that prevents the next */
	clear(f, e);
	ts_arena_finish(&arena);
	return made;
}

static void every_allocation_may_fail(void **state)
{
	struct fixture *f = *state;
	size_t made = SIZE_MAX;
	size_t at;

	for (at = 1; made >= at - 1; at++) { /* until fewer allocations were made than the number of the one that should have failed */
		struct ts_engine *e = f->e;

		if (f->kind != LMDB)
			OK(ts_memory_open(f->base, &e, &f->err));
		made = fail_one(f, e, at);
		if (f->kind != LMDB)
			ts_engine_destroy(e);
		assert_true(at < 2000);
	}
	assert_true(at > 20);
	assert_int_equal(verify(f).damaged + verify(f).missing, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* ---- retire ---- */

enum { HISTORY = 6 };

/* A branch of six runs, of which the first is also a name's and the second a tag's. */
static void make_history(struct fixture *f, struct ts_sealed heads[HISTORY])
{
	struct ts_ref_update u;

	for (uint64_t i = 0; i < HISTORY; i++) {
		heads[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, 70 + i);
		OK(f->e->ops->put_many(f->e, &heads[i], 1, NULL, &f->err));
		u = test_update(TS_REF_BRANCH, "p/main", &heads[i].id, (int64_t)i + 1);
		if (i == 0)
			u.who = ts_span_str("maker");
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	u = test_update(TS_REF_RUN, "p/x", &heads[0].id, 1);
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	u = test_update(TS_REF_TAG, "p/v1", &heads[1].id, 1);
	assert_int_equal(test_commit(f->e, &u), TS_OK);
}

static struct ts_retired entry_of(const struct ts_sealed *head, uint64_t seq)
{
	return (struct ts_retired){.kind = TS_REF_BRANCH, .name = ts_span_str("p/main"), .seq = seq, .id = head->id};
}

static enum ts_status retire(struct fixture *f, const struct ts_retired *items, size_t n, enum ts_retire_outcome *outcomes)
{
	const struct ts_retire what = {.items = items, .n = n, .planned_ns = 100, .now_ns = 200, .who = ts_span_str("ann")};

	return f->e->ops->retire(f->e, &what, outcomes, &f->err);
}

static struct ts_pruned pruned_of(struct fixture *f)
{
	struct ts_pruned pruned;

	OK(f->e->ops->log_pruned(f->e, TS_REF_BRANCH, ts_span_str("p/main"), &f->arena, &pruned, &f->err));
	return pruned;
}

static void p9_entries_leave_a_log_that_says_so(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[HISTORY];
	enum ts_retire_outcome outcomes[HISTORY];
	struct ts_retired items[HISTORY];
	struct ts_log_entry *log;
	struct ts_pruned pruned;
	size_t n;

	make_history(f, heads);
	assert_int_equal(pruned_of(f).entries, 0);
	for (size_t i = 0; i < HISTORY; i++)
		items[i] = entry_of(&heads[i], i + 1);
	items[3].id = heads[0].id;
	OK(retire(f, items, HISTORY, outcomes));
	assert_true(outcomes[0] == TS_RETIRED && outcomes[1] == TS_STAYS_TAGGED && outcomes[2] == TS_RETIRED);
	assert_true(outcomes[3] == TS_STAYS_CHANGED && outcomes[4] == TS_RETIRED && outcomes[5] == TS_STAYS_NEWEST);
	OK(f->e->ops->ref_log(f->e, TS_REF_BRANCH, ts_span_str("p/main"), 0, &f->arena, &log, &n, &f->err));
	assert_int_equal(n, 3);
	assert_true(log[0].seq == 6 && log[1].seq == 4 && log[2].seq == 2 && ts_id_eq(&log[2].id, &heads[1].id));
	pruned = pruned_of(f);
	assert_true(pruned.entries == 3 && pruned.at_ns == 200 && ts_span_is(pruned.who, "ann"));
	assert_true(ts_span_is(pruned.owner, "maker"));
	items[3].id = heads[3].id; /* and once more, which adds to it */
	OK(retire(f, &items[3], 1, outcomes));
	OK(retire(f, &items[3], 1, outcomes + 1));
	assert_true(outcomes[0] == TS_RETIRED && outcomes[1] == TS_STAYS_CHANGED);
	assert_true(pruned_of(f).entries == 4 && ts_span_is(pruned_of(f).owner, "maker"));
	OK(f->e->ops->ref_log(f->e, TS_REF_BRANCH, ts_span_str("p/main"), 1, &f->arena, &log, &n, &f->err));
	assert_true(n == 1 && log[0].seq == 6);
	items[4] = items[5];
	assert_int_equal(retire(f, items + 4, 2, outcomes), TS_INVALID); /* twice the same */
	items[0].kind = TS_REF_TAG;
	assert_int_equal(retire(f, items, 1, outcomes), TS_INVALID);
}

/* What changed since the plan of 100 stays. */
static void p9_names_go_unless_they_changed(void **state)
{
	struct fixture *f = *state;
	struct ts_retired items[3] = {{.kind = TS_REF_RUN}, {.kind = TS_REF_RUN}, {.kind = TS_REF_RUN}};
	static const char *const names[] = {"p/a", "p/b", "p/c"};
	struct ts_note note = {.key = ts_span_str("keep"), .value = ts_span_str("yes"), .at_ns = 100};
	enum ts_retire_outcome outcomes[3];
	struct ts_ref ref;

	for (uint64_t i = 0; i < 3; i++) {
		struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 80 + i);

		test_push(f->e, names[i], &head, 1, i == 2 ? 101 : 100);
		items[i].name = ts_span_str(names[i]);
		items[i].id = head.id;
	}
	OK(f->e->ops->note_put(f->e, items[0].name, &note, &f->err));
	note.at_ns = 101;
	OK(f->e->ops->note_put(f->e, items[1].name, &note, &f->err));
	OK(retire(f, items, 3, outcomes));
	assert_true(outcomes[0] == TS_RETIRED && outcomes[1] == TS_STAYS_CHANGED && outcomes[2] == TS_STAYS_CHANGED);
	assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_RUN, items[0].name, &f->arena, &ref, &f->err), TS_NOT_FOUND);
	assert_int_equal(get_ref(f, TS_REF_RUN, "p/b").seq, 1);
	assert_int_equal(get_ref(f, TS_REF_RUN, "p/c").seq, 1);
	OK(retire(f, items, 1, outcomes));
	assert_int_equal(outcomes[0], TS_STAYS_CHANGED);
}

/* Of six heads in two entries each a name, a tag or the newest entry reaches; a sweep that counts says what the rest has. */
static void p9_a_sweep_counts_what_retiring_would_free(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[HISTORY];
	struct ts_retired items[] = {{.kind = TS_REF_RUN, .name = ts_span_str("p/x")}, {0}, {0}, {0}};
	int64_t now = ts_now_real_ns() + TEST_LATER + 1000000000;
	struct ts_sweep_report report;

	make_history(f, heads);
	items[0].id = heads[0].id;
	items[1] = entry_of(&heads[1], 2); /* tagged: its run stays */
	items[2] = entry_of(&heads[2], 3);
	items[3] = entry_of(&heads[0], 1);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now, .dry_run = true, .without = items, .n_without = 3));
	assert_int_equal(report.retired, 1); /* the first entry still has what the name had */
	assert_int_equal(report.retired_bytes, heads[2].bytes.len);
	assert_int_equal(report.freed, 0);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now, .dry_run = true, .without = items, .n_without = 4));
	assert_int_equal(report.retired, 2);
	assert_int_equal(report.retired_bytes, heads[2].bytes.len + heads[0].bytes.len);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now));
	assert_int_equal(report.freed, 0); /* it only counted */
}

/* A name that was removed comes back with its log and its notes; of a name of the base, the base notices neither. */
static void a_removed_name_comes_back(void **state)
{
	struct fixture *f = *state;
	struct ts_engine *at = f->kind == OVERLAY ? f->base : f->e;
	struct ts_sealed heads[2] = {test_node(&f->arena, TEST_HEAD, NULL, 0, 90), test_node(&f->arena, TEST_HEAD, NULL, 0, 91)};
	const struct ts_note note = {.key = ts_span_str("note"), .value = ts_span_str("so")};
	struct ts_removed_query query = {.prefix = ts_span_str("p/"), .limit = 10};
	struct ts_span name = ts_span_str("p/a");
	struct ts_removed_name *removed;
	struct ts_log_entry *log;
	struct ts_ref_update u;
	struct ts_note *notes;
	struct ts_ref ref;
	bool more;
	size_t n;

	for (int i = 0; i < 2; i++)
		test_push(at, "p/a", &heads[i], 1, i + 1);
	OK(at->ops->note_put(at, name, &note, &f->err));
	u = test_update(TS_REF_RUN, "p/a", &heads[1].id, 3);
	u.remove = true;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_RUN, name, &f->arena, &ref, &f->err), TS_NOT_FOUND);
	assert_int_equal(f->e->ops->ref_log(f->e, TS_REF_RUN, name, 0, &f->arena, &log, &n, &f->err), TS_NOT_FOUND);
	OK(f->e->ops->removed_list(f->e, &query, &f->arena, &removed, &n, &more, &f->err));
	assert_true(n == 1 && !more && ts_span_eq(removed[0].ref.name, name) && ts_span_is(removed[0].by, "tester"));
	if (f->kind == OVERLAY)
		OK(at->ops->ref_get(at, TS_REF_RUN, name, &f->arena, &ref, &f->err));
	OK(f->e->ops->ref_restore(f->e, TS_REF_RUN, name, ts_span_str("p/b"), &f->arena, &ref, &f->err));
	assert_true(ref.seq == 2 && ts_id_eq(&ref.id, &heads[1].id));
	OK(f->e->ops->ref_log(f->e, TS_REF_RUN, ts_span_str("p/b"), 0, &f->arena, &log, &n, &f->err));
	assert_true(n == 2 && ts_id_eq(&log[1].id, &heads[0].id));
	OK(f->e->ops->note_list(f->e, ts_span_str("p/b"), &f->arena, NULL, &notes, &n, &f->err));
	assert_true(n == 1 && ts_span_is(notes[0].value, "so"));
	OK(f->e->ops->removed_list(f->e, &query, &f->arena, &removed, &n, &more, &f->err));
	assert_int_equal(n, 0);
	assert_int_equal(f->e->ops->ref_restore(f->e, TS_REF_RUN, name, name, &f->arena, &ref, &f->err), TS_NOT_FOUND);
}

static struct ts_viewer viewer_of(const char *sender, const struct ts_span *project)
{
	return (struct ts_viewer){.sender = ts_span_str(sender), .projects = project, .n = project->len > 0};
}

static enum ts_known known(struct fixture *f, const char *sender, const char *project, const struct ts_id *id)
{
	struct ts_span span = ts_span_str(project);
	struct ts_viewer viewer = viewer_of(sender, &span);
	enum ts_known ret;
	bool leased;

	OK(f->e->ops->known_many(f->e, &viewer, id, 1, &ret, &leased, &f->err));
	return ret;
}

static enum ts_status prove(struct fixture *f, const char *sender, const char *project, const struct ts_id *id)
{
	struct ts_span span = ts_span_str(project);
	struct ts_viewer viewer = viewer_of(sender, &span);

	return f->e->ops->prove(f->e, &viewer, id, &f->err);
}

static void upload(struct fixture *f, const char *sender, const struct ts_sealed *objects, size_t n)
{
	OK(f->e->ops->upload_many(f->e, ts_span_str(sender), objects, n, NULL, &f->err));
}

/* What is there is known to who has sent it and to the projects whose names reach it, and else to nobody. */
static void what_is_there_is_known_to_whose_it_is(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed a[5], graft;
	struct ts_ref_update u;
	size_t n = test_run(&f->arena, 1, 3, a);
	struct ts_id absent = a[2].id;

	absent.bytes[0] ^= 1;
	upload(f, "ada", a, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(known(f, "ada", "", &a[i].id), TS_KNOWN_SENT);
		assert_int_equal(known(f, "bob", "p", &a[i].id), TS_KNOWN_NOT);
		assert_int_equal(known(f, "", "p", &a[i].id), TS_KNOWN_NOT);
	}
	OK(prove(f, "ada", "", &a[0].id));
	u = test_update(TS_REF_RUN, "p/a", &a[0].id, 1);
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(known(f, "bob", "p", &a[i].id), TS_KNOWN_REACHED);
		assert_int_equal(known(f, "bob", "q", &a[i].id), TS_KNOWN_NOT);
	}
	OK(prove(f, "bob", "p", &a[0].id));
	assert_int_equal(known(f, "ada", "p", &absent), TS_KNOWN_NOT);
	assert_int_equal(prove(f, "ada", "p", &absent), TS_NOT_FOUND);
	/* To send what names a block is not to have the block. */
	graft = test_node(&f->arena, TEST_HEAD, &a[1], 1, 99);
	upload(f, "bob", &graft, 1);
	assert_int_equal(prove(f, "bob", "q", &graft.id), TS_NOT_FOUND);
	OK(prove(f, "bob", "p", &graft.id));
	upload(f, "bob", &a[1], 1); /* nor is to send its index */
	assert_int_equal(known(f, "bob", "q", &a[1].id), TS_KNOWN_SENT);
	assert_int_equal(prove(f, "bob", "q", &graft.id), TS_NOT_FOUND);
	upload(f, "bob", a + 2, n - 2);
	OK(prove(f, "bob", "q", &graft.id));
	/* One commit names it in two projects. */
	u = test_update(TS_REF_RUN, "r/a", &graft.id, 2);
	{
		struct ts_ref_update both[] = {u, test_update(TS_REF_BRANCH, "q/main", &graft.id, 2)};

		OK(f->e->ops->commit(f->e, both, 2, &f->arena, NULL, &f->err));
	}
	for (size_t i = 1; i < n; i++) {
		assert_int_equal(known(f, "", "r", &a[i].id), TS_KNOWN_REACHED);
		assert_int_equal(known(f, "", "q", &a[i].id), TS_KNOWN_REACHED);
	}
}

/* What comes back under another project is that one's, too: all that a branch had, of a run what it has now. */
static void what_comes_back_elsewhere_is_known_there(void **state)
{
	struct fixture *f = *state;
	const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_BRANCH};
	struct ts_sealed runs[2][2][5];
	struct ts_ref ref;

	for (uint64_t k = 0; k < 2; k++) {
		struct ts_ref_update u;

		for (uint64_t i = 0; i < 2; i++) {
			size_t n = test_run(&f->arena, 10 * k + i, 3, runs[k][i]);

			OK(f->e->ops->put_many(f->e, runs[k][i], n, NULL, &f->err));
			u = test_update(kinds[k], "p/x", &runs[k][i][0].id, (int64_t)i + 1);
			assert_int_equal(test_commit(f->e, &u), TS_OK);
		}
		u.remove = true;
		assert_int_equal(test_commit(f->e, &u), TS_OK);
		OK(f->e->ops->ref_restore(f->e, kinds[k], u.name, ts_span_str("q/x"), &f->arena, &ref, &f->err));
		for (size_t i = 0; i < 5; i++) {
			assert_int_equal(known(f, "", "q", &runs[k][1][i].id), TS_KNOWN_REACHED);
			assert_int_equal(known(f, "", "q", &runs[k][0][i].id), k ? TS_KNOWN_REACHED : TS_KNOWN_NOT);
		}
		assert_int_equal(verify(f).records, 0);
	}
}

static size_t heads_of(struct fixture *f, const char *project, const char *hex, struct ts_id **ret)
{
	size_t n;

	OK(f->e->ops->heads_find(f->e, ts_span_str(project), ts_span_str(hex), 10, &f->arena, ret, &n, &f->err));
	return n;
}

static bool has_head(struct fixture *f, const char *project, const struct ts_sealed *head)
{
	char hex[TS_ID_HEX + 1];
	struct ts_id *ids;
	size_t n = heads_of(f, project, ts_id_hex(&head->id, hex), &ids);

	assert_true(n == 0 || (n == 1 && ts_id_eq(&ids[0], &head->id)));
	return n == 1;
}

/* A project has the heads that its names have or had, and no others, while there is one of these names. */
static void a_project_has_the_heads_of_its_logs(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[3];
	struct ts_ref_update u;
	struct ts_id *ids;
	struct ts_ref ref;

	for (uint64_t i = 0; i < 3; i++)
		heads[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, 70 + i);
	test_push(f->kind == OVERLAY ? f->base : f->e, "p/a", &heads[0], 1, 1);
	test_push(f->e, "p/a", &heads[1], 1, 2);
	test_push(f->e, "pp/a", &heads[2], 1, 3);
	for (int kind = 0; kind < 3; kind++) {
		u = test_update((enum ts_ref_kind)"tbs"[kind], "p/b", &heads[0].id, 4);
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	assert_true(has_head(f, "p", &heads[0]) && has_head(f, "p", &heads[1]) && has_head(f, "pp", &heads[2]));
	assert_false(has_head(f, "p", &heads[2]) || has_head(f, "pp", &heads[0]) || has_head(f, "q", &heads[0]));
	for (int digit = 0, all = 0; digit < 16; digit++) {
		all += (int)heads_of(f, "p", (char[2]){"0123456789abcdef"[digit], 0}, &ids);
		assert_int_equal(digit < 15 || all == 2, 1); /* each once, however many names have it */
	}
	u = test_update(TS_REF_RUN, "p/a", &heads[1].id, 5);
	u.remove = true;
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	assert_true(has_head(f, "p", &heads[0]) && !has_head(f, "p", &heads[1]));
	for (int kind = 0; kind < 3; kind++) {
		u = test_update((enum ts_ref_kind)"tbs"[kind], "p/b", &heads[0].id, 6);
		u.remove = true;
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	assert_false(has_head(f, "p", &heads[0]));
	OK(f->e->ops->ref_restore(f->e, TS_REF_RUN, ts_span_str("p/a"), ts_span_str("pp/b"), &f->arena, &ref, &f->err));
	assert_true(!has_head(f, "p", &heads[1]) && has_head(f, "pp", &heads[1]) && has_head(f, "pp", &heads[0]));
}

/* What a project and a sender use is counted wherever the store lies. */
static void use_is_counted(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	size_t n = test_run(&f->arena, 1, 10, objects);
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/a", &objects[0].id, 1);
	uint64_t used[TS_USES], bytes = 0;
	bool counted;

	for (size_t i = 0; i < n; i++)
		bytes += objects[i].bytes.len;
	OK(f->e->ops->upload_many(f->e, ts_span_str("ada"), objects, n, NULL, &f->err));
	OK(f->e->ops->usage_get(f->e, true, ts_span_str("ada"), used, &counted, &f->err));
	assert_true(counted && used[TS_USE_UNNAMED] == bytes);
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	OK(f->e->ops->usage_get(f->e, true, ts_span_str("ada"), used, &counted, &f->err));
	assert_int_equal(used[TS_USE_UNNAMED], 0);
	OK(f->e->ops->usage_get(f->e, false, ts_span_str("p"), used, &counted, &f->err));
	assert_true(used[TS_USE_SEALED] == bytes && used[TS_USE_NAMES] == 1);
	OK(f->e->ops->recount(f->e, &f->err));
	OK(f->e->ops->usage_get(f->e, false, ts_span_str("p"), used, &counted, &f->err));
	assert_int_equal(used[TS_USE_SEALED], bytes);
	assert_int_equal(verify(f).drifted, 0);
}

static void put_record(struct fixture *f, const char *key, const char *value)
{
	struct ts_record record = {ts_span_str(key), ts_span_str(value)};

	if (f->e->ops->record_put(f->e, &record, NULL, &f->err))
		fail_msg("%s", f->err.text);
}

static void keeps_records(void **state)
{
	struct fixture *f = *state;
	struct ts_record *records, wrong = {ts_span_str("a b"), ts_span_str("x")}, third = {ts_span_str("token/c"), ts_span_str("3")};
	struct ts_records_seen seen;
	struct ts_sweep_report swept;
	struct ts_span value;
	size_t n;

	put_record(f, "token/b", "two");
	put_record(f, "token/a", "one");
	put_record(f, "other", "three");
	put_record(f, "token/a", "1");
	assert_int_equal(test_sweep_now(f->e, &swept), TS_OK);
	assert_int_equal(f->e->ops->record_get(f->e, ts_span_str("token/a"), &f->arena, &value, &f->err), TS_OK);
	assert_true(ts_span_is(value, "1"));
	assert_int_equal(f->e->ops->record_list(f->e, ts_span_str("token/"), &f->arena, &records, &n, &f->err), TS_OK);
	assert_int_equal(n, 2);
	assert_true(ts_span_is(records[0].key, "token/a") && ts_span_is(records[0].value, "1"));
	assert_true(ts_span_is(records[1].key, "token/b") && ts_span_is(records[1].value, "two"));
	/* Nobody writes by what is no longer so. */
	seen = (struct ts_records_seen){ts_span_str("token/"), records, n};
	put_record(f, "other", "four");
	assert_int_equal(f->e->ops->record_put(f->e, &third, &seen, &f->err), TS_OK);
	assert_int_equal(f->e->ops->record_put(f->e, &third, &seen, &f->err), TS_CONFLICT);
	put_record(f, "token/c", "");
	put_record(f, "token/a", "2");
	assert_int_equal(f->e->ops->record_put(f->e, &third, &seen, &f->err), TS_CONFLICT);
	seen.n = 1;
	put_record(f, "token/a", "1");
	assert_int_equal(f->e->ops->record_put(f->e, &third, &seen, &f->err), TS_CONFLICT);
	put_record(f, "token/a", "");
	assert_int_equal(f->e->ops->record_get(f->e, ts_span_str("token/a"), &f->arena, &value, &f->err), TS_NOT_FOUND);
	assert_int_equal(f->e->ops->record_list(f->e, ts_span_of(NULL, 0), &f->arena, &records, &n, &f->err), TS_OK);
	assert_int_equal(n, 2);
	assert_int_equal(f->e->ops->record_put(f->e, &wrong, NULL, &f->err), TS_INVALID);
	wrong.key = ts_span_of(NULL, 0);
	assert_int_equal(f->e->ops->record_put(f->e, &wrong, NULL, &f->err), TS_INVALID);
}

static enum ts_status run_strange(struct ts_write *w, void *ctx, struct ts_error *err)
{
	(void)ctx;
	return ts_write_put(w, TS_DB_PACKS, ts_span_str("\1"), ts_span_str("of somebody else"), err);
}

/* A layer keeps records of its own beside packs, whose keys have another length (bundle.h): they name no packs. */
static void p7_a_sweep_takes_packs_for_packs_alone(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12], later[12], got;
	size_t n = test_run(&f->arena, 1, 10, objects);
	struct ts_sweep_report swept;

	test_push(f->e, "p/a", objects, n, 1);
	(void)test_run(&f->arena, 2, 10, later);
	test_push(f->e, "p/b", later, n, 2);
	assert_int_equal(ts_kv_of(f->e)->ops->commit(ts_kv_of(f->e), run_strange, NULL, 0, &f->err), TS_OK);
	assert_int_equal(test_sweep_now(f->e, &swept), TS_OK);
	for (size_t i = 0; i < n; i++)
		OK(f->e->ops->get(f->e, &objects[i].id, &f->arena, &got, &f->err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_put_comes_back),
		TEST(p3_equal_content_is_stored_once),
		TEST(p2_no_name_for_what_is_not_complete),
		TEST(a_closure_is_walked_once),
		TEST(p4_a_name_moves_by_compare_and_set),
		TEST(p4_concurrent_writers_lose_nothing),
		TEST(the_log_is_kept_newest_first),
		TEST(lists_go_page_by_page),
		TEST(a_list_of_some_projects_has_the_names_of_no_other),
		TEST(kinds_do_not_share_names),
		TEST(notes_lie_beside_a_run),
		TEST(notes_keep_their_history),
		TEST(a_note_is_written_with_its_run),
		TEST(notes_come_back_to_their_run_only),
		TEST(extracts_lie_beside_a_run_and_go_with_it),
		TEST(extracts_of_many_runs_are_found_by_key),
		TEST(an_overlay_shows_the_extracts_of_its_base),
		TEST(an_overlay_lets_go_of_what_is_its_own),
		TEST(removing_a_name_checks_it),
		TEST(names_are_checked),
		TEST(ids_are_found_by_their_beginning),
		TEST(the_cache_remembers),
		TEST(verify_reads_everything),
		TEST(verify_reads_what_is_new),
		TEST(verify_does_not_go_by_one_that_found_damage),
		TEST(verify_reads_what_was_moved),
		TEST(p6_verify_finds_what_is_not_its_id),
		TEST(p7_sweep_frees_what_nothing_reaches),
		TEST(p7_roots_are_what_they_should_be),
		TEST(p7_a_lease_holds_a_whole_closure),
		TEST(p7_a_lease_of_a_fast_clock_ends),
		TEST(p7_a_clock_that_runs_ahead_frees_nothing),
		TEST(p7_a_clock_that_is_behind_dates_nothing_back),
		TEST(p7_many_large_objects),
		TEST(looking_says_what_asking_says),
		TEST(looking_renews_nothing),
		TEST(outlines_are_those_of_the_objects),
		TEST(looking_waits_for_nobody),
		TEST(p7_sweeps_beside_pushes),
		TEST(p7_a_sweep_takes_packs_for_packs_alone),
		TEST(a_removed_name_comes_back),
		TEST(what_is_there_is_known_to_whose_it_is),
		TEST(what_comes_back_elsewhere_is_known_there),
		TEST(a_project_has_the_heads_of_its_logs),
		TEST(use_is_counted),
		TEST(keeps_records),
		TEST(p9_entries_leave_a_log_that_says_so),
		TEST(p9_names_go_unless_they_changed),
		TEST(p9_a_sweep_counts_what_retiring_would_free),
		TEST(every_allocation_may_fail),
	};
	static const char *const names[3] = {"lmdb", "memory", "memory over lmdb"};
	struct ts_error err;
	int failed = 0;

	if (ts_digest_init(&err))
		return 1;
	for (int kind = LMDB; kind <= OVERLAY; kind++) {
		kind_now = (enum kind)kind;
		failed += cmocka_run_group_tests_name(names[kind], tests, NULL, NULL);
	}
	return failed;
}
