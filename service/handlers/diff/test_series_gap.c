/* Gaps of stored runs against test_gap_of over their plain cells, and what is opened of long ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/test_gap_of.h"
#include "base/alloc.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_runs.h"
#include "service/handlers/diff/series_gap.h"

#include <math.h>

static const char LOSS[] = "scalars.loss";

static const struct ts_series_row *loss_row(struct world *w, const struct cells *a, const struct cells *b)
{
	struct ts_diff_how how = {0};
	struct ts_id id_a = make_run(w, a, NULL, 0), id_b = make_run(w, b, NULL, 0);
	struct ts_diff diff;
	struct ts_error err;

	must(ts_diff_runs(&w->fetch, &id_a, &id_b, &how, &w->arena, &diff, &err), &err);
	for (size_t i = 0; i < diff.n_series; i++)
		if (ts_span_is(diff.series[i].name, LOSS) && diff.series[i].rank == 0)
			return diff.series + i;
	return NULL;
}

static double real_of(const struct cell *c)
{
	double real;

	memcpy(&real, &c->word, sizeof real);
	return real;
}

/* --- random runs --- */

struct pairs {
	int64_t *steps;
	double *a, *b;
	size_t n;
};

/* Lists the common steps from the first whose bits differ on. */
static void pairs_of(const struct cells *a, const struct cells *b, struct ts_arena *arena, struct pairs *p)
{
	size_t i = 0, j = 0;

	p->steps = ts_arena_array(arena, a->n + 1, sizeof *p->steps);
	p->a = ts_arena_array(arena, a->n + 1, sizeof *p->a);
	p->b = ts_arena_array(arena, a->n + 1, sizeof *p->b);
	p->n = 0;
	while (i < a->n && j < b->n) {
		int64_t x = a->items[i].step, y = b->items[j].step;

		if (x == y && (p->n || a->items[i].word != b->items[j].word)) {
			p->steps[p->n] = x;
			p->a[p->n] = real_of(&a->items[i]);
			p->b[p->n++] = real_of(&b->items[j]);
		}
		i += x <= y;
		j += y <= x;
	}
}

static double random_value(uint64_t *seed, double near)
{
	static const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 0.0, -0.0, 1e300, -1e300};

	if (draw_below(seed, 40) == 0)
		return odd[draw_below(seed, 7)];
	/* The values are on no grid of decimals, which would be detected where no format is declared. */
	return near + (double)(int64_t)draw_below(seed, 2001) * 1.4142135623730951e-6 - 1e-3;
}

/* Wide strides make blocks of few rows. */
static void random_pair(uint64_t *seed, struct cells *a, struct cells *b)
{
	int64_t stride = draw_below(seed, 2) ? 1 : 4000, step = 0;
	size_t rows = 20 + draw_below(seed, 800), parts = draw_below(seed, rows + rows / 3);
	size_t every_a = 1 + draw_below(seed, 3), every_b = 1 + draw_below(seed, 3);
	struct ts_resolution ra = {draw_below(seed, 3), 4}, rb = {draw_below(seed, 3), 3};

	for (size_t i = 0; i < rows; i++) {
		double x = random_value(seed, 2), y = i < parts ? x : random_value(seed, x);

		if (i % every_a == 0) {
			struct cell *c = cells_add(a, 0, LOSS, step, x);

			c->precision = ra.precision;
			c->digits = ra.digits;
		}
		if (i % every_b == 0) {
			struct cell *c = cells_add(b, 0, LOSS, step, y);

			c->precision = rb.precision;
			c->digits = rb.digits;
		}
		step += i < 64 ? 1 : stride + (int64_t)draw_below(seed, 2) * stride;
	}
}

static void same_number(double x, double y)
{
	if (isnan(x) ? !isnan(y) : x != y)
		fail_msg("%.17g against %.17g", x, y);
}

static void check_start(const struct ts_gap *g, const struct ts_gap *want)
{
	assert_int_equal(g->known, want->known);
	assert_int_equal(g->visible, want->visible);
	assert_int_equal(g->visible_step, want->visible_step);
	same_number(g->quantum, want->quantum);
	same_number(g->first, want->first);
	same_number(g->at_visible, want->at_visible);
	same_number(g->after_10, want->after_10);
	same_number(g->after_30, want->after_30);
	same_number(g->after_100, want->after_100);
	same_number(g->slope, want->slope);
}

static void check_whole(const struct ts_gap *g, const struct ts_gap *want)
{
	same_number(g->saturation, want->saturation);
	same_number(g->greatest, want->greatest);
	same_number(g->bias, want->bias);
	assert_int_equal(g->greatest_step, want->greatest_step);
	assert_int_equal(g->points, want->points);
	assert_int_equal(g->differing, want->differing);
	assert_int_equal(g->last_step, want->last_step);
}

static void check_mirror(const struct ts_gap *g, struct ts_gap m)
{
	check_start(g, &m);
	if (!isnan(m.bias))
		assert_true(fabs(g->bias - (1 - m.bias)) < 1e-15);
	m.bias = g->bias;
	check_whole(g, &m);
}

static void random_gaps_agree_with_plain_cells(void **state)
{
	int whole = 0, in_part = 0, none = 0, coarse = 0;

	(void)state;
	for (uint64_t round = 1; round <= 300; round++) {
		uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15);
		struct cells a = {.n = 0}, b = {.n = 0};
		const struct ts_series_row *row, *mirror;
		struct ts_gap want;
		struct ts_error err;
		struct pairs p;
		struct world w;

		world_open(&w);
		random_pair(&seed, &a, &b);
		row = loss_row(&w, &a, &b);
		pairs_of(&a, &b, &w.arena, &p);
		none += p.n == 0;
		if (p.n) {
			struct ts_resolution ra = {a.items[0].precision, a.items[0].digits};
			struct ts_resolution rb = {b.items[0].precision, b.items[0].digits};

			mirror = loss_row(&w, &b, &a);
			assert_non_null(row);
			assert_int_equal(row->first_step, p.steps[0]);
			must(test_gap_of(p.steps, p.a, p.b, p.n, ra, rb, &w.arena, &want, &err), &err);
			check_start(&row->gap, &want);
			check_mirror(&row->gap, mirror->gap);
			assert_true(row->gap.points <= p.n && row->gap.last_step <= p.steps[p.n - 1]);
			assert_true(row->gap.greatest <= want.greatest);
			if (row->gap.points == p.n)
				check_whole(&row->gap, &want);
			whole += row->gap.points == p.n;
			in_part += row->gap.points < p.n;
			coarse += want.quantum > 0 && want.visible && want.visible_step > p.steps[0];
		} else {
			assert_true(!row || row->state != TS_SERIES_PARTS);
			assert_false(row && row->gap.known);
		}
		cells_free(&a);
		cells_free(&b);
		world_close(&w);
	}
	/* The random rounds reach all cases. */
	assert_true(whole > 50 && in_part > 10 && none > 10 && coarse > 10);
}

/* --- long runs --- */

static uint64_t fetched; /* number of objects that were requested */

static bool count_objects(const struct ts_call *call)
{
	(void)call;
	fetched++;
	return false;
}

static void fill(struct cells *c, int64_t n, int64_t every, double (*value)(int64_t step))
{
	for (int64_t step = 0; step < n; step += every)
		cells_add(c, 0, LOSS, step, value(step));
}

static double two(int64_t step)
{
	(void)step;
	return 2;
}

/* r is 1/4 at first, 3/4 in the middle, and 1/8 at the end. */
static double off(int64_t step)
{
	return step < 1000 ? 2 : step < 120000 ? 1.5 : step < 270000 ? 0.5 : 1.75;
}

/* Blocks have 2^14 steps; the first difference is in the first of 19 blocks. */
static void the_middle_of_a_long_run_is_not_opened(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row;
	struct world w;

	(void)state;
	world_open(&w);
	fill(&a, 300000, 1, two);
	fill(&b, 300000, 1, off);
	w.call.cancelled = count_objects;
	fetched = 0;
	row = loss_row(&w, &a, &b);
	assert_int_equal(row->first_step, 1000);
	assert_int_equal(row->gap.visible_step, 1000);
	/* 15,384 of the first block, four more blocks, and the last two */
	assert_int_equal(row->gap.points, 5 * 16384 - 1000 + 16384 + 300000 - 18 * 16384);
	assert_int_equal(row->gap.last_step, 299999);
	assert_true(row->gap.first == 0.25 && row->gap.after_100 == 0.25 && row->gap.greatest == 0.25);
	assert_true(row->gap.saturation == 0.125 && row->gap.bias == 1);
	/* The objects are two heads, two indexes, keys (shared) and two columns of 7 blocks; the steps of both runs are
	 * not opened. */
	assert_true(fetched <= 4 + 3 * 7);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* The side with the wider cadence has few points in a block: its end is searched for in the other side's blocks too. */
static void another_cadence(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row, *mirror;
	struct world w;

	(void)state;
	world_open(&w);
	fill(&a, 300000, 1, two);
	fill(&b, 300000, 100, off);
	row = loss_row(&w, &a, &b);
	assert_int_equal(row->first_step, 1000);
	assert_true(row->after_known);
	assert_int_equal(row->after_step, 900);
	assert_int_equal(row->gap.last_step, 299900);
	assert_true(row->gap.after_100 == 0.25 && row->gap.saturation == 0.125);
	mirror = loss_row(&w, &b, &a);
	check_mirror(&row->gap, mirror->gap);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static double third(int64_t step)
{
	return 1 + 1 / (3.0 + (double)step);
}

static double third_as_float(int64_t step)
{
	return (double)(float)third(step) + (step >= 200000 ? 0.5 : 0);
}

/* A double and its float32 differ from the first step on, and differ visibly far beyond the blocks that are usually read. */
static void what_is_not_visible_is_followed(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row;
	struct world w;

	(void)state;
	world_open(&w);
	fill(&a, 300000, 1, third);
	fill(&b, 300000, 1, third_as_float);
	for (size_t i = 0; i < b.n; i++)
		b.items[i].precision = TS_PRECISION_F32;
	row = loss_row(&w, &a, &b);
	assert_int_equal(row->first_step, 0);
	assert_true(row->gap.visible && row->gap.quantum == 0x1p-23);
	assert_int_equal(row->gap.visible_step, 200000);
	assert_true(row->gap.first < 0x1p-24 && row->gap.at_visible > 0.3 && row->gap.after_100 > 0.3);
	for (size_t i = 200000; i < b.n; i++)
		b.items[i].word = a.items[i].word;
	row = loss_row(&w, &a, &b);
	assert_true(row->gap.known && !row->gap.visible);
	assert_int_equal(row->gap.points, 300000);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* The shorter run ends in the middle of the longer one: the tail covers the steps that both have. */
static void one_ends_before_the_other(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row;
	struct world w;

	(void)state;
	world_open(&w);
	fill(&a, 300000, 1, off);
	fill(&b, 180000, 1, two);
	row = loss_row(&w, &a, &b);
	assert_int_equal(row->gap.last_step, 179999);
	assert_true(row->gap.saturation == 0.75 && row->gap.bias == 0);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Blocks have four rows: enough of them are opened to show the beginning, and the rows after the hole are not mixed with it. */
static void small_blocks(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 1000; i++) {
		int64_t step = i < 64 ? i : 64 + (i - 63) * 4000;

		cells_add(&a, 0, LOSS, step, i < 100 ? 0.0 : 2);
		cells_add(&b, 0, LOSS, step, i < 100 ? -0.0 : (i < 990 ? 1.5 : 1.75));
	}
	row = loss_row(&w, &a, &b);
	assert_int_equal(row->first_step, 0);
	assert_true(row->gap.first == 0 && row->gap.at_visible == 0.25 && row->gap.after_100 == 0.25);
	assert_int_equal(row->gap.visible_step, 64 + 37 * 4000);
	assert_true(row->gap.points >= 100 + TS_GAP_WINDOW + 5 && row->gap.points < 100 + TS_GAP_WINDOW + 4 + 8);
	assert_true(row->gap.saturation == 0.125); /* a tenth would extend beyond the hole */
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Blocks have 65,536 rows: the steps of the first rows are further apart than the rest. */
static void large_blocks(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 400000; i++) {
		cells_add(&a, 0, LOSS, i < 64 ? i * 50 : 3200 + i, 2);
		cells_add(&b, 0, LOSS, i < 64 ? i * 50 : 3200 + i, 1);
	}
	row = loss_row(&w, &a, &b);
	assert_true(row->gap.points >= TS_GAP_POINTS && row->gap.points <= 3 * 65536);
	assert_int_equal(row->gap.last_step, 403199);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* The compared part ends exactly where one side is after all steps that the other has left. */
static void nothing_in_common_behind(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row, *mirror;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 100500; step++) {
		bool zero = step < 100000 - TS_GAP_WINDOW;

		if (step < 100000)
			cells_add(&a, 0, LOSS, step, zero ? 0.0 : 1);
		cells_add(&b, 0, LOSS, step, zero ? -0.0 : 2);
	}
	for (int64_t step = 290000; step < 300000; step++)
		cells_add(&a, 0, LOSS, step, 3);
	row = loss_row(&w, &a, &b);
	assert_int_equal(row->gap.last_step, 99999);
	assert_int_equal(row->gap.points, 100000);
	mirror = loss_row(&w, &b, &a);
	check_mirror(&row->gap, mirror->gap);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void only_what_was_computed(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff_how how = {0};
	struct ts_id id_a, id_b;
	struct ts_diff diff;
	struct ts_error err;
	struct world w;
	int known = 0;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 100; step++) {
		for (int i = 0; i < 2; i++) {
			struct cells *c = i ? &b : &a;

			cells_add(c, 0, LOSS, step, 2 + i);
			cells_add(c, 0, "scalars.who_knows", step, 3 + i);
			cells_add(c, 0, "phases.forward", step, 4 + i);
			cells_add_word(c, 0, "digests.params", step, 5 + (uint64_t)i);
		}
	}
	id_a = make_run(&w, &a, NULL, 0);
	id_b = make_run(&w, &b, NULL, 0);
	must(ts_diff_runs(&w.fetch, &id_a, &id_b, &how, &w.arena, &diff, &err), &err);
	assert_int_equal(diff.n_series, 4);
	for (size_t i = 0; i < diff.n_series; i++) {
		bool wanted = diff.series[i].type == TS_COLUMN_F64 && diff.series[i].role != TS_ROLE_OBSERVATION;

		assert_int_equal(diff.series[i].gap.known, wanted);
		known += wanted;
	}
	assert_int_equal(known, 2); /* that of the trajectory, and the unknown one */
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_gaps_agree_with_plain_cells),
		cmocka_unit_test(the_middle_of_a_long_run_is_not_opened),
		cmocka_unit_test(another_cadence),
		cmocka_unit_test(what_is_not_visible_is_followed),
		cmocka_unit_test(one_ends_before_the_other),
		cmocka_unit_test(small_blocks),
		cmocka_unit_test(large_blocks),
		cmocka_unit_test(nothing_in_common_behind),
		cmocka_unit_test(only_what_was_computed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
