/* trace_sheet.h - a table of a trace as people take it away: each row stands alone, and numbers of names, threads and spans are what
 * they refer to.
 *
 *	ts_trace_sheet_open(&trace, ts_span_str("kernels"), &arena, &sheet, err)
 *	for each column: what its type says, of each row
 *
 * The sheets are events (all spans), operators, kernels (what devices worked on: copies and fills, too), frames (Python functions),
 * collectives, syncs, flows, allocations and counters. A row of those that are spans has `row`, which is its row in events, the columns
 * of the span, and then what only such a span says. Times are nanoseconds as the file has them. Not said are TS_TRACE_NONE, NaN, and
 * the code 0 of a text. Threads: a sheet does not change; any may read it while the trace stands.
 */
#ifndef TSCOPE_RUN_TRACE_SHEET_H
#define TSCOPE_RUN_TRACE_SHEET_H

#include "base/arena.h"
#include "run/trace_tables.h"

enum ts_sheet_type { TS_SHEET_INT, TS_SHEET_DOUBLE, TS_SHEET_TEXT };

/* Where a cell comes from. */
enum ts_sheet_from {
	TS_SHEET_OF_ROW,    /* a table whose rows are those of the sheet */
	TS_SHEET_OF_SPAN,   /* the span of the row */
	TS_SHEET_OF_DETAIL, /* what only some spans say */
	TS_SHEET_NUMBER,    /* the number of the span */
	TS_SHEET_PID,
	TS_SHEET_TID,
	TS_SHEET_PROCESS, /* its name */
	TS_SHEET_THREAD,
};

struct ts_sheet_column {
	const char *name;
	enum ts_sheet_type type;
	enum ts_sheet_from from;
	bool kind;		   /* a text that is a word of a kind */
	struct ts_trace_view view; /* of a cell that is a column of the trace; of a thread, of the column that says which */
};

enum { TS_SHEET_COLUMNS_MAX = 2 * TS_TRACE_VIEWS_MAX };

struct ts_trace_sheet {
	const struct ts_trace *trace;
	const char *name;
	size_t rows;
	const uint32_t *spans;	 /* of each row; NULL: the row itself, or none */
	const uint32_t *details; /* UINT32_MAX: there is none */
	struct ts_trace_part part, detail;
	struct ts_sheet_column columns[TS_SHEET_COLUMNS_MAX];
	size_t n_columns;
};

enum { TS_TRACE_SHEETS = 9 };
/* The name of the i-th sheet. */
const char *ts_trace_sheet_name(size_t i);

/* The lists of rows lie in the arena. TS_NOT_FOUND names the sheets that there are. */
enum ts_status ts_trace_sheet_open(const struct ts_trace *trace, struct ts_span name, struct ts_arena *arena,
				   struct ts_trace_sheet *ret_sheet, struct ts_error *err);
int64_t ts_sheet_int(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t row);
double ts_sheet_double(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t row);
/* A text as a number below ts_sheet_codes, and what that reads. */
uint32_t ts_sheet_code(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t row);
size_t ts_sheet_codes(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column);
struct ts_span ts_sheet_text(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, uint32_t code);

#endif
