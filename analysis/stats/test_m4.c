/* A picture of the reduced series has the same pixels as one of the whole series, drawn by a rasterizer that knows nothing of M4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/m4.h"
#include "analysis/stats/random.h"
#include "base/test_arena.h"

#include <math.h>
#include <string.h>

enum { WIDE = 37, HIGH = 23, MOST = 3000, ROUNDS = 300 };

static struct ts_error err;

struct picture {
	bool dots[HIGH][WIDE];
};

struct pixel {
	int x, y;
};

static struct pixel pixel_of(const struct ts_m4_grid *grid, double x, double y)
{
	int row = (int)((y + 1) / 2 * HIGH);

	return (struct pixel){(int)ts_m4_column(grid, x), row < 0 ? 0 : row >= HIGH ? HIGH - 1 : row};
}

/* Bresenham's line between two pixels. */
static void draw(struct picture *p, struct pixel a, struct pixel b)
{
	int dx = b.x > a.x ? b.x - a.x : a.x - b.x, dy = b.y > a.y ? a.y - b.y : b.y - a.y;
	int sx = a.x < b.x ? 1 : -1, sy = a.y < b.y ? 1 : -1, e = dx + dy;

	for (;;) {
		p->dots[a.y][a.x] = true;
		if (a.x == b.x && a.y == b.y)
			return;
		if (2 * e >= dy) {
			e += dy;
			a.x += sx;
		} else {
			e += dx;
			a.y += sy;
		}
	}
}

static void draw_all(struct picture *p, const struct ts_m4_grid *grid, const double *x, const double *y, size_t n)
{
	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < n; i++) {
		struct pixel at;

		if (isnan(y[i]))
			continue;
		at = pixel_of(grid, x[i], y[i]);
		draw(p, i > 0 && !isnan(y[i - 1]) ? pixel_of(grid, x[i - 1], y[i - 1]) : at, at);
	}
}

static struct ts_m4_path reduce(const struct ts_m4_grid *grid, const double *x, const double *y, size_t n)
{
	struct ts_m4_path path;
	struct ts_m4 m4;

	assert_int_equal(ts_m4_begin(&m4, grid, &arena, &err), TS_OK);
	for (size_t i = 0; i < n; i++)
		if (isnan(y[i]))
			ts_m4_break(&m4, x[i]);
		else
			ts_m4_add(&m4, x[i], y[i]);
	assert_int_equal(ts_m4_path(&m4, &arena, &path, &err), TS_OK);
	assert_true(path.n <= 8 * grid->n);
	for (size_t i = 0; i < path.n; i++)
		assert_false(isnan(path.y[i]) && (i == 0 || i + 1 == path.n || isnan(path.y[i - 1])));
	return path;
}

static double x[MOST], y[MOST];

/* A random walk with jumps, at random distances; every `nan_of`-th value or so is NaN (0: none). */
static size_t make(struct ts_random *r, unsigned nan_of, bool log)
{
	size_t n = 1 + ts_random_below(r, MOST);
	double at = log ? 1e-3 : -5, level = 0;

	for (size_t i = 0; i < n; i++) {
		double u = ts_random_unit(r);

		at = log ? at * (1 + u / 20) : at + (u < 0.01 ? 40 * u * 100 : u);
		level = 0.98 * level + 0.1 * (ts_random_unit(r) - 0.5);
		x[i] = at;
		y[i] = u > 0.99 ? 2 * ts_random_unit(r) - 1 : level;
		if (nan_of && ts_random_below(r, nan_of) == 0)
			y[i] = NAN;
	}
	return n;
}

static void same_pixels(void **state)
{
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 11);
	for (int round = 0; round < ROUNDS; round++) {
		bool log = round % 3 == 0;
		size_t n = make(&r, 0, log);
		struct ts_m4_grid grid = {x[0], x[n - 1], 1 + ts_random_below(&r, WIDE), log};
		struct ts_m4_path path = reduce(&grid, x, y, n);
		struct picture whole, less;

		draw_all(&whole, &grid, x, y, n);
		draw_all(&less, &grid, path.x, path.y, path.n);
		assert_memory_equal(&whole, &less, sizeof whole);
		ts_arena_reset(&arena);
	}
}

/* With breaks, no pixel is drawn that the whole series has not, and a column without a break inside is the same. */
static void never_joins_over_a_break(void **state)
{
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 11);
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = make(&r, 2 + (unsigned)(round % 90), false);
		struct ts_m4_grid grid = {x[0], x[n - 1], WIDE, false};
		struct ts_m4_path path = reduce(&grid, x, y, n);
		struct picture whole, less;
		bool broken[WIDE + 1] = {false};

		for (size_t i = 0; i < n; i++)
			broken[ts_m4_column(&grid, x[i])] |= isnan(y[i]);
		draw_all(&whole, &grid, x, y, n);
		draw_all(&less, &grid, path.x, path.y, path.n);
		for (int column = 0; column < WIDE; column++)
			for (int row = 0; row < HIGH; row++) {
				assert_true(whole.dots[row][column] || !less.dots[row][column]);
				if (!broken[column] && !(column > 0 && broken[column - 1]) && !broken[column + 1])
					assert_int_equal(whole.dots[row][column], less.dots[row][column]);
			}
		ts_arena_reset(&arena);
	}
}

static void break_by_hand(void **state)
{
	static const double px[] = {0, 1, 2, 3, 10, 11}, py[] = {5, 7, NAN, 4, NAN, 6};
	static const double want_x[] = {0, 1, 3, 3, 11, 11}, want_y[] = {5, 7, NAN, 4, NAN, 6};
	struct ts_m4_grid grid = {0, 12, 2, false};
	struct ts_m4_path path = reduce(&grid, px, py, 6);

	(void)state;
	assert_int_equal(path.n, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_true(path.x[i] == want_x[i]);
		assert_true(path.y[i] == want_y[i] || (isnan(path.y[i]) && isnan(want_y[i])));
	}
}

/* A clock that goes back: the points are drawn in the order of x. */
static void any_order(void **state)
{
	static const double px[] = {3, 1, 2, 0}, py[] = {30, 10, 20, 15}, want[] = {15, 10, 20, 30};
	struct ts_m4_grid grid = {0, 3, 4, false};
	struct ts_m4_path path = reduce(&grid, px, py, 4);

	(void)state;
	assert_int_equal(path.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(path.x[i] == (double)i && path.y[i] == want[i]);
	grid.n = 1;
	path = reduce(&grid, px, py, 4);
	assert_int_equal(path.n, 3); /* the first, the least, and the greatest, which is the last */
	assert_true(path.x[0] == 0 && path.y[0] == 15 && path.x[1] == 1 && path.y[1] == 10 && path.x[2] == 3 && path.y[2] == 30);
}

static void columns_of_extremes(void **state)
{
	struct ts_m4_grid wide = {-1.7e308, 1.7e308, 4, false}, point = {3, 3, 4, false}, log = {1, 1000, 3, true};

	(void)state;
	assert_int_equal(ts_m4_column(&wide, -1.7e308), 0);
	assert_int_equal(ts_m4_column(&wide, 1.0), 2);
	assert_int_equal(ts_m4_column(&wide, 1.7e308), 3);
	assert_int_equal(ts_m4_column(&point, 3), 0);
	assert_int_equal(ts_m4_column(&log, 9.9), 0);
	assert_int_equal(ts_m4_column(&log, 50), 1);
	assert_int_equal(ts_m4_column(&log, 1000), 2);
	assert_int_equal(ts_m4_column(&log, 0), 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(same_pixels), T(never_joins_over_a_break), T(break_by_hand), T(any_order), T(columns_of_extremes),
	};

	return cmocka_run_group_tests_name("m4", tests, NULL, NULL);
}
