/* trace_sniff.h - whether a file is a profiler's trace: by its name, as profilers give it, or by how its content begins. */
#ifndef TSCOPE_INGEST_TRACE_TRACE_SNIFF_H
#define TSCOPE_INGEST_TRACE_TRACE_SNIFF_H

#include "base/error.h"

#include <stdbool.h>

/* True for the names NAME.pt.trace.json, profiler_trace.json, trace.json and kineto.json, each also with .gz. */
bool ts_trace_named(const char *path);
/* Sets *ret to whether the file is one: by its name; or it is an object of which the first 64 KiB have traceEvents or what Kineto
 * writes before it, or an array of which they have an event's phase. What is no regular file is none. */
enum ts_status ts_trace_sniff(const char *path, bool *ret, struct ts_error *err);

#endif
