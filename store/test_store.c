#include "store/test_store.h"

#include "base/clock.h"
#include "base/limits.h"
#include "store/lmdb_internal.h"
#include "store/test_seal.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct ts_sealed seal(struct ts_arena *arena, struct ts_buf *object)
{
	struct ts_sealed sealed;
	struct ts_error err;
	struct ts_span copy = ts_arena_span(arena, ts_buf_view(object));

	ts_buf_finish(object);
	assert_non_null(copy.data);
	assert_int_equal(test_seal_bytes(copy, arena, &sealed, &err), TS_OK);
	return sealed;
}

struct ts_sealed test_block(struct ts_arena *arena, uint64_t seed, size_t n, bool noisy)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	uint64_t x = seed * 2654435761u + 1;

	ts_object_begin(&object, TEST_BLOCK, 1, TS_LAYOUT_WORDS, NULL, 0);
	for (size_t i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		ts_buf_u64(&object, noisy ? x ^ x >> 29 : seed * 1000003 + i * 7);
	}
	return seal(arena, &object);
}

struct ts_sealed test_node(struct ts_arena *arena, uint8_t kind, const struct ts_sealed *children, size_t n, uint64_t tag)
{
	struct ts_buf object = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_id *refs = ts_arena_array(arena, n, sizeof *refs);

	for (size_t i = 0; i < n; i++)
		refs[i] = children[i].id;
	ts_object_begin(&object, kind, 1, TS_LAYOUT_BYTES, refs, (uint32_t)n);
	ts_buf_u64(&object, tag);
	return seal(arena, &object);
}

size_t test_run(struct ts_arena *arena, uint64_t seed, size_t n_blocks, struct ts_sealed *objects)
{
	for (size_t i = 0; i < n_blocks; i++)
		objects[2 + i] = test_block(arena, seed * 1000 + i, 64, i % 2);
	objects[1] = test_node(arena, TEST_INDEX, objects + 2, n_blocks, seed);
	objects[0] = test_node(arena, TEST_HEAD, objects + 1, 1, seed);
	return n_blocks + 2;
}

struct ts_ref_update test_update(enum ts_ref_kind kind, const char *name, const struct ts_id *id, int64_t now_ns)
{
	return (struct ts_ref_update){
		.kind = kind,
		.name = ts_span_str(name),
		.id = *id,
		.now_ns = now_ns,
		.who = ts_span_str("tester"),
		.summary = ts_span_str("summary"),
		.message = ts_span_str("message"),
	};
}

enum ts_status test_commit(struct ts_engine *e, const struct ts_ref_update *update)
{
	struct ts_arena arena;
	struct ts_error err;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = e->ops->commit(e, update, 1, &arena, NULL, &err);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status test_extract(struct ts_engine *e, const struct ts_id *id, const struct ts_extract *extract, struct ts_error *err)
{
	return e->ops->extracts_put(e, &(struct ts_extracts){*id, extract, 1}, 1, err);
}

void test_push(struct ts_engine *e, const char *name, const struct ts_sealed *objects, size_t n, int64_t now_ns)
{
	struct ts_ref_update update = test_update(TS_REF_RUN, name, &objects[0].id, now_ns);
	struct ts_put_stats stats;
	struct ts_error err;

	assert_int_equal(e->ops->put_many(e, objects, n, &stats, &err), TS_OK);
	assert_int_equal(stats.objects, n);
	assert_int_equal(test_commit(e, &update), TS_OK);
}

void test_make_dir(char *out, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(out, size, "%s/tscope-test-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(out));
}

void test_remove_dir(const char *path)
{
	char file[1024];
	struct dirent *entry;
	DIR *dir = opendir(path);

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		(void)snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
		if (unlink(file) != 0)
			test_remove_dir(file);
	}
	if (dir)
		(void)closedir(dir);
	(void)rmdir(path);
}

enum ts_status test_sweep_now(struct ts_engine *e, struct ts_sweep_report *ret_report)
{
	struct ts_error err;

	return TEST_SWEEP(e, ret_report, &err, .now_ns = ts_now_real_ns() + TEST_LATER);
}

static MDB_env *open_raw(const char *dir, MDB_txn **ret_txn)
{
	MDB_env *env;

	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, TS_DBS_EVER), 0);
	assert_int_equal(mdb_env_set_mapsize(env, (size_t)1 << 30), 0);
	assert_int_equal(mdb_env_open(env, dir, 0, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, ret_txn), 0);
	return env;
}

void test_make_old(const char *dir, uint64_t format, int (*change)(struct MDB_txn *txn))
{
	static const char *const later[] = {TS_SUMS_KEY, TS_STORE_KEY};
	struct ts_span key = ts_span_str("format");
	struct ts_buf record = TS_BUF_INIT(64);
	MDB_val k = ts_val_of(key), v;
	MDB_txn *txn;
	MDB_env *env = open_raw(dir, &txn);
	char path[512];
	MDB_dbi dbi;

	assert_int_equal(mdb_dbi_open(txn, "meta", 0, &dbi), 0);
	ts_buf_u64(&record, format);
	ts_check_append(&record, key);
	v = ts_val_of(ts_buf_view(&record));
	assert_int_equal(mdb_put(txn, dbi, &k, &v, 0), 0);
	for (size_t i = 0; i < 2; i++) {
		k = ts_val_of(ts_span_str(later[i]));
		assert_int_equal(mdb_del(txn, dbi, &k, NULL), 0);
	}
	assert_int_equal(change ? change(txn) : 0, 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
	ts_buf_finish(&record);
	(void)snprintf(path, sizeof path, "%s/superblock", dir);
	assert_int_equal(unlink(path), 0);
}

static enum ts_status say_sound(void *ctx, const struct ts_verify_report *report, bool *ret_sound, struct ts_error *err)
{
	(void)report;
	(void)err;
	*ret_sound = *(const bool *)ctx;
	return TS_OK;
}

enum ts_status test_verify(struct ts_engine *e, bool only_new, bool sound, struct ts_arena *arena, struct ts_verify_report *ret_report,
			   struct ts_error *err)
{
	const struct ts_verify_options options = {.only_new = only_new, .more = say_sound, .ctx = &sound};

	return e->ops->verify(e, &options, arena, ret_report, err);
}
