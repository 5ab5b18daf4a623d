#include "service/handlers/analyze/analyze_layers.h"

#include "analysis/rank/layers.h"
#include "analysis/stats/stats.h"
#include "base/door.h"
#include "base/limits.h"

#include <math.h>

#define PREFIX "layers/"

/* The name of the layer whose times a key of scalars has, "layers/head/forward_ms"; false if it has none. */
static bool layer_of(struct ts_span key, const char *what, struct ts_span *ret_name)
{
	size_t before = sizeof PREFIX - 1, behind = strlen(what);

	if (key.len <= before + behind || !ts_span_starts(key, ts_span_str(PREFIX)) || !ts_span_ends(key, what))
		return false;
	*ret_name = ts_span_part(key, before, key.len - before - behind);
	return true;
}

/* The key of a column below scalars, as the program wrote it; empty if it is not one. */
static struct ts_span key_of(struct ts_span column, struct ts_arena *arena)
{
	struct ts_span group, key;
	size_t at = 0, index;
	bool is_index;

	if (!ts_span_starts(column, ts_span_str("scalars.")) || !ts_path_next(column, &at, arena, &group, &is_index, &index) ||
	    !ts_path_next(column, &at, arena, &key, &is_index, &index) || is_index)
		return ts_span_of(NULL, 0);
	return key;
}

/* The median of a column's finite values, ms, in seconds; NaN: it has none. */
static enum ts_status median_of(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
				struct ts_arena *scratch, double *ret, uint64_t *ret_n, struct ts_error *err)
{
	double *values;
	size_t n = 0;

	ts_arena_reset(scratch);
	if (ts_fetch_f64(f, table, column, scratch, &values, err))
		return err->status;
	for (uint64_t i = 0; i < table->rows; i++)
		if (isfinite(values[i]))
			values[n++] = values[i];
	*ret = n ? ts_median_few(values, n) / 1e3 : (double)NAN;
	*ret_n = n;
	return TS_OK;
}

static struct ts_layer *layer_named(struct ts_layer *layers, size_t *n, struct ts_span name)
{
	for (size_t i = *n; i-- > 0;)
		if (ts_span_eq(layers[i].name, name))
			return &layers[i];
	layers[*n] = (struct ts_layer){.name = name, .forward_s = NAN, .backward_s = NAN};
	return &layers[(*n)++];
}

static enum ts_status each_column(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *scratch,
				  struct ts_arena *arena, struct ts_layer *layers, size_t *n, struct ts_error *err)
{
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns; c++) {
			const struct ts_column *column = &table->columns[c];
			struct ts_span key = key_of(column->name, arena), name;
			bool forward = layer_of(key, "/forward_ms", &name);
			struct ts_layer *layer;
			uint64_t steps = 0;
			double median = 0;

			if (column->type != TS_COLUMN_F64 || (!forward && !layer_of(key, "/backward_ms", &name)))
				continue;
			if (median_of(f, table, column, scratch, &median, &steps, err))
				return err->status;
			layer = layer_named(layers, n, name);
			*(forward ? &layer->forward_s : &layer->backward_s) = median;
			layer->steps = steps > layer->steps ? steps : layer->steps;
		}
	}
	return TS_OK;
}

enum ts_status ts_layers_of_rank(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *arena, struct ts_measures *m,
				 struct ts_error *err)
{
	struct ts_layer *layers;
	struct ts_arena scratch;
	enum ts_status status;
	size_t most = 0, n = 0;

	TS_DOOR(ts_index_holds(index));
	for (size_t t = 0; t < index->n_tables; t++)
		most += index->tables[t].n_columns;
	layers = ts_arena_array(arena, most + 1, sizeof *layers);
	if (!layers)
		return ts_arena_error(arena, err);
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	status = each_column(f, index, &scratch, arena, layers, &n, err);
	ts_arena_finish(&scratch);
	if (!status)
		status = ts_arena_check(arena, err);
	return status ? status : ts_layers_rows(layers, n, arena, m, err);
}
