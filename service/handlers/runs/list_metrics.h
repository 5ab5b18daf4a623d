/* list_metrics.h - the metrics of runs that a list needs, read without opening a run.
 *
 *	ts_list_metrics_init(&m, call)
 *	ts_list_metrics_add(&m, path, err)		every metric of the request, before the first look-up
 *	ts_list_metrics_of(&m, path)			NULL: it was not added
 *	ts_list_metrics_find(&m, metric, &id, ...)
 *	ts_list_metrics_finish(&m)
 *
 * Runs are looked up one by one, or, if there may be many, a column is read whole once.
 * Threads: one at a time.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_LIST_METRICS_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_LIST_METRICS_H

#include "run/score.h"
#include "service/handlers/core/handler.h"

struct ts_list_metric;

struct ts_list_metrics {
	struct ts_call *call;
	bool many; /* all runs may be looked up, so that a column is read whole after a few */
	struct ts_arena arena;
	struct ts_list_metric *metrics;
	struct ts_list_series *series;
};

void ts_list_metrics_init(struct ts_list_metrics *m, struct ts_call *call);
void ts_list_metrics_finish(struct ts_list_metrics *m);

/* Adds "SERIES.STATISTIC": of the column of this name, or else of "scalars." and this name, or else of "train/" and it, as scripts for
 * W&B call a loss. path outlives m. */
enum ts_status ts_list_metrics_add(struct ts_list_metrics *m, struct ts_span path, struct ts_error *err);
/* path is the same memory that was added. */
const struct ts_list_metric *ts_list_metrics_of(const struct ts_list_metrics *m, struct ts_span path);

/* Fetches what will be looked up of these runs into the processor's cache, all at once: otherwise each look-up would wait for memory.
 * It changes no answer. */
void ts_list_metrics_expect(const struct ts_list_metrics *m, const struct ts_ref *refs, size_t n);

/* The value of a run. If *ret_known is false, *ret_scored says whether the run has its scores and thus has no such value. */
enum ts_status ts_list_metrics_find(struct ts_list_metrics *m, const struct ts_list_metric *metric, const struct ts_id *id,
				    bool *ret_known, struct ts_score_value *ret_value, bool *ret_scored, struct ts_error *err);

#endif
