#include "base/budget.h"

#include <stdint.h>

static _Thread_local struct ts_budget *current;

void ts_budget_init(struct ts_budget *b, struct ts_budget *parent, const char *whose, size_t limit, unsigned percent)
{
	*b = (struct ts_budget){.parent = parent, .whose = whose, .limit = limit, .percent = percent};
}

/* What one budget alone allows. Siblings may move meanwhile: the parent's own limit is exact, the shares of it need not be. */
static size_t own_limit(const struct ts_budget *b)
{
	size_t limit = b->limit ? b->limit : SIZE_MAX;

	if (b->percent && b->parent && b->parent->limit) {
		size_t all = atomic_load(&b->parent->used), own = atomic_load(&b->used), others = all > own ? all - own : 0;
		size_t left = others < b->parent->limit ? b->parent->limit - others : 0, share = left / 100 * b->percent;

		limit = share < limit ? share : limit;
	}
	return limit;
}

static bool add(struct ts_budget *b, size_t n)
{
	size_t limit = own_limit(b), used = atomic_load(&b->used);

	do {
		if (n > limit || used > limit - n)
			return false;
	} while (!atomic_compare_exchange_weak(&b->used, &used, used + n));
	return true;
}

const struct ts_budget *ts_budget_take(struct ts_budget *b, size_t n)
{
	for (struct ts_budget *at = b; at; at = at->parent) {
		if (add(at, n))
			continue;
		for (struct ts_budget *back = b; back != at; back = back->parent)
			atomic_fetch_sub(&back->used, n);
		return at;
	}
	return NULL;
}

void ts_budget_force(struct ts_budget *b, size_t n)
{
	for (; b; b = b->parent)
		atomic_fetch_add(&b->used, n);
}

void ts_budget_give(struct ts_budget *b, size_t n)
{
	for (; b; b = b->parent)
		atomic_fetch_sub(&b->used, n);
}

const struct ts_budget *ts_budget_lacks(const struct ts_budget *b, size_t n)
{
	for (; b; b = b->parent) {
		size_t limit = own_limit(b), used = atomic_load(&b->used);

		if (n > limit || used > limit - n)
			return b;
	}
	return NULL;
}

enum ts_status ts_budget_error(const struct ts_budget *b, struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "out of memory: %s may use at most %zu bytes, and %zu are in use", b->whose,
			    own_limit(b), atomic_load(&b->used));
}

void ts_budget_revoke(struct ts_budget *b)
{
	atomic_store(&b->revoked, true);
}

enum ts_status ts_budget_check(struct ts_error *err)
{
	if (current && atomic_load_explicit(&current->revoked, memory_order_relaxed))
		return ts_error_set(err, TS_CANCELLED, "nobody waits for this any more");
	return TS_OK;
}

struct ts_budget *ts_budget_current(void)
{
	return current;
}

struct ts_budget *ts_budget_enter(struct ts_budget *b)
{
	struct ts_budget *before = current;

	current = b;
	return before;
}
