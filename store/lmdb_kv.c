/* lmdb_kv.c - reads, walks and writes of LMDB, as the store's logic asks for them, and the cache. */
#include "store/lmdb_internal.h"

#include "base/alloc.h"

enum { CACHE_ON_DISK_MAX = 256 << 20 };

static struct ts_span span_of(MDB_val val)
{
	return ts_span_of(val.mv_data, val.mv_size);
}

static struct ts_lmdb_txn *txn_of(struct ts_read r)
{
	return r.txn;
}

/* ---- reading ---- */

/* What a read of a snapshot came to. A page that is damaged ends all writes. */
static enum ts_status seen(struct ts_read r, enum ts_db db, int rc, bool *ret_found, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(r.kv);

	*ret_found = rc == 0;
	if (rc == 0 || rc == MDB_NOTFOUND)
		return TS_OK;
	if (rc == MDB_CORRUPTED)
		ts_env_condemn_page(env, txn_of(r)->view.pages.bad, db);
	return ts_env_error(env, rc, err);
}

static enum ts_status lmdb_begin(struct ts_kv *kv, bool wait, struct ts_read *ret, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	struct ts_lmdb_txn *txn;

	if (wait && ts_env_begin(env, false, &txn, err))
		return err->status;
	if (!wait && !ts_env_try_read(env, &txn))
		return ts_error_set(err, TS_UNAVAILABLE, "%s cannot be read at once", kv->where);
	*ret = (struct ts_read){.kv = kv, .txn = txn};
	return TS_OK;
}

static void lmdb_end(struct ts_read *r)
{
	ts_env_abort(ts_env_of_kv(r->kv), r->txn);
}

/* A write sees what it has written, which LMDB knows. */
static int get_written(struct ts_lmdb_env *env, struct ts_lmdb_txn *t, enum ts_db db, struct ts_span key, struct ts_span *ret_value)
{
	MDB_val k = ts_val_of(key), v;
	int rc = ts_guard_key(env, t, db, key);

	if (!rc)
		rc = mdb_get(t->mdb, env->dbi[db], &k, &v);
	if (!rc)
		*ret_value = span_of(v);
	return rc;
}

static enum ts_status lmdb_get(struct ts_read r, enum ts_db db, struct ts_span key, struct ts_span *ret_value, bool *ret_found,
			       struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(r.kv);
	struct ts_lmdb_txn *t = txn_of(r);
	int rc;

	if (t->write)
		rc = env->dbi[db] == TS_NO_DBI ? MDB_NOTFOUND : get_written(env, t, db, key, ret_value);
	else
		rc = ts_tree_get(&t->view.pages, &t->view.roots[db], key, ret_value);
	return seen(r, db, rc, ret_found, err);
}

static enum ts_status lmdb_count(struct ts_read r, enum ts_db db, uint64_t *ret_n, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(r.kv);
	struct ts_lmdb_txn *t = txn_of(r);
	MDB_stat stat = {.ms_entries = 0};
	int rc = 0;

	if (!t->write) {
		*ret_n = t->view.roots[db].records;
		return TS_OK;
	}
	if (env->dbi[db] != TS_NO_DBI)
		rc = mdb_stat(t->mdb, env->dbi[db], &stat);
	*ret_n = stat.ms_entries;
	return rc ? ts_env_error(env, rc, err) : TS_OK;
}

/* Of a database that is not there there is no cursor, and a walk finds nothing. */
static enum ts_status lmdb_walk_begin(struct ts_walk *w, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(w->read.kv);
	struct ts_lmdb_txn *t = txn_of(w->read);
	MDB_cursor *cursor = NULL;
	struct ts_tree *tree;
	int rc = 0;

	if (t->write) {
		if (env->dbi[w->db] != TS_NO_DBI)
			rc = mdb_cursor_open(t->mdb, env->dbi[w->db], &cursor);
		w->at = cursor;
		return rc ? ts_env_error(env, rc, err) : TS_OK;
	}
	tree = ts_alloc_array(1, sizeof *tree);
	if (!tree)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory to walk over %s", ts_db_name(w->db));
	tree->pages = &t->view.pages;
	tree->root = t->view.roots[w->db];
	w->at = tree;
	return TS_OK;
}

static void lmdb_walk_end(struct ts_walk *w)
{
	if (txn_of(w->read)->write)
		mdb_cursor_close(w->at);
	else
		ts_free(w->at);
}

static int move_tree(struct ts_walk *w, enum ts_move move, struct ts_span key)
{
	struct ts_node node = {.page = 0};
	int rc;

	if (key.len == 0)
		rc = ts_tree_first(w->at, &node);
	else if (move == TS_MOVE_FROM)
		rc = ts_tree_from(w->at, key, &node);
	else if (move == TS_MOVE_BELOW)
		rc = ts_tree_below(w->at, key, &node);
	else
		rc = move == TS_MOVE_NEXT ? ts_tree_next(w->at, &node) : ts_tree_prev(w->at, &node);
	if (!rc) {
		w->key = node.key;
		w->value = node.value;
	}
	return rc;
}

static int move_written(struct ts_walk *w, enum ts_move move, struct ts_span key)
{
	static const MDB_cursor_op ops[] = {
		[TS_MOVE_FROM] = MDB_SET_RANGE, [TS_MOVE_BELOW] = MDB_SET_RANGE, [TS_MOVE_NEXT] = MDB_NEXT, [TS_MOVE_PREV] = MDB_PREV};
	MDB_val k = ts_val_of(key), v;
	int rc = ts_guard_key(ts_env_of_kv(w->read.kv), txn_of(w->read), w->db, key);

	if (rc)
		return rc;
	rc = mdb_cursor_get(w->at, &k, &v, key.len ? ops[move] : MDB_FIRST);
	if (move == TS_MOVE_BELOW && (rc == 0 || rc == MDB_NOTFOUND))
		rc = mdb_cursor_get(w->at, &k, &v, rc == 0 ? MDB_PREV : MDB_LAST);
	if (!rc) {
		w->key = span_of(k);
		w->value = span_of(v);
	}
	return rc;
}

static enum ts_status lmdb_walk_move(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	int rc = MDB_NOTFOUND;

	if (w->at)
		rc = txn_of(w->read)->write ? move_written(w, move, key) : move_tree(w, move, key);
	return seen(w->read, w->db, rc, ret_found, err);
}

/* ---- writing: each put and delete moves the sum of its table ---- */

static enum ts_status written(struct ts_write *w, int rc, struct ts_error *err)
{
	if (rc == 0)
		return TS_OK;
	w->rc = rc;
	return ts_env_error(ts_env_of_kv(w->kv), rc, err);
}

static void add(struct ts_lmdb_txn *t, enum ts_db db, struct ts_span key, struct ts_span value)
{
	t->sums[db].records++;
	t->sums[db].sum += ts_record_hash(db, key, value);
}

void ts_lmdb_settle(struct ts_lmdb_txn *t)
{
	if (!t->held_key_len)
		return;
	add(t, t->held_db, ts_span_of(t->held_key, t->held_key_len), t->held);
	t->held_key_len = 0;
}

/* Takes what lies under a key from the sums. */
static int subtract(struct ts_lmdb_env *env, struct ts_lmdb_txn *t, enum ts_db db, struct ts_span key)
{
	struct ts_span old;
	int rc;

	ts_lmdb_settle(t);
	rc = get_written(env, t, db, key, &old);
	if (rc || db >= TS_DBS)
		return rc == MDB_NOTFOUND ? 0 : rc;
	t->sums[db].records--;
	t->sums[db].sum -= ts_record_hash(db, key, old);
	return 0;
}

static void hold(struct ts_lmdb_txn *t, enum ts_db db, struct ts_span key, MDB_val room)
{
	if (db == TS_DB_PACKS) {
		add(t, db, key, span_of(room));
		return;
	}
	t->held = span_of(room);
	t->held_db = db;
	t->held_key_len = key.len;
	memcpy(t->held_key, key.data, key.len);
}

static enum ts_status lmdb_put(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, uint8_t **ret_room,
			       struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(w->kv);
	struct ts_lmdb_txn *t = w->txn;
	MDB_val k = ts_val_of(key), v = ts_val_of(value);
	int rc = subtract(env, t, db, key);

	if (!rc)
		rc = mdb_put(t->mdb, env->dbi[db], &k, &v, ret_room ? MDB_RESERVE : 0);
	if (written(w, rc, err))
		return err->status;
	if (!ret_room) {
		add(t, db, key, value);
		return TS_OK;
	}
	hold(t, db, key, v);
	*ret_room = v.mv_data;
	return TS_OK;
}

static enum ts_status lmdb_delete(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(w->kv);
	struct ts_lmdb_txn *t = w->txn;
	MDB_val k = ts_val_of(key);
	int rc = subtract(env, t, db, key);

	if (!rc)
		rc = mdb_del(t->mdb, env->dbi[db], &k, NULL);
	return written(w, rc == MDB_NOTFOUND ? 0 : rc, err);
}

/* ---- the cache: it is forgotten as a whole when it has grown large ---- */

static int write_cache(struct ts_lmdb_env *env, struct ts_lmdb_txn *t, MDB_txn *txn, const struct ts_idmap *waiting)
{
	MDB_dbi dbi = env->dbi[TS_DB_CACHE];
	MDB_stat stat;
	int rc = mdb_stat(txn, dbi, &stat);

	if (!rc && (stat.ms_leaf_pages + stat.ms_overflow_pages) * (size_t)stat.ms_psize > CACHE_ON_DISK_MAX) {
		rc = ts_guard_table(env, t, TS_DB_CACHE);
		if (!rc)
			rc = mdb_drop(txn, dbi, 0);
	}
	for (size_t i = 0; i < waiting->n && !rc; i++) {
		const struct ts_spare_value *value = waiting->items[i].value;
		struct ts_span id = ts_id_span(&waiting->items[i].id);
		MDB_val k = ts_val_of(id), v = ts_val_of(ts_span_of(value->bytes, value->len));

		rc = ts_guard_key(env, t, TS_DB_CACHE, id);
		if (!rc)
			rc = mdb_put(txn, dbi, &k, &v, 0);
	}
	return rc;
}

/* The writes are in a transaction inside the caller's, so that a failure here does not fail the caller's transaction. */
void ts_lmdb_cache_flush(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn)
{
	struct ts_idmap waiting;
	MDB_txn *child;

	ts_spare_take(&env->kv.spare, &waiting);
	if (waiting.n && mdb_txn_begin(env->mdb, txn->mdb, 0, &child) == 0) {
		if (write_cache(env, txn, child, &waiting))
			mdb_txn_abort(child);
		else
			(void)mdb_txn_commit(child);
	}
	ts_spare_drop(&waiting);
}

const struct ts_kv_ops ts_lmdb_kv = {
	.begin = lmdb_begin,
	.end = lmdb_end,
	.get = lmdb_get,
	.count = lmdb_count,
	.walk_begin = lmdb_walk_begin,
	.walk_move = lmdb_walk_move,
	.walk_end = lmdb_walk_end,
	.put = lmdb_put,
	.delete = lmdb_delete,
	.commit = ts_lane_run,
	.release = ts_env_release,
	.room = ts_reserve_check,
	.tidy = ts_env_check_readers,
	.file_bytes = ts_lmdb_file_bytes,
	.vitals = ts_lmdb_vitals,
	.backup = ts_lmdb_backup,
	.sound = ts_lmdb_sound,
	.place = ts_lmdb_place,
	.condemn = ts_lmdb_condemn,
};
