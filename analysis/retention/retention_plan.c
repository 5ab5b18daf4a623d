#include "analysis/retention/retention_plan.h"

#include "base/bisect.h"
#include "base/order.h"
#include "base/text.h"

#include <stdlib.h>

const char *ts_retention_reason_word(int reason)
{
	static const char *const words[TS_RETENTION_REASONS] = {
		[TS_RETENTION_GOES] = "goes",
		[TS_RETENTION_NEWEST] = "newest of its branch",
		[TS_RETENTION_NO_RULE] = "no rule matches",
		[TS_RETENTION_ALL] = "all are kept",
		[TS_RETENTION_LATER] = "came later",
		[TS_RETENTION_LAST] = "among the last",
		[TS_RETENTION_YOUNGER] = "young enough",
		[TS_RETENTION_TAGGED] = "tagged",
		[TS_RETENTION_NOTED] = "kept by a note",
		[TS_RETENTION_TRAINING] = "still training",
		[TS_RETENTION_ON_BRANCH] = "on a branch",
	};

	return reason >= 0 && reason < TS_RETENTION_REASONS ? words[reason] : NULL;
}

const struct ts_retention_rule *ts_retention_rule_for(const struct ts_retention_policy *policy, bool branch, struct ts_span name)
{
	for (size_t i = 0; i < policy->n_rules; i++)
		if (policy->rules[i].branch == branch && ts_glob(policy->rules[i].pattern, name))
			return &policy->rules[i];
	return NULL;
}

struct plan {
	const struct ts_retention_policy *policy;
	int64_t now_ns;
	struct ts_retention_store *store;
	uint64_t *rank;	      /* for each name: that of its newest entry in the branch at hand; 0: it has none there so far */
	struct ts_id *branched; /* runs of entries that stay, sorted */
	size_t n_branched;
};

static bool has_id(const struct ts_id *ids, size_t n, const struct ts_id *id)
{
	return n && bsearch(id, ids, n, sizeof *ids, ts_by_id);
}

TS_ORDER(compare_versions, struct ts_retention_version, TS_THEN(ts_id_cmp(&a->id, &b->id)); TS_UP(name))

/* The first version that is not below an id. */
static size_t first_version(const struct ts_retention_store *store, const struct ts_id *id)
{
	size_t at = 0;

	TS_BISECT(at, store->n_versions, i, ts_id_cmp(&store->versions[i].id, id) < 0);
	return at;
}

/* Why a run stays whatever the rule says; TS_RETENTION_GOES if nothing holds it. */
static enum ts_retention_reason holds(const struct plan *p, const struct ts_id *id)
{
	const struct ts_retention_store *store = p->store;
	enum ts_retention_reason why = TS_RETENTION_GOES;

	if (has_id(store->tagged, store->n_tagged, id))
		return TS_RETENTION_TAGGED;
	for (size_t i = first_version(store, id); i < store->n_versions && ts_id_eq(&store->versions[i].id, id); i++) {
		const struct ts_retention_name *name = &store->names[store->versions[i].name];

		if (name->noted && ts_id_eq(&name->id, id))
			return TS_RETENTION_NOTED;
		if (name->training)
			why = TS_RETENTION_TRAINING;
	}
	return why;
}

/* Whether the rule itself keeps what has this rank (from 1 on) and time. */
static enum ts_retention_reason by_rule(const struct plan *p, const struct ts_retention_rule *rule, uint64_t rank, int64_t moved_ns)
{
	if (!rule)
		return TS_RETENTION_NO_RULE;
	if (rule->all)
		return TS_RETENTION_ALL;
	if (rule->last && rank <= rule->last)
		return TS_RETENTION_LAST;
	if (rule->younger_ns && p->now_ns - moved_ns < rule->younger_ns)
		return TS_RETENTION_YOUNGER;
	return TS_RETENTION_GOES;
}

/* The rank of an entry: that of the newest entry of the same run. */
static uint64_t rank_of(struct plan *p, const struct ts_id *id, uint64_t *io_ranks)
{
	size_t at = first_version(p->store, id);
	size_t name = at < p->store->n_versions && ts_id_eq(&p->store->versions[at].id, id) ? p->store->versions[at].name : SIZE_MAX;

	if (name == SIZE_MAX)
		return ++*io_ranks;
	if (!p->rank[name])
		p->rank[name] = ++*io_ranks;
	return p->rank[name];
}

static void plan_branch(struct plan *p, struct ts_retention_branch *branch)
{
	uint64_t ranks = 0;

	branch->rule = ts_retention_rule_for(p->policy, true, branch->name);
	if (p->store->n_names)
		memset(p->rank, 0, p->store->n_names * sizeof *p->rank);
	for (size_t i = 0; i < branch->n; i++) {
		struct ts_retention_entry *entry = &branch->entries[i];

		if (entry->moved_ns > p->now_ns && branch->rule && !branch->rule->all)
			entry->why = TS_RETENTION_LATER;
		else
			entry->why = by_rule(p, branch->rule, rank_of(p, &entry->id, &ranks), entry->moved_ns);
		if (i == 0 && branch->rule && !branch->rule->all)
			entry->why = TS_RETENTION_NEWEST;
		if (entry->why == TS_RETENTION_GOES)
			entry->why = holds(p, &entry->id);
		if (entry->why != TS_RETENTION_GOES)
			p->branched[p->n_branched++] = entry->id;
	}
}

static struct ts_span project_of(struct ts_span name)
{
	return ts_span_through(name, '/');
}

/* Orders names by project, then newest first. qsort has no context, so it sorts pointers. */
TS_ORDER_OF_POINTERS(compare_newest, struct ts_retention_name, TS_THEN(ts_span_cmp(project_of(a->name), project_of(b->name)));
		     TS_DOWN(moved_ns); TS_TEXT(name))

static void plan_name(struct plan *p, struct ts_retention_name *name, uint64_t *ranks)
{
	const struct ts_retention_rule *rule = ts_retention_rule_for(p->policy, false, name->name);
	bool later = rule && !rule->all && name->moved_ns > p->now_ns;

	if (later)
		name->why = TS_RETENTION_LATER;
	else
		name->why = by_rule(p, rule, rule ? ++ranks[rule - p->policy->rules] : 0, name->moved_ns);
	if (name->why == TS_RETENTION_GOES)
		name->why = holds(p, &name->id);
	if (name->why == TS_RETENTION_GOES && has_id(p->branched, p->n_branched, &name->id))
		name->why = TS_RETENTION_ON_BRANCH;
}

static enum ts_status plan_names(struct plan *p, struct ts_arena *arena, struct ts_error *err)
{
	size_t n = p->store->n_names;
	struct ts_retention_name **order = ts_arena_array(arena, n, sizeof(struct ts_retention_name *));
	uint64_t *ranks = ts_arena_array(arena, p->policy->n_rules, sizeof *ranks);

	if (!order || !ranks)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		order[i] = &p->store->names[i];
	TS_SORT(order, n, compare_newest);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !ts_span_eq(project_of(order[i]->name), project_of(order[i - 1]->name)))
			memset(ranks, 0, p->policy->n_rules * sizeof *ranks);
		plan_name(p, order[i], ranks);
	}
	return TS_OK;
}

enum ts_status ts_retention_plan(const struct ts_retention_policy *policy, int64_t now_ns, struct ts_retention_store *store,
				 struct ts_arena *arena, struct ts_error *err)
{
	struct plan p = {.policy = policy, .now_ns = now_ns, .store = store};
	size_t entries = 0;

	for (size_t i = 0; i < store->n_branches; i++)
		entries += store->branches[i].n;
	p.rank = ts_arena_array(arena, store->n_names, sizeof *p.rank);
	p.branched = ts_arena_array(arena, entries, sizeof *p.branched);
	if (!p.rank || !p.branched)
		return ts_arena_error(arena, err);
	TS_SORT(store->tagged, store->n_tagged, ts_by_id);
	TS_SORT(store->versions, store->n_versions, compare_versions);
	for (size_t i = 0; i < store->n_branches; i++)
		plan_branch(&p, &store->branches[i]);
	TS_SORT(p.branched, p.n_branched, ts_by_id);
	return plan_names(&p, arena, err);
}
