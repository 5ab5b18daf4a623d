/* Diffs by tokens of stored runs against plain cells placed by a plain sum, and the cases that have names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_runs.h"
#include "service/handlers/diff/series_axis.h"

#include <math.h>

static const char LOSS[] = "scalars.loss", TOKENS[] = "tokens";

static enum ts_status try_diff(struct world *w, const struct cells *a, const struct cells *b, const char *axis,
			       struct ts_diff *ret_diff, struct ts_error *err)
{
	struct ts_diff_how how = {.axis = ts_span_str(axis)};
	struct ts_id id_a = make_run(w, a, NULL, 0), id_b = make_run(w, b, NULL, 0);

	return ts_diff_runs(&w->fetch, &id_a, &id_b, &how, &w->arena, ret_diff, err);
}

static void diff_by(struct world *w, const struct cells *a, const struct cells *b, const char *axis,
		    struct ts_diff *ret_diff)
{
	struct ts_error err;

	must(try_diff(w, a, b, axis, ret_diff, &err), &err);
}

static const struct ts_series_row *row_of(const struct ts_diff *d, const char *name, int32_t rank)
{
	for (size_t i = 0; i < d->n_series; i++)
		if (ts_span_is(d->series[i].name, name) && d->series[i].rank == rank)
			return &d->series[i];
	return NULL;
}

static double real_of(const struct cell *c)
{
	double real;

	memcpy(&real, &c->word, sizeof real);
	return real;
}

/* --- random runs --- */

struct point {
	int64_t place, step;
	double value;
};

/* The points of the loss that have a position, and how many points without one come before each. */
struct points {
	struct point *items;
	size_t *lost;
	size_t n, lost_behind;
};

static void points_of(const struct cells *c, struct ts_arena *arena, struct points *p)
{
	size_t lost = 0;

	*p = (struct points){.items = ts_arena_array(arena, c->n + 1, sizeof *p->items),
			     .lost = ts_arena_array(arena, c->n + 1, sizeof *p->lost)};
	for (size_t i = 0; i < c->n; i++) {
		int64_t sum = 0;
		bool there = false;

		if (c->items[i].name != LOSS)
			continue;
		for (size_t j = 0; j < c->n; j++) {
			if (c->items[j].name != TOKENS || c->items[j].step > c->items[i].step)
				continue;
			sum += (int64_t)real_of(&c->items[j]);
			there |= c->items[j].step == c->items[i].step;
		}
		if (!there || (p->n && sum <= p->items[p->n - 1].place)) {
			lost++;
			continue;
		}
		p->lost[p->n] = lost;
		p->items[p->n++] = (struct point){sum, c->items[i].step, real_of(&c->items[i])};
		lost = 0;
	}
	p->lost_behind = lost;
}

struct expected {
	enum ts_series_state state;
	uint64_t common, only_a, only_b;
	struct point a, b;
	bool after_known;
	int64_t after;
	struct ts_gap gap;
};

static void expect_points(const struct points *a, const struct points *b, struct ts_arena *arena, struct expected *e)
{
	struct ts_resolution doubles = {TS_PRECISION_F64, 0};
	struct ts_gap_meter meter;
	struct ts_error err;
	size_t i = 0, j = 0;

	*e = (struct expected){.state = TS_SERIES_SAME};
	must(ts_gap_begin(&meter, doubles, doubles, arena, &err), &err);
	while (i < a->n && j < b->n) {
		const struct point *x = &a->items[i], *y = &b->items[j];

		if (x->place == y->place) {
			if (e->state != TS_SERIES_PARTS && memcmp(&x->value, &y->value, sizeof x->value) == 0) {
				e->common++;
				e->after_known = true;
				e->after = x->place;
			} else if (e->state != TS_SERIES_PARTS) {
				e->state = TS_SERIES_PARTS;
				e->a = *x;
				e->b = *y;
				e->only_a = i - e->common;
				e->only_b = j - e->common;
				for (size_t k = 0; k <= i; k++)
					e->only_a += a->lost[k];
				for (size_t k = 0; k <= j; k++)
					e->only_b += b->lost[k];
			}
			if (e->state == TS_SERIES_PARTS)
				ts_gap_add(&meter, x->place, x->value, y->value);
		}
		i += x->place <= y->place;
		j += y->place <= x->place;
	}
	must(ts_gap_end(&meter, &e->gap, &err), &err);
	if (e->state == TS_SERIES_PARTS)
		return;
	e->only_a = a->n - e->common + a->lost_behind;
	e->only_b = b->n - e->common + b->lost_behind;
	for (i = 0; i < a->n; i++)
		e->only_a += a->lost[i];
	for (j = 0; j < b->n; j++)
		e->only_b += b->lost[j];
	if (e->common == 0)
		e->state = TS_SERIES_DISJOINT;
	else if (e->only_a || e->only_b)
		e->state = TS_SERIES_EXTENT;
}

static void random_run(uint64_t *seed, int64_t stride, int64_t tokens, size_t parts, struct cells *out)
{
	size_t rows = 30 + draw_below(seed, 300), every = 1 + draw_below(seed, 3);
	bool holes = draw_below(seed, 3) == 0, stands = draw_below(seed, 3) == 0;
	int64_t step = (int64_t)draw_below(seed, 5) - 2, sum = 0;

	for (size_t i = 0; i < rows; i++, step += i < 64 ? 1 : stride) {
		bool has = !holes || draw_below(seed, 10) != 0;
		int64_t taken = stands && draw_below(seed, 10) == 0 ? 0 : tokens;

		if (has) {
			cells_add(out, 0, TOKENS, step, (double)taken);
			sum += taken;
		}
		if (i % every == 0) /* equal at equal positions, until they differ */
			cells_add(out, 0, LOSS, step, (double)(sum * 37 % 1000) / 7 + (i >= parts ? 0.001 : 0));
	}
}

static void same_number(double x, double y)
{
	if (isnan(x) ? !isnan(y) : x != y)
		fail_msg("%.17g against %.17g", x, y);
}

static void check_gap(const struct ts_gap *g, const struct ts_gap *want)
{
	assert_int_equal(g->known, want->known);
	if (!want->known)
		return;
	assert_int_equal(g->visible_step, want->visible_step);
	same_number(g->first, want->first);
	same_number(g->after_10, want->after_10);
	same_number(g->slope, want->slope);
	same_number(g->saturation, want->saturation);
	same_number(g->greatest, want->greatest);
	same_number(g->bias, want->bias);
	assert_int_equal(g->points, want->points);
	assert_int_equal(g->differing, want->differing);
	assert_int_equal(g->last_step, want->last_step);
}

static void check_row(const struct ts_series_row *row, const struct expected *e)
{
	assert_int_equal(row->state, e->state);
	if (e->state == TS_SERIES_PARTS) {
		assert_int_equal(row->first_step, e->a.place);
		assert_int_equal(row->step_a, e->a.step);
		assert_int_equal(row->step_b, e->b.step);
		assert_true(row->a.real == e->a.value && row->b.real == e->b.value);
		assert_int_equal(row->after_known, e->after_known);
		if (e->after_known)
			assert_int_equal(row->after_step, e->after);
		check_gap(&row->gap, &e->gap);
	}
	assert_int_equal(row->only_a, e->only_a);
	assert_int_equal(row->only_b, e->only_b);
	assert_int_equal(row->common, e->common);
	assert_int_equal(row->counted, e->state != TS_SERIES_PARTS);
}

static void random_runs_agree_with_plain_sums(void **state)
{
	int seen[TS_SERIES_DISJOINT + 1] = {0};

	(void)state;
	for (uint64_t round = 1; round <= 200; round++) {
		uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15);
		int64_t tokens = 64 << draw_below(&seed, 3), stride = draw_below(&seed, 2) ? 1 : 4000;
		size_t parts = draw_below(&seed, 2) ? 1000 : draw_below(&seed, 200);
		struct cells a = {.n = 0}, b = {.n = 0};
		const struct ts_series_row *row, *mirror;
		struct ts_diff diff, mirrored;
		struct points p, q;
		struct expected e;
		struct world w;

		world_open(&w);
		random_run(&seed, stride, 128, 1000, &a);
		random_run(&seed, stride, tokens, parts, &b);
		points_of(&a, &w.arena, &p);
		points_of(&b, &w.arena, &q);
		expect_points(&p, &q, &w.arena, &e);
		diff_by(&w, &a, &b, "tokens", &diff);
		diff_by(&w, &b, &a, "tokens", &mirrored);
		assert_true(ts_span_is(diff.axis, "tokens"));
		assert_null(row_of(&diff, TOKENS, 0));
		row = row_of(&diff, LOSS, 0);
		mirror = row_of(&mirrored, LOSS, 0);
		if (e.state == TS_SERIES_SAME) {
			assert_null(row);
		} else {
			check_row(row, &e);
			assert_int_equal(mirror->first_step, row->first_step);
			assert_int_equal(mirror->step_a, row->step_b);
			assert_int_equal(mirror->only_a, row->only_b);
			same_number(mirror->gap.slope, row->gap.slope);
		}
		seen[e.state]++;
		cells_free(&a);
		cells_free(&b);
		world_close(&w);
	}
	assert_true(seen[TS_SERIES_PARTS] > 20 && seen[TS_SERIES_EXTENT] > 20 && seen[TS_SERIES_DISJOINT] > 2);
}

/* --- cases with names --- */

/* One run has half the batch size and twice the steps: the loss agrees after every 1,024 tokens until the first run has
 * seen 51,200. */
static void another_batch_size(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 100; step++) {
		cells_add(&a, 0, TOKENS, step, 1024);
		cells_add(&a, 0, "samples", step, 8);
		cells_add(&a, 0, LOSS, step, (double)step + (step < 49 ? 0 : 0.5));
	}
	for (int64_t step = 0; step < 200; step++) {
		cells_add(&b, 0, TOKENS, step, 512);
		cells_add(&b, 0, "samples", step, 4);
		cells_add(&b, 0, LOSS, step, (double)(step / 2));
	}
	diff_by(&w, &a, &b, "tokens", &diff);
	assert_int_equal(diff.verdict, TS_DIFF_DIFFERENT);
	if (!ts_span_is(diff.reason, "The two runs first differ at 51,200 tokens (step 49 of the first run, step 99 of the second): "
				     "loss is 49.5 in the first run and 49.0 in the second"))
		fail_msg("%.*s", TS_SPAN_ARG(diff.reason));
	assert_int_equal(row_of(&diff, LOSS, 0)->after_step, 50176);
	/* The runs certainly differ; the cause is determined at equal steps only, and the answer says so. */
	assert_int_equal(diff.diagnosis.cause, TS_CAUSE_UNKNOWN);
	assert_int_equal(diff.diagnosis.bits.answer, TS_TIER_FAILS);
	assert_true(ts_span_is(diff.diagnosis.bits.why, "loss differs at 51200 tokens"));
	assert_int_equal(diff.diagnosis.n_against, 1);
	assert_non_null(memmem(diff.diagnosis.evidence_against[0].data, diff.diagnosis.evidence_against[0].len,
			       "the first run has taken step 49 and the second step 99", 54));
	assert_int_equal(diff.diagnosis.n_experiments, 1);
	assert_true(ts_span_starts(diff.diagnosis.experiments[0].command, ts_span_str("tscope diff ")));
	diff_by(&w, &a, &b, "samples", &diff);
	assert_int_equal(row_of(&diff, LOSS, 0)->first_step, 400);
	assert_null(row_of(&diff, TOKENS, 0)); /* the tokens of each step differ by design */
	for (size_t i = 0; i < a.n; i++) {
		double step = (double)a.items[i].step;

		if (a.items[i].name == LOSS)
			memcpy(&a.items[i].word, &step, sizeof step);
	}
	diff_by(&w, &a, &b, "tokens", &diff);
	assert_int_equal(diff.verdict, TS_DIFF_INCONCLUSIVE);
	assert_int_equal(diff.diagnosis.bits.answer, TS_TIER_UNKNOWN);
	assert_non_null(memmem(diff.diagnosis.evidence_against[0].data, diff.diagnosis.evidence_against[0].len,
			       "no series of the trajectory differs", 35));
	if (!ts_span_is(diff.reason,
			"The trajectories cannot be compared in full: loss agrees at 100 common points of tokens, but the second run "
			"has 100 points that the first lacks"))
		fail_msg("%.*s", TS_SPAN_ARG(diff.reason));
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* A column of totals is used as it is; a series that is logged less often has fewer positions; texts and words are
 * aligned too. */
static void a_column_of_totals(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row;
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 100; step++) {
		cells_add(&a, 0, "scalars.seen", step, (double)(step * 10));
		cells_add(&b, 0, "scalars.seen", step, (double)(step * 20));
		cells_add_word(&a, 0, "digests.params", step, (uint64_t)step * 10);
		cells_add_word(&b, 0, "digests.params", step, step < 30 ? (uint64_t)step * 20 : 1);
		cells_add_text(&a, 0, "extra.stage", step, step < 50 ? "warm" : "hot");
		cells_add_text(&b, 0, "extra.stage", step, step < 20 ? "warm" : "hot");
		cells_add(&a, 0, "phases.forward", step, 1);
		cells_add(&b, 0, "phases.forward", step, 2);
	}
	diff_by(&w, &a, &b, "seen", &diff);
	row = row_of(&diff, "digests.params", 0);
	assert_int_equal(row->first_step, 600);
	assert_int_equal(row->step_a, 60);
	assert_int_equal(row->step_b, 30);
	assert_int_equal(row->b.word, 1);
	assert_false(row->gap.known);
	row = row_of(&diff, "extra.stage", 0);
	assert_int_equal(row->first_step, 400);
	assert_true(ts_span_is(row->a.text, "warm") && ts_span_is(row->b.text, "hot"));
	row = row_of(&diff, "phases.forward", 0);
	assert_int_equal(row->first_step, 0);
	assert_false(row->gap.known); /* a time is measured, so it has no gap */
	assert_null(row_of(&diff, "scalars.seen", 0));
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Only rank 0 of the second run records how many tokens it saw. */
static void the_axis_of_another_rank(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 100; step++) {
		for (int32_t rank = 0; rank < 2; rank++) {
			cells_add(&a, rank, TOKENS, step, 10);
			if (rank == 0)
				cells_add(&b, rank, TOKENS, step, 10);
			cells_add(&a, rank, LOSS, step, 1);
			cells_add(&b, rank, LOSS, step, step < 70 ? 1 : 2);
		}
	}
	diff_by(&w, &a, &b, "tokens", &diff);
	assert_int_equal(row_of(&diff, LOSS, 0)->first_step, 710);
	assert_int_equal(row_of(&diff, LOSS, 1)->first_step, 710);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

/* Both sides have more blocks than a cache keeps: the axis of every step, the loss of every 50th. */
static void many_blocks(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	const struct ts_series_row *row;
	struct ts_diff diff;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 200000; step++) {
		cells_add(&a, 0, TOKENS, step, 3);
		if (step % 50 == 49)
			cells_add(&a, 0, LOSS, step, step < 150000 ? 1 : 2);
	}
	for (int64_t step = 0; step < 12000; step++) {
		cells_add(&b, 0, TOKENS, step * 4000, 50);
		cells_add(&b, 0, LOSS, step * 4000, 1);
	}
	diff_by(&w, &a, &b, "tokens", &diff);
	row = row_of(&diff, LOSS, 0);
	assert_int_equal(row->first_step, 450150); /* 3,001 times 150 */
	assert_int_equal(row->step_a, 150049);
	assert_int_equal(row->step_b, (450150 / 50 - 1) * 4000);
	assert_int_equal(row->common, 3000);
	assert_int_equal(row->gap.points, 1000);
	assert_int_equal(row->gap.last_step, 600000);
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

static void refused(struct world *w, const struct cells *a, const struct cells *b, const char *axis, const char *text)
{
	struct ts_diff diff;
	struct ts_error err;

	assert_int_equal(try_diff(w, a, b, axis, &diff, &err), TS_INVALID);
	if (!strstr(err.text, text))
		fail_msg("%s", err.text);
}

static void what_is_no_axis(void **state)
{
	struct cells a = {.n = 0}, b = {.n = 0};
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t step = 0; step < 100; step++) {
		cells_add(&a, 0, LOSS, step, 1);
		cells_add(&b, 0, LOSS, step, 2);
		cells_add(&a, 0, TOKENS, step, 64);
		cells_add(&a, 0, "scalars.saw", step, (double)(step % 10));
		cells_add(&b, 0, "scalars.saw", step, (double)(step % 10));
		cells_add(&a, 0, "scalars.still", step, 5);
		cells_add(&b, 0, "scalars.still", step, 5);
		cells_add(&a, 0, "scalars.half", step, (double)step);
		cells_add(&b, 0, "scalars.half", step, (double)step + (step == 7 ? 0.5 : 0));
		cells_add(&a, 0, "scalars.nan", step, step == 3 ? (double)NAN : (double)step);
		cells_add(&b, 0, "scalars.nan", step, (double)step);
		cells_add(&a, 0, "samples", step, 1);
		cells_add(&b, 0, "samples", step, step == 9 ? -1 : 1);
		cells_add_word(&a, 0, "digests.batch", step, (uint64_t)step);
		cells_add_word(&b, 0, "digests.batch", step, (uint64_t)step);
	}
	refused(&w, &a, &b, "tokens", "the second run: it has no column of numbers named tokens");
	refused(&w, &b, &a, "tokens", "the first run: it has no column of numbers named tokens");
	refused(&w, &a, &b, "digests.batch", "the first run: it has no column of numbers named digests.batch");
	refused(&w, &a, &b, "saw", "column scalars.saw falls at step 10:");
	refused(&w, &a, &b, "scalars.still", "the first run: column scalars.still does not grow:");
	refused(&w, &a, &b, "half", "the second run: column scalars.half is no whole number at step 7:");
	refused(&w, &a, &b, "nan", "the first run: column scalars.nan is no whole number at step 3:");
	cells_add(&a, 0, "extra.much", 50, 0x1p53 + 2);
	cells_add(&b, 0, "extra.much", 50, 1);
	refused(&w, &a, &b, "extra.much", "the first run: column extra.much is no whole number at step 50:");
	cells_add(&a, 1, TOKENS, 0, 0x1p53 - 1);
	cells_add(&a, 1, TOKENS, 1, 1);
	cells_add(&b, 1, TOKENS, 0, 1);
	cells_add(&b, 1, TOKENS, 1, 1);
	for (int64_t step = 0; step < 2; step++) {
		cells_add(&a, 1, LOSS, step, 1);
		cells_add(&b, 1, LOSS, step, 1);
	}
	refused(&w, &a, &b, "tokens", "the first run: column tokens adds up to 2^53 or more at step 1:");
	refused(&w, &a, &b, "samples", "the second run: column samples falls at step 9:");
	cells_free(&a);
	cells_free(&b);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_runs_agree_with_plain_sums),
		cmocka_unit_test(another_batch_size),
		cmocka_unit_test(a_column_of_totals),
		cmocka_unit_test(the_axis_of_another_rank),
		cmocka_unit_test(many_blocks),
		cmocka_unit_test(what_is_no_axis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
