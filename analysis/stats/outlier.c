#include "analysis/stats/outlier.h"

#include "analysis/stats/student.h"

#include <math.h>
#include <stdlib.h>

struct placed {
	double v;
	size_t at;
};

static int downward(const void *x, const void *y)
{
	const struct placed *a = x, *b = y;

	if (a->v < b->v || a->v > b->v)
		return a->v > b->v ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Asks whether the first of n values, sorted downward, is an outlier among the rest. */
static bool stands_out(const struct placed *x, size_t n, double alpha)
{
	double others = (double)(n - 1), mean = 0, square = 0, t;

	for (size_t i = 1; i < n; i++)
		mean += x[i].v / others;
	for (size_t i = 1; i < n; i++)
		square += (x[i].v - mean) * (x[i].v - mean);
	if (!(x[0].v > mean))
		return false;
	if (!(square > 0))
		return true;
	t = (x[0].v - mean) / sqrt(square / (others - 1) * (1 + 1 / others));
	return ts_student_cdf(-t, others - 1) * (double)n <= alpha;
}

enum ts_status ts_outliers(const double *x, size_t n, double alpha, struct ts_arena *arena, bool *ret_out, struct ts_error *err)
{
	struct placed *order = ts_arena_array(arena, n, sizeof *order);
	size_t out = 0;

	if (!order)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		order[i] = (struct placed){.v = x[i], .at = i};
		ret_out[i] = false;
	}
	qsort(order, n, sizeof *order, downward);
	for (size_t i = 0; i < n / 2 && n - i >= TS_OUTLIERS_OF; i++)
		if (stands_out(order + i, n - i, alpha))
			out = i + 1;
	for (size_t i = 0; i < out; i++)
		ret_out[order[i].at] = true;
	return TS_OK;
}
