/* executed_again.h - the earlier executions of steps that a run executed again: what a column had in its superseded rows.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_EXECUTED_AGAIN_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_EXECUTED_AGAIN_H

#include "service/handlers/core/read.h"

/* Rows of one column, ascending by step; `all` are the steps that were executed again, whether they have this column or not. */
struct ts_executed_again {
	int64_t *all, *steps;
	uint64_t *words;	/* of numbers */
	struct ts_span *texts;	/* of texts; NULL for numbers */
	size_t n_all, n;
};

/* Everything lies in the arena. A run that executed no step again gives none. */
enum ts_status ts_executed_again(struct ts_fetch *f, const struct ts_index *index, const struct ts_column *column,
				 struct ts_arena *arena, struct ts_executed_again *ret, struct ts_error *err);
/* Whether the step was executed again. */
bool ts_was_executed_again(const struct ts_executed_again *again, int64_t step);
/* Whether one of its earlier executions gave this; text counts for columns of texts. */
bool ts_was_executed_with(const struct ts_executed_again *again, int64_t step, uint64_t word, struct ts_span text);

#endif
