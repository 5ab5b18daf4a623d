/* sink_count.h - a sink that counts what passes through it, and how many columns a reader may give to it. */
#ifndef TSCOPE_INGEST_CORE_SINK_COUNT_H
#define TSCOPE_INGEST_CORE_SINK_COUNT_H

#include "base/limits.h"
#include "run/index.h"

/* The columns that a reader may make. Three of the builder's columns are reserved: `segment`, and `step` in two types. */
enum { TS_INGEST_COLUMNS_MAX = TS_COLUMNS_MAX - 3 };

/* Counts what is given to a sink: ts_count_sink passes each object on to sink and counts it. */
struct ts_sink_count {
	ts_object_sink *sink;
	void *ctx;
	uint64_t objects, bytes;
};

enum ts_status ts_count_sink(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err);

#endif
