/* log_lines.h - the lines of a text file, through a window.
 *
 *	ts_log_lines_open(&l, path, delimiter, err)	delimiter: of quoted fields, whose line ends end no record; 0: none are
 *	while (ts_log_lines_next(&l, &line, &end, err) == TS_OK && end == TS_LOG_LINE) ... l.number is its first line, from 1
 *	ts_log_lines_close(&l)
 *
 * Lines end in \n or \r\n; the last one may lack it (l.cut). A byte order mark at the beginning is passed over (l.bom). The file
 * is read up to the size it had when it was opened. Of a line of more than TS_LINE_MAX bytes nothing is given: TS_LOG_LINE_LONG,
 * and the next call goes on behind it; inside a quoted field that is how a quote shows that is never closed.
 * Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FORMATS_LOG_LINES_H
#define TSCOPE_INGEST_FORMATS_LOG_LINES_H

#include "base/buf.h"

enum ts_log_line_end {
	TS_LOG_LINE,
	TS_LOG_LINE_LONG,  /* one that is too long to be given; go on */
	TS_LOG_LINE_QUOTE, /* a quote that the file never closes: only the line that opens it is passed over; go on */
	TS_LOG_LINES_END,
};

struct ts_log_lines {
	int fd;
	char delimiter;
	uint64_t size, filled; /* of the file; how far the window reaches */
	struct ts_buf window;
	size_t used;
	uint64_t number, next_number;
	bool bom, cut;
};

enum ts_status ts_log_lines_open(struct ts_log_lines *l, const char *path, char delimiter, struct ts_error *err);
void ts_log_lines_close(struct ts_log_lines *l);
/* The line, without its end, is good until the next call. */
enum ts_status ts_log_lines_next(struct ts_log_lines *l, struct ts_span *ret_line, enum ts_log_line_end *ret_end,
				 struct ts_error *err);
/* Bytes of the file that lie behind. */
uint64_t ts_log_lines_at(const struct ts_log_lines *l);

#endif
