/* rank_windows.h - reads columns of all ranks in parallel, a window of steps at a time.
 *
 * Windows end where the blocks of the longest table end, so that each block is opened once. At most TS_RANK_WINDOW_BYTES of
 * values are in memory at once, whatever the number of ranks.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_RANK_WINDOWS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_RANK_WINDOWS_H

#include "service/handlers/core/read.h"

enum { TS_RANK_WINDOW_BYTES = 256 << 20 };

/* The ranks, ascending, and the steps to read: those that all ranks have, or others that the caller chooses. */
struct ts_ranks_in {
	struct ts_fetch *fetch;
	const struct ts_index **indexes;
	size_t n;
	int32_t *untimed; /* ranks without a wanted table */
	size_t n_untimed;
	int64_t *steps;
	size_t n_steps;
};

/* Which of the n arrays of its rank a column is added to; -1: none. */
struct ts_rank_slots {
	size_t n;
	int (*of)(const void *ctx, const struct ts_column *column);
	const void *ctx;
};

/* Takes one window. values[rank * slots->n + slot] points at n values, 0 where the rank has none at that step; NULL: the rank
 * has no such column. The columns of one slot are summed. */
typedef enum ts_status ts_rank_window_sink(void *ctx, const int64_t *steps, size_t n, double **values,
					   struct ts_error *err);

/* Finds the ranks of the run (not the job) that have a wanted table of steps, and the steps from first on that each of them has
 * in such tables. Results lie in the arena. */
enum ts_status ts_rank_steps(struct ts_fetch *f, const struct ts_run *run, bool (*want)(const struct ts_table *table), int64_t first,
			     struct ts_arena *arena, struct ts_ranks_in *ret_in, struct ts_error *err);
enum ts_status ts_rank_windows(const struct ts_ranks_in *in, const struct ts_rank_slots *slots, ts_rank_window_sink *sink, void *ctx,
			       struct ts_error *err);

/* Keeps in a only the steps that are in b too, and returns how many. Both are ascending. */
size_t ts_steps_intersect(int64_t *a, size_t n_a, const int64_t *b, size_t n_b);

#endif
