#include "analysis/trace/host/longest.h"

#include <stdbool.h>

void ts_longest_add(struct ts_longest *io, uint64_t ns)
{
	io->n++;
	for (int i = 0; i < TS_LONGEST_MOST; i++) {
		uint64_t kept = io->ns[i];

		if (ns <= kept)
			continue;
		io->ns[i] = ns;
		ns = kept;
	}
}

uint64_t ts_longest_sum(const struct ts_longest *l, size_t steps)
{
	bool many = steps >= TS_LONGEST_STEPS && l->n >= 10 * TS_LONGEST_MOST;
	uint64_t sum = l->ns[0];

	for (int i = 1; i < TS_LONGEST_MOST && many; i++)
		sum += l->ns[i];
	return sum;
}
