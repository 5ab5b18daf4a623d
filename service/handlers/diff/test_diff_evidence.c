/* test_diff_evidence.c - from small stored runs to evidence, and to what is made of it: each case plants what it expects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/diff_evidence.h"
#include "service/handlers/diff/diff_runs.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 200 };

/* --- names --- */

static void test_kinds(void **state)
{
	static const struct {
		const char *name;
		enum ts_series_kind kind;
	} cases[] = {
		{"scalars.loss", TS_KIND_LOSS},
		{"scalars.train/loss", TS_KIND_LOSS},
		{"scalars.loss_mlm", TS_KIND_LOSS},
		{"scalars.val_loss", TS_KIND_EVAL},
		{"scalars.eval/loss", TS_KIND_EVAL},
		{"eval.loss", TS_KIND_EVAL},
		{"scalars.grad_norm", TS_KIND_GRAD_NORM},
		{"scalars.Grad-Norm", TS_KIND_GRAD_NORM},
		{"scalars.max_grad_norm", TS_KIND_OTHER},
		{"scalars.lr", TS_KIND_LR},
		{"scalars.learning_rate", TS_KIND_LR},
		{"scalars.head_lr", TS_KIND_LR},
		{"scalars.lr.0", TS_KIND_LR},
		{"scalars.lr.head", TS_KIND_LR},
		{"scalars.gnorm", TS_KIND_GRAD_NORM},
		{"scalars.grad/global_norm", TS_KIND_GRAD_NORM},
		{"scalars.norm_of_gradient", TS_KIND_GRAD_NORM},
		{"scalars.total_grad_l2", TS_KIND_GRAD_NORM},
		{"scalars.grad_clip_norm", TS_KIND_OTHER},
		{"scalars.step_size", TS_KIND_LR},
		{"scalars.heldout/nll", TS_KIND_EVAL},
		{"scalars.dev_ppl", TS_KIND_EVAL},
		{"scalars.device_norm", TS_KIND_OTHER},
		{"scalars.objective", TS_KIND_OTHER}, /* it stands for a loss where none is called so */
		{"scalars.loss_scale", TS_KIND_SCALE},
		{"scalars.amp/scale", TS_KIND_SCALE},
		{"scalars.scale", TS_KIND_SCALE},
		{"scalars.accuracy", TS_KIND_OTHER},
		{"digests.params", TS_KIND_PARAMS},
		{"digests.weights", TS_KIND_PARAMS},
		{"digests.grads", TS_KIND_GRADS},
		{"digests.batch", TS_KIND_BATCH},
		{"digests.data", TS_KIND_BATCH},
		{"digests.rng", TS_KIND_RNG},
		{"digests.generator", TS_KIND_RNG},
		{"digests.kv_cache", TS_KIND_DIGEST},
		{"digests.buffers", TS_KIND_BUFFERS},
		{"digests.indices", TS_KIND_INDICES},
		{"digests.samples_0", TS_KINDS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool word = cases[i].kind >= TS_KIND_PARAMS;

		if (ts_series_kind_of(ts_span_str(cases[i].name), word ? TS_COLUMN_U64 : TS_COLUMN_F64, TS_ROLE_TRAJECTORY) !=
		    cases[i].kind)
			fail_msg("%s", cases[i].name);
	}
	/* The names are of a loss that is text, a time that is named a loss, and a series without a declared role. */
	assert_true(ts_series_stands_for_loss(ts_span_str("scalars.train/MSE")));
	assert_true(ts_series_stands_for_loss(ts_span_str("scalars.cost")));
	assert_false(ts_series_stands_for_loss(ts_span_str("scalars.accuracy")));
	assert_int_equal(ts_series_kind_of(ts_span_str("scalars.loss"), TS_COLUMN_TEXT, TS_ROLE_TRAJECTORY), TS_KINDS);
	assert_int_equal(ts_series_kind_of(ts_span_str("scalars.loss"), TS_COLUMN_F64, TS_ROLE_OBSERVATION), TS_KINDS);
	assert_int_equal(ts_series_kind_of(ts_span_str("scalars.loss"), TS_COLUMN_F64, TS_ROLE_UNKNOWN), TS_KINDS);
	assert_int_equal(ts_series_kind_of(ts_span_str("scalars.foo"), TS_COLUMN_F64, TS_ROLE_UNKNOWN), TS_KINDS);
}

/* --- runs --- */

/* Two runs and their facts, with planted differences. */
struct pair {
	struct world w;
	struct cells a, b;
	struct told told[2][16];
	size_t n_told[2];
	struct ts_diff d;
};

/* The training has one rank with a falling loss, a gradient norm and a learning rate. */
static void train(struct cells *c, int32_t rank, int64_t from, int64_t to, int64_t every)
{
	for (int64_t step = from; step < to; step += every) {
		cells_add(c, rank, "scalars.loss", step, 2 + 1 / (1 + (double)step));
		cells_add(c, rank, "scalars.grad_norm", step, 1 + 1 / (2 + (double)step));
		cells_add(c, rank, "scalars.lr", step, 1e-3);
	}
}

static void open_pair(struct pair *p)
{
	memset(p, 0, sizeof *p);
	world_open(&p->w);
}

static void close_pair(struct pair *p)
{
	cells_free(&p->a);
	cells_free(&p->b);
	world_close(&p->w);
}

/* side is 0 for the first run, 1 for the second, 2 for both. */
static void tell(struct pair *p, int side, const char *path, const char *text, int64_t integer)
{
	for (int i = 0; i < 2; i++)
		if (side == i || side == 2)
			p->told[i][p->n_told[i]++] = (struct told){TS_RANK_JOB, path, text, integer};
}

/* Multiplies a series by a factor from a step on. */
static void scale(struct cells *c, const char *name, int32_t rank, int64_t from, double factor)
{
	for (size_t i = 0; i < c->n; i++) {
		struct cell *cell = &c->items[i];
		double value;

		if (cell->rank != rank || strcmp(cell->name, name) != 0 || cell->step < from)
			continue;
		memcpy(&value, &cell->word, sizeof value);
		value *= factor;
		memcpy(&cell->word, &value, sizeof value);
	}
}

static void digests(struct cells *c, const char *name, int32_t rank, int64_t n, int64_t from, uint64_t salt)
{
	for (int64_t step = 0; step < n; step++)
		cells_add_word(c, rank, name, step,
			       ((uint64_t)step + 1 + (step >= from ? salt : 0)) * UINT64_C(0x9e3779b97f4a7c15));
}

static void diff(struct pair *p)
{
	struct ts_id a = make_run(&p->w, &p->a, p->told[0], p->n_told[0]), b = make_run(&p->w, &p->b, p->told[1], p->n_told[1]);
	struct ts_diff_how how = {0};
	struct ts_error err;

	must(ts_diff_runs(&p->w.fetch, &a, &b, &how, &p->w.arena, &p->d, &err), &err);
}

static void expect_at(struct pair *p, enum ts_cause cause, enum ts_confidence confidence, int64_t step, int line)
{
	const struct ts_diagnosis *d;

	diff(p);
	d = &p->d.diagnosis;
	if (d->cause != cause || d->confidence != confidence || d->step != step)
		fail_msg("line %d: %s, %s, step %" PRId64 ": %.*s", line, ts_cause_word(d->cause), ts_confidence_word(d->confidence),
			 d->step, TS_SPAN_ARG(d->sentence));
}

#define expect(p, cause, confidence, step) expect_at(p, cause, confidence, step, __LINE__)
#define PAIR(p)                                                                                                                  \
	struct pair p;                                                                                                           \
	(void)state;                                                                                                             \
	open_pair(&p)

static void test_identical(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	tell(&p, 0, "config.run_name", "one", 0);
	tell(&p, 1, "config.run_name", "two", 0);
	expect(&p, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH, 0);
	assert_int_equal(p.d.verdict, TS_DIFF_SAME);
	assert_int_equal(p.d.diagnosis.bits.answer, TS_TIER_HOLDS);
	close_pair(&p);
}

static void test_one_run(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	expect(&p, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH, 0);
	assert_true(ts_span_is(p.d.diagnosis.sentence, "Both sides are the same run: their ids are equal"));
	close_pair(&p);
}

static void test_learning_rate(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	scale(&p.b, "scalars.lr", 0, 40, 1.1);
	scale(&p.b, "scalars.loss", 0, 41, 1.001);
	scale(&p.b, "scalars.grad_norm", 0, 41, 1.01);
	expect(&p, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM, 40);
	assert_int_equal(p.d.verdict, TS_DIFF_DIFFERENT);
	close_pair(&p);
}

/* The rate falls from step to step; in the second run it does so from step 120 on as from step 0 on. Every tenth step is recorded, so
 * that the losses of its first record already follow from other rates. */
static void test_schedule_began_anew(void **state)
{
	PAIR(p);
	for (int i = 0; i < 2; i++)
		for (int64_t step = 0; step < STEPS; step += 10) {
			struct cells *c = i ? &p.b : &p.a;

			cells_add(c, 0, "scalars.loss", step, (2 + 1 / (1 + (double)step)) * (i && step > 120 ? 1.01 : 1));
			cells_add(c, 0, "scalars.lr", step, 1 / (7 + (double)(i && step >= 120 ? step - 120 : step)));
		}
	expect(&p, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM, 120);
	tell(&p, 0, "config.warmup", NULL, 10);
	tell(&p, 1, "config.warmup", NULL, 20);
	diff(&p);
	assert_int_equal(p.d.diagnosis.cause, TS_CAUSE_CONFIG);
	close_pair(&p);
	open_pair(&p);
	/* A constant rate is found anywhere, and shows nothing. */
	train(&p.a, 0, 0, STEPS, 10);
	train(&p.b, 0, 0, STEPS, 10);
	scale(&p.a, "scalars.lr", 0, 40, 2);
	scale(&p.b, "scalars.loss", 0, 50, 1.01);
	diff(&p);
	assert_true(p.d.diagnosis.cause != TS_CAUSE_RESUME_STATE);
	close_pair(&p);
}

/* In this small pair the loss alone changes, while the gradient norm stays the same. */
static void test_reporting(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	scale(&p.b, "scalars.loss", 0, 100, 1 + 1e-6);
	expect(&p, TS_CAUSE_REPORTING, TS_CONFIDENCE_MEDIUM, 100);
	assert_int_equal(p.d.verdict, TS_DIFF_DIFFERENT);
	close_pair(&p);
	open_pair(&p);
	/* The runs are the same, but without any series except the loss. */
	for (int64_t step = 0; step < STEPS; step++) {
		cells_add(&p.a, 0, "scalars.loss", step, 2);
		cells_add(&p.b, 0, "scalars.loss", step, step < 100 ? 2 : 2 * (1 + 1e-6));
	}
	expect(&p, TS_CAUSE_ROUNDING, TS_CONFIDENCE_MEDIUM, 100);
	close_pair(&p);
}

/* The second run counts from 1, and both record a digest at every tenth step of their own count: no step has both digests. */
static void test_counts_from_one(void **state)
{
	PAIR(p);
	for (int64_t i = 0; i < 2; i++)
		for (int64_t step = 0; step < STEPS; step++) {
			struct cells *c = i ? &p.b : &p.a;

			cells_add(c, 0, "scalars.loss", step + i, 2 + 1 / (1 + (double)step));
			if ((step + i) % 10 == 0)
				cells_add_word(c, 0, "digests.params", step + i, (uint64_t)step + 1);
		}
	expect(&p, TS_CAUSE_STEP_NUMBERING, TS_CONFIDENCE_HIGH, 1);
	close_pair(&p);
	/* Digests of steps that both have say whether it is the same training. */
	open_pair(&p);
	for (int64_t i = 0; i < 2; i++)
		for (int64_t step = 0; step < STEPS; step++) {
			struct cells *c = i ? &p.b : &p.a;

			cells_add(c, 0, "scalars.loss", step + i, 2 + 1 / (1 + (double)step));
			cells_add_word(c, 0, "digests.params", step + i, (uint64_t)step + (uint64_t)i * 1000);
		}
	diff(&p);
	assert_true(p.d.diagnosis.cause != TS_CAUSE_STEP_NUMBERING);
	close_pair(&p);
	/* Digests agree at the steps that both have: the loss was logged one step late, and nothing else. */
	open_pair(&p);
	for (int64_t i = 0; i < 2; i++)
		for (int64_t step = 0; step < STEPS; step++) {
			struct cells *c = i ? &p.b : &p.a;

			cells_add(c, 0, "scalars.loss", step + i, 2 + 1 / (1 + (double)step));
			if ((step + i) % 10 == 0)
				cells_add_word(c, 0, "digests.params", step + i, (uint64_t)(step + i) + 1);
		}
	diff(&p);
	assert_true(p.d.diagnosis.cause != TS_CAUSE_STEP_NUMBERING);
	close_pair(&p);
}

static void part_at(struct pair *p, int64_t step)
{
	scale(&p->b, "scalars.loss", 0, step, 1.01);
	scale(&p->b, "scalars.grad_norm", 0, step, 1.01);
}

static void test_data(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	part_at(&p, 80);
	digests(&p.a, "digests.batch", 0, STEPS, STEPS, 0);
	digests(&p.b, "digests.batch", 0, STEPS, 80, 3); /* three steps ahead */
	expect(&p, TS_CAUSE_DATA_POSITION, TS_CONFIDENCE_HIGH, 80);
	close_pair(&p);
	open_pair(&p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	part_at(&p, 80);
	digests(&p.a, "digests.batch", 0, STEPS, STEPS, 0);
	digests(&p.b, "digests.batch", 0, STEPS, 80, 1000000);
	tell(&p, 2, "data.sha256", "398c", 0);
	expect(&p, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW, 80);
	close_pair(&p);
	open_pair(&p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	part_at(&p, 80);
	digests(&p.a, "digests.batch", 0, STEPS, STEPS, 0);
	digests(&p.b, "digests.batch", 0, STEPS, 80, 1000000);
	tell(&p, 0, "data.sha256", "398c", 0);
	tell(&p, 1, "data.sha256", "77aa", 0);
	expect(&p, TS_CAUSE_DATA_SET, TS_CONFIDENCE_HIGH, 80);
	close_pair(&p);
}

/* The content over which the digest of parameters was computed is declared with the column. */
static void test_init(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	part_at(&p, 0);
	digests(&p.a, "digests.params", 0, STEPS, STEPS, 0);
	digests(&p.b, "digests.params", 0, STEPS, 0, 1000);
	tell(&p, 2, "columns.digests\\.params.when", "before", 0);
	expect(&p, TS_CAUSE_INIT, TS_CONFIDENCE_HIGH, 0);
	close_pair(&p);
	open_pair(&p);
	/* When only one run declares it, it is not known. */
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	part_at(&p, 0);
	digests(&p.a, "digests.params", 0, STEPS, STEPS, 0);
	digests(&p.b, "digests.params", 0, STEPS, 0, 1000);
	tell(&p, 0, "columns.digests\\.params.when", "before", 0);
	expect(&p, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW, 0);
	close_pair(&p);
}

/* The gradients of one rank of three differ first, after an equal forward pass. */
static void test_ranks(void **state)
{
	PAIR(p);
	for (int32_t rank = 0; rank < 3; rank++) {
		train(&p.a, rank, 0, STEPS, 1);
		train(&p.b, rank, 0, STEPS, 1);
		digests(&p.a, "digests.grads", rank, STEPS, STEPS, 0);
		digests(&p.b, "digests.grads", rank, STEPS, rank == 1 ? 60 : 61, 1000);
		scale(&p.b, "scalars.grad_norm", rank, 60, 1.2);
		scale(&p.b, "scalars.loss", rank, 61, 1.001);
	}
	expect(&p, TS_CAUSE_GRADIENT_PATH, TS_CONFIDENCE_HIGH, 60);
	assert_non_null(
		memmem(p.d.diagnosis.sentence.data, p.d.diagnosis.sentence.len, "1 of 3 ranks (rank 1 is one)", 28));
	close_pair(&p);
}

/* --- events --- */

static void test_segment(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	for (int64_t step = 0; step < STEPS; step++)
		cells_add(&p.b, 0, "segment", step, step >= 100);
	part_at(&p, 101);
	expect(&p, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM, 101);
	close_pair(&p);
	open_pair(&p);
	/* A segment that begins after the difference, or long before it, does not explain it. */
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	for (int64_t step = 0; step < STEPS; step++)
		cells_add(&p.b, 0, "segment", step, step >= 102);
	part_at(&p, 101);
	expect(&p, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW, 101);
	close_pair(&p);
}

/* Of several segments, the last that begins before the difference counts, not one after it. */
static void test_segments(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	for (int64_t step = 0; step < STEPS; step++)
		cells_add(&p.b, 0, "segment", step, (step >= 50) + (step >= 100) + (step >= 150));
	part_at(&p, 101);
	expect(&p, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM, 101);
	close_pair(&p);
}

/* Batches are compared on the rank whose batches differ first: there they are shifted, on the other rank they are new. */
static void test_batches_of_ranks(void **state)
{
	PAIR(p);
	for (int32_t rank = 0; rank < 3; rank++) {
		train(&p.a, rank, 0, STEPS, 1);
		train(&p.b, rank, 0, STEPS, 1);
		scale(&p.b, "scalars.loss", rank, 80, 1.01);
		digests(&p.a, "digests.batch", rank, STEPS, STEPS, 0);
		digests(&p.b, "digests.batch", rank, STEPS, rank == 1 ? 80 : 81, rank == 1 ? 3 : 1000000);
	}
	expect(&p, TS_CAUSE_DATA_POSITION, TS_CONFIDENCE_HIGH, 80);
	close_pair(&p);
}

/* A child was resumed at its first step; a run that only began to log later was not resumed, unless its first update differs. */
static void test_child(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 100, STEPS, 1);
	part_at(&p, 101);
	tell(&p, 1, "lineage.parent", "abcd", 0);
	expect(&p, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM, 101);
	close_pair(&p);
	open_pair(&p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 100, STEPS, 1);
	part_at(&p, 102);
	expect(&p, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW, 102);
	close_pair(&p);
	open_pair(&p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 100, STEPS, 1);
	part_at(&p, 101);
	expect(&p, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW, 101);
	close_pair(&p);
	open_pair(&p);
	/* It says at which step it was resumed, after the steps that it copied. */
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	part_at(&p, 101);
	tell(&p, 1, "lineage.resumed_step", NULL, 100);
	expect(&p, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM, 101);
	close_pair(&p);
	open_pair(&p);
	/* A child that begins at the same step as the other run was not resumed within it. */
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	part_at(&p, 2);
	tell(&p, 1, "lineage.parent", "abcd", 0);
	expect(&p, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW, 2);
	close_pair(&p);
}

static void test_epoch(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	for (int64_t step = 0; step < STEPS; step++) {
		cells_add(&p.a, 0, "epoch", step, (double)step / 50);
		cells_add(&p.b, 0, "epoch", step, (double)step / 50);
	}
	part_at(&p, 150);
	scale(&p.b, "scalars.loss", 0, 152, 0.98);
	expect(&p, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW, 150);
	close_pair(&p);
	open_pair(&p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	for (int64_t step = 0; step < STEPS; step++) {
		cells_add(&p.a, 0, "epoch", step, (double)step / 50);
		cells_add(&p.b, 0, "epoch", step, (double)step / 50);
	}
	part_at(&p, 151);
	expect(&p, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW, 151);
	close_pair(&p);
}

/* Both runs log every tenth step, the second one also step 12 but not step 20: the first common step is 30. */
static void test_first_common(void **state)
{
	PAIR(p);
	train(&p.a, 0, 10, 1000, 10);
	train(&p.b, 0, 12, 13, 10);
	train(&p.b, 0, 30, 1000, 10);
	/* The loss differs there, while the gradient norm agrees for some more steps: no earlier common step was seen. */
	scale(&p.b, "scalars.loss", 0, 30, 1.01);
	scale(&p.b, "scalars.grad_norm", 0, 60, 1.01);
	expect(&p, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW, 30);
	close_pair(&p);
	open_pair(&p);
	/* With an earlier step at which both agree, it is not the first common step. */
	train(&p.a, 0, 10, 1000, 10);
	train(&p.b, 0, 12, 13, 10);
	train(&p.b, 0, 20, 1000, 10);
	scale(&p.b, "scalars.loss", 0, 30, 1.01);
	scale(&p.b, "scalars.grad_norm", 0, 60, 1.01);
	expect(&p, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW, 30);
	close_pair(&p);
}

static void loss_only(struct cells *c, int64_t from, double factor)
{
	for (int64_t step = 0; step < STEPS; step++)
		cells_add(c, 0, "scalars.loss", step, step < from ? 2 : 2 * factor);
}

/* The result of an experiment is read: a jump that repeats of the recipe make too is normal for the recipe. */
static void test_repeats(void **state)
{
	struct cells more[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct ts_id a, b, repeats[2];
	struct ts_diff_how how = {.repeats = {repeats, 2}};
	struct ts_error err;

	PAIR(p);
	loss_only(&p.a, STEPS, 1);
	loss_only(&p.b, 30, 1 + 5e-5);
	expect(&p, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW, 30);
	loss_only(&more[0], 25, 1 - 5e-5);
	loss_only(&more[1], 41, 1 + 4e-5);
	a = make_run(&p.w, &p.a, NULL, 0);
	b = make_run(&p.w, &p.b, NULL, 0);
	for (size_t i = 0; i < 2; i++)
		repeats[i] = make_run(&p.w, &more[i], NULL, 0);
	must(ts_diff_runs(&p.w.fetch, &a, &b, &how, &p.w.arena, &p.d, &err), &err);
	assert_int_equal(p.d.diagnosis.cause, TS_CAUSE_NONDETERMINISM);
	assert_int_equal(p.d.diagnosis.confidence, TS_CONFIDENCE_MEDIUM);
	assert_int_equal(p.d.diagnosis.numeric.answer, TS_TIER_HOLDS);
	cells_free(&more[0]);
	cells_free(&more[1]);
	close_pair(&p);
}

/* A policy may define what counts as rounding; the answer states its values. */
static void test_policy(void **state)
{
	struct ts_policy_item items[] = {
		{.code = ts_span_str("TIMING.JITTER"), .off = true},
		{.code = ts_span_str("DIVERGENCE"), .threshold = ts_span_str("quanta"), .value = 3},
		{.code = ts_span_str("DIVERGENCE"), .threshold = ts_span_str("numeric_jump"), .value = 1e-4},
	};
	struct ts_policy policy = {items, 3};
	struct ts_diff_how how = {.policy = &policy};
	struct ts_error err;
	struct ts_id a, b;

	PAIR(p);
	loss_only(&p.a, STEPS, 1);
	loss_only(&p.b, 30, 1 + 5e-5);
	expect(&p, TS_CAUSE_JUMP, TS_CONFIDENCE_LOW, 30);
	assert_int_equal(p.d.n_cut_offs, 0);
	a = make_run(&p.w, &p.a, NULL, 0);
	b = make_run(&p.w, &p.b, NULL, 0);
	must(ts_diff_runs(&p.w.fetch, &a, &b, &how, &p.w.arena, &p.d, &err), &err);
	assert_int_equal(p.d.diagnosis.cause, TS_CAUSE_ROUNDING);
	assert_int_equal(p.d.n_cut_offs, 1); /* the other value is the default */
	assert_true(ts_span_is(p.d.cut_offs[0].name, "numeric_jump"));
	assert_true(p.d.cut_offs[0].value == 1e-4 && p.d.cut_offs[0].standard == 2e-6);
	items[1].threshold = ts_span_str("quantums");
	assert_int_equal(ts_diff_runs(&p.w.fetch, &a, &b, &how, &p.w.arena, &p.d, &err), TS_UNSUPPORTED);
	assert_string_equal(err.text, "policy: DIVERGENCE has no cut-off quantums; did you mean quanta?");
	close_pair(&p);
}

/* A real difference needs a number of consecutive points: a policy may decide that 5 alone are not enough. */
static void test_envelope_policy(void **state)
{
	struct cells more[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
	struct ts_policy_item item = {
		.code = ts_span_str("DIVERGENCE"), .threshold = ts_span_str("envelope_run"), .value = 6};
	struct ts_policy policy = {&item, 1};
	struct ts_id a, b, repeats[2];
	struct ts_diff_how how = {.repeats = {repeats, 2}};
	struct ts_error err;

	PAIR(p);
	loss_only(&p.a, STEPS, 1);
	loss_only(&p.b, STEPS, 1);
	for (size_t i = 30; i < 35; i++)
		scale(&p.b, "scalars.loss", 0, (int64_t)i, i == 30 ? 1.5 : 1);
	scale(&p.b, "scalars.loss", 0, 35, 1 / 1.5);
	a = make_run(&p.w, &p.a, NULL, 0);
	b = make_run(&p.w, &p.b, NULL, 0);
	for (size_t i = 0; i < 2; i++) {
		loss_only(&more[i], STEPS, 1);
		cells_add(&more[i], 0, "memory.peak", 1, (double)i); /* makes the runs distinct */
		repeats[i] = make_run(&p.w, &more[i], NULL, 0);
	}
	must(ts_diff_runs(&p.w.fetch, &a, &b, &how, &p.w.arena, &p.d, &err), &err);
	assert_int_equal(p.d.repeats.rows[0].outside, 5);
	assert_true(p.d.repeats.rows[0].real);
	assert_int_equal(p.d.repeats.inside, TS_TIER_FAILS);
	how.policy = &policy;
	must(ts_diff_runs(&p.w.fetch, &a, &b, &how, &p.w.arena, &p.d, &err), &err);
	assert_int_equal(p.d.repeats.rows[0].outside, 5);
	assert_false(p.d.repeats.rows[0].real);
	assert_int_equal(p.d.repeats.inside, TS_TIER_HOLDS);
	for (size_t i = 0; i < 2; i++)
		cells_free(&more[i]);
	close_pair(&p);
}

static bool for_says(const struct pair *p, const char *words)
{
	for (size_t i = 0; i < p->d.diagnosis.n_for; i++)
		if (memmem(p->d.diagnosis.evidence_for[i].data, p->d.diagnosis.evidence_for[i].len, words, strlen(words)))
			return true;
	return false;
}

/* Seven bits for each of four samples, behind their number and the seven: one is another one. A rank that parts later says nothing. */
static void test_samples(void **state)
{
	static const uint64_t head = 4 | 7 << 16, at[] = {22, 29, 36, 43};
	uint64_t plain = head | 99ULL << at[0] | 3ULL << at[1] | 44ULL << at[2] | 31ULL << at[3];
	uint64_t other = head | 99ULL << at[0] | 3ULL << at[1] | 17ULL << at[2] | 31ULL << at[3];

	PAIR(p);
	for (int32_t rank = 0; rank < 2; rank++) {
		train(&p.a, rank, 0, STEPS, 1);
		train(&p.b, rank, 0, STEPS, 1);
		digests(&p.a, "digests.indices", rank, STEPS, STEPS, 0);
		digests(&p.b, "digests.indices", rank, STEPS, rank == 1 ? 80 : 81, 1000000);
		for (int64_t step = 0; step < STEPS; step++) {
			cells_add_word(&p.a, rank, "digests.samples_0", step, plain);
			cells_add_word(&p.b, rank, "digests.samples_0", step, rank == 1 && step == 80 ? other : plain);
		}
	}
	tell(&p, 2, "parallelism.world_size", NULL, 2);
	diff(&p);
	assert_true(for_says(&p, "at step 80 of rank 1, 1 of 4 samples differs: the second run has sample 17 instead of 44"));
	close_pair(&p);
}

static void rewrite(struct cells *c, const char *name, double per_unit)
{
	for (size_t i = 0; i < c->n; i++) {
		double value;

		if (strcmp(c->items[i].name, name) != 0)
			continue;
		memcpy(&value, &c->items[i].word, sizeof value);
		value = per_unit > 0 ? nearbyint(value * per_unit) / per_unit : (double)(float)value;
		memcpy(&c->items[i].word, &value, sizeof value);
	}
}

/* Neither run declares how one of the series was written. The same learning rate in float32 counts as equal. */
static void test_written(void **state)
{
	PAIR(p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	rewrite(&p.b, "scalars.loss", 1e4);
	rewrite(&p.b, "scalars.grad_norm", 0);
	rewrite(&p.b, "scalars.lr", 0);
	expect(&p, TS_CAUSE_QUANTIZATION, TS_CONFIDENCE_MEDIUM, 0);
	assert_true(for_says(&p, "was not declared, so tscope inferred it: loss has 4 decimals (seen in 200 values of "
				 "the second run), grad_norm "
				 "is float32 (seen in 200 values of the second run)"));
	/* A difference of half a unit or more counts as a difference. */
	scale(&p.a, "scalars.loss", 0, 60, 1.001);
	diff(&p);
	assert_int_equal(p.d.diagnosis.step, 60);
	close_pair(&p);
	/* The two series agree, so there is one sentence for both. */
	open_pair(&p);
	train(&p.a, 0, 0, STEPS, 1);
	train(&p.b, 0, 0, STEPS, 1);
	cells_add(&p.b, 0, "scalars.temperature", 7, 20);
	rewrite(&p.a, "scalars.loss", 1e4);
	rewrite(&p.b, "scalars.loss", 1e4);
	expect(&p, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_MEDIUM, 0);
	assert_true(for_says(&p, "loss has 4 decimals (seen in 200 values of each run)"));
	assert_true(for_says(&p, "loss (4 decimals)"));
	close_pair(&p);
}

/* With the runs exchanged, the cause of the difference is the same. */
static void test_mirror(void **state)
{
	PAIR(p);
	train(&p.b, 0, 0, STEPS, 1);
	train(&p.a, 0, 0, STEPS, 1);
	scale(&p.a, "scalars.lr", 0, 40, 1.1);
	scale(&p.a, "scalars.loss", 0, 41, 1.001);
	expect(&p, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM, 40);
	close_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_identical),
		cmocka_unit_test(test_one_run),
		cmocka_unit_test(test_learning_rate),
		cmocka_unit_test(test_schedule_began_anew),
		cmocka_unit_test(test_counts_from_one),
		cmocka_unit_test(test_reporting),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_segment),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_child),
		cmocka_unit_test(test_epoch),
		cmocka_unit_test(test_first_common),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_batches_of_ranks),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_envelope_policy),
		cmocka_unit_test(test_mirror),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
