/* fuzz_reader.h - for fuzz targets of readers: a reader over a path, whose objects go nowhere. */
#ifndef TSCOPE_INGEST_CORE_FUZZ_READER_H
#define TSCOPE_INGEST_CORE_FUZZ_READER_H

#include "ingest/core/reader.h"
#include "tests/fuzz/fuzz_files.h"

typedef enum ts_status fuzz_read_fn(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				    struct ts_ingest_result *ret_result, struct ts_error *err);

/* A sink. */
enum ts_status fuzz_drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err);
/* Whatever read makes of it is right. */
void fuzz_read(const char *path, fuzz_read_fn *read);

#endif
