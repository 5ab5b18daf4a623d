#include "analysis/ranks/replicas.h"

#include "analysis/answer/measure_name.h"
#include "analysis/answer/say.h"
#include "base/door.h"
#include "base/text.h"

#include <string.h>

/* All ranks side by side, at the steps that each of them recorded. */
struct common {
	const struct ts_replica *ranks;
	size_t n, *at; /* the place of the step in each rank's list */
	int64_t step;
};

/* Goes to the next step that all ranks have, from the places in `at` on. */
static bool meet(struct common *c)
{
	for (size_t i = 0; i < c->n;) {
		const struct ts_replica *r = &c->ranks[i];

		while (c->at[i] < r->n && r->keys[c->at[i]] < c->step)
			c->at[i]++;
		if (c->at[i] == r->n)
			return false;
		if (r->keys[c->at[i]] > c->step) {
			c->step = r->keys[c->at[i]];
			i = 0;
			continue;
		}
		i++;
	}
	return true;
}

static uint64_t value(const struct common *c, size_t i)
{
	return c->ranks[i].values[c->at[i]];
}

static void go_on(struct common *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->at[i]++;
	if (c->at[0] < c->ranks[0].n)
		c->step = c->ranks[0].keys[c->at[0]];
}

static void begin(struct common *c)
{
	memset(c->at, 0, c->n * sizeof *c->at);
	c->step = c->ranks[0].n ? c->ranks[0].keys[0] : 0;
}

/* --- sets of ranks --- */

/* Numbers the sets of ranks whose digests are equal at the first step with tensors: sets[i] is the first rank of i's set. */
static bool find_sets(struct common *c, size_t *sets)
{
	for (begin(c); meet(c); go_on(c)) {
		bool any = false;

		for (size_t i = 0; i < c->n; i++)
			any |= value(c, i) != 0;
		if (!any)
			continue;
		for (size_t i = 0; i < c->n; i++)
			for (sets[i] = 0; value(c, sets[i]) != value(c, i); sets[i]++)
				;
		return true;
	}
	return false;
}

static bool all_equal(const struct common *c, const size_t *sets, size_t of)
{
	for (size_t i = of; i < c->n; i++)
		if (sets[i] == of && value(c, i) != value(c, of))
			return false;
	return true;
}

/* The odd ranks at the step where c stands: those that have not the digest of more than half of the set. */
static enum ts_status find_odd(const struct common *c, const size_t *sets, size_t of, struct ts_arena *arena, struct ts_replicas *r,
			       struct ts_error *err)
{
	size_t most = 0, best = of;

	for (size_t i = of; i < c->n; i++) {
		size_t same = 0;

		for (size_t k = of; k < c->n && sets[i] == of; k++)
			same += sets[k] == of && value(c, k) == value(c, i);
		if (same > most) {
			most = same;
			best = i;
		}
	}
	r->majority = 2 * most > r->n_ranks;
	r->odd = ts_arena_array(arena, r->n_ranks, sizeof *r->odd);
	if (!r->odd)
		return ts_arena_error(arena, err);
	for (size_t i = of; i < c->n; i++)
		if (sets[i] == of && !(r->majority && value(c, i) == value(c, best)))
			r->odd[r->n_odd++] = c->ranks[i].rank;
	return TS_OK;
}

static enum ts_status judge_set(struct common *c, const size_t *sets, size_t of, bool promised, struct ts_arena *arena,
				struct ts_replicas *ret, struct ts_error *err)
{
	struct ts_replicas r = {.reason = "no update lies between two steps at which their digests are equal"};
	uint64_t before = 0, updates = 0;

	for (size_t i = of; i < c->n; i++)
		r.n_ranks += sets[i] == of;
	for (begin(c); meet(c); go_on(c)) {
		bool equal = all_equal(c, sets, of);

		if (equal && value(c, of) == 0)
			continue;
		r.steps++;
		if (equal && r.apart) {
			*ret = (struct ts_replicas){.reason = "copies that part meet again, as in local SGD"};
			return TS_OK;
		}
		if (equal) {
			updates += before != 0 && value(c, of) != before;
			before = value(c, of);
			r.last_equal = c->step;
			continue;
		}
		if (!r.apart) {
			r.first_apart = c->step;
			if (find_odd(c, sets, of, arena, &r, err))
				return err->status;
		}
		r.apart = true;
		r.apart_steps++;
	}
	r.judged = updates > 0 || (promised && r.apart);
	if (!r.judged)
		r = (struct ts_replicas){.reason = r.reason};
	*ret = r;
	return TS_OK;
}

/* Whether x tells more than y: copies that part, and the earlier; else the greater set that was judged. */
static bool tells_more(const struct ts_replicas *x, const struct ts_replicas *y)
{
	if (x->judged != y->judged)
		return x->judged;
	if (!x->judged)
		return false;
	if (x->apart != y->apart)
		return x->apart;
	return x->apart ? x->first_apart < y->first_apart : x->n_ranks > y->n_ranks;
}

enum ts_status ts_replicas_judge(const struct ts_replica *ranks, size_t n, bool promised, struct ts_arena *arena,
				 struct ts_replicas *ret_found, struct ts_error *err)
{
	struct ts_replicas best = {
		.reason = "no two ranks have equal digests at the first step: shards, or copies that never were equal"};
	struct common c = {.ranks = ranks, .n = n, .at = ts_arena_array(arena, n, sizeof *c.at)};
	size_t *sets = ts_arena_array(arena, n, sizeof *sets);

	if (!c.at || !sets)
		return ts_arena_error(arena, err);
	if (!find_sets(&c, sets)) {
		*ret_found = (struct ts_replicas){.reason = "the ranks have no step in common with a digest of tensors"};
		return TS_OK;
	}
	for (size_t of = 0; of < n; of++) {
		struct ts_replicas found = {.judged = false};
		size_t size = 0;

		for (size_t i = of; i < n; i++)
			size += sets[i] == of;
		if (sets[of] != of || size < 2)
			continue;
		if (judge_set(&c, sets, of, promised, arena, &found, err))
			return err->status;
		if (!best.n_ranks || tells_more(&found, &best))
			best = found;
	}
	*ret_found = best;
	return TS_OK;
}

/* --- rows --- */

enum ts_status ts_replicas_rows(const struct ts_replicas *r, const char *column, struct ts_arena *arena, struct ts_measures *m,
				struct ts_error *err)
{
	char *subject = ts_arena_printf(arena, "replicas of %s", column);
	struct ts_span of;
	bool ok;

	TS_DOOR(ts_measures_hold(m));
	if (!subject)
		return ts_arena_error(arena, err);
	of = ts_span_str(subject);
	if (!r->judged)
		return ts_measure_unknown(m, arena, TS_M_REPLICAS_APART, of, r->reason) ? TS_OK : ts_arena_error(arena, err);
	ok = ts_measure_add(m, arena, TS_M_REPLICAS_APART, of, (double)r->apart_steps) &&
	     ts_measure_add(m, arena, TS_M_REPLICAS_STEPS, of, (double)r->steps) &&
	     ts_measure_add(m, arena, TS_M_REPLICAS_RANKS, of, (double)r->n_ranks);
	if (ok && r->apart) {
		char *odd = ts_say_ranks(r->odd, r->n_odd, arena);

		ok = odd && ts_measure_add(m, arena, TS_M_REPLICAS_LAST_EQUAL, of, (double)r->last_equal) &&
		     ts_measure_add(m, arena, TS_M_REPLICAS_FIRST_APART, of, (double)r->first_apart) &&
		     ts_measure_add(m, arena, TS_M_REPLICAS_ODD, of, r->majority ? (double)r->n_odd : 0) &&
		     ts_measure_text(m, arena, TS_M_REPLICAS_ODD_LIST, of, ts_span_str(odd));
	}
	return ok ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_replicas_rank_rows(const struct ts_replicas *r, struct ts_arena *arena, struct ts_measures *m, struct ts_error *err)
{
	TS_DOOR(ts_measures_hold(m));
	for (size_t i = 0; r->apart && r->majority && i < r->n_odd; i++) {
		char *subject = ts_measure_subject(TS_M_RANK_APART, r->odd[i], arena);

		if (!subject || !ts_measure_add(m, arena, TS_M_RANK_APART, ts_span_str(subject), (double)r->first_apart))
			return ts_arena_error(arena, err);
	}
	return TS_OK;
}

/* --- copies that part on purpose --- */

static bool names_it(struct ts_span path)
{
	static const char *const words[] = {"localsgd",	       "postlocal",	 "diloco",	   "federated", "fedavg",
					    "averagingperiod", "modelaveraging", "outeroptimizer", "gossip"};
	char letters[256];
	size_t n = 0;

	for (size_t i = 0; i < path.len && n + 1 < sizeof letters; i++)
		if (ts_is_alnum(path.data[i]))
			letters[n++] = (char)(ts_is_alpha(path.data[i]) ? path.data[i] | 32 : path.data[i]);
	letters[n] = '\0';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strstr(letters, words[i]))
			return true;
	return false;
}

static bool is_off(const struct ts_fact *fact)
{
	return fact->type == TS_FACT_NULL || (fact->type == TS_FACT_BOOL && !fact->boolean) ||
	       (fact->type == TS_FACT_INT && !fact->integer);
}

bool ts_replicas_may_part(const struct ts_facts *facts)
{
	TS_DOOR(ts_facts_hold(facts));
	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];
		bool ours =
			ts_span_starts(fact->path, ts_span_str("config.")) || ts_span_starts(fact->path, ts_span_str("parallelism."));

		if (ours && !is_off(fact) && (names_it(fact->path) || (fact->type == TS_FACT_TEXT && names_it(fact->text))))
			return true;
	}
	return false;
}

bool ts_replicas_promised(const struct ts_facts *facts)
{
	return ts_facts_find(facts, ts_span_str("session.replicas")) != NULL;
}
