#include "analysis/diverge/pattern_stride.h"

enum { LEAST = 10, MOST = 64 };

/* Every row of x is a row of y: row i is row `every` * i + `from`. Counts those that lie in both; 0: one differs, or the values hardly
 * change, or they are not most of x. */
static uint64_t agree(const struct ts_stride_series *x, const struct ts_stride_series *y, size_t every, size_t from)
{
	size_t n = from < y->n ? (y->n - from + every - 1) / every : 0, changes = 0;

	n = n < x->n ? n : x->n;
	if (n < LEAST || n * 10 < x->n * 9)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (x->words[i] != y->words[every * i + from])
			return 0;
		changes += i > 0 && x->words[i] != x->words[i - 1];
	}
	return changes * 2 >= n ? n : 0;
}

/* The steps of x times k plus c are those of y, at n rows; an other k or c at one of them, or k = 1: false. */
static bool line(const struct ts_stride_series *x, const struct ts_stride_series *y, size_t every, size_t from, uint64_t n,
		 int64_t *ret_times, int64_t *ret_plus)
{
	/* Both differences are of ascending numbers of one sign or the other: as unsigned they do not overflow. */
	uint64_t dx = (uint64_t)x->steps[1] - (uint64_t)x->steps[0];
	uint64_t dy = (uint64_t)y->steps[every + from] - (uint64_t)y->steps[from];
	uint64_t times = dx ? dy / dx : 0, plus = (uint64_t)y->steps[from] - times * (uint64_t)x->steps[0];

	/* A step may count the samples of a batch, if both have a row for each. */
	if (times < 2 || times > (every > 1 ? (uint64_t)MOST : (uint64_t)INT64_MAX) || times * dx != dy)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((uint64_t)x->steps[i] * times + plus != (uint64_t)y->steps[every * i + from])
			return false;
	*ret_times = (int64_t)times;
	*ret_plus = (int64_t)plus;
	return true;
}

/* The steps of y are those of x times k: y has the same rows, or rows between them. */
static bool faster(const struct ts_stride_series *x, const struct ts_stride_series *y, struct ts_pattern_stride *ret)
{
	for (size_t every = 1; every <= MOST; every++)
		for (size_t from = 0; from < every && from < y->n; from++) {
			uint64_t n = x->n && x->words[0] == y->words[from] ? agree(x, y, every, from) : 0;

			if (!n || !line(x, y, every, from, n, &ret->times, &ret->plus))
				continue;
			ret->found = true;
			ret->steps = n;
			return true;
		}
	return false;
}

struct ts_pattern_stride ts_pattern_stride_find(const struct ts_stride_series *a, const struct ts_stride_series *b)
{
	struct ts_pattern_stride out = {.second = true};

	if (faster(a, b, &out))
		return out;
	out.second = false;
	(void)faster(b, a, &out);
	return out;
}
