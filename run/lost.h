/* lost.h - losses of 0 that are none: some trainers write 0 in the place of a loss that is NaN (transformers:
 * logging_nan_inf_filter). The gradient norm of the same step, which they do not filter, is NaN then; that of a loss that is truly
 * 0 is a number.
 */
#ifndef TSCOPE_RUN_LOST_H
#define TSCOPE_RUN_LOST_H

#include "base/span.h"

/* The column of the gradient norm. */
extern const char ts_lost_norm[];

/* Whether the column is a loss, by its name. */
bool ts_is_loss(struct ts_span column);
static inline bool ts_is_lost(double loss, double norm)
{
	return loss == 0.0 && norm != norm;
}

#endif
