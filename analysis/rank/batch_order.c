#include "analysis/rank/batch_order.h"

#include <stdbool.h>

/* How many of the last batches are those of `period` records before. */
static size_t repeats(const uint64_t *digests, size_t n, size_t period)
{
	size_t k = 0;

	while (k + period < n && digests[n - 1 - k] == digests[n - 1 - k - period])
		k++;
	return k;
}

/* Among the last batches, as many as may be enough. */
static size_t distinct(const uint64_t *digests, size_t n)
{
	size_t from = n > TS_BATCHES_REPEATED ? n - TS_BATCHES_REPEATED : 0, count = 0;

	for (size_t i = from; i < n; i++) {
		size_t k = from;

		while (k < i && digests[k] != digests[i])
			k++;
		count += k == i;
	}
	return count;
}

static size_t doubled(const uint64_t *digests, size_t n)
{
	uint64_t seen[TS_BATCHES_FEW + 1];
	size_t count = 0, different = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		count += i > 0 && digests[i] == digests[i - 1];
		while (k < different && seen[k] != digests[i])
			k++;
		if (k == different && different <= TS_BATCHES_FEW)
			seen[different++] = digests[i];
	}
	return different > TS_BATCHES_FEW ? count : 0;
}

struct ts_batch_order ts_batch_order_find(const uint64_t *digests, size_t n)
{
	struct ts_batch_order out = {.doubled = doubled(digests, n)};
	bool few = distinct(digests, n) <= TS_BATCHES_FEW;

	/* A batch may come twice in an epoch: then the nearest place is not the one an epoch before. */
	for (size_t period = 1; period < n && n - period >= TS_BATCHES_REPEATED; period++) {
		size_t k, least = period > 1 && few ? TS_BATCHES_REPEATED_FEW : TS_BATCHES_REPEATED;

		if (digests[n - 1] != digests[n - 1 - period])
			continue;
		k = repeats(digests, n, period);
		if (k < least)
			continue;
		out.period = period;
		out.repeated = k;
		out.from = n - k;
		return out;
	}
	return out;
}
