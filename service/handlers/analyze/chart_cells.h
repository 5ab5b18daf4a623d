/* chart_cells.h - a column of a run cut into cells for a view of a stretch of it, of which only what is seen is read.
 *
 * A cell is a whole number of rows, a power of two, so that it is the same in every view that shows it. Where the rows of the stretch
 * are few enough, each is a cell of its own. One cell more on either side lets a line run out of the picture.
 *
 * What is read: sums of blocks (column_atoms.h), and the blocks of the stretch themselves once a cell has fewer rows than an atom.
 * Where the axis is a column of another table than the values, both are read whole.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_CHART_CELLS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_CHART_CELLS_H

#include "service/handlers/analyze/chart_series.h"

/* Fills the cells of the line, at most `most` and two of them, in the order of rows, and what could not be placed or is not finite.
 * *ret_low and *ret_high are the ends of the whole column on the axis; NaN: no value has a place. Cells lie in the arena; work is
 * overwritten. */
enum ts_status ts_chart_cells_make(struct ts_fetch *f, const struct ts_chart_series *series, const struct ts_chart_request *request,
				   size_t most, struct ts_arena *work, struct ts_arena *arena, struct ts_chart_line *line,
				   double *ret_low, double *ret_high, struct ts_error *err);

#endif
