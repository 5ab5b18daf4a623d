/* list_ahead.h - reads all names of a query, one page of them while the page before is looked at.
 *
 *	ts_list_ahead_begin(&a, engine, &query)
 *	while (!ts_list_ahead_next(&a, &refs, &n, err) && n)	refs are valid until the next call
 *	ts_list_ahead_end(&a)
 *
 * A helper reads the pages, where the machine has a core for it; the names are the same without one.
 * Threads: one at a time.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_LIST_AHEAD_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_LIST_AHEAD_H

#include "base/helper.h"
#include "store/engine.h"

struct ts_list_page {
	struct ts_arena arena;
	struct ts_ref *refs;
	size_t n;
	struct ts_span next; /* token of the next page */
	enum ts_status status;
	struct ts_error err;
};

struct ts_list_ahead {
	struct ts_engine *engine;
	struct ts_ref_query query;
	struct ts_helper *helper;
	struct ts_list_page pages[2]; /* a token lies in the arena of its page while the next is read */
	int at;			      /* the page that is read next */
	bool began, given, ended;     /* given: the helper reads it */
};

/* Reads from the query's token on, which outlives a. Its limit does not matter. */
void ts_list_ahead_begin(struct ts_list_ahead *a, struct ts_engine *engine, const struct ts_ref_query *query);
/* *ret_n is 0 at the end. */
enum ts_status ts_list_ahead_next(struct ts_list_ahead *a, struct ts_ref **ret_refs, size_t *ret_n, struct ts_error *err);
void ts_list_ahead_end(struct ts_list_ahead *a);

#endif
