#include "analysis/rank/still.h"

size_t ts_still_find(const uint64_t *digests, size_t n)
{
	size_t run = 1, longest = 0;

	if (n == 0)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (digests[i] == digests[i - 1]) {
			run++;
			continue;
		}
		longest = run > longest ? run : longest;
		run = 1;
	}
	return run >= TS_STILL_LEAST && run > 2 * longest ? run : 0;
}
