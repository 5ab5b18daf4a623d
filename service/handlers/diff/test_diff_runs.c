/* Diffs of random runs against a comparison of their plain cells, and the cases that have names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "proto/wire.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void diff_of(struct world *w, struct ts_id a, struct ts_id b, struct ts_diff *ret_diff)
{
	struct ts_diff_how how = {0};
	struct ts_error err;

	must(ts_diff_runs(&w->fetch, &a, &b, &how, &w->arena, ret_diff, &err), &err);
}

/* --- the naive comparison --- */

static bool same_series(const struct cell *a, const struct cell *b)
{
	return a->rank == b->rank && strcmp(a->name, b->name) == 0 && a->type == b->type;
}

static int series_order(const struct cell *a, const struct cell *b)
{
	int c = (a->rank > b->rank) - (a->rank < b->rank);

	if (!c)
		c = strcmp(a->name, b->name);
	return c ? c : (a->type > b->type) - (a->type < b->type);
}

static uint64_t canonical(const struct cell *c)
{
	double v;

	memcpy(&v, &c->word, sizeof v);
	return c->type == TS_COLUMN_F64 && isnan(v) ? UINT64_C(0x7ff8000000000000) : c->word;
}

static bool same_value(const struct cell *a, const struct cell *b)
{
	return a->type == TS_COLUMN_TEXT ? strcmp(a->text, b->text) == 0 : canonical(a) == canonical(b);
}

static size_t series_end(const struct cells *c, size_t at)
{
	size_t end = at;

	while (end < c->n && same_series(&c->items[at], &c->items[end]))
		end++;
	return end;
}

struct expected {
	enum ts_series_state state;
	const struct cell *at_a, *at_b, *after;
	uint64_t common, only_a, only_b; /* when state is PARTS: before the first differing step */
};

static struct expected expect_series(const struct cell *a, size_t n_a, const struct cell *b, size_t n_b)
{
	struct expected e = {.state = TS_SERIES_SAME};
	size_t i = 0, j = 0;

	while (i < n_a || j < n_b) {
		if (j == n_b || (i < n_a && a[i].step < b[j].step)) {
			e.only_a++;
			i++;
		} else if (i == n_a || b[j].step < a[i].step) {
			e.only_b++;
			j++;
		} else if (same_value(&a[i], &b[j])) {
			e.common++;
			e.after = &a[i];
			i++;
			j++;
		} else {
			e.at_a = &a[i];
			e.at_b = &b[j];
			e.state = TS_SERIES_PARTS;
			return e;
		}
	}
	if (n_a == 0)
		e.state = TS_SERIES_ONLY_B;
	else if (n_b == 0)
		e.state = TS_SERIES_ONLY_A;
	else if (e.common == 0)
		e.state = TS_SERIES_DISJOINT;
	else if (e.only_a || e.only_b)
		e.state = TS_SERIES_EXTENT;
	return e;
}

static const struct ts_series_row *find_row(const struct ts_diff *d, const struct cell *c)
{
	for (size_t i = 0; i < d->n_series; i++) {
		const struct ts_series_row *row = &d->series[i];

		if (row->rank == c->rank && row->type == c->type && ts_span_is(row->name, c->name))
			return row;
	}
	return NULL;
}

static void check_value(const struct ts_value *v, const struct cell *c)
{
	assert_int_equal(v->type, c->type);
	if (c->type == TS_COLUMN_TEXT)
		assert_true(ts_span_is(v->text, c->text));
	else
		assert_int_equal(v->word, canonical(c));
}

static unsigned types_of(const struct cells *c, const struct cell *like)
{
	unsigned types = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].rank == like->rank && strcmp(c->items[i].name, like->name) == 0)
			types |= 1u << c->items[i].type;
	return types;
}

static void check_row(const struct ts_series_row *row, const struct expected *e, uint64_t n_a, uint64_t n_b)
{
	assert_int_equal(row->state, e->state);
	assert_int_equal(row->steps_a, n_a);
	assert_int_equal(row->steps_b, n_b);
	assert_int_equal(row->common, e->common);
	assert_int_equal(row->only_a, e->only_a);
	assert_int_equal(row->only_b, e->only_b);
	assert_int_equal(row->counted, e->state != TS_SERIES_PARTS);
	if (e->state != TS_SERIES_PARTS)
		return;
	assert_int_equal(row->first_step, e->at_a->step);
	assert_int_equal(row->after_known, e->after != NULL);
	if (e->after)
		assert_int_equal(row->after_step, e->after->step);
	check_value(&row->a, e->at_a);
	check_value(&row->b, e->at_b);
}

/* The random runs have these names: two of the trajectory, two observations, one unknown. */
static const char *const names[] = {"scalars.loss", "digests.params", "phases.forward", "memory.alloc", "extra.note"};

static bool is_trajectory(const char *name)
{
	return strcmp(name, names[0]) == 0 || strcmp(name, names[1]) == 0;
}

struct seen {
	bool trajectory, parts, incomplete, unknown;
	uint64_t same, listed;
};

static void note_series(struct seen *s, const char *name, enum ts_series_state state)
{
	bool differs = state != TS_SERIES_SAME;

	s->same += !differs;
	s->listed += differs;
	if (is_trajectory(name)) {
		s->trajectory = true;
		s->parts |= state == TS_SERIES_PARTS;
		s->incomplete |= differs;
	} else if (strcmp(name, "extra.note") == 0) {
		s->unknown |= differs;
	}
}

static uint64_t ranks_of(const struct cells *c)
{
	uint64_t set = 0;

	for (size_t i = 0; i < c->n; i++)
		set |= UINT64_C(1) << c->items[i].rank;
	return set;
}

/* Walks both sorted sets of cells series by series, and compares every row with the plain comparison. */
static void check_series(struct cells *a, struct cells *b, const struct ts_diff *d, struct seen *s)
{
	uint64_t common = ranks_of(a) & ranks_of(b);
	size_t i = 0, j = 0;

	cells_sort(a);
	cells_sort(b);
	while (i < a->n || j < b->n) {
		int c = i == a->n ? 1 : (j == b->n ? -1 : series_order(&a->items[i], &b->items[j]));
		size_t end_a = c <= 0 ? series_end(a, i) : i, end_b = c >= 0 ? series_end(b, j) : j;
		const struct cell *any = c <= 0 ? &a->items[i] : &b->items[j];
		struct expected e = expect_series(a->items + i, end_a - i, b->items + j, end_b - j);
		const struct ts_series_row *row = find_row(d, any);

		if (common >> any->rank & 1) {
			note_series(s, any->name, e.state);
			if (e.state == TS_SERIES_SAME) {
				assert_null(row);
			} else {
				assert_non_null(row);
				check_row(row, &e, end_a - i, end_b - j);
				assert_int_equal(row->other_types, e.state == TS_SERIES_ONLY_A	 ? types_of(b, any)
								   : e.state == TS_SERIES_ONLY_B ? types_of(a, any)
												 : 0);
			}
		} else {
			assert_null(row);
		}
		i = end_a;
		j = end_b;
	}
	assert_int_equal(d->n_same, s->same);
	assert_int_equal(d->n_series, s->listed);
}

static bool has_step(const struct cells *c, int32_t rank, int64_t step)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].rank == rank && c->items[i].step == step)
			return true;
	return false;
}

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

/* Counts distinct steps that a has on a rank of both, and b lacks there. */
static uint64_t lone_steps(const struct cells *a, const struct cells *b, int64_t *ret_first, int64_t *ret_last)
{
	uint64_t common = ranks_of(a) & ranks_of(b), distinct = 0;
	int64_t *steps = test_malloc((a->n + 1) * sizeof *steps);
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		if (common >> a->items[i].rank & 1 && !has_step(b, a->items[i].rank, a->items[i].step))
			steps[n++] = a->items[i].step;
	if (n)
		qsort(steps, n, sizeof *steps, by_number);
	for (size_t i = 0; i < n; i++)
		distinct += i == 0 || steps[i] != steps[i - 1];
	*ret_first = n ? steps[0] : 0;
	*ret_last = n ? steps[n - 1] : 0;
	test_free(steps);
	return distinct;
}

static void check_steps(const struct cells *a, const struct cells *b, const struct ts_diff *d)
{
	int64_t first, last;

	assert_int_equal(d->steps_only_a, lone_steps(a, b, &first, &last));
	if (d->steps_only_a) {
		assert_int_equal(d->only_a_first, first);
		assert_int_equal(d->only_a_last, last);
	}
	assert_int_equal(d->steps_only_b, lone_steps(b, a, &first, &last));
	if (d->steps_only_b) {
		assert_int_equal(d->only_b_first, first);
		assert_int_equal(d->only_b_last, last);
	}
}

static enum ts_diff_verdict expected_verdict(const struct seen *s, bool ranks_differ)
{
	if (s->parts)
		return TS_DIFF_DIFFERENT;
	return ranks_differ || !s->trajectory || s->incomplete || s->unknown ? TS_DIFF_INCONCLUSIVE : TS_DIFF_SAME;
}

/* Every row comes before all that follow it, and not only before the next one, by the first of these in which they differ: the role,
 * whether the series part, where they do, the name, the rank and the type. No two rows are equal in all of them. */
static void check_order(const struct ts_diff *d)
{
	static const int weight[] = {[TS_ROLE_TRAJECTORY] = 0, [TS_ROLE_UNKNOWN] = 1, [TS_ROLE_OBSERVATION] = 2};

	for (size_t i = 0; i < d->n_series; i++)
		for (size_t j = i + 1; j < d->n_series; j++) {
			const struct ts_series_row *x = &d->series[i], *y = &d->series[j];
			bool parts_x = x->state == TS_SERIES_PARTS, parts_y = y->state == TS_SERIES_PARTS;
			int64_t keys[][2] = {{weight[x->role], weight[y->role]},
					     {!parts_x, !parts_y},
					     {parts_x ? x->first_step : 0, parts_y ? y->first_step : 0},
					     {ts_span_cmp(x->name, y->name), 0},
					     {x->rank, y->rank},
					     {x->type, y->type}};
			size_t k = 0;

			while (k < sizeof keys / sizeof keys[0] && keys[k][0] == keys[k][1])
				k++;
			assert_true(k < sizeof keys / sizeof keys[0]);
			assert_true(keys[k][0] < keys[k][1]);
		}
}

static void check_mirror(const struct ts_diff *d, const struct ts_diff *m)
{
	assert_int_equal(d->verdict, m->verdict);
	assert_int_equal(d->n_series, m->n_series);
	assert_int_equal(d->n_same, m->n_same);
	assert_int_equal(d->steps_only_a, m->steps_only_b);
	assert_int_equal(d->steps_only_b, m->steps_only_a);
	assert_int_equal(d->n_ranks_only_a, m->n_ranks_only_b);
	for (size_t i = 0; i < d->n_series; i++) {
		const struct ts_series_row *x = &d->series[i], *y = &m->series[i];
		static const enum ts_series_state other[] = {
			[TS_SERIES_SAME] = TS_SERIES_SAME,     [TS_SERIES_PARTS] = TS_SERIES_PARTS,
			[TS_SERIES_EXTENT] = TS_SERIES_EXTENT, [TS_SERIES_ONLY_A] = TS_SERIES_ONLY_B,
			[TS_SERIES_ONLY_B] = TS_SERIES_ONLY_A, [TS_SERIES_DISJOINT] = TS_SERIES_DISJOINT,
		};

		assert_true(ts_span_eq(x->name, y->name));
		assert_int_equal(x->rank, y->rank);
		assert_int_equal(x->state, other[y->state]);
		assert_int_equal(x->first_step, y->first_step);
		assert_int_equal(x->after_known, y->after_known);
		assert_int_equal(x->after_step, y->after_step);
		assert_int_equal(x->a.word, y->b.word);
		assert_int_equal(x->b.word, y->a.word);
		assert_int_equal(x->only_a, y->only_b);
		assert_int_equal(x->only_b, y->only_a);
		assert_int_equal(x->steps_a, y->steps_b);
		assert_int_equal(x->other_types, y->other_types);
	}
}

/* --- random runs --- */

/* Returns steps of which the first 64 are `start` apart and the rest `stride` or more: blocks end at multiples of 2^14
 * times the distance of the former, so wide strides make many small blocks. */
static int64_t next_random_step(uint64_t *seed, size_t i, int64_t start, int64_t stride)
{
	return i < 64 ? start : stride + (int64_t)draw_below(seed, 3) * (stride / 3);
}

static void random_cells(uint64_t *seed, struct cells *out)
{
	static const char *const words[] = {"a", "b", "", "c\xc3\xa9"};
	int32_t ranks = 1 + (int32_t)draw_below(seed, 3);
	int64_t start = draw_below(seed, 4) == 0 ? 50 : 1, stride = draw_below(seed, 2) ? 1 : 4000;
	size_t rows = 80 + draw_below(seed, 120);
	uint64_t every[5];

	for (int i = 0; i < 5; i++)
		every[i] = draw_below(seed, 6); /* 0: the run lacks the series */
	for (int32_t rank = 0; rank < ranks; rank++) {
		int64_t step = (int64_t)draw_below(seed, 3) - 1;

		for (size_t i = 0; i < rows; i++) {
			for (int c = 0; c < 5; c++) {
				if (every[c] == 0 || i % every[c])
					continue;
				if (c == 1)
					cells_add_word(out, rank, names[c], step, draw(seed));
				else if (c == 4)
					cells_add_text(out, rank, names[c], step, words[draw_below(seed, 4)]);
				else
					cells_add(out, rank, names[c], step, (double)draw_below(seed, 1000) / 7.0);
			}
			step += next_random_step(seed, i, start, stride);
		}
	}
}

static void remove_cells(struct cells *c, bool (*gone)(const struct cell *cell, int64_t x, int64_t y), int64_t x,
			 int64_t y)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!gone(&c->items[i], x, y))
			c->items[kept++] = c->items[i];
	c->n = kept;
}

static bool in_range(const struct cell *c, int64_t x, int64_t y)
{
	return c->step >= x && c->step <= y;
}
static bool off_cadence(const struct cell *c, int64_t x, int64_t y)
{
	return c->step % x == y;
}
static bool of_rank(const struct cell *c, int64_t x, int64_t y)
{
	return c->rank == x && y == 0;
}
static bool of_name(const struct cell *c, int64_t x, int64_t y)
{
	return c->name == names[x] && y == 0;
}

static void change_one(uint64_t *seed, struct cells *c)
{
	struct cell *cell = &c->items[draw_below(seed, c->n)];
	double bad[] = {(double)NAN, -0.0, 0.0, 1.5, HUGE_VAL};

	if (cell->type == TS_COLUMN_TEXT)
		cell->text = "changed";
	else if (cell->type == TS_COLUMN_U64)
		cell->word ^= 1;
	else
		memcpy(&cell->word, &bad[draw_below(seed, 5)], sizeof cell->word);
}

/* Makes b from a, with up to three changes. */
static void mutate(uint64_t *seed, struct cells *c)
{
	size_t times = draw_below(seed, 4);

	for (size_t t = 0; t < times && c->n; t++) {
		int64_t middle = c->items[draw_below(seed, c->n)].step;

		switch (draw_below(seed, 8)) {
		case 0:
			remove_cells(c, in_range, middle, INT64_MAX); /* a prefix */
			break;
		case 1:
			remove_cells(c, in_range, INT64_MIN, middle); /* another first step */
			break;
		case 2:
			remove_cells(c, in_range, middle, middle + 9000); /* a gap */
			break;
		case 3:
			remove_cells(c, off_cadence, 2, (int64_t)draw_below(seed, 2)); /* another cadence */
			break;
		case 4:
			remove_cells(c, of_rank, (int64_t)draw_below(seed, 3), 0);
			break;
		case 5:
			remove_cells(c, of_name, (int64_t)draw_below(seed, 5), 0);
			break;
		default:
			for (size_t n = 1 + draw_below(seed, 5); n; n--)
				change_one(seed, c);
		}
	}
}

static void random_runs_agree_with_plain_comparison(void **state)
{
	int verdicts[4] = {0};

	(void)state;
	for (uint64_t round = 1; round <= 300; round++) {
		uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15);
		struct cells a = {.n = 0}, b;
		struct ts_diff diff, mirror, self;
		struct seen s = {.parts = false};
		struct ts_id id_a, id_b;
		struct world w;

		world_open(&w);
		random_cells(&seed, &a);
		cells_copy(&a, &b);
		mutate(&seed, &b);
		id_a = make_run(&w, &a, NULL, 0);
		id_b = make_run(&w, &b, NULL, 0);
		diff_of(&w, id_a, id_b, &diff);
		diff_of(&w, id_b, id_a, &mirror);
		diff_of(&w, id_a, id_a, &self);
		assert_int_equal(self.verdict, TS_DIFF_SAME);
		assert_int_equal(self.n_series, 0);
		if (ts_id_eq(&id_a, &id_b)) {
			assert_int_equal(diff.verdict, TS_DIFF_SAME);
		} else {
			check_series(&a, &b, &diff, &s);
			check_steps(&a, &b, &diff);
			check_order(&diff);
			check_mirror(&diff, &mirror);
			assert_int_equal(diff.verdict, expected_verdict(&s, ranks_of(&a) != ranks_of(&b)));
			assert_true(diff.reason.len > 0);
		}
		verdicts[diff.verdict]++;
		cells_free(&a);
		cells_free(&b);
		world_close(&w);
	}
	/* The random rounds reach every verdict. */
	assert_true(verdicts[TS_DIFF_SAME] > 10);
	assert_true(verdicts[TS_DIFF_DIFFERENT] > 10);
	assert_true(verdicts[TS_DIFF_INCONCLUSIVE] > 10);
}

/* --- cases with names --- */

static void steps_of(struct cells *c, const char *name, int64_t first, int64_t last, double value)
{
	for (int64_t step = first; step <= last; step++)
		cells_add(c, 0, name, step, value + (double)step);
}

static void expect_verdict(struct world *w, const struct cells *a, const struct cells *b, enum ts_diff_verdict verdict,
			   const char *reason)
{
	struct ts_diff diff;

	diff_of(w, make_run(w, a, NULL, 0), make_run(w, b, NULL, 0), &diff);
	assert_int_equal(diff.verdict, verdict);
	if (!ts_span_is(diff.reason, reason))
		fail_msg("reason: %.*s", TS_SPAN_ARG(diff.reason));
}

static void one_bit_of_the_loss(void **state)
{
	struct cells a = {.n = 0}, b;
	struct world w;
	double changed = 5000.000001;

	(void)state;
	world_open(&w);
	steps_of(&a, "scalars.loss", 0, 9999, 0.0);
	steps_of(&a, "phases.forward", 0, 9999, 1.0);
	cells_copy(&a, &b);
	for (size_t i = 5000; i < 10000; i++)
		if (b.items[i].step == 5000)
			memcpy(&b.items[i].word, &changed, sizeof changed);
	expect_verdict(&w, &a, &b, TS_DIFF_DIFFERENT,
		       "The two runs first differ at step 5000: loss is 5000.0 in the first run and 5000.000001 in the "
		       "second; 1 other "
		       "series is the same in both");
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* One run logs every 10 steps, the other every 20: they differ from some step after the last common step that agrees. */
static void between_two_steps(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct world w;

	(void)state;
	world_open(&w);
	cells_add(&a, 0, "scalars.loss", INT64_MIN + 8, 1.5); /* so far below that the distance does not fit an int64 */
	cells_add(&b, 0, "scalars.loss", INT64_MIN + 8, 1.5);
	for (int64_t step = 20; step <= 400; step += 10)
		cells_add(&a, 0, "scalars.loss", step, step < 190 ? 2.0 : 3.0);
	for (int64_t step = 20; step <= 400; step += 20)
		cells_add(&b, 0, "scalars.loss", step, 2.0);
	expect_verdict(&w, &a, &b, TS_DIFF_DIFFERENT,
		       "The two runs first differ between step 180 and step 200: loss is 3.0 in the first run and 2.0 "
		       "in the second");
	for (size_t i = 0; i < a.n; i++)
		if (a.items[i].step == 20)
			a.items[i].word ^= 1;
	expect_verdict(&w, &a, &b, TS_DIFF_DIFFERENT,
		       "The two runs first differ between step -9223372036854775800 and step 20: loss is "
		       "2.0000000000000004 in the first "
		       "run and 2.0 in the second");
	cells_add(&a, 0, "scalars.loss", 18, 2.0); /* steps two apart are different steps */
	cells_add(&b, 0, "scalars.loss", 18, 2.0);
	expect_verdict(&w, &a, &b, TS_DIFF_DIFFERENT,
		       "The two runs first differ between step 18 and step 20: loss is 2.0000000000000004 in the first run "
		       "and 2.0 in the second");
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Whole blocks that one side lacks are counted without being opened. */
static void blocks_that_one_side_lacks(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	steps_of(&a, "scalars.loss", 0, 39999, 1.0);
	steps_of(&b, "scalars.loss", 0, 16383, 1.0);
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.steps_only_a, 23616);
	assert_int_equal(diff.only_a_first, 16384);
	assert_int_equal(diff.only_a_last, 39999);
	assert_int_equal(diff.steps_only_b, 0);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void times_do_not_decide(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct world w;

	(void)state;
	world_open(&w);
	steps_of(&a, "scalars.loss", 0, 99, 0.0);
	cells_copy(&a, &b);
	steps_of(&a, "phases.forward", 0, 99, 1.0);
	steps_of(&b, "phases.forward", 0, 80, 2.0);
	expect_verdict(&w, &a, &b, TS_DIFF_SAME,
		       "Both runs computed the same, bit for bit: 1 series of the trajectory agrees over 100 steps");
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Events of a pipeline are compared by their number, under a name that no column of steps has, and do not affect the verdict. */
static void events_are_told_and_do_not_decide(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	steps_of(&a, "scalars.loss", 0, 99, 0.0);
	steps_of(&a, "start", 0, 99, 5.0); /* an unknown column of steps, the same on both sides */
	cells_copy(&a, &b);
	for (int64_t i = 0; i < 7; i++) {
		cells_add(&a, 0, "stage", i, 1.0)->table = TS_TABLE_PIPELINE;
		cells_add(&a, 0, "start", i, (double)i)->table = TS_TABLE_PIPELINE;
		if (i == 6)
			continue;
		cells_add(&b, 0, "stage", i, 1.0)->table = TS_TABLE_PIPELINE;
		cells_add(&b, 0, "start", i, i == 4 ? 0.25 : (double)i)->table = TS_TABLE_PIPELINE;
	}
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_SAME);
	assert_int_equal(diff.n_same, 2);
	assert_int_equal(diff.n_series, 2);
	assert_true(ts_span_is(diff.series[0].name, "pipeline[].start"));
	assert_int_equal(diff.series[0].state, TS_SERIES_PARTS);
	assert_int_equal(diff.series[0].role, TS_ROLE_OBSERVATION);
	assert_int_equal(diff.series[0].first_step, 4);
	assert_true(diff.series[0].a.real == 4.0 && diff.series[0].b.real == 0.25);
	assert_true(ts_span_is(diff.series[1].name, "pipeline[].stage"));
	assert_int_equal(diff.series[1].state, TS_SERIES_EXTENT);
	assert_int_equal(diff.series[1].steps_a, 7);
	assert_int_equal(diff.series[1].steps_b, 6);
	assert_int_equal(diff.steps_only_a, 0);
	/* A run without events lacks two series. */
	cells_free(&b);
	steps_of(&b, "scalars.loss", 0, 99, 0.0);
	steps_of(&b, "start", 0, 99, 5.0);
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_SAME);
	assert_int_equal(diff.n_series, 2);
	assert_int_equal(diff.series[0].state, TS_SERIES_ONLY_A);
	assert_int_equal(diff.series[0].other_types, 0);
	assert_true(ts_span_is(diff.series[1].name, "pipeline[].start"));
	assert_int_equal(diff.series[1].other_types, 0); /* a column of steps is another series */
	/* A column of steps and one of events are never compared with each other. */
	cells_free(&a);
	cells_free(&b);
	steps_of(&a, "start", 0, 9, 5.0);
	cells_add(&b, 0, "start", 0, 5.0)->table = TS_TABLE_PIPELINE;
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.n_series, 2);
	assert_true(ts_span_is(diff.series[0].name, "start") && diff.series[0].state == TS_SERIES_ONLY_A);
	assert_true(ts_span_is(diff.series[1].name, "pipeline[].start") && diff.series[1].state == TS_SERIES_ONLY_B);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void no_trajectory_says_nothing(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	steps_of(&a, "phases.forward", 0, 9, 1.0);
	steps_of(&b, "phases.forward", 0, 9, 2.0);
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_INCONCLUSIVE);
	assert_int_equal(diff.n_series, 1);
	assert_int_equal(diff.series[0].first_step, 0); /* observations too have their first differing step */
	cells_free(&a);
	cells_free(&b);
	/* Neither run has any step. */
	diff_of(&w, make_run(&w, &a, (struct told[]){{TS_RANK_JOB, "config.lr", "1", 0}}, 1), make_run(&w, &b, NULL, 0),
		&diff);
	assert_int_equal(diff.verdict, TS_DIFF_INCONCLUSIVE);
	assert_int_equal(diff.n_facts, 1);
	world_close(&w);
}

static void extents(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0}, c = {.n = 0}, none = {.n = 0};
	struct world w;

	(void)state;
	world_open(&w);
	steps_of(&a, "scalars.loss", 0, 99, 0.0);
	steps_of(&b, "scalars.loss", 10, 119, 0.0);
	steps_of(&c, "scalars.loss", 200, 299, 0.0);
	steps_of(&none, "phases.forward", 0, 9, 0.0);
	expect_verdict(&w, &a, &b, TS_DIFF_INCONCLUSIVE,
		       "The trajectories cannot be compared in full: loss agrees at 90 common steps, but the first run "
		       "has 10 steps (0 "
		       "to 9) that the second lacks and the second run has 20 steps (100 to 119) that the first lacks");
	expect_verdict(&w, &a, &c, TS_DIFF_INCONCLUSIVE,
		       "The trajectories cannot be compared in full: no step of loss is in both runs");
	expect_verdict(&w, &a, &none, TS_DIFF_INCONCLUSIVE,
		       "The trajectories cannot be compared in full: only the first run has loss; no series of the "
		       "trajectory is in both "
		       "runs");
	cells_free(&a);
	cells_free(&b);
	cells_free(&c);
	cells_free(&none);
	world_close(&w);
}

static void unknown_columns_leave_it_open(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct told declared = {TS_RANK_JOB, "columns.extra\\.x.role", "observation", 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	steps_of(&a, "scalars.loss", 0, 9, 0.0);
	cells_copy(&a, &b);
	steps_of(&a, "extra.x", 0, 9, 0.0);
	steps_of(&b, "extra.x", 0, 9, 1.0);
	expect_verdict(
		&w, &a, &b, TS_DIFF_INCONCLUSIVE,
		"The trajectory agrees, but in another series the two runs first differ at step 0, the first step that "
		"both have: "
		"extra.x is 0.0 in the first run and 1.0 in the second; it is not known whether extra.x is part of the "
		"trajectory: declare columns.<name>.role in facts.json");
	diff_of(&w, make_run(&w, &a, &declared, 1), make_run(&w, &b, &declared, 1), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_SAME);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Where the two runs disagree about a role, the stricter one holds. */
static void roles_that_disagree(void **state)
{
	struct told declared = {TS_RANK_JOB, "columns.scalars\\.loss.role", "observation", 0};
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct ts_id id_a, id_b;
	struct world w;

	(void)state;
	world_open(&w);
	steps_of(&a, "scalars.loss", 0, 9, 0.0);
	steps_of(&b, "scalars.loss", 0, 9, 1.0);
	id_a = make_run(&w, &a, &declared, 1);
	id_b = make_run(&w, &b, NULL, 0);
	diff_of(&w, id_a, id_b, &diff);
	assert_int_equal(diff.verdict, TS_DIFF_DIFFERENT);
	diff_of(&w, id_b, id_a, &diff);
	assert_int_equal(diff.verdict, TS_DIFF_DIFFERENT);
	diff_of(&w, id_a, make_run(&w, &b, &declared, 1), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_INCONCLUSIVE); /* no trajectory series is left */
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void another_type_is_another_series(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	cells_add(&a, 0, "scalars.loss", 1, 2.0);
	cells_add_text(&b, 0, "scalars.loss", 1, "2.0");
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_INCONCLUSIVE);
	assert_int_equal(diff.n_series, 2);
	assert_int_equal(diff.series[0].state, TS_SERIES_ONLY_A);
	assert_int_equal(diff.series[0].type, TS_COLUMN_F64);
	assert_int_equal(diff.series[1].state, TS_SERIES_ONLY_B);
	assert_int_equal(diff.series[1].type, TS_COLUMN_TEXT);
	assert_int_equal(diff.series[0].other_types, 1 << TS_COLUMN_TEXT);
	assert_int_equal(diff.series[1].other_types, 1 << TS_COLUMN_F64);
	assert_true(ts_span_is(
		diff.reason,
		"The trajectories cannot be compared in full: only the first run has loss as f64; the second "
		"run has it as text; no series of the trajectory is in both runs"));
	/* The reply does not list other types for a name that only one side has, and a type that both have is found all
	 * the same. */
	cells_add(&b, 0, "scalars.loss", 1, 2.0);
	cells_add(&b, 0, "scalars.loss2", 1, 2.0);
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.n_series, 2);
	assert_int_equal(diff.n_same, 1);
	assert_int_equal(diff.series[0].type, TS_COLUMN_TEXT);
	assert_int_equal(diff.series[0].other_types, 1 << TS_COLUMN_F64);
	assert_int_equal(diff.series[1].other_types, 0);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Layer 1 differs from step 30 on by a tenth, layer 2 at step 40 in its last bit alone, layer 3 nowhere; layer 4 is of one run. */
static void layers_that_part(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 120; i++) {
		double x = 1 + 1 / (3 + (double)i);

		cells_add(&a, 0, "scalars.grad_norm/layer\\.1", i, x);
		cells_add(&b, 0, "scalars.grad_norm/layer\\.1", i, i < 30 ? x : x * 1.1);
		cells_add(&a, 0, "scalars.grad_norm/layer\\.2", i, (float)x)->precision = TS_PRECISION_F32;
		cells_add(&b, 0, "scalars.grad_norm/layer\\.2", i, (double)(float)x * (i == 40 ? 1 + 1e-12 : 1))->precision =
			TS_PRECISION_F32;
		cells_add(&a, 0, "scalars.grad_norm/layer\\.3", i, x);
		cells_add(&b, 0, "scalars.grad_norm/layer\\.3", i, x);
		cells_add(&b, 0, "scalars.grad_norm/layer\\.4", i, x);
	}
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_true(diff.layers.layers == 3 && diff.layers.visible == 1 && diff.layers.within == 1);
	assert_int_equal(diff.layers.n, 1);
	assert_true(ts_span_is(diff.layers.rows[0].layer, "layer.1") && ts_span_is(diff.layers.rows[0].what, "grad_norm"));
	assert_int_equal(diff.layers.rows[0].visible_step, 30);
	assert_true(fabs(diff.layers.rows[0].greatest - 0.1 / 1.1) < 1e-9 && fabs(diff.layers.rows[0].end - 0.1 / 1.1) < 1e-9);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static bool reason_says(const struct ts_diff *d, const char *words)
{
	return d->reason.len && memmem(d->reason.data, d->reason.len, words, strlen(words)) != NULL;
}

/* A run with a loss of 2 + 1 / (1 + step) that differs by `off` from step 30 on, and another number of the same kind. */
static struct ts_id named_run(struct world *w, const char *loss, double off, const char *other)
{
	struct cells c = {0};
	struct ts_id id;

	for (int64_t step = 0; step < 60; step++) {
		cells_add(&c, 0, loss, step, 2 + 1 / (1 + (double)step) + (step >= 30 ? off : 0));
		cells_add(&c, 0, "scalars.lr", step, 0.1);
		if (other)
			cells_add(&c, 0, other, step, 9);
	}
	id = make_run(w, &c, NULL, 0);
	cells_free(&c);
	return id;
}

/* Names are paired where it is plain which belong together, and never silently. */
static void one_series_under_two_names(void **state)
{
	static const struct {
		const char *a, *other_a, *b, *other_b;
		bool paired;
	} cases[] = {
		{"scalars.loss", NULL, "scalars.train/loss", NULL, true},
		{"scalars.loss", NULL, "scalars.train_loss", NULL, true},
		{"scalars.loss", NULL, "scalars.train.loss", NULL, true},
		{"scalars.loss", NULL, "scalars.train\\.loss", NULL, true},
		{"scalars.train/loss", NULL, "scalars.train_loss", NULL, true},
		{"scalars.loss", "scalars.train_loss", "scalars.train/loss", "scalars.train/train_loss", true},
		{"scalars.loss", NULL, "scalars.train_loss", "scalars.train/loss", true}, /* the values tell which it is */
		{"scalars.loss", NULL, "scalars.epoch/loss", NULL, true},
		{"scalars.loss", NULL, "scalars.batch/loss", "scalars.epoch/loss", true}, /* the values again */
		{"scalars.train/loss", NULL, "scalars.batch/loss", NULL, true},
		/* Other names, a name that both have, and measurements. */
		{"scalars.batch/loss", NULL, "scalars.epoch/loss", NULL, false},
		{"scalars.loss", NULL, "scalars.eval/loss", NULL, false},
		{"scalars.loss", NULL, "scalars.trainer_loss", NULL, false},
		{"scalars.loss", NULL, "scalars.loss", "scalars.train/loss", false},
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_id a, b, c;
		struct ts_diff d;

		world_open(&w);
		a = named_run(&w, cases[i].a, 0, cases[i].other_a);
		b = named_run(&w, cases[i].b, 0, cases[i].other_b);
		c = named_run(&w, cases[i].b, 1e-3, cases[i].other_b);
		for (int turned = 0; turned < 2; turned++) {
			diff_of(&w, turned ? b : a, turned ? a : b, &d);
			if ((d.n_aliases > 0) != cases[i].paired || reason_says(&d, "as one series") != cases[i].paired)
				fail_msg("case %zu: %.*s", i, TS_SPAN_ARG(d.reason));
			if (!cases[i].paired)
				continue;
			assert_true(ts_span_is(turned ? d.aliases[0].b : d.aliases[0].a, cases[i].a));
			assert_true(d.aliases[0].common == 60 && !d.aliases[0].parts && d.aliases[0].ranks == 1);
			assert_true(reason_says(&d, "they agree at all 60 common steps"));
			diff_of(&w, turned ? c : a, turned ? a : c, &d);
			assert_int_equal(d.verdict, TS_DIFF_DIFFERENT);
			assert_int_equal(d.series[0].first_step, 30);
			assert_true(d.aliases[0].common == 30 && d.aliases[0].parts);
			assert_true(reason_says(&d, "they agree at the first 30 common steps"));
		}
		world_close(&w);
	}
}

/* One run was read from a log, whose eval/loss became eval_loss; the other one was recorded and has the name that it was given. */
static void a_name_that_a_reader_changed(void **state)
{
	static const struct told told[] = {
		{.rank = TS_RANK_JOB, .path = "columns.scalars\\.eval_loss.source", .text = "eval/loss.all"}};
	struct cells read = {0}, recorded = {0};
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 60; step++) {
		cells_add(&read, 0, "scalars.eval_loss", step, 2 + (double)step);
		cells_add(&recorded, 0, "scalars.eval/loss\\.all", step, 2 + (double)step);
		cells_add(&recorded, 0, "scalars.eval/loss", step, 9);
	}
	for (int turned = 0; turned < 2; turned++) {
		struct ts_id a = make_run(&w, &read, told, 1), b = make_run(&w, &recorded, NULL, 0);
		struct ts_diff d;

		diff_of(&w, turned ? b : a, turned ? a : b, &d);
		assert_int_equal(d.n_aliases, 1);
		assert_true(ts_span_is(turned ? d.aliases[0].a : d.aliases[0].b, "scalars.eval/loss\\.all"));
		assert_true(d.aliases[0].common == 60 && !d.aliases[0].parts);
	}
	cells_free(&read);
	cells_free(&recorded);
	world_close(&w);
}

/* Two series of the other run are alike and neither agrees: nothing says which it is. */
static void names_that_are_not_plain(void **state)
{
	struct world w;
	struct ts_diff d;

	(void)state;
	world_open(&w);
	diff_of(&w, named_run(&w, "scalars.loss", 0, NULL), named_run(&w, "scalars.x", 0, NULL), &d);
	assert_int_equal(d.n_aliases, 0);
	{
		struct cells c = {0};

		for (int64_t step = 0; step < 60; step++) {
			cells_add(&c, 0, "scalars.train/loss", step, 7);
			cells_add(&c, 0, "scalars.train_loss", step, 8);
		}
		diff_of(&w, named_run(&w, "scalars.loss", 0, NULL), make_run(&w, &c, NULL, 0), &d);
		cells_free(&c);
	}
	assert_int_equal(d.n_aliases, 0);
	assert_int_equal(d.verdict, TS_DIFF_INCONCLUSIVE);
	world_close(&w);
}

/* Rows that a restart executed again are counted on their side, over all ranks. */
static void superseded_rows_are_counted(void **state)
{
	struct cells a = {0}, b = {0};
	struct world w;
	struct ts_diff d;

	(void)state;
	world_open(&w);
	for (int32_t rank = 0; rank < 2; rank++)
		for (int64_t step = 0; step < 20; step++) {
			cells_add(&a, rank, "scalars.loss", step, 2);
			cells_add(&b, rank, "scalars.loss", step, 2);
		}
	for (int64_t i = 0; i < 3; i++) {
		cells_add(&b, 1, "step", i, (double)(5 + i))->table = TS_TABLE_SUPERSEDED;
		cells_add(&b, 1, "scalars.loss", i, 9)->table = TS_TABLE_SUPERSEDED;
	}
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &d);
	assert_int_equal(d.verdict, TS_DIFF_SAME);
	assert_true(d.superseded_a == 0 && d.superseded_b == 3);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void nan_equals_nan_and_zeros_differ(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	cells_add(&a, 0, "scalars.loss", 1, (double)NAN);
	cells_add(&b, 0, "scalars.loss", 1, -(double)NAN);
	cells_add(&a, 0, "scalars.loss", 2, 0.0);
	cells_add(&b, 0, "scalars.loss", 2, -0.0);
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_DIFFERENT);
	assert_int_equal(diff.series[0].first_step, 2);
	assert_int_equal(diff.series[0].after_step, 1);
	assert_true(
		ts_span_is(diff.reason,
			   "The two runs first differ at step 2: loss is 0.0 in the first run and -0.0 in the second"));
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void ranks_that_only_one_side_has(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	cells_add(&a, 0, "scalars.loss", 1, 1.0);
	cells_add(&b, 0, "scalars.loss", 1, 1.0);
	cells_add(&a, 2, "scalars.loss", 1, 1.0);
	cells_add(&a, 3, "scalars.loss", 1, 1.0);
	cells_add(&b, 5, "scalars.loss", 1, 1.0);
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_INCONCLUSIVE);
	assert_int_equal(diff.n_ranks_only_a, 2);
	assert_int_equal(diff.ranks_only_a[1], 3);
	assert_int_equal(diff.n_ranks_only_b, 1);
	assert_true(ts_span_is(
		diff.reason,
		"The two runs do not have the same ranks: only the first run has ranks 2, 3, only the second run "
		"has rank 5; the trajectory agrees at all common steps"));
	cells_add(&a, 0, "scalars.loss", 2, 1.0);
	cells_add(&b, 0, "scalars.loss", 2, 1.5);
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.verdict, TS_DIFF_DIFFERENT);
	assert_true(ts_span_is(
		diff.reason,
		"The two runs first differ at step 2: loss on rank 0 is 1.0 in the first run and 1.5 in the second"));
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static const struct ts_fact_row *fact_row(const struct ts_diff *d, const char *path, int32_t rank)
{
	for (size_t i = 0; i < d->n_facts; i++)
		if (ts_span_is(d->facts[i].path, path) && d->facts[i].rank == rank)
			return &d->facts[i];
	return NULL;
}

static void facts_by_effective_value(void **state)
{
	static const struct told told_a[] = {
		{TS_RANK_JOB, "config.lr", "0.1", 0}, {TS_RANK_JOB, "config.same", "x", 0},
		{TS_RANK_JOB, "seeds.torch", "1", 0}, {TS_RANK_JOB, "session.host", "h1", 0},
		{1, "session.host", "h2", 0},         {0, "config.only", "y", 0},
	};
	static const struct told told_b[] = {
		{TS_RANK_JOB, "config.lr", "0.2", 0}, {TS_RANK_JOB, "config.same", "x", 0},
		{TS_RANK_JOB, "code.commit", "c", 0}, {TS_RANK_JOB, "session.host", "h1", 0},
		{1, "config.same", NULL, 0},          {0, "config.only", "y", 0},
		{TS_RANK_JOB, "work.modes.last", "f", 0}, /* no number changes by it: it is listed, and not counted */
	};
	struct ts_span globs[] = {ts_span_str("config.*"), ts_span_str("session.host")};
	struct ts_fact_globs ignore = {globs, 2};
	struct cells none = {.n = 0};
	struct ts_id a, b;
	struct ts_diff diff;
	struct ts_error err;
	struct world w;

	(void)state;
	world_open(&w);
	cells_add(&none, 0, "scalars.loss", 1, 1.0);
	cells_add(&none, 1, "scalars.loss", 1, 1.0);
	a = make_run(&w, &none, told_a, sizeof told_a / sizeof told_a[0]);
	b = make_run(&w, &none, told_b, sizeof told_b / sizeof told_b[0]);
	diff_of(&w, a, b, &diff);
	assert_int_equal(diff.verdict, TS_DIFF_SAME);
	assert_int_equal(diff.n_facts, 6);
	assert_true(ts_span_is(diff.facts[0].path, "code.commit")); /* by group: code, config, seeds, session */
	assert_int_equal(diff.facts[0].change, TS_FACT_ONLY_B);
	assert_null(diff.facts[0].a);
	assert_int_equal(fact_row(&diff, "config.lr", TS_RANK_JOB)->change, TS_FACT_CHANGED);
	assert_int_equal(fact_row(&diff, "config.same", 1)->change,
			 TS_FACT_ONLY_A); /* rank 1 of b records that it has none */
	assert_int_equal(fact_row(&diff, "seeds.torch", TS_RANK_JOB)->change, TS_FACT_ONLY_A);
	assert_true(ts_span_is(fact_row(&diff, "session.host", 1)->b->text, "h1")); /* from the head of b */
	assert_true(
		ts_span_is(diff.reason,
			   "Both runs computed the same, bit for bit: 2 series of the trajectory agree over 1 step; 4 "
			   "recorded facts differ: code.commit and 3 more"));
	must(ts_diff_runs(&w.fetch, &a, &b, &(struct ts_diff_how){.ignore = ignore}, &w.arena, &diff, &err), &err);
	assert_int_equal(diff.n_facts, 3);
	assert_int_equal(diff.ignored_facts, 3); /* config.lr, config.same and the host of rank 1 */
	cells_free(&none);
	world_close(&w);
}

static void long_texts_are_cut_between_characters(void **state)
{
	char *text = test_malloc(2002), *other = test_malloc(2002);
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	text[0] = 'x';
	for (int i = 0; i < 1000; i++)
		memcpy(text + 1 + 2 * i, "\xc3\xa9", 3);
	memcpy(other, text, 2002);
	other[2000] = (char)0xa8;
	cells_add_text(&a, 0, "tags", 1, text);
	cells_add_text(&b, 0, "tags", 1, other);
	diff_of(&w, make_run(&w, &a, NULL, 0), make_run(&w, &b, NULL, 0), &diff);
	assert_int_equal(diff.series[0].state, TS_SERIES_PARTS);
	assert_int_equal(diff.series[0].a.text.len, 511 + 3); /* byte 512 is inside a character */
	cells_free(&a);
	cells_free(&b);
	test_free(text);
	test_free(other);
	world_close(&w);
}

static bool never(const struct ts_call *call)
{
	(void)call;
	return false;
}

static enum ts_status measure_reply(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	(void)err;
	*(size_t *)call->driver = message.len;
	return TS_OK;
}

/* In 64 ranks, 200 series each differ: what does not fit one answer is left out, and the reason says how much. */
static void an_answer_fits_one_message(void **state)
{
	enum { SERIES = 200, RANKS = 64 };
	static char names_of[SERIES][80];
	struct ts_buf message = TS_BUF_INIT(1 << 20);
	struct cells a = {.n = 0}, b;
	char spec_a[80] = "id:", spec_b[80] = "id:", left_out[80];
	struct ts_diff_request request;
	struct ts_diff diff;
	struct ts_error err;
	struct ts_id id_a, id_b;
	struct world w;
	size_t len = 0;

	(void)state;
	world_open(&w);
	for (int i = 0; i < SERIES; i++)
		snprintf(names_of[i], sizeof names_of[i],
			 "scalars.loss_of_a_head_with_a_rather_long_name_that_takes_room_%03d", i);
	for (int i = 0; i < SERIES * RANKS; i++)
		cells_add(&a, i / SERIES, names_of[i % SERIES], 1, 0.0);
	cells_copy(&a, &b);
	for (size_t i = 0; i < b.n; i++)
		b.items[i].word++;
	id_a = make_run(&w, &a, NULL, 0);
	id_b = make_run(&w, &b, NULL, 0);
	diff_of(&w, id_a, id_b, &diff);
	assert_true(diff.n_series > 1000 && diff.n_series < SERIES * RANKS);
	snprintf(left_out, sizeof left_out, "; %d,%03d more rows of series are not listed",
		 (int)(SERIES * RANKS - diff.n_series) / 1000, (int)(SERIES * RANKS - diff.n_series) % 1000);
	assert_non_null(strstr((const char *)diff.reason.data, left_out));
	ts_id_hex(&id_a, spec_a + 3);
	ts_id_hex(&id_b, spec_b + 3);
	request = (struct ts_diff_request){.a = ts_span_str(spec_a), .b = ts_span_str(spec_b)};
	must(ts_wire_pack_diff_request(&request, &message, &err), &err);
	w.call.reply = measure_reply;
	w.call.driver = &len;
	w.call.cancelled = never;
	must(ts_handle_diff(&w.call, NULL, ts_buf_view(&message), &err), &err);
	assert_true(len > 0 && len < TS_MESSAGE_MAX);
	ts_buf_finish(&message);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Every allocation of a diff fails once: the diff reports it and leaks nothing. */
static void any_allocation_may_fail(void **state)
{
	struct ts_diff_how how = {0};
	struct cells a = {.n = 0}, b;
	enum ts_status status = TS_NO_MEMORY;
	struct ts_error err;
	struct ts_id id_a, id_b;
	struct world w;

	(void)state;
	world_open(&w);
	steps_of(&a, "scalars.loss", 0, 99, 0.0);
	cells_add_text(&a, 0, "tags", 7, "x");
	cells_copy(&a, &b);
	b.items[b.n - 1].text = "y";
	cells_add(&b, 0, "scalars.loss", 1000000, 0.0);
	id_a = make_run(&w, &a, NULL, 0);
	id_b = make_run(&w, &b, NULL, 0);
	for (size_t n = 1; status; n++) {
		struct ts_arena arena;
		struct ts_fetch f;
		struct ts_diff diff;

		ts_arena_init(&arena, 0);
		ts_fetch_init(&f, &w.call);
		ts_alloc_fail_at(n);
		status = ts_diff_runs(&f, &id_a, &id_b, &how, &arena, &diff, &err);
		ts_alloc_fail_at(0);
		ts_fetch_finish(&f);
		ts_arena_finish(&arena);
		assert_true(status == TS_OK || status == TS_NO_MEMORY);
		assert_true(n > 5 || status == TS_NO_MEMORY);
	}
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* --- the method --- */

static enum ts_status keep_reply(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	struct ts_diff *diff = call->server ? NULL : call->driver;

	return ts_wire_unpack_diff_reply(ts_arena_span(call->arena, message), call->arena, diff, err);
}

static void the_method_answers(void **state)
{
	struct ts_buf message = TS_BUF_INIT(1 << 20);
	struct cells a = {.n = 0}, b = {.n = 0};
	char spec_a[80] = "id:", spec_b[80] = "id:";
	struct ts_diff_request request;
	struct ts_diff diff = {.n_series = 0};
	struct ts_error err;
	struct ts_id id_a, id_b;
	struct world w;

	(void)state;
	world_open(&w);
	cells_add(&a, 0, "scalars.loss", 7, 1.0);
	cells_add(&b, 0, "scalars.loss", 7, 2.0);
	id_a = make_run(&w, &a, NULL, 0);
	id_b = make_run(&w, &b, NULL, 0);
	ts_id_hex(&id_a, spec_a + 3);
	ts_id_hex(&id_b, spec_b + 3);
	request = (struct ts_diff_request){.a = ts_span_str(spec_a), .b = ts_span_str(spec_b)};
	must(ts_wire_pack_diff_request(&request, &message, &err), &err);
	w.call.reply = keep_reply;
	w.call.driver = &diff;
	w.call.cancelled = never;
	must(ts_handle_diff(&w.call, NULL, ts_buf_view(&message), &err), &err);
	assert_int_equal(diff.verdict, TS_DIFF_DIFFERENT);
	assert_int_equal(diff.n_series, 1);
	assert_int_equal(diff.series[0].first_step, 7);
	assert_true(diff.series[0].b.real == 2.0);
	assert_true(ts_id_eq(&diff.b.id, &id_b));
	assert_int_equal(diff.a.steps, 1);
	ts_buf_finish(&message);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_runs_agree_with_plain_comparison),
		cmocka_unit_test(one_bit_of_the_loss),
		cmocka_unit_test(between_two_steps),
		cmocka_unit_test(blocks_that_one_side_lacks),
		cmocka_unit_test(times_do_not_decide),
		cmocka_unit_test(events_are_told_and_do_not_decide),
		cmocka_unit_test(no_trajectory_says_nothing),
		cmocka_unit_test(extents),
		cmocka_unit_test(unknown_columns_leave_it_open),
		cmocka_unit_test(roles_that_disagree),
		cmocka_unit_test(another_type_is_another_series),
		cmocka_unit_test(one_series_under_two_names),
		cmocka_unit_test(a_name_that_a_reader_changed),
		cmocka_unit_test(names_that_are_not_plain),
		cmocka_unit_test(superseded_rows_are_counted),
		cmocka_unit_test(nan_equals_nan_and_zeros_differ),
		cmocka_unit_test(ranks_that_only_one_side_has),
		cmocka_unit_test(facts_by_effective_value),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(layers_that_part),
		cmocka_unit_test(an_answer_fits_one_message),
		cmocka_unit_test(any_allocation_may_fail),
		cmocka_unit_test(the_method_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
