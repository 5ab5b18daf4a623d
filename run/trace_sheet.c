#include "run/trace_sheet.h"

#include "base/door.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Which spans a sheet has: those of some kinds, or those of which the table of details has a row. */
static const struct sheet_of {
	const char *name;
	uint8_t first, last; /* kinds; last 0: none */
	enum ts_table_kind table, detail;
} sheets[TS_TRACE_SHEETS] = {
	{"events", TS_TRACE_OTHER, TS_TRACE_KINDS - 1, TS_TABLE_SPANS, 0},
	{"operators", TS_TRACE_OPERATOR, TS_TRACE_OPERATOR, TS_TABLE_SPANS, TS_TABLE_OPERATORS},
	{"kernels", TS_TRACE_KERNEL, TS_TRACE_FILL, TS_TABLE_SPANS, TS_TABLE_KERNELS},
	{"frames", TS_TRACE_PYTHON, TS_TRACE_PYTHON, TS_TABLE_SPANS, TS_TABLE_FRAMES},
	{"collectives", 0, 0, TS_TABLE_SPANS, TS_TABLE_COLLECTIVES},
	{"syncs", 0, 0, TS_TABLE_SPANS, TS_TABLE_SYNCS},
	{"flows", 0, 0, TS_TABLE_FLOWS, 0},
	{"allocations", 0, 0, TS_TABLE_ALLOCATIONS, 0},
	{"counters", 0, 0, TS_TABLE_COUNTERS, 0},
};

/* By enum ts_trace_kind, plus 1: 0 is "not said". */
static const char *const kind_words[] = {"",	     "other",	   "operator", "python",	    "annotation", "runtime",
					 "overhead", "window",	   "sync",     "device_annotation", "kernel",	  "copy",
					 "fill"};
_Static_assert(sizeof kind_words / sizeof kind_words[0] == TS_TRACE_KINDS + 1, "each kind has a word");

const char *ts_trace_sheet_name(size_t i)
{
	return sheets[i].name;
}

static enum ts_sheet_type type_of(enum ts_trace_cell cell)
{
	if (cell == TS_CELL_double)
		return TS_SHEET_DOUBLE;
	return cell == TS_CELL_ts_trace_name_no ? TS_SHEET_TEXT : TS_SHEET_INT;
}

static void add(struct ts_trace_sheet *sheet, struct ts_sheet_column column)
{
	TS_DOOR(sheet->n_columns < TS_SHEET_COLUMNS_MAX);
	sheet->columns[sheet->n_columns++] = column;
}

static void add_thread(struct ts_trace_sheet *sheet, const struct ts_trace_view *view)
{
	static const struct {
		const char *name;
		enum ts_sheet_type type;
		enum ts_sheet_from from;
	} said[] = {{"pid", TS_SHEET_INT, TS_SHEET_PID},
		    {"tid", TS_SHEET_INT, TS_SHEET_TID},
		    {"process", TS_SHEET_TEXT, TS_SHEET_PROCESS},
		    {"thread", TS_SHEET_TEXT, TS_SHEET_THREAD}};

	for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
		add(sheet, (struct ts_sheet_column){said[i].name, said[i].type, said[i].from, false, *view});
}

static bool has(const struct ts_trace_sheet *sheet, const char *name)
{
	for (size_t i = 0; i < sheet->n_columns; i++)
		if (strcmp(sheet->columns[i].name, name) == 0)
			return true;
	return false;
}

static void add_part(struct ts_trace_sheet *sheet, const struct ts_trace_part *part, enum ts_sheet_from from)
{
	for (size_t i = 0; i < part->n_views; i++) {
		const struct ts_trace_view *view = &part->views[i];
		bool kind = strcmp(view->name, "kind") == 0;

		/* `name` of the details of a kernel is said by calls, which are none. */
		if (view->cell == TS_CELL_ts_trace_span_no || has(sheet, view->name))
			continue;
		if (view->cell == TS_CELL_ts_trace_thread_no)
			add_thread(sheet, view);
		else
			add(sheet, (struct ts_sheet_column){view->name, kind ? TS_SHEET_TEXT : type_of(view->cell), from,
							    kind, *view});
	}
}

static const uint32_t *spans_of_detail(const struct ts_trace_part *detail)
{
	return ts_trace_view_cells(&detail->views[0]);
}

/* One pass over spans and details, which have the same order. */
static enum ts_status find_rows(struct ts_trace_sheet *sheet, const struct sheet_of *of, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_spans *spans = &sheet->trace->rows.spans;
	const uint32_t *told = of->detail ? spans_of_detail(&sheet->detail) : NULL;
	size_t n_told = of->detail ? *sheet->detail.n : 0, d = 0, rows = 0;
	uint32_t *rows_of, *details;

	for (size_t i = 0; i < spans->n; i++)
		rows += of->last && spans->kind[i] >= of->first && spans->kind[i] <= of->last;
	rows = of->last ? rows : n_told;
	rows_of = ts_arena_alloc(arena, rows * sizeof *rows_of);
	details = ts_arena_alloc(arena, rows * sizeof *details);
	if (!rows_of || !details)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < spans->n && sheet->rows < rows; i++) {
		bool of_kind = of->last && spans->kind[i] >= of->first && spans->kind[i] <= of->last, is_told;

		while (d < n_told && told[d] < i)
			d++;
		is_told = d < n_told && told[d] == i;
		if (of->last ? !of_kind : !is_told)
			continue;
		rows_of[sheet->rows] = (uint32_t)i;
		details[sheet->rows++] = is_told ? (uint32_t)d : UINT32_MAX;
	}
	sheet->spans = rows_of;
	sheet->details = details;
	return TS_OK;
}

static void find_parts(struct ts_trace_sheet *sheet, const struct sheet_of *of)
{
	struct ts_trace_rows *rows = (struct ts_trace_rows *)(uintptr_t)&sheet->trace->rows; /* the parts change nothing */
	struct ts_trace_part parts[TS_TRACE_PARTS];
	size_t n = ts_trace_row_parts(rows, parts);

	for (size_t i = 0; i < n; i++) {
		if (parts[i].kind == of->table)
			sheet->part = parts[i];
		if (of->detail && parts[i].kind == of->detail)
			sheet->detail = parts[i];
	}
}

static enum ts_status not_found(struct ts_span name, struct ts_error *err)
{
	char names[128];
	size_t at = 0;

	for (size_t i = 0; i < TS_TRACE_SHEETS; i++)
		at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", sheets[i].name);
	return ts_error_set(err, TS_NOT_FOUND, "a trace has no table %.*s; it has %s", (int)(name.len < 64 ? name.len : 64),
			    (const char *)name.data, names);
}

enum ts_status ts_trace_sheet_open(const struct ts_trace *trace, struct ts_span name, struct ts_arena *arena,
				   struct ts_trace_sheet *ret_sheet, struct ts_error *err)
{
	struct ts_trace_sheet sheet = {.trace = trace};
	const struct sheet_of *of = NULL;

	TS_DOOR(ts_trace_holds(trace));
	for (size_t i = 0; i < TS_TRACE_SHEETS; i++)
		if (ts_span_is(name, sheets[i].name))
			of = &sheets[i];
	if (!of)
		return not_found(name, err);
	sheet.name = of->name;
	find_parts(&sheet, of);
	if (of->table != TS_TABLE_SPANS) {
		sheet.rows = *sheet.part.n;
		add_part(&sheet, &sheet.part, TS_SHEET_OF_ROW);
	} else {
		add(&sheet, (struct ts_sheet_column){.name = "row", .type = TS_SHEET_INT, .from = TS_SHEET_NUMBER});
		add_part(&sheet, &sheet.part, TS_SHEET_OF_SPAN);
		if (of->detail)
			add_part(&sheet, &sheet.detail, TS_SHEET_OF_DETAIL);
		if (find_rows(&sheet, of, arena, err))
			return err->status;
	}
	*ret_sheet = sheet;
	return TS_OK;
}

/* The row of the column's table; SIZE_MAX: there is none. */
static size_t place(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t row)
{
	TS_DOOR(row < sheet->rows);
	if (column->from == TS_SHEET_OF_DETAIL)
		return sheet->details[row] == UINT32_MAX ? SIZE_MAX : sheet->details[row];
	return sheet->spans ? sheet->spans[row] : row;
}

static const struct ts_trace_thread *thread_of(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t at)
{
	return &sheet->trace->threads[((const ts_trace_thread_no *)ts_trace_view_cells(&column->view))[at]];
}

int64_t ts_sheet_int(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t row)
{
	size_t at = place(sheet, column, row);
	const void *cells;
	int32_t narrow;

	if (at == SIZE_MAX)
		return TS_TRACE_NONE;
	if (column->from == TS_SHEET_NUMBER)
		return (int64_t)at;
	if (column->from == TS_SHEET_PID)
		return thread_of(sheet, column, at)->pid;
	if (column->from == TS_SHEET_TID)
		return thread_of(sheet, column, at)->tid;
	cells = ts_trace_view_cells(&column->view);
	if (column->view.cell == TS_CELL_int64_t)
		return ((const int64_t *)cells)[at];
	if (column->view.cell == TS_CELL_uint8_t)
		return ((const uint8_t *)cells)[at];
	narrow = ((const int32_t *)cells)[at];
	return narrow == TS_TRACE_NO_DEVICE ? TS_TRACE_NONE : narrow;
}

double ts_sheet_double(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t row)
{
	size_t at = place(sheet, column, row);

	return at == SIZE_MAX ? (double)NAN : ((const double *)ts_trace_view_cells(&column->view))[at];
}

uint32_t ts_sheet_code(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, size_t row)
{
	size_t at = place(sheet, column, row);
	const struct ts_trace_thread *thread;
	const void *cells;

	if (at == SIZE_MAX)
		return 0;
	cells = ts_trace_view_cells(&column->view);
	if (column->kind)
		return ((const uint8_t *)cells)[at] + 1U;
	if (column->from == TS_SHEET_PROCESS || column->from == TS_SHEET_THREAD) {
		thread = thread_of(sheet, column, at);
		if (column->from == TS_SHEET_PROCESS)
			return thread->process ? thread->process : thread->pid_text;
		return thread->thread ? thread->thread : thread->tid_text;
	}
	return ((const ts_trace_name_no *)cells)[at];
}

size_t ts_sheet_codes(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column)
{
	return column->kind ? sizeof kind_words / sizeof kind_words[0] : sheet->trace->n_names;
}

struct ts_span ts_sheet_text(const struct ts_trace_sheet *sheet, const struct ts_sheet_column *column, uint32_t code)
{
	TS_DOOR(code < ts_sheet_codes(sheet, column));
	return column->kind ? ts_span_str(kind_words[code]) : sheet->trace->names[code];
}
