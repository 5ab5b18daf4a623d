#include "analysis/stats/correlation.h"

#include <math.h>
#include <string.h>

enum { MEANS_MIN = 16 }; /* the correlation of fewer means is too uncertain to use */

/* A one-sided bound of 97.5 %. */
#define BOUND 1.96
/* A one-sided bound of 99.4 %, for means over several cells, at several scales. */
#define SEEN 2.5
/* The possible error of the correction for bias where there are few means. */
#define MISFIT 0.3
/* Like SEEN, but for a variance, whose error is larger upward. */
#define SKEWED 3
/* The factor by which the variance of long means may grow past blocks of the chosen length, beyond what the correlation found
 * so far makes it grow: for rho near 1 that is 1.33, whatever the length, since a block is two autocorrelation times. */
#define LEFT_OVER 1.25
/* A correlation below this does not need a block: the variance of a sum is wrong by less than a quarter. */
#define NEGLIGIBLE 0.1

size_t ts_level_change(const double *x, size_t n, double *ret_before, double *ret_after)
{
	double sum = 0, mean, best = -1, at_best = 0;
	size_t cut = 1;

	for (size_t i = 0; i < n; i++)
		sum += x[i] / (double)n;
	mean = sum;
	sum = 0;
	for (size_t i = 1; i < n; i++) {
		double gain;

		sum += x[i - 1] - mean;
		gain = sum * sum / ((double)i * (double)(n - i));
		if (gain > best) {
			best = gain;
			at_best = sum;
			cut = i;
		}
	}
	*ret_before = mean + at_best / (double)cut;
	*ret_after = mean - at_best / (double)(n - cut);
	return cut;
}

/* Computes the lag-1 correlation of n values about 0 that have lost three degrees of freedom. Returns false if all
 * values are 0. */
static bool correlation_of(const double *x, size_t n, double *ret)
{
	double steps = 0, square = 0;

	for (size_t i = 0; i < n; i++)
		square += x[i] * x[i];
	for (size_t i = 1; i < n; i++)
		steps += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
	if (!(square > 0) || !isfinite(square))
		return false;
	*ret = 1 - steps / (2 * (double)(n - 1)) / (square / (double)(n - 2));
	return true;
}

struct level {
	double rho;   /* the estimate without its bias */
	double error; /* its standard deviation where there is no autocorrelation */
	bool any;
};

static struct level level_of(const double *x, size_t stride, size_t n_series, size_t n_independent, size_t n)
{
	double sum = 0, s = (double)n, none, slope;
	size_t counted = 0;

	for (size_t a = 0; a < n_series; a++) {
		double r;

		if (!correlation_of(x + a * stride, n, &r))
			continue;
		sum += r;
		counted++;
	}
	if (!counted)
		return (struct level){.any = false};
	/* The mean of the estimate is `none` where rho is 0, and it grows by `slope`. */
	none = n < 20 ? -0.03 : -2.8 / s + 35 / (s * s);
	slope = 1 / (1 + 14 / s + 100 / (s * s));
	if (n_independent > counted)
		n_independent = counted;
	return (struct level){
		.rho = (sum / (double)counted - none) / slope,
		.error = 1 / sqrt((double)n_independent * s) / slope,
		.any = true,
	};
}

/* Returns the block length for this correlation of neighbours; 0 means that no length is enough. */
static double length_of(double rho)
{
	if (rho >= 1)
		return 0;
	return rho <= NEGLIGIBLE ? 1 : ceil(2 * (1 + rho) / (1 - rho));
}

/* Returns the variance of the sum of b values of an AR(1) series, in variances of one value; rho < 1. */
static double sum_varies(double rho, double b)
{
	return b + 2 * rho / (1 - rho) * (b - (1 - pow(rho, b)) / (1 - rho));
}

/* Returns the correlation of the means of two neighbouring stretches of b values of an AR(1) series. */
static double means_correlate(double rho, double b)
{
	double decay;

	if (rho <= 0)
		return 0;
	if (rho > 0.9999)
		return 1;
	decay = 1 - pow(rho, b);
	return rho * decay * decay / ((1 - rho) * (1 - rho) * sum_varies(rho, b));
}

/* Returns what growth_in (below) becomes at b, divided by what it is at `block`, in an AR(1) series. */
static double means_grow(double rho, double block, double b)
{
	if (rho <= 0 || rho > 0.9999)
		return 1;
	return sum_varies(rho, b) / b / (sum_varies(rho, block) / block);
}

/* Computes b times the variance of means over b values, divided by the variance of one value, from all stretches of
 * b of n values about 0. Without autocorrelation the ratio is 1. Returns false if all values are 0. */
static bool growth_in(const double *x, size_t n, size_t b, double *ret)
{
	double square = 0, sum = 0, sums = 0;

	for (size_t i = 0; i < n; i++)
		square += x[i] * x[i];
	for (size_t i = 0; i < n; i++) {
		sum += x[i] - (i >= b ? x[i - b] : 0);
		sums += i + 1 >= b ? sum * sum : 0;
	}
	*ret = sums / (double)(n - b + 1) / (double)b / (square / (double)n);
	return square > 0 && isfinite(square);
}

/* Averages that ratio over the series that give one, and corrects it for the removal of levels: 2.9 b/n (the same
 * simulations). */
static double growth_of(const double *x, size_t n_series, size_t n, size_t b, size_t *ret_counted)
{
	double growth, sum = 0;
	size_t counted = 0;

	for (size_t a = 0; a < n_series; a++) {
		if (!growth_in(x + a * n, n, b, &growth))
			continue;
		sum += growth;
		counted++;
	}
	*ret_counted = counted;
	return counted ? sum / (double)counted / (1 - 2.9 * (double)b / (double)n) : 0;
}

/* Asks whether means over b cells vary by more than blocks of `block` cells and the correlation found so far would allow,
 * which makes them grow by `expected`. b/n is at most 1/TS_CORRELATION_CELLS_MIN. The deviation is 0.8 of its value for long
 * series. */
static bool grows(const double *x, size_t n_series, size_t n_independent, size_t n, size_t block, size_t b, double expected)
{
	size_t counted;
	double now = growth_of(x, n_series, n, block, &counted), then = growth_of(x, n_series, n, b, &counted);
	double series = (double)(n_independent < counted ? n_independent : counted), share = (double)(b - block) / (double)n;
	double bound = 1 + SKEWED * 0.8 * sqrt(4.0 / 3 * share / series);

	return counted && then > now * expected * (bound > LEFT_OVER ? bound : LEFT_OVER);
}

static void take_out_levels(const double *x, double *out, size_t n)
{
	double before, after;
	size_t cut = ts_level_change(x, n, &before, &after);

	for (size_t i = 0; i < n; i++)
		out[i] = x[i] - (i < cut ? before : after);
}

/* Replaces pairs of neighbours by their means, in place; an odd one at the end is dropped. */
static void halve(double *x, size_t stride, size_t n_series, size_t n)
{
	for (size_t a = 0; a < n_series; a++)
		for (size_t i = 0; i < n / 2; i++)
			x[a * stride + i] = (x[a * stride + 2 * i] + x[a * stride + 2 * i + 1]) / 2;
}

enum ts_status ts_correlation_length(const double *x, size_t stride, size_t n_series, size_t n_independent, size_t n_cells,
				     struct ts_arena *arena, size_t *ret_cells, struct ts_error *err)
{
	double *rest, *means, length = 1, rho = 0, since = 1;
	size_t width = 1;

	*ret_cells = 0;
	if (n_cells < TS_CORRELATION_CELLS_MIN)
		return TS_OK;
	rest = n_series < SIZE_MAX / n_cells ? ts_arena_array(arena, n_series * n_cells, sizeof *rest) : NULL;
	means = rest ? ts_arena_array(arena, n_series * n_cells, sizeof *means) : NULL;
	if (!means)
		return ts_arena_error(arena, err);
	for (size_t a = 0; a < n_series; a++)
		take_out_levels(x + a * stride, rest + a * n_cells, n_cells);
	memcpy(means, rest, n_series * n_cells * sizeof *rest);
	for (size_t n = n_cells; n >= TS_CORRELATION_CELLS_MIN && length > 0; n /= 2, width *= 2) {
		struct level l = level_of(means, n_cells, n_series, n_independent, n);
		double bound = SEEN * l.error > MISFIT ? SEEN * l.error : MISFIT;
		/* Asks whether the means correlate, or vary by more than the autocorrelation found so far explains. */
		bool more = width == 1 || (n >= MEANS_MIN && l.rho - means_correlate(rho, (double)width / since) > bound) ||
			    ((double)width > length &&
			     grows(rest, n_series, n_independent, n_cells, (size_t)length, width,
				   means_grow(rho, length / since, (double)width / since)));

		if (l.any && more) {
			rho = l.rho + BOUND * l.error;
			since = (double)width;
			length = since * length_of(rho);
		}
		halve(means, n_cells, n_series, n);
	}
	*ret_cells = length <= (double)n_cells ? (size_t)length : 0;
	return TS_OK;
}
