/* tracking_key.h - names of metrics, params and tags as MLflow has them, and the files that are called after them.
 *
 * MLflow lets a key have letters and digits of any language, and _ - . : / and spaces. A file is called after the key with each slash
 * as "%2F", so that "loss" and "loss/train" can both be there; no key has a '%'. ingest/mlflow reads such names.
 */
#ifndef TSCOPE_WEB_MLFLOW_TRACKING_KEY_H
#define TSCOPE_WEB_MLFLOW_TRACKING_KEY_H

#include "base/arena.h"

enum { TS_TRACKING_KEY_MAX = 250, TS_TRACKING_FILE_MAX = 255 };

/* TS_INVALID with a text for whoever called MLflow; `what` is "metric", "param" or "tag". */
enum ts_status ts_tracking_key_check(struct ts_span key, const char *what, struct ts_error *err);
/* The name of the file of a key that holds, and back; NULL or no data when the arena is full. */
const char *ts_tracking_key_file(struct ts_span key, struct ts_arena *arena);
struct ts_span ts_tracking_key_of(const char *file, struct ts_arena *arena);

#endif
