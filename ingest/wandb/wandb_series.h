/* wandb_series.h - the names that a run of W&B's logs, each with its columns, and values as JSON texts into them.
 *
 * A name is a key of `keys`: {"eval": {"acc": 1}} has "acc" below "eval". It gets a column when its first value comes: numbers (NaN and
 * the infinities too, bare or in quotes) one of doubles, texts one of text, all else one of JSON; members of an object are values of
 * their own. What is not kept is counted. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_WANDB_WANDB_SERIES_H
#define TSCOPE_INGEST_WANDB_WANDB_SERIES_H

#include "base/limits.h"
#include "ingest/core/notice.h"
#include "ingest/facts/keys.h"
#include "ingest/rows/log_names.h"

#define TS_WANDB_EXACT 9007199254740992.0 /* 2^53: below it every integer is a double */

struct ts_wandb_one {
	uint32_t number, text, json; /* columns + 1; 0: not yet */
	bool too_long;
	bool typed;	/* it had a member _type once: no value, but an object of W&B's */
	uint64_t media; /* number of the last record in which it was that */
	bool named;	/* column: its name; factor: what a value is multiplied by */
	struct ts_span column, source;
	double factor, last;	/* last: as the log has it */
	struct ts_span summary; /* what the log's summary says of it; data NULL: nothing */
	uint8_t *room;		/* of summary */
	size_t room_len;
};

struct ts_wandb_series {
	struct ts_arena *arena;
	struct ts_notices *notices;
	struct ts_span file; /* for notices */
	uint64_t at;	     /* in the file: of the record in hand */
	struct ts_rows *rows;
	struct ts_log_names names;
	struct ts_keys keys;
	struct ts_wandb_one *of; /* of each key */
	size_t cap;
	struct ts_buf scratch, plain;
	bool no_memory; /* for a name or a member: whoever takes a record looks at it behind it */
};

void ts_wandb_series_init(struct ts_wandb_series *w, struct ts_arena *arena, struct ts_notices *notices);
/* Forgets all names: a feed begins. */
void ts_wandb_series_begin(struct ts_wandb_series *w, struct ts_rows *rows);
void ts_wandb_series_finish(struct ts_wandb_series *w);

/* Counts a notice, with the byte of the record in hand. */
void ts_wandb_tell(struct ts_wandb_series *w, const char *code, enum ts_notice_level level, const char *what);
/* The name below parent; TS_KEY_NONE when there are too many, which is counted, or no memory. */
uint32_t ts_wandb_key(struct ts_wandb_series *w, uint32_t parent, struct ts_span name);

/* A value into the row in hand. type: TS_COLUMN_TEXT or TS_COLUMN_JSON. */
enum ts_status ts_wandb_number(struct ts_wandb_series *w, uint32_t key, double value, struct ts_error *err);
enum ts_status ts_wandb_text(struct ts_wandb_series *w, uint32_t key, enum ts_column_type type, struct ts_span value,
			     struct ts_error *err);
enum ts_status ts_wandb_json(struct ts_wandb_series *w, uint32_t key, struct ts_span json, struct ts_error *err);

/* The JSON object says its _type: an image, a table, a histogram. */
bool ts_wandb_is_media(struct ts_wandb_series *w, struct ts_span object);
/* Notes it where what went wrong, if anything did, is that there is no memory. */
static inline void ts_wandb_lacks(struct ts_wandb_series *w, const struct ts_error *why)
{
	w->no_memory |= why->status == TS_NO_MEMORY;
}

#endif
