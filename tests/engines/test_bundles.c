/* The layer of bundles over one in memory, against a server of S3 for tests: what is read is what a model says, whatever is gathered,
 * taken apart and deleted meanwhile, and whatever fails; two servers gather side by side, and one that stood still writes nothing late.
 */
#include "base/budget.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "store/cluster/bundle_internal.h"
#include "store/cluster/packs_kept.h"
#include "store/store_internal.h"
#include "store/test_store.h"
#include "tests/engines/s3_server.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PACKS = 60, ROUNDS = 120, HOUR_S = 3600 };

static struct s3_server server;
static _Atomic int64_t clock_ns;
static const struct ts_kv_ops *memory_ops; /* of the layer below */
static bool fails;			   /* its writes */
static size_t keys_ahead;		   /* that it was told of */
static size_t values;			   /* of packs that walks went to there */

struct fixture {
	char dirs[2][256];
	struct ts_engine *memory; /* whose layer lies below */
	struct ts_kv_ops ops;	  /* its operations without release */
	const struct ts_kv_ops *own_ops;
	struct ts_kv *kvs[2]; /* two servers over it */
	bool read_only[2], no_cache[2];
	int model[PACKS];     /* number of a pack -> what it holds; 0: there is none */
	uint64_t next;	      /* number that no pack had */
	uint64_t numbers[PACKS];
	uint64_t noise;
	struct ts_error err;
};

#define OK(call)                                                                                                                       \
	do {                                                                                                                           \
		if ((call) != TS_OK)                                                                                                   \
			fail_msg("%s: %s", #call, f->err.text);                                                                        \
	} while (0)

static unsigned next(struct fixture *f, unsigned below)
{
	f->noise = f->noise * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(f->noise >> 33) % below;
}

static enum ts_status now(struct ts_kv *under, int64_t *ret_ns, struct ts_error *err)
{
	(void)under, (void)err;
	*ret_ns = clock_ns;
	return TS_OK;
}

static void keep_layer(struct ts_kv *kv)
{
	(void)kv; /* the engine in memory releases it */
}

struct rival {
	struct ts_kv *kv; /* that gathers before the next write of another one is done; NULL: none */
	struct ts_error err;
	enum ts_status status;
};
static struct rival rival;

/* A write in which a bucket is watched. */
struct watched {
	ts_write_fn *run;
	void *ctx;
};
static struct ts_bucket *watched; /* NULL: none */
static uint64_t asked;		  /* requests to it in writes */
static int ran;			  /* functions of writes */

static enum ts_status run_watched(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct watched *own = ctx;
	struct ts_bucket_stats before, after;
	enum ts_status status;

	ts_bucket_stats(watched, &before);
	status = own->run(w, own->ctx, err);
	ts_bucket_stats(watched, &after);
	asked += after.requests - before.requests;
	ran++;
	return status;
}

static enum ts_status commit_or_fail(struct ts_kv *kv, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err)
{
	struct ts_kv *first = rival.kv;
	struct watched own = {run, ctx};

	rival.kv = NULL;
	if (first)
		rival.status = ts_bundles_pass(first, true, &rival.err);
	if (fails)
		return ts_error_set(err, TS_UNAVAILABLE, "the database is away");
	return watched ? memory_ops->commit(kv, run_watched, &own, bytes, err) : memory_ops->commit(kv, run, ctx, bytes, err);
}

static enum ts_status count_ahead(struct ts_read r, enum ts_db db, const struct ts_span *keys, size_t n, struct ts_error *err)
{
	(void)r, (void)db, (void)keys, (void)err;
	keys_ahead += n;
	return TS_OK;
}

static enum ts_status count_values(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	values += w->db == TS_DB_PACKS && !w->keys;
	return memory_ops->walk_move(w, move, key, ret_found, err);
}

static void open_memory(struct fixture *f)
{
	OK(ts_memory_open(NULL, &f->memory, &f->err));
	f->own_ops = memory_ops = ts_kv_of(f->memory)->ops;
	f->ops = *f->own_ops;
	f->ops.release = keep_layer;
	f->ops.commit = commit_or_fail;
	f->ops.ahead = count_ahead;
	f->ops.walk_move = count_values;
	ts_kv_of(f->memory)->ops = &f->ops;
}

static void close_memory(struct fixture *f)
{
	ts_kv_of(f->memory)->ops = f->own_ops;
	ts_engine_destroy(f->memory);
}

static void open_layer(struct fixture *f, int i)
{
	struct ts_bundles_options options = {
		.under = ts_kv_of(f->memory), .now = now, .by_hand = true, .read_only = f->read_only[i]};
	char room[128];
	const struct ts_bucket_options there = {.url = s3_url(&server, "packs/ours", room)};

	OK(ts_bucket_open(&there, &options.bucket, &f->err));
	if (!f->no_cache[i])
		OK(ts_pack_cache_open(f->dirs[i], 16 << 20, &options.cache, &f->err));
	OK(ts_bundles_open(&options, &f->kvs[i], &f->err));
}

static void close_layer(struct fixture *f, int i)
{
	f->kvs[i]->ops->release(f->kvs[i]);
}

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	f->noise = 7;
	f->next = 1;
	clock_ns = INT64_C(1700000000000000000);
	fails = false;
	watched = NULL;
	s3_control(&server, "clear", NULL);
	open_memory(f);
	for (int i = 0; i < 2; i++) {
		test_make_dir(f->dirs[i], sizeof f->dirs[i]);
		open_layer(f, i);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		close_layer(f, i);
		test_remove_dir(f->dirs[i]);
	}
	close_memory(f);
	test_free(f);
	return 0;
}

/* ---- packs, and what they should be ---- */

/* Bytes that a number tells. */
static struct ts_span bytes_of(int what, uint8_t room[3000])
{
	size_t len = 1 + (size_t)what * 37 % 3000;

	for (size_t i = 0; i < len; i++)
		room[i] = (uint8_t)((unsigned)what * 31 + i * 7);
	return ts_span_of(room, len);
}

struct change {
	struct fixture *f;
	int i, what; /* of the model; what 0: it goes */
};

static enum ts_status run_change(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct change *c = ctx;
	uint8_t key[8], room[3000], *at;
	struct ts_span bytes = bytes_of(c->what, room);

	ts_store_be(key, c->f->numbers[c->i], sizeof key);
	if (!c->what)
		return ts_write_delete(w, TS_DB_PACKS, ts_span_of(key, sizeof key), err);
	if (ts_write_reserve(w, TS_DB_PACKS, ts_span_of(key, sizeof key), bytes.len, &at, err))
		return err->status;
	memcpy(at, bytes.data, bytes.len);
	return TS_OK;
}

/* Puts a pack under the number that it had, as a copy of a store does whose original was restored; or deletes it. */
static void put_anew(struct fixture *f, struct ts_kv *kv, int i, int what)
{
	struct change c = {.f = f, .i = i, .what = what};

	OK(kv->ops->commit(kv, run_change, &c, 0, &f->err));
	f->model[i] = what;
}

/* Puts a pack of a new number, or deletes one; as a store does, which never writes one twice. */
static void change(struct fixture *f, struct ts_kv *kv, int i, int what)
{
	if (what)
		f->numbers[i] = f->next++;
	put_anew(f, kv, i, what);
}

static void change_some(struct fixture *f, struct ts_kv *kv, int n)
{
	while (n--) {
		int i = (int)next(f, PACKS);

		change(f, kv, i, f->model[i] ? 0 : 1 + (int)next(f, 5000));
	}
}

static int by_number(struct fixture *f, uint64_t number)
{
	for (int i = 0; i < PACKS; i++)
		if (f->model[i] && f->numbers[i] == number)
			return i;
	return -1;
}

static void is_pack(struct fixture *f, struct ts_span key, struct ts_span value)
{
	uint8_t room[3000];
	int i;

	assert_int_equal(key.len, 8);
	i = by_number(f, ts_load_be(key.data, 8));
	assert_true(i >= 0);
	assert_true(ts_span_eq(value, bytes_of(f->model[i], room)));
}

/* Up, down, by number, and how many. */
static void compare(struct fixture *f, struct ts_kv *kv)
{
	static const uint8_t all[9] = {255, 255, 255, 255, 255, 255, 255, 255, 255};
	uint64_t there = 0, up = 0, down = 0, counted, last = 0;
	struct ts_span value;
	struct ts_walk walk;
	struct ts_read r;
	uint8_t key[8];
	bool found;

	OK(ts_read_begin(kv, &r, &f->err));
	for (int i = 0; i < PACKS; i++) {
		there += f->model[i] != 0;
		ts_store_be(key, f->numbers[i], sizeof key);
		if (f->numbers[i] == 0)
			continue;
		OK(ts_read_get(r, TS_DB_PACKS, ts_span_of(key, sizeof key), &value, &found, &f->err));
		assert_int_equal(found, f->model[i] != 0);
		if (found)
			is_pack(f, ts_span_of(key, sizeof key), value);
	}
	OK(ts_walk_open(&walk, r, TS_DB_PACKS, ts_span_of(NULL, 0), &found, &f->err));
	for (; found; up++) {
		is_pack(f, walk.key, walk.value);
		assert_true(ts_load_be(walk.key.data, 8) > last);
		last = ts_load_be(walk.key.data, 8);
		OK(ts_walk_on(&walk, &found, &f->err));
	}
	ts_walk_end(&walk);
	OK(ts_walk_begin(&walk, r, TS_DB_PACKS, &f->err));
	OK(ts_walk_seek_below(&walk, ts_span_of(all, sizeof all), &found, &f->err));
	for (; found; down++) {
		is_pack(f, walk.key, walk.value);
		if (next(f, 4) == 0 && down) { /* there and back */
			OK(ts_walk_next(&walk, &found, &f->err));
			assert_true(found);
			OK(ts_walk_prev(&walk, &found, &f->err));
		}
		OK(ts_walk_prev(&walk, &found, &f->err));
	}
	ts_walk_end(&walk);
	OK(ts_read_count(r, TS_DB_PACKS, &counted, &f->err));
	ts_read_end(&r);
	assert_int_equal(up, there);
	assert_int_equal(down, there);
	assert_int_equal(counted, there);
}

static size_t bundles_there(void)
{
	struct ts_buf keys;
	struct ts_span rest;
	size_t n = 0;

	s3_control(&server, "keys", &keys);
	for (rest = ts_buf_view(&keys); rest.len; rest = ts_span_from(rest, 1))
		n += ts_span_starts(rest, ts_span_str(".bundle"));
	ts_buf_finish(&keys);
	return n;
}

/* Once no pack is there any more, and its time is over. */
static void nothing_is_left_behind(struct fixture *f)
{
	for (int i = 0; i < 3; i++) {
		OK(ts_bundles_pass(f->kvs[0], true, &f->err));
		clock_ns += 25 * HOUR_S * INT64_C(1000000000);
	}
	assert_int_equal(bundles_there(), 0);
}

static void look(struct fixture *f, struct ts_kv *kv)
{
	struct ts_looked looked = {.n_packs = 0};

	OK(ts_kv_look(kv, false, &looked, &f->err));
	ts_looked_finish(&looked);
}

static enum ts_status run_vouch(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct ts_looked *looked = ctx;

	return w->kv->ops->vouch(w, looked->sound.items, looked->sound.n, err);
}

/* Looks at what is new and expects it to be so many bundles that are sound, and so many packs; then vouches for it, if so asked. */
static void is_new(struct fixture *f, int i, size_t sound, size_t packs, bool vouches)
{
	struct ts_looked looked = {.n_packs = 0};
	struct ts_kv *kv = f->kvs[i];

	OK(ts_kv_look(kv, true, &looked, &f->err));
	assert_int_equal(looked.sound.n, sound);
	assert_int_equal(looked.n_packs, packs);
	if (vouches)
		OK(kv->ops->commit(kv, run_vouch, &looked, 0, &f->err));
	ts_looked_finish(&looked);
}

/* ---- tests ---- */

static void what_is_read_is_what_the_model_says(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < ROUNDS; i++) {
		struct ts_kv *kv = f->kvs[next(f, 2)];

		change_some(f, kv, 1 + (int)next(f, 20));
		if (next(f, 3) == 0)
			OK(ts_bundles_pass(f->kvs[next(f, 2)], true, &f->err));
		clock_ns += (int64_t)next(f, 5 * HOUR_S) * 1000000000;
		compare(f, f->kvs[next(f, 2)]);
		if (next(f, 10) == 0) { /* a server starts again, with what its cache has */
			close_layer(f, 0);
			open_layer(f, 0);
		}
	}
	for (int i = 0; i < PACKS; i++)
		if (f->model[i])
			change(f, f->kvs[0], i, 0);
	nothing_is_left_behind(f);
}

static void what_fails_for_a_moment_changes_nothing(void **state)
{
	struct fixture *f = *state;

	s3_control(&server, "fault?kind=500,503,429,cut,deaf,half&share=0.2", NULL);
	for (int i = 0; i < 10; i++) {
		change_some(f, f->kvs[0], 10);
		while (ts_bundles_pass(f->kvs[next(f, 2)], true, &f->err) == TS_UNAVAILABLE)
			clock_ns += 700 * INT64_C(1000000000); /* until the bundle that was given up comes no more */
		compare(f, f->kvs[1]);
	}
	s3_control(&server, "fault?kind=500&times=0", NULL);
	compare(f, f->kvs[0]);
}

/* While the bucket is away, packs stay where they are, and those that the cache has are read. */
static void a_bucket_that_is_away(void **state)
{
	struct fixture *f = *state;

	change_some(f, f->kvs[0], 30);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	s3_control(&server, "fault?kind=503&times=1000000", NULL);
	compare(f, f->kvs[0]);
	change_some(f, f->kvs[0], 30);
	assert_int_equal(ts_bundles_pass(f->kvs[0], true, &f->err), TS_UNAVAILABLE);
	compare(f, f->kvs[0]);
	close_layer(f, 0);
	open_layer(f, 0); /* it starts all the same */
	compare(f, f->kvs[0]);
	s3_control(&server, "fault?kind=503&times=0", NULL);
	clock_ns += HOUR_S * INT64_C(1000000000);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	compare(f, f->kvs[1]);
}

/* A body that was altered on its way is read again; what is altered in the bucket is said. */
static void wrong_bytes(void **state)
{
	static const char *const harms[] = {"flip?", "cut?", "lose?"}, *const says[] = {"is cut or altered", "is cut or altered",
											"is not there"};
	struct fixture *f = *state;

	for (size_t k = 0; k < 3; k++) {
		struct ts_span value;
		struct ts_read r;
		uint8_t key[8];
		bool found;

		s3_control(&server, "clear", NULL);
		(void)teardown(state);
		(void)setup(state);
		f = *state;
		change(f, f->kvs[0], 1, 4000);
		OK(ts_bundles_pass(f->kvs[0], true, &f->err));
		s3_control(&server, "fault?kind=wrong&times=1&method=GET", NULL);
		compare(f, f->kvs[1]);
		s3_control(&server, harms[k], NULL);
		compare(f, f->kvs[0]); /* its cache has it, */
		look(f, f->kvs[0]);
		OK(ts_read_begin(f->kvs[0], &r, &f->err)); /* and has not after a look */
		ts_store_be(key, f->numbers[1], sizeof key);
		assert_int_equal(ts_read_get(r, TS_DB_PACKS, ts_span_of(key, sizeof key), &value, &found, &f->err), TS_DAMAGED);
		ts_read_end(&r);
		assert_non_null(strstr(f->err.text, says[k]));
	}
}

/* Files of the cache that were cut, altered or emptied are read from the bucket again. */
static void damage_of_the_cache(void **state)
{
	struct fixture *f = *state;
	char command[600];

	change_some(f, f->kvs[0], 50);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	(void)snprintf(command, sizeof command,
		       "n=0; for x in %s/[0-9a-f]*/*; do n=$((n+1)); case $((n %% 3)) in 0) printf x >>$x;; 1) : >$x;; "
		       "2) printf y | dd of=$x conv=notrunc status=none;; esac; done",
		       f->dirs[0]);
	assert_int_equal(system(command), 0); /* NOLINT */
	compare(f, f->kvs[0]);
	close_layer(f, 0);
	open_layer(f, 0);
	compare(f, f->kvs[0]);
}

static void a_pack_that_is_put_anew(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 4; i++)
		change(f, f->kvs[0], i, 4000 + i);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	put_anew(f, f->kvs[0], 1, 70);
	compare(f, f->kvs[0]);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	compare(f, f->kvs[1]);
	for (int i = 0; i < 4; i++)
		change(f, f->kvs[0], i, 0);
	nothing_is_left_behind(f);
}

struct passing {
	struct ts_kv *kv;
	enum ts_status status;
	struct ts_error err;
};

static void *pass(void *ctx)
{
	struct passing *p = ctx;

	p->status = ts_bundles_pass(p->kv, true, &p->err);
	return NULL;
}

static bool is_coming(struct fixture *f)
{
	struct ts_coming coming;
	struct ts_read r;
	bool found;

	OK(ts_read_begin(ts_kv_of(f->memory), &r, &f->err));
	OK(ts_coming_get(r, &coming, &found, &f->err));
	ts_read_end(&r);
	return found;
}

/* Begins to gather in a thread, which stands still while it puts its bundle. */
static pthread_t stand_still(struct fixture *f, struct passing *p)
{
	pthread_t thread;

	s3_control(&server, "fault?kind=hold&times=1&method=PUT", NULL);
	p->kv = f->kvs[0];
	assert_int_equal(pthread_create(&thread, NULL, pass, p), 0);
	while (!is_coming(f))
		(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return thread;
}

static void go_on(pthread_t thread, const struct passing *p)
{
	s3_control(&server, "release", NULL);
	(void)pthread_join(thread, NULL);
	if (p->status)
		fail_msg("%s", p->err.text);
}

static void a_server_that_stands_still_writes_nothing_late(void **state)
{
	struct fixture *f = *state;
	struct passing p;
	pthread_t thread;

	change_some(f, f->kvs[0], 40);
	thread = stand_still(f, &p);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err)); /* another server leaves these packs to it, */
	assert_true(is_coming(f));
	clock_ns += 700 * INT64_C(1000000000); /* but not for long */
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	assert_false(is_coming(f));
	compare(f, f->kvs[1]);
	go_on(thread, &p);
	compare(f, f->kvs[0]);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	clock_ns += 25 * HOUR_S * INT64_C(1000000000);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	assert_int_equal(bundles_there(), 1); /* that of the one who stood still was known, and went as a dead one */
	for (int i = 0; i < 2; i++) {
		close_layer(f, i);
		test_remove_dir(f->dirs[i]);
		test_make_dir(f->dirs[i], sizeof f->dirs[i]);
		open_layer(f, i);
	}
	compare(f, f->kvs[0]); /* what was deleted of the bucket was the bundle of nobody */
}

/* Packs that a sweep deletes while they are being put come to nothing. */
static void what_is_deleted_meanwhile_stays_away(void **state)
{
	struct fixture *f = *state;
	struct passing p;
	pthread_t thread;

	for (int i = 0; i < 10; i++)
		change(f, f->kvs[0], i, i + 1);
	thread = stand_still(f, &p);
	for (int i = 0; i < 10; i += 2)
		change(f, f->kvs[1], i, 0);
	go_on(thread, &p);
	compare(f, f->kvs[1]);
}

/* Packs that are put anew while they are being put, before and after a write that gave others their places. */
static void what_is_put_anew_meanwhile_stays(void **state)
{
	struct fixture *f = *state;
	struct passing p;
	pthread_t thread;

	for (int i = 0; i < 10; i++)
		change(f, f->kvs[0], i, i + 1);
	thread = stand_still(f, &p);
	for (int i = 0; i < 10; i += 2)
		put_anew(f, f->kvs[1], i, 500 + i);
	go_on(thread, &p);
	compare(f, f->kvs[1]);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	compare(f, f->kvs[1]);
}

/* Another server gathers all between the snapshot of one and the write by which that one says what comes. */
static void two_servers_gather_at_once(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 10; i++)
		change(f, f->kvs[0], i, i + 4000);
	rival.kv = f->kvs[1];
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	if (rival.status)
		fail_msg("%s", rival.err.text);
	compare(f, f->kvs[0]);
	for (int i = 0; i < 10; i++)
		change(f, f->kvs[0], i, 0);
	nothing_is_left_behind(f);
}

/* A dead bundle stays in the bucket for a day by the clock of all, whatever the clocks of servers say. */
static void a_dead_bundle_goes_a_day_later(void **state)
{
	struct fixture *f = *state;

	change(f, f->kvs[0], 1, 10);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	assert_int_equal(bundles_there(), 1);
	change(f, f->kvs[0], 1, 0);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	clock_ns += 23 * HOUR_S * INT64_C(1000000000);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	assert_int_equal(bundles_there(), 1);
	clock_ns += 2 * HOUR_S * INT64_C(1000000000);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	assert_int_equal(bundles_there(), 0);
}

/* Less than half of a bundle is left: that comes into another one. */
static void a_thin_bundle_is_taken_apart(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 10; i++)
		change(f, f->kvs[0], i, 4000 + i);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	for (int i = 0; i < 8; i++)
		change(f, f->kvs[0], i, 0);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	assert_int_equal(bundles_there(), 2);
	compare(f, f->kvs[1]);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	clock_ns += 25 * HOUR_S * INT64_C(1000000000);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	assert_int_equal(bundles_there(), 1);
	compare(f, f->kvs[0]);
}

/* What nobody has vouched for is new: a bundle that came, also with packs that are old. */
static void what_is_new_in_the_bucket(void **state)
{
	struct fixture *f = *state;

	is_new(f, 0, 0, 0, true);
	for (int i = 0; i < 10; i++)
		change(f, f->kvs[0], i, 4000 + i);
	is_new(f, 0, 0, 0, true); /* packs in the database have their numbers */
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	is_new(f, 1, 1, 10, false);
	is_new(f, 1, 1, 10, true);
	is_new(f, 0, 0, 0, false);
	change(f, f->kvs[1], 10, 4000);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	is_new(f, 0, 1, 1, true);
	for (int i = 0; i < 8; i++)
		change(f, f->kvs[0], i, 0);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err)); /* takes it apart, and makes another one */
	is_new(f, 0, 1, 2, true);
	s3_control(&server, "lose?", NULL);
	is_new(f, 0, 0, 0, false); /* what is lost was not new */
}

/* One that is bad has packs to be read, and is vouched for by nobody. */
static void what_is_new_in_the_bucket_and_lost(void **state)
{
	struct fixture *f = *state;

	change(f, f->kvs[0], 1, 4000);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	s3_control(&server, "lose?", NULL);
	is_new(f, 0, 0, 1, true);
	is_new(f, 0, 0, 1, false);
}

/* Without its table, what a bundle has is known by where packs lie, and comes into another one. */
static void a_thin_bundle_whose_table_is_altered(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 10; i++)
		change(f, f->kvs[0], i, 4000 + i);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	s3_control(&server, "flip?at=464", NULL); /* a bit of the number of the last of ten packs, one of those that stay */
	for (int i = 0; i < 8; i++)
		change(f, f->kvs[0], i, 0);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	clock_ns += 25 * HOUR_S * INT64_C(1000000000);
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	assert_int_equal(bundles_there(), 1);
	compare(f, f->kvs[1]);
}

/* Each bit of a row counts; one of an older version has no checksum. */
static void the_table_of_a_bundle(void **state)
{
	struct fixture *f = *state;
	struct ts_bundle_part parts[3] = {{.pack = 7, .len = 10}, {.pack = 9, .len = 20}, {.pack = 300, .len = 5}}, read[3];
	struct ts_buf table = TS_BUF_INIT(4096);
	const uint8_t random[16] = {1};
	uint64_t bytes = TS_BUNDLE_HEAD + 3 * TS_BUNDLE_ROW + 35;
	struct ts_span rows;

	for (int i = 0; i < 3; i++)
		ts_digest(ts_span_of(&parts[i].pack, sizeof parts[i].pack), &parts[i].digest);
	ts_bundle_begin(&table, random, parts, 3);
	rows = ts_span_from(ts_buf_view(&table), TS_BUNDLE_HEAD);
	OK(ts_bundle_rows_parse(rows, 3, bytes, read, &f->err));
	assert_true(read[2].pack == 300 && read[2].offset == parts[2].offset && ts_id_eq(&read[2].digest, &parts[2].digest));
	for (size_t bit = 0; bit < rows.len * 8; bit++) {
		uint8_t *at = table.data + TS_BUNDLE_HEAD + bit / 8;

		*at ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(ts_bundle_rows_parse(rows, 3, bytes, read, &f->err), TS_DAMAGED);
		*at ^= (uint8_t)(1 << bit % 8);
	}
	for (int i = 0; i < 3; i++)
		memset(table.data + TS_BUNDLE_HEAD + i * TS_BUNDLE_ROW + 12, 0, 4);
	OK(ts_bundle_rows_parse(rows, 3, bytes, read, &f->err));
	ts_buf_finish(&table);
}

/* A bucket that another store had is not taken for one's own. */
static void another_bucket(void **state)
{
	struct fixture *f = *state;
	struct ts_bundles_options options = {.under = ts_kv_of(f->memory), .now = now, .by_hand = true};
	char room[128], dir[256];
	const struct ts_bucket_options other = {.url = s3_url(&server, "plain", room), .keeps_no_versions = true};
	struct ts_kv *kv;

	test_make_dir(dir, sizeof dir);
	OK(ts_bucket_open(&other, &options.bucket, &f->err));
	OK(ts_pack_cache_open(dir, 16 << 20, &options.cache, &f->err));
	assert_int_equal(ts_bundles_open(&options, &kv, &f->err), TS_CONFLICT);
	assert_non_null(strstr(f->err.text, "is not the bucket that holds the packs of this store"));
	assert_int_equal(ts_bundles_none(ts_kv_of(f->memory), &f->err), TS_INVALID);
	test_remove_dir(dir);
}

/* A server that writes nothing may start before the first one that does, and reads what that one puts. */
static void a_reader_that_was_there_first(void **state)
{
	struct fixture *f = *state;

	close_layer(f, 0);
	close_layer(f, 1);
	close_memory(f);
	open_memory(f);
	f->read_only[1] = true;
	open_layer(f, 1);
	open_layer(f, 0);
	change(f, f->kvs[0], 1, 4000);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	compare(f, f->kvs[1]);
	look(f, f->kvs[1]);
	compare(f, f->kvs[1]);
}

static enum ts_status run_harm_place(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_bundle_key key = ts_key_of_place(*(const uint64_t *)ctx);

	return ts_write_put(w, TS_DB_PACKS, ts_bundle_key_span(&key), ts_span_str("harmed"), err);
}

static enum ts_status read_pack(struct fixture *f, struct ts_kv *kv, int i)
{
	enum ts_status status;
	struct ts_span value;
	struct ts_read r;
	uint8_t key[8];
	bool found;

	OK(ts_read_begin(kv, &r, &f->err));
	ts_store_be(key, f->numbers[i], sizeof key);
	status = ts_read_get(r, TS_DB_PACKS, ts_span_of(key, sizeof key), &value, &found, &f->err);
	if (!status) {
		assert_true(found);
		is_pack(f, ts_span_of(key, sizeof key), value);
	}
	ts_read_end(&r);
	return status;
}

/* A damaged place is damage of its pack, and not of the one before it. */
static void damage_of_a_place(void **state)
{
	struct fixture *f = *state;
	struct ts_kv *under = ts_kv_of(f->memory);

	for (int i = 0; i < 3; i++)
		change(f, f->kvs[0], i, 4000 + i);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	OK(under->ops->commit(under, run_harm_place, &f->numbers[1], 0, &f->err));
	OK(read_pack(f, f->kvs[1], 0));
	assert_int_equal(read_pack(f, f->kvs[1], 1), TS_DAMAGED);
	OK(read_pack(f, f->kvs[1], 2));
}

/* Reads every pack that there should be, and puts one more. */
static enum ts_status run_read_all(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct change *c = ctx;
	struct fixture *f = c->f;

	for (int i = 0; i < PACKS; i++) {
		struct ts_span value;
		uint8_t key[8];
		bool found;

		ts_store_be(key, f->numbers[i], sizeof key);
		if (!f->model[i])
			continue;
		if (ts_read_get(ts_read_of(w), TS_DB_PACKS, ts_span_of(key, sizeof key), &value, &found, err))
			return err->status;
		assert_true(found);
		is_pack(f, ts_span_of(key, sizeof key), value);
	}
	return run_change(w, c, err);
}

static uint64_t requests(struct fixture *f, int i)
{
	struct ts_bucket_stats stats;

	ts_bucket_stats(ts_bundles_of(f->kvs[i])->as.bucket, &stats);
	return stats.requests;
}

/* A write holds the lock of all others, so what it lacks is read before it runs again; with a cache, and without one. */
static void a_write_does_not_wait_for_the_bucket(void **state)
{
	for (int k = 0; k < 2; k++) {
		struct fixture *f = *state;
		struct change c = {.f = f, .i = PACKS - 1, .what = 9};

		for (int i = 0; i < PACKS - 1; i++) {
			change(f, f->kvs[0], i, 300 + i);
			if (i % 10 == 9)
				OK(ts_bundles_pass(f->kvs[0], true, &f->err));
		}
		f->no_cache[1] = k;
		close_layer(f, 1);
		open_layer(f, 1);
		watched = ts_bundles_of(f->kvs[1])->as.bucket;
		asked = 0;
		ran = 0;
		f->numbers[c.i] = f->next++;
		s3_control(&server, "fault?kind=503&times=1000000", NULL);
		assert_int_equal(f->kvs[1]->ops->commit(f->kvs[1], run_read_all, &c, 0, &f->err), TS_UNAVAILABLE);
		assert_non_null(strstr(f->err.text, "127.0.0.1"));
		assert_int_equal(ran, 1);
		s3_control(&server, "fault?kind=503&times=0", NULL);
		compare(f, f->kvs[0]); /* nothing of it is there */
		OK(f->kvs[1]->ops->commit(f->kvs[1], run_read_all, &c, 0, &f->err));
		f->model[c.i] = c.what;
		assert_int_equal(asked, 0);
		assert_in_range(ran, 1 + 5, 1 + 7);
		compare(f, f->kvs[1]);
		(void)teardown(state);
		(void)setup(state);
	}
}

/* What a write finds damaged is told by the write. */
static void a_write_that_finds_damage(void **state)
{
	struct fixture *f = *state;
	struct change c = {.f = f, .i = 2, .what = 9};

	change(f, f->kvs[0], 1, 4000);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	s3_control(&server, "lose?", NULL);
	f->numbers[2] = f->next++;
	assert_int_equal(f->kvs[1]->ops->commit(f->kvs[1], run_read_all, &c, 0, &f->err), TS_DAMAGED);
	assert_non_null(strstr(f->err.text, "is not there"));
}

/* Each pack is held once, whatever is read of it, and counts as memory of who reads; also without a cache each is asked for once. */
static void a_snapshot_reads_a_pack_once(void **state)
{
	struct fixture *f = *state;
	struct ts_budget budget;
	struct ts_budget *before;
	size_t bytes = 0;
	struct ts_read r;
	uint64_t n;

	for (int i = 0; i < 40; i++) {
		change(f, f->kvs[0], i, 300 + i);
		bytes += 1 + (size_t)(300 + i) * 37 % 3000;
	}
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	f->no_cache[1] = true;
	close_layer(f, 1);
	open_layer(f, 1);
	ts_budget_init(&budget, NULL, "this call", 0, 0);
	before = ts_budget_enter(&budget);
	n = requests(f, 1);
	OK(ts_read_begin(f->kvs[1], &r, &f->err));
	for (int i = 0; i < 400; i++) {
		struct ts_span value;
		uint8_t key[8];
		bool found;

		ts_store_be(key, f->numbers[i % 40], sizeof key);
		OK(ts_read_get(r, TS_DB_PACKS, ts_span_of(key, sizeof key), &value, &found, &f->err));
		is_pack(f, ts_span_of(key, sizeof key), value);
	}
	assert_int_equal(budget.used, bytes);
	assert_int_equal(requests(f, 1) - n, (40 + 15) / 16);
	ts_read_end(&r);
	assert_int_equal(budget.used, 0);
	ts_budget_init(&budget, NULL, "this call", 1, 0);
	assert_int_equal(read_pack(f, f->kvs[1], 1), TS_NO_MEMORY);
	(void)ts_budget_enter(before);
}

/* Sums of packs need their lengths alone, and those are known without the bucket. */
static void lengths_are_known_without_the_bucket(void **state)
{
	struct fixture *f = *state;
	struct ts_walk walk;
	size_t n = 0, there = 0;
	struct ts_read r;
	uint64_t before;
	bool found;

	for (int i = 0; i < 40; i++)
		change(f, f->kvs[0], i, 300 + i);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	for (int i = 40; i < 45; i++) /* some that no bundle has, and some anew */
		change(f, f->kvs[0], i, 700 + i);
	for (int i = 30; i < 35; i++)
		put_anew(f, f->kvs[0], i, 700 + i);
	before = requests(f, 1);
	OK(ts_read_begin(f->kvs[1], &r, &f->err));
	OK(ts_walk_begin(&walk, r, TS_DB_PACKS, &f->err));
	walk.sizes = true;
	OK(ts_walk_seek(&walk, ts_span_of(NULL, 0), &found, &f->err));
	for (; found; n++) {
		uint64_t number = ts_load_be(walk.key.data, 8);
		bool known = false;

		for (int i = 0; i < PACKS; i++)
			if (f->model[i] && f->numbers[i] == number) {
				assert_int_equal(walk.value.len, 1 + (size_t)f->model[i] * 37 % 3000);
				known = true;
			}
		assert_true(known);
		OK(ts_walk_next(&walk, &found, &f->err));
	}
	ts_walk_end(&walk);
	ts_read_end(&r);
	for (int i = 0; i < PACKS; i++)
		there += f->model[i] != 0;
	assert_int_equal(n, there);
	assert_int_equal(requests(f, 1), before);
}

static int resting, rests; /* snapshots below that rest, and how often one did */

static void count_rests(struct ts_read r, bool begins)
{
	(void)r;
	resting += begins ? 1 : -1;
	rests += begins;
}

/* A snapshot below rests while its reader waits for the bucket, also where that fails, and not while it is read. */
static void a_read_lends_its_snapshot_while_it_waits(void **state)
{
	struct fixture *f = *state;

	f->ops.rest = count_rests;
	resting = rests = 0;
	for (int i = 0; i < 4; i++)
		change(f, f->kvs[0], i, 300 + i);
	OK(ts_bundles_pass(f->kvs[0], true, &f->err));
	OK(read_pack(f, f->kvs[1], 1));
	assert_true(rests == 1 && resting == 0);
	OK(read_pack(f, f->kvs[1], 1)); /* of the cache */
	assert_true(rests == 1 && resting == 0);
	f->no_cache[1] = true;
	close_layer(f, 1);
	open_layer(f, 1);
	s3_control(&server, "lose?", NULL);
	assert_int_equal(read_pack(f, f->kvs[1], 1), TS_DAMAGED);
	assert_true(rests == 2 && resting == 0);
}

static void a_database_that_fails_is_said(void **state)
{
	struct fixture *f = *state;

	change(f, f->kvs[0], 1, 4000);
	fails = true;
	assert_int_equal(ts_bundles_pass(f->kvs[0], true, &f->err), TS_UNAVAILABLE);
	fails = false;
	compare(f, f->kvs[0]);
}

/* Packs that are too few for a bundle, or which another server gathers, are not read again and again. */
static void what_waits_is_read_once(void **state)
{
	enum { KINDS = 3 }; /* a walk of each pass through the thin, and through the dead, finds none */
	struct fixture *f = *state;
	struct passing p;
	pthread_t thread;

	for (int i = 0; i < 20; i++)
		change(f, f->kvs[0], i, i + 1);
	OK(ts_bundles_pass(f->kvs[0], false, &f->err));
	values = 0;
	OK(ts_bundles_pass(f->kvs[0], false, &f->err));
	assert_true(values <= KINDS);
	change(f, f->kvs[1], 20, 21);
	OK(ts_bundles_pass(f->kvs[0], false, &f->err));
	assert_true(values >= 20);
	thread = stand_still(f, &p);
	values = 0;
	OK(ts_bundles_pass(f->kvs[1], true, &f->err));
	assert_true(values <= KINDS);
	go_on(thread, &p);
	compare(f, f->kvs[1]);
}

/* What will be read is said to the layer below, where that is far. */
static void what_is_read_next_is_said_below(void **state)
{
	struct fixture *f = *state;
	const struct ts_span keys[] = {ts_span_str("one"), ts_span_str("two")};
	struct ts_read r;

	ts_kv_of(f->memory)->far = true;
	close_layer(f, 0);
	open_layer(f, 0);
	keys_ahead = 0;
	OK(ts_read_begin(f->kvs[0], &r, &f->err));
	OK(ts_read_ahead(r, TS_DB_OBJECTS, keys, 2, &f->err));
	ts_read_end(&r);
	assert_int_equal(keys_ahead, 2);
}

/* What was used within the last 64 MiB is valid and there, and no more than twice that is held. */
static void packs_that_are_kept_are_bounded(void **state)
{
	enum { MIB = 1 << 20, N = 300, RECENT = 60 };
	struct fixture *f = *state;
	struct ts_budget budget;
	struct ts_budget *before;
	struct ts_packs_kept kept;
	static uint8_t bytes[MIB];
	struct ts_span spans[N], first;
	struct ts_id ids[N];

	ts_budget_init(&budget, NULL, "this call", 0, 0);
	before = ts_budget_enter(&budget);
	ts_packs_kept_init(&kept);
	for (int i = 0; i < N; i++) {
		bytes[0] = (uint8_t)i;
		bytes[1] = (uint8_t)(i >> 8);
		ts_digest(ts_span_of(bytes, MIB), &ids[i]);
		OK(ts_packs_kept_add(&kept, &ids[i], ts_span_of(bytes, MIB), &spans[i], &f->err));
		assert_true(ts_packs_kept_find(&kept, &ids[0], &first)); /* the first one is used all the time */
		assert_true(budget.used <= 2 * TS_PACKS_KEPT_BYTES + MIB);
		for (int k = i < RECENT ? 0 : i - RECENT; k <= i; k++)
			assert_int_equal(spans[k].data[0] | spans[k].data[1] << 8, k);
	}
	assert_true(first.data == spans[0].data);
	assert_false(ts_packs_kept_find(&kept, &ids[1], &first));
	ts_packs_kept_finish(&kept);
	assert_int_equal(budget.used, 0);
	(void)ts_budget_enter(before);
}

/* ---- the cache ---- */

static void the_cache_is_bounded(void **state)
{
	struct fixture *f = *state;
	struct ts_pack_cache_stats stats;
	struct ts_pack_cache *cache, *second;
	static uint8_t bytes[1 << 20], out[1 << 20];
	struct ts_id ids[40];
	char dir[256];
	int left = 0;

	test_make_dir(dir, sizeof dir);
	OK(ts_pack_cache_open(dir, 16 << 20, &cache, &f->err));
	assert_int_equal(ts_pack_cache_open(dir, 16 << 20, &second, &f->err), TS_CONFLICT);
	for (int i = 0; i < 40; i++) {
		bytes[0] = (uint8_t)i;
		ts_digest(ts_span_of(bytes, sizeof bytes), &ids[i]);
		ts_pack_cache_put(cache, &ids[i], ts_span_of(bytes, sizeof bytes));
		(void)ts_pack_cache_get(cache, &ids[0], sizeof out, out); /* the first one is used all the time */
		ts_pack_cache_stats(cache, &stats);
		assert_true(stats.bytes <= 16 << 20);
	}
	ts_pack_cache_close(cache);
	OK(ts_pack_cache_open(dir, 16 << 20, &cache, &f->err));
	for (int i = 0; i < 40; i++)
		left += ts_pack_cache_get(cache, &ids[i], sizeof out, out);
	assert_in_range(left, 10, 16);
	assert_true(ts_pack_cache_has(cache, &ids[0]));
	assert_true(ts_pack_cache_has(cache, &ids[39]));
	assert_false(ts_pack_cache_has(cache, &ids[1]));
	ts_pack_cache_close(cache);
	test_remove_dir(dir);
	assert_int_equal(ts_pack_cache_open("/etc", 16 << 20, &cache, &f->err), TS_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_read_is_what_the_model_says, setup, teardown),
		cmocka_unit_test_setup_teardown(what_fails_for_a_moment_changes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bucket_that_is_away, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_of_the_cache, setup, teardown),
		cmocka_unit_test_setup_teardown(a_server_that_stands_still_writes_nothing_late, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_deleted_meanwhile_stays_away, setup, teardown),
		cmocka_unit_test_setup_teardown(a_pack_that_is_put_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_put_anew_meanwhile_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(two_servers_gather_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(a_dead_bundle_goes_a_day_later, setup, teardown),
		cmocka_unit_test_setup_teardown(a_thin_bundle_is_taken_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_new_in_the_bucket, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_new_in_the_bucket_and_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(a_thin_bundle_whose_table_is_altered, setup, teardown),
		cmocka_unit_test_setup_teardown(the_table_of_a_bundle, setup, teardown),
		cmocka_unit_test_setup_teardown(lengths_are_known_without_the_bucket, setup, teardown),
		cmocka_unit_test_setup_teardown(a_read_lends_its_snapshot_while_it_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(another_bucket, setup, teardown),
		cmocka_unit_test_setup_teardown(a_reader_that_was_there_first, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_of_a_place, setup, teardown),
		cmocka_unit_test_setup_teardown(a_write_does_not_wait_for_the_bucket, setup, teardown),
		cmocka_unit_test_setup_teardown(a_write_that_finds_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(a_snapshot_reads_a_pack_once, setup, teardown),
		cmocka_unit_test_setup_teardown(packs_that_are_kept_are_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(a_database_that_fails_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(what_waits_is_read_once, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_read_next_is_said_below, setup, teardown),
		cmocka_unit_test_setup_teardown(the_cache_is_bounded, setup, teardown),
	};
	struct ts_error err;
	int failed;

	(void)setenv("AWS_ACCESS_KEY_ID", "tester", 1);
	(void)setenv("AWS_SECRET_ACCESS_KEY", "xyzzy/plugh+1", 1);
	if (ts_digest_init(&err))
		return 1;
	if (!s3_start(&server, NULL, NULL)) {
		(void)printf("test_bundles: skipped: the server of S3 for tests does not start\n");
		return 77;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	s3_stop(&server);
	return failed;
}
