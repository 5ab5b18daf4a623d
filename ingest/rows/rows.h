/* rows.h - takes the cells of a log in the order of the log, and gives rows to a builder in the order of steps.
 *
 *	ts_rows_read(&source, sink, arena, &rows, err)		calls source->feed once, or twice
 *	  feed: ts_rows_column(rows, &column, &c, err)		once per name; keep the number c
 *		ts_rows_step(rows, step, err)			the cells that follow belong to this step
 *		ts_rows_f64(rows, c, 0.25, err) ...
 *		ts_rows_part(rows)				a further file of the log begins, or what a later process wrote
 *		ts_rows_restart(rows, step, err)		the source says that training began again at this step
 *	ts_rows_finish(rows)
 *
 * Most logs are in the order of steps; then each row goes to the builder as soon as the next row begins. If a step is below the
 * current one, the feed is called again from the beginning, and its cells are sorted by step: in memory up to TS_ROWS_MEMORY,
 * beyond that in an unnamed file in the temporary directory. So memory use is bounded, whatever the length of the log.
 *
 * A column has one cell per step. If it gets more, the last one counts, and those that are not as the one before are counted in
 * `repeated` (but see `quiet`); the row then has the time of that value, unless steps are `unordered`. Of which execution of the
 * training a row is says core/executions.h, by the order of rows, their times (the column `timestamp`) and the columns that are
 * numbers and no count. Rows that a later execution superseded become rows of TS_TABLE_SUPERSEDED, as docs/run-directory.md
 * describes, and all rows of a restarted run get the column `segment`.
 * Ownership: names and texts are copied. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_ROWS_ROWS_H
#define TSCOPE_INGEST_ROWS_ROWS_H

#include "base/arena.h"
#include "ingest/core/sink_count.h"

enum { TS_ROWS_MEMORY = 64 << 20 };

struct ts_rows_column {
	struct ts_span name;	      /* our name, an escaped path: "scalars.loss" */
	struct ts_span source;	      /* the log's name: "train/loss"; empty: the same */
	enum ts_column_type type;
	enum ts_precision precision;  /* as the log stores it; double if it stores several */
	uint8_t digits;
	bool quiet;		      /* repeated values are expected (time stamps): the first one stays, none is counted */
	bool count;		      /* it counts steps, too, so that it says nothing of a restart; as `epoch` and quiet columns */
};

struct ts_rows;

struct ts_rows_source {
	/* Gives all cells, from the beginning. It must return errors of these functions unchanged: one of them means "start
	 * again". */
	enum ts_status (*feed)(void *ctx, struct ts_rows *rows, struct ts_error *err);
	void *ctx;
	bool unordered; /* steps come in any order, so that a lower one says nothing */
	size_t memory; /* bytes; 0 = TS_ROWS_MEMORY; tests use less */
	int32_t rank;  /* of all rows */
};

struct ts_rows_stats {
	uint64_t cells, repeated;
	uint64_t segments; /* 1 = never restarted; 0 = no row */
	uint64_t dropped;  /* cells of columns beyond TS_INGEST_COLUMNS_MAX */
};

/* Reads the source into a builder of its rank. The caller owns *ret_rows, which is NULL on failure. */
enum ts_status ts_rows_read(const struct ts_rows_source *source, struct ts_sink_count *sink, struct ts_rows **ret_rows,
			    struct ts_error *err);
void ts_rows_finish(struct ts_rows *rows); /* also frees the builder; NULL is allowed */

/* Returns the number of a column. The same name and type gives the same number; source and precision count the first time only. */
enum ts_status ts_rows_column(struct ts_rows *rows, const struct ts_rows_column *column, uint32_t *ret_column, struct ts_error *err);
enum ts_status ts_rows_step(struct ts_rows *rows, int64_t step, struct ts_error *err);
enum ts_status ts_rows_f64(struct ts_rows *rows, uint32_t column, double value, struct ts_error *err);
/* For columns of type TEXT and JSON. */
enum ts_status ts_rows_text(struct ts_rows *rows, uint32_t column, struct ts_span value, struct ts_error *err);
/* Cells that come before the next step still belong to the current row. */
void ts_rows_part(struct ts_rows *rows);
enum ts_status ts_rows_restart(struct ts_rows *rows, int64_t step, struct ts_error *err);

/* These are for after ts_rows_read. */
struct ts_builder *ts_rows_builder(struct ts_rows *rows);
/* Gets the i-th column; false if there are not so many. */
bool ts_rows_column_at(const struct ts_rows *rows, size_t i, struct ts_rows_column *ret_column);
void ts_rows_stats(const struct ts_rows *rows, struct ts_rows_stats *ret_stats);

#endif
