/* trace_foreign.h - what a file of another profiler is, which is not read, and what to record or to do instead: by its first bytes, and
 * where these say nothing by the end of its name. Threads: any. */
#ifndef TSCOPE_INGEST_TRACE_TRACE_FOREIGN_H
#define TSCOPE_INGEST_TRACE_TRACE_FOREIGN_H

#include "base/error.h"

/* One sentence, "an execution trace of PyTorch (Chakra), which ...: record ..."; NULL: it is none of those that are known, or no file
 * that can be read. Fails for lack of memory alone. */
enum ts_status ts_trace_foreign(const char *path, const char **ret_what, struct ts_error *err);

#endif
