/* What a group of tensors has in common: planted by its definition, and not found where tensors merely differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/diverge/sketch_diff.h"
#include "analysis/stats/random.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS = 3000, TENSORS = 4 };

struct fixture {
	struct ts_arena arena, scratch;
	struct ts_sketch_walk walk;
	struct ts_error err;
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.walk = {.n = 0}};
	ts_arena_init(&f->arena, 0);
	ts_arena_init(&f->scratch, 0);
	assert_int_equal(ts_sketch_walk_init(&f->walk, false, 0, &f->arena, &f->scratch, &f->err), TS_OK);
}

static void end(struct fixture *f)
{
	ts_sketch_walk_drop(&f->walk);
	ts_arena_finish(&f->arena);
	ts_arena_finish(&f->scratch);
}

static void put(struct fixture *f, enum ts_sketch_side side, const char *name, const char *kind, const struct tscope_sketch *sketch)
{
	struct ts_sketch_record r = {.name = ts_span_str(name),
				     .kind = ts_span_str(kind),
				     .dtype = ts_span_str("float32"),
				     .occurrence = TS_SKETCH_COUNTED,
				     .sketch = sketch};

	assert_int_equal(ts_sketch_walk_add(&f->walk, side, &r, &f->err), TS_OK);
}

static void put_same(struct fixture *f, enum ts_sketch_side side, const char *name, const char *same, bool idle)
{
	struct ts_sketch_record r = {.name = ts_span_str(name),
				     .kind = ts_span_str("output"),
				     .occurrence = TS_SKETCH_COUNTED,
				     .same = ts_span_str(same),
				     .idle = idle};

	assert_int_equal(ts_sketch_walk_add(&f->walk, side, &r, &f->err), TS_OK);
}

/* The tensor number i that a seed draws, times a scale that is the tensor's own, plus another one. */
static struct tscope_sketch drawn(uint64_t seed, int i, double times, uint64_t other, double of_other)
{
	struct tscope_sketch s = TSCOPE_SKETCH_NONE;
	struct ts_random x, y;
	double values[ELEMENTS];

	ts_random_init(&x, seed * 1000 + (uint64_t)i);
	ts_random_init(&y, other * 1000 + (uint64_t)i);
	for (size_t k = 0; k < ELEMENTS; k++)
		values[k] = (i + 1) * (times * (ts_random_unit(&x) - 0.5) + of_other * (ts_random_unit(&y) - 0.5));
	tscope_sketch_f64(&s, values, ELEMENTS, 0);
	return s;
}

/* What the second run has in the place of a drawn tensor. */
struct change {
	double times;
	uint64_t other;
	double of_other;
};

static void put_kind(struct fixture *f, const char *kind, uint64_t seed, struct change b)
{
	static const char *const names[TENSORS] = {"p0", "p1", "p2", "p3"};

	for (int side = TS_SKETCH_A; side <= TS_SKETCH_B; side++)
		for (int i = 0; i < TENSORS; i++) {
			struct tscope_sketch s =
				side == TS_SKETCH_A ? drawn(seed, i, 1, 1, 0) : drawn(seed, i, b.times, b.other, b.of_other);

			put(f, (enum ts_sketch_side)side, names[i], kind, &s);
		}
}

static void put_step(struct fixture *f, int64_t step, struct change grad, struct change param_grad, struct change update)
{
	uint64_t seed = 10 * (uint64_t)step;

	ts_sketch_walk_begin(&f->walk, step);
	put_kind(f, "output", seed + 1, (struct change){1, 1, 0});
	put_kind(f, "grad", seed + 2, grad);
	put_kind(f, "param_grad", seed + 3, param_grad);
	put_kind(f, "update", seed + 4, update);
	assert_int_equal(ts_sketch_walk_end(&f->walk, &f->err), TS_OK);
}

static void expect(struct fixture *f, enum ts_sketch_group group, const char *kind, const char *words)
{
	const struct ts_sketch_diff *d = &f->walk.diff;

	assert_int_equal(ts_sketch_walk_finish(&f->walk, &f->err), TS_OK);
	assert_int_equal(d->group, group);
	assert_true(d->has_first);
	if (!ts_span_is(d->rows[d->first].kind, kind) || !ts_span_contains(d->sentence, words))
		fail_msg("%.*s: %.*s", TS_SPAN_ARG(d->rows[d->first].kind), TS_SPAN_ARG(d->sentence));
	end(f);
}

static const struct change same = {1, 1, 0}, noise = {1, 777, 0.3};

static void factors(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	put_step(&f, 0, (struct change){4, 1, 0}, (struct change){4, 1, 0}, same);
	expect(&f, TS_SKETCH_GRADIENTS, "grad", "all gradients of the second run are 4 times those of the first, at step 0");
	begin(&f); /* clipped to the same norm */
	put_step(&f, 0, (struct change){0.25, 1, 0}, same, same);
	expect(&f, TS_SKETCH_GRADIENTS, "grad", "are 0.25 times");
	begin(&f); /* too small a factor for any distance */
	put_step(&f, 0, same, (struct change){1.003, 1, 0}, (struct change){1.003, 1, 0});
	expect(&f, TS_SKETCH_CLIPPED, "param_grad",
	       "are 1.003 times those of the first at step 0, where the gradients of outputs agree");
	begin(&f);
	put_step(&f, 0, same, same, (struct change){2, 1, 0});
	expect(&f, TS_SKETCH_UPDATES, "update", "all updates of the second run are 2 times those of the first at step 0");
}

static void what_was_added(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	put_step(&f, 0, same, same, same);
	put_step(&f, 1, same, (struct change){0.7, 3, 0.7}, same); /* the seed 3 is that of these gradients at step 0 */
	expect(&f, TS_SKETCH_ACCUMULATED, "param_grad", "zero_grad is left out in the second run");
	begin(&f); /* of another step than the one before */
	put_step(&f, 0, same, same, same);
	put_step(&f, 2, same, (struct change){0.7, 3, 0.7}, same);
	assert_int_equal(f.walk.diff.group, TS_SKETCH_ALONE);
	end(&f);
	begin(&f); /* something else */
	put_step(&f, 0, same, same, same);
	put_step(&f, 1, same, (struct change){0.7, 999, 0.7}, same);
	expect(&f, TS_SKETCH_ALONE, "param_grad", "is the gradient of the parameter p0, at step 1");
}

/* A gradient that is doubled makes their norm larger, and clipping by it scales the others down. */
static void one_gradient_and_the_clipping_of_all(void **state)
{
	struct tscope_sketch s;
	struct fixture f;

	(void)state;
	for (int rest = 0; rest < 2; rest++) {
		begin(&f);
		ts_sketch_walk_begin(&f.walk, 0);
		put_kind(&f, "grad", 1, same);
		put_kind(&f, "param_grad", 2, rest ? (struct change){0.8, 7, 0.1} : (struct change){0.8, 1, 0});
		s = drawn(3, 20, 1, 1, 0); /* the greatest of all */
		put(&f, TS_SKETCH_A, "odd", "param_grad", &s);
		s = drawn(3, 20, 1.6, 1, 0);
		put(&f, TS_SKETCH_B, "odd", "param_grad", &s);
		assert_int_equal(ts_sketch_walk_end(&f.walk, &f.err), TS_OK);
		if (rest)
			expect(&f, TS_SKETCH_ALONE, "param_grad", "is the gradient of the parameter p0, at step 0");
		else
			expect(&f, TS_SKETCH_OUTLIERS, "param_grad",
			       "the gradient of the parameter odd of the second run is something else at step 0, while those of 4 of 5 "
			       "are 0.8 times those of the first, where the gradients of outputs agree: one run changes this gradient");
	}
}

static void settings_of_one_parameter(void **state)
{
	struct tscope_sketch s;
	struct fixture f;

	(void)state;
	for (int distance = 0; distance < 2; distance++) {
		begin(&f);
		ts_sketch_walk_begin(&f.walk, 0);
		put_kind(&f, "param_grad", 1, same);
		put_kind(&f, "update", 2, same);
		s = drawn(3, 5, 1, 1, 0);
		put(&f, TS_SKETCH_A, "odd", "update", &s);
		s = drawn(3, 5, 1, 7, distance ? 0.008 : 0.0005);
		put(&f, TS_SKETCH_B, "odd", "update", &s);
		assert_int_equal(ts_sketch_walk_end(&f.walk, &f.err), TS_OK);
		if (distance) {
			expect(&f, TS_SKETCH_SETTINGS, "update", "1 update of 5, the first of them that of odd, differs at step 0");
			continue;
		}
		assert_int_equal(f.walk.diff.group, TS_SKETCH_ALONE);
		end(&f);
	}
}

/* A factor that not all share, and differences without one, are no group. */
static void no_group(void **state)
{
	struct tscope_sketch s;
	struct fixture f;

	(void)state;
	begin(&f);
	put_step(&f, 0, noise, noise, noise);
	expect(&f, TS_SKETCH_ALONE, "grad", "is the gradient of the output of p0, at step 0");
	begin(&f); /* the last of them is right: what scales begins behind it */
	ts_sketch_walk_begin(&f.walk, 0);
	for (int side = TS_SKETCH_A; side <= TS_SKETCH_B; side++) {
		s = drawn(1, 8, 1, 1, 0);
		put(&f, (enum ts_sketch_side)side, "last", "grad", &s);
	}
	put_kind(&f, "grad", 2, (struct change){2, 1, 0});
	assert_int_equal(ts_sketch_walk_end(&f.walk, &f.err), TS_OK);
	expect(&f, TS_SKETCH_ALONE, "grad", "is the gradient of the output of p0, at step 0");
}

/* Without a third run rounding is known only where both had the same parameters. */
static void where_rounding_is_estimated(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	put_step(&f, 0, (struct change){1, 5, 1e-7}, same, noise);
	assert_true(f.walk.diff.within == TENSORS && f.walk.diff.unjudged == TENSORS && f.walk.diff.equal == 2 * TENSORS);
	put_step(&f, 1, noise, noise, noise);
	assert_int_equal(f.walk.diff.unjudged, 4 * TENSORS);
	assert_int_equal(ts_sketch_walk_finish(&f.walk, &f.err), TS_OK);
	assert_true(f.walk.diff.estimated && !f.walk.diff.has_first && !ts_sketch_explained(&f.walk.diff));
	assert_true(ts_span_contains(f.walk.diff.sentence, "is estimated from the types and the depth"));
	end(&f);
}

static void modules_that_do_nothing(void **state)
{
	struct tscope_sketch x = drawn(1, 1, 1, 1, 0), y = drawn(2, 1, 1, 1, 0);
	struct fixture f;

	(void)state;
	begin(&f);
	ts_sketch_walk_begin(&f.walk, 3);
	put(&f, TS_SKETCH_A, "down", "output", &x);
	put(&f, TS_SKETCH_A, "drop", "output", &y);
	put_same(&f, TS_SKETCH_A, "mlp", "drop", false);
	put(&f, TS_SKETCH_A, "drop", "grad", &y); /* which is not counted as only in one of them */
	put(&f, TS_SKETCH_B, "down", "output", &x);
	put_same(&f, TS_SKETCH_B, "drop", "down", true);
	put_same(&f, TS_SKETCH_B, "mlp", "down", false);
	put_same(&f, TS_SKETCH_B, "lost", "nobody", true);
	put_same(&f, TS_SKETCH_B, "itself", "itself", true);
	assert_int_equal(ts_sketch_walk_end(&f.walk, &f.err), TS_OK);
	assert_true(f.walk.diff.compared == 2 && f.walk.diff.only_a == 0 && f.walk.diff.only_b == 0);
	assert_true(
		ts_span_is(f.walk.diff.apart, "drop gives its input in the second run, and something else in the first, at step 3"));
	expect(&f, TS_SKETCH_ALONE, "output", "is the output of drop, at step 3");
	begin(&f);
	ts_sketch_walk_begin(&f.walk, 3);
	put(&f, TS_SKETCH_A, "down", "output", &x);
	put(&f, TS_SKETCH_B, "down", "output", &x);
	put(&f, TS_SKETCH_B, "more", "output", &x);
	put(&f, TS_SKETCH_B, "yet more", "output", &x);
	assert_int_equal(ts_sketch_walk_end(&f.walk, &f.err), TS_OK);
	assert_true(ts_span_is(f.walk.diff.apart,
			       "the second run alone has 2 tensors at step 3, of which the first is the output of more"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(factors),
		cmocka_unit_test(what_was_added),
		cmocka_unit_test(one_gradient_and_the_clipping_of_all),
		cmocka_unit_test(settings_of_one_parameter),
		cmocka_unit_test(no_group),
		cmocka_unit_test(where_rounding_is_estimated),
		cmocka_unit_test(modules_that_do_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
