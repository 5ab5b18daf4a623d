/* toy_pair.h - two recordings of a toy training, spoilt in the ways that logs are, as the evidence that a diagnosis looks at.
 *
 *	toy_record(&a, rows_a, n, TOY_ALL, 1);
 *	toy_record(&b, rows_b, n, TOY_ALL, 1);
 *	toy_decimals(&b);
 *	toy_evidence(&a, &b, &arena, &evidence);
 *
 * A recording has its rows in the order in which they were written: of a step that is there twice the last one counts, as when a
 * run directory is read. Evidence lies in the arena; gaps are measured by the function that the server uses.
 */
#ifndef TSCOPE_TESTS_QUALITY_TOY_PAIR_H
#define TSCOPE_TESTS_QUALITY_TOY_PAIR_H

#include "analysis/diverge/evidence.h"
#include "toy_trainer.h"

enum { TOY_STEPS_MAX = 400, TOY_RESUMES_MAX = 4 };

enum toy_column {
	TOY_LOSS,
	TOY_GRAD_NORM,
	TOY_LR, /* numbers end here */
	TOY_DIGEST_PARAMS,
	TOY_DIGEST_BATCH,
	TOY_DIGEST_RNG,
	TOY_DIGEST_GRADS, /* of rank 0, and behind it those of the other ranks */
	TOY_COLUMNS = TOY_DIGEST_GRADS + TOY_RANKS_MAX,
};

/* Sets of columns. */
enum {
	TOY_LOSS_ALONE = 1 << TOY_LOSS,
	TOY_SCALARS = 1 << TOY_LOSS | 1 << TOY_GRAD_NORM | 1 << TOY_LR,
	TOY_ALL = (1 << TOY_COLUMNS) - 1,
};

struct toy_series {
	bool present;
	size_t n;
	struct ts_resolution resolution;
	int64_t steps[TOY_STEPS_MAX];
	union {
		double number;
		uint64_t word;
	} values[TOY_STEPS_MAX];
};

struct toy_recording {
	struct toy_series columns[TOY_COLUMNS];
	int64_t resumes[TOY_RESUMES_MAX]; /* first steps of later segments, ascending */
	size_t n_resumes;
};

/* Rows of steps 0 to n - 1; numbers are declared as float32. Of one rank the digest of gradients is that of the sum over the batch;
 * of several, each has that of its own. */
void toy_record(struct toy_recording *r, const struct toy_row *rows, uint32_t n, unsigned columns, uint32_t ranks);
void toy_resume(struct toy_recording *r, int64_t step);

/* --- how logs are spoilt --- */

/* Rows from `step` on are lost. */
void toy_cut_tail(struct toy_recording *r, int64_t step);
/* Each step is lost with that probability, in all columns. */
void toy_lose(struct toy_recording *r, double share, uint64_t seed);
/* A crash before `step`, a restart `back` steps earlier: those are written twice, the first time `wrong` in the loss by that factor. */
void toy_write_twice(struct toy_recording *r, int64_t step, int64_t back, double wrong);
/* The loss with four decimals, declared so. */
void toy_decimals(struct toy_recording *r);
/* Numbers as the doubles that they were before they became float32: the digits behind are drawn from seed. */
void toy_doubles(struct toy_recording *r, uint64_t seed);
/* Nothing is declared of how finely numbers were written. */
void toy_bare(struct toy_recording *r);
/* The loss at every tenth step is the mean of the ten; no other loss and norm is logged. */
void toy_intervals(struct toy_recording *r);

/* Aborts when the arena is full. */
void toy_evidence(const struct toy_recording *a, const struct toy_recording *b, struct ts_arena *arena, struct ts_evidence *ret);

#endif
