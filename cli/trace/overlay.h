/* overlay.h - a copy of a trace with its critical path, for Perfetto and whatever reads Chrome's format. */
#ifndef TSCOPE_CLI_TRACE_OVERLAY_H
#define TSCOPE_CLI_TRACE_OVERLAY_H

#include "analysis/trace/path/critical_path.h"
#include "cli/core/context.h"
#include "ingest/trace/trace_read.h"

/* Writes the new file `to`, as gzip if its name ends in ".gz": every event of the trace as it is, and in front of them a process
 * "Critical path" with the path's stretches one after the other, and arrows to the spans of which they are. It appears when it is
 * complete; a file that exists is never overwritten. */
enum ts_status ts_write_overlay(const char *from, const struct ts_trace *trace, const struct ts_trace_file *file,
				const struct ts_critical_path *path, const char *to, struct ts_error *err);

#endif
