/* trace_scan.h - looks at 8, 16 or 32 bytes at once: included by each form of the scanner, which says its TS_TRACE_FORM.
 *
 * A mask has a set bit for each byte that is asked for, the lowest for the first byte. */
#ifndef TSCOPE_INGEST_TRACE_TRACE_SCAN_H
#define TSCOPE_INGEST_TRACE_TRACE_SCAN_H

#include "base/cursor.h"

#define TS_TRACE_PORTABLE 0
#define TS_TRACE_SSE2 1
#define TS_TRACE_AVX2 2

#if TS_TRACE_FORM == TS_TRACE_AVX2
#include <immintrin.h>

enum { SCAN_STEP = 32 };
typedef uint32_t scan_mask;
typedef __m256i scan_block;

static inline scan_block scan_load(const uint8_t *p)
{
	return _mm256_loadu_si256((const void *)p);
}
static inline scan_block scan_either(scan_block a, scan_block b)
{
	return _mm256_or_si256(a, b);
}
static inline scan_block scan_equal(scan_block v, char c)
{
	return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(c));
}
static inline scan_block scan_lower(scan_block v)
{
	return _mm256_or_si256(v, _mm256_set1_epi8(0x20));
}
static inline scan_mask scan_bits(scan_block v)
{
	return (scan_mask)_mm256_movemask_epi8(v);
}
#define SCAN_ALL UINT32_MAX
#define SCAN_BIT 1
#define SCAN_BITS 1
static inline size_t scan_first(scan_mask m)
{
	return (size_t)__builtin_ctz(m);
}

/* Most strings are shorter than 16 bytes, and loads of 32 cross the lines of the cache twice as often. */
static inline scan_mask scan_first_quotes(const uint8_t *p)
{
	__m128i v = _mm_loadu_si128((const void *)p);

	return (scan_mask)_mm_movemask_epi8(
		_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
}
#define SCAN_FIRST 16

#elif TS_TRACE_FORM == TS_TRACE_SSE2
#include <emmintrin.h>

enum { SCAN_STEP = 16 };
typedef uint32_t scan_mask;
typedef __m128i scan_block;

static inline scan_block scan_load(const uint8_t *p)
{
	return _mm_loadu_si128((const void *)p);
}
static inline scan_block scan_either(scan_block a, scan_block b)
{
	return _mm_or_si128(a, b);
}
static inline scan_block scan_equal(scan_block v, char c)
{
	return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}
static inline scan_block scan_lower(scan_block v)
{
	return _mm_or_si128(v, _mm_set1_epi8(0x20));
}
static inline scan_mask scan_bits(scan_block v)
{
	return (scan_mask)_mm_movemask_epi8(v);
}
#define SCAN_ALL UINT32_C(0xffff)
#define SCAN_BIT 1
#define SCAN_BITS 1
static inline size_t scan_first(scan_mask m)
{
	return (size_t)__builtin_ctz(m);
}

#else

enum { SCAN_STEP = 8 };
typedef uint64_t scan_mask; /* the highest bit of each byte */
typedef uint64_t scan_block;

#define SCAN_EACH(byte) (UINT64_C(0x0101010101010101) * (uint8_t)(byte))
static inline scan_block scan_load(const uint8_t *p)
{
	return ts_load_le(p, 8);
}
static inline scan_block scan_either(scan_block a, scan_block b)
{
	return a | b;
}
static inline scan_block scan_equal(scan_block v, char c)
{
	uint64_t x = v ^ SCAN_EACH(c), low = SCAN_EACH(0x7f);

	return ~(((x & low) + low) | x | low);
}
static inline scan_block scan_lower(scan_block v)
{
	return v | SCAN_EACH(0x20);
}
static inline scan_mask scan_bits(scan_block v)
{
	return v;
}
#define SCAN_ALL SCAN_EACH(0x80)
#define SCAN_BIT 0x80
#define SCAN_BITS 8 /* of a byte */
static inline size_t scan_first(scan_mask m)
{
	return (size_t)__builtin_ctzll(m) / 8;
}

#endif

/* Whether the first byte that is asked for is the n-th. Not by scan_first: who goes on with n would have to wait for it. */
static inline bool scan_first_is(scan_mask m, size_t n)
{
	return (m & (~m + 1)) == (scan_mask)SCAN_BIT << n * SCAN_BITS;
}

static inline scan_mask scan_quotes(const uint8_t *p)
{
	scan_block v = scan_load(p);

	return scan_bits(scan_either(scan_equal(v, '"'), scan_equal(v, '\\')));
}

/* Quotes, braces and brackets: '[' and '{' are one bit apart, and so are ']' and '}'. */
static inline scan_mask scan_nest(const uint8_t *p)
{
	scan_block v = scan_load(p), lower = scan_lower(v);

	return scan_bits(scan_either(scan_equal(v, '"'), scan_either(scan_equal(lower, '{'), scan_equal(lower, '}'))));
}

static inline scan_mask scan_no_blanks(const uint8_t *p)
{
	scan_block v = scan_load(p);
	scan_block blanks = scan_either(scan_either(scan_equal(v, ' '), scan_equal(v, '\n')),
					scan_either(scan_equal(v, '\t'), scan_equal(v, '\r')));

	return scan_bits(blanks) ^ SCAN_ALL;
}

#ifndef SCAN_FIRST
#define SCAN_FIRST SCAN_STEP
#define scan_first_quotes scan_quotes
#endif

#endif
