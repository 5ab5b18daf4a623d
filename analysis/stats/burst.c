#include "analysis/stats/burst.h"

#include "analysis/stats/stats.h"

#include <math.h>
#include <stdbool.h>

enum { BEFORE = 7, BEFORE_LEAST = 3, AFTER = 8, BACK = 3, SOON = 2, SEVERAL = 3 };

/* The factor from the median difference of neighbours to four standard deviations of white noise. */
#define REACH 4.2

/* Asks whether the level is back from `at` on, to within half of what a burst is away: a step of five deviations has values that lie
 * between both. So are `soon` of the next three, or a value of the level among those of another would part that into two bursts. At the
 * end of the series, all that is left must be back. */
static bool is_back(const double *x, size_t n, size_t at, double level, double reach, size_t soon)
{
	size_t end = n - at < AFTER ? n : at + AFTER, near = 0, next = 0;

	for (size_t i = at; i < end; i++) {
		bool is = 2 * fabs(x[i] - level) <= reach;

		near += is;
		next += is && i < at + BACK;
	}
	return (near >= BACK && next >= soon) || (end > at && near == end - at);
}

/* Returns where values that begin far from the level are back within half of that, `most` values on at the latest; `at`, where x[at]
 * is not far. */
static size_t far_until(const double *x, size_t n, size_t at, size_t most, double level, double reach)
{
	size_t end = at;

	if (!(fabs(x[at] - level) > reach))
		return at;
	while (end < n && end < at + most && 2 * fabs(x[end] - level) > reach)
		end++;
	return end;
}

/* Values that stay away for longer than a burst are copied until they are the level that the next values are compared with. */
static struct ts_bursts calm(const double *x, size_t n, size_t most, double reach, size_t soon, double *out)
{
	struct ts_bursts found = {0};
	double scratch[BEFORE];

	for (size_t i = 0; i < n;) {
		size_t before = i < BEFORE ? i : BEFORE;
		double level = before < BEFORE_LEAST ? x[i] : ts_median(out + i - before, before, scratch);
		size_t end = far_until(x, n, i, most < BEFORE ? BEFORE : most + 1, level, reach), length = end - i;
		bool burst = length > 0 && length <= most && is_back(x, n, end, level, reach, soon);

		if (burst && length >= SEVERAL) {
			found.several++;
			found.longest = length > found.longest ? length : found.longest;
		}
		end = length ? end : i + 1;
		for (; i < end; i++)
			out[i] = burst ? level : x[i];
	}
	return found;
}

enum ts_status ts_burst_calm(const double *x, size_t n, struct ts_arena *arena, double *out, struct ts_bursts *ret,
			     struct ts_error *err)
{
	double *far = ts_arena_array(arena, n, sizeof *far), reach;

	if (!far)
		return ts_arena_error(arena, err);
	for (size_t i = 1; i < n; i++)
		far[i - 1] = fabs(x[i] - x[i - 1]);
	reach = n > 1 ? REACH * ts_median(far, n - 1, far) : 0;
	if (!(reach > 0))
		reach = INFINITY;
	*ret = calm(x, n, TS_BURST_MOST, reach, SOON, out);
	if (ret->several > 1) /* then two may touch */
		*ret = calm(x, n, 2 * ret->longest, reach, 0, out);
	return TS_OK;
}
