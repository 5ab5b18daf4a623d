#include "record/sketch.h"

#include <math.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif
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
	ROW_WORDS = ROW / 32,
	PART_ROWS = 4096,
	PARTS = 128,
};

static _Atomic(uint32_t *) kept[PARTS];

static void signs_of_row(uint64_t row, uint32_t signs[ROW_WORDS])
{
	for (size_t w = 0; w < ROW_WORDS; w++) {
		uint32_t word = 0;

		for (uint64_t i = 0; i < 32; i++)
			word |= (uint32_t)(mix(UINT64_C(1) << 63 | (row * ROW + w * 32 + i)) >> 63) << i;
		signs[w] = word;
	}
}

/* Returns the signs of the part, or NULL where there is no memory for them. */
static const uint32_t *make_part(size_t part)
{
	uint32_t *made = malloc(sizeof *made * ROW_WORDS * PART_ROWS), *found = NULL;

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
static const uint32_t *signs_at(uint64_t row, uint32_t room[ROW_WORDS])
{
	uint64_t part = row / PART_ROWS;
	const uint32_t *signs = part < PARTS ? atomic_load_explicit(&kept[part], memory_order_acquire) : NULL;

	if (!signs && part < PARTS)
		signs = make_part((size_t)part);
	if (signs)
		return signs + row % PART_ROWS * ROW_WORDS;
	signs_of_row(row, room);
	return room;
}

/* --- rows of 256 elements --- */

enum form { F64, F32, BF16, F16 };
enum { LANES = 4, UNROLL = 4, WIDE = 2 * LANES };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef int64_t bits __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef double eight __attribute__((vector_size(WIDE * sizeof(double))));
typedef float wide __attribute__((vector_size(WIDE * sizeof(float))));
typedef uint32_t wide_bits __attribute__((vector_size(WIDE * sizeof(uint32_t))));
typedef uint16_t wide_words __attribute__((vector_size(WIDE * sizeof(uint16_t))));
typedef uint16_t words __attribute__((vector_size(2 * WIDE * sizeof(uint16_t))));

/* Makes floats of the halves of a row. */
typedef void of_halves(const uint16_t halves[ROW], float ret[ROW]);

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
	uint32_t upper;
	float f;

	if (form == F64)
		return ((const double *)values)[i];
	if (form == F32)
		return (double)((const float *)values)[i];
	word = ((const uint16_t *)values)[i];
	if (form == F16)
		return half(word);
	upper = (uint32_t)word << 16; /* bfloat16 is the upper half of a float */
	memcpy(&f, &upper, sizeof f);
	return (double)f;
}

/* Floats hold halves exactly. None of the steps meets a number that a processor may be told to take for 0. */
static void halves_plain(const uint16_t halves[ROW], float ret[ROW])
{
	for (size_t i = 0; i < ROW; i += WIDE) {
		wide_words of;
		wide_bits all, size, exponent, sign, turned, is_small, is_top, least;
		wide value, less;

		memcpy(&of, halves + i, sizeof of);
		all = __builtin_convertvector(of, wide_bits);
		size = (all & 0x7FFF) << 13;
		exponent = size & 31u << 23;
		sign = (all & 0x8000) << 16;
		is_small = (wide_bits)(exponent == 0);
		is_top = (wide_bits)(exponent == 31u << 23);
		least = is_small & 113u << 23; /* 2^-14, which a number without an exponent lacks */
		size += (112u << 23) + (is_small & 1u << 23) + (is_top & 112u << 23);
		memcpy(&value, &size, sizeof value);
		memcpy(&less, &least, sizeof less);
		value -= less;
		memcpy(&turned, &value, sizeof turned);
		turned |= sign;
		memcpy(ret + i, &turned, sizeof turned);
	}
}

#if defined(__x86_64__)
__attribute__((target("avx2,f16c"))) static void halves_f16c(const uint16_t halves[ROW], float ret[ROW])
{
	for (size_t i = 0; i < ROW; i += WIDE)
		_mm256_storeu_ps(ret + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(halves + i))));
}
#endif

/* Whether all elements of a row are finite, of floats and halves, whose squares are then finite, too. */
static inline __attribute__((always_inline)) bool is_finite_row(enum form form, const void *values, size_t from)
{
	uint64_t any[sizeof(words) / sizeof(uint64_t)];
	uint16_t top = form == F16 ? 0x7C00 : 0x7F80; /* all bits of the exponent */
	wide_bits wide_any = {0};
	words words_any = {0};

	if (form == F32) {
		for (size_t i = 0; i < ROW; i += WIDE) {
			wide_bits of;

			memcpy(&of, (const float *)values + from + i, sizeof of);
			wide_any |= (wide_bits)((of & 0x7F800000) == 0x7F800000);
		}
		memcpy(any, &wide_any, sizeof any);
	} else {
		for (size_t i = 0; i < ROW; i += 2 * WIDE) {
			words of;

			memcpy(&of, (const uint16_t *)values + from + i, sizeof of);
			words_any |= (words)((of & top) == top);
		}
		memcpy(any, &words_any, sizeof any);
	}
	return !(any[0] | any[1] | any[2] | any[3]);
}

#if defined(__has_builtin) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BESIDE_EACH_OTHER __has_builtin(__builtin_shufflevector)
#else
#define BESIDE_EACH_OTHER 0
#endif

/* bfloat16 is the upper half of a float. */
static inline __attribute__((always_inline)) void upper_halves(const uint16_t halves[ROW], float ret[ROW])
{
#if BESIDE_EACH_OTHER
	const words none = {0};

	for (size_t i = 0; i < ROW; i += 2 * WIDE) {
		words of, low, high;

		memcpy(&of, halves + i, sizeof of);
		low = __builtin_shufflevector(none, of, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
		high = __builtin_shufflevector(none, of, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
		memcpy(ret + i, &low, sizeof low);
		memcpy(ret + i + WIDE, &high, sizeof high);
	}
#else
	for (size_t i = 0; i < ROW; i++) {
		uint32_t of = (uint32_t)halves[i] << 16;

		memcpy(ret + i, &of, sizeof of);
	}
#endif
}

/* What whole rows add up to: a row that is turned by t begins at sums[t], and what goes over the end is folded back at last. */
struct rows {
	double sums[2 * ROW];
	lanes squares[UNROLL];
};

static double all_of(const lanes of[UNROLL])
{
	lanes x = (of[0] + of[1]) + (of[2] + of[3]);

	return (x[0] + x[1]) + (x[2] + x[3]);
}

static inline __attribute__((always_inline)) void add_to(double *sums, const lanes *x)
{
	lanes sum;

	memcpy(&sum, sums, sizeof sum);
	sum += *x;
	memcpy(sums, &sum, sizeof sum);
}

/* Adds a row of doubles, unless the squares of its elements are not finite. They are added in several sums of which none waits for
 * another. */
static inline __attribute__((always_inline)) bool add_doubles(struct rows *rows, const double *values, const uint32_t *signs,
							      double *sums)
{
	lanes squares[UNROLL] = {{0}};

	for (size_t i = 0; i < ROW / LANES; i += UNROLL)
		for (size_t k = 0; k < UNROLL; k++) {
			lanes x;

			memcpy(&x, values + (i + k) * LANES, sizeof x);
			squares[k] += x * x;
		}
	if (!isfinite(all_of(squares)))
		return false;
	for (size_t k = 0; k < UNROLL; k++)
		rows->squares[k] += squares[k];
	for (size_t i = 0; i < ROW; i += LANES) {
		bits turned;
		lanes x;

		memcpy(&turned, values + i, sizeof turned);
		turned ^= flips[signs[i / 32] >> i % 32 & 15];
		memcpy(&x, &turned, sizeof x);
		add_to(sums + i, &x);
	}
	return true;
}

/* Adds eight elements: their signs are the bits of `word`, which `places` move to the top. */
static inline __attribute__((always_inline)) void add_eight(const float *values, const wide_bits *word, const wide_bits *places,
							    double *sums, eight *squares)
{
	wide_bits of;
	wide floats;
	eight x, sum;

	memcpy(&of, values, sizeof of);
	of ^= (*word << *places) & 0x80000000;
	memcpy(&floats, &of, sizeof floats);
	x = __builtin_convertvector(floats, eight);
	*squares += x * x;
	memcpy(&sum, sums, sizeof sum);
	sum += x;
	memcpy(sums, &sum, sizeof sum);
}

static inline __attribute__((always_inline)) void add_floats(struct rows *rows, const float *values, const uint32_t *signs,
							     double *sums)
{
	static const wide_bits places[4] = {{31, 30, 29, 28, 27, 26, 25, 24},
					    {23, 22, 21, 20, 19, 18, 17, 16},
					    {15, 14, 13, 12, 11, 10, 9, 8},
					    {7, 6, 5, 4, 3, 2, 1, 0}};
	eight squares[UNROLL / 2] = {{0}};
	lanes squares_of[UNROLL];

	for (size_t w = 0; w < ROW_WORDS; w++, values += 4 * WIDE, sums += 4 * WIDE) {
		wide_bits word = (wide_bits){0} + signs[w];

		add_eight(values, &word, &places[0], sums, &squares[0]);
		add_eight(values + WIDE, &word, &places[1], sums + WIDE, &squares[1]);
		add_eight(values + 2 * WIDE, &word, &places[2], sums + 2 * WIDE, &squares[0]);
		add_eight(values + 3 * WIDE, &word, &places[3], sums + 3 * WIDE, &squares[1]);
	}
	memcpy(squares_of, squares, sizeof squares_of);
	for (size_t k = 0; k < UNROLL; k++)
		rows->squares[k] += squares_of[k];
}

/* Adds a whole row, unless its elements or their squares are not finite: then nothing is added, and it returns false. */
static inline __attribute__((always_inline)) bool add_row(struct rows *rows, enum form form, const void *values, size_t from,
							  uint64_t row, of_halves *to_floats)
{
	uint32_t room[ROW_WORDS];
	const uint32_t *signs = signs_at(row, room);
	double *sums = rows->sums + mix(row) % ROW;
	float floats[ROW];

	if (form == F64)
		return add_doubles(rows, (const double *)values + from, signs, sums);
	if (!is_finite_row(form, values, from))
		return false;
	if (form == F16)
		to_floats((const uint16_t *)values + from, floats);
	else if (form == BF16)
		upper_halves((const uint16_t *)values + from, floats);
	add_floats(rows, form == F32 ? (const float *)values + from : floats, signs, sums);
	return true;
}

static inline __attribute__((always_inline)) void add_all(struct tscope_sketch *s, enum form form, const void *values, size_t n,
							  uint64_t first, of_halves *to_floats)
{
	struct rows rows = {{0}, {{0}}};
	size_t i = 0;

	while (i < n) {
		size_t ends = i + (size_t)(ROW - (first + i) % ROW);

		if (ends - i == ROW && ends <= n && add_row(&rows, form, values, i, (first + i) / ROW, to_floats)) {
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
							   uint64_t first, of_halves *to_floats)
{
	switch (form) {
	case F64:
		add_all(s, F64, values, n, first, to_floats);
		break;
	case F32:
		add_all(s, F32, values, n, first, to_floats);
		break;
	case BF16:
		add_all(s, BF16, values, n, first, to_floats);
		break;
	case F16:
		add_all(s, F16, values, n, first, to_floats);
		break;
	}
}

static void add_plain(struct tscope_sketch *s, enum form form, const void *values, size_t n, uint64_t first)
{
	add_form(s, form, values, n, first, halves_plain);
}

#if defined(__x86_64__)
/* The same operations on registers of four doubles, and of eight: the same bits. */
__attribute__((target("avx2,f16c"))) static void add_avx2(struct tscope_sketch *s, enum form form, const void *values, size_t n,
							  uint64_t first)
{
	add_form(s, form, values, n, first, halves_f16c);
}

__attribute__((target("avx2,f16c,avx512f,avx512vl,avx512bw,avx512dq"))) static void add_avx512(struct tscope_sketch *s, enum form form,
											       const void *values, size_t n,
											       uint64_t first)
{
	add_form(s, form, values, n, first, halves_f16c);
}

/* Processors with avx2 have it, but a machine that is made of software need not say so; not every compiler knows its name. */
static bool has_f16c(void)
{
	unsigned a, b, c = 0, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq");
}
#endif

static void add_values(struct tscope_sketch *s, enum form form, const void *values, size_t n, uint64_t first)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2") && has_f16c()) {
		(has_avx512() ? add_avx512 : add_avx2)(s, form, values, n, first);
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
