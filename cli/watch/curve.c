#include "cli/watch/curve.h"

#include "cli/report/dots.h"

#include <math.h>

/* --- cells --- */

static void join(struct ts_curve_cell *to, const struct ts_curve_cell *from)
{
	if (from->finite) {
		to->least = !to->finite || from->least < to->least ? from->least : to->least;
		to->greatest = !to->finite || from->greatest > to->greatest ? from->greatest : to->greatest;
	}
	to->sum += from->sum;
	to->finite += from->finite;
	to->other += from->other;
}

/* Makes each two cells one. */
static void halve(struct ts_curve *c)
{
	for (size_t i = 0; i < TS_CURVE_CELLS; i++) {
		struct ts_curve_cell cell = c->cells[i];

		c->cells[i] = (struct ts_curve_cell){0};
		join(&c->cells[i / 2], &cell);
	}
	c->n = (c->n + 1) / 2;
	c->shift++;
}

void ts_curve_add(struct ts_curve *c, int64_t step, double value)
{
	struct ts_curve_cell one = {0};
	uint64_t at;

	if (!c->any || step < c->first) {
		*c = (struct ts_curve){.any = true, .first = step};
	}
	at = (uint64_t)step - (uint64_t)c->first;
	while (at >> c->shift >= TS_CURVE_CELLS)
		halve(c);
	at >>= c->shift;
	if (isfinite(value))
		one = (struct ts_curve_cell){.sum = value, .least = value, .greatest = value, .finite = 1};
	else
		one.other = 1;
	join(&c->cells[at], &one);
	if (at + 1 > c->n)
		c->n = (size_t)at + 1;
}

void ts_curve_cut(struct ts_curve *c, int64_t step)
{
	uint64_t at;

	if (!c->any)
		return;
	if (step <= c->first) {
		*c = (struct ts_curve){.any = false};
		return;
	}
	at = ((uint64_t)step - (uint64_t)c->first) >> c->shift;
	for (size_t i = (size_t)at; i < c->n; i++)
		c->cells[i] = (struct ts_curve_cell){0};
	if (at < c->n)
		c->n = (size_t)at;
}

bool ts_curve_range(const struct ts_curve *c, double *ret_least, double *ret_greatest)
{
	struct ts_curve_cell all = {0};

	for (size_t i = 0; i < c->n; i++)
		join(&all, &c->cells[i]);
	if (!all.finite)
		return false;
	*ret_least = all.least;
	*ret_greatest = all.greatest;
	return true;
}

/* --- the picture --- */

struct column {
	struct ts_curve_cell cell;
	long low, high; /* rows of dots, from the top */
	bool any;
};

/* All cells that fall into the i-th of `columns` columns of dots; the nearest cell before it where none does. */
static struct ts_curve_cell column_of(const struct ts_curve *c, size_t i, size_t columns)
{
	size_t from = i * c->n / columns, to = (i + 1) * c->n / columns;
	struct ts_curve_cell cell = {0};

	for (size_t k = from; k < (to > from ? to : from + 1) && k < c->n; k++)
		join(&cell, &c->cells[k]);
	return cell;
}

static long row_of(double value, double least, double greatest, size_t high)
{
	double share = greatest > least ? (value / 2 - least / 2) / (greatest / 2 - least / 2) : 0.5;

	return (long)((double)(high - 1) * (1 - share) + 0.5);
}

static void draw(struct ts_dots *dots, const struct ts_curve *c, size_t columns, double least, double greatest)
{
	size_t wide = columns * dots->wide, high = dots->rows * dots->high;
	long before = -1;

	for (size_t x = 0; x < wide; x++) {
		struct ts_curve_cell cell = column_of(c, x, wide);
		long top, bottom;

		if (!cell.finite)
			continue;
		top = row_of(cell.greatest, least, greatest, high);
		bottom = row_of(cell.least, least, greatest, high);
		/* A line that falls or rises between two columns stays one line. */
		if (before >= 0 && before < top)
			top = dots->high > 1 ? before + 1 : top;
		else if (before > bottom)
			bottom = dots->high > 1 ? before - 1 : bottom;
		ts_dots_line(dots, (long)x, top, (long)x, bottom, 0, (struct ts_dash){1, 0});
		before = row_of(cell.sum / (double)cell.finite, least, greatest, high);
	}
}

static bool is_broken(const struct ts_curve *c, size_t column, size_t columns)
{
	struct ts_curve_cell cell = column_of(c, column, columns);

	return cell.other && !cell.finite;
}

enum ts_status ts_curve_draw(const struct ts_curve *c, size_t columns, size_t rows, bool braille, struct ts_arena *arena,
			     struct ts_buf *ret, struct ts_error *err)
{
	double least = 0, greatest = 0;
	struct ts_dots dots;

	if (ts_dots_begin(&dots, columns, rows, braille, arena, err))
		return err->status;
	if (ts_curve_range(c, &least, &greatest))
		draw(&dots, c, columns, least, greatest);
	for (size_t r = 0; r < rows; r++)
		for (size_t x = 0; x < columns; x++) {
			size_t at = r * columns + x;
			char room[4];

			if (r + 1 == rows && c->n && is_broken(c, x, columns))
				ts_buf_char(&ret[r], 'x');
			else if (braille)
				ts_buf_str(&ret[r], ts_dots_braille(dots.bits[at], room));
			else
				ts_buf_char(&ret[r], dots.line[at] == TS_DOTS_NONE ? ' ' : '*');
		}
	return TS_OK;
}
