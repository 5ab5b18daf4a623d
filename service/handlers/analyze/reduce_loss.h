/* reduce_loss.h - reads the loss of a run for its reduction, under its own name or one like it. */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_LOSS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_LOSS_H

#include "analysis/gate/reduction.h"
#include "service/handlers/core/read.h"

/* Reads the loss of the lowest rank that has one of that name into *io_ends. */
enum ts_status ts_reduce_read_loss(struct ts_fetch *f, const struct ts_run *run, const char *name, struct ts_reduce_ends *io_ends,
				   struct ts_error *err);
/* Fills the loss and the best loss of a reduction that has none because the run logs it as train/loss or under a name like that. They
 * are not kept in the cache. */
enum ts_status ts_reduce_named_loss(struct ts_fetch *f, const struct ts_id *id, struct ts_reduction *io_reduction,
				    struct ts_error *err);

#endif
