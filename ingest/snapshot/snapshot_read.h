/* snapshot_read.h - reads a snapshot of an allocator's memory, a pickle of torch.cuda.memory, packed by gzip or not, into the tables of
 * run/snapshot.h. It executes nothing of the file (pickle.h).
 *
 *	ts_snapshot_read(&source, &arena, &snapshot, err)
 *
 * Reads the newer form (a dict of segments, device_traces, allocator_settings, external_annotations), that without the last two, and
 * the older one, a list of segments, whose blocks may have a history instead of frames. An event or a block that stands in two lists is
 * an error, so that the tables have no more rows than the file has dicts.
 *
 * A file that ends too early, or whose gzip is damaged, gives the segments that stand before, and the events of the devices whose lists
 * are whole. Levels are counted back from the end, so that of a list that is cut nothing can be said: its events are left out, and
 * counted. Without a whole segment it is an error.
 *
 * The tables lie in the arena. Errors name path and byte: TS_INVALID (no snapshot), TS_UNSUPPORTED (an opcode that is refused, another
 * protocol), TS_DAMAGED (it ends too early), TS_TOO_LARGE, TS_NO_MEMORY, TS_IO, TS_CANCELLED by the source's progress.
 * Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_SNAPSHOT_SNAPSHOT_READ_H
#define TSCOPE_INGEST_SNAPSHOT_SNAPSHOT_READ_H

#include "base/arena.h"
#include "ingest/core/source.h"
#include "run/snapshot.h"

enum ts_status ts_snapshot_read(const struct ts_source *source, struct ts_arena *arena, struct ts_snapshot *ret_snapshot,
				struct ts_error *err);

/* Whether a file has the name of a pickle: *.pickle, *.pkl, or one of these with .gz. */
bool ts_snapshot_named(const char *path);
/* Whether a path is a file that may be a snapshot: it begins as a pickle of protocol 2 to 5, or is packed by gzip and has the name of a
 * pickle. */
bool ts_snapshot_sniff(const char *path);
/* Reads the file at a path. */
enum ts_status ts_snapshot_load(const char *path, struct ts_arena *arena, struct ts_snapshot *ret_snapshot, struct ts_error *err);

#endif
