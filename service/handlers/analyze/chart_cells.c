/* chart_cells.c - see chart_cells.h. */
#include "service/handlers/analyze/chart_cells.h"

#include "service/handlers/analyze/column_atoms.h"

#include <math.h>

/* A column as atoms, whose places are those of the axis. */
struct strip {
	struct ts_fetch *fetch;
	const struct ts_chart_series *series;
	struct ts_arena *work;
	struct ts_cell *atoms;
	size_t n;
	size_t *first; /* atom of each block, and behind the last one */
	struct ts_chart_axis_way way;
	double *before; /* if the axis is a sum: that of all rows before each block */
	double *x, *values; /* of all rows, where both had to be read; NULL: not */
};

/* -- atoms -- */

static enum ts_status count_atoms(struct strip *s, struct ts_error *err)
{
	const struct ts_table *table = s->series->table;

	s->first = ts_arena_array(s->work, table->n_blocks + 1, sizeof *s->first);
	if (!s->first)
		return ts_arena_error(s->work, err);
	for (size_t b = 0; b < table->n_blocks; b++)
		s->first[b + 1] = s->first[b] + ts_atoms_in(table->blocks[b].rows);
	s->n = s->first[table->n_blocks];
	s->atoms = ts_arena_array(s->work, s->n, sizeof *s->atoms);
	return s->atoms ? TS_OK : ts_arena_error(s->work, err);
}

/* Where the atoms of a block lie on an axis that is a column beside theirs. A sum that has a part which is not known has no place from
 * there on. */
static void place_block(const struct strip *s, size_t b, const struct ts_cell *axis, double *io_total)
{
	for (size_t i = 0; s->first[b] + i < s->first[b + 1]; i++) {
		struct ts_cell *atom = &s->atoms[s->first[b] + i];

		if (s->way.summed) {
			atom->first = *io_total;
			*io_total = axis[i].odd ? (double)NAN : *io_total + axis[i].sum;
			atom->last = *io_total;
			if (isnan(atom->last)) /* some rows of it may have a place, which is not known here */
				atom->last = atom->first;
		} else {
			atom->first = axis[i].count ? axis[i].min - s->way.first : (double)NAN;
			atom->last = axis[i].count ? axis[i].max - s->way.first : (double)NAN;
		}
	}
}

static enum ts_status sum_blocks(struct strip *s, struct ts_error *err)
{
	const struct ts_chart_series *series = s->series;
	struct ts_cell *axis;
	double total = 0;

	s->before = ts_arena_array(s->work, series->table->n_blocks, sizeof *s->before);
	axis = ts_arena_array(s->work, s->n, sizeof *axis);
	if (!s->before || !axis)
		return ts_arena_error(s->work, err);
	if (ts_atoms_of_column(s->fetch, series->table, series->column, s->atoms, err))
		return err->status;
	if (!series->axis)
		return TS_OK;
	if (ts_chart_axis_find_way(s->fetch, series, s->work, &s->way, err) ||
	    ts_atoms_of_column(s->fetch, series->axis_table, series->axis, axis, err))
		return err->status;
	for (size_t b = 0; b < series->table->n_blocks; b++) {
		s->before[b] = total;
		place_block(s, b, axis + s->first[b], &total);
	}
	return TS_OK;
}

/* A value without a place is in no cell. */
static enum ts_status read_whole(struct strip *s, const struct ts_chart_request *request, uint64_t *ret_unplaced, struct ts_error *err)
{
	const struct ts_table *table = s->series->table;
	struct ts_chart_places places;
	uint64_t unplaced = 0;
	size_t row = 0;

	if (ts_chart_place(s->fetch, s->series, request, s->work, &places, err) ||
	    ts_fetch_f64(s->fetch, table, s->series->column, s->work, &s->values, err))
		return err->status;
	s->x = places.x;
	for (size_t b = 0; b < table->n_blocks; b++)
		for (size_t i = 0; i < table->blocks[b].rows; i++, row++) {
			struct ts_cell *atom = &s->atoms[s->first[b] + i / TS_ATOM_ROWS];

			if (i % TS_ATOM_ROWS == 0)
				*atom = ts_cell_open;
			if (isnan(s->x[row]))
				unplaced++;
			else
				ts_cell_add(atom, s->x[row], s->values[row]);
		}
	*ret_unplaced = unplaced;
	return TS_OK;
}

/* -- the stretch -- */

/* The atoms from *ret_begin to before *ret_end have rows in the stretch, or are next to one that has. */
static void find_stretch(const struct strip *s, double from, double to, size_t *ret_begin, size_t *ret_end)
{
	size_t begin = 0, end = s->n;

	while (begin < s->n && !(s->atoms[begin].last >= from))
		begin++;
	while (end > begin && !(s->atoms[end - 1].first <= to))
		end--;
	*ret_begin = begin ? begin - 1 : 0;
	*ret_end = end < s->n ? end + 1 : s->n;
}

static uint64_t rows_of(const struct ts_cell *atom)
{
	return atom->count + atom->odd;
}

static uint64_t rows_between(const struct strip *s, size_t begin, size_t end)
{
	uint64_t rows = 0;

	for (size_t i = begin; i < end; i++)
		rows += rows_of(&s->atoms[i]);
	return rows;
}

struct cells {
	struct ts_chart_cell *items;
	size_t n, cap;
};

static void put_cell(struct cells *cells, const struct ts_cell *cell)
{
	if (cells->n == cells->cap || isnan(cell->first))
		return;
	cells->items[cells->n++] = (struct ts_chart_cell){.first = cell->first,
							  .last = cell->last,
							  .min = cell->count ? cell->min : (double)NAN,
							  .mean = ts_cell_mean(cell),
							  .max = cell->count ? cell->max : (double)NAN,
							  .count = cell->count,
							  .odd = cell->odd};
}

/* Cells of whole atoms. *ret_rows: in each of them, if its atoms are full. */
static void cut_atoms(const struct strip *s, size_t begin, size_t end, size_t most, struct cells *cells, uint64_t *ret_rows)
{
	size_t step = 1;

	while (begin < end && (end - 1) / step - begin / step + 1 > most)
		step *= 2;
	for (size_t i = begin / step * step; i < end; i += step) {
		struct ts_cell cell = ts_cell_open;

		for (size_t k = i; k < i + step && k < s->n; k++)
			ts_cell_join(&cell, &s->atoms[k]);
		put_cell(cells, &cell);
	}
	*ret_rows = (uint64_t)step * TS_ATOM_ROWS;
}

/* The places and values of one block. */
static enum ts_status read_block(struct strip *s, size_t b, size_t row, double **ret_x, double **ret_values, struct ts_error *err)
{
	const struct ts_chart_series *series = s->series;
	const struct ts_block *block = &series->table->blocks[b];
	int64_t *keys;
	double *x, total;

	if (s->x) {
		*ret_x = s->x + row;
		*ret_values = s->values + row;
		return TS_OK;
	}
	x = ts_arena_array(s->work, block->rows, sizeof *x);
	*ret_values = ts_arena_array(s->work, block->rows, sizeof **ret_values);
	keys = ts_arena_array(s->work, block->rows, sizeof *keys);
	if (!x || !*ret_values || !keys)
		return ts_arena_error(s->work, err);
	if (ts_fetch_block_words(s->fetch, &series->column->blocks[b], TS_COLUMN_F64, block->rows, (uint64_t *)(void *)*ret_values,
				 err) ||
	    (!series->axis && ts_fetch_block_keys(s->fetch, block, keys, err)) ||
	    (series->axis &&
	     ts_fetch_block_words(s->fetch, &series->axis->blocks[b], TS_COLUMN_F64, block->rows, (uint64_t *)(void *)x, err)))
		return err->status;
	total = s->before[b];
	for (size_t i = 0; i < block->rows; i++) {
		if (series->axis && s->way.summed)
			x[i] = total += x[i];
		else
			x[i] = series->axis ? x[i] - s->way.first : (double)keys[i];
	}
	*ret_x = x;
	return TS_OK;
}

/* Leaves one cell before the stretch, and one behind it. */
static void trim(struct cells *cells, double from, double to)
{
	size_t begin = 0, end = cells->n;

	while (begin + 1 < end && cells->items[begin + 1].last < from)
		begin++;
	while (end > begin + 1 && cells->items[end - 2].first > to)
		end--;
	cells->items += begin;
	cells->n = end - begin;
}

/* The rows of one block that the stretch has to do with. */
struct part {
	const double *x, *values;
	size_t row, end; /* in the block */
	uint32_t rows;	 /* of the block */
};

static enum ts_status read_parts(struct strip *s, size_t begin, size_t end, struct part **ret_parts, size_t *ret_n,
				 struct ts_error *err)
{
	const struct ts_table *table = s->series->table;
	struct part *parts = ts_arena_array(s->work, table->n_blocks, sizeof *parts);
	size_t row = 0, n = 0;

	if (!parts)
		return ts_arena_error(s->work, err);
	for (size_t b = 0; b < table->n_blocks; row += table->blocks[b++].rows) {
		uint32_t rows = table->blocks[b].rows;
		double *x = NULL, *values = NULL;
		size_t last;

		if (s->first[b + 1] <= begin || s->first[b] >= end)
			continue;
		if (read_block(s, b, row, &x, &values, err))
			return err->status;
		last = (end - s->first[b]) * TS_ATOM_ROWS;
		parts[n++] = (struct part){x, values, begin > s->first[b] ? (begin - s->first[b]) * TS_ATOM_ROWS : 0,
					   last < rows ? last : rows, rows};
	}
	*ret_parts = parts;
	*ret_n = n;
	return TS_OK;
}

static void cut_part(const struct part *part, size_t rows, struct cells *cells)
{
	struct ts_cell cell = ts_cell_open;

	for (size_t i = part->row; i < part->end; i++) {
		if (!isnan(part->x[i]))
			ts_cell_add(&cell, part->x[i], part->values[i]);
		if ((i + 1) % rows == 0 || i + 1 == part->rows) {
			put_cell(cells, &cell);
			cell = ts_cell_open;
		}
	}
}

/* Cells of the least power of two of rows, but less than an atom has, of which no more are seen than wanted. *ret_rows is 0 if that is
 * none, since blocks are many and short. */
static enum ts_status cut_rows(struct strip *s, size_t begin, size_t end, double from, double to, struct cells *cells,
			       uint64_t *ret_rows, struct ts_error *err)
{
	size_t all = (end - begin) * TS_ATOM_ROWS, n = 0, rows = 1;
	struct ts_chart_cell *items = ts_arena_array(s->work, all, sizeof *items);
	struct part *parts = NULL;

	if (!items)
		return ts_arena_error(s->work, err);
	if (read_parts(s, begin, end, &parts, &n, err))
		return err->status;
	*ret_rows = 0;
	for (; rows < TS_ATOM_ROWS && *ret_rows == 0; rows *= 2) {
		struct cells seen = {.items = items, .cap = all};

		for (size_t i = 0; i < n; i++)
			cut_part(&parts[i], rows, &seen);
		trim(&seen, from, to);
		if (seen.n <= cells->cap) {
			memcpy(cells->items, seen.items, seen.n * sizeof *seen.items);
			cells->n = seen.n;
			*ret_rows = rows;
		}
	}
	return TS_OK;
}

static void sum_up(const struct strip *s, struct ts_chart_line *line, double *ret_low, double *ret_high)
{
	struct ts_cell whole = ts_cell_open;

	for (size_t i = 0; i < s->n; i++) {
		ts_cell_join(&whole, &s->atoms[i]);
		if (isnan(s->atoms[i].first))
			line->unplaced += rows_of(&s->atoms[i]);
	}
	line->odd = whole.odd;
	*ret_low = whole.first;
	*ret_high = whole.last;
	if (whole.count == 0)
		line->why_not = ts_span_str("none of its values is a finite number");
	else if (isnan(whole.first))
		line->why_not = ts_span_str("none of its values has a place on the axis");
}

enum ts_status ts_chart_cells_make(struct ts_fetch *f, const struct ts_chart_series *series, const struct ts_chart_request *request,
				   size_t most, struct ts_arena *work, struct ts_arena *arena, struct ts_chart_line *line,
				   double *ret_low, double *ret_high, struct ts_error *err)
{
	double from = request->has_from ? request->from : (double)-INFINITY;
	double to = request->has_to ? request->to : (double)INFINITY;
	struct strip s = {.fetch = f, .series = series, .work = work};
	struct cells cells = {.cap = most + 2};
	size_t begin, end;

	ts_arena_reset(work);
	if (count_atoms(&s, err) ||
	    (series->axis && series->axis_table != series->table ? read_whole(&s, request, &line->unplaced, err) : sum_blocks(&s, err)))
		return err->status;
	sum_up(&s, line, ret_low, ret_high);
	find_stretch(&s, from, to, &begin, &end);
	cells.items = ts_arena_array(arena, cells.cap, sizeof *cells.items);
	if (!cells.items)
		return ts_arena_error(arena, err);
	if (begin < end && rows_between(&s, begin, end) / (TS_ATOM_ROWS / 2) <= most &&
	    cut_rows(&s, begin, end, from, to, &cells, &line->cell_rows, err))
		return err->status;
	if (line->cell_rows == 0) {
		cut_atoms(&s, begin, end, most, &cells, &line->cell_rows);
		trim(&cells, from, to);
	}
	line->cells = cells.items;
	line->n_cells = cells.n;
	return TS_OK;
}
