/* tracking_push.h - pushes the runs of a spool while they grow, and when they ended.
 *
 * A run is pushed again TS_TRACKING_PUSH_S seconds after its last push, if it changed meanwhile, and not before ten times as long as
 * that push took; one that failed is tried again after TS_TRACKING_AGAIN_S seconds. What is pushed is what the folder has by then.
 * Runs that ended, and of which the store has all, leave the spool after wanted->days; those that are deleted or have no name do not.
 * Threads: one of its own; one push at a time.
 */
#ifndef TSCOPE_WEB_MLFLOW_TRACKING_PUSH_H
#define TSCOPE_WEB_MLFLOW_TRACKING_PUSH_H

#include "web/mlflow/spool.h"
#include "web/mlflow/tracking.h"

enum { TS_TRACKING_PUSH_S = 2, TS_TRACKING_AGAIN_S = 15 };

struct ts_tracking_push;

/* The spool and what wanted points at outlive it. */
enum ts_status ts_tracking_push_start(struct ts_spool *spool, const struct ts_tracking_wanted *wanted, struct ts_tracking_push **ret,
				      struct ts_error *err);
/* Pushes what is left, for two seconds at most, and ends the thread. */
void ts_tracking_push_stop(struct ts_tracking_push *push);
/* Pushes one run, and waits for it. */
enum ts_status ts_tracking_push_now(struct ts_tracking_push *push, const char *id, struct ts_error *err);
/* Has the run pushed next. */
void ts_tracking_push_soon(struct ts_tracking_push *push, const char *id);

#endif
