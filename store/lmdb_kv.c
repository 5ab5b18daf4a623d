/* lmdb_kv.c - reads, walks and writes of LMDB, as the store's logic asks for them, and the cache. */
#include "store/lmdb_internal.h"

enum { CACHE_ON_DISK_MAX = 256 << 20 };

static struct ts_span span_of(MDB_val val)
{
	return ts_span_of(val.mv_data, val.mv_size);
}

/* ---- reading ---- */

static enum ts_status lmdb_begin(struct ts_kv *kv, bool wait, struct ts_read *ret, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	MDB_txn *txn;

	if (wait && ts_env_begin(env, MDB_RDONLY, &txn, err))
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

static enum ts_status lmdb_get(struct ts_read r, enum ts_db db, struct ts_span key, struct ts_span *ret_value, bool *ret_found,
			       struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(r.kv);
	MDB_val k = ts_val_of(key);
	MDB_val v;
	int rc = env->dbi[db] == TS_NO_DBI ? MDB_NOTFOUND : mdb_get(r.txn, env->dbi[db], &k, &v);

	if (rc == 0)
		*ret_value = span_of(v);
	*ret_found = rc == 0;
	return rc && rc != MDB_NOTFOUND ? ts_env_error(env, rc, err) : TS_OK;
}

static enum ts_status lmdb_count(struct ts_read r, enum ts_db db, uint64_t *ret_n, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(r.kv);
	MDB_stat stat = {.ms_entries = 0};
	int rc = env->dbi[db] == TS_NO_DBI ? 0 : mdb_stat(r.txn, env->dbi[db], &stat);

	*ret_n = stat.ms_entries;
	return rc ? ts_env_error(env, rc, err) : TS_OK;
}

/* Of a database that is not there there is no cursor, and a walk finds nothing. */
static enum ts_status lmdb_walk_begin(struct ts_walk *w, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(w->read.kv);
	MDB_cursor *cursor = NULL;
	int rc = env->dbi[w->db] == TS_NO_DBI ? 0 : mdb_cursor_open(w->read.txn, env->dbi[w->db], &cursor);

	if (rc)
		return ts_env_error(env, rc, err);
	w->at = cursor;
	return TS_OK;
}

static void lmdb_walk_end(struct ts_walk *w)
{
	mdb_cursor_close(w->at);
}

static enum ts_status lmdb_walk_move(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	static const MDB_cursor_op ops[] = {
		[TS_MOVE_FROM] = MDB_SET_RANGE, [TS_MOVE_BELOW] = MDB_SET_RANGE, [TS_MOVE_NEXT] = MDB_NEXT, [TS_MOVE_PREV] = MDB_PREV};
	MDB_val k = ts_val_of(key), v;
	int rc = MDB_NOTFOUND;

	if (w->at)
		rc = mdb_cursor_get(w->at, &k, &v, key.len ? ops[move] : MDB_FIRST);
	if (w->at && move == TS_MOVE_BELOW && (rc == 0 || rc == MDB_NOTFOUND))
		rc = mdb_cursor_get(w->at, &k, &v, rc == 0 ? MDB_PREV : MDB_LAST);
	*ret_found = rc == 0;
	if (rc)
		return rc == MDB_NOTFOUND ? TS_OK : ts_env_error(ts_env_of_kv(w->read.kv), rc, err);
	w->key = span_of(k);
	w->value = span_of(v);
	return TS_OK;
}

/* ---- writing ---- */

static enum ts_status written(struct ts_write *w, int rc, struct ts_error *err)
{
	if (rc == 0)
		return TS_OK;
	w->rc = rc;
	return ts_env_error(ts_env_of_kv(w->kv), rc, err);
}

static enum ts_status lmdb_put(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, uint8_t **ret_room,
			       struct ts_error *err)
{
	MDB_val k = ts_val_of(key);
	MDB_val v = ts_val_of(value);

	if (written(w, mdb_put(w->txn, ts_env_of_kv(w->kv)->dbi[db], &k, &v, ret_room ? MDB_RESERVE : 0), err))
		return err->status;
	if (ret_room)
		*ret_room = v.mv_data;
	return TS_OK;
}

static enum ts_status lmdb_delete(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_error *err)
{
	MDB_val k = ts_val_of(key);
	int rc = mdb_del(w->txn, ts_env_of_kv(w->kv)->dbi[db], &k, NULL);

	return written(w, rc == MDB_NOTFOUND ? 0 : rc, err);
}

/* ---- the cache: it is forgotten as a whole when it has grown large ---- */

static int write_cache(struct ts_lmdb_env *env, MDB_txn *txn, const struct ts_idmap *waiting)
{
	MDB_dbi dbi = env->dbi[TS_DB_CACHE];
	MDB_stat stat;
	int rc = mdb_stat(txn, dbi, &stat);

	if (!rc && (stat.ms_leaf_pages + stat.ms_overflow_pages) * (size_t)stat.ms_psize > CACHE_ON_DISK_MAX)
		rc = mdb_drop(txn, dbi, 0);
	for (size_t i = 0; i < waiting->cap && !rc; i++) {
		const struct ts_spare_value *value = waiting->slots[i].value;
		MDB_val k = ts_val_of(ts_id_span(&waiting->slots[i].id)), v;

		if (!value)
			continue;
		v = ts_val_of(ts_span_of(value->bytes, value->len));
		rc = mdb_put(txn, dbi, &k, &v, 0);
	}
	return rc;
}

/* The writes are in a transaction inside the caller's, so that a failure here does not fail the caller's transaction. */
void ts_lmdb_cache_flush(struct ts_lmdb_env *env, MDB_txn *txn)
{
	struct ts_idmap waiting;
	MDB_txn *child;

	ts_spare_take(&env->kv.spare, &waiting);
	if (waiting.used && mdb_txn_begin(env->mdb, txn, 0, &child) == 0) {
		if (write_cache(env, child, &waiting))
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
};
