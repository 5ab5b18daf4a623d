/* housekeeping.h - a thread that, every few hours and while calls go on, frees the objects that no name reaches, and counts anew what
 * projects use. */
#ifndef TSCOPE_SERVICE_HOUSEKEEPING_H
#define TSCOPE_SERVICE_HOUSEKEEPING_H

#include "store/engine.h"

struct ts_housekeeping;

/* Starts the thread. It counts a store that an older version did not count, and first sweeps after one interval; removed names are
 * kept for keep_ns. The engine must outlive the thread. */
enum ts_status ts_housekeeping_start(struct ts_engine *engine, int64_t interval_ns, int64_t keep_ns, struct ts_housekeeping **ret,
				     struct ts_error *err);
/* Ends the thread, after waiting for a sweep that is running. NULL is allowed. */
void ts_housekeeping_stop(struct ts_housekeeping *h);

#endif
