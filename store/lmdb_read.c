/* lmdb_read.c - read transactions, walks over keys, and the checksum at the end of each record. */
#include "store/lmdb_internal.h"

#include "base/budget.h"
#include "base/cursor.h"

#include <xxhash.h>

static struct ts_span span_of(MDB_val val)
{
	return ts_span_of(val.mv_data, val.mv_size);
}

enum ts_status ts_read_begin(struct ts_lmdb_env *env, struct ts_read *ret, struct ts_error *err)
{
	struct ts_read r = {.env = env};

	if (ts_env_begin(env, MDB_RDONLY, &r.txn, err))
		return err->status;
	*ret = r;
	return TS_OK;
}

bool ts_read_try(struct ts_lmdb_env *env, struct ts_read *ret)
{
	struct ts_read r = {.env = env};

	if (!ts_env_try_read(env, &r.txn))
		return false;
	*ret = r;
	return true;
}

void ts_read_end(struct ts_read *r)
{
	ts_env_abort(r->env, r->txn);
}

enum ts_status ts_read_get(struct ts_read r, enum ts_dbi db, struct ts_span key, struct ts_span *ret_value, bool *ret_found,
			   struct ts_error *err)
{
	MDB_val k = ts_val_of(key);
	MDB_val v;
	int rc = mdb_get(r.txn, r.env->dbi[db], &k, &v);

	if (rc == 0)
		*ret_value = span_of(v);
	*ret_found = rc == 0;
	return rc && rc != MDB_NOTFOUND ? ts_env_error(r.env, rc, err) : TS_OK;
}

enum ts_status ts_walk_begin(struct ts_walk *w, struct ts_read r, enum ts_dbi db, struct ts_error *err)
{
	int rc;

	*w = (struct ts_walk){.read = r};
	rc = mdb_cursor_open(r.txn, r.env->dbi[db], &w->cursor);
	return rc ? ts_env_error(r.env, rc, err) : TS_OK;
}

void ts_walk_end(struct ts_walk *w)
{
	mdb_cursor_close(w->cursor);
}

static enum ts_status move(struct ts_walk *w, MDB_val *k, MDB_cursor_op op, bool *ret_found, struct ts_error *err)
{
	MDB_val v;
	int rc;

	if (ts_budget_check(err))
		return err->status;
	rc = mdb_cursor_get(w->cursor, k, &v, op);
	*ret_found = rc == 0;
	if (rc == 0) {
		w->key = span_of(*k);
		w->value = span_of(v);
	}
	return rc && rc != MDB_NOTFOUND ? ts_env_error(w->read.env, rc, err) : TS_OK;
}

enum ts_status ts_walk_seek(struct ts_walk *w, struct ts_span from, bool *ret_found, struct ts_error *err)
{
	MDB_val k = ts_val_of(from);

	return move(w, &k, from.len ? MDB_SET_RANGE : MDB_FIRST, ret_found, err);
}

enum ts_status ts_walk_seek_below(struct ts_walk *w, struct ts_span below, bool *ret_found, struct ts_error *err)
{
	MDB_val k = ts_val_of(below);

	if (move(w, &k, MDB_SET_RANGE, ret_found, err))
		return err->status;
	return move(w, &k, *ret_found ? MDB_PREV : MDB_LAST, ret_found, err);
}

enum ts_status ts_walk_next(struct ts_walk *w, bool *ret_found, struct ts_error *err)
{
	MDB_val k;

	return move(w, &k, MDB_NEXT, ret_found, err);
}

enum ts_status ts_walk_prev(struct ts_walk *w, bool *ret_found, struct ts_error *err)
{
	MDB_val k;

	return move(w, &k, MDB_PREV, ret_found, err);
}

uint64_t ts_read_count(struct ts_read r, enum ts_dbi db)
{
	MDB_stat stat;

	return mdb_stat(r.txn, r.env->dbi[db], &stat) ? 0 : stat.ms_entries;
}

static uint32_t check_of(struct ts_span key, struct ts_span value)
{
	return (uint32_t)XXH3_64bits_withSeed(value.data, value.len, XXH3_64bits(key.data, key.len));
}

void ts_check_append(struct ts_buf *buf, struct ts_span key)
{
	ts_buf_u32(buf, check_of(key, ts_buf_view(buf)));
}

enum ts_status ts_check_split(struct ts_span key, struct ts_span stored, struct ts_span *ret_value, struct ts_error *err)
{
	struct ts_span value;

	if (stored.len < 4)
		return ts_error_set(err, TS_DAMAGED, "a record of %zu bytes", stored.len);
	value = ts_span_of(stored.data, stored.len - 4);
	if (check_of(key, value) != (uint32_t)ts_load_le(stored.data + value.len, 4))
		return ts_error_set(err, TS_DAMAGED, "the checksum of a record of %zu bytes is wrong", stored.len);
	*ret_value = value;
	return TS_OK;
}

enum ts_status ts_read_u64(struct ts_read r, const char *key, uint64_t *ret_value, struct ts_error *err)
{
	struct ts_span k = ts_span_str(key);
	struct ts_span stored;
	struct ts_span value;
	bool found;

	if (ts_read_get(r, TS_DB_META, k, &stored, &found, err))
		return err->status;
	if (!found) {
		*ret_value = 0;
		return TS_OK;
	}
	if (ts_check_split(k, stored, &value, err))
		return ts_error_prefix(err, "%s: %s", r.env->path, key);
	if (value.len != 8)
		return ts_error_set(err, TS_DAMAGED, "%s: %s has %zu bytes", r.env->path, key, value.len);
	*ret_value = ts_load_le(value.data, 8);
	return TS_OK;
}
