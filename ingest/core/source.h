/* source.h - a file that a reader reads by offset, up to the size that it had when it was opened, and the progress that it tells.
 *
 * A file that grows is fine; a file that shrinks is TS_IO. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_CORE_SOURCE_H
#define TSCOPE_INGEST_CORE_SOURCE_H

#include "base/error.h"
#include "base/span.h"

#include <stdint.h>

struct ts_read_progress {
	bool (*tell)(void *ctx, uint64_t done, uint64_t total); /* reports progress; may be NULL */
	void *ctx;
	uint64_t done, total;
};

struct ts_source {
	int fd;			/* -1: the bytes are in memory */
	struct ts_span memory;
	uint64_t size;		/* size when it was opened */
	struct ts_span name;	      /* its name in notices, relative to the run */
	struct ts_span path;	      /* its name in errors */
	struct ts_read_progress *progress; /* may be NULL */
};

/* Reads n bytes that lie below the size. */
enum ts_status ts_source_read(const struct ts_source *source, void *to, size_t n, uint64_t offset, struct ts_error *err);
/* Counts n bytes as done, and tells it every few MiB. TS_CANCELLED: the caller wants to stop. */
enum ts_status ts_source_done(const struct ts_source *source, size_t n, struct ts_error *err);

#endif
