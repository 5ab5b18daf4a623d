/* engine.h - objects under their digest, and names that point at them. One interface; LMDB, memory, overlay and remote
 * stand behind it. It knows what objects refer to, not what they mean.
 *
 * Promises (tests/fault and store/test_* carry these numbers):
 *  P1  What commit acknowledged survives kill -9 at any instant, and power loss, and a full disk.
 *  P2  No half-run is visible: a ref points only at an id whose whole closure of refs is present.
 *  P3  Equal content is stored once.
 *  P4  A ref moves by compare-and-set; a stale or concurrent writer gets TS_CONFLICT and loses nothing.
 *  P5  The map never fills while the disk has room; when the disk is full, writes say TS_FULL and reads go on.
 *  P6  A damaged object is reported by get (TS_DAMAGED) and by verify, never served.
 *  P7  sweep frees what no ref, ref log or lease reaches and nothing else, beside pushes that go on.
 *  P8  backup gives a consistent copy while others write.
 *
 * Calling sequence of a push: has_many (renews leases) -> put_many (those that were missing) -> commit.
 * Ownership: results lie in the arena given. Threads: an engine is safe for concurrent calls; writers queue inside.
 * No call keeps a read transaction open after it returns.
 */
#ifndef TSCOPE_STORE_ENGINE_H
#define TSCOPE_STORE_ENGINE_H

#include "base/arena.h"
#include "store/sealed.h"

/* Refs of different kinds do not share names. */
enum ts_ref_kind {
	TS_REF_RUN = 'r',    /* project/run; moves when a run that still trains is pushed again */
	TS_REF_TAG = 't',    /* project/tag; does not move, only --force */
	TS_REF_STAGE = 's',  /* project/run; the ranks that have arrived so far of a run joined from several hosts */
	TS_REF_BRANCH = 'b', /* project/branch; its log is its history, every entry a root until pruned */
};

const char *ts_ref_word(enum ts_ref_kind kind); /* "run", "tag", "branch", "stage" */

struct ts_ref {
	enum ts_ref_kind kind;
	struct ts_span name;	/* "project/name" */
	struct ts_id id;	/* of the head */
	uint64_t seq;		/* of its newest log entry; 1 at creation */
	int64_t moved_ns;	/* real time */
	struct ts_span who;	/* who moved it, free text */
	struct ts_span summary; /* at most TS_SUMMARY_MAX bytes, opaque here */
};

enum ts_expect { TS_EXPECT_ANY, TS_EXPECT_ABSENT, TS_EXPECT_ID };

struct ts_ref_update {
	enum ts_ref_kind kind;
	struct ts_span name;
	bool remove;		/* delete the ref (its log goes with it); id is ignored */
	struct ts_id id;
	enum ts_expect expect;
	struct ts_id expected;	/* with TS_EXPECT_ID */
	int64_t now_ns;
	struct ts_span who;
	struct ts_span summary;
	struct ts_span message; /* for the log; may be empty */
};

struct ts_log_entry {
	uint64_t seq;
	struct ts_id id;    /* what it pointed at from then on */
	int64_t moved_ns;
	struct ts_span who;
	struct ts_span message;
};

enum ts_ref_order { TS_ORDER_NEWEST, TS_ORDER_NAME };

struct ts_ref_query {
	enum ts_ref_kind kind;
	struct ts_span prefix;	/* of the name; "project/" lists a project, empty all */
	enum ts_ref_order order; /* NEWEST: by moved_ns, latest first, then name */
	struct ts_span after;	/* token of the page before, or empty */
	size_t limit;		/* at most this many; not 0 */
};

/* Notes lie beside a run's name, outside identity: "state", "bad", "accepted", "note", ... */
struct ts_note {
	struct ts_span key;
	struct ts_span value; /* UTF-8, at most TS_NOTE_MAX; empty value with put removes the note */
	int64_t at_ns;
	struct ts_span who;
};

struct ts_put_stats {
	uint64_t objects;	/* given */
	uint64_t new_objects;	/* not there before */
	uint64_t new_bytes;	/* stored bytes of those, before the database's own overhead */
};

struct ts_store_stats {
	uint64_t objects;
	uint64_t stored_bytes;	/* sealed bytes */
	uint64_t file_bytes;	/* on disk; 0 for memory */
	uint64_t refs;		/* of all kinds */
};

/* One finding of verify. */
struct ts_verify_report {
	uint64_t objects;	/* looked at */
	uint64_t bytes;
	uint64_t damaged;
	uint64_t missing;	/* referred to by a ref's closure and not there */
	struct ts_id *ids;	/* the first 64 damaged or missing, in the arena */
	size_t n_ids;
};

struct ts_sweep_report {
	uint64_t kept;
	uint64_t freed;
	uint64_t freed_bytes;
	uint64_t leased;	/* unreachable, kept because of a lease */
};

struct ts_engine;

struct ts_engine_ops {
	/* ret_present[i] says that ids[i] is there; the present ones are leased for TS_LEASE_SECONDS, or were at most
	 * TS_LEASE_FRESH_SECONDS ago. A read_only engine says the same and leases nothing. */
	enum ts_status (*has_many)(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				   struct ts_error *err);
	/* The same question from a thread that may not wait: writes nothing, waits for no writer and no network. *ret_leased says
	 * that ret_present is what has_many would say, and that has_many would lease nothing anew. If it is false, a lease is
	 * too old or the answer was not to be had at once: ret_present says nothing, and has_many is to be asked. */
	enum ts_status (*look_many)(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				    bool *ret_leased, struct ts_error *err);
	/* TS_NOT_FOUND, TS_DAMAGED (checksum). Bytes are copied into the arena. */
	enum ts_status (*get)(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena,
			      struct ts_sealed *ret_sealed, struct ts_error *err);
	/* Ids are trusted: the caller verified them. Durable only after the commit that follows. Leases what it puts. */
	enum ts_status (*put_many)(struct ts_engine *e, const struct ts_sealed *objects, size_t n,
				   struct ts_put_stats *ret_stats, struct ts_error *err);
	/* All updates or none, durable when it returns. TS_NOT_FOUND when the closure of an id is not complete (the
	 * text names the first missing object), TS_CONFLICT when an expectation fails (the text says what was found).
	 * ret_ref (may be NULL) is the first update's ref as it is now. */
	enum ts_status (*commit)(struct ts_engine *e, const struct ts_ref_update *updates, size_t n,
				 struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);
	enum ts_status (*ref_get)(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name,
				  struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);
	/* *ret_next is the token of the next page, empty at the end. */
	enum ts_status (*ref_list)(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				   struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next,
				   struct ts_error *err);
	/* Newest first, at most limit (0 = all). */
	enum ts_status (*ref_log)(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
				  struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
				  struct ts_error *err);
	/* Notes belong to a run's name (TS_REF_RUN; TS_NOT_FOUND when there is none), go away with it, are sorted by key. */
	enum ts_status (*note_put)(struct ts_engine *e, struct ts_span name, const struct ts_note *note,
				   struct ts_error *err);
	enum ts_status (*note_list)(struct ts_engine *e, struct ts_span name, struct ts_arena *arena,
				    struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err);
	/* Ids of objects of that kind that begin with the nibbles of hex (1 to 64 lower-case digits), at most limit. */
	enum ts_status (*find_prefix)(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit,
				      struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n,
				      struct ts_error *err);
	/* A cache that may forget: TS_NOT_FOUND is ordinary, cache_put never fails a caller (it rides the next commit, or is
	 * written when the engine is destroyed). */
	enum ts_status (*cache_get)(struct ts_engine *e, struct ts_span key, struct ts_arena *arena,
				    struct ts_span *ret_value, struct ts_error *err);
	void (*cache_put)(struct ts_engine *e, struct ts_span key, struct ts_span value);
	/* Reads every object, recomputes every SHA-256, walks every ref's closure. progress (may be NULL) is called
	 * between objects and may stop it by returning false (TS_CANCELLED). */
	enum ts_status (*verify)(struct ts_engine *e, bool (*progress)(void *ctx, uint64_t done, uint64_t total),
				 void *ctx, struct ts_arena *arena, struct ts_verify_report *ret_report,
				 struct ts_error *err);
	/* Frees what no ref (of a branch: no entry of its log) and no lease newer than now_ns - lease_ns reaches; what a leased
	 * object refers to is leased with it. dry_run only counts. TS_DAMAGED when a named object cannot be followed. */
	enum ts_status (*sweep)(struct ts_engine *e, int64_t now_ns, int64_t lease_ns, bool dry_run,
				struct ts_sweep_report *ret_report, struct ts_error *err);
	/* A consistent copy into a new directory that this creates. TS_UNSUPPORTED by engines without files. */
	enum ts_status (*backup)(struct ts_engine *e, const char *path, struct ts_error *err);
	enum ts_status (*stats)(struct ts_engine *e, struct ts_store_stats *ret_stats, struct ts_error *err);
	void (*destroy)(struct ts_engine *e);
};

struct ts_engine {
	const struct ts_engine_ops *ops;
};

/* LMDB in a directory (created with mode 0700). TS_DENIED with the way out in the text on a network filesystem;
 * TS_UNSUPPORTED for a store of a newer format. Several processes may open one store; engines that one process opens on one
 * directory share what is below them (TS_CONFLICT when the first was read_only and another is not). A process that has an
 * engine open must not fork and go on using it in the child. */
struct ts_lmdb_options {
	const char *path;
	uint64_t map_bytes; /* 0 = default: 1 TiB, 8 GiB under sanitizers; grown when needed */
	bool create;
	bool read_only;
};
enum ts_status ts_lmdb_open(const struct ts_lmdb_options *options, struct ts_engine **ret_engine,
			    struct ts_error *err);

/* Objects and refs in memory, gone with the process. base, if not NULL, is asked for what is not found here and is never
 * written to (open it read_only, or has_many renews leases in it); it is not owned, and is trusted to hold the closure of
 * whatever it holds. */
enum ts_status ts_memory_open(struct ts_engine *base, struct ts_engine **ret_engine, struct ts_error *err);

void ts_engine_destroy(struct ts_engine *engine); /* NULL is allowed */

#endif
