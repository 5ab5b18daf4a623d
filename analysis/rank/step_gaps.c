#include "analysis/rank/step_gaps.h"

#include <stdbool.h>

static uint64_t distance(const int64_t *steps, size_t i)
{
	return (uint64_t)steps[i] - (uint64_t)steps[i - 1];
}

/* The distance that more than half of the neighbours have, if there is one (Boyer and Moore), and how many have it. */
static uint64_t usual_of(const int64_t *steps, size_t n, size_t *ret_have)
{
	uint64_t usual = 0;
	size_t votes = 0;

	for (size_t i = 1; i < n; i++) {
		uint64_t d = distance(steps, i);

		if (!votes)
			usual = d;
		votes = d == usual ? votes + 1 : votes - 1;
	}
	*ret_have = 0;
	for (size_t i = 1; i < n; i++)
		*ret_have += distance(steps, i) == usual;
	return usual;
}

static bool is_regular_beside(const int64_t *steps, size_t n, size_t gap, uint64_t usual)
{
	if (gap < TS_GAP_BESIDE || gap + TS_GAP_BESIDE > n)
		return false;
	for (size_t i = 1; i < TS_GAP_BESIDE; i++)
		if (distance(steps, gap - i) != usual || distance(steps, gap + i) != usual)
			return false;
	return true;
}

void ts_step_gaps_find(const int64_t *steps, size_t n, struct ts_step_gaps *ret_gaps)
{
	struct ts_step_gaps out = {.gaps = 0};
	size_t have, at = 0;
	uint64_t usual;

	*ret_gaps = out;
	if (n < TS_GAP_LEAST)
		return;
	usual = usual_of(steps, n, &have);
	if (have * 10 < (n - 1) * 9 || usual > INT64_MAX)
		return;
	for (size_t i = 1; i < n; i++) {
		uint64_t d = distance(steps, i), lacks = d / usual - 1;

		if (d < 2 * usual)
			continue;
		out.gaps++;
		out.missing += lacks;
		if (lacks > out.longest) {
			out.longest = lacks;
			at = i;
		}
	}
	if (!out.gaps || !is_regular_beside(steps, n, at, usual))
		return;
	out.every = (int64_t)usual;
	out.from = steps[at - 1] + (int64_t)usual;
	out.to = (int64_t)((uint64_t)steps[at - 1] + out.longest * usual);
	*ret_gaps = out;
}
