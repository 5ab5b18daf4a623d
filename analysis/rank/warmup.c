#include "analysis/rank/warmup.h"

#include "analysis/stats/stats.h"

#include <float.h>
#include <math.h>

enum {
	REFERENCE_MAX = 2 * TS_WARMUP_MAX, /* steps */
	REFERENCE_MIN = 8,
	BEFORE = 2, /* ordinary steps that may come before the slow steps */
};

static const double UNIT_LEAST = 0.005; /* of a logarithm: 0.5 % */
static const double DRIFT = 3.0, DRIFT_SHORT = 3.5, DEPENDENCE_LEAST = 0.9, PASS = 3.0, ONE_STEP = 5.0;
static const double OFTEN = 0.005; /* rises for each step of the reference */
static const double END_DRIFT = 1.5, END_CLIP = 5.0;
static const double FALL = 10.0; /* a fall of this height ends a rise */

/* A rise of the CUSUM, from its beginning to its greatest value. */
struct rise {
	double height; /* in units */
	size_t length; /* steps */
};

static double log_of(double seconds)
{
	if (!isfinite(seconds))
		return (double)NAN;
	return log(seconds > DBL_MIN ? seconds : DBL_MIN);
}

/* Returns the median of |x - from| (of x if from is NaN) over the values that are numbers, or NaN if there are too
 * few. Scratch has room for n. */
static double median_of(const double *x, size_t n, double from, double *scratch)
{
	static const double half = 50.0;
	double out;
	size_t some = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(x[i]))
			scratch[some++] = isnan(from) ? x[i] : fabs(x[i] - from);
	if (some < REFERENCE_MIN)
		return (double)NAN;
	ts_percentiles(scratch, some, &half, 1, &out);
	return out;
}

/* Turns x into its distance from the median of the reference x[from..n), in robust deviations of the reference. */
static bool standardize(double *x, size_t n, size_t from, double *scratch)
{
	double level = median_of(x + from, n - from, (double)NAN, scratch), unit;

	if (isnan(level))
		return false;
	unit = TS_MAD_TO_SD * median_of(x + from, n - from, level, scratch);
	unit = unit > UNIT_LEAST ? unit : UNIT_LEAST;
	for (size_t i = 0; i < n; i++)
		x[i] = (x[i] - level) / unit;
	return true;
}

static double clip(double z)
{
	return z > 3.0 ? 3.0 : (z < -3.0 ? -3.0 : z);
}

/* Returns the lag-1 autocorrelation of z without its outliers, corrected for the bias of a short series (Kendall
 * 1954). */
static double dependence(const double *z, size_t n)
{
	double squares = 0.0, products = 0.0, mean = 0.0, rho, before = (double)NAN;
	size_t some = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(z[i]))
			mean += (clip(z[i]) - mean) / (double)++some;
	for (size_t i = 0; i < n; i++) {
		double d = clip(z[i]) - mean;

		if (isnan(z[i]))
			continue;
		squares += d * d;
		products += isnan(before) ? 0.0 : d * before;
		before = d;
	}
	if (!(squares > 0.0))
		return 0.0;
	rho = products / squares;
	return rho + (1.0 + 3.0 * rho) / (double)some;
}

/* Returns how far above the usual level a step must be to count as evidence for a warm-up. */
static double drift_for(const double *reference, size_t n)
{
	double rho = dependence(reference, n);

	rho = rho > DEPENDENCE_LEAST ? rho : DEPENDENCE_LEAST;
	rho = rho < 0.999 ? rho : 0.999;
	return DRIFT + DRIFT_SHORT * (1.0 + rho) / (1.0 - rho) / (double)n;
}

/* Runs the CUSUM from the first step until the rise is over: it is so far below 0 that the start is ordinary, or
 * FALL below its greatest value. */
static struct rise first_rise(const double *z, size_t n, double drift, double ceiling)
{
	double floor = -(BEFORE + 0.5) * (drift > DRIFT ? drift : DRIFT), sum = 0.0;
	struct rise best = {0.0, 0};

	for (size_t i = 0; i < n && sum > floor && best.height - sum < FALL; i++) {
		if (isnan(z[i]))
			continue;
		sum += (z[i] < ceiling ? z[i] : ceiling) - drift;
		if (sum > best.height)
			best = (struct rise){sum, i + 1};
	}
	return best;
}

static bool is_like(const struct rise *rise, const struct rise *first)
{
	return rise->height >= first->height && rise->length <= 4 * first->length + REFERENCE_MIN;
}

/* Counts the rises of the reference that are as high as the first and not much longer: a level that changed later
 * does not count. */
static size_t rises_like(const double *z, size_t n, double drift, const struct rise *first)
{
	struct rise rise = {0.0, 0};
	size_t like = 0, began = 0;
	double sum = 0.0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(z[i]))
			continue;
		sum += z[i] - drift;
		if (sum <= 0.0 || rise.height - sum >= FALL) {
			like += is_like(&rise, first);
			rise = (struct rise){0.0, 0};
			sum = 0.0;
			began = i + 1;
		} else if (sum > rise.height) {
			rise = (struct rise){sum, i + 1 - began};
		}
	}
	return like + is_like(&rise, first);
}

/* --- a plain start-up --- */

enum { STARTUP = 3, STARTUP_OTHERS = 3 };

static const double FIRST_USUAL = 5.0, FIRST_LONGEST = 2.5, NEXT_USUAL = 3.0, NEXT_LONGEST = 2.0;

/* Whether the first of times[0..k) and the shortest of them stand out from times[k..n). Scratch has room for n. */
static bool stand_out(const double *times, size_t k, size_t n, double first, double shortest, double *scratch)
{
	double longest = 0.0, usual;
	size_t others = 0;

	for (size_t i = k; i < n; i++)
		if (isfinite(times[i])) {
			longest = times[i] > longest ? times[i] : longest;
			scratch[others++] = times[i];
		}
	if (others < STARTUP_OTHERS * k || !(first > FIRST_LONGEST * longest) || !(shortest > NEXT_LONGEST * longest))
		return false;
	usual = ts_median(scratch, others, scratch);
	return first > FIRST_USUAL * usual && shortest > NEXT_USUAL * usual;
}

/* Returns how many first steps are a start-up by their length alone. Steps before the first time that is a number are none. */
static size_t startup_of(const double *times, size_t n, double *scratch)
{
	double first = (double)NAN, shortest = (double)NAN;
	size_t cut = 0, some = 0;

	for (size_t i = 0; i < n && some < STARTUP; i++) {
		if (!isfinite(times[i]))
			continue;
		first = some++ ? first : times[i];
		shortest = times[i] >= shortest ? shortest : times[i];
		if (stand_out(times, i + 1, n, first, shortest, scratch))
			cut = i + 1;
	}
	return cut;
}

enum ts_status ts_warmup_find(const double *times, size_t n, struct ts_arena *arena, size_t *ret_cut,
			      const char **ret_reason, struct ts_error *err)
{
	size_t most = n / 3 < TS_WARMUP_MAX ? n / 3 : TS_WARMUP_MAX;
	size_t search = most + (most / 8 > 2 ? most / 8 : 2); /* beyond most, to see whether the rise is over by then */
	size_t upto = n < search + REFERENCE_MAX ? n : search + REFERENCE_MAX;
	double *z, *scratch, drift;
	struct rise first, end;
	size_t cut;

	*ret_cut = 0;
	*ret_reason = NULL;
	z = ts_arena_array(arena, upto, sizeof *z);
	scratch = ts_arena_array(arena, upto, sizeof *scratch);
	if (!z || !scratch)
		return ts_arena_error(arena, err);
	*ret_cut = startup_of(times, upto, scratch);
	if (n < TS_WARMUP_STEPS) {
		*ret_reason = *ret_cut ? NULL : "the run has fewer than 15 steps";
		return TS_OK;
	}
	for (size_t i = 0; i < upto; i++)
		z[i] = log_of(times[i]);
	if (!standardize(z, upto, search, scratch)) {
		*ret_reason = *ret_cut ? NULL : "fewer than 8 step times after the first third of the run are numbers";
		return TS_OK;
	}
	drift = drift_for(z + search, upto - search);
	/* Values are clipped, so that one spike soon after an ordinary start does not pass. */
	if (first_rise(z, search, drift, drift + ONE_STEP).height <= PASS)
		return TS_OK;
	first = first_rise(z, search, drift, HUGE_VAL);
	if ((double)rises_like(z + search, upto - search, drift, &first) > OFTEN * (double)(upto - search))
		return TS_OK;
	end = first_rise(z, search, END_DRIFT, END_CLIP);
	cut = end.length < most ? end.length : most;
	if (end.length <= most + (search - most > 2 ? 2 : 1) && cut > *ret_cut) /* the end is found only to within this many steps */
		*ret_cut = cut;
	return TS_OK;
}
