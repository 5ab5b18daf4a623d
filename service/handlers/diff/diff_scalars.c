#include "service/handlers/diff/diff_scalars.h"

#include "analysis/diverge/one_sided.h"
#include "analysis/gate/outcomes.h"
#include "base/limits.h"
#include "base/order.h"
#include "run/direction.h"
#include "run/meaning.h"
#include "run/role.h"
#include "service/handlers/analyze/analyze_moves.h"

static const double differs_by = 0.1, growth_by = 1.5;

/* What a series came to in one run. */
struct ends {
	struct ts_sided sided;
	struct ts_reduced last;
};

struct scalar {
	struct ts_span name; /* of the column */
	struct ends a, b;
	bool directed;
	double apart; /* the difference of both last tenths over the larger */
};

struct looking {
	struct ts_fetch *fetch;
	const struct ts_run *runs[2];
	const struct ts_span *losses;
	struct ts_arena *arena;
	struct ts_columns columns;
	struct scalar *items;
	size_t n;
};

static const struct ts_column *column_of(const struct ts_run *run, struct ts_span name, const struct ts_table **ret_table)
{
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		const struct ts_column *column = ts_index_column(&run->indexes[i], TS_TABLE_STEPS, name, TS_COLUMN_F64, ret_table);

		if (column && (*ret_table)->rows)
			return column;
	}
	return NULL;
}

static bool same_blocks(const struct ts_table *s, const struct ts_column *a, const struct ts_table *t, const struct ts_column *b)
{
	if (s->n_blocks != t->n_blocks)
		return false;
	for (size_t i = 0; i < s->n_blocks; i++)
		if (!ts_id_eq(&a->blocks[i], &b->blocks[i]))
			return false;
	return true;
}

static enum ts_status read_ends(struct looking *l, const struct ts_table *table, const struct ts_column *column, struct ends *ret,
				struct ts_error *err)
{
	struct ts_reduce_loss tail = ts_reduce_loss_of((size_t)table->rows);
	struct ts_reduce_ends ends = {.devices = 0};
	struct ts_series s;

	ts_columns_leave(&l->columns);
	if (ts_columns_load(&l->columns, table, column, &s, err))
		return err->status;
	for (size_t i = 0; i < s.n; i++)
		ts_reduce_loss_add(&tail, s.values[i]);
	ret->sided = ts_sided_of(s.values, s.n);
	ts_columns_done(&l->columns);
	ts_reduce_loss_finish(&tail, &ends);
	ret->last = (struct ts_reduced){.known = true,
					.value = ends.loss,
					.has_error = isfinite(ends.loss_error),
					.error = isfinite(ends.loss_error) ? ends.loss_error : 0};
	return TS_OK;
}

static bool is_known(const struct looking *l, struct ts_span name)
{
	for (size_t i = 0; i < 2; i++)
		if (ts_span_eq(l->losses[i], name))
			return true;
	for (size_t i = 0; i < l->n; i++)
		if (ts_span_eq(l->items[i].name, name))
			return true;
	return false;
}

/* Takes the column if both runs have it and it came to something else in b. */
static enum ts_status take(struct looking *l, const struct ts_column *column, struct ts_error *err)
{
	struct scalar s = {.name = column->name, .directed = ts_direction_of(column->name) != TS_DIRECTION_UNKNOWN};
	const struct ts_table *of_a, *of_b;
	const struct ts_column *a = column_of(l->runs[0], column->name, &of_a), *b = column_of(l->runs[1], column->name, &of_b);
	double larger;

	if (!a || !b || of_a->rows > TS_MOVES_ROWS || of_b->rows > TS_MOVES_ROWS || same_blocks(of_a, a, of_b, b))
		return TS_OK;
	if (read_ends(l, of_a, a, &s.a, err) || read_ends(l, of_b, b, &s.b, err))
		return err->status;
	larger = fmax(fabs(s.a.last.value), fabs(s.b.last.value));
	s.apart = larger > 0 ? fabs(s.b.last.value - s.a.last.value) / larger : 0;
	if (isnan(s.apart))
		s.apart = isnan(s.a.last.value) != isnan(s.b.last.value) ? HUGE_VAL : 0;
	if (s.apart > 0 && (s.directed || s.apart >= differs_by))
		l->items[l->n++] = s;
	return TS_OK;
}

static enum ts_status gather(struct looking *l, struct ts_error *err)
{
	const struct ts_run *run = l->runs[0];
	size_t asked = 0;

	for (size_t r = 0; r < run->head.n_ranks; r++)
		for (size_t t = 0; t < run->indexes[r].n_tables; t++) {
			const struct ts_table *table = &run->indexes[r].tables[t];

			for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns && asked < TS_MOVES_SERIES; i++) {
				if (!ts_moves_asks(&table->columns[i], &run->head.facts) || is_known(l, table->columns[i].name))
					continue;
				asked++;
				if (take(l, &table->columns[i], err))
					return err->status;
			}
		}
	return TS_OK;
}

TS_ORDER(by_weight, struct scalar, TS_DOWN(directed); TS_DOWN(apart); TS_TEXT(name))

/* --- rows --- */

static struct ts_outcome row_of(struct ts_span name, const char *title, enum ts_unit unit, const struct ts_reduced *a,
				const struct ts_reduced *b)
{
	struct ts_outcome o = {
		.name = name,
		.title = ts_span_str(title),
		.unit = unit,
		.a = {.known = true, .value = a->value},
		.b = {.known = true, .value = b->value},
	};

	ts_outcome_compare(a, b, &o);
	return o;
}

/* Growth says something where a series stays above 0. */
static bool growth(const struct scalar *s, struct ts_reduced *ret_a, struct ts_reduced *ret_b)
{
	double a = s->a.last.value / s->a.sided.first, b = s->b.last.value / s->b.sided.first;

	if (!(s->a.sided.first > 0) || !(s->b.sided.first > 0) || !(a > 0) || !(b > 0) || isinf(a) || isinf(b) ||
	    fmax(a, b) < growth_by * fmin(a, b))
		return false;
	*ret_a = (struct ts_reduced){.known = true, .value = a - 1};
	*ret_b = (struct ts_reduced){.known = true, .value = b - 1};
	return true;
}

static bool append(const struct scalar *s, struct ts_arena *arena, struct ts_outcome *items, size_t *io_n)
{
	struct ts_span said = ts_column_said(s->name);
	const char *last = ts_arena_printf(arena, "%.*s, last tenth", TS_SPAN_ARG(said));
	const char *grown = ts_arena_printf(arena, "%.*s, growth", TS_SPAN_ARG(said));
	const char *name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(s->name));
	const char *of = ts_arena_printf(arena, "growth of %.*s", TS_SPAN_ARG(s->name));
	struct ts_reduced a, b;

	if (!last || !grown || !name || !of)
		return false;
	items[(*io_n)++] = row_of(ts_span_str(name), last, TS_UNIT_NONE, &s->a.last, &s->b.last);
	if (growth(s, &a, &b))
		items[(*io_n)++] = row_of(ts_span_str(of), grown, TS_UNIT_RATIO, &a, &b);
	return true;
}

static enum ts_status insert(struct looking *l, struct ts_diff *io, struct ts_error *err)
{
	struct ts_outcome *items = ts_arena_array(l->arena, io->n_outcomes + 2 * TS_DIFF_SCALARS, sizeof *items);
	size_t n = 0, at = 0;

	if (!items)
		return ts_arena_error(l->arena, err);
	for (; at < io->n_outcomes && ts_column_ends_as_loss(io->outcomes[at].name); at++)
		items[n++] = io->outcomes[at];
	for (size_t i = 0; i < l->n && i < TS_DIFF_SCALARS; i++)
		if (!append(&l->items[i], l->arena, items, &n))
			return ts_arena_error(l->arena, err);
	for (; at < io->n_outcomes; at++)
		items[n++] = io->outcomes[at];
	io->outcomes = items;
	io->n_outcomes = n;
	return TS_OK;
}

/* Whether the growth makes the series better, as training does, so that it shows how far a run came. */
static bool improves(struct ts_span name, double growth)
{
	enum ts_direction direction = ts_direction_of(name);

	return direction != TS_DIRECTION_UNKNOWN && (direction == TS_DIRECTION_DOWN) == (growth < 0);
}

/* What moves in one run alone is said. */
static enum ts_status tell(const struct looking *l, struct ts_diff *io, struct ts_error *err)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct ts_sided *a = &l->items[i].a.sided, *b = &l->items[i].b.sided;

		if (ts_is_one_sided(a, b) && !improves(l->items[i].name, (a->last - a->first) + (b->last - b->first)))
			return ts_diagnose_one_sided(l->items[i].name, a, b, l->arena, &io->diagnosis, err);
	}
	return TS_OK;
}

enum ts_status ts_diff_scalars(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, const struct ts_span losses[2],
			       struct ts_arena *arena, struct ts_diff *io_diff, struct ts_error *err)
{
	struct looking l = {.fetch = f, .losses = losses, .arena = arena};
	struct ts_run run_a, run_b;
	struct ts_arena work;
	enum ts_status status;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	ts_columns_init(&l.columns, f);
	l.items = ts_arena_array(&work, TS_MOVES_SERIES, sizeof *l.items);
	l.runs[0] = &run_a;
	l.runs[1] = &run_b;
	status = l.items ? ts_run_open(f, a, &work, &run_a, err) : ts_arena_error(&work, err);
	if (!status)
		status = ts_run_open(f, b, &work, &run_b, err);
	if (!status)
		status = gather(&l, err);
	if (!status && l.n) {
		TS_SORT(l.items, l.n, by_weight);
		status = insert(&l, io_diff, err);
		if (!status)
			status = tell(&l, io_diff, err);
	}
	ts_columns_finish(&l.columns);
	ts_arena_finish(&work);
	return status;
}
