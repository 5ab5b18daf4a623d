/* golden_lines.h - a golden record of lines, as torchtitan keeps the losses of its tests:
 *
 *	# step loss grad_norm
 *	1 8.023969650268555 1.5995219945907593
 *
 * A line has a step and a number for each series, with all the digits of its bits; steps rise. The last comment before the first line
 * names the columns if it begins with "step"; without one a line is a step and a loss. "nan" says that the step had no number.
 */
#ifndef TSCOPE_ANALYSIS_DETERMINISM_GOLDEN_LINES_H
#define TSCOPE_ANALYSIS_DETERMINISM_GOLDEN_LINES_H

#include "analysis/determinism/golden.h"

/* Whether the text is such lines rather than JSON: it begins with a digit or a comment. */
bool ts_golden_is_lines(struct ts_span text);
/* TS_INVALID: with the line. Everything lies in the arena. */
enum ts_status ts_golden_of_lines(struct ts_span text, struct ts_arena *arena, struct ts_golden *ret, struct ts_error *err);

#endif
