/* list_sort.h - sorts a list by any column: it collects the matching rows, sorts them, and cuts them into pages.
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

struct ts_sort_items {
	struct ts_sort_item *items;
	size_t n, cap;
};

/* Adds a row; copies what it keeps. key is NULL if it is not known. */
enum ts_status ts_sort_add(struct ts_sort_items *items, struct ts_span name, const struct ts_fact *key, bool descending,
			   struct ts_arena *arena, struct ts_error *err);
void ts_sort_items(struct ts_sort_items *items);
enum ts_status ts_sort_token(const struct ts_sort_item *last, struct ts_arena *arena, struct ts_span *ret_token,
			     struct ts_error *err);
/* Finds the first of the sorted items after the one of which the token was made. TS_INVALID: it is not a token. */
enum ts_status ts_sort_after(const struct ts_sort_items *items, struct ts_span token, bool descending,
			     size_t *ret_first, struct ts_error *err);

#endif
