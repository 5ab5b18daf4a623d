/* store_model.h - what a store holds, without keys, packs and transactions: a few names, objects, leases, notes and removed names as
 * plain arrays. An operation gives its answer as a text, and all that can be read is a text; an engine must give the same texts.
 *
 * Pure: nothing is allocated, and a struct model may be copied by assignment, also into memory that processes share. */
#ifndef TSCOPE_TESTS_ENGINES_STORE_MODEL_H
#define TSCOPE_TESTS_ENGINES_STORE_MODEL_H

#include "store/engine.h"

enum {
	MODEL_HEADS = 5,
	MODEL_INDEXES = 5, /* head i refers to index i */
	MODEL_BLOCKS = 8,
	MODEL_OBJECTS = MODEL_HEADS + MODEL_INDEXES + MODEL_BLOCKS, /* heads, then indexes, then blocks */
	MODEL_BELOW = 2,   /* the closures of so many heads lie below an engine that lies over another */
	MODEL_NAMES = 7,   /* in the order of kind and name */
	MODEL_NOTES = 2,
	MODEL_RECORDS = 2,
	MODEL_LOG = 24,	   /* entries of a log: no operation may make more */
	MODEL_REMOVED = 12,
	MODEL_TEXT = 16384,
};

struct model_entry {
	uint64_t seq;
	unsigned head;
	int64_t at_ns;
};
struct model_note {
	unsigned value; /* 0: none */
	int64_t at_ns;
};
struct model_name {
	bool there;
	unsigned head;
	uint64_t seq;
	int64_t moved_ns;
	struct model_entry log[MODEL_LOG]; /* by seq */
	unsigned n_log;
	unsigned pruned; /* entries that were retired */
	int64_t pruned_ns, born_ns;
	struct model_note notes[MODEL_NOTES];
};
struct model_removed {
	int64_t at_ns;
	unsigned entries; /* 0: it is the name; else so many entries, which are what->log */
	struct model_name what;
};
struct model {
	bool below[MODEL_OBJECTS]; /* it is there, and not of this engine */
	bool there[MODEL_OBJECTS];
	bool old[MODEL_OBJECTS];   /* its lease is older than a day */
	struct model_name names[MODEL_NAMES];
	struct model_removed removed[MODEL_NAMES][MODEL_REMOVED]; /* the last one is the newest */
	unsigned n_removed[MODEL_NAMES];
	unsigned records[MODEL_RECORDS];
};

enum model_kind {
	MODEL_PUT,     /* mask; nothing that lies below, as has_many says before a push */
	MODEL_HAS,     /* mask */
	MODEL_GET,     /* object */
	MODEL_COMMIT,  /* moves */
	MODEL_NOTE,    /* name, key, value */
	MODEL_RESTORE, /* name, as */
	MODEL_RETIRE,  /* name, seq of a branch, head */
	MODEL_SWEEP,   /* leases, keep_from_ns */
	MODEL_AGE,     /* object, which is there */
	MODEL_RECORD,  /* key, value */
	MODEL_REOPEN,
};
struct model_move {
	unsigned name, head, expected, note; /* note: 0 none */
	enum ts_expect expect;
	bool remove;
};
struct model_op {
	enum model_kind kind;
	int64_t now_ns; /* later than that of each operation before */
	uint32_t mask;
	unsigned object, name, as, head, key, value;
	uint64_t seq;
	struct model_move moves[2];
	unsigned n_moves;
	bool leases;	      /* sweep: leases of a day hold */
	int64_t keep_from_ns; /* sweep: what was removed then or earlier is forgotten */
};

struct model_text {
	char bytes[MODEL_TEXT];
	size_t len;
};
void model_say(struct model_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum ts_ref_kind model_kind_of(unsigned name);
const char *model_name_of(unsigned name); /* "p/a" */
/* Whether an object refers to another one. */
bool model_refers(unsigned from, unsigned to);
void model_begin(struct model *m, bool over, bool names_below, int64_t now_ns);
/* Whether the operation stays within the model. */
bool model_can(const struct model *m, const struct model_op *op);
void model_do(struct model *m, const struct model_op *op, struct model_text *out);
/* Which objects names and removed names reach. */
void model_reached(const struct model *m, bool out[MODEL_OBJECTS]);
/* All that can be read. since_ns is the time from which times are counted. */
void model_state(const struct model *m, int64_t since_ns, struct model_text *out);

#endif
