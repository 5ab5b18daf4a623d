#include "analysis/answer/chart_band.h"

#include "base/order.h"

#include <math.h>

static double between(const struct ts_chart *chart, double a, double b, double part)
{
	if (chart->log_y && a > 0 && b > 0)
		return exp(log(a) + part * (log(b) - log(a)));
	return a * (1 - part) + b * part;
}

/* The values of a line in all columns: its means, and what lies on the line between two columns that it joins. */
static void values_of(const struct ts_chart *chart, const struct ts_chart_line *line, double *values)
{
	struct ts_m4_grid grid = ts_chart_grid(chart);

	for (size_t i = 0; i < chart->columns; i++)
		values[i] = line->mean[i];
	for (size_t i = 1; i < line->n; i++) {
		size_t from, to;

		if (isnan(line->y[i - 1]) || isnan(line->y[i]))
			continue;
		from = ts_m4_column(&grid, line->x[i - 1]);
		to = ts_m4_column(&grid, line->x[i]);
		for (size_t k = from + 1; k < to; k++)
			values[k] = between(chart, line->mean[from], line->mean[to], (double)(k - from) / (double)(to - from));
	}
}

static double quantile(const double *sorted, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t i = (size_t)at;

	return i + 1 < n ? sorted[i] * (1 - (at - (double)i)) + sorted[i + 1] * (at - (double)i) : sorted[i];
}

/* Fills one column from the values that count in it. */
static void fill(struct ts_chart_band *band, size_t column, double *values, size_t n)
{
	if (n == 0)
		return;
	TS_SORT(values, n, ts_by_double);
	band->middle[column] = quantile(values, n, 0.5);
	band->least = band->most && band->least < n ? band->least : n;
	band->most = n > band->most ? n : band->most;
	if (n < 2)
		return;
	band->low[column] = band->deciles ? quantile(values, n, 0.1) : values[0];
	band->high[column] = band->deciles ? quantile(values, n, 0.9) : values[n - 1];
}

enum ts_status ts_chart_band_of(const struct ts_chart *chart, const size_t *lines, size_t n, struct ts_arena *arena,
				struct ts_chart_band *ret_band, struct ts_error *err)
{
	struct ts_chart_band band = {.low = ts_arena_array(arena, chart->columns, sizeof(double)),
				     .middle = ts_arena_array(arena, chart->columns, sizeof(double)),
				     .high = ts_arena_array(arena, chart->columns, sizeof(double))};
	double *all = ts_arena_array(arena, n, chart->columns * sizeof *all), *here = ts_arena_array(arena, n, sizeof *here);

	if (!band.low || !band.middle || !band.high || !all || !here)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		if (chart->lines[lines[i]].n_mean)
			values_of(chart, &chart->lines[lines[i]], all + chart->columns * band.runs++);
	band.deciles = band.runs >= TS_BAND_DECILES_FROM;
	for (size_t column = 0; column < chart->columns; column++) {
		size_t k = 0;

		band.low[column] = band.middle[column] = band.high[column] = NAN;
		for (size_t i = 0; i < band.runs; i++)
			if (!isnan(all[i * chart->columns + column]))
				here[k++] = all[i * chart->columns + column];
		fill(&band, column, here, k);
	}
	*ret_band = band;
	return TS_OK;
}
