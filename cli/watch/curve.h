/* curve.h - a series of any length that grows, kept as a fixed number of cells, and drawn as a line of braille or ASCII.
 *
 * A cell stands for 2^shift steps and has the mean, the least and the greatest of its values. When the cells are used up, each two
 * become one. So no spike is lost, and the cost of a value and the memory do not depend on how many came before. Pure. Threads: one
 * at a time.
 */
#ifndef TSCOPE_CLI_WATCH_CURVE_H
#define TSCOPE_CLI_WATCH_CURVE_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdint.h>

enum { TS_CURVE_CELLS = 256 };

struct ts_curve_cell {
	double sum, least, greatest; /* of the values that are finite */
	uint64_t finite, other;	     /* how many are, and how many are NaN or infinite */
};

/* All zero: no value yet. */
struct ts_curve {
	bool any;
	int64_t first; /* the step at which the first cell begins */
	unsigned shift;
	size_t n; /* cells up to the last that has a value */
	struct ts_curve_cell cells[TS_CURVE_CELLS];
};

/* A value of a step below the first begins the curve anew. */
void ts_curve_add(struct ts_curve *c, int64_t step, double value);
/* Forgets values from this step on, as far as cells go: training was restarted there. */
void ts_curve_cut(struct ts_curve *c, int64_t step);
/* The range of what is finite; false: there is none. */
bool ts_curve_range(const struct ts_curve *c, double *ret_least, double *ret_greatest);
/* Appends `rows` lines of `columns` characters to ret, which has one buffer a row. With braille a character has 2 x 4 dots. A column
 * whose values are all NaN or infinite has an x in its last row. */
enum ts_status ts_curve_draw(const struct ts_curve *c, size_t columns, size_t rows, bool braille, struct ts_arena *arena,
			     struct ts_buf *ret, struct ts_error *err);

#endif
