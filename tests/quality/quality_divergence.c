/* quality_divergence.c - is the cause that was planted in the second of two trainings the one that the diagnosis names?
 *
 * A base is a toy training with its own seeds, optimizer, precision and dropout. Each row of the table of plants makes a second
 * training of it that goes wrong in one way, at a step of its own, and the two are diagnosed three times: with digests of parameters,
 * gradients, batches and generator ("digests"), with loss, gradient norm and learning rate ("scalars"), and with the loss alone. Then
 * one of the two logs is spoilt in a way that logs are, and they are diagnosed again. A fault that no column shows is right as
 * "identical".
 *
 * Scalars can tell apart: nothing; rounding; other inputs from the first step on; a push later on that nothing explains (a bit of a
 * weight, other batches, a lost state); data and state of a resume, where one is recorded; a learning rate, where it is logged; a
 * blow-up; a report. What they cannot tell is marked with "-" and is not scored, but for high confidence. Loss alone is shown and not
 * scored.
 *
 * A fault of a log may widen an answer and make it less sure; wrong at medium or high confidence it may be no more often than
 * SURE_AND_WRONG, fault by fault, as without one. "Not said": nothing declares how finely numbers were written.
 *
 * The table of what is answered is printed before the cases. `quality divergence-tune` does the same with other seeds and lists
 * each answer that is not right: cut-offs are looked for there, and scored here.
 */
#include "quality_parts.h"

#include "analysis/diverge/diagnose.h"
#include "run/head.h"
#include "toy_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 160, BASES = 160, PLANTS_MAX = 48 };

#define SURE_AND_WRONG                                                                                                 \
	0.01 /* the share of answers of medium or high confidence that may be wrong, whatever is wrong with a log */

enum form { DIGESTS, SCALARS, LOSS, FORMS };

static const char *const form_names[FORMS] = {"digests", "scalars", "loss alone"};
static const unsigned form_columns[FORMS] = {TOY_ALL, TOY_SCALARS, TOY_LOSS_ALONE};

#define IS(cause) (UINT64_C(1) << TS_CAUSE_##cause)
#define NOTHING (IS(IDENTICAL) | IS(QUANTIZATION))
/* The same computation was rounded in another way. Only facts and repeats can tell which of these causes it is. */
#define ROUNDING (IS(ROUNDING) | IS(NONDETERMINISM) | IS(REDUCTION_ORDER) | IS(PLATFORM) | IS(PRECISION))
/* These classes say that several causes cannot be told apart. They are right if one of the right causes is among those
 * that remain. */
#define INSEPARABLE (IS(COMPUTATION) | IS(ROUNDING) | IS(ORDER_OR_SET) | IS(JUMP) | IS(INIT_OR_DATA) | IS(KERNEL_RNG_OR_DATA))

enum where { EVERYWHERE, IN_FP32, IN_BF16, WITH_DROPOUT, ONE_RANK, SEVERAL_RANKS };
enum when { AT_START, LATER };
enum seed { NO_SEED, INIT_SEED, DATA_SEED };

/* right: the causes that are right with digests and with scalars. 0: the records cannot tell the cause, and only a
 * wrong answer at high confidence counts. */
struct plant {
	const char *name;
	enum toy_fault_kind kind;
	enum when when;
	double low, high; /* an amount or a count is drawn between them, an amount evenly in its logarithm */
	enum where where;
	enum seed seed;
	bool resume; /* the second log says that the run was resumed at the fault */
	bool told;   /* facts say what differs: the number of ranks, or the data */
	bool damage; /* state was damaged or lost and no record says so, so a suspicion is right */
	uint64_t right[2];
	uint64_t near; /* causes that are right below high confidence, if one of the right ones remains */
};

static const struct plant plants[] = {
	{"nothing", TOY_NO_FAULT, .right = {IS(IDENTICAL), IS(IDENTICAL)}},
	{"sums in another order", TOY_REDUCTION, .right = {ROUNDING, ROUNDING}},
	{"sums in another order from k", TOY_REDUCTION, LATER, .right = {ROUNDING, ROUNDING}},
	{"batch in parts", TOY_SPLIT, AT_START, 2, 8, .right = {ROUNDING, ROUNDING}},
	{"batch in parts, ranks told", TOY_SPLIT, AT_START, 2, 8, .told = true, .right = {IS(REDUCTION_ORDER), IS(REDUCTION_ORDER)}},
	{"kernel, fp32", TOY_KERNEL, .where = IN_FP32, .right = {ROUNDING, ROUNDING}},
	{"kernel, bf16", TOY_KERNEL, .where = IN_BF16, .right = {IS(PRECISION), IS(KERNEL_RNG_OR_DATA) | IS(PRECISION)}},
	{"kernel from k, fp32", TOY_KERNEL, LATER, .where = IN_FP32, .right = {ROUNDING, ROUNDING}},
	{"kernel from k, bf16", TOY_KERNEL, LATER, .where = IN_BF16, .right = {IS(PRECISION), IS(JUMP) | IS(KERNEL_RNG_OR_DATA)}},
	{"TF32, fp32", TOY_PRECISION, AT_START, TOY_TF32, TOY_TF32, .where = IN_FP32, .right = {IS(PRECISION), 0}},
	{"bf16, fp32", TOY_PRECISION, AT_START, TOY_BF16, TOY_BF16, .where = IN_FP32, .right = {IS(PRECISION), 0}},
	{"TF32 from k, fp32", TOY_PRECISION, LATER, TOY_TF32, TOY_TF32, .where = IN_FP32, .right = {IS(PRECISION), 0}},
	{"bf16 from k, fp32", TOY_PRECISION, LATER, TOY_BF16, TOY_BF16, .where = IN_FP32, .right = {IS(PRECISION), IS(JUMP)}},
	/* The sum over several ranks has no digest and may have been rounded in another way. For damage this small, it
	 * suffices that the cause remains. */
	{"one ulp", TOY_ULP, LATER, .where = ONE_RANK, .damage = true, .right = {IS(CORRUPTION), ROUNDING}},
	{"one ulp, 4 ranks", TOY_ULP, LATER, .where = SEVERAL_RANKS, .damage = true, .right = {IS(CORRUPTION), ROUNDING},
	 .near = ROUNDING},
	{"bits 12 to 17", TOY_FLIP, LATER, 12, 17, ONE_RANK, .damage = true, .right = {IS(CORRUPTION), 0}},
	{"bits 12 to 17, 4 ranks", TOY_FLIP, LATER, 12, 17, SEVERAL_RANKS, .damage = true, .right = {IS(CORRUPTION), 0},
	 .near = ROUNDING},
	{"bits 18 to 29", TOY_FLIP, LATER, 18, 29, .damage = true, .right = {IS(CORRUPTION), IS(JUMP)}},
	{"bit 30", TOY_FLIP, LATER, 30, 30, .damage = true, .right = {IS(CORRUPTION), IS(BLOW_UP)}, .near = IS(BLOW_UP)},
	{"gradient of one rank of 4", TOY_GRADIENT, LATER, 1e-2, 10, SEVERAL_RANKS, .damage = true, .right = {IS(GRADIENT_PATH), 0}},
	{"gradient of a single rank", TOY_GRADIENT, LATER, 1e-2, 10, ONE_RANK, .damage = true},
	{"init seed", TOY_NO_FAULT, .seed = INIT_SEED, .right = {IS(INIT), IS(INIT_OR_DATA)}},
	{"data seed", TOY_NO_FAULT, .seed = DATA_SEED, .right = {IS(DATA_SET), IS(INIT_OR_DATA)}, .near = IS(DATA_ORDER)},
	{"data seed, told", TOY_NO_FAULT, .seed = DATA_SEED, .told = true, .right = {IS(DATA_SET), 0}},
	{"order of data", TOY_ORDER, .right = {IS(DATA_ORDER), IS(INIT_OR_DATA)}},
	{"order of data from k", TOY_ORDER, LATER, .right = {IS(DATA_ORDER), IS(JUMP)}},
	{"data shifted", TOY_SHIFT, AT_START, 1, 8, .right = {IS(DATA_POSITION), IS(INIT_OR_DATA)}},
	{"data shifted from k", TOY_SHIFT, LATER, 1, 8, .right = {IS(DATA_POSITION), IS(JUMP)}},
	{"data from the start at k", TOY_RESTART, LATER, .right = {IS(DATA_POSITION), IS(JUMP)}},
	{"resume, data from the start", TOY_RESTART, LATER, .resume = true, .right = {IS(RESUME_DATA), IS(RESUME_DATA)}},
	{"resume, data shifted", TOY_SHIFT, LATER, 1, 8, .resume = true, .right = {IS(RESUME_DATA), IS(RESUME_DATA)}},
	{"resume, optimizer lost", TOY_FORGET, LATER, .resume = true, .right = {IS(RESUME_STATE), IS(RESUME_STATE)}},
	{"resume, generator moved", TOY_STREAM, LATER, 1, 9, .where = WITH_DROPOUT, .resume = true,
	 .right = {IS(RESUME_STATE) | IS(RNG_STREAM), 0}},
	{"resume, nothing lost", TOY_NO_FAULT, LATER, .resume = true, .right = {IS(IDENTICAL), IS(IDENTICAL)}},
	{"optimizer lost at k", TOY_FORGET, LATER, .damage = true, .right = {IS(CORRUPTION) | IS(RESUME_STATE), IS(JUMP)}},
	{"rate x1.001", TOY_RATE, AT_START, 1.001, 1.001, .right = {IS(CONFIG), IS(CONFIG)}},
	{"rate x1.01 to x1.1 from k", TOY_RATE, LATER, 1.01, 1.1, .right = {IS(CONFIG), IS(CONFIG)}},
	{"rate x0.5", TOY_RATE, AT_START, 0.5, 0.5, .right = {IS(CONFIG), IS(CONFIG)}},
	{"rate x0.5 from k", TOY_RATE, LATER, 0.5, 0.5, .right = {IS(CONFIG), IS(CONFIG)}},
	{"generator moved", TOY_STREAM, AT_START, 1, 9, .where = WITH_DROPOUT, .right = {IS(RNG_STREAM), 0}},
	{"generator moved at k", TOY_STREAM, LATER, 1, 9, .where = WITH_DROPOUT, .right = {IS(RNG_STREAM), IS(JUMP)}},
	{"report + 1e-6", TOY_REPORT_BIAS, AT_START, 1e-6, 1e-6, .right = {IS(REPORTING), IS(REPORTING)}},
	{"report + 1e-4 to 1e-2", TOY_REPORT_BIAS, AT_START, 1e-4, 1e-2, .right = {IS(REPORTING), IS(REPORTING)}},
	{"report + 1e-3 from k", TOY_REPORT_BIAS, LATER, 1e-3, 1e-3, .right = {IS(REPORTING), IS(REPORTING)}},
	{"report in 4 decimals", TOY_REPORT_DECIMALS, .right = {IS(REPORTING) | NOTHING, IS(REPORTING) | NOTHING}},
};

enum { PLANTS = sizeof plants / sizeof plants[0] };

enum spoil {
	CLEAN,
	CUT,
	LOSE,
	TWICE,
	DECIMALS_BOTH,
	DECIMALS_ONE,
	DOUBLES_ONE,
	BARE_DECIMALS_BOTH, /* no fact gives the precision: it is estimated from the values */
	BARE_DECIMALS_ONE,
	BARE_DOUBLES_ONE,
	INTERVALS_BOTH,
	INTERVALS_ONE,
	SPOILS,
};

static const char *const spoil_names[SPOILS] = {
	"as they are",
	"tail cut",
	"steps lost",
	"steps twice",
	"4 decimals, both",
	"4 decimals, one",
	"doubles, one",
	"4 decimals, both, not said",
	"4 decimals, one, not said",
	"doubles, one, not said",
	"means, both",
	"means, one",
};

/* One base run and everything that belongs to it. */
struct bench {
	struct toy_data data, other_data;
	struct toy_recipe recipe;
	struct toy at[STEPS]; /* the state before each step */
	struct toy_row rows[STEPS], hurt[STEPS];
	struct toy_recording a, b, spoilt_a, spoilt_b;
	struct ts_arena arena;
	bool tune;
	uint32_t base;
	uint32_t ranks_b; /* what facts say of the second run: the number of its ranks, or a digest of its data */
};

struct answer {
	enum ts_cause cause;
	uint64_t remaining;
	enum ts_confidence confidence;
	bool seen; /* some column shows the difference beyond its quantum */
	double jump;
};

struct tally {
	unsigned answers[FORMS][PLANTS_MAX][TS_CAUSES];
	unsigned hits[FORMS][PLANTS_MAX];
	unsigned spoilt[FORMS][SPOILS][2];	 /* the number of answers, and of right ones */
	struct quality_case sure[FORMS][SPOILS]; /* answers that are wrong at medium or high confidence */
	char sure_names[FORMS][SPOILS][96];
	struct quality_case right[2], identical, suspicion, high, spoilt_high, swapped;
};

static void draw_base(struct bench *t, struct ts_random *r)
{
	unsigned i = t->base;

	memset(&t->recipe, 0, sizeof t->recipe);
	t->recipe.init_seed = ts_random_next(r);
	t->recipe.order_seed = ts_random_next(r);
	t->recipe.dropout_seed = ts_random_next(r);
	t->recipe.optimizer = i & 1 ? TOY_ADAM : TOY_SGD;
	t->recipe.precision = i & 2 ? TOY_BF16 : TOY_FP32;
	t->recipe.ranks = i & 4 ? 4 : 1;
	t->recipe.dropout = ts_random_below(r, 3) ? 0.1F : 0;
	t->recipe.lr = (float)((i & 1 ? 0.003 : 0.05) * (0.5 + ts_random_unit(r)));
	toy_data_draw(&t->data, ts_random_next(r));
	toy_data_draw(&t->other_data, ts_random_next(r));
	toy_start(&t->at[0], &t->recipe, &t->data);
	for (uint32_t k = 0; k < STEPS; k++) {
		struct toy toy = t->at[k];

		toy_step(&toy, NULL, &t->rows[k]);
		if (k + 1 < STEPS)
			t->at[k + 1] = toy;
	}
}

static struct toy_fault draw_fault(const struct plant *p, uint32_t ranks, struct ts_random *r)
{
	struct toy_fault f = {.kind = p->kind, .step = p->when == LATER ? 15 + ts_random_below(r, 85) : 0};

	f.index = ts_random_below(r, TOY_PARAMS);
	f.seed = ts_random_next(r);
	f.amount = p->low > 0 ? p->low * pow(p->high / p->low, ts_random_unit(r)) : 0;
	f.count = (uint32_t)p->low + ts_random_below(r, (uint32_t)(p->high - p->low) + 1);
	f.precision = (enum toy_precision)p->low;
	if (p->kind == TOY_SPLIT)
		f.count = (ranks == 1 ? UINT32_C(2) : UINT32_C(8)) << ts_random_below(r, 3);
	/* A changed bit of a bias that is 0, or of a weight that is never read, would have no effect. Weights of the
	 * second layer are read. */
	if (p->kind == TOY_FLIP || p->kind == TOY_ULP)
		f.index = TOY_W2 + f.index % (TOY_B2 - TOY_W2);
	return f;
}

static void run_hurt(struct bench *t, const struct plant *p, const struct toy_fault *f)
{
	struct toy toy = t->at[f->step];
	struct toy_recipe recipe = t->recipe;

	if (p->seed == INIT_SEED)
		recipe.init_seed = f->seed;
	if (p->seed != NO_SEED)
		toy_start(&toy, &recipe, p->seed == DATA_SEED ? &t->other_data : &t->data);
	memcpy(t->hurt, t->rows, sizeof t->hurt);
	while (toy.step < STEPS)
		toy_step(&toy, f, &t->hurt[toy.step]);
}

/* Adds one fact to each side, with different values. */
static void tell(struct bench *t, struct ts_evidence *e, const struct plant *p)
{
	static struct ts_fact a, b;
	static struct ts_facts facts_a = {.items = &a, .n = 1}, facts_b = {.items = &b, .n = 1};
	static struct ts_fact_row row = {.change = TS_FACT_CHANGED, .rank = TS_RANK_JOB, .a = &a, .b = &b};

	if (!p || !p->told)
		return;
	row.group = p->seed == DATA_SEED ? TS_GROUP_DATA : TS_GROUP_PARALLELISM;
	row.path = ts_span_str(p->seed == DATA_SEED ? "data.digest" : "parallelism.world_size");
	a = b = (struct ts_fact){.path = row.path, .type = TS_FACT_INT, .source = TS_SOURCE_FACTS_JSON};
	a.integer = t->recipe.ranks;
	b.integer = t->ranks_b;
	if (p->seed != DATA_SEED) {
		e->world_a = (uint32_t)a.integer;
		e->world_b = (uint32_t)b.integer;
	}
	e->facts = &row;
	e->n_facts = 1;
	e->facts_a = &facts_a;
	e->facts_b = &facts_b;
}

/* If p is NULL, there are no facts. */
static struct answer diagnose(struct bench *t, const struct plant *p, const struct toy_recording *a, const struct toy_recording *b)
{
	struct ts_evidence e;
	struct ts_diagnosis d;
	struct ts_error err;
	struct answer out = {.jump = 0};

	ts_arena_reset(&t->arena);
	toy_evidence(a, b, &t->arena, &e);
	tell(t, &e, p);
	if (ts_diagnose(&e, NULL, &t->arena, &d, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
	for (size_t i = 0; i < e.n_series; i++) {
		const struct ts_evidence_series *s = &e.series[i];

		out.seen |= s->parts && (s->kind >= TS_KIND_PARAMS || (s->gap.known && s->gap.visible));
		if (s->kind == TS_KIND_LOSS && s->parts)
			out.jump = s->gap.at_visible;
	}
	for (size_t i = 0; i < d.n_remaining; i++)
		out.remaining |= UINT64_C(1) << d.remaining[i];
	out.cause = d.cause;
	out.confidence = d.confidence;
	return out;
}

static bool in(uint64_t set, enum ts_cause cause)
{
	return set >> cause & 1;
}

/* Returns the causes that are right, or 0 if this form of the log cannot tell. */
static uint64_t right_of(const struct plant *p, enum form form, const struct answer *x)
{
	if (!x->seen)
		return NOTHING;
	if (form == LOSS || p->right[form] == 0)
		return 0;
	if (x->confidence < TS_CONFIDENCE_HIGH && (x->remaining & p->right[form]))
		return p->right[form] | p->near | INSEPARABLE;
	return p->right[form];
}

/* Returns whether the answer has high confidence and is right in no form. */
static bool wrong_at_high(const struct plant *p, const struct answer *x)
{
	uint64_t right = !x->seen ? NOTHING | IS(NOT_COMPARABLE) : p->right[DIGESTS] | p->right[SCALARS];

	return x->confidence == TS_CONFIDENCE_HIGH && !in(right, x->cause);
}

static void list(const struct bench *t, const struct plant *p, const char *form, const struct answer *x, const struct toy_fault *f)
{
	if (t->tune)
		(void)printf("  not right: base %u (%s, %s%s), %s, %s, step %u: %s, %s, jump %.2g, amount %.3g, count %u\n", t->base,
			     t->recipe.optimizer == TOY_ADAM ? "Adam" : "SGD", t->recipe.precision == TOY_BF16 ? "bf16" : "fp32",
			     t->recipe.ranks > 1 ? ", 4 ranks" : "", p->name, form, f->step, ts_cause_word(x->cause),
			     ts_confidence_word(x->confidence), x->jump, f->amount, f->count);
}

/* Steps that are logged twice are a resume. It must not happen at the step of the fault, because it would be taken as
 * its cause. */
static void spoil(struct bench *t, enum spoil how, int64_t fault, struct ts_random *r)
{
	struct toy_recording *one = ts_random_below(r, 2) ? &t->spoilt_a : &t->spoilt_b;
	uint64_t seed = ts_random_next(r);
	int64_t step = 20 + ts_random_below(r, STEPS - 30), back = 1 + ts_random_below(r, 10);

	if (step - back >= fault - 3 && step - back <= fault)
		back += 4;
	t->spoilt_a = t->a;
	t->spoilt_b = t->b;
	switch (how) {
	case CUT:
		toy_cut_tail(one, step);
		break;
	case LOSE:
		toy_lose(one, 0.02 + 0.3 * ts_random_unit(r), seed);
		break;
	case TWICE:
		toy_write_twice(one, step, back, ts_random_below(r, 2) ? 1.001 : 1);
		break;
	case DECIMALS_BOTH:
		toy_decimals(&t->spoilt_a);
		toy_decimals(&t->spoilt_b);
		break;
	case DECIMALS_ONE:
		toy_decimals(one);
		break;
	case DOUBLES_ONE:
		toy_doubles(one, seed);
		break;
	case INTERVALS_BOTH:
		toy_intervals(&t->spoilt_a);
		toy_intervals(&t->spoilt_b);
		break;
	case INTERVALS_ONE:
		toy_intervals(one);
		break;
	case BARE_DECIMALS_BOTH:
		toy_decimals(&t->spoilt_a);
		toy_decimals(&t->spoilt_b);
		toy_bare(&t->spoilt_a);
		toy_bare(&t->spoilt_b);
		break;
	case BARE_DECIMALS_ONE:
		toy_decimals(one);
		toy_bare(&t->spoilt_a);
		toy_bare(&t->spoilt_b);
		break;
	case BARE_DOUBLES_ONE:
		toy_doubles(one, seed);
		toy_bare(&t->spoilt_a);
		toy_bare(&t->spoilt_b);
		break;
	case CLEAN:
	case SPOILS:
	default:
		abort();
	}
}

/* If a log has a fault, the answer may name more causes and be less sure than without it. An answer with confidence
 * must still be right. */
static void count_sure(struct tally *y, enum form form, enum spoil how, uint64_t right, const struct answer *x)
{
	if (!right)
		return;
	y->spoilt[form][how][0]++;
	y->spoilt[form][how][1] += in(right, x->cause);
	quality_count(&y->sure[form][how], !in(right, x->cause) && x->confidence >= TS_CONFIDENCE_MEDIUM);
}

static void judge_spoilt(struct bench *t, struct tally *y, const struct plant *p, enum form form, const struct toy_fault *f,
			 struct ts_random *r)
{
	enum spoil how = (enum spoil)(CUT + ts_random_below(r, SPOILS - CUT));
	struct answer x;
	uint64_t right;
	bool wrong;
	char text[96];

	(void)snprintf(text, sizeof text, "%s, %s", form_names[form], spoil_names[how]);
	spoil(t, how, f->step, r);
	x = diagnose(t, p, &t->spoilt_a, &t->spoilt_b);
	right = right_of(p, form, &x);
	wrong = wrong_at_high(p, &x);
	/* If one run logs means and the other values, the report differs. Where the training does not differ, this is
	 * the right answer. */
	if (how == INTERVALS_ONE && x.cause == TS_CAUSE_REPORTING && p->kind == TOY_NO_FAULT && p->seed == NO_SEED) {
		right = IS(REPORTING);
		wrong = false;
	}
	count_sure(y, form, how, right, &x);
	quality_count(&y->spoilt_high, wrong);
	quality_count(&y->suspicion, x.cause == TS_CAUSE_CORRUPTION && !p->damage);
	if (wrong || (x.cause == TS_CAUSE_CORRUPTION && !p->damage) ||
	    (right && !in(right, x.cause) && x.confidence >= TS_CONFIDENCE_MEDIUM))
		list(t, p, text, &x, f);
}

static void judge(struct bench *t, struct tally *y, size_t plant, const struct toy_fault *f, struct ts_random *r)
{
	const struct plant *p = &plants[plant];
	uint32_t ranks = p->kind == TOY_SPLIT ? 1 : t->recipe.ranks; /* different ranks have no digests to compare */

	for (enum form form = DIGESTS; form < FORMS; form++) {
		struct answer x, back;
		uint64_t right;

		toy_record(&t->a, t->rows, STEPS, form_columns[form], ranks);
		toy_record(&t->b, t->hurt, STEPS, form_columns[form], ranks);
		if (p->resume)
			toy_resume(&t->b, f->step);
		t->ranks_b = p->seed == DATA_SEED ? t->recipe.ranks + 1 : f->count;
		x = diagnose(t, p, &t->a, &t->b);
		back = diagnose(t, p, &t->b, &t->a);
		right = right_of(p, form, &x);
		y->answers[form][plant][x.cause]++;
		y->hits[form][plant] += in(right, x.cause);
		if (form < LOSS && right)
			quality_count(&y->right[form], in(right, x.cause));
		quality_count(&y->high, wrong_at_high(p, &x));
		quality_count(&y->suspicion, x.cause == TS_CAUSE_CORRUPTION && !p->damage);
		quality_count(&y->swapped, x.cause != back.cause || x.confidence != back.confidence);
		if ((right && !in(right, x.cause)) || wrong_at_high(p, &x) || x.cause != back.cause)
			list(t, p, form_names[form], x.cause != back.cause ? &back : &x, f);
		if (form == LOSS)
			continue;
		count_sure(y, form, CLEAN, right, &x);
		judge_spoilt(t, y, p, form, f, r);
	}
}

static bool applies(const struct bench *t, const struct plant *p)
{
	switch (p->where) {
	case IN_FP32:
		return t->recipe.precision == TOY_FP32;
	case IN_BF16:
		return t->recipe.precision == TOY_BF16;
	case WITH_DROPOUT:
		return t->recipe.dropout > 0;
	case ONE_RANK:
		return t->recipe.ranks == 1;
	case SEVERAL_RANKS:
		return t->recipe.ranks > 1;
	case EVERYWHERE:
	default:
		return true;
	}
}

/* Judges two runs of one recipe, each from its beginning: as they are, and with one damaged log. */
static void judge_identical(struct bench *t, struct tally *y, uint64_t pairs, const char *seed_name)
{
	struct quality_case seeds = {.name = seed_name};

	for (uint64_t i = 0; i < pairs; i++) {
		struct ts_random r;
		struct answer x;
		struct toy toy;

		quality_random(&seeds, i, &r);
		t->base = (uint32_t)i;
		draw_base(t, &r);
		toy_start(&toy, &t->recipe, &t->data);
		while (toy.step < STEPS)
			toy_step(&toy, NULL, &t->hurt[toy.step]);
		toy_record(&t->a, t->rows, STEPS, TOY_ALL, t->recipe.ranks);
		toy_record(&t->b, t->hurt, STEPS, TOY_ALL, t->recipe.ranks);
		x = diagnose(t, NULL, &t->a, &t->b);
		quality_count(&y->identical, x.cause != TS_CAUSE_IDENTICAL);
		/* The last way is not used: a mean is another number than a value, so such logs do differ. */
		spoil(t, (enum spoil)(CUT + ts_random_below(&r, INTERVALS_ONE - CUT)), 0, &r);
		x = diagnose(t, NULL, &t->spoilt_a, &t->spoilt_b);
		quality_count(&y->identical, !in(NOTHING | IS(NOT_COMPARABLE), x.cause));
	}
}

static void print_form(const struct tally *y, enum form form)
{
	(void)printf("\nplanted, %s%*s n  right  answered\n", form_names[form], (int)(34 - strlen(form_names[form])), "");
	for (size_t i = 0; i < PLANTS; i++) {
		const unsigned *row = y->answers[form][i];
		bool scored = form < LOSS && plants[i].right[form];
		unsigned n = 0;

		for (unsigned c = 0; c < TS_CAUSES; c++)
			n += row[c];
		if (n == 0)
			continue;
		(void)printf("  %-38s %4u ", plants[i].name, n);
		if (scored)
			(void)printf("%5.0f%% ", 100.0 * y->hits[form][i] / n);
		else
			(void)printf("     - ");
		for (unsigned c = 0; c < TS_CAUSES; c++)
			if (row[c])
				(void)printf(" %s %u", ts_cause_word((enum ts_cause)c), row[c]);
		(void)printf("\n");
	}
}

/* The goals for confident answers that are wrong are checked in the report below. Here the numbers are printed side by side. */
static void print_spoilt(const struct tally *y)
{
	(void)printf("\nfaults of logs%*sdigests: n  right  sure, wrong  scalars: n  right  sure, wrong\n", 16, "");
	for (size_t i = 0; i < SPOILS; i++) {
		(void)printf("  %-26s", spoil_names[i]);
		for (enum form form = DIGESTS; form < LOSS; form++) {
			unsigned n = y->spoilt[form][i][0];

			(void)printf(" %10u %5.0f%% %12" PRIu64, n, n ? 100.0 * y->spoilt[form][i][1] / n : 0,
				     y->sure[form][i].hits);
		}
		(void)printf("\n");
	}
	(void)printf("\n");
}

static void report(struct quality *q, struct tally *y)
{
	quality_report(q, &y->right[DIGESTS]);
	quality_report(q, &y->right[SCALARS]);
	quality_report(q, &y->identical);
	quality_report(q, &y->suspicion);
	quality_report(q, &y->high);
	quality_report(q, &y->spoilt_high);
	quality_report(q, &y->swapped);
	for (size_t i = 0; i < SPOILS; i++)
		for (enum form form = DIGESTS; form < LOSS; form++)
			quality_report(q, &y->sure[form][i]);
}

#define NAME(tune, text) ((tune) ? "divergence-tune: " text : "divergence: " text)

static void name_cases(struct tally *y, bool tune)
{
	y->right[DIGESTS] = quality_at_least(NAME(tune, "planted cause named or left over, digests"), 0.95);
	y->right[SCALARS] = quality_at_least(NAME(tune, "planted cause named or left over, scalars that can tell"), 0.90);
	y->identical = quality_at_most(NAME(tune, "a split of identical runs, spoilt or not"), 0);
	y->suspicion = quality_at_most(NAME(tune, "damage suspected where there is none"), 0.005);
	y->high = quality_at_most(NAME(tune, "wrong at high confidence"), 0);
	y->spoilt_high = quality_at_most(NAME(tune, "wrong at high confidence, spoilt logs"), 0);
	y->swapped = quality_at_most(NAME(tune, "another answer the other way round"), 0);
	for (size_t i = 0; i < SPOILS; i++)
		for (enum form form = DIGESTS; form < LOSS; form++) {
			char *name = y->sure_names[form][i];

			(void)snprintf(name, sizeof y->sure_names[form][i], "%s: sure and wrong, %s, %s",
				       tune ? "divergence-tune" : "divergence", form_names[form], spoil_names[i]);
			y->sure[form][i] = quality_at_most(name, SURE_AND_WRONG);
		}
}

void quality_divergence(struct quality *q)
{
	static struct tally y;
	struct quality_case seeds = {0};
	bool tune = q->only && strcmp(q->only, "divergence-tune") == 0;
	struct bench *t;

	if (q->only && !tune && !strstr(q->only, "divergence"))
		return;
	t = calloc(1, sizeof *t);
	if (!t)
		abort();
	t->tune = tune;
	name_cases(&y, tune);
	ts_arena_init(&t->arena, 64 << 20);
	seeds.name = tune ? "divergence-tune" : "divergence";
	for (uint64_t i = 0; i < quality_trials(q, BASES); i++) {
		struct ts_random r;

		quality_random(&seeds, i, &r);
		t->base = (uint32_t)i;
		draw_base(t, &r);
		for (size_t k = 0; k < PLANTS; k++) {
			struct toy_fault f = draw_fault(&plants[k], t->recipe.ranks, &r);

			if (!applies(t, &plants[k]))
				continue;
			run_hurt(t, &plants[k], &f);
			judge(t, &y, k, &f, &r);
		}
	}
	judge_identical(t, &y, quality_trials(q, 1000), tune ? "divergence-tune: identical" : "divergence: identical");
	for (enum form form = DIGESTS; form < FORMS; form++)
		print_form(&y, form);
	print_spoilt(&y);
	report(q, &y);
	ts_arena_finish(&t->arena);
	free(t);
}
