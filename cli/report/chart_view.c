#include "cli/report/chart_view.h"

#include "analysis/answer/chart_band.h"
#include "base/order.h"
#include "base/text.h"
#include "cli/view/show_value.h"
#include "run/head.h"

#include <math.h>

/* Room for the sentences: of bands one for each, of runs a few of each kind. */
enum { NOTES_MOST = TS_CHART_RUNS_MAX + 64 };

static void note(struct ts_chart_view *v, const char *text)
{
	if (text && *text && v->n_notes < v->cap)
		v->notes[v->n_notes++] = text;
}

static const char *letter_of(size_t i, struct ts_arena *arena)
{
	if (i < 26)
		return ts_arena_printf(arena, "%c", (int)('a' + i));
	if (i < 52)
		return ts_arena_printf(arena, "%c", (int)('A' + i - 26));
	return ts_arena_printf(arena, "%zu", i + 1);
}

static const char *column_shown(const struct ts_chart *chart, struct ts_arena *arena)
{
	static const char group[] = "scalars.";
	struct ts_span name = chart->column;

	if (ts_span_starts(name, ts_span_str(group)))
		name = ts_span_of(name.data + sizeof group - 1, name.len - (sizeof group - 1));
	return ts_show_text(name, arena);
}

/* --- axes --- */

static void widen(double *low, double *high, double value)
{
	if (!isfinite(value))
		return;
	*low = value >= *low ? *low : value; /* the ends are NaN at first */
	*high = value <= *high ? *high : value;
}

static void choose_y(struct ts_chart_view *v)
{
	double low = NAN, high = NAN;

	for (size_t i = 0; i < v->n; i++) {
		const struct ts_view_line *line = &v->lines[i];

		for (size_t k = 0; k < line->path.n; k++)
			widen(&low, &high, line->path.y[k]);
		for (size_t k = 0; line->low && k < v->chart->columns; k++) {
			widen(&low, &high, line->low[k]);
			widen(&low, &high, line->high[k]);
		}
	}
	v->y = isnan(low) ? ts_scale_of(1, 1, v->chart->log_y) : ts_scale_of(low, high, v->chart->log_y);
}

static void choose_x(struct ts_chart_view *v, struct ts_arena *arena)
{
	static const struct {
		double from, unit;
		const char *title;
	} times[] = {{172800, 86400, "days"}, {7200, 3600, "hours"}, {300, 60, "minutes"}, {0, 1, "seconds"}};
	const struct ts_chart *chart = v->chart;
	const char *title = ts_chart_axis_word(chart->axis);
	size_t i = 0;

	v->x_unit = 1;
	if (chart->axis == TS_CHART_TIME) {
		while (chart->high - chart->low < times[i].from)
			i++;
		v->x_unit = times[i].unit;
		title = ts_arena_printf(arena, "%s since the first record", times[i].title);
	} else if (chart->axis != TS_CHART_STEP) {
		title = ts_arena_printf(arena, "%s seen", title);
	}
	v->x_title = chart->log_x ? ts_arena_printf(arena, "%s, logarithmic", title ? title : "") : title;
	v->x = isnan(chart->low) ? ts_scale_of(1, 1, chart->log_x) : ts_scale_of(chart->low, chart->high, chart->log_x);
}

struct ts_ticks ts_chart_view_ticks(const struct ts_chart_view *view, size_t most, struct ts_arena *arena)
{
	struct ts_scale in_unit = {view->x.low / view->x_unit, view->x.high / view->x_unit, view->x.log};
	struct ts_ticks ticks = ts_scale_ticks(&in_unit, TS_UNIT_NONE, most, arena);
	size_t n = 0;

	for (size_t i = 0; i < ticks.n; i++) {
		if (view->chart->axis != TS_CHART_TIME && ticks.at[i] != floor(ticks.at[i]))
			continue; /* there is no half a step */
		ticks.at[n] = ticks.at[i] * view->x_unit;
		ticks.labels[n++] = ticks.labels[i];
	}
	ticks.n = n;
	return ticks;
}

/* --- sentences --- */

static const char *odd_words(const struct ts_chart_line *line)
{
	bool zero = false, other = false;

	for (size_t i = 0; i < line->n_marks; i++) {
		zero |= line->marks[i].what == TS_CHART_NOT_ABOVE_ZERO;
		other |= line->marks[i].what != TS_CHART_NOT_ABOVE_ZERO;
	}
	return zero && other ? "not finite or not above zero" : zero ? "not above zero" : "not finite";
}

/* What is said of single runs. Of each kind so many sentences are said one by one, and the runs of the others are only counted. */
enum saying { NOT_DRAWN, OTHER_NAME, UNPLACED, TIME_GOES_BACK, NOT_FINITE, NO_FACT, SAYINGS };
enum { SAID_MOST = 6 };

struct telling {
	struct ts_chart_view *v;
	const struct ts_chart_labels *labels;
	struct ts_arena *arena;
	struct ts_span usual; /* the name that the first run with the column gives it */
	size_t said[SAYINGS];
};

static bool says(struct telling *t, enum saying what, bool is_so)
{
	t->said[what] += is_so;
	return is_so && t->said[what] <= SAID_MOST;
}

static void say_of(struct telling *t, size_t i)
{
	const struct ts_chart_line *line = &t->v->chart->lines[i];
	const char *name = t->labels->names[i];
	struct ts_arena *arena = t->arena;

	if (says(t, NOT_DRAWN, line->why_not.len > 0))
		note(t->v, ts_arena_printf(arena, "%s is not drawn: %s.", name, ts_show_text(line->why_not, arena)));
	if (says(t, OTHER_NAME, line->column.len && !ts_span_eq(line->column, t->usual)))
		note(t->v, ts_arena_printf(arena, "%s records it as %s.", name, ts_show_text(line->column, arena)));
	if (says(t, UNPLACED, line->unplaced && !line->why_not.len))
		note(t->v, ts_arena_printf(arena, "%s: %s of %s values %s no place on the axis.", name,
					   ts_show_count(line->unplaced, arena), ts_show_count(line->values, arena),
					   line->unplaced == 1 ? "has" : "have"));
	if (says(t, TIME_GOES_BACK, line->back > 0))
		note(t->v, ts_arena_printf(arena, "%s: time goes back %s; its values are drawn in the order of time.", name,
					   ts_show_plural(line->back, "time", arena)));
	if (says(t, NOT_FINITE, line->odd > 0))
		note(t->v, ts_arena_printf(arena, "%s: %s %s %s%s.", name, ts_show_plural(line->odd, "value", arena),
					   line->odd == 1 ? "is" : "are", odd_words(line), t->v->marked ? "; x marks where" : ""));
	if (says(t, NO_FACT, t->labels->by && !line->group))
		note(t->v, ts_arena_printf(arena, "%s does not record %s.", name, t->labels->by));
}

static void say_of_others(struct telling *t)
{
	static const char *const texts[SAYINGS] = {
		"are not drawn",
		"record it under another name",
		"have values without a place on the axis",
		"have times that go back",
		"have values that are not finite or not above zero",
		"do not record the fact",
	};

	for (size_t k = 0; k < SAYINGS; k++)
		if (t->said[k] > SAID_MOST)
			note(t->v, ts_arena_printf(t->arena, "Runs that %s: %zu more.", texts[k], t->said[k] - SAID_MOST));
}

static void say_all(struct ts_chart_view *v, const struct ts_chart_labels *labels, struct ts_arena *arena)
{
	const struct ts_chart *chart = v->chart;
	struct telling t = {.v = v, .labels = labels, .arena = arena};
	bool several = false;
	int32_t rank = TS_RANK_JOB;

	if (chart->smooth > 1)
		note(v, ts_arena_printf(arena, "Smoothed by an exponentially weighted mean of span %g values, corrected for the "
					       "bias of its beginning.", chart->smooth));
	for (size_t i = 0; i < chart->n; i++) {
		several |= chart->lines[i].run.ranks > 1 && chart->lines[i].n;
		rank = chart->lines[i].n ? chart->lines[i].rank : rank;
		t.usual = t.usual.len ? t.usual : chart->lines[i].column;
		say_of(&t, i);
	}
	say_of_others(&t);
	if (several && rank != TS_RANK_JOB)
		note(v, ts_arena_printf(arena, "Of runs with several ranks rank %d is shown; --rank chooses another.", rank));
}

/* --- lines --- */

static const char *value_text(const struct ts_chart *chart, double value, struct ts_arena *arena)
{
	struct ts_measure m = {.unit = chart->unit, .known = true, .value = value};

	return chart->unit == TS_UNIT_NONE ? ts_show_rounded(value, arena) : ts_show_measure(&m, arena);
}

static enum ts_status run_lines(struct ts_chart_view *v, const struct ts_chart_labels *labels, struct ts_arena *arena,
				struct ts_error *err)
{
	const struct ts_chart *chart = v->chart;

	for (size_t i = 0; i < chart->n; i++) {
		const struct ts_chart_line *line = &chart->lines[i];
		const struct ts_fact *group = line->group;
		const char *last;

		if (!line->n && !line->n_marks)
			continue;
		last = line->n ? ts_arena_printf(arena, "last %s", value_text(chart, line->y[line->n - 1], arena)) : "";
		if (labels->by && last)
			last = ts_arena_printf(arena, "%s %s, %s", labels->by, ts_show_fact(group, arena), last);
		v->lines[v->n] = (struct ts_view_line){
			.name = labels->names[i],
			.said = last,
			.path = {line->x, line->y, line->n},
			.marks = line->marks,
			.n_marks = line->n_marks,
		};
		if (!last)
			return ts_arena_error(arena, err);
		v->marked |= line->n_marks > 0;
		v->n++;
	}
	return TS_OK;
}

/* The middle of a band as a path through the middles of columns. */
static enum ts_status middle_path(const struct ts_chart *chart, const double *middle, struct ts_arena *arena, struct ts_m4_path *ret,
				  struct ts_error *err)
{
	struct ts_m4_path path = {.x = ts_arena_array(arena, chart->columns, sizeof *path.x),
				  .y = ts_arena_array(arena, chart->columns, sizeof *path.y)};

	if (!path.x || !path.y)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < chart->columns; i++) {
		double part = ((double)i + 0.5) / (double)chart->columns;

		if (isnan(middle[i]) && (path.n == 0 || isnan(path.y[path.n - 1])))
			continue;
		path.x[path.n] = chart->log_x ? exp(log(chart->low) + part * (log(chart->high) - log(chart->low)))
					      : chart->low + part * (chart->high - chart->low);
		path.y[path.n++] = middle[i];
	}
	if (path.n && isnan(path.y[path.n - 1]))
		path.n--;
	*ret = path;
	return TS_OK;
}

static bool same_group(const struct ts_fact *a, const struct ts_fact *b)
{
	return a && b ? ts_fact_same(a, b) : a == b;
}

/* Adds a line for the group of the lines that are listed in members. */
static enum ts_status group_line(struct ts_chart_view *v, const struct ts_chart_labels *labels, const size_t *members, size_t n,
				 struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_chart *chart = v->chart;
	struct ts_view_line *line = &v->lines[v->n];
	struct ts_chart_band band;
	const char *range, *name = "all runs";

	if (labels->by)
		name = ts_arena_printf(arena, "%s %s", labels->by, ts_show_fact(chart->lines[members[0]].group, arena));
	if (ts_chart_band_of(chart, members, n, arena, &band, err))
		return err->status;
	if (band.runs == 0)
		return TS_OK;
	range = band.runs == 1 ? "1 run"
			       : ts_arena_printf(arena, "%zu runs: median, %s", band.runs,
						 band.deciles ? "10 % to 90 %" : "least to greatest");
	*line = (struct ts_view_line){
		.name = name,
		.said = range,
		.low = band.runs > 1 ? band.low : NULL,
		.high = band.high,
	};
	if (!name || !range)
		return ts_arena_error(arena, err);
	if (band.least < band.runs)
		note(v, ts_arena_printf(arena, "%s: not all of its runs have values everywhere; the median is that of those that have.",
					name));
	v->n++;
	return middle_path(chart, band.middle, arena, &line->path, err);
}

static enum ts_status group_lines(struct ts_chart_view *v, const struct ts_chart_labels *labels, struct ts_arena *arena,
				  struct ts_error *err)
{
	const struct ts_chart *chart = v->chart;
	size_t *members = ts_arena_array(arena, chart->n, sizeof *members);
	bool *taken = ts_arena_array(arena, chart->n, sizeof *taken);

	if (!members || !taken)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < chart->n; i++) {
		size_t n = 0;

		for (size_t k = i; k < chart->n; k++)
			if (!taken[k] && same_group(chart->lines[i].group, chart->lines[k].group)) {
				taken[k] = true;
				members[n++] = k;
			}
		if (n && group_line(v, labels, members, n, arena, err))
			return err->status;
	}
	return TS_OK;
}

/* The last value of a line; NaN: it has none. */
static double end_of(const struct ts_view_line *line)
{
	size_t n = line->path.n;

	while (n && isnan(line->path.y[n - 1]))
		n--;
	return n ? line->path.y[n - 1] : (double)NAN;
}

/* Lines that end alike stay in the order in which they were named. */
TS_ORDER(by_end, struct ts_view_line, TS_BY(isnan(end_of(a)) != 0, isnan(end_of(b)) != 0); TS_DOWN_OF(end_of); TS_UP(nth))

static enum ts_status order_lines(struct ts_chart_view *v, struct ts_arena *arena, struct ts_error *err)
{
	for (size_t i = 0; i < v->n; i++)
		v->lines[i].nth = i;
	TS_SORT(v->lines, v->n, by_end);
	for (size_t i = 0; i < v->n; i++)
		v->lines[i].letter = letter_of(i, arena);
	return ts_arena_check(arena, err);
}

/* A pattern is for the whole name or for what follows a slash in it. */
static bool is_meant(const char *pattern, const char *name)
{
	for (const char *at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
		if (ts_glob(ts_span_str(pattern), ts_span_str(at)))
			return true;
	return false;
}

static enum ts_status highlight(struct ts_chart_view *v, const struct ts_chart_labels *labels, struct ts_error *err)
{
	for (size_t k = 0; k < labels->n_highlight; k++) {
		bool any = false;

		for (size_t i = 0; i < v->n; i++)
			if (is_meant(labels->highlight[k], v->lines[i].name))
				any = v->lines[i].lit = true;
		if (!any)
			return ts_error_set(err, TS_INVALID, "plot: --highlight %s is the name of none of the lines",
					    labels->highlight[k]);
		v->some_lit = true;
	}
	return TS_OK;
}

enum ts_status ts_chart_view_of(const struct ts_chart *chart, const struct ts_chart_labels *labels, struct ts_arena *arena,
				struct ts_chart_view *ret_view, struct ts_error *err)
{
	struct ts_chart_view v = {.chart = chart, .cap = NOTES_MOST, .grouped = labels->bands};
	const char *what = column_shown(chart, arena);

	v.lines = ts_arena_array(arena, chart->n, sizeof *v.lines);
	v.notes = ts_arena_array(arena, v.cap, sizeof *v.notes);
	if (!v.lines || !v.notes || !what)
		return ts_arena_error(arena, err);
	if (labels->bands ? group_lines(&v, labels, arena, err) : run_lines(&v, labels, arena, err))
		return err->status;
	if (order_lines(&v, arena, err) || highlight(&v, labels, err))
		return err->status;
	choose_x(&v, arena);
	choose_y(&v);
	v.y_title = chart->log_y ? ts_arena_printf(arena, "%s, logarithmic", what) : what;
	v.title = ts_arena_printf(arena, "%s of %s by %s%s", what, ts_show_plural(chart->n, "run", arena),
				  ts_chart_axis_word(chart->axis), chart->log_y ? ", logarithmic" : "");
	say_all(&v, labels, arena);
	*ret_view = v;
	return ts_arena_check(arena, err);
}
