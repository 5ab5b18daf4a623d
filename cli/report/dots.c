#include "cli/report/dots.h"

enum ts_status ts_dots_begin(struct ts_dots *dots, size_t columns, size_t rows, bool braille, struct ts_arena *arena,
			     struct ts_error *err)
{
	struct ts_dots d = {
		.columns = columns,
		.rows = rows,
		.wide = braille ? 2 : 1,
		.high = braille ? 4 : 1,
		.line = ts_arena_array(arena, columns, rows * sizeof *d.line),
		.bits = ts_arena_array(arena, columns, rows),
	};

	if (!d.line || !d.bits)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < columns * rows; i++)
		d.line[i] = TS_DOTS_NONE;
	*dots = d;
	return TS_OK;
}

void ts_dots_set(struct ts_dots *dots, long x, long y, int line)
{
	/* Unicode numbers the dots 1 to 3 and 7 down the left side, 4 to 6 and 8 down the right. */
	static const uint8_t bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
	size_t at;

	if (x < 0 || y < 0 || (size_t)x >= dots->columns * dots->wide || (size_t)y >= dots->rows * dots->high)
		return;
	at = (size_t)y / dots->high * dots->columns + (size_t)x / dots->wide;
	dots->bits[at] |= bit[(size_t)y % dots->high][(size_t)x % dots->wide];
	if (dots->wide == 1 && dots->line[at] != TS_DOTS_NONE && dots->line[at] != line)
		dots->line[at] = TS_DOTS_SEVERAL;
	else
		dots->line[at] = (int16_t)line;
}

void ts_dots_line(struct ts_dots *dots, long x0, long y0, long x1, long y1, int line, struct ts_dash dash)
{
	long dx = x1 > x0 ? x1 - x0 : x0 - x1, dy = y1 > y0 ? y0 - y1 : y1 - y0;
	long sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1, e = dx + dy;

	for (;;) {
		long twice = 2 * e;

		if (dash.off == 0 || x0 % (dash.on + dash.off) < dash.on)
			ts_dots_set(dots, x0, y0, line);
		if (x0 == x1 && y0 == y1)
			return;
		if (twice >= dy) {
			e += dy;
			x0 += sx;
		}
		if (twice <= dx) {
			e += dx;
			y0 += sy;
		}
	}
}

const char *ts_dots_braille(uint8_t bits, char ret[4])
{
	unsigned code = 0x2800u + bits;

	if (bits == 0)
		return " ";
	ret[0] = (char)(0xe0 | code >> 12);
	ret[1] = (char)(0x80 | (code >> 6 & 0x3f));
	ret[2] = (char)(0x80 | (code & 0x3f));
	ret[3] = '\0';
	return ret;
}
