#include "service/handlers/runs/list_ahead.h"

#include "base/limits.h"

/* So many that handing a page over takes little beside reading it, and so few that they stay in the processor's cache. */
enum { NAMES = 1024 };

/* Reads the next page. This may run in the helper. */
static void read_page(void *ctx)
{
	struct ts_list_ahead *a = ctx;
	struct ts_list_page *page = &a->pages[a->at];

	ts_arena_reset(&page->arena);
	page->status = a->engine->ops->ref_list(a->engine, &a->query, &page->arena, &page->refs, &page->n, &page->next, &page->err);
}

void ts_list_ahead_begin(struct ts_list_ahead *a, struct ts_engine *engine, const struct ts_ref_query *query)
{
	*a = (struct ts_list_ahead){.engine = engine, .query = *query};
	a->query.limit = NAMES;
	for (int i = 0; i < 2; i++)
		ts_arena_init(&a->pages[i].arena, TS_CALL_ARENA);
}

/* Begins to read the next page if somebody is there to do it. Nobody is while the first page is looked at: few stores have a second,
 * and what is read meanwhile of other things may take the helper. */
static void read_on(struct ts_list_ahead *a)
{
	if (a->began && !a->helper)
		a->helper = ts_helper_hire();
	a->began = true;
	a->given = a->helper;
	if (a->given)
		ts_helper_give(a->helper, read_page, a);
}

enum ts_status ts_list_ahead_next(struct ts_list_ahead *a, struct ts_ref **ret_refs, size_t *ret_n, struct ts_error *err)
{
	struct ts_list_page *page = &a->pages[a->at];

	*ret_n = 0;
	if (a->ended)
		return TS_OK;
	if (a->given)
		ts_helper_wait(a->helper);
	else
		read_page(a);
	a->given = false;
	if (page->status) {
		*err = page->err;
		return err->status;
	}
	a->query.after = page->next;
	a->at = !a->at;
	a->ended = page->next.len == 0;
	if (!a->ended)
		read_on(a);
	*ret_refs = page->refs;
	*ret_n = page->n;
	return TS_OK;
}

void ts_list_ahead_end(struct ts_list_ahead *a)
{
	if (a->given)
		ts_helper_wait(a->helper);
	ts_helper_dismiss(a->helper);
	for (int i = 0; i < 2; i++)
		ts_arena_finish(&a->pages[i].arena);
}
