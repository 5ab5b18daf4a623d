/* pipeline_read.h - a pipeline.jsonl into a builder: one event a line, each a row of TS_TABLE_PIPELINE.
 *
 * An event is an object with the numbers `stage`, `start` and `end`; what lacks one of them is skipped and told (bad_event).
 * Every other key is kept as a column by the rules of steps.jsonl, `step` too. The key of a row is its place among the events
 * taken, from 0. Lines, windows and notices are those of steps.jsonl (range.h). Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_PIPELINE_READ_H
#define TSCOPE_INGEST_PIPELINE_READ_H

#include "ingest/emit.h"
#include "ingest/range.h"

struct ts_pipeline_input {
	struct ts_steps_source source;
	const struct ts_facts *facts; /* as in ts_emit_init */
	struct ts_notices *notices;
	size_t window; /* 0 = 1 MiB; tests take less */
};

/* After the steps of the rank, into the same builder. Errors name file and line. */
enum ts_status ts_pipeline_read(const struct ts_pipeline_input *input, struct ts_builder *b, struct ts_error *err);

#endif
