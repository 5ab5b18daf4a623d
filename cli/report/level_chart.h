/* level_chart.h - a series of runs with its levels, as lines of text or as SVG. */
#ifndef TSCOPE_CLI_REPORT_LEVEL_CHART_H
#define TSCOPE_CLI_REPORT_LEVEL_CHART_H

#include "base/buf.h"
#include "cli/core/term.h"
#include "cli/report/report.h"

enum { TS_CHART_ROWS = 9, TS_CHART_COLUMNS = 120 };

/* Draws one dot per run where there is room, one line per level, and a mark below each change. Values outside the range are drawn
 * at its edge as ↑ or ↓. No line is wider than width. Without a value nothing is drawn. */
void ts_level_chart(const struct ts_levels *levels, const struct ts_term *term, int width, struct ts_arena *arena, struct ts_buf *out);
/* Draws the same as SVG for an HTML page, with the classes of svg.h. links: struct ts_term. */
void ts_svg_levels(struct ts_buf *out, const struct ts_levels *levels, const char *title, const char *links, struct ts_arena *arena);

#endif
