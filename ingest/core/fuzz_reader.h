/* fuzz_reader.h - for fuzz targets of readers: a file of memory, and a reader over it whose objects go nowhere. */
#ifndef TSCOPE_INGEST_FUZZ_READER_H
#define TSCOPE_INGEST_FUZZ_READER_H

#include "ingest/ingest.h"

typedef enum ts_status fuzz_read_fn(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				    struct ts_ingest_result *ret_result, struct ts_error *err);

/* A sink. */
enum ts_status fuzz_drop(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err);
/* An empty file without a name on any disk; name is for people. Aborts where there is none. */
int fuzz_file(const char *name);
/* Aborts where it cannot. */
void fuzz_write(int fd, const void *data, size_t n);
/* Whatever read makes of it is right. */
void fuzz_read(int fd, fuzz_read_fn *read);

#endif
