#include "analysis/stats/permutation.h"

#include "base/order.h"

#include <math.h>

enum { GRID = 8192 };

static void range_of(const double *x, size_t n_ranks, size_t n_blocks, size_t block, double *ret_min, double *ret_range)
{
	double min = x[block], max = x[block];

	for (size_t a = 1; a < n_ranks; a++) {
		double v = x[a * n_blocks + block];

		min = v < min ? v : min;
		max = v > max ? v : max;
	}
	*ret_min = min;
	*ret_range = max - min;
}

/* Turns `now` into the distribution of its sum with one more draw; it has n cells before. */
static void convolve(double *now, double *next, size_t n, const double *chance, size_t n_chance)
{
	for (size_t i = 0; i < n + n_chance - 1; i++)
		next[i] = 0;
	for (size_t j = 0; j < n_chance; j++) {
		double c = chance[j];

		for (size_t i = 0; c > 0 && i < n; i++)
			next[i + j] += c * now[i];
	}
	for (size_t i = 0; i < n + n_chance - 1; i++)
		now[i] = next[i];
}

enum ts_status ts_permutation_p(const double *x, size_t n_ranks, size_t n_blocks, struct ts_arena *arena, double *ret_p,
				struct ts_error *err)
{
	double *now = ts_arena_array(arena, GRID, sizeof *now), *next = ts_arena_array(arena, GRID, sizeof *next);
	double *chance = ts_arena_array(arena, GRID, sizeof *chance), min, range, total = 0;
	size_t *at = ts_arena_array(arena, n_ranks, sizeof *at), n = 1;
	size_t slack = (size_t)ceil(sqrt((double)n_blocks)); /* 2.4 standard deviations of the effect of rounding on a difference */

	if (!now || !next || !chance || !at)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < n_blocks; k++) {
		range_of(x, n_ranks, n_blocks, k, &min, &range);
		total += range;
	}
	now[0] = 1;
	for (size_t k = 0; k < n_blocks && total > 0; k++) {
		size_t width = 0;

		range_of(x, n_ranks, n_blocks, k, &min, &range);
		for (size_t a = 0; a < n_ranks; a++) {
			/* Rounding adds at most half a cell for each block. */
			size_t cell = (size_t)((x[a * n_blocks + k] - min) / total * (GRID - 1 - n_blocks) + 0.5);

			chance[cell] += 1 / (double)n_ranks;
			at[a] += cell;
			width = cell > width ? cell : width;
		}
		convolve(now, next, n, chance, width + 1);
		n += width;
		for (size_t i = 0; i <= width; i++)
			chance[i] = 0;
	}
	for (size_t i = n - 1; i > 0; i--)
		now[i - 1] += now[i];
	for (size_t a = 0; a < n_ranks; a++) {
		size_t from = at[a] > slack ? at[a] - slack : 0;

		ret_p[a] = now[from] < 1 ? now[from] : 1;
	}
	return TS_OK;
}

size_t ts_permutation_blocks(size_t n_ranks, double alpha)
{
	double n = (double)n_ranks, p = n;
	size_t blocks = 0;

	if (n_ranks < 2)
		return 0;
	for (; p > alpha; blocks++)
		p /= n;
	return blocks;
}

struct placed {
	double p;
	size_t at;
};

TS_ORDER(by_p, struct placed, TS_UP(p); TS_UP(at))

enum ts_status ts_holm(double *p, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	struct placed *order = ts_arena_array(arena, n, sizeof *order);
	double least = 0;

	if (!order)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		order[i] = (struct placed){.p = p[i], .at = i};
	TS_SORT(order, n, by_p);
	for (size_t i = 0; i < n; i++) {
		double adjusted = order[i].p * (double)(n - i);

		least = adjusted > least ? adjusted : least;
		p[order[i].at] = least < 1 ? least : 1;
	}
	return TS_OK;
}
