/* rows.h - takes the cells of a log in the order of the log, and gives rows, step by step, to a builder.
 *
 *	ts_rows_read(&source, sink, arena, &rows, err)		calls source->feed once, or twice
 *	  feed: ts_rows_column(rows, &column, &c, err)		once a name; keep the number
 *		ts_rows_step(rows, step, err)			the cells that follow are of this step
 *		ts_rows_f64(rows, c, 0.25, err) ...
 *		ts_rows_restart(rows, step, err)		the source says that training began again at this step
 *	ts_rows_finish(rows)
 *
 * Logs mostly come in the order of steps; then each row goes to the builder as soon as the next begins. The first step
 * that lies before the one in hand ends that: the feed is called again from the beginning, its cells are sorted by step,
 * in memory up to TS_ROWS_MEMORY and in an unnamed file of the temporary directory beyond. So memory is a window,
 * whatever the length.
 *
 * One cell a column and step: the later one counts, the earlier is counted in `repeated` (but see `quiet`). After a restart
 * at step s what was written before it at s and later is superseded: rows of TS_TABLE_SUPERSEDED, as docs/run-directory.md
 * has them, and all rows have the column `segment`. Where the source says nothing of restarts (`by_row`: a record is a whole row),
 * a step that is not above the one before is a restart at that step.
 * Ownership: names and texts are copied. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_ROWS_ROWS_H
#define TSCOPE_INGEST_ROWS_ROWS_H

#include "base/arena.h"
#include "ingest/core/sink_count.h"

enum { TS_ROWS_MEMORY = 64 << 20, TS_ROWS_SEGMENTS_MAX = 4096 };

struct ts_rows_column {
	struct ts_span name;	      /* ours, an escaped path: "scalars.loss" */
	struct ts_span source;	      /* the log's: "train/loss"; empty: the same */
	enum ts_column_type type;
	enum ts_precision precision;  /* as the log keeps it; of one that comes in several, doubles */
	uint8_t digits;
	bool quiet;		      /* a value that comes again is no news, and the first stays: time stamps */
};

struct ts_rows;

struct ts_rows_source {
	/* All cells, from the beginning. Errors of rows functions are handed on as they are: one of them means "again". */
	enum ts_status (*feed)(void *ctx, struct ts_rows *rows, struct ts_error *err);
	void *ctx;
	bool by_row;
	size_t memory; /* 0 = TS_ROWS_MEMORY; tests take less */
};

struct ts_rows_stats {
	uint64_t cells, repeated;
	uint64_t segments; /* 1 = never restarted; 0 = no row */
	uint64_t dropped;  /* cells of columns beyond TS_INGEST_COLUMNS_MAX */
	uint64_t resteps;  /* times a step lay before the one in hand */
};

/* rank 0. ret_rows is the caller's, also when this fails (NULL then). */
enum ts_status ts_rows_read(const struct ts_rows_source *source, struct ts_sink_count *sink, struct ts_rows **ret_rows,
			    struct ts_error *err);
void ts_rows_finish(struct ts_rows *rows); /* NULL is allowed; the builder goes with it */

/* The same name and type gives the same number; what it says of the source and precision counts the first time. */
enum ts_status ts_rows_column(struct ts_rows *rows, const struct ts_rows_column *column, uint32_t *ret_column, struct ts_error *err);
enum ts_status ts_rows_step(struct ts_rows *rows, int64_t step, struct ts_error *err);
enum ts_status ts_rows_f64(struct ts_rows *rows, uint32_t column, double value, struct ts_error *err);
/* TEXT and JSON. */
enum ts_status ts_rows_text(struct ts_rows *rows, uint32_t column, struct ts_span value, struct ts_error *err);
enum ts_status ts_rows_restart(struct ts_rows *rows, int64_t step, struct ts_error *err);

/* After ts_rows_read. */
struct ts_builder *ts_rows_builder(struct ts_rows *rows);
/* The i-th column; false from their number on. */
bool ts_rows_column_at(const struct ts_rows *rows, size_t i, struct ts_rows_column *ret_column);
void ts_rows_stats(const struct ts_rows *rows, struct ts_rows_stats *ret_stats);

#endif
