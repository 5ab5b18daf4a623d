/* list_sort.h - sorts a list by any column: matching rows are collected, sorted, and cut into pages.
 *
 * The two orders that the engine keeps need none of this. The token of a page holds the last row's key and name, so that rows that
 * come or go move no page.
 * Order: numbers, then text by bytes, then what has no order; descending turns that around. What is unknown comes last
 * both ways; equal keys go by name.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_LIST_SORT_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_LIST_SORT_H

#include "base/arena.h"
#include "run/fact.h"

enum { TS_SORT_TEXT = 256 }; /* bytes of a text key that count */

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

/* Copies what it keeps. key is NULL when it is not known. */
enum ts_status ts_sort_add(struct ts_sort_items *items, struct ts_span name, const struct ts_fact *key, bool descending,
			   struct ts_arena *arena, struct ts_error *err);
void ts_sort_items(struct ts_sort_items *items);
enum ts_status ts_sort_token(const struct ts_sort_item *last, struct ts_arena *arena, struct ts_span *ret_token,
			     struct ts_error *err);
/* The first of the sorted items behind the one that the token was made of. TS_INVALID when it is no token. */
enum ts_status ts_sort_after(const struct ts_sort_items *items, struct ts_span token, bool descending,
			     size_t *ret_first, struct ts_error *err);

#endif
