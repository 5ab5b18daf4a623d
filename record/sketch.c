#include "record/sketch.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
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

/* --- signs ---
 *
 * A bit for each element; 1 is -. They are the same for every tensor, since indices begin at 0, and cost more than all the rest:
 * those of the first 2^27 elements are kept, 16 MiB at most, each part of 2^20 when a tensor first has it. */

enum {
	ROW = TSCOPE_SKETCH_SUMS,
	ROW_WORDS = ROW / 64,
	PART_ROWS = 4096,
	PARTS = 128,
};

static _Atomic(uint64_t *) kept[PARTS];

static void signs_of_row(uint64_t row, uint64_t signs[ROW_WORDS])
{
	for (size_t w = 0; w < ROW_WORDS; w++) {
		uint64_t word = 0;

		for (uint64_t i = 0; i < 64; i++)
			word |= mix(UINT64_C(1) << 63 | (row * ROW + w * 64 + i)) >> 63 << i;
		signs[w] = word;
	}
}

/* Returns the signs of the part, or NULL where there is no memory for them. */
static const uint64_t *make_part(size_t part)
{
	uint64_t *made = malloc(sizeof *made * ROW_WORDS * PART_ROWS), *found = NULL;

	if (!made)
		return NULL;
	for (size_t i = 0; i < PART_ROWS; i++)
		signs_of_row(part * PART_ROWS + i, made + i * ROW_WORDS);
	if (atomic_compare_exchange_strong(&kept[part], &found, made))
		return made;
	free(made); /* another thread was faster */
	return found;
}

/* Returns the signs of a row, in `room` where they are not kept. */
static const uint64_t *signs_at(uint64_t row, uint64_t room[ROW_WORDS])
{
	uint64_t part = row / PART_ROWS;
	const uint64_t *signs = part < PARTS ? atomic_load_explicit(&kept[part], memory_order_acquire) : NULL;

	if (!signs && part < PARTS)
		signs = make_part((size_t)part);
	if (signs)
		return signs + row % PART_ROWS * ROW_WORDS;
	signs_of_row(row, room);
	return room;
}

/* --- rows of 256 elements --- */

enum form { F64, F32, BF16, F16 };
enum { LANES = 4, UNROLL = 4 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t bits __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef float small __attribute__((vector_size(LANES * sizeof(float))));
typedef uint32_t small_bits __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef uint16_t tiny_bits __attribute__((vector_size(LANES * sizeof(uint16_t))));

#define TOP INT64_MIN
#define SIGNS(n)                                                                                                                       \
	{                                                                                                                              \
		(n) & 1 ? TOP : 0, (n)&2 ? TOP : 0, (n)&4 ? TOP : 0, (n)&8 ? TOP : 0                                                   \
	}

/* The highest bits of four doubles, by four bits of the signs. */
static const bits flips[16] = {SIGNS(0), SIGNS(1), SIGNS(2),  SIGNS(3),	 SIGNS(4),  SIGNS(5),  SIGNS(6),  SIGNS(7),
			       SIGNS(8), SIGNS(9), SIGNS(10), SIGNS(11), SIGNS(12), SIGNS(13), SIGNS(14), SIGNS(15)};

static inline double value_at(enum form form, const void *values, size_t i)
{
	uint16_t word;
	uint32_t wide;
	float f;

	if (form == F64)
		return ((const double *)values)[i];
	if (form == F32)
		return (double)((const float *)values)[i];
	word = ((const uint16_t *)values)[i];
	if (form == F16)
		return half(word);
	wide = (uint32_t)word << 16; /* bfloat16 is the upper half of a float */
	memcpy(&f, &wide, sizeof f);
	return (double)f;
}

/* Four halves as floats, which hold them exactly. None of its steps meets a number that a processor may be told to take for 0. */
static inline __attribute__((always_inline)) small of_halves(small_bits halves)
{
	small_bits size = (halves & 0x7FFF) << 13, exponent = size & 31u << 23, sign = (halves & 0x8000) << 16, turned;
	small_bits is_small = (small_bits)(exponent == 0), is_top = (small_bits)(exponent == 31u << 23);
	small_bits least = is_small & 113u << 23; /* 2^-14, which a number without an exponent lacks */
	small value, less;

	size += (112u << 23) + (is_small & 1u << 23) + (is_top & 112u << 23);
	memcpy(&value, &size, sizeof value);
	memcpy(&less, &least, sizeof less);
	value -= less;
	memcpy(&turned, &value, sizeof turned);
	turned |= sign;
	memcpy(&value, &turned, sizeof value);
	return value;
}

static inline __attribute__((always_inline)) void load(enum form form, const void *values, size_t i, lanes *ret)
{
	small floats;
	small_bits wide;
	tiny_bits words;

	if (form == F64) {
		memcpy(ret, (const double *)values + i, sizeof *ret);
		return;
	}
	if (form == F32) {
		memcpy(&floats, (const float *)values + i, sizeof floats);
	} else {
		memcpy(&words, (const uint16_t *)values + i, sizeof words);
		wide = __builtin_convertvector(words, small_bits);
		if (form == F16) {
			floats = of_halves(wide);
		} else {
			wide <<= 16;
			memcpy(&floats, &wide, sizeof floats);
		}
	}
	*ret = __builtin_convertvector(floats, lanes);
}

/* What whole rows add up to: a row that is turned by t begins at sums[t], and what goes over the end is folded back at last. */
struct rows {
	double sums[2 * ROW];
	lanes squares[UNROLL];
};

/* A row as doubles, and its squares, in several sums of which none waits for another. */
static inline __attribute__((always_inline)) void open_row(enum form form, const void *values, size_t from, lanes ret[ROW / LANES],
							   lanes ret_squares[UNROLL])
{
	for (size_t i = 0; i < ROW / LANES; i += UNROLL)
		for (size_t k = 0; k < UNROLL; k++) {
			lanes x = {0};

			load(form, values, from + (i + k) * LANES, &x);
			ret[i + k] = x;
			ret_squares[k] += x * x;
		}
}

static double all_of(const lanes of[UNROLL])
{
	lanes x = (of[0] + of[1]) + (of[2] + of[3]);

	return (x[0] + x[1]) + (x[2] + x[3]);
}

/* Adds a whole row, unless the squares of its elements are not finite: then nothing is added, and it returns false. */
static inline __attribute__((always_inline)) bool add_row(struct rows *rows, enum form form, const void *values, size_t from,
							  uint64_t row)
{
	uint64_t room[ROW_WORDS];
	const uint64_t *signs = signs_at(row, room);
	double *sums = rows->sums + mix(row) % ROW;
	lanes squares[UNROLL] = {{0}}, row_of[ROW / LANES], x, sum;

	open_row(form, values, from, row_of, squares);
	if (!isfinite(all_of(squares)))
		return false;
	for (size_t k = 0; k < UNROLL; k++)
		rows->squares[k] += squares[k];
	for (size_t w = 0; w < ROW_WORDS; w++) {
		uint64_t word = signs[w];

		for (size_t i = w * 64; i < w * 64 + 64; i += LANES, word >>= LANES) {
			bits turned;

			memcpy(&turned, &row_of[i / LANES], sizeof turned);
			turned ^= flips[word & 15];
			memcpy(&x, &turned, sizeof x);
			memcpy(&sum, sums + i, sizeof sum);
			sum += x;
			memcpy(sums + i, &sum, sizeof sum);
		}
	}
	return true;
}

static inline __attribute__((always_inline)) void add_all(struct tscope_sketch *s, enum form form, const void *values, size_t n,
							  uint64_t first)
{
	struct rows rows = {{0}, {{0}}};
	size_t i = 0;

	while (i < n) {
		size_t ends = i + (size_t)(ROW - (first + i) % ROW);

		if (ends - i == ROW && ends <= n && add_row(&rows, form, values, i, (first + i) / ROW)) {
			s->count += ROW;
			i = ends;
			continue;
		}
		for (; i < n && i < ends; i++)
			add(s, value_at(form, values, i), first + i);
	}
	for (size_t k = 0; k < ROW; k++)
		s->sums[k] += rows.sums[k] + rows.sums[ROW + k];
	s->squares += all_of(rows.squares);
}

/* Compiled anew into each that calls it, for each form by itself. */
static inline __attribute__((always_inline)) void add_form(struct tscope_sketch *s, enum form form, const void *values, size_t n,
							   uint64_t first)
{
	switch (form) {
	case F64:
		add_all(s, F64, values, n, first);
		break;
	case F32:
		add_all(s, F32, values, n, first);
		break;
	case BF16:
		add_all(s, BF16, values, n, first);
		break;
	case F16:
		add_all(s, F16, values, n, first);
		break;
	}
}

static void add_plain(struct tscope_sketch *s, enum form form, const void *values, size_t n, uint64_t first)
{
	add_form(s, form, values, n, first);
}

#if defined(__x86_64__)
/* The same operations on registers of four doubles: the same bits. */
__attribute__((target("avx2"))) static void add_avx2(struct tscope_sketch *s, enum form form, const void *values, size_t n,
						     uint64_t first)
{
	add_form(s, form, values, n, first);
}
#endif

static void add_values(struct tscope_sketch *s, enum form form, const void *values, size_t n, uint64_t first)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		add_avx2(s, form, values, n, first);
		return;
	}
#endif
	add_plain(s, form, values, n, first);
}

void tscope_sketch_f64(struct tscope_sketch *s, const double *values, size_t n, uint64_t first)
{
	add_values(s, F64, values, n, first);
}

void tscope_sketch_f32(struct tscope_sketch *s, const float *values, size_t n, uint64_t first)
{
	add_values(s, F32, values, n, first);
}

void tscope_sketch_bf16(struct tscope_sketch *s, const uint16_t *halves, size_t n, uint64_t first)
{
	add_values(s, BF16, halves, n, first);
}

void tscope_sketch_f16(struct tscope_sketch *s, const uint16_t *halves, size_t n, uint64_t first)
{
	add_values(s, F16, halves, n, first);
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
