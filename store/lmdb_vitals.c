/* lmdb_vitals.c - who reads the store and for how long, and what pushes did not have to send. */
#include "store/lmdb_internal.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/text.h"

/* Reads in the list that LMDB prints of readers. */
struct readers {
	uint64_t n;
	size_t oldest; /* the least transaction that one reads; 0: none */
};

/* A line is "pid thread transaction", of which the last is - between two. The first line is a heading. */
static int take_line(const char *line, void *ctx)
{
	struct ts_span rest = ts_trim(ts_span_str(line)), txn;
	struct readers *readers = ctx;
	uint64_t number;

	(void)ts_next_word(&rest);
	(void)ts_next_word(&rest);
	txn = ts_next_word(&rest);
	if (!ts_parse_u64(txn, &number))
		return 0;
	readers->n++;
	if (!readers->oldest || number < readers->oldest)
		readers->oldest = (size_t)number;
	return 0;
}

/* No new reader can begin with a transaction that is not the last one. So whoever was seen to read it is still the same. */
static double watch_oldest(struct ts_lmdb_env *env, size_t oldest, size_t last)
{
	int64_t now = ts_now_mono_ns();
	double seconds = 0;

	pthread_mutex_lock(&env->watch);
	if (oldest == 0 || oldest >= last) {
		env->oldest_txn = 0;
	} else {
		if (env->oldest_txn != oldest)
			env->oldest_since_ns = now;
		env->oldest_txn = oldest;
		seconds = (double)(now - env->oldest_since_ns) / 1e9;
	}
	pthread_mutex_unlock(&env->watch);
	return seconds;
}

static int look_at_readers(struct ts_lmdb_env *env, struct readers *readers, MDB_envinfo *info)
{
	int rc = MDB_PANIC;

	pthread_rwlock_rdlock(&env->map);
	if (env->mdb)
		rc = mdb_reader_list(env->mdb, take_line, readers);
	if (rc >= 0)
		rc = mdb_env_info(env->mdb, info);
	pthread_rwlock_unlock(&env->map);
	return rc;
}

static enum ts_status count_unnamed(struct ts_read r, struct ts_store_vitals *vitals, struct ts_error *err)
{
	struct ts_walk walk;
	uint8_t sender = 's';
	enum ts_status status;
	bool found;

	if (r.env->dbi[TS_DB_USAGE] == TS_NO_DBI || r.env->dbi[TS_DB_UNNAMED] == TS_NO_DBI)
		return TS_OK;
	vitals->unnamed_objects = ts_read_count(r, TS_DB_UNNAMED);
	if (ts_walk_begin(&walk, r, TS_DB_USAGE, err))
		return err->status;
	status = ts_walk_seek(&walk, ts_span_of(&sender, 1), &found, err);
	while (!status && found) {
		struct ts_account account;
		uint64_t key;

		if (ts_usage_parse(walk.key, walk.value, &account, &key))
			vitals->unnamed_bytes += account.used[TS_USE_UNNAMED];
		status = ts_walk_next(&walk, &found, err);
	}
	ts_walk_end(&walk);
	return status;
}

enum ts_status ts_lmdb_vitals(struct ts_engine *e, struct ts_store_vitals *ret_vitals, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of(e);
	struct ts_store_vitals vitals = {.readers = 0};
	struct readers readers = {.n = 0};
	MDB_envinfo info = {0};
	enum ts_status status;
	struct ts_read r;
	int rc = look_at_readers(env, &readers, &info);

	if (rc < 0)
		return ts_env_error(env, rc, err);
	vitals.readers = readers.n;
	vitals.reader_slots = info.me_maxreaders;
	vitals.oldest_reader_s = watch_oldest(env, readers.oldest, info.me_last_txnid);
	vitals.asked_bytes = atomic_load(&env->asked_bytes);
	vitals.new_bytes = atomic_load(&env->new_bytes);
	if (ts_read_begin(env, &r, err))
		return err->status;
	status = count_unnamed(r, &vitals, err);
	ts_read_end(&r);
	if (!status)
		*ret_vitals = vitals;
	return status;
}
