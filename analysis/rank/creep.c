#include "analysis/rank/creep.h"

#include "analysis/stats/stats.h"

#define MIB 1048576.0
#define GIB 1073741824.0

/* Returns the mean from floor(from %) to ceil(to %) of the values. */
static double band(const double *x, size_t n, size_t from, size_t to)
{
	size_t start = n * from / 100, end = (n * to + 99) / 100;

	return ts_mean(x + start, end - start);
}

bool ts_creep_find(const double *bytes, size_t n, struct ts_creep *ret_creep)
{
	struct ts_creep out = {.kind = TS_CREEP_NONE};
	double base, middle, recent;

	if (n < TS_CREEP_LEAST)
		return false;
	base = band(bytes, n, 15, 25);
	middle = band(bytes, n, 45, 55);
	recent = band(bytes, n, 90, 100);
	out.delta = recent - base;
	if (base < middle && middle < recent) {
		out.kind = out.delta >= GIB ? TS_CREEP_CONFIRMED : TS_CREEP_EARLY;
		out.score = out.delta / (100 * MIB) + (base > 0 ? 16 * (out.delta / base) : 0);
	}
	*ret_creep = out;
	return true;
}
