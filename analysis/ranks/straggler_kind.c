#include "analysis/ranks/straggler_kind.h"

#include "analysis/stats/correlation.h"
#include "analysis/stats/stats.h"
#include "base/words.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
	EDGE = 5, /* values that a level must have to count as one */
	GAPS_MIN = 3,
	SPLIT_ROUNDS = 20,
};

/* Returns the value at which the upper of two clusters begins (two means in one dimension, Lloyd 1982). */
static double split(const double *x, size_t n)
{
	double lo = x[0], hi = x[0], at;

	for (size_t i = 1; i < n; i++) {
		lo = x[i] < lo ? x[i] : lo;
		hi = x[i] > hi ? x[i] : hi;
	}
	at = (lo + hi) / 2;
	for (int round = 0; round < SPLIT_ROUNDS; round++) {
		double sum[2] = {0, 0}, next;
		size_t count[2] = {0, 0};

		for (size_t i = 0; i < n; i++) {
			sum[x[i] > at] += x[i];
			count[x[i] > at]++;
		}
		if (!count[0] || !count[1])
			break;
		next = (sum[0] / (double)count[0] + sum[1] / (double)count[1]) / 2;
		if (fabs(next - at) <= 1e-12 * fabs(at))
			break;
		at = next;
	}
	return at;
}

/* Returns the first slow value, and in gaps the distances between the beginnings of slow stretches. */
static size_t slow_starts(const double *x, size_t n, double at, double *gaps, size_t *ret_n_gaps)
{
	size_t first = n, last = n, n_gaps = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(x[i] > at) || (i > 0 && x[i - 1] > at))
			continue;
		if (last < n)
			gaps[n_gaps++] = (double)(i - last);
		else
			first = i;
		last = i;
	}
	*ret_n_gaps = n_gaps;
	return first < n ? first : 0;
}

static size_t period_of(double *gaps, size_t n)
{
	double usual;
	size_t alike = 0;

	if (n < GAPS_MIN)
		return 0;
	/* The period is the gap in the middle itself: the mean of two different gaps is not a period. */
	usual = ts_nth(gaps, n, n / 2);
	for (size_t i = 0; i < n; i++)
		alike += fabs(gaps[i] - usual) <= usual / 20;
	return usual >= 2 && alike * 5 >= n * 4 ? (size_t)usual : 0;
}

static double mean_of(const double *x, size_t n)
{
	return n ? ts_mean(x, n) : 0;
}

static bool is_late(const double *x, size_t n, size_t cut, double before, double after, double *scratch)
{
	if (cut < EDGE || n - cut < EDGE || after <= 0 || before > after / 4)
		return false;
	return ts_median(x + cut, n - cut, scratch) >= after / 2;
}

struct ts_straggler_course ts_straggler_course(const double *x, size_t n, double *scratch)
{
	struct ts_straggler_course c = {.kind = TS_STRAGGLER_PERSISTENT};
	size_t n_gaps;

	if (n > 1) {
		c.onset = ts_level_change(x, n, &c.before, &c.after);
		if (is_late(x, n, c.onset, c.before, c.after, scratch)) {
			c.kind = TS_STRAGGLER_LATE;
			return c;
		}
	}
	c = (struct ts_straggler_course){.kind = TS_STRAGGLER_PERSISTENT, .after = mean_of(x, n)};
	if (ts_median(x, n, scratch) >= c.after / 2)
		return c;
	c.kind = TS_STRAGGLER_INTERMITTENT;
	c.onset = slow_starts(x, n, split(x, n), scratch, &n_gaps);
	c.period = period_of(scratch, n_gaps);
	if (c.period)
		c.kind = TS_STRAGGLER_PERIODIC;
	c.before = mean_of(x, c.onset);
	c.after = mean_of(x + c.onset, n - c.onset);
	return c;
}

TS_WORDS(ts_straggler_word, enum ts_straggler_kind, "", [TS_STRAGGLER_PERSISTENT] = "persistent", [TS_STRAGGLER_LATE] = "late",
	 [TS_STRAGGLER_INTERMITTENT] = "intermittent", [TS_STRAGGLER_PERIODIC] = "periodic")
