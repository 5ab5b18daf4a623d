/* analyze_ranks.h - the rows of all ranks, a window of aligned steps at a time, for analysis/ranks/ranks.h.
 *
 * Aligned steps are those on which every rank that has phases has some. rank_windows.h brings them.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RANKS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RANKS_H

#include "analysis/ranks/ranks.h"
#include "service/handlers/analyze/rank_windows.h"

/* Of run, those ranks (not the job) that have phases, and their aligned steps from first on. Results lie in the arena. */
enum ts_status ts_ranks_align(struct ts_fetch *f, const struct ts_run *run, int64_t first, struct ts_arena *arena,
			      struct ts_ranks_in *ret_in, struct ts_error *err);
/* Feeds every window to r, which was begun with the ranks and n_steps of in. */
enum ts_status ts_ranks_feed(const struct ts_ranks_in *in, struct ts_ranks *r, struct ts_error *err);

/* A table that has phases. */
bool ts_table_has_phase(const struct ts_table *table);
bool ts_column_is_phase(const struct ts_column *column);
struct ts_span ts_phase_name(const struct ts_column *column); /* without "phases." */

#endif
