/* tracking_filter.h - which runs or experiments a search means, and in which order: MLflow's language of filters.
 *
 *	metrics.loss < 1 and params."lr" = '0.1' and tags.`my.tag` LIKE 'a%' and attributes.status IN ('FINISHED', 'FAILED')
 *	ORDER: metrics.loss DESC, start_time
 *
 * A condition on something that a run does not have does not hold, whatever it compares; with IS NULL it holds.
 * Threads: none of its own.
 */
#ifndef TSCOPE_WEB_MLFLOW_TRACKING_FILTER_H
#define TSCOPE_WEB_MLFLOW_TRACKING_FILTER_H

#include "web/mlflow/spool.h"

enum { TS_TRACKING_CONDITIONS = 64 };

/* All that is known of a run. */
struct ts_tracking_view {
	struct ts_spool_run run;
	struct ts_tracking_metric *metrics;
	struct ts_tracking_pair *params, *tags;
	size_t n_metrics, n_params, n_tags;
};

enum ts_tracking_entity { TS_TRACKING_ATTRIBUTE, TS_TRACKING_METRIC, TS_TRACKING_PARAM, TS_TRACKING_TAG };
enum ts_tracking_op {
	TS_TRACKING_EQ,
	TS_TRACKING_NE,
	TS_TRACKING_LT,
	TS_TRACKING_LE,
	TS_TRACKING_GT,
	TS_TRACKING_GE,
	TS_TRACKING_LIKE,
	TS_TRACKING_ILIKE,
	TS_TRACKING_IN,
	TS_TRACKING_NOT_IN,
	TS_TRACKING_NULL,
	TS_TRACKING_NOT_NULL,
};

struct ts_tracking_condition {
	enum ts_tracking_entity entity;
	struct ts_span key;
	enum ts_tracking_op op;
	struct ts_span *texts; /* one, or those of IN */
	size_t n_texts;
};

struct ts_tracking_filter {
	struct ts_tracking_condition *conditions;
	size_t n;
};

struct ts_tracking_order {
	enum ts_tracking_entity entity;
	struct ts_span key;
	bool down;
};

/* What is searched: each has attributes of its own. A view of an experiment has its name, its id and when it was made as those of a
 * run. */
enum ts_tracking_subject { TS_TRACKING_RUNS, TS_TRACKING_EXPERIMENTS };

/* Texts point into the filter or lie in the arena. TS_INVALID, with what was expected. */
enum ts_status ts_tracking_filter_read(struct ts_span text, enum ts_tracking_subject subject, struct ts_arena *arena,
				       struct ts_tracking_filter *ret, struct ts_error *err);
bool ts_tracking_filter_holds(const struct ts_tracking_filter *filter, const struct ts_tracking_view *view);
enum ts_status ts_tracking_order_read(struct ts_span text, enum ts_tracking_subject subject, struct ts_tracking_order *ret,
				      struct ts_error *err);
/* Below 0, 0 or above 0; a run without the value stands behind all that have it. */
int ts_tracking_order_cmp(const struct ts_tracking_order *order, const struct ts_tracking_view *a, const struct ts_tracking_view *b);

#endif
