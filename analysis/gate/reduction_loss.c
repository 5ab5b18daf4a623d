/* reduction_loss.c - the loss curve of a run as what it came to at its end, and at its best. */
#include "analysis/gate/reduction.h"

struct ts_reduce_loss ts_reduce_loss_of(size_t rows)
{
	return (struct ts_reduce_loss){.rows = rows, .tail = (rows + 9) / 10};
}

void ts_reduce_loss_add(struct ts_reduce_loss *l, double value)
{
	size_t before_end = l->rows - ++l->seen, k;

	if (isfinite(value) && (!l->some || value < l->best)) {
		l->some = true;
		l->best = value;
	}
	if (before_end >= l->tail)
		return;
	k = (l->tail - 1 - before_end) * TS_BATCHES / l->tail;
	ts_tally_add(&l->batches[k], value);
	l->counts[k]++;
}

void ts_reduce_loss_finish(const struct ts_reduce_loss *l, struct ts_reduce_ends *io_ends)
{
	double batches[TS_BATCHES];
	struct ts_tally all = {0, 0};
	bool enough = true;

	for (size_t k = 0; k < TS_BATCHES; k++) {
		double sum = ts_tally_value(&l->batches[k]);

		ts_tally_add(&all, sum);
		enough &= l->counts[k] >= 2;
		batches[k] = sum / (double)l->counts[k];
	}
	io_ends->has_loss = true;
	io_ends->loss = ts_tally_value(&all) / (double)l->tail;
	io_ends->loss_error = enough ? ts_batch_error_of_trend(batches) : (double)NAN;
	io_ends->has_best = l->some;
	io_ends->best_loss = l->best;
}
