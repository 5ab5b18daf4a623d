#include "analysis/diverge/pattern_noise.h"

#include "base/door.h"
#include "base/order.h"

#include <math.h>

enum {
	TURNS_LEAST_PERCENT = 40, /* of records at which the sign changes: 73 % in noise that differs from record to record */
	LAG_FIRST = 3, LAG_LAST = 12, LAG_LEFT = 16, /* lags that neighbours do not make, with so many records left */
	BEGINNING = 8, /* records behind the first that differs, by which the size of the difference is judged */
};

/* The variance of a correlation of independent noise, in records: neighbours share values. */
static const double shared = 1.94;
/* One pair in 10,000, one-sided; one in 100. */
static const double chance = 3.72, power = 2.33;
static const double together_least = 0.6, apart_most = 0.35, same_batches = 0.8, repeats_most = 0.8, wide_least = 0.4;

struct place {
	double value;
	size_t at;
};

TS_ORDER(by_value, struct place, TS_UP(value); TS_UP(at))

/* What lies above the mean of its neighbours, m = n - 2 of them. */
static void rises_of(const double *x, size_t m, double *out)
{
	for (size_t i = 0; i < m; i++)
		out[i] = x[i + 1] - (x[i] + x[i + 2]) / 2;
}

static bool is_noise(const double *rises, size_t m)
{
	size_t turns = 0;

	for (size_t i = 1; i < m; i++)
		turns += (rises[i] > 0) != (rises[i - 1] > 0);
	return turns * 100 >= TURNS_LEAST_PERCENT * (m - 1);
}

/* Replaces values by their ranks around 0; equal ones share the mean of theirs. */
static void rank(double *x, size_t m, struct place *places)
{
	size_t same = 0;

	for (size_t i = 0; i < m; i++)
		places[i] = (struct place){x[i], i};
	TS_SORT(places, m, by_value);
	for (size_t i = 0; i < m; i = same) {
		for (same = i; same < m && places[same].value == places[i].value; same++)
			;
		for (size_t k = i; k < same; k++)
			x[places[k].at] = ((double)i + (double)same - (double)m) / 2;
	}
}

/* Of x with y `lag` records later, both ranks around 0; 0 where nothing varies. */
static double correlate(const double *x, const double *y, size_t m, size_t lag)
{
	double xy = 0, xx = 0, yy = 0;

	for (size_t i = 0; i + lag < m; i++) {
		xy += x[i] * y[i + lag];
		xx += x[i] * x[i];
		yy += y[i + lag] * y[i + lag];
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* The ups and downs of one run are those of the other some records later as well: tasks take turns, or an epoch is a few batches. */
static bool repeats(const double *x, const double *y, size_t m, double r)
{
	for (size_t lag = LAG_FIRST; lag <= LAG_LAST && lag + LAG_LEFT <= m; lag++)
		if (correlate(x, y, m, lag) > repeats_most * r || correlate(y, x, m, lag) > repeats_most * r)
			return true;
	return false;
}

static double median_size(const double *x, size_t m, struct place *places)
{
	for (size_t i = 0; i < m; i++)
		places[i] = (struct place){fabs(x[i]), i};
	TS_SORT(places, m, by_value);
	return places[m / 2].value;
}

static bool differs_one_way(const double *a, const double *b)
{
	size_t above = 0, below = 0;

	for (size_t i = 0; i < BEGINNING; i++) {
		above += a[i] > b[i];
		below += a[i] < b[i];
	}
	return above == BEGINNING || below == BEGINNING;
}

/* From the beginning on the runs differ by about as much as batches do. */
static bool differs_as_noise(const double *a, const double *b, const double *rises, size_t m, struct place *places)
{
	double off[BEGINNING];

	for (size_t i = 0; i < BEGINNING; i++)
		off[i] = a[i] - b[i];
	return median_size(off, BEGINNING, places) >= wide_least * median_size(rises, m, places);
}

static size_t finite_in(const double *a, const double *b, size_t n)
{
	size_t i = 0;

	while (i < n && i < TS_NOISE_POINTS && isfinite(a[i]) && isfinite(b[i]))
		i++;
	return i;
}

struct ts_pattern_noise ts_pattern_noise_find(const double *a, const double *b, size_t n, struct ts_arena *scratch)
{
	struct ts_pattern_noise out = {.records = finite_in(a, b, n)};
	size_t m = out.records > 2 ? out.records - 2 : 0;
	double *x = ts_arena_array(scratch, m + 1, sizeof *x), *y = ts_arena_array(scratch, m + 1, sizeof *y), error;
	struct place *places = ts_arena_array(scratch, m + BEGINNING, sizeof *places);
	bool wide;

	TS_DOOR(n == 0 || (a && b));
	out.one_way = out.records >= BEGINNING && differs_one_way(a, b);
	if (!x || !y || !places || out.records < TS_NOISE_LEAST)
		return out;
	rises_of(a, m, x);
	rises_of(b, m, y);
	if (!is_noise(x, m) || !is_noise(y, m))
		return out;
	wide = !out.one_way && differs_as_noise(a, b, x, m, places);
	rank(x, m, places);
	rank(y, m, places);
	out.correlation = correlate(x, y, m, 0);
	error = 1 / sqrt((double)m / shared - 3);
	if (out.correlation >= together_least && atanh(fmin(out.correlation, 0.9999)) >= chance * error)
		out.answer = repeats(x, y, m, out.correlation) ? TS_NOISE_UNKNOWN : TS_NOISE_TOGETHER;
	else if (wide && out.correlation <= apart_most && atanh(fmax(out.correlation, -0.9999)) + power * error <= atanh(same_batches))
		out.answer = TS_NOISE_APART;
	return out;
}
