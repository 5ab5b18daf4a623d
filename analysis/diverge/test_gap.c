/* Expected numbers of gaps() are numpy's (median, spacing, all pairs of slopes) over the same formula; the others are by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/test_gap_of.h"

#include <float.h>
#include <math.h>

enum { N = 400 };

static const struct ts_resolution doubles = {.precision = TS_PRECISION_F64}, float32 = {.precision = TS_PRECISION_F32},
				  decimals4 = {.precision = TS_PRECISION_DECIMALS, .digits = 4};

struct pairs {
	int64_t steps[N];
	double a[N], b[N];
};

/* The steps are 1000, 1010, ...; a = 2 + 1/(i+1); b = a (1 + (i+1)^2 2^-30 m/6), m = 7919 i mod 13 - 6. */
static void make_pairs(struct pairs *p)
{
	for (int i = 0; i < N; i++) {
		double m = i * 7919 % 13 - 6;

		p->steps[i] = 1000 + 10 * i;
		p->a[i] = 2 + 1 / (i + 1.0);
		p->b[i] = p->a[i] * (1 + (i + 1.0) * (i + 1.0) * 0x1p-30 * m / 6);
	}
}

static void measure(const int64_t *steps, const double *a, const double *b, size_t n, struct ts_resolution ra,
		    struct ts_resolution rb, struct ts_gap *ret)
{
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(test_gap_of(steps, a, b, n, ra, rb, &arena, ret, &err), TS_OK);
	ts_arena_finish(&arena);
}

static void close_to(double got, double want)
{
	if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("%.17g, wanted %.17g", got, want);
}

static void ratios(void **state)
{
	(void)state;
	assert_true(ts_gap_ratio(2, 2) == 0);
	assert_true(ts_gap_ratio(2, 1) == 0.5);
	assert_true(ts_gap_ratio(-1, -4) == 0.75);
	assert_true(ts_gap_ratio(0, 1e-300) == 1);
	assert_true(ts_gap_ratio(3, -1) == 4.0 / 3);
	assert_true(ts_gap_ratio(1, -1) == 2);
	assert_true(ts_gap_ratio(DBL_MAX, -DBL_MAX) == 2); /* the difference overflows a double */
	assert_true(ts_gap_ratio(DBL_MAX, -DBL_MAX / 2) == 1.5);
	assert_true(ts_gap_ratio(5e-324, 1e-323) == 0.5);
	assert_true(ts_gap_ratio(0.0, -0.0) == 0);
	assert_true(ts_gap_ratio((double)NAN, (double)NAN) == 0);
	assert_true(ts_gap_ratio(HUGE_VAL, HUGE_VAL) == 0);
	assert_true(ts_gap_ratio(HUGE_VAL, -HUGE_VAL) == 1);
	assert_true(ts_gap_ratio(HUGE_VAL, 1) == 1);
	assert_true(ts_gap_ratio(1, (double)NAN) == 1);
	assert_true(ts_gap_ratio((double)NAN, 0) == 1);
	assert_true(ts_gap_ratio((double)NAN, HUGE_VAL) == 1);
}

/* The expected values are numpy.spacing(numpy.float32(x)). */
static void quanta(void **state)
{
	(void)state;
	assert_true(ts_gap_quantum(doubles, doubles, 3, 4) == 0);
	assert_true(ts_gap_quantum(float32, doubles, 1, 1) == 1.1920928955078125e-07);
	assert_true(ts_gap_quantum(doubles, float32, -1.5, 1.25) == 1.1920928955078125e-07);
	assert_true(ts_gap_quantum(float32, float32, 0.1, 2.3) == 2.384185791015625e-07); /* the quantum is that of the greater value */
	assert_true(ts_gap_quantum(float32, float32, 0.1, 0) == 7.450580596923828e-09);
	assert_true(ts_gap_quantum(float32, float32, 3e38, 0) == 2.028240960365167e+31);
	close_to(ts_gap_quantum(float32, float32, 1e-39, 0), 1.401298464324817e-45);
	close_to(ts_gap_quantum(float32, float32, 0.0, -0.0), 1.401298464324817e-45);
	assert_true(ts_gap_quantum(float32, float32, HUGE_VAL, 1) == 0);
	assert_true(ts_gap_quantum(float32, float32, (double)NAN, 1) == 1.1920928955078125e-07);
	close_to(ts_gap_quantum(decimals4, float32, 2, 2), 1e-4); /* the quantum is that of the coarser type */
	close_to(ts_gap_quantum(decimals4, float32, 3000, 3000), 2.44140625e-4);
}

static void whole(const struct ts_gap *g)
{
	assert_true(g->known && g->visible);
	close_to(g->first, 9.313225746154785e-10);
	close_to(g->saturation, 6.992051797410445e-05);
	close_to(g->greatest, 0.00014676327704141734);
	assert_int_equal(g->greatest_step, 4960);
	close_to(g->bias, 0.5040650406504065);
	assert_int_equal(g->points, 400);
	assert_int_equal(g->differing, 369);
	assert_int_equal(g->last_step, 4990);
}

static void begins(const struct ts_gap *g, int64_t step, double r, double r10, double r30, double r100, double slope)
{
	assert_int_equal(g->visible_step, step);
	close_to(g->at_visible, r);
	close_to(g->after_10, r10);
	close_to(g->after_30, r30);
	close_to(g->after_100, r100);
	close_to(g->slope, slope);
}

static void gaps(void **state)
{
	static struct pairs p;
	struct ts_gap g;

	(void)state;
	make_pairs(&p);
	measure(p.steps, p.a, p.b, N, doubles, doubles, &g);
	whole(&g);
	assert_true(g.quantum == 0);
	begins(&g, 1000, 9.313225746154785e-10, 3.771856427192688e-08, 2.983335757322093e-07, 4.6566128730773934e-06,
	       0.008520392228265176);
	measure(p.steps, p.a, p.b, N, decimals4, doubles, &g);
	whole(&g);
	close_to(g.quantum, 1e-4);
	begins(&g, 2690, 2.691522240638733e-05, 1.4754012227058409e-05, 1.241748013233116e-05, 3.369571641087532e-05,
	       0.001009599178043943);
	measure(p.steps, p.a, p.b, N, doubles, float32, &g);
	whole(&g);
	close_to(g.quantum, 2.384185791015625e-07);
	begins(&g, 1110, 6.70552208759115e-08, 2.253800630569458e-07, 6.010131401218106e-07, 7.512612328944204e-06,
	       0.0052870053775442355);
}

static void mirrored(void **state)
{
	static struct pairs p;
	struct ts_gap x, y;

	(void)state;
	make_pairs(&p);
	measure(p.steps, p.a, p.b, N, float32, decimals4, &x);
	measure(p.steps, p.b, p.a, N, decimals4, float32, &y);
	close_to(y.bias, 1 - x.bias);
	/* The ratio is the other way round, and its spread is that of the other side. */
	assert_true(x.ratio_least > x.ratio_most && y.ratio_least > y.ratio_most);
	y.bias = x.bias;
	y.ratio_least = x.ratio_least;
	y.ratio_most = x.ratio_most;
	y.spread_a = x.spread_a;
	assert_memory_equal(&x, &y, sizeof x);
}

/* A constant ratio holds where both are 0, and not where one is. */
static void ratio_beside_zeros(void **state)
{
	static const int64_t steps[] = {1, 2, 3, 4};
	struct ts_gap g;

	(void)state;
	measure(steps, (double[]){1, 0, 2, 3}, (double[]){24, 0, 48, 72}, 4, doubles, doubles, &g);
	assert_true(g.ratio_least <= 24 && 24 <= g.ratio_most && g.zeros == 1 && g.differing == 3);
	measure(steps, (double[]){1, 0, 2, 3}, (double[]){24, 1, 48, 72}, 4, doubles, doubles, &g);
	assert_true(g.ratio_least > g.ratio_most && g.zeros == 0);
	measure(steps, (double[]){1, (double)NAN, 2, 3}, (double[]){24, 1, 48, 72}, 4, doubles, doubles, &g);
	assert_true(g.ratio_least > g.ratio_most);
}

/* The float32 and the 4 decimals of a double do not differ visibly from it, whatever the value. */
static void roundings_are_invisible(void **state)
{
	static int64_t steps[N];
	static double fine[N], coarse[N];
	struct ts_gap g;

	(void)state;
	for (int i = 0; i < N; i++) {
		steps[i] = i;
		fine[i] = pow(1.5, i % 60 - 30) / 3;
		coarse[i] = (double)(float)fine[i];
	}
	measure(steps, fine, coarse, N, doubles, float32, &g);
	assert_true(g.known && !g.visible && g.differing > N / 2);
	assert_true(isnan(g.at_visible) && !isnan(g.after_10));
	for (int i = 0; i < N; i++) {
		int halves = 40000 + i; /* in units of 1e-4: odd ones are rounded down and up in turn, and none is a double */

		fine[i] = halves / 20000.0;
		coarse[i] = (halves / 2 + (i % 4 == 3)) / 10000.0;
	}
	measure(steps, fine, coarse, N, doubles, decimals4, &g);
	assert_true(g.known && !g.visible);
	assert_int_equal(g.differing, N / 2);
	measure((int64_t[]){7}, (double[]){1.0f}, (double[]){(double)nextafterf(1.0f, 2.0f)}, 1, float32, float32, &g);
	assert_true(g.visible); /* both sides were rounded, and still differ */
	measure((int64_t[]){7}, (double[]){2.3041}, (double[]){2.3042}, 1, decimals4, decimals4, &g);
	assert_true(g.visible);
}

static void what_is_too_little(void **state)
{
	static struct pairs p;
	struct ts_gap g;

	(void)state;
	make_pairs(&p);
	measure(p.steps, p.a, p.b, 0, doubles, doubles, &g);
	assert_false(g.known);
	measure(p.steps, p.a, p.b, 12, doubles, doubles, &g);
	assert_true(g.known && isnan(g.after_10) && isnan(g.saturation) && !isnan(g.slope));
	measure(p.steps, p.a, p.b, 13, doubles, doubles, &g);
	assert_true(!isnan(g.after_10) && isnan(g.after_30));
	measure(p.steps, p.a, p.b, 9, doubles, doubles, &g);
	assert_true(isnan(g.slope));
	measure(p.steps, p.a, p.b, 49, doubles, doubles, &g);
	assert_true(isnan(g.saturation));
	measure(p.steps, p.a, p.b, 50, doubles, doubles, &g);
	assert_true(!isnan(g.saturation));
	measure((int64_t[]){3}, (double[]){0.0}, (double[]){-0.0}, 1, doubles, doubles, &g);
	assert_true(g.known && !g.visible && g.first == 0 && g.greatest == 0 && isnan(g.bias));
	assert_int_equal(g.greatest_step, 3);
	assert_int_equal(g.differing, 0);
	measure((int64_t[]){3}, (double[]){1}, (double[]){(double)NAN}, 1, decimals4, decimals4, &g);
	assert_true(g.visible && g.first == 1 && isnan(g.bias));
	assert_int_equal(g.differing, 1);
}

/* A spike is more than ten times all of the other; at the end B is so once, and once as far apart near zero. */
static void what_stays_large(void **state)
{
	static const int64_t steps[] = {1, 2, 3, 4};
	static const double a[] = {1, 0.9, 0.5, 0.01}, stays[] = {2, 30, 20, 10.5}, returns[] = {2, 30, 5, 1};
	struct ts_gap g;

	(void)state;
	measure(steps, a, stays, 4, doubles, doubles, &g);
	assert_true(g.only_one_grows && g.ends_grown);
	measure(steps, stays, a, 4, doubles, doubles, &g);
	assert_true(g.only_one_grows && g.ends_grown);
	measure(steps, a, returns, 4, doubles, doubles, &g);
	assert_true(g.only_one_grows && !g.ends_grown);
}

/* Points after a hole are not "30 points later"; saturation is computed from the points after the hole. */
static void holes(void **state)
{
	static struct pairs p;
	struct ts_gap_meter m;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_gap g;

	(void)state;
	make_pairs(&p);
	ts_arena_init(&arena, 1 << 20);
	assert_int_equal(ts_gap_begin(&m, doubles, doubles, &arena, &err), TS_OK);
	ts_gap_hole(&m); /* a hole before any point has no effect */
	for (int i = 0; i < N; i++) {
		if (i == 20)
			ts_gap_hole(&m);
		if (i < 20 || i >= 393)
			ts_gap_add(&m, p.steps[i], p.a[i], p.b[i]);
	}
	assert_false(ts_gap_wants(&m));
	assert_int_equal(ts_gap_end(&m, &g, &err), TS_OK);
	assert_true(!isnan(g.after_10) && isnan(g.after_30) && isnan(g.saturation)); /* a tenth of 27 is 2 */
	assert_int_equal(g.last_step, 4990);
	assert_int_equal(ts_gap_begin(&m, doubles, doubles, &arena, &err), TS_OK);
	for (int i = 0; i < N; i++) {
		if (i == 393)
			ts_gap_hole(&m);
		ts_gap_add(&m, p.steps[i], i < 393 ? 1.0 : p.a[i], i < 393 ? 4.0 : p.b[i]);
		assert_int_equal(ts_gap_wants(&m), i < TS_GAP_WINDOW - 1);
	}
	assert_int_equal(ts_gap_end(&m, &g, &err), TS_OK);
	assert_true(g.saturation < 1e-3); /* it is computed from the 7 points after the hole, not from 40 */
	assert_true(g.greatest == 0.75);
	assert_int_equal(g.greatest_step, 1000); /* the first of many equal ones */
	ts_arena_finish(&arena);
}

static void no_memory(void **state)
{
	static struct pairs p;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_gap g;

	(void)state;
	make_pairs(&p);
	ts_arena_init(&arena, 1 << 10);
	assert_int_equal(test_gap_of(p.steps, p.a, p.b, N, doubles, doubles, &arena, &g, &err), TS_NO_MEMORY);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ratios),
		cmocka_unit_test(quanta),
		cmocka_unit_test(gaps),
		cmocka_unit_test(mirrored),
		cmocka_unit_test(roundings_are_invisible),
		cmocka_unit_test(ratio_beside_zeros),
		cmocka_unit_test(what_is_too_little),
		cmocka_unit_test(what_stays_large),
		cmocka_unit_test(holes),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
