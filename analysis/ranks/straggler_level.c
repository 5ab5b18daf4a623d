#include "analysis/ranks/straggler_level.h"

#include "analysis/stats/outlier.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"

#include <math.h>

enum { PARTS = 48, PART_LEAST = 4, SETTLED = 250 };

static const double LIMIT = 1000; /* of W, from SETTLED cells on */

/* --- five ranks or more --- */

static enum ts_status by_others(const double *x, size_t n_ranks, size_t n_cells, double usual, double alpha, struct ts_arena *arena,
				double *ret_p, bool *ret_decidable, struct ts_error *err)
{
	double *level = ts_arena_array(arena, n_ranks, sizeof *level), *far = ts_arena_array(arena, n_ranks, sizeof *far);
	double others = (double)n_ranks - 1, mid, spread;

	if (!level || !far)
		return ts_arena_error(arena, err);
	for (size_t a = 0; a < n_ranks; a++)
		level[a] = ts_mean(x + a * n_cells, n_cells) * (double)n_cells;
	if (ts_outliers(level, n_ranks, arena, ret_p, err))
		return err->status;
	mid = ts_median(level, n_ranks, far);
	for (size_t a = 0; a < n_ranks; a++)
		level[a] = fabs(level[a] - mid);
	spread = TS_MAD_TO_SD * ts_median(level, n_ranks, far) * sqrt(1 + 1 / others);
	*ret_decidable = -ts_student_quantile(alpha / (double)n_ranks, others - 1) * spread <= TS_LEVEL_SHOWS * usual;
	return TS_OK;
}

/* --- fewer --- */

/* Fills the mean of each part, less that of all ranks. */
static void fill_parts(const double *x, size_t n_ranks, size_t n_cells, size_t parts, double *out)
{
	for (size_t k = 0; k < parts; k++) {
		size_t from = k * n_cells / parts, to = (k + 1) * n_cells / parts;
		double mean = 0;

		for (size_t a = 0; a < n_ranks; a++) {
			out[a * parts + k] = ts_mean(x + a * n_cells + from, to - from);
			mean += out[a * parts + k] / (double)n_ranks;
		}
		for (size_t a = 0; a < n_ranks; a++)
			out[a * parts + k] -= mean;
	}
}

/* Returns the least mean whose W reaches the limit. */
static double least_of(const double *y, size_t parts, double limit, double *ret_mean)
{
	double n = (double)parts, mean = ts_mean(y, parts), sum = 0, left = 0;

	for (size_t k = 0; k < parts; k++) {
		sum += y[k] - mean;
		left += sum * sum / (n * n);
	}
	*ret_mean = mean;
	return sqrt(limit * left / n);
}

static enum ts_status by_course(const double *x, size_t n_ranks, size_t n_cells, double usual, double alpha, struct ts_arena *arena,
				double *ret_p, bool *ret_decidable, struct ts_error *err)
{
	size_t parts = n_cells / PART_LEAST < PARTS ? n_cells / PART_LEAST : PARTS;
	double *y = ts_arena_array(arena, n_ranks * PARTS, sizeof *y);
	double limit = LIMIT * pow(fmax(1, (double)SETTLED / (double)n_cells), 2);

	if (!y)
		return ts_arena_error(arena, err);
	fill_parts(x, n_ranks, n_cells, parts, y);
	*ret_decidable = true;
	for (size_t a = 0; a < n_ranks; a++) {
		double mean, least = least_of(y + a * parts, parts, limit, &mean);

		ret_p[a] = mean > least ? alpha : 1;
		*ret_decidable &= least * (double)n_cells <= TS_LEVEL_SHOWS * usual;
	}
	return TS_OK;
}

enum ts_status ts_straggler_levels(const double *x, size_t n_ranks, size_t n_cells, double usual, double alpha, struct ts_arena *arena,
				   double *ret_p, bool *ret_decidable, struct ts_error *err)
{
	*ret_decidable = false;
	if (n_cells < TS_LEVEL_CELLS)
		return TS_OK;
	if ((n_ranks >= TS_OUTLIERS_OF ? by_others : by_course)(x, n_ranks, n_cells, usual, alpha, arena, ret_p, ret_decidable, err))
		return err->status;
	for (size_t a = 0; a < n_ranks; a++)
		*ret_decidable |= ret_p[a] <= alpha;
	return TS_OK;
}
