/* keys.h - gives small numbers to the paths of keys in JSON records.
 *
 * The keys of records repeat line after line. As numbers they allow to find a column by an index, and a duplicate key by a
 * stamp. Key 0 (TS_KEY_ROOT) is the document itself. Keys are added up to a limit and never removed. Ownership: key texts are
 * copied. Pointers from ts_key_at are valid until the next ts_keys_get. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FACTS_KEYS_H
#define TSCOPE_INGEST_FACTS_KEYS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "run/index.h"

enum { TS_KEY_ROOT = 0 };
#define TS_KEY_NONE UINT32_MAX

struct ts_key {
	struct ts_span text; /* unescaped */
	uint32_t parent;
	uint32_t after; /* the key that came after this one last time */
	size_t path_len; /* of the escaped path from the root */
	/* For the caller: the last document in which the key occurred, and the range of cells that came from it there. */
	uint64_t stamp;
	size_t first, last;
	uint32_t column[TS_COLUMN_JSON + 1]; /* its column of each type: number + 1; 0 = none yet */
	uint64_t row, below;		     /* the last row that has a value of this key, and the last with one of a key below it */
	uint8_t type;			     /* type of the value in that row */
};

struct ts_keys {
	struct ts_arena arena;
	struct ts_key *items;
	uint32_t n, max;
	size_t cap;
	struct ts_map map;
	uint32_t previous;  /* the key that the last ts_keys_get returned */
	bool no_memory;
};

/* The table will hold at most max keys. */
void ts_keys_init(struct ts_keys *keys, uint32_t max);
void ts_keys_finish(struct ts_keys *keys);
/* The number of that key below parent. TS_KEY_NONE: the limit is reached, or there is no memory (keys->no_memory). */
uint32_t ts_keys_get(struct ts_keys *keys, uint32_t parent, struct ts_span text);
/* Appends the escaped path from the root. */
void ts_keys_path(const struct ts_keys *keys, uint32_t key, struct ts_buf *out);

static inline struct ts_key *ts_key_at(const struct ts_keys *keys, uint32_t key)
{
	return &keys->items[key];
}

#endif
