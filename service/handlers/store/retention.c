#include "service/handlers/store/retention.h"

#include "analysis/policy.h"
#include "base/bisect.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/order.h"
#include "run/ending.h"
#include "service/handlers/core/each_ref.h"

#include <stdlib.h>

/* ---- what the store has ---- */

/* An array in an arena that doubles. */
struct growing {
	void *items;
	size_t n, cap, size;
};

struct gathering {
	struct ts_retention_work *work;
	struct growing branches, names, versions, tagged;
	struct ts_arena one; /* for the notes and the log of one name */
};

/* Returns room for one more item; NULL: no memory. */
static void *add(struct ts_arena *arena, struct growing *g)
{
	if (g->n == g->cap && !ts_grow_in(arena, &g->items, &g->cap, g->size, g->n + 1, 64))
		return NULL;
	return (uint8_t *)g->items + g->n++ * g->size;
}

static enum ts_status take_tag(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	struct gathering *g = ctx;
	struct ts_id *id = add(&g->work->arena, &g->tagged);

	(void)ret_enough;
	if (!id)
		return ts_arena_error(&g->work->arena, err);
	*id = ref->id;
	return TS_OK;
}

static enum ts_status take_branch(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	struct gathering *g = ctx;
	struct ts_arena *arena = &g->work->arena;
	struct ts_retention_branch branch = {.name = ts_arena_span(arena, ref->name)}, *made;
	struct ts_log_entry *log;
	size_t n;

	(void)ret_enough;
	ts_arena_reset(&g->one);
	if (g->work->engine->ops->ref_log(g->work->engine, ref->kind, ref->name, 0, &g->one, &log, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status; /* it was removed meanwhile */
	branch.entries = ts_arena_array(arena, n, sizeof *branch.entries);
	if (!branch.name.data || !branch.entries)
		return ts_arena_error(arena, err);
	for (; branch.n < n; branch.n++)
		branch.entries[branch.n] = (struct ts_retention_entry){
			.seq = log[branch.n].seq, .id = log[branch.n].id, .moved_ns = log[branch.n].moved_ns};
	made = add(arena, &g->branches);
	if (!made)
		return ts_arena_error(arena, err);
	*made = branch;
	return TS_OK;
}

static bool keeps(const struct ts_retention_policy *policy, struct ts_span key)
{
	for (size_t i = 0; i < policy->n_notes; i++)
		if (ts_span_eq(policy->notes[i], key))
			return true;
	return false;
}

static enum ts_status take_notes(struct gathering *g, struct ts_retention_name *name, struct ts_error *err)
{
	struct ts_engine *engine = g->work->engine;
	struct ts_note *notes;
	size_t n;

	ts_arena_reset(&g->one);
	if (engine->ops->note_list(engine, name->name, &g->one, NULL, &notes, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status; /* the name was removed meanwhile */
	for (size_t i = 0; i < n; i++) {
		name->noted |= keeps(&g->work->policy, notes[i].key);
		name->training |= ts_span_is(notes[i].key, "state") && ts_end_goes_on(notes[i].value);
	}
	return TS_OK;
}

static enum ts_status take_version(struct gathering *g, const struct ts_id *id, struct ts_error *err)
{
	struct ts_retention_version *version = add(&g->work->arena, &g->versions);

	if (!version)
		return ts_arena_error(&g->work->arena, err);
	*version = (struct ts_retention_version){*id, g->names.n - 1};
	return TS_OK;
}

/* The runs that the name pointed at before. */
static enum ts_status take_versions(struct gathering *g, const struct ts_ref *ref, struct ts_error *err)
{
	struct ts_engine *engine = g->work->engine;
	struct ts_log_entry *log;
	size_t n;

	if (take_version(g, &ref->id, err))
		return err->status;
	if (ref->seq == 1)
		return TS_OK;
	ts_arena_reset(&g->one);
	if (engine->ops->ref_log(engine, ref->kind, ref->name, 0, &g->one, &log, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	for (size_t i = 0; i < n; i++)
		if (!ts_id_eq(&log[i].id, &ref->id) && take_version(g, &log[i].id, err))
			return err->status;
	return TS_OK;
}

static enum ts_status take_name(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	struct gathering *g = ctx;
	struct ts_arena *arena = &g->work->arena;
	struct ts_retention_name name = {.name = ts_arena_span(arena, ref->name), .id = ref->id, .moved_ns = ref->moved_ns}, *made;

	(void)ret_enough;
	if (!name.name.data)
		return ts_arena_error(arena, err);
	if (take_notes(g, &name, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status; /* it was removed meanwhile */
	made = add(arena, &g->names);
	if (!made)
		return ts_arena_error(arena, err);
	*made = name;
	return take_versions(g, ref, err);
}

/* Tags are read last, so that one that was set meanwhile counts. */
static enum ts_status gather(struct gathering *g, struct ts_error *err)
{
	struct ts_retention_work *work = g->work;
	struct ts_span all = {NULL, 0};

	if (ts_each_ref(work->call, work->engine, TS_REF_BRANCH, all, TS_ORDER_NAME, take_branch, g, err) ||
	    ts_each_ref(work->call, work->engine, TS_REF_RUN, all, TS_ORDER_NAME, take_name, g, err) ||
	    ts_each_ref(work->call, work->engine, TS_REF_TAG, all, TS_ORDER_NAME, take_tag, g, err))
		return err->status;
	work->store = (struct ts_retention_store){
		.branches = g->branches.items, .n_branches = g->branches.n, .names = g->names.items, .n_names = g->names.n,
		.versions = g->versions.items, .n_versions = g->versions.n, .tagged = g->tagged.items, .n_tagged = g->tagged.n};
	return ts_retention_plan(&work->policy, work->as_of_ns, &work->store, &work->arena, err);
}

enum ts_status ts_retention_open(struct ts_retention_work *work, const struct ts_call *call, struct ts_span text, const char *name,
				 int64_t as_of_ns, struct ts_error *err)
{
	struct gathering g = {.work = work,
			      .branches.size = sizeof(struct ts_retention_branch),
			      .names.size = sizeof(struct ts_retention_name),
			      .versions.size = sizeof(struct ts_retention_version),
			      .tagged.size = sizeof(struct ts_id)};
	struct ts_policy items;
	enum ts_status status;

	*work = (struct ts_retention_work){.call = call, .engine = call->engine, .as_of_ns = as_of_ns};
	ts_arena_init(&work->arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&g.one, TS_CALL_ARENA);
	status = ts_policy_parse(text, name, &work->arena, &items, err);
	if (!status)
		status = ts_policy_of_retention(&items, &work->arena, &work->policy, err);
	if (!status)
		status = gather(&g, err);
	ts_arena_finish(&g.one);
	if (status)
		ts_retention_close(work);
	return status;
}

void ts_retention_close(struct ts_retention_work *work)
{
	ts_arena_finish(&work->arena);
}

/* ---- what goes ---- */

static void count_going(const struct ts_retention_store *store, uint64_t *ret_entries, uint64_t *ret_names)
{
	*ret_entries = *ret_names = 0;
	for (size_t i = 0; i < store->n_branches; i++)
		for (size_t k = 0; k < store->branches[i].n; k++)
			*ret_entries += store->branches[i].entries[k].why == TS_RETENTION_GOES;
	for (size_t i = 0; i < store->n_names; i++)
		*ret_names += store->names[i].why == TS_RETENTION_GOES;
}

/* The oldest of each branch first. */
static size_t list_entries(const struct ts_retention_store *store, struct ts_retired *items, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < store->n_branches; i++) {
		const struct ts_retention_branch *branch = &store->branches[i];

		for (size_t k = branch->n; k-- > 0 && n < most;) {
			const struct ts_retention_entry *entry = &branch->entries[k];

			if (entry->why == TS_RETENTION_GOES)
				items[n++] = (struct ts_retired){TS_REF_BRANCH, branch->name, entry->seq, entry->id};
		}
	}
	return n;
}

enum ts_status ts_retention_items(struct ts_retention_work *work, size_t most, struct ts_retired **ret_items, size_t *ret_n,
				  uint64_t *ret_more, struct ts_error *err)
{
	const struct ts_retention_store *store = &work->store;
	struct ts_retired *items;
	uint64_t entries, names, all;
	size_t n;

	count_going(store, &entries, &names);
	all = entries + names;
	most = all < most ? (size_t)all : most;
	items = ts_arena_array(&work->arena, most, sizeof *items);
	if (!items)
		return ts_arena_error(&work->arena, err);
	n = list_entries(store, items, most);
	for (size_t i = 0; n >= entries && i < store->n_names && n < most; i++)
		if (store->names[i].why == TS_RETENTION_GOES)
			items[n++] = (struct ts_retired){.kind = TS_REF_RUN, .name = store->names[i].name, .id = store->names[i].id};
	*ret_items = items;
	*ret_n = n;
	*ret_more = all - n;
	return TS_OK;
}

/* ---- letting it go ---- */

static struct ts_retention_entry *find_entry(const struct ts_retention_store *store, const struct ts_retired *item)
{
	const struct ts_retention_branch *branch;
	size_t at = 0;
	bool found;

	TS_SEEK(at, store->n_branches, i, ts_span_cmp(store->branches[i].name, item->name), found);
	if (!found)
		return NULL;
	branch = &store->branches[at];
	at = 0;
	TS_BISECT(at, branch->n, i, branch->entries[i].seq > item->seq); /* the greatest number first */
	return at < branch->n && branch->entries[at].seq == item->seq ? &branch->entries[at] : NULL;
}

static const char changed[] = "it changed since the plan";

static struct ts_retention_name *find_name(const struct ts_retention_store *store, const struct ts_retired *item)
{
	size_t at = 0;
	bool found;

	TS_SEEK(at, store->n_names, i, ts_span_cmp(store->names[i].name, item->name), found);
	return found ? &store->names[at] : NULL;
}

/* Whether an item that was found went; it is set before it goes, so that an item that is named twice goes once. */
static bool *gone(const struct ts_retention_store *store, const struct ts_retired *item)
{
	return item->kind == TS_REF_BRANCH ? &find_entry(store, item)->gone : &find_name(store, item)->gone;
}

/* Why an item is not to go by the plan; NULL: it is. */
static const char *why_not(const struct ts_retention_store *store, const struct ts_retired *item)
{
	const struct ts_retention_entry *entry = item->kind == TS_REF_BRANCH ? find_entry(store, item) : NULL;
	const struct ts_retention_name *name = item->kind == TS_REF_RUN ? find_name(store, item) : NULL;
	enum ts_retention_reason why;

	if ((!entry || !ts_id_eq(&entry->id, &item->id)) && (!name || !ts_id_eq(&name->id, &item->id)))
		return changed;
	why = entry ? entry->why : name->why;
	return why == TS_RETENTION_GOES ? NULL : ts_retention_reason_word(why);
}

/* The runs of entries that were to go and stayed: their names stay as well. */
static enum ts_status stayed(struct ts_retention_work *work, struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err)
{
	uint64_t entries, names;
	struct ts_id *ids;
	size_t n = 0;

	count_going(&work->store, &entries, &names);
	ids = ts_arena_array(&work->arena, (size_t)entries, sizeof *ids);
	if (!ids)
		return ts_arena_error(&work->arena, err);
	for (size_t i = 0; i < work->store.n_branches; i++)
		for (size_t k = 0; k < work->store.branches[i].n; k++) {
			const struct ts_retention_entry *entry = &work->store.branches[i].entries[k];

			if (entry->why == TS_RETENTION_GOES && !entry->gone)
				ids[n++] = entry->id;
		}
	TS_SORT(ids, n, ts_by_id);
	*ret_ids = ids;
	*ret_n = n;
	return TS_OK;
}

struct letting_go {
	struct ts_retention_work *work;
	const struct ts_retired *items;
	const char **why;
	struct ts_retire batch;
	struct ts_retired room[TS_RETIRE_MAX];
	size_t at[TS_RETIRE_MAX]; /* which item */
	struct ts_retention_done done;
};

static enum ts_status flush(struct letting_go *go, struct ts_error *err)
{
	static const char *const words[] = {
		[TS_STAYS_CHANGED] = changed, [TS_STAYS_NEWEST] = "newest of its branch", [TS_STAYS_TAGGED] = "tagged"};
	enum ts_retire_outcome outcomes[TS_RETIRE_MAX];
	struct ts_engine *engine = go->work->engine;

	if (go->batch.n == 0)
		return TS_OK;
	if (ts_call_check(go->work->call, err) || engine->ops->retire(engine, &go->batch, outcomes, err))
		return err->status;
	for (size_t i = 0; i < go->batch.n; i++) {
		bool is_entry = go->room[i].kind == TS_REF_BRANCH;

		if (outcomes[i] != TS_RETIRED) {
			go->why[go->at[i]] = words[outcomes[i]];
			*gone(&go->work->store, &go->room[i]) = false;
			continue;
		}
		go->done.entries += is_entry;
		go->done.names += !is_entry;
	}
	go->batch.n = 0;
	return TS_OK;
}

/* Lets the items of one kind go. Those of one branch stand together if they did so in items. */
static enum ts_status let_go(struct letting_go *go, enum ts_ref_kind kind, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (go->items[i].kind != kind || go->why[i])
			continue;
		if (*gone(&go->work->store, &go->items[i])) {
			go->why[i] = "it is named twice";
			continue;
		}
		*gone(&go->work->store, &go->items[i]) = true;
		go->room[go->batch.n] = go->items[i];
		go->at[go->batch.n++] = i;
		if (go->batch.n == TS_RETIRE_MAX && flush(go, err))
			return err->status;
	}
	return flush(go, err);
}

enum ts_status ts_retention_let_go(struct ts_retention_work *work, const struct ts_retired *items, size_t n, int64_t now_ns,
				   const char **ret_why, struct ts_retention_done *ret_done, struct ts_error *err)
{
	struct letting_go *go = ts_arena_array(&work->arena, 1, sizeof *go);
	const char *who = ts_arena_printf(&work->arena, "%.*s (policy)", TS_SPAN_ARG(work->call->caller));
	enum ts_status status;
	struct ts_id *left = NULL;
	size_t n_left = 0;

	*ret_done = (struct ts_retention_done){0};
	if (!go || !who)
		return ts_arena_error(&work->arena, err);
	*go = (struct letting_go){.work = work, .items = items, .why = ret_why};
	go->batch = (struct ts_retire){.items = go->room, .planned_ns = work->as_of_ns, .now_ns = now_ns, .who = ts_span_str(who)};
	for (size_t i = 0; i < n; i++)
		ret_why[i] = why_not(&work->store, &items[i]);
	status = let_go(go, TS_REF_BRANCH, n, err);
	if (!status)
		status = stayed(work, &left, &n_left, err);
	for (size_t i = 0; i < n && !status; i++)
		if (items[i].kind == TS_REF_RUN && !ret_why[i] && n_left &&
		    bsearch(&items[i].id, left, n_left, sizeof *left, ts_by_id))
			ret_why[i] = ts_retention_reason_word(TS_RETENTION_ON_BRANCH);
	if (!status)
		status = let_go(go, TS_REF_RUN, n, err);
	*ret_done = go->done;
	return status;
}
