/* tracking_models.h - the models that a client logs beside a run (MLflow 3): what is known of each, and where its files go.
 *
 * A model belongs to the run that made it, and its files are artifacts of that run, below a folder of the model's name: so they are
 * files of the run in the store, and "runs:/RUN/NAME" is found, too. Its id has the run's in it. Threads: none of its own.
 */
#ifndef TSCOPE_WEB_MLFLOW_TRACKING_MODELS_H
#define TSCOPE_WEB_MLFLOW_TRACKING_MODELS_H

#include "base/json_writer.h"
#include "web/mlflow/spool.h"

/* Each writes the member "model" of the answer. The body of create has the run; TS_INVALID: it names none. */
enum ts_status ts_tracking_model_create(struct ts_spool *spool, const struct ts_tracking_body *body, int64_t now_ms, struct ts_json *j,
					struct ts_arena *arena, struct ts_error *err);
/* TS_NOT_FOUND: there is no such model here. */
enum ts_status ts_tracking_model_get(struct ts_spool *spool, struct ts_span id, struct ts_json *j, struct ts_arena *arena,
				     struct ts_error *err);
/* Gives it the status, the params and the tags of the body; a tag that it has gets the new value, and a param keeps the old one. */
enum ts_status ts_tracking_model_change(struct ts_spool *spool, struct ts_span id, const struct ts_tracking_body *body, int64_t now_ms,
					struct ts_json *j, struct ts_arena *arena, struct ts_error *err);

#endif
