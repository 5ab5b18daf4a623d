#include "service/handlers/analyze/analyze_checks.h"

#include "analysis/rank/stale.h"
#include "base/limits.h"
#include "service/handlers/analyze/analyze_columns.h"

#include <stdio.h>

enum { ROWS_MOST = 1 << 20, CHECK_PATH = 96 };

/* --- gradients --- */

static enum ts_status stale_gradients(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_arena *scratch,
				      struct ts_error *err)
{
	const struct ts_table *table = NULL, *of_params = NULL;
	const struct ts_column *grads = ts_columns_of_digests(a->index, TS_DIGESTS_GRADS, &table);
	const struct ts_column *params = ts_columns_of_digests(a->index, TS_DIGESTS_PARAMS, &of_params);
	struct ts_measures *m = &a->out->measures;
	uint64_t *of_grads, *at;
	int64_t *steps;
	size_t stale;

	if (!grads || !params || table != of_params || !table->rows || table->rows > ROWS_MOST)
		return TS_OK;
	if (ts_fetch_keys(fetch, table, scratch, &steps, err) || ts_fetch_u64(fetch, table, grads, scratch, &of_grads, err) ||
	    ts_fetch_u64(fetch, table, params, scratch, &at, err))
		return err->status;
	stale = ts_stale_gradients(of_grads, at, table->rows);
	return ts_measure_add(m, a->arena, TS_M_GRADS_RECORDED, TS_NO_SUBJECT, (double)table->rows) &&
			       ts_measure_add(m, a->arena, TS_M_GRADS_STALE, TS_NO_SUBJECT, (double)stale) &&
			       (!stale || ts_measure_add(m, a->arena, TS_M_GRADS_STALE_AT, TS_NO_SUBJECT,
							 (double)steps[table->rows - stale]))
		       ? TS_OK
		       : ts_arena_error(a->arena, err);
}

/* --- the loss --- */

/* How many different batches in a row have digests from step `from` to step `to`. */
static enum ts_status batches_from(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_arena *scratch, int64_t from,
				   int64_t to,
				   size_t *ret, struct ts_error *err)
{
	const struct ts_table *table = NULL;
	const struct ts_column *column = ts_columns_of_digests(a->index, TS_DIGESTS_BATCH, &table);
	size_t first = 0, end;
	uint64_t *digests;
	int64_t *steps;

	*ret = 0;
	if (!column || !table->rows || table->rows > ROWS_MOST)
		return TS_OK;
	if (ts_fetch_keys(fetch, table, scratch, &steps, err) || ts_fetch_u64(fetch, table, column, scratch, &digests, err))
		return err->status;
	while (first < table->rows && steps[first] < from)
		first++;
	end = first;
	while (end < table->rows && steps[end] <= to)
		end++;
	*ret = ts_stale_changes(digests + first, end - first);
	return TS_OK;
}

static enum ts_status constant_loss(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_arena *scratch, struct ts_error *err)
{
	const struct ts_table *table = NULL;
	const struct ts_column *column = ts_columns_find_loss(a->index, &table);
	struct ts_measures *m = &a->out->measures;
	struct ts_arena *arena = a->arena;
	size_t n, same, batches = 0;
	int64_t *steps;
	double *values;

	if (!column || !table->rows || table->rows > ROWS_MOST)
		return TS_OK;
	n = table->rows;
	if (ts_fetch_keys(fetch, table, scratch, &steps, err) || ts_fetch_f64(fetch, table, column, scratch, &values, err))
		return err->status;
	same = ts_stale_values(values, n);
	if (same && batches_from(a, fetch, scratch, steps[n - same], steps[n - 1], &batches, err))
		return err->status;
	if (batches < TS_STALE_GRADS)
		return TS_OK;
	return ts_measure_add(m, arena, TS_M_LOSS_SAME, TS_NO_SUBJECT, (double)same) &&
			       ts_measure_add(m, arena, TS_M_LOSS_SAME_OF, TS_NO_SUBJECT, (double)n) &&
			       ts_measure_add(m, arena, TS_M_LOSS_SAME_AT, TS_NO_SUBJECT, (double)steps[n - same]) &&
			       ts_measure_add(m, arena, TS_M_LOSS_SAME_BATCHES, TS_NO_SUBJECT, (double)batches) &&
			       ts_measure_add(m, arena, TS_M_LOSS_SAME_VALUE, TS_NO_SUBJECT, values[n - 1])
		       ? TS_OK
		       : ts_arena_error(arena, err);
}

/* --- what the recorder found --- */

/* The fact session.checks.CHECK.WHAT, or NULL. */
static const struct ts_fact *said(const struct ts_facts *facts, const char *check, const char *what)
{
	char path[CHECK_PATH];

	(void)snprintf(path, sizeof path, "session.checks.%s.%s", check, what);
	return ts_facts_find(facts, ts_span_str(path));
}

/* A row for each fact that is there and of its type. Anything else says nothing. */
static bool add_said(struct ts_rank_analysis *a, const struct ts_facts *facts, const char *check, const char *what,
		     enum ts_measure_name name, struct ts_span of)
{
	const struct ts_fact *fact = said(facts, check, what);
	bool text = ts_measure_specs[name].unit == TS_UNIT_TEXT;
	struct ts_span copy;

	if (!fact || fact->type != (text ? TS_FACT_TEXT : TS_FACT_INT) || (text && !fact->text.len))
		return true;
	if (!text)
		return ts_measure_add(&a->out->measures, a->arena, name, of, (double)fact->integer);
	copy = ts_arena_span(a->arena, fact->text);
	return copy.data && ts_measure_text(&a->out->measures, a->arena, name, of, copy);
}

static bool is_found(const struct ts_facts *facts, const char *check, const char *count)
{
	const struct ts_fact *fact = said(facts, check, count);

	return fact && fact->type == TS_FACT_INT && fact->integer > 0;
}

static bool untrained(struct ts_rank_analysis *a, const struct ts_facts *facts)
{
	static const struct {
		const char *check, *subject;
	} causes[] = {
		{"untrained_unheld", "untrained by unheld"},	       {"untrained_zero_gradient", "untrained by zero_gradient"},
		{"untrained_gradient", "untrained by gradient"},       {"untrained_no_gradient", "untrained by no_gradient"},
		{"untrained_frozen", "untrained by frozen"},	       {"untrained_no_rate", "untrained by no_rate"},
		{"untrained_set_aside", "untrained by set_aside"},
	};
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof causes / sizeof causes[0]; i++) {
		struct ts_span of = ts_span_str(causes[i].subject);
		const char *check = causes[i].check;

		ok = !is_found(facts, check, "parameters") || (add_said(a, facts, check, "parameters", TS_M_UNTRAINED, of) &&
							       add_said(a, facts, check, "of", TS_M_UNTRAINED_OF, of) &&
							       add_said(a, facts, check, "names", TS_M_UNTRAINED_NAMES, of) &&
							       add_said(a, facts, check, "first", TS_M_UNTRAINED_FROM, of) &&
							       add_said(a, facts, check, "last", TS_M_UNTRAINED_TO, of));
	}
	return ok;
}

static bool found(struct ts_rank_analysis *a, const struct ts_facts *facts)
{
	static const struct {
		const char *check, *count, *what;
		enum ts_measure_name name;
	} rows[] = {
		{"kept", "times", "times", TS_M_KEPT},
		{"kept", "times", "of", TS_M_KEPT_OF},
		{"kept", "times", "name", TS_M_KEPT_NAME},
		{"kept", "times", "first", TS_M_KEPT_AT},
		{"evaluation", "times", "times", TS_M_EVALUATION_WRITES},
		{"evaluation", "times", "of", TS_M_EVALUATIONS},
		{"evaluation", "times", "statistics", TS_M_EVALUATION_STATISTICS},
		{"evaluation", "times", "others", TS_M_EVALUATION_OTHERS},
		{"evaluation", "times", "names", TS_M_EVALUATION_NAMES},
		{"evaluation", "times", "first", TS_M_EVALUATION_AT},
		{"evaluation", "times", "every", TS_M_EVALUATION_EVERY},
		{"batch", "again", "again", TS_M_BATCHES_NEXT},
		{"batch", "again", "of", TS_M_BATCHES_NEXT_OF},
		{"batch", "again", "first", TS_M_BATCHES_NEXT_AT},
		{"input", "parts", "parts", TS_M_INPUT_SAME},
		{"input", "parts", "names", TS_M_INPUT_SAME_NAMES},
		{"input", "parts", "first", TS_M_INPUT_SAME_AT},
		{"input", "parts", "times", TS_M_INPUT_SAME_TIMES},
	};
	bool ok = untrained(a, facts);

	for (size_t i = 0; ok && i < sizeof rows / sizeof rows[0]; i++)
		ok = !is_found(facts, rows[i].check, rows[i].count) ||
		     add_said(a, facts, rows[i].check, rows[i].what, rows[i].name, TS_NO_SUBJECT);
	return ok;
}

enum ts_status ts_analyze_checks(struct ts_rank_analysis *a, struct ts_fetch *fetch, struct ts_error *err)
{
	struct ts_arena scratch;
	enum ts_status status;
	struct ts_facts facts;

	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = ts_facts_whole(&a->run->head.facts, &a->index->facts, &scratch, &facts, err);
	if (!status && !found(a, &facts))
		status = ts_arena_error(a->arena, err);
	if (!status)
		status = stale_gradients(a, fetch, &scratch, err);
	if (!status)
		status = constant_loss(a, fetch, &scratch, err);
	ts_arena_finish(&scratch);
	return status;
}
