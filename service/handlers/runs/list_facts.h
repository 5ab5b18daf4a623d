/* list_facts.h - the facts by which a list filters or sorts: kept beside the runs as extracts, so that the head of a run is opened once
 * for a fact, and not with every list.
 *
 *	ts_list_facts_init(&f, call)
 *	ts_list_facts_add(&f, path, err)		each fact that all runs may be asked for, before the first look-up
 *	recall = ts_list_facts_find(&f, path, &id, &fact)
 *	ts_list_facts_keep(&f, path, &id, said)		after TS_RECALL_NOTHING: what the head said
 *	ts_list_facts_finish(&f)			after the answer is gone, since it may write
 *
 * The first runs are asked one by one: TS_LIST_FACTS_FEW, or a hundredth of the names of the store if that is more, since a head takes
 * what a hundred values of a column take. From there on the column of the fact is read whole, and at the end what was new is written if
 * it was TS_LIST_FACTS_FEW runs. A head is what its id says, so nothing here becomes wrong; where a store cannot be read or written so,
 * heads are opened. Errors: only time is lost by one. Threads: one at a time.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_LIST_FACTS_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_LIST_FACTS_H

#include "service/handlers/core/handler.h"
#include "service/handlers/runs/fact_pack.h"

enum { TS_LIST_FACTS_FEW = 128 };

struct ts_list_fact;

struct ts_list_facts {
	struct ts_call *call;
	struct ts_arena arena;
	struct ts_list_fact *facts;
};

void ts_list_facts_init(struct ts_list_facts *f, struct ts_call *call);
/* path outlives f. */
enum ts_status ts_list_facts_add(struct ts_list_facts *f, struct ts_span path, struct ts_error *err);
/* The text of the fact lies as long as f. TS_RECALL_NOTHING also for a path that was not added. */
enum ts_recall ts_list_facts_find(struct ts_list_facts *f, struct ts_span path, const struct ts_id *head, struct ts_fact *ret_fact);
/* fact: NULL if the run does not record it. */
void ts_list_facts_keep(struct ts_list_facts *f, struct ts_span path, const struct ts_id *head, const struct ts_fact *fact);
/* Fetches what will be looked up of these runs into the processor's cache, all at once, as ts_list_metrics_expect does. */
void ts_list_facts_expect(const struct ts_list_facts *f, const struct ts_ref *refs, size_t n);
void ts_list_facts_finish(struct ts_list_facts *f);

#endif
