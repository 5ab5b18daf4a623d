/* engine.h - the interface of a store: objects under their digest, and names that point at them. One on disk, one in memory, and one in
 * memory that is laid over another keep all of it (store_*.c, above kv.h). An engine knows which objects refer to which, not what they
 * mean.
 *
 * Promises (tests/fault and store/test_* name these numbers):
 *  P1  What commit acknowledged survives kill -9 at any instant, power loss, and a full disk.
 *  P2  No incomplete run is visible: a ref points only at an id whose whole closure of references is present.
 *  P3  Equal content is stored once.
 *  P4  A ref moves by compare-and-set; a stale or concurrent writer gets TS_CONFLICT and loses nothing.
 *  P5  The map never fills while the disk has room; when the disk is full, writes return TS_FULL, reads go on, and names can be
 *      removed and swept.
 *  P6  A damaged object is reported by get (TS_DAMAGED) and by verify, and never served. A store that lost a page, a file or a
 *      commit says so, is written by nobody, and is never begun anew; what is sound of it can be read and saved.
 *  P7  sweep frees everything that no ref, ref log or lease reaches and nothing else, while pushes go on.
 *  P8  backup gives a consistent copy while others write.
 *  P9  retire lets go what it was given and what has not changed since, and comes back by ref_restore like what was removed.
 *
 * A push calls has_many (renews leases) -> put_many (the objects that were missing) -> commit.
 * Ownership: results lie in the arena given.
 * Threads: concurrent calls of one engine are safe; writers queue inside. No call keeps a read transaction open after it
 * returns.
 */
#ifndef TSCOPE_STORE_ENGINE_H
#define TSCOPE_STORE_ENGINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "store/sealed.h"

/* Refs of different kinds do not share names. */
enum ts_ref_kind {
	TS_REF_RUN = 'r',    /* project/run; moves when a run that still trains is pushed again */
	TS_REF_TAG = 't',    /* project/tag; moves only with --force */
	TS_REF_STAGE = 's',  /* project/run; the ranks that have arrived so far, for a run that is joined from several hosts */
	TS_REF_BRANCH = 'b', /* project/branch; its log is its history: every entry keeps its objects until it is pruned */
};

const char *ts_ref_word(enum ts_ref_kind kind); /* "run", "tag", "branch", "stage" */

struct ts_ref {
	enum ts_ref_kind kind;
	struct ts_span name;	/* "project/name" */
	struct ts_id id;	/* of the head */
	uint64_t seq;		/* number of its newest log entry; 1 at creation */
	int64_t moved_ns;	/* real time of the last move */
	struct ts_span who;	/* who moved it, free text */
	struct ts_span summary; /* at most TS_SUMMARY_MAX bytes, which engines do not read */
};

/* What the author of a change was to the project then, as whoever writes it says; engines only keep it. */
enum ts_standing {
	TS_STANDING_UNKNOWN,	/* an older version wrote it */
	TS_STANDING_PUSHER,	/* may push, and not more */
	TS_STANDING_MAINTAINER, /* may change what is another's */
};

enum ts_expect { TS_EXPECT_ANY, TS_EXPECT_ABSENT, TS_EXPECT_ID };

/* Notes belong to the name of a run, and the id of the run does not cover them: "state", "bad", "accepted", "note", ... When the name
 * is removed they come back with ref_restore, or if the name is given to the same run again. */
struct ts_note {
	struct ts_span key;
	struct ts_span value; /* UTF-8, at most TS_NOTE_MAX bytes; note_put with an empty value removes the note */
	int64_t at_ns;
	struct ts_span who;
	enum ts_standing standing;
};

/* An extract is a few bytes that the handlers computed from a run and that a list shows without opening it. It can be computed again:
 * verify does not read it, a damaged one counts as absent, and it goes when sweep frees the run. */
struct ts_extract_key {
	uint8_t bytes[8]; /* the same for the same column of all runs */
};
struct ts_extract {
	struct ts_extract_key key;
	struct ts_span value; /* at most TS_EXTRACT_MAX bytes, which engines do not read */
};
/* The extracts of one run. */
struct ts_extracts {
	struct ts_id id;
	const struct ts_extract *items;
	size_t n;
};
/* Called for each run that has an extract of one key; must not call the engine. value is valid until it returns. */
typedef enum ts_status ts_extract_visit(void *ctx, const struct ts_id *id, struct ts_span value, struct ts_error *err);

/* A name that was removed: with its log and its notes it is kept until it expires, and so are the objects that it reached. The same
 * holds for entries of a branch's log that were retired. */
struct ts_removed_name {
	struct ts_ref ref; /* as it was; of entries, the branch, and one of their runs */
	int64_t removed_ns;
	struct ts_span by; /* who removed it */
	uint64_t entries;  /* how many entries of the branch's log these are; 0: it is the name */
};
struct ts_removed_query {
	struct ts_span prefix; /* of the names */
	size_t limit;
};

/* What a policy lets go: a run's name, or an entry of a branch's log. */
struct ts_retired {
	enum ts_ref_kind kind; /* TS_REF_RUN or TS_REF_BRANCH */
	struct ts_span name;
	uint64_t seq;	 /* of a branch: the number of the entry */
	struct ts_id id; /* what it points at: where it points at another, it stays */
};
enum ts_retire_outcome {
	TS_RETIRED,
	TS_STAYS_CHANGED, /* it is not there, points elsewhere, or was moved or noted later than planned_ns */
	TS_STAYS_NEWEST,  /* a branch points at it */
	TS_STAYS_TAGGED,
};
struct ts_retire {
	const struct ts_retired *items; /* each once; those of one branch together */
	size_t n;	      /* at most TS_RETIRE_MAX */
	int64_t planned_ns;   /* a name that was moved, or whose notes were written, later stays */
	int64_t now_ns;	      /* entries that are retired with the same time come back together */
	struct ts_span who;
};

/* What was retired from a log and has not come back. */
struct ts_pruned {
	uint64_t entries; /* how many; 0: none, and the rest is empty */
	int64_t at_ns;	  /* the last time */
	struct ts_span who;
	struct ts_span owner; /* the author of the log's first entry */
};

/* What proves how much time went by since the last sweep, so that a real clock that ran ahead frees nothing. */
struct ts_sweep_clock {
	uint64_t boot;	     /* tells one start of the machine from another; 0: the system does not say, and now_ns is believed */
	int64_t up_ns;	     /* since that start */
	int64_t unproven_ns; /* how much is believed beyond that, if the machine was started anew since the last sweep */
};
/* A server believes six hours over a start of its machine, so that what was asked for within the last day stays; whoever sweeps a
 * store of his own (`alone`) believes the clock. */
void ts_sweep_clock_read(bool alone, struct ts_sweep_clock *ret);

struct ts_sweep_options {
	int64_t now_ns;
	const struct ts_sweep_clock *clock; /* NULL: now_ns is believed */
	int64_t lease_ns;   /* how long what was sent or asked for is kept */
	int64_t removed_ns; /* how long removed names are kept */
	bool dry_run;	    /* only count */
	const struct ts_retired *without; /* with dry_run: count as if these had been retired long ago */
	size_t n_without;
};

/* A record is a few bytes that the server itself keeps beside the runs, such as a token: no object, no name, and not swept. A backup
 * has it. An older tscope passes over them. */
struct ts_record {
	struct ts_span key;   /* "token/3f2a...": printable ASCII, at most TS_RECORD_KEY_MAX bytes */
	struct ts_span value; /* at most TS_RECORD_MAX bytes, which engines do not read */
};

/* What record_list gave: so it was when somebody decided by it. */
struct ts_records_seen {
	struct ts_span prefix;
	const struct ts_record *records;
	size_t n;
};

/* What a store counts: for a project, which is the part of a name before its first '/', and for whoever sends objects.
 *
 * A project pays for everything that its names reach, the logs of its branches and its removed names too, once, whoever else reaches
 * it. A commit adds at once what it brings new under a name; that the project also reaches what another had brought, or no longer
 * reaches something, is found by the next sweep or recount. Names, notes and what is unnamed are always exact. */
enum ts_use {
	TS_USE_SEALED,	/* bytes as they are stored */
	TS_USE_RAW,	/* the same objects before they were sealed */
	TS_USE_NAMES,	/* names, tags, branches and stages */
	TS_USE_NOTES,
	TS_USE_UNNAMED, /* of a sender: stored bytes that it sent, that are kept, and that no name has reached yet */
	TS_USES,
};

struct ts_account {
	bool sender; /* else a project */
	struct ts_span name;
	uint64_t used[TS_USES];
};

/* How much accounts may use. A write that would bring one above its limit is not done, and ends with what refuse returns, which is
 * not TS_OK; `more` is what it would add. Both must be quick and thread-safe, and must not call the engine. */
struct ts_spending {
	uint64_t (*limit)(void *ctx, const struct ts_account *account, enum ts_use use); /* UINT64_MAX: none */
	enum ts_status (*refuse)(void *ctx, const struct ts_account *account, enum ts_use use, uint64_t more, struct ts_error *err);
	void *ctx;
};

/* An account that a verify found otherwise than it was counted. */
struct ts_drift {
	struct ts_account counted;
	uint64_t found[TS_USES];
};

struct ts_ref_update {
	enum ts_ref_kind kind;
	struct ts_span name;
	bool remove;		/* remove the ref with its log and its notes (struct ts_removed_name); id is ignored */
	struct ts_id id;
	enum ts_expect expect;
	struct ts_id expected;	/* if expect is TS_EXPECT_ID */
	int64_t now_ns;
	struct ts_span who;
	struct ts_span summary;
	struct ts_span message; /* for the log; may be empty */
	enum ts_standing standing;
	const struct ts_note *note; /* of a TS_REF_RUN that is not removed, written with the ref; NULL: none */
	const struct ts_extract *extracts; /* of id, written with the ref */
	size_t n_extracts;
};

struct ts_log_entry {
	uint64_t seq;
	struct ts_id id;    /* what the ref pointed at from then on */
	int64_t moved_ns;
	struct ts_span who;
	struct ts_span message;
	enum ts_standing standing;
};

enum ts_ref_order { TS_ORDER_NEWEST, TS_ORDER_NAME };

struct ts_ref_query {
	enum ts_ref_kind kind;
	struct ts_span prefix;	/* prefix of the names; "project/" lists a project, an empty one all */
	const struct ts_span *projects; /* only the names of these, which are sorted; NULL: of all */
	size_t n_projects;
	enum ts_ref_order order; /* NEWEST: by moved_ns, latest first, then by name */
	struct ts_span after;	/* token of the previous page, or empty */
	size_t limit;		/* the most refs of the page; not 0 */
};

/* What an engine knows of an object without reading it. */
struct ts_outline {
	bool present;
	uint8_t kind;
	uint32_t nrefs;
	uint32_t raw_len; /* size of the object in bytes */
};

struct ts_put_stats {
	uint64_t objects;	/* objects that were given */
	uint64_t new_objects;	/* objects that were not there before */
	uint64_t new_bytes;	/* stored bytes of those, without the overhead of the database */
	uint64_t again_objects; /* objects that were there, and that this sender had not sent before */
	uint64_t again_bytes;
};

/* Somebody who may know of a store what the names of some projects reach, and what it has sent itself. */
struct ts_viewer {
	struct ts_span sender;	       /* as in upload_many; empty: it has sent nothing */
	const struct ts_span *projects;
	size_t n;
};
enum ts_known {
	TS_KNOWN_NOT,	  /* it is not there, or what another has */
	TS_KNOWN_SENT,	  /* the viewer has sent it, and so has its bytes, though perhaps not what these refer to */
	TS_KNOWN_REACHED, /* a name of the viewer's projects reaches it, or did while it lay where it lies */
};

struct ts_store_stats {
	uint64_t objects;
	uint64_t stored_bytes;	/* sealed bytes */
	uint64_t file_bytes;	/* size on disk; 0 for memory */
	uint64_t refs;		/* refs of all kinds */
};

/* What tells whether a store is well while it works. Counters rise from 0 since this process opened the store. In memory there are
 * no readers. */
struct ts_store_vitals {
	uint64_t readers;	  /* transactions that read now, of all processes */
	uint64_t reader_slots;	  /* how many there can be */
	double oldest_reader_s;	  /* for how long a reader has been seen to hold pages back that were freed since; 0: none does */
	uint64_t asked_bytes;	  /* stored bytes of objects that pushes wanted to be there: they were, or were sent */
	uint64_t new_bytes;	  /* of these, stored */
	uint64_t unnamed_bytes;	  /* of all senders: what only its lease keeps */
	uint64_t unnamed_objects; /* whoever sent them */
	bool gathers;		  /* packs are moved into a bucket */
	uint64_t gather_failures; /* how often packs could not be moved into the bucket, or out of it; it is tried again */
};

/* The result of verify. */
struct ts_verify_report {
	uint64_t objects;	/* objects that were read */
	uint64_t bytes;
	uint64_t damaged;
	uint64_t missing;	/* objects in the closure of a ref that are not there */
	uint64_t records;	/* damaged ones of refs, logs, notes and removed names, and refs that a list leaves out */
	struct ts_id *ids;	/* the first 64 damaged or missing objects, in the arena */
	size_t n_ids;
	uint64_t drifted;	/* accounts that use something else than was counted; the next sweep puts it right */
	struct ts_drift *drifts; /* the first 64 of them, in the arena */
	size_t n_drifts;
	/* Of a verify that was asked for what is new alone, where it could tell; else zeros. */
	int64_t sound_ns; /* when the verify began that last read all; what is left out was sound then or later */
	uint64_t unread;  /* objects that were left out */
	int64_t moved_ns; /* names that moved before were left out */
};

struct ts_verify_options {
	bool only_new; /* see verify */
	bool (*progress)(void *ctx, uint64_t done, uint64_t total); /* called between objects; NULL: nobody is told */
	/* Looks at the end at what a store does not know, such as whether an index fits its blocks, and says whether that is sound.
	 * NULL: nobody does, and later verifies do not go by this one. */
	enum ts_status (*more)(void *ctx, const struct ts_verify_report *report, bool *ret_sound, struct ts_error *err);
	void *ctx; /* of both */
};

struct ts_sweep_report {
	uint64_t kept;
	uint64_t freed;
	uint64_t freed_bytes;
	uint64_t leased;	/* objects that are unreachable and kept because of a lease */
	uint64_t removed;	/* objects that only removed names reach, and which are kept */
	uint64_t removed_bytes;
	uint64_t retired;	/* with `without`: objects that nothing else that is named or removed reaches */
	uint64_t retired_bytes;
	int64_t ahead_ns; /* by how much now_ns was not believed */
};

struct ts_engine;

typedef enum ts_status ts_mirror_send(void *ctx, struct ts_span chunk, struct ts_error *err);

struct ts_engine_ops {
	/* Sets ret_present[i] to whether ids[i] is there. Objects that are there are leased for TS_LEASE_SECONDS, unless
	 * their lease is at most TS_LEASE_FRESH_SECONDS old. A read_only engine answers the same and leases nothing. */
	enum ts_status (*has_many)(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				   struct ts_error *err);
	/* Asks the same from a thread that must not wait: it writes nothing and waits for no writer and no network. If
	 * *ret_leased, ret_present is what has_many would answer, and has_many would renew no lease. If it is false, a lease
	 * is too old or the answer could not be had at once: ret_present is then undefined, and the caller must call
	 * has_many. */
	enum ts_status (*look_many)(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present,
				    bool *ret_leased, struct ts_error *err);
	/* Sets ret_outlines[i] to that of ids[i]. Leases nothing, and reads no object where the engine has its outline apart. A
	 * damaged object counts as absent. */
	enum ts_status (*outline_many)(struct ts_engine *e, const struct ts_id *ids, size_t n, struct ts_outline *ret_outlines,
				       struct ts_error *err);
	/* Reads an object; its bytes are copied into the arena. TS_NOT_FOUND, or TS_DAMAGED if the checksum is wrong. */
	enum ts_status (*get)(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena,
			      struct ts_sealed *ret_sealed, struct ts_error *err);
	/* Stores objects and leases them. Ids are trusted: the caller has verified them. The objects are durable only after
	 * the next commit. */
	enum ts_status (*put_many)(struct ts_engine *e, const struct ts_sealed *objects, size_t n,
				   struct ts_put_stats *ret_stats, struct ts_error *err);
	/* The same for somebody whose name is given: what is new counts as unnamed bytes of this sender, and that it has sent the rest
	 * is remembered for as long as a lease. */
	enum ts_status (*upload_many)(struct ts_engine *e, struct ts_span sender, const struct ts_sealed *objects, size_t n,
				      struct ts_put_stats *ret_stats, struct ts_error *err);
	/* Applies all updates or none; they are durable when it returns. TS_NOT_FOUND if the closure of an id is not complete
	 * (the text names the first missing object), TS_CONFLICT if an expectation fails (the text says what was found).
	 * *ret_ref (ret_ref may be NULL) is the ref of the first update after it. */
	enum ts_status (*commit)(struct ts_engine *e, const struct ts_ref_update *updates, size_t n,
				 struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);
	/* Reads one ref; TS_NOT_FOUND if there is none. */
	enum ts_status (*ref_get)(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name,
				  struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);
	/* Lists one page of refs. *ret_next is the token of the next page, empty at the end; only the last page is not full. */
	enum ts_status (*ref_list)(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				   struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next,
				   struct ts_error *err);
	/* Lists the log of a ref, newest entry first, at most limit entries (0: all). Entries that were retired are missing in it. */
	enum ts_status (*ref_log)(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
				  struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
				  struct ts_error *err);
	/* Tells what was retired from the log of a ref. TS_OK with no entries where there is no such ref. */
	enum ts_status (*log_pruned)(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
				     struct ts_pruned *ret_pruned, struct ts_error *err);
	/* Retires names and entries in one transaction, and sets ret_outcomes[i]. They come back by ref_restore until they expire. The
	 * newest entry of a branch stays, and so does whatever points at a run that a tag points at. */
	enum ts_status (*retire)(struct ts_engine *e, const struct ts_retire *retire, enum ts_retire_outcome *ret_outcomes,
				 struct ts_error *err);
	/* Lists names that were removed and have not expired, by kind and name, the last removal of a name first, at most limit of
	 * them; *ret_more says that there are more. */
	enum ts_status (*removed_list)(struct ts_engine *e, const struct ts_removed_query *query, struct ts_arena *arena,
				       struct ts_removed_name **ret_names, size_t *ret_n, bool *ret_more, struct ts_error *err);
	/* Brings back what was last removed under this name, as it was, under the name `as` (empty: the same). TS_NOT_FOUND if there is
	 * nothing, TS_CONFLICT if `as` exists. Entries of a branch's log go back into it: TS_CONFLICT if
	 * it is no longer there, or another one of its name, and TS_INVALID with `as`. */
	enum ts_status (*ref_restore)(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
				      struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err);
	/* Notes belong to the name of a run (a TS_REF_RUN; TS_NOT_FOUND if there is none) and are deleted with it. A list of
	 * them is sorted by key. */
	enum ts_status (*note_put)(struct ts_engine *e, struct ts_span name, const struct ts_note *note,
				   struct ts_error *err);
	/* *ret_ref is the name as it was at the moment of the notes; ret_ref may be NULL. */
	enum ts_status (*note_list)(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_ref *ret_ref,
				    struct ts_note **ret_notes, size_t *ret_n, struct ts_error *err);
	/* Lists what the notes of a name were, newest first; one that was removed then has no value. Of each key the newest
	 * TS_NOTE_LOG_MAX are kept, and they stay when the name is removed, until sweep forgets it. */
	enum ts_status (*note_log)(struct ts_engine *e, struct ts_span name, struct ts_arena *arena, struct ts_note **ret_notes,
				   size_t *ret_n, struct ts_error *err);
	/* Keeps extracts of n runs, in place of those that they have under the same keys: all or none. */
	enum ts_status (*extracts_put)(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err);
	/* Reads one extract of a run. TS_NOT_FOUND is no failure. */
	enum ts_status (*extract_get)(struct ts_engine *e, const struct ts_extract_key *key, const struct ts_id *id,
				     struct ts_arena *arena, struct ts_span *ret_value, struct ts_error *err);
	/* Calls visit for every run that has an extract of this key, in no certain order, and for some runs perhaps twice: then the
	 * value of the first call counts. It stops at the first failure. */
	enum ts_status (*extracts_walk)(struct ts_engine *e, const struct ts_extract_key *key, ts_extract_visit *visit, void *ctx,
				       struct ts_error *err);
	/* Writes a record, durably; an empty value removes it. seen: NULL, or TS_CONFLICT where the records of that prefix are
	 * others now. */
	enum ts_status (*record_put)(struct ts_engine *e, const struct ts_record *record, const struct ts_records_seen *seen,
				     struct ts_error *err);
	/* Reads a record; TS_NOT_FOUND, or TS_DAMAGED if its checksum is wrong. */
	enum ts_status (*record_get)(struct ts_engine *e, struct ts_span key, struct ts_arena *arena, struct ts_span *ret_value,
				     struct ts_error *err);
	/* Lists the records whose keys begin with prefix, in the order of their keys. */
	enum ts_status (*record_list)(struct ts_engine *e, struct ts_span prefix, struct ts_arena *arena,
				      struct ts_record **ret_records, size_t *ret_n, struct ts_error *err);
	/* What an account uses; nothing if the store has never heard of it. *ret_counted is false while a store of an older version was
	 * not counted yet: then there may be more. TS_UNSUPPORTED for engines that do not count. */
	enum ts_status (*usage_get)(struct ts_engine *e, bool sender, struct ts_span name, uint64_t ret_used[TS_USES],
				    bool *ret_counted, struct ts_error *err);
	/* Lists all accounts that use something, projects by name and then senders. */
	enum ts_status (*usage_list)(struct ts_engine *e, struct ts_arena *arena, struct ts_account **ret_accounts, size_t *ret_n,
				     bool *ret_counted, struct ts_error *err);
	/* Counts anew what every account uses, as sweep does, while others write. */
	enum ts_status (*recount)(struct ts_engine *e, struct ts_error *err);
	/* Finds the objects of a kind whose ids begin with hex (1 to 64 lower-case digits), at most limit of them. */
	enum ts_status (*find_prefix)(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit,
				      struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n,
				      struct ts_error *err);
	/* Finds the heads of a project whose ids begin with hex, at most limit of them: those that a name of it, or the log of one,
	 * has. What it costs does not depend on what other projects have. */
	enum ts_status (*heads_find)(struct ts_engine *e, struct ts_span project, struct ts_span hex, size_t limit,
				     struct ts_arena *arena, struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err);
	/* Sets ret_known[i] to what the viewer may know of ids[i], and *ret_leased to whether the leases of these hold, as look_many
	 * does; if not, has_many renews them. ret_leased may be NULL. What another has costs what is not there. Never writes. */
	enum ts_status (*known_many)(struct ts_engine *e, const struct ts_viewer *viewer, const struct ts_id *ids, size_t n,
				     enum ts_known *ret_known, bool *ret_leased, struct ts_error *err);
	/* Whether the viewer may know the whole closure of an object: it has sent each part of it, or a name of its projects reaches
	 * that. TS_NOT_FOUND names the first object that is not there, or is another's, in the same words. */
	enum ts_status (*prove)(struct ts_engine *e, const struct ts_viewer *viewer, const struct ts_id *id, struct ts_error *err);
	/* A cache that may lose entries: TS_NOT_FOUND is no failure. cache_put reports no error; the entry is written with
	 * the next commit, or when the engine is destroyed. */
	enum ts_status (*cache_get)(struct ts_engine *e, struct ts_span key, struct ts_arena *arena,
				    struct ts_span *ret_value, struct ts_error *err);
	void (*cache_put)(struct ts_engine *e, struct ts_span key, struct ts_span value);
	/* Reads every object, recomputes every SHA-256, walks the closure of every ref, and counts what accounts use. If progress
	 * returns false, verify stops with TS_CANCELLED. With only_new, it reads the objects that came, or came to lie elsewhere, since
	 * the last verify that found all sound, follows the names that moved since then or up to a day before, by the clocks of those
	 * who moved them, and counts nothing. Where there was none, where one since has found damage, and in a copy of another store,
	 * it reads all. Names, logs, notes and records are read in both cases. options NULL: zeros. */
	enum ts_status (*verify)(struct ts_engine *e, const struct ts_verify_options *options, struct ts_arena *arena,
				 struct ts_verify_report *ret_report, struct ts_error *err);
	/* Forgets the names that were removed removed_ns ago, and frees every object that no ref (for a branch: no entry of its
	 * log), no removed name and no lease newer than now_ns - lease_ns reaches. A lease covers everything that the leased object
	 * refers to; one that is made while sweep runs covers the object alone, and a commit then says what is missing. Of now_ns
	 * counts what options->clock proves since the last sweep; a time that lies before that one frees less, and rewrites
	 * nothing. A time that is more than TS_LEASE_FRESH_SECONDS later than now_ns counts as now, and is rewritten. Others write
	 * meanwhile. A sweep that
	 * ended early, by an error or a kill, leaves a store in which everything works, and the next one goes on. TS_DAMAGED if an
	 * object that a ref reaches cannot be read, TS_CONFLICT if another sweep began meanwhile. */
	enum ts_status (*sweep)(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret_report,
				struct ts_error *err);
	/* Makes a consistent copy in a new directory, which is there only when the copy is whole and on the disk: until then its name
	 * ends in ".incomplete". TS_UNSUPPORTED for engines without files. */
	enum ts_status (*backup)(struct ts_engine *e, const char *path, struct ts_error *err);
	/* Sends what a store that follows this one lacks (ts_mirror_ask), as of one moment, in chunks of at most 2 MiB. TS_INVALID if
	 * what was asked is no such message. */
	enum ts_status (*mirror)(struct ts_engine *e, struct ts_span asked, ts_mirror_send *send, void *ctx, struct ts_error *err);
	/* TS_DAMAGED, with what is lost, what is sound and what to do, if the store was found damaged and is only read therefore. */
	enum ts_status (*sound)(struct ts_engine *e, struct ts_error *err);
	enum ts_status (*stats)(struct ts_engine *e, struct ts_store_stats *ret_stats, struct ts_error *err);
	enum ts_status (*vitals)(struct ts_engine *e, struct ts_store_vitals *ret_vitals, struct ts_error *err);
	void (*destroy)(struct ts_engine *e);
};

struct ts_engine {
	const struct ts_engine_ops *ops;
};

/* An engine on LMDB in a directory (created with mode 0700). TS_DENIED on a network filesystem, with a remedy in the text;
 * TS_UNSUPPORTED for a store of a newer format. Several processes may open one store. Engines that one process opens on the
 * same directory share one LMDB environment (TS_CONFLICT if the first was read_only and another is not). A process that has
 * an engine open must not fork and use the engine in the child. */
struct ts_lmdb_options {
	const char *path;
	uint64_t map_bytes; /* 0: the default, 1 TiB, or 8 GiB under sanitizers; it grows when needed */
	/* 0: TS_STORE_RESERVE; below 0: none. While less is free, or less than a tenth of a small disk, writes of new objects,
	 * names and notes return TS_FULL, and names can be removed and swept. The first engine that a process opens on a directory
	 * decides. */
	int64_t reserve_bytes;
	const struct ts_spending *spending; /* lives as long as the engine; NULL: everybody may use everything */
	bool create;
	bool read_only;
};
enum ts_status ts_lmdb_open(const struct ts_lmdb_options *options, struct ts_engine **ret_engine,
			    struct ts_error *err);

/* What an increment has that the backup before it lacks. */
struct ts_increment_report {
	uint64_t objects, names; /* that are new, or moved */
	uint64_t records;	 /* of all tables, those too that are gone */
	uint64_t bytes;		 /* of its file */
	uint64_t damaged;	 /* objects, as they are in the store */
};
/* Writes a backup of a store on disk that holds only what changed since an earlier one, whole or itself an increment, and reads it
 * again. It is there only when it is whole and on the disk. Opening its directory opens what the store was then, read_only, as long as
 * the backups that it builds on are there; `backup` of that is a whole store again, record for record what was backed up. */
enum ts_status ts_lmdb_increment(struct ts_engine *e, const char *since, const char *path, struct ts_increment_report *ret_report,
				 struct ts_error *err);

/* A store that follows another one holds the same records, its own id and its cache apart: it asks with what it has, and takes what is
 * answered (store_mirror.c has the bytes). A moment is a state of the other one; zeros: none. */
enum { TS_MOMENT = 24, TS_MIRROR_SOURCE = 16 };
enum ts_status ts_mirror_ask(struct ts_engine *e, const uint8_t moment[TS_MOMENT], struct ts_buf *out, struct ts_error *err);
struct ts_mirror {
	struct ts_engine *e; /* may be written */
	uint64_t records, bytes; /* that came */
	bool ended;		 /* all has come, and is on the disk */
	uint8_t moment[TS_MOMENT];
	int64_t leader_ns; /* when it held, by the other one's clock */
	struct ts_buf items; /* the rest is its own */
	size_t whole;
	unsigned table, next_table;
	bool held; /* by ts_mirror_hold, */
	uint8_t source[TS_MIRROR_SOURCE]; /* as a copy of the store with this id */
};
void ts_mirror_begin(struct ts_mirror *m, struct ts_engine *e);
/* From now on taking is TS_CONFLICT once the store is not claimed for `from` any more (ts_mirror_claim). */
enum ts_status ts_mirror_hold(struct ts_mirror *m, struct ts_engine *from, struct ts_error *err);
enum ts_status ts_mirror_take(struct ts_mirror *m, struct ts_span chunk, struct ts_error *err);
void ts_mirror_finish(struct ts_mirror *m);
/* Says in `to`, which must have nothing of its own, that it becomes a copy of `from` by ts_mirror_take, until it is released. It
 * may be claimed again for that store. TS_CONFLICT where it has something of its own, was released as one that is shared, or is the
 * same store; TS_UNSUPPORTED for one in memory. */
enum ts_status ts_mirror_claim(struct ts_engine *to, struct ts_engine *from, struct ts_error *err);
/* For a store to which others write from now on. One that is `shared` may be written by other processes at the same time, and is never
 * claimed again; of others only one that was claimed is written to. */
enum ts_status ts_mirror_release(struct ts_engine *e, bool shared, struct ts_error *err);

/* The id of a store, drawn when it was made; TS_UNSUPPORTED if it has none. */
enum ts_status ts_store_id(struct ts_engine *e, uint8_t ret[TS_MIRROR_SOURCE], struct ts_error *err);

/* What a store says of itself that is a read-only copy of another one, or of a part of it. Nobody else writes to it: from the moment
 * when a store becomes a mirror until it is none any more, each write of an engine that did not begin it is TS_DENIED. */
struct ts_mirrored {
	struct ts_span of;   /* where the other one is, as it was named; at most TS_MIRRORED_MAX bytes, empty: the store is no mirror */
	struct ts_span part; /* which part, in words for people; the same limit, empty: all of it */
	int64_t held_ns;     /* when it last had all of that, by the clock of the machine that copied; 0: not yet */
	uint8_t source[TS_MIRROR_SOURCE]; /* the id of the other one; zeros: it is not known */
};
enum { TS_MIRRORED_MAX = 2000 };
/* The texts lie in the arena. A store in memory over another one is no mirror. */
enum ts_status ts_mirrored_get(struct ts_engine *e, struct ts_arena *arena, struct ts_mirrored *ret, struct ts_error *err);
/* Makes the store a mirror, which must be empty or one of the same store, else TS_CONFLICT; so is another part once it had all of one,
 * and another store that is where the one was. Its time stays if the part does. From then
 * on this engine may write to it, and each of its writes is TS_CONFLICT once the store is not that mirror any more. */
enum ts_status ts_mirrored_begin(struct ts_engine *e, const struct ts_mirrored *mirrored, struct ts_error *err);
/* Says that a mirror has all of its part as of held_ns. TS_CONFLICT if it is no mirror any more. */
enum ts_status ts_mirrored_hold(struct ts_engine *e, int64_t held_ns, struct ts_error *err);
/* Makes a mirror a store of its own. TS_NOT_FOUND if it is none. */
enum ts_status ts_mirrored_end(struct ts_engine *e, struct ts_error *err);

/* What was saved of a store, and what was not. */
struct ts_salvage_report {
	bool damaged;	   /* else everything was sound, and all of it was copied */
	uint64_t objects, names, entries, notes, removed, records; /* that the new store has; entries are those of logs */
	struct ts_span *lost; /* a text each, in the arena */
	size_t n_lost;
};
/* Copies all that is sound of a store, whose directory is only read, to a new one, which must not exist. Names come back as they were
 * last; what is lost is named. A store that one process has open is not written meanwhile. */
enum ts_status ts_lmdb_salvage(const char *from, const char *to, struct ts_arena *arena, struct ts_salvage_report *ret_report,
			       struct ts_error *err);

/* An engine in memory, which ends with the process. If base is not NULL, which must be a store, what is not found here is looked for
 * there. Nothing is written to it; but has_many asks it, too, and renews leases in it unless it was opened read_only. verify, sweep and
 * recount are about the objects that were put here. base is not owned, and is trusted to hold the closure of every object that it
 * holds. */
enum ts_status ts_memory_open(struct ts_engine *base, struct ts_engine **ret_engine, struct ts_error *err);

/* A depot is where objects lie that a store in memory does not have: with a server, in a bucket. Both functions are as those of an
 * engine, and thread-safe; of a closure, all is there or nothing. */
struct ts_depot;
struct ts_depot_ops {
	enum ts_status (*has_many)(struct ts_depot *d, const struct ts_id *ids, size_t n, bool *ret_present, struct ts_error *err);
	enum ts_status (*get)(struct ts_depot *d, const struct ts_id *id, struct ts_arena *arena, struct ts_sealed *ret_sealed,
			      struct ts_error *err);
	void (*destroy)(struct ts_depot *d);
};
struct ts_depot {
	const struct ts_depot_ops *ops;
	const char *where; /* for texts */
};
void ts_depot_destroy(struct ts_depot *depot); /* NULL is allowed */

/* An engine in memory that looks for the objects that it does not have in a depot, which is not owned. It knows no names but its own,
 * finds other objects only by their whole id (TS_UNSUPPORTED), and cannot tell at once what is there (look_many). */
enum ts_status ts_memory_over(struct ts_depot *depot, struct ts_engine **ret_engine, struct ts_error *err);

void ts_engine_destroy(struct ts_engine *engine); /* NULL is allowed */

#endif
