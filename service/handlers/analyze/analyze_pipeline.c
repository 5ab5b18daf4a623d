#include "service/handlers/analyze/analyze_pipeline.h"

#include "base/limits.h"

/* The names are in the order of struct ts_pipeline_events; the first three are required. */
static const char *const names[] = {"stage", "start", "end", "step", "microbatch", "chunk"};

enum { COLUMNS = sizeof names / sizeof names[0], NEEDED = 3 };

struct gathering {
	struct ts_fetch *fetch;
	const struct ts_run *run;
	struct ts_arena arena;
	double *columns[COLUMNS]; /* NULL: some event lacks the value */
	size_t n;
};

/* Reads the tables of a rank's events, one after the other, if their events have stage, start and end. */
static bool has_events(const struct ts_table *table, const struct ts_column **ret_columns)
{
	if (table->kind != TS_TABLE_PIPELINE)
		return false;
	for (size_t k = 0; k < COLUMNS; k++) {
		ret_columns[k] = NULL;
		for (size_t i = 0; i < table->n_columns; i++)
			if (table->columns[i].type == TS_COLUMN_F64 && ts_span_is(table->columns[i].name, names[k]))
				ret_columns[k] = &table->columns[i];
		if (k < NEEDED && !ret_columns[k])
			return false;
	}
	return true;
}

typedef enum ts_status take_table(struct gathering *g, const struct ts_table *table, const struct ts_column *const *columns,
				  struct ts_error *err);

static enum ts_status each_table(struct gathering *g, take_table *take, struct ts_error *err)
{
	for (size_t r = 0; r < g->run->head.n_ranks; r++) {
		const struct ts_index *index = &g->run->indexes[r];

		for (size_t t = 0; t < index->n_tables; t++) {
			const struct ts_column *columns[COLUMNS];

			if (has_events(&index->tables[t], columns) && take(g, &index->tables[t], columns, err))
				return ts_error_prefix(err, "rank %d", index->rank);
		}
	}
	return TS_OK;
}

static enum ts_status count(struct gathering *g, const struct ts_table *table, const struct ts_column *const *columns,
			    struct ts_error *err)
{
	static double present; /* marks a column as present until memory for it is allocated */

	(void)err;
	for (size_t k = 0; k < COLUMNS; k++)
		g->columns[k] = columns[k] && (g->n == 0 || g->columns[k]) ? &present : NULL;
	g->n += (size_t)table->rows;
	return TS_OK;
}

static enum ts_status copy(struct gathering *g, const struct ts_table *table, const struct ts_column *const *columns,
			   struct ts_error *err)
{
	struct ts_arena values;
	enum ts_status status = TS_OK;

	ts_arena_init(&values, TS_ANALYSIS_ARENA);
	for (size_t k = 0; !status && k < COLUMNS; k++) {
		double *from;

		if (!g->columns[k])
			continue;
		status = ts_fetch_f64(g->fetch, table, columns[k], &values, &from, err);
		if (!status && table->rows)
			memcpy(g->columns[k] + g->n, from, (size_t)table->rows * sizeof *from);
		ts_arena_reset(&values);
	}
	ts_arena_finish(&values);
	g->n += (size_t)table->rows;
	return status;
}

static enum ts_status gather(struct gathering *g, struct ts_error *err)
{
	if (each_table(g, count, err))
		return err->status;
	for (size_t k = 0; k < COLUMNS; k++) {
		if (!g->columns[k])
			continue;
		g->columns[k] = ts_arena_array(&g->arena, g->n, sizeof(double));
		if (!g->columns[k])
			return ts_arena_error(&g->arena, err);
	}
	g->n = 0;
	return each_table(g, copy, err);
}

enum ts_status ts_analyze_pipeline(struct ts_fetch *f, const struct ts_run *run, const struct ts_pipeline_plan *plan,
				   struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err)
{
	struct gathering g = {.fetch = f, .run = run};
	enum ts_status status;

	ts_arena_init(&g.arena, TS_ANALYSIS_ARENA);
	status = gather(&g, err);
	if (!status && g.n) {
		struct ts_pipeline_events events = {
			.stage = g.columns[0],
			.start_s = g.columns[1],
			.end_s = g.columns[2],
			.step = g.columns[3],
			.microbatch = g.columns[4],
			.chunk = g.columns[5],
			.n = g.n,
		};

		status = ts_pipeline(&events, plan, arena, measures, err);
	}
	ts_arena_finish(&g.arena);
	return status;
}
