/* Tests what every layer of keys and values promises, by a model: the same random writes, failures, reads and walks on LMDB, memory,
 * and memory laid over each of them. The numbers are those of kv.h.
 */
#include "store/store_internal.h"
#include "store/test_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum kind { LMDB, MEMORY, OVER_LMDB, OVER_MEMORY, OVER_OVER };

enum { KEYS = 120, ROUNDS = 400, WRITES = 12 };

/* What a database should hold: number of a key -> length of its value and its first byte; -1: the key is not there. */
struct model {
	int value[KEYS];
};

struct fixture {
	char dir[256];
	struct ts_engine *engines[3]; /* the last one is tested */
	size_t n_engines;
	struct ts_kv *kv;
	struct model models[2];
	uint64_t noise;
	struct ts_error err;
};

static const enum ts_db dbs[2] = {TS_DB_NOTES, TS_DB_CACHE};
static enum kind kind_now;

static unsigned next(struct fixture *f, unsigned below)
{
	f->noise = f->noise * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(f->noise >> 33) % below;
}

#define OK(call) \
	do { \
		if ((call) != TS_OK) \
			fail_msg("%s: %s", #call, f->err.text); \
	} while (0)

/* Keys sort as their numbers do; every tenth begins all of the next nine. */
static struct ts_span key_of(int number, char room[32])
{
	int len = snprintf(room, 32, "key-%03d\xff%d", number / 10, number % 10);

	return ts_span_of((uint8_t *)room, (size_t)len - (number % 10 ? 0 : 2));
}

static int number_of(struct ts_span key)
{
	char text[32] = "";

	assert_in_range(key.len, 7, 9);
	memcpy(text, key.data, key.len);
	return atoi(text + 4) * 10 + (key.len == 9 ? text[8] - '0' : 0);
}

/* A value of 0 to 300 bytes, some of which are longer than what a page of LMDB holds beside others. */
static struct ts_span value_of(int value, uint8_t room[4096])
{
	size_t len = (size_t)value % 7 == 0 ? 0 : (size_t)value * 13 % 3500;

	memset(room, value % 251, 4096);
	return ts_span_of(room, len);
}

static void is_value(struct ts_span got, int value)
{
	uint8_t room[4096];

	assert_true(ts_span_eq(got, value_of(value, room)));
}

/* ---- writes ---- */

struct batch {
	struct fixture *f;
	struct model models[2];
	bool fails;
};

static void write_once(struct batch *batch, struct ts_write *w, unsigned d, struct ts_error *err)
{
	struct fixture *f = batch->f;
	int number = (int)next(f, KEYS), value = (int)next(f, 1000);
	uint8_t room[4096], *at;
	char text[32];
	struct ts_span key = key_of(number, text), bytes = value_of(value, room);
	enum ts_status status;

	switch (next(f, 8)) {
	case 0:
	case 1:
		status = ts_write_delete(w, dbs[d], key, err);
		value = -1;
		break;
	case 2:
		status = ts_write_reserve(w, dbs[d], key, bytes.len, &at, err);
		if (!status && bytes.len)
			memcpy(at, bytes.data, bytes.len);
		break;
	case 3:
		status = number % 10 ? TS_OK : ts_write_delete_prefix(w, dbs[d], key, err);
		for (int i = number; number % 10 == 0 && i < number + 10; i++)
			batch->models[d].value[i] = -1;
		if (number % 10)
			value = batch->models[d].value[number];
		else
			value = -1;
		break;
	default:
		status = ts_write_put(w, dbs[d], key, bytes, err);
	}
	assert_int_equal(status, TS_OK);
	batch->models[d].value[number] = value;
}

static void compare(struct fixture *f, struct ts_read r, const struct model models[2]);

/* K3: it may be run again, so it begins with what is there. K1: it sees what it has written. */
static enum ts_status run_batch(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct batch *batch = ctx;

	memcpy(batch->models, batch->f->models, sizeof batch->models);
	for (int i = 0; i < WRITES; i++)
		write_once(batch, w, (unsigned)i % 2, err);
	compare(batch->f, ts_read_of(w), batch->models);
	return batch->fails ? ts_error_set(err, TS_CONFLICT, "as the test wants") : TS_OK;
}

/* ---- reads ---- */

static int next_there(const struct model *m, int from, int step)
{
	while (from >= 0 && from < KEYS && m->value[from] < 0)
		from += step;
	return from;
}

static void walk_all(struct fixture *f, struct ts_read r, unsigned d, const struct model *m)
{
	int at = next_there(m, 0, 1);
	struct ts_walk walk;
	uint64_t n = 0, counted;
	bool found;

	OK(ts_walk_open(&walk, r, dbs[d], ts_span_of(NULL, 0), &found, &f->err));
	for (; found; at = next_there(m, at + 1, 1), n++) {
		assert_int_equal(number_of(walk.key), at);
		is_value(walk.value, m->value[at]);
		OK(ts_walk_on(&walk, &found, &f->err));
	}
	assert_int_equal(at, KEYS);
	ts_walk_end(&walk);
	OK(ts_read_count(r, dbs[d], &counted, &f->err));
	assert_int_equal(counted, n);
}

/* K4: goes up and down from any key. */
static void walk_about(struct fixture *f, struct ts_read r, unsigned d, const struct model *m)
{
	int number = (int)next(f, KEYS), at;
	struct ts_walk walk;
	char text[32];
	bool found, below = next(f, 2);

	OK(ts_walk_begin(&walk, r, dbs[d], &f->err));
	if (below)
		OK(ts_walk_seek_below(&walk, key_of(number, text), &found, &f->err));
	else
		OK(ts_walk_seek(&walk, key_of(number, text), &found, &f->err));
	at = below ? next_there(m, number - 1, -1) : next_there(m, number, 1);
	for (int i = 0; i < 10 && found; i++) {
		bool up = next(f, 2);

		assert_int_equal(number_of(walk.key), at);
		is_value(walk.value, m->value[at]);
		OK((up ? ts_walk_next : ts_walk_prev)(&walk, &found, &f->err));
		at = next_there(m, up ? at + 1 : at - 1, up ? 1 : -1);
	}
	assert_int_equal(found, at >= 0 && at < KEYS);
	ts_walk_end(&walk);
}

static void walk_prefix(struct fixture *f, struct ts_read r, unsigned d, const struct model *m)
{
	int first = (int)next(f, KEYS / 10) * 10, at = next_there(m, first, 1);
	struct ts_walk walk;
	char text[32];
	bool found;

	OK(ts_walk_open(&walk, r, dbs[d], key_of(first, text), &found, &f->err));
	for (; found; at = next_there(m, at + 1, 1)) {
		assert_int_equal(number_of(walk.key), at);
		OK(ts_walk_on(&walk, &found, &f->err));
	}
	assert_true(at >= first + 10);
	ts_walk_end(&walk);
}

static void compare(struct fixture *f, struct ts_read r, const struct model models[2])
{
	for (unsigned d = 0; d < 2; d++) {
		int number = (int)next(f, KEYS);
		struct ts_span value;
		char text[32];
		bool found;

		OK(ts_read_get(r, dbs[d], key_of(number, text), &value, &found, &f->err));
		assert_int_equal(found, models[d].value[number] >= 0);
		if (found)
			is_value(value, models[d].value[number]);
		walk_all(f, r, d, &models[d]);
		walk_about(f, r, d, &models[d]);
		walk_prefix(f, r, d, &models[d]);
	}
}

static void write_and_compare(struct fixture *f, struct ts_engine *e)
{
	struct batch batch = {.f = f, .fails = next(f, 4) == 0};
	enum ts_status status = ts_store_write(ts_store_of(e), run_batch, &batch, 0, &f->err);
	struct ts_read r;

	assert_int_equal(status, batch.fails ? TS_CONFLICT : TS_OK);
	if (!status) /* K2: all or nothing */
		memcpy(f->models, batch.models, sizeof f->models);
	OK(ts_read_begin(ts_kv_of(e), &r, &f->err));
	compare(f, r, f->models);
	ts_read_end(&r);
}

/* ---- tests ---- */

static void add_memory(struct fixture *f)
{
	struct ts_engine *base = f->n_engines ? f->engines[f->n_engines - 1] : NULL;

	OK(ts_memory_open(base, &f->engines[f->n_engines++], &f->err));
}

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	struct ts_lmdb_options options = {.path = f->dir, .create = true};

	f->noise = 1 + (uint64_t)kind_now;
	memset(f->models, 0xff, sizeof f->models); /* -1 */
	test_make_dir(f->dir, sizeof f->dir);
	if (kind_now == LMDB || kind_now == OVER_LMDB)
		OK(ts_lmdb_open(&options, &f->engines[f->n_engines++], &f->err));
	else
		add_memory(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	while (f->n_engines)
		ts_engine_destroy(f->engines[--f->n_engines]);
	test_remove_dir(f->dir);
	test_free(f);
	return 0;
}

/* A layer over others begins with what is in them, and leaves that as it is. */
static void a_layer_does_what_the_model_does(void **state)
{
	struct fixture *f = *state;
	struct model below[2];
	struct ts_read r;

	for (int over = kind_now == OVER_OVER ? 2 : kind_now >= OVER_LMDB; over; over--) {
		for (int i = 0; i < 20; i++)
			write_and_compare(f, f->engines[f->n_engines - 1]);
		memcpy(below, f->models, sizeof below);
		add_memory(f);
	}
	for (int i = 0; i < ROUNDS; i++)
		write_and_compare(f, f->engines[f->n_engines - 1]);
	if (f->n_engines == 1)
		return;
	OK(ts_read_begin(ts_kv_of(f->engines[f->n_engines - 2]), &r, &f->err));
	compare(f, r, below);
	ts_read_end(&r);
}

/* K5, and the ends of a database that is empty. */
static void nothing_is_found_in_nothing(void **state)
{
	struct fixture *f = *state;
	struct ts_engine *e;
	struct ts_walk walk;
	struct ts_span value;
	struct ts_read r;
	uint64_t n;
	bool found;

	if (kind_now >= OVER_LMDB)
		add_memory(f);
	e = f->engines[f->n_engines - 1];
	OK(ts_read_begin(ts_kv_of(e), &r, &f->err));
	OK(ts_read_get(r, TS_DB_REMOVED, ts_span_str("key"), &value, &found, &f->err));
	assert_false(found);
	OK(ts_walk_open(&walk, r, TS_DB_REMOVED, ts_span_of(NULL, 0), &found, &f->err));
	assert_false(found);
	OK(ts_walk_seek_below(&walk, ts_span_str("key"), &found, &f->err));
	assert_false(found);
	ts_walk_end(&walk);
	OK(ts_read_count(r, TS_DB_REMOVED, &n, &f->err));
	assert_int_equal(n, 0);
	ts_read_end(&r);
}

/* What the base gets later is seen through the layer over it, and no pack of one hides one of the other. */
static void packs_of_two_layers_do_not_meet(void **state)
{
	struct fixture *f = *state;
	struct ts_engine *base = f->engines[0], *over;
	struct ts_sealed runs[2][12], got;
	struct ts_arena arena;
	size_t n[2];

	ts_arena_init(&arena, 0);
	for (uint64_t i = 0; i < 2; i++)
		n[i] = test_run(&arena, i + 1, 10, runs[i]);
	add_memory(f);
	over = f->engines[1];
	test_push(over, "p/over", runs[0], n[0], 1);
	test_push(base, "p/base", runs[1], n[1], 1);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < n[k]; i++) {
			OK(over->ops->get(over, &runs[k][i].id, &arena, &got, &f->err));
			assert_true(ts_span_eq(got.bytes, runs[k][i].bytes));
			assert_int_equal(base->ops->get(base, &runs[k][i].id, &arena, &got, &f->err), k ? TS_OK : TS_NOT_FOUND);
		}
	ts_arena_finish(&arena);
}

static const struct ts_kv_ops *whole_ops;
static uint8_t last_key[TS_KEY_MAX];

static enum ts_status move_and_forget(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	enum ts_status status = whole_ops->walk_move(w, move, key, ret_found, err);

	memset(last_key, '?', sizeof last_key);
	if (!status && *ret_found) {
		memcpy(last_key, w->key.data, w->key.len);
		w->key.data = last_key;
	}
	return status;
}

/* A layer that is far keeps what a walk has seen until much more was read. */
static void names_are_listed_by_a_layer_that_forgets(void **state)
{
	struct fixture *f = *state;
	struct ts_engine *e = f->engines[f->n_engines - 1];
	const struct ts_ref_query query = {.kind = TS_REF_RUN, .order = TS_ORDER_NEWEST, .limit = 10};
	struct ts_kv *kv = ts_kv_of(e);
	struct ts_sealed run[12];
	struct ts_kv_ops ops;
	struct ts_arena arena;
	struct ts_ref *refs;
	struct ts_span after;
	size_t n;

	ts_arena_init(&arena, 0);
	n = test_run(&arena, 1, 10, run);
	test_push(e, "p/first", run, n, 1);
	test_push(e, "p/second", run, n, 2);
	whole_ops = kv->ops;
	ops = *whole_ops;
	ops.walk_move = move_and_forget;
	kv->ops = &ops;
	OK(e->ops->ref_list(e, &query, &arena, &refs, &n, &after, &f->err));
	kv->ops = whole_ops;
	assert_int_equal(n, 2);
	assert_true(ts_span_is(refs[0].name, "p/second"));
	assert_true(ts_span_is(refs[1].name, "p/first"));
	ts_arena_finish(&arena);
}

int main(void)
{
	static const char *const names[] = {"LMDB", "memory", "memory over LMDB", "memory over memory", "memory over both"};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_layer_does_what_the_model_does, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_found_in_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(packs_of_two_layers_do_not_meet, setup, teardown),
		cmocka_unit_test_setup_teardown(names_are_listed_by_a_layer_that_forgets, setup, teardown),
	};
	int failed = 0;

	for (int kind = LMDB; kind <= OVER_OVER; kind++) {
		kind_now = (enum kind)kind;
		failed += cmocka_run_group_tests_name(names[kind], tests, NULL, NULL);
	}
	return failed;
}
