/* budget.h - how much memory a piece of work may hold, over all arenas that it makes.
 *
 *	struct ts_budget *before = ts_budget_enter(&call);	arenas that this thread makes from here on draw on it
 *	... handlers, which know nothing of it ...
 *	(void)ts_budget_enter(before);
 *
 * A budget may have a parent, on which everything that it holds counts too: a call draws on its peer, a peer on the server. With
 * `percent` it may hold only that part of what its siblings leave of the parent's limit: so who is alone has nearly all, and something
 * is always left for who comes next. An arena gives back to the budget that it drew on, wherever it is freed; a budget lives
 * longer than its arenas.
 * Work that nobody waits for any more is revoked: then its arenas hand out nothing, so that even code that knows no call, an analysis
 * of ten million steps, ends at its next allocation. Loops that go through many records without one ask ts_budget_check.
 *
 * Threads: all functions are safe; each thread has its own current budget, and a helper has that of whoever gave it its task.
 */
#ifndef TSCOPE_BASE_BUDGET_H
#define TSCOPE_BASE_BUDGET_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct ts_budget {
	struct ts_budget *parent; /* NULL: none */
	const char *whose;	  /* "this call", "the calls of ada": for errors */
	size_t limit;		  /* bytes; 0: none of its own */
	unsigned percent;	  /* of what siblings leave of the parent's limit; 0: the rule is off */
	atomic_size_t used;
	atomic_bool revoked;
};

void ts_budget_init(struct ts_budget *b, struct ts_budget *parent, const char *whose, size_t limit, unsigned percent);

/* Takes n bytes from b and all its parents, or from none of them. Returns NULL, or the budget that has not so much left. b may be
 * NULL, which has no limit. */
const struct ts_budget *ts_budget_take(struct ts_budget *b, size_t n);
/* Takes them whatever is left, for what is there already, such as a message that has arrived. */
void ts_budget_force(struct ts_budget *b, size_t n);
void ts_budget_give(struct ts_budget *b, size_t n);
/* Returns NULL if ts_budget_take could take n bytes now, else who has not so much left. */
const struct ts_budget *ts_budget_lacks(const struct ts_budget *b, size_t n);

/* Sets the error of b, which ts_budget_take returned: TS_NO_MEMORY, with the limit and what is held. */
enum ts_status ts_budget_error(const struct ts_budget *b, struct ts_error *err);

void ts_budget_revoke(struct ts_budget *b);
/* TS_CANCELLED if what this thread does is revoked: for loops that allocate nothing. It takes a nanosecond. */
enum ts_status ts_budget_check(struct ts_error *err);

/* The budget on which this thread's new arenas draw; NULL: none. ts_budget_enter returns the one before. */
struct ts_budget *ts_budget_current(void);
struct ts_budget *ts_budget_enter(struct ts_budget *b);

#endif
