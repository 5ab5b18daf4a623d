/* test_patterns.c - detectors of exact patterns: series made by hand with a known factor, stride or skipped update, and near misses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/pattern_factor.h"
#include "analysis/diverge/pattern_return.h"
#include "analysis/diverge/pattern_skip.h"
#include "analysis/diverge/pattern_stride.h"

#include <math.h>
#include <string.h>

enum { N = 100 };

/* --- a factor --- */

/* Loss and gradient norm of both runs at their first step, with b / a within the ranges at all of 100 steps. */
struct ratios {
	struct ts_evidence_series series[2];
	struct ts_evidence e;
};

static struct ts_evidence_series number(enum ts_series_kind kind, const char *name, double a, double b, double low, double high)
{
	return (struct ts_evidence_series){.kind = kind,
					   .name = ts_span_str(name),
					   .in_a = true,
					   .in_b = true,
					   .common = N,
					   .parts = a != b,
					   .a = a,
					   .b = b,
					   .gap = {.known = a != b,
						   .points = N,
						   .differing = N,
						   .ratio_least = low,
						   .ratio_most = high,
						   .spread_a = 0.5}};
}

static struct ts_pattern_factor factor_of(struct ratios *r, double loss_a, double loss_b, double norm_a, double norm_b, double low,
					  double high)
{
	r->series[0] = number(TS_KIND_LOSS, "loss", loss_a, loss_b, low, high);
	r->series[1] = number(TS_KIND_GRAD_NORM, "grad_norm", norm_a, norm_b, low, high);
	r->e = (struct ts_evidence){.series = r->series, .n_series = 2};
	return ts_pattern_factor_find(&r->e);
}

static void test_objective_times_eight(void **state)
{
	struct ratios r;
	struct ts_pattern_factor p = factor_of(&r, 6.17066, 49.36528, 4.848421, 38.787368, 8, 8);

	(void)state;
	assert_int_equal(p.of, TS_FACTOR_OBJECTIVE);
	assert_true(p.factor == 8 && p.whole && p.second && p.throughout);
	assert_int_equal(p.points, N);
	/* The runs exchanged. */
	p = factor_of(&r, 49.36528, 6.17066, 38.787368, 4.848421, 0.125, 0.125);
	assert_int_equal(p.of, TS_FACTOR_OBJECTIVE);
	assert_true(p.factor == 8 && p.whole && !p.second && p.throughout);
	/* From the second step on the trainings part: the first shows it. */
	p = factor_of(&r, 6.17066, 49.36528, 4.848421, 38.787368, 9, 7);
	assert_true(p.of == TS_FACTOR_OBJECTIVE && p.factor == 8 && !p.throughout);
}

static void test_no_factor(void **state)
{
	struct ratios r;

	(void)state;
	/* Not the same factor in both; not a whole number and not throughout; values of two seeds. */
	assert_int_equal(factor_of(&r, 2, 16, 1, 4, 9, 7).of, TS_FACTOR_NONE);
	assert_int_equal(factor_of(&r, 2, 5, 1, 2.5, 9, 7).of, TS_FACTOR_NONE);
	assert_int_equal(factor_of(&r, 2.30, 2.34, 1.1, 1.3, 9, 7).of, TS_FACTOR_NONE);
	/* 8.01 is not 8. */
	assert_int_equal(factor_of(&r, 2, 16.02, 1, 8.01, 9, 7).of, TS_FACTOR_NONE);
	/* Of the same sign alone. */
	assert_int_equal(factor_of(&r, 2, -16, 1, 8, 9, 7).of, TS_FACTOR_NONE);
	assert_int_equal(factor_of(&r, 0, 0, 0, 0, 1, 1).of, TS_FACTOR_NONE);
}

static void test_factor_of_a_weight(void **state)
{
	struct ratios r;
	struct ts_pattern_factor p = factor_of(&r, 2, 3, 1, 1.5, 1.5, 1.5);

	(void)state;
	assert_true(p.of == TS_FACTOR_OBJECTIVE && !p.whole && p.throughout && fabs(p.factor - 1.5) < 1e-4);
}

static void test_gradient_alone(void **state)
{
	struct ratios r;
	struct ts_pattern_factor p = factor_of(&r, 2.5, 2.5, 1, 4, 4, 4);

	(void)state;
	assert_true(p.of == TS_FACTOR_GRADIENT && p.factor == 4 && p.second);
	/* Four decimals cannot tell 0.0001 from 0.0004 as a factor. */
	r.series[1].a = 0.0001;
	r.series[1].b = 0.0004;
	r.series[1].gap.quantum = 1e-4;
	assert_int_equal(ts_pattern_factor_find(&r.e).of, TS_FACTOR_NONE);
}

static void test_fact_of_the_factor(void **state)
{
	static const struct ts_fact two = {.type = TS_FACT_INT, .integer = 2}, sixteen = {.type = TS_FACT_INT, .integer = 16};
	struct ts_fact_row rows[2] = {{.group = TS_GROUP_CONFIG, .path = ts_span_str("config.other"), .a = &two, .b = &two},
				      {.group = TS_GROUP_CONFIG, .path = ts_span_str("config.accumulation"), .a = &two, .b = &sixteen}};
	struct ratios r;

	(void)state;
	(void)factor_of(&r, 2, 16, 1, 8, 8, 8);
	r.e.facts = rows;
	r.e.n_facts = 2;
	assert_ptr_equal(ts_pattern_factor_find(&r.e).fact, &rows[1]);
	rows[1].b = &two;
	assert_null(ts_pattern_factor_find(&r.e).fact);
}

/* --- a stride --- */

struct rows {
	int64_t steps[4 * N];
	uint64_t words[4 * N];
	struct ts_stride_series s;
};

/* n rows at steps from, from + by, ...; each value is held for `held` rows. */
static void fill(struct rows *r, size_t n, int64_t from, int64_t by, size_t held)
{
	for (size_t i = 0; i < n; i++) {
		r->steps[i] = from + (int64_t)i * by;
		r->words[i] = 1000 + i / held * 7919 % 1009;
	}
	r->s = (struct ts_stride_series){r->steps, r->words, n};
}

static void test_two_optimizers(void **state)
{
	static struct rows a, b;
	struct ts_pattern_stride p;

	(void)state;
	fill(&a, N, 0, 1, 1);
	fill(&b, N, 1, 2, 1);
	p = ts_pattern_stride_find(&a.s, &b.s);
	assert_true(p.found && p.second);
	assert_int_equal(p.times, 2);
	assert_int_equal(p.plus, 1);
	assert_int_equal(p.steps, N);
	p = ts_pattern_stride_find(&b.s, &a.s);
	assert_true(p.found && !p.second && p.times == 2 && p.plus == 1);
	b.words[50]++;
	assert_false(ts_pattern_stride_find(&a.s, &b.s).found);
}

/* Steps that count samples: 512 a step. */
static void test_samples(void **state)
{
	static struct rows a, b;
	struct ts_pattern_stride p;

	(void)state;
	fill(&a, N, 0, 1, 1);
	fill(&b, N, 512, 512, 1);
	p = ts_pattern_stride_find(&a.s, &b.s);
	assert_true(p.found && p.second && p.times == 512 && p.plus == 512);
}

static void test_micro_steps(void **state)
{
	static struct rows a, b;
	struct ts_pattern_stride p;

	(void)state;
	fill(&a, N, 10, 1, 1);
	fill(&b, 4 * N, 40, 1, 4);
	p = ts_pattern_stride_find(&a.s, &b.s);
	assert_true(p.found && p.second && p.times == 4 && p.plus == 0);
}

static void test_no_stride(void **state)
{
	static struct rows a, b;

	(void)state;
	fill(&a, N, 0, 1, 1);
	fill(&b, N, 5, 1, 1); /* shifted, not stretched */
	assert_false(ts_pattern_stride_find(&a.s, &b.s).found);
	fill(&a, 9, 0, 1, 1); /* too few */
	fill(&b, 9, 0, 2, 1);
	assert_false(ts_pattern_stride_find(&a.s, &b.s).found);
	fill(&a, N, 0, 1, N); /* values that do not change */
	fill(&b, N, 0, 2, N);
	assert_false(ts_pattern_stride_find(&a.s, &b.s).found);
	fill(&a, N, 0, 1, 1);
	fill(&b, N / 2, 0, 2, 1);
	b.s.n = 0;
	assert_false(ts_pattern_stride_find(&a.s, &b.s).found);
}

/* --- a state that comes back --- */

static void test_returns(void **state)
{
	static const int64_t steps[] = {0, 10, 20, 30, 40};
	static const uint64_t words[] = {7, 8, 8, 7, 9};
	struct ts_pattern_return r;

	(void)state;
	r = ts_pattern_return_find(steps, words, 5, 20);
	assert_true(r.previous && !r.first);
	r = ts_pattern_return_find(steps, words, 5, 30);
	assert_true(r.first && !r.previous);
	for (int64_t step = -5; step <= 45; step += 5) {
		r = ts_pattern_return_find(steps, words, 5, step);
		assert_true(step == 20 || step == 30 || (!r.first && !r.previous));
	}
	/* The second record that equals the first is an update that left it. */
	r = ts_pattern_return_find(steps, (const uint64_t[]){7, 7}, 2, 10);
	assert_true(r.previous && !r.first);
	r = ts_pattern_return_find(steps, words, 0, 0);
	assert_false(r.previous || r.first);
}

/* --- a skipped update --- */

struct training {
	int64_t keys[N];
	double scale[N], norm[N], loss[N];
	struct ts_series of_scale, of_norm, of_loss;
};

static void train(struct training *t)
{
	for (size_t i = 0; i < N; i++) {
		t->keys[i] = (int64_t)i;
		t->scale[i] = 65536;
		t->norm[i] = 0.5;
		t->loss[i] = 2.0 - (double)i / N;
	}
	t->of_scale = (struct ts_series){ts_span_str("scale"), t->keys, t->scale, N};
	t->of_norm = (struct ts_series){ts_span_str("grad_norm"), t->keys, t->norm, N};
	t->of_loss = (struct ts_series){ts_span_str("loss"), t->keys, t->loss, N};
}

static void lower_from(struct training *t, size_t at)
{
	for (size_t i = at; i < N; i++)
		t->scale[i] /= 2;
}

static void test_skipped_updates(void **state)
{
	static struct training t;
	static struct ts_pattern_skips s;

	(void)state;
	train(&t);
	t.norm[60] = INFINITY;
	lower_from(&t, 61); /* seen at the next record */
	t.norm[80] = NAN;
	lower_from(&t, 80);
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_true(s.looked);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.kept[0].step, 60);
	assert_true(s.kept[0].overflowed && s.kept[0].lowered && s.kept[0].from == 65536 && s.kept[0].to == 32768);
	assert_ptr_equal(ts_pattern_skip_in(&s, 59, 62), &s.kept[0]);
	assert_ptr_equal(ts_pattern_skip_in(&s, 0, 99), &s.kept[1]);
	assert_null(ts_pattern_skip_in(&s, 61, 79));
	/* The factor alone shows them, too. */
	t.of_norm.n = 0;
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.kept[0].step, 61);
	assert_false(s.kept[0].overflowed);
}

static void test_no_skipped_update(void **state)
{
	static struct training t;
	static struct ts_pattern_skips s;

	(void)state;
	train(&t);
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_true(s.looked && s.n == 0);
	t.norm[60] = NAN; /* and the factor stays */
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_int_equal(s.n, 0);
	for (size_t i = 20; i < N; i++)
		t.scale[i] *= 2; /* a rise is none */
	t.norm[60] = 0.5;
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_int_equal(s.n, 0);
	t.of_norm.n = t.of_scale.n = 0;
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_false(s.looked);
}

static void test_without_a_factor(void **state)
{
	static struct training t;
	static struct ts_pattern_skips s;

	(void)state;
	train(&t);
	t.of_scale.n = 0;
	t.norm[60] = NAN; /* one record, and the losses go on */
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_int_equal(s.n, 1);
	t.norm[61] = NAN; /* it stays so: the run is lost */
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_int_equal(s.n, 0);
	t.norm[61] = 0.5;
	t.loss[62] = NAN;
	ts_pattern_skips_find(&t.of_scale, &t.of_norm, &t.of_loss, &s);
	assert_int_equal(s.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objective_times_eight),
		cmocka_unit_test(test_no_factor),
		cmocka_unit_test(test_factor_of_a_weight),
		cmocka_unit_test(test_gradient_alone),
		cmocka_unit_test(test_fact_of_the_factor),
		cmocka_unit_test(test_two_optimizers),
		cmocka_unit_test(test_micro_steps),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_no_stride),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_skipped_updates),
		cmocka_unit_test(test_no_skipped_update),
		cmocka_unit_test(test_without_a_factor),
	};

	return cmocka_run_group_tests_name("patterns", tests, NULL, NULL);
}
