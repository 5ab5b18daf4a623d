/* trace_about.h - the members of a trace beside its events: what it says of itself. Threads: one at a time. */
#ifndef TSCOPE_INGEST_TRACE_TRACE_ABOUT_H
#define TSCOPE_INGEST_TRACE_TRACE_ABOUT_H

#include "base/arena.h"
#include "ingest/core/notice.h"
#include "run/trace.h"

enum { TS_TRACE_SAID_MAX = 256, TS_TRACE_SAID_BYTES = 1 << 20, TS_TRACE_DEVICES_MAX = 1024 };

void ts_trace_about_init(struct ts_trace_about *about);
/* Takes one member: its key as it stands between quotes, and its value as JSON. If it comes twice, the last one counts. What is no
 * valid JSON or has more than TS_TRACE_SAID_BYTES is a notice. `at` is its byte. */
enum ts_status ts_trace_about_take(struct ts_trace_about *about, struct ts_span key, struct ts_span json, uint64_t at,
				   struct ts_arena *arena, struct ts_notices *notices, struct ts_span file, struct ts_error *err);

#endif
