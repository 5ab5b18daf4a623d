/* tracking_body.h - what a call of MLflow's REST interface says: the fields of its JSON body, or of its query.
 *
 * One struct has the fields of all calls, as each has the same meaning wherever it comes. Fields that nobody here uses are passed over,
 * and so is null, which counts as not given. Numbers come as JSON numbers or, as protobuf writes large ones and those that are not
 * finite, as texts ("1700000000000", "NaN", "-Infinity").
 * Texts lie in the arena, with a NUL behind them. Threads: none of its own.
 */
#ifndef TSCOPE_WEB_MLFLOW_TRACKING_BODY_H
#define TSCOPE_WEB_MLFLOW_TRACKING_BODY_H

#include "base/arena.h"

/* MLflow's own limits of a call; the last one is ours. */
enum { TS_TRACKING_METRICS = 1000, TS_TRACKING_PAIRS = 1000, TS_TRACKING_DATASETS = 1000, TS_TRACKING_WORDS = 1000 };

#define TS_TRACKING_NO_TIME INT64_MIN

struct ts_tracking_metric {
	struct ts_span key;
	double value;
	int64_t time_ms, step;
};

struct ts_tracking_pair {
	struct ts_span key, value;
};

struct ts_tracking_dataset {
	struct ts_span name, digest, source_type, source, context;
};

/* A text with data == NULL was not given, and so was a number that is TS_TRACKING_NO_TIME. */
struct ts_tracking_body {
	struct ts_span run_id, experiment_id, name, run_name, user_id, status, key, text, filter, page_token, metric_key, view, path;
	struct ts_span type;
	double number;
	bool has_number;
	int64_t start_ms, end_ms, time_ms, step, max_results;
	struct ts_tracking_metric *metrics;
	struct ts_tracking_pair *params, *tags;
	struct ts_tracking_dataset *datasets;
	struct ts_span *experiment_ids, *order_by;
	size_t n_metrics, n_params, n_tags, n_datasets, n_experiment_ids, n_order_by;
};

/* An empty text says nothing. TS_INVALID for what is no object of such fields; TS_TOO_LARGE for more items than MLflow sends. */
enum ts_status ts_tracking_body_read(struct ts_span json, struct ts_arena *arena, struct ts_tracking_body *ret, struct ts_error *err);
/* The same of "run_id=X&max_results=5". */
enum ts_status ts_tracking_query_read(struct ts_span query, struct ts_arena *arena, struct ts_tracking_body *ret, struct ts_error *err);

#endif
