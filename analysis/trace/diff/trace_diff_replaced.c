/* trace_diff_replaced.c - what kernels are, and which of B's took the place of one that only A has. */
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/diff/trace_diff_parts.h"
#include "base/order.h"

#include <stdlib.h>

/* Rows by name, and of each side the row of each of the trace's names. */
struct rows {
	struct ts_trace_diff_row **by_name;
	size_t n;
	struct ts_trace_diff_row **of[2];
};

/* A kernel that one side lacks, where this operator launched it. */
struct place {
	struct ts_span by, shapes; /* the operator, and those of its inputs */
	struct ts_trace_diff_row *row;
	uint64_t ns;
};

TS_ORDER_OF_POINTERS(row_by_name, struct ts_trace_diff_row, TS_TEXT(name))

static int same_operator(const struct place *a, const struct place *b)
{
	int c = ts_span_cmp(a->by, b->by);

	return c ? c : ts_span_cmp(a->shapes, b->shapes);
}

TS_ORDER(place_by_operator, struct place, TS_THEN(same_operator(a, b)); TS_TEXT(row->name))

static struct ts_trace_diff_row *find(const struct rows *rows, struct ts_span name)
{
	struct ts_trace_diff_row wanted = {.name = name}, *key = &wanted, **found;

	found = rows->n ? bsearch(&key, rows->by_name, rows->n, sizeof *rows->by_name, row_by_name) : NULL;
	return found ? *found : NULL;
}

/* Finds the rows of the trace's names, and what they are. */
static void know(const struct ts_trace_side *side, struct rows *rows, int k)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;

	for (size_t i = 0; i < s->n; i++) {
		struct ts_trace_diff_row *row;

		if (!ts_trace_on_device(s->kind[i]) || side->step[i] == TS_SIDE_NO_STEP || rows->of[k][s->name[i]])
			continue;
		row = find(rows, ts_kernel_without_arguments(side->trace->names[s->name[i]]));
		rows->of[k][s->name[i]] = row;
		if (row)
			row->category = ts_sum_category_of(side->trace, i);
	}
}

/* Where the kernels of this side that the other lacks were launched, by operator and shapes, each kernel once. */
static enum ts_status places(const struct ts_trace_side *side, const struct rows *rows, int k, struct ts_arena *arena,
			     struct place **ret, size_t *ret_n, struct ts_error *err)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;
	struct place *items = NULL;
	size_t n = 0, kept = 0;

	for (int fill = 0; fill < 2; fill++) {
		if (fill && !(items = ts_arena_array(arena, n, sizeof *items)))
			return ts_arena_error(arena, err);
		n = 0;
		for (size_t i = 0; i < s->n; i++) {
			const struct ts_trace_diff_row *row = ts_trace_on_device(s->kind[i]) ? rows->of[k][s->name[i]] : NULL;
			uint32_t by = side->nest.in_operator[i];

			if (!row || by == TS_NEST_NONE || side->step[i] == TS_SIDE_NO_STEP ||
			    !(k ? ts_trace_diff_appeared(row) : ts_trace_diff_vanished(row)))
				continue;
			if (items)
				items[n] = (struct place){side->trace->names[s->name[by]], side->trace->names[s->shapes[by]],
							  rows->of[k][s->name[i]], (uint64_t)s->duration_ns[i]};
			n++;
		}
	}
	TS_SORT(items, n, place_by_operator);
	for (size_t i = 0; i < n; i++)
		if (kept && items[kept - 1].row == items[i].row && same_operator(&items[kept - 1], &items[i]) == 0)
			items[kept - 1].ns += items[i].ns;
		else
			items[kept++] = items[i];
	*ret = items;
	*ret_n = kept;
	return TS_OK;
}

/* Of places of one operator and shapes that begin at i, the one of most time; *ret_end is where they end. */
static const struct place *longest(const struct place *places, size_t n, size_t i, size_t *ret_end)
{
	const struct place *best = &places[i];
	size_t end = i;

	for (; end < n && same_operator(&places[end], &places[i]) == 0; end++)
		best = places[end].ns > best->ns ? &places[end] : best;
	*ret_end = end;
	return best;
}

/* Each kernel that vanished is replaced by the longest of those that appeared at the place where it took most. */
static enum ts_status match(const struct place *a, size_t n_a, const struct place *b, size_t n_b, struct ts_arena *arena,
			    const struct ts_trace_diff_table *t, struct ts_error *err)
{
	uint64_t *most = ts_arena_array(arena, t->n, sizeof *most);

	if (!most)
		return ts_arena_error(arena, err);
	for (size_t i = 0, k = 0; i < n_a && k < n_b;) {
		int c = same_operator(&a[i], &b[k]);
		const struct place *by;
		size_t end;

		if (c < 0)
			i++;
		if (c > 0)
			k++;
		if (c)
			continue;
		by = longest(b, n_b, k, &end);
		for (; i < n_a && same_operator(&a[i], by) == 0; i++) {
			uint64_t *best = &most[a[i].row - t->rows];

			if (a[i].ns < *best || (a[i].row->replaced_by.len && a[i].ns == *best))
				continue;
			*best = a[i].ns;
			a[i].row->replaced_by = by->row->name;
			a[i].row->replaced_under = by->by;
		}
		k = end;
	}
	return TS_OK;
}

static struct ts_trace_diff_table *kernels_of(struct ts_trace_diff *d)
{
	for (size_t i = 0; i < d->n_tables; i++)
		if (d->tables[i].of == TS_SIDE_KERNELS)
			return &d->tables[i];
	return NULL;
}

enum ts_status ts_trace_diff_replaced(struct ts_trace_diff *d, const struct ts_trace_side sides[2], struct ts_arena *arena,
				      struct ts_error *err)
{
	struct ts_trace_diff_table *t = kernels_of(d);
	struct place *items[2] = {NULL};
	struct rows rows = {0};
	size_t n[2] = {0};

	if (!t)
		return TS_OK;
	rows.by_name = ts_arena_array(arena, t->n, sizeof *rows.by_name);
	for (int k = 0; k < 2; k++) {
		rows.of[k] = ts_arena_array(arena, sides[k].trace->n_names, sizeof **rows.of);
		if (!rows.by_name || !rows.of[k])
			return ts_arena_error(arena, err);
	}
	rows.n = t->n;
	for (size_t i = 0; i < t->n; i++)
		rows.by_name[i] = &t->rows[i];
	TS_SORT(rows.by_name, t->n, row_by_name);
	for (int k = 0; k < 2; k++) {
		know(&sides[k], &rows, k);
		if (places(&sides[k], &rows, k, arena, &items[k], &n[k], err))
			return err->status;
	}
	return match(items[0], n[0], items[1], n[1], arena, t, err);
}
