/* housekeeping.h - a thread that, every few hours and while calls go on, frees the objects that no name reaches. */
#ifndef TSCOPE_SERVICE_HOUSEKEEPING_H
#define TSCOPE_SERVICE_HOUSEKEEPING_H

#include "store/engine.h"

struct ts_housekeeping;

/* Starts the thread. The first sweep comes after one interval; removed names are kept for keep_ns. The engine must outlive the
 * thread. */
enum ts_status ts_housekeeping_start(struct ts_engine *engine, int64_t interval_ns, int64_t keep_ns, struct ts_housekeeping **ret,
				     struct ts_error *err);
/* Ends the thread; a sweep that is running ends between two transactions. NULL is allowed. */
void ts_housekeeping_stop(struct ts_housekeeping *h);

#endif
