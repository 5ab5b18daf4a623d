/* trace_insert.h - a copy of a trace with more events in front of its list.
 *
 * Every byte of the source is copied as it is, but for what was cut: of a source that ends too early the events that were read are
 * copied, and the list and the envelope are closed. The new events come from a callback, a part at a time, so that neither they nor the
 * source are held in memory. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_INSERT_H
#define TSCOPE_INGEST_TRACE_TRACE_INSERT_H

#include "base/buf.h"
#include "ingest/trace/trace_read.h"

/* Appends events to buf, each an object, with commas between them and none at the ends of the whole. False: these were the last. */
typedef bool ts_trace_more_events(void *ctx, struct ts_buf *buf);

/* Writes to fd, which is at its begin; packed: as gzip. `file` is what ts_trace_load said of this source. TS_DAMAGED: the source is
 * another one than then. The error does not name the output. */
enum ts_status ts_trace_insert(const struct ts_source *source, const struct ts_trace_file *file, ts_trace_more_events *more, void *ctx,
			       int fd, bool packed, struct ts_error *err);

#endif
