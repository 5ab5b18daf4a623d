/* reader_csv.h - reads a file *.csv or *.tsv that is a table of steps, also that of Lightning's CSVLogger: metrics.csv beside
 * hparams.yaml.
 *
 * The first line that is not a comment names the columns; log_table.h says what they become. The file is read through a window,
 * twice or three times.
 */
#ifndef TSCOPE_INGEST_LOGS_READER_CSV_H
#define TSCOPE_INGEST_LOGS_READER_CSV_H

#include "ingest/core/reader.h"

extern const char ts_csv_loses[];
int ts_csv_sniff(const char *path);
enum ts_status ts_csv_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			   struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
