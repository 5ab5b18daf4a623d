/* epochs.h - the steps at which the epochs of a run begin, from its column of epochs or from the length of one.
 *
 * A column of whole numbers says the epoch that a step belongs to. If any value is not whole, the column says how many epochs are
 * over behind the step, as Hugging Face writes it: 1.0 is the last step of the first epoch.
 */
#ifndef TSCOPE_ANALYSIS_RANK_EPOCHS_H
#define TSCOPE_ANALYSIS_RANK_EPOCHS_H

#include "analysis/stats/series.h"
#include "base/arena.h"

/* The steps lie in the arena, ascending; the first step of the column begins no epoch. TS_NO_MEMORY is the only error. */
enum ts_status ts_epochs_of_column(const struct ts_series *column, struct ts_arena *arena, int64_t **ret_steps, size_t *ret_n,
				   struct ts_error *err);
/* The same for epochs of so many steps, at least 2, counted as the run counts its steps: from 1 if that is the first, else from 0. */
enum ts_status ts_epochs_of_length(const int64_t *steps, size_t n, uint64_t length, struct ts_arena *arena, int64_t **ret_steps,
				   size_t *ret_n, struct ts_error *err);

#endif
