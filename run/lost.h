/* lost.h - losses of 0 that are none: some trainers write 0 in the place of a loss that is NaN (transformers:
 * logging_nan_inf_filter). The gradient norm of the same step, which they do not filter, is NaN then; that of a loss that is truly
 * 0 is a number.
 */
#ifndef TSCOPE_RUN_LOST_H
#define TSCOPE_RUN_LOST_H

#include "run/index.h"

/* Whether the column is a loss, by its name. */
bool ts_is_loss(struct ts_span column);
bool ts_is_loss_norm(struct ts_span column);
/* The gradient norm of the rows of that loss; NULL if the column is no loss, or the table has none. */
const struct ts_column *ts_lost_norm(const struct ts_table *table, struct ts_span loss);
/* Makes NaN of those losses of n that are none. */
void ts_lost_take(double *losses, const double *norms, size_t n);

#endif
