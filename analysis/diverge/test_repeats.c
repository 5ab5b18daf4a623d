/* Patterns of hand-made matrices; envelopes whose numbers were worked out by hand, and against the definition written out plainly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/repeats.h"
#include "base/test_arena.h"

#include <math.h>
#include <stdio.h>

enum { SAME = -1, EXTENT = -2, APART = -3 };

/* cells is the upper triangle of the matrix: a step or one of the values above. */
static struct ts_repeats judged(size_t n, const int64_t *cells)
{
	struct ts_repeats r = {.asked = true, .matrix = {.n = n}};

	r.matrix.runs = ts_arena_array(&arena, n, sizeof *r.matrix.runs);
	r.matrix.pairs = ts_arena_array(&arena, n * (n - 1) / 2, sizeof *r.matrix.pairs);
	for (size_t i = 0; i < n; i++) {
		r.matrix.runs[i].own_name = ts_span_str(ts_arena_printf(&arena, "r%zu", i));
		r.matrix.runs[i].id.bytes[0] = (uint8_t)i;
	}
	for (size_t p = 0; p < n * (n - 1) / 2; p++) {
		struct ts_pair *pair = &r.matrix.pairs[p];

		pair->state = cells[p] == SAME	   ? TS_PAIR_SAME
			      : cells[p] == EXTENT ? TS_PAIR_EXTENT
			      : cells[p] == APART  ? TS_PAIR_APART
						   : TS_PAIR_PARTS;
		pair->step = cells[p] < 0 ? 0 : cells[p];
	}
	assert_true(ts_repeats_judge(&r, &arena));
	return r;
}

static bool says(struct ts_span s, const char *part)
{
	size_t len = strlen(part);

	for (size_t i = 0; i + len <= s.len; i++)
		if (memcmp(s.data + i, part, len) == 0)
			return true;
	return false;
}

#define SAYS(s, part)                                                                                                              \
	if (!says(s, part))                                                                                                        \
	fail_msg("\"%.*s\" does not say \"%s\"", TS_SPAN_ARG(s), part)

/* The index of a pair counts the upper triangle row by row. */
static void pairs_lie_row_by_row(void **state)
{
	size_t at = 0;

	(void)state;
	for (size_t i = 0; i < 7; i++)
		for (size_t j = i + 1; j < 7; j++, at++) {
			assert_int_equal(ts_pair_index(7, i, j), at);
			assert_int_equal(ts_pair_index(7, j, i), at);
		}
	assert_int_equal(at, 21);
}

static void counts_and_groups_of_a_matrix(void **state)
{
	/* Runs 0 and 2 are equal; so are 1 and 3. */
	static const int64_t cells[] = {9, SAME, 4, 9, SAME, 7};
	struct ts_repeats r = judged(4, cells);
	struct ts_matrix_tally t = ts_matrix_count(&r.matrix);
	size_t *groups, n;

	(void)state;
	assert_int_equal(t.pairs, 6);
	assert_int_equal(t.same, 2);
	assert_int_equal(t.parts, 4);
	assert_int_equal(t.first_step, 4);
	assert_int_equal(t.first_a, 0);
	assert_int_equal(t.first_b, 3);
	assert_int_equal(t.last_step, 9);
	assert_int_equal(t.last_a, 0);
	assert_int_equal(t.last_b, 1);
	assert_int_equal(t.verdict, TS_DIFF_DIFFERENT);
	assert_true(ts_matrix_groups(&r.matrix, &arena, &groups, &n));
	assert_int_equal(n, 2);
	assert_int_equal(groups[0], 0);
	assert_int_equal(groups[1], 1);
	assert_int_equal(groups[2], 0);
	assert_int_equal(groups[3], 1);
}

static void the_same(void **state)
{
	static const int64_t same[] = {SAME, SAME, SAME}, shorter[] = {SAME, EXTENT, EXTENT};
	struct ts_repeats r = judged(3, same);

	(void)state;
	assert_int_equal(r.pattern, TS_PATTERN_SAME);
	assert_int_equal(r.n_groups, 1);
	SAYS(r.sentence, "is repeatable");
	assert_false(says(r.sentence, "as far as each of them goes"));
	r = judged(3, shorter);
	assert_int_equal(r.pattern, TS_PATTERN_SAME);
	SAYS(r.sentence, "as far as each of them goes");
	assert_int_equal(ts_matrix_count(&r.matrix).verdict, TS_DIFF_INCONCLUSIVE);
}

/* Only run 2 differs, from each of the others at another step. */
static void the_odd_one_out(void **state)
{
	static const int64_t cells[] = {SAME, 190, SAME, 190, SAME, 190};
	static const int64_t three[] = {50, 50, SAME};
	struct ts_repeats r = judged(4, cells);

	(void)state;
	assert_int_equal(r.pattern, TS_PATTERN_ODD);
	assert_true(r.has_odd);
	assert_int_equal(r.odd, 2);
	SAYS(r.sentence, "r2 differs from all of them from step 190 on");
	SAYS(r.sentence, "3 of 4 repeats agree");
	/* The sentence blames no host, node or device. */
	assert_false(says(r.sentence, "host"));
	r = judged(3, three);
	assert_int_equal(r.pattern, TS_PATTERN_ODD);
	assert_int_equal(r.odd, 0);
}

static void a_short_run_may_belong_to_either(void **state)
{
	/* Runs 0 and 2 differ from step 50 on; run 1 ends before and agrees with both. */
	static const int64_t cells[] = {EXTENT, 50, EXTENT};
	struct ts_repeats r = judged(3, cells);

	(void)state;
	assert_int_equal(r.pattern, TS_PATTERN_TOGETHER);
	assert_false(r.has_odd);
}

static void groups_that_repeat_themselves(void **state)
{
	static const int64_t cells[] = {SAME, 30, 30, 30, 30, SAME};
	struct ts_repeats r = judged(4, cells);

	(void)state;
	assert_int_equal(r.pattern, TS_PATTERN_GROUPS);
	assert_int_equal(r.n_groups, 2);
	SAYS(r.sentence, "first differ from one another at step 30");
}

static void together_and_scattered(void **state)
{
	static const int64_t together[] = {0, 0, 0}, scattered[] = {5, 5, 9}, mixed[] = {SAME, 5, 5, 5, 5, 80};
	struct ts_repeats r = judged(3, together);

	(void)state;
	assert_int_equal(r.pattern, TS_PATTERN_TOGETHER);
	assert_int_equal(r.n_groups, 3);
	r = judged(3, scattered);
	assert_int_equal(r.pattern, TS_PATTERN_SCATTERED);
	SAYS(r.sentence, "from step 5 to step 9");
	r = judged(4, mixed);
	assert_int_equal(r.pattern, TS_PATTERN_SCATTERED);
}

static void what_says_nothing(void **state)
{
	static const int64_t two[] = {5}, apart[] = {SAME, APART, APART};
	struct ts_repeats r = judged(2, two);

	(void)state;
	assert_int_equal(r.pattern, TS_PATTERN_UNKNOWN);
	SAYS(r.sentence, "at least 3 are needed");
	assert_true(ts_repeats_conclude(&r, &arena));
	assert_int_equal(r.inside, TS_TIER_UNKNOWN);
	SAYS(r.verdict, "no envelope: at least 3 repeats");
	assert_true(isnan(r.spread));
	r = judged(3, apart);
	assert_int_equal(r.pattern, TS_PATTERN_UNKNOWN);
	SAYS(r.sentence, "no common step");
}

/* --- envelopes --- */

enum { N = 3, POINTS_MAX = 1000 };

struct points {
	size_t n;
	double values[POINTS_MAX][N];
	double candidate[POINTS_MAX];
};

static const struct ts_resolution doubles[N + 1];

static struct ts_envelope_row measured(const struct points *p, const struct ts_resolution *resolutions, bool chance, int64_t at)
{
	struct ts_resolution copy[N + 1];
	struct ts_envelope_row row = {.name = ts_span_str("scalars.loss")};
	struct ts_envelope e;

	memcpy(copy, resolutions, sizeof copy);
	ts_envelope_begin(&e, N, copy, chance, &arena);
	for (size_t i = 0; i < p->n; i++)
		assert_true(ts_envelope_learn(&e, p->values[i]));
	for (size_t i = 0; i < p->n; i++)
		assert_true(ts_envelope_judge(&e, 10 * (int64_t)i, p->values[i], p->candidate[i]));
	assert_true(ts_envelope_end(&e, true, at, &row));
	return row;
}

/* Repeats 1, 1.01 and 0.99 at every point: the spread is 0.02/1.01 = 0.0198019..., the limit three times that. A candidate at 1.075
 * lies (1.075 - 1.01)/1.075 = 0.0604651... from the nearest, beyond 0.0594059...; at 1.07 it is 0.0560747... away, inside. */
static void flat_points(struct points *p, size_t n, double candidate)
{
	p->n = n;
	for (size_t i = 0; i < n; i++) {
		p->values[i][0] = 1;
		p->values[i][1] = 1.01;
		p->values[i][2] = 0.99;
		p->candidate[i] = candidate;
	}
}

static void three_times_the_spread(void **state)
{
	static struct points p;
	struct ts_envelope_row row;

	(void)state;
	flat_points(&p, 100, 1.07);
	row = measured(&p, doubles, false, 500);
	assert_true(row.known);
	assert_int_equal(row.points, 100);
	assert_true(fabs(row.spread - 0.019801980198) < 1e-11);
	assert_true(row.spread_there == row.spread);
	assert_true(fabs(row.greatest - 0.056074766355) < 1e-11);
	assert_int_equal(row.outside, 0);
	assert_false(row.real);
	flat_points(&p, 100, 1.075);
	row = measured(&p, doubles, false, -1);
	assert_true(isnan(row.spread_there));
	assert_int_equal(row.outside, 100);
	assert_true(row.real);
	assert_int_equal(row.first_step, 0);
	assert_true(fabs(row.first_r - 0.060465116279) < 1e-11);
	assert_true(fabs(row.first_limit - 0.059405940594) < 1e-11);
}

/* Four consecutive points outside are chance, five are not; the result is the first such five, and where they began. */
static void five_in_a_row(void **state)
{
	static struct points p;
	struct ts_envelope_row row;

	(void)state;
	flat_points(&p, 200, 1);
	for (size_t i = 50; i < 54; i++)
		p.candidate[i] = 2;
	row = measured(&p, doubles, false, 0);
	assert_false(row.real);
	assert_int_equal(row.outside, 4);
	for (size_t i = 120; i < 125; i++)
		p.candidate[i] = (double)NAN;
	for (size_t i = 150; i < 199; i++)
		p.candidate[i] = 3;
	row = measured(&p, doubles, false, 0);
	assert_true(row.real);
	assert_int_equal(row.first_step, 1200);
	assert_int_equal(row.outside, 4 + 5 + 49);
	assert_true(row.first_r == 1); /* one side is a number and the other is not */
	assert_int_equal(row.greatest_step, 1200);
}

/* Window 3 of 0..5 (points 192 to 255) is the only one in which repeats differ: its limit holds in windows 2 to 4. */
static void windows_look_beside_themselves(void **state)
{
	static struct points p;
	struct ts_envelope_row row;

	(void)state;
	p.n = 6 * TS_ENVELOPE_WINDOW;
	for (size_t i = 0; i < p.n; i++) {
		p.values[i][0] = p.values[i][1] = p.values[i][2] = 1;
		p.candidate[i] = 1.1;
	}
	p.values[200][1] = 1.5;
	row = measured(&p, doubles, false, 2000);
	assert_true(row.real);
	assert_int_equal(row.first_step, 0);
	assert_int_equal(row.outside, 3 * TS_ENVELOPE_WINDOW);
	assert_true(row.spread_there == 0.5 / 1.5);
	assert_true(row.level == 0.5 / 1.5);
	/* If runs vary by chance, that spread may occur at any time. */
	row = measured(&p, doubles, true, 0);
	assert_false(row.real);
	assert_int_equal(row.outside, 0);
	assert_true(row.spread_there == 0);
}

/* The repeats have no spread: a difference of one unit of four decimals, or of a float32, is not outside; two units
 * are. */
static void a_quantum_is_not_outside(void **state)
{
	static struct points p;
	const struct ts_resolution four[N + 1] = {{TS_PRECISION_DECIMALS, 4}, {TS_PRECISION_DECIMALS, 4}, {TS_PRECISION_DECIMALS, 4}};
	struct ts_resolution floats[N + 1];

	(void)state;
	p.n = 50;
	for (size_t i = 0; i < p.n; i++) {
		p.values[i][0] = p.values[i][1] = p.values[i][2] = 2.3456;
		p.candidate[i] = 2.3457;
	}
	assert_int_equal(measured(&p, four, false, 0).outside, 0);
	assert_int_equal(measured(&p, doubles, false, 0).outside, 50);
	for (size_t i = 0; i < p.n; i++)
		p.candidate[i] = 2.3458;
	assert_true(measured(&p, four, false, 0).real);
	for (size_t i = 0; i <= N; i++)
		floats[i] = (struct ts_resolution){.precision = TS_PRECISION_F32};
	for (size_t i = 0; i < p.n; i++) {
		p.values[i][0] = p.values[i][1] = p.values[i][2] = 1;
		p.candidate[i] = 1 + 0x1p-23;
	}
	assert_int_equal(measured(&p, floats, false, 0).outside, 0);
	for (size_t i = 0; i < p.n; i++)
		p.candidate[i] = 1 + 0x1p-22;
	assert_true(measured(&p, floats, false, 0).real);
}

/* The n repeats go from 1 to 1.01: the spread is 0.01/1.01 = 0.00990099.... The limit is three times that for three
 * repeats, twice for five, 1.5 times for nine. */
static void more_repeats_are_nearer_the_bound(void **state)
{
	static const struct {
		size_t n;
		double limit;
	} rows[] = {{3, 0.029702970297}, {5, 0.019801980198}, {9, 0.014851485149}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct ts_resolution resolutions[10] = {{TS_PRECISION_F64, 0}};
		double values[9] = {[1] = 1.01};
		struct ts_envelope_row row = {.rank = 0};
		struct ts_envelope e;

		for (size_t k = 0; k < rows[i].n; k++)
			values[k] = k == 1 ? 1.01 : 1;
		ts_envelope_begin(&e, rows[i].n, resolutions, false, &arena);
		for (int k = 0; k < 20; k++)
			assert_true(ts_envelope_learn(&e, values));
		for (int k = 0; k < 20; k++)
			assert_true(ts_envelope_judge(&e, k, values, 2));
		assert_true(ts_envelope_end(&e, false, 0, &row));
		assert_true(row.real);
		assert_true(fabs(row.first_limit - rows[i].limit) < 1e-11);
	}
}

/* --- runs that vary by chance --- */

/* The repeats are a relative `spread` apart; the candidate is at a distance of r[i] from them, and 0 after the last. */
static void chance_points(struct points *p, size_t n, double spread, const double *r, size_t n_r)
{
	p->n = n;
	for (size_t i = 0; i < n; i++) {
		p->values[i][0] = p->values[i][1] = 1;
		p->values[i][2] = 1 - spread;
		p->candidate[i] = 1 / (1 - (i < n_r ? r[i] : 0));
	}
}

enum { GROWTH = 200 };

/* Rounding grows: nothing is outside for 60 points, then single points, then it rises by three decades; and a jump
 * of the same size. */
static void grown_is_not_pushed(void **state)
{
	static struct points p;
	static double r[GROWTH];
	struct ts_envelope_row row;
	struct ts_repeats c = {.matrix = {.n = 3}, .rows = &row, .n_rows = 1};

	(void)state;
	for (size_t i = 60; i < GROWTH; i++)
		r[i] = i < 70 ? (i % 3 ? 2e-7 : 3e-6) : fmin(1e-6 * pow(1.25, (double)i - 70), 5e-3);
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	row = measured(&p, doubles, true, 0);
	assert_true(row.grown && !row.real);
	assert_int_equal(row.first_step, 690); /* the points from i = 69 on stay outside */
	assert_true(ts_repeats_conclude(&c, &arena));
	assert_int_equal(c.inside, TS_TIER_UNKNOWN);
	/* The points outside are the 130 from 70 on, and four of the ten before. */
	SAYS(c.verdict, "loss from step 690 on (outside at 67 % of 200 points); but the difference grew as it does by "
			"chance, and of 4 runs");
	/* Where runs do not vary by chance, the same is a real difference. */
	row = measured(&p, doubles, false, 0);
	assert_true(row.real && !row.grown);
	for (size_t i = 0; i < GROWTH; i++)
		r[i] = i < 60 ? 0 : 1e-4;
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	row = measured(&p, doubles, true, 0);
	assert_true(row.real && !row.grown);
	assert_int_equal(row.first_step, 600);
	assert_true(ts_repeats_conclude(&c, &arena));
	assert_int_equal(c.inside, TS_TIER_FAILS);
}

/* Ten points of more than 2e-6 each are needed, and none outside in the 64 before: one missing, one smaller, or one
 * earlier point prevents it. */
static void what_counts_as_pushed(void **state)
{
	static struct points p;
	static double r[GROWTH];

	(void)state;
	for (size_t i = 0; i < 10; i++)
		r[100 + i] = 2.5e-6;
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).real);
	r[105] = 1.5e-6;
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).grown);
	r[105] = 2.5e-6;
	r[36] = 1;
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).grown);
	r[36] = 0;
	r[35] = 1;
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).real);
	r[35] = r[109] = 0;
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).grown);
}

/* Five points are enough where the repeats themselves are 1e-3 apart, or where the distance is above 3e-2. */
static void beyond_what_chance_amplifies(void **state)
{
	static struct points p;
	static double r[GROWTH];

	(void)state;
	r[90] = 1; /* this is not the first */
	for (size_t i = 100; i < 105; i++)
		r[i] = 5e-3;
	chance_points(&p, GROWTH, 1.1e-3, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).real);
	chance_points(&p, GROWTH, 0.9e-3, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).grown);
	for (size_t i = 100; i < 105; i++)
		r[i] = 3.1e-2;
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).real);
	r[102] = 2.9e-2;
	chance_points(&p, GROWTH, 3e-7, r, GROWTH);
	assert_true(measured(&p, doubles, true, 0).grown);
}

/* With four decimals of 1, a jump counts from 20 units on. */
static void a_coarse_source_hides_growth(void **state)
{
	static struct points p;
	static double r[GROWTH];
	struct ts_resolution four[N + 1];

	(void)state;
	for (size_t i = 0; i <= N; i++)
		four[i] = (struct ts_resolution){TS_PRECISION_DECIMALS, 4};
	for (size_t i = 100; i < 120; i++)
		r[i] = 1.8e-3;
	chance_points(&p, GROWTH, 0, r, GROWTH);
	assert_true(measured(&p, four, true, 0).grown);
	for (size_t i = 100; i < 120; i++)
		r[i] = 2.2e-3;
	chance_points(&p, GROWTH, 0, r, GROWTH);
	assert_true(measured(&p, four, true, 0).real);
}

static void which_patterns_are_chance(void **state)
{
	(void)state;
	assert_true(ts_pattern_is_chance(TS_PATTERN_SCATTERED) && ts_pattern_is_chance(TS_PATTERN_ODD));
	assert_true(ts_pattern_is_chance(TS_PATTERN_TOGETHER));
	assert_false(ts_pattern_is_chance(TS_PATTERN_SAME) || ts_pattern_is_chance(TS_PATTERN_GROUPS));
	assert_false(ts_pattern_is_chance(TS_PATTERN_UNKNOWN));
}

static void too_few_points(void **state)
{
	static struct points p;
	struct ts_envelope_row row;
	struct ts_repeats r = {.matrix = {.n = 3}, .rows = &row, .n_rows = 1};

	(void)state;
	flat_points(&p, TS_ENVELOPE_RUN - 1, 5);
	row = measured(&p, doubles, false, 0);
	assert_false(row.known);
	SAYS(row.why_not, "4 common points");
	assert_true(ts_repeats_conclude(&r, &arena));
	assert_int_equal(r.inside, TS_TIER_UNKNOWN);
	SAYS(r.verdict, "4 common points");
	flat_points(&p, 0, 5);
	assert_false(measured(&p, doubles, false, 0).known);
}

static void a_candidate_is_concluded_on(void **state)
{
	static struct points p;
	struct ts_envelope_row rows[2];
	struct ts_repeats r = {.matrix = {.n = 3}, .rows = rows, .n_rows = 2};

	(void)state;
	flat_points(&p, 100, 1.01);
	rows[0] = measured(&p, doubles, false, 0);
	flat_points(&p, 3, 1.01);
	rows[1] = measured(&p, doubles, false, 0);
	rows[1].name = ts_span_str("scalars.grad_norm");
	assert_true(ts_repeats_conclude(&r, &arena));
	assert_int_equal(r.inside, TS_TIER_HOLDS);
	SAYS(r.verdict, "inside the envelope of the 3 repeats: loss over 100 points");
	assert_false(says(r.verdict, "grad_norm"));
	assert_true(r.spread == rows[0].spread_there);
	flat_points(&p, 100, 7);
	rows[1] = measured(&p, doubles, false, -1);
	assert_true(ts_repeats_conclude(&r, &arena));
	assert_int_equal(r.inside, TS_TIER_FAILS);
	SAYS(r.verdict, "leaves the envelope of the 3 repeats");
	SAYS(r.verdict, "from step 0 on (outside at 100 % of 100 points)");
}

/* --- the definition, written out plainly, over random points --- */

static uint64_t draw(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static double plain_spread(const struct points *p, size_t window)
{
	double most = 0;

	for (size_t i = 0; i < p->n; i++)
		for (size_t x = 0; x < N && i / TS_ENVELOPE_WINDOW == window; x++)
			for (size_t y = 0; y < N; y++)
				most = fmax(most, ts_gap_ratio(p->values[i][x], p->values[i][y]));
	return most;
}

struct plain {
	double r[POINTS_MAX], spread[POINTS_MAX];
	bool outside[POINTS_MAX];
};

static double plain_level(const struct points *p)
{
	double differing[POINTS_MAX], swap;
	size_t n = 0;

	for (size_t w = 0; w * TS_ENVELOPE_WINDOW < p->n; w++)
		if (plain_spread(p, w) > 0)
			differing[n++] = plain_spread(p, w);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (differing[j] < differing[i]) {
				swap = differing[i];
				differing[i] = differing[j];
				differing[j] = swap;
			}
	return n == 0 ? 0 : n % 2 ? differing[n / 2] : (differing[n / 2 - 1] + differing[n / 2]) / 2;
}

/* Asks whether the points a to i, all outside, amount to a real difference. */
static bool plain_real(const struct plain *x, size_t a, size_t i, bool chance)
{
	double least = INFINITY;
	bool first = true;

	for (size_t k = a; k <= i; k++)
		least = fmin(least, x->r[k]);
	for (size_t k = a > 64 ? a - 64 : 0; k < a; k++)
		first = first && !x->outside[k];
	return (i - a >= 4 && (!chance || x->spread[i] >= 1e-3 || least > 3e-2)) || (i - a >= 9 && first && least > 2e-6);
}

static struct ts_envelope_row plain(const struct points *p, bool chance)
{
	static struct plain x;
	struct ts_envelope_row row = {.real = false};
	double level = chance ? plain_level(p) : 0;

	for (size_t i = 0; i < p->n; i++) {
		size_t w = i / TS_ENVELOPE_WINDOW;
		double beside = fmax(w ? plain_spread(p, w - 1) : 0, plain_spread(p, w + 1));

		x.spread[i] = fmax(level, fmax(plain_spread(p, w), beside));
		x.r[i] = INFINITY;
		for (size_t k = 0; k < N; k++)
			x.r[i] = fmin(x.r[i], ts_gap_ratio(p->values[i][k], p->candidate[i]));
		x.outside[i] = x.r[i] > 3 * x.spread[i];
		row.outside += x.outside[i];
	}
	for (size_t a = 0, i = 0; i < p->n && !row.real; i++) {
		a = i > 0 && x.outside[i - 1] ? a : i;
		if (!x.outside[i])
			continue;
		row.real = plain_real(&x, a, i, chance);
		if (row.real || (i - a == 4 && !row.grown))
			row.first_step = 10 * (int64_t)a;
		row.grown = !row.real && (row.grown || i - a == 4);
	}
	return row;
}

static double odd_number(uint64_t *seed)
{
	static const double odd[] = {0, -0.0, -1, 1e-300, (double)INFINITY, -2.5};

	return draw(seed) % 40 ? 1 + (double)(draw(seed) % 100) / 1000 : odd[draw(seed) % 6];
}

/* Of -1, 1 and 10 the least and the greatest are 11/10 apart, and -1 and 1 are 2 apart. */
static void signs_are_not_passed_over(void **state)
{
	static struct points p;

	(void)state;
	flat_points(&p, 10, 1);
	for (size_t i = 0; i < p.n; i++) {
		p.values[i][0] = -1;
		p.values[i][1] = 1;
		p.values[i][2] = 10;
	}
	assert_true(measured(&p, doubles, false, 0).spread == 2);
	for (size_t i = 0; i < p.n; i++)
		p.values[i][2] = (double)NAN;
	assert_true(measured(&p, doubles, false, 0).spread == 2);
	for (size_t i = 0; i < p.n; i++)
		p.values[i][0] = 1;
	assert_true(measured(&p, doubles, false, 0).spread == 1);
}

static void random_points_agree_with_the_definition(void **state)
{
	static struct points p;
	int real = 0, inside = 0, grown = 0;

	(void)state;
	for (uint64_t round = 1; round <= 120; round++) {
		uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15);
		struct ts_envelope_row got, want;
		double push = (double)(draw(&seed) % 5) / 10, noise = round % 4 == 0 ? 1e-8 : 1e-3;
		bool chance = round % 2 == 0;

		p.n = 70 + draw(&seed) % 200;
		for (size_t i = 0; i < p.n; i++) {
			double at = odd_number(&seed);

			for (size_t x = 0; x < N; x++)
				p.values[i][x] = round % 3 == 0 ? odd_number(&seed) : at * (1 + noise * (double)(draw(&seed) % 30));
			p.candidate[i] = at * (1 + push * (round % 4 == 0 ? (draw(&seed) % 9 ? 1e-5 : 0) : 1));
		}
		got = measured(&p, doubles, chance, 0);
		want = plain(&p, chance);
		assert_int_equal(got.outside, want.outside);
		assert_int_equal(got.real, want.real);
		assert_int_equal(got.grown, want.grown);
		if (want.real || want.grown)
			assert_int_equal(got.first_step, want.first_step);
		real += want.real;
		grown += want.grown;
		inside += !want.real && !want.grown;
	}
	assert_true(real >= 20 && inside >= 20 && grown >= 5);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(pairs_lie_row_by_row),
		T(counts_and_groups_of_a_matrix),
		T(the_same),
		T(the_odd_one_out),
		T(a_short_run_may_belong_to_either),
		T(groups_that_repeat_themselves),
		T(together_and_scattered),
		T(what_says_nothing),
		T(three_times_the_spread),
		T(five_in_a_row),
		T(windows_look_beside_themselves),
		T(a_quantum_is_not_outside),
		T(more_repeats_are_nearer_the_bound),
		T(grown_is_not_pushed),
		T(what_counts_as_pushed),
		T(beyond_what_chance_amplifies),
		T(a_coarse_source_hides_growth),
		T(which_patterns_are_chance),
		T(too_few_points),
		T(a_candidate_is_concluded_on),
		T(signs_are_not_passed_over),
		T(random_points_agree_with_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
