/* test_resume_rows.c - no sentence of a check is denied by what was compared: thousands of resumes drawn by chance, of which series
 * part where, on which rank, by how much and how finely written, and digests of which time, are judged, and every claim is held
 * against the numbers themselves, which this file counts for itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/diverge/resume.h"
#include "analysis/stats/random.h"
#include "run/role.h"

#include <math.h>
#include <stdio.h>

enum { TRIALS = 6000, MOST = 52, SERIES = 40, AT = 100, RANKS = 3 };

struct drawn {
	struct ts_resume_series series;
	int64_t steps[MOST];
	double a[MOST], b[MOST];
	uint64_t word_a[MOST], word_b[MOST];
	char said[64]; /* the name in sentences */
};

struct world {
	struct ts_arena arena;
	struct ts_random random;
	struct drawn drawn[SERIES];
	struct ts_resume_series series[SERIES];
	size_t n;
	struct ts_resume_evidence e;
	struct ts_resume got;
	uint64_t trial;
	bool calm; /* few series differ */
	uint64_t verdicts[4];
};

static const struct {
	enum ts_resume_kind kind;
	const char *name, *what;
} kinds[] = {
	{TS_RESUME_LOSS, "scalars.loss", "loss"},
	{TS_RESUME_GRAD_NORM, "scalars.grad_norm", "gradient norm"},
	{TS_RESUME_RATE, "scalars.lr", "learning rate"},
	{TS_RESUME_SCALE, "scalars.loss_scale", "gradient scale"},
	{TS_RESUME_COUNT, "tokens", "count"},
	{TS_RESUME_EVAL, "eval.loss", "evaluation"},
	{TS_RESUME_SCALAR, "scalars.acc", "another number"},
	{TS_RESUME_BATCH, "digests.batch", "data"},
	{TS_RESUME_PARAMS, "digests.params", "parameters"},
	{TS_RESUME_OPTIMIZER, "digests.optimizer", "optimizer state"},
	{TS_RESUME_GRADS, "digests.grads", "gradients"},
	{TS_RESUME_RNG, "digests.rng", "random generators"},
	{TS_RESUME_DIGEST, "digests.ema", "other state"},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* --- drawing --- */

static uint32_t below(struct world *w, uint32_t n)
{
	return ts_random_below(&w->random, n);
}

static bool is_word(const struct drawn *d)
{
	return d->series.kind >= TS_RESUME_BATCH;
}

static void draw_values(struct world *w, struct drawn *d, size_t from, double r, int decimals)
{
	for (size_t i = 0; i < d->series.n; i++) {
		double noise = 0.05 * ts_random_normal(&w->random), unit = pow(10, -decimals);

		d->a[i] = 2 + 1 / (1 + (double)i) + noise;
		d->b[i] = i < from ? d->a[i] : d->a[i] * (1 + r);
		if (decimals) {
			d->a[i] = nearbyint(d->a[i] / unit) * unit;
			d->b[i] = nearbyint(d->b[i] / unit) * unit;
		}
		d->word_a[i] = 1000 + i;
		d->word_b[i] = 1000 + i + (i >= from && r != 0);
	}
	d->series.quantum = decimals && below(w, 2) ? pow(10, -decimals) : 0;
}

static void draw_series(struct world *w, size_t kind, int32_t rank, bool several)
{
	static const size_t lengths[] = {0, 1, 2, 3, 5, 9, 10, 12, 30, MOST};
	static const double sizes[] = {0, 0, 0, 1e-8, 1e-7, 3e-6, 1e-4, 2e-3, 1e-2, 0.3};
	static const int digits[] = {0, 0, 0, 3, 4, 5};
	struct drawn *d = &w->drawn[w->n++];
	int64_t first = below(w, 4) ? AT : AT + (int64_t)below(w, 9), by = below(w, 4) ? 1 : 10;
	size_t n = lengths[below(w, 10)];
	double r = w->calm && below(w, 10) ? 0 : sizes[below(w, 10)];

	d->series = (struct ts_resume_series){.kind = kinds[kind].kind,
					      .name = ts_span_str(kinds[kind].name),
					      .rank = rank,
					      .steps = d->steps,
					      .a = d->a,
					      .b = d->b,
					      .word_a = d->word_a,
					      .word_b = d->word_b,
					      .n = n,
					      .when = (enum ts_digest_time)below(w, 3)};
	for (size_t i = 0; i < n; i++)
		d->steps[i] = first + by * (int64_t)i;
	draw_values(w, d, below(w, 3) ? below(w, 3) : below(w, MOST), r, digits[below(w, 6)]);
	(void)snprintf(d->said, sizeof d->said, several ? "%.*s on rank %d" : "%.*s", TS_SPAN_ARG(ts_column_said(d->series.name)),
		       (int)rank);
}

static void draw(struct world *w)
{
	static const enum ts_resume_format formats[] = {TS_FORMAT_UNKNOWN, TS_FORMAT_FULL, TS_FORMAT_REDUCED};
	bool several = below(w, 4) == 0;
	uint32_t dense = 2 + below(w, 4);

	w->n = 0;
	w->calm = below(w, 2);
	for (int32_t rank = 0; rank < (several ? RANKS : 1); rank++)
		for (size_t k = 0; k < KINDS; k++)
			if (below(w, dense) > 0)
				draw_series(w, k, rank, several);
	for (size_t i = 0; i < w->n; i++)
		w->series[i] = w->drawn[i].series;
	/* Names have a rank only where the series are of several. */
	several = false;
	for (size_t i = 0; i < w->n; i++)
		several |= w->series[i].rank != w->series[0].rank;
	for (size_t i = 0; i < w->n && !several; i++)
		(void)snprintf(w->drawn[i].said, sizeof w->drawn[i].said, "%.*s", TS_SPAN_ARG(ts_column_said(w->series[i].name)));
	w->e = (struct ts_resume_evidence){.said = TS_RESUME_SAID_FIRST,
					   .step = AT,
					   .format = formats[below(w, 3)],
					   .series = w->series,
					   .n_series = w->n,
					   .wrote = below(w, 2)};
}

/* --- what the numbers say --- */

static bool same(const struct drawn *d, size_t i)
{
	return is_word(d) ? d->word_a[i] == d->word_b[i] : d->a[i] == d->b[i];
}

static size_t count_same(const struct drawn *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->series.n; i++)
		n += same(d, i);
	return n;
}

static size_t first_other(const struct drawn *d)
{
	size_t i = 0;

	while (i < d->series.n && same(d, i))
		i++;
	return i;
}

static double gap(const struct drawn *d, size_t i)
{
	return fabs(d->a[i] - d->b[i]) / fmax(fabs(d->a[i]), fabs(d->b[i]));
}

/* The coarsest grid that this file ever writes on: what differs by no more may be of its rounding. */
static bool is_one_unit(const struct drawn *d, size_t i)
{
	return fabs(d->a[i] - d->b[i]) < 1.0001e-3;
}

static double loss_limit(const struct world *w)
{
	return w->e.format == TS_FORMAT_REDUCED ? 1e-3 : 1e-6;
}

/* Differs by so much, where it does, that no reading of the rules of docs/numerics.md calls it rounding. */
static bool is_far(const struct world *w, const struct drawn *d)
{
	size_t behind = 0, far = 0;

	switch (d->series.kind) {
	case TS_RESUME_BATCH:
	case TS_RESUME_RNG:
		return count_same(d) < d->series.n;
	case TS_RESUME_PARAMS:
	case TS_RESUME_OPTIMIZER:
	case TS_RESUME_DIGEST:
		return d->series.n && d->steps[0] == AT && !same(d, 0) && d->series.when == TS_DIGEST_BEFORE;
	case TS_RESUME_GRADS:
	case TS_RESUME_SCALAR:
	case TS_RESUME_KINDS:
		return false;
	case TS_RESUME_LOSS:
	case TS_RESUME_GRAD_NORM:
	case TS_RESUME_RATE:
	case TS_RESUME_SCALE:
	case TS_RESUME_COUNT:
	case TS_RESUME_EVAL:
		break;
	}
	for (size_t i = 0; i < d->series.n; i++) {
		double limit = d->series.kind == TS_RESUME_LOSS	       ? 5e-3
			       : d->series.kind == TS_RESUME_GRAD_NORM ? 0.1
			       : d->series.kind == TS_RESUME_EVAL      ? 5e-2
								       : 1e-9;

		if (i == 0 && d->steps[0] == AT && d->series.kind == TS_RESUME_LOSS)
			limit = loss_limit(w);
		if (gap(d, i) <= limit || is_one_unit(d, i))
			continue;
		if (i < 2 || d->series.kind >= TS_RESUME_RATE)
			return true;
		far++;
	}
	behind = d->series.n > 2 ? d->series.n - 2 : 0;
	return 2 * far > behind;
}

/* --- claims --- */

static bool holds(struct ts_span text, const char *words)
{
	size_t len = strlen(words);

	for (size_t i = 0; i + len <= text.len; i++)
		if (memcmp(text.data + i, words, len) == 0)
			return true;
	return false;
}

static bool begins(struct ts_span text, const char *words)
{
	return text.len >= strlen(words) && memcmp(text.data, words, strlen(words)) == 0;
}

static void deny(const struct world *w, struct ts_span text, const char *why)
{
	fail_msg("trial %" PRIu64 ", %s: %s: \"%.*s\"; verdict: %.*s", w->trial, ts_resume_word(w->got.verdict), why, TS_SPAN_ARG(text),
		 TS_SPAN_ARG(w->got.why.sentence));
}

/* "first differs at step 107": the step behind the words, if the text has them. */
static bool step_behind(struct ts_span text, const char *words, int64_t *ret_step)
{
	char room[2048];
	const char *at;

	(void)snprintf(room, sizeof room, "%.*s", TS_SPAN_ARG(text));
	at = strstr(room, words);
	return at && sscanf(at + strlen(words), "%" SCNd64, ret_step) == 1;
}

/* A sentence on one series, which it names first. */
static void hold_series(const struct world *w, const struct drawn *d, struct ts_span text)
{
	char prefix[80];
	int64_t step;

	(void)snprintf(prefix, sizeof prefix, "%s: ", d->said);
	if (!begins(text, prefix))
		return;
	if ((holds(text, "every bit agrees") || holds(text, "every value agrees")) && count_same(d) < d->series.n)
		deny(w, text, "it differs");
	if (holds(text, "within what rounding explains") && is_far(w, d))
		deny(w, text, "it is far off");
	if (step_behind(text, "differs from step ", &step) && step != d->steps[first_other(d)])
		deny(w, text, "it differs from another step on");
}

static void hold_kind(const struct world *w, size_t kind, struct ts_span text)
{
	char prefix[80];
	size_t common = 0, differing = 0;
	int64_t step;
	bool found = false;

	(void)snprintf(prefix, sizeof prefix, "%s: ", kinds[kind].what);
	if (!begins(text, prefix))
		return;
	for (size_t i = 0; i < w->n; i++) {
		const struct drawn *d = &w->drawn[i];

		if (d->series.kind != kinds[kind].kind || d->series.n == 0)
			continue;
		common++;
		differing += count_same(d) < d->series.n;
		found |= step_behind(text, "first differs at step ", &step) && first_other(d) < d->series.n &&
			 d->steps[first_other(d)] == step && holds(text, d->said);
	}
	if (holds(text, "no common step") && common)
		deny(w, text, "there is one");
	if (holds(text, "agree at all") && (differing || !common))
		deny(w, text, "some differ");
	if (holds(text, "first differs at step") && !found)
		deny(w, text, "none differs first there");
}

static void hold_sentence(const struct world *w, struct ts_span text)
{
	for (size_t i = 0; i < w->n; i++)
		hold_series(w, &w->drawn[i], text);
	for (size_t k = 0; k < KINDS; k++)
		hold_kind(w, k, text);
}

static void hold_rows(const struct world *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct drawn *d = &w->drawn[i];
		double value;

		if (d->series.n == 0)
			continue;
		assert_true(test_value(&w->got.why.features, "resume", d->said, "common_count", &value) &&
			    value == (double)d->series.n);
		assert_true(test_value(&w->got.why.features, "resume", d->said, "equal_count", &value) &&
			    value == (double)count_same(d));
		assert_true(test_value(&w->got.why.features, "resume", d->said, "first_differing_step", &value) ==
			    (first_other(d) < d->series.n));
		if (first_other(d) < d->series.n)
			assert_true(value == (double)d->steps[first_other(d)]);
	}
}

/* Every bit of the weights or of the losses agrees, and nothing was written coarsely. */
static bool trains_equal(const struct world *w)
{
	bool seen = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct drawn *d = &w->drawn[i];

		if (d->series.n == 0 || (d->series.kind != TS_RESUME_LOSS && d->series.kind != TS_RESUME_PARAMS))
			continue;
		if (count_same(d) < d->series.n)
			return false;
		seen |= d->series.kind == TS_RESUME_PARAMS && d->series.n >= 3;
	}
	return seen;
}

/* One value may be the mean of a whole run. */
static bool may_sum_up(const struct drawn *d)
{
	return d->series.kind == TS_RESUME_SCALAR && d->series.n == 1;
}

static void hold_verdict(const struct world *w)
{
	bool differs = false;

	for (size_t i = 0; i < w->n; i++) {
		const struct drawn *d = &w->drawn[i];

		differs |= count_same(d) < d->series.n;
		if (w->got.verdict != TS_RESUME_CORRECT)
			continue;
		if (is_far(w, d))
			deny(w, ts_span_str(d->said), "correct, although this is far off");
		/* Where the training agrees, what stands beside it must, but for rounding. */
		if (trains_equal(w) && !may_sum_up(d) && first_other(d) < d->series.n &&
		    (is_word(d) || !is_one_unit(d, first_other(d))) && (is_word(d) || gap(d, first_other(d)) > 1e-3) &&
		    d->series.kind != TS_RESUME_GRAD_NORM)
			deny(w, ts_span_str(d->said), "correct, although this alone differs");
		if (begins(w->got.why.sentence, "The run resumed correctly at step 100: every bit of loss") &&
		    d->series.kind == TS_RESUME_LOSS && count_same(d) < d->series.n)
			deny(w, ts_span_str(d->said), "it differs");
	}
	if (w->got.verdict == TS_RESUME_WRONG && !differs)
		deny(w, w->got.why.sentence, "wrong, although nothing differs");
	if (w->got.verdict != TS_RESUME_CORRECT && holds(w->got.why.sentence, "resumed correctly"))
		deny(w, w->got.why.sentence, "not correct");
	if (w->got.verdict == TS_RESUME_CORRECT && w->got.why.numeric.answer == TS_TIER_FAILS)
		deny(w, w->got.why.numeric.why, "correct, although the tier fails");
}

static void no_row_denies_a_sentence(void **state)
{
	struct world *w = test_calloc(1, sizeof *w);
	struct ts_error err;

	(void)state;
	ts_arena_init(&w->arena, 64 << 20);
	for (w->trial = 0; w->trial < TRIALS; w->trial++) {
		ts_random_init(&w->random, 1000 + w->trial);
		ts_arena_reset(&w->arena);
		draw(w);
		memset(&w->got, 0, sizeof w->got);
		if (ts_resume_decide(&w->e, &w->arena, &w->got, &err))
			fail_msg("%s", err.text);
		for (size_t i = 0; i < w->got.why.n_for; i++)
			hold_sentence(w, w->got.why.evidence_for[i]);
		for (size_t i = 0; i < w->got.why.n_against; i++)
			hold_sentence(w, w->got.why.evidence_against[i]);
		hold_rows(w);
		hold_verdict(w);
		w->verdicts[w->got.verdict]++;
	}
	/* The draws reach every verdict often. */
	print_message("%" PRIu64 " correct, %" PRIu64 " wrong, %" PRIu64 " undecided\n", w->verdicts[TS_RESUME_CORRECT],
		      w->verdicts[TS_RESUME_WRONG], w->verdicts[TS_RESUME_UNDECIDED]);
	assert_true(w->verdicts[TS_RESUME_CORRECT] > TRIALS / 10 && w->verdicts[TS_RESUME_UNDECIDED] > TRIALS / 20);
	ts_arena_finish(&w->arena);
	test_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_row_denies_a_sentence),
	};

	return cmocka_run_group_tests_name("resume_rows", tests, NULL, NULL);
}
