/* Sketches: the sums of the definition, shards that add up, and what has no place in a sum. How good the estimate is, quality_sketch.c
 * counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "record/sketch.h"

enum { FIRST = 12345, COUNT = 5000 };

static const double want[TSCOPE_SKETCH_SUMS] = {
#include "record/sketch_vector.inc"
};

static double value(uint64_t index)
{
	return (double)(index * index % 1009) - 500;
}

static void fill(double *x)
{
	for (uint64_t i = 0; i < COUNT; i++)
		x[i] = value(FIRST + i);
}

static void test_definition(void **state)
{
	struct tscope_sketch s = TSCOPE_SKETCH_NONE;
	double x[COUNT], squares = 0;

	(void)state;
	fill(x);
	for (size_t i = 0; i < COUNT; i++)
		squares += x[i] * x[i];
	tscope_sketch_f64(&s, x, COUNT, FIRST);
	assert_memory_equal(s.sums, want, sizeof want);
	assert_true(s.squares == squares && s.count == COUNT && s.nonfinite == 0);
}

/* Every stretch of whole numbers adds exactly, so shards of any cut give the very same sums. */
static void test_shards(void **state)
{
	static const size_t cuts[] = {0, 1, 255, 256, 1000, 1001, 4999, COUNT};
	struct tscope_sketch whole = TSCOPE_SKETCH_NONE;
	double x[COUNT];

	(void)state;
	fill(x);
	for (size_t c = sizeof cuts / sizeof cuts[0]; --c > 0;) {
		struct tscope_sketch shard = TSCOPE_SKETCH_NONE;
		float y[COUNT];

		for (size_t i = cuts[c - 1]; i < cuts[c]; i++)
			y[i] = (float)x[i];
		tscope_sketch_f32(&shard, y + cuts[c - 1], cuts[c] - cuts[c - 1], FIRST + cuts[c - 1]);
		tscope_sketch_join(&whole, &shard);
	}
	assert_memory_equal(whole.sums, want, sizeof want);
	assert_int_equal(whole.count, COUNT);
}

static void test_half_types(void **state)
{
	/* 1, -2, 65504 (largest half), 2^-24 (smallest), 0.333251953125, -0 */
	static const uint16_t halves[] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0x8000};
	static const double of_halves[] = {1, -2, 65504, 0x1p-24, 0.333251953125, 0};
	/* 1, -2, 3.3895313892515355e38 (largest bfloat16), 2^-133 (smallest) */
	static const uint16_t brains[] = {0x3f80, 0xc000, 0x7f7f, 0x0001};
	static const double of_brains[] = {1, -2, 0x1.fep127, 0x1p-133};
	struct tscope_sketch a = TSCOPE_SKETCH_NONE, b = TSCOPE_SKETCH_NONE;

	(void)state;
	tscope_sketch_f16(&a, halves, 6, 7);
	tscope_sketch_f64(&b, of_halves, 6, 7);
	for (size_t i = 0; i < TSCOPE_SKETCH_SUMS; i++)
		assert_true(a.sums[i] == b.sums[i]);
	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	tscope_sketch_bf16(&a, brains, 4, 0);
	tscope_sketch_f64(&b, of_brains, 4, 0);
	assert_memory_equal(&a, &b, sizeof a);
}

/* Rows at once give what single elements do, of each of all halves: sums are whole multiples of 2^-24 below 2^24, and so exact. */
static void test_every_half(void **state)
{
	static uint16_t halves[65536];
	struct tscope_sketch rows = TSCOPE_SKETCH_NONE, single = TSCOPE_SKETCH_NONE;

	(void)state;
	for (size_t i = 0; i < 65536; i++)
		halves[i] = (uint16_t)i;
	tscope_sketch_f16(&rows, halves, 65536, 0);
	for (size_t i = 0; i < 65536; i++)
		tscope_sketch_f16(&single, halves + i, 1, i);
	for (size_t i = 0; i < TSCOPE_SKETCH_SUMS; i++)
		assert_true(rows.sums[i] == single.sums[i]);
	assert_int_equal(rows.count, 65536);
	assert_int_equal(rows.nonfinite, 2048);
	assert_int_equal(single.nonfinite, 2048);
	assert_true(fabs(rows.squares / single.squares - 1) < 1e-12);
}

static void test_not_finite(void **state)
{
	static const double x[] = {1, (double)NAN, 2, (double)INFINITY, -(double)INFINITY}, without[] = {1, 0, 2, 0, 0};
	static const uint16_t halves[] = {0x7c00, 0xfc00, 0x7e00, 0x3c00};
	struct tscope_sketch a = TSCOPE_SKETCH_NONE, b = TSCOPE_SKETCH_NONE, h = TSCOPE_SKETCH_NONE;

	(void)state;
	tscope_sketch_f64(&a, x, 5, 3);
	tscope_sketch_f64(&b, without, 5, 3);
	assert_int_equal(a.count, 5);
	assert_int_equal(a.nonfinite, 3);
	assert_memory_equal(a.sums, b.sums, sizeof a.sums);
	assert_true(isnan(tscope_sketch_distance(&a, &b)) && isnan(tscope_sketch_distance(&b, &a)));
	tscope_sketch_f16(&h, halves, 4, 0);
	assert_int_equal(h.nonfinite, 3);
	assert_true(h.squares == 1);
}

/* Up to 256 elements no two meet, so the distance is that of the tensors. */
static void test_distance(void **state)
{
	static const double x[] = {3, 4}, y[] = {3, 4.5}, zero[] = {0, 0}, longer[] = {3, 4, 0};
	struct tscope_sketch a = TSCOPE_SKETCH_NONE, b = TSCOPE_SKETCH_NONE, z = TSCOPE_SKETCH_NONE, l = TSCOPE_SKETCH_NONE;

	(void)state;
	tscope_sketch_f64(&a, x, 2, 100);
	tscope_sketch_f64(&b, y, 2, 100);
	tscope_sketch_f64(&z, zero, 2, 100);
	tscope_sketch_f64(&l, longer, 3, 100);
	assert_true(tscope_sketch_distance(&a, &b) == 0.1);
	assert_true(tscope_sketch_distance(&a, &a) == 0 && tscope_sketch_distance(&z, &z) == 0);
	assert_true(isinf(tscope_sketch_distance(&z, &a)) && tscope_sketch_distance(&a, &z) == 1);
	assert_true(isnan(tscope_sketch_distance(&a, &l)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition), cmocka_unit_test(test_shards),   cmocka_unit_test(test_half_types),
		cmocka_unit_test(test_not_finite), cmocka_unit_test(test_distance), cmocka_unit_test(test_every_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
