/* series_list.c - see series_list.h. */
#include "service/handlers/diff/series_list.h"

#include "base/door.h"
#include "base/order.h"
#include <stdlib.h>

bool ts_series_is_compared(const struct ts_table *table)
{
	return table->kind == TS_TABLE_STEPS || table->kind == TS_TABLE_PIPELINE;
}

int ts_series_side_cmp(const struct ts_series_side *a, const struct ts_series_side *b)
{
	int c = (a->table->kind > b->table->kind) - (a->table->kind < b->table->kind);

	if (!c)
		c = ts_span_cmp(a->column->name, b->column->name);
	return c ? c : (a->column->type > b->column->type) - (a->column->type < b->column->type);
}

TS_ORDER(by_column, struct ts_series_side, TS_THEN(ts_series_side_cmp(a, b)))

enum ts_status ts_series_list_of(const struct ts_index *index, struct ts_arena *arena, struct ts_series_list *ret_list,
				 struct ts_error *err)
{
	struct ts_series_list list = {.n = 0};
	size_t n = 0;

	TS_DOOR(ts_index_holds(index));
	for (size_t t = 0; t < index->n_tables; t++)
		n += index->tables[t].n_columns;
	list.items = ts_arena_array(arena, n, sizeof *list.items);
	if (!list.items)
		return ts_arena_error(arena, err);
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; ts_series_is_compared(table) && i < table->n_columns; i++)
			list.items[list.n++] = (struct ts_series_side){table, &table->columns[i]};
	}
	TS_SORT(list.items, list.n, by_column);
	*ret_list = list;
	return TS_OK;
}

enum ts_role ts_series_joint_role(enum ts_role a, enum ts_role b)
{
	if (a == b)
		return a;
	return a == TS_ROLE_TRAJECTORY || b == TS_ROLE_TRAJECTORY ? TS_ROLE_TRAJECTORY : TS_ROLE_UNKNOWN;
}

enum ts_status ts_series_facts(const struct ts_run *run, const struct ts_index *index, struct ts_arena *arena,
			       struct ts_facts *ret_facts, struct ts_error *err)
{
	TS_DOOR(ts_index_holds(index));
	if (index->facts.n)
		return ts_run_facts(run, index, arena, ret_facts, err);
	*ret_facts = run->head.facts;
	return TS_OK;
}
