/* Resumes of made runs: what was done to the second run is known, and so is what the answer must be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "proto/wire.h"
#include "service/handlers/core/lineage.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/test_series_runs.h"
#include "service/handlers/diff/check_resume.h"
#include "service/handlers/diff/resume_rows.h"

#include <math.h>

static const struct told fp32[] = {{.rank = TS_RANK_JOB, .path = "work.dtype", .text = "fp32"}};

enum { RESUMED = 100, END = 160 };

struct pair {
	struct world w;
	struct cells parent, child;
	struct ts_resume got;
};

static double loss_at(int64_t step)
{
	return 2 + 1 / (1 + (double)step / 30);
}

static double norm_at(int64_t step)
{
	return 1 + 0.25 * cos((double)step);
}

static uint64_t batch_at(int64_t step)
{
	return (uint64_t)(step + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void add_run(struct cells *cells, int32_t rank, int64_t first, int64_t last)
{
	for (int64_t step = first; step < last; step++) {
		cells_add(cells, rank, "scalars.loss", step, loss_at(step));
		cells_add(cells, rank, "scalars.grad_norm", step, norm_at(step));
		cells_add(cells, rank, "scalars.lr", step, 1e-3 / (1 + (double)step));
	}
}

static void add_batches(struct cells *cells, int32_t rank, int64_t first, int64_t last, int64_t by)
{
	for (int64_t step = first; step < last; step++)
		cells_add_word(cells, rank, "digests.batch", step, batch_at(step + by));
}

/* Multiplies the values with that name from a step on by a factor. */
static void scale(struct cells *cells, const char *name, int64_t from, double factor)
{
	for (size_t i = 0; i < cells->n; i++) {
		struct cell *c = &cells->items[i];
		double value;

		if (strcmp(c->name, name) != 0 || c->step < from)
			continue;
		memcpy(&value, &c->word, sizeof value);
		value *= factor;
		memcpy(&c->word, &value, sizeof value);
	}
}

/* The parent has steps 0 to END - 1, and the child has those from RESUMED on, as a correct resume gives them. */
static struct pair *pair_open(void)
{
	struct pair *p = test_calloc(1, sizeof *p);

	world_open(&p->w);
	add_run(&p->parent, 0, 0, END);
	add_run(&p->child, 0, RESUMED, END);
	return p;
}

static void pair_close(struct pair *p)
{
	cells_free(&p->parent);
	cells_free(&p->child);
	world_close(&p->w);
	test_free(p);
}

static void check_both(struct pair *p, const struct told *of_parent, size_t n_of_parent, const struct told *facts,
		       size_t n_facts)
{
	struct ts_resume_question q = {.has_parent = true};
	struct ts_error err;

	q.parent = make_run(&p->w, &p->parent, of_parent, n_of_parent);
	q.child = make_run(&p->w, &p->child, facts, n_facts);
	must(ts_check_resume(&p->w.fetch, &q, &p->w.arena, &p->got, &err), &err);
	assert_true(test_seen(&p->got.why.features));
	assert_true(ts_id_eq(&p->got.parent.id, &q.parent) && ts_id_eq(&p->got.child.id, &q.child));
}

static void check_with(struct pair *p, const struct told *facts, size_t n_facts)
{
	check_both(p, fp32, 1, facts, n_facts);
}

static void expect(struct pair *p, enum ts_resume_verdict verdict, enum ts_cause cause, enum ts_confidence confidence)
{
	const struct ts_diagnosis *why = &p->got.why;

	if (p->got.verdict != verdict || why->cause != cause || why->confidence != confidence)
		fail_msg("%s, %s, %s: %.*s", ts_resume_word(p->got.verdict), ts_cause_word(why->cause),
			 ts_confidence_word(why->confidence), TS_SPAN_ARG(why->sentence));
}

static void check(struct pair *p, enum ts_resume_verdict verdict, enum ts_cause cause, enum ts_confidence confidence)
{
	check_with(p, fp32, 1);
	expect(p, verdict, cause, confidence);
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

static double row(const struct pair *p, const char *subject, const char *name)
{
	double value = (double)NAN;

	(void)test_value(&p->got.why.features, "resume", subject, name, &value);
	return value;
}

static void resumed_correctly(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	check(p, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_int_equal(p->got.why.step, RESUMED);
	assert_true(row(p, "loss", "common_count") == TS_RESUME_WINDOW);
	assert_false(p->got.restart);
	scale(&p->child, "scalars.loss", 0, 1 + 1e-7);
	add_batches(&p->parent, 0, 0, END, 0);
	add_batches(&p->child, 0, RESUMED, END, 0);
	check(p, TS_RESUME_CORRECT, TS_CAUSE_NONDETERMINISM, TS_CONFIDENCE_MEDIUM);
	assert_true(row(p, "digests.batch", "equal_count") == TS_RESUME_WINDOW);
	assert_false(test_find(&p->got.why.features, "resume", "digests.params", "common")->known);
	pair_close(p);
}

/* The resumed run logs its loss under a name that is like that of its parent. */
static void loss_of_another_name(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	for (size_t i = 0; i < p->child.n; i++)
		if (strcmp(p->child.items[i].name, "scalars.loss") == 0)
			p->child.items[i].name = "scalars.train/loss";
	check(p, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_true(row(p, "train/loss", "common_count") == TS_RESUME_WINDOW);
	assert_true(any_says(p->got.why.evidence_for, p->got.why.n_for,
			     "train/loss of the resumed run is compared with loss of its parent"));
	scale(&p->child, "scalars.train/loss", RESUMED, 1.1);
	scale(&p->child, "scalars.grad_norm", RESUMED, 1.2);
	check_with(p, fp32, 1);
	assert_int_equal(p->got.verdict, TS_RESUME_WRONG);
	pair_close(p);
}

static void optimizer_lost(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	scale(&p->child, "scalars.loss", RESUMED + 1, 1.01);
	scale(&p->child, "scalars.grad_norm", RESUMED + 1, 1.02);
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(row(p, "loss", "first_differing_step") == RESUMED + 1);
	assert_true(fabs(row(p, "loss", "there_ratio") - 0.01 / 1.01) < 1e-12);
	pair_close(p);
}

static void schedule_lost(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	scale(&p->child, "scalars.lr", RESUMED, 101);
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
	assert_true(says(p->got.why.sentence, "learning rate"));
	pair_close(p);
}

static void data_shifted(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	scale(&p->child, "scalars.loss", RESUMED, 1.08);
	scale(&p->child, "scalars.grad_norm", RESUMED, 1.2);
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW); /* the losses alone do not tell */
	add_batches(&p->parent, 0, 0, END, 0);
	add_batches(&p->child, 0, RESUMED, END, -RESUMED);
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(row(p, "digests.batch", "shift_count") == -RESUMED);
	assert_true(says(p->got.why.sentence, "100 steps earlier"));
	pair_close(p);
}

static void data_one_rank_only(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	add_batches(&p->parent, 0, 0, END, 0);
	add_batches(&p->child, 0, RESUMED, END, 0);
	add_batches(&p->parent, 1, 0, END, 1000);
	add_batches(&p->child, 1, RESUMED, END, 1000 + 4);
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(row(p, "digests.batch on rank 1", "shift_count") == 4);
	assert_true(isnan(row(p, "digests.batch on rank 0", "shift_count")));
	pair_close(p);
}

/* The check searches for eight batches from the first that differs on; later batches are not searched for. */
static void data_shifted_later(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	add_batches(&p->parent, 0, 0, END, 0);
	add_batches(&p->child, 0, RESUMED, 110, 0);
	add_batches(&p->child, 0, 110, 118, 4);
	add_batches(&p->child, 0, 118, END, 5000);
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(row(p, "digests.batch", "first_differing_step") == 110);
	assert_true(row(p, "digests.batch", "shift_count") == 4);
	pair_close(p);
}

static void format_of_the_parent(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	scale(&p->child, "scalars.loss", RESUMED, 1 + 1e-5);
	scale(&p->child, "scalars.grad_norm", RESUMED, 1 + 1e-5);
	check_with(p, NULL, 0); /* the child records no number format, the parent records fp32 */
	expect(p, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	pair_close(p);
}

static void generators_lost(void **state)
{
	static const struct told before[] = {{.rank = TS_RANK_JOB, .path = "work.dtype", .text = "fp32"},
					     {.rank = TS_RANK_JOB, .path = "columns.digests\\.rng.when", .text = "before"}};
	struct pair *p = pair_open();

	(void)state;
	scale(&p->child, "scalars.loss", RESUMED, 1.003);
	scale(&p->child, "scalars.grad_norm", RESUMED, 1.003);
	check(p, TS_RESUME_WRONG, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW);
	for (int64_t step = 0; step < END; step++)
		cells_add_word(&p->parent, 0, "digests.rng", step, batch_at(step));
	for (int64_t step = RESUMED; step < END; step++)
		cells_add_word(&p->child, 0, "digests.rng", step, batch_at(step - RESUMED));
	check(p, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM);
	check_both(p, before, 2, before, 2);
	expect(p, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_HIGH);
	pair_close(p);
}

/* The child lost its generators; the digests of parameters are of after the update, as both runs declare or do not. */
static void generators_lost_beside_weights(void **state)
{
	static const struct told after[] = {{.rank = TS_RANK_JOB, .path = "work.dtype", .text = "fp32"},
					    {.rank = TS_RANK_JOB, .path = "columns.digests\\.weights.when", .text = "after"},
					    {.rank = TS_RANK_JOB, .path = "columns.digests\\.generators.when", .text = "before"}};
	struct pair *p = pair_open();

	(void)state;
	scale(&p->child, "scalars.loss", RESUMED, 1.003);
	scale(&p->child, "scalars.grad_norm", RESUMED, 1.003);
	add_batches(&p->parent, 0, 0, END, 0);
	add_batches(&p->child, 0, RESUMED, END, 0);
	for (int64_t step = 0; step < END; step++) {
		cells_add_word(&p->parent, 0, "digests.generators", step, batch_at(step));
		cells_add_word(&p->parent, 0, "digests.weights", step, batch_at(step));
	}
	for (int64_t step = RESUMED; step < END; step++) {
		cells_add_word(&p->child, 0, "digests.generators", step, batch_at(step - RESUMED));
		cells_add_word(&p->child, 0, "digests.weights", step, batch_at(step + END));
	}
	check(p, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM);
	assert_true(says(p->got.why.sentence, "it is not known whether the weights were restored"));
	check_both(p, after, 3, after, 3);
	expect(p, TS_RESUME_WRONG, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_HIGH);
	assert_true(says(p->got.why.sentence, "differ only after the first update"));
	pair_close(p);
}

/* A scale, a count and an evaluation are known by their names, and each is judged as what it is. */
static void what_stands_beside_the_loss(void **state)
{
	static const char *const scales[] = {"scalars.loss_scale", "scalars.scale", "scalars.grad_scale", "scalars.amp/scale"};
	struct pair *p = pair_open();

	(void)state;
	for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
		size_t parent = p->parent.n, child = p->child.n;

		for (int64_t step = RESUMED; step < END; step++) {
			cells_add(&p->parent, 0, scales[i], step, 131072);
			cells_add(&p->child, 0, scales[i], step, 65536);
		}
		check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH);
		assert_true(says(p->got.why.sentence, "The gradient scaler was not restored"));
		p->parent.n = parent;
		p->child.n = child;
	}
	for (int64_t step = RESUMED; step < END; step += 20) {
		cells_add(&p->parent, 0, "eval.ema_loss", step, 3);
		cells_add(&p->child, 0, "eval.ema_loss", step, 3.01);
	}
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(p->got.why.sentence, "(EMA)"));
	scale(&p->child, "eval.ema_loss", 0, 3 / 3.01);
	for (int64_t step = RESUMED; step < END; step++) {
		cells_add(&p->parent, 0, "tokens", step, 4096 * (double)step);
		cells_add(&p->child, 0, "tokens", step, 4096 * (double)(step - RESUMED));
	}
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(says(p->got.why.sentence, "A count was not restored: tokens"));
	pair_close(p);
}

/* The resumed run takes three seconds a step, its parent one. */
static void slower_than_the_parent(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	for (int64_t step = 0; step < END; step++)
		cells_add(&p->parent, 0, "timestamp", step, 1.7e9 + (double)step);
	for (int64_t step = RESUMED; step < END; step++)
		cells_add(&p->child, 0, "timestamp", step, 1.7e9 + 1000 + 3 * (double)step);
	check(p, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_true(says(p->got.why.sentence, "A step takes 3.0 times as long as in the parent: 3.00 s instead of 1.00 s"));
	pair_close(p);
}

/* Every bit of the losses agrees but the last: weights that differ before the first update are a fault of a child whose parent is
 * named, and an open question of two runs of one recipe. */
static void weights_of_another_run(void **state)
{
	static const struct told facts[] = {{.rank = TS_RANK_JOB, .path = "work.dtype", .text = "fp32"},
					    {.rank = TS_RANK_JOB, .path = "columns.digests\\.params.when", .text = "before"},
					    {.rank = TS_RANK_JOB, .path = "lineage.parent", .text = "base"}};
	struct pair *p = pair_open();

	(void)state;
	scale(&p->child, "scalars.loss", RESUMED, 1 + 1e-7);
	for (int64_t step = 0; step < END; step++)
		cells_add_word(&p->parent, 0, "digests.params", step, batch_at(step));
	for (int64_t step = RESUMED; step < END; step++)
		cells_add_word(&p->child, 0, "digests.params", step, batch_at(step) + 1);
	check_both(p, facts, 2, facts, 2);
	expect(p, TS_RESUME_UNDECIDED, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_NONE);
	check_both(p, facts, 2, facts, 3);
	expect(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	pair_close(p);
}

static void no_overlap(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	cells_free(&p->parent);
	add_run(&p->parent, 0, 0, RESUMED);
	check(p, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_true(says(p->got.why.sentence, "ends at step 99") && says(p->got.why.sentence, "weak evidence"));
	assert_true(says(p->got.why.experiments[0].what, "to step 120"));
	add_batches(&p->parent, 0, 0, RESUMED, 0);
	add_batches(&p->child, 0, RESUMED, END, -RESUMED);
	check(p, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_true(any_says(p->got.why.evidence_against, p->got.why.n_against, "those of step 0 on"));
	pair_close(p);
}

static void interrupted_parent(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	cells_free(&p->parent);
	add_run(&p->parent, 0, 0, RESUMED + 5);
	check(p, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH); /* five steps, every bit equal */
	scale(&p->child, "scalars.loss", RESUMED, 1 + 1e-8);
	check(p, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	pair_close(p);
}

static void where_it_resumes(void **state)
{
	static const struct told facts[] = {{.rank = TS_RANK_JOB, .path = "lineage.resumed_step", .integer = 130},
					    {.rank = TS_RANK_JOB, .path = "work.dtype", .text = "fp32"}};
	struct pair *p = pair_open();

	(void)state;
	/* The directory was copied, and the copy continued the training. */
	add_run(&p->child, 0, 0, RESUMED);
	scale(&p->child, "scalars.loss", 130, 1.08);
	scale(&p->child, "scalars.grad_norm", 130, 1.08);
	check(p, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_false(p->got.why.has_step);
	check_with(p, facts, 2);
	expect(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_int_equal(p->got.why.step, 130);
	pair_close(p);
}

static void another_cadence(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	/* The child logs its loss at every twentieth step, the parent at every step, over more rows than a block has. */
	cells_free(&p->parent);
	cells_free(&p->child);
	for (int64_t step = 0; step < 20000; step++)
		cells_add(&p->parent, 0, "scalars.loss", step, loss_at(step));
	for (int64_t step = 16000; step < 20000; step += 20)
		cells_add(&p->child, 0, "scalars.loss", step + 3, loss_at(step + 3) * 1.001);
	check(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_true(says(p->got.why.sentence, "the 19 steps before it have no record"));
	assert_int_equal(p->got.why.step, 16003);
	assert_true(row(p, "loss", "common_count") == TS_RESUME_WINDOW);
	pair_close(p);
}

/* --- restarts within one run directory --- */

/* Adds one superseded row: its ordinal, step and segment, and values as a run has them. */
static void supersede(struct cells *cells, int64_t ordinal, int64_t step, int64_t segment, double factor, int64_t batch)
{
	cells_add(cells, 0, "step", ordinal, (double)step)->table = TS_TABLE_SUPERSEDED;
	cells_add(cells, 0, "segment", ordinal, (double)segment)->table = TS_TABLE_SUPERSEDED;
	cells_add(cells, 0, "scalars.loss", ordinal, loss_at(step) * factor)->table = TS_TABLE_SUPERSEDED;
	cells_add_word(cells, 0, "digests.batch", ordinal, batch_at(batch));
	cells->items[cells->n - 1].table = TS_TABLE_SUPERSEDED;
}

/* Steps 0 to 119 were executed, then 100 to END from a checkpoint: the final rows are in the child. */
static void restart_once(struct pair *p)
{
	cells_free(&p->child);
	add_run(&p->child, 0, 0, END);
	add_batches(&p->child, 0, 0, END, 0);
	for (int64_t step = 0; step < END; step++)
		cells_add(&p->child, 0, "segment", step, step < RESUMED ? 0 : 1);
	for (int64_t step = RESUMED; step < 120; step++)
		supersede(&p->child, step - RESUMED, step, 0, 1, step);
}

static void check_alone(struct pair *p, const struct told *facts, size_t n_facts)
{
	struct ts_resume_question q = {.has_parent = false};
	struct ts_error err;

	q.child = make_run(&p->w, &p->child, facts, n_facts);
	must(ts_check_resume(&p->w.fetch, &q, &p->w.arena, &p->got, &err), &err);
	assert_true(test_seen(&p->got.why.features));
}

static void restart_that_agrees(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	restart_once(p);
	check_alone(p, fp32, 1);
	expect(p, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_true(p->got.restart);
	assert_int_equal(p->got.restarts, 1);
	assert_int_equal(p->got.why.step, RESUMED);
	assert_true(row(p, "loss", "common_count") == 20 && row(p, "digests.batch", "equal_count") == 20);
	/* If there is a parent too, the check is about the last restart. */
	check_with(p, fp32, 1);
	assert_int_equal(p->got.why.step, RESUMED);
	expect(p, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	pair_close(p);
}

static void restart_that_differs(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	restart_once(p);
	scale(&p->child, "scalars.loss", RESUMED + 1, 1.02);
	for (size_t i = 0; i < p->child.n; i++) /* the first execution was correct */
		if (p->child.items[i].table == TS_TABLE_SUPERSEDED && strcmp(p->child.items[i].name, "scalars.loss") == 0) {
			double value = loss_at(p->child.items[i].step + RESUMED);

			memcpy(&p->child.items[i].word, &value, sizeof value);
		}
	check_alone(p, fp32, 1);
	expect(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM);
	assert_true(row(p, "loss", "first_differing_step") == RESUMED + 1);
	assert_true(fabs(row(p, "loss", "there_ratio") - 0.02 / 1.02) < 1e-12);
	pair_close(p);
}

static void restart_with_other_data(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	restart_once(p);
	for (size_t i = 0; i < p->child.n; i++) {
		struct cell *c = &p->child.items[i];

		if (c->table != TS_TABLE_SUPERSEDED && strcmp(c->name, "digests.batch") == 0 && c->step >= RESUMED)
			c->word = batch_at(c->step - RESUMED); /* batches from the beginning again, which the final rows have */
	}
	check_alone(p, fp32, 1);
	expect(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_DATA, TS_CONFIDENCE_HIGH);
	assert_true(row(p, "digests.batch", "shift_count") == -RESUMED);
	pair_close(p);
}

/* Segment 1 repeats 100 to 119 with equal values; segment 2 repeats 110 to 119 of segment 1 with other values. */
static void second_restart_is_judged_alone(void **state)
{
	struct pair *p = pair_open();
	int64_t ordinal = 0;

	(void)state;
	cells_free(&p->child);
	add_run(&p->child, 0, 0, END);
	scale(&p->child, "scalars.loss", 110, 1.06);
	for (int64_t step = 0; step < END; step++)
		cells_add(&p->child, 0, "segment", step, step < RESUMED ? 0 : step < 110 ? 1 : 2);
	for (int64_t step = RESUMED; step < 120; step++) {
		supersede(&p->child, ordinal++, step, 0, 1, step);
		if (step >= 110)
			supersede(&p->child, ordinal++, step, 1, 1, step);
	}
	check_alone(p, fp32, 1);
	expect(p, TS_RESUME_WRONG, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_LOW);
	assert_int_equal(p->got.restarts, 2);
	assert_int_equal(p->got.why.step, 110);
	assert_true(row(p, "loss", "common_count") == 10);
	assert_true(row(p, "restart 1", "at_step") == RESUMED && row(p, "restart 2", "at_step") == 110);
	assert_true(ts_span_is(test_find(&p->got.why.features, "resume", "restart 1", "verdict")->text, "correct"));
	assert_true(ts_span_is(test_find(&p->got.why.features, "resume", "restart 2", "verdict")->text, "wrong"));
	pair_close(p);
}

/* Segment 1 repeats 100 to 119, and segment 2 step 119 alone, which tells nothing by itself. */
static void a_restart_that_repeats_one_step_leaves_the_answer(void **state)
{
	struct pair *p = pair_open();
	int64_t ordinal = 0;

	(void)state;
	cells_free(&p->child);
	add_run(&p->child, 0, 0, END);
	add_batches(&p->child, 0, 0, END, 0);
	for (int64_t step = 0; step < END; step++)
		cells_add(&p->child, 0, "segment", step, step < RESUMED ? 0 : step < 119 ? 1 : 2);
	for (int64_t step = RESUMED; step < 120; step++)
		supersede(&p->child, ordinal++, step, 0, 1, step);
	supersede(&p->child, ordinal++, 119, 1, 1, 119);
	check_alone(p, fp32, 1);
	expect(p, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_int_equal(p->got.why.step, RESUMED);
	assert_true(ts_span_is(test_find(&p->got.why.features, "resume", "restart 2", "verdict")->text, "undecided"));
	for (size_t i = 0; i < p->child.n; i++) { /* its loss differs from the execution before it: that counts again */
		struct cell *c = &p->child.items[i];

		if (c->table == TS_TABLE_SUPERSEDED && strcmp(c->name, "scalars.loss") == 0 && c->step == ordinal - 1)
			c->word ^= 1;
	}
	check_alone(p, fp32, 1);
	assert_int_equal(p->got.why.step, 119);
	pair_close(p);
}

/* --- how runs ended --- */

static void how_both_ended(void **state)
{
	const struct told killed[] = {{.rank = TS_RANK_JOB, .path = "work.dtype", .text = "fp32"},
				      {.rank = TS_RANK_JOB, .path = "session.end.signal", .text = "SIGTERM"}};
	struct pair *p = pair_open();

	(void)state;
	check_both(p, killed, 2, fp32, 1);
	assert_true(p->got.ending_parent.told && p->got.ending_parent.state == TS_END_KILLED);
	assert_true(says(p->got.ending_parent.sentence, "SIGTERM"));
	assert_true(p->got.ending_child.told && p->got.ending_child.state == TS_END_UNKNOWN && p->got.ending_child.sentence.len == 0);
	check_both(p, fp32, 1, killed, 2);
	assert_int_equal(p->got.ending_parent.state, TS_END_UNKNOWN);
	assert_int_equal(p->got.ending_child.state, TS_END_KILLED);
	assert_int_equal(p->got.before.len, 0);
	pair_close(p);
}

static void record_event(struct cells *cells, int64_t ordinal, double time, const char *name, double step)
{
	cells_add(cells, 0, "time", ordinal, time)->table = TS_TABLE_EVENTS;
	cells_add(cells, 0, "step", ordinal, step)->table = TS_TABLE_EVENTS;
	cells_add_text(cells, 0, "name", ordinal, name);
	cells->items[cells->n - 1].table = TS_TABLE_EVENTS;
}

/* Step s ends at s seconds, after the restart at 1000 + s: of what was recorded before it the last that ends runs is said. */
static void what_ended_before_a_restart(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	restart_once(p);
	for (int64_t step = 0; step < END; step++)
		cells_add(&p->child, 0, "timestamp", step, (double)step + (step < RESUMED ? 0 : 1000));
	record_event(&p->child, 0, 50, "exception", 50);
	record_event(&p->child, 1, 119, "checkpoint", 119);
	check_alone(p, fp32, 1);
	assert_true(says(p->got.before, "'exception' at step 50."));
	record_event(&p->child, 2, 119.5, "SIGTERM", 119);
	record_event(&p->child, 3, 1150, "out of memory", 150);
	check_alone(p, fp32, 1);
	assert_true(says(p->got.before, "Before the restart the run recorded 'SIGTERM' at step 119."));
	assert_false(p->got.ending_parent.told);
	assert_true(p->got.ending_child.told);
	pair_close(p);
}

/* What was recorded before the first restart says nothing of the second. */
static void between_two_restarts(void **state)
{
	struct pair *p = pair_open();

	(void)state;
	cells_free(&p->child);
	add_run(&p->child, 0, 0, END);
	scale(&p->child, "scalars.loss", 110, 1.06);
	for (int64_t step = 0; step < END; step++) {
		cells_add(&p->child, 0, "segment", step, step < RESUMED ? 0 : step < 110 ? 1 : 2);
		cells_add(&p->child, 0, "timestamp", step, (double)step + (step < RESUMED ? 0 : step < 110 ? 1000 : 2000));
	}
	for (int64_t step = 110; step < 120; step++)
		supersede(&p->child, step - 110, step, 1, 1, step);
	record_event(&p->child, 0, 120, "SIGTERM", 120);
	check_alone(p, fp32, 1);
	assert_int_equal(p->got.why.step, 110);
	assert_int_equal(p->got.before.len, 0);
	record_event(&p->child, 1, 1120, "SIGINT", 120);
	check_alone(p, fp32, 1);
	assert_true(says(p->got.before, "'SIGINT'"));
	pair_close(p);
}

/* --- lineage --- */

static void parent_by_fact(void **state)
{
	struct pair *p = pair_open();
	struct ts_id parent = make_run(&p->w, &p->parent, fp32, 1);
	char hex[TS_ID_HEX + 1];
	struct told facts[] = {{.rank = TS_RANK_JOB, .path = "lineage.parent", .text = ts_id_hex(&parent, hex)}};

	(void)state;
	check_alone(p, facts, 1);
	expect(p, TS_RESUME_CORRECT, TS_CAUSE_IDENTICAL, TS_CONFIDENCE_HIGH);
	assert_true(ts_id_eq(&p->got.parent.id, &parent));
	assert_true(p->got.lineage.named && p->got.lineage.found);
	facts[0].text = "project/gone";
	check_alone(p, facts, 1);
	expect(p, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_true(says(p->got.why.sentence, "project/gone is not in this store"));
	assert_true(p->got.lineage.named && !p->got.lineage.found);
	facts[0].text = "gone"; /* the name has no project, so there is no project to search */
	check_alone(p, facts, 1);
	assert_false(p->got.lineage.found);
	check_alone(p, NULL, 0);
	expect(p, TS_RESUME_UNDECIDED, TS_CAUSE_NOT_COMPARABLE, TS_CONFIDENCE_NONE);
	assert_true(says(p->got.why.sentence, "names no parent"));
	pair_close(p);
}

static void shared_blocks(void **state)
{
	struct pair *p = pair_open();
	struct ts_lineage l = {.named = true};
	struct ts_run parent, child;
	struct ts_error err;
	struct ts_id id;

	(void)state;
	/* There are three blocks of 16,384 steps each, and the child differs in the third. Times are not part of the
	 * trajectory. */
	cells_free(&p->parent);
	cells_free(&p->child);
	for (int64_t step = 0; step < 3 * 16384; step++) {
		cells_add(&p->parent, 0, "scalars.loss", step, loss_at(step));
		cells_add(&p->child, 0, "scalars.loss", step, step < 40000 ? loss_at(step) : 1);
		cells_add(&p->parent, 0, "timestamp", step, (double)step);
		cells_add(&p->child, 0, "timestamp", step, (double)step);
	}
	id = make_run(&p->w, &p->parent, NULL, 0);
	must(ts_run_open(&p->w.fetch, &id, &p->w.arena, &parent, &err), &err);
	id = make_run(&p->w, &p->child, NULL, 0);
	must(ts_run_open(&p->w.fetch, &id, &p->w.arena, &child, &err), &err);
	ts_lineage_share(&child, &parent, &l);
	assert_int_equal(l.blocks, 3);
	assert_int_equal(l.shared_blocks, 2);
	assert_true(l.prefix);
	assert_int_equal(l.prefix_first, 0);
	assert_int_equal(l.prefix_last, 2 * 16384 - 1);
	/* A block that is shared after one that is not counts as shared, but not as part of the shared beginning. */
	cells_free(&p->child);
	for (int64_t step = 0; step < 3 * 16384; step++)
		cells_add(&p->child, 0, "scalars.loss", step, step == 20000 ? 1 : loss_at(step));
	id = make_run(&p->w, &p->child, NULL, 0);
	must(ts_run_open(&p->w.fetch, &id, &p->w.arena, &child, &err), &err);
	ts_lineage_share(&child, &parent, &l);
	assert_int_equal(l.shared_blocks, 2);
	assert_int_equal(l.prefix_last, 16383);
	/* A column that the parent lacks shares nothing, so there is no step that all columns share. */
	cells_add(&p->child, 0, "scalars.lr", 5, 1);
	id = make_run(&p->w, &p->child, NULL, 0);
	must(ts_run_open(&p->w.fetch, &id, &p->w.arena, &child, &err), &err);
	ts_lineage_share(&child, &parent, &l);
	assert_int_equal(l.blocks, 4);
	assert_int_equal(l.shared_blocks, 2);
	assert_false(l.prefix);
	ts_lineage_share(&parent, &parent, &l);
	assert_int_equal(l.shared_blocks, 3);
	pair_close(p);
}

/* --- rows --- */

/* Random ranges of a column of several blocks with gaps are compared with a walk through the plain cells. */
static void rows_between_keys(void **state)
{
	struct pair *p = pair_open();
	const struct ts_table *table;
	const struct ts_column *column;
	struct ts_run run;
	struct ts_error err;
	uint64_t seed = 7;
	struct ts_id id;

	(void)state;
	cells_free(&p->parent);
	for (int64_t step = -20000; step < 40000; step += 1 + (int64_t)draw_below(&seed, 3))
		cells_add(&p->parent, 0, "scalars.loss", step, (double)step);
	id = make_run(&p->w, &p->parent, NULL, 0);
	must(ts_run_open(&p->w.fetch, &id, &p->w.arena, &run, &err), &err);
	column = ts_index_column(&run.indexes[0], TS_TABLE_STEPS, ts_span_str("scalars.loss"), TS_COLUMN_F64, &table);
	assert_true(table->n_blocks > 2);
	for (int round = 0; round < 200; round++) {
		int64_t first = (int64_t)draw_below(&seed, 64000) - 22000, last = first + (int64_t)draw_below(&seed, 40000);
		size_t most = 1 + draw_below(&seed, 30000), n = 0, skip;
		bool from_end = draw_below(&seed, 2);
		struct ts_rows rows;

		must(ts_rows_load(&p->w.fetch, table, column, first, last, most, from_end, &p->w.arena, &rows, &err), &err);
		for (size_t i = 0; i < p->parent.n; i++)
			n += p->parent.items[i].step >= first && p->parent.items[i].step <= last;
		assert_int_equal(rows.n, n < most ? n : most);
		skip = from_end && n > most ? n - most : 0;
		for (size_t i = 0, at = 0; i < p->parent.n && at < skip + rows.n; i++) {
			const struct cell *c = &p->parent.items[i];

			if (c->step < first || c->step > last)
				continue;
			if (at >= skip) {
				assert_int_equal(rows.keys[at - skip], c->step);
				assert_true(ts_rows_real(&rows)[at - skip] == (double)c->step);
			}
			at++;
		}
		ts_arena_reset(&p->w.arena);
		must(ts_run_open(&p->w.fetch, &id, &p->w.arena, &run, &err), &err);
		column = ts_index_column(&run.indexes[0], TS_TABLE_STEPS, ts_span_str("scalars.loss"), TS_COLUMN_F64, &table);
	}
	pair_close(p);
}

/* --- the method --- */

static enum ts_status keep_reply(struct ts_call *call, struct ts_span message, struct ts_error *err)
{
	return ts_wire_unpack_resume_reply(message, call->arena, call->driver, err);
}

static bool never(const struct ts_call *call)
{
	(void)call;
	return false;
}

static void the_method_answers(void **state)
{
	struct pair *p = pair_open();
	struct ts_buf message = TS_BUF_INIT(1 << 20);
	char parent[80] = "id:", child[80] = "id:";
	struct ts_resume_request request;
	struct ts_resume got;
	struct ts_error err;
	struct ts_id id;

	(void)state;
	scale(&p->child, "scalars.loss", RESUMED, 1.08);
	scale(&p->child, "scalars.grad_norm", RESUMED, 1.08);
	id = make_run(&p->w, &p->parent, NULL, 0);
	ts_id_hex(&id, parent + 3);
	id = make_run(&p->w, &p->child, NULL, 0);
	ts_id_hex(&id, child + 3);
	p->w.call.reply = keep_reply;
	p->w.call.driver = &got;
	p->w.call.cancelled = never;
	request = (struct ts_resume_request){.parent = ts_span_str(parent), .child = ts_span_str(child)};
	must(ts_wire_pack_resume_request(&request, &message, &err), &err);
	must(ts_handle_check_resume(&p->w.call, NULL, ts_buf_view(&message), &err), &err);
	assert_int_equal(got.verdict, TS_RESUME_WRONG);
	assert_true(ts_id_eq(&got.child.id, &id));
	request.has_tolerance = true;
	request.tolerance = 0.1;
	message.len = 0;
	must(ts_wire_pack_resume_request(&request, &message, &err), &err);
	must(ts_handle_check_resume(&p->w.call, NULL, ts_buf_view(&message), &err), &err);
	assert_int_equal(got.verdict, TS_RESUME_CORRECT);
	ts_buf_finish(&message);
	pair_close(p);
}

/* The measures that test_resume leaves to this test are made here. */
static void every_measure_is_made(void **state)
{
	(void)state;
	assert_true(test_seen_names[TS_M_RESTART_AT] && test_seen_names[TS_M_RESTART_VERDICT]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resumed_correctly),
		cmocka_unit_test(loss_of_another_name),
		cmocka_unit_test(optimizer_lost),
		cmocka_unit_test(schedule_lost),
		cmocka_unit_test(data_shifted),
		cmocka_unit_test(data_one_rank_only),
		cmocka_unit_test(data_shifted_later),
		cmocka_unit_test(format_of_the_parent),
		cmocka_unit_test(generators_lost),
		cmocka_unit_test(generators_lost_beside_weights),
		cmocka_unit_test(what_stands_beside_the_loss),
		cmocka_unit_test(slower_than_the_parent),
		cmocka_unit_test(weights_of_another_run),
		cmocka_unit_test(no_overlap),
		cmocka_unit_test(interrupted_parent),
		cmocka_unit_test(where_it_resumes),
		cmocka_unit_test(another_cadence),
		cmocka_unit_test(restart_that_agrees),
		cmocka_unit_test(restart_that_differs),
		cmocka_unit_test(restart_with_other_data),
		cmocka_unit_test(second_restart_is_judged_alone),
		cmocka_unit_test(a_restart_that_repeats_one_step_leaves_the_answer),
		cmocka_unit_test(how_both_ended),
		cmocka_unit_test(what_ended_before_a_restart),
		cmocka_unit_test(between_two_restarts),
		cmocka_unit_test(parent_by_fact),
		cmocka_unit_test(shared_blocks),
		cmocka_unit_test(rows_between_keys),
		cmocka_unit_test(the_method_answers),
		cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests_name("check_resume", tests, NULL, NULL);
}
