#include "analysis/machine/memory_rise.h"

#include <math.h>

enum { LEAST_VALUES = 4 };

bool ts_memory_rise(const double *seconds, const double *values, size_t n, struct ts_memory_rise *ret)
{
	double least[TS_MEMORY_PARTS], begin, length, early;
	size_t known[TS_MEMORY_PARTS] = {0};
	struct ts_memory_rise rise = {.rises = 0};

	if (n < 2 || !(seconds[n - 1] > seconds[0]))
		return false;
	begin = seconds[0] + (seconds[n - 1] - seconds[0]) / 4;
	length = (seconds[n - 1] - begin) / TS_MEMORY_PARTS;
	for (size_t i = 0; i < n; i++) {
		int part = (int)((seconds[i] - begin) / length);

		if (seconds[i] < begin || isnan(values[i]))
			continue;
		part = part < TS_MEMORY_PARTS ? part : TS_MEMORY_PARTS - 1;
		if (known[part]++ == 0 || values[i] < least[part])
			least[part] = values[i];
	}
	for (int i = 0; i < TS_MEMORY_PARTS; i++) {
		if (known[i] < LEAST_VALUES)
			return false;
		rise.rises += i > 0 && least[i] > least[i - 1];
	}
	rise.first = least[0];
	rise.last = least[TS_MEMORY_PARTS - 1];
	rise.seconds = length * (TS_MEMORY_PARTS - 1);
	early = least[2] - least[0];
	rise.late = early > 0 ? (least[TS_MEMORY_PARTS - 1] - least[TS_MEMORY_PARTS - 3]) / early : (double)INFINITY;
	*ret = rise;
	return true;
}
