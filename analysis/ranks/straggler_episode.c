#include "analysis/ranks/straggler_episode.h"

#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"

#include <math.h>

enum { SHORTEST = 16 };

/* The windows of one length, [rank][window]: first those that end with the series, then those half a window before. */
struct windows {
	size_t width, aligned, n; /* of one rank: aligned at the end, and in all */
	double *means, *scale, *scratch;
};

static void fill(struct windows *w, const double *x, size_t n_ranks, size_t n_cells)
{
	for (size_t a = 0; a < n_ranks; a++)
		for (size_t k = 0; k < w->n; k++) {
			size_t back = k < w->aligned ? (k + 1) * w->width
						     : (k - w->aligned + 1) * w->width + w->width / 2;

			w->means[a * w->n + k] = ts_mean(x + a * n_cells + n_cells - back, w->width);
		}
}

/* Takes the median of its windows from each rank, and finds the scale of each rank and of all. */
static double scales(struct windows *w, size_t n_ranks, double *distances)
{
	for (size_t a = 0; a < n_ranks; a++) {
		double *means = w->means + a * w->n, *d = distances + a * w->n, mid = ts_median(means, w->n, w->scratch);

		for (size_t k = 0; k < w->n; k++) {
			means[k] -= mid;
			d[k] = fabs(means[k]);
		}
		w->scale[a] = TS_MAD_TO_SD * ts_median(d, w->n, w->scratch);
	}
	return TS_MAD_TO_SD * ts_median(distances, n_ranks * w->n, w->scratch);
}

static void slowest_windows(const struct windows *w, size_t n_ranks, double all, double *ret_p)
{
	for (size_t a = 0; a < n_ranks; a++) {
		double most = 0, scale = w->scale[a] > all ? w->scale[a] : all, p;

		for (size_t k = 0; k < w->n; k++)
			most = w->means[a * w->n + k] > most ? w->means[a * w->n + k] : most;
		if (!(most > 0) || !(scale > 0))
			continue;
		p = ts_student_cdf(-most / scale, (double)w->aligned);
		ret_p[a] = p < ret_p[a] ? p : ret_p[a];
	}
}

enum ts_status ts_straggler_episodes(const double *x, size_t n_ranks, size_t n_cells, size_t least, struct ts_arena *arena,
				     double *ret_p, struct ts_error *err)
{
	size_t most = 2 * (n_cells / SHORTEST) + 1, tested = 0;
	double *distances = n_ranks < SIZE_MAX / most ? ts_arena_array(arena, n_ranks * most, sizeof *distances) : NULL;
	struct windows w = {.width = SHORTEST, .scale = ts_arena_array(arena, n_ranks, sizeof *w.scale)};

	w.means = distances ? ts_arena_array(arena, n_ranks * most, sizeof *w.means) : NULL;
	w.scratch = distances ? ts_arena_array(arena, n_ranks * most, sizeof *w.scratch) : NULL;
	if (!w.scale || !w.means || !w.scratch)
		return ts_arena_error(arena, err);
	for (size_t a = 0; a < n_ranks; a++)
		ret_p[a] = 1;
	while (w.width * TS_EPISODE_WINDOWS_MOST < n_cells || w.width < least)
		w.width *= 2;
	for (; n_cells / w.width >= TS_EPISODE_WINDOWS; w.width *= 2) {
		w.aligned = n_cells / w.width;
		w.n = w.aligned + (n_cells - w.width / 2) / w.width;
		fill(&w, x, n_ranks, n_cells);
		slowest_windows(&w, n_ranks, scales(&w, n_ranks, distances), ret_p);
		tested += n_ranks * w.n;
	}
	for (size_t a = 0; a < n_ranks; a++)
		ret_p[a] = tested ? fmin(1, ret_p[a] * (double)tested) : 1;
	return TS_OK;
}
