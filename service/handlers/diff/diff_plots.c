#include "service/handlers/diff/diff_plots.h"

#include "base/limits.h"
#include "base/order.h"

/* One series of one run. */
struct side {
	const struct ts_table *table;
	const struct ts_column *column;
};

struct drawing {
	struct ts_fetch *fetch;
	struct ts_arena *arena;
	struct ts_diff *diff;
	const struct ts_series_row *row;
	struct side a, b;
	int64_t *keys;	 /* TS_BLOCK_ROWS_MAX entries */
	uint64_t *words; /* TS_BLOCK_ROWS_MAX entries */
	double *values;	 /* TS_BLOCK_ROWS_MAX entries */
};

static bool drawable(const struct ts_series_row *row)
{
	return row->state == TS_SERIES_PARTS && row->role == TS_ROLE_TRAJECTORY && row->type == TS_COLUMN_F64;
}

/* Returns "loss" of "scalars.loss". */
static struct ts_span last_part(struct ts_span name)
{
	for (size_t i = name.len; i > 0; i--)
		if (name.data[i - 1] == '.')
			return ts_span_of(name.data + i, name.len - i);
	return name;
}

static const struct ts_series_row *row_called(const struct ts_diff *diff, const char *name)
{
	for (size_t i = 0; i < diff->n_series; i++)
		if (drawable(&diff->series[i]) && ts_span_is(last_part(diff->series[i].name), name))
			return &diff->series[i];
	return NULL;
}

/* Rows are sorted by their first step, then by name and rank: the first row of a name has the rank that differs first. */
static size_t chosen(const struct ts_diff *diff, const struct ts_series_row *ret_rows[TS_DIFF_PLOT_SERIES])
{
	static const char *const known[TS_DIFF_PLOT_SERIES] = {"loss", "grad_norm"};
	size_t n = 0;

	for (size_t i = 0; i < TS_DIFF_PLOT_SERIES; i++) {
		const struct ts_series_row *row = row_called(diff, known[i]);

		if (row)
			ret_rows[n++] = row;
	}
	for (size_t i = 0; n == 0 && i < diff->n_series; i++)
		if (drawable(&diff->series[i]))
			ret_rows[n++] = &diff->series[i];
	return n;
}

static bool find(const struct ts_run *run, const struct ts_series_row *row, struct ts_span name, struct side *ret_side)
{
	const struct ts_index *index = ts_run_rank(run, row->rank);

	for (size_t t = 0; index && t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns; c++)
			if (table->columns[c].type == row->type && ts_span_eq(table->columns[c].name, name)) {
				*ret_side = (struct side){table, &table->columns[c]};
				return table->n_blocks > 0;
			}
	}
	return false;
}

/* Finds the series of the second run, which may have another name there. */
static bool find_second(const struct ts_run *run, const struct ts_diff *diff, const struct ts_series_row *row,
			struct side *ret_side)
{
	if (find(run, row, row->name, ret_side))
		return true;
	for (size_t i = 0; i < diff->n_aliases; i++)
		if (ts_span_eq(diff->aliases[i].a, row->name) && find(run, row, diff->aliases[i].b, ret_side))
			return true;
	return false;
}

/* Adds the rows of a side within [plot->first_step, last], block by block. */
static enum ts_status add_side(struct drawing *d, const struct side *side, int64_t last, struct ts_plot *plot, struct ts_error *err)
{
	for (size_t i = 0; i < side->table->n_blocks; i++) {
		const struct ts_block *block = &side->table->blocks[i];
		size_t from = 0, to = block->rows;

		if (block->last_key < plot->first_step || block->first_key > last)
			continue;
		if (ts_fetch_block_keys(d->fetch, block, d->keys, err) ||
		    ts_fetch_block_words(d->fetch, &side->column->blocks[i], TS_COLUMN_F64, block->rows, d->words, err))
			return err->status;
		memcpy(d->values, d->words, block->rows * sizeof *d->values);
		while (from < to && d->keys[from] < plot->first_step)
			from++;
		while (to > from && d->keys[to - 1] > last)
			to--;
		ts_plot_add(plot, d->keys + from, d->values + from, to - from);
	}
	ts_plot_finish(plot);
	return TS_OK;
}

static enum ts_status draw(struct drawing *d, const char *group, int64_t first, int64_t last, size_t cells, struct ts_error *err)
{
	const struct side *sides[] = {&d->a, &d->b};
	static const char *const names[] = {"a", "b"};

	for (int i = 0; i < 2; i++) {
		struct ts_plot plot;

		if (ts_plot_begin(&plot, first, last, cells, d->arena, err) || add_side(d, sides[i], last, &plot, err))
			return err->status;
		plot.group = ts_span_str(group);
		plot.subject = d->row->name;
		plot.name = ts_span_str(names[i]);
		if (!ts_plot_append(&d->diff->plots, d->arena, &plot))
			return ts_arena_error(d->arena, err);
	}
	return TS_OK;
}

/* Estimates the usual distance between steps near the split from the block of a that contains it. */
static enum ts_status cadence_of(struct drawing *d, int64_t *ret_cadence, struct ts_error *err)
{
	int64_t apart[TS_DIFF_PLOT_CELLS];
	size_t n = 0, at = 0;
	const struct ts_block *block = NULL;

	for (size_t i = 0; !block && i < d->a.table->n_blocks; i++)
		if (d->a.table->blocks[i].last_key >= d->row->first_step)
			block = &d->a.table->blocks[i];
	*ret_cadence = 1;
	if (!block || block->rows < 2)
		return TS_OK;
	if (ts_fetch_block_keys(d->fetch, block, d->keys, err))
		return err->status;
	while (at + 1 < block->rows && d->keys[at] < d->row->first_step)
		at++;
	at = at > TS_DIFF_PLOT_BEFORE ? at - TS_DIFF_PLOT_BEFORE : 0;
	for (; at + 1 < block->rows && n < TS_DIFF_PLOT_CELLS; at++) {
		uint64_t distance = (uint64_t)d->keys[at + 1] - (uint64_t)d->keys[at];

		apart[n++] = distance < INT32_MAX ? (int64_t)distance : INT32_MAX;
	}
	TS_SORT(apart, n, ts_by_i64);
	*ret_cadence = apart[n / 2];
	return TS_OK;
}

static int64_t earliest(const struct drawing *d)
{
	int64_t a = d->a.table->blocks[0].first_key, b = d->b.table->blocks[0].first_key;

	return a < b ? a : b;
}

static int64_t latest(const struct drawing *d)
{
	int64_t a = d->a.table->blocks[d->a.table->n_blocks - 1].last_key;
	int64_t b = d->b.table->blocks[d->b.table->n_blocks - 1].last_key;

	return a > b ? a : b;
}

/* Draws one cell for each point, BEFORE of them before the split, as far as there are steps. Distances are unsigned:
 * two steps may be further apart than an int64 can hold. */
static enum ts_status draw_around(struct drawing *d, struct ts_error *err)
{
	int64_t cadence, first = d->row->first_step;
	uint64_t room, cells;
	enum ts_status status = cadence_of(d, &cadence, err);

	if (status)
		return status;
	for (int i = 0; i < TS_DIFF_PLOT_BEFORE && (uint64_t)first - (uint64_t)earliest(d) >= (uint64_t)cadence; i++)
		first -= cadence;
	room = (uint64_t)latest(d) - (uint64_t)first;
	cells = room / (uint64_t)cadence + 1;
	if (cells > TS_DIFF_PLOT_CELLS) {
		cells = TS_DIFF_PLOT_CELLS;
		room = TS_DIFF_PLOT_CELLS * (uint64_t)cadence - 1;
	}
	return draw(d, "around", first, (int64_t)((uint64_t)first + room), (size_t)cells, err);
}

enum ts_status ts_diff_plots(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, enum ts_plots_wanted wanted,
			     struct ts_arena *arena, struct ts_diff *diff, struct ts_error *err)
{
	const struct ts_series_row *rows[TS_DIFF_PLOT_SERIES];
	struct drawing d = {.fetch = f, .arena = arena, .diff = diff};
	size_t n = wanted == TS_PLOTS_NONE || diff->axis.len ? 0 : chosen(diff, rows);
	struct ts_run run_a, run_b;

	if (n == 0)
		return TS_OK;
	if (ts_run_open(f, a, arena, &run_a, err) || ts_run_open(f, b, arena, &run_b, err))
		return err->status;
	d.keys = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *d.keys);
	d.words = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *d.words);
	d.values = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *d.values);
	if (!d.keys || !d.words || !d.values)
		return ts_arena_error(arena, err);
	for (int whole = 0; whole < (wanted == TS_PLOTS_ALL ? 2 : 1); whole++)
		for (size_t i = 0; i < n; i++) {
			d.row = rows[i];
			if (!find(&run_a, d.row, d.row->name, &d.a) || !find_second(&run_b, diff, d.row, &d.b))
				continue;
			if (whole ? draw(&d, "whole", earliest(&d), latest(&d), TS_PLOT_CELLS, err) : draw_around(&d, err))
				return err->status;
		}
	return TS_OK;
}
