/* snapshot_rows.h - makes rows of the dicts of a snapshot, as the interpreter fills them.
 *
 * A dict is a row if it has the keys that its kind cannot do without; the order of keys does not matter. What a known key holds and
 * cannot be of it (another type, out of range) stays unknown and is counted by key, with the byte of the first; the rest of its row
 * counts. Keys that are not known are counted by name. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_SNAPSHOT_SNAPSHOT_ROWS_H
#define TSCOPE_INGEST_SNAPSHOT_SNAPSHOT_ROWS_H

#include "ingest/snapshot/pickle.h"

enum { TS_SNAPSHOT_DEVICES_MAX = 1024, TS_SNAPSHOT_UNKNOWN_MAX = 64 };

enum ts_row_kind {
	TS_ROW_NONE = 0,
	TS_ROW_EVENT,
	TS_ROW_BLOCK,
	TS_ROW_SEGMENT,
	TS_ROW_MARK,
	TS_ROW_HISTORY, /* an older block's list of what was allocated there */
	TS_ROW_KINDS
};

/* The numbers of the texts that the interpreter begins with. */
enum ts_row_key {
#define TS_ROW_KEY(name, word) TS_KEY_##name,
#include "ingest/snapshot/snapshot_keys.inc"
#undef TS_ROW_KEY
	TS_ROW_KEYS
};

/* What a row does not say, until its neighbours do (snapshot_mend.h). */
#define TS_NO_ADDRESS UINT64_MAX
#define TS_NO_SIZE UINT64_MAX
#define TS_NO_SEGMENT_DEVICE UINT16_MAX

struct ts_row_segment {
	struct ts_snapshot_segment segment;
	uint32_t blocks; /* object */
};

struct ts_row_history {
	uint64_t size;
	uint32_t stack;
};

struct ts_rows {
	struct ts_vector of[TS_ROW_KINDS];
	struct ts_snapshot_unknown unknown[TS_SNAPSHOT_UNKNOWN_MAX];
	size_t n_unknown;
	uint64_t n_passed; /* values without a name of their own in the above */
	uint64_t bytes;	   /* all sizes together */
	struct ts_vector originals; /* uint32_t of each text, as a stack that generated code came from: enum in snapshot_rows.c */
};

size_t ts_row_size(enum ts_row_kind kind);
const char *ts_row_key_word(enum ts_row_key key);

/* n values: key, value, key, value. *ret_kind is TS_ROW_NONE if they are no row. False: the error is set. */
bool ts_rows_take(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, enum ts_row_kind *ret_kind, uint32_t *ret_row);
/* A tuple (file, line, function), as older versions write frames; *ret_frame is TS_SNAPSHOT_NONE if it is none. */
bool ts_rows_tuple(struct ts_pickle *p, const struct ts_pickle_value *items, size_t n, uint32_t *ret_frame);
/* The same of a dict. */
bool ts_rows_frame(struct ts_pickle *p, const struct ts_pickle_value *pairs, size_t n, uint32_t *ret_frame);

/* Counts a key that no table has. */
void ts_rows_pass(struct ts_rows *rows, struct ts_pickle_value key);

#endif
