/* Matrices of random families of runs against a comparison of their plain cells, and against Diff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_matrix.h"
#include "service/handlers/diff/diff_runs.h"

#include <stdio.h>

enum { RUNS = 6 };

static const char *const names[] = {"scalars.loss", "digests.params", "phases.forward", "extra.note"};

enum part { TRAJECTORY, OBSERVATION, UNKNOWN };

static enum part part_of(const struct cell *c)
{
	return c->name == names[3] ? UNKNOWN : c->name == names[2] ? OBSERVATION : TRAJECTORY;
}

/* --- the naive comparison: one walk over both sets of cells, in order --- */

static int order(const struct cell *a, const struct cell *b)
{
	int c = (a->rank > b->rank) - (a->rank < b->rank);

	if (!c)
		c = strcmp(a->name, b->name);
	return c ? c : (a->step > b->step) - (a->step < b->step);
}

static uint64_t ranks_of(const struct cells *c)
{
	uint64_t set = 0;

	for (size_t i = 0; i < c->n; i++)
		set |= UINT64_C(1) << c->items[i].rank;
	return set;
}

static bool differ(const struct cell *a, const struct cell *b)
{
	return a->type == TS_COLUMN_TEXT ? strcmp(a->text, b->text) != 0 : a->word != b->word;
}

static struct ts_pair expect(const struct cells *a, const struct cells *b)
{
	uint64_t common = ranks_of(a) & ranks_of(b);
	bool parts = false, any = false, lone = ranks_of(a) != ranks_of(b), unknown = false;
	int64_t step = 0;

	for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
		int c = i == a->n ? 1 : j == b->n ? -1 : order(&a->items[i], &b->items[j]);
		const struct cell *x = c <= 0 ? &a->items[i++] : NULL, *y = c >= 0 ? &b->items[j++] : NULL;
		enum part part = part_of(x ? x : y);

		if (!(common >> (x ? x : y)->rank & 1))
			continue;
		unknown |= part == UNKNOWN && (!x || !y || differ(x, y));
		if (part != TRAJECTORY)
			continue;
		any |= x && y;
		lone |= !x || !y;
		if (x && y && differ(x, y)) {
			step = !parts || x->step < step ? x->step : step;
			parts = true;
		}
	}
	if (parts)
		return (struct ts_pair){TS_PAIR_PARTS, step};
	return (struct ts_pair){!any ? TS_PAIR_APART : lone ? TS_PAIR_EXTENT : unknown ? TS_PAIR_COLUMNS : TS_PAIR_SAME, 0};
}

/* --- random families --- */

static void first_of_family(uint64_t *seed, struct cells *out)
{
	int32_t ranks = 1 + (int32_t)draw_below(seed, 3);
	int64_t stride = draw_below(seed, 2) ? 1 : 9000; /* wide strides make many small blocks */
	size_t rows = 70 + draw_below(seed, 60);

	for (int32_t rank = 0; rank < ranks; rank++)
		for (size_t i = 0; i < rows; i++) {
			/* The first 64 steps are close together: they determine the length of blocks. */
			int64_t step = i < 64 ? (int64_t)i : 64 + (int64_t)(i - 64) * stride;

			cells_add(out, rank, names[0], step, (double)draw_below(seed, 1000) / 7.0);
			if (i % 3 == 0)
				cells_add_word(out, rank, names[1], step, draw(seed));
			cells_add(out, rank, names[2], step, (double)draw_below(seed, 1000));
			if (i % 10 == 0)
				cells_add_text(out, rank, names[3], step, draw_below(seed, 2) ? "a" : "b");
		}
}

static void keep_if(struct cells *c, bool (*stays)(const struct cell *cell, int64_t x), int64_t x)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++)
		if (stays(&c->items[i], x))
			c->items[kept++] = c->items[i];
	c->n = kept;
}

static bool is_before(const struct cell *c, int64_t x)
{
	return c->step < x;
}
static bool is_from(const struct cell *c, int64_t x)
{
	return c->step >= x;
}
static bool is_not_rank(const struct cell *c, int64_t x)
{
	return c->rank != x;
}
static bool is_not_named(const struct cell *c, int64_t x)
{
	return c->name != names[x];
}

static bool is_no_late_note(const struct cell *c, int64_t x)
{
	return c->name != names[3] || c->step < x;
}

/* Changes a series of a rank from some step on. */
static void part_from(struct cells *c, const struct cell from, uint64_t salt)
{
	for (size_t i = 0; i < c->n; i++) {
		struct cell *cell = &c->items[i];

		if (cell->rank != from.rank || cell->name != from.name || cell->step < from.step)
			continue;
		if (cell->type == TS_COLUMN_TEXT)
			cell->text = salt & 1 ? "c" : "d";
		else
			cell->word ^= 1 + (salt & 7); /* changes the last bits of a double's fraction, too */
	}
}

static void mutate(uint64_t *seed, struct cells *c)
{
	const struct cell at = c->items[draw_below(seed, c->n)];

	switch (draw_below(seed, 13)) {
	case 0:
		break;
	case 1:
		keep_if(c, is_before, at.step);
		break;
	case 2:
		keep_if(c, is_from, at.step);
		break;
	case 3:
		keep_if(c, is_not_rank, (int64_t)draw_below(seed, 3));
		break;
	case 4:
		keep_if(c, is_not_named, (int64_t)draw_below(seed, 4));
		break;
	case 5: /* no step in common with the others */
		for (size_t i = 0; i < c->n; i++)
			c->items[i].step += 10000000;
		break;
	case 6:
		keep_if(c, is_no_late_note, at.step);
		break;
	default:
		part_from(c, at, draw(seed));
	}
}

struct family {
	struct cells cells[RUNS];
	struct ts_id ids[RUNS];
	struct ts_run runs[RUNS];
};

/* Every run is one of the runs before it, changed or not. */
static void family_make(struct family *f, struct world *w, uint64_t *seed)
{
	struct ts_error err;

	*f = (struct family){.cells = {{.n = 0}}};
	first_of_family(seed, &f->cells[0]);
	for (size_t i = 0; i < RUNS; i++) {
		if (i > 0) {
			cells_copy(&f->cells[draw_below(seed, i)], &f->cells[i]);
			for (size_t times = draw_below(seed, 3); times && f->cells[i].n; times--)
				mutate(seed, &f->cells[i]);
		}
		f->ids[i] = make_run(w, &f->cells[i], NULL, 0);
		cells_sort(&f->cells[i]);
		must(ts_run_open(&w->fetch, &f->ids[i], &w->arena, &f->runs[i], &err), &err);
	}
}

static void family_free(struct family *f)
{
	for (size_t i = 0; i < RUNS; i++)
		cells_free(&f->cells[i]);
}

static void agrees_with_diff(struct world *w, const struct family *f, size_t i, size_t j, const struct ts_pair *pair)
{
	struct ts_diff_how how = {0};
	struct ts_error err;
	struct ts_diff diff;

	must(ts_diff_runs(&w->fetch, &f->ids[i], &f->ids[j], &how, &w->arena, &diff, &err), &err);
	assert_int_equal(diff.verdict == TS_DIFF_SAME, pair->state == TS_PAIR_SAME);
	assert_int_equal(diff.verdict == TS_DIFF_DIFFERENT, pair->state == TS_PAIR_PARTS);
	if (pair->state == TS_PAIR_PARTS)
		assert_int_equal(diff.series[0].first_step, pair->step);
}

static void random_families_agree_with_plain_comparison(void **state)
{
	int seen[TS_PAIR_APART + 1] = {0};

	(void)state;
	for (uint64_t round = 1; round <= 150; round++) {
		uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15);
		struct ts_diff_matrix m;
		struct ts_error err;
		struct family f;
		struct world w;

		world_open(&w);
		family_make(&f, &w, &seed);
		must(ts_diff_matrix(&w.fetch, f.runs, RUNS, &w.arena, &m, &err), &err);
		assert_int_equal(m.n, RUNS);
		for (size_t i = 0; i < RUNS; i++) {
			assert_true(ts_id_eq(&m.runs[i].id, &f.ids[i]));
			for (size_t j = i + 1; j < RUNS; j++) {
				const struct ts_pair *got = ts_matrix_pair(&m, i, j);
				struct ts_pair want = expect(&f.cells[i], &f.cells[j]);

				if (ts_id_eq(&f.ids[i], &f.ids[j]))
					want = (struct ts_pair){TS_PAIR_SAME, 0};
				assert_int_equal(got->state, want.state);
				assert_int_equal(got->step, want.step);
				agrees_with_diff(&w, &f, i, j, got);
				seen[got->state]++;
			}
		}
		family_free(&f);
		world_close(&w);
	}
	/* Each possible answer occurred often enough. */
	for (int s = TS_PAIR_SAME; s <= TS_PAIR_APART; s++)
		assert_true(seen[s] >= 20);
}

/* In this worst case, the first series by name differs late, and another one differs early, in another block. */
static void the_earliest_of_several_series(void **state)
{
	struct cells a = {.n = 0}, b;
	struct ts_diff_matrix m;
	struct ts_error err;
	struct ts_run runs[2];
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 100; step++) {
		cells_add(&a, 0, "scalars.a_loss", step * 16384, 1.0);
		cells_add(&a, 0, "scalars.b_loss", step * 16384, 1.0);
		cells_add(&a, 3, "scalars.a_loss", step * 16384, 1.0);
	}
	cells_copy(&a, &b);
	b.items[3 * 90].word ^= 1;
	b.items[3 * 50 + 1].word ^= 1;
	b.items[3 * 30 + 2].word ^= 1;
	for (int i = 0; i < 2; i++) {
		struct ts_id id = make_run(&w, i ? &b : &a, NULL, 0);

		must(ts_run_open(&w.fetch, &id, &w.arena, &runs[i], &err), &err);
	}
	must(ts_diff_matrix(&w.fetch, runs, 2, &w.arena, &m, &err), &err);
	assert_int_equal(m.pairs[0].state, TS_PAIR_PARTS);
	assert_int_equal(m.pairs[0].step, 30 * 16384);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Each run logs its loss under a name of its own, on two ranks; the third run differs from step 40 on. */
static void series_under_other_names(void **state)
{
	static const char *const own[] = {"scalars.loss", "scalars.train/loss", "scalars.train_loss"};
	struct ts_run runs[3];
	struct ts_diff_matrix m;
	struct ts_error err;
	struct world w;

	(void)state;
	world_open(&w);
	for (int i = 0; i < 3; i++) {
		struct cells c = {.n = 0};
		struct ts_id id;

		for (int64_t step = 0; step < 60; step++)
			for (int32_t rank = 0; rank < 2; rank++)
				cells_add(&c, rank, own[i], step, 1 / (1.0 + (double)step) + (i == 2 && rank && step >= 40));
		id = make_run(&w, &c, NULL, 0);
		must(ts_run_open(&w.fetch, &id, &w.arena, &runs[i], &err), &err);
		cells_free(&c);
	}
	must(ts_diff_matrix(&w.fetch, runs, 3, &w.arena, &m, &err), &err);
	assert_int_equal(ts_matrix_pair(&m, 0, 1)->state, TS_PAIR_SAME);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(ts_matrix_pair(&m, i, 2)->state, TS_PAIR_PARTS);
		assert_int_equal(ts_matrix_pair(&m, i, 2)->step, 40);
	}
	assert_int_equal(m.n_aliases, 3); /* once for each two names, whatever the ranks */
	assert_true(ts_span_is(m.aliases[0].a, own[0]) && ts_span_is(m.aliases[0].b, own[1]));
	world_close(&w);
}

static bool gone(const struct ts_call *call)
{
	(void)call;
	return true;
}

static void can_be_cancelled(void **state)
{
	struct ts_diff_matrix m;
	struct ts_error err;
	struct family f;
	struct world w;
	uint64_t seed = 7;

	(void)state;
	world_open(&w);
	family_make(&f, &w, &seed);
	w.call.cancelled = gone;
	assert_int_equal(ts_diff_matrix(&w.fetch, f.runs, RUNS, &w.arena, &m, &err), TS_CANCELLED);
	family_free(&f);
	world_close(&w);
}

/* Every allocation of a matrix fails once: the matrix reports it and leaks nothing. */
static void any_allocation_may_fail(void **state)
{
	enum ts_status status = TS_NO_MEMORY;
	struct ts_diff_matrix m;
	struct ts_error err;
	struct family f;
	struct world w;
	uint64_t seed = 11;
	size_t n;

	(void)state;
	world_open(&w);
	family_make(&f, &w, &seed);
	for (n = 1; status == TS_NO_MEMORY; n++) {
		struct ts_arena arena;

		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(n);
		status = ts_diff_matrix(&w.fetch, f.runs, 3, &arena, &m, &err);
		(void)ts_alloc_fail_at(0);
		ts_arena_finish(&arena);
	}
	must(status, &err);
	assert_true(n > 8);
	family_free(&f);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_families_agree_with_plain_comparison),
		cmocka_unit_test(the_earliest_of_several_series),
		cmocka_unit_test(series_under_other_names),
		cmocka_unit_test(can_be_cancelled),
		cmocka_unit_test(any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
