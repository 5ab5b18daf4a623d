/* Tensors of one element, whose distances are exact, and large ones that are planted, clean or cut into shards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/diverge/sketch_diff.h"
#include "analysis/stats/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGE = 5000 };

struct fixture {
	struct ts_arena arena, scratch;
	struct ts_sketch_walk walk;
	struct ts_error err;
	int32_t rank;
	const char *dtype[TS_SKETCH_SIDES];
	bool shard;
	uint64_t occurrence;
};

static void begin(struct fixture *f, bool rounding, double perturbation)
{
	*f = (struct fixture){.dtype = {"fp32", "fp32", "fp32"}, .occurrence = TS_SKETCH_COUNTED};
	ts_arena_init(&f->arena, 0);
	ts_arena_init(&f->scratch, 0);
	assert_int_equal(ts_sketch_walk_init(&f->walk, rounding, perturbation, &f->arena, &f->scratch, &f->err), TS_OK);
	ts_sketch_walk_begin(&f->walk, 41);
}

static void put(struct fixture *f, enum ts_sketch_side side, const char *name, const char *kind, const struct tscope_sketch *sketch)
{
	struct ts_sketch_record r = {.name = ts_span_str(name), .kind = ts_span_str(kind), .dtype = ts_span_str(f->dtype[side]),
				     .occurrence = f->occurrence, .rank = f->rank, .shard = f->shard, .sketch = sketch};

	assert_int_equal(ts_sketch_walk_add(&f->walk, side, &r, &f->err), TS_OK);
}

static void put_one(struct fixture *f, enum ts_sketch_side side, const char *name, const char *kind, double value)
{
	struct tscope_sketch s = TSCOPE_SKETCH_NONE;

	tscope_sketch_f64(&s, &value, 1, 0);
	put(f, side, name, kind, &s);
}

/* The tensor 1 of the first run, how far the second and the third are off. */
static void put_off(struct fixture *f, const char *name, const char *kind, double b, double r)
{
	put_one(f, TS_SKETCH_A, name, kind, 1);
	put_one(f, TS_SKETCH_B, name, kind, 1 + b);
	put_one(f, TS_SKETCH_R, name, kind, 1 + r);
}

static const struct ts_sketch_diff *result(struct fixture *f)
{
	assert_int_equal(ts_sketch_walk_end(&f->walk, &f->err), TS_OK);
	assert_int_equal(ts_sketch_walk_finish(&f->walk, &f->err), TS_OK);
	return &f->walk.diff;
}

static void end(struct fixture *f)
{
	ts_sketch_walk_drop(&f->walk);
	ts_arena_finish(&f->arena);
	ts_arena_finish(&f->scratch);
}

static const struct ts_sketch_row *first_of(const struct ts_sketch_diff *d, const char *name, uint64_t before)
{
	assert_true(d->has_first);
	if (!ts_span_is(d->rows[d->first].name, name))
		fail_msg("%.*s, not %s", TS_SPAN_ARG(d->rows[d->first].name), name);
	assert_int_equal(d->before, before);
	assert_int_equal(d->rows[d->first].state, TS_SKETCH_ABOVE);
	return &d->rows[d->first];
}

/* --- the formula --- */

/* The third run is off by 2^-20 where its input was perturbed by 2^-20, and the second run has unit roundoff 2^-8: rounding is 2^-8. */
static void rounding_is_scaled_to_the_coarser_precision(void **state)
{
	const struct ts_sketch_row *row;
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-20);
	f.dtype[TS_SKETCH_B] = "torch.bfloat16";
	put_off(&f, "at", "output", 4 * 0x1p-8, 0x1p-20);
	put_off(&f, "beyond", "output", 5.5 * 0x1p-8, 0x1p-20);
	row = first_of(result(&f), "beyond", 1);
	assert_true(row->distance == 5.5 * 0x1p-8 && row->rounding == 0x1p-8 && row->ratio == 5.5 && row->limit == 4);
	assert_int_equal(f.walk.diff.within, 1);
	assert_int_equal(f.walk.diff.above, 1);
	assert_int_equal(row[-1].state, TS_SKETCH_WITHIN);
	end(&f);
	/* The first run is the coarse one: rounding is its own, and so is that of the third. */
	begin(&f, true, 0x1p-20);
	f.dtype[TS_SKETCH_A] = f.dtype[TS_SKETCH_R] = "bf16";
	put_off(&f, "at", "output", 6 * 0x1p-7, 0x1p-7);
	put_off(&f, "beyond", "output", 6.5 * 0x1p-7, 0x1p-7);
	row = first_of(result(&f), "beyond", 1);
	assert_true(row->rounding == 0x1p-7 && row->ratio == 6.5 && row->limit == 6);
	end(&f);
	/* It is never scaled to a finer one, and one unit of roundoff is always left. */
	begin(&f, true, 0x1p-20);
	put_off(&f, "moved", "output", 3 * 0x1p-20, 0x1p-20);
	put_off(&f, "at", "output", 25 * 0x1p-24, 0);
	put_off(&f, "beyond", "output", 26 * 0x1p-24, 0);
	row = first_of(result(&f), "beyond", 2);
	assert_true(row->rounding == 0x1p-24 && row->ratio == 26 && row->limit == 25);
	end(&f);
}

/* Of n elements one that flips makes 1 / sqrt(n), and of a share u of all sqrt(u). */
static void gradients_may_jump(void **state)
{
	struct tscope_sketch a = TSCOPE_SKETCH_NONE, b = TSCOPE_SKETCH_NONE;
	static const double x[] = {1, 1, 1, 1}, y[] = {1, 1, 1, 5};
	const struct ts_sketch_row *row;
	struct fixture f;

	(void)state;
	tscope_sketch_f64(&a, x, 4, 0);
	tscope_sketch_f64(&b, y, 4, 0);
	begin(&f, true, 0x1p-20);
	put_off(&f, "moved", "output", 0, 0x1p-20);
	put(&f, TS_SKETCH_A, "at", "grad", &a);
	put(&f, TS_SKETCH_B, "at", "grad", &b); /* 2 = 4 / sqrt(4) */
	put(&f, TS_SKETCH_R, "at", "grad", &a);
	put_off(&f, "beyond", "param_grad", 4.5, 0x1p-21);
	row = first_of(result(&f), "beyond", 2);
	assert_true(row[-1].distance == 2 && row[-1].state == TS_SKETCH_WITHIN);
	assert_true(row->rounding == 4.0 / 25 && row->ratio == 4.5 / (4.0 / 25) && row->part == TS_SKETCH_UPDATE);
	end(&f);
	for (int part = 0; part < 2; part++) {
		begin(&f, true, 0x1p-24);
		f.dtype[TS_SKETCH_B] = "bf16";
		tscope_sketch_f64(&a, (double[4096]){0}, 4092, 4);
		put_off(&f, "moved", "output", 0, 0x1p-20);
		put(&f, TS_SKETCH_A, "m", part ? "grad" : "param_grad", &a);
		b = a;
		b.sums[0] += 2 * (part ? 0.25 : 0.26); /* |a| is 2, and 0.25 is 4 sqrt(2^-8) */
		put(&f, TS_SKETCH_B, "m", part ? "grad" : "param_grad", &b);
		put(&f, TS_SKETCH_R, "m", part ? "grad" : "param_grad", &a);
		assert_int_equal(result(&f)->has_first, !part);
		end(&f);
		a = (struct tscope_sketch)TSCOPE_SKETCH_NONE;
		tscope_sketch_f64(&a, x, 4, 0);
	}
}

static void next(struct fixture *f, int64_t step)
{
	assert_int_equal(ts_sketch_walk_end(&f->walk, &f->err), TS_OK);
	ts_sketch_walk_begin(&f->walk, step);
}

static void expect_in(const struct ts_sketch_diff *d, const char *words)
{
	if (!memmem(d->sentence.data, d->sentence.len, words, strlen(words)))
		fail_msg("'%.*s' without '%s'", TS_SPAN_ARG(d->sentence), words);
}

/* Over steps the parameters move apart, by more than a scaled distance says: only a third run in that precision shows it. */
static void scaled_rounding_is_that_of_one_step(void **state)
{
	const struct ts_sketch_diff *d;
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-20);
	f.dtype[TS_SKETCH_B] = "bf16";
	put_off(&f, "m", "output", 0x1p-8, 0x1p-20);
	next(&f, 42);
	put_off(&f, "m", "output", 99 * 0x1p-8, 0x1p-20);
	d = result(&f);
	assert_true(!d->has_first && d->within == 1 && d->unjudged == 1 && !ts_sketch_explained(d));
	expect_in(d, "none of 1 tensor that could be judged differs by more than rounding; of others it is not known");
	end(&f);
	begin(&f, true, 0);
	f.dtype[TS_SKETCH_B] = f.dtype[TS_SKETCH_R] = "bf16";
	put_off(&f, "m", "output", 0x1p-8, 0x1p-8);
	next(&f, 42);
	put_off(&f, "m", "output", 99 * 0x1p-8, 0x1p-8);
	assert_int_equal(first_of(result(&f), "m", 0)->step, 42);
	end(&f);
	/* Of later gradients, whose limit is 35, one run shows less. */
	for (int i = 0; i < 3; i++) {
		begin(&f, true, 0);
		f.dtype[TS_SKETCH_B] = f.dtype[TS_SKETCH_R] = "bf16";
		put_off(&f, "m", "output", 0x1p-8, 0x1p-8);
		if (i)
			next(&f, 42);
		for (int side = 0; side < TS_SKETCH_SIDES; side++) {
			struct tscope_sketch s = TSCOPE_SKETCH_NONE;
			double x[4096] = {1};

			x[0] += side == TS_SKETCH_R ? 0x1p-6 : side == TS_SKETCH_A ? 0 : i == 2 ? 36 * 0x1p-6 : 34 * 0x1p-6;
			tscope_sketch_f64(&s, x, 4096, 0);
			put(&f, (enum ts_sketch_side)side, "m", "grad", &s);
		}
		assert_int_equal(result(&f)->has_first, i != 1);
		end(&f);
	}
}

/* An update that is smaller than a unit of its parameter is lost, whatever its own rounding. */
static void updates_of_coarser_parameters_are_not_judged(void **state)
{
	const struct ts_sketch_diff *d;
	struct fixture f;

	(void)state;
	begin(&f, true, 0);
	f.dtype[TS_SKETCH_R] = "bf16";
	put_off(&f, "m", "output", 0x1p-9, 0x1p-9);
	f.dtype[TS_SKETCH_B] = "bf16";
	f.dtype[TS_SKETCH_R] = "fp32";
	put_off(&f, "lost", "update", 1, 0x1p-9);
	put_off(&f, "none", "update", -1, 0x1p-9);
	d = result(&f);
	assert_true(!d->has_first && d->within == 1 && d->unjudged == 2);
	end(&f);
	begin(&f, true, 0);
	f.dtype[TS_SKETCH_B] = f.dtype[TS_SKETCH_R] = "bf16";
	for (int i = 0; i < 2; i++) {
		struct tscope_sketch s = TSCOPE_SKETCH_NONE;
		static const double ones[4096] = {1, 1}, twos[4096] = {2, 2};

		tscope_sketch_f64(&s, i ? twos : ones, 4096, 0);
		put(&f, i ? TS_SKETCH_B : TS_SKETCH_A, "doubled", "update", &s);
		if (i)
			continue;
		s.sums[0] += 0x1p-9;
		put(&f, TS_SKETCH_R, "doubled", "update", &s);
	}
	(void)first_of(result(&f), "doubled", 0);
	end(&f);
}

/* A fault between two steps that were sketched moves the parameters, and shows first wherever they are used first. */
static void steps_that_were_not_sketched_are_said(void **state)
{
	static const struct {
		int64_t step;
		bool says;
	} cases[] = {{42, false}, {51, true}};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct ts_sketch_diff *d;

		begin(&f, true, 0x1p-24);
		put_off(&f, "m", "output", 0x1p-24, 0x1p-24);
		next(&f, cases[i].step);
		put_off(&f, "m", "output", 1, 0x1p-24);
		d = result(&f);
		(void)first_of(d, "m", 0);
		assert_true(d->has_step_before && d->step_before == 41);
		assert_int_equal(memmem(d->sentence.data, d->sentence.len, "is 41, and what went wrong since", 32) != NULL,
				 cases[i].says);
		end(&f);
	}
	begin(&f, true, 0x1p-24);
	put_off(&f, "m", "output", 1, 0x1p-24);
	assert_false(result(&f)->has_step_before);
	end(&f);
}

/* What cannot be told is said, and never passes for within rounding. */
static void a_third_run_that_shows_nothing(void **state)
{
	const struct ts_sketch_diff *d;
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-24);
	put_one(&f, TS_SKETCH_A, "m", "output", 1);
	put_one(&f, TS_SKETCH_B, "m", "output", 1);
	put_one(&f, TS_SKETCH_A, "n", "output", 1);
	put_one(&f, TS_SKETCH_B, "n", "output", 2);
	d = result(&f);
	assert_true(!d->shown && !d->flat && !ts_sketch_explained(d));
	assert_int_equal(ts_sketch_judged(d), 0);
	expect_in(d, "the run that was to show rounding has no sketches of these tensors at these steps");
	end(&f);
	begin(&f, true, 0x1p-24);
	put_off(&f, "m", "output", 2, 0.5);
	d = result(&f);
	assert_true(!d->has_first && d->noise == 1 && !ts_sketch_explained(d));
	assert_int_equal(ts_sketch_judged(d), 0);
	expect_in(d, "lies so far from the first");
	end(&f);
}

/* Without a perturbation that is recorded, the third run counts as one at its own precision. */
static void a_third_run_at_the_precision_of_the_second(void **state)
{
	const struct ts_sketch_row *row;
	struct fixture f;

	(void)state;
	begin(&f, true, 0);
	f.dtype[TS_SKETCH_B] = f.dtype[TS_SKETCH_R] = "bf16";
	put_off(&f, "at", "output", 6 * 0x1p-7, 0x1p-7);
	put_off(&f, "beyond", "output", 7 * 0x1p-7, -0x1p-7);
	row = first_of(result(&f), "beyond", 1);
	assert_true(row->rounding == 0x1p-7 && row->ratio == 7 && row->limit == 6);
	end(&f);
}

/* Under autocast a residual sum is float32 and has the rounding of what was added to it. */
static void coarse_rounding_is_carried_on(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-24);
	put_off(&f, "fine", "output", 0x1p-24, 0x1p-24);
	f.dtype[TS_SKETCH_B] = "bf16";
	put_off(&f, "coarse", "output", 0x1p-8, 0x1p-24);
	f.dtype[TS_SKETCH_B] = "float32";
	put_off(&f, "sum", "output", 0x1p-8, 0x1p-24);
	assert_false(result(&f)->has_first);
	assert_int_equal(f.walk.diff.within, 3);
	end(&f);
	begin(&f, true, 0x1p-24);
	f.dtype[TS_SKETCH_B] = "float32";
	put_off(&f, "sum", "output", 0x1p-8, 0x1p-24);
	f.dtype[TS_SKETCH_B] = "bf16";
	put_off(&f, "coarse", "output", 0x1p-8, 0x1p-24);
	(void)first_of(result(&f), "sum", 0);
	end(&f);
}

static void roundoffs(void **state)
{
	(void)state;
	assert_true(ts_sketch_roundoff(ts_span_str("torch.float32")) == 0x1p-24);
	assert_true(ts_sketch_roundoff(ts_span_str("double")) == 0x1p-53);
	assert_true(ts_sketch_roundoff(ts_span_str("half")) == 0x1p-11);
	assert_true(ts_sketch_roundoff(ts_span_str("tf32")) == 0x1p-11);
	assert_true(ts_sketch_roundoff(ts_span_str("bfloat16")) == 0x1p-8);
	assert_true(ts_sketch_roundoff(ts_span_str("torch.float8_e4m3fn")) == 0x1p-4);
	assert_true(ts_sketch_roundoff(ts_span_str("torch.int64")) == 0 && ts_sketch_roundoff(ts_span_str("")) == 0);
}

/* --- order --- */

static void forward_comes_before_backward_before_updates(void **state)
{
	struct fixture f;

	(void)state;
	for (int least = 0; least < 3; least++) {
		static const char *const names[] = {"of output", "of grad", "of update"};

		begin(&f, true, 0x1p-20);
		put_off(&f, "of update", "update", 5, 0x1p-20);
		put_off(&f, "of grad", "grad", least < 2 ? 5 : 0, 0x1p-20);
		put_off(&f, "of output", "output", least < 1 ? 1 : 0, 0x1p-20);
		(void)first_of(result(&f), names[least], (uint64_t)least);
		end(&f);
	}
}

/* The order is that of the first run, whatever the second has; of two that are equally far off it is the first. */
static void order_is_that_of_the_first_run(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-20);
	for (size_t i = 0; i < 4; i++)
		put_one(&f, TS_SKETCH_A, names[i], "output", 1);
	for (size_t i = 4; i-- > 0;)
		put_one(&f, TS_SKETCH_B, names[i], "output", i == 1 || i == 3 ? 2 : 1);
	for (size_t i = 0; i < 4; i++)
		put_one(&f, TS_SKETCH_R, names[i], "output", 1 + 0x1p-20);
	(void)first_of(result(&f), "b", 1);
	end(&f);
}

/* Stages of a pipeline: the gradients come from the last rank to the first. */
static void stages_are_in_order_of_ranks(void **state)
{
	struct fixture f;

	(void)state;
	for (int backward = 0; backward < 2; backward++) {
		const char *kind = backward ? "grad" : "output";

		begin(&f, true, 0x1p-20);
		for (int side = 0; side < TS_SKETCH_SIDES; side++)
			for (f.rank = 0; f.rank < 2; f.rank++)
				put_one(&f, (enum ts_sketch_side)side, f.rank ? "late" : "early", kind,
					side == TS_SKETCH_B ? 6 : side == TS_SKETCH_R ? 1 + 0x1p-20 : 1);
		(void)first_of(result(&f), backward ? "late" : "early", 0);
		end(&f);
	}
}

static void rows_around_the_first(void **state)
{
	char name[16];
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-20);
	for (int i = 0; i < 20; i++) {
		(void)snprintf(name, sizeof name, "m%d", i);
		put_off(&f, name, "output", i < 12 ? 0x1p-24 : 1, 0x1p-20);
	}
	(void)first_of(result(&f), "m12", 12);
	assert_int_equal(f.walk.diff.n, TS_SKETCH_ROWS);
	assert_int_equal(f.walk.diff.first, 2);
	assert_int_equal(f.walk.diff.rows[0].place, 10);
	assert_true(ts_span_is(f.walk.diff.rows[7].name, "m17"));
	end(&f);
}

/* --- alignment --- */

static void occurrences_are_said_or_counted(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-20);
	for (uint64_t i = 0; i < 3; i++)
		put_one(&f, TS_SKETCH_A, "m", "output", (double)(i + 1));
	for (f.occurrence = 3; f.occurrence-- > 0;)
		put_one(&f, TS_SKETCH_B, "m", "output", f.occurrence == 1 ? 3 : (double)(f.occurrence + 1));
	f.occurrence = TS_SKETCH_COUNTED;
	for (uint64_t i = 0; i < 3; i++)
		put_one(&f, TS_SKETCH_R, "m", "output", (double)(i + 1) * (1 + 0x1p-20));
	assert_int_equal(first_of(result(&f), "m", 1)->occurrence, 1);
	assert_int_equal(f.walk.diff.equal, 2);
	end(&f);
}

/* A name of one kind is no other tensor's, whichever way the two are cut. */
static void what_one_run_lacks_is_counted(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, false, 0);
	f.dtype[TS_SKETCH_B] = "int8"; /* whose rounding nobody knows */
	put_one(&f, TS_SKETCH_A, "both", "output", 1);
	put_one(&f, TS_SKETCH_A, "bothout", "put", 1);
	put_one(&f, TS_SKETCH_A, "alone", "output", 1);
	put_one(&f, TS_SKETCH_B, "both", "output", 1.5);
	put_one(&f, TS_SKETCH_B, "both", "grad", 1);
	assert_false(result(&f)->has_first);
	assert_int_equal(f.walk.diff.compared, 1);
	assert_int_equal(f.walk.diff.only_a, 2);
	assert_int_equal(f.walk.diff.only_b, 1);
	assert_int_equal(f.walk.diff.unjudged, 1);
	assert_int_equal(f.walk.diff.n, 1);
	assert_true(f.walk.diff.rows[0].distance == 0.5 && isnan(f.walk.diff.rows[0].rounding) && isnan(f.walk.diff.rows[0].ratio));
	end(&f);
}

/* --- what is not judged --- */

static void what_cannot_be_judged_is_counted(void **state)
{
	static const double two[] = {1, 2}, none[] = {(double)NAN};
	struct tscope_sketch longer = TSCOPE_SKETCH_NONE, odd = TSCOPE_SKETCH_NONE;
	struct fixture f;

	(void)state;
	tscope_sketch_f64(&longer, two, 2, 0);
	tscope_sketch_f64(&odd, none, 1, 0);
	begin(&f, true, 0x1p-20);
	put_off(&f, "moved", "output", 0, 0x1p-20);
	put_off(&f, "noise", "output", 1, 0.25);
	put_one(&f, TS_SKETCH_A, "zero", "output", 0);
	put_one(&f, TS_SKETCH_B, "zero", "output", 1);
	put_one(&f, TS_SKETCH_R, "zero", "output", 0);
	put_one(&f, TS_SKETCH_A, "longer", "output", 1);
	put(&f, TS_SKETCH_B, "longer", "output", &longer);
	put_one(&f, TS_SKETCH_R, "longer", "output", 1);
	for (int side = 0; side < TS_SKETCH_SIDES; side++)
		put(&f, (enum ts_sketch_side)side, "odd", "output", &odd);
	put_one(&f, TS_SKETCH_A, "no third", "output", 1);
	put_one(&f, TS_SKETCH_B, "no third", "output", 2);
	f.dtype[TS_SKETCH_B] = "int8";
	put_off(&f, "no type", "output", 1, 0x1p-20);
	f.dtype[TS_SKETCH_B] = "fp8_e5m2";
	put_off(&f, "too coarse", "output", 5, 0.09);
	assert_false(result(&f)->has_first);
	assert_int_equal(f.walk.diff.compared, 8);
	assert_int_equal(f.walk.diff.equal, 1);
	assert_int_equal(f.walk.diff.noise, 3);
	assert_int_equal(f.walk.diff.sizes, 1);
	assert_int_equal(f.walk.diff.not_finite, 1);
	assert_int_equal(f.walk.diff.unjudged, 2);
	end(&f);
}

/* Rounding moves an update and leaves none of it out; where a third run is as far off, 0 may be rounding. */
static void an_update_of_nothing_is_above(void **state)
{
	const struct ts_sketch_row *row;
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-20);
	put_off(&f, "noise", "update", -1, 0.75);
	put_off(&f, "lost", "update", -1, 0.5);
	row = first_of(result(&f), "lost", 1);
	assert_true(isnan(row->ratio) && row->distance == 1);
	assert_int_equal(row[-1].state, TS_SKETCH_NOISE);
	assert_true(ts_span_is(f.walk.diff.sentence,
			       "the first tensor that differs by more than rounding is the update of lost, at step 41: it "
			       "is 0 in the second run alone"));
	end(&f);
	begin(&f, true, 0x1p-20);
	put_off(&f, "lost", "param_grad", -1, 0.5);
	assert_false(result(&f)->has_first);
	end(&f);
}

/* A layer that one run leaves out is what differs, and not the first tensor behind it; one that comes later is no cause of it. */
static void a_module_of_one_run_leads_where_it_comes_first(void **state)
{
	const struct ts_sketch_diff *d;
	struct fixture f;

	(void)state;
	for (int late = 0; late < 2; late++) {
		begin(&f, true, 0x1p-20);
		put_off(&f, "one", "output", 0, 0x1p-24);
		if (!late)
			put_one(&f, TS_SKETCH_A, "two", "output", 1);
		put_off(&f, "three", "output", 0.5, 0x1p-24);
		if (late)
			put_one(&f, TS_SKETCH_A, "two", "output", 1);
		d = result(&f);
		assert_int_equal(d->apart_first, !late);
		(void)first_of(d, "three", 1);
		assert_true(ts_span_starts(
			d->sentence, ts_span_str(late ? "the first tensor that differs by more than rounding is the output of three"
						      : "the first run alone has 1 tensor at step 41, of which the first is the output "
							"of two; the first tensor that differs by more than rounding is")));
		end(&f);
	}
}

static void what_is_not_finite_in_the_second_run_alone_is_above(void **state)
{
	static const double none[] = {HUGE_VAL};
	struct tscope_sketch odd = TSCOPE_SKETCH_NONE;
	struct fixture f;

	(void)state;
	tscope_sketch_f64(&odd, none, 1, 0);
	for (int third = 0; third < 2; third++) {
		begin(&f, true, 0x1p-20);
		put_off(&f, "moved", "output", 0, 0x1p-20);
		put_one(&f, TS_SKETCH_A, "odd", "output", 1);
		put(&f, TS_SKETCH_B, "odd", "output", &odd);
		if (third)
			put(&f, TS_SKETCH_R, "odd", "output", &odd);
		else
			put_one(&f, TS_SKETCH_R, "odd", "output", 1);
		assert_int_equal(result(&f)->has_first, !third);
		if (!third) {
			assert_int_equal(first_of(&f.walk.diff, "odd", 1)->nonfinite_b, 1);
			assert_true(isnan(f.walk.diff.rows[1].distance) && isnan(f.walk.diff.rows[1].ratio));
		}
		end(&f);
	}
}

/* A third run that is the first once more shows nothing, so nothing is named. */
static void a_third_run_that_is_equal_shows_no_rounding(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 0);
	put_off(&f, "m", "output", 1, 0);
	assert_true(!result(&f)->has_first && f.walk.diff.flat);
	assert_int_equal(f.walk.diff.unjudged, 1);
	assert_true(f.walk.diff.rows[0].distance == 1);
	end(&f);
}

/* --- large tensors --- */

static void draw(double *x, uint64_t seed)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	for (size_t i = 0; i < LARGE; i++)
		x[i] = ts_random_normal(&r);
}

/* Puts a tensor as `ranks` shards, each of every ranks-th stretch of 100 elements; one rank has it whole. */
static void put_shards(struct fixture *f, enum ts_sketch_side side, const char *name, const double *x, int32_t ranks, bool missing)
{
	f->shard = ranks > 1;
	for (f->rank = 0; f->rank < ranks; f->rank++) {
		struct tscope_sketch s = TSCOPE_SKETCH_NONE;

		for (size_t at = (size_t)f->rank * 100; at < LARGE; at += (size_t)ranks * 100)
			tscope_sketch_f64(&s, x + at, 100, at);
		if (!missing || f->rank)
			put(f, side, name, "output", &s);
	}
	f->shard = false;
	f->rank = 0;
}

static void shards_are_added_up(void **state)
{
	double x[LARGE], y[LARGE];
	struct fixture f;

	(void)state;
	draw(x, 1);
	for (size_t i = 0; i < LARGE; i++)
		x[i] = round(1000 * x[i]); /* whole numbers add exactly */
	for (int32_t ranks = 1; ranks <= 5; ranks++) {
		for (int planted = 0; planted < 2; planted++) {
			memcpy(y, x, sizeof y);
			y[1234] += planted ? 50000 : 0;
			begin(&f, true, 0x1p-20);
			put_off(&f, "moved", "output", 0, 0x1p-20);
			put_shards(&f, TS_SKETCH_A, "m", x, 1, false);
			put_shards(&f, TS_SKETCH_B, "m", y, ranks, false);
			put_shards(&f, TS_SKETCH_R, "m", x, 2, false);
			assert_int_equal(result(&f)->has_first, planted);
			assert_int_equal(f.walk.diff.equal, planted ? 1 : 2);
			assert_int_equal(f.walk.diff.shards, ranks > 1);
			end(&f);
		}
	}
	/* A shard that was not recorded is no distance, but another number of elements. */
	begin(&f, true, 0x1p-20);
	put_shards(&f, TS_SKETCH_A, "m", x, 1, false);
	put_shards(&f, TS_SKETCH_B, "m", x, 2, true);
	assert_int_equal(result(&f)->sizes, 1);
	assert_false(f.walk.diff.has_first);
	end(&f);
}

/* Ranks that all hold the whole tensor are not added up, and a whole one stands before shards. */
static void of_whole_tensors_the_lowest_rank_counts(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true, 0x1p-20);
	put_off(&f, "moved", "output", 0, 0x1p-20);
	put_one(&f, TS_SKETCH_A, "m", "output", 1);
	f.shard = true;
	put_one(&f, TS_SKETCH_B, "m", "output", 5);
	f.shard = false;
	for (f.rank = 1; f.rank < 4; f.rank++)
		put_one(&f, TS_SKETCH_B, "m", "output", (double)f.rank);
	f.rank = 0;
	put_one(&f, TS_SKETCH_R, "m", "output", 1);
	assert_int_equal(result(&f)->equal, 2);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounding_is_scaled_to_the_coarser_precision),
		cmocka_unit_test(gradients_may_jump),
		cmocka_unit_test(a_third_run_at_the_precision_of_the_second),
		cmocka_unit_test(coarse_rounding_is_carried_on),
		cmocka_unit_test(scaled_rounding_is_that_of_one_step),
		cmocka_unit_test(updates_of_coarser_parameters_are_not_judged),
		cmocka_unit_test(steps_that_were_not_sketched_are_said),
		cmocka_unit_test(a_third_run_that_shows_nothing),
		cmocka_unit_test(roundoffs),
		cmocka_unit_test(forward_comes_before_backward_before_updates),
		cmocka_unit_test(order_is_that_of_the_first_run),
		cmocka_unit_test(stages_are_in_order_of_ranks),
		cmocka_unit_test(rows_around_the_first),
		cmocka_unit_test(occurrences_are_said_or_counted),
		cmocka_unit_test(what_one_run_lacks_is_counted),
		cmocka_unit_test(what_cannot_be_judged_is_counted),
		cmocka_unit_test(an_update_of_nothing_is_above),
		cmocka_unit_test(a_module_of_one_run_leads_where_it_comes_first),
		cmocka_unit_test(what_is_not_finite_in_the_second_run_alone_is_above),
		cmocka_unit_test(a_third_run_that_is_equal_shows_no_rounding),
		cmocka_unit_test(shards_are_added_up),
		cmocka_unit_test(of_whole_tensors_the_lowest_rank_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
