/* quality_patterns.c - how often the detectors of patterns between two runs see what is planted, and how often they see something in
 * runs that differ by a seed, by rounding, or not at all.
 */
#include "quality_parts.h"

#include "analysis/diverge/pattern_factor.h"
#include "analysis/diverge/pattern_skip.h"
#include "analysis/diverge/pattern_stride.h"
#include "analysis/rank/batch_order.h"

#include <stdio.h>
#include <string.h>

enum { N = 200, TRIALS = 10000, POWER = 2000, NAME = 96 };

/* A run: a loss that falls, with noise of its batches, and the norm of its gradient. */
struct run {
	int64_t steps[4 * N];
	double loss[4 * N], norm[4 * N], scale[4 * N];
	size_t n;
};

static struct run a, b;

static void train(struct ts_random *r, struct run *x)
{
	double level = 2 + 9 * ts_random_unit(r), fall = 20 + 300 * ts_random_unit(r);

	x->n = N;
	for (size_t i = 0; i < N; i++) {
		x->steps[i] = (int64_t)i;
		x->loss[i] = level * (0.3 + 0.7 * exp(-(double)i / fall)) * quality_lognormal(r, 0.02);
		x->norm[i] = (0.4 + 3 * exp(-(double)i / 30)) * quality_lognormal(r, 0.2);
		x->scale[i] = 65536;
	}
}

/* What sums in another order change, as a float32 holds it. */
static double rounded(struct ts_random *r, double value)
{
	return (double)(float)(value * (1 + 2e-7 * ts_random_normal(r)));
}

/* --- factors --- */

static struct ts_evidence_series series_of(enum ts_series_kind kind, const char *name, const double *x, const double *y)
{
	struct ts_evidence_series s = {
		.kind = kind, .name = ts_span_str(name), .in_a = true, .in_b = true, .common = N, .a = x[0], .b = y[0]};
	const struct ts_resolution single = {.precision = TS_PRECISION_F32};
	static struct ts_arena arena;
	struct ts_gap_meter m;
	struct ts_error err;

	if (x[0] == y[0])
		return s;
	s.parts = true;
	ts_arena_init(&arena, 1 << 20);
	if (ts_gap_begin(&m, single, single, &arena, &err))
		return s;
	for (size_t i = 0; i < N; i++)
		ts_gap_add(&m, (int64_t)i, x[i], y[i]);
	(void)ts_gap_end(&m, &s.gap, &err);
	ts_arena_finish(&arena);
	return s;
}

static struct ts_pattern_factor factor_of(void)
{
	struct ts_evidence_series series[2] = {series_of(TS_KIND_LOSS, "loss", a.loss, b.loss),
					       series_of(TS_KIND_GRAD_NORM, "grad_norm", a.norm, b.norm)};
	struct ts_evidence e = {.series = series, .n_series = 2};

	return ts_pattern_factor_find(&e);
}

static void other_seed(struct quality *q)
{
	struct quality_case c = quality_at_most("patterns: a factor between two seeds", 0.001);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		quality_random(&c, i, &r);
		train(&r, &a);
		train(&r, &b);
		quality_count(&c, factor_of().of != TS_FACTOR_NONE);
	}
	quality_report(q, &c);
}

/* The second run is the first but for `off`, relative, in every value. */
static void nearly_equal(struct quality *q, double off, const char *name)
{
	struct quality_case c = quality_at_most(name, 0.001);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		quality_random(&c, i, &r);
		train(&r, &a);
		b = a;
		for (size_t k = 0; k < N; k++) {
			b.loss[k] *= 1 + off * ts_random_normal(&r);
			b.norm[k] *= 1 + 10 * off * ts_random_normal(&r);
		}
		quality_count(&c, factor_of().of != TS_FACTOR_NONE);
	}
	quality_report(q, &c);
}

/* drifts: the trainings part from the second step on. */
static void planted_factor(struct quality *q, double factor, bool objective, bool drifts)
{
	char name[NAME];
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(name, sizeof name, "patterns: %s times %g%s", objective ? "objective" : "gradient", factor,
		       drifts ? ", then apart" : "");
	c = quality_at_least(name, 0.99);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER); i++) {
		struct ts_pattern_factor p;

		quality_random(&c, i, &r);
		train(&r, &a);
		b = a;
		for (size_t k = 0; k < N; k++) {
			double apart = drifts && k ? 0.01 * ts_random_normal(&r) : 0;

			b.loss[k] = rounded(&r, a.loss[k] * (objective ? factor : 1) * (1 + apart));
			b.norm[k] = rounded(&r, a.norm[k] * factor * (1 + apart));
			a.loss[k] = rounded(&r, a.loss[k]);
			a.norm[k] = rounded(&r, a.norm[k]);
		}
		p = factor_of();
		quality_count(&c, p.of == (objective ? TS_FACTOR_OBJECTIVE : TS_FACTOR_GRADIENT) && p.factor == factor);
	}
	quality_report(q, &c);
}

/* --- strides --- */

static struct ts_stride_series words_of(const struct run *x, uint64_t *words)
{
	memcpy(words, x->loss, x->n * sizeof *words);
	return (struct ts_stride_series){x->steps, words, x->n};
}

static struct ts_pattern_stride stride_of(void)
{
	static uint64_t words[2][4 * N];
	struct ts_stride_series x = words_of(&a, words[0]), y = words_of(&b, words[1]);

	return ts_pattern_stride_find(&x, &y);
}

static void no_stride(struct quality *q)
{
	struct quality_case c = quality_at_most("patterns: a stride between two seeds, four decimals", 0.001);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		int64_t by;

		quality_random(&c, i, &r);
		train(&r, &a);
		train(&r, &b);
		by = 1 + (int64_t)ts_random_below(&r, 4);
		for (size_t k = 0; k < N; k++) {
			b.steps[k] *= by;
			a.loss[k] = floor(a.loss[k] * 1e4) / 1e4;
			b.loss[k] = floor(b.loss[k] * 1e4) / 1e4;
		}
		quality_count(&c, stride_of().found);
	}
	quality_report(q, &c);
}

static void planted_stride(struct quality *q)
{
	struct quality_case c = quality_at_least("patterns: steps counted 2 to 4 times as fast", 0.99);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER); i++) {
		struct ts_pattern_stride p;
		int64_t by, plus;

		quality_random(&c, i, &r);
		train(&r, &a);
		b = a;
		by = 2 + (int64_t)ts_random_below(&r, 3);
		plus = (int64_t)ts_random_below(&r, 5);
		for (size_t k = 0; k < N; k++)
			b.steps[k] = a.steps[k] * by + plus;
		p = stride_of();
		quality_count(&c, p.found && p.second && p.times == by && p.plus == plus);
	}
	quality_report(q, &c);
}

/* --- skipped updates --- */

static uint64_t skips_of(const struct run *x, bool scale, bool norm, int64_t *ret_first)
{
	static struct ts_pattern_skips s;
	struct ts_series of_scale = {ts_span_str("scale"), x->steps, x->scale, scale ? x->n : 0};
	struct ts_series of_norm = {ts_span_str("grad_norm"), x->steps, x->norm, norm ? x->n : 0};
	struct ts_series of_loss = {ts_span_str("loss"), x->steps, x->loss, x->n};

	ts_pattern_skips_find(&of_scale, &of_norm, &of_loss, &s);
	*ret_first = s.n ? s.kept[0].step : -1;
	return s.n;
}

/* A scale that grows and never overflows, and a norm that spikes now and then. */
static void no_skip(struct quality *q)
{
	struct quality_case c = quality_at_most("patterns: a skipped update in a run without one", 0.001);
	struct ts_random r;
	int64_t first;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		quality_random(&c, i, &r);
		train(&r, &a);
		for (size_t k = 0; k < N; k++) {
			a.norm[k] *= ts_random_unit(&r) < 0.02 ? 100 : 1;
			a.scale[k] = 65536 * pow(2, (double)(k / 60));
		}
		quality_count(&c, skips_of(&a, i % 3 != 0, i % 3 != 1, &first) > 0);
	}
	quality_report(q, &c);
}

/* A run that is lost: norm and loss stay NaN. */
static void lost_run(struct quality *q)
{
	struct quality_case c = quality_at_most("patterns: a run lost to NaN is taken for a skipped update", 0.001);
	struct ts_random r;
	int64_t first;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		size_t from;

		quality_random(&c, i, &r);
		train(&r, &a);
		from = 10 + ts_random_below(&r, N - 20);
		for (size_t k = from; k < N; k++)
			a.norm[k] = a.loss[k] = NAN;
		quality_count(&c, skips_of(&a, false, true, &first) > 0);
	}
	quality_report(q, &c);
}

static void planted_skip(struct quality *q, bool scale, bool norm, const char *name)
{
	struct quality_case c = quality_at_least(name, 0.99);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER); i++) {
		size_t at, later;
		int64_t first;

		quality_random(&c, i, &r);
		train(&r, &a);
		at = 10 + ts_random_below(&r, N - 20);
		later = at + ts_random_below(&r, 2);
		a.norm[at] = ts_random_unit(&r) < 0.5 ? INFINITY : NAN;
		for (size_t k = later; k < N; k++)
			a.scale[k] /= 2;
		quality_count(&c, skips_of(&a, scale, norm, &first) == 1 &&
					  (first == (int64_t)at || (!norm && first == (int64_t)later)));
	}
	quality_report(q, &c);
}

/* --- batches that come back --- */

enum { BATCHES = 3000 };

static uint64_t digests[BATCHES];

static void shuffle(struct ts_random *r, uint64_t *items, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = ts_random_below(r, i);
		uint64_t kept = items[i - 1];

		items[i - 1] = items[k];
		items[k] = kept;
	}
}

/* Whole batches in an order that is drawn anew for each epoch: samples that are drawn one by one never make the same batch again. */
static void drawn_anew(struct quality *q, uint32_t epoch)
{
	char name[NAME];
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(name, sizeof name, "patterns: batches come back, %u of them in an order drawn anew", epoch);
	c = quality_at_most(name, 0.001);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		size_t n = 50 + epoch * 3;

		quality_random(&c, i, &r);
		for (uint32_t k = 0; k < epoch; k++)
			digests[k] = k;
		for (size_t at = 0; at < n; at += epoch) {
			memmove(digests + at, digests, epoch * sizeof *digests);
			shuffle(&r, digests + at, epoch);
		}
		quality_count(&c, ts_batch_order_find(digests, n).period > 0);
	}
	quality_report(q, &c);
}

static void planted_epochs(struct quality *q)
{
	struct quality_case c = quality_at_least("patterns: the batches of an epoch come back", 0.99);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, POWER); i++) {
		size_t epoch, n;

		quality_random(&c, i, &r);
		epoch = 10 + ts_random_below(&r, 1000);
		n = epoch + TS_BATCHES_REPEATED + ts_random_below(&r, (uint32_t)epoch);
		for (size_t k = 0; k < n; k++)
			digests[k] = k < epoch ? (uint64_t)ts_random_below(&r, 1 << 30) : digests[k - epoch];
		quality_count(&c, ts_batch_order_find(digests, n).period == epoch);
	}
	quality_report(q, &c);
}

void quality_patterns(struct quality *q)
{
	drawn_anew(q, 2);
	drawn_anew(q, 5);
	drawn_anew(q, 20);
	drawn_anew(q, 500);
	planted_epochs(q);
	other_seed(q);
	nearly_equal(q, 1e-7, "patterns: a factor between runs that differ by rounding");
	nearly_equal(q, 1e-3, "patterns: a factor between runs of two precisions");
	planted_factor(q, 2, true, false);
	planted_factor(q, 8, true, false);
	planted_factor(q, 8, true, true);
	planted_factor(q, 64, true, true);
	planted_factor(q, 4, false, false);
	planted_factor(q, 16, false, true);
	no_stride(q);
	planted_stride(q);
	no_skip(q);
	lost_run(q);
	planted_skip(q, true, true, "patterns: a skipped update, scale and norm");
	planted_skip(q, true, false, "patterns: a skipped update, scale alone");
	planted_skip(q, false, true, "patterns: a skipped update, norm alone");
}
