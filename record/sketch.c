#include "record/sketch.h"

#include <math.h>
#include <string.h>

/* SplitMix64's finalizer, of the next state after x. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static inline void add(struct tscope_sketch *s, double value, uint64_t index)
{
	uint64_t bucket = (index + mix(index / TSCOPE_SKETCH_SUMS)) % TSCOPE_SKETCH_SUMS;

	s->count++;
	if (!isfinite(value)) {
		s->nonfinite++;
		return;
	}
	s->sums[bucket] += mix(UINT64_C(1) << 63 | index) >> 63 ? -value : value;
	s->squares += value * value;
}

void tscope_sketch_f64(struct tscope_sketch *s, const double *values, size_t n, uint64_t first)
{
	for (size_t i = 0; i < n; i++)
		add(s, values[i], first + i);
}

void tscope_sketch_f32(struct tscope_sketch *s, const float *values, size_t n, uint64_t first)
{
	for (size_t i = 0; i < n; i++)
		add(s, (double)values[i], first + i);
}

void tscope_sketch_bf16(struct tscope_sketch *s, const uint16_t *bits, size_t n, uint64_t first)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t word = (uint32_t)bits[i] << 16; /* bfloat16 is the upper half of a float */
		float value;

		memcpy(&value, &word, sizeof value);
		add(s, (double)value, first + i);
	}
}

/* IEEE 754 binary16: 1 bit of sign, 5 of exponent, 10 of fraction. 2^-24 times a whole number below 2^42, so products are exact. */
static double half(uint16_t bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	double value;

	if (exponent == 31)
		value = fraction ? (double)NAN : HUGE_VAL;
	else
		value = 0x1p-24 * (exponent ? (double)((uint64_t)(1024 + fraction) << (exponent - 1)) : fraction);
	return bits >> 15 ? -value : value;
}

void tscope_sketch_f16(struct tscope_sketch *s, const uint16_t *bits, size_t n, uint64_t first)
{
	for (size_t i = 0; i < n; i++)
		add(s, half(bits[i]), first + i);
}

void tscope_sketch_join(struct tscope_sketch *s, const struct tscope_sketch *part)
{
	for (size_t i = 0; i < TSCOPE_SKETCH_SUMS; i++)
		s->sums[i] += part->sums[i];
	s->squares += part->squares;
	s->count += part->count;
	s->nonfinite += part->nonfinite;
}

double tscope_sketch_distance_squared(const struct tscope_sketch *x, const struct tscope_sketch *y)
{
	double squares = 0;

	if (x->count != y->count || x->nonfinite || y->nonfinite)
		return (double)NAN;
	for (size_t i = 0; i < TSCOPE_SKETCH_SUMS; i++) {
		double d = x->sums[i] - y->sums[i];

		squares += d * d;
	}
	if (squares == 0)
		return 0;
	return x->squares > 0 ? squares / x->squares : HUGE_VAL;
}
