#include "service/handlers/analyze/analyze_batches.h"

#include "analysis/rank/batch_order.h"
#include "analysis/rank/still.h"
#include "base/limits.h"
#include "base/text.h"
#include "service/handlers/analyze/analyze_columns.h"

#include <math.h>

enum { BATCHES_MOST = 1 << 20, SHARED_LEAST = 3 };

/* --- other ranks --- */

/* Both ranks have the same digests at the same steps, by the ids of their blocks. */
static bool same_digests(const struct ts_index *x, const struct ts_index *y, enum ts_digests_of of)
{
	const struct ts_table *at_x, *at_y;
	const struct ts_column *a = ts_columns_of_digests(x, of, &at_x), *b = ts_columns_of_digests(y, of, &at_y);

	if (!a || !b || at_x->rows < SHARED_LEAST || at_x->rows != at_y->rows || at_x->n_blocks != at_y->n_blocks)
		return false;
	for (size_t i = 0; i < at_x->n_blocks; i++)
		if (!ts_id_eq(&a->blocks[i], &b->blocks[i]) || !ts_id_eq(&at_x->blocks[i].keys, &at_y->blocks[i].keys))
			return false;
	return true;
}

/* A model that is split over ranks needs equal batches on those. */
static bool is_split(const struct ts_facts *facts)
{
	static const char *const globs[] = {"*tensor*parallel*", "*pipeline*parallel*", "*context*parallel*", "*sequence*parallel*",
					    "*expert*parallel*", "*model*parallel*",	"*pipeline_stages*",  "*.tp",
					    "*.tp_size",	 "*.pp",		"*.pp_size",	      "*.cp",
					    "*.cp_size",	 "*.ep",		"*.ep_size",	      "*.tp_degree"};

	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *fact = &facts->items[i];
		bool on = fact->type == TS_FACT_INT ? fact->integer > 1 : fact->type == TS_FACT_BOOL && fact->boolean;

		for (size_t k = 0; on && k < sizeof globs / sizeof globs[0]; k++)
			if (ts_glob(ts_span_str(globs[k]), fact->path))
				return true;
	}
	return false;
}

/* A model is tried on it, or a machine: it is the same for all ranks by design. */
static bool one_batch(const uint64_t *digests, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (digests[i] != digests[0])
			return false;
	return true;
}

/* Ranks with equal parameters at every step are replicas, and replicas are there to read other batches. */
static bool add_shared(struct ts_rank_analysis *a)
{
	double ranks = 0;

	for (size_t i = 0; i < a->run->head.n_ranks; i++) {
		const struct ts_index *other = &a->run->indexes[i];

		ranks += other != a->index && other->rank != TS_RANK_JOB && other->rank != a->index->rank &&
			 same_digests(a->index, other, TS_DIGESTS_BATCH) && same_digests(a->index, other, TS_DIGESTS_PARAMS);
	}
	return ranks == 0 || is_split(&a->run->head.facts) ||
	       ts_measure_add(&a->out->measures, a->arena, TS_M_BATCHES_SHARED, ts_span_of(NULL, 0), ranks);
}

/* --- the rank --- */

static bool add_rows(struct ts_rank_analysis *a, const struct ts_batch_order *order, const int64_t *steps, size_t n)
{
	struct ts_measures *m = &a->out->measures;
	struct ts_span batches = ts_span_of(NULL, 0); /* the measures name it */

	if (!ts_measure_add(m, a->arena, TS_M_BATCHES_RECORDED, batches, (double)n) ||
	    !ts_measure_add(m, a->arena, TS_M_BATCHES_REPEATED, batches, (double)order->repeated) ||
	    !ts_measure_add(m, a->arena, TS_M_BATCHES_DOUBLED, batches, (double)order->doubled))
		return false;
	return !order->period || (ts_measure_add(m, a->arena, TS_M_BATCHES_PERIOD, batches, (double)order->period) &&
				  ts_measure_add(m, a->arena, TS_M_BATCHES_REPEATED_AT, batches, (double)steps[order->from]));
}

static enum ts_status order_of_batches(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_error *err)
{
	const struct ts_table *table = NULL;
	const struct ts_column *column = ts_columns_of_digests(a->index, TS_DIGESTS_BATCH, &table);
	struct ts_batch_order order;
	struct ts_arena scratch;
	enum ts_status status;
	uint64_t *digests;
	int64_t *steps;

	if (!column || !table->rows || table->rows > BATCHES_MOST)
		return TS_OK;
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = ts_fetch_keys(fetch, table, &scratch, &steps, err);
	if (!status)
		status = ts_fetch_u64(fetch, table, column, &scratch, &digests, err);
	if (!status) {
		order = ts_batch_order_find(digests, table->rows);
		status = add_rows(a, &order, steps, table->rows) && (one_batch(digests, table->rows) || add_shared(a))
				 ? TS_OK
				 : ts_arena_error(a->arena, err);
	}
	ts_arena_finish(&scratch);
	return status;
}

/* --- the parameters --- */

/* The least learning rate at the steps from `from` to `to`; NaN: none was logged there. What the last step's rate is does not show. */
static enum ts_status least_rate(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_arena *scratch, int64_t from, int64_t to,
				 double *ret, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_columns_find(a->index, "scalars.lr", &table);
	double *values, least = NAN;
	int64_t *steps;

	if (column && table->rows <= BATCHES_MOST) {
		if (ts_fetch_keys(fetch, table, scratch, &steps, err) || ts_fetch_f64(fetch, table, column, scratch, &values, err))
			return err->status;
		for (size_t i = 0; i < table->rows; i++)
			if (steps[i] >= from && steps[i] < to)
				least = fmin(least, values[i]);
	}
	*ret = least;
	return TS_OK;
}

static bool add_still(struct ts_rank_analysis *a, size_t still, size_t n, int64_t from, double rate)
{
	struct ts_measures *m = &a->out->measures;

	return ts_measure_add(m, a->arena, TS_M_PARAMS_RECORDED, TS_NO_SUBJECT, (double)n) &&
	       ts_measure_add(m, a->arena, TS_M_PARAMS_STILL, TS_NO_SUBJECT, (double)still) &&
	       (still == 0 || (ts_measure_add(m, a->arena, TS_M_PARAMS_STILL_AT, TS_NO_SUBJECT, (double)from) &&
			       (isnan(rate) || ts_measure_add(m, a->arena, TS_M_PARAMS_STILL_RATE, TS_NO_SUBJECT, rate))));
}

static enum ts_status still_parameters(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_arena *scratch,
				       struct ts_error *err)
{
	const struct ts_table *table = NULL;
	const struct ts_column *column = ts_columns_of_digests(a->index, TS_DIGESTS_PARAMS, &table);
	uint64_t *digests;
	int64_t *steps;
	double rate = NAN;
	size_t n, still;

	if (!column || !table->rows || table->rows > BATCHES_MOST)
		return TS_OK;
	n = table->rows;
	if (ts_fetch_keys(fetch, table, scratch, &steps, err) || ts_fetch_u64(fetch, table, column, scratch, &digests, err))
		return err->status;
	still = ts_still_find(digests, n);
	if (still && least_rate(a, fetch, scratch, steps[n - still], steps[n - 1], &rate, err))
		return err->status;
	return add_still(a, still, n, still ? steps[n - still] : 0, rate) ? TS_OK : ts_arena_error(a->arena, err);
}

enum ts_status ts_analyze_batches(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_error *err)
{
	struct ts_arena scratch;
	enum ts_status status = order_of_batches(a, fetch, err);

	if (status)
		return status;
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = still_parameters(a, fetch, &scratch, err);
	ts_arena_finish(&scratch);
	return status;
}
