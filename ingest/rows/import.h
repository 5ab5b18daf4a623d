/* import.h - the frame of every reader of another tool's log: it takes a feed of cells and a function for facts, and
 * makes a run.
 *
 * A reader opens its files, then gives ts_import_run a feed of cells (rows.h) and a function that writes what the log says
 * about the run in the form of facts.json ({"config": {...}, "session": {"name": ...}}). This function is called after the
 * feed, since such records stand among the others in a log. The facts are redacted and merged with the pusher's and the host's,
 * which win. They go into the head, with facts about each column: its name in the log (columns.<name>.source) and its
 * precision. All rows belong to rank 0, unless the log has several. The source of the facts is run.json, which means the run's own
 * record, whatever the tool calls its file. Traces and snapshots of memory in the folder of the log, or in that of options->around,
 * are kept (kept/kept.h): with rank 0, or with the job if they are of another.
 */
#ifndef TSCOPE_INGEST_ROWS_IMPORT_H
#define TSCOPE_INGEST_ROWS_IMPORT_H

#include "ingest/core/reader.h"
#include "ingest/rows/rows.h"

/* A file beside those that the frame finds, which is kept as it is (ts_kept_add_artifact). */
struct ts_import_file {
	const char *path, *name;
};

struct ts_import {
	const char *format;	  /* "TensorBoard event files", a static text */
	struct ts_rows_source rows; /* feed NULL: the run has no series */
	size_t n_ranks; /* 0: all rows are rank 0's. Else rows.feed gives those of the rank that begin_rank began, 0 to n_ranks - 1 */
	enum ts_status (*begin_rank)(void *ctx, size_t i, int32_t *ret_rank, struct ts_error *err); /* with ctx below; ranks ascend */
	/* Appends one JSON object of groups of facts, when the rows of the first rank were read. May be NULL. */
	enum ts_status (*facts)(void *ctx, struct ts_buf *json, struct ts_error *err);
	void *ctx;
	const struct ts_import_file *files; /* of rank 0 */
	size_t n_files;
	bool (*finished)(void *ctx); /* the log says that the run reached its end; NULL: such a log never says it */
};

/* Makes the run. notices and bytes_read belong to the reader: what it skipped, repaired or doubts, and how much it read. They
 * go into the result; with options->strict skipped input is TS_INVALID. Before a second feed both are reset to their values
 * before the first. */
enum ts_status ts_import_run(const struct ts_import *import, const struct ts_ingest_options *options, ts_object_sink *sink,
			     void *sink_ctx, struct ts_notices *notices, uint64_t *bytes_read, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
