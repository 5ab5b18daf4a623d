/* dots.h - a small picture of dots, each of which belongs to one line, and its characters for a terminal.
 *
 * A character of braille has 2 x 4 dots; in ASCII a character is one dot, and shows the letter of its line.
 */
#ifndef TSCOPE_CLI_REPORT_DOTS_H
#define TSCOPE_CLI_REPORT_DOTS_H

#include "base/arena.h"

#include <stdint.h>

enum { TS_DOTS_NONE = -1, TS_DOTS_SEVERAL = -2 };

struct ts_dots {
	size_t columns, rows; /* of characters */
	size_t wide, high;    /* dots of a character: 2 and 4, or 1 and 1 */
	int16_t *line;	      /* of each character: the line that was drawn last, NONE or SEVERAL */
	uint8_t *bits;	      /* of each character: its dots, as braille numbers them */
};

enum ts_status ts_dots_begin(struct ts_dots *dots, size_t columns, size_t rows, bool braille, struct ts_arena *arena,
			     struct ts_error *err);
/* Sets one dot; what lies outside is ignored. The first row is the top. */
void ts_dots_set(struct ts_dots *dots, long x, long y, int line);
/* Which dots of a line are drawn, by the number of the column: a dash of `on` columns, then `off` without; off 0: all. */
struct ts_dash {
	long on, off;
};
/* Draws from one dot to another (Bresenham). */
void ts_dots_line(struct ts_dots *dots, long x0, long y0, long x1, long y1, int line, struct ts_dash dash);
/* The character as UTF-8 braille; a space where there is no dot. ret has room for 4 bytes. */
const char *ts_dots_braille(uint8_t bits, char ret[4]);

#endif
