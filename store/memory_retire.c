/* memory_retire.c - lets go what a policy names, in a memory engine that is laid over no other. Nothing comes back. */
#include "store/memory_internal.h"

#include "base/alloc.h"
#include "base/limits.h"

static bool is_tagged(const struct ts_memory *m, const struct ts_id *id)
{
	for (size_t i = 0; i < m->n_names; i++)
		if (m->names[i]->kind == TS_REF_TAG && m->names[i]->moves && ts_id_eq(&m->names[i]->moves->ref.id, id))
			return true;
	return false;
}

static bool was_noted(const struct ts_memory_name *name, int64_t since_ns)
{
	for (size_t i = 0; i < name->n_notes; i++)
		if (name->notes[i]->note.at_ns > since_ns)
			return true;
	return false;
}

/* Finds the link to the move with this number. */
static struct ts_memory_move **find_move(struct ts_memory_name *name, uint64_t seq)
{
	struct ts_memory_move **at = &name->moves;

	while (*at && (*at)->ref.seq != seq)
		at = &(*at)->older;
	return at;
}

static enum ts_retire_outcome look_at(const struct ts_memory *m, struct ts_memory_name *name, const struct ts_retired *item,
				      int64_t planned_ns)
{
	const struct ts_memory_move *move;

	if (!name || !name->moves)
		return TS_STAYS_CHANGED;
	if (item->kind == TS_REF_BRANCH && item->seq == name->moves->ref.seq)
		return TS_STAYS_NEWEST;
	move = item->kind == TS_REF_BRANCH ? *find_move(name, item->seq) : name->moves;
	if (!move || !ts_id_eq(&move->ref.id, &item->id))
		return TS_STAYS_CHANGED;
	if (item->kind == TS_REF_RUN && (move->ref.moved_ns > planned_ns || was_noted(name, planned_ns)))
		return TS_STAYS_CHANGED;
	return is_tagged(m, &item->id) ? TS_STAYS_TAGGED : TS_RETIRED;
}

static struct ts_memory_pruned *make_pruned(const struct ts_memory_name *name, const struct ts_retire *what)
{
	const struct ts_memory_move *first = name->moves;
	struct ts_memory_pruned *made;
	struct ts_span owner;

	while (first->older)
		first = first->older;
	owner = name->pruned ? name->pruned->pruned.owner : first->ref.who;
	made = ts_alloc(sizeof *made + what->who.len + owner.len);
	if (!made)
		return NULL;
	made->pruned = (struct ts_pruned){.at_ns = what->now_ns};
	if (what->who.len)
		memcpy(made->text, what->who.data, what->who.len);
	if (owner.len)
		memcpy(made->text + what->who.len, owner.data, owner.len);
	made->pruned.who = ts_span_of(made->text, what->who.len);
	made->pruned.owner = ts_span_of(made->text + what->who.len, owner.len);
	return made;
}

static void let_go(struct ts_memory_name *name, const struct ts_retired *item, struct ts_memory_pruned *pruned)
{
	struct ts_memory_move **at, *gone;

	if (item->kind == TS_REF_RUN) {
		ts_memory_remove(name);
		return;
	}
	pruned->pruned.entries = (name->pruned ? name->pruned->pruned.entries : 0) + 1;
	ts_free(name->pruned);
	name->pruned = pruned;
	at = find_move(name, item->seq);
	gone = *at;
	*at = gone->older;
	ts_free(gone);
}

/* All of them or none: what says that an entry is missing is made before anything goes. */
static enum ts_status retire_locked(struct ts_memory *m, const struct ts_retire *what, struct ts_memory_pruned **made,
				    enum ts_retire_outcome *outcomes, struct ts_error *err)
{
	for (size_t i = 0; i < what->n; i++) {
		const struct ts_retired *item = &what->items[i];
		struct ts_memory_name *name = ts_memory_find(m, item->kind, item->name, NULL);

		outcomes[i] = look_at(m, name, item, what->planned_ns);
		if (outcomes[i] != TS_RETIRED || item->kind == TS_REF_RUN)
			continue;
		made[i] = make_pruned(name, what);
		if (!made[i])
			return ts_error_set(err, TS_NO_MEMORY, "out of memory to retire an entry");
	}
	for (size_t i = 0; i < what->n; i++)
		if (outcomes[i] == TS_RETIRED) {
			let_go(ts_memory_find(m, what->items[i].kind, what->items[i].name, NULL), &what->items[i], made[i]);
			made[i] = NULL;
		}
	return TS_OK;
}

enum ts_status ts_memory_retire(struct ts_engine *e, const struct ts_retire *what, enum ts_retire_outcome *ret_outcomes,
				struct ts_error *err)
{
	struct ts_memory_pruned *made[TS_RETIRE_MAX] = {NULL};
	struct ts_memory *m = ts_memory_of(e);
	enum ts_status status;

	if (ts_retire_check(what, err))
		return err->status;
	if (m->base)
		return ts_error_set(err, TS_UNSUPPORTED, "nothing can be retired from a store that is only read");
	pthread_mutex_lock(&m->lock);
	status = retire_locked(m, what, made, ret_outcomes, err);
	pthread_mutex_unlock(&m->lock);
	for (size_t i = 0; i < what->n; i++)
		ts_free(made[i]);
	return status;
}

enum ts_status ts_memory_log_pruned(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
				    struct ts_pruned *ret_pruned, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	const struct ts_pruned none = {.entries = 0};
	const struct ts_memory_name *here;
	enum ts_status status;
	bool ask;

	if (ts_ref_kind_check(kind, err) || ts_ref_name_check(name, err))
		return err->status;
	pthread_mutex_lock(&m->lock);
	here = ts_memory_find(m, kind, name, NULL);
	ask = m->base && !(here && here->hides_base);
	status = ts_pruned_copy(arena, here && here->pruned ? &here->pruned->pruned : &none, ret_pruned, err);
	pthread_mutex_unlock(&m->lock);
	return status || !ask ? status : m->base->ops->log_pruned(m->base, kind, name, arena, ret_pruned, err);
}
