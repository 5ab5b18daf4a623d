#include "analysis/rank/stale.h"

#include <math.h>
#include <string.h>

size_t ts_stale_gradients(const uint64_t *grads, const uint64_t *params, size_t n)
{
	size_t k = n > 0;

	while (k > 0 && k < n && grads[n - 1 - k] == grads[n - 1] && params[n - 1 - k] != params[n - k])
		k++;
	return k >= TS_STALE_GRADS ? k : 0;
}

size_t ts_stale_values(const double *values, size_t n)
{
	size_t k = 0;

	while (k < n && isfinite(values[n - 1 - k]) && memcmp(&values[n - 1 - k], &values[n - 1], sizeof *values) == 0)
		k++;
	return k >= TS_STALE_LOSSES ? k : 0;
}

size_t ts_stale_changes(const uint64_t *digests, size_t n)
{
	size_t count = n > 0;

	for (size_t i = 1; i < n; i++)
		count += digests[i] != digests[i - 1];
	return count;
}
