/* log_csv.h - one line of delimiter-separated values, taken apart.
 *
 * A field that begins with a quote ends at the next single one; "" inside stands for a quote (RFC 4180). A quote elsewhere is a
 * character like others.
 */
#ifndef TSCOPE_INGEST_LOGS_LOG_CSV_H
#define TSCOPE_INGEST_LOGS_LOG_CSV_H

#include "base/buf.h"

enum { TS_LOG_CSV_FIELDS = 65536 };

struct ts_log_csv {
	struct ts_span *fields; /* good until the next call, or the line is gone */
	size_t n, cap;
	struct ts_buf unquoted;
};

/* At most TS_LOG_CSV_FIELDS; what lies behind is not given. */
enum ts_status ts_log_csv_split(struct ts_log_csv *c, struct ts_span line, char delimiter, struct ts_error *err);
void ts_log_csv_finish(struct ts_log_csv *c);
/* What parts the fields of this header: ',', or where it has none ';' or a tab. */
char ts_log_csv_delimiter(struct ts_span header);

#endif
