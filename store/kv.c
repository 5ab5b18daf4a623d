#include "store/kv.h"

#include "base/clock.h"
#include "base/alloc.h"
#include "base/budget.h"
#include "base/cursor.h"

#include <assert.h>
#include <xxhash.h>

void ts_kv_init(struct ts_kv *kv, const struct ts_kv_ops *ops, const char *where)
{
	kv->ops = ops;
	kv->where = where;
	kv->first_pack = 1;
	pthread_mutex_init(&kv->spare.lock, NULL);
}

void ts_kv_finish(struct ts_kv *kv)
{
	ts_spare_drop(&kv->spare.waiting);
	pthread_mutex_destroy(&kv->spare.lock);
}

const char *ts_db_name(enum ts_db db)
{
	static const char *const names[TS_DBS_EVER] = {
#define NAME(constant, name, checked, summed) name,
		TS_STORE_DATABASES(NAME)
#undef NAME
			"extracts",
	};

	return names[db];
}

bool ts_db_is_checked(enum ts_db db)
{
	static const bool is_checked[TS_DBS_EVER] = {
#define CHECKED(constant, name, checked, summed) checked,
		TS_STORE_DATABASES(CHECKED)
#undef CHECKED
	};

	return is_checked[db];
}

bool ts_db_is_summed(enum ts_db db)
{
	static const bool is_summed[TS_DBS_EVER] = {
#define SUMMED(constant, name, checked, summed) summed,
		TS_STORE_DATABASES(SUMMED)
#undef SUMMED
	};

	return is_summed[db];
}

/* ---- reading ---- */

int64_t ts_kv_now(struct ts_kv *kv)
{
	if (kv->ops->now)
		return kv->ops->now(kv);
	return kv->base ? ts_kv_now(kv->base) : ts_now_real_ns();
}

enum ts_status ts_read_begin(struct ts_kv *kv, struct ts_read *ret, struct ts_error *err)
{
	return kv->ops->begin(kv, true, ret, err);
}

bool ts_read_try(struct ts_kv *kv, struct ts_read *ret)
{
	struct ts_error busy;

	return kv->ops->begin(kv, false, ret, &busy) == TS_OK;
}

void ts_read_end(struct ts_read *r)
{
	assert(r->txn);
	r->kv->ops->end(r);
}

enum ts_status ts_read_count(struct ts_read r, enum ts_db db, uint64_t *ret_n, struct ts_error *err)
{
	return r.kv->ops->count(r, db, ret_n, err);
}

enum ts_status ts_walk_begin(struct ts_walk *w, struct ts_read r, enum ts_db db, struct ts_error *err)
{
	assert(r.txn && db < TS_DBS_EVER);
	*w = (struct ts_walk){.read = r, .db = db};
	return r.kv->ops->walk_begin(w, err);
}

void ts_walk_end(struct ts_walk *w)
{
	if (w->at)
		w->read.kv->ops->walk_end(w);
}

static inline enum ts_status move(struct ts_walk *w, enum ts_move how, struct ts_span key, bool *ret_found, struct ts_error *err)
{
	if (ts_budget_check(err))
		return err->status;
	return w->read.kv->ops->walk_move(w, how, key, ret_found, err);
}

enum ts_status ts_walk_seek(struct ts_walk *w, struct ts_span from, bool *ret_found, struct ts_error *err)
{
	return move(w, TS_MOVE_FROM, from, ret_found, err);
}

enum ts_status ts_walk_seek_below(struct ts_walk *w, struct ts_span below, bool *ret_found, struct ts_error *err)
{
	assert(below.len > 0);
	return move(w, TS_MOVE_BELOW, below, ret_found, err);
}

enum ts_status ts_walk_next(struct ts_walk *w, bool *ret_found, struct ts_error *err)
{
	assert(w->key.len > 0); /* it stands somewhere */
	return move(w, TS_MOVE_NEXT, w->key, ret_found, err);
}

enum ts_status ts_walk_prev(struct ts_walk *w, bool *ret_found, struct ts_error *err)
{
	assert(w->key.len > 0);
	return move(w, TS_MOVE_PREV, w->key, ret_found, err);
}

enum ts_status ts_read_ahead(struct ts_read r, enum ts_db db, const struct ts_span *keys, size_t n, struct ts_error *err)
{
	return r.kv->far && n > 1 ? r.kv->ops->ahead(r, db, keys, n, err) : TS_OK;
}

enum ts_status ts_walk_open(struct ts_walk *w, struct ts_read r, enum ts_db db, struct ts_span prefix, bool *ret_found,
			    struct ts_error *err)
{
	if (ts_walk_begin(w, r, db, err) || ts_walk_seek(w, prefix, ret_found, err))
		return err->status;
	w->prefix = prefix;
	*ret_found = *ret_found && ts_span_starts(w->key, prefix);
	return TS_OK;
}

enum ts_status ts_walk_on(struct ts_walk *w, bool *ret_found, struct ts_error *err)
{
	if (ts_walk_next(w, ret_found, err))
		return err->status;
	*ret_found = *ret_found && ts_span_starts(w->key, w->prefix);
	return TS_OK;
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
		return ts_error_prefix(err, "%s: %s", r.kv->where, key);
	if (value.len != 8)
		return ts_error_set(err, TS_DAMAGED, "%s: %s has %zu bytes", r.kv->where, key, value.len);
	*ret_value = ts_load_le(value.data, 8);
	return TS_OK;
}

/* ---- writing ---- */

static enum ts_status put(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, uint8_t **ret_room,
			  struct ts_error *err)
{
	assert(w->txn && key.len > 0 && key.len <= TS_KEY_MAX);
	w->dirty = true;
	return w->kv->ops->put(w, db, key, value, ret_room, err);
}

enum ts_status ts_write_put(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, struct ts_error *err)
{
	return put(w, db, key, value, NULL, err);
}

enum ts_status ts_write_record(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_buf *value, struct ts_error *err)
{
	enum ts_status status;

	ts_check_append(value, key);
	status = ts_buf_check(value, err);
	if (!status)
		status = put(w, db, key, ts_buf_view(value), NULL, err);
	ts_buf_finish(value);
	return status;
}

enum ts_status ts_write_reserve(struct ts_write *w, enum ts_db db, struct ts_span key, size_t len, uint8_t **ret_at,
				struct ts_error *err)
{
	return put(w, db, key, ts_span_of(NULL, len), ret_at, err);
}

enum ts_status ts_write_delete(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_error *err)
{
	assert(w->txn && key.len > 0);
	w->dirty = true;
	return w->kv->ops->delete(w, db, key, err);
}

enum ts_status ts_write_delete_prefix(struct ts_write *w, enum ts_db db, struct ts_span prefix, struct ts_error *err)
{
	struct ts_walk walk;
	enum ts_status status;
	bool found;

	w->dirty = true;
	status = ts_walk_open(&walk, ts_read_of(w), db, prefix, &found, err);
	while (!status && found) {
		status = ts_write_delete(w, db, walk.key, err);
		if (!status)
			status = ts_walk_seek(&walk, prefix, &found, err);
		found = !status && found && ts_span_starts(walk.key, prefix);
	}
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_write_u64(struct ts_write *w, const char *key, uint64_t value, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(64);

	ts_buf_u64(&buf, value);
	return ts_write_record(w, TS_DB_META, ts_span_str(key), &buf, err);
}

enum ts_status ts_kv_room(struct ts_kv *kv, struct ts_error *err)
{
	return kv->ops->room ? kv->ops->room(kv, err) : TS_OK;
}

enum ts_status ts_kv_sound(struct ts_kv *kv, bool look, struct ts_error *err)
{
	return kv->ops->sound ? kv->ops->sound(kv, look, err) : TS_OK;
}

enum ts_status ts_kv_look(struct ts_kv *kv, bool only_new, struct ts_looked *looked, struct ts_error *err)
{
	return kv->ops->look ? kv->ops->look(kv, only_new, looked, err) : TS_OK;
}

enum ts_status ts_kv_place(struct ts_kv *kv, struct ts_buf *out, struct ts_error *err)
{
	return kv->ops->place ? kv->ops->place(kv, out, err) : TS_OK;
}

void ts_looked_finish(struct ts_looked *looked)
{
	ts_idmap_finish(&looked->sound);
	ts_free(looked->packs);
	*looked = (struct ts_looked){.n_packs = 0};
}

void ts_kv_condemn(struct ts_kv *kv, const char *what)
{
	if (kv->ops->condemn)
		kv->ops->condemn(kv, what);
}
