/* Tests what a store says once a page, its data file or its superblock is not what was written, and that it says it nowhere else. */
#include "base/cursor.h"
#include "store/lmdb_internal.h"
#include "store/store_internal.h"
#include "store/test_store.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char dir[256], data[300], super[300];
	struct ts_engine *e;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_sealed objects[12];
};

#define OK(call)                                                                                                                       \
	do {                                                                                                                           \
		if ((call) != TS_OK)                                                                                                   \
			fail_msg("%s: %s", #call, f->err.text);                                                                        \
	} while (0)

static void open_it(struct fixture *f, bool create)
{
	struct ts_lmdb_options options = {.path = f->dir, .create = create};

	OK(ts_lmdb_open(&options, &f->e, &f->err));
}

static void close_it(struct fixture *f)
{
	ts_engine_destroy(f->e);
	f->e = NULL;
}

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);
	char name[32];

	ts_arena_init(&f->arena, 0);
	test_make_dir(f->dir, sizeof f->dir);
	(void)snprintf(f->data, sizeof f->data, "%s/data.mdb", f->dir);
	(void)snprintf(f->super, sizeof f->super, "%s/superblock", f->dir);
	open_it(f, true);
	for (int i = 0; i < 60; i++) {
		size_t n = test_run(&f->arena, (uint64_t)i, 10, f->objects);

		(void)snprintf(name, sizeof name, "p/%d", i);
		test_push(f->e, name, f->objects, n, i);
	}
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

static enum ts_status push(struct fixture *f, const char *name)
{
	struct ts_ref_update u = test_update(TS_REF_RUN, name, &f->objects[0].id, 99);

	return f->e->ops->commit(f->e, &u, 1, &f->arena, NULL, &f->err);
}

static enum ts_status verify(struct fixture *f)
{
	struct ts_verify_report report;

	return f->e->ops->verify(f->e, NULL, &f->arena, &report, &f->err);
}

static struct sigaction of_store; /* the handler of SIGBUS that a store makes */

static enum ts_status find(struct fixture *f, const char *name)
{
	struct ts_ref ref;

	return f->e->ops->ref_get(f->e, TS_REF_RUN, ts_span_str(name), &f->arena, &ref, &f->err);
}

/* All bytes of a file. */
static uint8_t *slurp(const char *path, size_t *ret_n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	bytes = test_malloc((size_t)st.st_size);
	assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
	(void)close(fd);
	*ret_n = (size_t)st.st_size;
	return bytes;
}

static void spill(const char *path, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	(void)close(fd);
}

/* A list never has fewer names without a word. */
static void expect_all_or_an_error(struct fixture *f)
{
	struct ts_ref_query q = {.kind = TS_REF_RUN, .limit = 1000, .order = TS_ORDER_NAME};
	struct ts_span next;
	struct ts_ref *refs;
	size_t n;

	if (f->e->ops->ref_list(f->e, &q, &f->arena, &refs, &n, &next, &f->err))
		assert_int_equal(f->err.status, TS_DAMAGED);
	else
		assert_true(n >= 60);
}

/* What is damaged is opened, says so with a remedy, takes nothing, and is left as it is. */
static void expect_damage(struct fixture *f, bool create, const char *text)
{
	size_t n, after;
	uint8_t *before = slurp(f->data, &n), *now;

	open_it(f, create);
	assert_int_equal(push(f, "p/new"), TS_DAMAGED);
	assert_non_null(strstr(f->err.text, "tscope salvage"));
	if (text && !strstr(f->err.text, text))
		fail_msg("%s", f->err.text);
	expect_all_or_an_error(f);
	assert_int_equal(verify(f), TS_DAMAGED);
	close_it(f);
	now = slurp(f->data, &after);
	assert_true(n == after && memcmp(before, now, n) == 0);
	test_free(before);
	test_free(now);
}

static uint64_t root_of(struct fixture *f, enum ts_db db)
{
	struct ts_read r;
	uint64_t page;

	OK(ts_read_begin(ts_kv_of(f->e), &r, &f->err));
	page = db < TS_DBS ? ((struct ts_lmdb_txn *)r.txn)->view.roots[db].page : ((struct ts_lmdb_txn *)r.txn)->view.meta.main.page;
	ts_read_end(&r);
	return page;
}

static void a_page_is_held_to_the_sums(void **state)
{
	struct fixture *f = *state;
	enum { PAGE = 4096 };
	enum ts_db db;
	size_t n;

	for (db = TS_DB_META; db <= TS_DBS; db++) {
		uint64_t page = root_of(f, db);
		uint8_t *whole, *old;

		if (page == TS_NO_PAGE)
			continue;
		close_it(f);
		whole = slurp(f->data, &n);
		old = test_malloc(PAGE);
		memcpy(old, whole + page * PAGE, PAGE);
		memset(whole + page * PAGE, 0, PAGE); /* zeros */
		spill(f->data, whole, n);
		expect_damage(f, true, ts_scan_word(db < TS_DBS ? db : TS_SCAN_MAIN));
		expect_damage(f, false, NULL);
		memcpy(whole + page * PAGE, old, PAGE);
		if (page != TS_NO_PAGE) { /* no records: it looks like an empty table */
			whole[page * PAGE + 12] = 16;
			whole[page * PAGE + 13] = 0;
			spill(f->data, whole, n);
			expect_damage(f, true, NULL);
		}
		memcpy(whole + page * PAGE, old, PAGE);
		spill(f->data, whole, n);
		open_it(f, true);
		OK(push(f, "p/again"));
		OK(verify(f));
		test_free(whole);
		test_free(old);
	}
}

/* A page that was one of this table before has sound records: only the sums know that they are not the last ones. */
static void an_older_page_is_found(void **state)
{
	struct fixture *f = *state;
	struct ts_note note = {.key = ts_span_str("state"), .value = ts_span_str("good")};
	uint8_t *before, *after;
	size_t n, m, pages = 0;

	OK(f->e->ops->note_put(f->e, ts_span_str("p/1"), &note, &f->err));
	close_it(f);
	before = slurp(f->data, &n);
	open_it(f, true);
	note.value = ts_span_str("evil");
	for (int i = 0; i < 3; i++) {
		OK(f->e->ops->note_put(f->e, ts_span_str("p/1"), &note, &f->err));
		OK(push(f, "p/again"));
	}
	close_it(f);
	after = slurp(f->data, &m);
	for (size_t at = 2 * 4096; at < n; at += 4096) {
		uint8_t page[4096];

		if (memcmp(before + at, after + at, 4096) == 0)
			continue;
		memcpy(page, after + at, 4096);
		memcpy(after + at, before + at, 4096);
		spill(f->data, after, m);
		memcpy(after + at, page, 4096);
		open_it(f, true);
		if (atomic_load(&ts_env_of_kv(ts_kv_of(f->e))->is_damaged)) {
			assert_int_equal(verify(f), TS_DAMAGED);
			pages++;
		} else { /* it is free now */
			struct ts_note *notes;
			size_t n_notes;

			OK(verify(f));
			OK(f->e->ops->note_list(f->e, ts_span_str("p/1"), &f->arena, NULL, &notes, &n_notes, &f->err));
			assert_true(n_notes == 1 && ts_span_is(notes[0].value, "evil"));
		}
		close_it(f);
	}
	assert_true(pages >= 3);
	test_free(before);
	test_free(after);
}

static void a_lost_file_is_never_begun_anew(void **state)
{
	struct fixture *f = *state;
	uint8_t *whole, *super;
	size_t n, m;

	close_it(f);
	whole = slurp(f->data, &n);
	super = slurp(f->super, &m);
	spill(f->data, NULL, 0);
	expect_damage(f, true, "empty");
	assert_int_equal(unlink(f->super), 0);
	expect_damage(f, true, "empty"); /* no program leaves an empty file without a superblock */
	spill(f->super, super, m);
	assert_int_equal(unlink(f->data), 0);
	open_it(f, true);
	assert_int_equal(push(f, "p/new"), TS_DAMAGED);
	assert_non_null(strstr(f->err.text, "missing"));
	close_it(f);
	assert_int_equal(access(f->data, F_OK), -1);
	spill(f->data, whole, n);
	open_it(f, true);
	OK(push(f, "p/new"));
	OK(verify(f));
	test_free(whole);
	test_free(super);
}

/* A file of before, whole as it is, has lost what was acknowledged since. */
static void an_older_data_file_or_superblock_is_found(void **state)
{
	struct fixture *f = *state;
	uint8_t *data, *super, *data_now, *super_now;
	size_t n, m, k, l;

	close_it(f);
	data = slurp(f->data, &n);
	super = slurp(f->super, &m);
	for (int i = 1; i <= 3; i++) {
		open_it(f, true);
		OK(push(f, "p/again"));
		close_it(f);
		data_now = slurp(f->data, &k);
		super_now = slurp(f->super, &l);
		spill(f->data, data, n);
		expect_damage(f, true, i <= 2 ? "gone back" : "does not know");
		spill(f->data, data_now, k);
		spill(f->super, super, m);
		expect_damage(f, true, "does not know");
		spill(f->super, super_now, l);
		open_it(f, true);
		OK(verify(f));
		close_it(f);
		test_free(data_now);
		test_free(super_now);
	}
	spill(f->data, data, n); /* both: a store as it was, which is sound */
	spill(f->super, super, m);
	open_it(f, true);
	OK(verify(f));
	OK(push(f, "p/new"));
	test_free(data);
	test_free(super);
}

static void a_data_file_that_was_copied_alone_gets_a_superblock(void **state)
{
	struct fixture *f = *state;
	size_t n, page;
	uint8_t *whole;

	close_it(f);
	assert_int_equal(unlink(f->super), 0);
	open_it(f, false);
	OK(push(f, "p/new"));
	OK(verify(f));
	page = root_of(f, TS_DB_REFS);
	close_it(f);
	assert_int_equal(access(f->super, F_OK), 0);
	assert_int_equal(unlink(f->super), 0);
	whole = slurp(f->data, &n);
	memset(whole + page * 4096, 0, 4096);
	spill(f->data, whole, n);
	open_it(f, true); /* its sums lie in it, too */
	assert_int_equal(push(f, "p/other"), TS_DAMAGED);
	close_it(f);
	assert_int_equal(access(f->super, F_OK), -1);
	test_free(whole);
}

static void a_superblock_of_another_store_is_found(void **state)
{
	struct fixture *f = *state;
	uint8_t *super;
	size_t n;

	close_it(f);
	super = slurp(f->super, &n);
	for (int i = 0; i < 2; i++) {
		uint8_t *block = super + i * TS_SUPER_BLOCK, meta[TS_META_BYTES];
		struct ts_super_slot slot;
		struct ts_span held;

		assert_true(ts_super_parse(ts_span_of(block, TS_SUPER_BLOCK), &slot));
		assert_true(ts_held_parse(ts_span_of(block, TS_SUPER_BLOCK), slot.txn, &held));
		memcpy(meta, held.data, sizeof meta);
		slot.store[0] ^= 1;
		ts_super_pack(&slot, block);
		ts_held_pack(slot.txn, meta, block + TS_SUPER_HELD);
	}
	spill(f->super, super, n);
	expect_damage(f, true, "two stores");
	test_free(super);
}

/* Nothing is acknowledged that would lie in a file which nobody finds any more. */
static void a_file_that_goes_ends_acknowledgements(void **state)
{
	struct fixture *f = *state;
	char away[320];

	(void)snprintf(away, sizeof away, "%s.away", f->data);
	OK(push(f, "p/again"));
	assert_int_equal(rename(f->data, away), 0);
	assert_int_equal(push(f, "p/new"), TS_DAMAGED);
	assert_non_null(strstr(f->err.text, "removed or replaced"));
	assert_int_equal(rename(away, f->data), 0);
	assert_int_equal(push(f, "p/new"), TS_DAMAGED); /* who knows what happened meanwhile */
	close_it(f);
	open_it(f, true);
	OK(push(f, "p/new"));
	OK(verify(f));
	assert_int_equal(truncate(f->data, 5 * 4096), 0);
	assert_int_equal(push(f, "p/newer"), TS_DAMAGED);
	assert_int_equal(verify(f), TS_DAMAGED); /* a read behind the end is no SIGBUS */
	close_it(f);
	expect_damage(f, true, NULL);
}

/* Without lock.mdb nobody would keep the next process out while this one writes: neither goes on. */
static void a_lock_that_goes_ends_acknowledgements(void **state)
{
	struct fixture *f = *state;
	char lock[300], other[300], data[320];
	struct ts_engine *second;

	(void)snprintf(lock, sizeof lock, "%s/lock.mdb", f->dir);
	(void)snprintf(other, sizeof other, "%s/other", f->dir);
	(void)snprintf(data, sizeof data, "%s/data.mdb", other);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(link(f->data, data), 0);
	assert_int_equal(ts_lmdb_open(&(struct ts_lmdb_options){.path = other}, &second, &f->err), TS_CONFLICT);
	assert_non_null(strstr(f->err.text, "another lock.mdb"));
	assert_int_equal(push(f, "p/new"), TS_OK);

	assert_int_equal(unlink(lock), 0);
	assert_int_equal(push(f, "p/newer"), TS_DAMAGED);
	assert_non_null(strstr(f->err.text, "lock.mdb was removed"));
	close_it(f);
	open_it(f, false);
	assert_int_equal(push(f, "p/newer"), TS_OK);
	OK(verify(f));
	assert_int_equal(unlink(data), 0);
	test_remove_dir(other);
}

/* LMDB has mutexes and the number of the last transaction in lock.mdb: without them nothing is written, and what was stored is read. */
static void a_lock_that_is_cut_or_overwritten_ends_acknowledgements(void **state)
{
	struct fixture *f = *state;
	char lock[300];
	struct sigaction of_cmocka;
	struct stat st;

	assert_int_equal(sigaction(SIGBUS, &of_store, &of_cmocka), 0);
	(void)snprintf(lock, sizeof lock, "%s/lock.mdb", f->dir);
	assert_int_equal(stat(lock, &st), 0);
	for (int how = 0; how < 5; how++) {
		off_t ends[] = {0, 4096, st.st_size - 1};
		char name[32];
		size_t n;
		uint8_t *whole;

		(void)snprintf(name, sizeof name, "p/new%d", how);
		OK(push(f, name));
		whole = slurp(lock, &n);
		if (how < 3)
			assert_int_equal(truncate(lock, ends[how]), 0);
		memset(whole, how == 3 ? 0 : 0xa5, n);
		if (how >= 3)
			spill(lock, whole, n);
		test_free(whole);
		assert_int_equal(push(f, "p/newer"), TS_DAMAGED);
		assert_non_null(strstr(f->err.text, "lock.mdb was cut or overwritten"));
		OK(find(f, name));
		assert_int_equal(find(f, "p/newer"), TS_NOT_FOUND);
		assert_int_equal(verify(f), TS_DAMAGED);
		close_it(f);
		open_it(f, false);
		OK(verify(f));
	}
	assert_int_equal(sigaction(SIGBUS, &of_cmocka, NULL), 0);
}

/* A pipe would have whoever opens the store wait for ever. */
static void a_pipe_in_place_of_a_file_is_refused(void **state)
{
	struct fixture *f = *state;
	const char *files[] = {f->data, f->super};
	char was[320];

	close_it(f);
	for (int i = 0; i < 2; i++) {
		(void)snprintf(was, sizeof was, "%s.was", files[i]);
		assert_int_equal(rename(files[i], was), 0);
		assert_int_equal(mkfifo(files[i], 0600), 0);
		for (int read_only = 0; read_only < 2; read_only++) {
			const struct ts_lmdb_options options = {.path = f->dir, .read_only = read_only};

			assert_int_equal(ts_lmdb_open(&options, &f->e, &f->err), TS_INVALID);
			assert_non_null(strstr(f->err.text, "is not a regular file"));
		}
		assert_int_equal(rename(was, files[i]), 0);
	}
}

/* A page that is damaged while the store is open is found by who reads it, and by who would write there. */
static void damage_under_an_open_store_ends_writes(void **state)
{
	struct fixture *f = *state;
	uint8_t zeros[4096] = {0};
	struct ts_ref ref;
	uint64_t page;
	int fd = open(f->data, O_WRONLY | O_CLOEXEC);

	page = root_of(f, TS_DB_REFS);
	assert_int_equal(pwrite(fd, zeros, sizeof zeros, (off_t)page * 4096), sizeof zeros);
	assert_int_equal(push(f, "p/new"), TS_DAMAGED);
	assert_non_null(strstr(f->err.text, "names"));
	assert_int_equal(f->e->ops->ref_get(f->e, TS_REF_RUN, ts_span_str("p/1"), &f->arena, &ref, &f->err), TS_DAMAGED);
	(void)close(fd);
	close_it(f);
	expect_damage(f, false, NULL);
}

/* Of a sound store all is copied; of one without a page of names they come back by their logs; without an object's bytes its run is
 * lost, and only that. */
static void salvage_saves_what_is_sound_and_names_the_rest(void **state)
{
	struct fixture *f = *state;
	struct ts_note note = {.key = ts_span_str("tone"), .value = ts_span_str("good")};
	struct ts_span block = f->objects[5].bytes;
	struct ts_salvage_report report;
	struct ts_store_stats stats;
	struct ts_note *notes;
	char to[320];
	uint64_t page;
	uint8_t *whole;
	size_t n;

	OK(f->e->ops->note_put(f->e, ts_span_str("p/59"), &note, &f->err));
	page = root_of(f, TS_DB_REFS);
	close_it(f);
	(void)snprintf(to, sizeof to, "%s/saved", f->dir);
	OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
	assert_false(report.damaged);
	assert_true(report.names == 60 && report.objects == 720 && report.notes == 1 && report.entries == 60 && report.n_lost == 0);
	assert_int_equal(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err), TS_IO); /* it exists */
	test_remove_dir(to);

	whole = slurp(f->data, &n);
	memset(whole + page * 4096, 0x55, 4096);
	spill(f->data, whole, n);
	OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
	assert_true(report.damaged && report.names == 60 && report.objects == 720 && report.notes == 1);
	test_remove_dir(to);
	page = 0;
	for (const uint8_t *at = whole; (at = memmem(at, n - (size_t)(at - whole), block.data, block.len)); page++)
		whole[at++ - whole] ^= 1; /* a block of p/59 */
	assert_true(page > 0);
	spill(f->data, whole, n);
	OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
	assert_true(report.names == 59 && report.objects == 719 && report.notes == 0 && report.n_lost >= 3);
	close_it(f);
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = to}, &f->e, &f->err));
	OK(verify(f));
	OK(f->e->ops->stats(f->e, &stats, &f->err));
	assert_true(stats.refs == 59 && stats.objects == 719);
	OK(f->e->ops->note_log(f->e, ts_span_str("p/59"), &f->arena, &notes, &n, &f->err));
	assert_true(n == 1 && ts_span_is(notes[0].value, "good")); /* what notes were outlives their name */
	close_it(f);
	test_remove_dir(to);
	test_free(whole);
}

/* A table that nobody finds is not made again, though it has no records. */
static void a_table_whose_name_changed_is_missed(void **state)
{
	static const char name[] = "removed";
	struct fixture *f = *state;
	struct ts_salvage_report report;
	const uint8_t *at;
	uint8_t *whole;
	char to[320];
	size_t n;

	close_it(f);
	whole = slurp(f->data, &n);
	for (at = whole; (at = memmem(at, n - (size_t)(at - whole), name, sizeof name - 1)); at++)
		whole[at - whole] ^= 1;
	spill(f->data, whole, n);
	expect_damage(f, true, "lacks that of removed names");
	(void)snprintf(to, sizeof to, "%s/saved", f->dir);
	OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
	assert_true(report.damaged && report.names == 60 && report.n_lost == 0);
	test_remove_dir(to);
	test_free(whole);
}

/* Keys that are a number and a digest, and have a 0 where a removed name has one; the second has one in the place of its kind too. */
static enum ts_status put_sent(struct ts_write *w, void *ctx, struct ts_error *err)
{
	static const uint8_t keys[][40] = {{'r', 'x', 0, 0x80}, {0, 'p', '/', 'x', 0, 0x80}};

	(void)ctx;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct ts_buf record = TS_BUF_INIT(32);

		ts_buf_u64(&record, 1);
		if (ts_write_record(w, TS_DB_SENT, ts_span_of(keys[i], sizeof keys[i]), &record, err))
			return err->status;
	}
	return TS_OK;
}

/* What is of a table that is made anew is not taken for what its bytes happen to look like, where no tree says of which table it is. */
static void salvage_takes_no_digest_for_a_name(void **state)
{
	static const char table[] = "sent";
	struct fixture *f = *state;
	struct ts_salvage_report report;
	const uint8_t *at;
	uint8_t *whole;
	uint64_t page;
	char to[320];
	size_t n;

	OK(ts_store_write(ts_store_of(f->e), put_sent, NULL, 200, &f->err));
	page = root_of(f, TS_DB_REFS);
	close_it(f);
	whole = slurp(f->data, &n);
	for (at = whole; (at = memmem(at, n - (size_t)(at - whole), table, sizeof table - 1)); at++)
		whole[at - whole] ^= 1;
	memset(whole + page * 4096, 0x55, 4096);
	spill(f->data, whole, n);
	(void)snprintf(to, sizeof to, "%s/saved", f->dir);
	OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
	assert_true(report.damaged && report.names == 60 && report.removed == 0);
	OK(ts_lmdb_open(&(struct ts_lmdb_options){.path = to}, &f->e, &f->err));
	OK(verify(f));
	close_it(f);
	test_remove_dir(to);
	test_free(whole);
}

/* The first leaf of a table whose tree is two pages deep. */
static uint64_t first_leaf(const uint8_t *file, uint64_t root)
{
	const uint8_t *at = file + root * 4096;

	assert_int_equal(at[10], TS_PAGE_BRANCH);
	root = ts_load_u32(at + ts_load_le(at + 16, 2));
	assert_int_equal(file[root * 4096 + 10], TS_PAGE_LEAF);
	return root;
}

/* Each record has a checksum: of a page whose header is damaged all come back, and of one in which one record is, all others. */
static void salvage_takes_the_sound_records_of_a_damaged_page(void **state)
{
	struct fixture *f = *state;
	struct ts_salvage_report report;
	uint64_t root = root_of(f, TS_DB_OBJECTS);
	uint8_t *whole, *page;
	char to[320];
	size_t n;

	close_it(f);
	(void)snprintf(to, sizeof to, "%s/saved", f->dir);
	whole = slurp(f->data, &n);
	page = whole + 4096 * first_leaf(whole, root);
	memset(page + 10, 0x55, 6);
	spill(f->data, whole, n);
	OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
	assert_true(report.damaged && report.names == 60 && report.objects == 720);
	test_remove_dir(to);
	page[ts_load_le(page + 16, 2) + 8 + TS_ID_BYTES + 1] ^= 1;
	spill(f->data, whole, n);
	OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
	assert_true(report.damaged && report.objects == 719 && report.names == 59);
	test_remove_dir(to);
	test_free(whole);
}

/* Bytes of objects have no checksum by which they would be known for a record: a page that has the keys of packs, and no packs, is read
 * for none, also if its kind is damaged. */
static void salvage_takes_no_branch_for_a_leaf(void **state)
{
	struct fixture *f = *state;
	enum { MORE = 100 };
	struct ts_salvage_report report;
	uint8_t *whole, *page;
	char name[32], to[320];
	uint64_t root;
	size_t n;

	for (int i = 0; i < MORE; i++) {
		n = test_run(&f->arena, (uint64_t)(1000 + i), 1, f->objects);
		(void)snprintf(name, sizeof name, "q/%d", i);
		test_push(f->e, name, f->objects, n, i);
	}
	root = root_of(f, TS_DB_PACKS);
	close_it(f);
	(void)snprintf(to, sizeof to, "%s/saved", f->dir);
	whole = slurp(f->data, &n);
	page = whole + 4096 * root;
	assert_int_equal(page[10], TS_PAGE_BRANCH);
	assert_true(ts_load_le(page + 12, 2) >= 16 + 2 * 5);
	/* Of the last child: as the length of a record it lies within the page. */
	page[ts_load_le(page + ts_load_le(page + 12, 2) - 2, 2)] = 32;
	for (uint8_t kind = 0; kind < 4; kind++) {
		page[10] = kind;
		spill(f->data, whole, n);
		OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
		assert_true(report.damaged && report.names == 60 + MORE && report.n_lost == 0);
		test_remove_dir(to);
	}
	test_free(whole);
}

/* A page that no tree reaches tells nothing of a table that is whole: a record that was removed does not come back from it. */
static void salvage_takes_nothing_for_a_table_that_is_whole(void **state)
{
	static const char table[] = "sent";
	struct fixture *f = *state;
	struct ts_record token = {.key = ts_span_str("token/a"), .value = ts_span_str("as it was")};
	struct ts_salvage_report report;
	uint64_t stray, tokens, names;
	uint8_t *whole, kept[4096];
	char to[320];
	size_t n;

	OK(ts_store_write(ts_store_of(f->e), put_sent, NULL, 200, &f->err));
	stray = root_of(f, TS_DB_SENT);
	OK(f->e->ops->record_put(f->e, &token, NULL, &f->err));
	tokens = root_of(f, TS_DB_META);
	close_it(f);
	whole = slurp(f->data, &n);
	memcpy(kept, whole + tokens * 4096, sizeof kept);
	assert_non_null(memmem(kept, sizeof kept, "token/a", 7));
	test_free(whole);
	open_it(f, false);
	token.value.len = 0; /* removed */
	OK(f->e->ops->record_put(f->e, &token, NULL, &f->err));
	stray = root_of(f, TS_DB_SENT);
	names = root_of(f, TS_DB_REFS);
	close_it(f);
	whole = slurp(f->data, &n);
	for (uint8_t *at = whole; (at = memmem(at, n - (size_t)(at - whole), table, sizeof table - 1)); at++)
		*at ^= 1;
	memcpy(whole + stray * 4096, kept, sizeof kept);
	ts_store_u64(whole + stray * 4096, stray);
	memset(whole + names * 4096, 0x55, 4096);
	spill(f->data, whole, n);
	(void)snprintf(to, sizeof to, "%s/saved", f->dir);
	OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
	assert_true(report.damaged && report.names == 60 && report.records == 0);
	test_remove_dir(to);
	test_free(whole);
}

/* Whoever pushed the bytes of a token's record, one that was revoked, does not get it back by a salvage, wherever in the bytes of
 * objects it lies: in a damaged page of the tree of packs (0), or in a page that no tree reaches any more (1). */
static void salvage_takes_no_token_from_what_was_sent(void **state)
{
	struct fixture *f = *state;
	struct ts_record token = {.key = ts_span_str("token/a"), .value = ts_span_str("as it was")};
	uint8_t *whole, *page, *record, *sound, tokens[4096];
	struct ts_salvage_report report;
	uint64_t packs, meta;
	char to[320];
	size_t n, at, len;

	(void)snprintf(to, sizeof to, "%s/saved", f->dir);
	n = test_run(&f->arena, 1000, 1, f->objects);
	test_push(f->e, "p/small", f->objects, n, 1);
	OK(f->e->ops->record_put(f->e, &token, NULL, &f->err));
	meta = root_of(f, TS_DB_META);
	close_it(f);
	whole = slurp(f->data, &n);
	memcpy(tokens, whole + meta * 4096, sizeof tokens);
	record = memmem(tokens, sizeof tokens, "record/token/a", 14);
	assert_non_null(record);
	record -= 8;
	len = 8 + ts_load_le(record + 6, 2) + ts_load_le(record, 2);
	test_free(whole);
	open_it(f, false);
	token.value.len = 0; /* revoked */
	OK(f->e->ops->record_put(f->e, &token, NULL, &f->err));
	packs = root_of(f, TS_DB_PACKS);
	meta = root_of(f, TS_DB_META);
	close_it(f);
	sound = slurp(f->data, &n);
	for (int where = 0; where < 2; where++) {
		whole = slurp(f->data, &n);
		page = whole + packs * 4096;
		assert_int_equal(page[10], TS_PAGE_LEAF);
		if (where == 0) {
			at = ts_load_le(page + ts_load_le(page + 12, 2) - 2, 2);
			assert_true(page[at + 4] == 0 && ts_load_le(page + at, 2) > len + 4); /* a pack in the leaf itself */
			at += 16;
			memcpy(page + at, record, len);
			page[at + len + len % 2] = (uint8_t)at;
			page[at + len + len % 2 + 1] = (uint8_t)(at >> 8);
			page[12] ^= 2;
		} else {
			at = ts_load_le(page + ts_load_le(page + 16, 2) + 16, 8); /* the page of the first pack */
			memcpy(whole + at * 4096, tokens, sizeof tokens);
			ts_store_u64(whole + at * 4096, at);
			memset(page, 0, 4096);
		}
		memset(whole + meta * 4096, 0, 4096);
		spill(f->data, whole, n);
		OK(ts_lmdb_salvage(f->dir, to, &f->arena, &report, &f->err));
		assert_true(report.damaged && report.n_lost > 0);
		assert_int_equal(report.records, 0);
		test_remove_dir(to);
		spill(f->data, sound, n);
		test_free(whole);
	}
	test_free(sound);
}

static int lose_a_log(MDB_txn *txn)
{
	uint8_t room[TS_LOG_KEY_MAX];
	struct ts_span key = ts_log_key(TS_REF_RUN, ts_span_str("p/7"), 1, room);
	MDB_val k = ts_val_of(key);
	MDB_dbi dbi;
	int rc = mdb_dbi_open(txn, "log", 0, &dbi);

	return rc ? rc : mdb_del(txn, dbi, &k, NULL);
}

static int lose_a_name(MDB_txn *txn)
{
	uint8_t room[TS_REF_KEY_MAX];
	struct ts_span key = ts_ref_key(TS_REF_RUN, ts_span_str("p/7"), room);
	MDB_val k = ts_val_of(key);
	MDB_dbi dbi;
	int rc = mdb_dbi_open(txn, "refs", 0, &dbi);

	return rc ? rc : mdb_del(txn, dbi, &k, NULL);
}

/* A store that was made before has no sums that would say so, but its tables speak of each other. */
static void what_one_table_has_and_another_lacks_is_found(void **state)
{
	struct fixture *f = *state;
	int (*const losses[])(MDB_txn * txn) = {lose_a_log, lose_a_name};
	struct ts_verify_report report;
	uint8_t *whole;
	size_t n;

	close_it(f);
	whole = slurp(f->data, &n);
	for (int i = 0; i < 2; i++) {
		spill(f->data, whole, n);
		test_make_old(f->dir, 2, losses[i]);
		open_it(f, false);
		OK(f->e->ops->verify(f->e, NULL, &f->arena, &report, &f->err));
		assert_int_equal(report.records, i == 0 ? 1 : 2); /* of a name its log, and its place in the order */
		assert_int_equal(push(f, "p/new"), TS_DAMAGED);
		close_it(f);
		open_it(f, false);
		assert_int_equal(push(f, "p/new"), TS_DAMAGED); /* opening does not look there, and knows it all the same */
		OK(f->e->ops->verify(f->e, NULL, &f->arena, &report, &f->err));
		assert_int_equal(report.records, i == 0 ? 1 : 2);
		close_it(f);
	}
	test_free(whole);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Opening the first store of a process makes its handler of SIGBUS, over which cmocka lays its own for each test. */
static void keep_handler(void)
{
	struct ts_engine *e;
	struct ts_error err;
	char dir[256];

	test_make_dir(dir, sizeof dir);
	if (ts_lmdb_open(&(struct ts_lmdb_options){.path = dir, .create = true}, &e, &err) == TS_OK)
		ts_engine_destroy(e);
	(void)sigaction(SIGBUS, NULL, &of_store);
	test_remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_page_is_held_to_the_sums),
		TEST(an_older_page_is_found),
		TEST(a_lost_file_is_never_begun_anew),
		TEST(an_older_data_file_or_superblock_is_found),
		TEST(a_data_file_that_was_copied_alone_gets_a_superblock),
		TEST(a_superblock_of_another_store_is_found),
		TEST(a_file_that_goes_ends_acknowledgements),
		TEST(damage_under_an_open_store_ends_writes),
		TEST(salvage_saves_what_is_sound_and_names_the_rest),
		TEST(a_lock_that_goes_ends_acknowledgements),
		TEST(a_lock_that_is_cut_or_overwritten_ends_acknowledgements),
		TEST(a_pipe_in_place_of_a_file_is_refused),
		TEST(salvage_takes_no_digest_for_a_name),
		TEST(salvage_takes_the_sound_records_of_a_damaged_page),
		TEST(salvage_takes_no_branch_for_a_leaf),
		TEST(salvage_takes_nothing_for_a_table_that_is_whole),
		TEST(salvage_takes_no_token_from_what_was_sent),
		TEST(what_one_table_has_and_another_lacks_is_found),
		TEST(a_table_whose_name_changed_is_missed),
	};

	keep_handler();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
