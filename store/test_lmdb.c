/* Tests what only a store on disk can do: grow, be damaged, be copied, be opened twice, give space back. */
#include "base/alloc.h"
#include "base/budget.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/limits.h"
#include "store/lmdb_internal.h"
#include "store/store_internal.h"
#include "store/test_store.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char dir[256];
	char data[300];
	struct ts_engine *e;
	struct ts_arena arena;
	struct ts_error err;
};

#define OK(call) \
	do { \
		if ((call) != TS_OK) \
			fail_msg("%s: %s", #call, f->err.text); \
	} while (0)

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	struct ts_lmdb_options options = {.path = f->dir, .create = true};

	ts_arena_init(&f->arena, 0);
	test_make_dir(f->dir, sizeof f->dir);
	(void)snprintf(f->data, sizeof f->data, "%s/data.mdb", f->dir);
	OK(ts_lmdb_open(&options, &f->e, &f->err));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_engine_destroy(f->e);
	test_remove_dir(f->dir);
	ts_arena_finish(&f->arena);
	test_free(f);
	return 0;
}

static void reopen(struct fixture *f, uint64_t map_bytes)
{
	struct ts_lmdb_options options = {.path = f->dir, .create = true, .map_bytes = map_bytes};

	ts_engine_destroy(f->e);
	f->e = NULL;
	OK(ts_lmdb_open(&options, &f->e, &f->err));
}

static struct ts_verify_report verify(struct fixture *f)
{
	struct ts_verify_report report;

	OK(f->e->ops->verify(f->e, NULL, &f->arena, &report, &f->err));
	return report;
}

static uint64_t count(struct fixture *f, enum ts_db db)
{
	struct ts_read r;
	uint64_t n;

	OK(ts_read_begin(ts_kv_of(f->e), &r, &f->err));
	OK(ts_read_count(r, db, &n, &f->err));
	ts_read_end(&r);
	return n;
}

static char *run_name(struct ts_arena *arena, uint64_t i)
{
	return ts_arena_printf(arena, "p/%" PRIu64, i);
}

static void push_numbered(struct fixture *f, struct ts_engine *e, uint64_t i)
{
	struct ts_sealed objects[12];
	struct ts_arena arena;

	(void)f;
	ts_arena_init(&arena, 0);
	test_push(e, run_name(&arena, i), objects, test_run(&arena, i, 10, objects), (int64_t)i);
	ts_arena_finish(&arena);
}

static void what_was_closed_is_there_again(void **state)
{
	struct fixture *f = *state;
	struct ts_span value;

	for (uint64_t i = 0; i < 20; i++)
		push_numbered(f, f->e, i);
	f->e->ops->cache_put(f->e, ts_span_str("key"), ts_span_str("waiting"));
	reopen(f, 0);
	assert_int_equal(verify(f).objects, 240);
	OK(f->e->ops->cache_get(f->e, ts_span_str("key"), &f->arena, &value, &f->err));
	assert_true(ts_span_is(value, "waiting"));
}

struct reader {
	struct ts_engine *e;
	struct ts_id id;
	atomic_bool stop;
	atomic_int failures;
	atomic_int reads;
};

static void *read_on(void *ctx)
{
	struct reader *r = ctx;
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 0);
	while (!atomic_load(&r->stop)) {
		struct ts_sealed sealed;

		ts_arena_reset(&arena);
		if (r->e->ops->get(r->e, &r->id, &arena, &sealed, &err))
			atomic_fetch_add(&r->failures, 1);
		atomic_fetch_add(&r->reads, 1);
	}
	ts_arena_finish(&arena);
	return NULL;
}

/* The map grows from 256 KiB to 40 MB while other threads read and another process pushes too. */
static void p5_the_map_grows(void **state)
{
	struct fixture *f = *state;
	struct ts_store_stats stats;
	struct ts_sealed first = test_block(&f->arena, 77, 100, true);
	struct reader readers[2];
	pthread_t threads[2];
	int status = 1;
	pid_t child;

	ts_engine_destroy(f->e);
	f->e = NULL;
	child = fork(); /* the fork comes before this process opens the store */
	assert_true(child >= 0);
	if (child == 0) {
		struct ts_lmdb_options options = {.path = f->dir, .create = true, .map_bytes = 256 << 10};
		int bad = ts_lmdb_open(&options, &f->e, &f->err) != TS_OK;

		for (uint64_t i = 0; i < 50 && !bad; i++) {
			struct ts_sealed block = test_block(&f->arena, 10000 + i, 50000, true);

			bad = f->e->ops->put_many(f->e, &block, 1, NULL, &f->err) != TS_OK;
		}
		_exit(bad);
	}
	reopen(f, 256 << 10);
	OK(f->e->ops->put_many(f->e, &first, 1, NULL, &f->err));
	for (int i = 0; i < 2; i++) {
		readers[i] = (struct reader){.e = f->e, .id = first.id};
		assert_int_equal(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
	}
	for (uint64_t i = 0; i < 50; i++) {
		struct ts_sealed block = test_block(&f->arena, i, 50000, true);

		OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	for (int i = 0; i < 2; i++) {
		atomic_store(&readers[i].stop, true);
		pthread_join(threads[i], NULL);
		assert_int_equal(atomic_load(&readers[i].failures), 0);
		assert_true(atomic_load(&readers[i].reads) > 0);
	}
	assert_int_equal(verify(f).objects, 101);
	OK(f->e->ops->stats(f->e, &stats, &f->err));
	assert_in_range(stats.file_bytes, 100 * 400000, 150 * 400000);
}

/* Flips one bit in every place of the file that holds these bytes: LMDB leaves old copies behind. */
static void flip(struct fixture *f, struct ts_span bytes)
{
	struct ts_buf file = TS_BUF_INIT(1 << 30);
	int found = 0;
	uint8_t *at;
	int fd;

	ts_engine_destroy(f->e);
	f->e = NULL;
	OK(ts_file_read(f->data, &file, &f->err));
	fd = open(f->data, O_WRONLY | O_CLOEXEC);
	for (at = file.data; (at = memmem(at, file.len - (size_t)(at - file.data), bytes.data, bytes.len)); found++) {
		uint8_t *middle = at + bytes.len / 2;

		*middle ^= 16;
		assert_int_equal(pwrite(fd, middle, 1, middle - file.data), 1);
	}
	assert_true(found > 0);
	(void)close(fd);
	ts_buf_finish(&file);
	reopen(f, 0);
}

static void p6_damage_is_found_and_not_served(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12], other = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	size_t n = test_run(&f->arena, 1, 10, objects);
	struct ts_sweep_report swept;
	struct ts_verify_report report;
	struct ts_sealed got = {0};
	char hex[TS_ID_HEX + 1];

	test_push(f->e, "p/x", objects, n, 1);
	flip(f, objects[3].bytes); /* a noisy block: its bytes are stored uncompressed */
	assert_int_equal(f->e->ops->get(f->e, &objects[3].id, &f->arena, &got, &f->err), TS_DAMAGED);
	assert_null(got.bytes.data);
	assert_non_null(strstr(f->err.text, ts_id_hex(&objects[3].id, hex)));
	for (size_t i = 0; i < n; i++)
		if (i != 3)
			OK(f->e->ops->get(f->e, &objects[i].id, &f->arena, &got, &f->err));
	report = verify(f);
	assert_int_equal(report.damaged, 1);
	assert_int_equal(report.missing, 0);
	assert_int_equal(report.n_ids, 1);
	assert_true(ts_id_eq(&report.ids[0], &objects[3].id));
	assert_int_equal(test_sweep_now(f->e, &swept), TS_DAMAGED); /* the store is only read from now on */
	assert_int_equal(f->e->ops->put_many(f->e, &other, 1, NULL, &f->err), TS_DAMAGED);
	assert_non_null(strstr(f->err.text, "tscope salvage"));
	flip(f, objects[1].bytes); /* the index: its references are no longer known */
	report = verify(f);
	assert_int_equal(report.damaged, 2);
	assert_int_equal(test_sweep_now(f->e, &swept), TS_DAMAGED);
	assert_int_equal(f->e->ops->get(f->e, &objects[5].id, &f->arena, &got, &f->err), TS_OK);
}

/* What was sound and is not read again may be damaged by now; that all was sound is not said any more once that was found. */
static void p6_what_is_new_is_not_all(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12], later[12];
	struct ts_verify_report report;

	test_push(f->e, "p/x", objects, test_run(&f->arena, 1, 10, objects), 1);
	OK(test_verify(f->e, false, true, &f->arena, &report, &f->err));
	test_push(f->e, "p/y", later, test_run(&f->arena, 2, 10, later), 1);
	flip(f, objects[3].bytes);
	OK(test_verify(f->e, true, true, &f->arena, &report, &f->err));
	assert_true(report.objects == 12 && report.unread == 12 && report.sound_ns > 0 && report.damaged == 0);
	OK(test_verify(f->e, false, true, &f->arena, &report, &f->err));
	assert_true(report.objects == 24 && report.damaged == 1);
	assert_int_equal(test_verify(f->e, true, true, &f->arena, &report, &f->err), TS_DAMAGED); /* so it says from now on */
}

/* A change in any byte of a record is found: pack, lengths, checksum, id. */
/* However much is missing at the end of the file, opening or verify reports it, and no read is a SIGBUS. */
static void p6_a_file_that_was_cut_is_found(void **state)
{
	struct fixture *f = *state;
	struct ts_verify_report report;
	uint8_t *whole;
	struct stat st;
	int fd;

	for (uint64_t i = 0; i < 8; i++)
		push_numbered(f, f->e, i);
	ts_engine_destroy(f->e);
	f->e = NULL;
	fd = open(f->data, O_RDWR | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	whole = test_malloc((size_t)st.st_size);
	assert_int_equal(pread(fd, whole, (size_t)st.st_size, 0), st.st_size);
	for (off_t cut = 8192; cut < st.st_size; cut += 1500) {
		struct ts_lmdb_options options = {.path = f->dir, .read_only = cut / 1500 % 2};
		enum ts_status status;

		assert_int_equal(pwrite(fd, whole, (size_t)st.st_size, 0), st.st_size);
		assert_int_equal(ftruncate(fd, cut), 0);
		status = ts_lmdb_open(&options, &f->e, &f->err);
		if (!status)
			status = f->e->ops->verify(f->e, NULL, &f->arena, &report, &f->err);
		assert_true(status ? status == TS_DAMAGED || status == TS_INVALID : true);
		/* A cut that removes only zeros or free pages loses nothing. */
		if (!status && report.damaged + report.missing == 0)
			assert_int_equal(report.objects, 96);
		ts_engine_destroy(f->e);
		f->e = NULL;
	}
	close(fd);
	test_free(whole);
}

static void p6_a_damaged_record_is_found(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	size_t n = test_run(&f->arena, 1, 10, objects);
	struct ts_verify_report report;
	struct ts_put_stats stats;
	struct ts_sealed got;
	struct ts_ref ref;
	bool present;
	bool leased;

	test_push(f->e, "p/x", objects, n, 1);
	flip(f, ts_span_of(&objects[4].checksum, 8));
	assert_int_equal(f->e->ops->get(f->e, &objects[4].id, &f->arena, &got, &f->err), TS_DAMAGED);
	assert_int_equal(f->e->ops->verify(f->e, NULL, &f->arena, &report, &f->err), TS_DAMAGED);
	OK(f->e->ops->has_many(f->e, &objects[4].id, 1, &present, &f->err));
	assert_false(present);
	present = true;
	OK(f->e->ops->look_many(f->e, &objects[4].id, 1, &present, &leased, &f->err));
	assert_true(leased);
	assert_false(present);
	assert_int_equal(f->e->ops->put_many(f->e, &objects[4], 1, &stats, &f->err), TS_DAMAGED); /* and nothing is written over it */
	assert_non_null(strstr(f->err.text, "the index of objects"));
	assert_non_null(strstr(f->err.text, "tscope salvage"));
	flip(f, ts_span_str("summary"));
	assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_RUN, ts_span_str("p/x"), &f->arena, &ref, &f->err), TS_DAMAGED);
}

static void *push_beside(void *ctx)
{
	struct reader *r = ctx;
	uint64_t i;

	for (i = 1000; !atomic_load(&r->stop); i++) {
		push_numbered(NULL, r->e, i);
		atomic_fetch_add(&r->reads, 1);
	}
	return NULL;
}

static void p8_backup_while_others_write(void **state)
{
	struct fixture *f = *state;
	struct reader pusher = {.e = f->e};
	struct ts_engine *own = f->e;
	char copy[300];
	pthread_t thread;

	for (uint64_t i = 0; i < 50; i++)
		push_numbered(f, f->e, i);
	assert_int_equal(pthread_create(&thread, NULL, push_beside, &pusher), 0);
	for (int k = 0; k < 5; k++) {
		struct ts_lmdb_options options = {.path = copy};
		struct ts_verify_report report;
		struct ts_store_stats stats;
		int before = atomic_load(&pusher.reads);
		struct stat st;

		while (atomic_load(&pusher.reads) < before + 5)
			usleep(1000);
		before = atomic_load(&pusher.reads);
		(void)snprintf(copy, sizeof copy, "%s/copy-%d", f->dir, k);
		OK(own->ops->backup(own, copy, &f->err));
		assert_int_equal(own->ops->backup(own, copy, &f->err), TS_IO); /* the target file exists already */
		assert_int_equal(stat(copy, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0700);
		OK(ts_lmdb_open(&options, &f->e, &f->err));
		report = verify(f);
		assert_int_equal(report.damaged + report.missing, 0);
		OK(f->e->ops->stats(f->e, &stats, &f->err));
		assert_in_range(stats.refs, 50 + before, 50 + atomic_load(&pusher.reads) + 1);
		/* The store holds whole pushes, and perhaps the objects of one push that is not committed yet. */
		assert_true(report.objects == stats.refs * 12 || report.objects == stats.refs * 12 + 12);
		ts_engine_destroy(f->e);
		f->e = own;
	}
	atomic_store(&pusher.stop, true);
	pthread_join(thread, NULL);
}

static uint64_t unread(struct fixture *f, struct ts_engine *e)
{
	struct ts_verify_report report;

	OK(test_verify(e, true, true, &f->arena, &report, &f->err));
	return report.unread;
}

/* What was read in one place says nothing of a copy, of which a part may be lost. */
static void a_backup_is_verified_whole(void **state)
{
	struct fixture *f = *state;
	struct ts_engine *back;
	char copy[300], moved[300];

	push_numbered(f, f->e, 1);
	assert_int_equal(unread(f, f->e), 0);
	(void)snprintf(copy, sizeof copy, "%s/copy", f->dir);
	OK(f->e->ops->backup(f->e, copy, &f->err));
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = copy}, &back, &f->err));
	assert_int_equal(unread(f, back), 0);
	assert_true(unread(f, back) > 0);
	ts_engine_destroy(back);
	assert_true(unread(f, f->e) > 0);
	(void)snprintf(moved, sizeof moved, "%s/moved", f->dir);
	assert_int_equal(rename(copy, moved), 0);
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = moved}, &back, &f->err));
	assert_true(unread(f, back) > 0);
	ts_engine_destroy(back);
}

/* Two engines of one process share the environment, since LMDB allows only one for each process. */
static void a_store_opens_twice(void **state)
{
	struct fixture *f = *state;
	struct ts_lmdb_options options = {.path = f->dir, .read_only = true};
	struct ts_engine *second;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_ref ref;
	bool present;
	bool leased = false;

	OK(ts_lmdb_open(&options, &second, &f->err));
	test_push(f->e, "p/x", &head, 1, 1);
	OK(second->ops->ref_get(second, TS_REF_RUN, ts_span_str("p/x"), &f->arena, &ref, &f->err));
	OK(second->ops->has_many(second, &head.id, 1, &present, &f->err));
	assert_true(present);
	test_age(f->e, &head.id, TS_LEASE_SECONDS);
	OK(second->ops->look_many(second, &head.id, 1, &present, &leased, &f->err));
	assert_true(present && leased); /* a process that may not write has no lease to renew */
	OK(f->e->ops->look_many(f->e, &head.id, 1, &present, &leased, &f->err));
	assert_false(leased);
	assert_int_equal(second->ops->put_many(second, &head, 1, NULL, &f->err), TS_DENIED);
	ts_engine_destroy(f->e);
	f->e = NULL;
	OK(second->ops->ref_get(second, TS_REF_RUN, ts_span_str("p/x"), &f->arena, &ref, &f->err));
	ts_engine_destroy(second);
	OK(ts_lmdb_open(&options, &second, &f->err));
	options.read_only = false;
	assert_int_equal(ts_lmdb_open(&options, &f->e, &f->err), TS_CONFLICT);
	ts_engine_destroy(second);
	OK(ts_lmdb_open(&options, &f->e, &f->err));
}

static void what_is_no_store_is_refused(void **state)
{
	struct fixture *f = *state;
	struct ts_lmdb_options options = {.path = "/nonexistent/store"};
	struct ts_verify_report report;
	struct ts_engine *e;
	char path[300];
	struct stat st;
	int fd;

	assert_int_equal(ts_lmdb_open(&options, &e, &f->err), TS_NOT_FOUND);
	(void)snprintf(path, sizeof path, "%s/sub", f->dir);
	options.path = path;
	assert_int_equal(ts_lmdb_open(&options, &e, &f->err), TS_NOT_FOUND);
	assert_int_equal(stat(path, &st), -1); /* nothing was created */
	options.create = true;
	OK(ts_lmdb_open(&options, &e, &f->err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	ts_engine_destroy(e);
	options.path = f->data;
	options.create = false;
	assert_int_equal(ts_lmdb_open(&options, &e, &f->err), TS_INVALID);
	(void)snprintf(path, sizeof path, "%s/sub/data.mdb", f->dir);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	assert_int_equal(write(fd, "no LMDB file at all, but long enough to be looked at ............................................."
				   "...................................................................................", 178), 178);
	(void)close(fd);
	(void)snprintf(path, sizeof path, "%s/sub", f->dir);
	options.path = path;
	OK(ts_lmdb_open(&options, &e, &f->err)); /* it was one, as its superblock says: what there is can be read, which is nothing */
	assert_int_equal(e->ops->verify(e, NULL, &f->arena, &report, &f->err), TS_DAMAGED);
	ts_engine_destroy(e);
	(void)snprintf(path, sizeof path, "%s/sub/superblock", f->dir);
	assert_int_equal(unlink(path), 0);
	(void)snprintf(path, sizeof path, "%s/sub", f->dir);
	OK(ts_lmdb_open(&options, &e, &f->err));
	assert_int_equal(e->ops->verify(e, NULL, &f->arena, &report, &f->err), TS_DAMAGED);
	ts_engine_destroy(e);
}

static enum ts_status write_newer_format(struct ts_write *w, void *ctx, struct ts_error *err)
{
	(void)ctx;
	return ts_write_u64(w, "format", TS_STORE_FORMAT + 1, err);
}

static void a_newer_format_is_refused(void **state)
{
	struct fixture *f = *state;
	struct ts_lmdb_options options = {.path = f->dir, .create = true};

	OK(ts_store_write(ts_store_of(f->e), write_newer_format, NULL, 0, &f->err));
	ts_engine_destroy(f->e);
	f->e = NULL;
	assert_int_equal(ts_lmdb_open(&options, &f->e, &f->err), TS_UNSUPPORTED);
	assert_null(f->e);
}

static size_t count_refs(struct fixture *f, struct ts_engine *e, enum ts_ref_kind kind)
{
	struct ts_ref_query q = {.kind = kind, .limit = 100, .order = TS_ORDER_NAME};
	struct ts_span next;
	struct ts_ref *refs;
	size_t n;

	OK(e->ops->ref_list(e, &q, &f->arena, &refs, &n, &next, &f->err));
	return n;
}

static size_t count_removed(struct fixture *f, struct ts_engine *e)
{
	struct ts_removed_query q = {.prefix = ts_span_str("p/"), .limit = 100};
	struct ts_removed_name *names;
	bool more;
	size_t n;

	OK(e->ops->removed_list(e, &q, &f->arena, &names, &n, &more, &f->err));
	assert_false(more);
	return n;
}

static uint64_t format_of(struct fixture *f, struct ts_engine *e)
{
	struct ts_read r;
	uint64_t format;

	OK(ts_read_begin(ts_kv_of(e), &r, &f->err));
	OK(ts_read_u64(r, "format", &format, &f->err));
	ts_read_end(&r);
	return format;
}

static void copy_golden(struct fixture *f, char dir[300])
{
	struct ts_buf bytes = TS_BUF_INIT(1 << 20);
	char path[320];
	int fd;

	OK(ts_file_read("tests/golden/store-v1/data.mdb", &bytes, &f->err));
	(void)snprintf(dir, 300, "%s/old", f->dir);
	(void)snprintf(path, sizeof path, "%s/data.mdb", dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, bytes.data, bytes.len), bytes.len);
	(void)close(fd);
	ts_buf_finish(&bytes);
}

/* What stands in the golden store says its README. */
static void expect_golden(struct fixture *f, struct ts_engine *e)
{
	struct ts_verify_report report;
	struct ts_log_entry *log;
	struct ts_note *notes;
	size_t n;

	assert_int_equal(count_refs(f, e, TS_REF_RUN), 4);
	assert_int_equal(count_refs(f, e, TS_REF_TAG), 1);
	OK(e->ops->ref_log(e, TS_REF_BRANCH, ts_span_str("p/main"), 0, &f->arena, &log, &n, &f->err));
	assert_int_equal(n, 2);
	OK(e->ops->note_list(e, ts_span_str("p/base"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 2);
	assert_true(ts_span_is(notes[0].value, "kept"));
	OK(e->ops->verify(e, NULL, &f->arena, &report, &f->err));
	assert_int_equal(report.objects, 23);
	assert_int_equal(report.damaged + report.missing, 0);
}

static void a_store_of_format_1_becomes_one_of_today(void **state)
{
	struct fixture *f = *state;
	char dir[300];
	struct ts_lmdb_options options = {.path = dir, .read_only = true};
	struct ts_ref_update u = {.kind = TS_REF_RUN, .name = ts_span_str("p/base"), .remove = true};
	struct ts_engine *e;
	struct ts_ref ref;

	copy_golden(f, dir);
	OK(ts_lmdb_open(&options, &e, &f->err)); /* who only reads changes nothing */
	assert_int_equal(format_of(f, e), 1);
	assert_int_equal(count_removed(f, e), 0);
	expect_golden(f, e);
	ts_engine_destroy(e);
	options.read_only = false;
	OK(ts_lmdb_open(&options, &e, &f->err));
	assert_int_equal(format_of(f, e), TS_STORE_FORMAT);
	expect_golden(f, e);
	assert_int_equal(test_commit(e, &u), TS_OK);
	assert_int_equal(count_removed(f, e), 1);
	OK(e->ops->ref_restore(e, TS_REF_RUN, u.name, ts_span_of(NULL, 0), &f->arena, &ref, &f->err));
	expect_golden(f, e);
	ts_engine_destroy(e);
}

/* The older program is a process that has the file open with LMDB, as each one has. */
static void a_store_is_not_upgraded_under_an_older_program(void **state)
{
	struct fixture *f = *state;
	char dir[300], line[80], byte;
	struct ts_lmdb_options options = {.path = dir};
	int ready[2], end[2], status;
	struct ts_engine *e;
	pid_t child;

	copy_golden(f, dir);
	assert_int_equal(pipe(ready) | pipe(end), 0);
	child = fork(); /* the fork comes before this process opens the store */
	if (child == 0) {
		MDB_env *mdb;
		bool open = mdb_env_create(&mdb) == 0 && mdb_env_open(mdb, dir, MDB_RDONLY, 0600) == 0;

		(void)close(end[1]);
		_exit(open && write(ready[1], "r", 1) == 1 && read(end[0], &byte, 1) == 0 ? 0 : 1);
	}
	(void)close(ready[1]);
	(void)close(end[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(ts_lmdb_open(&options, &e, &f->err), TS_CONFLICT);
	(void)snprintf(line, sizeof line, "format 1, of which this tscope makes format %d; process %d, ", TS_STORE_FORMAT, (int)child);
	assert_non_null(strstr(f->err.text, line));
	options.read_only = true; /* who only reads needs no upgrade */
	OK(ts_lmdb_open(&options, &e, &f->err));
	expect_golden(f, e);
	ts_engine_destroy(e);
	(void)close(end[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)close(ready[0]);
	options.read_only = false;
	OK(ts_lmdb_open(&options, &e, &f->err));
	assert_int_equal(format_of(f, e), TS_STORE_FORMAT);
	expect_golden(f, e);
	ts_engine_destroy(e);
}

/* ---- the index of heads ---- */

static int drop_heads(MDB_txn *txn)
{
	MDB_val headed = ts_val_of(ts_span_str("headed"));
	MDB_dbi dbi;
	int rc = mdb_dbi_open(txn, "heads", 0, &dbi);

	if (!rc)
		rc = mdb_drop(txn, dbi, 1);
	if (!rc)
		rc = mdb_dbi_open(txn, "meta", 0, &dbi);
	return rc ? rc : mdb_del(txn, dbi, &headed, NULL);
}

static bool has_head(struct fixture *f, struct ts_engine *e, const char *project, const struct ts_id *id)
{
	char hex[TS_ID_HEX + 1];
	struct ts_id *ids;
	size_t n;

	OK(e->ops->heads_find(e, ts_span_str(project), ts_span_str(ts_id_hex(id, hex)), 1, &f->arena, &ids, &n, &f->err));
	return n == 1;
}

static uint64_t meta_of(struct fixture *f, struct ts_engine *e, const char *key)
{
	struct ts_read r;
	uint64_t value;

	OK(ts_read_begin(ts_kv_of(e), &r, &f->err));
	OK(ts_read_u64(r, key, &value, &f->err));
	ts_read_end(&r);
	return value;
}

/* Who only reads finds the heads in the logs; who writes makes the index, in several steps. */
static void an_older_store_is_indexed(void **state)
{
	enum { MOVES = 5000 };
	struct fixture *f = *state;
	struct ts_sealed heads[2] = {test_node(&f->arena, TEST_HEAD, NULL, 0, 1), test_node(&f->arena, TEST_HEAD, NULL, 0, 2)};
	struct ts_lmdb_options options = {.path = f->dir, .read_only = true};

	test_push(f->e, "p/a", &heads[0], 1, 1);
	for (int i = 0; i < MOVES; i++) {
		struct ts_ref_update u = test_update(TS_REF_BRANCH, "p/main", &heads[i % 2].id, i + 1);

		if (i == 0)
			OK(f->e->ops->put_many(f->e, &heads[1], 1, NULL, &f->err));
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	assert_int_equal(count(f, TS_DB_HEADS), MOVES + 1);
	ts_engine_destroy(f->e);
	test_make_old(f->dir, 3, drop_heads);
	OK(ts_lmdb_open(&options, &f->e, &f->err));
	assert_int_equal(format_of(f, f->e), 3);
	assert_true(has_head(f, f->e, "p", &heads[0].id) && has_head(f, f->e, "p", &heads[1].id));
	assert_false(has_head(f, f->e, "q", &heads[0].id));
	ts_engine_destroy(f->e);
	options.read_only = false;
	OK(ts_lmdb_open(&options, &f->e, &f->err));
	assert_int_equal(format_of(f, f->e), TS_STORE_FORMAT);
	assert_int_equal(count(f, TS_DB_HEADS), MOVES + 1);
	assert_int_equal(meta_of(f, f->e, "headed"), 1);
	assert_true(has_head(f, f->e, "p", &heads[0].id) && has_head(f, f->e, "p", &heads[1].id));
	assert_int_equal(verify(f).records, 0);
}

/* ---- what projects reach ---- */

static enum ts_known known(struct fixture *f, const char *sender, const char *project, const struct ts_id *id)
{
	struct ts_span span = ts_span_str(project);
	struct ts_viewer viewer = {.sender = ts_span_str(sender), .projects = &span, .n = 1};
	enum ts_known ret;
	bool leased;

	OK(f->e->ops->known_many(f->e, &viewer, id, 1, &ret, &leased, &f->err));
	return ret;
}

/* Objects move to other packs and go; what projects reach goes with them. What was sent again is forgotten with its lease. */
static void what_projects_reach_moves_with_its_objects(void **state)
{
	enum { BLOCKS = 40 };
	struct fixture *f = *state;
	struct ts_sealed kept[BLOCKS + 2], all[2 * BLOCKS + 4];
	struct ts_ref_update u = {.kind = TS_REF_RUN, .name = ts_span_str("p/gone"), .remove = true};
	struct ts_sweep_report report;

	test_run(&f->arena, 1, BLOCKS, kept);
	memcpy(all, kept, sizeof kept);
	test_run(&f->arena, 2, BLOCKS, all + BLOCKS + 2);
	OK(f->e->ops->put_many(f->e, all, 2 * BLOCKS + 4, NULL, &f->err)); /* in one pack */
	test_push(f->e, "p/kept", kept, BLOCKS + 2, 1);
	test_push(f->e, "p/gone", all + BLOCKS + 2, BLOCKS + 2, 1);
	test_push(f->e, "q/kept", kept, BLOCKS + 2, 1);
	OK(f->e->ops->upload_many(f->e, ts_span_str("bob"), &kept[2], 1, NULL, &f->err));
	assert_int_equal(known(f, "bob", "r", &kept[2].id), TS_KNOWN_SENT);
	assert_int_equal(count(f, TS_DB_NAMED), 3 * (BLOCKS + 2));
	assert_int_equal(count(f, TS_DB_SENT), 1);
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
	assert_int_equal(report.freed, BLOCKS + 2);
	assert_int_equal(count(f, TS_DB_NAMED), 2 * (BLOCKS + 2));
	assert_int_equal(count(f, TS_DB_SENT), 0);
	for (int i = 0; i < BLOCKS + 2; i++) {
		assert_int_equal(known(f, "", "p", &kept[i].id), TS_KNOWN_REACHED);
		assert_int_equal(known(f, "", "q", &kept[i].id), TS_KNOWN_REACHED);
		assert_int_equal(known(f, "bob", "r", &kept[i].id), TS_KNOWN_NOT);
	}
	assert_int_equal(verify(f).records, 0);
}

static int drop_named(MDB_txn *txn)
{
	MDB_val key = ts_val_of(ts_span_str("named"));
	MDB_dbi dbi;
	int rc = drop_heads(txn);

	if (!rc)
		rc = mdb_dbi_open(txn, "named", 0, &dbi);
	if (!rc)
		rc = mdb_drop(txn, dbi, 1);
	if (!rc)
		rc = mdb_dbi_open(txn, "sent", 0, &dbi);
	if (!rc)
		rc = mdb_drop(txn, dbi, 1);
	if (!rc)
		rc = mdb_dbi_open(txn, "meta", 0, &dbi);
	return rc ? rc : mdb_del(txn, dbi, &key, NULL);
}

/* Of an older store, heads are known by the logs at once, and the rest after a sweep, in several steps. */
static void an_older_store_learns_what_projects_reach(void **state)
{
	enum { BLOCKS = 5000 };
	struct fixture *f = *state;
	struct ts_sealed *run = ts_arena_array(&f->arena, BLOCKS + 2, sizeof *run);
	struct ts_lmdb_options options = {.path = f->dir};
	struct ts_sweep_report report;

	test_run(&f->arena, 1, BLOCKS, run);
	test_push(f->e, "p/a", run, BLOCKS + 2, 1);
	ts_engine_destroy(f->e);
	test_make_old(f->dir, 3, drop_named);
	OK(ts_lmdb_open(&options, &f->e, &f->err));
	assert_int_equal(known(f, "", "p", &run[0].id), TS_KNOWN_REACHED);
	assert_int_equal(known(f, "", "q", &run[0].id), TS_KNOWN_NOT);
	assert_int_equal(known(f, "", "p", &run[2].id), TS_KNOWN_NOT);
	assert_int_equal(verify(f).records, 0);
	assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
	assert_int_equal(known(f, "", "p", &run[2].id), TS_KNOWN_REACHED);
	assert_int_equal(count(f, TS_DB_NAMED), BLOCKS + 2);
	assert_int_equal(meta_of(f, f->e, "named"), 1);
	assert_int_equal(verify(f).records, 0);
}

static enum ts_status lose_named(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_entry entry;
	bool found;

	if (ts_entry_get(ts_read_of(w), ctx, &entry, &found, err))
		return err->status;
	return ts_named_drop(w, entry.pack, entry.offset, err);
}

static void verify_holds_projects_to_what_they_reach(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed run[5];

	test_push(f->e, "p/a", run, test_run(&f->arena, 1, 3, run), 1);
	OK(ts_store_write(ts_store_of(f->e), lose_named, &run[3].id, 0, &f->err));
	assert_int_equal(verify(f).records, 1);
}

static enum ts_status exchange_one_head(struct ts_write *w, void *ctx, struct ts_error *err)
{
	uint8_t room[TS_KEY_MAX];
	struct ts_walk walk;
	enum ts_status status;
	struct ts_buf nothing = TS_BUF_INIT(16);
	struct ts_span key;
	bool found;

	(void)ctx;
	status = ts_walk_open(&walk, ts_read_of(w), TS_DB_HEADS, ts_span_of(NULL, 0), &found, err);
	key = ts_span_of(memcpy(room, walk.key.data, walk.key.len), walk.key.len);
	ts_walk_end(&walk);
	if (status || ts_write_delete(w, TS_DB_HEADS, key, err))
		return err->status;
	room[0] = 'z'; /* of a project that has no name */
	return ts_write_record(w, TS_DB_HEADS, key, &nothing, err);
}

static void verify_holds_the_index_of_heads_to_the_logs(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);

	test_push(f->e, "p/a", &head, 1, 1);
	OK(ts_store_write(ts_store_of(f->e), exchange_one_head, NULL, 0, &f->err));
	assert_int_equal(verify(f).records, 2); /* one that is missing, one that is of nothing */
}

/* ---- removed names ---- */

enum { DAY = 86400 };
static const int64_t day_ns = (int64_t)DAY * 1000000000;

static struct ts_sweep_report sweep_at(struct fixture *f, int64_t now_ns)
{
	struct ts_sweep_report report;

	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now_ns, .removed_ns = 30 * day_ns));
	return report;
}

static void remove_at(struct fixture *f, enum ts_ref_kind kind, const char *name, int64_t now_ns)
{
	struct ts_ref_update u = {.kind = kind, .name = ts_span_str(name), .remove = true, .now_ns = now_ns, .who = ts_span_str("ann")};

	assert_int_equal(test_commit(f->e, &u), TS_OK);
}

static enum ts_status restore(struct fixture *f, enum ts_ref_kind kind, const char *name, const char *as, struct ts_ref *ret)
{
	return f->e->ops->ref_restore(f->e, kind, ts_span_str(name), ts_span_str(as), &f->arena, ret, &f->err);
}

/* A run that moved from one head to the next, with a note. */
static void push_moved(struct fixture *f, struct ts_sealed *old, struct ts_sealed *objects)
{
	struct ts_note note = {.key = ts_span_str("bad"), .value = ts_span_str("yes"), .who = ts_span_str("me"), .at_ns = 3};

	test_push(f->e, "p/x", old, test_run(&f->arena, 1, 10, old), 1);
	test_push(f->e, "p/x", objects, test_run(&f->arena, 2, 10, objects), 2);
	OK(f->e->ops->note_put(f->e, ts_span_str("p/x"), &note, &f->err));
}

static void a_removed_name_comes_back_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed old[12], objects[12];
	struct ts_removed_query q = {.limit = 1};
	struct ts_removed_name *names;
	struct ts_sweep_report report;
	struct ts_log_entry *log;
	struct ts_note *notes;
	int64_t now = ts_now_real_ns();
	struct ts_ref ref;
	bool more;
	size_t n;

	push_moved(f, old, objects);
	remove_at(f, TS_REF_RUN, "p/x", now);
	assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_RUN, ts_span_str("p/x"), &f->arena, &ref, &f->err), TS_NOT_FOUND);
	report = sweep_at(f, now + 30 * day_ns - 1);
	assert_int_equal(report.kept, 12); /* the head that it pointed at, and not the one before */
	assert_int_equal(report.removed, 12);
	OK(f->e->ops->removed_list(f->e, &q, &f->arena, &names, &n, &more, &f->err));
	assert_true(n == 1 && !more && names[0].removed_ns == now && ts_span_is(names[0].by, "ann"));
	assert_true(ts_span_is(names[0].ref.name, "p/x") && ts_id_eq(&names[0].ref.id, &objects[0].id));
	OK(restore(f, TS_REF_RUN, "p/x", "", &ref));
	OK(f->e->ops->ref_get(f->e, TS_REF_RUN, ts_span_str("p/x"), &f->arena, &ref, &f->err));
	assert_true(ts_id_eq(&ref.id, &objects[0].id) && ref.seq == 2 && ref.moved_ns == 2);
	OK(f->e->ops->ref_log(f->e, TS_REF_RUN, ts_span_str("p/x"), 0, &f->arena, &log, &n, &f->err));
	assert_true(n == 2 && log[1].seq == 1 && ts_id_eq(&log[1].id, &old[0].id));
	OK(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err));
	assert_true(n == 1 && ts_span_is(notes[0].value, "yes") && notes[0].at_ns == 3);
	assert_int_equal(count_refs(f, f->e, TS_REF_RUN), 1);
	assert_int_equal(count(f, TS_DB_REMOVED), 0);
	assert_int_equal(restore(f, TS_REF_RUN, "p/x", "", &ref), TS_NOT_FOUND);
	assert_int_equal(sweep_at(f, now + 60 * day_ns).kept, 12);
	assert_int_equal(verify(f).missing, 0);
}

static void a_removed_name_whose_place_is_taken_comes_back_as_another(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed old[12], objects[12], head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	int64_t now = ts_now_real_ns();
	struct ts_note *notes;
	struct ts_ref ref;
	size_t n;

	push_moved(f, old, objects);
	remove_at(f, TS_REF_RUN, "p/x", now);
	test_push(f->e, "p/x", &head, 1, 3);
	remove_at(f, TS_REF_RUN, "p/x", now - 1); /* by a clock that was set back: it is the last removal all the same */
	test_push(f->e, "p/x", &head, 1, 3);
	remove_at(f, TS_REF_RUN, "p/x", now);
	assert_int_equal(count_removed(f, f->e), 2); /* one was undone by giving the name to the same run again */
	OK(restore(f, TS_REF_RUN, "p/x", "", &ref));
	assert_true(ts_id_eq(&ref.id, &head.id));
	assert_int_equal(restore(f, TS_REF_RUN, "p/x", "", &ref), TS_CONFLICT);
	OK(restore(f, TS_REF_RUN, "p/x", "p/y", &ref));
	assert_true(ts_id_eq(&ref.id, &objects[0].id) && ts_span_is(ref.name, "p/y"));
	OK(f->e->ops->note_list(f->e, ts_span_str("p/y"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 1);
	OK(f->e->ops->note_list(f->e, ts_span_str("p/x"), &f->arena, NULL, &notes, &n, &f->err));
	assert_int_equal(n, 0);
	assert_int_equal(verify(f).missing, 0);
}

static void a_removed_branch_keeps_its_history_until_it_expires(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed heads[3];
	int64_t now = ts_now_real_ns();
	struct ts_sweep_report report;
	struct ts_ref ref;

	for (uint64_t i = 0; i < 3; i++) {
		struct ts_ref_update u = test_update(TS_REF_BRANCH, "p/main", &heads[i].id, (int64_t)i);

		heads[i] = test_node(&f->arena, TEST_HEAD, NULL, 0, i);
		u.id = heads[i].id;
		OK(f->e->ops->put_many(f->e, &heads[i], 1, NULL, &f->err));
		assert_int_equal(test_commit(f->e, &u), TS_OK);
	}
	remove_at(f, TS_REF_BRANCH, "p/main", now + 100 * day_ns); /* by a clock that is ahead */
	assert_int_equal(sweep_at(f, now).removed, 3);
	assert_int_equal(sweep_at(f, now + 30 * day_ns - 1).removed, 3);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now + 30 * day_ns, .removed_ns = 30 * day_ns, .dry_run = true));
	assert_int_equal(report.freed, 3);
	assert_int_equal(count_removed(f, f->e), 1); /* that sweep only counted */
	assert_int_equal(sweep_at(f, now + 30 * day_ns).freed, 3);
	assert_int_equal(count(f, TS_DB_REMOVED), 0);
	assert_int_equal(restore(f, TS_REF_BRANCH, "p/main", "", &ref), TS_NOT_FOUND);
}

static enum ts_status put_strange(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct ts_buf nothing = TS_BUF_INIT(64);

	return ts_write_record(w, TS_DB_REMOVED, *(const struct ts_span *)ctx, &nothing, err);
}

static enum ts_status drop_strange(struct ts_write *w, void *ctx, struct ts_error *err)
{
	return ts_write_delete(w, TS_DB_REMOVED, *(const struct ts_span *)ctx, err);
}

/* A key that is a kind, a name, a NUL and a time has all of these, or it is damage. */
static void a_key_without_name_or_time_is_damage(void **state)
{
	struct ts_span keys[] = {ts_span_of("\001p/abcdef", 9), ts_span_of("\001p/a\0" "1234567", 12),
				 ts_span_of("\001p/a\0" "123456789", 14), ts_span_of("\001", 1)};
	struct fixture *f = *state;
	struct ts_removed_query q = {.limit = 9};
	struct ts_removed_name *names;
	struct ts_error err;
	bool more;
	size_t n;

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		OK(ts_store_write(ts_store_of(f->e), put_strange, &keys[i], 0, &f->err));
		assert_int_equal(f->e->ops->removed_list(f->e, &q, &f->arena, &names, &n, &more, &err), TS_DAMAGED);
		assert_non_null(strstr(err.text, "is not where it should be"));
		OK(ts_store_write(ts_store_of(f->e), drop_strange, &keys[i], 0, &f->err));
	}
}

/* The first sweep of a store knows when the store was made. */
static void the_first_sweep_believes_no_clock_that_runs_ahead(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed block = test_block(&f->arena, 1, 100, true);
	int64_t now = ts_now_real_ns();
	struct ts_sweep_report report;
	struct ts_sweep_clock clock;

	ts_sweep_clock_read(false, &clock);
	if (!clock.boot)
		skip();
	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now + 31 * day_ns, .lease_ns = day_ns, .removed_ns = 30 * day_ns,
		      .clock = &clock));
	assert_int_equal(report.freed, 0);
	assert_in_range(report.ahead_ns, 30 * day_ns, 31 * day_ns);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = now + 31 * day_ns, .lease_ns = day_ns, .removed_ns = 30 * day_ns));
	assert_int_equal(report.freed, 1); /* by whom nothing proves the time */
}

/* ---- retired entries ---- */

static enum ts_status count_extract(void *ctx, const struct ts_id *id, struct ts_span value, struct ts_error *err)
{
	(void)id, (void)value, (void)err;
	++*(size_t *)ctx;
	return TS_OK;
}

enum { HISTORY = 6 };

/* A branch of six runs that no name has; each has an extract. */
static void push_history(struct fixture *f, struct ts_id ids[HISTORY])
{
	const struct ts_extract extract = {.value = ts_span_str("one")};

	for (uint64_t i = 0; i < HISTORY; i++) {
		struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 90 + i);
		struct ts_ref_update u = test_update(TS_REF_BRANCH, "p/main", &head.id, (int64_t)i + 1);

		ids[i] = head.id;
		OK(f->e->ops->put_many(f->e, &head, 1, NULL, &f->err));
		assert_int_equal(test_commit(f->e, &u), TS_OK);
		OK(test_extract(f->e, &head.id, &extract, &f->err));
	}
}

static void retire_entries(struct fixture *f, const struct ts_id *ids, uint64_t first, size_t n, int64_t now_ns)
{
	struct ts_retired items[HISTORY] = {{.kind = TS_REF_BRANCH}};
	enum ts_retire_outcome outcomes[HISTORY];
	struct ts_retire what = {.items = items, .n = n, .planned_ns = now_ns, .now_ns = now_ns, .who = ts_span_str("ann")};

	for (size_t i = 0; i < n; i++)
		items[i] = (struct ts_retired){TS_REF_BRANCH, ts_span_str("p/main"), first + i, ids[first - 1 + i]};
	OK(f->e->ops->retire(f->e, &what, outcomes, &f->err));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(outcomes[i], TS_RETIRED);
}

static size_t log_length(struct fixture *f)
{
	struct ts_log_entry *log;
	size_t n;

	OK(f->e->ops->ref_log(f->e, TS_REF_BRANCH, ts_span_str("p/main"), 0, &f->arena, &log, &n, &f->err));
	return n;
}

static uint64_t missing_entries(struct fixture *f)
{
	struct ts_pruned pruned;

	OK(f->e->ops->log_pruned(f->e, TS_REF_BRANCH, ts_span_str("p/main"), &f->arena, &pruned, &f->err));
	return pruned.entries;
}

/* The runs of retired entries are kept as those of removed names are, and everything about them goes at the same time. */
static void p9_retired_entries_keep_their_runs_until_they_expire(void **state)
{
	struct fixture *f = *state;
	const struct ts_extract_key key = {{0}};
	int64_t now = ts_now_real_ns();
	struct ts_id ids[HISTORY];
	struct ts_ref ref;
	size_t n = 0;

	push_history(f, ids);
	retire_entries(f, ids, 1, 2, now);
	retire_entries(f, ids, 3, 1, now);
	assert_int_equal(count_removed(f, f->e), 1); /* those of one time are one */
	assert_int_equal(sweep_at(f, now + 30 * day_ns - 1).removed, 3);
	assert_int_equal(verify(f).records + verify(f).missing, 0);
	assert_int_equal(sweep_at(f, now + 30 * day_ns).freed, 3);
	assert_int_equal(count(f, TS_DB_REMOVED), 0);
	assert_int_equal(count(f, TS_DB_OBJECTS), 3);
	OK(f->e->ops->extracts_walk(f->e, &key, count_extract, &n, &f->err));
	assert_int_equal(n, 3);
	assert_int_equal(log_length(f), 3);
	assert_int_equal(missing_entries(f), 3);
	assert_int_equal(restore(f, TS_REF_BRANCH, "p/main", "", &ref), TS_NOT_FOUND);
	assert_int_equal(verify(f).records + verify(f).missing, 0);
}

static void p9_retired_entries_come_back(void **state)
{
	struct fixture *f = *state;
	struct ts_removed_query q = {.limit = 5};
	struct ts_removed_name *names;
	int64_t now = ts_now_real_ns();
	struct ts_id ids[HISTORY];
	struct ts_ref ref;
	bool more;
	size_t n;

	push_history(f, ids);
	retire_entries(f, ids, 1, 2, now);
	retire_entries(f, ids, 3, 2, now + 1);
	OK(f->e->ops->removed_list(f->e, &q, &f->arena, &names, &n, &more, &f->err));
	assert_true(n == 2 && names[0].entries == 2 && names[0].removed_ns == now + 1 && ts_span_is(names[0].by, "ann"));
	assert_int_equal(restore(f, TS_REF_BRANCH, "p/main", "p/other", &ref), TS_INVALID);
	OK(restore(f, TS_REF_BRANCH, "p/main", "", &ref));
	assert_true(ref.seq == HISTORY && ts_id_eq(&ref.id, &ids[HISTORY - 1]));
	assert_true(log_length(f) == 4 && missing_entries(f) == 2);
	OK(restore(f, TS_REF_BRANCH, "p/main", "", &ref));
	assert_true(log_length(f) == HISTORY && missing_entries(f) == 0);
	assert_int_equal(count(f, TS_DB_LOG), HISTORY);
	assert_int_equal(count(f, TS_DB_REMOVED), 0);
	assert_int_equal(verify(f).records, 0);
}

/* Entries belong to one branch; another that was made later under its name does not get them. */
static void p9_entries_come_back_to_their_branch_only(void **state)
{
	struct fixture *f = *state;
	int64_t now = ts_now_real_ns();
	struct ts_ref_update u = {.kind = TS_REF_BRANCH, .name = ts_span_str("p/main"), .now_ns = 50};
	struct ts_id ids[HISTORY];
	struct ts_ref ref;

	push_history(f, ids);
	retire_entries(f, ids, 1, 3, now);
	remove_at(f, TS_REF_BRANCH, "p/main", now);
	OK(restore(f, TS_REF_BRANCH, "p/main", "p/moved", &ref)); /* first the branch, since it went last */
	assert_int_equal(restore(f, TS_REF_BRANCH, "p/main", "", &ref), TS_CONFLICT);
	u.id = ids[0];
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	assert_int_equal(restore(f, TS_REF_BRANCH, "p/main", "", &ref), TS_CONFLICT);
	assert_true(log_length(f) == 1 && missing_entries(f) == 0);
	assert_int_equal(sweep_at(f, now).freed, 0);
	assert_int_equal(verify(f).missing, 0);
}

static void network_filesystems_are_told_from_others(void **state)
{
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_disk_check("/", &err), TS_OK);
	assert_int_equal(ts_disk_check("/proc", &err), TS_OK);
	assert_int_equal(ts_disk_type_check(0x6969, "/mnt/home", &err), TS_DENIED); /* statfs(2): NFS_SUPER_MAGIC */
	assert_non_null(strstr(err.text, "tscoped"));
	assert_non_null(strstr(err.text, "NFS"));
	assert_int_equal(ts_disk_type_check(0xff534d42, "/mnt/home", &err), TS_DENIED); /* CIFS_MAGIC_NUMBER */
	assert_int_equal(ts_disk_type_check(0xef53, "/home", &err), TS_OK);		/* EXT4_SUPER_MAGIC */
}

static uint64_t last_txn(struct fixture *f)
{
	MDB_envinfo info;

	assert_int_equal(mdb_env_info(ts_env_of_kv(ts_kv_of(f->e))->mdb, &info), 0);
	return info.me_last_txnid;
}

static void leases_are_written_when_they_are_old(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed block = test_block(&f->arena, 1, 100, true);
	struct ts_sweep_report report;
	uint64_t before;
	bool present;
	bool leased;

	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	test_age(f->e, &block.id, TS_LEASE_SECONDS / 4 - 60);
	before = last_txn(f);
	OK(f->e->ops->has_many(f->e, &block.id, 1, &present, &f->err));
	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	assert_int_equal(last_txn(f), before); /* the lease is recent enough: nothing was written */
	test_age(f->e, &block.id, 2 * TS_LEASE_SECONDS);
	before = last_txn(f);
	OK(f->e->ops->look_many(f->e, &block.id, 1, &present, &leased, &f->err));
	assert_false(leased);
	assert_int_equal(last_txn(f), before); /* look_many never writes */
	OK(f->e->ops->has_many(f->e, &block.id, 1, &present, &f->err));
	assert_true(present);
	assert_int_equal(last_txn(f), before + 1);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns(), .lease_ns = (int64_t)TS_LEASE_SECONDS * 1000000000));
	assert_int_equal(report.leased, 1); /* the lease had expired, and the question renewed it */
	test_age(f->e, &block.id, 2 * TS_LEASE_SECONDS);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns(), .lease_ns = (int64_t)TS_LEASE_SECONDS * 1000000000));
	assert_int_equal(report.freed, 1);
}

/* Holds the lane until a given number of jobs wait behind it. */
struct hold {
	struct fixture *f;
	size_t until;
	pthread_t thread;
	atomic_bool holds;
	struct ts_id id;
	enum ts_status status;
};

static size_t waiting(struct ts_lmdb_lane *lane)
{
	size_t n = 0;

	pthread_mutex_lock(&lane->lock);
	for (const struct ts_lmdb_job *job = lane->first; job; job = job->next)
		n++;
	pthread_mutex_unlock(&lane->lock);
	return n;
}

static enum ts_status run_hold(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct hold *hold = ctx;

	(void)err;
	atomic_store(&hold->holds, true);
	while (waiting(&ts_env_of_kv(w->kv)->lane) < hold->until)
		usleep(1000);
	return TS_OK;
}

static void *hold_lane(void *ctx)
{
	struct hold *hold = ctx;
	struct ts_error err;

	(void)ts_store_write(ts_store_of(hold->f->e), run_hold, hold, 0, &err);
	return NULL;
}

static void *name_it(void *ctx)
{
	struct hold *hold = ctx;
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/late", &hold->id, 1);

	hold->status = test_commit(hold->f->e, &u);
	return NULL;
}

static void *ask_for_it(void *ctx)
{
	struct hold *hold = ctx;
	struct ts_error err;
	bool present = false;

	hold->status = hold->f->e->ops->has_many(hold->f->e, &hold->id, 1, &present, &err);
	if (!present)
		hold->status = TS_NOT_FOUND;
	return NULL;
}

static void *look_at_it(void *ctx)
{
	struct hold *hold = ctx;
	bool present = false;
	bool leased = false;
	struct ts_error err;

	hold->status = hold->f->e->ops->look_many(hold->f->e, &hold->id, 1, &present, &leased, &err);
	if (!hold->status && !(present && leased))
		hold->status = TS_UNAVAILABLE;
	return NULL;
}

/* Calls look_many in a thread of its own, which has to return while this thread holds a lock. */
static enum ts_status look_now(struct hold *hold)
{
	struct timespec limit;
	pthread_t thread;

	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 30;
	assert_int_equal(pthread_create(&thread, NULL, look_at_it, hold), 0);
	assert_int_equal(pthread_timedjoin_np(thread, NULL, &limit), 0);
	return hold->status;
}

static void looking_waits_for_no_writer(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed block = test_block(&f->arena, 1, 100, true);
	struct hold hold = {.f = f, .until = 1, .id = block.id};
	struct hold late = {.f = f, .id = block.id};
	pthread_t second;

	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	assert_int_equal(pthread_create(&hold.thread, NULL, hold_lane, &hold), 0);
	while (!atomic_load(&hold.holds))
		usleep(1000);
	assert_int_equal(look_now(&hold), TS_OK); /* while a write transaction is open */
	assert_int_equal(pthread_create(&second, NULL, name_it, &late), 0); /* this thread releases the lane */
	pthread_join(hold.thread, NULL);
	pthread_join(second, NULL);
	pthread_rwlock_wrlock(&ts_env_of_kv(ts_kv_of(f->e))->map); /* the map grows */
	assert_int_equal(look_now(&hold), TS_UNAVAILABLE);
	pthread_rwlock_unlock(&ts_env_of_kv(ts_kv_of(f->e))->map);
	assert_int_equal(look_now(&hold), TS_OK);
}

/* One write of a given number of bytes in a thread of its own, and the number of the transaction that contains it. */
struct weighing {
	struct fixture *f;
	pthread_t thread;
	size_t bytes;
	size_t txn;
	enum ts_status status;
};

static enum ts_status note_txn(struct ts_write *w, void *ctx, struct ts_error *err)
{
	struct weighing *one = ctx;

	one->txn = ((struct ts_lmdb_txn *)w->txn)->view.number + 1;
	return ts_write_u64(w, "test", one->txn, err);
}

static void *write_one(void *ctx)
{
	struct weighing *one = ctx;
	struct ts_error err;

	one->status = ts_store_write(ts_store_of(one->f->e), note_txn, one, one->bytes, &err);
	return NULL;
}

/* Makes four writes of the given sizes wait in the lane, then releases it. */
static void write_four(struct fixture *f, const size_t bytes[4], struct weighing ret[4])
{
	struct ts_lmdb_lane *lane = &ts_env_of_kv(ts_kv_of(f->e))->lane;
	struct hold hold = {.f = f, .until = 4};

	assert_int_equal(pthread_create(&hold.thread, NULL, hold_lane, &hold), 0);
	while (!atomic_load(&hold.holds))
		usleep(1000);
	for (size_t i = 0; i < 4; i++) {
		ret[i] = (struct weighing){.f = f, .bytes = bytes[i]};
		assert_int_equal(pthread_create(&ret[i].thread, NULL, write_one, &ret[i]), 0);
		while (i < 3 && waiting(lane) <= i)
			usleep(1000);
	}
	pthread_join(hold.thread, NULL);
	for (size_t i = 0; i < 4; i++) {
		pthread_join(ret[i].thread, NULL);
		assert_int_equal(ret[i].status, TS_OK);
	}
}

/* Waiting writes share a transaction while they add up to 16 MiB at most: each is held in memory until the commit. */
static void a_group_of_writers_is_bounded(void **state)
{
	enum { MIB = 1 << 20 };
	struct fixture *f = *state;
	struct weighing w[4];

	write_four(f, (size_t[]){8 * MIB, 8 * MIB, 1, 16 * MIB}, w);
	assert_int_equal(w[0].txn, w[1].txn); /* 16 MiB are just within the bound */
	assert_int_equal(w[2].txn, w[1].txn + 1);
	assert_int_equal(w[3].txn, w[2].txn + 1);
	write_four(f, (size_t[]){100 * MIB, 1, 1, 1}, w); /* a single write may be larger */
	assert_int_equal(w[1].txn, w[0].txn + 1);
	assert_int_equal(w[2].txn, w[1].txn);
	assert_int_equal(w[3].txn, w[1].txn);
}

/* Runs a sweep that has listed the garbage, and finds when its turn comes that `between` ran before it. */
static struct ts_sweep_report sweep_after(struct fixture *f, void *(*between)(void *), struct ts_id id, int64_t lease_ns)
{
	struct hold hold = {.f = f, .until = 2, .id = id};
	struct ts_sweep_report report;
	pthread_t second;

	assert_int_equal(pthread_create(&hold.thread, NULL, hold_lane, &hold), 0);
	while (!atomic_load(&hold.holds))
		usleep(1000);
	assert_int_equal(pthread_create(&second, NULL, between, &hold), 0);
	while (waiting(&ts_env_of_kv(ts_kv_of(f->e))->lane) < 1)
		usleep(1000);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns(), .lease_ns = lease_ns));
	pthread_join(hold.thread, NULL);
	pthread_join(second, NULL);
	assert_int_equal(hold.status, TS_OK);
	return report;
}

static void p7_a_name_that_comes_during_a_sweep_counts(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	struct ts_sweep_report report;

	OK(f->e->ops->put_many(f->e, objects, test_run(&f->arena, 1, 10, objects), NULL, &f->err));
	report = sweep_after(f, name_it, objects[0].id, 0);
	assert_int_equal(report.freed, 0);
	assert_int_equal(report.kept, 12);
	assert_int_equal(verify(f).missing, 0);
}

static void p7_a_lease_that_comes_during_a_sweep_counts(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed block = test_block(&f->arena, 1, 100, true);
	struct ts_sweep_report report;

	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	test_age(f->e, &block.id, 2 * TS_LEASE_SECONDS);
	report = sweep_after(f, ask_for_it, block.id, (int64_t)TS_LEASE_SECONDS * 1000000000);
	assert_int_equal(report.freed, 0);
	assert_int_equal(report.leased, 1);
}

/* What a sweep leaves that was killed after it had deleted one object. */
static enum ts_status run_half_sweep(struct ts_write *w, void *ctx, struct ts_error *err)
{
	const struct ts_id *dead = ctx;

	if (ts_write_u64(w, "sweeps", 7, err) || ts_write_u64(w, "sweeping", 7, err) ||
	    ts_write_u64(w, "sweep_since", (uint64_t)ts_now_real_ns(), err))
		return err->status;
	return dead ? ts_write_delete(w, TS_DB_OBJECTS, ts_id_span(dead), err) : TS_OK;
}

static void half_sweep(struct fixture *f, const struct ts_id *dead)
{
	union {
		const struct ts_id *in;
		void *out;
	} ctx = {.in = dead};

	OK(ts_store_write(ts_store_of(f->e), run_half_sweep, ctx.out, 0, &f->err));
}

static void remove_name(struct fixture *f, const char *name)
{
	struct ts_ref_update u = {.kind = TS_REF_RUN, .name = ts_span_str(name), .remove = true};

	assert_int_equal(test_commit(f->e, &u), TS_OK);
}

/* The run was complete once, so its head says so; a lease keeps that head through the next sweep. */
static void p2_a_sweep_that_was_killed_leaves_no_lie(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12];
	size_t n = test_run(&f->arena, 1, 10, objects);
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/x", &objects[0].id, 1);
	struct ts_sweep_report report;

	test_push(f->e, "p/x", objects, n, 1);
	remove_name(f, "p/x");
	half_sweep(f, &objects[n - 1].id);
	assert_int_equal(test_commit(f->e, &u), TS_NOT_FOUND);
	OK(TEST_SWEEP(f->e, &report, &f->err, .now_ns = ts_now_real_ns(), .lease_ns = (int64_t)TS_LEASE_SECONDS * 1000000000));
	assert_int_equal(report.leased, n - 1);
	assert_int_equal(test_commit(f->e, &u), TS_NOT_FOUND);
	OK(f->e->ops->put_many(f->e, &objects[n - 1], 1, NULL, &f->err));
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	assert_int_equal(verify(f).missing, 0);
}

/* A sweep with leases of no length is between two of its transactions. */
static void p7_a_sweep_keeps_what_is_named_or_asked_for_meanwhile(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[12], block = test_block(&f->arena, 99, 100, true);
	size_t n = test_run(&f->arena, 1, 10, objects);
	struct ts_ref_update u = test_update(TS_REF_RUN, "p/x", &objects[0].id, 1);
	bool present, leased;
	int64_t began;
	struct ts_read r;

	OK(f->e->ops->put_many(f->e, objects, n, NULL, &f->err));
	OK(f->e->ops->put_many(f->e, &block, 1, NULL, &f->err));
	half_sweep(f, NULL);
	began = ts_now_real_ns();
	OK(f->e->ops->look_many(f->e, &block.id, 1, &present, &leased, &f->err));
	assert_true(present && !leased);
	OK(f->e->ops->has_many(f->e, &block.id, 1, &present, &f->err));
	assert_int_equal(test_commit(f->e, &u), TS_OK);
	OK(ts_read_begin(ts_kv_of(f->e), &r, &f->err));
	for (size_t i = 0; i <= n; i++) {
		struct ts_entry record;
		bool found;

		OK(ts_entry_get(r, i < n ? &objects[i].id : &block.id, &record, &found, &f->err));
		assert_true(found && record.lease_ns >= began);
	}
	ts_read_end(&r);
}

struct deleted {
	struct fixture *f;
	struct ts_budget *budget; /* NULL: none */
	enum ts_status status;
	struct ts_sweep_report report;
	atomic_bool over;
};

static void *sweep_in_thread(void *ctx)
{
	struct deleted *d = ctx;
	struct ts_error err;

	(void)ts_budget_enter(d->budget);
	d->status = TEST_SWEEP(d->f->e, &d->report, &err, .now_ns = ts_now_real_ns() + TEST_LATER);
	atomic_store(&d->over, true);
	return NULL;
}

/* Puts objects that no name reaches, 3 words each. */
static void put_litter(struct fixture *f, uint64_t n)
{
	enum { BATCH = 1000 };
	struct ts_sealed *objects = ts_arena_array(&f->arena, BATCH, sizeof *objects);

	for (uint64_t i = 0; i < n; i += BATCH) {
		for (uint64_t k = 0; k < BATCH; k++)
			objects[k] = test_block(&f->arena, i + k, 3, true);
		OK(f->e->ops->put_many(f->e, objects, BATCH, NULL, &f->err));
	}
}

/* Other writers get their turn while a sweep deletes: each transaction of it is bounded. */
static void a_sweep_lets_others_write(void **state)
{
	enum { OBJECTS = 20000 };
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct deleted d = {.f = f};
	unsigned between = 0;
	pthread_t thread;
	uint64_t before;

	OK(f->e->ops->put_many(f->e, &head, 1, NULL, &f->err));
	put_litter(f, OBJECTS);
	before = last_txn(f);
	test_push(f->e, "p/x", &head, 1, 1);
	assert_int_equal(pthread_create(&thread, NULL, sweep_in_thread, &d), 0);
	while (count(f, TS_DB_OBJECTS) > OBJECTS && !atomic_load(&d.over))
		usleep(100);
	while (count(f, TS_DB_OBJECTS) > 1 && !atomic_load(&d.over)) {
		test_push(f->e, "p/x", &head, 1, 1);
		between++;
	}
	pthread_join(thread, NULL);
	assert_int_equal(d.status, TS_OK);
	assert_int_equal(d.report.freed, OBJECTS);
	assert_true(between >= 5);
	assert_true(last_txn(f) - before >= OBJECTS / 1024);
	assert_int_equal(count(f, TS_DB_PACKS), 1);
}

/* Nobody waits for a sweep any more when it has deleted some objects: it ends between two transactions, and the next one does the rest.
 * One that nobody waits for from the start does not even read. */
static void a_sweep_that_is_revoked_ends(void **state)
{
	enum { OBJECTS = 20000 };
	struct fixture *f = *state;
	struct ts_budget budget;
	struct deleted d = {.f = f, .budget = &budget};
	struct ts_sweep_report report;
	pthread_t thread;

	ts_budget_init(&budget, NULL, "a sweep", 0, 0);
	put_litter(f, OBJECTS);
	assert_int_equal(pthread_create(&thread, NULL, sweep_in_thread, &d), 0);
	while (count(f, TS_DB_OBJECTS) == OBJECTS)
		usleep(100);
	ts_budget_revoke(&budget);
	pthread_join(thread, NULL);
	assert_int_equal(d.status, TS_CANCELLED);
	assert_in_range(count(f, TS_DB_OBJECTS), 1, OBJECTS - 1);
	(void)sweep_in_thread(&d);
	(void)ts_budget_enter(NULL);
	assert_int_equal(d.status, TS_CANCELLED);
	assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
	assert_int_equal(count(f, TS_DB_OBJECTS), 0);
	assert_int_equal(count(f, TS_DB_PACKS), 0);
}

/* Another process begins a sweep when the first has deleted some objects: the first stops, and the other does the rest. */
static void of_two_sweeps_the_later_goes_on(void **state)
{
	enum { OBJECTS = 10000 };
	struct fixture *f = *state;
	struct deleted first = {.f = f};
	struct ts_sweep_report report;
	pthread_t thread;

	put_litter(f, OBJECTS);
	assert_int_equal(pthread_create(&thread, NULL, sweep_in_thread, &first), 0);
	while (count(f, TS_DB_OBJECTS) == OBJECTS)
		usleep(100);
	half_sweep(f, NULL);
	pthread_join(thread, NULL);
	assert_int_equal(first.status, TS_CONFLICT);
	assert_in_range(count(f, TS_DB_OBJECTS), 1, OBJECTS - 1);
	assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
	assert_int_equal(count(f, TS_DB_OBJECTS), 0);
	assert_int_equal(count(f, TS_DB_PACKS), 0);
}

/* Runs are pushed in turn into the same packs, and half of them are removed: packs are rewritten, and their pages are
 * used again. */
static void p7_space_is_used_again(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[2 * 12];
	struct ts_store_stats stats;
	struct ts_put_stats put;
	uint64_t pushed = 0;

	for (uint64_t round = 0; round < 40; round++) {
		struct ts_sweep_report report;

		for (uint64_t i = 0; i < 20; i++) { /* two runs share a pack, and one of them is removed */
			struct ts_ref_update u;
			struct ts_arena arena;

			ts_arena_init(&arena, 0);
			(void)test_run(&arena, round * 100 + i, 10, objects);
			(void)test_run(&arena, round * 100 + i + 50, 10, objects + 12);
			OK(f->e->ops->put_many(f->e, objects, 24, &put, &f->err));
			pushed += put.new_bytes;
			u = test_update(TS_REF_RUN, run_name(&arena, i), &objects[12].id, 1);
			assert_int_equal(test_commit(f->e, &u), TS_OK); /* the name moves on in each round */
			ts_arena_finish(&arena);
		}
		assert_int_equal(test_sweep_now(f->e, &report), TS_OK);
		assert_int_equal(report.freed, round ? 480 : 240);
		assert_int_equal(report.kept, 240);
		assert_in_range(count(f, TS_DB_PACKS), 1, 4); /* the remaining objects of 20 packs are in few packs */
	}
	OK(f->e->ops->stats(f->e, &stats, &f->err));
	assert_int_equal(verify(f).objects, 240);
	assert_int_equal(verify(f).damaged, 0);
	assert_true(stats.file_bytes < pushed / 2); /* including LMDB's own pages and the gaps that it cannot fill */
}

static void small_objects_share_pages(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed objects[1000];
	struct ts_store_stats stats;

	for (uint64_t i = 0; i < 1000; i++)
		objects[i] = test_block(&f->arena, i, 30, true); /* 256 bytes each */
	OK(f->e->ops->put_many(f->e, objects, 1000, NULL, &f->err));
	OK(f->e->ops->stats(f->e, &stats, &f->err));
	assert_int_equal(stats.stored_bytes, 256000);
	assert_in_range(stats.file_bytes, 256000, 2 * 256000);
	assert_int_equal(count(f, TS_DB_PACKS), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void close_store(struct fixture *f)
{
	ts_engine_destroy(f->e);
	f->e = NULL;
}

static int drop(MDB_txn *txn)
{
	MDB_dbi dbi;
	int rc = mdb_dbi_open(txn, "extract_pages", 0, &dbi);

	return rc ? rc : mdb_drop(txn, dbi, 1);
}

/* Puts an extract there as stores of older versions kept it, and a damaged one. */
static int make_old(MDB_txn *txn)
{
	struct ts_buf record = TS_BUF_INIT(64);
	uint8_t room[8 + TS_ID_BYTES] = "key";
	MDB_val k = {.mv_size = sizeof room, .mv_data = room}, v;
	MDB_dbi dbi;
	int rc = drop(txn);

	if (!rc)
		rc = mdb_dbi_open(txn, "extracts", MDB_CREATE, &dbi);
	ts_buf_str(&record, "value");
	for (int damaged = 0; damaged < 2 && !rc; damaged++) {
		memset(room + 8, 7 + damaged, TS_ID_BYTES);
		ts_check_append(&record, ts_span_of(room, sizeof room));
		v = (MDB_val){.mv_size = record.len - (size_t)damaged, .mv_data = record.data};
		rc = mdb_put(txn, dbi, &k, &v, 0);
		record.len = 5;
	}
	ts_buf_finish(&record);
	return rc;
}

/* Flips a bit of each value. */
static int damage(MDB_txn *txn)
{
	MDB_cursor *cursor;
	MDB_val k, v;
	MDB_dbi dbi;
	int rc = mdb_dbi_open(txn, "extract_pages", 0, &dbi);

	if (!rc)
		rc = mdb_cursor_open(txn, dbi, &cursor);

	while (!rc && !(rc = mdb_cursor_get(cursor, &k, &v, MDB_NEXT))) {
		char bytes[64];

		assert_true(v.mv_size <= sizeof bytes);
		memcpy(bytes, v.mv_data, v.mv_size);
		bytes[0] ^= 1;
		v.mv_data = bytes;
		rc = mdb_cursor_put(cursor, &k, &v, MDB_CURRENT);
	}
	mdb_cursor_close(cursor);
	return rc == MDB_NOTFOUND ? 0 : rc;
}


/* Asserts whether the store has its one extract. */
static void expect_extract(struct fixture *f, const struct ts_extract *extract, const struct ts_id *id, bool there)
{
	struct ts_span value;
	size_t n = 0;

	assert_int_equal(f->e->ops->extract_get(f->e, &extract->key, id, &f->arena, &value, &f->err), there ? TS_OK : TS_NOT_FOUND);
	OK(f->e->ops->extracts_walk(f->e, &extract->key, count_extract, &n, &f->err));
	assert_int_equal(n, there);
}

static void an_older_store_gets_extracts_when_it_is_written(void **state)
{
	struct fixture *f = *state;
	struct ts_lmdb_options options = {.path = f->dir, .read_only = true};
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_extract extract = {{"key"}, ts_span_str("value")};

	test_push(f->e, "p/a", &head, 1, 1);
	close_store(f);
	test_make_old(f->dir, 2, drop);
	OK(ts_lmdb_open(&options, &f->e, &f->err));
	expect_extract(f, &extract, &head.id, false);
	ts_engine_destroy(f->e);
	options.read_only = false; /* and without .create: the store is there */
	OK(ts_lmdb_open(&options, &f->e, &f->err));
	expect_extract(f, &extract, &head.id, false);
	OK(test_extract(f->e, &head.id, &extract, &f->err));
	expect_extract(f, &extract, &head.id, true);
	assert_int_equal(verify(f).damaged, 0);
}

static void extracts_of_an_older_store_are_moved_into_pages(void **state)
{
	struct fixture *f = *state;
	struct ts_lmdb_options options = {.path = f->dir, .read_only = true};
	struct ts_extract extract = {{"key"}, ts_span_str("value")};
	struct ts_id id;

	memset(id.bytes, 7, sizeof id.bytes);
	close_store(f);
	test_make_old(f->dir, 1, make_old);
	OK(ts_lmdb_open(&options, &f->e, &f->err));
	expect_extract(f, &extract, &id, false);
	for (int opened = 0; opened < 2; opened++) {
		ts_engine_destroy(f->e);
		options.read_only = opened;
		OK(ts_lmdb_open(&options, &f->e, &f->err));
		expect_extract(f, &extract, &id, true); /* and not the damaged one */
	}
}

static void a_damaged_extract_is_absent(void **state)
{
	struct fixture *f = *state;
	struct ts_sealed head = test_node(&f->arena, TEST_HEAD, NULL, 0, 1);
	struct ts_extract extract = {{"key"}, ts_span_str("value")};

	test_push(f->e, "p/a", &head, 1, 1);
	OK(test_extract(f->e, &head.id, &extract, &f->err));
	close_store(f);
	test_make_old(f->dir, 2, damage);
	reopen(f, 0);
	expect_extract(f, &extract, &head.id, false);
	OK(test_extract(f->e, &head.id, &extract, &f->err));
	expect_extract(f, &extract, &head.id, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_closed_is_there_again),
		TEST(p5_the_map_grows),
		TEST(p6_damage_is_found_and_not_served),
		TEST(p6_what_is_new_is_not_all),
		TEST(p6_a_file_that_was_cut_is_found),
		TEST(p6_a_damaged_record_is_found),
		TEST(p8_backup_while_others_write),
		TEST(a_backup_is_verified_whole),
		TEST(a_store_opens_twice),
		TEST(what_is_no_store_is_refused),
		TEST(a_newer_format_is_refused),
		TEST(a_store_of_format_1_becomes_one_of_today),
		TEST(a_store_is_not_upgraded_under_an_older_program),
		TEST(an_older_store_is_indexed),
		TEST(verify_holds_the_index_of_heads_to_the_logs),
		TEST(what_projects_reach_moves_with_its_objects),
		TEST(an_older_store_learns_what_projects_reach),
		TEST(verify_holds_projects_to_what_they_reach),
		TEST(a_removed_name_comes_back_as_it_was),
		TEST(a_removed_name_whose_place_is_taken_comes_back_as_another),
		TEST(a_removed_branch_keeps_its_history_until_it_expires),
		TEST(p9_retired_entries_keep_their_runs_until_they_expire),
		TEST(p9_retired_entries_come_back),
		TEST(p9_entries_come_back_to_their_branch_only),
		cmocka_unit_test(network_filesystems_are_told_from_others),
		TEST(leases_are_written_when_they_are_old),
		TEST(looking_waits_for_no_writer),
		TEST(a_group_of_writers_is_bounded),
		TEST(p7_a_name_that_comes_during_a_sweep_counts),
		TEST(p2_a_sweep_that_was_killed_leaves_no_lie),
		TEST(p7_a_sweep_keeps_what_is_named_or_asked_for_meanwhile),
		TEST(a_sweep_lets_others_write),
		TEST(a_sweep_that_is_revoked_ends),
		TEST(of_two_sweeps_the_later_goes_on),
		TEST(p7_a_lease_that_comes_during_a_sweep_counts),
		TEST(a_key_without_name_or_time_is_damage),
		TEST(the_first_sweep_believes_no_clock_that_runs_ahead),
		TEST(p7_space_is_used_again),
		TEST(small_objects_share_pages),
		TEST(an_older_store_gets_extracts_when_it_is_written),
		TEST(extracts_of_an_older_store_are_moved_into_pages),
		TEST(a_damaged_extract_is_absent),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
