/* emit.h - gives the records of one step of steps.jsonl to the builder: keys become columns, cells become values of one row.
 *
 * A column's name is the escaped path of its keys. In runs that were restarted tscope adds two columns: `segment` (which execution
 * wrote the row, from 0) and, for superseded rows, `step`. So a record's own key `segment` is stored as `segment[0]`, a name that
 * no key can have. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RUNDIR_EMIT_H
#define TSCOPE_INGEST_RUNDIR_EMIT_H

#include "base/limits.h"
#include "ingest/core/notice.h"
#include "ingest/rows/run_columns.h"
#include "ingest/rundir/record.h"
#include "ingest/rundir/stretch.h"
#include "run/builder.h"

/* Rows of more numbers are not compared with the row before. */
enum { TS_EMIT_USUAL = TS_LINE_NUMBERS };

struct ts_emit {
	struct ts_builder *builder;
	const struct ts_keys *keys; /* of the record parser; their columns and rows are those of this builder */
	const struct ts_facts *facts; /* the effective facts, sorted, for columns.<name>.precision; may be NULL */
	uint32_t n_columns;
	struct ts_own_columns own;
	uint64_t dropped;	/* cells for which there was no column left */
	uint64_t dropped_line;
	uint64_t repeated;	/* values that a later record of the same step repeated */
	uint64_t repeated_line;
	uint64_t row;		/* number of rows begun so far */
	uint64_t records;	/* records of the current row */
	/* The first record of an earlier row, if it had numbers only: their keys and columns. n_usual is 0 if there is none. */
	uint32_t usual_key[TS_EMIT_USUAL], usual_column[TS_EMIT_USUAL];
	size_t n_usual;
	bool unnoted;		/* the row has begun with such a record, whose keys do not know it yet */
};

/* Begins with a builder, and forgets the columns that the record's keys had in an earlier one. The record must outlive emit. */
void ts_emit_init(struct ts_emit *emit, struct ts_builder *builder, const struct ts_facts *facts,
		  struct ts_record *record);
/* Give one row, of one record or several, to the builder: begin, then every record of its step, then end. segment < 0: the run was
 * never restarted. */
void ts_emit_begin(struct ts_emit *emit, enum ts_table_kind kind, int64_t key);
enum ts_status ts_emit_record(struct ts_emit *emit, const struct ts_cell *cells, size_t n, uint64_t line, struct ts_error *err);
/* A record that comes late for the row, from another place of the file: the row keeps its timestamp, unless the record replaces another
 * of its values. */
enum ts_status ts_emit_late(struct ts_emit *emit, struct ts_cell *cells, size_t n, uint64_t line, struct ts_error *err);
enum ts_status ts_emit_end(struct ts_emit *emit, enum ts_table_kind kind, int64_t step, int64_t segment, struct ts_error *err);
/* Does all three for a row of one record, without a segment. */
enum ts_status ts_emit_row(struct ts_emit *emit, const struct ts_record *record, enum ts_table_kind kind, int64_t key, uint64_t line,
			   struct ts_error *err);
/* Gives the first n rows of a stretch, whose columns are those of the row before, between a row's end and the next one's begin. */
enum ts_status ts_emit_rows(struct ts_emit *emit, enum ts_table_kind kind, const struct ts_stretch_rows *rows, size_t n,
			    struct ts_error *err);
/* Returns whether the row that has begun is one record so far, with the columns of the row before. */
static inline bool ts_emit_is_usual(const struct ts_emit *emit)
{
	return emit->unnoted;
}
/* Adds notices with the number of cells for which there was no column, and of values that were repeated within their step, if there
 * are any. */
void ts_emit_tell_dropped(const struct ts_emit *emit, struct ts_notices *notices, struct ts_span file);

#endif
