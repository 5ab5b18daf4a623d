/* log_hparams.h - reads hyperparameters from a small YAML file, as Lightning and dvclive write it, into facts config.*.
 *
 * Plain values at its top level become config.<key>, redacted by their keys like all facts. Lists and mappings give a notice
 * (nested_config) and are not kept, since as text they could not be redacted.
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_HPARAMS_H
#define TSCOPE_INGEST_LOGS_LOG_HPARAMS_H

#include "base/json_writer.h"
#include "ingest/core/reader.h"

/* Writes the member "config" into the object that is open in j, or nothing if the file does not exist. name stands in notices. */
enum ts_status ts_log_hparams(const struct ts_ingest_options *options, const char *path, struct ts_span name, struct ts_json *j,
			      struct ts_notices *notices, struct ts_error *err);

#endif
