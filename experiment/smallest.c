/* smallest.c - the smallest set of factors that gives a result, by halving prefixes at half of their weight. */
#include "base/order.h"
#include "experiment/search_walk.h"

#include <math.h>

struct ranked {
	size_t factor;
	double weight;
};

TS_ORDER(by_weight, struct ranked, TS_UP(weight); TS_UP(factor))

/* One search: `order` has the candidates, the likeliest last, so that a prefix without them is soon seen to be as A. */
struct prefixes {
	struct ts_search_walk *w;
	const struct ts_factor_set *base;
	struct ranked order[TS_FACTORS_MOST];
	size_t n;
	struct ts_factor_set kept; /* members that are needed, as far as was seen */
	enum ts_trial_like goal;
	enum ts_trial_why why;
};

static struct ts_factor_set prefix(const struct prefixes *p, size_t n)
{
	struct ts_factor_set set = ts_factor_union(p->base, &p->kept);

	for (size_t i = 0; i < n; i++)
		ts_factor_put(&set, p->order[i].factor);
	return set;
}

static struct ts_factor_set between(const struct prefixes *p, size_t from, size_t to)
{
	struct ts_factor_set set = {{0}};

	for (size_t i = from; i < to; i++)
		ts_factor_put(&set, p->order[i].factor);
	return set;
}

/* The place in (from, to) with half of the weight before it. */
static size_t half(const struct prefixes *p, size_t from, size_t to)
{
	double all = 0, before = 0;
	size_t at = from;

	for (size_t i = from; i < to; i++)
		all += p->order[i].weight;
	while (at + 1 < to && (at == from || before + p->order[at].weight / 2 < all / 2))
		before += p->order[at++].weight;
	return at;
}

/* Whether the prefix of some length in (from, to) gives the goal; a length near its middle, where that cannot be tested. *ret_at is to
 * where none that was tried can be. */
static bool split(struct prefixes *p, size_t from, size_t to, size_t *ret_at, bool *ret_gives)
{
	size_t middle = half(p, from, to), tried = 0;

	for (size_t away = 0; tried < TS_SEARCH_SPLITS_MOST && away < to - from; away++)
		for (int side = 0; side < (away ? 2 : 1); side++) {
			size_t at = side ? middle + away : middle - away;
			struct ts_factor_set set;
			enum ts_trial_like like;

			/* Below 0 wraps around, which is above to. */
			if (at <= from || at >= to)
				continue;
			set = prefix(p, at);
			if (!ts_search_ask_like(p->w, &set, 0, p->why, &like))
				return false;
			tried++;
			if (like == TS_IS_UNTESTABLE)
				continue;
			*ret_at = at;
			*ret_gives = like == p->goal;
			return true;
		}
	*ret_at = to;
	return true;
}

/* Keeps what is last needed of the first `n`, and says how many are left before it. */
static bool last_needed(struct prefixes *p, size_t n, size_t *ret_left)
{
	struct ts_root_cause *cause = ts_walk_cause(p->w);
	size_t from = 0, to = n;

	while (to - from > 1) {
		struct ts_factor_set in = between(p, 0, to);
		size_t at = to;
		bool gives = false;

		cause->set = ts_factor_union(&in, &p->kept);
		if (!split(p, from, to, &at, &gives))
			return false;
		if (at == to)
			break;
		if (gives)
			to = at;
		else
			from = at;
	}
	/* Those that could not be parted are kept together. */
	for (size_t i = from; i < to; i++)
		ts_factor_put(&p->kept, p->order[i].factor);
	*ret_left = from;
	return true;
}

/* Leaves out each member without which the set still gives the goal, and says which are needed. *ret_again: one was left out, and
 * another could not be tested, which without it perhaps can. */
static bool leave_out_once(struct prefixes *p, struct ts_factor_set *ret_needed, bool *ret_again)
{
	struct ts_root_cause *cause = ts_walk_cause(p->w);
	size_t tested = 0;
	bool untestable = false, less = false;

	*ret_needed = (struct ts_factor_set){{0}};
	for (size_t i = 0; i < p->n && tested < TS_SEARCH_NEEDED_MOST; i++) {
		size_t factor = p->order[i].factor;
		struct ts_factor_set set;
		enum ts_trial_like like;

		if (!ts_factor_in(&p->kept, factor))
			continue;
		set = prefix(p, 0);
		ts_factor_take(&set, factor);
		cause->set = p->kept;
		if (!ts_search_ask_like(p->w, &set, 0, TS_TRIAL_NEEDED, &like))
			return false;
		tested++;
		untestable |= like == TS_IS_UNTESTABLE;
		less |= like == p->goal;
		if (like == p->goal)
			ts_factor_take(&p->kept, factor);
		else if (like != TS_IS_UNTESTABLE)
			ts_factor_put(ret_needed, factor);
	}
	*ret_again = untestable && less;
	return true;
}

/* Until no more can be left out. One that cannot be tested stays, and is not said to be needed. */
static bool leave_out(struct prefixes *p)
{
	struct ts_factor_set needed = p->kept, set;
	enum ts_trial_like like;

	for (bool again = ts_factor_count(&p->kept) > 1; again;)
		if (!leave_out_once(p, &needed, &again))
			return false;
	/* Those that cannot be left out one by one may be together. */
	if (ts_factor_count(&needed) && !ts_factor_sets_equal(&needed, &p->kept)) {
		set = ts_factor_union(p->base, &needed);
		if (!ts_search_ask_like(p->w, &set, 0, TS_TRIAL_NEEDED, &like))
			return false;
		if (like == p->goal)
			p->kept = needed;
	}
	ts_walk_cause(p->w)->needed = ts_factor_count(&p->kept) == 1 ? p->kept : needed;
	return true;
}

/* The likeliest alone, where it stands out: *ret_is where it gives the goal. */
static bool likeliest(struct prefixes *p, bool *ret_is)
{
	const struct ranked *last = &p->order[p->n - 1];
	double all = 0;
	struct ts_factor_set set = *p->base;
	enum ts_trial_like like;

	*ret_is = p->n == 1;
	for (size_t i = 0; i < p->n; i++)
		all += p->order[i].weight;
	if (p->n == 1 || last->weight <= TS_SEARCH_NAMED * all)
		return true;
	ts_factor_put(&set, last->factor);
	if (!ts_search_ask_like(p->w, &set, 0, p->why == TS_TRIAL_SEARCH ? TS_TRIAL_LIKELIEST : p->why, &like))
		return false;
	*ret_is = like == p->goal;
	return true;
}

bool ts_smallest(struct ts_search_walk *w, const struct ts_factor_set *base, const struct ts_factor_set *candidates,
		 enum ts_trial_like goal, enum ts_trial_why why)
{
	struct prefixes *p = ts_arena_array(w->arena, 1, sizeof *p);
	struct ts_root_cause *cause = ts_walk_cause(w);
	size_t left;
	bool is;

	if (!p) {
		w->status = ts_arena_error(w->arena, w->err);
		return false;
	}
	p->w = w;
	p->base = base;
	p->goal = goal;
	p->why = why;
	for (size_t i = 0; i < w->search->n; i++)
		if (ts_factor_in(candidates, i))
			p->order[p->n++] = (struct ranked){i, w->search->factors[i].weight};
	TS_SORT(p->order, p->n, by_weight);
	cause->set = *candidates;
	if (!p->n)
		return ts_walk_ends_open(w, TS_UNDECIDED_CONTRADICTS, candidates);
	if (!likeliest(p, &is))
		return false;
	if (is) {
		p->kept = between(p, p->n - 1, p->n);
		cause->set = cause->needed = p->kept;
		return true;
	}
	for (left = p->n; left;) {
		if (ts_factor_count(&p->kept)) {
			struct ts_factor_set set = prefix(p, 0);
			enum ts_trial_like like;

			if (!ts_search_ask_like(w, &set, 0, why, &like))
				return false;
			if (like == goal)
				break;
		}
		if (!last_needed(p, left, &left))
			return false;
	}
	if (!leave_out(p))
		return false;
	cause->set = p->kept;
	return true;
}
