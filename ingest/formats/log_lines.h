/* log_lines.h - reads the lines of a text file through a window.
 *
 *	ts_log_lines_open(&l, top, path, delimiter, err)	top: base/below.h; delimiter: of fields that may be quoted, with line
 *							ends inside; 0: none; '\r': a return ends a piece of its line, as
 *							progress bars write them
 *	while (ts_log_lines_next(&l, &line, &end, err) == TS_OK && end == TS_LOG_LINE) ... l.number is its first line, from 1
 *	ts_log_lines_close(&l)
 *
 * Lines end in \n or \r\n; the last line may lack it (l.cut). A byte order mark at the beginning is skipped (l.bom). UTF-16 of either
 * byte order, as redirections of PowerShell write it, comes as UTF-8 (l.wide); half a pair becomes U+FFFD. It is known by its mark, or
 * by its first eight characters, if all are ASCII. The file is read up to the size it had when it was opened. A line of more than
 * TS_LINE_MAX bytes is not returned: the result is TS_LOG_LINE_LONG, and the next call goes on after it. Inside a quoted field such a
 * length shows that the quote is never closed. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FORMATS_LOG_LINES_H
#define TSCOPE_INGEST_FORMATS_LOG_LINES_H

#include "base/buf.h"

enum ts_log_wide { TS_LOG_NARROW, TS_LOG_WIDE_LITTLE, TS_LOG_WIDE_BIG };

enum ts_log_line_end {
	TS_LOG_LINE,
	TS_LOG_LINE_LONG,  /* a line was too long and is skipped; call again */
	TS_LOG_LINE_QUOTE, /* the file never closes a quote: only the line that opens it is skipped; call again */
	TS_LOG_LINES_END,
};

struct ts_log_lines {
	int fd;
	char delimiter;
	uint64_t size, filled; /* size of the file; where in the file the window ends */
	struct ts_buf window;
	size_t used;
	uint64_t number, next_number;
	bool bom, cut;
	enum ts_log_wide wide; /* the byte order of UTF-16 */
	uint64_t made;	       /* bytes of UTF-8 that were made of it */
};

enum ts_status ts_log_lines_open(struct ts_log_lines *l, const char *top, const char *path, char delimiter, struct ts_error *err);
void ts_log_lines_close(struct ts_log_lines *l);
/* Reads the next line. *ret_line excludes the line end and is valid until the next call. */
enum ts_status ts_log_lines_next(struct ts_log_lines *l, struct ts_span *ret_line, enum ts_log_line_end *ret_end,
				 struct ts_error *err);
/* How many bytes of the file have been read so far; of UTF-16 about so many. */
uint64_t ts_log_lines_at(const struct ts_log_lines *l);

#endif
