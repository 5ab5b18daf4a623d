/* columns.h - the columns that a recording declares, and what they are called in a run.
 *
 *	ts_declared_add(&d, frame, notices...)		for every COLUMN frame
 *	ts_declared_settle(&d, ...)			after the last one: refuses a second column of one name
 *	ts_declared_at(&d, number)			NULL: it was not declared, or cannot be a column
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RECORDING_COLUMNS_H
#define TSCOPE_INGEST_RECORDING_COLUMNS_H

#include "ingest/recording/walk.h"
#include "record/tscope.h"
#include "run/fact.h"
#include "run/index.h"

struct ts_declared_column {
	enum tscope_kind kind; /* 0: none of this number was declared */
	bool refused;
	struct ts_span name; /* as it was declared */
	struct ts_span path; /* the name of the column of steps: "phases.forward"; empty: an event */
	uint32_t number;     /* in the builder + 1; 0: not yet. For the caller */
};

struct ts_declared {
	struct ts_arena names;
	struct ts_declared_column *items; /* by number; items[0] is none */
	size_t n;
};

void ts_declared_init(struct ts_declared *d);
void ts_declared_finish(struct ts_declared *d);
/* Takes a COLUMN frame. *ret_why: why it cannot be a column, or NULL. */
enum ts_status ts_declared_add(struct ts_declared *d, const uint8_t *frame, const char **ret_why, struct ts_error *err);
/* Refuses columns whose path another one has. *ret_refused: how many; *ret_first: the path of the first. */
enum ts_status ts_declared_settle(struct ts_declared *d, size_t *ret_refused, struct ts_span *ret_first, struct ts_error *err);

/* How the values of a column are given to the builder. */
static inline bool ts_declared_is_time(enum tscope_kind kind)
{
	return kind == TSCOPE_PHASE || kind == TSCOPE_DEVICE_PHASE || kind == TSCOPE_REGION;
}

static inline struct ts_declared_column *ts_declared_at(const struct ts_declared *d, uint32_t number)
{
	struct ts_declared_column *column = number < d->n ? &d->items[number] : NULL;

	return column && column->kind && !column->refused ? column : NULL;
}

#endif
