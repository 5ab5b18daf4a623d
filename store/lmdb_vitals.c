/* lmdb_vitals.c - who reads the store and for how long, how large its file is, and which file. */
#include "store/lmdb_internal.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/system.h"
#include "base/text.h"

#include <sys/stat.h>

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
	ts_lock_check(env);
	if (env->mdb && !atomic_load(&env->cold))
		rc = mdb_reader_list(env->mdb, take_line, readers);
	if (rc >= 0)
		rc = mdb_env_info(env->mdb, info);
	pthread_rwlock_unlock(&env->map);
	return rc;
}

uint64_t ts_lmdb_file_bytes(struct ts_read r)
{
	struct ts_lmdb_env *env = ts_env_of_kv(r.kv);
	struct stat st;

	return fstat(env->data_fd, &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

/* A copy of the file may have its number after it is gone, but not its birth. */
enum ts_status ts_lmdb_place(struct ts_kv *kv, struct ts_buf *out, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	struct timespec born;

	if (!ts_system_born(env->data_fd, &born))
		return ts_error_set(err, TS_NOT_FOUND, "%s: its file system does not say when its file was made", kv->where);
	ts_buf_u64(out, (uint64_t)env->data_ino);
	ts_buf_u64(out, (uint64_t)born.tv_sec);
	ts_buf_u64(out, (uint64_t)born.tv_nsec);
	return TS_OK;
}

enum ts_status ts_lmdb_vitals(struct ts_kv *kv, struct ts_kv_vitals *ret, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	struct readers readers = {.n = 0};
	MDB_envinfo info = {0};
	int rc;

	rc = look_at_readers(env, &readers, &info);
	if (atomic_load(&env->cold)) {
		*ret = (struct ts_kv_vitals){.readers = 0};
		return TS_OK;
	}
	if (rc < 0)
		return ts_env_error(env, rc, err);
	*ret = (struct ts_kv_vitals){
		.readers = readers.n,
		.reader_slots = info.me_maxreaders,
		.oldest_reader_s = watch_oldest(env, readers.oldest, info.me_last_txnid),
	};
	return TS_OK;
}
