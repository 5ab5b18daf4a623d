/* bits.h - bits of bytes as deflate has them (RFC 1951): the lowest bit of each byte first.
 *
 * A reader that ends too early says so by `failed`, once and for all, and gives zeros; a writer that has no room left does the same.
 * Positions and counts are bits.
 */
#ifndef TSCOPE_STORE_BITS_H
#define TSCOPE_STORE_BITS_H

#include "base/cursor.h"

struct ts_bits {
	const uint8_t *data;
	size_t at, end;
	bool failed;
};

struct ts_bits_out {
	uint8_t *data; /* zero where nothing is written yet */
	size_t at, end;
	bool failed;
};

enum { TS_BITS_AT_ONCE = 56 };

/* The next 56 bits, zeros behind the end. */
static inline uint64_t ts_bits_peek(const struct ts_bits *b)
{
	size_t byte = b->at / 8, left = (b->end + 7) / 8 - byte;

	return ts_load_le(b->data + byte, left < 8 ? (int)left : 8) >> b->at % 8;
}

static inline void ts_bits_skip(struct ts_bits *b, size_t n)
{
	if (n > b->end - b->at)
		b->failed = true;
	else
		b->at += n;
}

/* At most 56. */
static inline uint64_t ts_bits_get(struct ts_bits *b, unsigned n)
{
	uint64_t v = ts_bits_peek(b) & ((UINT64_C(1) << n) - 1);

	ts_bits_skip(b, n);
	return b->failed ? 0 : v;
}

/* At most 56. */
static inline void ts_bits_put(struct ts_bits_out *b, uint64_t v, unsigned n)
{
	size_t byte = b->at / 8;

	if (b->failed || n > b->end - b->at) {
		b->failed = true;
		return;
	}
	v = (v & ((UINT64_C(1) << n) - 1)) << b->at % 8;
	b->at += n;
	for (; v; v >>= 8)
		b->data[byte++] |= (uint8_t)v;
}

static inline void ts_bits_copy(struct ts_bits *from, size_t n, struct ts_bits_out *to)
{
	for (; n && !from->failed && !to->failed; n -= n < TS_BITS_AT_ONCE ? n : TS_BITS_AT_ONCE) {
		unsigned part = n < TS_BITS_AT_ONCE ? (unsigned)n : TS_BITS_AT_ONCE;

		ts_bits_put(to, ts_bits_get(from, part), part);
	}
}

#endif
