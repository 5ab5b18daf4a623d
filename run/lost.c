#include "run/lost.h"

#include "run/meaning.h"

#include <math.h>

bool ts_is_loss(struct ts_span column)
{
	return ts_span_starts(column, ts_span_str("scalars.")) && ts_column_ends_as_loss(column);
}

bool ts_is_loss_norm(struct ts_span column)
{
	return ts_span_is(column, "scalars.grad_norm");
}

const struct ts_column *ts_lost_norm(const struct ts_table *table, struct ts_span loss)
{
	for (size_t i = 0; i < table->n_columns && ts_is_loss(loss); i++)
		if (ts_is_loss_norm(table->columns[i].name) && table->columns[i].type == TS_COLUMN_F64)
			return &table->columns[i];
	return NULL;
}

void ts_lost_take(double *losses, const double *norms, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (losses[i] == 0.0 && isnan(norms[i]))
			losses[i] = (double)NAN;
}
