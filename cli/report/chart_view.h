/* chart_view.h - a chart laid out: which lines are drawn under which names, the axes, and what has to be said beside it. It is drawn by
 * chart_text.h and chart_page.h.
 *
 * A line is a run or, with bands, the median of a group of runs. Texts are harmless to print, but not escaped for a page.
 */
#ifndef TSCOPE_CLI_REPORT_CHART_VIEW_H
#define TSCOPE_CLI_REPORT_CHART_VIEW_H

#include "analysis/answer/chart.h"
#include "cli/report/chart_scale.h"

struct ts_view_line {
	const char *name;
	const char *letter; /* "a": it stands for the line where there is no colour */
	const char *said;   /* "last 1.23 at step 99", "5 runs: median, least to greatest" */
	struct ts_m4_path path;
	const double *low, *high; /* of each column of the picture; NULL without a band */
	const struct ts_chart_mark *marks;
	size_t n_marks;
	bool lit;   /* highlighted */
	size_t nth; /* in the order in which the lines were named */
};

struct ts_chart_view {
	const struct ts_chart *chart;
	const char *title;  /* "loss of 3 runs by step" */
	const char *x_title, *y_title;
	struct ts_scale x, y;
	double x_unit; /* what 1 on the labels of the axis is: 3600 for hours */
	struct ts_view_line *lines; /* those that end highest first, as their ends lie in the picture; without an end last */
	size_t n;
	const char **notes; /* whole sentences */
	size_t n_notes, cap;
	bool marked;  /* some line has marks */
	bool grouped; /* lines are groups of runs */
	bool some_lit; /* some line is highlighted, so the others are drawn pale */
};

struct ts_chart_labels {
	const char *const *names; /* of each line of the chart */
	const char *by;		  /* the fact that groups runs; NULL: none */
	bool bands;
	const char *const *highlight; /* patterns of names of lines */
	size_t n_highlight;
};

/* The chart must live as long as the view. TS_INVALID: a pattern to highlight matches no line. */
enum ts_status ts_chart_view_of(const struct ts_chart *chart, const struct ts_chart_labels *labels, struct ts_arena *arena,
				struct ts_chart_view *ret_view, struct ts_error *err);
/* Ticks of the horizontal axis at its own values, labelled in x_unit. */
struct ts_ticks ts_chart_view_ticks(const struct ts_chart_view *view, size_t most, struct ts_arena *arena);

#endif
