/* spark.c - see spark.h. */
#include "cli/report/spark.h"

#include "analysis/stats/stats.h"
#include "base/order.h"

struct column {
	double mean, min, max;
	double shown;
	bool any, broken;
};

/* Joins the cells [from, to) of the plot. A plot from the wire does not say how many values of a cell are finite: if
 * some are, all count as finite. */
static struct column column_of(const struct ts_plot *plot, size_t from, size_t to)
{
	struct column c = {.min = HUGE_VAL, .max = -HUGE_VAL};
	double weight = 0;

	for (size_t i = from; i < to; i++) {
		double w = (double)plot->count[i];

		if (plot->count[i] == 0)
			continue;
		if (!isfinite(plot->mean[i]) || !isfinite(plot->max[i])) {
			c.broken = true;
			continue;
		}
		weight += w;
		c.mean += (plot->mean[i] - c.mean) * (w / weight);
		c.min = plot->min[i] < c.min ? plot->min[i] : c.min;
		c.max = plot->max[i] > c.max ? plot->max[i] : c.max;
		c.any = true;
	}
	return c;
}

static double median(double *x, size_t n)
{
	TS_SORT(x, n, ts_by_double);
	return n % 2 ? x[n / 2] : x[n / 2 - 1] / 2 + x[n / 2] / 2;
}

/* How far above the mean the greatest value of a column must lie to be shown instead of the mean. It is infinite if no
 * column has a value. */
static double outstanding(const struct column *columns, size_t n)
{
	double above[TS_SPARK_MAX], usual;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (columns[i].any)
			above[k++] = columns[i].max - columns[i].mean;
	if (k == 0)
		return HUGE_VAL;
	usual = median(above, k);
	for (size_t i = 0; i < k; i++)
		above[i] = fabs(above[i] - usual);
	return usual + 6 * TS_MAD_TO_SD * median(above, k);
}

/* The values are halved before they are subtracted, because their difference may exceed the range of a double. */
static int level_of(const struct column *c, double low, double high)
{
	double height;

	if (c->broken)
		return TS_SPARK_NONFINITE;
	if (!c->any)
		return TS_SPARK_EMPTY;
	height = (c->shown / 2 - low / 2) / (high / 2 - low / 2) * TS_SPARK_LEVELS;
	if (!(height > 0)) /* this also holds if all values are equal */
		return 0;
	return height >= TS_SPARK_LEVELS ? TS_SPARK_LEVELS - 1 : (int)height;
}

struct ts_spark ts_spark_of(const struct ts_plot *plot, size_t columns)
{
	struct ts_spark s = {.low = NAN, .high = NAN};
	double low = NAN, high = NAN, beyond;
	struct column all[TS_SPARK_MAX];

	columns = columns > TS_SPARK_MAX ? TS_SPARK_MAX : columns;
	s.n = plot->n < columns ? plot->n : columns;
	for (size_t i = 0; i < s.n; i++)
		all[i] = column_of(plot, i * plot->n / s.n, (i + 1) * plot->n / s.n);
	beyond = outstanding(all, s.n);
	for (size_t i = 0; i < s.n; i++) {
		if (!all[i].any)
			continue;
		all[i].shown = all[i].max - all[i].mean > beyond ? all[i].max : all[i].mean;
		low = low <= all[i].shown ? low : all[i].shown;
		high = high >= all[i].shown ? high : all[i].shown;
		s.low = s.low <= all[i].min ? s.low : all[i].min;
		s.high = s.high >= all[i].max ? s.high : all[i].max;
	}
	for (size_t i = 0; i < s.n; i++)
		s.levels[i] = level_of(&all[i], low, high);
	return s;
}

const char *ts_spark_glyph(int level)
{
	static const char *const glyphs[TS_SPARK_LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

	if (level == TS_SPARK_NONFINITE)
		return "×";
	return level >= 0 && level < TS_SPARK_LEVELS ? glyphs[level] : " ";
}
