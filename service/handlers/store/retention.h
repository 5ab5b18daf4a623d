/* retention.h - plans by a policy which names and entries of branches a store lets go, and lets them go.
 *
 *	ts_retention_open(&work, call, text, name, as_of_ns, err)	reads all names, branches, notes and tags, and plans
 *	ts_retention_items(&work, most, &items, ...)			what goes by the plan
 *	ts_retention_let_go(&work, items, n, now_ns, why, &done, err)	of the given items those that go by the plan
 *	ts_retention_close(&work)
 *
 * A plan of a moment that is made again later has nothing that it had not at first, unless somebody took a tag or a note away. So who
 * shows a plan, and then asks for its items as of the same moment, lets nothing go that was not shown, and nothing that is tagged,
 * noted, pushed or moved meanwhile: a transaction of the engine looks again whether each item is what it was (ts_engine_ops.retire).
 * A note on a run's name that comes within the milliseconds between that look and the second plan keeps the name, but not the entry.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_STORE_RETENTION_H
#define TSCOPE_SERVICE_HANDLERS_STORE_RETENTION_H

#include "analysis/retention/retention_plan.h"
#include "service/handlers/core/handler.h"

struct ts_retention_work {
	const struct ts_call *call;
	struct ts_engine *engine;
	struct ts_arena arena; /* of all that is read */
	struct ts_retention_policy policy;
	int64_t as_of_ns;
	struct ts_retention_store store; /* branches and names are in the order of their names */
};

struct ts_retention_done {
	uint64_t names, entries; /* that went */
};

/* text is that of a policy file, which errors call `name`; it must outlive the work. */
enum ts_status ts_retention_open(struct ts_retention_work *work, const struct ts_call *call, struct ts_span text, const char *name,
				 int64_t as_of_ns, struct ts_error *err);
void ts_retention_close(struct ts_retention_work *work);
/* What goes, in the arena of the work, at most `most` items: entries of branches first, and names only with all entries, so that no
 * entry stays without the name that holds its run's notes. */
enum ts_status ts_retention_items(struct ts_retention_work *work, size_t most, struct ts_retired **ret_items, size_t *ret_n,
				  uint64_t *ret_more, struct ts_error *err);
/* Sets ret_why[i] to why an item stays, or to NULL: it went. Runs many small transactions; after a failure those before it hold, and
 * *ret_done counts them. */
enum ts_status ts_retention_let_go(struct ts_retention_work *work, const struct ts_retired *items, size_t n, int64_t now_ns,
				   const char **ret_why, struct ts_retention_done *ret_done, struct ts_error *err);

#endif
