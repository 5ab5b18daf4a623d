/* side_read.h - reads the files beside steps.jsonl (pipeline.jsonl, digests.jsonl, events.jsonl, sketches.jsonl) into a builder:
 * each line is a row of that file's own kind.
 *
 *	pipeline.jsonl	TS_TABLE_PIPELINE	an event: the numbers `stage`, `start` and `end`; else bad_event
 *	digests.jsonl	TS_TABLE_DIGESTS	an operation: `step`, `name`, `out`, optional `in`, `occurrence`; else bad_digest
 *	events.jsonl	TS_TABLE_EVENTS		what happened at a time: the number `time` and the text `name`; else bad_event
 *	sketches.tscope	TS_TABLE_SKETCHES	the same tensors in frames (sketch_frames.h)
 *	sketches.jsonl	TS_TABLE_SKETCHES	a tensor: `step`, `name`, `kind`, and `count`, `squares`, `sums`, or `same`; else
 *	bad_sketch
 *
 * record.h checks what a record must have; a record that lacks it is skipped with a notice. Every other key is kept as a column
 * by the rules of steps.jsonl. The key of a row is its place among the records taken, behind those of a recording. Lines, windows
 * and notices work as for steps.jsonl (range.h). Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RUNDIR_SIDE_READ_H
#define TSCOPE_INGEST_RUNDIR_SIDE_READ_H

#include "ingest/rundir/emit.h"
#include "ingest/rundir/range.h"

struct ts_side_file {
	const char *name;
	enum ts_table_kind kind;
	enum ts_record_form form;
	bool frames; /* not lines: what exports write as the lines of the file of that kind */
	bool alone; /* a directory that holds nothing else is a run; other tools write files called events.jsonl, too */
};

enum { TS_SIDE_FILES = 5 };
extern const struct ts_side_file ts_side_files[TS_SIDE_FILES]; /* by kind */

struct ts_side_input {
	const struct ts_side_file *file;
	struct ts_source source;
	const struct ts_facts *facts; /* as in ts_emit_init */
	struct ts_notices *notices;
	size_t window; /* bytes; 0 = 1 MiB; tests use less */
};

/* Reads the file into the builder that already has the steps of the rank. Errors name file and line. */
enum ts_status ts_side_read(const struct ts_side_input *input, struct ts_builder *b, struct ts_error *err);

#endif
