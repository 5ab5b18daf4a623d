/* list_sort.h - sorts a list by any column: of all matching rows it keeps those of one page.
 *
 *	ts_sort_begin(&page, size, token, descending, &arena, err)	token: empty for the first page
 *	ts_sort_offer(&page, name, key, err)				for every row, in any order
 *	ts_sort_end(&page)						items[0] to items[n - 1] are the page
 *
 * The two orders that the engine keeps do not need this. The token of a page holds the key and name of its last row, so that
 * rows that are added or removed do not shift the next page. The order is numbers, then texts by bytes, then values without an
 * order; descending is the reverse. Unknown values come last in both directions; rows with equal keys are sorted by name.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_LIST_SORT_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_LIST_SORT_H

#include "base/arena.h"
#include "run/fact.h"

enum { TS_SORT_TEXT = 256 }; /* bytes of a text key that are compared */

struct ts_sort_item {
	struct ts_span name;
	bool known;
	bool descending;
	struct ts_fact key;
};

struct ts_sort_page {
	struct ts_sort_item *items; /* until ts_sort_end, a heap whose first item is the last of the page */
	size_t n, size;
	bool more; /* there are rows behind this page */
	bool descending, has_after;
	struct ts_sort_item after; /* the last row of the page before, if has_after */
	struct ts_arena *arena;
};

/* TS_INVALID: the token is not one of this order. token outlives the page. */
enum ts_status ts_sort_begin(struct ts_sort_page *page, size_t size, struct ts_span token, bool descending, struct ts_arena *arena,
			     struct ts_error *err);
/* Copies what it keeps. key is NULL if it is not known. */
enum ts_status ts_sort_offer(struct ts_sort_page *page, struct ts_span name, const struct ts_fact *key, struct ts_error *err);
void ts_sort_end(struct ts_sort_page *page);
enum ts_status ts_sort_token(const struct ts_sort_item *last, struct ts_arena *arena, struct ts_span *ret_token,
			     struct ts_error *err);

#endif
