/* Repeats of random runs against the definition of an envelope written out over their plain cells, and the cases that have names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_repeats.h"
#include "service/handlers/diff/diff_runs.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 4, CANDIDATE = REPEATS };

static const char loss[] = "scalars.loss", norm[] = "scalars.grad_norm";

struct recipe {
	struct cells cells[REPEATS + 1]; /* the candidate is last */
	struct ts_id ids[REPEATS + 1];
	struct ts_run runs[REPEATS + 1];
};

static void recipe_store(struct recipe *r, struct world *w, const struct told *facts, size_t n_facts)
{
	struct ts_error err;

	for (size_t i = 0; i <= REPEATS; i++) {
		r->ids[i] = make_run(w, &r->cells[i], facts, n_facts);
		must(ts_run_open(&w->fetch, &r->ids[i], &w->arena, &r->runs[i], &err), &err);
	}
}

static void recipe_free(struct recipe *r)
{
	for (size_t i = 0; i <= REPEATS; i++)
		cells_free(&r->cells[i]);
}

static struct ts_repeats repeats_of(struct world *w, const struct recipe *r, size_t n)
{
	struct ts_diff_how how = {0};
	struct ts_repeats out;
	struct ts_diff diff;
	struct ts_error err;

	must(ts_diff_runs(&w->fetch, &r->ids[0], &r->ids[CANDIDATE], &how, &w->arena, &diff, &err), &err);
	must(ts_diff_repeats(&w->fetch, &r->runs[0], &r->runs[CANDIDATE], (struct ts_run_ids){r->ids + 1, n}, NULL,
			     &diff, &w->arena, &out, &err),
	     &err);
	return out;
}

/* --- the naive comparison --- */

static bool value_at(const struct cells *c, const char *name, int64_t step, double *ret)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].rank == 0 && c->items[i].name == name && c->items[i].step == step) {
			memcpy(ret, &c->items[i].word, sizeof *ret);
			return true;
		}
	return false;
}

enum { POINTS_MAX = 700 };

struct plain {
	size_t n;
	int64_t steps[POINTS_MAX];
	double values[POINTS_MAX][REPEATS + 1];
};

static void gather(struct recipe *r, const char *name, int64_t most, struct plain *out)
{
	out->n = 0;
	for (int64_t step = 0; step <= most; step++) {
		bool all = true;

		for (size_t i = 0; i <= REPEATS && all; i++)
			all = value_at(&r->cells[i], name, step, &out->values[out->n][i]);
		if (all)
			out->steps[out->n++] = step;
	}
}

static double window_spread(const struct plain *p, size_t window)
{
	double most = 0;

	for (size_t i = window * TS_ENVELOPE_WINDOW; i < p->n && i < (window + 1) * TS_ENVELOPE_WINDOW; i++)
		for (size_t x = 0; x < REPEATS; x++)
			for (size_t y = 0; y < x; y++)
				most = fmax(most, ts_gap_ratio(p->values[i][x], p->values[i][y]));
	return most;
}

static double nth(double *x, size_t n, size_t k)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (x[j] < x[i]) {
				double t = x[i];

				x[i] = x[j];
				x[j] = t;
			}
	return x[k];
}

static double median_of_differing(const struct plain *p)
{
	double spreads[POINTS_MAX];
	size_t n = 0;

	for (size_t w = 0; w * TS_ENVELOPE_WINDOW < p->n; w++)
		if (window_spread(p, w) > 0)
			spreads[n++] = window_spread(p, w);
	if (n == 0)
		return 0;
	return n % 2 ? nth(spreads, n, n / 2) : (nth(spreads, n, n / 2 - 1) + nth(spreads, n, n / 2)) / 2;
}

/* Returns whether points a to i, all of which are outside, amount to a real difference. */
static bool is_real(const double *r, const double *spread, const bool *outside, size_t a, size_t i, bool chance)
{
	double least = INFINITY;
	bool first = true;

	for (size_t k = a; k <= i; k++)
		least = fmin(least, r[k]);
	for (size_t k = a > 64 ? a - 64 : 0; k < a; k++)
		first = first && !outside[k];
	return (i - a >= 4 && (!chance || spread[i] >= 1e-3 || least > 3e-2)) || (i - a >= 9 && first && least > 2e-6);
}

static void holds(const struct plain *p, const struct ts_envelope_row *row, bool chance)
{
	static double r[POINTS_MAX], wide[POINTS_MAX];
	static bool out[POINTS_MAX];
	double level = median_of_differing(p), spread = 0, greatest = 0, times = 1 + 4.0 / (REPEATS - 1);
	bool real = false, grown = false;
	uint64_t outside = 0;
	int64_t first = 0;

	for (size_t i = 0, a = 0; i < p->n; i++) {
		size_t w = i / TS_ENVELOPE_WINDOW;

		wide[i] = fmax(window_spread(p, w), fmax(w ? window_spread(p, w - 1) : 0, window_spread(p, w + 1)));
		wide[i] = fmax(wide[i], chance ? level : 0);
		spread = fmax(spread, window_spread(p, w));
		r[i] = INFINITY;
		for (size_t x = 0; x < REPEATS; x++)
			r[i] = fmin(r[i], ts_gap_ratio(p->values[i][x], p->values[i][CANDIDATE]));
		greatest = fmax(greatest, r[i]);
		out[i] = r[i] > times * wide[i];
		outside += out[i];
		a = i > 0 && out[i - 1] ? a : i;
		if (real || !out[i])
			continue;
		real = is_real(r, wide, out, a, i, chance);
		if (real || (i - a == TS_ENVELOPE_RUN - 1 && !grown))
			first = p->steps[a];
		grown = !real && (grown || i - a == TS_ENVELOPE_RUN - 1);
	}
	assert_int_equal(row->known, p->n >= TS_ENVELOPE_RUN);
	if (!row->known)
		return;
	assert_int_equal(row->points, p->n);
	assert_true(row->spread == spread);
	assert_true(row->level == level);
	assert_true(row->greatest == greatest);
	assert_int_equal(row->outside, outside);
	assert_int_equal(row->real, real);
	assert_int_equal(row->grown, grown);
	if (real || grown)
		assert_int_equal(row->first_step, first);
}

/* --- random recipes --- */

/* Makes a run with noise of relative size `size` from some step on, gaps, and another last step. */
static void random_run(uint64_t *seed, struct cells *out, int64_t rows, int64_t stride, int64_t from, double size)
{
	int64_t end = draw_below(seed, 4) ? rows : rows - (int64_t)draw_below(seed, 40);
	int64_t gap = (int64_t)draw_below(seed, (uint64_t)rows), length = (int64_t)draw_below(seed, 20);

	for (int64_t i = 0; i < end; i++) {
		double base = 2 + 1 / (double)(i + 1), noise = i < from ? 0 : size * (double)draw_below(seed, 1000) / 1000;

		if (i >= gap && i < gap + length)
			continue;
		cells_add(out, 0, loss, i * stride, base * (1 + noise));
		if (i % 2 == 0)
			cells_add(out, 0, norm, i * stride, 5 * base * (1 + noise * noise));
	}
}

static void random_recipes_agree_with_the_definition(void **state)
{
	int patterns[TS_PATTERN_SCATTERED + 1] = {0}, real = 0, inside = 0;

	(void)state;
	for (uint64_t round = 1; round <= 40; round++) {
		uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15);
		int64_t rows = 30 + (int64_t)draw_below(&seed, 300), from = (int64_t)draw_below(&seed, (uint64_t)rows);
		static struct plain p;
		struct recipe r = {.cells = {{.n = 0}}};
		struct ts_repeats got;
		struct world w;

		world_open(&w);
		for (size_t i = 0; i <= REPEATS; i++) {
			bool noisy = round % 3 ? draw_below(&seed, 4) != 0 : false;
			int64_t at = round % 2 ? from : (int64_t)draw_below(&seed, (uint64_t)rows);

			random_run(&seed, &r.cells[i], rows, 2, noisy ? at : rows, i == CANDIDATE ? 0.05 * (double)(round % 4) : 0.01);
		}
		recipe_store(&r, &w, NULL, 0);
		got = repeats_of(&w, &r, REPEATS - 1);
		patterns[got.pattern]++;
		/* Runs that happen to be equal, or to equal the candidate, count as one: the tests of the matrix cover
		 * those rounds. */
		if (got.matrix.n == REPEATS) {
			assert_int_equal(got.n_rows, 2);
			gather(&r, loss, 2 * rows, &p);
			holds(&p, &got.rows[0], ts_pattern_is_chance(got.pattern));
			gather(&r, norm, 2 * rows, &p);
			holds(&p, &got.rows[1], ts_pattern_is_chance(got.pattern));
			assert_int_equal(got.inside, got.rows[0].real || got.rows[1].real ? TS_TIER_FAILS
							 : got.rows[0].grown || got.rows[1].grown ? TS_TIER_UNKNOWN
							 : got.rows[0].known || got.rows[1].known ? TS_TIER_HOLDS
												    : TS_TIER_UNKNOWN);
			real += got.inside == TS_TIER_FAILS;
			inside += got.inside == TS_TIER_HOLDS;
		}
		recipe_free(&r);
		world_close(&w);
	}
	assert_true(real >= 5);
	assert_true(inside >= 5);
	assert_true(patterns[TS_PATTERN_SCATTERED] >= 5);
}

/* --- cases with names --- */

/* Makes repeats whose loss is 1 + i * noise for each step from `from`; the candidate's is 1 + push. */
static void plain_recipe(struct recipe *r, int64_t rows, double noise, double push)
{
	*r = (struct recipe){.cells = {{.n = 0}}};
	for (size_t i = 0; i <= REPEATS; i++)
		for (int64_t step = 0; step < rows; step++)
			cells_add(&r->cells[i], 0, loss, step, 1 + (i == CANDIDATE ? push : noise * (double)i));
}

static bool says(struct ts_span s, const char *part)
{
	for (size_t i = 0, len = strlen(part); i + len <= s.len; i++)
		if (memcmp(s.data + i, part, len) == 0)
			return true;
	return false;
}

/* All runs share the first of several blocks: blocks end at multiples of 2^14. */
static void long_runs_over_blocks(void **state)
{
	const int64_t rows = 3 * 16384, at = 2 * 16384 + 100;
	struct recipe r = {.cells = {{.n = 0}}};
	struct ts_repeats got;
	struct world w;

	(void)state;
	world_open(&w);
	for (size_t i = 0; i <= REPEATS; i++)
		for (int64_t step = 0; step < rows; step++)
			cells_add(&r.cells[i], 0, loss, step, step < at ? 2 : i == CANDIDATE ? 3 : 2 + 0.001 * (double)i);
	recipe_store(&r, &w, NULL, 0);
	got = repeats_of(&w, &r, REPEATS - 1);
	assert_int_equal(got.matrix.n, REPEATS);
	assert_int_equal(got.pattern, TS_PATTERN_TOGETHER);
	assert_int_equal(got.n_rows, 1);
	assert_int_equal(got.rows[0].points, rows);
	assert_int_equal(got.rows[0].outside, rows - at);
	assert_int_equal(got.rows[0].first_step, at);
	/* The value is 0.003 / 2.003; the first visible step of the diff is there. */
	assert_true(fabs(got.rows[0].spread - 0.003 / 2.003) < 1e-12);
	assert_true(got.spread == got.rows[0].spread);
	assert_int_equal(got.inside, TS_TIER_FAILS);
	assert_true(says(got.verdict, "loss from step 32868 on"));
	assert_false(says(got.verdict, "paired by step"));
	/* The repeats end at 2 to 2.003, with the mean 2.0015. */
	assert_int_equal(got.n_levels, 1);
	assert_int_equal(got.levels[0].points, rows / 10);
	assert_int_equal(got.levels[0].last_step, rows - 1);
	assert_true(fabs(got.levels[0].mean - 2.0015) < 1e-12 && fabs(got.levels[0].candidate - 3) < 1e-12);
	assert_int_equal(got.statistical.answer, TS_TIER_FAILS);
	{
		struct ts_repeats_seen seen = ts_repeats_seen_of(&got);

		assert_int_equal(seen.runs, REPEATS);
		assert_int_equal(seen.answer, TS_REPEATS_UNKNOWN);
		assert_int_equal(seen.inside, TS_TIER_FAILS);
		assert_true(seen.spread == got.spread);
	}
	recipe_free(&r);
	world_close(&w);
}

/* Blocks that all runs share are not opened, except those at the end. The first points differ, so that the runs are distinct. */
static void levels_are_of_shared_blocks_too(void **state)
{
	const int64_t rows = 3 * 16384;
	struct recipe r = {.cells = {{.n = 0}}};
	struct ts_repeats got;
	struct world w;

	(void)state;
	world_open(&w);
	for (size_t i = 0; i <= REPEATS; i++)
		for (int64_t step = 0; step < rows; step++)
			cells_add(&r.cells[i], 0, loss, step, step < 10 ? 2 + 0.001 * (double)i : 7 + (double)(step % 3));
	recipe_store(&r, &w, NULL, 0);
	got = repeats_of(&w, &r, REPEATS - 1);
	assert_int_equal(got.matrix.n, REPEATS);
	assert_int_equal(got.rows[0].points, rows);
	assert_int_equal(got.levels[0].points, 4915);
	assert_int_equal(got.levels[0].first_step, rows - 4915);
	/* From 44237 to 49151, 1639 steps have remainder 2 when divided by 3, and 1638 each have 0 and 1. */
	assert_true(fabs(got.levels[0].mean - (1638 * 7 + 1638 * 8 + 1639 * 9) / 4915.0) < 1e-12);
	assert_true(got.levels[0].deviation == 0 && got.levels[0].difference == 0);
	assert_int_equal(got.statistical.answer, TS_TIER_HOLDS);
	recipe_free(&r);
	world_close(&w);
}

/* Each loss of an evaluation has a level; a series that the candidate lacks, or that is no loss, has none. */
static void evaluations_are_asked(void **state)
{
	static const char *const names[] = {"scalars.val_loss", "eval.loss", "eval.accuracy", "scalars.test_loss"};
	struct ts_repeats_seen seen;
	struct recipe r;
	struct ts_repeats got;
	struct world w;

	(void)state;
	world_open(&w);
	plain_recipe(&r, 100, 0.0001, 0);
	for (size_t i = 0; i <= REPEATS; i++)
		for (int64_t step = 0; step < 100; step += 20)
			for (size_t k = 0; k < (i == CANDIDATE ? 3 : 4); k++)
				cells_add(&r.cells[i], 0, names[k], step, 5 + 0.001 * (double)(i % 3) + (i == CANDIDATE && k == 1));
	recipe_store(&r, &w, NULL, 0);
	got = repeats_of(&w, &r, REPEATS - 1);
	assert_int_equal(got.n_rows, 1);
	assert_int_equal(got.n_levels, 3);
	for (size_t k = 0; k < 3; k++) {
		const struct ts_level_row *row = &got.levels[k];
		bool is_eval = ts_span_is(row->name, names[1]);

		assert_true(row->known && row->why_not.len == 0);
		assert_int_equal(row->points, k ? 1 : 10);
		assert_int_equal(row->last_step, k ? 80 : 99);
		assert_int_equal(row->answer, is_eval ? TS_TIER_FAILS : TS_TIER_HOLDS);
		/* Three levels are requested. By scipy: (t.ppf(1 - .005/6, 3) + t.ppf(.9, 3)) sqrt(5/4) std([5, 5.001,
		 * 5.002, 5], ddof=1) / 5.00075 */
		if (is_eval)
			assert_true(fabs(row->seen - 0.0026770861719966565) < 1e-12);
	}
	assert_int_equal(got.statistical.answer, TS_TIER_FAILS);
	assert_true(says(got.statistical.why, "eval.loss"));
	seen = ts_repeats_seen_of(&got);
	assert_int_equal(seen.statistical.answer, TS_TIER_FAILS);
	recipe_free(&r);
	world_close(&w);
}

/* A diff along an axis still compares its repeats by step. */
static void an_axis_is_not_followed(void **state)
{
	struct ts_diff diff = {.axis = ts_span_str("tokens")};
	struct ts_repeats got;
	struct ts_error err;
	struct recipe r;
	struct world w;

	(void)state;
	world_open(&w);
	plain_recipe(&r, 100, 0.001, 0.5);
	recipe_store(&r, &w, NULL, 0);
	must(ts_diff_repeats(&w.fetch, &r.runs[0], &r.runs[CANDIDATE], (struct ts_run_ids){r.ids + 1, REPEATS - 1},
			     NULL, &diff, &w.arena, &got, &err),
	     &err);
	assert_true(says(got.verdict, "from step 0 on (outside at 100 % of 100 points); for this comparison runs are "
				      "paired by step, not by tokens"));
	recipe_free(&r);
	world_close(&w);
}

/* The repeats differ from steps 300 and 600 on, by a hundredth; a candidate that differs by half of that from step 100
 * on is early, not far. */
static void an_early_start_is_chance(void **state)
{
	struct recipe r = {.cells = {{.n = 0}}};
	struct ts_repeats got;
	struct world w;

	(void)state;
	world_open(&w);
	for (size_t i = 0; i <= REPEATS; i++)
		for (int64_t step = 0; step < 1000; step++) {
			int64_t from = i == CANDIDATE ? 100 : i == 1 ? 300 : i == 2 ? 600 : 2000 + (int64_t)i;

			cells_add(&r.cells[i], 0, loss, step, step < from ? 2 : i == CANDIDATE ? 2.01 : 2 + 0.02 * (double)i);
		}
	/* The extra column makes the third repeat a distinct run. */
	cells_add(&r.cells[3], 0, "phases.forward", 0, 1);
	recipe_store(&r, &w, NULL, 0);
	got = repeats_of(&w, &r, REPEATS - 1);
	assert_int_equal(got.matrix.n, REPEATS);
	assert_int_equal(got.pattern, TS_PATTERN_SCATTERED);
	assert_int_equal(got.rows[0].points, 1000);
	assert_int_equal(got.rows[0].outside, 0);
	assert_int_equal(got.inside, TS_TIER_HOLDS);
	recipe_free(&r);
	world_close(&w);
}

static void the_candidate_is_no_repeat(void **state)
{
	struct recipe r;
	struct ts_repeats got;
	struct world w;

	(void)state;
	world_open(&w);
	plain_recipe(&r, 100, 0.001, 0.5);
	recipe_store(&r, &w, NULL, 0);
	/* The list has all three repeats, the candidate, and the third repeat again. */
	r.ids[0] = r.runs[0].id;
	{
		struct ts_id ids[] = {r.ids[1], r.ids[CANDIDATE], r.ids[2], r.ids[3], r.ids[3], r.ids[0]};
		struct ts_diff diff = {.n_series = 0};
		struct ts_error err;

		must(ts_diff_repeats(&w.fetch, &r.runs[0], &r.runs[CANDIDATE], (struct ts_run_ids){ids, 6}, NULL, &diff,
				     &w.arena, &got, &err),
		     &err);
	}
	assert_int_equal(got.matrix.n, REPEATS);
	for (size_t i = 0; i < REPEATS; i++)
		assert_true(ts_id_eq(&got.matrix.runs[i].id, &r.ids[i]));
	assert_int_equal(got.inside, TS_TIER_FAILS);
	assert_true(isnan(got.rows[0].spread_there)); /* the diff named no step */
	recipe_free(&r);
	world_close(&w);
}

static void too_few_and_nothing_to_look_at(void **state)
{
	struct recipe r;
	struct ts_repeats got;
	struct world w;

	(void)state;
	world_open(&w);
	plain_recipe(&r, 100, 0.001, 0.5);
	recipe_store(&r, &w, NULL, 0);
	got = repeats_of(&w, &r, 1);
	assert_int_equal(got.pattern, TS_PATTERN_UNKNOWN);
	assert_int_equal(got.inside, TS_TIER_UNKNOWN);
	assert_int_equal(got.n_rows, 0);
	assert_true(says(got.verdict, "at least 3 repeats are needed"));
	assert_int_equal(ts_repeats_seen_of(&got).runs, 0);
	got = repeats_of(&w, &r, 0);
	assert_int_equal(got.matrix.n, 1);
	assert_int_equal(got.inside, TS_TIER_UNKNOWN);
	recipe_free(&r);
	/* One repeat has no loss. */
	plain_recipe(&r, 100, 0.001, 0.5);
	for (size_t i = 0; i < r.cells[2].n; i++)
		r.cells[2].items[i].name = norm;
	recipe_store(&r, &w, NULL, 0);
	got = repeats_of(&w, &r, REPEATS - 1);
	assert_int_equal(got.n_rows, 1);
	assert_false(got.rows[0].known);
	assert_int_equal(got.inside, TS_TIER_UNKNOWN);
	assert_true(says(got.verdict, "not all of the repeats"));
	recipe_free(&r);
	world_close(&w);
}

/* Rank 0 of one repeat has no loss, so that of rank 1 is compared. */
static void the_lowest_rank_that_all_have(void **state)
{
	struct recipe r;
	struct ts_repeats got;
	struct world w;

	(void)state;
	world_open(&w);
	plain_recipe(&r, 50, 0.001, 0.5);
	for (size_t i = 0; i <= REPEATS; i++)
		for (int64_t step = 0; step < 60; step++)
			cells_add(&r.cells[i], 1, loss, step, 7);
	for (size_t i = 0; i < r.cells[1].n; i++)
		if (r.cells[1].items[i].rank == 0)
			r.cells[1].items[i].name = norm;
	recipe_store(&r, &w, NULL, 0);
	got = repeats_of(&w, &r, REPEATS - 1);
	assert_int_equal(got.n_rows, 1);
	assert_true(got.rows[0].known);
	assert_int_equal(got.rows[0].rank, 1);
	assert_int_equal(got.rows[0].points, 60);
	assert_int_equal(got.inside, TS_TIER_HOLDS);
	recipe_free(&r);
	world_close(&w);
}

static void any_allocation_may_fail(void **state)
{
	enum ts_status status = TS_NO_MEMORY;
	struct ts_diff diff = {.n_series = 0};
	struct ts_repeats got;
	struct ts_error err;
	struct recipe r;
	struct world w;
	size_t n;

	(void)state;
	world_open(&w);
	plain_recipe(&r, 100, 0.001, 0.5);
	recipe_store(&r, &w, NULL, 0);
	for (n = 1; status == TS_NO_MEMORY; n++) {
		struct ts_arena arena;

		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(n);
		status = ts_diff_repeats(&w.fetch, &r.runs[0], &r.runs[CANDIDATE],
					 (struct ts_run_ids){r.ids + 1, REPEATS - 1}, NULL, &diff, &arena, &got, &err);
		(void)ts_alloc_fail_at(0);
		ts_arena_finish(&arena);
	}
	must(status, &err);
	assert_true(n > 10);
	recipe_free(&r);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_recipes_agree_with_the_definition),
		cmocka_unit_test(long_runs_over_blocks),
		cmocka_unit_test(levels_are_of_shared_blocks_too),
		cmocka_unit_test(evaluations_are_asked),
		cmocka_unit_test(an_axis_is_not_followed),
		cmocka_unit_test(an_early_start_is_chance),
		cmocka_unit_test(the_candidate_is_no_repeat),
		cmocka_unit_test(too_few_and_nothing_to_look_at),
		cmocka_unit_test(the_lowest_rank_that_all_have),
		cmocka_unit_test(any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
