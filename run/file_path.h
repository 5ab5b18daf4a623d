/* file_path.h - the name in a run of a file that had a path: a name has one part (run/index.h), so that '/' and '%' are encoded in it.
 *
 * Files below artifacts/ alone have such names: "artifacts/model/MLmodel" is kept as "artifacts%2Fmodel%2FMLmodel".
 * Threads: any.
 */
#ifndef TSCOPE_RUN_FILE_PATH_H
#define TSCOPE_RUN_FILE_PATH_H

#include "base/arena.h"
#include "run/index_record.h"

enum { TS_FILE_NAME_BYTES = TS_FILE_NAME_MAX + 1 }; /* of a name, its NUL included */

/* The name of "model/MLmodel" below artifacts/; false: it would be longer than a name may be. */
bool ts_artifact_name(struct ts_span below, char ret_name[TS_FILE_NAME_BYTES]);
bool ts_is_artifact(struct ts_span name);
/* The path that people know, which no two names of a run share: of other files it is the name, as it is of a name below artifacts/ that
 * ts_artifact_name makes of no path. No data: the arena is full. */
struct ts_span ts_file_path(struct ts_span name, struct ts_arena *arena);

#endif
