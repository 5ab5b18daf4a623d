/* store_internal.h - the store's logic, above the layer of keys and values (kv.h): names, logs, notes, objects, accounts, and the walks
 * over them. Internal to store/.
 *
 * A read begins a snapshot and ends it before its call returns. A write is a function that ts_store_write runs in a transaction.
 */
#ifndef TSCOPE_STORE_STORE_INTERNAL_H
#define TSCOPE_STORE_STORE_INTERNAL_H

#include "base/cursor.h"
#include "store/closure.h"
#include "store/engine_common.h"
#include "store/kv.h"
#include "store/reached.h"

/* 1: before 2026-11. 2: removed names are kept, and commits look for a sweep that deletes. 3: each commit says in the superblock what
 * the tables hold (superblock.h), which an older program would not. 4: heads are indexed by project (store_head.c), which an older
 * program would not keep up. An older store that is opened for writing becomes one of this format. */
enum { TS_STORE_FORMAT = 4, TS_STORE_HELD = 3 }; /* from the second one on there is a superblock */

struct ts_bill;

struct ts_store {
	struct ts_engine engine;
	struct ts_kv *kv;
	const struct ts_spending *spending;
	bool read_only;
	bool restoring;	  /* it becomes what another one was, also one that was a mirror */
	struct ts_buf mirroring; /* of the engine that mirrors: what its mark says (store_mirrored.c); else empty */
	struct ts_engine *below;  /* what it is laid over, else NULL; not owned */
	struct ts_depot *depot;   /* of objects that its layers do not have, else NULL; not owned */
	pthread_mutex_t known_lock;
	struct ts_idmap known; /* ids of which the depot said that it has them */
	struct ts_reached reached;
};

static inline struct ts_store *ts_store_of(struct ts_engine *e)
{
	return (struct ts_store *)(void *)e;
}

static inline struct ts_kv *ts_kv_of(struct ts_engine *e)
{
	return ts_store_of(e)->kv;
}

/* store_engine.c: makes an engine of a layer, which it releases when it is destroyed, also when this fails. Of `as`, it takes spending,
 * read_only, below and depot. */
enum ts_status ts_store_open(struct ts_kv *kv, const struct ts_store *as, struct ts_engine **ret_engine, struct ts_error *err);
/* Runs a write; TS_DENIED if the engine is read_only. bytes is roughly how much it writes. What a store is may change while it is open,
 * so each write looks for itself, in its transaction, whether it may (ts_mirrored_admit). */
enum ts_status ts_store_write(struct ts_store *s, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err);
/* The same without that look: for what no mirroring takes away or is misled by. */
enum ts_status ts_store_write_beside(struct ts_store *s, ts_write_fn *run, void *ctx, size_t bytes, struct ts_error *err);
/* Whether nothing but counters is there; a mirror is not empty. */
enum ts_status ts_store_is_empty(struct ts_read r, bool *ret_is, struct ts_error *err);
/* Whether this engine may write: into a mirror, TS_DENIED but for the one that mirrors; and for that one TS_CONFLICT once the store
 * is no mirror any more, or another one. */
enum ts_status ts_mirrored_admit(const struct ts_store *s, struct ts_read r, struct ts_error *err);

/* store_format.c: what a new store begins with; which formats are read, and which one needs an upgrade; the upgrade. */
enum ts_status ts_format_begin(struct ts_write *w, struct ts_error *err);
enum ts_status ts_format_check(struct ts_kv *kv, bool *ret_old, struct ts_error *err);
enum ts_status ts_format_upgrade(struct ts_write *w, struct ts_error *err);

/* memory_kv.c: a layer that shows the records of files over another layer. Values stay where they are; the layer owns neither them nor
 * `where`, and calls finish when it is released. */
struct ts_memory_files {
	const char *where;
	struct ts_kv *under;
	enum ts_status (*backup)(struct ts_kv *kv, const char *path, struct ts_error *err);
	enum ts_status (*sound)(struct ts_kv *kv, bool look, struct ts_error *err);
	void (*finish)(void *owner);
	void *owner;
};
struct ts_memory_record {
	enum ts_db db;
	bool gone;
	struct ts_span key, value;
};
/* Gives the next record, a later one in place of an earlier one of its key; *ret_found is false at the end. */
typedef enum ts_status ts_memory_next(void *ctx, struct ts_memory_record *ret, bool *ret_found, struct ts_error *err);
/* If this fails, finish is not called. */
enum ts_status ts_memory_kv(const struct ts_memory_files *files, ts_memory_next *next, void *ctx, struct ts_kv **ret_kv,
			    struct ts_error *err);
const struct ts_memory_files *ts_memory_files_of(struct ts_kv *kv); /* NULL: it is another layer */

/* memory_kv.c: what writes put and delete, gathered in memory over the layer that they read, which is not written: its `commit` runs a
 * write, and a write that fails leaves nothing. `release` ends it. */
enum ts_status ts_gather_begin(struct ts_kv *under, struct ts_kv **ret_kv, struct ts_error *err);
/* Visits each record that was put, or that was deleted (gone) and is in the layer below, by database and key. */
typedef enum ts_status ts_gather_fn(void *ctx, enum ts_db db, struct ts_span key, struct ts_span value, bool gone,
				    struct ts_error *err);
enum ts_status ts_gather_visit(struct ts_kv *kv, ts_gather_fn *visit, void *ctx, struct ts_error *err);

/* store_mirror.c */
enum ts_status ts_store_is_copy(struct ts_read r, bool *ret_is, struct ts_error *err); /* of another one, which it follows */
enum ts_status ts_store_mirror(struct ts_engine *e, struct ts_span asked, ts_mirror_send *send, void *ctx, struct ts_error *err);

/* lmdb_txn.c: tells one state of a store on disk from others; false if there is none. */
bool ts_lmdb_moment(struct ts_read r, uint8_t out[TS_MOMENT]);

/* store_clock.c: the time of the last sweep, and what is believed of the next one's. */
struct ts_swept_time {
	uint64_t boot;
	int64_t up_ns, at_ns; /* at_ns: 0 if there was none */
};
struct ts_believed {
	int64_t now_ns;		  /* not later than the clock says */
	bool behind;		  /* the clock says less than the last sweep did */
	struct ts_swept_time next; /* to be kept by this sweep */
};
enum ts_status ts_swept_time_read(struct ts_read r, struct ts_swept_time *ret, struct ts_error *err);
enum ts_status ts_swept_time_write(struct ts_write *w, const struct ts_swept_time *time, struct ts_error *err);
/* For a store that was never swept: it begins now, so that the first sweep too believes only what the machine was up since. */
enum ts_status ts_swept_time_begin(struct ts_write *w, struct ts_error *err);
void ts_clock_believe(const struct ts_swept_time *last, const struct ts_sweep_clock *clock, int64_t now_ns, struct ts_believed *ret);

/* store_object.c */
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
	uint8_t flags; /* TS_COMPLETE: its whole closure is there, unless a sweep deletes at this time (struct ts_sweeping) */
};

enum ts_status ts_entry_parse(const struct ts_id *id, struct ts_span stored, struct ts_entry *ret, struct ts_error *err);
enum ts_status ts_entry_get(struct ts_read r, const struct ts_id *id, struct ts_entry *ret, bool *ret_found,
			     struct ts_error *err);
/* Says which entries will be read next (ts_read_ahead): n ids, each `stride` bytes behind the one before. */
enum ts_status ts_entries_ahead(struct ts_read r, const struct ts_id *first, size_t stride, size_t n, struct ts_error *err);
enum ts_status ts_entry_put(struct ts_write *w, const struct ts_id *id, const struct ts_entry *record,
			     struct ts_error *err);
/* The object of a record, in place: valid until the transaction ends or writes. TS_DAMAGED if the pack does not hold it. */
enum ts_status ts_entry_sealed(struct ts_read r, const struct ts_id *id, const struct ts_entry *record,
				struct ts_sealed *ret, struct ts_error *err);
void ts_pack_key(uint64_t pack, uint8_t out[8]);

/* Collects objects into packs within one write. */
struct ts_packer {
	struct ts_write *w;
	uint64_t pack;
	struct ts_span *parts; /* must have room for all objects that are added */
	size_t n_parts;
	size_t fill;
};
enum ts_status ts_packer_begin(struct ts_packer *p, struct ts_write *w, struct ts_span *parts, struct ts_error *err);
/* Adds an object: sets pack and offset of its record and writes the record. The caller keeps bytes until the pack is written. */
enum ts_status ts_packer_add(struct ts_packer *p, const struct ts_id *id, struct ts_span bytes, struct ts_entry *record,
			     struct ts_error *err);
enum ts_status ts_packer_end(struct ts_packer *p, struct ts_error *err);

/* Whether an object's bytes lie in the layer below: then its lease and its marks are that one's, and are not written here. */
static inline bool ts_entry_is_below(const struct ts_kv *kv, const struct ts_entry *record)
{
	return record->pack < kv->first_pack;
}

enum ts_status ts_store_has_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				struct ts_error *err);
enum ts_status ts_store_outline_many(struct ts_engine *e, const struct ts_id *ids, size_t n, struct ts_outline *ret_outlines,
				    struct ts_error *err);
enum ts_status ts_store_look_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				 bool *ret_leased, struct ts_error *err);
enum ts_status ts_store_get(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena,
			   struct ts_sealed *ret_sealed, struct ts_error *err);
enum ts_status ts_store_put_many(struct ts_engine *e, const struct ts_sealed *objects, size_t n,
				struct ts_put_stats *ret_stats, struct ts_error *err);
enum ts_status ts_store_upload_many(struct ts_engine *e, struct ts_span sender, const struct ts_sealed *objects, size_t n,
				   struct ts_put_stats *ret_stats, struct ts_error *err);
/* TS_OK if the depot has an object; else TS_NOT_FOUND. */
enum ts_status ts_store_ask_depot(struct ts_store *s, const struct ts_id *id, struct ts_error *err);
enum ts_status ts_store_find_prefix(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit,
				   struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err);

/* store_ref.c */
enum { TS_REF_KEY_MAX = 1 + TS_REF_NAME_MAX, TS_RECENT_PREFIX = 9, TS_RECENT_KEY_MAX = TS_RECENT_PREFIX + TS_REF_NAME_MAX };
struct ts_span ts_ref_key(enum ts_ref_kind kind, struct ts_span name, uint8_t out[TS_REF_KEY_MAX]);
/* Parses a record of refs. Spans of the ref point into stored and key. TS_DAMAGED if it is not valid. */
enum ts_status ts_ref_parse(struct ts_span key, struct ts_span stored, struct ts_ref *ret, struct ts_error *err);
enum ts_status ts_ref_read(struct ts_read r, enum ts_ref_kind kind, struct ts_span name, struct ts_ref *ret,
			   bool *ret_found, struct ts_error *err);
/* The key of a ref in the order of the newest. */
struct ts_span ts_recent_key(enum ts_ref_kind kind, int64_t moved_ns, struct ts_span name, uint8_t out[TS_RECENT_KEY_MAX]);
/* Append the fields of a ref but kind and name, as records of refs and of removed names begin, and a text with its length. */
void ts_ref_append(struct ts_buf *buf, const struct ts_ref *ref);
void ts_text_append(struct ts_buf *buf, struct ts_span text);
struct ts_span ts_text_take(struct ts_cursor *c);
enum ts_standing ts_standing_take(struct ts_cursor *c); /* UNKNOWN where the record ends */
/* Writes a ref, and where it stands among the newest. */
enum ts_status ts_ref_write(struct ts_write *w, const struct ts_ref *ref, struct ts_error *err);
/* Removes a ref, if there is one; but for a stage, which can be joined anew, it is kept with its log and notes. The bill gets the notes
 * that went, and the caller adds the name. */
enum ts_status ts_ref_remove(struct ts_write *w, enum ts_ref_kind kind, struct ts_span name, int64_t now_ns, struct ts_span by,
			     struct ts_bill *bill, struct ts_error *err);
/* A name of a project comes to reach the closures of these ids: what the project had not reached it knows from now on, and what no name
 * had reached it pays for. */
enum ts_status ts_ref_reach(struct ts_write *w, struct ts_store *s, struct ts_span project, const struct ts_id *ids, size_t n,
			    struct ts_error *err);
/* The key of an entry of a log. */
enum { TS_LOG_KEY_MAX = TS_REF_KEY_MAX + 9 };
struct ts_span ts_log_key(enum ts_ref_kind kind, struct ts_span name, uint64_t seq, uint8_t out[TS_LOG_KEY_MAX]);
/* Parses a record of log. Spans of the entry point into stored. TS_DAMAGED if it is not valid. */
enum ts_status ts_log_parse(struct ts_span key, struct ts_span stored, struct ts_log_entry *ret, struct ts_error *err);
enum ts_status ts_store_commit(struct ts_engine *e, const struct ts_ref_update *updates, size_t n,
			      struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);

/* store_list.c */
enum ts_status ts_store_ref_get(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
			       struct ts_ref *ret_ref, struct ts_error *err);
enum ts_status ts_store_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next, struct ts_error *err);
enum ts_status ts_store_ref_log(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
			       struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
			       struct ts_error *err);

/* store_usage.c: what projects and senders use. A write collects in a bill what it changes, asks before it writes anything, and
 * writes the bill at its end, so that the counts move with what they count. */
struct ts_charge {
	bool sender;
	uint64_t key;	     /* of a sender */
	struct ts_span name; /* of a project, or of a sender that is charged for the first time; not owned */
	int64_t more[TS_USES];
};
struct ts_bill {
	struct ts_charge *charges;
	size_t n;
	size_t cap;
};
void ts_bill_finish(struct ts_bill *bill);
uint64_t ts_sender_key(struct ts_span name); /* 0: nobody */
/* The project of a name. */
struct ts_span ts_project_of(struct ts_span name);
enum ts_status ts_bill_project(struct ts_bill *bill, struct ts_span project, enum ts_use use, int64_t more, struct ts_error *err);
/* Nothing for the sender 0. */
enum ts_status ts_bill_sender(struct ts_bill *bill, uint64_t key, struct ts_span name, int64_t more, struct ts_error *err);
/* Finds whether the bill brings an account above a limit. spending may be NULL. */
struct ts_over {
	bool found;
	struct ts_account account; /* its name is valid until the next write */
	enum ts_use use;
	uint64_t more;
};
enum ts_status ts_bill_look(const struct ts_bill *bill, struct ts_read r, const struct ts_spending *spending, struct ts_over *ret,
			    struct ts_error *err);
/* The same, and refuses that. */
enum ts_status ts_bill_check(const struct ts_bill *bill, struct ts_read r, const struct ts_spending *spending, struct ts_error *err);
enum ts_status ts_bill_write(const struct ts_bill *bill, struct ts_write *w, struct ts_error *err);
/* Parses a record of usage. Its name points into stored. A damaged one uses nothing: it is counted anew by the next sweep. */
bool ts_usage_parse(struct ts_span key, struct ts_span stored, struct ts_account *ret, uint64_t *ret_key);
enum ts_status ts_store_usage_get(struct ts_engine *e, bool sender, struct ts_span name, uint64_t ret_used[TS_USES], bool *ret_counted,
				 struct ts_error *err);
enum ts_status ts_store_usage_list(struct ts_engine *e, struct ts_arena *arena, struct ts_account **ret_accounts, size_t *ret_n,
				  bool *ret_counted, struct ts_error *err);

/* Objects that no name has reached yet, by their place. */
struct ts_unnamed {
	uint64_t sender;
	uint32_t len;
};
enum { TS_UNNAMED_KEY = 12 };
struct ts_span ts_unnamed_key(uint64_t pack, uint32_t offset, uint8_t out[TS_UNNAMED_KEY]);
/* False if the record is damaged. */
bool ts_unnamed_parse(struct ts_span key, struct ts_span stored, struct ts_unnamed *ret);
enum ts_status ts_unnamed_get(struct ts_read r, uint64_t pack, uint32_t offset, struct ts_unnamed *ret, bool *ret_found,
			      struct ts_error *err);
enum ts_status ts_unnamed_put(struct ts_write *w, uint64_t pack, uint32_t offset, const struct ts_unnamed *unnamed,
			      struct ts_error *err);
/* Takes an object that goes off the bytes of its sender. */
enum ts_status ts_unnamed_drop(struct ts_write *w, uint64_t pack, uint32_t offset, struct ts_bill *bill, struct ts_error *err);
/* The object moves to another place. */
enum ts_status ts_unnamed_move(struct ts_write *w, uint64_t pack, uint32_t offset, uint64_t to_pack, uint32_t to_offset,
			       struct ts_error *err);

/* store_note.c */
/* Deletes the notes of removed names, which a store of format 1 kept among the others. */
enum ts_status ts_store_notes_forget(struct ts_write *w, struct ts_error *err);
/* How many more notes there are once this one is written: 1, 0 or -1. */
enum ts_status ts_store_note_more(struct ts_read r, struct ts_span name, const struct ts_note *note, int *ret_more,
				 struct ts_error *err);
/* Writes a note that was checked, or removes it if its value is empty. */
enum ts_status ts_store_note_write(struct ts_write *w, struct ts_span name, const struct ts_note *note, struct ts_error *err);
enum ts_status ts_store_note_put(struct ts_engine *e, struct ts_span name, const struct ts_note *note,
				struct ts_error *err);
/* The fields of a note as records of notes and of their history have them; key points into record, the key of the record. */
void ts_note_append(struct ts_buf *buf, const struct ts_note *note);
enum ts_status ts_note_read(struct ts_span record, struct ts_span stored, struct ts_span key, struct ts_arena *arena,
			    struct ts_note *ret, struct ts_error *err);
/* Whether a name has a note that was written after since_ns. */
enum ts_status ts_store_noted_since(struct ts_read r, struct ts_span name, int64_t since_ns, bool *ret_noted, struct ts_error *err);

/* store_retire.c */
enum ts_status ts_store_log_pruned(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
				  struct ts_pruned *ret_pruned, struct ts_error *err);
enum ts_status ts_store_retire(struct ts_engine *e, const struct ts_retire *retire, enum ts_retire_outcome *ret_outcomes,
			      struct ts_error *err);
/* What was retired from a log, and when its first entry was made, which tells it from another of its name. Spans of the record are
 * valid until the next write. */
struct ts_log_gap {
	struct ts_pruned pruned;
	int64_t born_ns;
};
/* Copies a name of at most TS_WHO_MAX bytes into room, where it outlives a write. */
struct ts_span ts_who_copy(struct ts_span who, uint8_t room[TS_WHO_MAX]);
enum ts_status ts_log_gap_read(struct ts_read r, enum ts_ref_kind kind, struct ts_span name, struct ts_log_gap *ret_gap,
			       struct ts_error *err);
/* Writes it, or removes it if no entries are missing. The log must have an entry. */
enum ts_status ts_log_gap_write(struct ts_write *w, enum ts_ref_kind kind, struct ts_span name, const struct ts_log_gap *gap,
				struct ts_error *err);

/* store_record.c */
enum ts_status ts_store_record_put(struct ts_engine *e, const struct ts_record *record, const struct ts_records_seen *seen,
				    struct ts_error *err);
enum ts_status ts_store_record_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret_value,
				  struct ts_error *err);
enum ts_status ts_store_record_list(struct ts_engine *e, struct ts_span prefix, struct ts_arena *arena, struct ts_record **ret_records,
				   size_t *ret_n, struct ts_error *err);
enum ts_status ts_store_note_list(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_ref *ret_ref,
				 struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err);

/* store_note_log.c */
enum ts_status ts_note_log_add(struct ts_write *w, struct ts_span name, const struct ts_note *note, struct ts_error *err);
enum ts_status ts_note_log_forget(struct ts_write *w, struct ts_span name, struct ts_error *err); /* of a name that is gone for good */
enum ts_status ts_store_note_log(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_note **ret_notes,
				 size_t *ret_n, struct ts_error *err);

/* store_head.c */
/* Put and delete the record of a log's entry; nothing for what is no entry. */
enum ts_status ts_head_put(struct ts_write *w, struct ts_span log_key, const struct ts_id *id, struct ts_error *err);
enum ts_status ts_head_drop(struct ts_write *w, struct ts_span log_key, const struct ts_id *id, struct ts_error *err);
enum ts_status ts_heads_drop_log(struct ts_write *w, struct ts_span prefix, struct ts_error *err); /* of all entries of a log */
enum ts_status ts_heads_begin(struct ts_write *w, bool all, struct ts_error *err); /* says whether the index has all */
enum ts_status ts_heads_indexed(struct ts_read r, bool *ret_is, struct ts_error *err);
/* Indexes a store that is not indexed, in small writes; one that was killed is begun again by the next. */
enum ts_status ts_heads_build(struct ts_store *s, struct ts_error *err);
enum ts_status ts_store_heads_find(struct ts_engine *e, struct ts_span project, struct ts_span hex, size_t limit,
				  struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err);
/* What verify asks of each entry of a log, and of each record of the index. */
enum ts_status ts_log_has_head(struct ts_read r, const struct ts_walk *at, bool *ret_sound, struct ts_error *err);
enum ts_status ts_head_has_log(struct ts_read r, const struct ts_walk *at, bool *ret_sound, struct ts_error *err);

/* Whether a project has a head, in a snapshot. */
enum ts_status ts_heads_have(struct ts_read r, struct ts_span project, const struct ts_id *id, bool *ret_have, struct ts_error *err);

/* store_removed.c */
/* Keeps a ref that is being removed, with its log and notes; *ret_notes of them. */
enum ts_status ts_removed_keep(struct ts_write *w, const struct ts_ref *ref, int64_t now_ns, struct ts_span by, size_t *ret_notes,
			       struct ts_error *err);
/* Gives the notes back to a name that was removed when it is given to the same run again; *ret_notes of them. */
enum ts_status ts_removed_again(struct ts_write *w, struct ts_span name, const struct ts_id *id, size_t *ret_notes,
				struct ts_error *err);
/* Keeps an entry that is being retired from the log of a branch, among those that were retired at the same time. born_ns as in struct
 * ts_log_gap. */
enum ts_status ts_removed_keep_entry(struct ts_write *w, const struct ts_retired *entry, int64_t born_ns, int64_t now_ns,
				     struct ts_span by, struct ts_error *err);
/* Forgets one name that was removed keep_ns before now_ns, or corrects the time of one; *ret_more: call it again. */
enum ts_status ts_removed_expire(struct ts_write *w, int64_t now_ns, int64_t keep_ns, bool rewrite, bool *ret_more,
				 struct ts_error *err);
/* Whether a record keeps objects, and is of a name that was removed after since_ns. *ret_log: it is an entry of a log, else
 * ts_removed_id has its id. */
bool ts_removed_root(struct ts_span key, int64_t since_ns, bool *ret_log);
enum ts_status ts_removed_id(struct ts_span key, struct ts_span stored, struct ts_id *ret_id, struct ts_error *err);
enum ts_status ts_store_removed_list(struct ts_engine *e, const struct ts_removed_query *query, struct ts_arena *arena,
				    struct ts_removed_name **ret_names, size_t *ret_n, bool *ret_more, struct ts_error *err);
enum ts_status ts_store_ref_restore(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
				   struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);

/* store_extract.c */
/* Writes extracts that were checked. */
enum ts_status ts_store_extracts_write(struct ts_write *w, const struct ts_id *id, const struct ts_extract *extracts, size_t n,
				     struct ts_error *err);
enum ts_status ts_store_extracts_put(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err);
enum ts_status ts_store_extract_get(struct ts_engine *e, const struct ts_extract_key *key, const struct ts_id *id,
				  struct ts_arena *arena, struct ts_span *ret_value, struct ts_error *err);
enum ts_status ts_store_extracts_walk(struct ts_engine *e, const struct ts_extract_key *key, ts_extract_visit *visit, void *ctx,
				    struct ts_error *err);
/* Deletes the extracts of objects that are not there. It looks at no more than `most`, from *io_place on (len 0: the first), and
 * sets it to where the next call goes on (len 0: nowhere). */
struct ts_extracts_place {
	uint8_t key[64];
	size_t len;
};
enum ts_status ts_store_extracts_sweep(struct ts_write *w, struct ts_extracts_place *io_place, size_t most, struct ts_error *err);
/* Copies the extracts of a store of an older version into pages. */
enum ts_status ts_store_extracts_move(struct ts_write *w, struct ts_error *err);

/* store_known.c */
enum { TS_PROJECT_KEY = 8 };
struct ts_project_key {
	uint8_t bytes[TS_PROJECT_KEY];
};
struct ts_project_key ts_project_key(struct ts_span project);
/* Records by the place of an object, that a name of the project reaches it; they go and move with the object. */
enum ts_status ts_named_get(struct ts_read r, uint64_t pack, uint32_t offset, const struct ts_project_key *project, bool *ret_found,
			    struct ts_error *err);
enum ts_status ts_named_put(struct ts_write *w, uint64_t pack, uint32_t offset, const struct ts_project_key *project,
			    struct ts_error *err);
enum ts_status ts_named_drop(struct ts_write *w, uint64_t pack, uint32_t offset, struct ts_error *err);
enum ts_status ts_named_move(struct ts_write *w, uint64_t pack, uint32_t offset, uint64_t to_pack, uint32_t to_offset,
			     struct ts_error *err);
/* Says that what is recorded of these places will be read next (ts_read_ahead). */
enum ts_status ts_places_ahead(struct ts_read r, const struct ts_entry *places, size_t n, const struct ts_project_key *projects,
			       size_t n_projects, struct ts_error *err);
enum ts_status ts_named_begin(struct ts_write *w, bool all, struct ts_error *err); /* says whether all records are there */
enum ts_status ts_named_complete(struct ts_read r, bool *ret_is, struct ts_error *err);
/* That a sender has sent an object that was there already; *ret_new: for the first time. */
enum ts_status ts_sent_put(struct ts_write *w, uint64_t sender, const struct ts_id *id, int64_t now_ns, bool *ret_new,
			   struct ts_error *err);
/* Deletes such records that are as old as since_ns, some from *io_place on, as ts_store_extracts_sweep. */
enum ts_status ts_sent_sweep(struct ts_write *w, struct ts_extracts_place *io_place, int64_t now_ns, int64_t since_ns,
			     struct ts_error *err);
enum ts_status ts_store_known_many(struct ts_engine *e, const struct ts_viewer *viewer, const struct ts_id *ids, size_t n,
				   enum ts_known *ret_known, bool *ret_leased, struct ts_error *err);
enum ts_status ts_store_prove(struct ts_engine *e, const struct ts_viewer *viewer, const struct ts_id *id, struct ts_error *err);

/* store_cache.c */
enum ts_status ts_store_cache_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena,
				 struct ts_span *ret_value, struct ts_error *err);
void ts_store_cache_put(struct ts_engine *e, struct ts_span key, struct ts_span value);

/* store_table.c: a table of all objects at one moment, and walks that mark its rows. */
struct ts_row {
	struct ts_id id;
	uint64_t pack;
	int64_t lease_ns;
	uint32_t offset;
	uint32_t len;
	uint32_t raw_len;
	uint32_t nrefs;
	bool marked;
	bool named; /* marked by a name, not only by a lease */
	bool gone;  /* there is no such record, or it is in another pack */
	uint32_t project; /* the number of the last project that was found to reach it, see store_count.c */
};

struct ts_table {
	struct ts_store *store;
	struct ts_row *rows; /* sorted by id; those of the layer below have none */
	size_t n;
	size_t cap;
	struct ts_read read;	  /* the transaction that walks read */
	struct ts_idmap newer;	  /* ids that a walk reached and that have no row */
	struct ts_idmap *damaged; /* collects damaged ids; if it is NULL, a damaged object is an error */
	struct ts_idmap *missing; /* the same for missing ids */
	int64_t removed_since_ns; /* names that were removed before do not count */
	bool recent;		  /* nor do those that moved before moved_ns */
	int64_t moved_ns;
	struct ts_idmap without;  /* digests of the keys of refs and entries that do not count */
};

void ts_table_finish(struct ts_table *t);
enum ts_status ts_table_load(struct ts_table *t, struct ts_store *s, struct ts_read r, struct ts_error *err);
struct ts_row *ts_table_find(struct ts_table *t, const struct ts_id *id);
/* Marks everything that refs reach; for a branch, everything that any entry of its log reaches. */
enum ts_status ts_table_mark_names(struct ts_table *t, struct ts_read r, struct ts_error *err);
enum ts_status ts_table_mark_removed(struct ts_table *t, struct ts_read r, struct ts_error *err); /* what removed names reach */
enum ts_status ts_table_mark_from(struct ts_table *t, struct ts_read r, const struct ts_id *id, struct ts_closure *closure,
				  struct ts_error *err);
void ts_table_closure(struct ts_table *t, struct ts_closure *ret_closure);
/* Gives the rows in the order in which their objects lie on disk. The caller frees *ret_rows with ts_free. */
enum ts_status ts_table_by_pack(const struct ts_table *t, struct ts_row ***ret_rows, struct ts_error *err);

/* store_count.c: what every account uses, by a walk over what its names reach. */
struct ts_tally {
	struct ts_account account; /* as it was counted when the transaction began */
	uint64_t key;		   /* of a sender */
	uint64_t found[TS_USES];
};
struct ts_count {
	struct ts_arena arena;
	struct ts_tally *tallies; /* of projects by name, then others */
	size_t n, cap, sorted;
	struct ts_span *stale; /* keys of unnamed objects that are named or gone */
	size_t n_stale, cap_stale;
	struct ts_lack *lacks; /* objects that a project reaches without a record that says so; at most TS_LACKS_MAX */
	size_t n_lacks, cap_lacks;
	bool more_lacks;
	struct ts_bill bill;
};
struct ts_lack {
	struct ts_id id;
	struct ts_project_key project;
};
enum { TS_LACKS_MAX = 1 << 20 };
void ts_count_finish(struct ts_count *c);
/* rows: those of the table by pack. Rows that a name or a removed name reaches are `named`. Damaged and missing objects, and
 * damaged names, count as nothing. */
enum ts_status ts_count_all(struct ts_count *c, struct ts_table *t, struct ts_row *const *rows, struct ts_read r, struct ts_error *err);
/* A ts_write_fn, whose ctx is a count: what was found instead of counted is added to the counts as they are by now. */
enum ts_status ts_count_settle(struct ts_write *w, void *ctx, struct ts_error *err);
/* Adds the records that projects lack, in small writes. */
enum ts_status ts_count_name(struct ts_store *s, struct ts_count *c, struct ts_error *err);
bool ts_tally_drifted(const struct ts_tally *tally);
enum ts_status ts_store_recount(struct ts_engine *e, struct ts_error *err);

/* store_verify.c, store_sweep.c */
/* store_verify_records.c: counts damaged records of refs, logs, notes, removed names, usage and unnamed objects, and refs that the
 * order of the newest lacks. */
enum ts_status ts_store_verify_records(struct ts_read r, uint64_t *ret_bad, struct ts_error *err);
enum ts_status ts_store_verify(struct ts_engine *e, const struct ts_verify_options *options, struct ts_arena *arena,
			      struct ts_verify_report *ret_report, struct ts_error *err);

/* store_verified.c */
struct ts_verified {
	bool is;	  /* else the next four are zeros */
	bool copy;	  /* the store is one of another store, and is not said to be verified */
	uint64_t pack;	  /* those with a lesser number were sound */
	int64_t whole_ns; /* when the last verify began that read all of them */
	int64_t last_ns;  /* when the last one began */
	struct ts_id place; /* the digest of where that was (ts_kv_place) */
};
/* A damaged record is none, and neither is one of another place than `place`; NULL: nobody knows this one. */
enum ts_status ts_verified_read(struct ts_read r, const struct ts_id *place, struct ts_verified *ret, struct ts_error *err);
enum ts_status ts_verified_write(struct ts_write *w, const struct ts_verified *verified, struct ts_error *err);
enum ts_status ts_verified_forget(struct ts_write *w, struct ts_error *err);
enum ts_status ts_store_sweep(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret_report,
			     struct ts_error *err);

/* The sweep that deletes now. While there is one, TS_COMPLETE proves nothing, and what shall stay needs a lease that it honours. */
struct ts_sweeping {
	uint64_t number;  /* 0: there is none */
	int64_t since_ns; /* it honours leases that are newer */
};
enum ts_status ts_sweeping_read(struct ts_read r, struct ts_sweeping *ret, struct ts_error *err);
/* True without a sweep. */
bool ts_sweeping_honours(const struct ts_sweeping *sweeping, int64_t lease_ns, int64_t now_ns);
/* Whether the lease of an object that was asked for now has to be written anew. */
bool ts_sweeping_must_renew(const struct ts_kv *kv, const struct ts_sweeping *sweeping, const struct ts_entry *entry, int64_t now_ns);
/* The lease to write at this time. */
int64_t ts_sweeping_lease(const struct ts_sweeping *sweeping, int64_t now_ns);

#endif
