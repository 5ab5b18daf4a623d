/* fuzz_reader.h - runs a reader over a path and drops its objects, for the fuzz targets of readers. */
#ifndef TSCOPE_INGEST_CORE_FUZZ_READER_H
#define TSCOPE_INGEST_CORE_FUZZ_READER_H

#include "ingest/core/reader.h"
#include "tests/fuzz/fuzz_files.h"

typedef enum ts_status fuzz_read_fn(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				    struct ts_ingest_result *ret_result, struct ts_error *err);

/* A ts_object_sink that drops every object. */
enum ts_status fuzz_drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err);
/* Calls read for the path and accepts every result. */
void fuzz_read(const char *path, fuzz_read_fn *read);

/* The same for a file of several runs: recognises it, lists its runs, and reads the first three and the whole. */
void fuzz_runs(const struct ts_reader *reader, const char *path);

#endif
