/* log_json.h - JSON objects as rows of a log_table.h: members of members are named "a/b".
 *
 * Numbers, true and false are cells; "NaN" and the infinities are numbers also as strings; null is no cell; lists are
 * told (not_scalar).
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_JSON_H
#define TSCOPE_INGEST_LOGS_LOG_JSON_H

#include "base/json_reader.h"
#include "ingest/logs/log_table.h"

/* The members of the object whose first token was just read, up to its end, as cells of the row that was begun. file,
 * line: for notices. */
enum ts_status ts_log_json_cells(struct ts_json_reader *r, struct ts_log_table *t, struct ts_span file, uint64_t line,
				 struct ts_error *err);

#endif
