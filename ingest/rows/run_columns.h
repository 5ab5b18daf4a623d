/* run_columns.h - makes the columns of a run: those that a reader names, and those that tscope adds to a run that was restarted.
 *
 * In such a run each row has `segment` (which execution wrote it, from 0), and superseded rows have `step`, too, as a number, or as
 * its digits (JSON) where a double would lose some. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_ROWS_RUN_COLUMNS_H
#define TSCOPE_INGEST_ROWS_RUN_COLUMNS_H

#include "run/builder.h"
#include "run/fact.h"

/* Makes the column of the builder with the precision that the fact columns.<name>.precision says: "f32", "f64", or the number of
 * digits behind the decimal point. facts are sorted, and may be NULL. *ret_column is its number + 1. */
enum ts_status ts_column_make(struct ts_builder *b, const struct ts_facts *facts, struct ts_span name, enum ts_column_type type,
			      uint32_t *ret_column, struct ts_error *err);

/* The builder's columns that tscope adds, + 1; 0: not made yet. */
struct ts_own_columns {
	uint32_t segment, step, step_text;
};

/* Put the value into the row that is open. */
enum ts_status ts_own_segment(struct ts_own_columns *own, struct ts_builder *b, const struct ts_facts *facts, uint64_t segment,
			      struct ts_error *err);
enum ts_status ts_own_step(struct ts_own_columns *own, struct ts_builder *b, const struct ts_facts *facts, int64_t step,
			   struct ts_error *err);

#endif
