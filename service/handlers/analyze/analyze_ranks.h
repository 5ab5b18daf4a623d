/* analyze_ranks.h - feeds the rows of all ranks to analysis/ranks/ranks.h, a window of aligned steps at a time.
 *
 * A step is aligned if every rank that has phases has some at that step. rank_windows.h reads the windows.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RANKS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RANKS_H

#include "analysis/ranks/ranks.h"
#include "service/handlers/analyze/rank_windows.h"

/* Finds the ranks of the run (not the job) that have phases, and their aligned steps from first on. Results lie in the arena. */
enum ts_status ts_ranks_align(struct ts_fetch *f, const struct ts_run *run, int64_t first, struct ts_arena *arena,
			      struct ts_ranks_in *ret_in, struct ts_error *err);
/* Feeds every window to r, which must have been begun with the ranks and n_steps of in. */
enum ts_status ts_ranks_feed(const struct ts_ranks_in *in, struct ts_ranks *r, struct ts_error *err);

/* Whether the table has phases. */
bool ts_table_has_phase(const struct ts_table *table);
bool ts_column_is_phase(const struct ts_column *column);
struct ts_span ts_phase_name(const struct ts_column *column); /* its name without "phases." */

#endif
