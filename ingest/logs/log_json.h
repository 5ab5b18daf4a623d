/* log_json.h - turns JSON objects into rows of a log_table.h; a member of a nested object is named "a/b".
 *
 * Numbers, true and false become cells. "NaN" and the infinities are numbers also as strings. null gives no cell, and a list
 * gives a notice (not_scalar).
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_JSON_H
#define TSCOPE_INGEST_LOGS_LOG_JSON_H

#include "base/json_reader.h"
#include "ingest/logs/log_table.h"

/* Reads the members of the object whose first token was just read, up to its end, as cells of the current row. file and line stand
 * in notices. */
enum ts_status ts_log_json_cells(struct ts_json_reader *r, struct ts_log_table *t, struct ts_span file, uint64_t line,
				 struct ts_error *err);

#endif
