/* log.h - the log on stderr: one structured line for each event. Only the programs (tscoped, cli main) log; libraries return
 * errors.
 *
 *	time=2026-11-20T11:27:00.123Z level=info event=call method=PutObjects status=ok ms=1.2
 *
 *	struct ts_log line;
 *	ts_log_begin(&line, TS_LOG_INFO, "call");
 *	ts_log_str(&line, "method", method);
 *	ts_log_end(&line);
 *
 * Values with spaces or quotes are quoted and escaped. A line is one write(2), so that lines of different threads do not
 * mix, and is cut at 2 KiB. Under systemd (if JOURNAL_STREAM is set) each line begins with its priority <N>.
 * Threads: safe.
 */
#ifndef TSCOPE_BASE_LOG_H
#define TSCOPE_BASE_LOG_H

#include "base/span.h"

enum ts_log_level { TS_LOG_ERROR = 3, TS_LOG_WARNING = 4, TS_LOG_INFO = 6, TS_LOG_DEBUG = 7 };

struct ts_log {
	char text[2048];
	size_t len;
	bool off; /* the level of the line is not logged */
	bool cut; /* the last value did not fit */
};

void ts_log_set_level(enum ts_log_level most);
void ts_log_begin(struct ts_log *line, enum ts_log_level level, const char *event);
void ts_log_str(struct ts_log *line, const char *key, const char *value);
void ts_log_span(struct ts_log *line, const char *key, struct ts_span value);
void ts_log_i64(struct ts_log *line, const char *key, int64_t value);
void ts_log_ms(struct ts_log *line, const char *key, int64_t ns); /* writes milliseconds with 3 decimals */
void ts_log_end(struct ts_log *line);

#endif
