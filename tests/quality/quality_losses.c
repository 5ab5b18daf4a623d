/* quality_losses.c - what the losses of two runs say alone: is their noise shared, and do those of one follow from those of the other
 * by a rule (analysis/diverge/pattern_noise.h, pattern_report.h)? Counted on pairs of a toy training whose difference is known, in
 * every optimizer, precision and number of ranks that it has, and on noise without a training.
 */
#include "quality_parts.h"

#include "analysis/diverge/pattern_noise.h"
#include "analysis/diverge/pattern_report.h"
#include "toy_trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 160, PAIRS = 300, NOISES = 20000, FEW = 24 };

struct bench {
	struct toy_data data, other;
	struct toy_recipe recipe;
	struct toy toy;
	struct toy_row rows[STEPS];
	double a[STEPS], b[STEPS];
	struct ts_arena arena;
};

static void run(struct bench *t, const struct toy_recipe *recipe, const struct toy_data *data, const struct toy_fault *fault,
		double *ret)
{
	toy_start(&t->toy, recipe, data);
	for (size_t i = 0; i < STEPS; i++) {
		toy_step(&t->toy, fault, &t->rows[i]);
		ret[i] = t->rows[i].loss;
	}
}

/* The first run, and a recipe of its kind. */
static void base(struct bench *t, struct ts_random *r, uint64_t i)
{
	t->recipe = (struct toy_recipe){.init_seed = ts_random_next(r),
					.order_seed = ts_random_next(r),
					.dropout_seed = ts_random_next(r),
					.optimizer = i & 1 ? TOY_ADAM : TOY_SGD,
					.precision = i & 2 ? TOY_BF16 : TOY_FP32,
					.ranks = i & 4 ? 4 : 1,
					.dropout = ts_random_below(r, 3) ? 0.1F : 0,
					.lr = (float)((i & 1 ? 0.003 : 0.05) * (0.5 + ts_random_unit(r)))};
	toy_data_draw(&t->data, ts_random_next(r));
	run(t, &t->recipe, &t->data, NULL, t->a);
}

enum batches { SAME, OTHER };

/* Where the second run leaves the first one: a fault that keeps the batches, or one that does not. */
static void second(struct bench *t, struct ts_random *r, enum batches batches, uint32_t step)
{
	struct toy_fault fault = {.step = step, .seed = ts_random_next(r), .count = 1 + ts_random_below(r, 8)};

	if (batches == OTHER) {
		static const enum toy_fault_kind kinds[] = {TOY_ORDER, TOY_SHIFT, TOY_RESTART};

		fault.kind = kinds[ts_random_below(r, step ? 3 : 2)];
	} else {
		static const enum toy_fault_kind kinds[] = {TOY_RATE, TOY_FLIP, TOY_FORGET, TOY_GRADIENT, TOY_KERNEL, TOY_REDUCTION};

		fault.kind = kinds[ts_random_below(r, 6)];
		fault.count = fault.kind == TOY_FLIP ? 16 + ts_random_below(r, 12) : fault.count;
		fault.index = fault.kind == TOY_FLIP ? ts_random_below(r, TOY_PARAMS) : 0;
		fault.amount = fault.kind == TOY_RATE ? 0.5 + ts_random_unit(r) : 0.01 + ts_random_unit(r);
	}
	run(t, &t->recipe, &t->data, &fault, t->b);
}

static enum ts_noise_answer noise_of(struct bench *t, size_t most)
{
	size_t from = 0, n;
	enum ts_noise_answer answer;

	while (from < STEPS && t->a[from] == t->b[from])
		from++;
	n = STEPS - from < most ? STEPS - from : most;
	ts_arena_init(&t->arena, 1 << 20);
	answer = ts_pattern_noise_find(t->a + from, t->b + from, n, &t->arena).answer;
	ts_arena_finish(&t->arena);
	return answer;
}

static void trained(struct quality *q, struct bench *t, struct quality_case c, enum batches batches, bool later, size_t most,
		    enum ts_noise_answer counted)
{
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, PAIRS); i++) {
		quality_random(&c, i, &r);
		base(t, &r, i);
		second(t, &r, batches, later ? 8 + ts_random_below(&r, STEPS / 2) : 0);
		quality_count(&c, noise_of(t, most) == counted);
	}
	quality_report(q, &c);
}

/* Levels and trends of their own, heavy tails, a mean over several steps: nothing is shared. */
static void independent(struct quality *q, struct bench *t, struct quality_case c, size_t n)
{
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, NOISES); i++) {
		double wide, fall;

		quality_random(&c, i, &r);
		wide = 0.01 + 0.2 * ts_random_unit(&r);
		fall = 5 + 200 * ts_random_unit(&r);
		for (size_t k = 0; k < n; k++) {
			double level = 1 + 2 * exp(-(double)k / fall);

			t->a[k] = level + (i & 1 ? wide * ts_random_normal(&r) : quality_lognormal(&r, 10 * wide) * wide);
			t->b[k] = 1.1 * level + wide * ts_random_normal(&r);
		}
		ts_arena_init(&t->arena, 1 << 20);
		quality_count(&c, ts_pattern_noise_find(t->a, t->b, n, &t->arena).answer == TS_NOISE_TOGETHER);
		ts_arena_finish(&t->arena);
	}
	quality_report(q, &c);
}

/* --- rules --- */

static struct ts_pattern_report rule_of(const struct bench *t)
{
	double largest = 0;

	for (size_t i = 0; i < STEPS; i++)
		largest = fmax(largest, fmax(fabs(t->a[i]), fabs(t->b[i])));
	return ts_pattern_report_find(t->a, t->b, STEPS, 3e-7 * largest);
}

static void no_rule(struct quality *q, struct bench *t)
{
	struct quality_case c = quality_at_most("losses: a rule between two trainings that differ", 0.001);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 2 * PAIRS); i++) {
		quality_random(&c, i, &r);
		base(t, &r, i);
		second(t, &r, i & 8 ? OTHER : SAME, ts_random_below(&r, STEPS / 2));
		quality_count(&c, rule_of(t).rule != TS_REPORT_NONE);
	}
	quality_report(q, &c);
}

/* As a logger applies it, in doubles, of which it writes float32. */
static void apply(struct bench *t, enum ts_report_rule rule, struct ts_random *r)
{
	double factor = 0.5 + 0.49 * ts_random_unit(r), plus = 0.01 + ts_random_unit(r), sum = 0;
	size_t window = 2 + ts_random_below(r, 30), late = 1 + ts_random_below(r, 4);

	for (size_t i = 0; i < STEPS; i++) {
		double x = t->a[i];

		if (rule == TS_REPORT_SMOOTHED)
			sum = i ? factor * sum + (1 - factor) * x : x;
		else if (rule == TS_REPORT_RUNNING)
			sum = i % 40 ? sum + x : x;
		else if (rule == TS_REPORT_WINDOW)
			sum += x - (i >= window ? t->a[i - window] : 0);
		if (rule == TS_REPORT_PLUS)
			x += plus;
		else if (rule == TS_REPORT_LATE)
			x = t->a[i < late ? 0 : i - late];
		else if (rule == TS_REPORT_SMOOTHED)
			x = sum;
		else if (rule == TS_REPORT_RUNNING)
			x = sum / (double)(i % 40 + 1);
		else
			x = sum / (double)(i < window ? i + 1 : window);
		t->b[i] = (double)(float)x;
	}
}

static void planted_rule(struct quality *q, struct bench *t, enum ts_report_rule rule, const char *name)
{
	struct quality_case c = quality_at_least(name, 0.99);
	struct ts_random r;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, PAIRS); i++) {
		quality_random(&c, i, &r);
		base(t, &r, i);
		apply(t, rule, &r);
		quality_count(&c, rule_of(t).rule == rule);
	}
	quality_report(q, &c);
}

void quality_losses(struct quality *q)
{
	struct bench *t = malloc(sizeof *t);

	if (!t)
		abort();
	independent(q, t, quality_at_most("losses: noise called shared, independent, 150 records", 0.0005), 150);
	independent(q, t, quality_at_most("losses: noise called shared, independent, 24 records", 0.0005), FEW);
	trained(q, t, quality_at_most("losses: called the same batches, other ones from the start", 0.005), OTHER, false, STEPS,
		TS_NOISE_TOGETHER);
	trained(q, t, quality_at_most("losses: called the same batches, other ones later", 0.005), OTHER, true, STEPS,
		TS_NOISE_TOGETHER);
	trained(q, t, quality_at_most("losses: called other batches, the same ones", 0.01), SAME, true, STEPS, TS_NOISE_APART);
	trained(q, t, quality_at_most("losses: called other batches, the same ones, 24 records", 0.01), SAME, true, FEW,
		TS_NOISE_APART);
	trained(q, t, quality_at_least("losses: the same batches seen", 0.9), SAME, true, STEPS, TS_NOISE_TOGETHER);
	trained(q, t, quality_at_least("losses: other batches seen", 0.9), OTHER, true, STEPS, TS_NOISE_APART);
	no_rule(q, t);
	planted_rule(q, t, TS_REPORT_PLUS, "losses: a constant that is added");
	planted_rule(q, t, TS_REPORT_LATE, "losses: some records late");
	planted_rule(q, t, TS_REPORT_SMOOTHED, "losses: a moving average");
	planted_rule(q, t, TS_REPORT_RUNNING, "losses: a mean that begins anew every 40 records");
	planted_rule(q, t, TS_REPORT_WINDOW, "losses: a mean of the last 2 to 31");
	free(t);
}
