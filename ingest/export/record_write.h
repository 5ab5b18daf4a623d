/* record_write.h - writes a row as a record of steps.jsonl again. */
#ifndef TSCOPE_INGEST_EXPORT_RECORD_WRITE_H
#define TSCOPE_INGEST_EXPORT_RECORD_WRITE_H

#include "base/json_writer.h"
#include "ingest/export/run_view.h"

/* Writes the members of the current row, nested by their names, into the object that is open in j. The columns that ingest itself
 * made (`segment`, and `step` of superseded rows; no others) are left out. If taken is not NULL, the object has a key of that name
 * already, and the record's own key of that name becomes "record.<taken>". */
void ts_record_write(const struct ts_rows *rows, const char *taken, struct ts_json *j);
/* Whether ingest itself made column i. */
bool ts_column_is_own(const struct ts_rows *rows, size_t i);
/* The key of a column, not nested: its name, except that the record's own key `segment` gets that name back. */
struct ts_span ts_column_key(struct ts_span name);
void ts_value_write(const struct ts_rows *rows, size_t i, struct ts_json *j);

#endif
