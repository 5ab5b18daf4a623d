/* chart_text.h - a chart drawn on a terminal: with braille dots where the locale is UTF-8, else with the letters of its lines.
 *
 * Lines are told apart by their dashes and by a letter at their right end, and by colour where there is one. Every line of text
 * fits the width.
 */
#ifndef TSCOPE_CLI_REPORT_CHART_TEXT_H
#define TSCOPE_CLI_REPORT_CHART_TEXT_H

#include "cli/core/term.h"
#include "cli/report/chart_view.h"

/* The width of the picture itself in columns of pixels, for the request; more would not be seen. */
size_t ts_chart_text_columns(const struct ts_term *term);
enum ts_status ts_chart_text(const struct ts_chart_view *view, const struct ts_term *term, struct ts_arena *arena, struct ts_buf *out,
			     struct ts_error *err);

#endif
