#include "experiment/scatter.h"

#include "base/door.h"

#include <math.h>
#include <stdint.h>

/* The mean of a group without row `but` (its size: with all). */
static void mean_of(const struct ts_scatter_group *g, size_t but, size_t steps, double *mean)
{
	size_t n = but < g->n ? g->n - 1 : g->n;

	for (size_t t = 0; t < steps; t++) {
		mean[t] = 0;
		for (size_t i = 0; i < g->n; i++)
			mean[t] += i == but ? 0 : g->rows[i][t] / (double)n;
	}
}

static double squares(const struct ts_scatter_group *g, const double *mean, size_t t)
{
	double sum = 0;

	for (size_t i = 0; i < g->n; i++)
		sum += (g->rows[i][t] - mean[t]) * (g->rows[i][t] - mean[t]);
	return sum;
}

/* Weights are one over the variance at each step. A few runs tell little of it, so to each half of the mean over all steps is added; a
 * step at which all runs are equal in a group must not outweigh all others. */
static void weigh(const struct ts_scatter_group *a, const struct ts_scatter_group *b, struct ts_scatter *s)
{
	double all = 0, least;

	for (size_t t = 0; t < s->steps; t++) {
		s->weight[t] = (squares(a, s->mean[0], t) + squares(b, s->mean[1], t)) / (double)(a->n + b->n - 2);
		all += s->weight[t] / (double)s->steps;
	}
	least = 1e-30;
	for (size_t t = 0; t < s->steps; t++)
		s->weight[t] = 1 / fmax(0.5 * s->weight[t] + 0.5 * all, least);
}

static double place(const double *a, const double *b, const double *weight, size_t steps, const double *row)
{
	double along = 0, whole = 0;

	for (size_t t = 0; t < steps; t++) {
		double axis = b[t] - a[t];

		along += weight[t] * axis * (row[t] - a[t]);
		whole += weight[t] * axis * axis;
	}
	return whole > 0 ? along / whole : 0.5;
}

static double distance(const double *mean, const double *weight, size_t steps, const double *row)
{
	double sum = 0;

	for (size_t t = 0; t < steps; t++)
		sum += weight[t] * (row[t] - mean[t]) * (row[t] - mean[t]);
	return sum;
}

void ts_scatter_of(const struct ts_scatter_group *a, const struct ts_scatter_group *b, size_t steps, struct ts_scatter *ret_scatter)
{
	struct ts_scatter *s = ret_scatter;
	const struct ts_scatter_group *groups[2] = {a, b};
	double left_out[TS_SCATTER_STEPS_MOST], sum[2] = {0}, squared[2] = {0}, variance, gap;

	TS_DOOR(a->n >= 3 && b->n >= 3 && a->n <= TS_SCATTER_RUNS_MOST && b->n <= TS_SCATTER_RUNS_MOST);
	TS_DOOR(steps >= 1 && steps <= TS_SCATTER_STEPS_MOST);
	s->steps = steps;
	mean_of(a, SIZE_MAX, steps, s->mean[0]);
	mean_of(b, SIZE_MAX, steps, s->mean[1]);
	weigh(a, b, s);
	s->within = 0;
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < groups[k]->n; i++) {
			const double *row = groups[k]->rows[i];

			mean_of(groups[k], i, steps, left_out);
			double at = place(k ? s->mean[0] : left_out, k ? left_out : s->mean[1], s->weight, steps, row);

			sum[k] += at;
			squared[k] += at * at;
			s->within += distance(left_out, s->weight, steps, row) / (double)(a->n + b->n);
		}
	variance = 0;
	for (size_t k = 0; k < 2; k++)
		variance += fmax(0, squared[k] - sum[k] * sum[k] / (double)groups[k]->n) / (double)(a->n + b->n - 2);
	s->sd = sqrt(variance);
	gap = sum[1] / (double)b->n - sum[0] / (double)a->n;
	/* Rows that are equal to the bit within each group have no scatter: any gap is one. */
	s->t = gap / fmax(s->sd * sqrt(1 / (double)a->n + 1 / (double)b->n), 1e-6);
}

double ts_scatter_place(const struct ts_scatter *s, const double *row, bool *ret_far)
{
	double of_a = distance(s->mean[0], s->weight, s->steps, row), of_b = distance(s->mean[1], s->weight, s->steps, row);

	*ret_far = fmin(of_a, of_b) > TS_SCATTER_FAR * s->within;
	return place(s->mean[0], s->mean[1], s->weight, s->steps, row);
}
