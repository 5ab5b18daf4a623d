/* wandb_series.h - keeps the names that a W&B run logs, each with its columns, and puts values, which are JSON texts, into them.
 *
 * A name is a key of `keys`: {"eval": {"acc": 1}} has "acc" below "eval". It gets a column with its first value: a column of
 * doubles for numbers (also NaN and the infinities, bare or in quotes), one of text for texts, one of JSON for all others.
 * Members of an object are values of their own. Values that are not kept are counted. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_WANDB_WANDB_SERIES_H
#define TSCOPE_INGEST_WANDB_WANDB_SERIES_H

#include "base/limits.h"
#include "ingest/core/notice.h"
#include "ingest/facts/keys.h"
#include "ingest/rows/log_names.h"

struct ts_wandb_one {
	uint32_t number, text, json; /* columns + 1; 0: not yet */
	bool too_long;
	bool typed;	/* it had a member _type once: it was not a value then, but one of W&B's media objects */
	uint64_t media; /* number of the last record in which it was a media object */
	bool named;	/* column: its name; factor: what a value is multiplied by */
	struct ts_span column, source;
	double factor, last;	/* last: the last value as the log has it */
	struct ts_span summary; /* its value in the log's summary; data NULL: none */
	uint8_t *room;		/* the memory of summary */
	size_t room_len;
};

struct ts_wandb_series {
	struct ts_arena *arena;
	struct ts_notices *notices;
	struct ts_span file; /* for notices */
	uint64_t at;	     /* place in the file of the current record */
	struct ts_rows *rows;
	struct ts_log_names names;
	struct ts_keys keys;
	struct ts_wandb_one *of; /* one per key */
	size_t cap;
	struct ts_buf scratch, plain;
	bool no_memory; /* there was no memory for a name or a member; callers check it after each record */
};

void ts_wandb_series_init(struct ts_wandb_series *w, struct ts_arena *arena, struct ts_notices *notices);
/* Begins a feed: forgets all names. */
void ts_wandb_series_begin(struct ts_wandb_series *w, struct ts_rows *rows);
void ts_wandb_series_finish(struct ts_wandb_series *w);

/* Counts a notice, with the byte at which the current record begins. */
void ts_wandb_tell(struct ts_wandb_series *w, const char *code, enum ts_notice_level level, const char *what);
/* The key of the name below parent. TS_KEY_NONE: there are too many keys (this is counted), or no memory. */
uint32_t ts_wandb_key(struct ts_wandb_series *w, uint32_t parent, struct ts_span name);

/* Put a value into the current row. type: TS_COLUMN_TEXT or TS_COLUMN_JSON. */
enum ts_status ts_wandb_number(struct ts_wandb_series *w, uint32_t key, double value, struct ts_error *err);
enum ts_status ts_wandb_text(struct ts_wandb_series *w, uint32_t key, enum ts_column_type type, struct ts_span value,
			     struct ts_error *err);
enum ts_status ts_wandb_json(struct ts_wandb_series *w, uint32_t key, struct ts_span json, struct ts_error *err);

/* Whether the JSON object has a member _type: it is an image, a table, a histogram or another media object. */
bool ts_wandb_is_media(struct ts_wandb_series *w, struct ts_span object);
/* Sets no_memory if the error is that there is no memory. */
static inline void ts_wandb_lacks(struct ts_wandb_series *w, const struct ts_error *why)
{
	w->no_memory |= why->status == TS_NO_MEMORY;
}

#endif
