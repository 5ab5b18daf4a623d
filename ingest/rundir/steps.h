/* steps.h - reads a steps.jsonl into a builder: row by row while steps increase, through segments.c where they go
 * back.
 *
 * The first pass gives every record to the builder as it reads; records of one step that follow one another are one row, of which the
 * last value of a column counts. Where a step is below the one before (training was
 * restarted into the same file), it throws that builder away, reads on to find where each segment begins, and then
 * merges the segments by step: of a step written several times the last segment's row is the step's, the others become
 * rows of TS_TABLE_SUPERSEDED, numbered in (step, segment) order, with their step as a number, or as its digits (JSON) where
 * a double would lose some. Memory: a window of at most 1 MiB a segment in use, 64 MiB for all.
 */
#ifndef TSCOPE_INGEST_RUNDIR_STEPS_H
#define TSCOPE_INGEST_RUNDIR_STEPS_H

#include "ingest/core/sink_count.h"
#include "ingest/rundir/emit.h"
#include "ingest/rundir/range.h"

struct ts_steps_input {
	struct ts_steps_source source;
	int32_t rank;
	const struct ts_facts *facts;
	struct ts_notices *notices;
	struct ts_sink_count *sink;
	size_t window; /* 0 = 1 MiB; tests take less */
};

/* *ret_builder (the caller's from then on) holds the rows; segments is 1 for a run that never went back, 0 without a
 * record. Errors name file and line. */
enum ts_status ts_steps_read(const struct ts_steps_input *input, struct ts_builder **ret_builder,
			     uint64_t *ret_segments, struct ts_error *err);

/* segments.c */
struct ts_segment {
	uint64_t offset, end; /* in the file */
	uint64_t line;
	int64_t first_step;
};

enum ts_status ts_segments_merge(const struct ts_steps_input *input, const struct ts_segment *segments, size_t n,
				 struct ts_record *record, struct ts_emit *emit, struct ts_error *err);

#endif
