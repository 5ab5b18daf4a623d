/* offline.h - the files of a run that a tracker kept offline: members of a zip archive, or files of a folder. */
#ifndef TSCOPE_INGEST_TRACKERS_OFFLINE_H
#define TSCOPE_INGEST_TRACKERS_OFFLINE_H

#include "base/arena.h"
#include "base/buf.h"

enum { TS_OFFLINE_MAX = 256 << 20 }; /* the largest file of a run, which is read whole */

/* Whether path has both files. An archive is known by its ending, ".zip". Fails with TS_NO_MEMORY only. */
enum ts_status ts_offline_has(const char *path, const char *first, const char *second, bool *ret_has, struct ts_error *err);
/* Appends a file to out. */
enum ts_status ts_offline_read(const char *top, const char *path, const char *name, struct ts_arena *arena, struct ts_buf *out,
			       struct ts_error *err);

#endif
