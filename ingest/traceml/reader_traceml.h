/* reader_traceml.h - TraceML's final_summary.json (schemas 1.4 to 1.7): a run without series, whose aggregates are facts.
 *
 * The file, or a folder that holds it. Everything stands under other.traceml as it is written: integers, floats (NaN and
 * infinite too), texts, null; keys that we do not know stay. A head has room for some 64 KiB: parts that are too long for it
 * (the rows of 64 ranks, texts) are kept as their JSON, as one text, at the same path under other.traceml_json. What the
 * compare needs is never among them. Where a key stands twice the last one counts, as in Python.
 */
#ifndef TSCOPE_INGEST_TRACEML_READER_TRACEML_H
#define TSCOPE_INGEST_TRACEML_READER_TRACEML_H

#include "ingest/core/reader.h"

extern const char ts_traceml_loses[];
int ts_traceml_sniff(const char *path);
enum ts_status ts_traceml_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
