#include "ingest/export/trace_csv.h"

#include "base/buf.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/number.h"

#include <math.h>

enum { FLUSH_AT = 256 << 10, OUT_MAX = 1 << 30 }; /* a row has a few texts, each within what a reader of traces allows */

static void put_cell(struct ts_buf *out, const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t row,
		     unsigned flags)
{
	char text[TS_DOUBLE_TEXT];
	int64_t whole;
	uint32_t code;
	double number;

	switch (column->type) {
	case TS_SHEET_INT:
		whole = ts_sheet_int(sheet, column, row);
		if (whole != TS_TRACE_NONE)
			ts_buf_printf(out, "%" PRId64, whole);
		break;
	case TS_SHEET_DOUBLE:
		number = ts_sheet_double(sheet, column, row);
		if (!isnan(number))
			ts_buf_span(out, ts_span_of(text, ts_print_double(number, text)));
		break;
	case TS_SHEET_TEXT:
		code = ts_sheet_code(sheet, column, row);
		if (code)
			ts_csv_cell(out, ts_sheet_text(sheet, column, code), flags);
		break;
	}
}

enum ts_status ts_trace_csv(const struct ts_trace_sheet *sheet, unsigned flags, int fd, struct ts_error *err)
{
	struct ts_buf out = TS_BUF_INIT(OUT_MAX);
	enum ts_status status = TS_OK;

	for (size_t c = 0; c < sheet->n_columns; c++) {
		ts_buf_str(&out, c ? "," : "");
		ts_buf_str(&out, sheet->columns[c].name);
	}
	ts_buf_char(&out, '\n');
	for (size_t row = 0; row < sheet->rows && !status; row++) {
		for (size_t c = 0; c < sheet->n_columns; c++) {
			if (c)
				ts_buf_char(&out, ',');
			put_cell(&out, sheet, &sheet->columns[c], row, flags);
		}
		ts_buf_char(&out, '\n');
		if (out.len < FLUSH_AT)
			continue;
		status = ts_buf_check(&out, err) || ts_write_full(fd, out.data, out.len, err) ? err->status : TS_OK;
		ts_buf_reset(&out);
	}
	if (!status && (ts_buf_check(&out, err) || ts_write_full(fd, out.data, out.len, err)))
		status = err->status;
	ts_buf_finish(&out);
	return status;
}
