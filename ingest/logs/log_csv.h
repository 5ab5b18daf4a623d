/* log_csv.h - splits one line of delimiter-separated values into fields.
 *
 * A field that begins with a quote ends at the next single quote; "" inside it stands for one quote (RFC 4180). A quote
 * elsewhere is an ordinary character.
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_CSV_H
#define TSCOPE_INGEST_LOGS_LOG_CSV_H

#include "base/buf.h"

enum { TS_LOG_CSV_FIELDS = 65536 };

struct ts_log_csv {
	struct ts_span *fields; /* valid until the next call, and as long as the line is */
	bool *quoted; /* whether the field was */
	size_t n, cap;
	struct ts_buf unquoted;
};

/* Splits line into at most TS_LOG_CSV_FIELDS fields; further ones are left out. */
enum ts_status ts_log_csv_split(struct ts_log_csv *c, struct ts_span line, char delimiter, struct ts_error *err);
void ts_log_csv_finish(struct ts_log_csv *c);
/* The delimiter of this header line: ',', or if it has none, ';' or a tab. */
char ts_log_csv_delimiter(struct ts_span header);

#endif
