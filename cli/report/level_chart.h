/* level_chart.h - a series of runs with its levels, as lines of text or as SVG. */
#ifndef TSCOPE_CLI_REPORT_LEVEL_CHART_H
#define TSCOPE_CLI_REPORT_LEVEL_CHART_H

#include "base/buf.h"
#include "cli/core/term.h"
#include "cli/report/report.h"

enum { TS_CHART_ROWS = 9, TS_CHART_COLUMNS = 120 };

/* A dot a run where there is room, a line a level, marks below the changes; values beyond the range stand at its edge as ↑ or ↓.
 * No line is wider than width. Nothing without a value. */
void ts_level_chart(const struct ts_levels *levels, const struct ts_term *term, int width, struct ts_arena *arena, struct ts_buf *out);
/* The same for a page (svg.h has its classes). */
void ts_svg_levels(struct ts_buf *out, const struct ts_levels *levels, const char *title, struct ts_arena *arena);

#endif
