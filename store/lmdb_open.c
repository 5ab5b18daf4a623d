/* lmdb_open.c - looks at the files of a store before LMDB does, which begins an empty file anew and believes its metas; and opens
 * what is damaged without LMDB. */
#include "store/lmdb_internal.h"

#include "store/store_internal.h"

#include "base/cursor.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 + 32, WHAT_ROOM = 256, TRIES = 20, USER_TRIES = 20, USER_WAIT_MS = 100 };

enum ts_status ts_env_open_file(const struct ts_lmdb_env *env, const char *name, int flags, int *ret_fd, struct stat *ret_st,
				struct ts_error *err)
{
	char path[PATH_ROOM];
	int fd;

	(void)snprintf(path, sizeof path, "%.4095s/%s", env->path, name);
	fd = open(path, flags | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for a writer */
	if (fd < 0)
		return ts_error_errno(err, errno, "%s", path);
	if (fstat(fd, ret_st) != 0 || !S_ISREG(ret_st->st_mode)) {
		(void)close(fd);
		return ts_error_set(err, TS_INVALID, "%s is not a regular file", path);
	}
	*ret_fd = fd;
	return TS_OK;
}

enum ts_status ts_data_open(struct ts_lmdb_env *env, struct ts_error *err)
{
	struct stat st;

	if (env->data_fd >= 0)
		return TS_OK;
	if (ts_env_open_file(env, "data.mdb", O_RDONLY, &env->data_fd, &st, err))
		return err->status;
	env->data_dev = st.st_dev;
	env->data_ino = st.st_ino;
	env->data_size = st.st_size;
	return TS_OK;
}

/* ---- what the files say while another process may write ---- */

struct look {
	struct ts_lmdb_env *env;
	uint64_t size; /* of the data file */
	struct ts_lmdb_view view;
	struct ts_super_slot slot;
	char what[WHAT_ROOM]; /* the damage */
};

static bool found(struct look *l, const char *what)
{
	(void)snprintf(l->what, sizeof l->what, "%s", what);
	return false;
}

/* Finds the view of the newer meta. */
static bool look_at_metas(struct look *l)
{
	const uint8_t *file = ts_map_get(l->env, l->size);
	bool both;

	if (!file || !ts_metas_find(file, l->size, &l->view.meta, &both))
		return found(l, "data.mdb has none of the two pages that say where its tables are");
	if (!both)
		return found(l, "one of the two pages of data.mdb that say where its tables are is not what was written");
	l->view.number = l->view.meta.txn;
	l->view.pages = (struct ts_pages){.at = file, .n = l->size / l->view.meta.page_size, .size = l->view.meta.page_size};
	if (ts_roots_find(&l->view.pages, &l->view.meta, l->view.roots))
		return found(l, "the list of tables in data.mdb is not what was written");
	return true;
}

/* Holds the newer meta to the slots. */
static bool look_at_slots(struct look *l)
{
	const uint8_t *file = l->view.pages.at;
	uint64_t txn = l->view.number;
	uint8_t meta[TS_META_BYTES];
	struct ts_super_slot next;
	bool held;

	if (ts_super_slot_of(l->env, txn + 1, &next, meta, &held) && held)
		return found(l, "data.mdb has gone back by a transaction that was acknowledged");
	if (!ts_super_slot_of(l->env, txn, &l->slot, meta, &held))
		return found(l, "the superblock does not know the last transaction of data.mdb");
	if (held && memcmp(meta, file + txn % 2 * l->view.pages.size + TS_META_AT, TS_META_BYTES) != 0)
		return found(l, "the page of data.mdb that says where its tables are is not what was written");
	return true;
}

/* Holds the tables' counts to the slot, and its store to that of the data file. */
static bool look_at_tables(struct look *l)
{
	struct ts_lmdb_view *v = &l->view;
	struct ts_span key = ts_span_str(TS_STORE_KEY), stored, id;
	struct ts_error damage;

	for (int db = 0; db < TS_DBS; db++) {
		uint64_t records = v->roots[db].records;

		if (ts_tree_get(&v->pages, &v->meta.main, ts_span_str(ts_db_name((enum ts_db)db)), &stored)) {
			if (!(l->slot.known >> db & 1)) /* it is made when the store is upgraded */
				continue;
			(void)snprintf(l->what, sizeof l->what, "the list of tables in data.mdb lacks that of %s",
				       ts_scan_word((unsigned)db));
			return false;
		}
		if (db == TS_DB_META && ts_tree_get(&v->pages, &v->roots[db], ts_span_str(TS_SUMS_KEY), &stored) == 0)
			records--;
		if (!ts_db_is_summed((enum ts_db)db) || records == l->slot.tables[db].records)
			continue;
		(void)snprintf(l->what, sizeof l->what, "data.mdb says that %s are %" PRIu64 " records, and the superblock %" PRIu64,
			       ts_scan_word((unsigned)db), records, l->slot.tables[db].records);
		return false;
	}
	if (l->slot.txn == 0)
		return true;
	if (ts_tree_get(&v->pages, &v->roots[TS_DB_META], key, &stored) || ts_check_split(key, stored, &id, &damage))
		return found(l, "data.mdb does not say which store it is of");
	if (!ts_span_eq(id, ts_span_of(l->slot.store, TS_STORE_ID)))
		return found(l, "superblock and data.mdb are of two stores");
	return true;
}

/* Format of the store; 0 if it has none yet, or none that can be read. */
static uint64_t format_of(struct look *l)
{
	struct ts_span key = ts_span_str("format"), stored, value;
	struct ts_error damage;

	if (ts_tree_get(&l->view.pages, &l->view.roots[TS_DB_META], key, &stored) || ts_check_split(key, stored, &value, &damage) ||
	    value.len != 8)
		return 0;
	return ts_load_le(value.data, 8);
}

/* LMDB leaves free pages at the end unwritten. What is missing must be such pages alone, before they are filled up. */
static bool look_at_end(struct look *l)
{
	struct ts_scan s = {.pages = l->view.pages, .meta = l->view.meta};
	struct ts_error err;
	bool sound = l->size / l->view.meta.page_size > l->view.meta.last || (ts_scan_run(&s, &err) == TS_OK && !s.bad);

	ts_scan_finish(&s);
	return sound || found(l, "data.mdb was cut: pages at its end are missing");
}

/* Whether a commit of this format ever was: before, the superblock may be one that was made while an older store was opened. */
static bool has_held(struct ts_lmdb_env *env)
{
	uint8_t meta[TS_META_BYTES];
	struct ts_super_slot slot;
	bool held = false, other = false;

	return (ts_super_last(env, 0, &slot, meta, &held) && held) || (ts_super_last(env, 1, &slot, meta, &other) && other);
}

static bool look_once(struct look *l)
{
	if (!look_at_metas(l) || !look_at_end(l))
		return false;
	if (l->env->super.fd < 0)
		return l->view.number > 0 || found(l, "data.mdb has no tables");
	if (l->view.number == 0 && !has_held(l->env))
		return true;
	if (format_of(l) > TS_STORE_FORMAT) /* which is said by who opens it */
		return true;
	if (format_of(l) < TS_STORE_HELD)
		return !has_held(l->env) || found(l, "the table of counters and tokens has gone, or gone back");
	return look_at_slots(l) && look_at_tables(l);
}

static bool look_at_data(struct look *l)
{
	struct stat st;

	for (int tries = 0; tries < TRIES; tries++) {
		if (fstat(l->env->data_fd, &st) == 0)
			l->size = (uint64_t)st.st_size;
		if (look_once(l))
			return true;
		ts_pause();
	}
	return false;
}

/* ---- a store of an older format ---- */

/* A process that has the store open, or -1 where none is found; 0: one that cannot be named here. LMDB holds a lock on the first byte
 * of lock.mdb as long as a store is open. Ours is not taken yet: to close the file would give it up. */
static pid_t user_of(struct ts_lmdb_env *env)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	char path[PATH_ROOM];
	bool taken;
	int fd;

	(void)snprintf(path, sizeof path, "%.4095s/lock.mdb", env->path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	taken = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	(void)close(fd);
	return taken ? lock.l_pid : -1;
}

static bool is_old(struct look *l)
{
	uint64_t format = format_of(l);

	return format && format < TS_STORE_FORMAT;
}

/* A program of the older format that goes on writing would not know what a commit of this one has to say, which is damage then. Another
 * program of today upgrades the store itself, in a moment. */
static enum ts_status wait_for_users(struct look *l, struct ts_error *err)
{
	const struct timespec moment = {.tv_nsec = USER_WAIT_MS * 1000000L};
	pid_t user;

	for (int tries = 0; is_old(l) && (user = user_of(l->env)) >= 0; tries++) {
		if (tries == USER_TRIES)
			return ts_error_set(err, TS_CONFLICT,
					    "%s: the store has format %" PRIu64 ", of which this tscope makes format %d; process %d, "
					    "which has the store open, would go on writing the older one: stop it first",
					    l->env->path, format_of(l), TS_STORE_FORMAT, (int)user);
		(void)nanosleep(&moment, NULL);
		if (!look_at_data(l)) {
			ts_env_condemn(l->env, TS_HARM_NOW, l->what);
			return TS_OK;
		}
	}
	return TS_OK;
}

/* ---- a store that is not there yet ---- */

static bool has_begun(struct ts_lmdb_env *env)
{
	uint8_t meta[TS_META_BYTES];
	struct ts_super_slot slot;
	bool held;

	return !ts_super_slot_of(env, 0, &slot, meta, &held) || (ts_super_slot_of(env, 1, &slot, meta, &held) && held);
}

static enum ts_status begin_store(struct ts_lmdb_env *env, bool create, bool *ret_fresh, struct ts_error *err)
{
	struct ts_super_slot slot = {.format = TS_STORE_FORMAT};

	if (!create)
		return ts_error_set(err, TS_NOT_FOUND, "there is no store at %s yet, only the beginning of one", env->path);
	*ret_fresh = true;
	if (env->super.fd >= 0)
		return TS_OK;
	return ts_system_random(slot.store, TS_STORE_ID, err) ? err->status : ts_super_make(env, &slot, err);
}

enum ts_status ts_files_look(struct ts_lmdb_env *env, bool create, bool *ret_fresh, struct ts_error *err)
{
	bool missing = ts_data_open(env, err) == TS_NOT_FOUND, has_super = env->super.fd >= 0;
	struct look l = {.env = env};
	char path[PATH_ROOM];

	(void)snprintf(path, sizeof path, "%.4095s/data.mdb", env->path);
	*ret_fresh = false;
	if (env->data_fd < 0 && !missing)
		return err->status;
	if (missing || env->data_size == 0) {
		if (has_super ? !has_begun(env) : missing)
			return begin_store(env, create, ret_fresh, err);
		ts_env_condemn(env, TS_HARM_NOW,
			       missing ? "data.mdb is missing beside its superblock"
				       : "data.mdb is empty, and a new store has no such file");
		return TS_OK;
	}
	if (atomic_load(&env->is_damaged))
		return TS_OK;
	if (look_at_data(&l))
		*ret_fresh = create && has_super && !has_begun(env);
	else if (create && has_super && !has_begun(env) && truncate(path, 0) == 0) /* LMDB was making the file when the power went */
		return begin_store(env, create, ret_fresh, err);
	else
		ts_env_condemn(env, TS_HARM_NOW, l.what);
	return env->mdb_read_only || atomic_load(&env->is_damaged) ? TS_OK : wait_for_users(&l, err);
}

/* ---- a damaged store ---- */

/* What one meta makes of the pages. */
struct sight {
	struct ts_lmdb_view view;
	unsigned unfit; /* tables that can be walked and are not what the superblock says */
	unsigned fit;	/* how many are */
};

static unsigned weigh(const struct ts_scan *s, const struct ts_super_slot *last, unsigned *ret_unfit)
{
	unsigned fit = 0;

	*ret_unfit = 0;
	for (int db = 0; db < TS_DBS; db++) {
		const struct ts_sum *now = &s->found[db], *was = &last->tables[db];

		if (s->lost[db] || !ts_db_is_summed((enum ts_db)db))
			continue;
		if (now->records == was->records && now->sum == was->sum)
			fit++;
		else
			*ret_unfit |= 1u << db;
	}
	return fit;
}

static void try_meta(const struct ts_meta *meta, const uint8_t *file, uint64_t size, const struct ts_super_slot *last,
		     struct sight *io_best)
{
	struct sight sight = {.view = {.number = TS_NO_PAGE, .meta = *meta}};
	struct ts_scan s = {.meta = *meta};
	struct ts_pages *p = &sight.view.pages;
	struct ts_error err;

	*p = (struct ts_pages){.at = file, .size = meta->page_size, .n = size / meta->page_size};
	if (p->n > meta->last + 1)
		p->n = meta->last + 1;
	if (ts_roots_find(p, meta, sight.view.roots))
		for (int db = 0; db < TS_DBS; db++) /* of page 1, which is of no tree: what asks for it is told of the damage */
			sight.view.roots[db] = (struct ts_root){.page = 1, .depth = 1};
	s.pages = *p;
	if (ts_scan_run(&s, &err) == TS_OK && last)
		sight.fit = weigh(&s, last, &sight.unfit);
	ts_scan_finish(&s);
	if (!io_best->view.pages.at || sight.fit > io_best->fit)
		*io_best = sight;
}

/* Of the metas that there are, in the data file and in the superblock, the one that makes most of what was written last. */
static struct sight best_sight(struct ts_lmdb_env *env, const uint8_t *file, uint64_t size)
{
	struct sight best = {.view = {.number = TS_NO_PAGE}};
	struct ts_super_slot slots[2], *last = NULL;
	uint8_t bytes[2][TS_META_BYTES];
	bool is_there[2], held[2] = {false, false}, both;
	struct ts_meta meta;

	for (uint64_t i = 0; i < 2; i++) {
		is_there[i] = ts_super_last(env, i, &slots[i], bytes[i], &held[i]);
		if (is_there[i] && (!last || (held[i] && slots[i].txn > last->txn)))
			last = &slots[i];
	}
	if (ts_metas_find(file, size, &meta, &both))
		try_meta(&meta, file, size, last, &best);
	for (int i = 0; i < 2; i++)
		if (held[i] && ts_meta_parse(ts_span_of(bytes[i], TS_META_BYTES), &meta))
			try_meta(&meta, file, size, last, &best);
	return best;
}

void ts_env_cold(struct ts_lmdb_env *env)
{
	const uint8_t *file = NULL;
	struct sight best = {.view = {.number = TS_NO_PAGE}};
	struct ts_error ignored;
	struct stat st = {.st_size = 0};

	ts_env_close(env);
	atomic_store(&env->cold, true);
	atomic_store(&env->scanned, true);
	if (ts_data_open(env, &ignored) == TS_OK && fstat(env->data_fd, &st) == 0 && st.st_size > 0)
		file = ts_map_get(env, (uint64_t)st.st_size);
	if (file)
		best = best_sight(env, file, (uint64_t)st.st_size);
	if (!best.view.pages.at)
		best.unfit = (1u << TS_DBS) - 1;
	env->seen = best.view;
	atomic_store(&env->unfit, best.unfit);
}
