/* Tests a store that follows another one: that it gets to hold the same records, whatever the other one does meanwhile, and gets little
 * more than what changed; and that messages which somebody made up are refused. */
#include "store/store_internal.h"
#include "store/superblock.h"
#include "store/test_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct fixture {
	char dir[256], leader_path[300], follower_path[300];
	struct ts_engine *leader, *follower;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_sealed objects[12];
	uint8_t moment[TS_MOMENT];
	struct ts_mirror mirror;
	uint64_t turn; /* of the bytes of a message: which bit is turned; UINT64_MAX: none */
	uint64_t left; /* chunks after which the connection ends */
};

#define OK(call)                                                                                                                       \
	do {                                                                                                                           \
		if ((call) != TS_OK)                                                                                                   \
			fail_msg("%s: %s", #call, f->err.text);                                                                        \
	} while (0)

static void push(struct fixture *f, const char *name, uint64_t seed)
{
	size_t n = test_run(&f->arena, seed, 10, f->objects);

	test_push(f->leader, name, f->objects, n, (int64_t)seed);
}

static void open_follower(struct fixture *f)
{
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = f->follower_path, .create = true}, &f->follower, &f->err));
}

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	char name[32];

	ts_arena_init(&f->arena, 0);
	test_make_dir(f->dir, sizeof f->dir);
	(void)snprintf(f->leader_path, sizeof f->leader_path, "%s/leader", f->dir);
	(void)snprintf(f->follower_path, sizeof f->follower_path, "%s/follower", f->dir);
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = f->leader_path, .create = true}, &f->leader, &f->err));
	open_follower(f);
	f->turn = UINT64_MAX;
	f->left = UINT64_MAX;
	for (int i = 0; i < 60; i++) {
		(void)snprintf(name, sizeof name, "p/%d", i);
		push(f, name, (uint64_t)i + 1);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_engine_destroy(f->leader);
	ts_engine_destroy(f->follower);
	ts_arena_finish(&f->arena);
	test_remove_dir(f->dir);
	test_free(f);
	return 0;
}

static enum ts_status send(void *ctx, struct ts_span chunk, struct ts_error *err)
{
	struct fixture *f = ctx;
	struct ts_span copy = ts_arena_span(&f->arena, chunk);
	union {
		const uint8_t *in;
		uint8_t *out;
	} bytes = {.in = copy.data};

	if (f->left-- == 0)
		return ts_error_set(err, TS_UNAVAILABLE, "the connection ended");
	if (f->turn / 8 < copy.len)
		bytes.out[f->turn / 8] ^= (uint8_t)(1 << f->turn % 8);
	return ts_mirror_take(&f->mirror, copy, err);
}

static enum ts_status follow(struct fixture *f)
{
	struct ts_buf asked = TS_BUF_INIT(1 << 20);
	enum ts_status status;

	ts_mirror_begin(&f->mirror, f->follower);
	OK(ts_mirror_ask(f->follower, f->moment, &asked, &f->err));
	status = f->leader->ops->mirror(f->leader, ts_buf_view(&asked), send, f, &f->err);
	if (!status) {
		assert_true(f->mirror.ended);
		memcpy(f->moment, f->mirror.moment, TS_MOMENT);
	}
	ts_mirror_finish(&f->mirror);
	ts_buf_finish(&asked);
	return status;
}

static bool is_own(const struct ts_walk *walk)
{
	return walk->db == TS_DB_META &&
	       (ts_span_is(walk->key, TS_SUMS_KEY) || ts_span_is(walk->key, TS_STORE_KEY) || ts_span_is(walk->key, TS_COPY_KEY) ||
		ts_span_is(walk->key, TS_MIRRORED_KEY) || ts_span_is(walk->key, TS_VERIFIED_KEY));
}

static void on(struct fixture *f, struct ts_walk *walk, bool *found)
{
	do
		OK(ts_walk_on(walk, found, &f->err));
	while (*found && is_own(walk));
}

static void expect_same(struct fixture *f)
{
	struct ts_walk was, is;
	struct ts_read a, b;
	bool found, there;

	OK(ts_read_begin(ts_kv_of(f->leader), &a, &f->err));
	OK(ts_read_begin(ts_kv_of(f->follower), &b, &f->err));
	for (int db = 0; db < TS_DBS; db++) {
		if (db == TS_DB_CACHE)
			continue;
		OK(ts_walk_open(&was, a, (enum ts_db)db, ts_span_of(NULL, 0), &found, &f->err));
		OK(ts_walk_open(&is, b, (enum ts_db)db, ts_span_of(NULL, 0), &there, &f->err));
		if (there && is_own(&is))
			on(f, &is, &there);
		while (found || there) {
			assert_true(found && there);
			assert_true(ts_span_eq(was.key, is.key) && ts_span_eq(was.value, is.value));
			on(f, &was, &found);
			on(f, &is, &there);
		}
		ts_walk_end(&was);
		ts_walk_end(&is);
	}
	ts_read_end(&a);
	ts_read_end(&b);
}

static void expect_sound(struct fixture *f)
{
	struct ts_verify_report report;

	OK(f->follower->ops->verify(f->follower, NULL, &f->arena, &report, &f->err));
	assert_int_equal(report.damaged + report.missing + report.records, 0);
}

static void it_gets_what_there_is_and_then_what_changes(void **state)
{
	const struct ts_note bad = {.key = ts_span_str("bad"), .value = ts_span_str("nan"), .at_ns = 5, .who = ts_span_str("tester")};
	struct fixture *f = *state;
	struct ts_ref_update update = test_update(TS_REF_RUN, "p/7", &f->objects[0].id, 100);
	struct ts_sweep_report swept;
	uint64_t all;

	OK(follow(f));
	all = f->mirror.records;
	expect_same(f);
	expect_sound(f);
	OK(follow(f)); /* nothing changed */
	assert_int_equal(f->mirror.records, 0);
	push(f, "p/new", 100);
	push(f, "p/3", 101);
	OK(f->leader->ops->note_put(f->leader, ts_span_str("p/9"), &bad, &f->err));
	update.remove = true;
	assert_int_equal(test_commit(f->leader, &update), TS_OK);
	OK(follow(f));
	assert_true(f->mirror.records > 24 && f->mirror.records < all);
	expect_same(f);
	OK(test_sweep_now(f->leader, &swept));
	assert_true(swept.freed > 0);
	OK(follow(f));
	expect_same(f);
	expect_sound(f);
}

/* Whenever the connection ends, or the follower does, the next turn goes on, and no name is there without its run. */
static void it_goes_on_after_each_end(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed *block = f->objects;

	for (int i = 0; i < 40; i++) { /* more than one chunk */
		block[0] = test_block(&f->arena, (uint64_t)i + 500, 12000, true);
		test_push(f->leader, ts_arena_printf(&f->arena, "q/%d", i), block, 1, i + 1);
	}
	for (uint64_t n = 0;; n++) {
		f->left = n;
		if (follow(f) == TS_OK)
			break;
		assert_int_equal(f->err.status, TS_UNAVAILABLE);
		ts_engine_destroy(f->follower);
		open_follower(f);
		expect_sound(f);
	}
	assert_true(f->left < 3);
	expect_same(f);
}

/* What it has of its own, as after somebody wrote to it, goes. */
static void it_has_nothing_else(void **state)
{
	struct fixture *f = *state;
	size_t n = test_run(&f->arena, 900, 10, f->objects);

	OK(follow(f));
	test_push(f->follower, "p/mine", f->objects, n, 1);
	test_push(f->follower, "zz/mine", f->objects, n, 2);
	memset(f->moment, 0, sizeof f->moment);
	OK(follow(f));
	expect_same(f);
}

/* A follower believes the bytes of its leader, but no length in them; a leader believes nothing. */
static void no_message_is_trusted(void **state)
{
	struct fixture *f = *state;
	struct ts_buf asked = TS_BUF_INIT(1 << 20);

	for (f->turn = 0; f->turn < 3000; f->turn += 7) {
		memset(f->moment, 0, sizeof f->moment);
		(void)follow(f);
	}
	f->turn = UINT64_MAX;
	memset(f->moment, 0, sizeof f->moment);
	OK(follow(f));
	expect_same(f);
	OK(ts_mirror_ask(f->follower, f->moment, &asked, &f->err));
	memset(asked.data, 0, TS_MOMENT);
	for (size_t i = 0; i < asked.len * 8; i += 29) {
		asked.data[i / 8] ^= (uint8_t)(1 << i % 8);
		ts_mirror_begin(&f->mirror, f->follower);
		(void)f->leader->ops->mirror(f->leader, ts_buf_view(&asked), send, f, &f->err);
		ts_mirror_finish(&f->mirror);
		asked.data[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	for (size_t len = TS_MOMENT + 1; len < asked.len; len += 13)
		assert_int_equal(f->leader->ops->mirror(f->leader, ts_span_of(asked.data, len), send, f, &f->err), TS_INVALID);
	ts_buf_finish(&asked);
}

/* It may be claimed again for that store alone, and no more once others write to it. */
static void a_copy_says_whose_it_becomes(void **state)
{
	struct fixture *f = *state;
	struct ts_engine *third;
	char path[300];

	(void)snprintf(path, sizeof path, "%s/third", f->dir);
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = path, .create = true}, &third, &f->err));
	assert_int_equal(ts_mirror_claim(f->leader, f->follower, &f->err), TS_CONFLICT); /* it has runs */
	assert_int_equal(ts_mirror_claim(f->leader, f->leader, &f->err), TS_CONFLICT);
	OK(ts_mirror_claim(f->follower, f->leader, &f->err));
	OK(follow(f));
	expect_same(f);
	OK(ts_mirror_claim(f->follower, f->leader, &f->err));
	assert_int_equal(ts_mirror_claim(f->follower, third, &f->err), TS_CONFLICT);
	OK(ts_mirror_release(f->follower, false, &f->err));
	OK(ts_mirror_release(f->follower, false, &f->err));
	assert_int_equal(ts_mirror_claim(f->follower, f->leader, &f->err), TS_CONFLICT);
	OK(ts_mirror_claim(third, f->leader, &f->err)); /* of an empty one, whose it was does not count */
	OK(ts_mirror_claim(third, f->follower, &f->err));
	OK(ts_mirror_release(third, true, &f->err)); /* other processes may write to it from now on, also before anything is there */
	OK(ts_mirror_release(third, true, &f->err));
	assert_int_equal(ts_mirror_claim(third, f->follower, &f->err), TS_CONFLICT);
	assert_non_null(strstr(f->err.text, "has been served"));
	ts_engine_destroy(third);
}

static uint64_t unread(struct fixture *f, struct ts_engine *e)
{
	struct ts_verify_report report;

	OK(test_verify(e, true, true, &f->arena, &report, &f->err));
	return report.unread;
}

/* A copy may put a pack anew under its number, so no verify goes by an earlier one there, nor by one of the original. */
static void a_copy_is_verified_whole(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(unread(f, f->follower), 0); /* as empty as it is, that is all */
	OK(ts_mirror_claim(f->follower, f->leader, &f->err));
	assert_int_equal(unread(f, f->leader), 0);
	assert_true(unread(f, f->leader) > 0);
	OK(follow(f));
	expect_same(f);
	assert_int_equal(unread(f, f->follower), 0);
	assert_int_equal(unread(f, f->follower), 0);
	OK(ts_mirror_release(f->follower, false, &f->err));
	assert_int_equal(unread(f, f->follower), 0);
	assert_true(unread(f, f->follower) > 0);
}

/* Once a server was started on a copy, no turn that began before takes away what that acknowledged. */
static void a_copy_that_is_served_takes_no_more(void **state)
{
	struct fixture *f = *state;
	struct ts_buf asked = TS_BUF_INIT(1 << 20);
	struct ts_arena arena;
	struct ts_ref ref;

	OK(ts_mirror_claim(f->follower, f->leader, &f->err));
	OK(follow(f));
	OK(ts_mirror_ask(f->follower, (const uint8_t[TS_MOMENT]){0}, &asked, &f->err));
	push(f, "p/later", 99);
	OK(ts_mirror_release(f->follower, true, &f->err));
	test_push(f->follower, "p/own", f->objects, test_run(&f->arena, 98, 10, f->objects), 98);
	ts_mirror_begin(&f->mirror, f->follower);
	OK(ts_mirror_hold(&f->mirror, f->leader, &f->err));
	f->left = UINT64_MAX;
	assert_int_equal(f->leader->ops->mirror(f->leader, ts_buf_view(&asked), send, f, &f->err), TS_CONFLICT);
	ts_mirror_finish(&f->mirror);
	ts_buf_finish(&asked);
	ts_arena_init(&arena, 0);
	OK(f->follower->ops->ref_get(f->follower, TS_REF_RUN, ts_span_str("p/own"), &arena, &ref, &f->err));
	ts_arena_finish(&arena);
}

static bool is_mirror_of(struct fixture *f, struct ts_engine *e, const char *of, const char *part, int64_t held_ns)
{
	struct ts_mirrored is;

	OK(ts_mirrored_get(e, &f->arena, &is, &f->err));
	return ts_span_is(is.of, of) && ts_span_is(is.part, part) && is.held_ns == held_ns;
}

static void a_mirror_says_what_it_is(void **state)
{
	struct fixture *f = *state;
	const struct ts_mirrored all = {.of = ts_span_str("here")}, part = {.of = ts_span_str("here"), .part = ts_span_str("some")},
				 other = {.of = ts_span_str("there")}, none = {.held_ns = 1};

	assert_true(is_mirror_of(f, f->follower, "", "", 0));
	assert_int_equal(ts_mirrored_end(f->follower, &f->err), TS_NOT_FOUND);
	assert_int_equal(ts_mirrored_hold(f->follower, 5, &f->err), TS_CONFLICT);
	assert_int_equal(ts_mirrored_begin(f->leader, &all, &f->err), TS_CONFLICT); /* it has runs */
	assert_int_equal(ts_mirrored_begin(f->follower, &none, &f->err), TS_INVALID);
	OK(ts_mirrored_begin(f->follower, &all, &f->err));
	assert_int_equal(ts_mirror_claim(f->follower, f->leader, &f->err), TS_CONFLICT); /* as empty as it is */
	OK(follow(f));
	expect_same(f); /* what it says is its own, and stays */
	OK(ts_mirrored_hold(f->follower, 5, &f->err));
	assert_true(is_mirror_of(f, f->follower, "here", "", 5));
	OK(ts_mirrored_begin(f->follower, &all, &f->err));
	assert_true(is_mirror_of(f, f->follower, "here", "", 5));
	assert_int_equal(ts_mirrored_begin(f->follower, &part, &f->err), TS_CONFLICT); /* it would take all others away */
	assert_true(is_mirror_of(f, f->follower, "here", "", 5));
	assert_int_equal(ts_mirrored_begin(f->follower, &other, &f->err), TS_CONFLICT);
	OK(ts_mirrored_end(f->follower, &f->err));
	assert_true(is_mirror_of(f, f->follower, "", "", 0));
	assert_int_equal(ts_mirrored_begin(f->follower, &all, &f->err), TS_CONFLICT); /* it is a store of its own now */
}

static void a_mirror_is_of_one_store_not_of_a_place(void **state)
{
	struct fixture *f = *state;
	struct ts_mirrored is = {.of = ts_span_str("here")}, part = {.of = ts_span_str("here"), .part = ts_span_str("some")};

	OK(ts_mirrored_begin(f->follower, &part, &f->err)); /* of a server, which does not say it */
	OK(ts_store_id(f->leader, is.source, &f->err));
	OK(ts_mirrored_begin(f->follower, &is, &f->err)); /* it never had all of the part */
	OK(ts_mirrored_begin(f->follower, &is, &f->err));
	OK(ts_store_id(f->follower, is.source, &f->err));
	assert_int_equal(ts_mirrored_begin(f->follower, &is, &f->err), TS_CONFLICT);
	assert_non_null(strstr(f->err.text, "another store is there now"));
	memset(is.source, 0, sizeof is.source);
	OK(ts_mirrored_begin(f->follower, &is, &f->err));
}

/* Once it is none any more, no turn that began before takes anything away. */
static void what_was_a_mirror_takes_no_more(void **state)
{
	struct fixture *f = *state;
	const struct ts_mirrored all = {.of = ts_span_str("here")};
	struct ts_buf asked = TS_BUF_INIT(1 << 20);

	OK(ts_mirrored_begin(f->follower, &all, &f->err));
	OK(follow(f));
	OK(ts_mirror_ask(f->follower, (const uint8_t[TS_MOMENT]){0}, &asked, &f->err));
	push(f, "p/later", 99);
	OK(ts_mirrored_end(f->follower, &f->err));
	ts_mirror_begin(&f->mirror, f->follower);
	f->left = UINT64_MAX;
	assert_int_equal(f->leader->ops->mirror(f->leader, ts_buf_view(&asked), send, f, &f->err), TS_CONFLICT);
	ts_mirror_finish(&f->mirror);
	ts_buf_finish(&asked);
}

static enum ts_status put_record(struct fixture *f, struct ts_engine *e)
{
	const struct ts_record record = {.key = ts_span_str("k"), .value = ts_span_str("v")};

	return e->ops->record_put(e, &record, NULL, &f->err);
}

/* What a store is may change while a server has it open: each write asks. */
static void who_writes_is_asked_at_each_write(void **state)
{
	struct fixture *f = *state;
	const struct ts_mirrored all = {.of = ts_span_str("here")};
	const struct ts_record record = {.key = ts_span_str("k")};
	struct ts_engine *server;

	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = f->follower_path}, &server, &f->err));
	OK(put_record(f, server));
	OK(server->ops->record_put(server, &record, NULL, &f->err));
	OK(ts_mirrored_begin(f->follower, &all, &f->err));
	assert_int_equal(put_record(f, server), TS_DENIED);
	assert_non_null(strstr(f->err.text, "read-only copy of here"));
	OK(put_record(f, f->follower));
	OK(ts_mirrored_end(server, &f->err));
	OK(put_record(f, server));
	assert_int_equal(put_record(f, f->follower), TS_CONFLICT); /* the mirroring that still runs */
	ts_engine_destroy(server);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(it_gets_what_there_is_and_then_what_changes),
		TEST(it_goes_on_after_each_end),
		TEST(it_has_nothing_else),
		TEST(no_message_is_trusted),
		TEST(a_copy_says_whose_it_becomes),
		TEST(a_copy_is_verified_whole),
		TEST(a_copy_that_is_served_takes_no_more),
		TEST(a_mirror_says_what_it_is),
		TEST(a_mirror_is_of_one_store_not_of_a_place),
		TEST(what_was_a_mirror_takes_no_more),
		TEST(who_writes_is_asked_at_each_write),
	};

	return cmocka_run_group_tests_name("mirror", tests, NULL, NULL);
}
