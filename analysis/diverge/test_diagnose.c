/* test_diagnose.c - each class from evidence made by hand, and beside it a near miss: the same with one thing changed, which
 * must come out otherwise. What is expected is what docs/divergence.md says in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/diverge/diagnose.h"

#include <stdio.h>

enum { LAST = 999 }; /* both runs have steps 0 to 999 */

/* Evidence under construction, and its diagnosis. */
struct scene {
	struct ts_arena arena;
	struct ts_evidence e;
	struct ts_evidence_series series[32];
	struct ts_fact_row rows[16];
	struct ts_facts facts[2];
	int64_t steps[4];
	size_t n_steps;
	struct ts_diagnosis d;
};

static void open_scene(struct scene *s)
{
	memset(s, 0, sizeof *s);
	ts_arena_init(&s->arena, 1 << 20);
	s->e.series = s->series;
	s->e.facts = s->rows;
}

static void close_scene(struct scene *s)
{
	ts_arena_finish(&s->arena);
}

static struct ts_evidence_series *add(struct scene *s, enum ts_series_kind kind, const char *name, int32_t rank)
{
	struct ts_evidence_series *series = &s->series[s->e.n_series++];

	assert_true(s->e.n_series <= 32);
	*series = (struct ts_evidence_series){.kind = kind,
					      .name = ts_span_str(name),
					      .rank = rank,
					      .in_a = true,
					      .in_b = true,
					      .common = LAST + 1,
					      .from_first = true,
					      .last_common = LAST,
					      .cadence = 1};
	return series;
}

static void agrees(struct scene *s, enum ts_series_kind kind, const char *name)
{
	(void)add(s, kind, name, 0);
}

/* Adds a number that differs from step on by r, relative, by r_10 ten steps later, and then grows by slope. */
static struct ts_evidence_series *parts(struct scene *s, enum ts_series_kind kind, const char *name, int64_t step, double r,
					double r_10, double slope)
{
	struct ts_evidence_series *series = add(s, kind, name, 0);

	series->parts = true;
	series->first = step;
	series->after_known = step > 0;
	series->after = step - 1;
	series->a = 2;
	series->b = 2 * (1 - r);
	series->gap = (struct ts_gap){.known = true,
				      .visible = true,
				      .visible_step = step,
				      .first = r,
				      .at_visible = r,
				      .after_10 = r_10,
				      .after_30 = r_10,
				      .after_100 = r_10,
				      .slope = slope,
				      .saturation = r_10,
				      .greatest = 2 * r_10,
				      .greatest_step = LAST,
				      .bias = 0.5,
				      .points = (uint64_t)(LAST - step + 1),
				      .differing = (uint64_t)(LAST - step + 1),
				      .last_step = LAST};
	return series;
}

static struct ts_evidence_series *digest(struct scene *s, enum ts_series_kind kind, const char *name, int32_t rank, int64_t step)
{
	struct ts_evidence_series *series = add(s, kind, name, rank);

	series->parts = true;
	series->first = step;
	series->after_known = step > 0;
	series->after = step - 1;
	return series;
}

static struct ts_fact *fact(struct scene *s, const char *path, const char *text)
{
	struct ts_fact *f = ts_arena_array(&s->arena, 1, sizeof *f);

	assert_non_null(f);
	*f = (struct ts_fact){
		.path = ts_span_str(path), .type = TS_FACT_TEXT, .source = TS_SOURCE_FACTS_JSON, .text = ts_span_str(text)};
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
		f->type = TS_FACT_BOOL;
		f->boolean = text[0] == 't';
	}
	return f;
}

/* Adds a count that differs. */
static void count(struct scene *s, const char *path, int64_t a, int64_t b)
{
	struct ts_fact *sides[2] = {fact(s, path, ""), fact(s, path, "")};

	for (size_t i = 0; i < 2; i++) {
		sides[i]->type = TS_FACT_INT;
		sides[i]->integer = i ? b : a;
	}
	s->rows[s->e.n_facts] = (struct ts_fact_row){
		.path = ts_span_str(path), .a = sides[0], .b = sides[1], .rank = -1, .change = TS_FACT_CHANGED};
	assert_true(ts_group_of(ts_span_str(path), &s->rows[s->e.n_facts++].group));
}

/* Adds a fact of both runs; NULL means that it is not recorded. If the two differ, it is a row of the difference
 * too. */
static void say(struct scene *s, const char *path, const char *a, const char *b)
{
	struct ts_fact *sides[2] = {a ? fact(s, path, a) : NULL, b ? fact(s, path, b) : NULL};
	struct ts_error err;

	for (size_t i = 0; i < 2; i++)
		if (sides[i])
			assert_int_equal(ts_facts_add(&s->facts[i], sides[i], &s->arena, &err), TS_OK);
	if (a && b && strcmp(a, b) == 0)
		return;
	s->rows[s->e.n_facts] = (struct ts_fact_row){.path = ts_span_str(path),
						     .a = sides[0],
						     .b = sides[1],
						     .rank = -1,
						     .change = !a ? TS_FACT_ONLY_B : (!b ? TS_FACT_ONLY_A : TS_FACT_CHANGED)};
	assert_true(ts_group_of(ts_span_str(path), &s->rows[s->e.n_facts++].group));
}

static void resume_at(struct scene *s, int64_t step)
{
	s->steps[s->n_steps] = step;
	s->e.resumes_b = (struct ts_steps_list){&s->steps[s->n_steps++], 1};
}

static void ask(struct scene *s)
{
	struct ts_error err;

	for (size_t i = 0; i < 2; i++)
		(void)ts_facts_sort(&s->facts[i]);
	if (s->facts[0].n)
		s->e.facts_a = &s->facts[0];
	if (s->facts[1].n)
		s->e.facts_b = &s->facts[1];
	assert_int_equal(ts_diagnose(&s->e, NULL, &s->arena, &s->d, &err), TS_OK);
	assert_true(test_seen(&s->d.features));
	assert_true(s->d.sentence.len > 0);
	assert_true(s->d.bits.why.len > 0 && s->d.numeric.why.len > 0 && s->d.statistical.why.len > 0);
}

static bool may_be(const struct scene *s, enum ts_cause cause)
{
	for (size_t i = 0; i < s->d.n_remaining; i++)
		if (s->d.remaining[i] == cause)
			return true;
	return false;
}

static bool found_in(const struct ts_span *texts, size_t n, const char *needle)
{
	for (size_t i = 0; i < n; i++)
		if (texts[i].len && memmem(texts[i].data, texts[i].len, needle, strlen(needle)))
			return true;
	return false;
}

static bool says_for(const struct scene *s, const char *needle)
{
	return found_in(s->d.evidence_for, s->d.n_for, needle);
}

static bool says_against(const struct scene *s, const char *needle)
{
	return found_in(s->d.evidence_against, s->d.n_against, needle);
}

static void expect_at(struct scene *s, enum ts_cause cause, enum ts_confidence confidence, int line)
{
	ask(s);
	if (s->d.cause != cause || s->d.confidence != confidence)
		fail_msg("line %d: %s with %s confidence, not %s with %s: %.*s", line, ts_cause_word(s->d.cause),
			 ts_confidence_word(s->d.confidence), ts_cause_word(cause), ts_confidence_word(confidence),
			 TS_SPAN_ARG(s->d.sentence));
	assert_false(may_be(s, cause));
}

#define expect(s, cause, confidence) expect_at(s, cause, confidence, __LINE__)
#define SCENE(s)                                                                                                                 \
	struct scene s;                                                                                                          \
	(void)state;                                                                                                             \
	open_scene(&s)
#define AGAIN(s)                                                                                                                 \
	close_scene(&s);                                                                                                         \
	open_scene(&s)

/* --- nothing differs --- */

static void test_identical(void **state)
{
	SCENE(s);
	agrees(&s, TS_KIND_LOSS, "scalars.loss");
	agrees(&s, TS_KIND_GRAD_NORM, "scalars.grad_norm");
	expect(&s, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_int_equal(s.d.bits.answer, TS_TIER_HOLDS);
	assert_int_equal(s.d.numeric.answer, TS_TIER_HOLDS);
	assert_int_equal(s.d.statistical.answer, TS_TIER_HOLDS);
	assert_false(s.d.has_step);
	assert_true(says_for(&s, "loss (float64)"));
	AGAIN(s);
	/* Four decimals hide smaller differences. */
	add(&s, TS_KIND_LOSS, "scalars.loss", 0)->writing_a.resolution =
		(struct ts_resolution){TS_PRECISION_DECIMALS, 4};
	expect(&s, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_MEDIUM);
	assert_true(says_for(&s, "loss (4 decimals)"));
	close_scene(&s);
}

static void test_not_comparable(void **state)
{
	SCENE(s);
	expect(&s, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_int_equal(s.d.bits.answer, TS_TIER_UNKNOWN);
	AGAIN(s);
	/* Nine common steps are too few to name a cause, ten are enough. */
	parts(&s, TS_KIND_LOSS, "loss", 3, 1e-2, 1e-2, 0);
	s.series[0].common = 9;
	expect(&s, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_int_equal(s.d.step, 3);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 3, 1e-2, 1e-2, 0);
	s.series[0].common = 10;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* An agreement is stated over any number of steps. */
	agrees(&s, TS_KIND_LOSS, "loss");
	s.series[0].common = 9;
	expect(&s, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* A series that only one run has compares nothing. */
	agrees(&s, TS_KIND_LOSS, "loss");
	s.series[0].in_b = false;
	expect(&s, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	close_scene(&s);
}

static void test_quantization(void **state)
{
	SCENE(s);
	/* Doubles are compared with their float32: no bits agree, and no difference exceeds half a quantum. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-8, 3e-8, 0)->gap.visible = false;
	expect(&s, TS_CAUSE_QUANTIZATION, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(s.d.bits.answer, TS_TIER_FAILS);
	assert_int_equal(s.d.numeric.answer, TS_TIER_HOLDS);
	AGAIN(s);
	/* Losses that were float32 agree; the learning rate is a double in one log and float32 in the other. */
	agrees(&s, TS_KIND_LOSS, "loss");
	parts(&s, TS_KIND_LR, "lr", 0, 2e-9, 2e-9, 0)->gap.visible = false;
	expect(&s, TS_CAUSE_QUANTIZATION, TS_CONFIDENCE_HIGH);
	assert_int_equal(s.d.bits.answer, TS_TIER_FAILS);
	assert_int_equal(s.d.numeric.answer, TS_TIER_HOLDS);
	assert_true(says_for(&s, "lr differs by no more than half the rounding step"));
	assert_true(says_for(&s, "agree bit for bit"));
	AGAIN(s);
	agrees(&s, TS_KIND_LOSS, "loss");
	parts(&s, TS_KIND_LR, "lr", 0, 2e-9, 2e-9, 0);
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-8, 3e-8, 0);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* One side logs every step, the other the mean of every ten, and no value agrees. */
static void test_means(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 0.1, 0.1, 0)->other_cadence = true;
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 500, 1e-7, 1e-7, 0);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_LOW);
	assert_int_equal(s.d.step, 500);
	assert_true(says_against(&s, "means"));
	AGAIN(s);
	/* If nothing else was recorded, no cause can be named, and the runs are not called the same. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 0.1, 0.1, 0)->other_cadence = true;
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	assert_int_not_equal(s.d.bits.answer, TS_TIER_HOLDS);
	assert_int_not_equal(s.d.numeric.answer, TS_TIER_HOLDS);
	AGAIN(s);
	/* Values that agree at first are values of single steps. */
	parts(&s, TS_KIND_LOSS, "loss", 500, 0.1, 0.1, 0)->other_cadence = true;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 0.1, 0.1, 0);
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* Where parameters agree by their digests, a loss that differs in its last bits is summed in another way. Generators that differ alone
 * move nothing. */
static void test_beside_equal_parameters(void **state)
{
	struct ts_evidence_series *loss;
	SCENE(s);

	loss = parts(&s, TS_KIND_LOSS, "loss", 500, 1e-7, 1e-7, 0);
	loss->gap.greatest = 2e-7;
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_REPORTING));
	AGAIN(s);
	loss = parts(&s, TS_KIND_LOSS, "loss", 500, 1e-7, 1e-7, 0);
	loss->gap.greatest = 1e-3;
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	agrees(&s, TS_KIND_LOSS, "loss");
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	digest(&s, TS_KIND_RNG, "digests.rng", 6, 0);
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_RNG_STREAM);
	assert_true(found_in(&s.d.sentence, 1, "what is drawn from them there does not reach it"));
	close_scene(&s);
}

/* Running statistics that differ alone were changed by a pass that is none of the training's; another digest is logged differently. */
static void test_buffers_alone(void **state)
{
	SCENE(s);
	agrees(&s, TS_KIND_LOSS, "loss");
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	digest(&s, TS_KIND_BUFFERS, "digests.buffers", 0, 10);
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_EVALUATION);
	assert_int_equal(s.d.step, 10);
	assert_true(found_in(&s.d.sentence, 1, "an evaluation without model.eval()"));
	/* They were lost where they differ from a resume on, and an evaluation is behind it where they agree there. */
	for (int64_t resume = 10; resume >= 8; resume -= 2) {
		AGAIN(s);
		agrees(&s, TS_KIND_LOSS, "loss");
		agrees(&s, TS_KIND_PARAMS, "digests.params");
		digest(&s, TS_KIND_BUFFERS, "digests.buffers", 0, 10);
		resume_at(&s, resume);
		ask(&s);
		assert_int_equal(s.d.cause, resume == 10 ? TS_CAUSE_RESUME_STATE : TS_CAUSE_EVALUATION);
	}
	AGAIN(s);
	agrees(&s, TS_KIND_LOSS, "loss");
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	digest(&s, TS_KIND_DIGEST, "digests.kv_cache", 0, 10);
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_REPORTING);
	close_scene(&s);
}

/* Only the loss differs, by 1e-6 from step 500 on, while the gradient norm agrees to the bit. */
static void test_reporting(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 500, 5e-7, 5e-7, 0);
	agrees(&s, TS_KIND_GRAD_NORM, "grad_norm");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(s.d.step, 500);
	assert_false(may_be(&s, TS_CAUSE_NONDETERMINISM));
	AGAIN(s);
	/* 50 records after the difference decide, 49 do not: rounding reaches a norm after up to 25. */
	parts(&s, TS_KIND_LOSS, "loss", LAST - 50, 5e-7, 5e-7, 0);
	agrees(&s, TS_KIND_GRAD_NORM, "grad_norm");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", LAST - 49, 5e-7, 5e-7, 0);
	agrees(&s, TS_KIND_GRAD_NORM, "grad_norm");
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* Digests of parameters need only one step. */
	parts(&s, TS_KIND_LOSS, "loss", LAST - 1, 5e-2, NAN, NAN);
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_HIGH);
	assert_int_equal(s.d.numeric.answer, TS_TIER_HOLDS);
	AGAIN(s);
	/* A loss that differs only now and then may come from a state that hardly differs. */
	parts(&s, TS_KIND_LOSS, "loss", 500, 5e-7, 5e-7, 0)->gap.differing = 20;
	agrees(&s, TS_KIND_GRAD_NORM, "grad_norm");
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM));
	AGAIN(s);
	/* A learning rate that differed earlier may have changed a loss that little. */
	parts(&s, TS_KIND_LR, "lr", 499, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 500, 5e-7, 5e-7, 0);
	agrees(&s, TS_KIND_GRAD_NORM, "grad_norm");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* These learning rates have no effect. */
	agrees(&s, TS_KIND_LOSS, "loss");
	parts(&s, TS_KIND_LR, "lr", 100, 0.1, 0.1, 0);
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(s.d.step, 100);
	close_scene(&s);
}

static void test_evaluation(void **state)
{
	SCENE(s);
	agrees(&s, TS_KIND_LOSS, "loss");
	parts(&s, TS_KIND_EVAL, "val_loss", 100, 1e-2, 1e-2, 0);
	expect(&s, TS_CAUSE_EVALUATION, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(s.d.step, 100);
	assert_true(says_for(&s, "agrees bit for bit over 1,000 common steps: loss (float64)"));
	assert_false(says_for(&s, "val_loss (float64)"));
	AGAIN(s);
	agrees(&s, TS_KIND_LOSS, "loss");
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	parts(&s, TS_KIND_EVAL, "val_loss", 100, 1e-2, 1e-2, 0);
	expect(&s, TS_CAUSE_EVALUATION, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* Where the training differs, an evaluation only follows it. */
	parts(&s, TS_KIND_LOSS, "loss", 50, 1e-2, 1e-2, 0);
	parts(&s, TS_KIND_EVAL, "val_loss", 100, 1e-2, 1e-2, 0);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* --- inputs --- */

static void test_learning_rate(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LR, "lr", 40, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 41, 3e-4, 1e-2, 0.05);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 41, 3e-3, 1e-2, 0.05);
	say(&s, "config.lr", "2", "1.8");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_HIGH);
	assert_int_equal(s.d.step, 40);
	assert_int_equal(s.d.n_experiments, 0);
	assert_true(found_in(&s.d.sentence, 1, "config.lr"));
	AGAIN(s);
	/* Another fact of known effect is excluded by nothing. */
	parts(&s, TS_KIND_LR, "lr", 40, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 41, 3e-4, 1e-2, 0.05);
	say(&s, "config.lr", "2", "1.8");
	say(&s, "config.dtype", "float32", "bfloat16");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_PRECISION));
	AGAIN(s);
	/* Without a configuration no setting shows it. */
	parts(&s, TS_KIND_LR, "lr", 40, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 41, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_RESUME_STATE) && may_be(&s, TS_CAUSE_CODE));
	AGAIN(s);
	/* Every setting agrees: the rate is an effect. */
	parts(&s, TS_KIND_LR, "lr", 40, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 41, 3e-4, 1e-2, 0.05);
	say(&s, "config.lr", "2", "2");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "no recorded setting of it does"));
	assert_true(may_be(&s, TS_CAUSE_CODE));
	AGAIN(s);
	/* Digests of parameters that are taken after the update differ together with the learning rate. */
	parts(&s, TS_KIND_LR, "lr", 0, 0.03, 0.03, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(s.d.step, 0);
	AGAIN(s);
	/* A rate that differs only after the loss did not change the loss. */
	parts(&s, TS_KIND_LR, "lr", 42, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 41, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(says_against(&s, "when the training already differed"));
	AGAIN(s);
	/* Nor can it have changed the very first loss. */
	parts(&s, TS_KIND_LR, "lr", 0, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-2, 0.05);
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Nor did a rate that differs a hundred steps earlier, if nothing differs in between. */
	parts(&s, TS_KIND_LR, "lr", 40, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 140, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(says_against(&s, "nothing else changed for"));
	close_scene(&s);
}

/* From a step on the batches differ, in this relation, and so do the losses. */
static void batches_part(struct scene *s, double r, double r_10, struct ts_batch_relation relation)
{
	digest(s, TS_KIND_BATCH, "digests.batch", 0, relation.step);
	parts(s, TS_KIND_LOSS, "loss", relation.step, r, r_10, 0.05);
	s->e.batches = relation;
}

static void test_data(void **state)
{
	SCENE(s);
	batches_part(&s, 1e-2, 1e-1, (struct ts_batch_relation){TS_BATCHES_REORDERED, 80, 0, 900, 900, 0, 0});
	expect(&s, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	batches_part(&s, 1e-2, 1e-1, (struct ts_batch_relation){TS_BATCHES_SHIFTED, 80, -3, 900, 900, 0, 0});
	expect(&s, TS_CAUSE_DATA_POSITION, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* The runs have no batch in common, and the facts say that the data are the same. */
	batches_part(&s, 1e-2, 1e-1, (struct ts_batch_relation){TS_BATCHES_DISJOINT, 80, 0, 900, 0, 0, 0});
	say(&s, "data.sha256", "398c", "398c");
	expect(&s, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW); /* what makes them made equal ones before */
	assert_true(may_be(&s, TS_CAUSE_CONFIG));
	AGAIN(s);
	for (int code = 0; code < 2; code++) {
		batches_part(&s, 1e-2, 1e-1, (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 900, 0, 0, 0});
		say(&s, "data.sha256", "398c", "398c");
		say(&s, "config.lr", "0.1", "0.1");
		say(&s, "code.commit", "aaaa", code ? "bbbb" : "aaaa");
		expect(&s, code ? TS_CAUSE_CODE : TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
		AGAIN(s);
	}
	batches_part(&s, 1e-2, 1e-1, (struct ts_batch_relation){TS_BATCHES_DISJOINT, 80, 0, 900, 0, 0, 0});
	say(&s, "data.sha256", "398c", "77aa");
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* No fact says which data were read: another order and other data both stay possible. */
	batches_part(&s, 1e-2, 1e-1, (struct ts_batch_relation){TS_BATCHES_DISJOINT, 80, 0, 900, 0, 0, 0});
	expect(&s, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_DATA_SET));
	AGAIN(s);
	/* Batches that differ long before anything else does are not the cause. */
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 10);
	parts(&s, TS_KIND_LOSS, "loss", 80, 1e-2, 1e-1, 0.05);
	s.e.batches = (struct ts_batch_relation){TS_BATCHES_REORDERED, 10, 0, 900, 900, 0, 0};
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Neither are those that differ afterwards. */
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 81);
	parts(&s, TS_KIND_LOSS, "loss", 80, 1e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_false(may_be(&s, TS_CAUSE_DATA_ORDER));
	assert_true(says_against(&s, "it is not the cause"));
	AGAIN(s);
	/* Those of every twentieth step do not show what was used at step 85. */
	*digest(&s, TS_KIND_BATCH, "digests.batch", 0, 100) = (struct ts_evidence_series){
		.kind = TS_KIND_BATCH, .name = ts_span_str("digests.batch"), .in_a = true, .in_b = true, .common = 50,
		.from_first = true, .last_common = LAST, .cadence = 20, .parts = true, .first = 100, .after_known = true, .after = 80};
	parts(&s, TS_KIND_LOSS, "loss", 85, 1e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_DATA_ORDER) && !says_against(&s, "it is not the cause"));
	close_scene(&s);
}

/* Digests of batches that are divided among another number of ranks describe other contents, so they prove nothing. */
static void test_shares(void **state)
{
	SCENE(s);
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-7, 1e-7, 0);
	s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 1000, 0, 0, 0};
	say(&s, "data.sha256", "398c", "398c");
	say(&s, "parallelism.world_size", "1", "2");
	s.e.world_a = 1;
	s.e.world_b = 2;
	expect(&s, TS_CAUSE_REDUCTION_ORDER, TS_CONFIDENCE_MEDIUM);
	assert_true(says_against(&s, "cannot be compared"));
	AGAIN(s);
	/* The same holds where the number of ranks was not recorded: one run has the batches of a second rank. */
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	add(&s, TS_KIND_BATCH, "digests.batch", 1)->in_a = false;
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-7, 1e-7, 0);
	s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 1000, 0, 0, 0};
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_REDUCTION_ORDER));
	AGAIN(s);
	/* With the same number of ranks, it is a batch that differs. */
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-2, 1e-1, 0);
	s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 1000, 0, 0, 0};
	s.e.world_a = s.e.world_b = 2;
	expect(&s, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* One sample is replaced: batches differ, and none has moved. */
static void test_replaced(void **state)
{
	SCENE(s);
	batches_part(&s, 1e-3, 1e-2, (struct ts_batch_relation){TS_BATCHES_REPLACED, 80, 0, 900, 0, 870, 0});
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_DATA_ORDER));
	AGAIN(s);
	batches_part(&s, 1e-3, 1e-2, (struct ts_batch_relation){TS_BATCHES_REPLACED, 80, 0, 900, 0, 870, 0});
	say(&s, "data.sha256", "398c", "77aa");
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* A digest that only one run recorded is not a different digest. */
	batches_part(&s, 1e-3, 1e-2, (struct ts_batch_relation){TS_BATCHES_REPLACED, 80, 0, 900, 0, 870, 0});
	say(&s, "data.sha256", "398c", NULL);
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* The digests of the data are equal: at most samples changed places. */
	batches_part(&s, 1e-3, 1e-2, (struct ts_batch_relation){TS_BATCHES_REPLACED, 80, 0, 900, 0, 870, 0});
	say(&s, "data.sha256", "398c", "398c");
	expect(&s, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_DATA_SET));
	/* All thirty that differ follow one another: the samples of these batches may have changed places. */
	s.e.batches.stretch = 30;
	expect(&s, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_DATA_SET));
	s.e.batches.stretch = 29; /* one more differs elsewhere */
	expect(&s, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	batches_part(&s, 1e-3, 1e-2, (struct ts_batch_relation){TS_BATCHES_REPLACED, 80, 0, 900, 0, 870, 30});
	expect(&s, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

static void test_init(void **state)
{
	SCENE(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_INIT, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* After the first update the digests differ because of whatever changed the first loss. */
	s.e.params_time = TS_DIGEST_AFTER;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* It is not known which digest it is, but batch and generators agree. */
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	AGAIN(s);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_RNG_STREAM));
	AGAIN(s);
	/* The same is combined with another precision, which may have changed them in the first update. */
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	say(&s, "config.precision", "fp32", "bf16");
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-3, 1e-2, 0.05);
	expect(&s, TS_CAUSE_PRECISION, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* A side has steps before the first common one: anything may have changed the parameters. */
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0)->from_first = false;
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Batch and generators differ at the same step. */
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

static void test_rng(void **state)
{
	SCENE(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_RNG, "digests.rng_pass", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	parts(&s, TS_KIND_LOSS, "loss", 0, 4e-4, 1e-2, 0.05);
	s.e.rng_before_pass = true;
	expect(&s, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* States that may be from behind the pass say the same of a pass that draws otherwise, and a setting may be why. */
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	parts(&s, TS_KIND_LOSS, "loss", 0, 4e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_CODE));
	AGAIN(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	parts(&s, TS_KIND_LOSS, "loss", 0, 4e-4, 1e-2, 0.05);
	say(&s, "config.recompute", "full", "no_rng");
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_COMPUTATION);
	assert_true(s.d.confidence < TS_CONFIDENCE_HIGH);
	assert_true(found_in(&s.d.sentence, 1, "config.recompute"));
	assert_true(may_be(&s, TS_CAUSE_RNG_STREAM) && may_be(&s, TS_CAUSE_CONFIG));
	AGAIN(s);
	/* The pass began with the same state and left another one. */
	s.e.params_time = TS_DIGEST_BEFORE;
	agrees(&s, TS_KIND_RNG, "digests.rng_pass");
	digest(&s, TS_KIND_DRAWS, "digests.rng", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	parts(&s, TS_KIND_LOSS, "loss", 0, 4e-4, 1e-2, 0.05);
	s.e.rng_before_pass = true;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "draws other random numbers"));
	AGAIN(s);
	/* The generator may have drawn the batch. */
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 4e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_DATA_ORDER));
	assert_true(may_be(&s, TS_CAUSE_INIT));
	AGAIN(s);
	/* A model without random draws is not affected. */
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	parts(&s, TS_KIND_LOSS, "loss", 300, 4e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

static void grads_on(struct scene *s, uint32_t ranks, uint32_t parted, int64_t step)
{
	for (uint32_t i = 0; i < ranks; i++) {
		if (i < parted)
			digest(s, TS_KIND_GRADS, "digests.grads", (int32_t)i, step);
		else
			add(s, TS_KIND_GRADS, "digests.grads", (int32_t)i);
	}
}

/* Gradients differ after an equal forward pass, on some of several ranks first, and the loss follows. */
static void test_gradient_path(void **state)
{
	SCENE(s);
	grads_on(&s, 4, 1, 60);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.2, 0.2, 0);
	parts(&s, TS_KIND_LOSS, "loss", 61, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_GRADIENT_PATH, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* The difference is no more than rounding: an atomic backward does that. */
	grads_on(&s, 4, 1, 60);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 1e-7, 1e-7, 0);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1e-7, 1e-7, 0);
	expect(&s, TS_CAUSE_GRADIENT_PATH, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM));
	AGAIN(s);
	/* The cause differs where the parameters of that step differ already: gradients follow from them. */
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 60);
	grads_on(&s, 4, 1, 60);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 1e-7, 1e-7, 0);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1e-7, 1e-7, 0);
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_CORRUPTION));
	AGAIN(s);
	/* The gradients differ on every rank at once; on a single rank; and without digests of each rank. */
	grads_on(&s, 4, 4, 60);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 1e-7, 1e-7, 0);
	parts(&s, TS_KIND_LOSS, "loss", 61, 1e-7, 1e-7, 0);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	grads_on(&s, 1, 1, 60);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.2, 0.2, 0);
	parts(&s, TS_KIND_LOSS, "loss", 61, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.2, 0.2, 0);
	parts(&s, TS_KIND_LOSS, "loss", 61, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_GRADIENT_PATH));
	close_scene(&s);
}

static void params_on(struct scene *s, uint32_t ranks, uint32_t parted, int64_t step)
{
	for (uint32_t i = 0; i < ranks; i++) {
		if (i < parted)
			digest(s, TS_KIND_PARAMS, "digests.params", (int32_t)i, step);
		else
			add(s, TS_KIND_PARAMS, "digests.params", (int32_t)i);
	}
}

static void test_corruption(void **state)
{
	SCENE(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 4, 1, 60);
	grads_on(&s, 4, 4, 60);
	agrees(&s, TS_KIND_LR, "lr");
	parts(&s, TS_KIND_LOSS, "loss", 60, 3e-4, 1e-3, 0.02);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 3e-4, 1e-3, 0.02);
	expect(&s, TS_CAUSE_CORRUPTION, TS_CONFIDENCE_MEDIUM);
	assert_false(found_in(&s.d.sentence, 1, "GPU"));
	assert_true(found_in(&s.d.sentence, 1, "skipped their update"));
	assert_true(says_against(&s, "the optimizer state has no digest"));
	AGAIN(s);
	/* The optimizer counted the update: it did run. */
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 4, 1, 60);
	grads_on(&s, 4, 4, 60);
	agrees(&s, TS_KIND_OPTIMIZER, "digests.optimizer");
	parts(&s, TS_KIND_LOSS, "loss", 60, 3e-4, 1e-3, 0.02);
	expect(&s, TS_CAUSE_CORRUPTION, TS_CONFIDENCE_HIGH);
	assert_false(says_against(&s, "no digest"));
	assert_false(found_in(&s.d.sentence, 1, "skipped"));
	AGAIN(s);
	/* Its state differs as well: no sentence may say that it has no digest. */
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 4, 1, 60);
	grads_on(&s, 4, 4, 60);
	digest(&s, TS_KIND_OPTIMIZER, "digests.optimizer", 0, 60);
	parts(&s, TS_KIND_LOSS, "loss", 60, 3e-4, 1e-3, 0.02);
	expect(&s, TS_CAUSE_CORRUPTION, TS_CONFIDENCE_MEDIUM);
	assert_false(says_against(&s, "no digest"));
	assert_true(says_for(&s, "the optimizer state differs from step 60 on"));
	AGAIN(s);
	/* On all ranks, an optimizer that lost its state has the same effect. */
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 4, 4, 60);
	grads_on(&s, 4, 4, 60);
	parts(&s, TS_KIND_LOSS, "loss", 60, 3e-4, 1e-3, 0.02);
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_CONFIG));
	AGAIN(s);
	/* Gradients that differ a step earlier explain parameters that differ. */
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 4, 4, 60);
	grads_on(&s, 4, 4, 59);
	parts(&s, TS_KIND_LOSS, "loss", 60, 3e-4, 1e-3, 0.02);
	ask(&s);
	assert_int_not_equal(s.d.cause, TS_CAUSE_CORRUPTION);
	AGAIN(s);
	/* One ulp of a weight differs, on a single rank whose gradients have digests; and another that no loss ever
	 * shows. */
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 1, 1, 60);
	grads_on(&s, 1, 1, 60);
	parts(&s, TS_KIND_LOSS, "loss", 63, 1e-7, 1e-7, 0);
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM));
	AGAIN(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 1, 1, 60);
	grads_on(&s, 1, 1, 60);
	agrees(&s, TS_KIND_LOSS, "loss");
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* With several ranks, the sum of gradients has no digest and is rounded. */
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 4, 4, 60);
	grads_on(&s, 4, 4, 60);
	parts(&s, TS_KIND_LOSS, "loss", 63, 1e-7, 1e-7, 0);
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_REDUCTION_ORDER));
	AGAIN(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 4, 4, 60);
	grads_on(&s, 4, 4, 60);
	agrees(&s, TS_KIND_LOSS, "loss");
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* Without digests it stays a jump of unknown cause. */
	parts(&s, TS_KIND_LOSS, "loss", 60, 2e-5, 1e-3, 0.02);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 3e-4, 1e-3, 0.02);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CORRUPTION));
	assert_true(may_be(&s, TS_CAUSE_PRECISION));
	assert_true(s.d.n_experiments > 0);
	close_scene(&s);
}

/* The inputs of an update agree and a setting of it differs: this is not a fault of the machine. */
static void test_update(void **state)
{
	SCENE(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 1, 1, 1);
	grads_on(&s, 1, 1, 1);
	agrees(&s, TS_KIND_LR, "lr");
	parts(&s, TS_KIND_LOSS, "loss", 1, 5e-7, 1e-3, 0.02);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 1, 1e-6, 1e-3, 0.02);
	say(&s, "config.weight_decay", "0.01", "0.02");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_HIGH);
	assert_int_equal(s.d.step, 0);
	AGAIN(s);
	/* Clipping acts whenever a norm is above its limit; a fault of the machine stays possible. */
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 1, 1, 60);
	grads_on(&s, 1, 1, 60);
	parts(&s, TS_KIND_LOSS, "loss", 60, 5e-7, 1e-3, 0.02);
	say(&s, "config.optimizer.clip", "1.0", "0.5");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_HIGH);
	assert_true(may_be(&s, TS_CAUSE_CORRUPTION));
	AGAIN(s);
	/* Weight decay had no effect for 60 steps; then only one run recorded its value. */
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 1, 1, 60);
	grads_on(&s, 1, 1, 60);
	parts(&s, TS_KIND_LOSS, "loss", 60, 3e-4, 1e-3, 0.02);
	say(&s, "config.weight_decay", "0.01", "0.02");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	AGAIN(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	params_on(&s, 1, 1, 60);
	grads_on(&s, 1, 1, 60);
	parts(&s, TS_KIND_LOSS, "loss", 60, 3e-4, 1e-3, 0.02);
	say(&s, "config.optimizer.clip", NULL, "0.5");
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* It is not known when the digests were taken, and they differ with the gradients of an equal forward pass:
	 * the gradients came first. */
	params_on(&s, 1, 1, 60);
	grads_on(&s, 1, 1, 60);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 60, 0.2, 0.2, 0);
	parts(&s, TS_KIND_LOSS, "loss", 61, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_GRADIENT_PATH) && may_be(&s, TS_CAUSE_CORRUPTION));
	close_scene(&s);
}

/* A fact that only one run recorded is a difference where both recorded the rest of its group, and else is not known to be one. */
static void test_facts_of_one(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	agrees(&s, TS_KIND_LR, "lr");
	say(&s, "config.batch", "32", NULL);
	say(&s, "config.weight_decay", "0.1", NULL);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CONFIG));
	assert_true(says_against(&s, "only one run recorded"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	agrees(&s, TS_KIND_LR, "lr");
	say(&s, "config.batch", "32", "32");
	say(&s, "config.weight_decay", "0.1", NULL);
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "0.1 in the first run, not set in the second"));
	assert_false(says_against(&s, "only one run recorded"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 80, 1e-2, 1e-1, 0.05);
	say(&s, "data.sha256", "398c", NULL);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* One run did not set a variable, while it recorded its environment. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 2e-4, 1e-3, 0);
	say(&s, "determinism.env.NVIDIA_TF32_OVERRIDE", NULL, "1");
	say(&s, "determinism.env.OMP_NUM_THREADS", "1", "1");
	say(&s, "seeds.torch", "1", "1");
	expect(&s, TS_CAUSE_PRECISION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-7, 1e-7, 0);
	s.e.world_a = s.e.world_b = 1;
	say(&s, "determinism.use_deterministic_algorithms", "true", "true");
	say(&s, "hardware.cuda_available", "false", "false");
	say(&s, "determinism.of_no_known_effect", "a", "b");
	expect(&s, TS_CAUSE_PRECISION, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM));
	close_scene(&s);
}

/* Several settings of unknown effect: none is named alone, and those come first that act on numbers by their names. */
static void test_several_settings(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	say(&s, "config.a_thing", "1", "2");
	say(&s, "config.color_theme", "red", "blue");
	say(&s, "config.gate_scale", "1", "2");
	say(&s, "config.other_thing", "1", "2");
	say(&s, "config.third_thing", "1", "2");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	assert_true(found_in(&s.d.sentence, 1, "4 settings differ"));
	assert_true(found_in(&s.d.sentence, 1, "config.gate_scale, config.a_thing and config.other_thing"));
	assert_false(found_in(&s.d.sentence, 1, "color"));
	AGAIN(s);
	/* What is idle by its name is not named as the cause, and not excluded. */
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	say(&s, "config.color_theme", "red", "blue");
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CONFIG));
	AGAIN(s);
	/* One of known effect comes before those of unknown effect. */
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	say(&s, "config.a_thing", "1", "2");
	say(&s, "config.gate_scale", "1", "2");
	say(&s, "config.weight_decay", "0.1", "0.2");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "config.weight_decay"));
	close_scene(&s);
}

/* Whatever else is concluded, the first sentence has what differs and is excluded by no record. */
static void test_named_at_once(void **state)
{
	SCENE(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	parts(&s, TS_KIND_LOSS, "loss", 0, 2e-2, 1e-1, 0);
	s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 1000, 0, 0, 0};
	say(&s, "config.lr", "1", "1");
	say(&s, "libraries.tokenizers", "0.21", "0.22");
	ask(&s);
	assert_true(found_in(&s.d.sentence, 1, "libraries.tokenizers"));
	AGAIN(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	parts(&s, TS_KIND_LOSS, "loss", 0, 2e-2, 1e-1, 0);
	s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 1000, 0, 0, 0};
	say(&s, "config.lr", "1", "1");
	say(&s, "config.unheard_of", NULL, "true");
	ask(&s);
	assert_true(found_in(&s.d.sentence, 1, "config.unheard_of"));
	AGAIN(s);
	/* The batches agree: what only draws them is excluded. */
	s.e.params_time = TS_DIGEST_BEFORE;
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 41);
	parts(&s, TS_KIND_LOSS, "loss", 40, 2e-2, 1e-1, 0);
	say(&s, "config.shuffle_seed", "1", "2");
	ask(&s);
	assert_false(found_in(&s.d.sentence, 1, "config.shuffle_seed"));
	close_scene(&s);
}

/* --- a place leads --- */

/* What scalars alone would call rounding is not called so beside a tensor that differs by 391 times rounding, nor beside an operation
 * that one run alone has. */
static void test_places_lead(void **state)
{
	struct ts_sketch_row tensor = {.step = 40, .name = ts_span_str("c"), .kind = ts_span_str("output"), .state = TS_SKETCH_ABOVE};
	struct ts_sketch_diff sketches = {.recorded = true, .has_first = true, .before = 2, .rows = &tensor, .n = 1};
	struct ts_op_row inserted = {.role = TS_OP_ONLY_B, .step = 40, .name = ts_span_str("mul"), .after = ts_span_str("relu")};
	struct ts_op_row origin = {.role = TS_OP_ORIGIN, .step = 40, .name = ts_span_str("softmax"), .has_inputs = true, .out_b = 1};
	struct ts_op_diff ops = {.compared = 9, .only_b = 1, .apart = &inserted, .n_apart = 1};
	SCENE(s);

	parts(&s, TS_KIND_LOSS, "loss", 40, 5e-8, 1e-7, 0.01);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	s.e.sketches = &sketches;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "The first tensor that differs by more than rounding is the output of c, at step 40"));
	assert_false(may_be(&s, TS_CAUSE_ROUNDING) || may_be(&s, TS_CAUSE_NONDETERMINISM) || may_be(&s, TS_CAUSE_REDUCTION_ORDER));
	assert_true(may_be(&s, TS_CAUSE_CODE));
	AGAIN(s);
	/* However few steps were recorded, and a layer that is left out leads. */
	parts(&s, TS_KIND_LOSS, "loss", 40, 5e-2, 5e-2, 0);
	s.series[0].common = 2;
	sketches.apart = ts_span_str("the first run alone has 9 tensors at step 40, of which the first is the output of b");
	sketches.apart_first = true;
	s.e.sketches = &sketches;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1,
			     "The first run alone has 9 tensors at step 40, of which the first is the output of b; the first "
			     "tensor that differs by more than rounding is the output of c"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 40, 5e-8, 1e-7, 0.01);
	s.e.ops = &ops;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1,
			     "Only the second run has the operation mul (occurrence 0) at step 40 on rank 0, behind relu"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 40, 3e-3, 1e-2, 0.01);
	ops = (struct ts_op_diff){.compared = 9, .rows = &origin, .n = 1};
	s.e.ops = &ops;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "The operation softmax gives a different output from equal inputs at step 40"));
	AGAIN(s);
	/* A setting that explains it is named as before. */
	parts(&s, TS_KIND_LOSS, "loss", 40, 3e-3, 1e-2, 0.01);
	s.e.ops = &ops;
	say(&s, "config.clip_grad", "1", "2");
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_CONFIG);
	close_scene(&s);
}

/* Rounding that was measured and explains every tensor is rounding from the first step on; later it may be something small. */
static void test_tensors_within_rounding(void **state)
{
	struct ts_sketch_row tensor = {.name = ts_span_str("c"), .kind = ts_span_str("output"), .state = TS_SKETCH_WITHIN};
	struct ts_sketch_diff sketches = {
		.recorded = true, .has_rounding = true, .shown = true, .compared = 9, .within = 9, .rows = &tensor, .n = 1};
	struct ts_op_row origin = {.role = TS_OP_ORIGIN, .name = ts_span_str("softmax"), .has_inputs = true, .out_b = 1};
	struct ts_op_diff ops = {.compared = 9, .rows = &origin, .n = 1};
	SCENE(s);

	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-3, 1e-2, 0.01);
	s.e.sketches = &sketches;
	s.e.ops = &ops;
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "softmax gives a different output from equal inputs at step 0, but none of 9 tensors"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 40, 3e-3, 1e-2, 0.01);
	origin.step = tensor.step = 40;
	s.e.sketches = &sketches;
	s.e.ops = &ops;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_CODE));
	AGAIN(s);
	/* Without a third run nobody knows what rounding does. */
	sketches.has_rounding = false;
	parts(&s, TS_KIND_LOSS, "loss", 40, 3e-3, 1e-2, 0.01);
	s.e.sketches = &sketches;
	s.e.ops = &ops;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "a kernel, a setting, the code or a damaged state differs there"));
	close_scene(&s);
}

/* Every operation of one run is there four times in the other: its batch is passed in parts. Inputs that differ below a batch that
 * agrees are its parts in another order. */
static void test_passes_in_parts(void **state)
{
	struct ts_op_row inserted = {.role = TS_OP_ONLY_B, .name = ts_span_str("emb"), .occurrence = 1, .after = ts_span_str("head")};
	struct ts_op_row fed = {.role = TS_OP_RECEIVER, .name = ts_span_str("emb"), .has_inputs = true, .in_b = 1, .out_b = 1};
	struct ts_op_diff ops = {.compared = 31, .only_b = 93, .apart = &inserted, .n_apart = 1};
	SCENE(s);

	parts(&s, TS_KIND_LOSS, "loss", 0, 5e-8, 1e-7, 0.01);
	s.e.ops = &ops;
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	assert_true(found_in(&s.d.sentence, 1, "the second run has each operation 4 times as often"));
	AGAIN(s);
	ops.only_b = 92;
	parts(&s, TS_KIND_LOSS, "loss", 0, 5e-8, 1e-7, 0.01);
	s.e.ops = &ops;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	ops = (struct ts_op_diff){.compared = 31, .rows = &fed, .n = 1};
	parts(&s, TS_KIND_LOSS, "loss", 0, 5e-8, 1e-7, 0.01);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	s.e.ops = &ops;
	expect(&s, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW);
	assert_true(found_in(&s.d.sentence, 1, "though the batch of that step agrees"));
	close_scene(&s);
}

/* --- events --- */

/* The rates of a schedule that began anew are those of its first steps; a resume explains that, recorded or not, unless a setting
 * differs that has such an effect. */
static void test_schedule_that_began_anew(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LR, "lr", 100, 0.5, 0.5, 0)->cadence = 10;
	parts(&s, TS_KIND_LOSS, "loss", 110, 1e-2, 2e-2, 0.05)->cadence = 10;
	s.e.rates = (struct ts_rates_moved){.by = -100, .steps = 8};
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_CONFIG));
	say(&s, "config.lr", "0.1", "0.2");
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_CONFIG);
	AGAIN(s);
	/* A log of every tenth step has the loss that the wrong rate led to in the record of that rate. */
	resume_at(&s, 95);
	parts(&s, TS_KIND_LR, "lr", 100, 0.5, 0.5, 0)->cadence = 10;
	parts(&s, TS_KIND_LOSS, "loss", 100, 1e-2, 2e-2, 0.05)->cadence = 10;
	s.series[0].after = s.series[1].after = 90;
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	s.e.rates = (struct ts_rates_moved){.by = -100, .steps = 8};
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* Without a resume, such a schedule may have followed the loss. */
	parts(&s, TS_KIND_LR, "lr", 100, 0.5, 0.5, 0)->cadence = 10;
	parts(&s, TS_KIND_LOSS, "loss", 100, 1e-2, 2e-2, 0.05)->cadence = 10;
	ask(&s);
	assert_true(s.d.cause != TS_CAUSE_RESUME_STATE);
	close_scene(&s);
}

/* A rate that is the other run's of one step before is no schedule that began anew. */
static void test_schedule_that_runs_behind(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LR, "lr", 1, 0.5, 0.5, 0);
	parts(&s, TS_KIND_LOSS, "loss", 2, 1e-2, 2e-2, 0.05);
	s.e.rates = (struct ts_rates_moved){.by = -1, .steps = 64};
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "The schedule of the second run is 1 step behind that of the first run"));
	assert_true(may_be(&s, TS_CAUSE_CODE));
	say(&s, "code.commit", "aaaa", "bbbb");
	expect(&s, TS_CAUSE_CODE, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* The noise of the losses tells other batches from other weights where no digest does; it excludes nothing. */
static void test_noise_of_losses(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 60, 5e-2, 5e-2, 0);
	s.e.noise = (struct ts_pattern_noise){.answer = TS_NOISE_APART, .correlation = 0.05, .records = 140};
	expect(&s, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CORRUPTION) && may_be(&s, TS_CAUSE_DATA_POSITION) && may_be(&s, TS_CAUSE_RNG_STREAM));
	assert_int_equal(s.d.remaining[0], TS_CAUSE_DATA_ORDER);
	assert_true(says_for(&s, "no longer rise and fall together"));
	s.e.rewards = true; /* it makes its own data */
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	s.e.rewards = false;
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	ask(&s);
	assert_true(s.d.cause != TS_CAUSE_DATA_ORDER);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 5e-2, 5e-2, 0);
	s.e.noise = (struct ts_pattern_noise){.answer = TS_NOISE_TOGETHER, .correlation = 0.99, .records = 200};
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CONFIG) && may_be(&s, TS_CAUSE_INIT) && may_be(&s, TS_CAUSE_DATA_ORDER));
	AGAIN(s);
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 100, 0.3, 0.3, 0);
	s.e.noise = (struct ts_pattern_noise){.answer = TS_NOISE_TOGETHER, .correlation = 0.95, .records = 100};
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	s.e.noise.answer = TS_NOISE_APART;
	expect(&s, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* With the same code, settings, libraries and devices, equal steps before another one speak for a damaged state, of what remains. */
static void test_damage_before_code(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 100, 5e-2, 5e-2, 0);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 100, 5e-2, 5e-2, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 101);
	s.e.params_time = TS_DIGEST_BEFORE;
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_COMPUTATION);
	assert_int_equal(s.d.remaining[0], TS_CAUSE_CODE);
	say(&s, "code.commit", "aaaa", "aaaa");
	say(&s, "code.dirty", "false", "false");
	say(&s, "config.lr", "0.1", "0.1");
	say(&s, "determinism.threads", "1", "1");
	say(&s, "hardware.cpu_model", "x", "x");
	say(&s, "libraries.torch", "2.4.0", "2.4.0");
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_COMPUTATION);
	assert_int_equal(s.d.remaining[0], TS_CAUSE_CORRUPTION);
	close_scene(&s);
}

/* Parameters of step 60 differ behind an update of equal gradients. Of which run the digests came before says why. */
static void update_of_equal_gradients(struct scene *s)
{
	s->e.params_time = s->e.optimizer_time = TS_DIGEST_BEFORE;
	digest(s, TS_KIND_PARAMS, "digests.params", 0, 60);
	digest(s, TS_KIND_GRADS, "digests.grads", 0, 60);
	digest(s, TS_KIND_OPTIMIZER, "digests.optimizer", 0, 60);
	parts(s, TS_KIND_LOSS, "loss", 60, 5e-2, 5e-2, 0);
}

static void same_recipe(struct scene *s)
{
	say(s, "code.commit", "aaaa", "aaaa");
	say(s, "code.dirty", "false", "false");
	say(s, "config.lr", "0.1", "0.1");
}

static void test_update_was_skipped(void **state)
{
	SCENE(s);
	update_of_equal_gradients(&s);
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	s.e.params_back[1].previous = true;
	expect(&s, TS_CAUSE_CODE, TS_CONFIDENCE_LOW);
	assert_true(found_in(&s.d.sentence, 1, "the second run still has the parameters of its record before"));
	assert_true(may_be(&s, TS_CAUSE_CORRUPTION));
	s.e.params_back[0].previous = true; /* neither run made an update, so that shows nothing */
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	s.e.params_back[1].previous = false;
	same_recipe(&s); /* a commit says nothing of what its code does at this step */
	expect(&s, TS_CAUSE_CODE, TS_CONFIDENCE_LOW);
	assert_true(found_in(&s.d.sentence, 1, "the first run still has"));
	close_scene(&s);
}

static void test_optimizer_began_anew(void **state)
{
	SCENE(s);
	update_of_equal_gradients(&s);
	s.series[2].first = 59;
	s.series[2].after = 58;
	s.e.optimizer_back[1].first = true;
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "the optimizer of the second run has the state of its first record again"));
	s.e.optimizer_back[0].first = true; /* a state that never changes */
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_RESUME_STATE));
	s.e.optimizer_back[0].first = false;
	s.series[2].first = 61; /* that is too late to be the cause */
	s.series[2].after = 60;
	ask(&s);
	assert_int_not_equal(s.d.cause, TS_CAUSE_RESUME_STATE);
	close_scene(&s);
}

/* The state of the optimizer differs a record before the parameters that the same update wrote. */
static void test_optimizer_damaged(void **state)
{
	SCENE(s);
	update_of_equal_gradients(&s);
	s.series[2].first = 59;
	s.series[2].after = 58;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM); /* code or a setting may do that */
	same_recipe(&s);
	expect(&s, TS_CAUSE_CORRUPTION, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "The state of the optimizer first differs at step 59"));
	s.e.optimizer_time = TS_DIGEST_UNKNOWN; /* behind the update, whose parameters are those of the next record */
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* Equal inputs, generators included, and other generators from the next record on. */
static void test_drew_otherwise(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 60, 5e-2, 5e-2, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 61);
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 61);
	s.e.params_time = TS_DIGEST_BEFORE;
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	say(&s, "config.lr", "0.1", "0.1");
	expect(&s, TS_CAUSE_CODE, TS_CONFIDENCE_LOW);
	assert_true(found_in(&s.d.sentence, 1, "more or fewer numbers are drawn in that step"));
	say(&s, "code.commit", "aaaa", "aaaa");
	say(&s, "code.dirty", "false", "false");
	expect(&s, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CODE));
	s.series[2].first = 70; /* an effect of what the run became */
	s.series[2].after = 69;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* Adam divides a factor of the gradient out: the losses do not tell where the factor is. */
static void test_scaled_norm(void **state)
{
	SCENE(s);
	struct ts_evidence_series *norm = parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 38, 0.5, 0.5, 0);

	agrees(&s, TS_KIND_LOSS, "loss");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	norm->gap.ratio_least = norm->gap.ratio_most = 0.5;
	norm->gap.spread_a = 0.3;
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	assert_int_equal(s.d.step, 38);
	assert_true(may_be(&s, TS_CAUSE_REPORTING) && may_be(&s, TS_CAUSE_CODE) && may_be(&s, TS_CAUSE_CONFIG));
	agrees(&s, TS_KIND_PARAMS, "digests.params"); /* these decide */
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_HIGH);
	close_scene(&s);
}

/* Nobody declared when digests are read. A state of the optimizer that agrees where the gradients differ is of before the update, if
 * it depends on gradients at all. */
static void test_time_of_digests(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 5e-2, 5e-2, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	digest(&s, TS_KIND_GRADS, "digests.grads", 0, 0);
	digest(&s, TS_KIND_OPTIMIZER, "digests.optimizer", 0, 1);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW); /* a model of another size has other parameters, too */
	say(&s, "config.lr", "0.1", "0.1");
	expect(&s, TS_CAUSE_INIT, TS_CONFIDENCE_MEDIUM);
	assert_true(says_against(&s, "it was not declared"));
	s.series[3].first = 0; /* it may be of behind the update */
	s.series[3].after_known = false;
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	s.series[3].parts = false; /* an optimizer without a state */
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* The losses of one run are the other's by a rule. */
static void test_losses_by_a_rule(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 0.1, 0.1, 0);
	s.e.report = (struct ts_pattern_report){.rule = TS_REPORT_SMOOTHED, .second = true, .number = 0.9, .points = 199};
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "The second run logs an exponential moving average"));
	agrees(&s, TS_KIND_GRAD_NORM, "grad_norm");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LR, "lr", 0, 0.5, 0.5, 0);
	s.e.report = (struct ts_pattern_report){.rule = TS_REPORT_SMOOTHED, .second = true, .number = 0.9, .points = 199};
	ask(&s);
	assert_true(s.d.cause != TS_CAUSE_REPORTING);
	close_scene(&s);
}

/* Nobody says that a run was resumed, but its first step lies within the other run. */
static void test_begins_where_the_other_was(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 3e-2, 0)->from_first = false;
	s.e.first_steps_known = true;
	s.e.first_step_a = -50;
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_RESUME_DATA) && may_be(&s, TS_CAUSE_INIT_OR_DATA));
	say(&s, "config.lr", "0.1", "0.2");
	ask(&s);
	assert_int_equal(s.d.cause, TS_CAUSE_CONFIG);
	AGAIN(s);
	/* A run that logs every tenth step begins so, too; so does one whose steps are counted from another number. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 3e-2, 0)->cadence = 10;
	s.e.first_steps_known = true;
	s.e.first_step_a = -9;
	ask(&s);
	assert_true(s.d.cause != TS_CAUSE_RESUME_STATE);
	AGAIN(s);
	/* It differs later: among the causes. */
	parts(&s, TS_KIND_LOSS, "loss", 30, 3e-2, 3e-2, 0)->from_first = false;
	s.e.first_steps_known = true;
	s.e.first_step_a = -50;
	ask(&s);
	assert_true(s.d.cause != TS_CAUSE_RESUME_STATE && may_be(&s, TS_CAUSE_RESUME_STATE));
	/* Nor does a log that goes on at the step at which it ended exclude a resume; states that agree do. */
	s.e.first_step_a = 0;
	ask(&s);
	assert_true(may_be(&s, TS_CAUSE_RESUME_STATE));
	agrees(&s, TS_KIND_OPTIMIZER, "digests.optimizer");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	ask(&s);
	assert_false(may_be(&s, TS_CAUSE_RESUME_STATE));
	close_scene(&s);
}

static void test_resume(void **state)
{
	SCENE(s);
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 101, 5e-3, 2e-2, 0.05);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 100, 0.3, 0.3, 0);
	expect(&s, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_LOW);
	AGAIN(s);
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 100, 0.3, 0.3, 0);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_false(may_be(&s, TS_CAUSE_RESUME_DATA));
	AGAIN(s);
	resume_at(&s, 100);
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 100);
	s.e.batches = (struct ts_batch_relation){TS_BATCHES_SHIFTED, 100, -100, 900, 900, 0, 0};
	parts(&s, TS_KIND_LOSS, "loss", 100, 2e-2, 0.3, 0);
	expect(&s, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	resume_at(&s, 100);
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 100);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	parts(&s, TS_KIND_LOSS, "loss", 100, 2e-2, 0.3, 0);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* A child run begins with its resume, while its parent has the steps before. */
	resume_at(&s, 0);
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0)->from_first = false;
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.05);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* The difference is immediate but smaller than other data usually cause, so either is possible; then it is
	 * large enough, but not immediate. */
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 100, 4.9e-2, 0.3, 0);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_RESUME_DATA));
	assert_true(says_against(&s, "no record shows that the first forward pass after the resume agrees"));
	AGAIN(s);
	/* The record of the resume itself is missing. */
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 101, 5e-3, 2e-2, 0.05)->after = 99;
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	AGAIN(s);
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 101, 0.3, 0.3, 0);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_RESUME_DATA));
	AGAIN(s);
	/* A difference three steps after the event, or before it, is not caused by it. */
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 103, 5e-3, 2e-2, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 99, 5e-3, 2e-2, 0.05);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* If the records between are missing, it may have begun at the event. */
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 103, 5e-3, 2e-2, 0.05)->after = 99;
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	AGAIN(s);
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 103, 5e-3, 2e-2, 0.05)->after = 100;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Of the state, what is recorded to agree is not blamed, and what is recorded to differ is named. */
	resume_at(&s, 100);
	agrees(&s, TS_KIND_RNG, "digests.rng");
	parts(&s, TS_KIND_LOSS, "loss", 101, 5e-3, 2e-2, 0.05);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "the optimizer or the gradient scaler was not restored"));
	digest(&s, TS_KIND_OPTIMIZER, "digests.optimizer", 0, 100);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_true(
		found_in(&s.d.sentence, 1, "did not restore the state of the optimizer: digests.optimizer differs from step 100 on"));
	AGAIN(s);
	/* Rounding after a resume is still rounding. */
	resume_at(&s, 100);
	parts(&s, TS_KIND_LOSS, "loss", 100, 1e-7, 1e-7, 0);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

static void test_blow_up(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 60, 1, 1, 0)->b = NAN;
	expect(&s, TS_CAUSE_BLOW_UP, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 60, 1e-3, 0.3, 0.1)->gap.greatest = 0.95;
	s.series[0].gap.greatest_step = 110;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_int_equal(s.d.step, 60);
	AGAIN(s);
	/* A value ten times any of the other run, as of L-BFGS: a spike may be of a batch, and what stays there to the end is none. */
	parts(&s, TS_KIND_LOSS, "loss", 60, 0.5, 0.3, 0.1)->gap.greatest = 0.95;
	s.series[0].gap.greatest_step = 61;
	s.series[0].gap.only_one_grows = true;
	expect(&s, TS_CAUSE_BLOW_UP, TS_CONFIDENCE_LOW);
	s.series[0].gap.saturation = 0.97; /* both may be near zero there */
	expect(&s, TS_CAUSE_BLOW_UP, TS_CONFIDENCE_LOW);
	s.series[0].gap.ends_grown = true;
	expect(&s, TS_CAUSE_BLOW_UP, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* The event is 51 records after the first difference, so the difference came first. */
	parts(&s, TS_KIND_LOSS, "loss", 60, 1e-3, 0.3, 0.1)->gap.greatest = 0.95;
	s.series[0].gap.greatest_step = 111;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

static void test_epoch(void **state)
{
	static const int64_t epochs[] = {200, 400};
	SCENE(s);
	s.e.epochs = (struct ts_steps_list){epochs, 2};
	parts(&s, TS_KIND_LOSS, "loss", 400, 5e-2, 5e-2, 0);
	expect(&s, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW);
	AGAIN(s);
	s.e.epochs = (struct ts_steps_list){epochs, 2};
	parts(&s, TS_KIND_LOSS, "loss", 401, 5e-2, 5e-2, 0);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 400, 5e-2, 5e-2, 0); /* after an equal loss: the batch is the same */
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	s.e.epochs = (struct ts_steps_list){epochs, 2};
	parts(&s, TS_KIND_LOSS, "loss", 401, 5e-2, 5e-2, 0);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Another order makes some losses higher and some lower. */
	s.e.epochs = (struct ts_steps_list){epochs, 2};
	parts(&s, TS_KIND_LOSS, "loss", 400, 5e-2, 5e-2, 0);
	s.e.noise.one_way = true;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* Batches that are nowhere in the other run: by their indices the order differs, unless facts say that the data do. */
static void test_indices(void **state)
{
	static const char *const columns[] = {"digests.batch", "digests.indices"};

	SCENE(s);
	for (int i = 0; i < 2; i++) {
		parts(&s, TS_KIND_LOSS, "loss", 80, 1e-2, 1e-2, 0);
		digest(&s, TS_KIND_BATCH, columns[i], 0, 80);
		s.e.batches = (struct ts_batch_relation){.answer = TS_BATCHES_DISJOINT, .step = 80, .compared = 900};
		expect(&s, i ? TS_CAUSE_DATA_ORDER : TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
		assert_true(may_be(&s, TS_CAUSE_DATA_SET));
		AGAIN(s);
	}
	parts(&s, TS_KIND_LOSS, "loss", 80, 1e-2, 1e-2, 0);
	digest(&s, TS_KIND_BATCH, columns[1], 0, 80);
	s.e.batches = (struct ts_batch_relation){.answer = TS_BATCHES_DISJOINT, .step = 80, .compared = 900};
	say(&s, "data.samples", "900", "800");
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_HIGH);
	close_scene(&s);
}

static void other_batches(struct scene *s, const char *name)
{
	parts(s, TS_KIND_LOSS, "loss", 0, 1e-1, 1e-1, 0);
	digest(s, TS_KIND_BATCH, name, 0, 0);
	s->e.batches = (struct ts_batch_relation){.answer = TS_BATCHES_DISJOINT, .step = 0, .compared = 900};
}

/* Equal indices of other batches leave the data, and what is made of them; a seed of the data is then not the sampler's. */
static void test_same_indices(void **state)
{
	SCENE(s);
	other_batches(&s, "digests.batch");
	agrees(&s, TS_KIND_INDICES, "digests.indices");
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_DATA_ORDER) && may_be(&s, TS_CAUSE_CODE));
	AGAIN(s);
	other_batches(&s, "digests.batch");
	agrees(&s, TS_KIND_INDICES, "digests.indices");
	say(&s, "config.data_seed", "1", "2");
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	other_batches(&s, "digests.batch");
	say(&s, "config.data_seed", "1", "2");
	expect(&s, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_DATA_SET));
	AGAIN(s);
	/* Both series differ at the same step: the indices are what says more. */
	other_batches(&s, "digests.batch");
	digest(&s, TS_KIND_BATCH, "digests.indices", 0, 0);
	expect(&s, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* What the loader says of itself: its batch size, how many batches it has, and its workers. */
static void test_loaders(void **state)
{
	SCENE(s);
	other_batches(&s, "digests.indices");
	s.e.world_a = s.e.world_b = 1;
	count(&s, "work.loader.batches", 40, 36);
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM);
	count(&s, "work.loader.batch_size", 16, 18);
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* A setting that acts by its name comes before what follows from it, and one that does not comes behind. */
	for (int i = 0; i < 2; i++) {
		other_batches(&s, "digests.indices");
		count(&s, "work.loader.batches_per_step", 1, 4);
		say(&s, i ? "config.accum" : "config.zeta", "1", "4");
		expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
		assert_true(ts_span_starts(s.d.sentence, ts_span_str(i ? "config.accum" : "work.loader")));
		AGAIN(s);
	}
	/* Of two ranks each has half of them, or all. */
	other_batches(&s, "digests.indices");
	s.e.world_a = s.e.world_b = 2;
	count(&s, "work.loader.batches", 20, 41);
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_CODE) && may_be(&s, TS_CAUSE_DATA_SET));
	assert_non_null(strstr((const char *)s.d.sentence.data, "no share of its own"));
	AGAIN(s);
	other_batches(&s, "digests.indices");
	s.e.world_a = s.e.world_b = 2;
	count(&s, "work.loader.batches", 20, 30);
	expect(&s, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* Workers draw for samples what the main process drew: unless the sampler drew otherwise. */
	for (int i = 0; i < 2; i++) {
		other_batches(&s, i ? "digests.indices" : "digests.batch");
		digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
		count(&s, "data.num_workers", 0, 4);
		expect(&s, i ? TS_CAUSE_KERNEL_RNG_OR_DATA : TS_CAUSE_CONFIG, i ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM);
		AGAIN(s);
	}
	/* All that is drawn differs from the first step on. */
	other_batches(&s, "digests.batch");
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	s.e.params_time = TS_DIGEST_BEFORE;
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(s.d.remaining[0], TS_CAUSE_INIT);
	close_scene(&s);
}

/* A run that begins within the other, whose first digest of a batch alone differs: its loader passed over what was used. */
static void passed_over(struct scene *s, uint64_t kept)
{
	digest(s, TS_KIND_BATCH, "digests.batch", 0, 0)->from_first = false;
	s->e.batches = (struct ts_batch_relation){.answer = TS_BATCHES_REPLACED, .step = 0, .compared = 20, .kept = kept};
	s->e.first_steps_known = true;
	s->e.first_step_a = -50;
}

static void test_passed_over(void **state)
{
	SCENE(s);
	passed_over(&s, 19);
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-2, 1e-2, 0);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says_against(&s, "passed over") && may_be(&s, TS_CAUSE_RNG_STREAM));
	AGAIN(s);
	/* One digest alone: the loss that was computed from it agrees. */
	for (int i = 0; i < 2; i++) {
		passed_over(&s, 0);
		s.e.batches.answer = TS_BATCHES_DISJOINT;
		s.e.batches.compared = 1;
		s.e.first_step_a = -50;
		digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
		parts(&s, TS_KIND_LOSS, "loss", 1 - i, 1e-2, 1e-2, 0)->from_first = false;
		expect(&s, i ? TS_CAUSE_ORDER_OR_SET : TS_CAUSE_RESUME_STATE, i ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW);
		AGAIN(s);
	}
	/* Two batches that differ were not passed over. */
	passed_over(&s, 18);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-2, 1e-2, 0);
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	passed_over(&s, 19);
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	agrees(&s, TS_KIND_LOSS, "loss");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	assert_non_null(strstr((const char *)s.d.sentence.data, "alone, with which one run begins"));
	AGAIN(s);
	/* The moments were lost: their digest says so, or the first update does. */
	for (int i = 0; i < 2; i++) {
		s.e.first_steps_known = true;
		s.e.first_step_a = -50;
		if (i)
			digest(&s, TS_KIND_OPTIMIZER, "digests.optimizer", 0, 0);
		digest(&s, TS_KIND_PARAMS, "digests.params", 0, 2);
		parts(&s, TS_KIND_LOSS, "loss", 1, 1e-2, 1e-2, 0)->from_first = false;
		expect(&s, TS_CAUSE_RESUME_STATE, i ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW);
		AGAIN(s);
	}
	close_scene(&s);
}

/* The update ran from the same gradients, with the same code and settings, and left other parameters. */
static void test_damaged_alone(void **state)
{
	SCENE(s);
	for (int i = 0; i < 2; i++) {
		s.e.params_time = TS_DIGEST_BEFORE;
		params_on(&s, 1, 1, 60);
		grads_on(&s, 1, 1, 60);
		agrees(&s, TS_KIND_OPTIMIZER, "digests.optimizer");
		parts(&s, TS_KIND_LOSS, "loss", 60, 3e-2, 3e-2, 0);
		say(&s, "config.lr", "0.1", "0.1");
		say(&s, "code.commit", "a", i ? "a" : NULL);
		say(&s, "code.dirty", "false", "false");
		expect(&s, i ? TS_CAUSE_CORRUPTION : TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
		AGAIN(s);
	}
	close_scene(&s);
}

/* Other columns show that the training agrees: digests of gradients, another loss; not that of another rank. */
static void test_reported_beside(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 500, 5e-2, 5e-2, 0);
	agrees(&s, TS_KIND_GRADS, "digests.grads");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	assert_true(says_for(&s, "the digest of the gradients agrees"));
	AGAIN(s);
	for (int32_t rank = 0; rank < 2; rank++) {
		s.e.others_same = 1;
		s.e.other_same = ts_span_str("scalars.value_loss");
		parts(&s, TS_KIND_LOSS, "loss", LAST - 10, 5e-2, 5e-2, 0);
		if (rank)
			add(&s, TS_KIND_LOSS, "loss", 1);
		expect(&s, rank ? TS_CAUSE_JUMP : TS_CAUSE_REPORTING, TS_CONFIDENCE_LOW);
		assert_true(says_for(&s, "another series that follows from the training agrees") == (rank == 0));
		AGAIN(s);
	}
	/* A whole factor from the first step on is a unit or a sum; only another record shows which. */
	for (int i = 0; i < 2; i++) {
		struct ts_gap *gap = &parts(&s, TS_KIND_LOSS, "loss", 0, 0.5, 0.5, 0)->gap;

		gap->ratio_least = gap->ratio_most = i ? 2 : 1.44269504;
		gap->spread_a = 0.5;
		expect(&s, TS_CAUSE_REPORTING, i ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM);
		assert_true(may_be(&s, TS_CAUSE_CODE) == (i == 1));
		AGAIN(s);
	}
	close_scene(&s);
}

/* Batches differ and were not searched for in the other run: the sentence says nothing about their place. */
static void test_batches_not_searched(void **state)
{
	SCENE(s);
	for (int facts = 0; facts < 3; facts++) {
		parts(&s, TS_KIND_LOSS, "loss", 80, 1e-2, 1e-2, 0);
		digest(&s, TS_KIND_BATCH, "digests.batch", 0, 80);
		s.e.batches_unknown = ts_span_str("they were lost");
		if (facts == 0) {
			expect(&s, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
			assert_true(may_be(&s, TS_CAUSE_DATA_SET));
		} else if (facts == 1) {
			say(&s, "data.sha256", "aa", "aa");
			expect(&s, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
			assert_true(may_be(&s, TS_CAUSE_DATA_SET));
		} else {
			say(&s, "data.sha256", "aa", "bb");
			expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM);
		}
		if (facts < 2) {
			assert_true(may_be(&s, TS_CAUSE_DATA_POSITION));
			assert_true(says_against(
				&s, "did not look for the batches of one run in the other run: they were lost"));
		}
		assert_false(says_against(&s, "no batch of one run is in the other run"));
		AGAIN(s);
	}
	close_scene(&s);
}

/* The sentence contains the value that decided, and its step. */
static void test_what_jumped(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 100, 5e-3, 2e-2, 0.01);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(ts_span_is(
		s.d.sentence,
		"The two runs suddenly differ at step 100, and nothing recorded explains it: the loss has a relative "
		"difference of 0.005"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 101, 5e-3, 2e-2, 0.01);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 100, 0.25, 0.25, 0.01);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(ts_span_is(
		s.d.sentence,
		"The two runs suddenly differ at step 100, and nothing recorded explains it: the gradient norm has a "
		"relative difference of 0.25, and the loss one of 0.005 at step 101"));
	AGAIN(s);
	/* The first loss is no more than rounding: the norm of the same step decided. */
	parts(&s, TS_KIND_LOSS, "loss", 100, 1e-6, 2e-2, 0.01);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 100, 0.25, 0.25, 0.01);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(ts_span_is(
		s.d.sentence,
		"The two runs suddenly differ at step 100, and nothing recorded explains it: the gradient norm has a "
		"relative difference of 0.25 and the first loss one of 1e-06"));
	AGAIN(s);
	agrees(&s, TS_KIND_LOSS, "loss");
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 100, 0.25, 0.25, 0.01)->last_common = 110;
	s.series[0].last_common = 101;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(ts_span_is(s.d.sentence, "The two runs suddenly differ at step 100, and nothing recorded explains "
					     "it: the gradient norm has a relative "
					     "difference of 0.25"));
	close_scene(&s);
}

/* --- logs that leave something out --- */

/* Every tenth step is logged, and the last step that is known to agree is 10 before. */
static struct ts_evidence_series *rarely(struct ts_evidence_series *series)
{
	series->cadence = 10;
	series->after = series->first - 10;
	series->common = (LAST + 1) / 10;
	return series;
}

/* Rounding grows by up to 0.26 a step of ln r between records: in the 9 steps between two records from 2e-6 to
 * 2.08e-5. */
static void test_rare_records(void **state)
{
	SCENE(s);
	rarely(parts(&s, TS_KIND_LOSS, "loss", 109, 2e-5, 1e-2, 0.01));
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM) && may_be(&s, TS_CAUSE_CONFIG));
	assert_true(says_against(&s, "in the 9 steps before"));
	AGAIN(s);
	rarely(parts(&s, TS_KIND_LOSS, "loss", 109, 2.2e-5, 1e-2, 0.01));
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* A setting may be the cause, and so may rounding. */
	say(&s, "config.optimizer.weight_decay", "0.1", "0.2");
	rarely(parts(&s, TS_KIND_LOSS, "loss", 19, 2e-5, 1e-2, 0.01));
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	assert_true(says_against(&s, "in the 9 steps before"));
	AGAIN(s);
	/* The difference is at its final level a hundred steps later, or large in the norm of that record: rounding
	 * may have caused this too. */
	rarely(parts(&s, TS_KIND_LOSS, "loss", 109, 1e-6, 1e-2, 0.01));
	rarely(parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 109, 1e-3, 1e-2, 0.01));
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 109, 1e-6, 1e-2, 0.01);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 109, 1e-3, 1e-2, 0.01);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* The first record is of step 9: nine updates come before it. */
static void test_late_beginning(void **state)
{
	struct ts_evidence_series *loss;
	SCENE(s);
	loss = rarely(parts(&s, TS_KIND_LOSS, "loss", 9, 3e-2, 3e-2, 0));
	loss->first_common = 9;
	loss->after_known = false;
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CONFIG) && says_against(&s, "there were updates before the first record"));
	AGAIN(s);
	loss = rarely(parts(&s, TS_KIND_LOSS, "loss", 9, 1e-5, 3e-2, 0));
	loss->first_common = 9;
	loss->after_known = false;
	expect(&s, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM));
	AGAIN(s);
	/* Every tenth step is logged from step 0 on: the first record is of the first pass. */
	rarely(parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 3e-2, 0));
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* One side lost its first step: the rate had acted by the second. */
	loss = parts(&s, TS_KIND_LOSS, "loss", 1, 1e-4, 3e-2, 0);
	loss->first_common = 1;
	loss->after_known = loss->from_first = false;
	loss = parts(&s, TS_KIND_LR, "lr", 1, 1e-2, 1e-2, 0);
	loss->first_common = 1;
	loss->after_known = loss->from_first = false;
	expect(&s, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* Digests differ long before a coarse loss can show it: the size of the difference at that time is not known. */
static void test_coarse_behind_digests(void **state)
{
	struct ts_evidence_series *loss;
	SCENE(s);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 60);
	digest(&s, TS_KIND_GRADS, "digests.grads", 0, 60);
	loss = parts(&s, TS_KIND_LOSS, "loss", 90, 4e-4, 1e-2, 0.05);
	loss->gap.quantum = 1e-4;
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	assert_true(says_against(&s, "in the 30 steps before"));
	AGAIN(s);
	/* It shows one step after gradients that differ from equal inputs: four decimals did not show it in the loss
	 * of that step. */
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	digest(&s, TS_KIND_GRADS, "digests.grads", 0, 0);
	loss = parts(&s, TS_KIND_LOSS, "loss", 1, 4e-4, 1e-2, 0.05);
	loss->gap.quantum = 1e-4;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* The gradients of step 60 differ from equal inputs; its loss was not logged, and the next loss exceeds
	 * grown rounding. */
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 61);
	digest(&s, TS_KIND_GRADS, "digests.grads", 0, 60);
	rarely(parts(&s, TS_KIND_LOSS, "loss", 69, 1e-3, 1e-2, 0.05));
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_GRADIENT_PATH) && may_be(&s, TS_CAUSE_NONDETERMINISM));
	AGAIN(s);
	/* The same happens from the first step on, before the first logged loss: an agreement that was not logged is
	 * not assumed. */
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	digest(&s, TS_KIND_GRADS, "digests.grads", 0, 0);
	loss = rarely(parts(&s, TS_KIND_LOSS, "loss", 9, 1e-3, 1e-2, 0.05));
	loss->first_common = 9;
	loss->after_known = false;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* The difference is no more than rounding grows to in nine steps. */
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	digest(&s, TS_KIND_GRADS, "digests.grads", 0, 0);
	loss = rarely(parts(&s, TS_KIND_LOSS, "loss", 9, 1e-5, 1e-2, 0.05));
	loss->first_common = 9;
	loss->after_known = false;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM));
	close_scene(&s);
}

/* A report differs in a log that ends, or has few records; and beside a norm that one side writes as float32. */
static void test_short_reports(void **state)
{
	struct ts_evidence_series *norm, *loss;
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 900, 1e-3, 1e-3, 0);
	norm = add(&s, TS_KIND_GRAD_NORM, "grad_norm", 0);
	norm->last_common = 903;
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_LOW);
	assert_true(says_against(&s, "compared over only 4 records"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 900, 1e-3, 1e-3, 0);
	norm = add(&s, TS_KIND_GRAD_NORM, "grad_norm", 0);
	norm->last_common = 902;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Rounding may take that long to reach the norm. */
	parts(&s, TS_KIND_LOSS, "loss", 900, 1e-6, 1e-6, 0);
	norm = add(&s, TS_KIND_GRAD_NORM, "grad_norm", 0);
	norm->last_common = 903;
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	for (int decimals = 0; decimals < 2; decimals++) {
		AGAIN(s);
		parts(&s, TS_KIND_LOSS, "loss", 100, 1e-3, 1e-3, 0);
		norm = parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 0, 1e-8, 1e-8, 0);
		norm->gap.visible = false;
		norm->writing_a.resolution = decimals ? (struct ts_resolution){TS_PRECISION_DECIMALS, 4}
						      : (struct ts_resolution){TS_PRECISION_F32, 0};
		if (decimals)
			expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW); /* four decimals would not show it */
		else
			expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	}
	AGAIN(s);
	/* Only the last loss differs, with equal inputs: no later record says whether the training differs. */
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	loss = parts(&s, TS_KIND_LOSS, "loss", LAST, 1e-3, NAN, NAN);
	loss->gap.greatest = 1e-3;
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_REPORTING));
	close_scene(&s);
}

/* --- scalars alone --- */

static void test_first_step(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 1.01e-3, 1e-1, 0.02);
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_INIT) && may_be(&s, TS_CAUSE_DATA_ORDER));
	AGAIN(s);
	/* No single cause matches, so the result is one class: another data seed at large batches reached 4.7e-4. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 4.7e-4, 1e-1, 0.02);
	expect(&s, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_PRECISION) && may_be(&s, TS_CAUSE_RNG_STREAM) && may_be(&s, TS_CAUSE_DATA_ORDER));
	AGAIN(s);
	/* The norm exceeds rounding, and the sentence says so. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 8e-8, 1e-6, 0);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 0, 4e-3, 1e-2, 0);
	expect(&s, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(found_in(&s.d.sentence, 1, "the gradient norm has a relative difference of 0.004"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 1.9e-6, 1e-6, 0);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

static void test_rounding(void **state)
{
	SCENE(s);
	/* Low precision shows nothing for long and then grows fast. */
	parts(&s, TS_KIND_LOSS, "loss", 3, 2e-7, 1e-7, 0.2);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 9, 1e-6, 1e-6, 0.2);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_REDUCTION_ORDER) && may_be(&s, TS_CAUSE_PLATFORM));
	assert_true(says_against(&s, "mapping of ranks to devices"));
	AGAIN(s);
	/* A difference that is at its final level after ten records did not grow from rounding. */
	parts(&s, TS_KIND_LOSS, "loss", 3, 1.9e-6, 3e-4, 0.02);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Flags that are known to be off make rounding more likely; if all flags are set, on one rank, the cause
	 * stays open. */
	parts(&s, TS_KIND_LOSS, "loss", 3, 2e-7, 1e-7, 0);
	s.e.world_a = s.e.world_b = 1;
	say(&s, "determinism.use_deterministic_algorithms", "false", "false");
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_REDUCTION_ORDER));
	/* Where all else that makes numbers is recorded and the same, they are the likeliest. */
	say(&s, "code.commit", "aaaa", "aaaa");
	say(&s, "code.dirty", "false", "false");
	say(&s, "config.lr", "0.1", "0.1");
	say(&s, "hardware.cpu_model", "x", "x");
	say(&s, "libraries.torch", "2.4.0", "2.4.0");
	expect(&s, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_REDUCTION_ORDER));
	s.e.repeats = (struct ts_repeats_seen){.runs = 3, .answer = TS_REPEATS_EQUAL};
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 3, 2e-7, 1e-7, 0);
	s.e.world_a = s.e.world_b = 1;
	say(&s, "determinism.use_deterministic_algorithms", "true", "true");
	say(&s, "hardware.cuda_available", "false", "false");
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.sentence, 1, "every flag"));
	close_scene(&s);
}

/* With four decimals the first visible difference says nothing about its cause. */
static void test_quantum(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-5, 1e-4, 0)->gap.quantum = 1e-4;
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM) && may_be(&s, TS_CAUSE_CONFIG) && may_be(&s, TS_CAUSE_CORRUPTION));
	AGAIN(s);
	/* The difference is three quanta of 5e-5, relative to a loss of 2. */
	parts(&s, TS_KIND_LOSS, "loss", 30, 1.6e-4, 1e-3, 0)->gap.quantum = 1e-4;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 5e-5, 1e-4, 0)->gap.quantum = 1e-4;
	expect(&s, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

static struct ts_repeats_seen seen(size_t runs, enum ts_repeats_answer answer, double spread, enum ts_tier_answer inside)
{
	return (struct ts_repeats_seen){.runs = runs, .answer = answer, .spread = spread, .inside = inside};
}

/* A difference within the scatter of repeats is rounding. */
static void test_repeats(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-5, 1e-4, 0);
	s.e.repeats = seen(4, TS_REPEATS_SCATTERED, 4e-5, TS_TIER_HOLDS);
	expect(&s, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(s.d.numeric.answer, TS_TIER_HOLDS);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-5, 1e-4, 0);
	s.e.repeats = seen(4, TS_REPEATS_SCATTERED, 1e-5, TS_TIER_HOLDS);
	expect(&s, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-5, 1e-4, 0);
	s.e.repeats = seen(4, TS_REPEATS_SCATTERED, 1e-5, TS_TIER_FAILS);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_int_equal(s.d.numeric.answer, TS_TIER_FAILS);
	AGAIN(s);
	/* The same holds at the first step, and by the spread of the repeats alone. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 5e-5, 1e-4, 0);
	s.e.repeats = seen(4, TS_REPEATS_SCATTERED, 1e-5, TS_TIER_HOLDS);
	expect(&s, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-5, 1e-4, 0);
	s.e.repeats = seen(4, TS_REPEATS_SCATTERED, 4e-5, TS_TIER_UNKNOWN);
	expect(&s, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(s.d.numeric.answer, TS_TIER_UNKNOWN);
	assert_true(found_in(&s.d.numeric.why, 1, "more than the 4 repeats of the first run differ"));
	AGAIN(s);
	/* The difference begins like those of repeats and then exceeds them: the result is not certain. */
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-7, 1e-7, 0);
	s.e.repeats = seen(4, TS_REPEATS_SCATTERED, 1e-5, TS_TIER_FAILS);
	expect(&s, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_LOW);
	assert_true(says_against(&s, "leaves the envelope"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-7, 1e-7, 0);
	s.e.repeats = seen(3, TS_REPEATS_EQUAL, 0, TS_TIER_FAILS);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* The level of repeats answers the third question; without repeats the answer says what would be needed. */
static void test_statistical_tier(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-5, 1e-4, 0);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_int_equal(s.d.statistical.answer, TS_TIER_UNKNOWN);
	assert_true(found_in(&s.d.statistical.why, 1, "tscope diff A B --repeats GLOB"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 30, 5e-5, 1e-4, 0);
	s.e.repeats = seen(4, TS_REPEATS_SCATTERED, 1e-5, TS_TIER_FAILS);
	s.e.repeats.statistical = (struct ts_tier){TS_TIER_HOLDS, ts_span_str("the level")};
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_int_equal(s.d.statistical.answer, TS_TIER_HOLDS);
	assert_true(ts_span_is(s.d.statistical.why, "the level"));
	AGAIN(s);
	/* Runs that are equal to the bit need no test. */
	agrees(&s, TS_KIND_LOSS, "loss");
	s.e.repeats = seen(4, TS_REPEATS_SCATTERED, 1e-5, TS_TIER_HOLDS);
	s.e.repeats.statistical = (struct ts_tier){TS_TIER_UNKNOWN, ts_span_str("the level")};
	expect(&s, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_int_equal(s.d.statistical.answer, TS_TIER_HOLDS);
	close_scene(&s);
}

/* --- facts --- */

static void test_settings(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	say(&s, "config.weight_decay", "0.1", "0.01");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* A fact that names the run, or is about the workers, proves nothing. */
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	say(&s, "config.run_name", "a", "b");
	say(&s, "config.num_workers", "4", "8");
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* The signature does not fit: weight decay had no effect for 500 steps. */
	parts(&s, TS_KIND_LOSS, "loss", 500, 3e-4, 1e-2, 0.05);
	say(&s, "config.weight_decay", "0.1", "0.01");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	assert_true(says_against(&s, "not typical of it"));
	AGAIN(s);
	/* A schedule acts through the learning rate, which agrees. */
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	agrees(&s, TS_KIND_LR, "lr");
	say(&s, "config.max_steps", "1000", "2000");
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Different code makes the answer less certain. */
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-4, 1e-2, 0.05);
	say(&s, "config.weight_decay", "0.1", "0.01");
	say(&s, "code.commit", "aaaa", "bbbb");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* A seed draws parameters and data: it is not known which of them, nor whether it was applied. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.02);
	say(&s, "config.seed", "1", "2");
	say(&s, "seeds.torch", "1", "1");
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0.02);
	say(&s, "seeds.torch", "1", "2");
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

static void test_precision(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 2e-4, 1e-3, 0);
	say(&s, "determinism.env.NVIDIA_TF32_OVERRIDE", "0", "1");
	say(&s, "seeds.torch", "1", "1");
	expect(&s, TS_CAUSE_PRECISION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 2e-4, 1e-3, 0);
	say(&s, "determinism.env.NVIDIA_TF32_OVERRIDE", "0", "1");
	expect(&s, TS_CAUSE_PRECISION, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* The difference is too large for another precision. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 5e-2, 1e-1, 0);
	say(&s, "determinism.env.NVIDIA_TF32_OVERRIDE", "0", "1");
	expect(&s, TS_CAUSE_PRECISION, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* All inputs agree, the output does not. */
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	parts(&s, TS_KIND_LOSS, "loss", 0, 2e-4, 1e-3, 0);
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	assert_false(may_be(&s, TS_CAUSE_DATA_ORDER));
	AGAIN(s);
	/* It is not known when the digest was taken: it agrees at the step at which the loss differs. */
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	parts(&s, TS_KIND_LOSS, "loss", 0, 2e-4, 1e-3, 0);
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* Errors that cancel in the first loss do not cancel in the norm of its gradient; rounding is small in both. */
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-7, 1e-3, 0);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 0, 2e-3, 1e-2, 0);
	expect(&s, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 1);
	agrees(&s, TS_KIND_BATCH, "digests.batch");
	agrees(&s, TS_KIND_RNG, "digests.rng");
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-7, 1e-7, 0);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 1, 1e-7, 1e-7, 0);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

static void test_reduction_and_platform(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 2, 2e-7, 1e-7, 0);
	say(&s, "parallelism.world_size", "8", "16");
	s.e.world_a = 8;
	s.e.world_b = 16;
	expect(&s, TS_CAUSE_REDUCTION_ORDER, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 2, 2e-7, 1e-7, 0);
	say(&s, "determinism.env.OMP_NUM_THREADS", "1", "4");
	say(&s, "determinism.use_deterministic_algorithms", "true", "true");
	say(&s, "hardware.cuda_available", "false", "false");
	expect(&s, TS_CAUSE_REDUCTION_ORDER, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* The number of threads changes no loss by a thousandth, nor the first one by less. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-4, 1e-2, 0);
	say(&s, "determinism.env.OMP_NUM_THREADS", "1", "4");
	expect(&s, TS_CAUSE_REDUCTION_ORDER, TS_CONFIDENCE_LOW);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 2, 1e-3, 1e-2, 0);
	say(&s, "determinism.env.OMP_NUM_THREADS", "1", "4");
	expect(&s, TS_CAUSE_REDUCTION_ORDER, TS_CONFIDENCE_LOW);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 2, 2e-7, 1e-7, 0);
	say(&s, "libraries.torch", "2.4.0", "2.5.0");
	expect(&s, TS_CAUSE_PLATFORM, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* Another device of the same model explains nothing. */
	parts(&s, TS_KIND_LOSS, "loss", 2, 2e-7, 1e-7, 0);
	say(&s, "hardware.gpus[0].uuid", "GPU-1", "GPU-2");
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* --- all of them --- */

/* Two runs that are swapped give the same answer. */
static void test_mirror(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LR, "lr", 40, 0.1, 0.1, 0);
	parts(&s, TS_KIND_LOSS, "loss", 41, 3e-4, 1e-2, 0.05);
	for (size_t i = 0; i < s.e.n_series; i++) {
		double a = s.series[i].a;

		s.series[i].a = s.series[i].b;
		s.series[i].b = a;
	}
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	close_scene(&s);
}

/* An unknown field is never shown as zero. */
static void test_features(void **state)
{
	const struct ts_measure *m;
	double value;

	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 41, 3e-4, 1e-2, 0.05);
	ask(&s);
	assert_true(test_value(&s.d.features, "divergence", "loss", "first", &value));
	assert_true(value == 41);
	assert_true(test_value(&s.d.features, "divergence", "loss", "jump", &value));
	assert_true(value == 3e-4);
	m = test_find(&s.d.features, "divergence", "batch", "first");
	assert_non_null(m);
	assert_false(m->known);
	assert_true(ts_span_is(m->reason, "not recorded by both runs"));
	m = test_find(&s.d.features, "divergence", "all", "lag");
	assert_non_null(m);
	assert_false(m->known);
	close_scene(&s);
}

/* Experiments are listed cheapest first, name the runs, and count steps. */
static void test_experiments(void **state)
{
	SCENE(s);
	s.e.name_a = ts_span_str("runs/base");
	s.e.name_b = ts_span_str("runs/new");
	parts(&s, TS_KIND_LOSS, "loss", 60, 2e-5, 1e-3, 0.02);
	ask(&s);
	assert_true(s.d.n_experiments >= 2);
	for (size_t i = 1; i < s.d.n_experiments; i++)
		assert_true(s.d.experiments[i - 1].steps <= s.d.experiments[i].steps);
	for (size_t i = 0; i < s.d.n_experiments; i++)
		if (found_in(&s.d.experiments[i].command, 1, "--repeats")) {
			assert_true(found_in(&s.d.experiments[i].command, 1,
					     "tscope diff runs/base runs/new --repeats 'runs/base-r*'"));
			assert_int_equal(s.d.experiments[i].steps, 2 * (60 + 20));
			close_scene(&s);
			return;
		}
	fail_msg("no repeat was proposed");
}

static bool advises_cuda(const struct scene *s)
{
	for (size_t i = 0; i < s->d.n_experiments; i++)
		if (found_in(&s->d.experiments[i].what, 1, "TF32") || found_in(&s->d.experiments[i].what, 1, "cudnn") ||
		    found_in(&s->d.experiments[i].what, 1, "CUBLAS") || found_in(&s->d.experiments[i].command, 1, "TF32"))
			return true;
	return false;
}

/* Advice about CUDA is for runs of which a record tells of it. */
static void test_advice_for_cuda(void **state)
{
	static const struct {
		const char *path, *value;
		bool cuda;
	} records[] = {{"libraries.numpy", "2.1", false},	  {"libraries.torch", "2.4.0", false},
		       {"libraries.torch", "2.4.0+cu124", true},  {"libraries.torch", "2.4.0+cpu", false},
		       {"hardware.gpus[0].name", "H100", true},	  {"hardware.cuda_available", "false", false},
		       {"libraries.nvidia-cudnn-cu12", "9", true}, {"determinism.cudnn_benchmark", "true", true}};

	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
		SCENE(s);
		say(&s, records[i].path, records[i].value, records[i].value);
		parts(&s, TS_KIND_LOSS, "loss", 60, 2e-5, 1e-3, 0.02);
		ask(&s);
		assert_true(s.d.n_experiments >= 2);
		if (advises_cuda(&s) != records[i].cuda)
			fail_msg("%s = %s", records[i].path, records[i].value);
		close_scene(&s);
	}
}

/* Every n-th allocation fails once: the result is an error, and no answer is returned. */
static void test_no_memory(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 60, 2e-5, 1e-3, 0.02);
	for (size_t ceiling = 0; ceiling < 1 << 20; ceiling += 1 + ceiling / 8) {
		struct ts_diagnosis d = {.cause = TS_CAUSES};
		struct ts_arena arena;
		struct ts_error err;
		enum ts_status status;

		ts_arena_init(&arena, ceiling ? ceiling : 1);
		status = ts_diagnose(&s.e, NULL, &arena, &d, &err);
		assert_int_equal(status == TS_OK, d.cause == TS_CAUSE_JUMP);
		assert_int_equal(status != TS_OK, d.cause == TS_CAUSES);
		ts_arena_finish(&arena);
	}
	close_scene(&s);
}

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	(void)state;
	assert_true(test_seen_all(TS_ANSWER_DIVERGENCE, NULL));
}

/* The same run is recorded in another way: with other step numbers, or another number of ranks. */
static void test_written_otherwise(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-2, 1e-1, 0);
	s.e.moved = (struct ts_moved){.looked = true, .by = 1, .steps = 999};
	expect(&s, TS_CAUSE_STEP_NUMBERING, TS_CONFIDENCE_HIGH);
	assert_int_equal(s.d.n_remaining, 0);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 3e-2, 1e-1, 0);
	s.e.ranks_exchanged = true;
	expect(&s, TS_CAUSE_RANK_ORDER, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* The runs begin at different steps and are logged too rarely to decide: the cause stays possible. */
	parts(&s, TS_KIND_LOSS, "loss", 3, 3e-2, 1e-1, 0)->cadence = 3;
	s.e.first_steps_known = true;
	s.e.first_step_b = 3;
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_STEP_NUMBERING));
	close_scene(&s);
}

/* The number of ranks differs, and each rank logs its own loss. */
static void test_local_losses(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	s.e.world_a = 1;
	s.e.world_b = 2;
	expect(&s, TS_CAUSE_LOCAL_LOSSES, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CONFIG));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	s.e.world_a = 1;
	s.e.world_b = 2;
	s.e.means = (struct ts_rank_means){true, 2, 2.000001};
	expect(&s, TS_CAUSE_LOCAL_LOSSES, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	/* Equal shares of one batch have the same mean: then something else differs, and its class comes first. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	s.e.world_a = 1;
	s.e.world_b = 2;
	s.e.means = (struct ts_rank_means){true, 2, 2.1};
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_LOCAL_LOSSES) && says_against(&s, "equal shares of one batch"));
	AGAIN(s);
	/* With the same number of ranks there are no other shares. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	s.e.world_a = s.e.world_b = 2;
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	assert_false(may_be(&s, TS_CAUSE_LOCAL_LOSSES));
	close_scene(&s);
}

/* A sum over more ranks rounds otherwise, and does no more: where the first losses differ by 3 %, each rank had other data or draws. */
static void test_other_shares(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	s.e.world_a = 1;
	s.e.world_b = 2;
	s.e.means = (struct ts_rank_means){true, 2, 2.1};
	count(&s, "parallelism.world_size", 1, 2);
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-7, 1e-6, 0);
	s.e.world_a = 1;
	s.e.world_b = 2;
	count(&s, "parallelism.world_size", 1, 2);
	expect(&s, TS_CAUSE_REDUCTION_ORDER, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* Parts of a model have the same data. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	s.e.world_a = 1;
	s.e.world_b = 2;
	s.e.means = (struct ts_rank_means){true, 2, 2.1};
	count(&s, "parallelism.tensor_parallel_size", 1, 2);
	ask(&s);
	assert_true(s.d.cause != TS_CAUSE_CONFIG);
	close_scene(&s);
}

static void begins(struct scene *s, int32_t rank, double a, double b)
{
	struct ts_evidence_series *loss = parts(s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);

	loss->rank = rank;
	loss->a = a;
	loss->b = b;
}

/* Three ranks begin with one another's losses; their sums are taken in another order, so that nothing is the same behind the first
 * step. */
static void test_begins_exchanged(void **state)
{
	SCENE(s);
	begins(&s, 0, 2.25, 2.5);
	begins(&s, 1, 2.5, 2.75);
	begins(&s, 2, 2.75, 2.25);
	s.e.ranks_a = s.e.ranks_b = 3;
	expect(&s, TS_CAUSE_RANK_ORDER, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* One begins with a loss that no other rank had. */
	begins(&s, 0, 2.25, 2.5);
	begins(&s, 1, 2.5, 2.75);
	begins(&s, 2, 2.75, 2.375);
	s.e.ranks_a = s.e.ranks_b = 3;
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Of two decimals there are few values, which two ranks exchange by chance. */
	begins(&s, 0, 2.25, 2.29);
	begins(&s, 1, 2.29, 2.25);
	for (size_t i = 0; i < s.e.n_series; i++)
		s.e.series[i].gap.quantum = 0.01;
	s.e.ranks_a = s.e.ranks_b = 2;
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* The digests of the batches say whether ranks have one another's work. */
static void test_begins_with_batches(void **state)
{
	for (uint64_t other = 0; other < 2; other++) {
		SCENE(s);
		begins(&s, 0, 2.25, 2.5);
		begins(&s, 1, 2.5, 2.25);
		for (int32_t rank = 0; rank < 2; rank++) {
			struct ts_evidence_series *batch = digest(&s, TS_KIND_BATCH, "digests.batch", rank, 0);

			batch->word_a = 7 + (uint64_t)rank;
			batch->word_b = 8 - (uint64_t)rank + other;
		}
		s.e.ranks_a = s.e.ranks_b = 2;
		ask(&s);
		assert_int_equal(s.d.cause == TS_CAUSE_RANK_ORDER, !other);
		close_scene(&s);
	}
	(void)state;
}

/* Batches that are kept in the type in which a run computes have other digests, and the data set too: the first loss tells. */
static void test_batches_of_another_type(void **state)
{
	for (int other = 0; other < 2; other++) {
		SCENE(s);
		digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
		parts(&s, TS_KIND_LOSS, "loss", 0, other ? 3e-2 : 1e-8, 1e-6, 0);
		s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 1000, 0, 0, 0};
		say(&s, "config.precision", "float32", "float64");
		say(&s, "data.sha256", "398c", "51aa");
		expect(&s, other ? TS_CAUSE_DATA_SET : TS_CAUSE_PRECISION, other ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM);
		assert_true(may_be(&s, other ? TS_CAUSE_PRECISION : TS_CAUSE_DATA_SET));
		close_scene(&s);
	}
	(void)state;
}

/* Other data give a model of zeros the same first loss, and flags of kernels change no batch. */
static void test_batches_of_no_other_type(void **state)
{
	static const char *const settings[] = {"config.precision", "config.compile", "config.float32_matmul_precision"};

	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
		SCENE(s);
		digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
		parts(&s, TS_KIND_LOSS, "loss", 0, 1e-8, i == 0 ? 3e-2 : 1e-6, 0);
		s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 1000, 0, 0, 0};
		say(&s, settings[i], "high", "highest");
		say(&s, "data.sha256", "398c", "51aa");
		ask(&s);
		assert_true(s.d.cause != TS_CAUSE_PRECISION && may_be(&s, TS_CAUSE_PRECISION));
		close_scene(&s);
	}
	(void)state;
}

/* A policy draws its actions: generators and batches differ at one step, and no cause in the data is named. */
static void test_on_policy(void **state)
{
	SCENE(s);
	s.e.params_time = TS_DIGEST_BEFORE;
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	agrees(&s, TS_KIND_GRADS, "digests.grads");
	s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 1000, 0, 0, 0};
	say(&s, "data.sha256", "398c", "398c");
	expect(&s, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_ON_POLICY) && may_be(&s, TS_CAUSE_RNG_STREAM) && may_be(&s, TS_CAUSE_DATA_ORDER));
	close_scene(&s);
}

/* These are settings that the table does not know, different code, and a schedule that reacts. */
static void test_recorded_always_remains(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	say(&s, "seeds.torch", "1", "1");
	say(&s, "config.top_k", "2", "1");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(s.d.n_experiments > 0 && found_in(&s.d.experiments[0].what, 1, "config.top_k put back to 2"));
	/* The same as data: what a program would do of it. */
	assert_int_equal(s.d.experiments[0].kind, TS_EXPERIMENT_SET);
	assert_int_equal(s.d.experiments[0].recipe, TS_RECIPE_B);
	assert_int_equal(s.d.experiments[0].n_factors, 1);
	assert_true(ts_span_is(s.d.experiments[0].factors[0].path, "config.top_k"));
	assert_true(ts_span_is(s.d.experiments[0].factors[0].value, "2"));
	assert_true(s.d.experiments[0].has_stop);
	assert_int_equal(s.d.experiments[0].stop, 20);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	say(&s, "seeds.torch", "1", "1");
	say(&s, "code.commit", "aa", "bb");
	expect(&s, TS_CAUSE_CODE, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* A loss is NaN, and a schedule then lowers the learning rate. */
	parts(&s, TS_KIND_LOSS, "loss", 40, 1, 1, 0)->b = (double)NAN;
	parts(&s, TS_KIND_LR, "lr", 40, 0.5, 0.5, 0);
	expect(&s, TS_CAUSE_BLOW_UP, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* The learning rate changes abruptly where a run was resumed. */
	resume_at(&s, 100);
	parts(&s, TS_KIND_LR, "lr", 100, 0.5, 0.5, 0);
	parts(&s, TS_KIND_LOSS, "loss", 101, 3e-4, 1e-2, 0.05);
	expect(&s, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* The loss has another unit: the ratio is the same number throughout. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 0.3, 0.3, 0);
	s.series[0].gap.ratio_least = 1.4426;
	s.series[0].gap.ratio_most = 1.4428;
	s.series[0].gap.spread_a = 0.5;
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* A ratio close to 1 has the digits that show it: 1.00001, not 1. */
	parts(&s, TS_KIND_LOSS, "loss", 0, 1e-5, 1e-5, 0);
	s.series[0].gap.ratio_least = s.series[0].gap.ratio_most = 1.00001;
	s.series[0].gap.spread_a = 0.5;
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	assert_true(says_for(&s, "is 1.00001 times that of the first run"));
	AGAIN(s);
	/* In mid-run the objective may be what changed, unless another record shows that the training did not. */
	parts(&s, TS_KIND_LOSS, "loss", 40, 0.3, 0.3, 0);
	s.series[0].gap.ratio_least = 1.4426;
	s.series[0].gap.ratio_most = 1.4428;
	s.series[0].gap.spread_a = 0.5;
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CODE) && may_be(&s, TS_CAUSE_CONFIG));
	assert_true(found_in(&s.d.sentence, 1, "or the objective itself was multiplied"));
	agrees(&s, TS_KIND_GRAD_NORM, "grad_norm");
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 0.3, 0.3, 0);
	s.series[0].gap.ratio_least = 1.4428;
	s.series[0].gap.ratio_most = 1.4426;
	s.series[0].gap.spread_a = 0.5;
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* A policy that was damaged makes other batches before any digest shows that it was. */
static void test_batches_of_a_policy(void **state)
{
	for (int rewards = 0; rewards < 2; rewards++) {
		SCENE(s);
		s.e.rewards = rewards;
		s.e.params_time = TS_DIGEST_AFTER;
		agrees(&s, TS_KIND_RNG, "digests.rng");
		digest(&s, TS_KIND_BATCH, "digests.batch", 0, 52);
		digest(&s, TS_KIND_PARAMS, "digests.params", 0, 52);
		parts(&s, TS_KIND_LOSS, "loss", 52, 3e-2, 1e-1, 0);
		s.e.batches = (struct ts_batch_relation){TS_BATCHES_DISJOINT, 0, 0, 900, 0, 0, 0};
		if (rewards)
			expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
		else
			expect(&s, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM);
		assert_int_equal(may_be(&s, TS_CAUSE_CORRUPTION), rewards);
		assert_int_equal(says_for(&s, "so they make their own batches"), rewards);
		close_scene(&s);
	}
}

/* A setting of unknown effect may make other data, and then a digest of the data differs as well. */
static void test_setting_that_makes_data(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	say(&s, "seeds.torch", "1", "1");
	say(&s, "data.sha256", "398c", "9a01");
	expect(&s, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM);
	say(&s, "config.buckets", "64", "96");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	assert_true(s.d.remaining[0] == TS_CAUSE_DATA_SET);
	assert_true(found_in(&s.d.experiments[0].what, 1, "config.buckets put back to 64"));
	AGAIN(s);
	/* Digests show that the batches and the parameters differ: still the setting is named. */
	s.e.params_time = TS_DIGEST_BEFORE;
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	agrees(&s, TS_KIND_RNG, "digests.rng");
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	say(&s, "data.sha256", "398c", "9a01");
	say(&s, "config.buckets", "64", "96");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_LOW);
	close_scene(&s);
}

/* A learning rate that agrees does not contradict a setting of the rate of other parameters. */
static void test_rate_of_a_group(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 4e-4, 1e-2, 0.08);
	agrees(&s, TS_KIND_LR, "lr");
	say(&s, "seeds.torch", "1", "1");
	say(&s, "config.lr", "0.02", "0.025");
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(says_against(&s, "the learning rates agree"));
	AGAIN(s);
	parts(&s, TS_KIND_LOSS, "loss", 1, 4e-4, 1e-2, 0.08);
	agrees(&s, TS_KIND_LR, "lr");
	say(&s, "seeds.torch", "1", "1");
	say(&s, "config.table_lr", "0.02", "0.025");
	expect(&s, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM);
	assert_true(found_in(&s.d.experiments[0].what, 1, "config.table_lr put back to 0.02"));
	close_scene(&s);
}

/* Several losses of one rank are not several ranks. */
static void test_losses_of_one_rank(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "d_loss", 30, 1e-2, 3e-2, 0);
	parts(&s, TS_KIND_LOSS, "g_loss", 31, 1e-2, 3e-2, 0);
	agrees(&s, TS_KIND_LOSS, "aux_loss");
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_false(says_for(&s, "ranks") || says_for(&s, "rank 0"));
	AGAIN(s);
	for (int32_t rank = 0; rank < 2; rank++) {
		parts(&s, TS_KIND_LOSS, "d_loss", rank ? 30 : 40, 1e-2, 3e-2, 0)->rank = rank;
		parts(&s, TS_KIND_LOSS, "g_loss", rank ? 30 : 40, 1e-2, 3e-2, 0)->rank = rank;
	}
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(says_for(&s, "on 1 of 2 ranks (rank 1)"));
	close_scene(&s);
}

/* Only a number of unknown meaning differs. It says something where the loss was written too coarsely to. */
static void test_number_alone(void **state)
{
	static const struct ts_resolution four = {TS_PRECISION_DECIMALS, 4}, five = {TS_PRECISION_DECIMALS, 5};

	SCENE(s);
	s.e.unrated = ts_span_str("scalars.mae");
	s.e.unrated_step = 51;
	agrees(&s, TS_KIND_LOSS, "scalars.loss");
	expect(&s, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_MEDIUM); /* the number may follow from weights of which the loss does not tell */
	agrees(&s, TS_KIND_PARAMS, "digests.params");
	expect(&s, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	AGAIN(s);
	s.e.unrated = ts_span_str("scalars.mae");
	s.e.unrated_step = 51;
	agrees(&s, TS_KIND_LOSS, "scalars.loss");
	s.series[0].writing_a.resolution = s.series[0].writing_b.resolution = four;
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	assert_int_equal(s.d.step, 51);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM) && may_be(&s, TS_CAUSE_REPORTING));
	agrees(&s, TS_KIND_PARAMS, "digests.params"); /* shows that the training agrees */
	expect(&s, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_MEDIUM);
	AGAIN(s);
	/* So does a gradient norm of few decimals that agrees while a few losses differ in their last decimal. */
	parts(&s, TS_KIND_LOSS, "scalars.loss", 27, 5e-5, 1e-5, 0)->gap.quantum = 1e-4;
	s.series[0].gap.differing = 1;
	s.series[0].writing_a.resolution = s.series[0].writing_b.resolution = four;
	agrees(&s, TS_KIND_GRAD_NORM, "scalars.grad_norm");
	s.series[1].writing_a.resolution = s.series[1].writing_b.resolution = four;
	expect(&s, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW);
	AGAIN(s);
	/* Six digits of a number as large as 2 are finer than what would be called coarse, and show no more; of smaller ones they are
	 * six decimals. */
	parts(&s, TS_KIND_LOSS, "scalars.loss", 8, 4.2e-6, 0, 0)->gap.quantum = 1e-6;
	s.series[0].gap.differing = 1;
	s.series[0].writing_a.resolution = s.series[0].writing_b.resolution = five;
	agrees(&s, TS_KIND_GRAD_NORM, "scalars.grad_norm");
	s.series[1].writing_a.resolution = s.series[1].writing_b.resolution = five;
	ask(&s);
	assert_int_not_equal(s.d.cause, TS_CAUSE_REPORTING);
	assert_true(may_be(&s, TS_CAUSE_NONDETERMINISM));
	AGAIN(s);
	/* A learning rate may have an effect that is too small to see. */
	agrees(&s, TS_KIND_LOSS, "scalars.loss");
	parts(&s, TS_KIND_LR, "scalars.lr", 0, 1e-3, 1e-3, 0);
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM);
	s.series[0].writing_a.resolution = s.series[0].writing_b.resolution = four;
	expect(&s, TS_CAUSE_REPORTING, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_CONFIG));
	close_scene(&s);
}

/* An input that differed for long without effect is not excluded by that: weights may have been frozen. */
static void test_early_inputs_remain(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 100, 3e-2, 1e-1, 0);
	parts(&s, TS_KIND_LR, "lr", 10, 0.5, 0.5, 0);
	expect(&s, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW);
	assert_true(s.d.remaining[0] == TS_CAUSE_CONFIG);
	assert_true(says_against(&s, "it alone does not say why the runs differ from step 100 on"));
	close_scene(&s);
}

/* Numbers that never differ by more than seven digits of them may only have been written so. */
static void test_small_throughout(void **state)
{
	SCENE(s);
	parts(&s, TS_KIND_LOSS, "loss", 3, 2e-7, 2e-7, 0);
	parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 3, 2e-7, 2e-7, 0);
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	assert_true(may_be(&s, TS_CAUSE_REPORTING));
	s.series[0].gap.greatest = 1e-4;
	expect(&s, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM);
	assert_false(may_be(&s, TS_CAUSE_REPORTING));
	close_scene(&s);
}

/* Several seeds differ, and with them the generators and the batches. */
static void test_several_seeds(void **state)
{
	SCENE(s);
	s.e.params_time = TS_DIGEST_AFTER;
	digest(&s, TS_KIND_RNG, "digests.rng", 0, 0);
	digest(&s, TS_KIND_BATCH, "digests.batch", 0, 0);
	digest(&s, TS_KIND_PARAMS, "digests.params", 0, 0);
	parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
	say(&s, "seeds.data", "1", "2");
	expect(&s, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	say(&s, "seeds.init", "1", "2");
	expect(&s, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW);
	assert_true(may_be(&s, TS_CAUSE_INIT) && may_be(&s, TS_CAUSE_DATA_ORDER) && may_be(&s, TS_CAUSE_RNG_STREAM));
	close_scene(&s);
}

/* What is NaN in one run alone blew up there, with digests as without them. */
static void test_blow_up_beside_digests(void **state)
{
	for (int finite = 0; finite < 2; finite++) {
		SCENE(s);
		agrees(&s, TS_KIND_PARAMS, "digests.params");
		agrees(&s, TS_KIND_BATCH, "digests.batch");
		digest(&s, TS_KIND_GRADS, "digests.grads", 0, 40);
		parts(&s, TS_KIND_GRAD_NORM, "grad_norm", 40, 0.5, 0.5, 0)->b = finite ? 1 : (double)NAN;
		s.e.params_time = TS_DIGEST_BEFORE;
		ask(&s);
		assert_int_equal(s.d.cause == TS_CAUSE_BLOW_UP, !finite);
		assert_true(may_be(&s, TS_CAUSE_CORRUPTION) || s.d.cause == TS_CAUSE_CORRUPTION);
		close_scene(&s);
	}
	(void)state;
}

/* Where the seeds of the initialization and of the data are recorded and agree, another one is of draws. */
static void test_seed_beside_others(void **state)
{
	static const char *const others[][2] = {{"seeds.init", "seeds.data"}, {"seeds.weights", "seeds.shuffle"}};

	for (size_t i = 0; i < 2; i++) {
		SCENE(s);
		parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
		say(&s, others[i][0], "1", "1");
		say(&s, others[i][1], "1", "1");
		say(&s, "seeds.train", "1", "2");
		ask(&s);
		assert_int_equal(s.d.cause, TS_CAUSE_RNG_STREAM);
		AGAIN(s);
		parts(&s, TS_KIND_LOSS, "loss", 0, 3e-2, 1e-1, 0);
		say(&s, others[i][0], "1", "1");
		say(&s, "seeds.train", "1", "2");
		ask(&s);
		assert_int_equal(s.d.cause, TS_CAUSE_INIT_OR_DATA);
		close_scene(&s);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identical),
		cmocka_unit_test(test_written_otherwise),
		cmocka_unit_test(test_local_losses),
		cmocka_unit_test(test_other_shares),
		cmocka_unit_test(test_begins_exchanged),
		cmocka_unit_test(test_begins_with_batches),
		cmocka_unit_test(test_batches_of_another_type),
		cmocka_unit_test(test_batches_of_no_other_type),
		cmocka_unit_test(test_on_policy),
		cmocka_unit_test(test_recorded_always_remains),
		cmocka_unit_test(test_batches_of_a_policy),
		cmocka_unit_test(test_setting_that_makes_data),
		cmocka_unit_test(test_rate_of_a_group),
		cmocka_unit_test(test_losses_of_one_rank),
		cmocka_unit_test(test_number_alone),
		cmocka_unit_test(test_early_inputs_remain),
		cmocka_unit_test(test_small_throughout),
		cmocka_unit_test(test_several_seeds),
		cmocka_unit_test(test_not_comparable),
		cmocka_unit_test(test_quantization),
		cmocka_unit_test(test_means),
		cmocka_unit_test(test_buffers_alone),
		cmocka_unit_test(test_reporting),
		cmocka_unit_test(test_evaluation),
		cmocka_unit_test(test_learning_rate),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_rng),
		cmocka_unit_test(test_gradient_path),
		cmocka_unit_test(test_corruption),
		cmocka_unit_test(test_update),
		cmocka_unit_test(test_facts_of_one),
		cmocka_unit_test(test_several_settings),
		cmocka_unit_test(test_places_lead),
		cmocka_unit_test(test_tensors_within_rounding),
		cmocka_unit_test(test_beside_equal_parameters),
		cmocka_unit_test(test_passes_in_parts),
		cmocka_unit_test(test_named_at_once),
		cmocka_unit_test(test_schedule_that_began_anew),
		cmocka_unit_test(test_schedule_that_runs_behind),
		cmocka_unit_test(test_noise_of_losses),
		cmocka_unit_test(test_damage_before_code),
		cmocka_unit_test(test_update_was_skipped),
		cmocka_unit_test(test_optimizer_began_anew),
		cmocka_unit_test(test_optimizer_damaged),
		cmocka_unit_test(test_drew_otherwise),
		cmocka_unit_test(test_time_of_digests),
		cmocka_unit_test(test_scaled_norm),
		cmocka_unit_test(test_losses_by_a_rule),
		cmocka_unit_test(test_begins_where_the_other_was),
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_blow_up),
		cmocka_unit_test(test_epoch),
		cmocka_unit_test(test_indices), cmocka_unit_test(test_same_indices), cmocka_unit_test(test_loaders),
		cmocka_unit_test(test_passed_over), cmocka_unit_test(test_damaged_alone), cmocka_unit_test(test_reported_beside),
		cmocka_unit_test(test_batches_not_searched),
		cmocka_unit_test(test_what_jumped),
		cmocka_unit_test(test_rare_records),
		cmocka_unit_test(test_late_beginning),
		cmocka_unit_test(test_coarse_behind_digests),
		cmocka_unit_test(test_short_reports),
		cmocka_unit_test(test_first_step),
		cmocka_unit_test(test_rounding),
		cmocka_unit_test(test_quantum),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_statistical_tier),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_precision),
		cmocka_unit_test(test_reduction_and_platform),
		cmocka_unit_test(test_mirror),
		cmocka_unit_test(test_features),
		cmocka_unit_test(test_experiments),
		cmocka_unit_test(test_advice_for_cuda),
		cmocka_unit_test(test_blow_up_beside_digests),
		cmocka_unit_test(test_seed_beside_others),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
