/* csv.h - writes a cell of CSV (RFC 4180).
 *
 * A program for tables runs a cell that begins with = + - or @ as a formula, which may fetch a page or run a command; texts come from
 * whoever pushed the run. With TS_CSV_NO_FORMULA such a text gets a ' before it, and one that holds another program's separator
 * gets quotes. A text that is a number as a whole (-0.5) stays as it is. Threads: safe.
 */
#ifndef TSCOPE_BASE_CSV_H
#define TSCOPE_BASE_CSV_H

#include "base/buf.h"

enum ts_csv_flag {
	TS_CSV_QUOTED = 1, /* in quotes, also where none are needed */
	TS_CSV_NO_FORMULA = 2,
};

/* Appends the text as a cell without a separator. An empty text is "". */
void ts_csv_cell(struct ts_buf *out, struct ts_span text, unsigned flags);

#endif
