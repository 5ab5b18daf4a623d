#include "service/handlers/analyze/analyze_columns.h"

#include "base/door.h"
#include "base/limits.h"
#include "base/text.h"
#include "run/meaning.h"

enum { NAMED_MAX = 4 };

void ts_columns_init(struct ts_columns *c, struct ts_fetch *fetch)
{
	*c = (struct ts_columns){.fetch = fetch};
	ts_arena_init(&c->keys, TS_ANALYSIS_ARENA);
	ts_arena_init(&c->values, TS_ANALYSIS_ARENA);
}

void ts_columns_finish(struct ts_columns *c)
{
	ts_arena_finish(&c->keys);
	ts_arena_finish(&c->values);
}

void ts_columns_lend(struct ts_columns *c, const struct ts_table *table, const int64_t *keys)
{
	c->lent_of = table;
	c->lent_keys = keys;
}

static enum ts_status keys_of_table(struct ts_columns *c, const struct ts_table *table, const int64_t **ret_keys,
				    struct ts_error *err)
{
	int64_t *keys;

	if (c->lent_of == table) {
		*ret_keys = c->lent_keys;
		return TS_OK;
	}
	if (c->keys_of != table) {
		ts_arena_reset(&c->keys);
		c->keys_of = NULL;
		if (ts_fetch_keys(c->fetch, table, &c->keys, &keys, err))
			return err->status;
		c->keys_of = table;
		c->table_keys = keys;
	}
	*ret_keys = c->table_keys;
	return TS_OK;
}

enum ts_status ts_columns_load(struct ts_columns *c, const struct ts_table *table, const struct ts_column *column,
			       struct ts_series *ret_series, struct ts_error *err)
{
	const int64_t *keys = NULL;
	double *values;

	TS_DOOR(ts_table_holds(table));
	if (keys_of_table(c, table, &keys, err) || ts_fetch_f64(c->fetch, table, column, &c->values, &values, err))
		return ts_error_prefix(err, "column %.*s", TS_SPAN_ARG(column->name));
	*ret_series = (struct ts_series){
		.name = column->name,
		.keys = keys,
		.values = values,
		.n = (size_t)table->rows,
	};
	return TS_OK;
}

/* Copies the keys of a table, once for each table, so that they stay when keys of another table are loaded. */
static const int64_t *lasting_keys(struct ts_columns *c, const struct ts_series *series,
				   const struct ts_table *const *tables, size_t i, bool alone)
{
	for (size_t before = 0; before < i; before++)
		if (tables[before] == tables[i])
			return series[before].keys;
	if (alone || tables[i] == c->lent_of)
		return series[i].keys;
	return ts_arena_dup(&c->values, series[i].keys, series[i].n * sizeof(int64_t));
}

enum ts_status ts_columns_load_named(struct ts_columns *c, const struct ts_index *index, const char *const *names,
				     size_t n, struct ts_series *series, const struct ts_series **ret,
				     struct ts_error *err)
{
	const struct ts_table *tables[NAMED_MAX] = {NULL}, *any = NULL;
	const struct ts_column *columns[NAMED_MAX];
	bool alone = true; /* all are of one table */

	TS_DOOR(ts_index_holds(index));
	for (size_t i = 0; i < n; i++) {
		columns[i] = ts_columns_find(index, names[i], &tables[i]);
		alone &= !columns[i] || !any || tables[i] == any;
		any = columns[i] ? tables[i] : any;
	}
	for (size_t i = 0; i < n; i++) {
		ret[i] = NULL;
		if (!columns[i])
			continue;
		if (ts_columns_load(c, tables[i], columns[i], &series[i], err))
			return err->status;
		series[i].keys = lasting_keys(c, series, tables, i, alone);
		if (!series[i].keys)
			return ts_arena_error(&c->values, err);
		ret[i] = &series[i];
	}
	return TS_OK;
}

void ts_columns_done(struct ts_columns *c)
{
	ts_arena_reset(&c->values);
}

void ts_columns_leave(struct ts_columns *c)
{
	ts_columns_done(c);
	ts_arena_reset(&c->keys);
	c->keys_of = NULL;
}

const struct ts_column *ts_columns_find(const struct ts_index *index, const char *name, const struct ts_table **ret_table)
{
	return ts_index_column(index, TS_TABLE_STEPS, ts_span_str(name), TS_COLUMN_F64, ret_table);
}

/* How many columns mean that, and the last of them. */
static size_t meaning(const struct ts_index *index, enum ts_meaning what, const struct ts_column **ret,
		      const struct ts_table **ret_table)
{
	size_t n = 0;

	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++) {
			const struct ts_column *c = &table->columns[i];

			if (c->type != TS_COLUMN_F64 || !ts_span_starts(c->name, ts_span_str("scalars.")) ||
			    ts_column_meaning(c->name) != what)
				continue;
			*ret = c;
			*ret_table = table;
			n++;
		}
	}
	return n;
}

const struct ts_column *ts_columns_find_loss(const struct ts_index *index, const struct ts_table **ret_table)
{
	const struct ts_column *loss = ts_columns_find(index, "scalars.loss", ret_table);
	size_t n;

	TS_DOOR(ts_index_holds(index));
	if (loss)
		return loss;
	n = meaning(index, TS_MEANS_LOSS, &loss, ret_table);
	if (n == 0)
		n = meaning(index, TS_MEANS_OBJECTIVE, &loss, ret_table);
	return n == 1 ? loss : NULL;
}

const struct ts_column *ts_columns_of_digests(const struct ts_index *index, enum ts_digests_of of, const struct ts_table **ret_table)
{
	static const char *const globs[][3] = {
		[TS_DIGESTS_BATCH] = {"digests.batch*", "digests.data*", "digests.input*"},
		[TS_DIGESTS_PARAMS] = {"digests.param*", "digests.weight*", "digests.model*"},
		[TS_DIGESTS_GRADS] = {"digests.grad*"},
	};

	TS_DOOR(ts_index_holds(index));
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++)
			for (size_t k = 0; k < 3 && globs[of][k] && table->columns[i].type == TS_COLUMN_U64; k++)
				if (ts_glob(ts_span_str(globs[of][k]), table->columns[i].name)) {
					*ret_table = table;
					return &table->columns[i];
				}
	}
	return NULL;
}
