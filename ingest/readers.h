/* readers.h - the table of readers, one per format. A new reader needs a folder with reader_x.c that has sniff and read, a row in
 * readers.c, real files under tests/golden, and a fuzz target. */
#ifndef TSCOPE_INGEST_READERS_H
#define TSCOPE_INGEST_READERS_H

#include "ingest/core/reader.h"

const struct ts_reader *ts_readers(size_t *ret_n);
/* The reader that is most certain about the path; NULL if none recognises it. Fails with TS_NO_MEMORY only. */
enum ts_status ts_reader_of(const char *path, const struct ts_reader **ret_reader, struct ts_error *err);

/* The reader of text logs, for a file whose lines the caller describes. */
const struct ts_reader *ts_reader_of_text(void);
/* The reader of a table by its file's ending alone, for a file whose names the caller maps; NULL if it is none. */
const struct ts_reader *ts_reader_of_table(const char *path);

#endif
