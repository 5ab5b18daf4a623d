/* fact_memory.h - what facts of runs were that lists have looked up: so that a filter by a fact opens the head of each run once, and
 * not with every list.
 *
 *	if (ts_fact_memory_find(path, &id, arena, &known, &fact, err)) return err->status;
 *	if (!known) { open the head; ts_fact_memory_keep(path, &id, said) }
 *
 * A head is what its id says, so nothing here becomes wrong. It holds some short facts by the paths that were asked for last, in
 * TS_FACT_MEMORY bytes of the process at most, and may forget any of them. Threads: all functions are safe.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_FACT_MEMORY_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_FACT_MEMORY_H

#include "base/arena.h"
#include "base/digest.h"
#include "run/fact.h"

enum { TS_FACT_MEMORY = 64 << 20 };

enum ts_recall {
	TS_RECALL_NOTHING, /* or never asked for, or too long: only the head says */
	TS_RECALL_ABSENT,	   /* the run does not record it */
	TS_RECALL_FACT,
};

/* The text of the fact lies in the arena; it has no path. */
enum ts_status ts_fact_memory_find(struct ts_span path, const struct ts_id *head, struct ts_arena *arena, enum ts_recall *ret_known,
				   struct ts_fact *ret_fact, struct ts_error *err);
/* fact: NULL if the run does not record it. */
void ts_fact_memory_keep(struct ts_span path, const struct ts_id *head, const struct ts_fact *fact);

#endif
