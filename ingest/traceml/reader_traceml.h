/* reader_traceml.h - reads TraceML's final_summary.json (schemas 1.4 to 1.7) as a run without series, whose aggregates are facts.
 *
 * The path is the file or a folder that holds it. Everything is kept as written under other.traceml: integers, floats (also NaN and
 * infinities), texts, null, and keys that tscope does not know. A head has room for some 64 KiB. Parts that are too long for it
 * (the rows of 64 ranks, texts) are kept as their JSON in one text, at the same path under other.traceml_json. The values that
 * TraceML's compare needs are never among them. If a key occurs twice the last one counts, as in Python.
 */
#ifndef TSCOPE_INGEST_TRACEML_READER_TRACEML_H
#define TSCOPE_INGEST_TRACEML_READER_TRACEML_H

#include "ingest/core/reader.h"

extern const char ts_traceml_loses[];
int ts_traceml_sniff(const char *path);
enum ts_status ts_traceml_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
