/* shape_chart.c - the tables of the answer of Chart: one column of many runs, reduced to a picture. */
#include "analysis/answer/chart.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

enum { POINTS_MAX = 8 * TS_M4_COLUMNS_MAX, MARKS_MAX = 4 * TS_M4_COLUMNS_MAX, CELLS_MAX = TS_CHART_CELLS_MAX + 2 };

WORD_OF(axis_word, enum ts_chart_axis, ts_chart_axis_word);
static const struct ts_shape_words axes = {TS_CHART_STEP, TS_CHART_EPOCH, TS_CHART_STEP, .word = axis_word};
WORD_OF(odd_word, enum ts_chart_odd, ts_chart_odd_word);
static const struct ts_shape_words odds = {TS_CHART_NAN, TS_CHART_NOT_ABOVE_ZERO, TS_CHART_NAN, .word = odd_word, .newer = true};

#define TYPE struct ts_chart_request
static void check_request(struct ts_wire_reader *r, void *in)
{
	const TYPE *request = in;

	if (request->n == 0)
		ts_wire_fail(r, "runs", "is empty");
	if (request->column.len == 0)
		ts_wire_fail(r, "column", "is empty");
	if (!(request->smooth >= 0 && request->smooth <= TS_CHART_SMOOTH_MAX))
		ts_wire_fail(r, "smooth", "is out of range");
	if ((request->has_from && isnan(request->from)) || (request->has_to && isnan(request->to)))
		ts_wire_fail(r, "from", "is no place on an axis");
}

static const struct ts_shape_field request_rows[] = {
	{"runs", NULL, LIST(TEXT, runs, n, TS_CHART_RUNS_MAX), MAX(TS_WIRE_SPEC_MAX)},
	{"column", NULL, BYTES(column, TS_PATH_MAX)},
	{"axis", NULL, ENUM(axis, axes)},
	{"columns", NULL, U32(columns), MAX(TS_M4_COLUMNS_MAX)},
	{"log_x", NULL, BOOL(log_x)},
	{"log_y", NULL, BOOL(log_y)},
	{"smooth", NULL, F64(smooth)},
	{"by", NULL, BYTES(by, TS_PATH_MAX)},
	{"rank", NULL, I32(rank), HAS(has_rank)},
	{"cells", NULL, U32(cells), MAX(TS_CHART_CELLS_MAX)},
	{"from", NULL, F64(from), HAS(has_from)},
	{"to", NULL, F64(to), HAS(has_to)},
};
const struct ts_shape ts_shape_chart_request = {SHAPE("chart_request", chart_request, request_rows), .check = check_request};
#undef TYPE

#define TYPE struct ts_chart_line
static const struct ts_shape_field line_rows[] = {
	{"run", "run", ONE(run, ts_shape_run)},
	{"group", "group", PTR(group, ts_shape_fact), ABOUT("the fact that --by names; null: not recorded")},
	{"column", "column", BYTES(column, TS_PATH_MAX), OR_NULL, ABOUT("its name in the run; null: the run has no such column")},
	{"why_not", "why_not", BYTES(why_not, TS_WIRE_TEXT_MAX), OR_NULL, ABOUT("why nothing is drawn; null: something is")},
	{"rank", "rank", I32(rank)},
	{"values", "value_count", U64(values)},
	{"unplaced", "unplaced_count", U64(unplaced), ABOUT("values at steps that have no place on the axis")},
	{"back", "back_count", U64(back), ABOUT("how often time went back from a step to the next")},
	{"odd", "odd_count", U64(odd), ABOUT("values that are marked instead of drawn")},
	{"x", "x", LIST(F64, x, n, POINTS_MAX)},
	{"y", "y", LIST(F64, y, n, POINTS_MAX), AS_MANY, ABOUT("NaN: the line is interrupted")},
	{"mean", "mean", LIST(F64, mean, n_mean, TS_M4_COLUMNS_MAX), ABOUT("of each column of the picture")},
	{"odd_x", "odd_x", COLUMN(F64, marks, struct ts_chart_mark, x, n_marks, MARKS_MAX)},
	{"odd_what", "odd_what", COLUMN(ENUM, marks, struct ts_chart_mark, what, n_marks, MARKS_MAX), WORDS(odds), AS_MANY},
	{"cell_rows", "cell_row_count", U64(cell_rows), ABOUT("rows in a cell; 1: each value is there; 0: the line is points")},
	{"cell_first", "cell_first", COLUMN(F64, cells, struct ts_chart_cell, first, n_cells, CELLS_MAX),
	 ABOUT("the least place on the axis of a row of each cell")},
	{"cell_last", "cell_last", COLUMN(F64, cells, struct ts_chart_cell, last, n_cells, CELLS_MAX), AS_MANY},
	{"cell_min", "cell_min", COLUMN(F64, cells, struct ts_chart_cell, min, n_cells, CELLS_MAX), AS_MANY,
	 ABOUT("NaN: no value of the cell is finite")},
	{"cell_mean", "cell_mean", COLUMN(F64, cells, struct ts_chart_cell, mean, n_cells, CELLS_MAX), AS_MANY},
	{"cell_max", "cell_max", COLUMN(F64, cells, struct ts_chart_cell, max, n_cells, CELLS_MAX), AS_MANY},
	{"cell_count", "cell_count", COLUMN(U64, cells, struct ts_chart_cell, count, n_cells, CELLS_MAX), AS_MANY,
	 ABOUT("values of the cell that are finite")},
	{"cell_odd", "cell_odd_count", COLUMN(U64, cells, struct ts_chart_cell, odd, n_cells, CELLS_MAX), AS_MANY,
	 ABOUT("values of the cell that are not")},
};
const struct ts_shape ts_shape_chart_line = {SHAPE("chart_line", chart_line, line_rows)};
#undef TYPE

#define TYPE struct ts_chart
/* Renderers put points into columns of this axis. */
static void check_chart(struct ts_wire_reader *r, void *in)
{
	const TYPE *chart = in;
	bool drawn = isfinite(chart->low) && isfinite(chart->high);

	if (chart->columns == 0)
		ts_wire_fail(r, "columns", "is 0");
	if (drawn && (chart->low > chart->high || (chart->log_x && !(chart->low > 0))))
		ts_wire_fail(r, "low", "is no end of an axis");
	for (size_t i = 0; i < chart->n; i++) {
		const struct ts_chart_line *line = &chart->lines[i];

		if ((line->n || line->n_marks || line->n_mean) && !drawn)
			ts_wire_fail(r, "low", "is no end of an axis");
		if (line->n_mean && line->n_mean != chart->columns)
			ts_wire_fail(r, "lines.mean", "is not one for each column");
	}
}

static const struct ts_shape_field chart_rows[] = {
	{"column", "column", BYTES(column, TS_PATH_MAX)},
	{"unit", "unit", ENUM(unit, ts_words_unit)},
	{"axis", "axis", ENUM(axis, axes)},
	{"log_x", "log_x", BOOL(log_x)},
	{"log_y", "log_y", BOOL(log_y)},
	{"smooth", "smooth_count", F64(smooth), ABOUT("span of the exponentially weighted mean, in values; 0: none")},
	{"low", "low", F64(low), OR_NULL, ABOUT("the ends of the axis: steps, seconds, samples or tokens; null: nothing is drawn")},
	{"high", "high", F64(high), OR_NULL},
	{"columns", "column_count", SIZE(columns), MAX(TS_M4_COLUMNS_MAX)},
	{"cells", "cell_max_count", SIZE(cells), MAX(TS_CHART_CELLS_MAX),
	 ABOUT("the most cells of a line, but for two; 0: lines are points")},
	{"lines", "lines", MANY(lines, n, ts_shape_chart_line, TS_CHART_RUNS_MAX)},
};
const struct ts_shape ts_shape_chart = {SHAPE("chart", chart_reply, chart_rows), .check = check_chart};
#undef TYPE

WIRE_SHAPE(chart_request, ts_chart_request, ts_shape_chart_request);
WIRE_SHAPE(chart_reply, ts_chart, ts_shape_chart);
