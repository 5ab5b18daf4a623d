/* run_index.h - the whole index of a rank or of a file's columns, by a source of objects. Threads: any. */
#ifndef TSCOPE_RUN_RUN_INDEX_H
#define TSCOPE_RUN_RUN_INDEX_H

#include "run/index.h"

/* Reads the chain of objects that begins with `index`. What is given back lies in the arena. */
enum ts_status ts_run_index(ts_object_source *get, void *ctx, const struct ts_id *index, int32_t rank, struct ts_arena *arena,
			    struct ts_index *ret_index, struct ts_error *err);

#endif
