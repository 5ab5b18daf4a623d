/* sqlite_none.h - knows SQLite databases of tools by their text and refuses them, for a build without libsqlite3. */
#ifndef TSCOPE_INGEST_CORE_SQLITE_NONE_H
#define TSCOPE_INGEST_CORE_SQLITE_NONE_H

#include "ingest/core/reader.h"

/* Whether the path is an SQLite database that has all of these words in its first bytes, `seen` at most: `sure` if so, else 0, or
 * TS_SNIFF_NO_MEMORY. words end with a NULL. */
int ts_sqlite_none_sniff(const char *path, const char *const *words, size_t seen, int sure);
/* TS_UNSUPPORTED, with the name of the tool whose database it is. */
enum ts_status ts_sqlite_none_refuse(const char *path, const char *tool, struct ts_error *err);

#endif
