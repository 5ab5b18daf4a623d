#include "analysis/diverge/batches.h"

#include "base/bisect.h"

#include <stdlib.h>

enum {
	CANDIDATES = 16, /* shifts that are tried */
	SHIFT_LEAST = 3, /* steps that must agree under a shift */
	ORDER_LEAST = 4, /* from this many steps on, "the same ones elsewhere" is more than one exchange */
};

struct seen {
	uint64_t digest;
	int64_t step;
};

struct side {
	const int64_t *steps;
	const uint64_t *digests;
	size_t n;
};

/* Sorts by digest; equal ones keep their order. Digests are spread evenly or are few: sorting by their bytes takes a
 * sixth of the time of a sort by comparisons. */
static void sort(struct seen *all, struct seen *spare, size_t n)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t at[256] = {0}, sum = 0;

		for (size_t i = 0; i < n; i++)
			at[all[i].digest >> shift & 255]++;
		for (size_t k = 0; k < 256; k++) {
			size_t count = at[k];

			at[k] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			spare[at[all[i].digest >> shift & 255]++] = all[i];
		if (n)
			memcpy(all, spare, n * sizeof *all);
	}
}

static struct seen *sorted(struct side s, struct seen *spare, struct ts_arena *scratch)
{
	struct seen *all = ts_arena_array(scratch, s.n, sizeof *all);

	for (size_t i = 0; all && i < s.n; i++)
		all[i] = (struct seen){s.digests[i], s.steps[i]};
	if (all)
		sort(all, spare, s.n);
	return all;
}

/* Returns how many of the first batches, from step `from` on, have a digest that is among the others. */
static uint64_t count_among(const struct seen *all, size_t n, int64_t from, const struct seen *others, size_t n_others)
{
	uint64_t found = 0;

	for (size_t i = 0, k = 0; i < n; i++) {
		while (k < n_others && others[k].digest < all[i].digest)
			k++;
		found += all[i].step >= from && k < n_others && others[k].digest == all[i].digest;
	}
	return found;
}

/* Returns the first of them whose digest is not less. */
static size_t lower(const struct seen *all, size_t n, uint64_t digest)
{
	size_t lo = 0;

	TS_BISECT(lo, n, i, all[i].digest < digest);
	return lo;
}

/* Returns the digest of a step; *at moves along, for steps that come in order. */
static const uint64_t *at_step(struct side s, size_t *at, int64_t step)
{
	while (*at < s.n && s.steps[*at] < step)
		++*at;
	return *at < s.n && s.steps[*at] == step ? &s.digests[*at] : NULL;
}

static uint64_t count_stretch(struct side a, struct side b, int64_t from)
{
	uint64_t n = 0;

	for (size_t i = 0, at = 0; i < b.n; i++) {
		const uint64_t *there = b.steps[i] < from ? NULL : at_step(a, &at, b.steps[i]);

		if (there && *there == b.digests[i])
			break;
		n += there != NULL;
	}
	return n;
}

static uint64_t count_kept(struct side a, struct side b, int64_t from)
{
	uint64_t kept = 0;

	for (size_t i = 0, at = 0; i < b.n; i++) {
		const uint64_t *there = b.steps[i] < from ? NULL : at_step(a, &at, b.steps[i]);

		kept += there && *there == b.digests[i];
	}
	return kept;
}

/* Asks whether b's batch of step s equals a's of s + shift, wherever both have one, from `from` on. One in ten may
 * differ. */
static bool holds(struct side a, struct side b, int64_t from, int64_t shift)
{
	uint64_t both = 0, equal = 0;

	for (size_t i = 0, at = 0; i < b.n; i++) {
		const uint64_t *there = b.steps[i] < from ? NULL : at_step(a, &at, b.steps[i] + shift);

		both += there != NULL;
		equal += there && *there == b.digests[i];
	}
	return equal >= SHIFT_LEAST && equal * 10 >= both * 9;
}

/* Finds the smallest shift that holds. Candidates are the steps at which the first run has the second's first
 * differing batch; both signs of a shift come from the same search, because later steps of the first run are
 * searched too. */
static bool find_shift(struct side a, struct side b, int64_t from, const struct seen *all, int64_t *ret_shift)
{
	bool found = false;

	for (size_t i = 0, tried = 0; i < b.n && tried < CANDIDATES; i++) {
		if (b.steps[i] < from)
			continue;
		for (size_t at = lower(all, a.n, b.digests[i]); at < a.n && all[at].digest == b.digests[i] && tried < CANDIDATES;
		     at++) {
			int64_t shift = all[at].step - b.steps[i];

			tried++;
			if (shift == 0 || (found && llabs(shift) >= llabs(*ret_shift)) || !holds(a, b, from, shift))
				continue;
			*ret_shift = shift;
			found = true;
		}
		if (found)
			return true;
	}
	return found;
}

/* Compares both sides' digests at common steps from `from` on, as multisets. Multisets with different sums differ
 * and need not be sorted. */
static bool same_multiset(struct side a, struct side b, int64_t from, struct seen *spare, struct ts_arena *scratch, bool *ret_same,
			  uint64_t *ret_n)
{
	struct seen *x = ts_arena_array(scratch, a.n, sizeof *x), *y = ts_arena_array(scratch, a.n, sizeof *y);
	uint64_t sum = 0; /* the sum of one less that of the other, modulo 2^64 */
	size_t n = 0;

	if (!x || !y)
		return false;
	for (size_t i = 0, at = 0; i < a.n; i++) {
		const uint64_t *there = a.steps[i] < from ? NULL : at_step(b, &at, a.steps[i]);

		if (!there)
			continue;
		sum += a.digests[i] - *there;
		x[n] = (struct seen){a.digests[i], 0};
		y[n++] = (struct seen){*there, 0};
	}
	*ret_n = n;
	*ret_same = n >= ORDER_LEAST && sum == 0;
	if (!*ret_same)
		return true;
	sort(x, spare, n);
	sort(y, spare, n);
	for (size_t i = 0; i < n; i++)
		*ret_same = *ret_same && x[i].digest == y[i].digest;
	return true;
}

/* The search goes from both sides: the first run may never have reached what the second read again. */
static bool shifted(struct side a, struct side b, int64_t from, const struct seen *of_a, const struct seen *of_b, int64_t *ret_shift)
{
	if (count_among(of_b, b.n, from, of_a, a.n) && find_shift(a, b, from, of_a, ret_shift))
		return true;
	if (!count_among(of_a, a.n, from, of_b, b.n) || !find_shift(b, a, from, of_b, ret_shift))
		return false;
	*ret_shift = -*ret_shift;
	return true;
}

static bool first_difference(struct side a, struct side b, int64_t *ret_step, uint64_t *ret_common)
{
	for (size_t i = 0, at = 0; i < a.n; i++) {
		const uint64_t *there = at_step(b, &at, a.steps[i]);

		if (!there)
			continue;
		++*ret_common;
		if (*there != a.digests[i]) {
			*ret_step = a.steps[i];
			return true;
		}
	}
	return false;
}

bool ts_batches_relate(const int64_t *steps_a, const uint64_t *digests_a, size_t n_a, const int64_t *steps_b,
		       const uint64_t *digests_b, size_t n_b, struct ts_arena *scratch, struct ts_batch_relation *ret)
{
	struct side a = {steps_a, digests_a, n_a}, b = {steps_b, digests_b, n_b};
	struct ts_batch_relation r = {.answer = TS_BATCHES_UNKNOWN};
	uint64_t common = 0;
	struct seen *spare, *of_a, *of_b;
	bool same, moved;

	if (!first_difference(a, b, &r.step, &common)) {
		r.answer = common ? TS_BATCHES_SAME : TS_BATCHES_UNKNOWN;
		r.compared = common;
		*ret = r;
		return true;
	}
	spare = ts_arena_array(scratch, n_a > n_b ? n_a : n_b, sizeof *spare);
	of_a = spare ? sorted(a, spare, scratch) : NULL;
	of_b = of_a ? sorted(b, spare, scratch) : NULL;
	if (!of_b || !same_multiset(a, b, r.step, spare, scratch, &same, &r.compared))
		return false;
	r.kept = count_kept(a, b, r.step);
	r.shared = count_among(of_b, b.n, r.step, of_a, a.n) - r.kept;
	/* Where every epoch has one order, a shift by an epoch holds for all batches that did not move. */
	moved = !holds(a, b, r.step, 0) && shifted(a, b, r.step, of_a, of_b, &r.shift);
	if (moved)
		r.answer = TS_BATCHES_SHIFTED;
	else if (same)
		r.answer = TS_BATCHES_REORDERED;
	else if (r.shared)
		r.answer = TS_BATCHES_OVERLAP;
	else
		r.answer = r.kept ? TS_BATCHES_REPLACED : TS_BATCHES_DISJOINT;
	r.stretch = r.answer == TS_BATCHES_REPLACED ? count_stretch(a, b, r.step) : 0;
	*ret = r;
	return true;
}
