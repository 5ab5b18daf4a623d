/* builder_plan.c - decides which table each column of a row belongs to: columns that are present at the same keys share a
 * table.
 *
 * builder_state.h describes plans.
 */
#include "run/builder_state.h"

static struct ts_builder_table *add_table(struct ts_builder *b, struct ts_builder_table *table)
{
	if (table) {
		table->next = b->tables;
		b->tables = table;
	}
	return table;
}

static enum ts_status series_of(struct ts_builder *b, uint64_t tag, struct ts_series **ret_series, struct ts_error *err)
{
	static const enum ts_builder_call calls[] = {
		[TS_COLUMN_F64] = TS_CALL_F64,
		[TS_COLUMN_U64] = TS_CALL_U64,
		[TS_COLUMN_TEXT] = TS_CALL_TEXT,
		[TS_COLUMN_JSON] = TS_CALL_TEXT,
	};
	uint32_t number = (uint32_t)tag;
	struct ts_builder_column *column;
	struct ts_series **series;

	if (number >= b->n_columns || calls[b->columns[number].type] != (enum ts_builder_call)(tag >> 32))
		return ts_error_set(err, TS_INTERNAL, "column %u is not a column of this builder, or has another type",
				    number);
	column = &b->columns[number];
	series = &column->series[b->kind - 1];
	if (!*series) {
		struct ts_series *made = ts_arena_array(&b->arena, 1, sizeof *made);

		if (!made) {
			ts_arena_error(&b->arena, err);
			return ts_builder_fail(b, err);
		}
		made->column = number;
		made->type = column->type;
		*series = made;
	}
	*ret_series = *series;
	return TS_OK;
}

static enum ts_status plan_table(struct ts_builder *b, struct ts_builder_table *table, struct ts_error *err)
{
	struct ts_builder_plan *plan = &b->plan;

	if (ts_builder_grow(&plan->tables, &plan->tables_cap, plan->n_tables + 1, sizeof(struct ts_builder_table *),
			    err))
		return ts_builder_fail(b, err);
	plan->tables[plan->n_tables++] = table;
	return TS_OK;
}

/* Keeps one series for each cell, the last one written to its column, and counts how many columns of each table the
 * row has. */
static enum ts_status plan_series(struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_plan *plan = &b->plan;

	for (size_t i = 0; i < b->n_cells; i++) {
		plan->tags[i] = b->cells[i].tag;
		if (series_of(b, plan->tags[i], &plan->series[i], err))
			return err->status;
	}
	for (size_t i = b->n_cells; i-- > 0;) {
		struct ts_series *s = plan->series[i];
		struct ts_builder_table *table = s->table;

		if (s->stamp == b->serial) {
			plan->series[i] = NULL;
			continue;
		}
		s->stamp = b->serial;
		if (!table)
			continue;
		if (table->stamp != b->serial) {
			table->stamp = b->serial;
			table->hits = 0;
			if (plan_table(b, table, err))
				return err->status;
		}
		table->hits++;
	}
	return TS_OK;
}

/* The row has only some columns of this table, so these move to a table of their own. */
static enum ts_status split(struct ts_builder *b, struct ts_builder_table **at, struct ts_error *err)
{
	struct ts_builder_table *table = *at;
	struct ts_builder_table *fork = add_table(b, ts_builder_table_fork(table, err));

	if (!fork)
		return ts_builder_fail(b, err);
	for (size_t i = 0; i < b->n_cells; i++)
		if (b->plan.series[i] && b->plan.series[i]->table == table)
			ts_builder_table_move(b->plan.series[i], fork);
	*at = fork;
	return TS_OK;
}

/* Columns that appear for the first time share one new table. */
static enum ts_status plan_new(struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_table *fresh = NULL;

	for (size_t i = 0; i < b->n_cells; i++) {
		struct ts_series *s = b->plan.series[i];

		if (!s || s->table)
			continue;
		if (!fresh) {
			fresh = add_table(b, ts_builder_table_create(b->kind, err));
			if (!fresh)
				return ts_builder_fail(b, err);
			if (plan_table(b, fresh, err))
				return err->status;
		}
		if (ts_builder_table_add(fresh, s, err))
			return ts_builder_fail(b, err);
	}
	return TS_OK;
}

/* A row without any column is kept too: its key is stored in a table that has no columns. */
static enum ts_status plan_bare(struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_table **bare = &b->kinds[b->kind - 1].bare;

	if (!*bare) {
		*bare = add_table(b, ts_builder_table_create(b->kind, err));
		if (!*bare)
			return ts_builder_fail(b, err);
	}
	return plan_table(b, *bare, err);
}

static bool is_plain(const struct ts_builder *b)
{
	for (size_t i = 0; i < b->n_cells; i++) {
		const struct ts_series *s = b->plan.series[i];

		if (!s || (s->type != TS_COLUMN_F64 && s->type != TS_COLUMN_U64))
			return false;
	}
	return b->plan.n_tables == 1;
}

enum ts_status ts_builder_plan(struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_plan *plan = &b->plan;

	plan->valid = false;
	plan->n_tables = 0;
	b->serial++;
	if (ts_builder_grow(&plan->tags, &plan->tags_cap, b->n_cells, sizeof *plan->tags, err) ||
	    ts_builder_grow(&plan->series, &plan->series_cap, b->n_cells, sizeof(struct ts_series *), err))
		return ts_builder_fail(b, err);
	if (plan_series(b, err))
		return err->status;
	for (size_t i = 0; i < plan->n_tables; i++)
		if (plan->tables[i]->hits < plan->tables[i]->n_columns && split(b, &plan->tables[i], err))
			return err->status;
	if (plan_new(b, err) || (b->n_cells == 0 && plan_bare(b, err)))
		return err->status;
	plan->kind = b->kind;
	plan->n = b->n_cells;
	plan->plain = is_plain(b);
	plan->valid = true;
	return TS_OK;
}

bool ts_builder_plan_fits(const struct ts_builder *b)
{
	const struct ts_builder_plan *plan = &b->plan;

	if (!plan->valid || plan->n != b->n_cells || plan->kind != b->kind)
		return false;
	for (size_t i = 0; i < plan->n; i++)
		if (plan->tags[i] != b->cells[i].tag)
			return false;
	return true;
}
