#include "service/handlers/diff/series_gap.h"

#include "base/number.h"
#include "service/handlers/diff/series_cursor.h"

struct looking {
	struct ts_series_walk *walk;
	struct ts_gap_meter meter;
	unsigned blocks; /* number of blocks that were read, of both sides */
};

static void advance(struct looking *l, struct ts_series_cursor *c, size_t row)
{
	size_t block = c->block;

	ts_cursor_advance(c, row);
	l->blocks += c->block != block;
}

/* Pairs the rows of the two blocks up to the end of the one that ends first. */
static enum ts_status pair_rows(struct looking *l, struct ts_error *err)
{
	struct ts_series_cursor *a = &l->walk->a, *b = &l->walk->b;
	size_t i = a->row, j = b->row, n_a, n_b;

	if (ts_cursor_read(l->walk, a, err) || ts_cursor_read(l->walk, b, err))
		return err->status;
	n_a = ts_cursor_row_behind(a, ts_cursor_block(b)->last_key);
	n_b = ts_cursor_row_behind(b, ts_cursor_block(a)->last_key);
	while (i < n_a && j < n_b) {
		int64_t x = a->keys[i], y = b->keys[j];

		if (x == y)
			ts_gap_add(&l->meter, x, ts_bits_double(a->words[i]), ts_bits_double(b->words[j]));
		i += x <= y;
		j += y <= x;
	}
	advance(l, a, n_a);
	advance(l, b, n_b);
	return TS_OK;
}

static bool at_end(const struct looking *l)
{
	return ts_cursor_at_end(&l->walk->a) || ts_cursor_at_end(&l->walk->b);
}

static enum ts_status step_on(struct looking *l, struct ts_error *err)
{
	struct ts_series_cursor *a = &l->walk->a, *b = &l->walk->b;

	if (ts_cursor_block(a)->last_key < ts_cursor_step(b))
		ts_cursor_next_block(a);
	else if (ts_cursor_block(b)->last_key < ts_cursor_step(a))
		ts_cursor_next_block(b);
	else
		return pair_rows(l, err);
	return TS_OK;
}

/* Finds where the block before the last one with steps of at most `last` begins; the cursor is before that or in it. */
static int64_t tail_start(const struct ts_series_cursor *c, int64_t last)
{
	const struct ts_table *table = c->side.table;
	size_t block = table->n_blocks - 1;

	while (block > c->block && table->blocks[block].first_key > last)
		block--;
	block -= block > c->block;
	return table->blocks[block].first_key;
}

static bool skip_to(struct ts_series_cursor *c, int64_t step)
{
	size_t block = c->block;

	while (ts_cursor_block(c)->last_key < step)
		ts_cursor_next_block(c);
	return c->block != block;
}

/* Skips to the last blocks that may have points in common; both sides have steps at or after that point, so neither ends. */
static void skip_to_tail(struct looking *l)
{
	struct ts_series_cursor *a = &l->walk->a, *b = &l->walk->b;
	int64_t end_a = a->side.table->blocks[a->side.table->n_blocks - 1].last_key;
	int64_t end_b = b->side.table->blocks[b->side.table->n_blocks - 1].last_key;
	int64_t last = end_a < end_b ? end_a : end_b;
	int64_t start_a = tail_start(a, last), start_b = tail_start(b, last);
	int64_t start = start_a > start_b ? start_a : start_b;
	bool skipped;

	if (start > last)
		return;
	skipped = skip_to(a, start);
	skipped = skip_to(b, start) || skipped;
	if (skipped)
		ts_gap_hole(&l->meter);
}

static struct ts_resolution declared(const struct ts_column *column)
{
	return (struct ts_resolution){column->precision, column->digits};
}

/* The bits of a double are read through the same 8 bytes: the code is built with -fno-strict-aliasing. */
static const double *reals_of(const uint64_t *words)
{
	return (const double *)(const void *)words;
}

/* Determines how the values near the cursor were written. */
static enum ts_status see_writing(struct ts_series_walk *walk, struct ts_series_cursor *c, bool measured, struct ts_writing *ret,
				  struct ts_error *err)
{
	size_t from = c->row > TS_RESOLUTION_MOST / 2 ? c->row - TS_RESOLUTION_MOST / 2 : 0;

	if (ts_cursor_read(walk, c, err))
		return err->status;
	*ret = ts_resolution_infer(declared(c->side.column), measured, reals_of(c->words) + from, ts_cursor_block(c)->rows - from);
	return TS_OK;
}

enum ts_status ts_series_writing(struct ts_fetch *f, const struct ts_series_side *side, bool measured,
				 struct ts_writing *ret_writing, struct ts_error *err)
{
	uint32_t rows = side->table->blocks[0].rows;
	struct ts_arena scratch;
	enum ts_status status;
	uint64_t *words;

	ts_arena_init(&scratch, 4 << 20);
	words = ts_arena_array(&scratch, rows, sizeof *words);
	status = words ? ts_fetch_block_words(f, &side->column->blocks[0], TS_COLUMN_F64, rows, words, err)
		       : ts_arena_error(&scratch, err);
	if (!status)
		*ret_writing = ts_resolution_infer(declared(side->column), measured, reals_of(words), rows);
	ts_arena_finish(&scratch);
	return status;
}

static bool is_near(const struct looking *l)
{
	return (l->blocks <= TS_GAP_BLOCKS && l->meter.gap.points < TS_GAP_POINTS) || ts_gap_wants(&l->meter);
}

enum ts_status ts_series_gap(struct ts_series_walk *walk, bool measured, struct ts_arena *scratch, struct ts_gap *ret_gap,
			     struct ts_writings *ret_writings, struct ts_error *err)
{
	struct looking l = {.walk = walk};

	if (see_writing(walk, &walk->a, measured, &ret_writings->a, err) ||
	    see_writing(walk, &walk->b, measured, &ret_writings->b, err) ||
	    ts_gap_begin(&l.meter, ret_writings->a.resolution, ret_writings->b.resolution, scratch, err))
		return err->status;
	while (!at_end(&l) && is_near(&l))
		if (step_on(&l, err))
			return err->status;
	if (!at_end(&l))
		skip_to_tail(&l);
	while (!at_end(&l))
		if (step_on(&l, err))
			return err->status;
	return ts_gap_end(&l.meter, ret_gap, err);
}
