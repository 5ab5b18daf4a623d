/* rank_name.h - the rank that the name of a file or folder has. Threads: any. */
#ifndef TSCOPE_RUN_RANK_NAME_H
#define TSCOPE_RUN_RANK_NAME_H

#include "base/span.h"

/* The rank in "rank0_snapshot.pickle", "snapshot_rank_3.pickle", "rank-12"; TS_TRACE_NONE (run/trace.h): it has none, or two, or one
 * that is local to its host. */
int64_t ts_rank_in_name(struct ts_span name);

#endif
