/* rank_windows.h - columns of all ranks side by side, a window of steps at a time.
 *
 * Windows end where the blocks of the longest table end, so that a block is opened once; no more than
 * TS_RANK_WINDOW_BYTES of values are in memory at once, whatever the number of ranks.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_RANK_WINDOWS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_RANK_WINDOWS_H

#include "service/handlers/core/read.h"

enum { TS_RANK_WINDOW_BYTES = 256 << 20 };

/* Ranks, ascending, and the steps that are looked at: those that all of them have, or any others. */
struct ts_ranks_in {
	struct ts_fetch *fetch;
	const struct ts_index **indexes;
	size_t n;
	int32_t *untimed; /* ranks that have none of what is wanted */
	size_t n_untimed;
	int64_t *steps;
	size_t n_steps;
};

/* Into which of n arrays of its rank a column is added; -1: it is passed over. */
struct ts_rank_slots {
	size_t n;
	int (*of)(const void *ctx, const struct ts_column *column);
	const void *ctx;
};

/* values[rank * slots->n + slot] points at n values, 0 where the rank has none at that step; NULL: the rank has no such
 * column. Columns of one slot are added. */
typedef enum ts_status ts_rank_window_sink(void *ctx, const int64_t *steps, size_t n, double **values,
					   struct ts_error *err);

/* Of run, those ranks (not the job) that have a table of steps that is wanted, and the steps from first on that each of
 * them has in such tables. Results lie in the arena. */
enum ts_status ts_rank_steps(struct ts_fetch *f, const struct ts_run *run, bool (*want)(const struct ts_table *table), int64_t first,
			     struct ts_arena *arena, struct ts_ranks_in *ret_in, struct ts_error *err);
enum ts_status ts_rank_windows(const struct ts_ranks_in *in, const struct ts_rank_slots *slots, ts_rank_window_sink *sink, void *ctx,
			       struct ts_error *err);

/* Ascending steps of a that are in b too, in the place of a; how many. */
size_t ts_steps_intersect(int64_t *a, size_t n_a, const int64_t *b, size_t n_b);

#endif
