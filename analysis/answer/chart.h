/* chart.h - one column of many runs, reduced to what a picture of a given width shows of it: the answer of Chart.
 *
 * Or cut into cells for a view that somebody moves and widens: then lines have cells, and no points, means and marks.
 *
 * All runs share one horizontal axis, which spans their points. A line is reduced by m4.h; where its values are smoothed, the smoothed
 * ones are. What cannot be drawn is counted and, where it has a place on the axis, marked.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_CHART_H
#define TSCOPE_ANALYSIS_ANSWER_CHART_H

#include "analysis/answer/measure.h"
#include "analysis/answer/run_ref.h"
#include "analysis/stats/m4.h"
#include "run/fact.h"

enum {
	TS_CHART_RUNS_MAX = 256,
	TS_CHART_COLUMNS = 640, /* of a picture whose width nobody named */
	TS_CHART_SMOOTH_MAX = 1000000000,
	TS_CHART_COLUMNS_ALL = 20480, /* columns of all lines together, so that an answer fits into a message */
	TS_CHART_CELLS_MAX = 2000,
	TS_CHART_CELLS_ALL = 60000,
};

enum ts_chart_axis {
	TS_CHART_STEP = 0,
	TS_CHART_TIME = 1,    /* seconds since the first record of the run's rank */
	TS_CHART_SAMPLES = 2, /* seen up to and with the step, by the rank */
	TS_CHART_TOKENS = 3,
	TS_CHART_EPOCH = 4,
	TS_CHART_AXES
};

/* Why a value has no place on the picture. */
enum ts_chart_odd {
	TS_CHART_NAN = 1,
	TS_CHART_INF = 2,
	TS_CHART_MINUS_INF = 3,
	TS_CHART_NOT_ABOVE_ZERO = 4, /* on a logarithmic scale */
};

/* At least one such value lies in the column of x, and the first of them at x. */
struct ts_chart_mark {
	double x;
	enum ts_chart_odd what;
};

/* What some rows that follow one another came to. */
struct ts_chart_cell {
	double first, last;    /* the least and the greatest place of a row */
	double min, mean, max; /* NaN: no value is finite */
	uint64_t count, odd;   /* values that are finite, and that are not */
};

struct ts_chart_line {
	struct ts_run_ref run;
	const struct ts_fact *group; /* the fact that runs are grouped by; NULL: the run does not record it, or none was asked for */
	struct ts_span column;	     /* its name in the run, "scalars.train/loss"; empty: the run has no such column */
	struct ts_span why_not;	     /* why nothing is drawn: "it records no tokens"; empty: something is */
	int32_t rank;		     /* whose column it is */
	uint64_t values;	     /* that the column has */
	uint64_t unplaced;	     /* values at steps that have no place on the axis */
	uint64_t back;		     /* how often time went back from a step to the next */
	uint64_t odd;		     /* values that are marked */
	double *x, *y;		     /* as ts_m4_path */
	size_t n;
	double *mean; /* of each column of the picture, NaN where nothing is drawn; n_mean is 0 if nothing is drawn at all */
	size_t n_mean;
	struct ts_chart_mark *marks;
	size_t n_marks;
	uint64_t cell_rows; /* rows in a cell, but for the last one of a block; 1: each value is there; 0: there are no cells */
	struct ts_chart_cell *cells; /* in the order of rows; beside the stretch that was asked for, one on either side */
	size_t n_cells;
};

struct ts_chart {
	struct ts_span column; /* as asked for */
	enum ts_unit unit;
	enum ts_chart_axis axis;
	bool log_x, log_y;
	double smooth; /* span of the smoothing in values; 0: none */
	double low, high; /* the ends of the axis; NaN: nothing is drawn */
	size_t columns;	  /* of the picture: as asked for, or fewer for many runs */
	size_t cells;	  /* the most of a line, but for two; 0: lines are points */
	struct ts_chart_line *lines;
	size_t n;
};

const char *ts_chart_axis_word(enum ts_chart_axis axis); /* "step", "time", "samples", "tokens", "epoch" */
const char *ts_chart_odd_word(enum ts_chart_odd odd);	 /* "NaN", "Infinity", "-Infinity", "not above zero" */
struct ts_m4_grid ts_chart_grid(const struct ts_chart *chart);
/* The unit of the values of a column: seconds of phases, bytes of memory, else none. */
enum ts_unit ts_chart_unit(struct ts_span column);

/* An exponentially weighted mean, without the bias of its beginning: each value counts 1 - 2 / (span + 1) times as much as the next
 * (Kingma and Ba, Adam, 2015, section 3). NaN and infinities pass through and are not part of it. */
struct ts_smoother {
	double keep; /* 0: each value stays as it is */
	double sum, weight;
};
struct ts_smoother ts_smoother_of(double span); /* span 0 or at most 1: none */
double ts_smooth(struct ts_smoother *s, double value);

/* Makes one line, fed with the points of a column in order of step. */
struct ts_chart_pen {
	const struct ts_chart *chart;
	struct ts_m4 m4;
	struct ts_smoother smoother;
	uint8_t *odd; /* of each column of the picture: one bit for each kind of mark */
	struct ts_chart_mark *marks;
	struct ts_chart_line *line;
};

/* chart has its axis, scales and ends. Room for marks is part of the arena. */
enum ts_status ts_chart_pen_begin(struct ts_chart_pen *pen, const struct ts_chart *chart, struct ts_chart_line *line,
				  struct ts_arena *arena, struct ts_error *err);
/* x is finite. */
void ts_chart_pen_add(struct ts_chart_pen *pen, double x, double value);
/* The line is interrupted at x: steps are missing there. */
void ts_chart_pen_lift(struct ts_chart_pen *pen, double x);
enum ts_status ts_chart_pen_finish(struct ts_chart_pen *pen, struct ts_arena *arena, struct ts_error *err);

/* Whether steps are missing behind keys[i]: the next lies more than ten times as far away as the keys on either side of the two lie
 * from them. */
bool ts_chart_gap(const int64_t *keys, size_t n, size_t i);

#endif
