/* record_write.h - a row back to a record of steps.jsonl. */
#ifndef TSCOPE_INGEST_EXPORT_RECORD_WRITE_H
#define TSCOPE_INGEST_EXPORT_RECORD_WRITE_H

#include "base/json_writer.h"
#include "ingest/export/run_view.h"

/* The members of the row in hand, nested by their names, into the object that is open in j. The columns that ingest made
 * itself (`segment`, and `step` of superseded rows; none of other kinds) are left out. A key `taken` (if not NULL) stands in the
 * object already: the record's own becomes "record.<taken>". */
void ts_record_write(const struct ts_rows *rows, const char *taken, struct ts_json *j);
/* Whether column i is one that ingest made. */
bool ts_column_is_own(const struct ts_rows *rows, size_t i);
/* The key of a column without nesting: its name, but `segment` for the record's own key of that name. */
struct ts_span ts_column_key(struct ts_span name);
void ts_value_write(const struct ts_rows *rows, size_t i, struct ts_json *j);

#endif
