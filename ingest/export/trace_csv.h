/* trace_csv.h - writes a table of a trace (run/trace_sheet.h) as CSV: a line of names, then a line a row.
 *
 * What a row does not say is an empty cell; a text that is there and empty cannot be told from it. Threads: any.
 */
#ifndef TSCOPE_INGEST_EXPORT_TRACE_CSV_H
#define TSCOPE_INGEST_EXPORT_TRACE_CSV_H

#include "run/trace_sheet.h"

/* flags: of base/csv.h. */
enum ts_status ts_trace_csv(const struct ts_trace_sheet *sheet, unsigned flags, int fd, struct ts_error *err);

#endif
