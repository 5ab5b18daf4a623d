/* lmdb_internal.h - the layer of keys and values on LMDB. Internal to store/lmdb_*.c; no LMDB type leaves them.
 *
 * Each process has one MDB_env for a directory (LMDB allows no second), shared by all engines that are opened on it. Its map
 * may only be resized while no transaction of this process is open, so every transaction holds the lock `map` for reading.
 * All writes go through the lane (lmdb_lane.c), a queue that gives concurrent calls one transaction and one sync. Values are
 * unaligned and become invalid with the transaction: they are copied out, or read in place.
 */
#ifndef TSCOPE_STORE_LMDB_INTERNAL_H
#define TSCOPE_STORE_LMDB_INTERNAL_H

#include "base/map.h"
#include "store/engine.h"
#include "store/increment.h"
#include "store/kv.h"
#include "store/lmdb_scan.h"
#include "store/superblock.h"

#include <lmdb.h>
#include <sys/stat.h>
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

/* The data file as our reads see it: LMDB's own map is written by nobody, and neither is this one. A map is left as it is while the
 * file grows, and a larger one is made beside it. */
struct ts_lmdb_map {
	struct ts_lmdb_map *older;
	const uint8_t *at;
	size_t bytes;
};

/* Where the tables of one transaction begin. */
struct ts_lmdb_view {
	uint64_t number; /* of the transaction */
	struct ts_meta meta;
	struct ts_pages pages;
	struct ts_root roots[TS_DBS];
};

/* A transaction. Reads go by its view; of a write that is what it began with. */
struct ts_lmdb_txn {
	struct ts_lmdb_view view;
	MDB_txn *mdb; /* NULL: of a damaged store, which LMDB has not open */
	bool write;
	struct ts_sum sums[TS_DBS]; /* of a write: what the tables hold by now */
	struct ts_span held;	    /* a value that its caller fills, and that is not in the sums yet */
	enum ts_db held_db;
	uint8_t held_key[TS_KEY_MAX];
	size_t held_key_len;
	uint64_t *checked; /* pages that LMDB may rely on */
	size_t n_checked, cap_checked;
	struct ts_map by_page;
};

enum ts_harm {
	TS_HARM_NOW,	 /* in pages, and found again when the store is opened */
	TS_HARM_LASTING, /* in pages; it is written down, because opening does not look there */
	TS_HARM_ABOVE,	 /* in what records and objects say, as verify found; written down, too */
	TS_HARM_GONE,	 /* nothing is damaged as far as is known; what was found is the whole sentence */
};

struct ts_lmdb_super {
	int fd; /* -1: there is none */
	dev_t dev;
	ino_t ino;
	bool known; /* the rest is what the store held after transaction txn */
	uint64_t txn;
	uint8_t store[TS_STORE_ID];
	struct ts_sum sums[TS_DBS];
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
	pthread_mutex_t look; /* of the rest; the leader of the lane and opening alone change super */
	struct ts_lmdb_map *maps;
	struct ts_lmdb_view seen; /* the last view; number TS_NO_PAGE: none */
	struct ts_lmdb_super super;
	atomic_bool cold; /* LMDB has not opened it, because it is damaged, or may not be asked any more; `seen` is what can be read */
	int data_fd; /* of the file as it was opened; -1: none */
	dev_t data_dev;
	ino_t data_ino;
	off_t data_size; /* as far as was seen; it never becomes less */
	dev_t lock_dev;	 /* of the lock.mdb that LMDB opened; 0 and 0: none */
	ino_t lock_ino;
	off_t lock_size;
	struct ts_lmdb_map lock; /* where LMDB has it in memory; NULL: nobody knows */
	uint64_t lock_head;	 /* its first bytes, which stay what they are */
	atomic_bool scanned;	    /* since it was opened */
	atomic_bool is_damaged;	    /* and nothing is written to it any more */
	enum ts_harm harm;
	/* A bit for each table that can be walked and is not what was written: it is not served, since nobody would see that. */
	atomic_uint unfit;
	char damage[TS_ERROR_TEXT]; /* in one sentence; it changes once */
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
/* Frees the slots of reader processes that died: their snapshots would prevent the reuse of pages. */
void ts_env_check_readers(struct ts_kv *kv);
/* Doubles the map; the caller must have no transaction open. TS_FULL if there is no more address space. */
enum ts_status ts_env_grow(struct ts_lmdb_env *env, struct ts_error *err);

/* Opens LMDB again after a panic. No transaction may be open. */
int ts_env_reopen(struct ts_lmdb_env *env);
void ts_env_close(struct ts_lmdb_env *env); /* LMDB, if it is open */

/* lmdb_txn.c */
/* Begins a transaction, first repairing what prevents it: a map that another process has grown, stale readers, an environment in panic.
 * A write begins only on a store that was found sound: TS_DAMAGED else, and when the data file is no longer at its path. */
enum ts_status ts_env_begin(struct ts_lmdb_env *env, bool write, struct ts_lmdb_txn **ret_txn, struct ts_error *err);
/* Begins a read transaction; false if that would have to wait for a map that grows, or to repair something. */
bool ts_env_try_read(struct ts_lmdb_env *env, struct ts_lmdb_txn **ret_txn);
void ts_env_abort(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn);
/* Commits a write as superblock.h says. Returns a code of LMDB. */
int ts_env_commit(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn);
/* Finds the view of a transaction, whose number is LMDB's, in the pages as they are now. MDB_CORRUPTED if they have none. */
int ts_view_find(struct ts_lmdb_env *env, uint64_t number, struct ts_lmdb_view *ret);

/* lmdb_map.c */
/* A map of the data file that has the first `bytes` of it; NULL if there is no room. What is read behind the end of the file, or cannot
 * be read from the disk, is zeros, and no signal. */
const uint8_t *ts_map_get(struct ts_lmdb_env *env, uint64_t bytes);
void ts_map_drop(struct ts_lmdb_env *env);

/* Maps a file that nobody enlarges; the same holds for reads of it. A code of the system. */
int ts_map_file(int fd, size_t bytes, struct ts_lmdb_map *ret);
void ts_map_unfile(struct ts_lmdb_map *map);
/* The same for a map that another made, which may write to it, too; false if there are too many. */
bool ts_map_guard(const struct ts_lmdb_map *map);
void ts_map_unguard(const struct ts_lmdb_map *map);

/* lmdb_lock.c */
/* Finds where LMDB has lock.mdb in memory. What is missing of a file that is cut later is then zeros, and no signal. */
void ts_lock_find(struct ts_lmdb_env *env);
void ts_lock_forget(struct ts_lmdb_env *env); /* when LMDB is closed */
/* Whether it begins as it did, as it always does where nobody knows its place. */
bool ts_lock_is_whole(const struct ts_lmdb_env *env);
/* Ends all writes, and has what was committed last read without LMDB. */
void ts_lock_lost(struct ts_lmdb_env *env);
/* The same, if lock.mdb is not whole; to be called with the lock `map`, before LMDB is asked for anything. */
void ts_lock_check(struct ts_lmdb_env *env);

/* lmdb_super.c */
/* Opens the superblock, if there is one, and the verdict in it. */
enum ts_status ts_super_open(struct ts_lmdb_env *env, struct ts_error *err);
void ts_super_close(struct ts_lmdb_env *env);
/* Makes one beside a store, durably; another process may have been first, and then its one is opened. */
enum ts_status ts_super_make(struct ts_lmdb_env *env, const struct ts_super_slot *slot, struct ts_error *err);
/* Reads the slot of a transaction; false if there is none. *ret_held: LMDB's meta in it, or no bytes. */
bool ts_super_slot_of(struct ts_lmdb_env *env, uint64_t txn, struct ts_super_slot *ret, uint8_t ret_meta[TS_META_BYTES],
		      bool *ret_held);
/* The same of the slot of even (0) or odd (1) transactions, whichever it has. */
bool ts_super_last(struct ts_lmdb_env *env, uint64_t which, struct ts_super_slot *ret, uint8_t ret_meta[TS_META_BYTES], bool *ret_held);
/* The steps of a commit before and after LMDB's. Return a code of LMDB. */
int ts_super_before(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn);
void ts_super_after(struct ts_lmdb_env *env, const struct ts_lmdb_txn *txn);
void ts_super_verdict(struct ts_lmdb_env *env);

/* lmdb_guard.c */
/* Holds the pages on which a write under a key relies to their form; the first time in a transaction. A code of LMDB. */
int ts_guard_key(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn, enum ts_db db, struct ts_span key);
/* The same for the list of tables and that of free pages, on which every commit relies, and of all pages of a table. */
int ts_guard_commit(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn);
int ts_guard_table(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn, enum ts_db db);

/* lmdb_open.c */
/* Looks at the files before LMDB does: damage is found in env. *ret_fresh: there is nothing yet, and a superblock was made for it, if
 * `create`. */
enum ts_status ts_files_look(struct ts_lmdb_env *env, bool create, bool *ret_fresh, struct ts_error *err);
/* Opens a file of the store for these flags; TS_NOT_FOUND where it is not there, TS_INVALID where it is no regular file. */
enum ts_status ts_env_open_file(const struct ts_lmdb_env *env, const char *name, int flags, int *ret_fd, struct stat *ret_st,
				struct ts_error *err);
/* Opens the data file for our reads. */
enum ts_status ts_data_open(struct ts_lmdb_env *env, struct ts_error *err);
/* Makes of a damaged store what can be read of it, without LMDB. */
void ts_env_cold(struct ts_lmdb_env *env);

/* lmdb_damage.c */
/* Waits a millisecond, in which another process can end its commit. */
void ts_pause(void);
/* Finds whether the data file and the superblock are still at their paths: a code of LMDB, and the store is condemned if not. */
int ts_files_check(struct ts_lmdb_env *env);
/* Makes the store read only. `what` is what was found. */
void ts_env_condemn(struct ts_lmdb_env *env, enum ts_harm found, const char *what);
void ts_env_condemn_page(struct ts_lmdb_env *env, uint64_t page, unsigned tree);
/* Sets err to the damage. */
enum ts_status ts_env_damage(struct ts_lmdb_env *env, struct ts_error *err);
/* Scans a snapshot, and holds it to its sums. Damage is found in env and is TS_OK; `again` also after a scan that found none. */
enum ts_status ts_env_scan(struct ts_lmdb_env *env, bool again, struct ts_error *err);
enum ts_status ts_lmdb_sound(struct ts_kv *kv, bool look, struct ts_error *err);
void ts_lmdb_condemn(struct ts_kv *kv, const char *what);
/* The sums of a snapshot; false if another commit came between. Not *ret_known: nobody knows them. */
bool ts_env_sums(struct ts_lmdb_env *env, struct ts_lmdb_view *view, struct ts_super_slot *ret, bool *ret_known);
/* The same scan of a store that has no superblock of this transaction yet, which gets one. A write transaction of LMDB must be open. */
enum ts_status ts_env_adopt(struct ts_lmdb_env *env, uint64_t txn, struct ts_error *err);

/* lmdb_disk.c; the checks of the filesystem in lmdb_disk_linux.c or lmdb_disk_posix.c */
enum ts_status ts_disk_check(const char *path, struct ts_error *err); /* TS_DENIED on a network filesystem */
enum ts_status ts_disk_type_check(uint32_t magic, const char *path, struct ts_error *err); /* magic is f_type of statfs(2) */
bool ts_disk_is_full(const char *path);
/* Says to all who have this data file open to which lock.mdb this process keeps; false if one of them keeps to another. */
bool ts_disk_claim(int fd, uint64_t lock_ino);
/* Where this process has a file in memory to write to, by its whole path; false where the system does not say. */
bool ts_disk_mapped(const char *path, const uint8_t **ret_at, size_t *ret_bytes);
int ts_disk_sync(int fd); /* of bytes that were there before; 0, or an errno value */
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
/* Adds a value that its caller has filled meanwhile to the sums. */
void ts_lmdb_settle(struct ts_lmdb_txn *txn);
/* Writes the values of the cache that wait into the transaction, if it can. The leader of the lane calls it. */
void ts_lmdb_cache_flush(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn);

/* lmdb_vitals.c, lmdb_backup.c */
uint64_t ts_lmdb_file_bytes(struct ts_read r);
enum ts_status ts_lmdb_vitals(struct ts_kv *kv, struct ts_kv_vitals *ret, struct ts_error *err);
enum ts_status ts_lmdb_place(struct ts_kv *kv, struct ts_buf *out, struct ts_error *err);
enum ts_status ts_lmdb_backup(struct ts_kv *kv, const char *path, struct ts_error *err);
/* A new directory that gets its name when all of it is on the disk. */
enum { TS_COPY_PATH = 4096 };
struct ts_copy {
	char partial[TS_COPY_PATH]; /* the directory until then */
	char data[TS_COPY_PATH];    /* the file in it */
	char parent[TS_COPY_PATH];
};
/* Makes it, in place of one that was not finished. TS_IO if there is something at the path. */
enum ts_status ts_copy_begin(const char *path, const char *file, struct ts_copy *ret, struct ts_error *err);
/* Holds a store in it to the sums that lie in it, and gives it a superblock of its own. */
enum ts_status ts_copy_adopt(const struct ts_copy *copy, struct ts_error *err);
int ts_copy_end(const struct ts_copy *copy, const char *path); /* 0, or an errno value */
void ts_copy_drop(const struct ts_copy *copy);

/* lmdb_chain.c: an increment, read over the backups that it builds on, down to one that is a store. */
struct ts_chain;
bool ts_chain_is(const char *path); /* the directory has an increment */
enum ts_status ts_chain_open(const char *path, struct ts_engine **ret_engine, struct ts_error *err);
const struct ts_chain *ts_chain_of(struct ts_kv *kv); /* NULL: it is no chain */
const struct ts_increment *ts_chain_newest(const struct ts_chain *chain);
/* What a backup holds: of a chain, what its last increment says, else what the store does. TS_UNSUPPORTED for a store that no tscope
 * with sums has written. */
enum ts_status ts_backup_slot(struct ts_kv *kv, struct ts_read r, struct ts_super_slot *ret, struct ts_error *err);

#endif
