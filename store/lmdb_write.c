/* lmdb_write.c - the operations of a write in its transaction: put, reserve, delete. */
#include "store/lmdb_internal.h"

static enum ts_status written(struct ts_write *w, int rc, struct ts_error *err)
{
	if (rc == 0)
		return TS_OK;
	w->rc = rc;
	return ts_env_error(w->env, rc, err);
}

static enum ts_status put(struct ts_write *w, enum ts_dbi db, struct ts_span key, MDB_val *v, unsigned flags,
			  struct ts_error *err)
{
	MDB_val k = ts_val_of(key);

	w->dirty = true;
	return written(w, mdb_put(w->txn, w->env->dbi[db], &k, v, flags), err);
}

enum ts_status ts_write_put(struct ts_write *w, enum ts_dbi db, struct ts_span key, struct ts_span value,
			    struct ts_error *err)
{
	MDB_val v = ts_val_of(value);

	return put(w, db, key, &v, 0, err);
}

enum ts_status ts_write_reserve(struct ts_write *w, enum ts_dbi db, struct ts_span key, size_t len, uint8_t **ret_at,
				struct ts_error *err)
{
	MDB_val v = {.mv_size = len};

	if (put(w, db, key, &v, MDB_RESERVE, err))
		return err->status;
	*ret_at = v.mv_data;
	return TS_OK;
}

enum ts_status ts_write_delete(struct ts_write *w, enum ts_dbi db, struct ts_span key, struct ts_error *err)
{
	MDB_val k = ts_val_of(key);
	int rc;

	w->dirty = true;
	rc = mdb_del(w->txn, w->env->dbi[db], &k, NULL);
	return written(w, rc == MDB_NOTFOUND ? 0 : rc, err);
}

enum ts_status ts_write_delete_prefix(struct ts_write *w, enum ts_dbi db, struct ts_span prefix, struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	if (ts_walk_begin(&walk, ts_read_of(w), db, err))
		return err->status;
	w->dirty = true;
	status = ts_walk_seek(&walk, prefix, &found, err);
	while (!status && found && ts_span_starts(walk.key, prefix)) {
		status = written(w, mdb_cursor_del(walk.cursor, 0), err);
		if (!status)
			status = ts_walk_seek(&walk, prefix, &found, err);
	}
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_write_u64(struct ts_write *w, const char *key, uint64_t value, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(64);
	enum ts_status status;

	ts_buf_u64(&buf, value);
	ts_check_append(&buf, ts_span_str(key));
	status = ts_buf_check(&buf, err);
	if (!status)
		status = ts_write_put(w, TS_DB_META, ts_span_str(key), ts_buf_view(&buf), err);
	ts_buf_finish(&buf);
	return status;
}
