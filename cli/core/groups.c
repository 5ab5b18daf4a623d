#include "cli/core/groups.h"

#include "base/number.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

enum class { NUMBERS, TEXTS, OTHERS, UNKNOWN };

static enum class class_of(const struct ts_list_cell *cell)
{
	if (!cell->known)
		return UNKNOWN;
	if (cell->value.type == TS_FACT_INT || cell->value.type == TS_FACT_FLOAT)
		return NUMBERS;
	return cell->value.type == TS_FACT_TEXT ? TEXTS : OTHERS;
}

static double number_of(const struct ts_fact *value)
{
	return value->type == TS_FACT_INT ? (double)value->integer : value->real;
}

/* NaN equals NaN and comes behind all numbers. */
static int compare_doubles(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

static int compare_others(const struct ts_fact *a, const struct ts_fact *b)
{
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->type == TS_FACT_BOOL)
		return a->boolean - b->boolean;
	return a->type == TS_FACT_NUMBER ? ts_span_cmp(a->text, b->text) : 0;
}

static int compare_cells(const struct ts_list_cell *a, const struct ts_list_cell *b)
{
	enum class x = class_of(a), y = class_of(b);

	if (x != y)
		return x < y ? -1 : 1;
	switch (x) {
	case NUMBERS:
		if (a->value.type == TS_FACT_INT && b->value.type == TS_FACT_INT)
			return (a->value.integer > b->value.integer) - (a->value.integer < b->value.integer);
		return compare_doubles(number_of(&a->value), number_of(&b->value));
	case TEXTS:
		return ts_span_cmp(a->value.text, b->value.text);
	case OTHERS:
		return compare_others(&a->value, &b->value);
	case UNKNOWN:
		break;
	}
	return 0;
}

/* A row while rows are sorted. */
struct member {
	const struct ts_list_row *row;
	size_t n_by;
	size_t order;
};

static int compare_by(const struct member *a, const struct member *b)
{
	int c = 0;

	for (size_t i = 0; i < a->n_by && !c; i++)
		c = compare_cells(&a->row->cells[i], &b->row->cells[i]);
	return c;
}

TS_ORDER(compare_members, struct member, TS_THEN(compare_by(a, b)); TS_UP(order))

/* Welford's update, which loses nothing where the values lie close to each other. */
static void add_value(struct ts_group_stat *stat, double v)
{
	double from = v - stat->mean;

	stat->n++;
	stat->mean += from / (double)stat->n;
	stat->m2 += from * (v - stat->mean);
}

static enum ts_status add_row(struct ts_run_group *group, const struct ts_listing *list, const struct ts_list_row *row, size_t n_by,
			      struct ts_error *err)
{
	group->runs++;
	for (size_t c = n_by; c < list->n_columns; c++) {
		const struct ts_list_cell *cell = &row->cells[c];
		double v = 0;

		if (!cell->known || cell->value.type == TS_FACT_NULL)
			continue;
		if (cell->value.type == TS_FACT_INT || cell->value.type == TS_FACT_FLOAT)
			v = number_of(&cell->value);
		else if (cell->value.type != TS_FACT_NUMBER || !ts_parse_double(cell->value.text, &v))
			return ts_error_set(err, TS_INVALID, "--by shows means, and %.*s of %.*s is no number",
					    TS_SPAN_ARG(list->columns[c]), TS_SPAN_ARG(row->name));
		add_value(&group->stats[c - n_by], v);
	}
	return TS_OK;
}

static enum ts_status begin_group(struct ts_groups *groups, const struct ts_list_row *row, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_run_group *group = &groups->groups[groups->n];

	group->by = row->cells;
	group->stats = ts_arena_array(arena, groups->n_columns, sizeof *group->stats);
	if (!group->stats)
		return ts_arena_error(arena, err);
	groups->n++;
	return TS_OK;
}

enum ts_status ts_groups_make(const struct ts_listing *list, size_t n_by, struct ts_arena *arena, struct ts_groups *ret_groups,
			      struct ts_error *err)
{
	struct ts_groups groups = {
		.by = list->columns, .n_by = n_by, .columns = list->columns + n_by, .n_columns = list->n_columns - n_by};
	struct member *members = ts_arena_array(arena, list->n, sizeof *members);

	groups.groups = ts_arena_array(arena, list->n, sizeof *groups.groups);
	if (!members || !groups.groups)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < list->n; i++)
		members[i] = (struct member){&list->rows[i], n_by, i};
	TS_SORT(members, list->n, compare_members);
	for (size_t i = 0; i < list->n; i++) {
		if ((i == 0 || compare_by(&members[i - 1], &members[i])) && begin_group(&groups, members[i].row, arena, err))
			return err->status;
		if (add_row(&groups.groups[groups.n - 1], list, members[i].row, n_by, err))
			return err->status;
	}
	*ret_groups = groups;
	return TS_OK;
}

bool ts_group_sd(const struct ts_group_stat *stat, double *ret_sd)
{
	if (stat->n < 2)
		return false;
	*ret_sd = sqrt(stat->m2 / (double)(stat->n - 1));
	return true;
}

/* What one sort needs; qsort passes nothing on. */
struct keyed {
	struct ts_run_group group;
	const struct ts_list_cell *cell; /* the key, or NULL: it is the mean */
	const struct ts_group_stat *stat;
	size_t order;
	bool descending;
};

static bool is_known(const struct keyed *k)
{
	return k->cell ? k->cell->known : k->stat->n > 0;
}

static int compare_keys(const struct keyed *a, const struct keyed *b)
{
	int c = a->cell ? compare_cells(a->cell, b->cell) : compare_doubles(a->stat->mean, b->stat->mean);

	return a->descending ? -c : c;
}

TS_ORDER(compare_keyed, struct keyed, TS_DOWN_OF(is_known); if (is_known(a)) TS_THEN(compare_keys(a, b)); TS_UP(order))

static bool find_column(const struct ts_span *columns, size_t n, struct ts_span column, size_t *ret_at)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_eq(columns[i], column)) {
			*ret_at = i;
			return true;
		}
	return false;
}

enum ts_status ts_groups_sort(struct ts_groups *groups, struct ts_span column, bool descending, struct ts_arena *arena,
			      struct ts_error *err)
{
	struct keyed *keyed = ts_arena_array(arena, groups->n, sizeof *keyed);
	size_t at = 0;
	bool by = find_column(groups->by, groups->n_by, column, &at);

	if (!by && !find_column(groups->columns, groups->n_columns, column, &at))
		return ts_error_set(err, TS_INVALID,
				    "with --by, --sort needs one of the columns that are shown, and %.*s is none of them",
				    TS_SPAN_ARG(column));
	if (!keyed)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < groups->n; i++)
		keyed[i] = (struct keyed){.group = groups->groups[i],
					  .cell = by ? &groups->groups[i].by[at] : NULL,
					  .stat = by ? NULL : &groups->groups[i].stats[at],
					  .order = i,
					  .descending = descending};
	TS_SORT(keyed, groups->n, compare_keyed);
	for (size_t i = 0; i < groups->n; i++)
		groups->groups[i] = keyed[i].group;
	return TS_OK;
}
