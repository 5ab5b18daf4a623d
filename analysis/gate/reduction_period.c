/* reduction_period.c - finds a period in the times of steps: whether every k-th record is slower than the rest.
 *
 * For each k and each place p in it, the mean of the values there is taken in deviations of what a mean of so many would have by
 * chance. Values are cut to three robust deviations first, so that it takes many of a place to pass and no
 * spike does. The highest score is that of the true period: a multiple has the same mean of fewer values, a divisor a smaller one of
 * more. analysis/rank/periods.h names steps that take half again as long, to a person; this finds places that are longer by a few
 * percent, whose median the gate compares.
 */
#include "analysis/gate/reduction.h"

#include "analysis/stats/stats.h"

enum {
	LOOKED_AT = 16384, /* values that are examined */
	LEAST = 8,	   /* values for each place */
};

static const double CLIP = 3.0;
/* The one-sided tail probability of a normal is 1.9e-8; some 8,000 places of periods up to 128 are tested. */
static const double SCORE = 5.5;

/* Scales the values to mean 0 and deviation 1, and clips them. Returns false if they do not differ. */
static bool standardize(const double *values, size_t n, double *z, double *scratch)
{
	double level = ts_median(values, n, scratch), unit, mean, deviation;

	for (size_t i = 0; i < n; i++)
		z[i] = fabs(values[i] - level);
	unit = TS_MAD_TO_SD * ts_median(z, n, scratch);
	if (!(unit > 0))
		unit = 1e-6 * fabs(level);
	if (!(unit > 0))
		return false;
	for (size_t i = 0; i < n; i++) {
		double v = (values[i] - level) / unit;

		z[i] = v > CLIP ? CLIP : v < -CLIP ? -CLIP : v;
	}
	mean = ts_mean(z, n);
	deviation = ts_stddev(z, n, mean);
	if (!(deviation > 0))
		return false;
	for (size_t i = 0; i < n; i++)
		z[i] = (z[i] - mean) / deviation;
	return true;
}

/* Returns the highest score of a place of period k. */
static double score_of(const double *z, const uint64_t *positions, size_t n, size_t k)
{
	double sums[TS_REDUCE_PERIOD_MAX] = {0}, best = 0;
	uint32_t counts[TS_REDUCE_PERIOD_MAX] = {0};
	uint64_t p = positions[0] % k, from = positions[0];

	for (size_t i = 0; i < n; i++) {
		/* Most positions follow each other directly: a division for each would be most of the work. */
		p += positions[i] - from;
		p = p < k ? p : p < 2 * k ? p - k : p % k;
		from = positions[i];
		sums[p] += z[i];
		counts[p]++;
	}
	for (p = 0; p < k; p++) {
		double m = (double)counts[p], score;

		if (counts[p] < LEAST || counts[p] == n)
			continue;
		score = sums[p] / m / sqrt(1 / m - 1 / (double)n);
		best = score > best ? score : best;
	}
	return best;
}

enum ts_status ts_reduce_period(const double *values, const uint64_t *positions, size_t n, struct ts_arena *arena, size_t *ret_period,
				struct ts_error *err)
{
	size_t some = n < LOOKED_AT ? n : LOOKED_AT, found = 0;
	double *z = ts_arena_array(arena, some, sizeof *z), *scratch = ts_arena_array(arena, some, sizeof *scratch);
	double best = SCORE;

	if (!z || !scratch)
		return ts_arena_error(arena, err);
	*ret_period = 0;
	if (some < 2 * LEAST || !standardize(values, some, z, scratch))
		return TS_OK;
	for (size_t k = 2; k <= TS_REDUCE_PERIOD_MAX && k <= some / LEAST; k++) {
		double score = score_of(z, positions, some, k);

		if (score > best) {
			best = score;
			found = k;
		}
	}
	*ret_period = found;
	return TS_OK;
}
