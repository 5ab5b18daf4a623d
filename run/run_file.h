/* run_file.h - a file that a run kept whole, found by its rank and name. Threads: any. */
#ifndef TSCOPE_RUN_RUN_FILE_H
#define TSCOPE_RUN_RUN_FILE_H

#include "run/index.h"

/* What the run says of the file lies in the arena. TS_NOT_FOUND: the run with this head has no such rank or file. */
enum ts_status ts_run_file(ts_object_source *get, void *ctx, const struct ts_id *head, int32_t rank, struct ts_span name,
			   struct ts_arena *arena, struct ts_file *ret_file, struct ts_error *err);

/* The whole index of a rank, for those who look into a run by get alone. */
enum ts_status ts_run_index(ts_object_source *get, void *ctx, const struct ts_id *index, int32_t rank, struct ts_arena *arena,
			    struct ts_index *ret_index, struct ts_error *err);

#endif
