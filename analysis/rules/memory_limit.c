/* memory_limit.c - whether memory limits a run, by a snapshot (memory_advice.h). */
#include "analysis/rules/memory_advice.h"

#include "base/door.h"

static bool value(const struct ts_measures *m, enum ts_measure_name what, double *ret)
{
	return ts_measure_value(m, what, TS_NO_SUBJECT, ret) && isfinite(*ret);
}

bool ts_memory_reserved(const struct ts_measures *m, double *ret)
{
	double capacity, left;

	TS_DOOR(ts_measures_hold(m));
	if (!value(m, TS_M_SNAPSHOT_CAPACITY, &capacity) || !value(m, TS_M_SNAPSHOT_HEADROOM, &left) || !(capacity > 0))
		return false;
	*ret = 1 - left / capacity;
	return true;
}

enum ts_memory_limit ts_memory_limit_of(const struct ts_measures *m)
{
	double n, share;

	TS_DOOR(ts_measures_hold(m));
	if ((value(m, TS_M_SNAPSHOT_REFUSED, &n) && n > 0) || (value(m, TS_M_SNAPSHOT_RETRIES, &n) && n > 0))
		return TS_LIMIT_REACHED;
	if (!ts_memory_reserved(m, &share))
		return TS_LIMIT_UNKNOWN;
	return share >= TS_MEMORY_FULL ? TS_LIMIT_REACHED : TS_LIMIT_FAR;
}
