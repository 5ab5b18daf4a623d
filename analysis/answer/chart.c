#include "analysis/answer/chart.h"

#include "analysis/stats/series.h"
#include "base/words.h"

#include <math.h>

enum { ODDS = 4, GAP = 10 };

TS_WORDS(ts_chart_axis_word, enum ts_chart_axis, "unknown", [TS_CHART_STEP] = "step", [TS_CHART_TIME] = "time",
	 [TS_CHART_SAMPLES] = "samples", [TS_CHART_TOKENS] = "tokens", [TS_CHART_EPOCH] = "epoch")

TS_WORDS(ts_chart_odd_word, enum ts_chart_odd, "", [TS_CHART_NAN] = "NaN", [TS_CHART_INF] = "Infinity",
	 [TS_CHART_MINUS_INF] = "-Infinity", [TS_CHART_NOT_ABOVE_ZERO] = "not above zero")

struct ts_m4_grid ts_chart_grid(const struct ts_chart *chart)
{
	return (struct ts_m4_grid){chart->low, chart->high, chart->columns, chart->log_x};
}

enum ts_unit ts_chart_unit(struct ts_span column)
{
	if (ts_span_starts(column, ts_span_str("phases.")) || ts_span_starts(column, ts_span_str("regions.")) ||
	    ts_span_is(column, "cpu_time") || ts_span_is(column, "cpu_time_mean"))
		return TS_UNIT_SECONDS;
	return ts_span_starts(column, ts_span_str("memory.")) ? TS_UNIT_BYTES : TS_UNIT_NONE;
}

/* --- smoothing --- */

struct ts_smoother ts_smoother_of(double span)
{
	return (struct ts_smoother){.keep = span > 1 ? 1 - 2 / (span + 1) : 0};
}

double ts_smooth(struct ts_smoother *s, double value)
{
	double part;

	if (!isfinite(value) || s->keep == 0)
		return value;
	s->weight = s->keep * s->weight + (1 - s->keep);
	part = (1 - s->keep) / s->weight;
	s->sum = s->sum * (1 - part) + value * part;
	return s->sum;
}

/* --- one line --- */

enum ts_status ts_chart_pen_begin(struct ts_chart_pen *pen, const struct ts_chart *chart, struct ts_chart_line *line,
				  struct ts_arena *arena, struct ts_error *err)
{
	struct ts_m4_grid grid = ts_chart_grid(chart);

	*pen = (struct ts_chart_pen){
		.chart = chart,
		.smoother = ts_smoother_of(chart->smooth),
		.odd = ts_arena_array(arena, grid.n, sizeof *pen->odd),
		.marks = ts_arena_array(arena, grid.n, ODDS * sizeof *pen->marks),
		.line = line,
	};
	if (!pen->odd || !pen->marks)
		return ts_arena_error(arena, err);
	return ts_m4_begin(&pen->m4, &grid, arena, err);
}

static void mark(struct ts_chart_pen *pen, double x, enum ts_chart_odd what)
{
	uint8_t *odd = &pen->odd[ts_m4_column(&pen->m4.grid, x)], bit = (uint8_t)(1u << what);

	pen->line->odd++;
	if (!(*odd & bit))
		pen->marks[pen->line->n_marks++] = (struct ts_chart_mark){x, what};
	*odd |= bit;
	ts_m4_break(&pen->m4, x);
}

void ts_chart_pen_add(struct ts_chart_pen *pen, double x, double value)
{
	double y = ts_smooth(&pen->smoother, value);

	if (isnan(value))
		mark(pen, x, TS_CHART_NAN);
	else if (isinf(value))
		mark(pen, x, value > 0 ? TS_CHART_INF : TS_CHART_MINUS_INF);
	else if (pen->chart->log_y && !(y > 0))
		mark(pen, x, TS_CHART_NOT_ABOVE_ZERO);
	else
		ts_m4_add(&pen->m4, x, y);
}

void ts_chart_pen_lift(struct ts_chart_pen *pen, double x)
{
	ts_m4_break(&pen->m4, x);
}

enum ts_status ts_chart_pen_finish(struct ts_chart_pen *pen, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_chart_line *line = pen->line;
	size_t n = pen->m4.grid.n;
	struct ts_m4_path path;

	if (ts_m4_path(&pen->m4, arena, &path, err))
		return err->status;
	line->x = path.x;
	line->y = path.y;
	line->n = path.n;
	line->marks = pen->marks;
	line->mean = ts_arena_array(arena, n, sizeof *line->mean);
	if (!line->mean)
		return ts_arena_error(arena, err);
	line->n_mean = path.n ? n : 0;
	for (size_t i = 0; i < n; i++)
		line->mean[i] = pen->m4.columns[i].any ? pen->m4.columns[i].mean : (double)NAN;
	return TS_OK;
}

bool ts_chart_gap(const int64_t *keys, size_t n, size_t i)
{
	double before = i > 0 ? ts_key_distance(keys[i - 1], keys[i]) : 0, after, near;

	if (i + 1 >= n)
		return false;
	after = i + 2 < n ? ts_key_distance(keys[i + 1], keys[i + 2]) : 0;
	near = before > after ? before : after;
	return near > 0 && ts_key_distance(keys[i], keys[i + 1]) > GAP * near;
}
