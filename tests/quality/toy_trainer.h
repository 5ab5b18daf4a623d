/* toy_trainer.h - a training small enough to run thousands of times, and the ways in which a second one of it goes wrong.
 *
 * A net of 16-32-32-10 with SiLU learns ten classes of synthetic points, batch 32, by SGD with momentum or Adam. Arithmetic is
 * float32; TF32 rounds what enters a matrix product to 10 bits of mantissa, BF16 rounds to 7 also what leaves it and the activations
 * between (weight gradients are summed in float32, master weights are float32), as mixed precision does. The same recipe gives the
 * same bits, and a copy of struct toy carries on as the original does: a second run with the same beginning starts from a copy taken
 * at the step of its fault. With several ranks each has a part of the batch, and gradients are summed apart, then across the ranks.
 *
 *	struct toy_data *data = malloc(sizeof *data);
 *	toy_data_draw(data, 1);
 *	struct toy toy;
 *	toy_start(&toy, &recipe, data);
 *	while (toy.step < 160)
 *		toy_step(&toy, &fault, &rows[toy.step]);
 *
 * Digests are of what a step began with: its parameters, generator and batch; that of gradients is of what the optimizer was given.
 * Source of the faults: reference C.6. Threads: one a struct.
 */
#ifndef TSCOPE_TESTS_QUALITY_TOY_TRAINER_H
#define TSCOPE_TESTS_QUALITY_TOY_TRAINER_H

#include "analysis/stats/random.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	TOY_IN = 16,
	TOY_HIDDEN = 32,
	TOY_CLASSES = 10,
	TOY_BATCH = 32,
	TOY_BATCHES = 24, /* of an epoch */
	TOY_SAMPLES = TOY_BATCH * TOY_BATCHES,
	TOY_RANKS_MAX = 4,
	TOY_W1 = 0,	  /* where each matrix and bias begins among the parameters: rows are inputs */
	TOY_B1 = TOY_W1 + TOY_IN * TOY_HIDDEN,
	TOY_W2 = TOY_B1 + TOY_HIDDEN,
	TOY_B2 = TOY_W2 + TOY_HIDDEN * TOY_HIDDEN,
	TOY_W3 = TOY_B2 + TOY_HIDDEN,
	TOY_B3 = TOY_W3 + TOY_HIDDEN * TOY_CLASSES,
	TOY_PARAMS = TOY_B3 + TOY_CLASSES,
};

enum toy_optimizer { TOY_SGD, TOY_ADAM };
enum toy_precision { TOY_FP32, TOY_TF32, TOY_BF16 };

struct toy_recipe {
	uint64_t init_seed, order_seed, dropout_seed;
	enum toy_optimizer optimizer;
	enum toy_precision precision;
	float dropout; /* of both hidden layers; 0 = none, and the generator stands still */
	float lr;	/* of the first step; falls to a half in 400 steps */
	uint32_t ranks; /* 0 is 1 */
};

/* What a step does otherwise than the recipe says. STEP: at one step; FROM: at it and after. */
enum toy_fault_kind {
	TOY_NO_FAULT,
	TOY_REDUCTION,	    /* FROM: samples are summed in an order drawn for each step from seed */
	TOY_SPLIT,	    /* FROM: is of `count` ranks, of more than TOY_RANKS_MAX too */
	TOY_KERNEL,	    /* FROM: products sum their inputs backwards, and SiLU rounds its sigmoid first */
	TOY_PRECISION,	    /* FROM: computes in `precision` */
	TOY_ULP,	    /* STEP: parameter `index` is moved to the next float */
	TOY_FLIP,	    /* STEP: bit `count` of parameter `index` is flipped */
	TOY_ORDER,	    /* FROM: batches are drawn with `seed` */
	TOY_SHIFT,	    /* FROM: reads `count` batches further on */
	TOY_RESTART,	    /* FROM: reads from the first batch again */
	TOY_RATE,	    /* FROM: the learning rate times `amount` */
	TOY_FORGET,	    /* STEP: the optimizer begins anew */
	TOY_GRADIENT,	    /* STEP: noise of `amount` times the norm of rank `index`'s gradient is added to it, drawn from seed */
	TOY_STREAM,	    /* STEP: `count` words of the generator are skipped */
	TOY_REPORT_BIAS,    /* FROM: the loss that is told is `amount` too large; nothing else differs */
	TOY_REPORT_DECIMALS, /* FROM: the loss is told with four decimals */
};

struct toy_fault {
	enum toy_fault_kind kind;
	uint32_t step, index, count;
	uint64_t seed;
	double amount;
	enum toy_precision precision;
};

struct toy_data {
	float x[TOY_SAMPLES][TOY_IN];
	uint8_t y[TOY_SAMPLES];
};

struct toy {
	struct toy_recipe recipe;
	const struct toy_data *data;
	uint32_t step;
	struct ts_random dropout;
	uint32_t updates; /* since the optimizer began: Adam's t */
	float w[TOY_PARAMS], m[TOY_PARAMS], v[TOY_PARAMS];
};

/* What is told of a step: numbers are float32. */
struct toy_row {
	double loss, grad_norm, lr;
	uint64_t params, grads, batch, rng;
	uint64_t rank_grads[TOY_RANKS_MAX]; /* of each rank's own gradient, before it is summed; 0 without that rank */
};

void toy_data_draw(struct toy_data *data, uint64_t seed);
/* data is used, not copied. */
void toy_start(struct toy *toy, const struct toy_recipe *recipe, const struct toy_data *data);
/* One step; fault may be NULL. */
void toy_step(struct toy *toy, const struct toy_fault *fault, struct toy_row *ret_row);
/* Nearest value with 10 (TF32) or 7 (BF16) bits of mantissa, ties to even; x itself for FP32 and where it is not finite. */
float toy_round(float x, enum toy_precision precision);

#endif
