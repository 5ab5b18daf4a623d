/* reader_export.h - reads what `tscope export` wrote as CSV or as JSON Lines: the same columns, ranks and values.
 *
 * The rows of each rank are written to an unnamed file as records of steps.jsonl and read by steps.h, so that a column gets the name
 * and the type that it had. A table is taken for an export if it begins with the columns rank and step and a later one has a group
 * ("scalars.loss"), a file of JSON Lines if its first record begins with rank and step and has such a group. Facts, superseded rows
 * and kept files are not in these files.
 */
#ifndef TSCOPE_INGEST_EXPORT_READER_EXPORT_H
#define TSCOPE_INGEST_EXPORT_READER_EXPORT_H

#include "ingest/core/reader.h"

extern const char ts_export_loses[];

int ts_export_sniff(const char *path);
enum ts_status ts_export_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
