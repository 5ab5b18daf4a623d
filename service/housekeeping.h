/* housekeeping.h - the thread that frees what no name reaches, every few hours, beside the calls. */
#ifndef TSCOPE_SERVICE_HOUSEKEEPING_H
#define TSCOPE_SERVICE_HOUSEKEEPING_H

#include "store/engine.h"

struct ts_housekeeping;

/* The first sweep comes after one interval. The engine must outlive it. */
enum ts_status ts_housekeeping_start(struct ts_engine *engine, int64_t interval_ns, struct ts_housekeeping **ret,
				     struct ts_error *err);
/* Waits for a sweep that runs. NULL is allowed. */
void ts_housekeeping_stop(struct ts_housekeeping *h);

#endif
