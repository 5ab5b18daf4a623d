/* snapshot_columns.h - the columns of a memory snapshot as objects: an index of its own, to which the entry of the kept file refers.
 *
 * What is stored depends on the snapshot alone (docs/format.md, "Columns of a snapshot"). What is loaded is as the reader of files
 * makes it: every number of a text, a frame, a stack or a row is one that is there, whoever stored it. Threads: one at a time.
 */
#ifndef TSCOPE_RUN_SNAPSHOT_COLUMNS_H
#define TSCOPE_RUN_SNAPSHOT_COLUMNS_H

#include "run/index.h"
#include "run/snapshot.h"

/* The sink gets whole objects; *ret_index is the id of the columns. */
enum ts_status ts_snapshot_columns_write(const struct ts_snapshot *snapshot, ts_object_sink *sink, void *ctx, struct ts_id *ret_index,
					 struct ts_error *err);
/* The tables lie in the arena. TS_DAMAGED where the objects are not what is written, TS_NOT_FOUND as get. */
enum ts_status ts_snapshot_columns_load(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
					struct ts_snapshot *ret_snapshot, struct ts_error *err);
/* How many events and blocks there are, by the index alone: replaying them takes time and memory in proportion. The arena is for
 * work. */
enum ts_status ts_snapshot_columns_rows(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
					uint64_t *ret_rows, struct ts_error *err);

#endif
