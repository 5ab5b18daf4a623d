/* cursor.h - reads bytes forward, and only forward.
 *
 * A cursor moves only on success. A read past the end sets `failed`, and every later read gives 0 or an empty span, so a
 * decoder can read a whole record and check once. Integers are little-endian; those that keys are sorted by are big-endian, for which
 * there are ts_store_be and ts_load_be.
 */
#ifndef TSCOPE_BASE_CURSOR_H
#define TSCOPE_BASE_CURSOR_H

#include "base/span.h"

struct ts_cursor {
	struct ts_span in;
	size_t at;   /* byte offset of the next read, for error messages */
	bool failed;
};

static inline void ts_store_u16(uint8_t *at, uint16_t v)
{
	at[0] = (uint8_t)v;
	at[1] = (uint8_t)(v >> 8);
}

static inline void ts_store_u32(uint8_t *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(v >> (8 * i));
}

static inline void ts_store_u64(uint8_t *at, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(v >> (8 * i));
}

static inline uint64_t ts_load_le(const uint8_t *at, int n)
{
	uint64_t v = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	switch (n) { /* compilers do not make one load of the loop */
	case 8:
		memcpy(&v, at, 8);
		return v;
	case 4:
		memcpy(&v, at, 4);
		return v;
	case 2:
		memcpy(&v, at, 2);
		return v;
	default:
		break;
	}
#endif
	for (int i = 0; i < n; i++)
		v |= (uint64_t)at[i] << (8 * i);
	return v;
}

/* The last n bytes of a number, the most significant one first. */
static inline void ts_store_be(uint8_t *at, uint64_t v, size_t n)
{
	for (size_t i = n; i-- > 0; v >>= 8)
		at[i] = (uint8_t)v;
}

static inline uint64_t ts_load_be(const uint8_t *at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | at[i];
	return v;
}

static inline uint32_t ts_load_u32(const uint8_t *at)
{
	return (uint32_t)ts_load_le(at, 4);
}

static inline struct ts_cursor ts_cursor_of(struct ts_span in)
{
	return (struct ts_cursor){.in = in};
}

static inline size_t ts_cursor_left(const struct ts_cursor *c)
{
	return c->failed ? 0 : c->in.len - c->at;
}

static inline struct ts_span ts_cursor_bytes(struct ts_cursor *c, size_t n)
{
	struct ts_span out = {NULL, 0};

	if (c->failed || c->in.len - c->at < n) {
		c->failed = true;
		return out;
	}
	out = ts_span_part(c->in, c->at, n);
	c->at += n;
	return out;
}

static inline uint64_t ts_cursor_uint(struct ts_cursor *c, int n)
{
	struct ts_span s = ts_cursor_bytes(c, (size_t)n);

	return s.len ? ts_load_le(s.data, n) : 0;
}

static inline uint8_t ts_cursor_u8(struct ts_cursor *c)
{
	return (uint8_t)ts_cursor_uint(c, 1);
}

static inline uint16_t ts_cursor_u16(struct ts_cursor *c)
{
	return (uint16_t)ts_cursor_uint(c, 2);
}

static inline uint32_t ts_cursor_u32(struct ts_cursor *c)
{
	return (uint32_t)ts_cursor_uint(c, 4);
}

static inline uint64_t ts_cursor_u64(struct ts_cursor *c)
{
	return ts_cursor_uint(c, 8);
}

static inline double ts_cursor_f64(struct ts_cursor *c)
{
	uint64_t bits = ts_cursor_u64(c);
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

#endif
