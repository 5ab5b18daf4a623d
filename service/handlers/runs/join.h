/* join.h - ranks of one run that were pushed apart, put together as if they had been pushed from one directory.
 *
 * The joined head has the facts of the first rank that run.json says anything of, else of the first, and each index what
 * its rank says otherwise (run/index.h), so the id is the same in whatever order and groups the ranks arrive.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_JOIN_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_JOIN_H

#include "service/handlers/core/read.h"

/* Puts the objects of base with the ranks of added in it (which win over those of base) and gives the id of their head.
 * TS_CONFLICT when the two are of worlds of different sizes. */
enum ts_status ts_runs_join(struct ts_fetch *f, const struct ts_run *base, const struct ts_run *added,
			    struct ts_arena *arena, struct ts_id *ret_head, struct ts_error *err);

#endif
