/* log_hparams.h - the hyperparameters in a small YAML file, as Lightning and dvclive write it, as facts config.*.
 *
 * Plain values at its top become config.<key>, redacted by their keys like all facts; lists and mappings are told
 * (nested_config), not kept: as text they could not be redacted.
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_HPARAMS_H
#define TSCOPE_INGEST_LOGS_LOG_HPARAMS_H

#include "base/json_writer.h"
#include "ingest/core/notice.h"

/* Writes the member "config" of the object that is open; nothing if the file is not there. name: for notices. */
enum ts_status ts_log_hparams(const char *path, struct ts_span name, struct ts_json *j, struct ts_notices *notices,
			      struct ts_error *err);

#endif
