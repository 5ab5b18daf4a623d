#include "service/handlers/analyze/whole_time.h"

#include "base/order.h"

static const char *const names[] = {"step_time", "step_time_s", "scalars.step_time", "scalars.step_time_s"};

TS_ORDER(compare_columns, struct ts_column, TS_THEN(ts_column_cmp(a, b)))
TS_ORDER(compare_tables, struct ts_table, TS_THEN(ts_table_cmp(a, b)))

static bool says_more(const struct ts_column *column)
{
	return ts_span_starts(column->name, ts_span_str("phases.")) || ts_span_is(column->name, "timestamp");
}

static struct ts_span name_in(const struct ts_index *index)
{
	const struct ts_table *table;

	for (size_t t = 0; t < index->n_tables; t++)
		for (size_t c = 0; index->tables[t].kind == TS_TABLE_STEPS && c < index->tables[t].n_columns; c++)
			if (says_more(&index->tables[t].columns[c]))
				return ts_span_of(NULL, 0);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ts_index_column(index, TS_TABLE_STEPS, ts_span_str(names[i]), TS_COLUMN_F64, &table))
			return ts_span_str(names[i]);
	return ts_span_of(NULL, 0);
}

static void take(struct ts_index *index, struct ts_span name)
{
	for (size_t t = 0; t < index->n_tables; t++) {
		struct ts_table *table = &index->tables[t];

		if (table->kind != TS_TABLE_STEPS && table->kind != TS_TABLE_SUPERSEDED)
			continue;
		for (size_t c = 0; c < table->n_columns; c++)
			if (table->columns[c].type == TS_COLUMN_F64 && ts_span_eq(table->columns[c].name, name))
				table->columns[c].name = ts_span_str("phases.step");
		TS_SORT(table->columns, table->n_columns, compare_columns);
	}
	TS_SORT(index->tables, index->n_tables, compare_tables);
}

void ts_whole_time_take(struct ts_run *run)
{
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		struct ts_span name = name_in(&run->indexes[i]);

		if (name.len)
			take(&run->indexes[i], name);
	}
}
