/* kv.h - the layer below the store: databases of records that are sorted by their keys, read in snapshots and written in
 * transactions. LMDB (lmdb_kv.c) and memory (memory_kv.c) implement it; everything that a store knows of names, logs, notes, objects
 * and accounts stands once, above it (store_*.c).
 *
 *	struct ts_read r;
 *	if (ts_read_begin(kv, &r, err))			begin: a snapshot
 *		return err->status;
 *	status = ts_read_get(r, TS_DB_REFS, key, &value, &found, err);
 *	ts_read_end(&r);
 *
 *	for (status = ts_walk_open(&walk, r, TS_DB_LOG, prefix, &found, err); !status && found;
 *	     status = ts_walk_on(&walk, &found, err))	walk: the records whose keys begin with prefix, in order
 *		... walk.key, walk.value
 *	ts_walk_end(&walk);
 *
 *	kv->ops->commit(kv, run, ctx, bytes, err)	commit: run(w, ctx, err) reads, puts and deletes, and all of it holds or nothing
 *
 * Promises of an implementation; what is promised to users of a store (engine.h) rests on them:
 *  K1  A snapshot is of one moment, whoever writes meanwhile. Within a write, reads see what it has written so far.
 *  K2  When commit returns TS_OK, all that run wrote is there, and stays as long as the layer lasts (of LMDB: P1). When it returns
 *	anything else, nothing of it is.
 *  K3  Writes happen one after the other. A layer may run the function of a write several times, and may put several writes into one
 *	transaction: a function sets its results anew each time, and checks everything before it writes anything.
 *  K4  Keys are sorted as memcmp sorts them, a key before a longer one that begins with it. A key has 1 to TS_KEY_MAX bytes.
 *  K5  A key that is not there, and a database that a store of an older version lacks, is no error: nothing is found.
 *
 * Ownership: a key or value that was read lies in the layer, unaligned, and is valid until its snapshot ends, or until the next write
 * of its transaction; in a layer over a network, until 64 MiB of others were read, if that is sooner. What is put is copied.
 * Threads: any number may read and commit; a struct ts_read, ts_walk or ts_write belongs to one thread, which must not begin another
 * one of the same layer before it has ended it.
 * Errors: TS_FULL, TS_DAMAGED, TS_UNAVAILABLE, TS_NO_MEMORY, TS_IO, with `where` in the text; walks also say TS_CANCELLED
 * (base/budget.h).
 *
 * A layer over a network keeps to the same by sending what a write has put and deleted with its commit, and by running the function of
 * a write again when what it read has changed; it answers `begin` without waiting by TS_UNAVAILABLE.
 */
#ifndef TSCOPE_STORE_KV_H
#define TSCOPE_STORE_KV_H

#include "base/buf.h"
#include "base/error.h"
#include "store/idmap.h"

#include <pthread.h>
#include <stdatomic.h>

enum { TS_KEY_MAX = 511 };

/* The databases and what they hold; every record except packs and recent ends in a u32 checksum over its key and itself:
 *	meta	"format", "next_pack", "stored", "sweeps" begun so far, "sweeping" the number of the one that deletes now (0: none),
 *		"sweep_since" newer leases are valid for it; "store" its id; "copy_of" that of one that is copied into it;
 *		"mirror_of" what it is a read-only copy of (store_mirrored.c); "verified" what was found sound (store_verified.c);
 *		"counted" 1 if usage has all; "headed" 1 if heads has, "named" 1 if named;
 *		"record/" key of a record -> its value
 *	objects	id -> struct ts_entry
 *	packs	u64 big-endian, never used twice -> sealed bytes of objects, one after the other
 *	refs	kind name -> id, seq, moved_ns, who, summary
 *	log	kind name 0 seq(big-endian) -> id, moved_ns, who, message, standing; with seq 0 what was retired from it
 *		(store_retire.c)
 *	recent	kind time(latest first) name -> nothing
 *	notes	name 0 key -> at_ns, who, value, standing
 *	cache	SHA-256 of the key -> value
 *	extract_pages	key of the extract, greatest id of the page -> extracts of one key, by id; stores of format 1 lack this database
 *		until they are opened for writing, and have a record for each extract in "extracts", if any
 *	removed	see store_removed.c; the same
 *	usage	'p' project, or 's' key of a sender -> what it uses, its name; the same for this and the next, but nothing is moved
 *	unnamed	pack, offset of an object that no name has reached yet -> key of who sent it, stored bytes
 *	note_log	name 0 key 0 seq(big-endian) -> what the note became, as in notes (store_note_log.c); records of notes and logs
 *		that older versions wrote end before their standing
 *	heads	project 0 id kind rest-of-name 0 seq -> nothing: the logs' entries by project and id (store_head.c)
 *	named	pack, offset, 8 bytes of the project's digest -> nothing: that a name of the project reaches the object (store_known.c)
 *	sent	key of a sender, id of an object that was there already -> when it was sent once more
 *
 * A row: the constant, the name on disk, and whether verify holds each record to its checksum (the others are read in their own way:
 * records of meta by their names, objects one by one, and what is damaged in cache and extract_pages is absent). */
#define TS_STORE_DATABASES(X)													\
	X(META, "meta", false, true)												\
	X(OBJECTS, "objects", false, true)											\
	X(PACKS, "packs", false, true)												\
	X(REFS, "refs", true, true)												\
	X(LOG, "log", true, true)												\
	X(RECENT, "recent", false, true)											\
	X(NOTES, "notes", true, true)												\
	X(CACHE, "cache", false, false)												\
	X(EXTRACTS, "extract_pages", false, true) /* from here on: what older stores lack */					\
	X(REMOVED, "removed", true, true)											\
	X(USAGE, "usage", true, true)												\
	X(UNNAMED, "unnamed", true, true)											\
	X(NOTE_LOG, "note_log", true, true)											\
	X(HEADS, "heads", true, true)												\
	X(NAMED, "named", true, true)												\
	X(SENT, "sent", true, true)

enum ts_db {
#define TS_DB_ROW(constant, name, checked, summed) TS_DB_##constant,
	TS_STORE_DATABASES(TS_DB_ROW)
#undef TS_DB_ROW
	TS_DBS,
	TS_DB_EXTRACTS_OLD = TS_DBS, /* open only while they are moved */
	TS_DBS_EVER,
};

struct ts_read {
	struct ts_kv *kv;
	void *txn;
};

struct ts_walk {
	struct ts_read read;
	enum ts_db db;
	struct ts_span prefix; /* of ts_walk_open: not owned */
	struct ts_span key;    /* where it stands */
	struct ts_span value;
	bool keys;  /* set after the beginning: no value is looked at, and a layer need not fetch it */
	bool sizes; /* the same, but that the length of a value is right; its bytes are not looked at */
	size_t expects; /* set after the beginning: about so many records will be read, and may be fetched at once; 0: not known */
	void *at;  /* of the layer; NULL: not begun */
};

enum ts_move {
	TS_MOVE_FROM,  /* to the first key that is not below a given one */
	TS_MOVE_BELOW, /* to the last key that is below a given one */
	TS_MOVE_NEXT,
	TS_MOVE_PREV,
};

struct ts_write {
	struct ts_kv *kv;
	void *txn;
	bool dirty; /* something was written */
	int rc;	    /* the last failure, as the layer numbers them; 0: none */
};
typedef enum ts_status ts_write_fn(struct ts_write *w, void *ctx, struct ts_error *err);

struct ts_kv_vitals {
	uint64_t readers, reader_slots;
	double oldest_reader_s;
	bool gathers;		  /* it moves packs into a bucket */
	uint64_t gather_failures; /* of these moves */
};

/* What a verify looked at beside the tables of a layer: where packs lie that are not in them. {0} at first. */
struct ts_looked {
	struct ts_idmap sound; /* places that are as they were put, by their digests */
	uint64_t *packs;       /* of what is new alone: those that lie in the places that were looked at, in order */
	size_t n_packs, cap_packs;
};
void ts_looked_finish(struct ts_looked *looked);

struct ts_kv_ops {
	/* Begins a snapshot. Unless `wait`, TS_UNAVAILABLE rather than waiting for anybody. */
	enum ts_status (*begin)(struct ts_kv *kv, bool wait, struct ts_read *ret, struct ts_error *err);
	void (*end)(struct ts_read *r);
	enum ts_status (*get)(struct ts_read r, enum ts_db db, struct ts_span key, struct ts_span *ret_value, bool *ret_found,
			      struct ts_error *err);
	/* See ts_read_ahead; of a layer that is far. */
	enum ts_status (*ahead)(struct ts_read r, enum ts_db db, const struct ts_span *keys, size_t n, struct ts_error *err);
	/* Sets w->at; walk_end gets any walk that was begun. */
	enum ts_status (*walk_begin)(struct ts_walk *w, struct ts_error *err);
	/* Sets w->key and w->value if there is such a key. After a write to its database only FROM and BELOW are allowed. */
	enum ts_status (*walk_move)(struct ts_walk *w, enum ts_move move, struct ts_span key, bool *ret_found, struct ts_error *err);
	void (*walk_end)(struct ts_walk *w);
	/* Tells how many records there are. */
	enum ts_status (*count)(struct ts_read r, enum ts_db db, uint64_t *ret_n, struct ts_error *err);
	/* Puts a value in place of one under the same key. With ret_room, value.data is not read: the caller fills *ret_room with
	 * value.len bytes before the next write. */
	enum ts_status (*put)(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, uint8_t **ret_room,
			      struct ts_error *err);
	enum ts_status (*delete)(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_error *err);
	/* bytes is roughly how much the write puts. */
	enum ts_status (*commit)(struct ts_kv *kv, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err);
	void (*release)(struct ts_kv *kv); /* by its last user it is destroyed */
	/* The real time by the clock that all who use the layer share, where it is another one than the machine's. Never waits. NULL:
	 * the machine's. */
	int64_t (*now)(struct ts_kv *kv);
	/* Says that a snapshot waits for something else, and is not read meanwhile, or that it is read again, so that others need not
	 * wait for what it holds. NULL: nobody waits. */
	void (*rest)(struct ts_read r, bool rests);

	/* What only a layer with files has; NULL where there are none. */
	enum ts_status (*room)(struct ts_kv *kv, struct ts_error *err); /* TS_FULL: only what makes the store smaller may be written */
	void (*tidy)(struct ts_kv *kv); /* forgets readers that died */
	uint64_t (*file_bytes)(struct ts_read r); /* on disk */
	enum ts_status (*vitals)(struct ts_kv *kv, struct ts_kv_vitals *ret, struct ts_error *err);
	enum ts_status (*backup)(struct ts_kv *kv, const char *path, struct ts_error *err);
	/* TS_DAMAGED, with what is lost, what is sound and what to do, if the layer was found damaged and therefore is read only. With
	 * `look`, everything is looked at first. */
	enum ts_status (*sound)(struct ts_kv *kv, bool look, struct ts_error *err);
	/* Reads each place where packs lie that are not in the layer's own tables, or each that nobody has vouched for. A bad one is
	 * not served from a cache afterwards, so that who reads its packs finds what is wrong. NULL: there are no such places. */
	enum ts_status (*look)(struct ts_kv *kv, bool only_new, struct ts_looked *looked, struct ts_error *err);
	/* Appends what tells where the bytes of the layer lie from where those of any copy of it do, such as a backup that was put
	 * back. TS_NOT_FOUND: it does not know. NULL: nobody can copy it. */
	enum ts_status (*place)(struct ts_kv *kv, struct ts_buf *out, struct ts_error *err);
	/* Says that all that lies in these places, n of them from the first one on, is sound. */
	enum ts_status (*vouch)(struct ts_write *w, const struct ts_iditem *places, size_t n, struct ts_error *err);
	/* What lies in the layer was found damaged by somebody above: from now on it is read only. */
	void (*condemn)(struct ts_kv *kv, const char *what);
};

/* Values of the cache that wait for the next commit, or for nothing in a layer that has no files. */
struct ts_spare {
	pthread_mutex_t lock;
	struct ts_idmap waiting; /* struct ts_spare_value by the SHA-256 of its key */
	size_t bytes;
};
struct ts_spare_value {
	size_t len;
	uint8_t bytes[]; /* as they are stored, with their checksum */
};

/* Begins every implementation. */
struct ts_kv {
	const struct ts_kv_ops *ops;
	const char *where;   /* for texts: the path of the store */
	struct ts_kv *base;  /* what shines through where this one has nothing; NULL: none */
	uint64_t first_pack; /* the least number of its packs; those below are its base's */
	bool far;	     /* each read of it, or of what is below it, is a round trip */
	struct ts_spare spare;
	atomic_uint_fast64_t asked_bytes, new_bytes; /* struct ts_store_vitals */
};

void ts_kv_init(struct ts_kv *kv, const struct ts_kv_ops *ops, const char *where);
void ts_kv_finish(struct ts_kv *kv);
/* Moves all values that wait to ret, whose values the caller frees. */
void ts_spare_take(struct ts_spare *spare, struct ts_idmap *ret);
/* Has all values wait in another one, and finishes the map. */
void ts_spare_give(struct ts_spare *spare, struct ts_idmap *waiting);
void ts_spare_drop(struct ts_idmap *waiting); /* frees the values, too */

/* What a lease begins and ends by: see `now` above. */
int64_t ts_kv_now(struct ts_kv *kv);

const char *ts_db_name(enum ts_db db);
bool ts_db_is_checked(enum ts_db db);
bool ts_db_is_summed(enum ts_db db);

/* ---- reading ---- */

enum ts_status ts_read_begin(struct ts_kv *kv, struct ts_read *ret, struct ts_error *err);
bool ts_read_try(struct ts_kv *kv, struct ts_read *ret); /* false if it would have to wait */
void ts_read_end(struct ts_read *r);
static inline enum ts_status ts_read_get(struct ts_read r, enum ts_db db, struct ts_span key, struct ts_span *ret_value,
					 bool *ret_found, struct ts_error *err)
{
	return r.kv->ops->get(r, db, key, ret_value, ret_found, err);
}
/* Says which keys of a database will be read next, so that a layer that is far fetches all of them by one round trip. Of each database
 * the last call counts. The keys are copied. */
enum ts_status ts_read_ahead(struct ts_read r, enum ts_db db, const struct ts_span *keys, size_t n, struct ts_error *err);
enum ts_status ts_read_u64(struct ts_read r, const char *key, uint64_t *ret_value,
			   struct ts_error *err); /* reads a number of meta; 0 if it is not there */
enum ts_status ts_read_count(struct ts_read r, enum ts_db db, uint64_t *ret_n, struct ts_error *err);

enum ts_status ts_walk_begin(struct ts_walk *w, struct ts_read r, enum ts_db db, struct ts_error *err);
/* Begins a walk over the keys that begin with a prefix, which must live as long, and goes to the first one. */
enum ts_status ts_walk_open(struct ts_walk *w, struct ts_read r, enum ts_db db, struct ts_span prefix, bool *ret_found,
			    struct ts_error *err);
/* Goes on to the next of them. */
enum ts_status ts_walk_on(struct ts_walk *w, bool *ret_found, struct ts_error *err);
void ts_walk_end(struct ts_walk *w); /* also of a walk whose beginning failed */
enum ts_status ts_walk_seek(struct ts_walk *w, struct ts_span from, bool *ret_found, struct ts_error *err);
enum ts_status ts_walk_seek_below(struct ts_walk *w, struct ts_span below, bool *ret_found, struct ts_error *err);
enum ts_status ts_walk_next(struct ts_walk *w, bool *ret_found, struct ts_error *err);
enum ts_status ts_walk_prev(struct ts_walk *w, bool *ret_found, struct ts_error *err);

/* Append the checksum at the end of a record, and split it off again: TS_DAMAGED if it is wrong. */
void ts_check_append(struct ts_buf *buf, struct ts_span key);
enum ts_status ts_check_split(struct ts_span key, struct ts_span stored, struct ts_span *ret_value, struct ts_error *err);

/* ---- writing ---- */

static inline struct ts_read ts_read_of(const struct ts_write *w)
{
	return (struct ts_read){.kv = w->kv, .txn = w->txn};
}

enum ts_status ts_write_put(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_span value, struct ts_error *err);
/* Puts what a buffer holds, with its checksum, unless the buffer has failed; finishes the buffer in any case. */
enum ts_status ts_write_record(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_buf *value, struct ts_error *err);
/* Stores a value of len bytes, which the caller must fill before the next write. */
enum ts_status ts_write_reserve(struct ts_write *w, enum ts_db db, struct ts_span key, size_t len, uint8_t **ret_at,
				struct ts_error *err);
enum ts_status ts_write_delete(struct ts_write *w, enum ts_db db, struct ts_span key, struct ts_error *err);
/* Deletes every key that begins with the prefix. */
enum ts_status ts_write_delete_prefix(struct ts_write *w, enum ts_db db, struct ts_span prefix, struct ts_error *err);
enum ts_status ts_write_u64(struct ts_write *w, const char *key, uint64_t value, struct ts_error *err); /* of meta */

/* TS_OK where there is nothing that could be damaged. Call both without a transaction. */
enum ts_status ts_kv_sound(struct ts_kv *kv, bool look, struct ts_error *err);
enum ts_status ts_kv_look(struct ts_kv *kv, bool only_new, struct ts_looked *looked, struct ts_error *err);
/* See `place` above; appends nothing for a layer that nobody can copy. */
enum ts_status ts_kv_place(struct ts_kv *kv, struct ts_buf *out, struct ts_error *err);
void ts_kv_condemn(struct ts_kv *kv, const char *what);
/* TS_OK where there is no disk that could be full. Call it without a transaction. */
enum ts_status ts_kv_room(struct ts_kv *kv, struct ts_error *err);

#endif
