#include "analysis/diverge/pattern_return.h"

#include "base/bisect.h"

struct ts_pattern_return ts_pattern_return_find(const int64_t *steps, const uint64_t *words, size_t n, int64_t step)
{
	struct ts_pattern_return out = {.previous = false};
	size_t at = 0;

	TS_BISECT(at, n, i, steps[i] < step);
	if (at == 0 || at == n || steps[at] != step)
		return out;
	out.previous = words[at] == words[at - 1];
	out.first = !out.previous && words[at] == words[0];
	return out;
}
