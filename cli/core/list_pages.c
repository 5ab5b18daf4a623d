/* list_pages.c - see list_pages.h. */
#include "cli/core/list_pages.h"

#include "base/grow.h"
#include "base/limits.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/core/page_token.h"

struct gathering {
	struct ts_cli *cli;
	struct ts_list_request *request;
	struct ts_listing *list;
	uint64_t limit;
	size_t cap;
	bool begun;
	bool more; /* the list has rows behind those that were taken */
};

static enum ts_status add_rows(struct gathering *g, const struct ts_list_row *from, size_t n, struct ts_error *err)
{
	struct ts_listing *list = g->list;
	struct ts_list_row *rows = (struct ts_list_row *)(uintptr_t)list->rows;

	if (!TS_GROW_IN(&g->cli->arena, rows, g->cap, list->n + n, n))
		return ts_arena_error(&g->cli->arena, err);
	if (n)
		memcpy(rows + list->n, from, n * sizeof *rows);
	list->rows = rows;
	list->n += n;
	return TS_OK;
}

static bool is_among(struct ts_span path, const struct ts_span *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_eq(path, paths[i]))
			return true;
	return false;
}

/* Keeps what no page so far has found. */
static void keep_unrecorded(struct ts_listing *list, const struct ts_list_reply *page, bool first)
{
	size_t n = 0;

	if (first) {
		list->unrecorded = page->unrecorded;
		list->n_unrecorded = page->n_unrecorded;
		return;
	}
	for (size_t i = 0; i < list->n_unrecorded; i++)
		if (is_among(list->unrecorded[i], page->unrecorded, page->n_unrecorded))
			list->unrecorded[n++] = list->unrecorded[i];
	list->n_unrecorded = n;
}

/* How many rows of the page come before what the token says, with the last one; all of them if it does not lie in this page. */
static size_t rows_before(const struct ts_page_token *token, const struct ts_list_reply *page, bool *ret_found)
{
	for (size_t i = 0; i < page->n; i++) {
		enum ts_page_place place = ts_page_token_place(token, &page->rows[i]);

		if (place != TS_PLACE_BEFORE) {
			*ret_found = true;
			return place == TS_PLACE_LAST ? i + 1 : i;
		}
	}
	return page->n;
}

/* Goes through the names alone up to the page that has the token's row. *ret_skip: how many rows of it come before. Rows that were
 * removed at the end leave nothing behind the token: *ret_ended. */
static enum ts_status find_place(struct gathering *g, const struct ts_page_token *token, size_t *ret_skip, bool *ret_ended,
				 struct ts_error *err)
{
	struct ts_list_request names = *g->request;
	struct ts_list_reply page = {.n = 0};
	bool found = false;

	names.columns = NULL;
	names.n_columns = 0;
	names.page_size = TS_PAGE_MAX;
	do {
		names.page_token = page.next_token;
		if (ts_ask_list(ts_cli_names_channel(g->cli), &names, &g->cli->arena, &page, err))
			return err->status;
		*ret_skip = rows_before(token, &page, &found);
	} while (!found && page.next_token.len);
	if (!found && !token->by_time)
		return ts_error_set(
			err, TS_NOT_FOUND,
			"list: the last run of that page was removed or pushed again since, so it is not known where to go on; list "
			"again without --page");
	*ret_ended = !found;
	g->request->page_token = names.page_token;
	return TS_OK;
}

/* Takes one page, without the rows up to the token (NULL: there is none, or it lies behind us). */
static enum ts_status take_page(struct gathering *g, const struct ts_page_token **io_token, size_t skip, struct ts_error *err)
{
	uint64_t left = g->limit - g->list->n;
	struct ts_list_reply page;
	size_t before = 0, n;
	bool found = false;

	g->request->page_size = left > TS_PAGE_MAX - skip ? TS_PAGE_MAX : (uint32_t)(left + skip);
	if (ts_ask_list(ts_cli_names_channel(g->cli), g->request, &g->cli->arena, &page, err))
		return err->status;
	keep_unrecorded(g->list, &page, !g->begun);
	g->begun = true;
	if (*io_token)
		before = rows_before(*io_token, &page, &found);
	*io_token = found ? NULL : *io_token;
	n = page.n - before > left ? (size_t)left : page.n - before;
	g->list->examined += page.examined;
	g->list->unscored += page.unscored;
	g->list->copy = page.copy;
	g->more = page.next_token.len || before + n < page.n;
	g->request->page_token = page.next_token;
	return add_rows(g, page.rows + before, n, err);
}

enum ts_status ts_list_pages(struct ts_cli *cli, struct ts_list_request *request, const char *page, uint64_t limit,
			     struct ts_listing *list, struct ts_error *err)
{
	struct gathering g = {.cli = cli, .request = request, .list = list, .limit = limit};
	struct ts_page_token token, next;
	const struct ts_page_token *from = page ? &token : NULL;
	size_t skip = 0;
	const char *text;

	request->page_token = ts_span_of(NULL, 0);
	if (page && ts_page_token_parse(request, page, &token, err))
		return ts_error_prefix(err, "list");
	if (page && find_place(&g, &token, &skip, &list->ended, err))
		return err->status;
	if (list->ended)
		return TS_OK;
	do {
		if (take_page(&g, &from, from ? skip : 0, err))
			return err->status;
	} while (request->page_token.len && list->n < limit);
	if (!g.more || !list->n)
		return TS_OK;
	next = ts_page_token_of(request, &list->rows[list->n - 1]);
	text = ts_page_token_text(&next, &cli->arena);
	list->next_token = ts_span_str(text ? text : "");
	return text ? TS_OK : ts_arena_error(&cli->arena, err);
}
