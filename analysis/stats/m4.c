#include "analysis/stats/m4.h"

#include <math.h>

enum { KEPT = 4, PER_COLUMN = 2 * KEPT };

/* Positions are compared as differences of halves, because the difference of two doubles may exceed their range. */
size_t ts_m4_column(const struct ts_m4_grid *grid, double x)
{
	double from = grid->low, to = grid->high, place;

	if (grid->log) {
		from = log(from);
		to = log(to);
		x = log(x);
	}
	place = (x / 2 - from / 2) / (to / 2 - from / 2) * (double)grid->n;
	if (!(place >= 1)) /* NaN where both ends are the same */
		return 0;
	return place < (double)grid->n ? (size_t)place : grid->n - 1;
}

enum ts_status ts_m4_begin(struct ts_m4 *m4, const struct ts_m4_grid *grid, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_m4_column *columns = ts_arena_array(arena, grid->n, sizeof *columns);

	if (!columns)
		return ts_arena_error(arena, err);
	*m4 = (struct ts_m4){.grid = *grid, .columns = columns};
	return TS_OK;
}

static bool is_before(const struct ts_m4_point *a, const struct ts_m4_point *b)
{
	return a->x < b->x || (a->x == b->x && a->at < b->at);
}

void ts_m4_add(struct ts_m4 *m4, double x, double y)
{
	struct ts_m4_column *c = &m4->columns[ts_m4_column(&m4->grid, x)];
	struct ts_m4_point p = {x, y, m4->at++};

	if (!c->any)
		c->first = c->last = c->least = c->greatest = p;
	c->any = true;
	if (is_before(&p, &c->first))
		c->first = p;
	if (!is_before(&p, &c->last))
		c->last = p;
	if (y < c->least.y)
		c->least = p;
	if (y > c->greatest.y)
		c->greatest = p;
	c->n++;
	c->mean += y / (double)c->n - c->mean / (double)c->n;
}

void ts_m4_break(struct ts_m4 *m4, double x)
{
	struct ts_m4_column *c = &m4->columns[ts_m4_column(&m4->grid, x)];
	struct ts_m4_point p = {x, NAN, m4->at++};

	if (!c->broken || is_before(&p, &c->break_first))
		c->break_first = p;
	if (!c->broken || is_before(&c->break_last, &p))
		c->break_last = p;
	c->broken = true;
}

/* Puts the four points of a column in order, each once. Returns how many there are. */
static size_t in_order(const struct ts_m4_column *c, struct ts_m4_point ret[KEPT])
{
	const struct ts_m4_point *all[KEPT] = {&c->first, &c->least, &c->greatest, &c->last};
	size_t n = 0;

	for (size_t i = 0; c->any && i < KEPT; i++) {
		size_t to = n;

		while (to > 0 && is_before(all[i], &ret[to - 1]))
			to--;
		if (to > 0 && ret[to - 1].at == all[i]->at)
			continue;
		for (size_t k = n++; k > to; k--)
			ret[k] = ret[k - 1];
		ret[to] = *all[i];
	}
	return n;
}

static void append(struct ts_m4_path *path, double x, double y)
{
	path->x[path->n] = x;
	path->y[path->n++] = y;
}

/* *io_lifted: the line is interrupted before the next point. */
static void add_column(struct ts_m4_path *path, const struct ts_m4_column *c, bool *io_lifted)
{
	struct ts_m4_point points[KEPT];
	size_t n = in_order(c, points);

	for (size_t i = 0; i < n; i++) {
		bool broken = c->broken && is_before(&c->break_first, &points[i]) &&
			      (i == 0 || is_before(&points[i - 1], &c->break_last));

		if ((broken || *io_lifted) && path->n > 0)
			append(path, points[i].x, NAN);
		append(path, points[i].x, points[i].y);
		*io_lifted = false;
	}
	*io_lifted |= c->broken && (n == 0 || is_before(&points[n - 1], &c->break_last));
}

enum ts_status ts_m4_path(const struct ts_m4 *m4, struct ts_arena *arena, struct ts_m4_path *ret_path, struct ts_error *err)
{
	struct ts_m4_path path = {.x = ts_arena_array(arena, m4->grid.n, PER_COLUMN * sizeof *path.x),
				  .y = ts_arena_array(arena, m4->grid.n, PER_COLUMN * sizeof *path.y)};
	bool lifted = false;

	if (!path.x || !path.y)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < m4->grid.n; i++)
		add_column(&path, &m4->columns[i], &lifted);
	*ret_path = path;
	return TS_OK;
}
