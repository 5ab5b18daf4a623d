/* quality_repro.c - how often the gates of reproducibility call runs alike that are not, and other ones that are: toy trainings of 20
 * steps that are equal, sum in another order, are off by one unit in the last place at a step, lose the optimizer's state, or have
 * another seed. Repeatability and equivalence are one comparison (analysis/determinism/likeness.h); a restart is that of `quality
 * resume`. */
#include "quality_parts.h"

#include "analysis/determinism/likeness.h"
#include "toy_trainer.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20, REPEATS = 4, TRIALS = 300 };

struct world {
	const char *name;
	const char *profile;
	enum toy_precision precision;
	enum toy_fault_kind fault; /* of the last run */
	bool noisy;		   /* every run sums in an order of its own */
	bool alike;		   /* red is a false alarm */
	double goal;		   /* of red: at most where alike, else at least */
	const char *why_not;	   /* it decides nothing */
};

static const struct world worlds[] = {
	{"bitwise: equal runs", "bitwise", TOY_FP32, TOY_NO_FAULT, false, true, 0, NULL},
	{"float32: equal runs", "float32", TOY_FP32, TOY_NO_FAULT, false, true, 0, NULL},
	{"float32: sums in another order", "float32", TOY_FP32, TOY_REDUCTION, false, true, 0.05, NULL},
	{"bf16: sums in another order", "bf16", TOY_BF16, TOY_REDUCTION, false, true, 0.05, NULL},
	{"repeats: sums in another order each", "repeats", TOY_BF16, TOY_NO_FAULT, true, true, 0.1, NULL},
	{"bitwise: one unit in the last place", "bitwise", TOY_FP32, TOY_ULP, false, false, 0.99, NULL},
	{"float32: one unit in the last place", "float32", TOY_FP32, TOY_ULP, false, false, 0, "it is no larger than rounding"},
	{"bitwise: the optimizer's state is lost", "bitwise", TOY_FP32, TOY_FORGET, false, false, 0.99, NULL},
	{"float32: the optimizer's state is lost", "float32", TOY_FP32, TOY_FORGET, false, false, 0.99, NULL},
	{"bf16: the optimizer's state is lost", "bf16", TOY_BF16, TOY_FORGET, false, false, 0.9, NULL},
	{"repeats: the optimizer's state is lost", "repeats", TOY_BF16, TOY_FORGET, true, false, 0.9, NULL},
	{"bitwise: another seed of the order", "bitwise", TOY_FP32, TOY_ORDER, false, false, 0.99, NULL},
	{"float32: another seed of the order", "float32", TOY_FP32, TOY_ORDER, false, false, 0.99, NULL},
	{"bf16: another seed of the order", "bf16", TOY_BF16, TOY_ORDER, false, false, 0.99, NULL},
	{"repeats: another seed of the order", "repeats", TOY_BF16, TOY_ORDER, true, false, 0.99, NULL},
};

struct record {
	struct ts_golden_value loss[STEPS], norm[STEPS], params[STEPS], grads[STEPS];
	struct ts_golden_series series[4];
	struct ts_golden golden;
};

static void run(struct record *ret, const struct toy_recipe *recipe, const struct toy_data *data, const struct toy_fault *fault,
		const struct toy_fault *noise)
{
	struct toy *toy = malloc(sizeof *toy);
	struct toy_row row;

	if (!toy)
		abort();
	toy_start(toy, recipe, data);
	for (uint32_t i = 0; i < STEPS; i++) {
		bool faulty = fault->kind != TOY_NO_FAULT && i >= fault->step;

		toy_step(toy, faulty ? fault : noise, &row);
		ret->loss[i] = (struct ts_golden_value){.step = i, .real = row.loss};
		ret->norm[i] = (struct ts_golden_value){.step = i, .real = row.grad_norm};
		ret->params[i] = (struct ts_golden_value){.step = i, .word = row.params};
		ret->grads[i] = (struct ts_golden_value){.step = i, .word = row.grads};
	}
	free(toy);
	ret->series[0] = (struct ts_golden_series){.name = ts_span_str("scalars.loss"), .values = ret->loss, .n = STEPS};
	ret->series[1] = (struct ts_golden_series){.name = ts_span_str("scalars.grad_norm"), .values = ret->norm, .n = STEPS};
	ret->series[2] =
		(struct ts_golden_series){.name = ts_span_str("digests.params"), .digest = true, .values = ret->params, .n = STEPS};
	ret->series[3] =
		(struct ts_golden_series){.name = ts_span_str("digests.grads"), .digest = true, .values = ret->grads, .n = STEPS};
	ret->golden = (struct ts_golden){.series = ret->series, .n = 4};
}

/* The last of the runs is red. */
static bool is_red(const struct world *w, struct ts_random *r, struct toy_data *data, struct record *records)
{
	const struct ts_profile *profile = ts_profile_find(ts_span_str(w->profile));
	size_t n = profile->repeats ? REPEATS : 2;
	struct toy_recipe recipe = {.init_seed = ts_random_next(r),
				    .order_seed = ts_random_next(r),
				    .dropout_seed = ts_random_next(r),
				    .optimizer = ts_random_below(r, 2) ? TOY_ADAM : TOY_SGD,
				    .precision = w->precision};
	struct toy_fault none = {.kind = TOY_NO_FAULT};
	struct toy_fault fault = {.kind = w->fault,
				  .step = 2 + (uint32_t)ts_random_below(r, 11),
				  .index = (uint32_t)ts_random_below(r, TOY_PARAMS),
				  .seed = ts_random_next(r)};
	double limits[4] = {0};
	struct ts_likeness like;
	struct ts_arena arena;
	struct ts_error err;

	recipe.lr = recipe.optimizer == TOY_ADAM ? 0.003f : 0.05f;
	toy_data_draw(data, ts_random_next(r));
	for (size_t i = 0; i < n; i++) {
		struct toy_fault noise = {.kind = w->noisy ? TOY_REDUCTION : TOY_NO_FAULT, .seed = ts_random_next(r)};

		run(&records[i], &recipe, data, i + 1 == n ? &fault : &none, &noise);
		if (i && i + 1 < n)
			ts_likeness_widen(&records[0].golden, &records[i].golden, limits);
	}
	ts_arena_init(&arena, 1 << 20);
	if (ts_likeness_of(&records[0].golden, &records[n - 1].golden, profile, limits, &arena, &like, &err) ||
	    like.proof == TS_PROOF_UNPROVED)
		abort();
	ts_arena_finish(&arena);
	return like.proof == TS_PROOF_RED;
}

void quality_repro(struct quality *q)
{
	struct toy_data *data = malloc(sizeof *data);
	struct record *records = calloc(REPEATS, sizeof *records);

	if (!data || !records)
		abort();
	for (size_t k = 0; k < sizeof worlds / sizeof worlds[0]; k++) {
		const struct world *w = &worlds[k];
		char name[128];
		struct quality_case c;

		(void)snprintf(name, sizeof name, "repro: red, %s", w->name);
		c = w->alike ? quality_at_most(name, w->goal) : quality_at_least(name, w->goal);
		if (!quality_wants(q, &c))
			continue;
		for (uint64_t i = 0; i < quality_trials(q, TRIALS); i++) {
			struct ts_random r;

			quality_random(&c, i, &r);
			quality_count(&c, is_red(w, &r, data, records));
		}
		if (w->why_not)
			quality_report_only(q, &c, w->why_not);
		else
			quality_report(q, &c);
	}
	free(records);
	free(data);
}
