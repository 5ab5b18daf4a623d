#include "service/handlers/analyze/analyze_attempts.h"

#include "analysis/rank/attempts.h"
#include "base/door.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/order.h"
#include "service/handlers/analyze/phase_clock.h"

#include <math.h>

#define ATTEMPTS "session.attempts."

enum { CHANGED_MAX = 400 }; /* bytes of the paths that are named */

/* --- executions --- */

struct gathering {
	struct ts_fetch *fetch;
	const struct ts_index *index;
	const struct ts_facts *facts;
	struct ts_arena *scratch;
	struct ts_executed *rows;
	size_t n;
};

/* The rows of one table that have a segment, by their keys. */
struct table_rows {
	const struct ts_table *table;
	int64_t *keys;
	struct ts_executed *rows;
};

static enum ts_status load(struct gathering *g, const struct ts_table *table, const struct ts_column *column, int64_t **ret_keys,
			   double **ret_values, struct ts_error *err)
{
	return ts_fetch_keys(g->fetch, table, g->scratch, ret_keys, err) ||
			       ts_fetch_f64(g->fetch, table, column, g->scratch, ret_values, err)
		       ? err->status
		       : TS_OK;
}

/* Gives the values of a column to the rows that have it: both are ascending by key. */
static enum ts_status give(struct gathering *g, const struct table_rows *t, const struct ts_table *table,
			   const struct ts_column *column, bool adds, struct ts_error *err)
{
	double *values;
	int64_t *keys;

	if (load(g, table, column, &keys, &values, err))
		return err->status;
	for (uint64_t i = 0, k = 0; i < table->rows; i++) {
		while (k < t->table->rows && t->keys[k] < keys[i])
			k++;
		if (k == t->table->rows || t->keys[k] != keys[i])
			continue;
		if (!adds)
			t->rows[k].end = values[i];
		else
			t->rows[k].own = (isnan(t->rows[k].own) ? 0 : t->rows[k].own) + values[i];
	}
	return TS_OK;
}

/* A phase of a device's clock overlaps those of the host's. */
static bool is_host_phase(const struct gathering *g, const struct ts_column *column)
{
	return column->type == TS_COLUMN_F64 && ts_span_starts(column->name, ts_span_str("phases.")) &&
	       !ts_phase_of_device(g->facts, column->name);
}

static enum ts_status gather_columns(struct gathering *g, enum ts_table_kind kind, const struct table_rows *t, struct ts_error *err)
{
	for (size_t i = 0; i < g->index->n_tables; i++) {
		const struct ts_table *table = &g->index->tables[i];

		for (size_t k = 0; table->kind == kind && k < table->n_columns; k++) {
			const struct ts_column *column = &table->columns[k];
			bool end = column->type == TS_COLUMN_F64 && ts_span_is(column->name, "timestamp");

			if ((end || is_host_phase(g, column)) && give(g, t, table, column, !end, err))
				return err->status;
		}
	}
	return TS_OK;
}

static enum ts_status gather_table(struct gathering *g, enum ts_table_kind kind, struct ts_error *err)
{
	struct table_rows t;
	const struct ts_column *column = ts_index_column(g->index, kind, ts_span_str("segment"), TS_COLUMN_F64, &t.table);
	double *segments;

	if (!column)
		return TS_OK;
	t.rows = g->rows + g->n;
	if (load(g, t.table, column, &t.keys, &segments, err))
		return err->status;
	for (uint64_t i = 0; i < t.table->rows; i++)
		t.rows[i] = (struct ts_executed){.end = NAN,
						 .own = NAN,
						 .segment = fabs(segments[i]) < 0x1p31 ? (int64_t)segments[i] : 0,
						 .superseded = kind == TS_TABLE_SUPERSEDED};
	if (gather_columns(g, kind, &t, err))
		return err->status;
	g->n += t.table->rows;
	return TS_OK;
}

/* Leaves out rows of which the time is not known. */
static void keep_timed(struct gathering *g)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->n; i++)
		if (isfinite(g->rows[i].end))
			g->rows[kept++] = g->rows[i];
	g->n = kept;
}

static enum ts_status gather_rows(struct gathering *g, struct ts_error *err)
{
	static const enum ts_table_kind kinds[] = {TS_TABLE_STEPS, TS_TABLE_SUPERSEDED};
	const struct ts_table *table;
	uint64_t n = 0;

	for (size_t i = 0; i < 2; i++)
		if (ts_index_column(g->index, kinds[i], ts_span_str("segment"), TS_COLUMN_F64, &table))
			n += table->rows;
	g->rows = ts_arena_array(g->scratch, n + 1, sizeof *g->rows);
	if (!g->rows)
		return ts_arena_error(g->scratch, err);
	for (size_t i = 0; i < 2; i++)
		if (gather_table(g, kinds[i], err))
			return err->status;
	keep_timed(g);
	return TS_OK;
}

/* --- what the facts say of attempts --- */

TS_ORDER(by_number, struct ts_attempt_said, TS_UP(number))

/* The attempt of the number, which is added where it is new. Facts of one attempt follow each other. */
static struct ts_attempt_said *said_of(struct ts_attempt_said *said, size_t *n, int64_t number)
{
	if (*n == 0 || said[*n - 1].number != number)
		said[(*n)++] = (struct ts_attempt_said){.number = number, .began = NAN, .ended = NAN};
	return &said[*n - 1];
}

static enum ts_status add_changed(struct ts_attempt_said *a, struct ts_span path, struct ts_arena *arena, struct ts_error *err)
{
	char *text;

	if (a->changed.len + path.len > CHANGED_MAX) {
		if (ts_span_ends(a->changed, ", ..."))
			return TS_OK;
		path = ts_span_str("...");
	}
	text = ts_arena_printf(arena, "%.*s%s%.*s", TS_SPAN_ARG(a->changed), a->changed.len ? ", " : "", TS_SPAN_ARG(path));
	if (!text)
		return ts_arena_error(arena, err);
	a->changed = ts_span_str(text);
	return TS_OK;
}

/* The type of an exception or the name of a signal tells more than the cause, and that more than the state. */
static void see_end(struct ts_attempt_said *a, struct ts_span key, struct ts_span text)
{
	static const char *const keys[] = {"end.state", "end.cause", "end.signal", "end.type"};

	for (size_t i = 0; i < 4; i++)
		if (ts_span_is(key, keys[i]) && (i > 0 || !a->end.len))
			a->end = text;
}

static enum ts_status see_fact(struct ts_attempt_said *a, struct ts_span key, const struct ts_fact *fact, struct ts_arena *arena,
			       struct ts_error *err)
{
	static const char changed[] = "changed.";

	if (ts_span_starts(key, ts_span_str(changed)))
		return add_changed(a, ts_span_from(key, sizeof changed - 1), arena, err);
	if (fact->type == TS_FACT_FLOAT && ts_span_is(key, "began"))
		a->began = fact->real;
	else if (fact->type == TS_FACT_FLOAT && ts_span_is(key, "ended"))
		a->ended = fact->real;
	else if (fact->type == TS_FACT_INT && ts_span_is(key, "steps"))
		a->steps = fact->integer;
	else if (fact->type == TS_FACT_INT && ts_span_is(key, "first_step"))
		a->first_step = fact->integer;
	else if (fact->type == TS_FACT_TEXT && ts_span_is(key, "checkpoint"))
		a->checkpoint = fact->text;
	else if (fact->type == TS_FACT_TEXT)
		see_end(a, key, fact->text);
	a->stepped = a->steps > 0;
	return TS_OK;
}

static enum ts_status gather_said(struct gathering *g, struct ts_arena *arena, struct ts_attempt_said **ret, size_t *ret_n,
				  struct ts_error *err)
{
	struct ts_attempt_said *said = ts_arena_array(arena, g->facts->n + 1, sizeof *said);
	size_t n = 0;

	if (!said)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < g->facts->n; i++) {
		const struct ts_fact *fact = &g->facts->items[i];
		struct ts_span rest = fact->path, digits;
		int64_t number;

		if (!ts_fact_counts(g->facts, i) || !ts_span_skip(&rest, ATTEMPTS))
			continue;
		digits = rest;
		while (rest.len && rest.data[0] != '.')
			rest = ts_span_from(rest, 1);
		digits.len -= rest.len;
		if (rest.len < 2 || !ts_parse_i64(digits, &number) || number < 1)
			continue;
		if (see_fact(said_of(said, &n, number), ts_span_from(rest, 1), fact, arena, err))
			return err->status;
	}
	TS_SORT(said, n, by_number);
	*ret = n ? said : NULL;
	*ret_n = n;
	return TS_OK;
}

enum ts_status ts_attempts_of_rank(struct ts_fetch *f, const struct ts_index *index, const struct ts_facts *facts,
				   struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err)
{
	struct ts_arena scratch;
	struct gathering g = {.fetch = f, .index = index, .facts = facts, .scratch = &scratch};
	struct ts_attempt_said *said = NULL;
	enum ts_status status;
	size_t n = 0;

	TS_DOOR(ts_facts_hold(facts));
	TS_DOOR(ts_index_holds(index));
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = gather_said(&g, arena, &said, &n, err);
	if (!status)
		status = gather_rows(&g, err);
	if (!status && (n > 1 || g.n))
		status = ts_attempts_measure(g.rows, g.n, said, n, arena, measures, err);
	ts_arena_finish(&scratch);
	return status;
}
