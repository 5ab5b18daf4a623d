#include "analysis/diverge/pattern_report.h"

#include "base/door.h"

#include <math.h>

enum { POINTS_LEAST = 12, LATE_MOST = 8, WINDOW_MOST = 128, TIMES_SLACK = 50 };

static const double factor_least = 0.05, factor_most = 0.9999;

static bool near(double x, double y, double slack)
{
	return fabs(x - y) <= slack;
}

static bool all_finite(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

/* From one record to the next the values change by far more than they may be off by, at more than half of the records. */
static bool varies(const double *x, size_t n, double slack)
{
	size_t changes = 0;

	for (size_t i = 1; i < n; i++)
		changes += fabs(x[i] - x[i - 1]) > TIMES_SLACK * slack;
	return changes * 2 > n;
}

static bool is_plus(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	double plus = y[0] - x[0];

	if (fabs(plus) <= TIMES_SLACK * slack)
		return false;
	for (size_t i = 1; i < n; i++)
		if (!near(y[i] - x[i], plus, 2 * slack))
			return false;
	*ret = (struct ts_pattern_report){.rule = TS_REPORT_PLUS, .number = plus, .points = n};
	return true;
}

static bool is_late(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	for (size_t late = 1; late <= LATE_MOST && late + POINTS_LEAST <= n; late++) {
		size_t i = late;

		while (i < n && near(y[i], x[i - late], slack))
			i++;
		if (i < n)
			continue;
		*ret = (struct ts_pattern_report){.rule = TS_REPORT_LATE, .records = late, .points = n - late};
		return true;
	}
	return false;
}

/* y[i] = f y[i-1] + (1 - f) x[i]; f is taken where it is known best. */
static bool is_smoothed(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	double widest = 0, factor = 0;

	for (size_t i = 1; i < n; i++)
		if (fabs(y[i - 1] - x[i]) > widest) {
			widest = fabs(y[i - 1] - x[i]);
			factor = (y[i] - x[i]) / (y[i - 1] - x[i]);
		}
	if (widest <= TIMES_SLACK * slack || !(factor >= factor_least && factor <= factor_most))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!near(y[i], factor * y[i - 1] + (1 - factor) * x[i], 4 * slack))
			return false;
	*ret = (struct ts_pattern_report){.rule = TS_REPORT_SMOOTHED, .number = factor, .points = n - 1};
	return true;
}

/* A mean that was begun with 0 and is divided by the sum of its weights: y[1] (1 + f) = f y[0] + x[1] gives f. */
static bool is_divided(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	double factor = (x[1] - y[1]) / (y[1] - y[0]), weight = 1 - factor, mean = weight * x[0];

	if (!near(x[0], y[0], slack) || fabs(y[1] - y[0]) <= TIMES_SLACK * slack || !(factor >= factor_least && factor <= factor_most))
		return false;
	for (size_t i = 1; i < n; i++) {
		mean = factor * mean + (1 - factor) * x[i];
		weight = factor * weight + (1 - factor);
		if (!near(y[i], mean / weight, 8 * slack))
			return false;
	}
	*ret = (struct ts_pattern_report){.rule = TS_REPORT_SMOOTHED, .number = factor, .points = n - 1};
	return true;
}

/* A mean begins anew where the value itself stands; that must be seldom. */
static bool is_running(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	double sum = 0, count = 0;
	size_t begun = 0;

	for (size_t i = 0; i < n; i++) {
		sum += x[i];
		count += 1;
		if (near(y[i], sum / count, 2 * slack))
			continue;
		if (!near(y[i], x[i], slack))
			return false;
		sum = x[i];
		count = 1;
		begun++;
	}
	if (begun * 3 > n)
		return false;
	*ret = (struct ts_pattern_report){.rule = TS_REPORT_RUNNING, .points = n - begun};
	return true;
}

static bool is_window(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	for (size_t w = 2; w <= WINDOW_MOST && w + POINTS_LEAST <= n; w++) {
		double sum = 0;
		size_t i;

		for (i = 0; i + 1 < w; i++)
			sum += x[i];
		for (; i < n; i++) {
			sum += x[i];
			if (!near(y[i], sum / (double)w, 4 * slack))
				break;
			sum -= x[i + 1 - w];
		}
		if (i < n)
			continue;
		*ret = (struct ts_pattern_report){.rule = TS_REPORT_WINDOW, .records = w, .points = n + 1 - w};
		return true;
	}
	return false;
}

static bool is_root(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	for (size_t i = 0; i < n; i++)
		if (!(x[i] >= 0) || !near(y[i] * y[i], x[i], slack * (1 + 2 * fabs(y[i]))))
			return false;
	*ret = (struct ts_pattern_report){.rule = TS_REPORT_ROOT, .points = n};
	return true;
}

static bool is_exp(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	for (size_t i = 0; i < n; i++)
		if (!near(y[i], exp(x[i]), slack * (1 + fabs(y[i]))))
			return false;
	*ret = (struct ts_pattern_report){.rule = TS_REPORT_EXP, .points = n};
	return true;
}

static bool follows(const double *x, const double *y, size_t n, double slack, struct ts_pattern_report *ret)
{
	return varies(x, n, slack) &&
	       (is_plus(x, y, n, slack, ret) || is_late(x, y, n, slack, ret) || is_smoothed(x, y, n, slack, ret) ||
		is_divided(x, y, n, slack, ret) || is_running(x, y, n, slack, ret) || is_window(x, y, n, slack, ret) ||
		is_root(x, y, n, slack, ret) || is_exp(x, y, n, slack, ret));
}

struct ts_pattern_report ts_pattern_report_find(const double *a, const double *b, size_t n, double slack)
{
	struct ts_pattern_report found = {.rule = TS_REPORT_NONE};

	TS_DOOR(slack >= 0 && isfinite(slack));
	if (n < POINTS_LEAST || !all_finite(a, n) || !all_finite(b, n))
		return found;
	found.second = true;
	if (follows(a, b, n, slack, &found)) {
		found.second = true;
		return found;
	}
	found = (struct ts_pattern_report){.rule = TS_REPORT_NONE};
	(void)follows(b, a, n, slack, &found);
	return found;
}
