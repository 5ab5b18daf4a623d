/* lmdb_txn.c - transactions: LMDB keeps the pages of a snapshot where they are, and says which write is next; what is read goes by
 * our own walk over these pages, and what is written is looked at before and noted in the superblock. */
#include "store/lmdb_internal.h"

#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/cursor.h"

#include <errno.h>
#include <unistd.h>

enum { TRIES = 20 };

int ts_view_find(struct ts_lmdb_env *env, uint64_t number, struct ts_lmdb_view *ret)
{
	struct ts_lmdb_view view = {.number = number};
	MDB_stat stat;
	const uint8_t *file;
	int rc = mdb_env_stat(env->mdb, &stat);

	if (rc)
		return rc;
	view.pages.size = stat.ms_psize;
	file = ts_map_get(env, 2 * (uint64_t)stat.ms_psize);
	if (!file)
		return ENOMEM;
	if (!ts_meta_parse(ts_span_of(file + number % 2 * view.pages.size + TS_META_AT, TS_META_BYTES), &view.meta) ||
	    view.meta.txn != number || view.meta.page_size != view.pages.size)
		return MDB_CORRUPTED;
	view.pages.n = view.meta.last + 1;
	view.pages.at = ts_map_get(env, view.pages.n * view.pages.size);
	if (!view.pages.at)
		return ENOMEM;
	rc = ts_roots_find(&view.pages, &view.meta, view.roots);
	if (!rc)
		*ret = view;
	return rc;
}

static int view_of(struct ts_lmdb_env *env, uint64_t number, struct ts_lmdb_view *ret)
{
	bool seen;
	int rc;

	pthread_mutex_lock(&env->look);
	seen = env->seen.number == number;
	if (seen)
		*ret = env->seen;
	pthread_mutex_unlock(&env->look);
	if (seen)
		return 0;
	rc = ts_view_find(env, number, ret);
	if (rc)
		return rc;
	pthread_mutex_lock(&env->look);
	if (!atomic_load(&env->cold))
		env->seen = *ret;
	pthread_mutex_unlock(&env->look);
	return 0;
}

/* Holds the sums of the superblock to the transaction on which a write builds. */
static int load_sums(struct ts_lmdb_env *env, struct ts_lmdb_txn *t)
{
	struct ts_lmdb_super *super = &env->super;
	uint8_t meta[TS_META_BYTES];
	struct ts_super_slot slot;
	bool held;

	if (!super->known || super->txn != t->view.number) {
		if (!ts_super_slot_of(env, t->view.number, &slot, meta, &held) || memcmp(slot.store, super->store, TS_STORE_ID) != 0) {
			ts_env_condemn(env, TS_HARM_NOW, "the superblock does not know the last transaction of data.mdb");
			return MDB_CORRUPTED;
		}
		super->known = true;
		super->txn = slot.txn;
		memcpy(super->sums, slot.tables, sizeof super->sums);
	}
	memcpy(t->sums, super->sums, sizeof t->sums);
	return 0;
}

static void drop(struct ts_lmdb_txn *t)
{
	ts_free(t->checked);
	ts_map_finish(&t->by_page);
	ts_free(t);
}

/* Finishes what LMDB began. A reader's transaction has a meta as long as two commits do not come between: then it begins anew. */
static int look(struct ts_lmdb_env *env, struct ts_lmdb_txn *t)
{
	uint64_t number = (uint64_t)mdb_txn_id(t->mdb) - t->write;
	int rc;

	if (!t->write)
		return view_of(env, number, &t->view);
	rc = ts_files_check(env);
	if (!rc)
		rc = view_of(env, number, &t->view);
	if (rc == MDB_CORRUPTED)
		ts_env_condemn(env, TS_HARM_NOW, "the list of tables in data.mdb is not what was written");
	if (!rc)
		rc = load_sums(env, t);
	return rc ? rc : ts_guard_commit(env, t);
}

/* Of a damaged store, a snapshot is what opening found, and without lock.mdb what was committed last. */
static bool is_cold(struct ts_lmdb_env *env, struct ts_lmdb_txn *t)
{
	ts_lock_check(env);
	if (t->write || !atomic_load(&env->cold))
		return false;
	t->view = env->seen;
	return true;
}

static int begin_once(struct ts_lmdb_env *env, struct ts_lmdb_txn *t)
{
	int rc = MDB_PANIC;

	pthread_rwlock_rdlock(&env->map);
	if (is_cold(env, t)) {
		pthread_rwlock_unlock(&env->map);
		return 0;
	}
	if (t->write && atomic_load(&env->is_damaged))
		rc = MDB_CORRUPTED;
	else if (env->mdb)
		rc = mdb_txn_begin(env->mdb, NULL, t->write ? 0 : MDB_RDONLY, &t->mdb);
	if (!rc) {
		rc = look(env, t);
		if (!rc)
			return 0;
		mdb_txn_abort(t->mdb);
	}
	pthread_rwlock_unlock(&env->map);
	return rc;
}

/* A table that looks sound and is not what was written is read by nobody: of page 1, which is of no tree, who asks is told of the
 * damage. What lists show of metrics is absent then, and nobody misses it. */
static void hide_unfit(struct ts_lmdb_env *env, struct ts_lmdb_view *view)
{
	static const struct ts_root none = {.page = TS_NO_PAGE}, damaged = {.page = 1, .depth = 1};
	unsigned unfit = atomic_load(&env->unfit);

	for (int db = 0; unfit && db < TS_DBS; db++)
		if (unfit >> db & 1)
			view->roots[db] = db == TS_DB_EXTRACTS ? none : damaged;
}

/* Repairs what kept a transaction from beginning, while no transaction of this process is open. Returns 0 to try again. */
static int mend(struct ts_lmdb_env *env, int rc)
{
	int dead;

	pthread_rwlock_wrlock(&env->map);
	if (rc == MDB_MAP_RESIZED)
		rc = mdb_env_set_mapsize(env->mdb, 0);
	else if (rc == MDB_READERS_FULL)
		rc = mdb_reader_check(env->mdb, &dead) ? rc : 0;
	else if (rc == MDB_PANIC)
		rc = ts_env_reopen(env);
	pthread_rwlock_unlock(&env->map);
	return rc;
}

static int begin(struct ts_lmdb_env *env, struct ts_lmdb_txn *t)
{
	int rc = 0;

	for (int tries = 0, mended = 0; tries < TRIES; tries++) {
		rc = begin_once(env, t);
		if (rc == 0)
			return 0;
		if (rc == MDB_CORRUPTED && !t->write && !atomic_load(&env->is_damaged))
			ts_pause();
		else if (rc == MDB_CORRUPTED || ++mended == 3 || mend(env, rc))
			return rc;
	}
	if (rc == MDB_CORRUPTED)
		ts_env_condemn(env, TS_HARM_NOW, "the list of tables in data.mdb is not what was written");
	return rc;
}

enum ts_status ts_env_begin(struct ts_lmdb_env *env, bool write, struct ts_lmdb_txn **ret_txn, struct ts_error *err)
{
	struct ts_lmdb_txn *t;
	int rc;

	if (write && !atomic_load(&env->scanned) && ts_env_scan(env, false, err))
		return err->status;
	if (write && atomic_load(&env->is_damaged))
		return ts_env_damage(env, err);
	t = ts_alloc_array(1, sizeof *t);
	if (!t)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a transaction");
	t->write = write;
	rc = begin(env, t);
	if (rc) {
		drop(t);
		return ts_env_error(env, rc, err);
	}
	hide_unfit(env, &t->view);
	*ret_txn = t;
	return TS_OK;
}

bool ts_env_try_read(struct ts_lmdb_env *env, struct ts_lmdb_txn **ret_txn)
{
	struct ts_lmdb_txn *t;

	if (pthread_rwlock_tryrdlock(&env->map))
		return false;
	t = ts_alloc_array(1, sizeof *t);
	if (t && is_cold(env, t)) {
		hide_unfit(env, &t->view);
		pthread_rwlock_unlock(&env->map);
		*ret_txn = t;
		return true;
	}
	if (t && env->mdb && mdb_txn_begin(env->mdb, NULL, MDB_RDONLY, &t->mdb) == 0) {
		if (look(env, t) == 0) {
			hide_unfit(env, &t->view);
			*ret_txn = t;
			return true;
		}
		mdb_txn_abort(t->mdb);
	}
	pthread_rwlock_unlock(&env->map);
	ts_free(t);
	return false;
}

void ts_env_abort(struct ts_lmdb_env *env, struct ts_lmdb_txn *t)
{
	if (t->mdb) {
		mdb_txn_abort(t->mdb);
		pthread_rwlock_unlock(&env->map);
	}
	drop(t);
}

int ts_env_commit(struct ts_lmdb_env *env, struct ts_lmdb_txn *t)
{
	int rc;

	ts_lmdb_settle(t);
	rc = ts_super_before(env, t);
	if (!rc && !ts_lock_is_whole(env)) {
		ts_lock_lost(env);
		rc = MDB_CORRUPTED;
	}
	if (rc) {
		mdb_txn_abort(t->mdb);
	} else {
		rc = mdb_txn_commit(t->mdb);
		if (!rc)
			ts_super_after(env, t);
		if (!rc)
			rc = ts_files_check(env);
	}
	pthread_rwlock_unlock(&env->map);
	drop(t);
	return rc;
}

bool ts_lmdb_moment(struct ts_read r, uint8_t out[TS_MOMENT])
{
	const struct ts_lmdb_env *env = ts_env_of_kv(r.kv);

	if (r.kv->ops != &ts_lmdb_kv)
		return false;
	memcpy(out, env->super.store, TS_STORE_ID);
	ts_store_u64(out + TS_STORE_ID, ((const struct ts_lmdb_txn *)r.txn)->view.number);
	return true;
}
