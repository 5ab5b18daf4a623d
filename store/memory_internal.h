/* memory_internal.h - the structs of the memory engine. Internal to store/memory_*.c.
 *
 * One mutex guards everything. It is held during calls to base, which never calls back.
 */
#ifndef TSCOPE_STORE_MEMORY_INTERNAL_H
#define TSCOPE_STORE_MEMORY_INTERNAL_H

#include "store/closure.h"
#include "store/engine_common.h"
#include "store/idmap.h"

#include <pthread.h>

/* Room for many objects, because pages that are asked for one by one take longer to get than to fill. */
struct ts_slab {
	size_t used, objects; /* bytes given away, and objects that still lie here */
	_Alignas(16) uint8_t bytes[];
};

struct ts_held {
	struct ts_slab *slab; /* NULL: a block of its own */
	struct ts_sealed sealed;
	int64_t lease_ns;
	bool complete;	/* its whole closure was there once, and sweep frees only whole closures */
	uint64_t epoch; /* number of the last walk that saw the object */
	uint8_t bytes[];
};

/* One move of a ref; the newest move has its present value. */
struct ts_memory_move {
	struct ts_memory_move *older;
	struct ts_ref ref;
	struct ts_span message;
	uint8_t text[];
};

struct ts_memory_note {
	struct ts_note note; /* an empty value hides the note with this key in base */
	uint8_t text[];
};

struct ts_memory_pruned {
	struct ts_pruned pruned;
	uint8_t text[];
};

struct ts_memory_name {
	enum ts_ref_kind kind;
	struct ts_span name;
	bool hides_base; /* it was removed here, so the ref and the log in base do not count */
	bool hides_base_notes;
	bool removed; /* it was a run's, and its notes were set aside */
	struct ts_id removed_id;
	struct ts_memory_move *moves; /* newest first; NULL: not moved in this engine */
	struct ts_memory_pruned *pruned; /* NULL: no move was retired */
	struct ts_memory_note **notes; /* sorted by key */
	size_t n_notes;
	uint8_t text[];
};

struct ts_memory_record {
	struct ts_memory_record *next;
	struct ts_record record;
	uint8_t text[];
};

struct ts_memory {
	struct ts_engine engine;
	struct ts_engine *base;
	pthread_mutex_t lock;
	struct ts_idmap objects;    /* ts_held by id */
	struct ts_idmap base_known; /* ids of which base said that it has them */
	struct ts_slab *slab; /* for the next objects; NULL: none yet */
	uint64_t stored_bytes;
	uint64_t epoch;
	struct ts_memory_name **names; /* sorted by kind and name */
	size_t n_names;
	size_t names_cap;
	struct ts_idmap extracts; /* ts_memory_extract by the SHA-256 of key and id */
	struct ts_memory_record *records; /* sorted by key */
	struct ts_idmap cache; /* ts_memory_cached by the SHA-256 of the key */
	size_t cache_bytes;
};

static inline struct ts_memory *ts_memory_of(struct ts_engine *e)
{
	return (struct ts_memory *)(void *)e;
}

/* memory_engine.c: frees an object, whose id is no longer in the map. */
void ts_memory_let_go(struct ts_memory *m, struct ts_held *held);

/* memory_walk.c */
enum ts_status ts_memory_check_complete(struct ts_memory *m, const struct ts_id *id, struct ts_error *err);
enum ts_status ts_memory_verify(struct ts_engine *e, bool (*progress)(void *ctx, uint64_t done, uint64_t total),
				void *ctx, struct ts_arena *arena, struct ts_verify_report *ret_report,
				struct ts_error *err);
enum ts_status ts_memory_sweep(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret_report,
			       struct ts_error *err);
enum ts_status ts_memory_base_has(struct ts_memory *m, const struct ts_id *ids, size_t n, bool *ret_present,
				  struct ts_error *err);

/* memory_record.c; the last one frees all of them */
enum ts_status ts_memory_record_put(struct ts_engine *e, const struct ts_record *record, struct ts_error *err);
enum ts_status ts_memory_record_get(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret_value,
				  struct ts_error *err);
enum ts_status ts_memory_record_list(struct ts_engine *e, struct ts_span prefix, struct ts_arena *arena, struct ts_record **ret_records,
				   size_t *ret_n, struct ts_error *err);
void ts_memory_records_drop(struct ts_memory *m);

/* memory_retire.c */
enum ts_status ts_memory_retire(struct ts_engine *e, const struct ts_retire *what, enum ts_retire_outcome *ret_outcomes,
				struct ts_error *err);
enum ts_status ts_memory_log_pruned(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
				    struct ts_pruned *ret_pruned, struct ts_error *err);

/* memory_extract.c. The first three need the lock. */
enum ts_status ts_memory_extracts_place(struct ts_memory *m, const struct ts_id *id, const struct ts_extract *extracts, size_t n,
				       struct ts_error *err);
/* Forgets the extracts of objects that are not there. */
void ts_memory_extracts_sweep(struct ts_memory *m);
void ts_memory_extracts_forget(struct ts_memory *m);
enum ts_status ts_memory_extracts_put(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err);
enum ts_status ts_memory_extract_get(struct ts_engine *e, const struct ts_extract_key *key, const struct ts_id *id,
				    struct ts_arena *arena, struct ts_span *ret_value, struct ts_error *err);
enum ts_status ts_memory_extracts_walk(struct ts_engine *e, const struct ts_extract_key *key, ts_extract_visit *visit, void *ctx,
				      struct ts_error *err);

/* memory_name.c */
struct ts_memory_name *ts_memory_find(struct ts_memory *m, enum ts_ref_kind kind, struct ts_span name, size_t *ret_at);
/* Reads the ref from this engine or else from base; *ret_found says whether there is one. */
enum ts_status ts_memory_current(struct ts_memory *m, enum ts_ref_kind kind, struct ts_span name,
				 struct ts_arena *arena, struct ts_ref *ret_ref, bool *ret_found, struct ts_error *err);
/* Finds a name, and adds it if it is not there; NULL if there is no memory. */
struct ts_memory_name *ts_memory_make(struct ts_memory *m, enum ts_ref_kind kind, struct ts_span name);
void ts_memory_free_names(struct ts_memory *m);
/* Removes a name that is here, and sets its notes aside. */
void ts_memory_remove(struct ts_memory_name *name);
/* Forgets the notes that were set aside. */
void ts_memory_notes_forget(struct ts_memory *m);
enum ts_status ts_memory_commit(struct ts_engine *e, const struct ts_ref_update *updates, size_t n,
				struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);
enum ts_status ts_memory_note_put(struct ts_engine *e, struct ts_span name, const struct ts_note *note,
				  struct ts_error *err);
enum ts_status ts_memory_note_list(struct ts_engine *e, struct ts_span name, struct ts_arena *arena,
				   struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err);

/* memory_list.c */
enum ts_status ts_memory_ref_get(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name,
				 struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);
enum ts_status ts_memory_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				  struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next,
				  struct ts_error *err);
enum ts_status ts_memory_ref_log(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
				 struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
				 struct ts_error *err);

#endif
