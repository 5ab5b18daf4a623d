/* analyze_replicas.h - whether ranks that hold copies of one model part, by the digests that they recorded
 * (analysis/ranks/replicas.h). */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_REPLICAS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_REPLICAS_H

#include "analysis/answer/measure.h"
#include "service/handlers/core/read.h"

/* Adds the rows of digests.params, .optimizer and .grads; none if fewer than two ranks recorded them. Ranks
 * whose digests would be more than four million together with those of the ranks before them are left out. */
enum ts_status ts_replicas_of_run(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_measures *m,
				  struct ts_error *err);

#endif
