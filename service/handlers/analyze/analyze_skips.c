#include "service/handlers/analyze/analyze_skips.h"

#include "analysis/diverge/pattern_skip.h"
#include "base/door.h"
#include "run/role.h"

static bool is_scale(const struct ts_column *column)
{
	return column->type == TS_COLUMN_F64 && ts_column_is_loss_scale(column->name);
}

static const struct ts_column *find_scale(const struct ts_index *index, const struct ts_table **ret_table)
{
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++)
			if (is_scale(&table->columns[i])) {
				*ret_table = table;
				return &table->columns[i];
			}
	}
	return NULL;
}

/* A norm of another table has other keys, which the scale's would make way for: it is left out. */
static enum ts_status load(struct ts_columns *columns, const struct ts_index *index, int64_t first, struct ts_series *ret_scale,
			   struct ts_series *ret_norm, struct ts_error *err)
{
	const struct ts_table *table = NULL, *of_norm = NULL;
	const struct ts_column *scale = find_scale(index, &table), *norm = ts_columns_find(index, "scalars.grad_norm", &of_norm);

	*ret_scale = *ret_norm = (struct ts_series){.n = 0};
	if (!scale)
		return TS_OK;
	if (ts_columns_load(columns, table, scale, ret_scale, err) ||
	    (norm && of_norm == table && ts_columns_load(columns, table, norm, ret_norm, err)))
		return err->status;
	ts_series_from(ret_scale, first);
	ts_series_from(ret_norm, first);
	return TS_OK;
}

static bool rows(const struct ts_pattern_skips *skips, size_t among, struct ts_arena *arena, struct ts_measures *measures)
{
	const struct ts_skip *first = &skips->kept[0];

	return ts_measure_add(measures, arena, TS_M_SKIPS, TS_NO_SUBJECT, (double)skips->n) &&
	       ts_measure_add(measures, arena, TS_M_SKIPS_AMONG, TS_NO_SUBJECT, (double)among) &&
	       (skips->n == 0 || (ts_measure_add(measures, arena, TS_M_SKIPS_FIRST, TS_NO_SUBJECT, (double)first->step) &&
				  ts_measure_add(measures, arena, TS_M_SKIPS_LAST, TS_NO_SUBJECT, (double)skips->last) &&
				  ts_measure_add(measures, arena, TS_M_SKIPS_OVERFLOWED, TS_NO_SUBJECT, (double)skips->overflowed) &&
				  ts_measure_add(measures, arena, TS_M_SKIPS_BEFORE, TS_NO_SUBJECT, first->from) &&
				  ts_measure_add(measures, arena, TS_M_SKIPS_AFTER, TS_NO_SUBJECT, first->to)));
}

enum ts_status ts_analyze_skips(struct ts_columns *columns, const struct ts_index *index, int64_t first, struct ts_arena *arena,
				struct ts_measures *measures, struct ts_error *err)
{
	static const struct ts_series no_loss = {.n = 0}; /* the factor tells without it */
	struct ts_series scale, norm;
	struct ts_pattern_skips skips;
	enum ts_status status = load(columns, index, first, &scale, &norm, err);

	TS_DOOR(ts_index_holds(index));
	if (status)
		return status;
	if (scale.n) {
		ts_pattern_skips_find(&scale, &norm, &no_loss, &skips);
		if (!rows(&skips, norm.n ? norm.n : scale.n, arena, measures))
			status = ts_arena_error(arena, err);
	}
	ts_columns_done(columns);
	return status;
}
