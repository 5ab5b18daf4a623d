/* quality_resume.c - does check-resume say what a resume lost?
 *
 * A parent is a toy training with its own seeds, optimizer, precision and dropout. At a step of its own a copy of it goes on as a
 * resumed run does, with one part of the state lost, and both are recorded in four ways: with digests of what each step began with
 * ("digests"), with loss, gradient norm and rate as float64, with the five decimals of a log, and with every tenth step of float64.
 * A check is right where it says that the resume is wrong and names the part or keeps it among the causes ("found"); where it cannot
 * decide, no harm is done; it is wrong where it says that the run resumed correctly. "Kernels" are sums in an order of chance, in both
 * runs or in the resumed one; "other parent": the parent did not write the checkpoint, but rounded otherwise from its first step on.
 */
#include "quality_parts.h"

#include "analysis/diverge/resume.h"
#include "toy_trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASES = 120, BEFORE = 60, AFTER = 120, SERIES = 10, EVERY = 10, CASES_MAX = 64 };

enum lost {
	NOTHING,
	KERNELS,
	OTHER_PARENT,
	OPTIMIZER,
	SCHEDULE,
	SCALER,
	GENERATOR,
	POSITION,
	SHUFFLE,
	WEIGHTS,
	AVERAGE,
	AVERAGE_KERNELS,
	LOSSES
};
enum form { DIGESTS, FLOAT64, FIVE_DECIMALS, EVERY_TENTH, FORMS };

static const char *const form_names[FORMS] = {"digests", "float64", "five decimals", "every 10th step"};

/* Goals were set with other seeds. least: of the resumes that are found; most: of those that are called correct; clean resumes: least
 * of those called correct, most of those called wrong. 0: nothing is asked. */
static const struct plant {
	const char *name;
	uint64_t causes; /* that name the part */
	double least[FORMS], most[FORMS];
} plants[LOSSES] = {
#define IS(cause) (UINT64_C(1) << TS_CAUSE_##cause)
	[NOTHING] = {"nothing lost", 0, {1, 1, 1, 1}, {0, 0, 0, 0}},
	[KERNELS] = {"nothing lost, kernels", 0, {0.9, 0.9, 0.9, 0.9}, {0.05, 0.05, 0.05, 0.05}},
	[OTHER_PARENT] = {"nothing lost, other parent", 0, {0, 0.75, 0.75, 0.75}, {0.2, 0.2, 0.2, 0.2}},
	[OPTIMIZER] = {"optimizer lost", IS(RESUME_STATE), {0.95, 0.95, 0.95, 0.9}, {0, 0.02, 0.02, 0.05}},
	[SCHEDULE] = {"schedule lost", IS(RESUME_STATE), {1, 1, 1, 1}, {0, 0, 0, 0}},
	[SCALER] = {"scaler lost", IS(RESUME_STATE), {0.95, 0.95, 0.95, 0.9}, {0.02, 0.02, 0.02, 0.05}},
	[GENERATOR] = {"generator lost", IS(RNG_STREAM) | IS(RESUME_STATE), {1, 0.95, 0.95, 0.9}, {0, 0, 0, 0.05}},
	[POSITION] = {"data position lost", IS(RESUME_DATA), {1, 0.95, 0.95, 0.9}, {0, 0, 0, 0.05}},
	[SHUFFLE] = {"data order lost", IS(RESUME_DATA), {1, 0.95, 0.95, 0.9}, {0, 0, 0, 0.05}},
	[WEIGHTS] = {"weights rounded", IS(RESUME_STATE), {1, 0.4, 0.4, 0.3}, {0, 0.2, 0.2, 0.3}},
	[AVERAGE] = {"average of weights lost", IS(RESUME_STATE), {1, 1, 1, 1}, {0, 0, 0, 0}},
	[AVERAGE_KERNELS] = {"average of weights lost, kernels", IS(RESUME_STATE), {0.95, 0.95, 0.95, 0.95}, {0.02, 0.02, 0.02, 0.02}},
#undef IS
};

struct state {
	struct toy toy;
	float average[TOY_PARAMS]; /* of the weights */
};

struct row {
	struct toy_row toy;
	uint64_t optimizer;
	double eval; /* NaN: the step has none */
};

struct bench {
	struct toy_data data;
	struct toy_recipe recipe;
	struct state start, parent, child;
	struct row a[AFTER], b[AFTER];
	int64_t steps[SERIES][AFTER];
	double x[SERIES][2][AFTER];
	uint64_t w[SERIES][2][AFTER];
	struct ts_resume_series series[SERIES];
	size_t n;
	struct ts_arena arena;
};

/* --- training --- */

static uint64_t digest(const struct toy *toy)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < TOY_PARAMS; i++) {
		uint32_t m, v;

		memcpy(&m, &toy->m[i], sizeof m);
		memcpy(&v, &toy->v[i], sizeof v);
		h = (h ^ m) * UINT64_C(1099511628211);
		h = (h ^ v) * UINT64_C(1099511628211);
	}
	return h;
}

/* The loss of the averaged weights on the batch of step 0, without dropout. */
static double evaluate(const struct state *s)
{
	struct toy copy = s->toy;
	struct toy_row row;

	memcpy(copy.w, s->average, sizeof copy.w);
	copy.recipe.dropout = 0;
	copy.step = 0;
	toy_step(&copy, NULL, &row);
	return row.loss;
}

static void advance(struct state *s, const struct toy_fault *fault, bool skip, struct row *ret)
{
	static struct toy kept;
	struct toy_row scratch;

	kept = s->toy;
	if (ret)
		ret->optimizer = digest(&s->toy);
	toy_step(&s->toy, fault, ret ? &ret->toy : &scratch);
	if (skip) { /* the gradients overflowed under the scale that a new scaler begins with */
		memcpy(s->toy.w, kept.w, sizeof kept.w);
		memcpy(s->toy.m, kept.m, sizeof kept.m);
		memcpy(s->toy.v, kept.v, sizeof kept.v);
		s->toy.updates = kept.updates;
	}
	for (size_t i = 0; i < TOY_PARAMS; i++)
		s->average[i] += 0.02F * (s->toy.w[i] - s->average[i]);
	if (ret)
		ret->eval = s->toy.step % EVERY == 0 ? evaluate(s) : (double)NAN;
}

static void draw_base(struct bench *t, struct ts_random *r)
{
	static const enum toy_precision precisions[] = {TOY_FP32, TOY_FP32, TOY_BF16};

	t->recipe = (struct toy_recipe){
		.init_seed = ts_random_next(r),
		.order_seed = ts_random_next(r),
		.dropout_seed = ts_random_next(r),
		.optimizer = ts_random_below(r, 2) ? TOY_ADAM : TOY_SGD,
		.precision = precisions[ts_random_below(r, 3)],
		.dropout = ts_random_below(r, 2) ? 0.1F : 0,
		.ranks = 1,
	};
	t->recipe.lr = t->recipe.optimizer == TOY_ADAM ? 3e-3F : 5e-2F;
	toy_data_draw(&t->data, ts_random_next(r));
}

static struct toy_fault fault_of(enum lost lost, uint32_t step, struct ts_random *r)
{
	static const enum toy_fault_kind kinds[LOSSES] = {
		[KERNELS] = TOY_REDUCTION, [AVERAGE_KERNELS] = TOY_REDUCTION, [OPTIMIZER] = TOY_FORGET, [SCHEDULE] = TOY_RATE,
		[GENERATOR] = TOY_STREAM,  [POSITION] = TOY_RESTART,	      [SHUFFLE] = TOY_ORDER,
	};

	return (struct toy_fault){
		.kind = kinds[lost], .step = step, .count = 1 + ts_random_below(r, 9), .seed = ts_random_next(r), .amount = 1};
}

static void train(struct bench *t, enum lost lost, struct ts_random *r)
{
	uint32_t step = t->start.toy.step;
	struct toy_fault fault = fault_of(lost, step, r);

	t->child = t->start;
	if (lost == AVERAGE || lost == AVERAGE_KERNELS)
		memcpy(t->child.average, t->child.toy.w, sizeof t->child.average);
	for (size_t i = 0; lost == WEIGHTS && i < TOY_PARAMS; i++)
		t->child.toy.w[i] = toy_round(t->child.toy.w[i], TOY_TF32); /* as many bits as fp16 has */
	for (uint32_t i = 0; i < AFTER; i++) {
		if (lost == SCHEDULE) /* the rate of the first steps again */
			fault.amount = (1 - (double)i / 800) / (1 - (double)(step + i) / 800);
		advance(&t->child, lost == NOTHING ? NULL : &fault, lost == SCALER && i < 2, &t->b[i]);
	}
}

/* --- recording --- */

static double written(double x, enum form form, int decimals)
{
	double unit = pow(10, decimals);

	return form == FIVE_DECIMALS ? nearbyint(x * unit) / unit : x;
}

static struct ts_resume_series *add(struct bench *t, enum ts_resume_kind kind, const char *name)
{
	size_t i = t->n++;

	t->series[i] = (struct ts_resume_series){.kind = kind,
						 .name = ts_span_str(name),
						 .steps = t->steps[i],
						 .a = t->x[i][0],
						 .b = t->x[i][1],
						 .word_a = t->w[i][0],
						 .word_b = t->w[i][1],
						 .when = TS_DIGEST_BEFORE};
	return &t->series[i];
}

static void put(struct bench *t, int64_t step, double a, double b, uint64_t word_a, uint64_t word_b)
{
	size_t i = t->n - 1, k = t->series[i].n++;

	t->steps[i][k] = step;
	t->x[i][0][k] = a;
	t->x[i][1][k] = b;
	t->w[i][0][k] = word_a;
	t->w[i][1][k] = word_b;
}

enum number { LOSS, NORM, RATE, EVAL, NUMBERS };

static double number_of(const struct row *r, enum number what)
{
	return what == LOSS ? r->toy.loss : what == NORM ? r->toy.grad_norm : what == RATE ? r->toy.lr : r->eval;
}

static uint64_t word_of(const struct row *r, size_t what)
{
	const uint64_t words[] = {r->toy.batch, r->toy.params, r->optimizer, r->toy.grads, r->toy.rng};

	return words[what];
}

static void record_number(struct bench *t, enum form form, enum number what)
{
	static const enum ts_resume_kind kinds[NUMBERS] = {TS_RESUME_LOSS, TS_RESUME_GRAD_NORM, TS_RESUME_RATE, TS_RESUME_EVAL};
	static const char *const names[NUMBERS] = {"scalars.loss", "scalars.grad_norm", "scalars.lr", "eval.ema_loss"};
	static const int decimals[NUMBERS] = {5, 3, 9, 5};
	int64_t first = t->start.toy.step;
	struct ts_resume_series *s = add(t, kinds[what], names[what]);

	for (size_t i = 0; i < AFTER && s->n < TS_RESUME_WINDOW; i++) {
		double a = number_of(&t->a[i], what), b = number_of(&t->b[i], what);

		if (isnan(a) || (form == EVERY_TENTH && (first + (int64_t)i) % EVERY != EVERY - 1))
			continue;
		put(t, first + (int64_t)i, written(a, form, decimals[what]), written(b, form, decimals[what]), 0, 0);
	}
}

static void record_digests(struct bench *t)
{
	static const struct {
		enum ts_resume_kind kind;
		const char *name;
	} digests[] = {{TS_RESUME_BATCH, "digests.batch"},
		       {TS_RESUME_PARAMS, "digests.params"},
		       {TS_RESUME_OPTIMIZER, "digests.optimizer"},
		       {TS_RESUME_GRADS, "digests.grads"},
		       {TS_RESUME_RNG, "digests.rng"}};

	for (size_t k = 0; k < sizeof digests / sizeof digests[0]; k++) {
		(void)add(t, digests[k].kind, digests[k].name);
		for (size_t i = 0; i < TS_RESUME_WINDOW; i++)
			put(t, t->start.toy.step + (int64_t)i, 0, 0, word_of(&t->a[i], k), word_of(&t->b[i], k));
	}
}

static void check(struct bench *t, enum form form, bool declared, struct ts_resume *ret)
{
	struct ts_resume_evidence e = {.said = TS_RESUME_SAID_FIRST, .step = t->start.toy.step, .series = t->series};
	struct ts_error err;

	t->n = 0;
	for (enum number what = LOSS; what < NUMBERS; what++)
		record_number(t, form, what);
	if (form == DIGESTS)
		record_digests(t);
	e.n_series = t->n;
	if (declared)
		e.format = t->recipe.precision == TOY_BF16 ? TS_FORMAT_REDUCED : TS_FORMAT_FULL;
	ts_arena_reset(&t->arena);
	if (ts_resume_decide(&e, &t->arena, ret, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

/* --- counting --- */

static bool names(const struct ts_resume *r, uint64_t causes)
{
	bool named = causes >> r->why.cause & 1;

	for (size_t i = 0; i < r->why.n_remaining; i++)
		named |= causes >> r->why.remaining[i] & 1;
	return named;
}

struct tally {
	char text[LOSSES][FORMS][2][80];
	struct quality_case found[LOSSES][FORMS], called[LOSSES][FORMS];
};

static void name_cases(struct tally *y)
{
	for (enum lost l = NOTHING; l < LOSSES; l++)
		for (enum form f = DIGESTS; f < FORMS; f++) {
			bool clean = l <= OTHER_PARENT;

			(void)snprintf(y->text[l][f][0], sizeof y->text[l][f][0], "resume: %s, %s: %s", plants[l].name, form_names[f],
				       clean ? "correct" : "found");
			(void)snprintf(y->text[l][f][1], sizeof y->text[l][f][1], "resume: %s, %s: %s", plants[l].name, form_names[f],
				       clean ? "called wrong" : "called correct");
			y->found[l][f] = quality_at_least(y->text[l][f][0], plants[l].least[f]);
			y->called[l][f] = quality_at_most(y->text[l][f][1], plants[l].most[f]);
		}
}

static void count(struct bench *t, struct tally *y, enum lost lost, bool declared)
{
	bool clean = lost <= OTHER_PARENT;

	for (enum form form = DIGESTS; form < FORMS; form++) {
		struct ts_resume r = {.verdict = TS_RESUME_UNDECIDED};
		bool right, wrong;

		check(t, form, declared, &r);
		right = clean ? r.verdict == TS_RESUME_CORRECT : r.verdict == TS_RESUME_WRONG && names(&r, plants[lost].causes);
		wrong = clean ? r.verdict == TS_RESUME_WRONG : r.verdict == TS_RESUME_CORRECT;
		quality_count(&y->found[lost][form], right);
		quality_count(&y->called[lost][form], wrong);
	}
}

static void run_base(struct bench *t, struct tally *y, struct ts_random *r)
{
	uint32_t step = BEFORE + ts_random_below(r, 40);
	bool declared = ts_random_below(r, 2);
	struct toy_fault kernels;

	draw_base(t, r);
	toy_start(&t->start.toy, &t->recipe, &t->data);
	memcpy(t->start.average, t->start.toy.w, sizeof t->start.average);
	while (t->start.toy.step < step)
		advance(&t->start, NULL, false, NULL);
	t->parent = t->start;
	for (uint32_t i = 0; i < AFTER; i++)
		advance(&t->parent, NULL, false, &t->a[i]);
	for (enum lost lost = NOTHING; lost < LOSSES; lost++) {
		if (lost == OTHER_PARENT || (lost == GENERATOR && t->recipe.dropout <= 0))
			continue;
		train(t, lost, r);
		count(t, y, lost, declared);
	}
	/* The parent sums in an order of chance from its first step on. */
	kernels = fault_of(KERNELS, 0, r);
	toy_start(&t->parent.toy, &t->recipe, &t->data);
	memcpy(t->parent.average, t->parent.toy.w, sizeof t->parent.average);
	while (t->parent.toy.step < step)
		advance(&t->parent, &kernels, false, NULL);
	for (uint32_t i = 0; i < AFTER; i++)
		advance(&t->parent, &kernels, false, &t->a[i]);
	train(t, NOTHING, r);
	count(t, y, OTHER_PARENT, declared);
}

static bool is_wanted(const struct quality *q, const struct tally *y)
{
	for (enum lost l = NOTHING; l < LOSSES; l++)
		for (enum form f = DIGESTS; f < FORMS; f++)
			if (quality_wants(q, &y->found[l][f]) || quality_wants(q, &y->called[l][f]))
				return true;
	return false;
}

void quality_resume(struct quality *q)
{
	struct quality_case bases = {.name = "resume"};
	struct bench *t = malloc(sizeof *t);
	struct tally *y = malloc(sizeof *y);

	if (!t || !y)
		abort();
	memset(y, 0, sizeof *y);
	name_cases(y);
	ts_arena_init(&t->arena, 64 << 20);
	for (uint64_t i = 0; is_wanted(q, y) && i < quality_trials(q, BASES); i++) {
		struct ts_random r;

		quality_random(&bases, i, &r);
		run_base(t, y, &r);
	}
	for (enum lost l = NOTHING; l < LOSSES; l++)
		for (enum form f = DIGESTS; f < FORMS; f++) {
			quality_report(q, &y->found[l][f]);
			quality_report(q, &y->called[l][f]);
		}
	ts_arena_finish(&t->arena);
	free(t);
	free(y);
}
