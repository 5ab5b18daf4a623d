/* Each outcome of a resume from numbers made by hand: a loss of 2 + 1/(1 + i), and what was done to the second run. The
 * expected verdicts follow from the rules of resume.h, not from what the code said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/diverge/resume.h"
#include "analysis/stats/random.h"

#include <math.h>

enum { AT = 100, MOST = 64, KINDS = 8 };

struct made {
	struct ts_resume_series series;
	int64_t steps[MOST];
	double a[MOST], b[MOST];
	uint64_t word_a[MOST], word_b[MOST];
};

struct fixture {
	struct ts_arena arena;
	struct made made[KINDS];
	struct ts_resume_series series[KINDS];
	struct ts_resume_evidence e;
	struct ts_resume got;
};

static int setup(void **state)
{
	struct fixture *f = test_calloc(1, sizeof *f);

	ts_arena_init(&f->arena, 16 << 20);
	f->e = (struct ts_resume_evidence){
		.said = TS_RESUME_SAID_FIRST, .step = AT, .format = TS_FORMAT_FULL, .series = f->series};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ts_arena_finish(&f->arena);
	test_free(f);
	return 0;
}

/* Adds n steps from the resume on, equal on both sides. */
static struct made *add(struct fixture *f, enum ts_resume_kind kind, const char *name, int32_t rank, size_t n)
{
	struct made *m = &f->made[f->e.n_series++];

	assert_true(f->e.n_series <= KINDS && n <= MOST);
	for (size_t i = 0; i < n; i++) {
		m->steps[i] = AT + (int64_t)i;
		m->a[i] = m->b[i] = 2 + 1 / (1 + (double)i);
		m->word_a[i] = m->word_b[i] = 1000 + i;
	}
	m->series = (struct ts_resume_series){.kind = kind,
					      .name = ts_span_str(name),
					      .rank = rank,
					      .steps = m->steps,
					      .a = m->a,
					      .b = m->b,
					      .word_a = m->word_a,
					      .word_b = m->word_b,
					      .n = n};
	return m;
}

/* Sets b = a (1 + r) from point `from` on. */
static void shift(struct made *m, size_t from, double r)
{
	for (size_t i = from; i < m->series.n; i++)
		m->b[i] = m->a[i] * (1 + r);
}

static void decide(struct fixture *f)
{
	struct ts_error err;

	for (size_t i = 0; i < f->e.n_series; i++)
		f->series[i] = f->made[i].series;
	memset(&f->got, 0, sizeof f->got);
	if (ts_resume_decide(&f->e, &f->arena, &f->got, &err))
		fail_msg("%s", err.text);
	assert_true(f->got.why.sentence.len > 0);
	assert_true(test_seen(&f->got.why.features));
}

static void expect(struct fixture *f, enum ts_resume_verdict verdict, enum ts_cause cause, enum ts_confidence confidence)
{
	decide(f);
	if (f->got.verdict != verdict || f->got.why.cause != cause || f->got.why.confidence != confidence)
		fail_msg("%s, %s, %s: %.*s", ts_resume_word(f->got.verdict), ts_cause_word(f->got.why.cause),
			 ts_confidence_word(f->got.why.confidence), TS_SPAN_ARG(f->got.why.sentence));
}

static bool says(struct ts_span text, const char *words)
{
	size_t len = strlen(words);

	for (size_t i = 0; i + len <= text.len; i++)
		if (memcmp(text.data + i, words, len) == 0)
			return true;
	return false;
}

static bool any_says(const struct ts_span *items, size_t n, const char *words)
{
	for (size_t i = 0; i < n; i++)
		if (says(items[i], words))
			return true;
	return false;
}

static bool may_be(const struct fixture *f, enum ts_cause cause)
{
	for (size_t i = 0; i < f->got.why.n_remaining; i++)
		if (f->got.why.remaining[i] == cause)
			return true;
	return false;
}

static double row(const struct fixture *f, const char *subject, const char *name)
{
	double value = (double)NAN;

	(void)test_value(&f->got.why.features, "resume", subject, name, &value);
	return value;
}

static void equal_in_every_bit(void **state)
{
	struct fixture *f = *state;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_int_equal(f->got.why.step, AT);
	assert_int_equal(f->got.why.bits.answer, TS_TIER_HOLDS);
	assert_int_equal(f->got.why.statistical.answer, TS_TIER_UNKNOWN);
	assert_true(row(f, "loss", "equal_count") == 30 && row(f, "loss", "greatest_ratio") == 0);
	assert_true(isnan(row(f, "loss", "first_differing_step")));
	/* A value that was not recorded is not zero. */
	assert_false(test_find(&f->got.why.features, "resume", "digests.rng", "common")->known);
	assert_true(test_find(&f->got.why.features, "resume", "digests.rng", "common")->reason.len > 0);
	assert_true(any_says(f->got.why.evidence_against, f->got.why.n_against, "random generators: not known"));
}

static void tolerance_goes_by_format(void **state)
{
	struct fixture *f = *state;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 0, 1e-7);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(f->got.why.bits.answer, TS_TIER_FAILS);
	assert_int_equal(f->got.why.numeric.answer, TS_TIER_HOLDS);
	shift(&f->made[0], 0, 1e-5);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	assert_int_equal(f->got.why.numeric.answer, TS_TIER_FAILS);
	f->e.format = TS_FORMAT_REDUCED;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	f->e.format = TS_FORMAT_UNKNOWN;
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE);
	assert_true(says(f->got.why.sentence, "number format"));
	assert_true(says(f->got.why.experiments[0].command, "work.dtype"));
	shift(&f->made[0], 0, 1e-7);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM); /* both records say so */
	shift(&f->made[0], 0, 6e-3);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW); /* both records say so */
	f->e.has_tolerance = true;
	f->e.tolerance = 1e-2;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	assert_true(any_says(f->got.why.evidence_against, f->got.why.n_against, "rounding alone"));
}

static void optimizer_lost(void **state)
{
	struct fixture *f = *state;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 1, 1e-2);
	shift(add(f, TS_RESUME_GRAD_NORM, "scalars.grad_norm", 0, 30), 1, 2e-2);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "optimizer"));
	assert_true(row(f, "loss", "first_differing_step") == AT + 1);
	assert_true(says(f->got.why.sentence, "(relative difference 1.0 %)")); /* the distance is 0.01, and the greater value is 1.01 */
	assert_true(f->got.why.n_experiments > 0);
	/* In bf16 the second loss is within the tolerance, and yet the cause is found. */
	f->e.format = TS_FORMAT_REDUCED;
	f->made[0].b[1] = f->made[0].a[1] * 1.002;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "optimizer"));
}

/* A pass that agrees in loss and gradient norm was computed alike, in bf16 as well: rounding does not begin with the update. */
static void the_update_differs(void **state)
{
	struct fixture *f = *state;

	f->e.format = TS_FORMAT_REDUCED;
	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 1, 3e-4);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	shift(add(f, TS_RESUME_GRAD_NORM, "scalars.grad_norm", 0, 30), 1, 1e-3);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence,
			 "The optimizer state was not restored: at the first step, 100, the loss and the gradient norm agree"));
	shift(&f->made[1], 0, 1e-6); /* the gradients were summed otherwise */
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	shift(&f->made[1], 0, 0);
	f->made[1].series.quantum = 1e-2; /* and would not show here */
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
}

static void scaler_lost(void **state)
{
	struct fixture *f = *state;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 1, 1e-2);
	shift(add(f, TS_RESUME_GRAD_NORM, "scalars.grad_norm", 0, 30), 0, 1);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(says(f->got.why.sentence, "scaler"));
	assert_true(may_be(f, TS_CAUSE_GRADIENT_PATH));
}

static void data_position_by_the_loss(void **state)
{
	struct fixture *f = *state;

	/* A loss that is above throughout may be of other weights as well as of harder batches. */
	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 0, 0.08);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(may_be(f, TS_CAUSE_RESUME_DATA));
	/* Batches are as often easier as they are harder. */
	f->made[0].b[7] = f->made[0].a[7] * 0.9;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(f, TS_CAUSE_RESUME_STATE));
	assert_true(says(f->got.why.experiments[0].what, "digests.batch"));
}

static void data_position_by_digests(void **state)
{
	struct fixture *f = *state;
	struct made *batch;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 0, 1e-8); /* the batches decide, whatever the loss is */
	batch = add(f, TS_RESUME_BATCH, "digests.batch", 0, 30);
	batch->series.shift = (struct ts_resume_shift){.answer = TS_SHIFT_FOUND, .by = -10, .matched = 8, .of = 8};
	for (size_t i = 0; i < 30; i++)
		batch->word_b[i] -= 10;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "10 steps earlier") && says(f->got.why.sentence, "step 90"));
	assert_true(row(f, "digests.batch", "shift_count") == -10);
	batch->series.shift = (struct ts_resume_shift){.answer = TS_SHIFT_SCATTERED, .seen = 5, .of = 8};
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "order"));
	batch->series.shift = (struct ts_resume_shift){.answer = TS_SHIFT_ABSENT, .of = 8};
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "never had"));
}

static void random_draws(void **state)
{
	struct fixture *f = *state;
	struct made *rng;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 0, 3e-3);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(f, TS_CAUSE_RNG_STREAM) && may_be(f, TS_CAUSE_RESUME_DATA));
	add(f, TS_RESUME_BATCH, "digests.batch", 0, 30);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(may_be(f, TS_CAUSE_RNG_STREAM) && !may_be(f, TS_CAUSE_RESUME_DATA));
	add(f, TS_RESUME_PARAMS, "digests.params", 0, 30);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM);
	rng = add(f, TS_RESUME_RNG, "digests.rng", 0, 30);
	rng->word_b[0]++;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM); /* of after the pass, for all that is known */
	assert_true(says(f->got.why.sentence, "or the first pass drew otherwise"));
	rng->series.when = TS_DIGEST_BEFORE;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_HIGH);
	/* This holds even if nothing has been drawn from them yet. */
	shift(&f->made[0], 0, 0);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_HIGH);
}

static void differ(struct made *m, size_t from)
{
	for (size_t i = from; i < m->series.n; i++)
		m->word_b[i]++;
}

static void weights_lost(void **state)
{
	struct fixture *f = *state;
	struct made *params;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 0, 0.5);
	add(f, TS_RESUME_BATCH, "digests.batch", 0, 30);
	params = add(f, TS_RESUME_PARAMS, "digests.params", 0, 30);
	differ(params, 0);
	params->series.when = TS_DIGEST_BEFORE;
	add(f, TS_RESUME_RNG, "digests.rng", 0, 30)->word_b[0]++;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "The weights are not those of the checkpoint"));
	assert_true(says(f->got.why.sentence, "generators were not restored either"));
	/* Kernels alone change the last bits of parameters: that is not a fault if the parent did not write the checkpoint. */
	f->e.n_series = 3;
	shift(&f->made[0], 0, 1e-7);
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE);
	assert_true(says(f->got.why.sentence, "digests.params differs at step 100, before the first update"));
	f->e.wrote = true;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	f->e.wrote = false;
	/* They change the optimizer's state, too; where that agrees, the weights alone were stored otherwise. */
	add(f, TS_RESUME_OPTIMIZER, "digests.optimizer", 0, 30)->series.when = TS_DIGEST_BEFORE;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "while the state of the optimizer agrees"));
	f->e.n_series = 3;
	assert_true(any_says(f->got.why.evidence_against, f->got.why.n_against,
			     "digests.params first differs at step 100, before its update"));
	/* Two runs that differed by kernels before the checkpoint may differ by more later. */
	shift(&f->made[0], 1, 1e-2);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(f, TS_CAUSE_NONDETERMINISM));
}

/* What was planted, and what the records then show. A run draws a dropout mask in each step, so that a generator that was
 * lost changes the first loss, and with it the parameters that the first update leaves. */
static void blames_what_the_records_show(void **state)
{
	enum { NEVER = 30, FULL = TS_CONFIDENCE_HIGH, SOME = TS_CONFIDENCE_MEDIUM, POOR = TS_CONFIDENCE_LOW };
	static const struct {
		const char *planted;
		enum ts_digest_time when;
		size_t loss, params, rng, grads, optimizer; /* the first point that differs */
		bool has_rng, has_grads, has_optimizer;
		enum ts_cause cause;
		int confidence;
		const char *says, *never;
	} cases[] = {
		{"generators, digests of before", TS_DIGEST_BEFORE, 0, 1, 0, 0, 0, true, false, false, TS_CAUSE_RNG_STREAM, FULL,
		 "the weights agree there, so they were restored", "weights are not"},
		{"generators, digests of after", TS_DIGEST_AFTER, 0, 0, 0, 0, 0, true, false, false, TS_CAUSE_RNG_STREAM, FULL,
		 "which these draws explain", "weights are not"},
		{"generators, nobody says when", TS_DIGEST_UNKNOWN, 0, 0, 0, 0, 0, true, false, false, TS_CAUSE_RNG_STREAM, SOME,
		 "columns.digests.params.when", "weights are not"},
		{"generators without a record, after", TS_DIGEST_AFTER, 0, 0, 0, 0, 0, false, false, false, TS_CAUSE_RESUME_STATE, POOR,
		 "the weights or random draws", "weights are not"},
		{"generators without a record, before", TS_DIGEST_BEFORE, 0, 1, 0, 0, 0, false, false, false, TS_CAUSE_RNG_STREAM, SOME,
		 "same weights", "weights are not"},
		{"one generator later", TS_DIGEST_BEFORE, 5, 6, 5, 0, 0, true, false, false, TS_CAUSE_RNG_STREAM, SOME,
		 "differ from step 105 on", "were not restored:"},
		{"weights, before", TS_DIGEST_BEFORE, 0, 0, NEVER, 0, 0, true, false, false, TS_CAUSE_RESUME_STATE, FULL,
		 "The weights are not those of the checkpoint", "generators"},
		{"weights, after", TS_DIGEST_AFTER, 0, 0, NEVER, 0, 0, true, false, false, TS_CAUSE_RESUME_STATE, SOME,
		 "seem not to be those of the checkpoint", "draws"},
		{"weights and generators, before", TS_DIGEST_BEFORE, 0, 0, 0, 0, 0, true, false, false, TS_CAUSE_RESUME_STATE, FULL,
		 "generators were not restored either", "position"},
		{"moments, before", TS_DIGEST_BEFORE, 1, 1, NEVER, 1, 0, true, true, false, TS_CAUSE_RESUME_STATE, FULL,
		 "The optimizer state was not restored", "weights are not"},
		{"moments, after", TS_DIGEST_AFTER, 1, 0, NEVER, 1, 0, true, true, false, TS_CAUSE_RESUME_STATE, FULL,
		 "The optimizer state was not restored", "weights are not"},
		{"moments, with a digest of them", TS_DIGEST_BEFORE, 1, 1, NEVER, 0, 0, true, false, true, TS_CAUSE_RESUME_STATE, FULL,
		 "digests.optimizer differs at step 100, before the first update", "weights are not"},
		{"a scaler, whose moments agree", TS_DIGEST_BEFORE, 1, 1, NEVER, 0, 2, true, false, true, TS_CAUSE_RESUME_STATE, POOR,
		 "The gradient scaler or the clipping", "optimizer state was not"},
		{"a kernel", TS_DIGEST_BEFORE, 0, 1, NEVER, 0, 0, true, false, false, TS_CAUSE_COMPUTATION, SOME,
		 "the same random generators give a different loss", "weights are not"},
		{"a kernel from the second pass on", TS_DIGEST_BEFORE, 1, 2, NEVER, 0, 0, true, false, false, TS_CAUSE_COMPUTATION,
		 SOME, "The weights after the first update", "optimizer state was not"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made *params, *optimizer, *rng;

		f->e.n_series = 0;
		shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, NEVER), cases[i].loss, 1e-2);
		add(f, TS_RESUME_BATCH, "digests.batch", 0, NEVER);
		params = add(f, TS_RESUME_PARAMS, "digests.params", 0, NEVER);
		differ(params, cases[i].params);
		params->series.when = cases[i].when;
		if (cases[i].has_rng)
			differ(rng = add(f, TS_RESUME_RNG, "digests.rng", 0, NEVER), cases[i].rng);
		if (cases[i].has_rng)
			rng->series.when = TS_DIGEST_BEFORE;
		if (cases[i].has_grads)
			differ(add(f, TS_RESUME_GRADS, "digests.grads", 0, NEVER), cases[i].grads);
		if (cases[i].has_optimizer) {
			optimizer = add(f, TS_RESUME_OPTIMIZER, "digests.optimizer", 0, NEVER);
			differ(optimizer, cases[i].optimizer);
			optimizer->series.when = cases[i].when;
		}
		expect(f, TS_RESUME_WRONG, cases[i].cause, (enum ts_confidence)cases[i].confidence);
		if (!says(f->got.why.sentence, cases[i].says) || says(f->got.why.sentence, cases[i].never))
			fail_msg("%s: %.*s", cases[i].planted, TS_SPAN_ARG(f->got.why.sentence));
	}
}

/* Weights are recorded as the step begins (params differ one step later), or as it ends (at the resume itself). */
static void update_by_digests(void **state)
{
	struct fixture *f = *state;
	struct made *params, *grads;

	f->e.format = TS_FORMAT_REDUCED;
	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 1, 4e-4); /* this is within the tolerance */
	params = add(f, TS_RESUME_PARAMS, "digests.params", 0, 30);
	grads = add(f, TS_RESUME_GRADS, "digests.grads", 0, 30);
	for (size_t i = 1; i < 30; i++) {
		params->word_b[i]++;
		grads->word_b[i]++;
	}
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "optimizer") && may_be(f, TS_CAUSE_CONFIG)); /* no learning rate is recorded */
	params->word_b[0]++;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	/* Different gradients explain different weights. */
	grads->word_b[0]++;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	assert_true(any_says(f->got.why.evidence_against, f->got.why.n_against, "already differs at step 101"));
	/* A last bit of the clipping norm does not show another state. */
	grads->word_b[0]--;
	shift(&f->made[0], 1, 1e-7);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	/* Weights that differ later have another cause. */
	shift(&f->made[0], 1, 4e-4);
	for (size_t i = 0; i < 5; i++) {
		params->word_b[i] = params->word_a[i];
		grads->word_b[i] = grads->word_a[i];
	}
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
}

static void learning_rate(void **state)
{
	struct fixture *f = *state;
	struct made *rate;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	rate = add(f, TS_RESUME_RATE, "scalars.lr", 0, 30);
	shift(rate, 0, 1e-12); /* rounding of a schedule */
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	shift(rate, 3, 1e-6);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "learning rate") && says(f->got.why.sentence, "step 103"));
}

static void too_few_steps(void **state)
{
	struct fixture *f = *state;
	struct made *loss = add(f, TS_RESUME_LOSS, "scalars.loss", 0, 9);

	shift(loss, 0, 1e-7);
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_true(says(f->got.why.experiments[0].what, "to step 120"));
	assert_int_equal(f->got.why.experiments[0].steps, 20);
	shift(loss, 0, 0);
	loss->series.n = 3;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	loss->series.n = 2;
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	/* Equal bits that do not begin at the resume, and rounded values, are weaker evidence. */
	loss->series.n = 3;
	f->e.step = AT - 1;
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	f->e.step = AT;
	loss->series.quantum = 2e-7; /* float32 is the precision of the computation */
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	/* So are four decimals of 3, which would show a difference of 1e-4, but not two. */
	loss->series.quantum = 1e-4;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "as far as the log shows") && says(f->got.why.sentence, "in steps of 0.0001"));
	loss->series.quantum = 1e-2;
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	/* One step that differs is enough. */
	loss->series.quantum = 0;
	loss->series.n = 1;
	shift(loss, 0, 0.08);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_LOW);
}

/* One log has doubles, the other four decimals: no precision was declared, and each is off by at most half a unit. A
 * learning rate on such a grid was chosen so. */
static void rounded_on_one_side(void **state)
{
	struct fixture *f = *state;
	struct made *loss = add(f, TS_RESUME_LOSS, "scalars.loss", 0, 20), *rate;

	for (size_t i = 0; i < 20; i++)
		loss->b[i] = nearbyint(loss->a[i] * 1e4) / 1e4;
	assert_true(fabs(loss->a[2] - loss->b[2]) > 3e-5); /* the value 2 + 1 / 3 is far beyond the tolerance of 1e-6 */
	decide(f);
	assert_int_equal(f->got.verdict, TS_RESUME_CORRECT);
	rate = add(f, TS_RESUME_RATE, "scalars.lr", 0, 20);
	for (size_t i = 0; i < 20; i++) {
		rate->a[i] = 1e-3 * (double)(i + 1);
		rate->b[i] = 1e-3 * (double)(i + 2);
	}
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
}

static void rounded_values(void **state)
{
	struct fixture *f = *state;
	struct made *loss = add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);

	for (size_t i = 0; i < 30; i++) {
		loss->a[i] = (20000 + 37 * (double)i) / 10000;
		loss->b[i] = (20000 + 37 * (double)i + (i % 5 == 0)) / 10000; /* a last digit off, 5e-5, at one of five */
	}
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	/* Nearly equal values are seldom written differently: two thirds of them are not. */
	for (size_t i = 0; i < 30; i++)
		loss->b[i] = (20000 + 37 * (double)i + (double)(i % 3) - 1) / 10000;
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE);
	assert_true(says(f->got.why.sentence, "one unit of its last written digit, 0.0001, but does so at 20 of 30 common steps"));
	f->e.format = TS_FORMAT_REDUCED;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	f->e.format = TS_FORMAT_FULL;
	assert_true(any_says(f->got.why.evidence_against, f->got.why.n_against, "written in steps of 0.0001"));
	for (size_t i = 0; i < 30; i++)
		loss->b[i] += 3e-4;
	for (size_t i = 0; i < 30; i++)
		loss->b[i] = nearbyint(loss->b[i] * 10000) / 10000;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
}

static void not_a_number(void **state)
{
	struct fixture *f = *state;
	struct made *loss = add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);

	loss->a[4] = loss->b[4] = (double)NAN;
	loss->a[5] = loss->b[5] = (double)INFINITY;
	loss->a[6] = 0;
	loss->b[6] = -0.0;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	loss->a[0] = loss->b[0] = (double)NAN;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	loss->b[20] *= 1 + 1e-8;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	assert_false(any_says(f->got.why.evidence_against, f->got.why.n_against, "already"));
	loss->a[0] = 3;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(row(f, "loss", "there_ratio") == 1);
}

static void another_cadence(void **state)
{
	struct fixture *f = *state;
	struct made *loss = add(f, TS_RESUME_LOSS, "scalars.loss", 0, 12);

	for (size_t i = 0; i < 12; i++)
		loss->steps[i] = AT + 7 + 10 * (int64_t)i;
	shift(loss, 0, 0.08);
	loss->b[3] = loss->a[3] * 0.92;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(f, TS_CAUSE_RESUME_STATE));
	assert_true(says(f->got.why.sentence, "is not a common step"));
	shift(loss, 0, 0.01);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(may_be(f, TS_CAUSE_RESUME_DATA));
	shift(loss, 0, 1e-7);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
}

/* --- what stands beside the loss --- */

static void average_of_weights_lost(void **state)
{
	struct fixture *f = *state;
	struct made *eval;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	eval = add(f, TS_RESUME_EVAL, "eval.ema_loss", 0, 3);
	for (int i = 0; i < 3; i++)
		eval->steps[i] = AT + 9 + 10 * i;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	shift(eval, 0, 2e-3);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "eval.ema_loss at step 109") && says(f->got.why.sentence, "(EMA)"));
	assert_true(may_be(f, TS_CAUSE_EVALUATION));
	/* Rounding of the training reaches an evaluation, but not much further than a loss. */
	shift(&f->made[0], 0, 4e-7);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	shift(eval, 0, 3e-6);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	shift(eval, 0, 1e-2);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	/* Long after the last loss that was compared, rounding may have grown. */
	for (int i = 0; i < 3; i++)
		eval->steps[i] += 60;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	for (int i = 0; i < 3; i++)
		eval->steps[i] -= 60;
	/* A score of answers may turn by some of them. */
	eval->series.name = ts_span_str("eval.accuracy");
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
}

static void state_that_only_a_digest_shows(void **state)
{
	struct fixture *f = *state;
	struct made *other;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	other = add(f, TS_RESUME_DIGEST, "digests.ema", 0, 30);
	differ(other, 4);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "digests.ema differs from step 104 on"));
	/* It follows from a training that was rounded otherwise, unless it is of what was loaded. */
	shift(&f->made[0], 0, 1e-7);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	differ(other, 0);
	other->series.when = TS_DIGEST_BEFORE;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	/* A number that nobody knows is judged where the training agrees in every bit. */
	f->e.n_series = 1;
	shift(add(f, TS_RESUME_SCALAR, "scalars.acc", 0, 30), 3, 0.1);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	assert_true(any_says(f->got.why.evidence_against, f->got.why.n_against,
			     "acc: differs from step 103 on, by 9.1 % at most; it is not judged"));
	shift(&f->made[0], 0, 0);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	/* One that is written once, at the end, sums up the run, and the resumed one is shorter. */
	f->e.n_series = 1;
	shift(add(f, TS_RESUME_SCALAR, "scalars.train_loss", 0, 1), 0, 0.1);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_true(
		any_says(f->got.why.evidence_against, f->got.why.n_against, "train_loss: differs at step 100, its only common step"));
}

static void scale_of_gradients_lost(void **state)
{
	struct fixture *f = *state;
	struct made *scale;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	scale = add(f, TS_RESUME_SCALE, "scalars.loss_scale", 0, 30);
	for (size_t i = 0; i < 30; i++)
		scale->a[i] = scale->b[i] = 131072;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	shift(scale, 20, -0.5);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	/* Where the training is rounded otherwise, an overflow may come at another step: nothing is decided. */
	shift(&f->made[0], 0, 1e-7);
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE);
	assert_true(says(f->got.why.sentence, "loss_scale differs from step 120 on"));
	shift(scale, 0, -0.5);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "at step 100 loss_scale is 6.554e+04, but the parent has 1.311e+05"));
	f->e.n_series = 1;
	shift(&f->made[0], 0, 0);
	shift(add(f, TS_RESUME_GRAD_NORM, "scalars.grad_norm", 0, 30), 0, 1);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(says(f->got.why.sentence, "The loss agrees, but the gradient norm does not"));
	assert_true(may_be(f, TS_CAUSE_REPORTING));
	shift(&f->made[1], 0, 5e-5); /* norms round to more than losses do */
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
}

static void count_begins_anew(void **state)
{
	struct fixture *f = *state;
	struct made *tokens;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	tokens = add(f, TS_RESUME_COUNT, "tokens", 0, 30);
	for (size_t i = 0; i < 30; i++) {
		tokens->a[i] = 1e9 + 4096 * (double)i;
		tokens->b[i] = 4096 * (double)(i + 1);
	}
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "A count was not restored: tokens at step 100 is 4096"));
}

static void schedule_begins_anew(void **state)
{
	struct fixture *f = *state;
	struct made *rate;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	rate = add(f, TS_RESUME_RATE, "scalars.lr", 0, 30);
	for (size_t i = 0; i < 30; i++) {
		rate->a[i] = 1e-3 / (double)(100 + i);
		rate->b[i] = 1e-3 / (double)(1 + i);
	}
	rate->series.shift = (struct ts_resume_shift){.answer = TS_SHIFT_FOUND, .by = -99, .matched = 8, .of = 8};
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "that of step 1 on, so the schedule began anew"));
	/* A constant rate is found anywhere. */
	for (size_t i = 0; i < 30; i++)
		rate->b[i] = 1e-3;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_false(says(f->got.why.sentence, "anew"));
}

/* Losses rise and fall with their batches: noise of a normal distribution, the same in both runs or another one. */
static void ups_and_downs(void **state)
{
	struct fixture *f = *state;
	struct made *loss = add(f, TS_RESUME_LOSS, "scalars.loss", 0, 40);
	struct ts_random random;

	ts_random_init(&random, 5);
	for (size_t i = 0; i < 40; i++) {
		loss->a[i] = 3 + 0.1 * ts_random_normal(&random);
		loss->b[i] = 1.08 * loss->a[i];
	}
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "so the batches are likely the same") && may_be(f, TS_CAUSE_RESUME_DATA));
	for (size_t i = 0; i < 40; i++)
		loss->b[i] = 3 + 0.1 * ts_random_normal(&random);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "its level is the same, so the weights are likely right"));
	loss->series.n = 11; /* too few for a correlation */
	decide(f);
	assert_false(says(f->got.why.sentence, "correlation"));
}

static void slower_after_the_resume(void **state)
{
	struct fixture *f = *state;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	f->e.pace = (struct ts_resume_pace){.known = true, .parent = 1.2, .child = 3, .child_fast = 2.8};
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, ". A step takes 2.5 times as long as in the parent: 3.00 s instead of 1.20 s"));
	f->e.pace.child_fast = 1.1; /* a part of its steps is as fast as in the parent */
	decide(f);
	assert_false(says(f->got.why.sentence, "as long"));
	f->e.pace = (struct ts_resume_pace){.known = true, .parent = 1.2, .child = 1.4, .child_fast = 1.3};
	decide(f);
	assert_false(says(f->got.why.sentence, "as long"));
}

/* A log of every tenth step does not have the step of the resume: what it has first may be nine steps later. */
static void the_resume_has_no_record(void **state)
{
	struct fixture *f = *state;
	struct made *loss = add(f, TS_RESUME_LOSS, "scalars.loss", 0, 12);

	for (size_t i = 0; i < 12; i++)
		loss->steps[i] = AT + 10 * (int64_t)i;
	shift(loss, 0, 5e-6); /* rounding of 1e-6 grows to 1e-5 in nine steps, by exp(0.26 9) */
	expect(f, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	f->e.slack = 9;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	shift(loss, 0, 2e-3);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(says(f->got.why.sentence, "the 9 steps before it have no record"));
	/* Three records that agree are enough: every update before them agreed, too. */
	shift(loss, 0, 0);
	loss->series.n = 3;
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
}

static void later_steps(void **state)
{
	struct fixture *f = *state;
	struct made *loss = add(f, TS_RESUME_LOSS, "scalars.loss", 0, 52);

	shift(loss, 40, 0.02); /* 12 of 50: fewer than half */
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	shift(loss, 10, 0.02); /* 42 of 50 */
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(may_be(f, TS_CAUSE_NONDETERMINISM));
	assert_true(says(f->got.why.sentence, "step 110"));
	shift(loss, 10, 4e-3); /* rounding does not grow to that within ten steps */
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	for (size_t i = 0; i < 52; i++) /* noise that grew */
		loss->b[i] = loss->a[i] * (1 + fmin(1e-7 * exp(0.25 * (double)i), 4e-3));
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
}

static void report_alone(void **state)
{
	struct fixture *f = *state;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 0, 1e-4);
	add(f, TS_RESUME_GRAD_NORM, "scalars.grad_norm", 0, 30);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	assert_true(says(f->got.why.sentence, "loss is logged differently"));
	f->made[0].series.n = f->made[1].series.n = 9; /* too few to be sure of it */
	expect(f, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	f->made[0].series.n = f->made[1].series.n = 30;
	f->made[1].b[20] *= 1.001;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
}

static void ranks(void **state)
{
	struct fixture *f = *state;
	struct made *batch;

	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30);
	add(f, TS_RESUME_BATCH, "digests.batch", 0, 30);
	batch = add(f, TS_RESUME_BATCH, "digests.batch", 1, 30);
	batch->word_b[5]++;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "step 105"));
	assert_true(any_says(f->got.why.evidence_against, f->got.why.n_against, "digests.batch on rank 1"));
	assert_true(row(f, "digests.batch on rank 0", "equal_count") == 30);
	assert_true(row(f, "digests.batch on rank 1", "equal_count") == 29);
}

/* Of several series, the one that differs first is reported. */
static void the_first_rank_to_part(void **state)
{
	struct fixture *f = *state;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 30), 5, 0.5);
	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 1, 30), 0, 0.08);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(says(f->got.why.sentence, "loss on rank 1 at step 100"));
}

static void no_common_step(void **state)
{
	struct fixture *f = *state;
	int64_t keys[100];
	double before[100], after[10];
	struct ts_series parent = {.keys = keys, .values = before, .n = 100}, child = {.keys = keys, .values = after, .n = 10};

	for (int i = 0; i < 100; i++) {
		keys[i] = i - 10;
		before[i] = i < 50 ? 5 : 2 + 0.01 * (i % 5 - 2); /* 1.98 to 2.02 in the tail */
	}
	for (int i = 0; i < 10; i++)
		after[i] = 2.03;
	assert_true(ts_resume_level_of(&parent, &child, &f->arena, &f->e.level));
	/* The values are {-.02, -.01, 0, .01, .02} ten times: the median distance is 0.01. */
	assert_true(fabs(f->e.level.spread - 0.014826) < 1e-9 && fabs(f->e.level.before - 2) < 1e-12);
	assert_true(f->e.level.after == 2.03 && f->e.level.last_step == 89);
	add(f, TS_RESUME_LOSS, "scalars.loss", 0, 0);
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_true(says(f->got.why.sentence, "continues") && says(f->got.why.sentence, "weak evidence"));
	assert_true(any_says(f->got.why.evidence_against, f->got.why.n_against, "neither run has the steps 90 to 99"));
	for (int i = 0; i < 10; i++)
		after[i] = 2.06;
	assert_true(ts_resume_level_of(&parent, &child, &f->arena, &f->e.level));
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_true(says(f->got.why.sentence, "jumps"));
	child.n = 4;
	assert_true(ts_resume_level_of(&parent, &child, &f->arena, &f->e.level));
	assert_false(f->e.level.known);
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_false(says(f->got.why.sentence, "level"));
	f->e.said = TS_RESUME_SAID_NOT;
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_false(f->got.why.has_step);
	assert_true(says(f->got.why.experiments[0].command, "lineage.resumed_step"));
}

/* Steps are any 64-bit numbers; the sanitizer reports an overflow. */
static void steps_at_the_ends(void **state)
{
	struct fixture *f = *state;
	struct made *batch;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 2), 1, 0.5);
	f->made[0].steps[0] = f->e.step = INT64_MIN;
	f->made[0].steps[1] = INT64_MAX;
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_LOW);
	f->e.step = INT64_MAX;
	f->made[0].series.n = 0;
	f->e.level = (struct ts_resume_level){.known = true, .last_step = INT64_MIN};
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	batch = add(f, TS_RESUME_BATCH, "digests.batch", 0, 1);
	batch->steps[0] = INT64_MAX;
	batch->word_b[0]++;
	ts_resume_find_shift((int64_t[]){INT64_MIN}, batch->word_b, 1, batch->steps, batch->word_b, 1, &batch->series.shift);
	assert_int_equal(batch->series.shift.answer, TS_SHIFT_FOUND);
	expect(f, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(says(f->got.why.sentence, "step -9223372036854775808"));
}

static void parameters_alone(void **state)
{
	struct fixture *f = *state;

	add(f, TS_RESUME_PARAMS, "digests.params", 0, 3);
	expect(f, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	f->made[0].series.n = 2;
	expect(f, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
}

static void finds_shifts(void **state)
{
	int64_t steps_p[50], steps_c[10];
	uint64_t p[50], c[10];
	struct ts_resume_shift s;

	(void)state;
	for (int i = 0; i < 50; i++) {
		steps_p[i] = i;
		p[i] = 100 + (uint64_t)i;
	}
	for (int i = 0; i < 10; i++) {
		steps_c[i] = 30 + i;
		c[i] = 100 + (uint64_t)i; /* the data start again from the beginning */
	}
	ts_resume_find_shift(steps_p, p, 50, steps_c, c, 10, &s);
	assert_int_equal(s.answer, TS_SHIFT_FOUND);
	assert_int_equal(s.by, -30);
	assert_int_equal(s.matched, TS_RESUME_SHIFT);
	for (int i = 0; i < 10; i++)
		c[i] = 100 + 31 + (uint64_t)i; /* one batch was lost */
	ts_resume_find_shift(steps_p, p, 50, steps_c, c, 10, &s);
	assert_int_equal(s.by, 1);
	/* Near the end of the parent there are fewer batches to compare. */
	for (int i = 0; i < 10; i++)
		c[i] = 100 + 47 + (uint64_t)i;
	ts_resume_find_shift(steps_p, p, 50, steps_c, c, 10, &s);
	assert_int_equal(s.answer, TS_SHIFT_FOUND);
	assert_int_equal(s.by, 17);
	assert_int_equal(s.matched, 3);
	/* Of two places the nearer one counts: an epoch has ten batches. */
	for (int i = 0; i < 50; i++)
		p[i] = 100 + (uint64_t)i % 10;
	for (int i = 0; i < 10; i++)
		c[i] = 100 + (uint64_t)(i + 3) % 10;
	ts_resume_find_shift(steps_p, p, 50, steps_c, c, 10, &s);
	assert_int_equal(s.by, 3);
	for (int i = 0; i < 10; i++)
		c[i] = 100 + (uint64_t)(i * 3) % 10; /* shuffled */
	ts_resume_find_shift(steps_p, p, 50, steps_c, c, 10, &s);
	assert_int_equal(s.answer, TS_SHIFT_SCATTERED);
	assert_int_equal(s.seen, 8);
	for (int i = 0; i < 10; i++)
		c[i] = 7 + (uint64_t)i;
	ts_resume_find_shift(steps_p, p, 50, steps_c, c, 10, &s);
	assert_int_equal(s.answer, TS_SHIFT_ABSENT);
	ts_resume_find_shift(steps_p, p, 0, steps_c, c, 10, &s);
	assert_int_equal(s.answer, TS_SHIFT_ABSENT);
}

static void formats(void **state)
{
	(void)state;
	assert_int_equal(ts_resume_format_of(ts_span_str("torch.float32")), TS_FORMAT_FULL);
	assert_int_equal(ts_resume_format_of(ts_span_str("bf16-mixed")), TS_FORMAT_REDUCED);
	assert_int_equal(ts_resume_format_of(ts_span_str("tf32")), TS_FORMAT_REDUCED);
	assert_int_equal(ts_resume_format_of(ts_span_str("int8")), TS_FORMAT_UNKNOWN);
	assert_int_equal(ts_resume_format_of(ts_span_str("")), TS_FORMAT_UNKNOWN);
}

/* Every arena size below the needed one gives an error, and no answer. */
static void little_memory(void **state)
{
	struct fixture *f = *state;
	struct ts_error err;
	size_t refused = 0;

	shift(add(f, TS_RESUME_LOSS, "scalars.loss", 0, 52), 0, 0.08);
	add(f, TS_RESUME_BATCH, "digests.batch", 0, 30);
	decide(f);
	for (size_t ceiling = 1; ceiling < 1 << 20; ceiling += 97) {
		struct ts_resume r = {.verdict = TS_RESUME_UNDECIDED};
		struct ts_arena arena;
		enum ts_status status;

		ts_arena_init(&arena, ceiling);
		status = ts_resume_decide(&f->e, &arena, &r, &err);
		ts_arena_finish(&arena);
		if (!status) {
			assert_true(refused > 10);
			return;
		}
		assert_true(status == TS_NO_MEMORY || status == TS_TOO_LARGE);
		refused++;
	}
	fail_msg("never enough");
}

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	static const enum ts_measure_name by_the_handler[] = {TS_M_RESTART_AT, TS_M_RESTART_VERDICT, TS_MEASURE_NAMES};

	(void)state;
	assert_true(test_seen_all(TS_ANSWER_RESUME, by_the_handler));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(equal_in_every_bit),
		T(tolerance_goes_by_format),
		T(optimizer_lost),
		T(the_update_differs),
		T(scaler_lost),
		T(data_position_by_the_loss),
		T(data_position_by_digests),
		T(random_draws),
		T(weights_lost),
		T(blames_what_the_records_show),
		T(update_by_digests),
		T(learning_rate),
		T(too_few_steps),
		T(rounded_values),
		T(rounded_on_one_side),
		T(not_a_number),
		T(another_cadence),
		T(average_of_weights_lost),
		T(state_that_only_a_digest_shows),
		T(scale_of_gradients_lost),
		T(count_begins_anew),
		T(schedule_begins_anew),
		T(ups_and_downs),
		T(slower_after_the_resume),
		T(the_resume_has_no_record),
		T(later_steps),
		T(report_alone),
		T(ranks),
		T(the_first_rank_to_part),
		T(no_common_step),
		T(steps_at_the_ends),
		T(parameters_alone),
		T(finds_shifts),
		T(formats),
		T(little_memory),
		cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests_name("resume", tests, NULL, NULL);
}
