#include "analysis/stats/outlier.h"

#include "analysis/stats/student.h"
#include "base/order.h"

#include <math.h>

struct placed {
	double v;
	size_t at;
};

TS_ORDER(downward, struct placed, TS_DOWN(v); TS_UP(at))

/* Returns the chance that the first of n values, sorted downward, is as far above the rest, among n. */
static double chance_of(const struct placed *x, size_t n)
{
	double others = (double)(n - 1), mean = 0, square = 0, t;

	for (size_t i = 1; i < n; i++)
		mean += x[i].v / others;
	for (size_t i = 1; i < n; i++)
		square += (x[i].v - mean) * (x[i].v - mean);
	if (!(x[0].v > mean))
		return 1;
	if (!(square > 0))
		return 0;
	t = (x[0].v - mean) / sqrt(square / (others - 1) * (1 + 1 / others));
	return fmin(1, ts_student_cdf(-t, others - 1) * (double)n);
}

enum ts_status ts_outliers(const double *x, size_t n, struct ts_arena *arena, double *ret_p, struct ts_error *err)
{
	struct placed *order = ts_arena_array(arena, n, sizeof *order);
	double least = 1;

	if (!order)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		order[i] = (struct placed){.v = x[i], .at = i};
		ret_p[i] = 1;
	}
	TS_SORT(order, n, downward);
	for (size_t i = n / 2; i-- > 0;) {
		least = n - i >= TS_OUTLIERS_OF ? fmin(least, chance_of(order + i, n - i)) : least;
		ret_p[order[i].at] = least;
	}
	return TS_OK;
}
