/* Curves of two stored runs against their plain cells: a cell a point around the split, every point once in the whole run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_plots.h"
#include "service/handlers/diff/diff_runs.h"

#include <math.h>

static const char LOSS[] = "scalars.loss", NORM[] = "scalars.grad_norm";

struct pair {
	struct world w;
	struct cells a, b;
	struct ts_diff diff;
};

static int setup(void **state)
{
	static struct pair p;

	memset(&p, 0, sizeof p);
	world_open(&p.w);
	*state = &p;
	return 0;
}

static int teardown(void **state)
{
	struct pair *p = *state;

	world_close(&p->w);
	return 0;
}

/* Adds rows at first, first + stride, ...: the value is the row's number, and 0.5 more in b from row `parts` on. */
static void series(struct pair *p, int32_t rank, const char *name, int64_t first, int64_t stride, size_t rows, size_t parts)
{
	for (size_t i = 0; i < rows; i++) {
		int64_t step = (int64_t)((uint64_t)first + i * (uint64_t)stride);

		cells_add(&p->a, rank, name, step, (double)i);
		cells_add(&p->b, rank, name, step, (double)i + (i >= parts ? 0.5 : 0));
	}
}

static const struct ts_plots *plots(struct pair *p, enum ts_plots_wanted wanted)
{
	struct ts_diff_how how = {0};
	struct ts_id a = make_run(&p->w, &p->a, NULL, 0), b = make_run(&p->w, &p->b, NULL, 0);
	struct ts_error err;

	must(ts_diff_runs(&p->w.fetch, &a, &b, &how, &p->w.arena, &p->diff, &err), &err);
	must(ts_diff_plots(&p->w.fetch, &a, &b, wanted, &p->w.arena, &p->diff, &err), &err);
	return &p->diff.plots;
}

/* Frees what a test allocated. */
static void forget(struct pair *p)
{
	cells_free(&p->a);
	cells_free(&p->b);
}

static void is(const struct ts_plot *plot, const char *group, const char *subject, const char *name)
{
	assert_true(ts_span_is(plot->group, group) && ts_span_is(plot->subject, subject) && ts_span_is(plot->name, name));
}

/* There are more than three blocks, and the split is in the second. */
static void around_the_split_a_cell_is_a_point(void **state)
{
	struct pair *p = *state;
	const struct ts_plots *plot;

	series(p, 0, LOSS, 0, 1, 50000, 20000);
	plot = plots(p, TS_PLOTS_AROUND);
	assert_int_equal(plot->n, 2);
	for (int side = 0; side < 2; side++) {
		const struct ts_plot *c = &plot->items[side];

		is(c, "around", LOSS, side ? "b" : "a");
		assert_int_equal(c->first_step, 19960);
		assert_int_equal(c->width, 1);
		assert_int_equal(c->n, 160);
		for (size_t i = 0; i < c->n; i++) {
			assert_int_equal(c->count[i], 1);
			assert_true(c->mean[i] == 19960.0 + (double)i + (side && i >= 40 ? 0.5 : 0));
		}
	}
	forget(p);
}

static void as_far_as_there_are_steps(void **state)
{
	struct pair *p = *state;
	const struct ts_plot *c;

	series(p, 0, LOSS, 100, 10, 30, 7);
	c = plots(p, TS_PLOTS_AROUND)->items;
	assert_int_equal(c->first_step, 100);
	assert_int_equal(c->width, 10); /* logged every ten steps: no cell is empty */
	assert_int_equal(c->n, 30);
	for (size_t i = 0; i < c->n; i++)
		assert_true(c->count[i] == 1 && c->mean[i] == (double)i);
	forget(p);
}

/* If each value of a cell is 0.5 larger, its mean, least and greatest value are too; the mean of consecutive whole
 * numbers is the middle one. */
static void the_whole_run_has_every_point_once(void **state)
{
	enum { ROWS = 50001, WIDTH = (ROWS - 1) / 480 + 1 };
	struct pair *p = *state;
	const struct ts_plots *plot;

	series(p, 0, LOSS, 0, 1, ROWS, 20000);
	plot = plots(p, TS_PLOTS_ALL);
	assert_int_equal(plot->n, 4);
	for (int side = 0; side < 2; side++) {
		const struct ts_plot *c = &plot->items[2 + side];
		uint64_t total = 0;

		is(c, "whole", LOSS, side ? "b" : "a");
		assert_int_equal(c->first_step, 0);
		assert_int_equal(c->width, WIDTH);
		for (size_t i = 0; i < c->n; i++) {
			double low = (double)i * WIDTH, high = fmin(low + WIDTH - 1, ROWS - 1);
			double more = side && low >= 20000 ? 0.5 : 0;

			total += c->count[i];
			if (low < 20000 && high >= 20000)
				continue;
			assert_true(c->min[i] == low + more && c->max[i] == high + more);
			assert_true(fabs(c->mean[i] - ((low + high) / 2 + more)) < 1e-6);
		}
		assert_int_equal(total, ROWS);
	}
	forget(p);
}

/* The plots show the rank that differs first, and only loss and gradient norm where the runs have them. */
static void of_the_rank_that_parts_first(void **state)
{
	struct pair *p = *state;
	const struct ts_plots *plot;

	series(p, 0, LOSS, 0, 1, 300, 200);
	series(p, 1, LOSS, 0, 1, 300, 100);
	series(p, 1, NORM, 0, 1, 300, 101);
	series(p, 1, "scalars.lr", 0, 1, 300, 90);
	series(p, 1, "phases.forward", 0, 1, 300, 0);
	plot = plots(p, TS_PLOTS_AROUND);
	assert_int_equal(plot->n, 4);
	is(&plot->items[0], "around", LOSS, "a");
	assert_int_equal(plot->items[0].first_step, 60);
	is(&plot->items[3], "around", NORM, "b");
	assert_int_equal(plot->items[3].first_step, 61);
	forget(p);
}

static void without_a_loss_what_parts_first(void **state)
{
	struct pair *p = *state;
	const struct ts_plots *plot;

	series(p, 0, "scalars.lr", 0, 1, 300, 90);
	plot = plots(p, TS_PLOTS_AROUND);
	assert_int_equal(plot->n, 2);
	is(&plot->items[0], "around", "scalars.lr", "a");
	forget(p);
}

static void nothing_that_was_not_asked_for(void **state)
{
	struct pair *p = *state;

	series(p, 0, LOSS, 0, 1, 100, 100); /* the same */
	assert_int_equal(plots(p, TS_PLOTS_ALL)->n, 0);
	cells_add(&p->a, 0, LOSS, 100, 1);
	cells_add(&p->b, 0, LOSS, 100, 2);
	assert_int_equal(plots(p, TS_PLOTS_NONE)->n, 0);
	assert_int_equal(plots(p, TS_PLOTS_AROUND)->n, 2);
	forget(p);
}

/* Steps are at both ends of the int64 range, values are not finite, or there is one row: no cell is outside, and all
 * points are counted. */
static void the_ends_of_all_steps(void **state)
{
	struct pair *p = *state;
	const int64_t steps[] = {INT64_MIN, INT64_MIN + 1, 0, INT64_MAX - 1, INT64_MAX};
	const struct ts_plots *plot;

	for (size_t i = 0; i < 5; i++) {
		cells_add(&p->a, 0, LOSS, steps[i], i == 3 ? (double)NAN : 1);
		cells_add(&p->b, 0, LOSS, steps[i], i >= 2 ? HUGE_VAL : 1);
	}
	plot = plots(p, TS_PLOTS_ALL);
	assert_int_equal(plot->n, 4);
	for (size_t k = 2; k < 4; k++) {
		uint64_t total = 0;

		for (size_t i = 0; i < plot->items[k].n; i++)
			total += plot->items[k].count[i];
		assert_int_equal(total, 5);
	}
	assert_int_equal(plot->items[2].nonfinite, 1);
	assert_int_equal(plot->items[3].nonfinite, 3);
	forget(p);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(around_the_split_a_cell_is_a_point),
		T(as_far_as_there_are_steps),
		T(the_whole_run_has_every_point_once),
		T(of_the_rank_that_parts_first),
		T(without_a_loss_what_parts_first),
		T(nothing_that_was_not_asked_for),
		T(the_ends_of_all_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
