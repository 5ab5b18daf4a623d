/* lmdb_internal.h - the layer of keys and values on LMDB. Internal to store/lmdb_*.c; no LMDB type leaves them.
 *
 * Each process has one MDB_env for a directory (LMDB allows no second), shared by all engines that are opened on it. Its map
 * may only be resized while no transaction of this process is open, so every transaction holds the lock `map` for reading.
 * All writes go through the lane (lmdb_lane.c), a queue that gives concurrent calls one transaction and one sync. Values are
 * unaligned and become invalid with the transaction: they are copied out, or read in place.
 */
#ifndef TSCOPE_STORE_LMDB_INTERNAL_H
#define TSCOPE_STORE_LMDB_INTERNAL_H

#include "store/engine.h"
#include "store/kv.h"

#include <lmdb.h>
#include <sys/types.h>

/* The handle of a database that an older store lacks, in an environment that is only read. */
enum { TS_NO_DBI = 0 };

struct ts_lmdb_job;

struct ts_lmdb_lane {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	struct ts_lmdb_job *first; /* jobs that no leader has taken */
	struct ts_lmdb_job *last;
	bool busy;	/* some thread is the leader, which runs the jobs */
};

struct ts_lmdb_env {
	struct ts_kv kv; /* must be first */
	struct ts_lmdb_env *next; /* next environment of this process */
	unsigned users;
	dev_t dev;
	ino_t ino;
	char *path;
	bool mdb_read_only;
	MDB_env *mdb;
	MDB_dbi dbi[TS_DBS_EVER];
	uint64_t map_bytes; /* the size asked for */
	uint64_t reserve_bytes; /* 0: none */
	pthread_rwlock_t map;
	struct ts_lmdb_lane lane;
	pthread_mutex_t watch; /* of the oldest reader that was seen to hold pages back */
	size_t oldest_txn;     /* 0: none */
	int64_t oldest_since_ns;
};

static inline struct ts_lmdb_env *ts_env_of_kv(struct ts_kv *kv)
{
	return (struct ts_lmdb_env *)(void *)kv;
}

/* LMDB takes a pointer that is not const, but does not write through it. */
static inline MDB_val ts_val_of(struct ts_span span)
{
	union {
		const void *in;
		void *out;
	} data = {.in = span.data};

	return (MDB_val){.mv_size = span.len, .mv_data = data.out};
}

/* lmdb_env.c */
enum ts_status ts_env_acquire(const struct ts_lmdb_options *options, struct ts_lmdb_env **ret_env, struct ts_error *err);
void ts_env_release(struct ts_kv *kv);
/* Sets err from a return code of LMDB. */
enum ts_status ts_env_error(const struct ts_lmdb_env *env, int rc, struct ts_error *err);
/* Begins a transaction; flags are MDB_RDONLY or 0. It first repairs what prevents it: a map that another process has grown,
 * stale readers, an environment in panic. */
enum ts_status ts_env_begin(struct ts_lmdb_env *env, unsigned flags, MDB_txn **ret_txn, struct ts_error *err);
/* Begins a read transaction; false if that would have to wait for a map that grows, or to repair something. */
bool ts_env_try_read(struct ts_lmdb_env *env, MDB_txn **ret_txn);
void ts_env_abort(struct ts_lmdb_env *env, MDB_txn *txn);
int ts_env_commit(struct ts_lmdb_env *env, MDB_txn *txn);
/* Frees the slots of reader processes that died: their snapshots would prevent the reuse of pages. */
void ts_env_check_readers(struct ts_kv *kv);
/* Doubles the map; the caller must have no transaction open. TS_FULL if there is no more address space. */
enum ts_status ts_env_grow(struct ts_lmdb_env *env, struct ts_error *err);

/* lmdb_disk.c; the checks of the filesystem in lmdb_disk_linux.c or lmdb_disk_posix.c */
enum ts_status ts_disk_check(const char *path, struct ts_error *err); /* TS_DENIED on a network filesystem */
enum ts_status ts_disk_type_check(uint32_t magic, const char *path, struct ts_error *err); /* magic is f_type of statfs(2) */
bool ts_disk_is_full(const char *path);
/* TS_FULL if a write to this file failed with `errnum` because the process or the filesystem allows no longer file, else TS_OK. */
enum ts_status ts_file_is_limited(int errnum, const char *file, struct ts_error *err);
/* TS_FULL if less than the reserve is free, on the disk and in pages of the file that will be used again: then only what makes the
 * store smaller may be written. Call it without a transaction. */
enum ts_status ts_reserve_check(struct ts_kv *kv, struct ts_error *err);

/* lmdb_lane.c */

/* A write that waits or runs; it lies on the stack of the thread that asked for it. */
struct ts_lmdb_job {
	struct ts_lmdb_job *next;
	ts_write_fn *run;
	void *ctx;
	size_t bytes;
	struct ts_error *err;
	enum ts_status status;
	bool done;
};

/* Runs a write in the lane and waits until it is committed. bytes is roughly how much it writes. */
enum ts_status ts_lane_run(struct ts_kv *kv, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err);
void ts_lane_finish(struct ts_lmdb_env *env);

/* lmdb_kv.c */
extern const struct ts_kv_ops ts_lmdb_kv;
/* Writes the values of the cache that wait into the transaction, if it can. The leader of the lane calls it. */
void ts_lmdb_cache_flush(struct ts_lmdb_env *env, MDB_txn *txn);

/* lmdb_vitals.c, lmdb_backup.c */
uint64_t ts_lmdb_file_bytes(struct ts_read r);
enum ts_status ts_lmdb_vitals(struct ts_kv *kv, struct ts_kv_vitals *ret, struct ts_error *err);
enum ts_status ts_lmdb_backup(struct ts_kv *kv, const char *path, struct ts_error *err);

#endif
