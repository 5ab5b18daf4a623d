/* trace_columns.h - the columns of a trace as objects: an index of its own, to which the entry of the kept file refers.
 *
 * What is stored depends on the trace alone, not on the run, the rank or the file's name, so a trace of two runs is the same objects.
 * docs/format.md, "Columns of a trace", lists the tables. Writing streams: what reads a trace gives some thousand rows at a time, and
 * names, threads and what the trace says of itself come at the end.
 *
 *	ts_trace_writer_create(sink, ctx, &w, err)
 *	ts_trace_writer_take(w, &rows, err)		as often as there are rows
 *	ts_trace_writer_finish(w, &trace, &record, &id, err)	of trace all but its rows
 *	ts_trace_writer_destroy(w)
 *
 *	ts_trace_columns_load(get, ctx, &id, &arena, &trace, &record, err)
 *	... names, threads and texts lie in the arena ...
 *	ts_trace_finish(&trace)
 *
 * A loaded trace is held to what readers of files promise (ts_trace_check), whoever stored it. Threads: one at a time.
 */
#ifndef TSCOPE_RUN_TRACE_COLUMNS_H
#define TSCOPE_RUN_TRACE_COLUMNS_H

#include "run/index.h"
#include "run/trace.h"

struct ts_trace_writer;

/* The sink gets whole objects and their ids. */
enum ts_status ts_trace_writer_create(ts_object_sink *sink, void *ctx, struct ts_trace_writer **ret_writer, struct ts_error *err);
void ts_trace_writer_destroy(struct ts_trace_writer *w); /* NULL is allowed */
/* TS_TOO_LARGE: more than TS_TRACE_ROWS_MAX rows of a table. writer is a struct ts_trace_writer. */
enum ts_status ts_trace_writer_take(void *writer, const struct ts_trace_rows *rows, struct ts_error *err);
/* *ret_index is the id of the columns. */
enum ts_status ts_trace_writer_finish(struct ts_trace_writer *w, const struct ts_trace *trace, const struct ts_trace_record *record,
				      struct ts_id *ret_index, struct ts_error *err);

/* TS_DAMAGED where the objects are not what a writer makes, TS_NOT_FOUND as get. On failure nothing is to be freed. */
enum ts_status ts_trace_columns_load(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
				     struct ts_trace *ret_trace, struct ts_trace_record *ret_record, struct ts_error *err);
/* The same without rows, names and threads: what the trace says of itself. Reads a few blocks only. */
enum ts_status ts_trace_columns_about(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
				      struct ts_trace_about *ret_about, struct ts_trace_record *ret_record, struct ts_error *err);

#endif
