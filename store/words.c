/* words.c - compresses the 64-bit words of a block without loss, in four steps that can each be undone exactly:
 *
 *	values		the words as they are, or the integers k of doubles that are k / 10^p
 *	residuals	of order 0 the values, of order 1 their differences, of order 2 the differences of those
 *	offsets		each residual minus the smallest one, shifted right by the zero bits in which all of them end
 *			(this turns a double that was a float32 into a float32)
 *	planes		byte j of all offsets together, stored as one byte, as a zstd frame, or without change
 *
 * The order is chosen by the entropy of the planes in a sample. docs/sealed.md has the layout.
 */
#include "base/cursor.h"
#include "store/codec.h"
#include "store/decimal.h"
#include "store/planes.h"

#include <math.h>
#include <pthread.h>

enum { HEADER = 12, AS_BITS = 255, ORDER_MAX = 2, WINDOWS = 4, WINDOW = 256 };
enum plane_mode { PLANE_CONSTANT = 0, PLANE_RAW = 1, PLANE_ZSTD = 2 };

struct shape {
	int decimals; /* p, or AS_BITS for no decimals */
	int order;
	int shift;
	int planes;
	uint64_t base;
	uint64_t seeds[ORDER_MAX]; /* the first value, then the first difference */
	double bits[TS_PLANES];	   /* entropy of each plane in the sample */
};

/* The values of c * log2(c) for the counts of a sample. */
static float weight[WINDOWS * WINDOW + 1];
static pthread_once_t weight_once = PTHREAD_ONCE_INIT;

static void fill_weight(void)
{
	for (int c = 2; c <= WINDOWS * WINDOW; c++)
		weight[c] = (float)(c * log2(c));
}

static uint64_t residual(const uint64_t *v, size_t i, int order)
{
	if (order == 0)
		return v[i];
	if (order == 1)
		return v[i] - v[i - 1];
	return v[i] - 2 * v[i - 1] + v[i - 2];
}

static int bit_length(uint64_t v)
{
	return v ? 64 - __builtin_clzll(v) : 0;
}

/* Finds the smallest residual, and the bits in which the offsets of count residuals r differ from 0. */
static uint64_t span_of(const uint64_t *r, size_t count, uint64_t *ret_base)
{
	int64_t least = INT64_MAX;
	uint64_t any = 0;

	for (size_t i = 0; i < count; i++)
		least = (int64_t)r[i] < least ? (int64_t)r[i] : least;
	for (size_t i = 0; i < count; i++)
		any |= r[i] - (uint64_t)least;
	*ret_base = (uint64_t)least;
	return any;
}

/* Estimates the bits that count offsets would take, from the entropy of each plane. */
static double planes_entropy(uint64_t *r, size_t count, double bits[TS_PLANES])
{
	uint64_t base;
	uint64_t any = span_of(r, count, &base);
	int shift = any ? __builtin_ctzll(any) : 0;
	int n = (bit_length(any >> shift) + 7) / 8;
	double total = 0;

	for (int j = 0; j < n; j++) {
		uint16_t seen[256] = {0};
		double sum = 0;

		for (size_t i = 0; i < count; i++)
			seen[(r[i] - base) >> shift >> (8 * j) & 255]++;
		for (int b = 0; b < 256; b++)
			sum += (double)weight[seen[b]];
		bits[j] = log2((double)count) - sum / (double)count;
		total += bits[j];
	}
	return total;
}

/* Takes the residuals of the given order from a few windows of the values. */
static size_t take_sample(const uint64_t *v, size_t n, int order, uint64_t *ret)
{
	size_t windows = n <= WINDOWS * WINDOW ? 1 : WINDOWS;
	size_t length = windows == 1 ? n : WINDOW;
	size_t count = 0;

	for (size_t w = 0; w < windows; w++) {
		size_t from = windows == 1 ? 0 : w * (n - WINDOW) / (WINDOWS - 1);

		for (size_t i = from; i < from + length; i++)
			if (i >= (size_t)order)
				ret[count++] = residual(v, i, order);
	}
	return count;
}

/* Sets order and bits of the shape; returns the bits of entropy that a value is expected to take. */
static double choose_order(const uint64_t *v, size_t n, struct shape *shape)
{
	double best = (double)INFINITY;

	(void)pthread_once(&weight_once, fill_weight);
	for (int order = 0; order <= ORDER_MAX && (size_t)order < n; order++) {
		uint64_t sample[WINDOWS * WINDOW];
		double bits[TS_PLANES] = {0};
		size_t count = take_sample(v, n, order, sample);
		double cost = planes_entropy(sample, count, bits) + 64.0 * order / (double)n;

		/* A higher order must be clearly better, because it amplifies noise, which a sample may not show. */
		if (cost < best - 0.05) {
			best = cost;
			shape->order = order;
			memcpy(shape->bits, bits, sizeof bits);
		}
	}
	return best;
}

/* Puts values into s->words: integers over a power of ten if the words are such decimals, unless the plain bits take
 * less space: bfloat16 has 7 decimals and 7 bits. Counts (0 decimals, nanoseconds) are always taken as integers. */
static void choose_values(struct ts_scratch *s, const uint64_t *words, size_t n, struct shape *shape)
{
	struct shape as_bits = {.decimals = AS_BITS};
	int p = ts_decimal_find(words, n, s->words);

	shape->decimals = p;
	if (p == 0 || p == TS_DECIMALS_MAX) {
		(void)choose_order(s->words, n, shape);
		return;
	}
	if (choose_order(words, n, &as_bits) < (p < 0 ? (double)INFINITY : choose_order(s->words, n, shape))) {
		*shape = as_bits;
		memcpy(s->words, words, n * 8);
	}
}

/* Turns values into offsets in place, moved down by the order. Returns the number of offsets. */
static size_t to_offsets(uint64_t *v, size_t n, struct shape *shape)
{
	size_t count = n - (size_t)shape->order;
	uint64_t any;

	shape->seeds[0] = v[0];
	shape->seeds[1] = n > 1 ? v[1] - v[0] : 0;
	for (int k = 0; k < shape->order; k++)
		for (size_t i = 0; i + 1 < n - (size_t)k; i++)
			v[i] = v[i + 1] - v[i];
	any = count ? span_of(v, count, &shape->base) : 0;
	if (count == 0)
		shape->base = 0;
	shape->shift = any ? __builtin_ctzll(any) : 0;
	shape->planes = (bit_length(any >> shape->shift) + 7) / 8;
	for (size_t i = 0; i < count; i++)
		v[i] = (v[i] - shape->base) >> shape->shift;
	return count;
}

static size_t put_header(const struct shape *shape, uint8_t *out)
{
	out[0] = (uint8_t)shape->decimals;
	out[1] = (uint8_t)shape->order;
	out[2] = (uint8_t)shape->shift;
	out[3] = (uint8_t)shape->planes;
	ts_store_u64(out + 4, shape->base);
	for (int k = 0; k < shape->order; k++)
		ts_store_u64(out + HEADER + 8 * k, shape->seeds[k]);
	return HEADER + 8 * (size_t)shape->order;
}

static bool is_constant(const uint8_t *plane, size_t n)
{
	return n < 2 || memcmp(plane, plane + 1, n - 1) == 0;
}

/* Returns the bytes written, or 0 when they are not fewer than cap. */
static size_t put_plane(struct ts_scratch *s, struct ts_span plane, double bits, uint8_t *out, size_t cap)
{
	size_t n = 0;

	if (cap < 8)
		return 0;
	if (is_constant(plane.data, plane.len)) {
		out[0] = PLANE_CONSTANT;
		out[1] = plane.data[0];
		return 2;
	}
	/* Random bytes in a sample of 1020 have 7.82 bits by this measure; zstd does not make them smaller. */
	if (bits < 7.75)
		n = ts_zstd_encode(s, plane, out + 4, cap - 4 < plane.len ? cap - 4 : plane.len);
	if (n) {
		out[0] = PLANE_ZSTD;
		out[1] = (uint8_t)n;
		out[2] = (uint8_t)(n >> 8);
		out[3] = (uint8_t)(n >> 16);
		return 4 + n;
	}
	if (plane.len + 1 >= cap)
		return 0;
	out[0] = PLANE_RAW;
	memcpy(out + 1, plane.data, plane.len);
	return 1 + plane.len;
}

size_t ts_words_encode(struct ts_scratch *s, struct ts_span payload, uint8_t *out, size_t cap)
{
	size_t n = payload.len / 8;
	struct shape shape = {0};
	size_t count;
	size_t at;

	if (cap < HEADER + 8 * ORDER_MAX)
		return 0;
	/* The buffer of planes is free until the words are split: the words are kept there. */
	memcpy(s->planes, payload.data, payload.len);
	choose_values(s, (const uint64_t *)(const void *)s->planes, n, &shape);
	count = to_offsets(s->words, n, &shape);
	ts_planes_split(s->words, count, s->planes, shape.planes);
	at = put_header(&shape, out);
	for (int j = 0; j < shape.planes; j++) {
		size_t len = put_plane(s, ts_span_of(s->planes + (size_t)j * count, count), shape.bits[j], out + at,
				       cap - at);

		if (len == 0)
			return 0;
		at += len;
	}
	return at;
}

static enum ts_status read_header(struct ts_cursor *c, size_t n, struct shape *shape, struct ts_error *err)
{
	shape->decimals = ts_cursor_u8(c);
	shape->order = ts_cursor_u8(c);
	shape->shift = ts_cursor_u8(c);
	shape->planes = ts_cursor_u8(c);
	shape->base = ts_cursor_u64(c);
	if (c->failed || shape->order > ORDER_MAX || (size_t)shape->order > n)
		return ts_error_set(err, TS_DAMAGED, "words: the order is not known");
	for (int k = 0; k < shape->order; k++)
		shape->seeds[k] = ts_cursor_u64(c);
	if (c->failed || shape->shift > 63 || shape->planes > TS_PLANES ||
	    (shape->decimals > TS_DECIMALS_MAX && shape->decimals != AS_BITS))
		return ts_error_set(err, TS_DAMAGED, "words: the header is not valid");
	return TS_OK;
}

/* *ret becomes the n bytes of the plane: they are in the input, or at room, which has n bytes. */
static enum ts_status read_plane(struct ts_scratch *s, struct ts_cursor *c, size_t n, uint8_t *room,
				 const uint8_t **ret, struct ts_error *err)
{
	uint8_t mode = ts_cursor_u8(c);
	struct ts_span bytes;

	*ret = room;
	if (mode == PLANE_CONSTANT && !c->failed) {
		memset(room, ts_cursor_u8(c), n);
	} else if (mode == PLANE_RAW) {
		*ret = ts_cursor_bytes(c, n).data;
	} else if (mode == PLANE_ZSTD) {
		bytes = ts_cursor_bytes(c, (size_t)ts_cursor_uint(c, 3));
		if (!c->failed)
			return ts_zstd_decode(s, bytes, room, n, err);
	} else {
		return ts_error_set(err, TS_DAMAGED, "words: the plane is not valid at byte %zu", c->at);
	}
	if (c->failed)
		return ts_error_set(err, TS_DAMAGED, "words: a plane ends too early");
	return TS_OK;
}

/* Turns offsets[0..count), which are at v + order, into the n values of v. */
static void from_offsets(uint64_t *v, size_t n, const struct shape *shape)
{
	uint64_t value = shape->seeds[0];
	uint64_t slope = shape->seeds[1];
	uint64_t base = shape->base;
	int shift = shape->shift;

	if (shape->order == 0) {
		for (size_t i = 0; i < n; i++)
			v[i] = (v[i] << shift) + base;
		return;
	}
	v[0] = value;
	if (shape->order == 1) {
		for (size_t i = 1; i < n; i++)
			v[i] = value += (v[i] << shift) + base;
		return;
	}
	if (n > 1)
		v[1] = value += slope;
	for (size_t i = 2; i < n; i++) {
		slope += (v[i] << shift) + base;
		v[i] = value += slope;
	}
}

enum ts_status ts_words_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len,
			       struct ts_error *err)
{
	struct ts_cursor c = ts_cursor_of(in);
	const uint8_t *planes[TS_PLANES];
	uint64_t *v = (uint64_t *)(void *)out;
	size_t n = len / 8;
	struct shape shape = {0};
	size_t count;

	if (len == 0 || len % 8 != 0)
		return ts_error_set(err, TS_DAMAGED, "words: %zu bytes are no words", len);
	if (read_header(&c, n, &shape, err) || ts_scratch_fit(s, 0, TS_PLANES * n, 0, err))
		return err->status;
	count = n - (size_t)shape.order;
	for (int j = 0; j < shape.planes; j++)
		if (read_plane(s, &c, count, s->planes + (size_t)j * count, &planes[j], err))
			return err->status;
	if (ts_cursor_left(&c))
		return ts_error_set(err, TS_DAMAGED, "words: %zu bytes too many", ts_cursor_left(&c));
	ts_planes_join(planes, shape.planes, v + shape.order, count);
	from_offsets(v, n, &shape);
	if (shape.decimals != AS_BITS && !ts_decimal_restore(v, n, shape.decimals))
		return ts_error_set(err, TS_DAMAGED, "words: an integer that no double holds");
	return TS_OK;
}
