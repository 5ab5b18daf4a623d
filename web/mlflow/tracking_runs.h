/* tracking_runs.h - runs as MLflow's documents have them: one of them, its metrics, and searches. Threads: none of its own. */
#ifndef TSCOPE_WEB_MLFLOW_TRACKING_RUNS_H
#define TSCOPE_WEB_MLFLOW_TRACKING_RUNS_H

#include "base/json_writer.h"
#include "web/mlflow/spool.h"

/* The tags that are the door's own: the run's name in the store, and the beginning of those that say which data went in. */
#define TS_TRACKING_NAME_TAG "tscope.name"
#define TS_TRACKING_DATASET_TAG "mlflow.dataset."

/* "FINISHED" or "3"; false for what is none. */
bool ts_tracking_status_of(struct ts_span text, enum ts_spool_status *ret);

/* Writes {"info": ..., "data": ..., "inputs": ...}. */
enum ts_status ts_tracking_put_run(struct ts_spool *spool, const struct ts_spool_run *run, struct ts_json *j, struct ts_arena *arena,
				   struct ts_error *err);
/* Writes the object of info alone. */
void ts_tracking_put_info(const struct ts_spool_run *run, struct ts_json *j);
/* Writes the members of the answer to a search, "runs" and "next_page_token". */
enum ts_status ts_tracking_search(struct ts_spool *spool, const struct ts_tracking_body *body, struct ts_json *j,
				  struct ts_arena *arena, struct ts_error *err);
/* The experiments that a search means: without an order, and behind one, the newest first. */
enum ts_status ts_tracking_find_experiments(struct ts_spool *spool, const struct ts_tracking_body *body, struct ts_arena *arena,
					    struct ts_spool_experiment **ret, size_t *ret_n, struct ts_error *err);
/* Writes the members of the answer to get-history. */
enum ts_status ts_tracking_history(struct ts_spool *spool, const struct ts_spool_run *run, const struct ts_tracking_body *body,
				   struct ts_json *j, struct ts_arena *arena, struct ts_error *err);

/* What a page of a list of n begins and ends with; TS_INVALID for a token that is none of ours. */
enum ts_status ts_tracking_page(const struct ts_tracking_body *body, size_t n, size_t most, size_t *ret_from, size_t *ret_to,
				struct ts_error *err);
void ts_tracking_put_next(struct ts_json *j, size_t to, size_t n);

#endif
