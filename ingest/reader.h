/* reader.h - one reader a format, in one table. How to add one: a file reader_x.c with sniff and read, a row in reader.c,
 * real files under tests/golden, a fuzz target. */
#ifndef TSCOPE_INGEST_READER_H
#define TSCOPE_INGEST_READER_H

#include "ingest/ingest.h"

struct ts_reader {
	const char *name;  /* "pytscope run directory" */
	const char *loses; /* what of the source is not kept, for docs and push's first line; "" = nothing */
	/* 0 = not this format, else how sure; looks at names and first bytes only. */
	int (*sniff)(const char *path);
	/* The runs of one file that holds several, as options->part names them; NULL: a path is one run. */
	enum ts_status (*parts)(const char *path, struct ts_arena *arena, char ***ret_parts, size_t *ret_n, struct ts_error *err);
	bool nests; /* directories of further runs may lie below one */
	enum ts_status (*read)(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			       struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);
};

const struct ts_reader *ts_readers(size_t *ret_n);
/* The surest of them; NULL if none knows the path. */
const struct ts_reader *ts_reader_of(const char *path);

#endif
