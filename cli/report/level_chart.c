#include "cli/report/level_chart.h"

#include "analysis/stats/stats.h"
#include "base/order.h"
#include "base/text.h"
#include "cli/view/show_value.h"

enum { MARGIN = 2, WIDEST_RUN = 3 /* columns per run if there are few runs */, LEAST_COLUMNS = 8 };

/* What is drawn in one character cell. */
enum ink { BLANK, CHANGE, LEVEL, DOT, ABOVE, BELOW };

struct chart {
	const struct ts_levels *levels;
	enum ink at[TS_CHART_ROWS][TS_CHART_COLUMNS];
	size_t columns;
	double low, high;
	int axis; /* width of the axis labels on the left */
	const char *ticks[TS_CHART_ROWS];
};

/* The range is the middle 90 % of the values, extended by its own height on either side, but not beyond the values
 * themselves. */
bool ts_levels_range(const struct ts_levels *levels, struct ts_arena *arena, double *ret_low, double *ret_high)
{
	double *sorted = ts_arena_array(arena, levels->n, sizeof *sorted), low, high, reach;
	size_t n = 0;

	for (size_t i = 0; sorted && i < levels->n; i++)
		if (isfinite(levels->values[i]))
			sorted[n++] = levels->values[i];
	if (n == 0)
		return false;
	TS_SORT(sorted, n, ts_by_double);
	low = sorted[n / 20];
	high = sorted[n - 1 - n / 20];
	for (size_t i = 0; i < levels->n_items; i++) {
		low = fmin(low, levels->items[i].value);
		high = fmax(high, levels->items[i].value);
	}
	reach = high / 2 - low / 2;
	*ret_low = fmin(low, fmax(low - reach, sorted[0]));
	*ret_high = fmax(high, fmin(high + reach, sorted[n - 1]));
	return true;
}

static size_t column_of(const struct chart *c, size_t i)
{
	return i * c->columns / c->levels->n;
}

static size_t row_of(const struct chart *c, double value)
{
	double share = c->high > c->low ? (value / 2 - c->low / 2) / (c->high / 2 - c->low / 2) : 0.5;

	return TS_CHART_ROWS - 1 - (size_t)nearbyint(fmin(fmax(share, 0), 1) * (TS_CHART_ROWS - 1));
}

static void draw_levels(struct chart *c, bool again)
{
	for (size_t k = 0; k < c->levels->n_items; k++) {
		const struct ts_level *level = &c->levels->items[k];
		size_t first = column_of(c, level->first), row = row_of(c, level->value);

		for (size_t r = 0; *level->mark && !again && r < TS_CHART_ROWS; r++)
			c->at[r][first] = CHANGE;
		for (size_t i = first; i < column_of(c, level->end); i++)
			c->at[row][i] = LEVEL;
	}
}

static void draw_values(struct chart *c)
{
	for (size_t i = 0; i < c->levels->n; i++) {
		double v = c->levels->values[i];

		if (isfinite(v))
			c->at[row_of(c, v)][column_of(c, i)] = v > c->high ? ABOVE : v < c->low ? BELOW : DOT;
	}
}

/* Only the first, the middle and the last row have a tick. */
static void write_ticks(struct chart *c, struct ts_arena *arena)
{
	for (size_t row = 0; row < TS_CHART_ROWS; row += (TS_CHART_ROWS - 1) / 2) {
		double share = 1 - (double)row / (TS_CHART_ROWS - 1);
		struct ts_measure m = {.unit = c->levels->unit, .known = true, .value = c->low + share * (c->high - c->low)};
		const char *text = ts_show_measure_close(&m, arena);

		if (!(c->high > c->low) && row != (TS_CHART_ROWS - 1) / 2)
			continue;
		c->ticks[row] = text ? text : "?";
		if (ts_text_width(ts_span_str(c->ticks[row])) > c->axis)
			c->axis = ts_text_width(ts_span_str(c->ticks[row]));
	}
}

static void put_row(const struct chart *c, size_t row, const struct ts_term *term, struct ts_buf *out)
{
	static const char *const glyphs[] = {" ", "┊", "─", "•", "↑", "↓"};
	static const enum ts_style styles[] = {TS_STYLE_PLAIN, TS_STYLE_DIM, TS_STYLE_CYAN,
					       TS_STYLE_PLAIN, TS_STYLE_DIM, TS_STYLE_DIM};
	const char *tick = c->ticks[row] ? c->ticks[row] : "";
	size_t n = c->columns;

	while (n && c->at[row][n - 1] == BLANK)
		n--;
	ts_buf_spaces(out, MARGIN + c->axis - ts_text_width(ts_span_str(tick)));
	ts_styled(out, term, TS_STYLE_DIM, tick);
	ts_styled(out, term, TS_STYLE_DIM, *tick ? " ┤" : " │");
	for (size_t i = 0; i < n; i++)
		ts_styled(out, term, styles[c->at[row][i]], glyphs[c->at[row][i]]);
	ts_buf_char(out, '\n');
}

/* If several changes lie in one column, only the first is marked. */
static void put_marks(const struct chart *c, const struct ts_term *term, struct ts_buf *out)
{
	size_t at = 0;
	bool any = false;

	for (size_t k = 0; k < c->levels->n_items; k++) {
		const struct ts_level *level = &c->levels->items[k];
		size_t column = column_of(c, level->first);

		if (!*level->mark || (any && column < at))
			continue;
		if (!any)
			ts_buf_spaces(out, MARGIN + c->axis + 2);
		any = true;
		ts_buf_spaces(out, (int)(column - at));
		ts_styled(out, term, level->style, level->mark);
		at = column + 1;
	}
	if (any)
		ts_buf_char(out, '\n');
}

/* Writes the name of the newest run, and that of the oldest if there is space for both. */
static void put_ends(const struct chart *c, int width, const struct ts_term *term, struct ts_buf *out)
{
	int a = ts_text_width(ts_span_str(c->levels->first)), b = ts_text_width(ts_span_str(c->levels->last));
	int left = MARGIN + c->axis + 2, end = left + (int)c->columns;

	if (a + 2 + b > (int)c->columns) /* the two names are wider than the chart */
		end = left + a + 2 + b;
	if (end > width)
		return;
	ts_buf_spaces(out, left);
	ts_styled(out, term, TS_STYLE_DIM, c->levels->first);
	ts_buf_spaces(out, end - left - a - b);
	ts_styled(out, term, TS_STYLE_DIM, c->levels->last);
	ts_buf_char(out, '\n');
}

void ts_level_chart(const struct ts_levels *levels, const struct ts_term *term, int width, struct ts_arena *arena, struct ts_buf *out)
{
	struct chart c = {.levels = levels};
	int room;

	if (!ts_levels_range(levels, arena, &c.low, &c.high))
		return;
	write_ticks(&c, arena);
	room = width - MARGIN - c.axis - 2;
	room = room > TS_CHART_COLUMNS ? TS_CHART_COLUMNS : room < LEAST_COLUMNS ? LEAST_COLUMNS : room;
	c.columns = (size_t)room < WIDEST_RUN * levels->n ? (size_t)room : WIDEST_RUN * levels->n;
	/* If many runs share a column, their dots overlap, and the level is then drawn on top of them. */
	draw_levels(&c, false);
	draw_values(&c);
	if (levels->n > 2 * c.columns)
		draw_levels(&c, true);
	for (size_t row = 0; row < TS_CHART_ROWS; row++)
		put_row(&c, row, term, out);
	put_marks(&c, term, out);
	put_ends(&c, width, term, out);
}
