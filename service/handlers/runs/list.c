/* list.c - ListRuns: one page of names, filtered and sorted.
 *
 * Newest first and by name are orders that the engine keeps: a page of them is read and no more. What the name's own bytes
 * answer opens no head, so a page in a store of 100,000 runs takes what a page in one of a hundred takes. A filter or a
 * column about facts opens the head of each run it looks at, unless the store keeps the fact (list_facts.h); any other order looks
 * at all (list_sort.h).
 */
#include "service/handlers/core/copied.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/runs/filter.h"
#include "service/handlers/runs/list_ahead.h"
#include "service/handlers/runs/list_columns.h"
#include "service/handlers/runs/list_row.h"
#include "service/handlers/runs/list_sort.h"

TS_REPLIER(list_reply, ts_list_reply);

enum { PAGE_DEFAULT = 50, BATCH = 256 };
/* The first byte of a token, so that a token of another order is refused; list_sort.c uses 's'. */
enum { MARK_NEWEST = 'n', MARK_NAME = 'a' };

struct listing {
	struct ts_call *call;
	struct ts_fetch f;
	const struct ts_list_request *request;
	struct ts_filter *filter;
	struct ts_ref_query query;
	struct ts_span sort; /* without the '-' */
	bool descending;
	size_t page_size;
	struct ts_arena pages[2]; /* for refs: a page's token is in its arena while the next is read */
	int turn;
	struct ts_arena row; /* for one run while it is examined */
	struct ts_arena collected;
	struct ts_list_paths asked;
	struct ts_list_facts facts;
	struct ts_list_metrics metrics;
	bool judges_metrics; /* the filter or the order has one */
	struct ts_list_reply reply;
};

static enum ts_status check_column(struct ts_span path, const char *where, struct ts_error *err)
{
	if (ts_list_metric_check(path, err))
		return ts_error_prefix(err, "%s", where);
	if (ts_list_word(path) != TS_WORD_NONE)
		return TS_OK;
	return ts_error_set(err, TS_INVALID, "%s: \"%.*s\" is not one of %s; of a series %.*s it is %.*s.last, %.*s.best ...", where,
			    TS_SPAN_ARG(path), ts_list_words(), TS_SPAN_ARG(path), TS_SPAN_ARG(path), TS_SPAN_ARG(path));
}

/* A ts_filter_named: whether a name of the project, or with it, is exactly the text. */
static enum ts_status is_named(void *ctx, struct ts_span text, bool *ret_is_name, struct ts_error *err)
{
	struct listing *l = ctx;
	struct ts_engine *engine = l->call->engine;
	const char *below = ts_arena_printf(l->call->arena, "%.*s/%.*s", TS_SPAN_ARG(l->request->project), TS_SPAN_ARG(text));
	const struct ts_span names[] = {ts_span_str(below ? below : ""), text};
	struct ts_error mine;
	struct ts_ref ref;

	*ret_is_name = false;
	if (!below)
		return ts_arena_error(l->call->arena, err);
	for (size_t i = 0; i < 2 && !*ret_is_name; i++) {
		enum ts_status status = ts_name_check(names[i], &mine)
						? TS_NOT_FOUND
						: engine->ops->ref_get(engine, l->request->kind, names[i], l->call->arena, &ref, &mine);

		if (status && status != TS_NOT_FOUND)
			return ts_error_set(err, status, "%s", mine.text);
		*ret_is_name = !status;
	}
	return TS_OK;
}

static enum ts_status check_request(struct listing *l, struct ts_error *err)
{
	const struct ts_list_request *r = l->request;
	struct ts_span project = r->project;

	for (size_t i = 0; i < r->n_columns; i++)
		if (check_column(r->columns[i], "columns", err))
			return err->status;
	l->sort = r->sort;
	if (l->sort.len && l->sort.data[0] == '-') {
		l->descending = true;
		l->sort = ts_span_of(l->sort.data + 1, l->sort.len - 1);
	}
	if (r->sort.len && check_column(l->sort, "sort", err))
		return err->status;
	if (project.len && memchr(project.data, '/', project.len))
		return ts_error_set(err, TS_INVALID, "the name of a project cannot have a /");
	if (ts_filter_parse(r->filter, l->call->arena, &l->filter, err))
		return err->status;
	return r->project.len ? ts_filter_complete(l->filter, is_named, l, err) : TS_OK;
}

/* Notes a path that is not a word of list. A metric is looked up by the memory of its path, so each is noted. */
static enum ts_status ask(struct listing *l, struct ts_span path, struct ts_error *err)
{
	enum ts_list_word word = path.len ? ts_list_word(path) : TS_WORD_NONE;

	if (word == TS_WORD_METRIC && ts_list_metrics_add(&l->metrics, path, err))
		return err->status;
	for (size_t i = 0; i < l->asked.n; i++)
		if (ts_span_eq(l->asked.paths[i], path))
			return TS_OK;
	if (word == TS_WORD_FACT || word == TS_WORD_NOTE || word == TS_WORD_METRIC || ts_list_is_membership(word, NULL))
		l->asked.paths[l->asked.n++] = path;
	return TS_OK;
}

/* Has the facts of a path that all runs may be asked for kept in the store. */
static enum ts_status keep_facts(struct listing *l, struct ts_span path, struct ts_error *err)
{
	enum ts_list_word word = ts_list_word(path);
	enum ts_membership membership;

	if (word == TS_WORD_FACT)
		return ts_list_facts_add(&l->facts, path, err);
	if (!ts_list_is_membership(word, &membership))
		return TS_OK;
	for (size_t i = 0; i < TS_MEMBERSHIP_PATHS && ts_membership_path(membership, i).len; i++)
		if (ts_list_facts_add(&l->facts, ts_membership_path(membership, i), err))
			return err->status;
	return TS_OK;
}

/* Collects the facts, notes and metrics that filter, order and columns name. */
static enum ts_status collect_asked(struct listing *l, struct ts_error *err)
{
	const struct ts_list_request *r = l->request;
	size_t n = ts_filter_paths(l->filter, NULL);

	l->asked.paths = ts_arena_array(l->call->arena, n + 1 + r->n_columns, sizeof *l->asked.paths);
	if (!l->asked.paths)
		return ts_arena_error(l->call->arena, err);
	(void)ts_filter_paths(l->filter, l->asked.paths);
	for (size_t i = 0; i < n; i++) /* a path moves to the front at most, so none is overwritten before its turn */
		if (ask(l, l->asked.paths[i], err))
			return err->status;
	l->asked.n_judged = l->asked.n;
	if (ask(l, l->sort, err))
		return err->status;
	for (size_t i = 0; i < l->asked.n; i++)
		if (keep_facts(l, l->asked.paths[i], err))
			return err->status;
	l->judges_metrics = l->metrics.many = l->metrics.metrics != NULL;
	for (size_t i = 0; i < r->n_columns; i++)
		if (ask(l, r->columns[i], err))
			return err->status;
	return TS_OK;
}

static void tell_unrecorded(struct listing *l)
{
	const struct ts_list_paths *asked = &l->asked;
	size_t from = l->reply.examined ? 0 : asked->n_judged, to = l->reply.n ? asked->n : asked->n_judged;

	l->reply.unrecorded = asked->paths + from;
	for (size_t i = from; i < to; i++) /* nobody knows what runs record whose metrics were never made */
		if (!l->reply.unscored || ts_list_word(asked->paths[i]) != TS_WORD_METRIC)
			l->reply.unrecorded[l->reply.n_unrecorded++] = asked->paths[i];
}

static enum ts_status begin_query(struct listing *l, struct ts_error *err)
{
	const char *prefix = "";

	if (l->request->project.len)
		prefix = ts_arena_printf(l->call->arena, "%.*s/", TS_SPAN_ARG(l->request->project));
	if (!prefix)
		return ts_arena_error(l->call->arena, err);
	l->query = (struct ts_ref_query){
		.kind = l->request->kind, .prefix = ts_span_str(prefix), .order = TS_ORDER_NEWEST, .limit = BATCH};
	return TS_OK;
}

static void expect(struct listing *l, const struct ts_ref *refs, size_t n)
{
	ts_list_metrics_expect(&l->metrics, refs, n);
	ts_list_facts_expect(&l->facts, refs, n);
}

/* Reads the next refs of the query. The refs of the previous call are freed, its token is not. */
static enum ts_status next_refs(struct listing *l, struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next,
				struct ts_error *err)
{
	if (ts_call_check(l->call, err))
		return err->status;
	l->turn = !l->turn;
	ts_arena_reset(&l->pages[l->turn]);
	if (l->call->engine->ops->ref_list(l->call->engine, &l->query, &l->pages[l->turn], ret_refs, ret_n, ret_next, err))
		return err->status;
	expect(l, *ret_refs, *ret_n);
	return TS_OK;
}

static enum ts_status matches(struct listing *l, struct ts_list_subject *s, bool *ret_matches)
{
	*ret_matches = ts_filter_always(l->filter) || ts_filter_eval(l->filter, ts_list_lookup, s) == TS_TRUE;
	l->reply.examined++;
	return s->status;
}

static enum ts_status add_row(struct listing *l, struct ts_list_subject *s, struct ts_error *err)
{
	struct ts_list_row *row = &l->reply.rows[l->reply.n];
	struct ts_arena *arena = l->call->arena;

	row->name = ts_arena_span(arena, s->ref->name);
	row->id = s->ref->id;
	row->pushed_ns = s->ref->moved_ns;
	row->n_cells = l->request->n_columns;
	row->cells = ts_arena_array(arena, row->n_cells, sizeof *row->cells);
	if (!row->name.data || !row->cells)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < l->request->n_columns; i++)
		if (ts_list_cell_of(s, l->request->columns[i], arena, &row->cells[i], err))
			return err->status;
	l->reply.n++;
	return TS_OK;
}

static enum ts_status try_ref(struct listing *l, const struct ts_ref *ref, struct ts_error *err)
{
	struct ts_list_subject s;
	bool yes;

	ts_list_subject_begin(&s, l->call, &l->f, ref, &l->row, err);
	s.asked = &l->asked;
	s.facts = &l->facts;
	s.metrics = &l->metrics;
	if (matches(l, &s, &yes) || (yes && add_row(l, &s, err)))
		return err->status;
	l->reply.unscored += s.unscored;
	return TS_OK;
}

static enum ts_status keep_token(struct listing *l, uint8_t mark, struct ts_span token, struct ts_error *err)
{
	uint8_t *at;

	if (token.len == 0)
		return TS_OK;
	at = ts_arena_alloc(l->call->arena, token.len + 1);
	if (!at)
		return ts_arena_error(l->call->arena, err);
	at[0] = mark;
	memcpy(at + 1, token.data, token.len);
	l->reply.next_token = ts_span_of(at, token.len + 1);
	return TS_OK;
}

/* The page is full in the middle of a batch. The engine makes a token only for the end of a request, so it is asked
 * again for just as many refs, from the same token, whose memory that would free. */
static enum ts_status token_behind(struct listing *l, size_t n, uint8_t mark, struct ts_error *err)
{
	struct ts_ref *refs;
	struct ts_span next;
	size_t got;

	l->query.limit = n;
	l->query.after = ts_arena_span(l->call->arena, l->query.after);
	if (!l->query.after.data)
		return ts_arena_error(l->call->arena, err);
	if (next_refs(l, &refs, &got, &next, err))
		return err->status;
	return keep_token(l, mark, next, err);
}

/* Lists in an order that the engine maintains. */
static enum ts_status list_ordered(struct listing *l, enum ts_ref_order order, struct ts_error *err)
{
	uint8_t mark = order == TS_ORDER_NAME ? MARK_NAME : MARK_NEWEST;
	struct ts_span token = l->request->page_token;

	if (token.len && token.data[0] != mark)
		return ts_error_set(err, TS_INVALID, "the page token belongs to another order of the list");
	l->query.order = order;
	l->query.after = token.len ? ts_span_of(token.data + 1, token.len - 1) : token;
	for (;;) {
		struct ts_ref *refs;
		struct ts_span next;
		size_t n;

		l->query.limit = ts_filter_always(l->filter) ? l->page_size - l->reply.n : BATCH;
		if (next_refs(l, &refs, &n, &next, err))
			return err->status;
		for (size_t i = 0; i < n; i++) {
			if (try_ref(l, &refs[i], err))
				return err->status;
			if (l->reply.n == l->page_size)
				return i + 1 < n ? token_behind(l, i + 1, mark, err) : keep_token(l, mark, next, err);
		}
		if (next.len == 0)
			return TS_OK;
		l->query.after = next;
	}
}

static enum ts_status collect(struct listing *l, struct ts_sort_page *page, const struct ts_ref *ref,
			      struct ts_error *err)
{
	struct ts_list_subject s;
	struct ts_fact key;
	bool yes, known;

	ts_list_subject_begin(&s, l->call, &l->f, ref, &l->row, err);
	s.asked = &l->asked;
	s.facts = &l->facts;
	s.metrics = &l->metrics;
	if (matches(l, &s, &yes))
		return s.status;
	known = yes && ts_list_lookup(&s, l->sort, &key);
	l->reply.unscored += s.unscored;
	if (s.status || !yes)
		return s.status;
	return ts_sort_offer(page, ref->name, known ? &key : NULL, err);
}

static enum ts_status collect_page(struct listing *l, struct ts_sort_page *page, const struct ts_ref *refs, size_t n,
				   struct ts_error *err)
{
	if (ts_call_check(l->call, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		if (i % BATCH == 0)
			expect(l, refs + i, n - i < BATCH ? n - i : BATCH);
		if (collect(l, page, &refs[i], err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status collect_all(struct listing *l, struct ts_sort_page *page, struct ts_error *err)
{
	struct ts_list_ahead ahead;
	enum ts_status status;
	struct ts_ref *refs;
	size_t n;

	ts_list_ahead_begin(&ahead, l->call->engine, &l->query);
	do {
		status = ts_list_ahead_next(&ahead, &refs, &n, err);
		if (!status && n)
			status = collect_page(l, page, refs, n, err);
	} while (!status && n);
	ts_list_ahead_end(&ahead);
	return status;
}

/* A name that was removed since it was collected is left out. */
static enum ts_status add_named(struct listing *l, struct ts_span name, struct ts_error *err)
{
	struct ts_list_subject s;
	struct ts_error mine;
	struct ts_ref ref;
	enum ts_status status;

	ts_arena_reset(&l->pages[0]);
	status = l->call->engine->ops->ref_get(l->call->engine, l->query.kind, name, &l->pages[0], &ref, &mine);
	if (status == TS_NOT_FOUND)
		return TS_OK;
	if (status) {
		*err = mine;
		return status;
	}
	ts_list_subject_begin(&s, l->call, &l->f, &ref, &l->row, err);
	s.asked = &l->asked;
	s.facts = &l->facts;
	s.metrics = &l->metrics;
	if (add_row(l, &s, err))
		return err->status;
	l->reply.unscored += s.unscored && !l->judges_metrics;
	return TS_OK;
}

static enum ts_status list_sorted(struct listing *l, struct ts_error *err)
{
	struct ts_sort_page page;

	l->query.order = TS_ORDER_NAME;
	if (ts_sort_begin(&page, l->page_size, l->request->page_token, l->descending, &l->collected, err) || collect_all(l, &page, err))
		return err->status;
	ts_sort_end(&page);
	for (size_t i = 0; i < page.n; i++)
		if (add_named(l, page.items[i].name, err))
			return err->status;
	if (!page.more)
		return TS_OK;
	return ts_sort_token(&page.items[page.n - 1], l->call->arena, &l->reply.next_token, err);
}

static enum ts_status list(struct listing *l, struct ts_error *err)
{
	enum ts_list_word word = ts_list_word(l->sort);
	enum ts_status status;

	l->page_size = l->request->page_size ? l->request->page_size : PAGE_DEFAULT;
	l->reply.rows = ts_arena_array(l->call->arena, l->page_size, sizeof *l->reply.rows);
	if (!l->reply.rows)
		return ts_arena_error(l->call->arena, err);
	if (l->request->sort.len == 0 || (word == TS_WORD_PUSHED && l->descending))
		status = list_ordered(l, TS_ORDER_NEWEST, err);
	else if (word == TS_WORD_NAME && !l->descending)
		status = list_ordered(l, TS_ORDER_NAME, err);
	else
		status = list_sorted(l, err);
	tell_unrecorded(l);
	if (!status)
		status = ts_call_copied(l->call, &l->reply.copy, err);
	return status ? status : reply_list_reply(l->call, &l->reply, err);
}

enum ts_status ts_handle_list_runs(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_list_request request;
	struct listing l = {.call = call, .request = &request};
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_list_request(in, call->arena, &request, err) || check_request(&l, err) || begin_query(&l, err))
		return err->status;
	ts_list_metrics_init(&l.metrics, call);
	ts_list_facts_init(&l.facts, call);
	ts_fetch_init(&l.f, call);
	ts_arena_init(&l.pages[0], TS_CALL_ARENA);
	ts_arena_init(&l.pages[1], TS_CALL_ARENA);
	ts_arena_init(&l.row, TS_CALL_ARENA);
	ts_arena_init(&l.collected, TS_ANALYSIS_ARENA);
	status = collect_asked(&l, err);
	if (!status)
		status = list(&l, err);
	ts_list_metrics_finish(&l.metrics);
	ts_list_facts_finish(&l.facts);
	ts_arena_finish(&l.collected);
	ts_arena_finish(&l.row);
	ts_arena_finish(&l.pages[1]);
	ts_arena_finish(&l.pages[0]);
	ts_fetch_finish(&l.f);
	return status;
}
