/* lmdb_cache.c - keeps results that can be computed again: values that may be lost at any time.
 *
 * Values wait in memory for the next transaction that commits anyway, or for the end of the
 * process; none of this may fail a caller. The whole cache is forgotten when it has grown large.
 */
#include "store/lmdb_internal.h"

#include "base/alloc.h"

enum { WAITING_MAX = 16 << 20, ON_DISK_MAX = 256 << 20 };

struct ts_cached {
	struct ts_cached *next;
	struct ts_id id; /* SHA-256 of the key */
	size_t len;	 /* of value, including its check */
	uint8_t value[];
};

void ts_lmdb_cache_put(struct ts_engine *e, struct ts_span key, struct ts_span value)
{
	struct ts_lmdb *l = (struct ts_lmdb *)(void *)e;
	struct ts_lmdb_lane *lane = &l->env->lane;
	struct ts_cached *cached;
	struct ts_buf buf = {0};
	struct ts_error full;

	if (l->read_only || value.len > WAITING_MAX || ts_reserve_check(l->env, &full))
		return;
	cached = ts_alloc(sizeof *cached + value.len + 4);
	if (!cached)
		return;
	ts_digest(key, &cached->id);
	buf = (struct ts_buf){.data = cached->value, .cap = value.len + 4, .ceiling = value.len + 4};
	ts_buf_span(&buf, value);
	ts_check_append(&buf, ts_id_span(&cached->id));
	cached->len = buf.len;
	pthread_mutex_lock(&lane->lock);
	if (lane->cache_bytes > WAITING_MAX)
		ts_cache_drop(l->env);
	lane->cache_bytes += sizeof *cached + cached->len;
	cached->next = lane->cache_first;
	lane->cache_first = cached;
	pthread_mutex_unlock(&lane->lock);
}

static void free_list(struct ts_cached *cached)
{
	while (cached) {
		struct ts_cached *next = cached->next;

		ts_free(cached);
		cached = next;
	}
}

void ts_cache_drop(struct ts_lmdb_env *env)
{
	free_list(env->lane.cache_first);
	env->lane.cache_first = NULL;
	env->lane.cache_bytes = 0;
}

bool ts_cache_waits(struct ts_lmdb_env *env)
{
	return env->lane.cache_first != NULL;
}

/* The oldest entry comes first, so that the newest of several entries with one key stays. */
static struct ts_cached *reversed(struct ts_cached *cached)
{
	struct ts_cached *done = NULL;

	while (cached) {
		struct ts_cached *next = cached->next;

		cached->next = done;
		done = cached;
		cached = next;
	}
	return done;
}

static int write_all(struct ts_lmdb_env *env, MDB_txn *txn, const struct ts_cached *cached)
{
	MDB_dbi dbi = env->dbi[TS_DB_CACHE];
	MDB_stat stat;
	int rc = mdb_stat(txn, dbi, &stat);

	if (!rc && (stat.ms_leaf_pages + stat.ms_overflow_pages) * (size_t)stat.ms_psize > ON_DISK_MAX)
		rc = mdb_drop(txn, dbi, 0);
	for (; cached && !rc; cached = cached->next) {
		MDB_val k = ts_val_of(ts_id_span(&cached->id));
		MDB_val v = ts_val_of(ts_span_of(cached->value, cached->len));

		rc = mdb_put(txn, dbi, &k, &v, 0);
	}
	return rc;
}

/* The writes are in a transaction inside the caller's, so that a failure here does not fail the caller's transaction. */
void ts_cache_flush(struct ts_lmdb_env *env, MDB_txn *txn)
{
	struct ts_cached *cached;
	MDB_txn *child;

	pthread_mutex_lock(&env->lane.lock);
	cached = reversed(env->lane.cache_first);
	env->lane.cache_first = NULL;
	env->lane.cache_bytes = 0;
	pthread_mutex_unlock(&env->lane.lock);
	if (!cached)
		return;
	if (mdb_txn_begin(env->mdb, txn, 0, &child) == 0) {
		if (write_all(env, child, cached))
			mdb_txn_abort(child);
		else
			(void)mdb_txn_commit(child);
	}
	free_list(cached);
}

/* Returns TS_NOT_FOUND unless the value waits here to be written. */
static enum ts_status get_waiting(struct ts_lmdb_env *env, const struct ts_id *id, struct ts_arena *arena,
				  struct ts_span *ret, struct ts_error *err)
{
	const struct ts_cached *cached;
	struct ts_span value = {0};

	pthread_mutex_lock(&env->lane.lock);
	for (cached = env->lane.cache_first; cached && !ts_id_eq(&cached->id, id);)
		cached = cached->next;
	if (cached)
		value = ts_arena_span(arena, ts_span_of(cached->value, cached->len - 4));
	pthread_mutex_unlock(&env->lane.lock);
	if (!cached)
		return ts_error_set(err, TS_NOT_FOUND, "not in the cache");
	if (!value.data)
		return ts_arena_error(arena, err);
	*ret = value;
	return TS_OK;
}

enum ts_status ts_lmdb_cache_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena,
				 struct ts_span *ret_value, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of(e);
	struct ts_span stored;
	struct ts_span value;
	enum ts_status status;
	struct ts_read r;
	struct ts_id id;
	bool found;

	ts_digest(key, &id);
	status = get_waiting(env, &id, arena, ret_value, err);
	if (status != TS_NOT_FOUND)
		return status;
	if (ts_read_begin(env, &r, err))
		return err->status;
	status = ts_read_get(r, TS_DB_CACHE, ts_id_span(&id), &stored, &found, err);
	if (!status && (!found || ts_check_split(ts_id_span(&id), stored, &value, err)))
		status = ts_error_set(err, TS_NOT_FOUND, "not in the cache");
	if (!status) {
		value = ts_arena_span(arena, value);
		status = value.data ? TS_OK : ts_arena_error(arena, err);
	}
	ts_read_end(&r);
	if (!status)
		*ret_value = value;
	return status;
}
