/* join.h - joins ranks of one run that were pushed separately, as if they had been pushed from one directory.
 *
 * The joined head has the facts of the first rank that has any fact from run.json, else of the first rank. Each index has the
 * facts of its rank that differ (run/index.h). So the id does not depend on the order and the groups in which the ranks arrive.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_JOIN_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_JOIN_H

#include "service/handlers/core/read.h"

/* Puts the objects of a run that has the ranks of base and of added, and returns the id of its head. If both have a rank, that
 * of added is taken. TS_CONFLICT: the two have different world sizes. */
enum ts_status ts_runs_join(struct ts_fetch *f, const struct ts_run *base, const struct ts_run *added,
			    struct ts_arena *arena, struct ts_id *ret_head, struct ts_error *err);

#endif
