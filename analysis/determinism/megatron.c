#include "analysis/determinism/megatron.h"

#include "analysis/stats/stats.h"

#include <math.h>

#define RELATIVE 0.05
#define RELATIVE_OF_ZEROS 0.20

enum { LET_SHARE = 100, LET_MOST = 50, SHORT_ENDS = 25, WINDOW = 16, BEHIND_IT = 4 };

/* A value as it is compared: one that is not there is infinite, and so equal to another one that is not. */
static double rounded(double value)
{
	const double scale = pow(10, TS_GOLDEN_NVIDIA_DECIMALS);

	return isfinite(value) ? rint(value * scale) / scale : value;
}

static double at(const struct ts_golden_series *s, int64_t step)
{
	const struct ts_golden_value *value = ts_golden_at(s, step);

	return value ? rounded(value->real) : (double)INFINITY;
}

static void look(struct ts_megatron *out, int64_t step, double golden, double seen, double relative)
{
	out->points++;
	if (golden == seen || (isfinite(golden) && fabs(seen - golden) <= relative * fabs(golden)))
		return;
	if (out->others++ && step >= out->step)
		return;
	out->step = step;
	out->golden = isinf(golden) ? (double)NAN : golden;
	out->seen = isinf(seen) ? (double)NAN : seen;
}

/* The steps of a steady stretch, and of a record that has none of them the first ones behind its begin: steps before it are slow for
 * other reasons. */
static size_t steady(const struct ts_golden_series *s, const struct ts_golden_value *ret_steps[WINDOW])
{
	int64_t first = s->n && s->values[s->n - 1].step <= SHORT_ENDS ? 5 : 30;
	size_t begin = 0, n = 0;

	while (begin < s->n && s->values[begin].step < first)
		begin++;
	for (size_t i = begin; i < s->n && s->values[i].step < first + WINDOW; i++)
		ret_steps[n++] = &s->values[i];
	if (n)
		return n;
	for (; begin + n < s->n && n < BEHIND_IT; n++)
		ret_steps[n] = &s->values[begin + n];
	return n;
}

static void of_time(const struct ts_golden_series *golden, const struct ts_golden_series *seen, struct ts_megatron *out)
{
	const struct ts_golden_value *steps[WINDOW];
	double theirs[WINDOW], ours[WINDOW], scratch[WINDOW];
	size_t n = steady(golden, steps);

	for (size_t i = 0; i < n; i++) {
		theirs[i] = rounded(steps[i]->real);
		ours[i] = at(seen, steps[i]->step);
	}
	if (n)
		look(out, steps[0]->step, ts_median(theirs, n, scratch), ts_median(ours, n, scratch), RELATIVE);
}

/* As many of n steps as may differ, over n: in doubles, as there. */
static double let_pass(double n)
{
	return n == 1 ? 0 : fmin(fmax(floor(n / LET_SHARE), 1), LET_MOST) / n;
}

void ts_megatron_of(const struct ts_golden_series *golden, const struct ts_golden_series *seen, enum ts_megatron_what what, bool exact,
		    struct ts_megatron *ret)
{
	bool strict = exact && what != TS_MEGATRON_MEMORY;
	double relative = strict ? 0 : what == TS_MEGATRON_ZEROS ? RELATIVE_OF_ZEROS : RELATIVE, n, may;

	*ret = (struct ts_megatron){.alike = false};
	if (what == TS_MEGATRON_TIME) {
		of_time(golden, seen, ret);
		ret->alike = ret->points && !ret->others;
		return;
	}
	for (size_t i = 0; i < golden->n; i++)
		look(ret, golden->values[i].step, rounded(golden->values[i].real), at(seen, golden->values[i].step), relative);
	for (size_t i = 0; i < golden->n_empty; i++)
		look(ret, golden->empty[i], (double)INFINITY, at(seen, golden->empty[i]), relative);
	n = (double)ret->points;
	may = relative > 0 ? let_pass(golden->said > 0 ? golden->said : n) : 0;
	ret->alike = ret->points && (n - (double)ret->others) / n >= 1 - may;
}
