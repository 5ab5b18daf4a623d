/* lmdb_internal.h - the LMDB engine's own structs and helpers. Internal to store/lmdb_*.c; no LMDB type leaves store/.
 *
 * One MDB_env a directory and process (LMDB allows no second), shared by all engines opened on it. Its map may only be
 * resized while no transaction of this process is open, so every transaction holds `map` for reading. Read transactions
 * end before their call returns. All writes go through the lane (lmdb_lane.c), which gives concurrent calls one
 * transaction and one sync. Values are unaligned and die with the transaction: they are copied out, or read in place.
 *
 * Databases and what they hold; every record but packs and recent ends in a u32 check over its key and itself:
 *	meta	"format", "next_pack", "stored"
 *	objects	id -> struct ts_entry
 *	packs	u64 big-endian, never used twice -> sealed bytes of objects, one after the other
 *	refs	kind name -> id, seq, moved_ns, who, summary
 *	log	kind name 0 seq(big-endian) -> id, moved_ns, who, message
 *	recent	kind time(latest first) name -> nothing
 *	notes	name 0 key -> at_ns, who, value
 *	cache	SHA-256 of the key -> value
 */
#ifndef TSCOPE_STORE_LMDB_INTERNAL_H
#define TSCOPE_STORE_LMDB_INTERNAL_H

#include "base/buf.h"
#include "store/closure.h"
#include "store/engine_common.h"
#include "store/idmap.h"

#include <lmdb.h>
#include <pthread.h>
#include <sys/types.h>

enum { TS_STORE_FORMAT = 1 };

enum ts_dbi { TS_DB_META, TS_DB_OBJECTS, TS_DB_PACKS, TS_DB_REFS, TS_DB_LOG, TS_DB_RECENT, TS_DB_NOTES, TS_DB_CACHE, TS_DBS };

struct ts_lmdb_job;

struct ts_lmdb_lane {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	struct ts_lmdb_job *first; /* jobs that no leader has taken */
	struct ts_lmdb_job *last;
	bool busy;	/* somebody leads */
	struct ts_cached *cache_first; /* waits for the next commit */
	size_t cache_bytes;
};

struct ts_lmdb_env {
	struct ts_lmdb_env *next; /* of this process */
	unsigned users;
	dev_t dev;
	ino_t ino;
	char *path;
	bool mdb_read_only;
	MDB_env *mdb;
	MDB_dbi dbi[TS_DBS];
	uint64_t map_bytes; /* asked for */
	pthread_rwlock_t map;
	struct ts_lmdb_lane lane;
};

struct ts_lmdb {
	struct ts_engine engine;
	struct ts_lmdb_env *env;
	bool read_only;
};

static inline struct ts_lmdb_env *ts_env_of(struct ts_engine *e)
{
	return ((struct ts_lmdb *)(void *)e)->env;
}

/* LMDB does not write through what it is given. */
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
void ts_env_release(struct ts_lmdb_env *env);
/* err from what LMDB returned. */
enum ts_status ts_env_error(const struct ts_lmdb_env *env, int rc, struct ts_error *err);
/* A transaction, flags MDB_RDONLY or 0; mends a map that another process outgrew, stale readers, and a panic. */
enum ts_status ts_env_begin(struct ts_lmdb_env *env, unsigned flags, MDB_txn **ret_txn, struct ts_error *err);
/* A read transaction, if it can be had without waiting for a map that grows, and with nothing to mend. */
bool ts_env_try_read(struct ts_lmdb_env *env, MDB_txn **ret_txn);
void ts_env_abort(struct ts_lmdb_env *env, MDB_txn *txn);
int ts_env_commit(struct ts_lmdb_env *env, MDB_txn *txn);
/* Frees the slots of readers that died: their snapshots would keep pages from being used again. */
void ts_env_check_readers(struct ts_lmdb_env *env);
/* Doubles the map (no transaction of the caller is open). TS_FULL when there is no more address space. */
enum ts_status ts_env_grow(struct ts_lmdb_env *env, struct ts_error *err);

/* lmdb_disk.c */
enum ts_status ts_disk_check(const char *path, struct ts_error *err); /* TS_DENIED on a network filesystem */
enum ts_status ts_disk_type_check(uint32_t magic, const char *path, struct ts_error *err); /* magic as of statfs(2) */
bool ts_disk_is_full(const char *path);

/* lmdb_lane.c: one write, which the lane may run several times, in a transaction that it shares with others. */
struct ts_write {
	struct ts_lmdb_env *env;
	MDB_txn *txn;
	bool dirty; /* something was written */
	int rc;	    /* what LMDB said last, if not MDB_SUCCESS */
};
/* Checks first, writes after: once it has written, any failure undoes the whole transaction. Sets what it returns anew
 * each time it is run. */
typedef enum ts_status ts_write_fn(struct ts_write *w, void *ctx, struct ts_error *err);

/* One that waits or runs; it lies on the stack of who asked for it. */
struct ts_lmdb_job {
	struct ts_lmdb_job *next;
	ts_write_fn *run;
	void *ctx;
	size_t bytes;
	struct ts_error *err;
	enum ts_status status;
	bool done;
};

enum ts_status ts_lane_run(struct ts_lmdb *l, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err);
void ts_lane_finish(struct ts_lmdb_env *env);

/* lmdb_read.c: *ret_found = false when it is not there. */
struct ts_read {
	struct ts_lmdb_env *env;
	MDB_txn *txn;
};
enum ts_status ts_read_begin(struct ts_lmdb_env *env, struct ts_read *ret, struct ts_error *err);
bool ts_read_try(struct ts_lmdb_env *env, struct ts_read *ret); /* as ts_env_try_read */
void ts_read_end(struct ts_read *r);
enum ts_status ts_read_get(struct ts_read r, enum ts_dbi db, struct ts_span key, struct ts_span *ret_value, bool *ret_found,
			   struct ts_error *err);
/* A walk over keys in order: at the first one that is not below `from`, then each next (or the one before). */
struct ts_walk {
	struct ts_read read;
	MDB_cursor *cursor;
	MDB_cursor_op op;
	struct ts_span key;
	struct ts_span value;
};
enum ts_status ts_walk_begin(struct ts_walk *w, struct ts_read r, enum ts_dbi db, struct ts_error *err);
void ts_walk_end(struct ts_walk *w);
enum ts_status ts_walk_seek(struct ts_walk *w, struct ts_span from, bool *ret_found, struct ts_error *err);
/* The last key that is below `below`. */
enum ts_status ts_walk_seek_below(struct ts_walk *w, struct ts_span below, bool *ret_found, struct ts_error *err);
enum ts_status ts_walk_next(struct ts_walk *w, bool *ret_found, struct ts_error *err);
enum ts_status ts_walk_prev(struct ts_walk *w, bool *ret_found, struct ts_error *err);
enum ts_status ts_read_u64(struct ts_read r, const char *key, uint64_t *ret_value,
			   struct ts_error *err); /* of meta; 0 */
uint64_t ts_read_count(struct ts_read r, enum ts_dbi db);
/* The check at the end of a record: append it, or split it off (TS_DAMAGED). */
void ts_check_append(struct ts_buf *buf, struct ts_span key);
enum ts_status ts_check_split(struct ts_span key, struct ts_span stored, struct ts_span *ret_value, struct ts_error *err);

static inline struct ts_read ts_read_of(const struct ts_write *w)
{
	return (struct ts_read){.env = w->env, .txn = w->txn};
}

/* lmdb_write.c */
enum ts_status ts_write_put(struct ts_write *w, enum ts_dbi db, struct ts_span key, struct ts_span value,
			    struct ts_error *err);
/* Room for len bytes, filled by the caller before the next write. */
enum ts_status ts_write_reserve(struct ts_write *w, enum ts_dbi db, struct ts_span key, size_t len, uint8_t **ret_at,
				struct ts_error *err);
/* No error when it is not there. */
enum ts_status ts_write_delete(struct ts_write *w, enum ts_dbi db, struct ts_span key, struct ts_error *err);
/* Deletes every key that begins so. */
enum ts_status ts_write_delete_prefix(struct ts_write *w, enum ts_dbi db, struct ts_span prefix, struct ts_error *err);
enum ts_status ts_write_u64(struct ts_write *w, const char *key, uint64_t value, struct ts_error *err); /* of meta */

/* lmdb_object.c */
enum { TS_RECORD_BYTES = 48, TS_COMPLETE = 1, TS_PACK_BYTES = 64 * 4096 - 16 };

struct ts_entry {
	uint64_t pack;
	uint32_t offset;
	uint32_t len;
	uint32_t raw_len;
	uint32_t nrefs;
	uint64_t checksum;
	int64_t lease_ns;
	uint8_t codec;
	uint8_t kind;
	uint8_t flags; /* TS_COMPLETE: its whole closure was there once; sweep takes closures whole */
};

enum ts_status ts_entry_parse(const struct ts_id *id, struct ts_span stored, struct ts_entry *ret, struct ts_error *err);
enum ts_status ts_entry_get(struct ts_read r, const struct ts_id *id, struct ts_entry *ret, bool *ret_found,
			     struct ts_error *err);
enum ts_status ts_entry_put(struct ts_write *w, const struct ts_id *id, const struct ts_entry *record,
			     struct ts_error *err);
/* What the record stands for, in place: valid until the transaction ends or writes. TS_DAMAGED when the pack has it not. */
enum ts_status ts_entry_sealed(struct ts_read r, const struct ts_id *id, const struct ts_entry *record,
				struct ts_sealed *ret, struct ts_error *err);
void ts_pack_key(uint64_t pack, uint8_t out[8]);

/* Objects gathered into packs, in one write. */
struct ts_packer {
	struct ts_write *w;
	uint64_t pack;
	struct ts_span *parts; /* room for as many objects as are added */
	size_t n_parts;
	size_t fill;
};
enum ts_status ts_packer_begin(struct ts_packer *p, struct ts_write *w, struct ts_span *parts, struct ts_error *err);
/* Bytes stay where they are until the pack is written. Sets pack and offset of the record and writes the record. */
enum ts_status ts_packer_add(struct ts_packer *p, const struct ts_id *id, struct ts_span bytes, struct ts_entry *record,
			     struct ts_error *err);
enum ts_status ts_packer_end(struct ts_packer *p, struct ts_error *err);

enum ts_status ts_lmdb_has_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				struct ts_error *err);
enum ts_status ts_lmdb_look_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				 bool *ret_leased, struct ts_error *err);
enum ts_status ts_lmdb_get(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena,
			   struct ts_sealed *ret_sealed, struct ts_error *err);
enum ts_status ts_lmdb_put_many(struct ts_engine *e, const struct ts_sealed *objects, size_t n,
				struct ts_put_stats *ret_stats, struct ts_error *err);
enum ts_status ts_lmdb_find_prefix(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit,
				   struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err);

/* lmdb_ref.c */
enum { TS_REF_KEY_MAX = 1 + TS_REF_NAME_MAX };
struct ts_span ts_ref_key(enum ts_ref_kind kind, struct ts_span name, uint8_t out[TS_REF_KEY_MAX]);
/* Spans of the ref lie in stored and key. */
enum ts_status ts_ref_parse(struct ts_span key, struct ts_span stored, struct ts_ref *ret, struct ts_error *err);
enum ts_status ts_ref_read(struct ts_read r, enum ts_ref_kind kind, struct ts_span name, struct ts_ref *ret,
			   bool *ret_found, struct ts_error *err);
/* Splits a key of the log: seq and the key of its ref. */
enum ts_status ts_log_parse(struct ts_span key, struct ts_span stored, struct ts_log_entry *ret, struct ts_error *err);
enum ts_status ts_lmdb_commit(struct ts_engine *e, const struct ts_ref_update *updates, size_t n,
			      struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);

/* lmdb_list.c */
enum ts_status ts_lmdb_ref_get(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
			       struct ts_ref *ret_ref, struct ts_error *err);
enum ts_status ts_lmdb_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next, struct ts_error *err);
enum ts_status ts_lmdb_ref_log(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
			       struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
			       struct ts_error *err);

/* lmdb_note.c */
enum ts_status ts_lmdb_note_put(struct ts_engine *e, struct ts_span name, const struct ts_note *note,
				struct ts_error *err);
enum ts_status ts_lmdb_note_list(struct ts_engine *e, struct ts_span name, struct ts_arena *arena,
				 struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err);

/* lmdb_cache.c */
enum ts_status ts_lmdb_cache_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena,
				 struct ts_span *ret_value, struct ts_error *err);
void ts_lmdb_cache_put(struct ts_engine *e, struct ts_span key, struct ts_span value);
/* Writes what waits into the transaction, if it can. Called by the lane's leader. */
void ts_cache_flush(struct ts_lmdb_env *env, MDB_txn *txn);
void ts_cache_drop(struct ts_lmdb_env *env); /* what waits is forgotten */
bool ts_cache_waits(struct ts_lmdb_env *env);

/* lmdb_table.c: all objects at one moment, and walks that mark them. */
struct ts_row {
	struct ts_id id;
	uint64_t pack;
	int64_t lease_ns;
	uint32_t offset;
	uint32_t len;
	bool marked;
	bool gone;
};

struct ts_table {
	struct ts_row *rows; /* sorted by id */
	size_t n;
	size_t cap;
	struct ts_read read;	  /* that walks look into */
	struct ts_idmap newer;	  /* walked ids that are no rows */
	struct ts_idmap *damaged; /* damaged ids go here, if not NULL; else they are errors */
	struct ts_idmap *missing; /* likewise */
};

void ts_table_finish(struct ts_table *t);
enum ts_status ts_table_load(struct ts_table *t, struct ts_read r, struct ts_error *err);
struct ts_row *ts_table_find(struct ts_table *t, const struct ts_id *id);
/* Marks what the names reach; a branch by every entry of its log. */
enum ts_status ts_table_mark_names(struct ts_table *t, struct ts_read r, struct ts_error *err);
enum ts_status ts_table_mark_from(struct ts_table *t, struct ts_read r, const struct ts_id *id, struct ts_closure *closure,
				  struct ts_error *err);
void ts_table_closure(struct ts_table *t, struct ts_closure *ret_closure);
/* Rows in the order in which they lie on disk. */
enum ts_status ts_table_by_pack(const struct ts_table *t, struct ts_row ***ret_rows, struct ts_error *err);

/* lmdb_verify.c, lmdb_sweep.c */
enum ts_status ts_lmdb_verify(struct ts_engine *e, bool (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx,
			      struct ts_arena *arena, struct ts_verify_report *ret_report, struct ts_error *err);
enum ts_status ts_lmdb_sweep(struct ts_engine *e, int64_t now_ns, int64_t lease_ns, bool dry_run,
			     struct ts_sweep_report *ret_report, struct ts_error *err);

#endif
