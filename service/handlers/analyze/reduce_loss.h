/* reduce_loss.h - reads the loss of a run for its reduction, under its own name or one like it. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_LOSS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_LOSS_H

#include "analysis/gate/reduction.h"
#include "service/handlers/core/read.h"

/* Reads the loss of the lowest rank that has one into *io_ends: scalars.loss, or, where no rank has that, the same under a name of
 * train_prefix.h, the earliest there, else what ts_columns_find_loss finds. The name lies in the arena. */
enum ts_status ts_reduce_read_loss(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_reduce_ends *io_ends,
				   struct ts_error *err);

#endif
