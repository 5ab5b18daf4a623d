#include "analysis/batches.h"

#include <stdlib.h>

enum {
	CANDIDATES = 16, /* shifts that are tried */
	SHIFT_LEAST = 3, /* steps that must agree under a shift */
	ORDER_LEAST = 4, /* steps from which "the same ones elsewhere" is more than one exchange */
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

static int by_digest(const void *x, const void *y)
{
	const struct seen *a = x, *b = y;

	if (a->digest != b->digest)
		return a->digest < b->digest ? -1 : 1;
	return (a->step > b->step) - (a->step < b->step);
}

static struct seen *sorted(struct side s, struct ts_arena *scratch)
{
	struct seen *all = ts_arena_array(scratch, s.n, sizeof *all);

	for (size_t i = 0; all && i < s.n; i++)
		all[i] = (struct seen){s.digests[i], s.steps[i]};
	if (all && s.n)
		qsort(all, s.n, sizeof *all, by_digest);
	return all;
}

/* The first of them whose digest is not below. */
static size_t lower(const struct seen *all, size_t n, uint64_t digest)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (all[mid].digest < digest)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const uint64_t *at_step(struct side s, int64_t step)
{
	size_t lo = 0, hi = s.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s.steps[mid] < step)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s.n && s.steps[lo] == step ? &s.digests[lo] : NULL;
}

/* What b has from step `from` on that a has at another step, or at the same one. */
static void count_shared(struct side a, struct side b, int64_t from, const struct seen *all,
			 struct ts_batch_relation *r)
{
	for (size_t i = 0; i < b.n; i++) {
		const uint64_t *there = b.steps[i] < from ? NULL : at_step(a, b.steps[i]);
		size_t at = b.steps[i] < from ? a.n : lower(all, a.n, b.digests[i]);

		if (there && *there == b.digests[i])
			r->kept++;
		else
			r->shared += at < a.n && all[at].digest == b.digests[i];
	}
}

/* Does b's batch of step s equal a's of s + shift, wherever both have one, from `from` on? One in ten may be otherwise. */
static bool holds(struct side a, struct side b, int64_t from, int64_t shift)
{
	uint64_t both = 0, equal = 0;

	for (size_t i = 0; i < b.n; i++) {
		const uint64_t *there = b.steps[i] < from ? NULL : at_step(a, b.steps[i] + shift);

		both += there != NULL;
		equal += there && *there == b.digests[i];
	}
	return equal >= SHIFT_LEAST && equal * 10 >= both * 9;
}

/* The smallest shift that holds. Candidates are the steps at which the first run has the second's first differing batch; both
 * signs of a shift come from the same search, as the first run's later steps are searched too. */
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

/* Both sides' digests at common steps from `from` on, as multisets. */
static bool same_multiset(struct side a, struct side b, int64_t from, struct ts_arena *scratch, bool *ret_same, uint64_t *ret_n)
{
	struct seen *x = ts_arena_array(scratch, a.n, sizeof *x), *y = ts_arena_array(scratch, a.n, sizeof *y);
	size_t n = 0;

	if (!x || !y)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		const uint64_t *there = a.steps[i] < from ? NULL : at_step(b, a.steps[i]);

		if (!there)
			continue;
		x[n] = (struct seen){a.digests[i], 0};
		y[n++] = (struct seen){*there, 0};
	}
	if (n) {
		qsort(x, n, sizeof *x, by_digest);
		qsort(y, n, sizeof *y, by_digest);
	}
	*ret_same = n >= ORDER_LEAST;
	for (size_t i = 0; i < n; i++)
		*ret_same = *ret_same && x[i].digest == y[i].digest;
	*ret_n = n;
	return true;
}

/* Looked for from both sides: what one read again the other may never have reached. */
static bool shifted(struct side a, struct side b, int64_t from, const struct seen *all, struct ts_arena *scratch, int64_t *ret_shift,
		    bool *ret_full)
{
	const struct seen *others;

	if (find_shift(a, b, from, all, ret_shift))
		return true;
	others = sorted(b, scratch);
	*ret_full = !others;
	if (!others || !find_shift(b, a, from, others, ret_shift))
		return false;
	*ret_shift = -*ret_shift;
	return true;
}

static bool first_difference(struct side a, struct side b, int64_t *ret_step, uint64_t *ret_common)
{
	for (size_t i = 0; i < a.n; i++) {
		const uint64_t *there = at_step(b, a.steps[i]);

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
	struct seen *all;
	bool same, moved, full = false;

	if (!first_difference(a, b, &r.step, &common)) {
		r.answer = common ? TS_BATCHES_SAME : TS_BATCHES_UNKNOWN;
		r.compared = common;
		*ret = r;
		return true;
	}
	all = sorted(a, scratch);
	if (!all || !same_multiset(a, b, r.step, scratch, &same, &r.compared))
		return false;
	count_shared(a, b, r.step, all, &r);
	/* Where every epoch has one order, a shift by an epoch holds for all batches that did not move. */
	moved = !holds(a, b, r.step, 0) && shifted(a, b, r.step, all, scratch, &r.shift, &full);
	if (full)
		return false;
	if (moved)
		r.answer = TS_BATCHES_SHIFTED;
	else if (same)
		r.answer = TS_BATCHES_REORDERED;
	else if (r.shared)
		r.answer = TS_BATCHES_OVERLAP;
	else
		r.answer = r.kept ? TS_BATCHES_REPLACED : TS_BATCHES_DISJOINT;
	*ret = r;
	return true;
}
