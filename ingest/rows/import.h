/* import.h - the frame of every reader of another tool's log: it takes a feed of cells and a function for facts, and
 * makes a run.
 *
 * A reader opens its files, then gives ts_import a feed of cells (rows.h) and a function that writes what the log says
 * of the run as facts.json has it ({"config": {...}, "session": {"name": ...}}), which is asked after the feed, since
 * logs hold such things among the rest. Facts are redacted, merged with the pusher's and the host's (who win) and put
 * into the head with those of each column: its name in the log (columns.<name>.source) and its precision. Everything is
 * of rank 0. The facts' source is run.json: the run's own record, whatever its tool calls the file.
 */
#ifndef TSCOPE_INGEST_ROWS_IMPORT_H
#define TSCOPE_INGEST_ROWS_IMPORT_H

#include "ingest/core/reader.h"
#include "ingest/rows/rows.h"

struct ts_import {
	const char *format;	  /* "TensorBoard event files": static */
	struct ts_rows_source rows; /* feed NULL: a run without series */
	/* Appends one JSON object of groups. May be NULL. */
	enum ts_status (*facts)(void *ctx, struct ts_buf *json, struct ts_error *err);
	void *ctx;
	bool (*finished)(void *ctx); /* the log says that the run came to its end; NULL: it never says */
};

/* notices and bytes_read are the reader's own: what it skipped, repaired or doubts, which goes into the result (with options->strict
 * what was skipped is TS_INVALID), and what it read. Before a second feed both are put back to what they were before the first. */
enum ts_status ts_import_run(const struct ts_import *import, const struct ts_ingest_options *options, ts_object_sink *sink,
			     void *sink_ctx, struct ts_notices *notices, uint64_t *bytes_read, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
