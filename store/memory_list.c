/* memory_list.c - reads the names of a memory engine: those that were moved here, and those of the store below. */
#include "store/memory_internal.h"

#include "base/alloc.h"

#include <stdlib.h>

enum ts_status ts_memory_ref_get(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name,
				 struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	enum ts_status status;
	struct ts_ref ref;
	bool found = false;

	if (ts_ref_kind_check(kind, err) || ts_ref_name_check(name, err))
		return err->status;
	pthread_mutex_lock(&m->lock);
	status = ts_memory_current(m, kind, name, arena, &ref, &found, err);
	pthread_mutex_unlock(&m->lock);
	if (status)
		return status;
	if (!found)
		return ts_no_ref(kind, name, err);
	*ret_ref = ref;
	return TS_OK;
}

static int compare_newest(const void *a, const void *b)
{
	const struct ts_ref *const *x = a;
	const struct ts_ref *const *y = b;

	return ts_ref_compare(TS_ORDER_NEWEST, (*x)->moved_ns, (*x)->name, (*y)->moved_ns, (*y)->name);
}

/* Selects, in order, the refs that were moved in this engine and belong on this page or a later one. */
static size_t select_here(const struct ts_memory *m, const struct ts_ref_query *q, const struct ts_page *page,
			  const struct ts_ref **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_names; i++) {
		const struct ts_memory_name *name = m->names[i];

		if (name->kind != q->kind || !name->moves || !ts_span_starts(name->name, q->prefix))
			continue;
		if (page->begun && ts_ref_compare(q->order, name->moves->ref.moved_ns, name->name, page->moved_ns,
						  page->name) <= 0)
			continue;
		ret[n++] = &name->moves->ref;
	}
	if (q->order == TS_ORDER_NEWEST && n)
		qsort(ret, n, sizeof *ret, compare_newest);
	return n;
}

/* Selects, in order, up to want refs of base that no ref of this engine overrides. */
static enum ts_status select_base(struct ts_memory *m, const struct ts_ref_query *q, size_t want, struct ts_arena *arena,
				  struct ts_ref *ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_ref_query query = *q;
	size_t n = 0;

	while (m->base && n < want) {
		struct ts_span next = {0};
		struct ts_ref *refs;
		size_t n_refs;

		query.limit = want;
		if (m->base->ops->ref_list(m->base, &query, arena, &refs, &n_refs, &next, err))
			return err->status;
		for (size_t i = 0; i < n_refs && n < want; i++) {
			const struct ts_memory_name *name = ts_memory_find(m, q->kind, refs[i].name, NULL);

			if (!name || (!name->moves && !name->hides_base))
				ret[n++] = refs[i];
		}
		if (next.len == 0)
			break;
		query.after = next;
	}
	*ret_n = n;
	return TS_OK;
}

static enum ts_status list_locked(struct ts_memory *m, const struct ts_ref_query *q, const struct ts_page *page,
				  struct ts_arena *arena, struct ts_ref **ret_refs, size_t *ret_n,
				  struct ts_span *ret_next, struct ts_error *err)
{
	const struct ts_ref **here = ts_arena_array(arena, m->n_names, sizeof(const struct ts_ref *));
	struct ts_ref *base = ts_arena_array(arena, q->limit + 1, sizeof *base);
	struct ts_ref *refs = ts_arena_array(arena, q->limit, sizeof *refs);
	struct ts_span next = {0};
	size_t n_here;
	size_t n_base = 0;
	size_t h = 0;
	size_t b = 0;
	size_t n = 0;

	if (!here || !base || !refs)
		return ts_arena_error(arena, err);
	n_here = select_here(m, q, page, here);
	if (select_base(m, q, q->limit + 1, arena, base, &n_base, err))
		return err->status;
	for (; n < q->limit && (h < n_here || b < n_base); n++) {
		bool take_here = b == n_base ||
				 (h < n_here && ts_ref_compare(q->order, here[h]->moved_ns, here[h]->name,
							       base[b].moved_ns, base[b].name) < 0);

		if (!take_here)
			refs[n] = base[b++];
		else if (ts_ref_copy(arena, here[h++], &refs[n], err))
			return err->status;
	}
	if ((h < n_here || b < n_base) && ts_page_token(&refs[n - 1], q->order, arena, &next, err))
		return err->status;
	*ret_refs = refs;
	*ret_n = n;
	*ret_next = next;
	return TS_OK;
}

enum ts_status ts_memory_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				  struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next,
				  struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	struct ts_ref_query q = *query;
	enum ts_status status;
	struct ts_page page;

	if (ts_page_of(query, &page, err))
		return err->status;
	q.limit = q.limit < TS_LIST_MAX ? q.limit : TS_LIST_MAX;
	pthread_mutex_lock(&m->lock);
	status = list_locked(m, &q, &page, arena, ret_refs, ret_n, ret_next, err);
	pthread_mutex_unlock(&m->lock);
	return status;
}

static enum ts_status copy_move(struct ts_arena *arena, const struct ts_memory_move *move, struct ts_log_entry *ret,
				struct ts_error *err)
{
	ret->seq = move->ref.seq;
	ret->id = move->ref.id;
	ret->moved_ns = move->ref.moved_ns;
	ret->who = ts_arena_span(arena, move->ref.who);
	ret->message = ts_arena_span(arena, move->message);
	if (!ret->who.data || !ret->message.data)
		return ts_arena_error(arena, err);
	return TS_OK;
}

/* Lists the moves made in this engine, then those that base had before them. */
static enum ts_status log_locked(struct ts_memory *m, enum ts_ref_kind kind, struct ts_span name, size_t limit,
				 struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
				 struct ts_error *err)
{
	struct ts_memory_name *here = ts_memory_find(m, kind, name, NULL);
	struct ts_memory_move *move = here ? here->moves : NULL;
	struct ts_log_entry *older = NULL;
	struct ts_log_entry *entries;
	size_t n_older = 0;
	size_t n_here = 0;
	size_t n = 0;

	for (; move && (limit == 0 || n_here < limit); move = move->older)
		n_here++;
	if (m->base && !(here && here->hides_base) && (limit == 0 || n_here < limit) &&
	    m->base->ops->ref_log(m->base, kind, name, limit ? limit - n_here : 0, arena, &older, &n_older, err) &&
	    err->status != TS_NOT_FOUND)
		return err->status;
	if (n_here + n_older == 0)
		return ts_no_ref(kind, name, err);
	entries = ts_arena_array(arena, n_here + n_older, sizeof *entries);
	if (!entries)
		return ts_arena_error(arena, err);
	for (move = n_here ? here->moves : NULL; n < n_here; move = move->older)
		if (copy_move(arena, move, &entries[n++], err))
			return err->status;
	for (size_t i = 0; i < n_older; i++)
		entries[n++] = older[i];
	*ret_entries = entries;
	*ret_n = n;
	return TS_OK;
}

enum ts_status ts_memory_ref_log(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, size_t limit,
				 struct ts_arena *arena, struct ts_log_entry **ret_entries, size_t *ret_n,
				 struct ts_error *err)
{
	struct ts_memory *m = ts_memory_of(e);
	enum ts_status status;

	if (ts_ref_kind_check(kind, err) || ts_ref_name_check(name, err))
		return err->status;
	pthread_mutex_lock(&m->lock);
	status = log_locked(m, kind, name, limit, arena, ret_entries, ret_n, err);
	pthread_mutex_unlock(&m->lock);
	return status;
}
