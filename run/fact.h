/* fact.h - what a run says about itself: values at the leaves of escaped paths, in groups.
 *
 * A path is "group.key.key": keys are joined by '.', and within a key '.', '[', ']' and '\' are escaped by '\'. An element
 * of an array has "[i]" after the path of the array: config.layers[0].width. The first component is the group. Facts are
 * sorted by the bytes of the path, then by source. If several sources state the same path, the effective fact is that of the
 * highest source (pusher over host over facts.json over run.json); the others are kept and shown.
 */
#ifndef TSCOPE_RUN_FACT_H
#define TSCOPE_RUN_FACT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/digest.h"

enum ts_group {
	TS_GROUP_CODE,
	TS_GROUP_CONFIG,
	TS_GROUP_SEEDS,
	TS_GROUP_DETERMINISM,
	TS_GROUP_LIBRARIES,
	TS_GROUP_HARDWARE,
	TS_GROUP_PARALLELISM,
	TS_GROUP_DATA,
	TS_GROUP_LINEAGE,
	TS_GROUP_WORK,
	TS_GROUP_SESSION,
	TS_GROUP_COLUMNS, /* what the source declares about its columns: columns.<name>.role, .precision */
	TS_GROUP_OTHER, /* all keys that tscope does not know */
	TS_GROUPS,
};

enum ts_fact_type {
	TS_FACT_NULL = 0,
	TS_FACT_BOOL = 1,
	TS_FACT_INT = 2, /* int64 */
	TS_FACT_FLOAT = 3, /* f64 */
	TS_FACT_TEXT = 4,
	TS_FACT_NUMBER = 5, /* an integer beyond int64, as decimal text */
	TS_FACT_OBJECT = 6, /* {} */
	TS_FACT_ARRAY = 7, /* [] */
	TS_FACT_ABSENT = 9, /* only in an index: the head has this path, this rank does not */
	TS_FACT_LONG = 8, /* text of more than TS_FACT_INLINE_MAX bytes, in a chunk object */
};

enum ts_fact_source {
	TS_SOURCE_RUN_JSON = 1,
	TS_SOURCE_FACTS_JSON = 2,
	TS_SOURCE_HOST = 3,
	TS_SOURCE_PUSHER = 4,
};

struct ts_fact {
	struct ts_span path;
	enum ts_fact_type type;
	enum ts_fact_source source;
	bool boolean;
	int64_t integer;
	double real;
	struct ts_span text; /* of TEXT and NUMBER; for LONG empty unless it is about to be encoded, see head.h */
	struct ts_id text_id; /* for LONG: id of the chunk object */
	uint32_t text_len; /* for LONG: bytes */
};

struct ts_facts {
	struct ts_fact *items;
	size_t n;
	size_t cap; /* room, while facts are added */
};

const char *ts_group_name(enum ts_group group);
/* The group that the first component of a path names; false if it names no group. */
bool ts_group_of(struct ts_span path, enum ts_group *ret_group);
const char *ts_fact_type_word(enum ts_fact_type type); /* "text" for LONG too */
const char *ts_source_name(enum ts_fact_source source); /* "run.json", "facts.json", "host", "pusher" */
bool ts_source_parse(struct ts_span name, enum ts_fact_source *ret_source);

/* Appends a fact; spans are not copied, and the array grows in the arena. Facts may be in any order until ts_facts_sort. */
enum ts_status ts_facts_add(struct ts_facts *facts, const struct ts_fact *fact, struct ts_arena *arena,
			    struct ts_error *err);
/* Sorts by path, then by source. Of several facts with the same path and source only the one added last stays. Returns how
 * many were dropped. */
size_t ts_facts_sort(struct ts_facts *facts);
/* They are sorted, each once, and have a path, a type and a source that there are. */
bool ts_facts_hold(const struct ts_facts *facts);
/* The effective fact at exactly this path, or NULL if there is none. facts are sorted. */
const struct ts_fact *ts_facts_find(const struct ts_facts *facts, struct ts_span path);
/* True if the i-th fact is the effective one: if several sources state a path, that is the last. facts are sorted. */
bool ts_fact_counts(const struct ts_facts *facts, size_t i);
/* True if the effective fact at this path is the boolean true. */
bool ts_facts_true(const struct ts_facts *facts, const char *path);
bool ts_facts_have_source(const struct ts_facts *facts, enum ts_fact_source source);
/* True if type and value are equal, whatever the sources. Floats must have equal bits; INT 1 and FLOAT 1.0 differ in type. */
bool ts_fact_same(const struct ts_fact *a, const struct ts_fact *b);

/* The fact at exactly this path from exactly this source, or NULL. facts are sorted. */
const struct ts_fact *ts_facts_of_source(const struct ts_facts *facts, struct ts_span path,
					 enum ts_fact_source source);
/* The facts of a rank that its index holds: those that the head lacks or has with another value, and TS_FACT_ABSENT for those
 * that only the head has. The result is part of what the id of a run covers. It is sorted; spans are not copied. */
enum ts_status ts_facts_differences(const struct ts_facts *head, const struct ts_facts *rank, struct ts_arena *arena,
				    struct ts_facts *ret_facts, struct ts_error *err);
/* The inverse: all facts of a rank, from the head and from the differences of the rank. */
enum ts_status ts_facts_whole(const struct ts_facts *head, const struct ts_facts *differences, struct ts_arena *arena,
			      struct ts_facts *ret_facts, struct ts_error *err);

/* Appends one key, escaped, to a path, with "." in front unless the path is empty. */
void ts_path_key(struct ts_buf *path, struct ts_span key);
void ts_path_index(struct ts_buf *path, size_t i);
/* True if the path has 1 to TS_PATH_MAX bytes and every escape and index is well-formed (an index has no leading zeros). */
bool ts_path_valid(struct ts_span path);
/* Gives the next component of a path: an index in *ret_index if *ret_is_index, otherwise a key in *ret_key, unescaped in the
 * arena. *at is 0 for the first call. False at the end. */
bool ts_path_next(struct ts_span path, size_t *at, struct ts_arena *arena, struct ts_span *ret_key, bool *ret_is_index,
		  size_t *ret_index);

/* Appends the value as a person reads it, texts without quotes: true, 3, 0.0003, text, null, {}, []. */
void ts_fact_print(const struct ts_fact *fact, struct ts_buf *out);

#endif
