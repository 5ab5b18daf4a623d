/* quality_silent.c - training that goes wrong in silence, as digests and losses alone show it (analysis/rank/stale.h, still.h): how
 * often a clean training is said to have stale gradients, a loss of no data or parameters that stay, and how often one that has is
 * found.
 *
 * A trial is a toy training with its own seeds, data, optimizer, precision and dropout, of which every K-th step is watched. Its
 * rows are real; a planted fault keeps what it keeps from a step on that chance draws. silent.py asks the same of recorders and
 * models of torch.
 */
#include "quality_parts.h"

#include "analysis/rank/stale.h"
#include "analysis/rank/still.h"
#include "toy_trainer.h"

#include <stdlib.h>

enum { STEPS = 160, NULLS = 2000, PLANTED = 600 };

struct rows {
	double loss[STEPS];
	uint64_t grads[STEPS], params[STEPS], batches[STEPS];
	size_t n, watched;
};

static struct toy_data data;
static struct toy toy;

static void train(struct ts_random *r, struct rows *out)
{
	struct toy_recipe recipe = {
		.init_seed = ts_random_next(r),
		.order_seed = ts_random_next(r),
		.dropout_seed = ts_random_next(r),
		.optimizer = ts_random_below(r, 2) ? TOY_ADAM : TOY_SGD,
		.precision = ts_random_below(r, 2) ? TOY_BF16 : TOY_FP32,
		.dropout = ts_random_below(r, 2) ? 0.1F : 0,
	};
	size_t every = 1 + ts_random_below(r, 20);

	recipe.lr = (float)((recipe.optimizer == TOY_ADAM ? 0.003 : 0.05) * (0.1 + ts_random_unit(r)));
	toy_data_draw(&data, ts_random_next(r));
	toy_start(&toy, &recipe, &data);
	*out = (struct rows){.n = STEPS};
	for (size_t i = 0; i < STEPS; i++) {
		struct toy_row row;

		toy_step(&toy, NULL, &row);
		out->loss[i] = row.loss;
		if (i % every)
			continue;
		out->grads[out->watched] = row.grads;
		out->params[out->watched] = row.params;
		out->batches[out->watched++] = row.batch;
	}
}

static bool stale(const struct rows *rows)
{
	return ts_stale_gradients(rows->grads, rows->params, rows->watched) > 0;
}

static bool constant(const struct rows *rows)
{
	return ts_stale_values(rows->loss, rows->n) > 0 && ts_stale_changes(rows->batches, rows->watched) >= TS_STALE_GRADS;
}

static bool still(const struct rows *rows)
{
	return ts_still_find(rows->params, rows->watched) > 0;
}

static void keep_gradients(struct rows *rows, size_t from)
{
	for (size_t i = from; i < rows->watched; i++)
		rows->grads[i] = rows->grads[from];
}

/* The loss is that of one step, whatever the batch. */
static void keep_loss(struct rows *rows, size_t from)
{
	for (size_t i = 0; i < rows->n; i++)
		rows->loss[i] = rows->loss[from];
}

static void keep_parameters(struct rows *rows, size_t from)
{
	for (size_t i = from; i < rows->watched; i++)
		rows->params[i] = rows->params[from];
}

static void clean(struct quality *q, const char *name, bool (*found)(const struct rows *))
{
	struct quality_case c = quality_at_most(name, 0.001);
	static struct rows rows;
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, NULLS); i++) {
		quality_random(&c, i, &r);
		train(&r, &rows);
		quality_count(&c, found(&rows));
	}
	quality_report(q, &c);
}

static void planted(struct quality *q, const char *name, bool (*found)(const struct rows *), void (*plant)(struct rows *, size_t))
{
	struct quality_case c = quality_at_least(name, 0.99);
	static struct rows rows;
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, PLANTED); i++) {
		quality_random(&c, i, &r);
		train(&r, &rows);
		/* Half of the watched steps, five of eight at the least, are behind it. */
		plant(&rows, ts_random_below(&r, 1 + (uint32_t)(rows.watched > 8 ? rows.watched / 2 - 1
								  : rows.watched - TS_STILL_LEAST)));
		quality_count(&c, found(&rows));
	}
	quality_report(q, &c);
}

void quality_silent(struct quality *q)
{
	clean(q, "silent, clean training: stale gradients", stale);
	clean(q, "silent, clean training: a loss of no data", constant);
	clean(q, "silent, clean training: parameters that stay", still);
	planted(q, "silent, planted: the gradients of one step from it on", stale, keep_gradients);
	planted(q, "silent, planted: the loss of one step at all", constant, keep_loss);
	planted(q, "silent, planted: the parameters of one step from it on", still, keep_parameters);
}
