#include "service/handlers/diff/series_axis.h"

#include "base/door.h"
#include "base/limits.h"
#include "service/handlers/diff/diff_evidence.h"
#include "service/handlers/diff/series_cursor.h"

#include <math.h>

enum { SCRATCH = 4 << 20 };

#define MOST 0x1p53 /* above this, not every whole number is a double */

/* The points of one side in order of step. In its walk, a is the series and b is the axis. */
struct points {
	const char *whose; /* "the first run" */
	struct ts_series_walk *walk;
	bool summed;
	bool open, axis_open; /* blocks have been read */
	bool is_placed;
	bool moved;   /* the axis had more than one value */
	double place; /* the position of the current point */
	double sum;   /* the sum of the axis before its cursor, or its value there */
	bool has_sum;
	uint64_t unplaced; /* points without a position of their own, since the last query */
};

/* The state of one comparison. */
struct pairing {
	struct points a, b;
	bool want_gap;
	struct ts_gap_meter meter;
	struct ts_arena *arena;
	struct ts_series_row *row;
};

static const struct ts_column *find_column(const struct ts_index *index, struct ts_span name,
					   const struct ts_table **ret_table)
{
	return ts_index_column(index, TS_TABLE_STEPS, name, TS_COLUMN_F64, ret_table);
}

static bool find_axis(const struct ts_index *index, struct ts_span name, struct ts_series_side *ret)
{
	static const char prefix[] = "scalars.";
	char longer[TS_PATH_MAX + sizeof prefix];
	struct ts_series_side side;

	side.column = find_column(index, name, &side.table);
	if (!side.column && name.len <= TS_PATH_MAX) {
		memcpy(longer, prefix, sizeof prefix - 1);
		memcpy(longer + sizeof prefix - 1, name.data, name.len);
		side.column = find_column(index, ts_span_of(longer, sizeof prefix - 1 + name.len), &side.table);
	}
	if (side.column)
		*ret = side;
	return side.column != NULL;
}

enum ts_status ts_axis_find(const struct ts_run *run, const struct ts_index *index, struct ts_span name,
			    struct ts_series_side *ret_side, struct ts_error *err)
{
	TS_DOOR(ts_index_holds(index));
	if (find_axis(index, name, ret_side))
		return TS_OK;
	for (size_t i = 0; i < run->head.n_ranks; i++)
		if (find_axis(&run->indexes[i], name, ret_side))
			return TS_OK;
	return ts_error_set(err, TS_INVALID, "it has no column of numbers named %.*s to align by", TS_SPAN_ARG(name));
}

/* --- the points of one side --- */

static enum ts_status points_start(struct points *p, struct ts_fetch *f, struct ts_series_side series,
				   struct ts_series_side axis, struct ts_error *err)
{
	if (ts_series_walk_create(f, &p->walk, err))
		return err->status;
	ts_cursor_start(&p->walk->a, series);
	ts_cursor_start(&p->walk->b, axis);
	p->summed = ts_span_is(axis.column->name, "tokens") || ts_span_is(axis.column->name, "samples");
	return TS_OK;
}

/* Both blocks are requested again whenever one changes, so that both stay in the cache. */
static enum ts_status open_blocks(struct points *p, struct ts_error *err)
{
	if (p->open && p->axis_open)
		return TS_OK;
	if (!ts_cursor_at_end(&p->walk->a) && ts_cursor_read(p->walk, &p->walk->a, err))
		return err->status;
	if (!ts_cursor_at_end(&p->walk->b) && ts_cursor_read(p->walk, &p->walk->b, err))
		return err->status;
	p->open = p->axis_open = true;
	return TS_OK;
}

static double cell(const struct ts_series_cursor *c)
{
	double real;

	memcpy(&real, &c->words[c->row], sizeof real);
	return real;
}

static enum ts_status say_no_axis(const struct points *p, const char *what, struct ts_error *err)
{
	const struct ts_series_cursor *c = &p->walk->b;

	return ts_error_set(err, TS_INVALID, "%s: column %.*s %s at step %" PRId64 ": runs cannot be aligned by it",
			    p->whose, TS_SPAN_ARG(c->side.column->name), what, c->keys[c->row]);
}

/* Adds the next cell of the axis to the sum. */
static enum ts_status take_axis(struct points *p, struct ts_error *err)
{
	struct ts_series_cursor *c = &p->walk->b;
	double value = cell(c), sum = p->summed && p->has_sum ? p->sum + value : value;
	size_t block = c->block;

	if (!isfinite(value) || value != floor(value) || fabs(value) > MOST)
		return say_no_axis(p, "is no whole number", err);
	if (fabs(sum) >= MOST)
		return say_no_axis(p, "adds up to 2^53 or more", err);
	if (p->has_sum && sum < p->sum)
		return say_no_axis(p, "falls", err);
	p->moved |= p->has_sum && sum > p->sum;
	p->sum = sum;
	p->has_sum = true;
	ts_cursor_advance(c, c->row + 1);
	p->axis_open = c->block == block;
	return TS_OK;
}

/* Moves the axis up to a step; *ret_there: it has a cell at that step. */
static enum ts_status axis_upto(struct points *p, int64_t step, bool *ret_there, struct ts_error *err)
{
	struct ts_series_cursor *c = &p->walk->b;
	bool there = false;

	while (!there && !ts_cursor_at_end(c)) {
		if (open_blocks(p, err))
			return err->status;
		if (c->keys[c->row] > step)
			break;
		there = c->keys[c->row] == step;
		if (take_axis(p, err))
			return err->status;
	}
	*ret_there = there;
	return TS_OK;
}

static int64_t step_of(const struct points *p)
{
	return p->walk->a.keys[p->walk->a.row];
}

static bool points_end(const struct points *p)
{
	return ts_cursor_at_end(&p->walk->a);
}

static void pass_point(struct points *p)
{
	struct ts_series_cursor *c = &p->walk->a;
	size_t block = c->block;

	ts_cursor_advance(c, c->row + 1);
	p->open = c->block == block;
}

/* Moves from a point that was not examined yet to one with a position above the last one, or to the end. */
static enum ts_status find_place(struct points *p, struct ts_error *err)
{
	for (; !points_end(p); pass_point(p), p->unplaced++) {
		bool there = false;

		if (open_blocks(p, err) || axis_upto(p, step_of(p), &there, err))
			return err->status;
		if (!there || (p->is_placed && p->sum <= p->place))
			continue;
		p->is_placed = true;
		p->place = p->sum;
		return TS_OK;
	}
	return TS_OK;
}

static enum ts_status next_point(struct points *p, struct ts_error *err)
{
	pass_point(p);
	return find_place(p, err);
}

/* --- pairs of points --- */

static bool same_cell(const struct ts_series_cursor *a, const struct ts_series_cursor *b)
{
	if (ts_cursor_is_text(a))
		return ts_span_eq(a->texts[a->row], b->texts[b->row]);
	return a->words[a->row] == b->words[b->row];
}

static enum ts_status begin_gap(struct pairing *x, struct ts_fetch *f, struct ts_arena *scratch, struct ts_error *err)
{
	bool measured = ts_series_kind_of(x->row->name, x->row->type, x->row->role) != TS_KIND_LR;
	struct ts_writing a, b;

	if (ts_series_writing(f, &x->a.walk->a.side, measured, &a, err) ||
	    ts_series_writing(f, &x->b.walk->a.side, measured, &b, err))
		return err->status;
	return ts_gap_begin(&x->meter, a.resolution, b.resolution, scratch, err);
}

/* Pairs the points of both sides, which are at the same position. */
static enum ts_status pair_points(struct pairing *x, struct ts_error *err)
{
	struct ts_series_cursor *a = &x->a.walk->a, *b = &x->b.walk->a;
	struct ts_series_row *row = x->row;
	bool same = same_cell(a, b);

	if (row->state != TS_SERIES_PARTS && same) {
		row->common++;
		row->after_known = true;
		row->after_step = (int64_t)x->a.place;
	} else if (row->state != TS_SERIES_PARTS) {
		row->state = TS_SERIES_PARTS;
		row->first_step = (int64_t)x->a.place;
		row->step_a = step_of(&x->a);
		row->step_b = step_of(&x->b);
		if (!ts_cursor_cell(a, a->row, x->arena, &row->a) || !ts_cursor_cell(b, b->row, x->arena, &row->b))
			return ts_arena_error(x->arena, err);
	}
	if (row->state == TS_SERIES_PARTS && x->want_gap)
		ts_gap_add(&x->meter, (int64_t)x->a.place, cell(a), cell(b));
	return TS_OK;
}

static void count_unplaced(struct pairing *x)
{
	if (x->row->state != TS_SERIES_PARTS) {
		x->row->only_a += x->a.unplaced;
		x->row->only_b += x->b.unplaced;
	}
	x->a.unplaced = x->b.unplaced = 0;
}

static void count_lone(struct pairing *x, bool of_a, bool of_b)
{
	if (x->row->state == TS_SERIES_PARTS)
		return;
	x->row->only_a += of_a;
	x->row->only_b += of_b;
}

static enum ts_status walk_points(struct pairing *x, struct ts_error *err)
{
	while (!points_end(&x->a) || !points_end(&x->b)) {
		bool a_first = points_end(&x->b) || (!points_end(&x->a) && x->a.place < x->b.place);
		bool b_first = points_end(&x->a) || (!points_end(&x->b) && x->b.place < x->a.place);

		if (!a_first && !b_first && pair_points(x, err))
			return err->status;
		if (x->row->state == TS_SERIES_PARTS && !x->want_gap)
			return TS_OK;
		count_lone(x, a_first, b_first);
		if ((!b_first && next_point(&x->a, err)) || (!a_first && next_point(&x->b, err)))
			return err->status;
		count_unplaced(x);
	}
	return TS_OK;
}

static enum ts_status check_moved(const struct points *p, struct ts_error *err)
{
	const struct ts_series_cursor *axis = &p->walk->b;

	if (p->moved || axis->side.table->rows < 2 || !ts_cursor_at_end(axis))
		return TS_OK;
	return ts_error_set(err, TS_INVALID, "%s: column %.*s does not grow: runs cannot be aligned by it", p->whose,
			    TS_SPAN_ARG(axis->side.column->name));
}

static void conclude(struct ts_series_row *row)
{
	if (row->state == TS_SERIES_PARTS)
		return;
	row->counted = true;
	if (row->common == 0)
		row->state = TS_SERIES_DISJOINT;
	else if (row->only_a || row->only_b)
		row->state = TS_SERIES_EXTENT;
}

static enum ts_status compare_points(struct pairing *x, struct ts_error *err)
{
	if (find_place(&x->a, err) || find_place(&x->b, err))
		return err->status;
	count_unplaced(x);
	if (walk_points(x, err))
		return err->status;
	if (check_moved(&x->a, err) || check_moved(&x->b, err))
		return err->status;
	conclude(x->row);
	return x->want_gap ? ts_gap_end(&x->meter, &x->row->gap, err) : TS_OK;
}

enum ts_status ts_series_compare_by(struct ts_fetch *f, const struct ts_axis *axis, struct ts_series_side a,
				    struct ts_series_side b, bool want_gap, struct ts_arena *arena,
				    struct ts_series_row *row, struct ts_error *err)
{
	struct pairing x = {
		.a.whose = "the first run",
		.b.whose = "the second run",
		.want_gap = want_gap && a.column->type == TS_COLUMN_F64,
		.arena = arena,
		.row = row,
	};
	struct ts_arena scratch;
	enum ts_status status;

	row->steps_a = a.table->rows;
	row->steps_b = b.table->rows;
	row->state = TS_SERIES_SAME;
	ts_arena_init(&scratch, SCRATCH);
	status = points_start(&x.a, f, a, axis->a, err);
	if (!status)
		status = points_start(&x.b, f, b, axis->b, err);
	if (!status && x.want_gap)
		status = begin_gap(&x, f, &scratch, err);
	if (!status)
		status = compare_points(&x, err);
	ts_series_walk_destroy(x.a.walk);
	ts_series_walk_destroy(x.b.walk);
	ts_arena_finish(&scratch);
	return status;
}
