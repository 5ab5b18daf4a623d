/* steps.h - reads a steps.jsonl into a builder: row by row while steps increase, and by segments.c where steps go back.
 *
 * The first pass gives every record to the builder as it is read, and stretches of alike records a piece at a time (stretch.h).
 * Consecutive records of one step are one row, in which the last value of a column counts. If a step is below the step before, or a
 * line {"restart": true} says that training began again, the reader discards that builder, reads on to find where steps go back and of
 * which execution each record is (core/executions.h; all numbers of a record count but its epoch and its times), and then merges these
 * stretches by step. Rows that a later execution superseded become rows of TS_TABLE_SUPERSEDED, numbered in (step, execution) order.
 * They keep their step as a number, or as its digits (JSON) where a double would lose some. Memory: a window of at most 1 MiB for each
 * stretch in use, 64 MiB for all.
 */
#ifndef TSCOPE_INGEST_RUNDIR_STEPS_H
#define TSCOPE_INGEST_RUNDIR_STEPS_H

#include "ingest/core/executions.h"
#include "ingest/core/sink_count.h"
#include "ingest/rundir/emit.h"
#include "ingest/rundir/range.h"

struct ts_steps_input {
	struct ts_source source;
	int32_t rank;
	const struct ts_facts *facts;
	struct ts_notices *notices;
	struct ts_sink_count *sink;
	size_t window; /* bytes; 0 = 1 MiB; tests use less */
	size_t piece;  /* bytes of a stretch's piece; 0: as it likes; tests use less */
	bool singly;   /* for tests: every record is read by itself */
};

/* *ret_builder holds the rows; the caller owns it. *ret_segments is the number of executions, 0 if there is no record.
 * Errors name file and line. */
enum ts_status ts_steps_read(const struct ts_steps_input *input, struct ts_builder **ret_builder,
			     uint64_t *ret_segments, struct ts_error *err);

/* segments.c: a stretch of the file in which steps do not go back, and no execution begins. */
struct ts_segment {
	uint64_t offset, end; /* in the file */
	uint64_t line;
	int64_t first_step; /* as the file has it */
	int64_t shift;	    /* what is added to it (steps that are counted in each epoch) */
	uint32_t mark;	    /* of its execution */
};

enum ts_status ts_segments_merge(const struct ts_steps_input *input, const struct ts_segment *segments, size_t n,
				 const struct ts_executions *executions, struct ts_record *record, struct ts_emit *emit,
				 struct ts_error *err);

#endif
