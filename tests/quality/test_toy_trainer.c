#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toy_trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60 };

static struct toy_data data, other_data, class_data; /* class_data has only the first class */

static const struct toy_recipe recipes[] = {
	{.init_seed = 1, .order_seed = 2, .dropout_seed = 3, .optimizer = TOY_SGD, .precision = TOY_FP32, .lr = 0.05F},
	{.init_seed = 1, .order_seed = 2, .dropout_seed = 3, .optimizer = TOY_ADAM, .dropout = 0.1F, .lr = 0.003F},
	{.init_seed = 4, .order_seed = 5, .dropout_seed = 6, .optimizer = TOY_SGD, .precision = TOY_BF16, .dropout = 0.1F, .lr = 0.05F},
	{.init_seed = 4, .order_seed = 5, .dropout_seed = 6, .optimizer = TOY_ADAM, .precision = TOY_TF32, .lr = 0.003F},
};

enum { RECIPES = sizeof recipes / sizeof recipes[0] };

static void train(struct toy *toy, const struct toy_fault *fault, struct toy_row *rows, uint32_t until)
{
	while (toy->step < until) {
		toy_step(toy, fault, &rows[toy->step]);
	}
}

static void run(const struct toy_recipe *recipe, const struct toy_fault *fault, struct toy *toy, struct toy_row *rows)
{
	toy_start(toy, recipe, &data);
	train(toy, fault, rows, STEPS);
}

static bool same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_row(const struct toy_row *a, const struct toy_row *b)
{
	return same_bits(a->loss, b->loss) && same_bits(a->grad_norm, b->grad_norm) && same_bits(a->lr, b->lr) &&
	       a->params == b->params && a->grads == b->grads && a->batch == b->batch && a->rng == b->rng;
}

/* Returns the first step at which the rows differ, or STEPS if there is none. */
static uint32_t parts(const struct toy_row *a, const struct toy_row *b)
{
	uint32_t i = 0;

	while (i < STEPS && same_row(&a[i], &b[i]))
		i++;
	return i;
}

static double relative(double a, double b)
{
	return fabs(a - b) / fmax(fabs(a), fabs(b));
}

static void same_seed_same_bits(void **state)
{
	struct toy_row a[STEPS], b[STEPS];
	struct toy x, y;

	(void)state;
	for (size_t i = 0; i < RECIPES; i++) {
		run(&recipes[i], NULL, &x, a);
		run(&recipes[i], NULL, &y, b);
		assert_int_equal(parts(a, b), STEPS);
		assert_memory_equal(x.w, y.w, sizeof x.w);
	}
}

static void a_copy_carries_on(void **state)
{
	struct toy_row a[STEPS], b[STEPS];
	struct toy x, y, copy;

	(void)state;
	for (size_t i = 0; i < RECIPES; i++) {
		run(&recipes[i], NULL, &x, a);
		toy_start(&y, &recipes[i], &data);
		train(&y, NULL, b, 23);
		copy = y;
		memset(&y, 0, sizeof y);
		train(&copy, NULL, b, STEPS);
		assert_int_equal(parts(a, b), STEPS);
	}
}

/* A guess has a loss of ln 10. After two epochs the network is far better in every precision, and all values are finite. */
static void it_learns(void **state)
{
	struct toy_row rows[STEPS];
	struct toy x;

	(void)state;
	for (size_t i = 0; i < RECIPES; i++) {
		double late = 0;

		run(&recipes[i], NULL, &x, rows);
		assert_true(fabs(rows[0].loss - log(10)) < 1);
		for (size_t k = STEPS - 10; k < STEPS; k++)
			late += rows[k].loss / 10;
		assert_true(late < 1.4);
	}
}

static void every_seed_matters(void **state)
{
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;
	struct toy_recipe r = recipes[1];

	(void)state;
	run(&r, NULL, &x, a);
	r.init_seed++;
	run(&r, NULL, &x, b);
	assert_true(a[0].params != b[0].params && a[0].batch == b[0].batch && a[0].rng == b[0].rng && a[0].loss != b[0].loss);
	r = recipes[1];
	r.order_seed++;
	run(&r, NULL, &x, b);
	assert_true(a[0].params == b[0].params && a[0].rng == b[0].rng);
	assert_true(a[0].batch != b[0].batch || a[1].batch != b[1].batch);
	r = recipes[1];
	r.dropout_seed++;
	run(&r, NULL, &x, b);
	assert_true(a[0].params == b[0].params && a[0].batch == b[0].batch && a[0].rng != b[0].rng && a[0].loss != b[0].loss);
	toy_start(&x, &recipes[1], &other_data);
	train(&x, NULL, b, STEPS);
	for (size_t i = 0; i < TOY_BATCHES; i++)
		for (size_t k = 0; k < TOY_BATCHES; k++)
			assert_true(a[i].batch != b[k].batch);
}

/* An epoch has each batch once, in any order. */
static void orders_have_the_same_batches(void **state)
{
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;
	struct toy_fault other = {.kind = TOY_ORDER, .seed = 99};
	bool moved = false;

	(void)state;
	run(&recipes[0], NULL, &x, a);
	run(&recipes[0], &other, &x, b);
	for (size_t i = 0; i < TOY_BATCHES; i++) {
		size_t n = 0, twice = 0;

		for (size_t k = 0; k < TOY_BATCHES; k++) {
			n += b[k].batch == a[i].batch;
			twice += a[k].batch == a[i].batch;
		}
		assert_int_equal(n, 1);
		assert_int_equal(twice, 1);
		moved |= a[i].batch != b[i].batch;
	}
	assert_true(moved);
}

/* The batch of step i is that of step i + 3 of the other run. After a restart at step 20, it is that of step 0. */
static void data_moves_by_whole_batches(void **state)
{
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;
	struct toy_fault shift = {.kind = TOY_SHIFT, .step = 10, .count = 3}, again = {.kind = TOY_RESTART, .step = 20};

	(void)state;
	run(&recipes[0], NULL, &x, a);
	run(&recipes[0], &shift, &x, b);
	assert_int_equal(parts(a, b), 10);
	for (size_t i = 10; i < STEPS - 3; i++)
		assert_true(b[i].batch == a[i + 3].batch);
	run(&recipes[0], &again, &x, b);
	assert_int_equal(parts(a, b), 20);
	for (size_t i = 20; i < STEPS; i++)
		assert_true(b[i].batch == a[i - 20].batch);
}

/* Runs to the step of the fault and takes that step with the fault. Returns how many parameters differ from a run
 * without it. */
static size_t moved_before(const struct toy_recipe *recipe, struct toy_fault *fault, struct toy *clean, struct toy *hurt)
{
	struct toy_row row;
	size_t moved = 0;

	toy_start(clean, recipe, &data);
	while (clean->step < fault->step)
		toy_step(clean, NULL, &row);
	*hurt = *clean;
	clean->recipe.lr = hurt->recipe.lr = 0; /* so that the step itself changes no parameter */
	toy_step(clean, NULL, &row);
	toy_step(hurt, fault, &row);
	for (size_t i = 0; i < TOY_PARAMS; i++)
		moved += memcmp(&clean->w[i], &hurt->w[i], sizeof clean->w[i]) != 0;
	return moved;
}

static void an_ulp_is_one_weight_by_one_ulp(void **state)
{
	struct toy_fault fault = {.kind = TOY_ULP, .step = 15};
	struct toy clean, hurt;

	(void)state;
	for (uint32_t index = 3; index < TOY_PARAMS; index += 97) {
		int32_t before, after;

		fault.index = index;
		assert_int_equal(moved_before(&recipes[0], &fault, &clean, &hurt), 1);
		memcpy(&before, &clean.w[index], sizeof before);
		memcpy(&after, &hurt.w[index], sizeof after);
		assert_int_equal(abs(after - before), 1); /* the bits of neighbouring floats differ by 1 */
		assert_true(hurt.w[index] > clean.w[index]);
	}
}

static void a_flip_is_one_bit_of_one_weight(void **state)
{
	struct toy_fault fault = {.kind = TOY_FLIP, .step = 7};
	struct toy clean, hurt;

	(void)state;
	for (fault.count = 12; fault.count <= 30; fault.count++) {
		uint32_t before, after;

		fault.index = 11 * fault.count;
		assert_int_equal(moved_before(&recipes[2], &fault, &clean, &hurt), 1);
		memcpy(&before, &clean.w[fault.index], sizeof before);
		memcpy(&after, &hurt.w[fault.index], sizeof after);
		assert_true((before ^ after) == UINT32_C(1) << fault.count);
	}
}

/* The sum has n = 32 terms of float32: its error is at most 31 * 2^-24 of the sum of their magnitudes (Higham 2002,
 * 4.2), and losses are positive. */
static void reordered_sums_agree_within_rounding(void **state)
{
	struct toy_fault faults[] = {{.kind = TOY_REDUCTION, .seed = 5}, {.kind = TOY_SPLIT, .count = 4}};
	struct toy_row a, b;
	struct toy x;

	(void)state;
	for (size_t f = 0; f < 2; f++)
		for (size_t i = 0; i < RECIPES; i++) {
			toy_start(&x, &recipes[i], &data);
			toy_step(&x, NULL, &a);
			toy_start(&x, &recipes[i], &data);
			toy_step(&x, &faults[f], &b);
			assert_true(a.grads != b.grads && a.params == b.params && a.batch == b.batch && a.rng == b.rng);
			assert_true(relative(a.loss, b.loss) <= 31 * 0x1p-24);
			assert_true(relative(a.grad_norm, b.grad_norm) <= 1e-5);
		}
}

/* With a learning rate of 0 the parameters do not change: equal batches of two epochs have equal gradients, apart from
 * the order of their sums. */
static void reductions_differ_from_step_to_step(void **state)
{
	struct toy_fault one = {.kind = TOY_REDUCTION, .seed = 5}, two = {.kind = TOY_REDUCTION, .seed = 6};
	struct toy_recipe still = recipes[0];
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;
	size_t pairs = 0, differ = 0;

	(void)state;
	run(&recipes[0], &one, &x, a);
	run(&recipes[0], &two, &x, b);
	assert_true(parts(a, b) <= 1);
	run(&recipes[0], &one, &x, b);
	assert_int_equal(parts(a, b), STEPS); /* a second run with the same order is equal */
	still.lr = 0;
	run(&still, NULL, &x, a);
	run(&still, &one, &x, b);
	for (size_t i = 0; i < TOY_BATCHES; i++)
		for (size_t k = TOY_BATCHES; k < 2 * TOY_BATCHES; k++)
			if (a[i].batch == a[k].batch) {
				assert_true(a[i].grads == a[k].grads);
				pairs++;
				differ += b[i].grads != b[k].grads;
			}
	assert_int_equal(pairs, TOY_BATCHES);
	assert_true(differ == pairs);
}

static void the_rate_moves_what_follows(void **state)
{
	struct toy_fault fault = {.kind = TOY_RATE, .step = 12, .amount = 1.1};
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;

	(void)state;
	run(&recipes[1], NULL, &x, a);
	run(&recipes[1], &fault, &x, b);
	assert_int_equal(parts(a, b), 12);
	assert_true(relative(b[12].lr, a[12].lr * 1.1) < 1e-6);
	assert_true(a[12].loss == b[12].loss && a[12].grads == b[12].grads);
	assert_true(a[13].params != b[13].params && a[13].loss != b[13].loss);
}

static void a_forgotten_optimizer_moves_what_follows(void **state)
{
	struct toy_fault fault = {.kind = TOY_FORGET, .step = 12};
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;

	(void)state;
	for (size_t i = 0; i < RECIPES; i++) {
		run(&recipes[i], NULL, &x, a);
		run(&recipes[i], &fault, &x, b);
		assert_int_equal(parts(a, b), 13);
		assert_true(a[13].params != b[13].params && a[13].batch == b[13].batch);
	}
}

/* Adam's first update is the learning rate times the sign of the gradient. After its state was lost, its next update is
 * again a first one. */
static void a_forgotten_adam_begins_anew(void **state)
{
	struct toy_fault fault = {.kind = TOY_FORGET, .step = 12};
	struct toy_row rows[STEPS];
	struct toy before, after;
	size_t moved = 0;

	(void)state;
	toy_start(&before, &recipes[1], &data);
	train(&before, &fault, rows, 12);
	after = before;
	toy_step(&after, &fault, &rows[12]);
	for (size_t i = TOY_W3; i < TOY_B3; i++) {
		double gradient = (double)after.m[i] / 0.1, by = (double)(after.w[i] - before.w[i]);

		if (fabs(gradient) < 1e-4) /* compared with which Adam's epsilon of 1e-8 is negligible */
			continue;
		assert_true(fabs(by * (gradient > 0 ? -1 : 1) / rows[12].lr - 1) < 1e-2);
		moved++;
	}
	assert_true(moved > 100);
}

static void a_hurt_gradient_is_seen_in_its_norm_first(void **state)
{
	struct toy_fault fault = {.kind = TOY_GRADIENT, .step = 9, .amount = 1, .seed = 3};
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;

	(void)state;
	run(&recipes[0], NULL, &x, a);
	run(&recipes[0], &fault, &x, b);
	assert_int_equal(parts(a, b), 9);
	assert_true(a[9].loss == b[9].loss && a[9].params == b[9].params && a[9].grads != b[9].grads);
	/* The noise is independent, of the same norm, and has 1,930 dimensions: the sum is longer by the square root of
	 * 2, within 10 %. */
	assert_true(fabs(b[9].grad_norm / a[9].grad_norm / sqrt(2) - 1) < 0.1);
	assert_true(a[10].loss != b[10].loss);
}

/* One of four ranks is damaged. Only its own gradient differs at that step; later, all of them differ. */
static void one_rank_is_hurt_alone(void **state)
{
	struct toy_fault fault = {.kind = TOY_GRADIENT, .step = 9, .amount = 1, .seed = 3, .index = 2};
	struct toy_recipe recipe = recipes[0];
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;

	(void)state;
	recipe.ranks = 4;
	run(&recipe, NULL, &x, a);
	run(&recipe, &fault, &x, b);
	assert_int_equal(parts(a, b), 9);
	for (size_t k = 0; k < 4; k++) {
		assert_int_equal(a[9].rank_grads[k] != b[9].rank_grads[k], k == 2);
		assert_true(a[10].rank_grads[k] != b[10].rank_grads[k]);
		assert_true(a[9].rank_grads[k] != a[9].rank_grads[(k + 1) % 4]);
	}
	assert_true(a[9].loss == b[9].loss && a[9].grads != b[9].grads);
	run(&recipes[0], NULL, &x, b);
	assert_true(b[0].rank_grads[0] != 0 && b[0].rank_grads[1] == 0);
}

static void a_report_leaves_the_training_alone(void **state)
{
	struct toy_fault bias = {.kind = TOY_REPORT_BIAS, .amount = 1e-3}, decimals = {.kind = TOY_REPORT_DECIMALS};
	struct toy_row a[STEPS], b[STEPS], c[STEPS];
	struct toy x;

	(void)state;
	run(&recipes[0], NULL, &x, a);
	run(&recipes[0], &bias, &x, b);
	run(&recipes[0], &decimals, &x, c);
	for (size_t i = 0; i < STEPS; i++) {
		assert_true(fabs(b[i].loss - a[i].loss - 1e-3) < 1e-6);
		assert_true(fabs(c[i].loss - a[i].loss) <= 0.5e-4 + 1e-6 && fabs(c[i].loss * 1e4 - round(c[i].loss * 1e4)) < 2e-3);
		b[i].loss = c[i].loss = a[i].loss;
	}
	assert_int_equal(parts(a, b), STEPS);
	assert_int_equal(parts(a, c), STEPS);
}

/* One extra word shifts the random stream. Without dropout, the stream is not used. */
static void a_skipped_stream_drops_other_units(void **state)
{
	struct toy_fault fault = {.kind = TOY_STREAM, .step = 10, .count = 1};
	struct toy_row a[STEPS], b[STEPS];
	struct toy x;

	(void)state;
	run(&recipes[1], NULL, &x, a);
	run(&recipes[1], &fault, &x, b);
	assert_int_equal(parts(a, b), 10);
	assert_true(a[10].rng != b[10].rng && a[10].params == b[10].params && a[10].batch == b[10].batch && a[10].loss != b[10].loss);
	run(&recipes[0], NULL, &x, a);
	assert_true(a[0].rng == a[STEPS - 1].rng);
}

/* The bits follow from the definitions of the formats: bfloat16 keeps 7 bits of the mantissa, TF32 keeps 10, and ties
 * go to even. */
static void rounding_of_short_floats(void **state)
{
	static const struct {
		float x, bf16, tf32;
	} cases[] = {
		{1.0F, 1.0F, 1.0F},
		{1.0F + 0x1p-8F, 1.0F, 1.0F + 0x1p-8F},			    /* a tie: down to even */
		{1.0F + 3 * 0x1p-8F, 1.0F + 0x1p-6F, 1.0F + 3 * 0x1p-8F},   /* a tie: up to even */
		{1.0F + 0x1p-8F + 0x1p-20F, 1.0F + 0x1p-7F, 1.0F + 0x1p-8F}, /* above the tie */
		{-1.0F - 0x1p-11F, -1.0F, -1.0F},
		{1.0F + 3 * 0x1p-11F, 1.0F, 1.0F + 0x1p-9F},
		{-3.3895314e38F, -3.3895314e38F, -3.3895314e38F},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(toy_round(cases[i].x, TOY_BF16) == cases[i].bf16);
		assert_true(toy_round(cases[i].x, TOY_TF32) == cases[i].tf32);
		assert_true(toy_round(cases[i].x, TOY_FP32) == cases[i].x);
	}
	assert_true(isnan(toy_round(NAN, TOY_BF16)));
	assert_true(toy_round(INFINITY, TOY_TF32) == INFINITY);
}

/* In the second layer, only the biases are set, to 1. In the last layer, only two weights of the first class are set,
 * to 1 and 2^-9. Its logit is h (1 + 2^-9) with h = SiLU(1) = 0.7310586, which is rounded to 187/256 in bfloat16 (as
 * its logit is again) and to 1497/2048 in TF32. The other logits are 0. */
static void what_each_precision_rounds(void **state)
{
	static const struct {
		enum toy_precision precision;
		double logit;
	} cases[] = {{TOY_BF16, 187.0 / 256}, {TOY_TF32, 1497.0 / 2048 * (1 + 0x1p-9)}, {TOY_FP32, 0.7310585786300049 * (1 + 0x1p-9)}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct toy_recipe r = recipes[0];
		struct toy_row row;
		struct toy x;

		r.precision = cases[i].precision;
		toy_start(&x, &r, &class_data);
		memset(x.w, 0, sizeof x.w);
		for (size_t u = 0; u < TOY_HIDDEN; u++)
			x.w[TOY_B2 + u] = 1;
		x.w[TOY_W3] = 1;
		x.w[TOY_W3 + TOY_CLASSES] = 0x1p-9F;
		toy_step(&x, NULL, &row);
		assert_true(fabs(row.loss - (log(9 + exp(cases[i].logit)) - cases[i].logit)) < 1e-6);
	}
}

/* Three fewer bits of mantissa give 8 times the error. The error of the mean loss is at most a few parts of 2^-8 and 2^-11. */
static void precisions_differ_at_once(void **state)
{
	static const enum toy_precision precisions[] = {TOY_FP32, TOY_TF32, TOY_BF16};
	double loss[3] = {0}, error[3] = {0};
	struct toy_row row;
	struct toy x;

	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++)
		for (size_t i = 0; i < 3; i++) {
			struct toy_recipe r = recipes[0];
			struct toy_fault fault = {.kind = TOY_PRECISION, .precision = precisions[i]};

			r.init_seed = seed;
			toy_start(&x, &r, &data);
			toy_step(&x, &fault, &row);
			loss[i] = row.loss;
			error[i] += relative(loss[i], loss[0]) / 30;
		}
	assert_true(error[0] == 0 && error[1] > 0x1p-11 / 100 && error[1] < 0x1p-11);
	assert_true(error[2] > 3 * error[1] && error[2] < 0x1p-8);
}

/* The momentum of the first step is the gradient. It is compared with the slope of the loss, a central difference in
 * float32. */
static void gradients_are_those_of_the_loss(void **state)
{
	static const uint32_t where[] = {TOY_W1 + 5, TOY_B1 + 3, TOY_W2 + 100, TOY_B2 + 9, TOY_W3 + 77, TOY_B3 + 4};
	const float h = 0.01F;
	struct toy toy;
	struct toy_row row, high, low;

	(void)state;
	for (size_t i = 0; i < sizeof where / sizeof where[0]; i++) {
		float gradient;

		toy_start(&toy, &recipes[0], &data);
		toy_step(&toy, NULL, &row);
		gradient = toy.m[where[i]];
		toy_start(&toy, &recipes[0], &data);
		toy.w[where[i]] += h;
		toy_step(&toy, NULL, &high);
		toy_start(&toy, &recipes[0], &data);
		toy.w[where[i]] -= h;
		toy_step(&toy, NULL, &low);
		assert_true(fabsf(gradient) > 1e-3F); /* otherwise nothing is tested */
		assert_true(fabs((double)gradient - (high.loss - low.loss) / (2 * (double)h)) < 3e-4);
	}
}

static int setup(void **state)
{
	(void)state;
	toy_data_draw(&data, 1);
	toy_data_draw(&other_data, 2);
	toy_data_draw(&class_data, 3);
	memset(class_data.y, 0, sizeof class_data.y);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_seed_same_bits),
		cmocka_unit_test(a_copy_carries_on),
		cmocka_unit_test(it_learns),
		cmocka_unit_test(every_seed_matters),
		cmocka_unit_test(orders_have_the_same_batches),
		cmocka_unit_test(data_moves_by_whole_batches),
		cmocka_unit_test(an_ulp_is_one_weight_by_one_ulp),
		cmocka_unit_test(a_flip_is_one_bit_of_one_weight),
		cmocka_unit_test(reordered_sums_agree_within_rounding),
		cmocka_unit_test(reductions_differ_from_step_to_step),
		cmocka_unit_test(the_rate_moves_what_follows),
		cmocka_unit_test(a_forgotten_optimizer_moves_what_follows),
		cmocka_unit_test(a_forgotten_adam_begins_anew),
		cmocka_unit_test(a_hurt_gradient_is_seen_in_its_norm_first),
		cmocka_unit_test(one_rank_is_hurt_alone),
		cmocka_unit_test(a_report_leaves_the_training_alone),
		cmocka_unit_test(a_skipped_stream_drops_other_units),
		cmocka_unit_test(rounding_of_short_floats),
		cmocka_unit_test(what_each_precision_rounds),
		cmocka_unit_test(precisions_differ_at_once),
		cmocka_unit_test(gradients_are_those_of_the_loss),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
