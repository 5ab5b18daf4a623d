/* Tests backups that hold what changed since another one: that they bring back, record for record, what was backed up, that a turned
 * bit anywhere in one is found, and that a chain that lacks a link, or has another one in its place, says so. */
#include "store/lmdb_internal.h"
#include "store/store_internal.h"
#include "store/test_store.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char dir[256], store[300], full[300], one[300], two[300], back[300];
	struct ts_engine *e;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_sealed objects[12];
	struct ts_increment_report report;
};

#define OK(call)                                                                                                                       \
	do {                                                                                                                           \
		if ((call) != TS_OK)                                                                                                   \
			fail_msg("%s: %s", #call, f->err.text);                                                                        \
	} while (0)

static void push(struct fixture *f, const char *name, uint64_t seed)
{
	size_t n = test_run(&f->arena, seed, 10, f->objects);

	test_push(f->e, name, f->objects, n, (int64_t)seed);
}

static void drop(struct fixture *f, const char *name)
{
	struct ts_ref_update update = test_update(TS_REF_RUN, name, &f->objects[0].id, 100);

	update.remove = true;
	assert_int_equal(test_commit(f->e, &update), TS_OK);
}

static void note(struct fixture *f, const char *name, const char *value)
{
	const struct ts_note bad = {.key = ts_span_str("bad"), .value = ts_span_str(value), .at_ns = 5, .who = ts_span_str("tester")};

	OK(f->e->ops->note_put(f->e, ts_span_str(name), &bad, &f->err));
}

static void increment(struct fixture *f, const char *since, const char *to)
{
	OK(ts_lmdb_increment(f->e, since, to, &f->report, &f->err));
}

/* A store, a whole backup, and two increments: names and notes come, move and go, and a sweep moves and frees objects. */
static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	struct ts_lmdb_options options = {.path = f->store, .create = true};
	struct ts_sweep_report swept;
	char name[32];

	ts_arena_init(&f->arena, 0);
	test_make_dir(f->dir, sizeof f->dir);
	(void)snprintf(f->store, sizeof f->store, "%s/store", f->dir);
	(void)snprintf(f->full, sizeof f->full, "%s/full", f->dir);
	(void)snprintf(f->one, sizeof f->one, "%s/one", f->dir);
	(void)snprintf(f->two, sizeof f->two, "%s/two", f->dir);
	(void)snprintf(f->back, sizeof f->back, "%s/back", f->dir);
	OK(ts_lmdb_open(&options, &f->e, &f->err));
	for (int i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof name, "p/%d", i);
		push(f, name, (uint64_t)i + 1);
	}
	note(f, "p/1", "nan");
	OK(f->e->ops->backup(f->e, f->full, &f->err));
	push(f, "p/new", 50);
	push(f, "p/3", 51);
	note(f, "p/2", "spike");
	drop(f, "p/7");
	increment(f, f->full, f->one);
	push(f, "p/newer", 60);
	note(f, "p/1", "");
	OK(test_sweep_now(f->e, &swept));
	assert_true(swept.freed > 0);
	increment(f, f->one, f->two);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_engine_destroy(f->e);
	ts_arena_finish(&f->arena);
	test_remove_dir(f->dir);
	test_free(f);
	return 0;
}

/* Every record of every table is the same in both, in one order. */
static void expect_same(struct fixture *f, struct ts_engine *a, struct ts_engine *b)
{
	struct ts_walk was, is;
	struct ts_read of_a, of_b;
	bool found, there;

	OK(ts_read_begin(ts_kv_of(a), &of_a, &f->err));
	OK(ts_read_begin(ts_kv_of(b), &of_b, &f->err));
	for (int db = 0; db < TS_DBS; db++) {
		if (db == TS_DB_CACHE)
			continue;
		OK(ts_walk_open(&was, of_a, (enum ts_db)db, ts_span_of(NULL, 0), &found, &f->err));
		OK(ts_walk_open(&is, of_b, (enum ts_db)db, ts_span_of(NULL, 0), &there, &f->err));
		while (found || there) {
			assert_true(found && there);
			assert_true(ts_span_eq(was.key, is.key));
			if (!(db == TS_DB_META && ts_span_is(was.key, TS_SUMS_KEY)))
				assert_true(ts_span_eq(was.value, is.value));
			OK(ts_walk_on(&was, &found, &f->err));
			OK(ts_walk_on(&is, &there, &f->err));
		}
		ts_walk_end(&was);
		ts_walk_end(&is);
	}
	ts_read_end(&of_a);
	ts_read_end(&of_b);
}

static struct ts_engine *open_backup(struct fixture *f, const char *path)
{
	struct ts_lmdb_options options = {.path = path, .read_only = true};
	struct ts_engine *e;

	OK(ts_lmdb_open(&options, &e, &f->err));
	return e;
}

static void expect_sound(struct fixture *f, struct ts_engine *e)
{
	struct ts_verify_report report;

	OK(e->ops->verify(e, NULL, &f->arena, &report, &f->err));
	assert_int_equal(report.damaged + report.missing + report.records, 0);
}

static void a_chain_is_what_was_backed_up(void **state)
{
	struct fixture *f = *state;
	struct ts_engine *two = open_backup(f, f->two), *one = open_backup(f, f->one);
	struct ts_ref ref;

	expect_same(f, two, f->e);
	expect_sound(f, two);
	expect_sound(f, one);
	OK(one->ops->ref_get(one, TS_REF_RUN, ts_span_str("p/new"), &f->arena, &ref, &f->err));
	assert_int_equal(one->ops->ref_get(one, TS_REF_RUN, ts_span_str("p/newer"), &f->arena, &ref, &f->err), TS_NOT_FOUND);
	assert_int_equal(one->ops->ref_get(one, TS_REF_RUN, ts_span_str("p/7"), &f->arena, &ref, &f->err), TS_NOT_FOUND);
	ts_engine_destroy(one);
	ts_engine_destroy(two);
}

static void only_what_is_new_is_in_it(void **state)
{
	struct fixture *f = *state;
	char third[300];

	(void)snprintf(third, sizeof third, "%s/third", f->dir);
	increment(f, f->two, third);
	assert_int_equal(f->report.records, 0);
	push(f, "p/last", 70);
	(void)snprintf(third, sizeof third, "%s/fourth", f->dir);
	increment(f, f->two, third);
	assert_int_equal(f->report.objects, 12);
	assert_int_equal(f->report.names, 1);
	assert_true(f->report.records < 40);
}

static void nobody_writes_a_chain(void **state)
{
	struct fixture *f = *state;
	struct ts_lmdb_options options = {.path = f->two, .create = true};
	struct ts_engine *chain;
	struct ts_ref_update update;
	struct ts_ref ref;

	OK(ts_lmdb_open(&options, &chain, &f->err));
	OK(chain->ops->ref_get(chain, TS_REF_RUN, ts_span_str("p/new"), &f->arena, &ref, &f->err));
	update = test_update(TS_REF_TAG, "p/tag", &ref.id, 1);
	assert_int_equal(test_commit(chain, &update), TS_DENIED);
	assert_int_equal(ts_lmdb_increment(chain, f->full, f->back, &f->report, &f->err), TS_UNSUPPORTED);
	ts_engine_destroy(chain);
}

static void a_chain_becomes_a_store(void **state)
{
	struct fixture *f = *state;
	struct ts_lmdb_options options = {.path = f->back};
	struct ts_engine *two = open_backup(f, f->two), *back;

	OK(two->ops->backup(two, f->back, &f->err));
	ts_engine_destroy(two);
	OK(ts_lmdb_open(&options, &back, &f->err));
	expect_same(f, back, f->e);
	expect_sound(f, back);
	/* It is a store like any other, and the next increment may build on the same backups. */
	ts_engine_destroy(f->e);
	f->e = back;
	push(f, "p/after", 80);
	(void)snprintf(f->one, sizeof f->one, "%s/three", f->dir);
	increment(f, f->two, f->one);
	assert_int_equal(f->report.names, 1);
}

static void fails(struct fixture *f, const char *path, enum ts_status status, const char *text)
{
	struct ts_lmdb_options options = {.path = path, .read_only = true};
	struct ts_engine *e;

	assert_int_equal(ts_lmdb_open(&options, &e, &f->err), status);
	if (!strstr(f->err.text, text))
		fail_msg("%s", f->err.text);
}

static void a_missing_link_is_named(void **state)
{
	struct fixture *f = *state;
	char away[320], file[320], other[320];
	struct ts_engine *e;

	(void)snprintf(away, sizeof away, "%s.away", f->one);
	assert_int_equal(rename(f->one, away), 0);
	fails(f, f->two, TS_NOT_FOUND, "builds on the backup one, which is neither beside it nor in ");
	/* another in its place */
	assert_int_equal(mkdir(f->one, 0700), 0);
	(void)snprintf(file, sizeof file, "%s/increment", f->two);
	(void)snprintf(other, sizeof other, "%s/increment", f->one);
	assert_int_equal(link(file, other), 0);
	fails(f, f->two, TS_CONFLICT, "holds something else now");
	assert_int_equal(unlink(other), 0);
	assert_int_equal(rmdir(f->one), 0);
	assert_int_equal(rename(away, f->one), 0);
	e = open_backup(f, f->two);
	ts_engine_destroy(e);
	/* the store below was written since */
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = f->full}, &e, &f->err));
	ts_engine_destroy(f->e);
	f->e = e;
	push(f, "p/late", 90);
	fails(f, f->two, TS_CONFLICT, "holds something else now");
}

static void of_another_store_there_is_none(void **state)
{
	struct fixture *f = *state;
	struct ts_engine *other;
	char path[320];

	(void)snprintf(path, sizeof path, "%s/other", f->dir);
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = path, .create = true}, &other, &f->err));
	assert_int_equal(ts_lmdb_increment(other, f->full, f->back, &f->report, &f->err), TS_INVALID);
	assert_non_null(strstr(f->err.text, "is no backup of this store"));
	assert_int_equal(access(f->back, F_OK), -1);
	ts_engine_destroy(other);
	assert_int_equal(ts_lmdb_increment(f->e, f->full, f->two, &f->report, &f->err), TS_IO); /* nothing is overwritten */
	assert_int_equal(ts_lmdb_increment(f->e, f->back, path, &f->report, &f->err), TS_IO);
}

/* Bits are turned one after the other, at places all over the file. Each is found: when it is opened, or when its tables and objects
 * are read. */
static void each_turned_bit_is_found(void **state)
{
	struct fixture *f = *state;
	struct ts_lmdb_options options = {.path = f->one, .read_only = true};
	unsigned opened = 0;
	char path[320];
	struct stat st;
	int fd;

	(void)snprintf(path, sizeof path, "%s/increment", f->one);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += 61) {
		struct ts_verify_report report = {.damaged = 0};
		struct ts_engine *e;
		uint8_t byte, turned;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		turned = byte ^ (uint8_t)(1 << at % 8);
		assert_int_equal(pwrite(fd, &turned, 1, at), 1);
		if (ts_lmdb_open(&options, &e, &f->err) == TS_OK) {
			enum ts_status status = e->ops->verify(e, NULL, &f->arena, &report, &f->err);

			if (!(status == TS_DAMAGED || (status == TS_OK && report.damaged + report.missing + report.records)))
				fail_msg("the byte at %" PRId64, (int64_t)at);
			ts_engine_destroy(e);
			opened++;
		} else {
			assert_true(strstr(f->err.text, path) && strstr(f->err.text, "not what was written"));
		}
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_true(opened > 0); /* objects have checksums of their own */
	for (off_t size = st.st_size - 1; size > 0; size -= 997) {
		assert_int_equal(ftruncate(fd, size), 0);
		fails(f, f->one, TS_DAMAGED, "not what was written");
	}
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_chain_is_what_was_backed_up), TEST(only_what_is_new_is_in_it),      TEST(nobody_writes_a_chain),
		TEST(a_chain_becomes_a_store),	     TEST(a_missing_link_is_named),	   TEST(of_another_store_there_is_none),
		TEST(each_turned_bit_is_found),
	};

	return cmocka_run_group_tests_name("increment", tests, NULL, NULL);
}
