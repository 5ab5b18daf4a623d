#include "store/inflate.h"

enum { END_OF_BLOCK = 256, LENGTH_SYMBOLS = 29, DISTANCE_SYMBOLS = 30, CODE_LENGTHS = 19 };

static const uint16_t length_base[LENGTH_SYMBOLS] = {3,	 4,  5,	 6,  7,	 8,  9,	 10, 11,  13,  15,  17,	 19,  23, 27,
						     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[LENGTH_SYMBOLS] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
						     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[DISTANCE_SYMBOLS] = {1,    2,    3,	   4,	 5,    7,    9,	   13,	  17,	 25,
							 33,   49,   65,   97,	 129,  193,  257,  385,	  513,	 769,
							 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

static unsigned distance_extra(unsigned symbol)
{
	return symbol < 4 ? 0 : symbol / 2 - 1;
}

/* --- codes --- */

static uint16_t reversed(unsigned code, int bits)
{
	unsigned out = 0;

	for (int i = 0; i < bits; i++)
		out |= (code >> i & 1) << (bits - 1 - i);
	return (uint16_t)out;
}

/* Gives n symbols their codes. False, if there are more than the lengths leave room for; fewer may be. */
static bool make_codes(const uint8_t *lengths, int n, uint16_t *codes, uint16_t symbols[1 << TS_CODE_BITS])
{
	unsigned counts[TS_CODE_BITS + 1] = {0}, next[TS_CODE_BITS + 2] = {0};

	for (int i = 0; i < n; i++)
		counts[lengths[i]]++;
	counts[0] = 0;
	for (int bits = 1; bits <= TS_CODE_BITS; bits++) {
		next[bits + 1] = (next[bits] + counts[bits]) << 1;
		if (next[bits] + counts[bits] > 1u << bits)
			return false;
	}
	memset(symbols, 0xff, sizeof *symbols << TS_CODE_BITS);
	for (int i = 0; i < n; i++) {
		int bits = lengths[i];

		if (!bits)
			continue;
		codes[i] = reversed(next[bits]++, bits);
		for (unsigned at = codes[i]; at < 1 << TS_CODE_BITS; at += 1u << bits)
			symbols[at] = (uint16_t)i;
	}
	return true;
}

static bool make_both(struct ts_codes *c)
{
	return make_codes(c->lengths, TS_LITERALS, c->codes, c->symbols[0]) &&
	       make_codes(c->lengths + TS_LITERALS, TS_DISTANCES, c->codes + TS_LITERALS, c->symbols[1]);
}

static enum ts_inflate get_symbol(struct ts_bits *b, const uint16_t *symbols, const uint8_t *lengths, unsigned *ret)
{
	uint16_t symbol = symbols[ts_bits_peek(b) & ((1 << TS_CODE_BITS) - 1)];

	if (symbol == UINT16_MAX)
		return b->end - b->at < TS_CODE_BITS ? TS_INFLATE_SHORT : TS_INFLATE_BAD;
	ts_bits_skip(b, lengths[symbol]);
	*ret = symbol;
	return b->failed ? TS_INFLATE_SHORT : TS_INFLATE_OK;
}

/* --- heads --- */

static void skip_text(struct ts_bits *b)
{
	while (ts_bits_get(b, 8) && !b->failed)
		;
}

enum ts_inflate ts_inflate_member(struct ts_bits *b)
{
	enum { MAGIC = 0x088b1f, CRC = 2, EXTRA = 4, NAME = 8, COMMENT = 16, RESERVED = 224 };
	struct ts_bits r = *b;
	uint64_t magic = ts_bits_get(&r, 24), flags = ts_bits_get(&r, 8);

	ts_bits_skip(&r, 48); /* time, flags, system */
	if (!r.failed && (magic != MAGIC || flags & RESERVED))
		return TS_INFLATE_BAD;
	if (flags & EXTRA)
		ts_bits_skip(&r, ts_bits_get(&r, 16) * 8);
	if (flags & NAME)
		skip_text(&r);
	if (flags & COMMENT)
		skip_text(&r);
	if (flags & CRC)
		ts_bits_skip(&r, 16);
	if (r.failed)
		return TS_INFLATE_SHORT;
	*b = r;
	return TS_INFLATE_OK;
}

static bool fixed_codes(struct ts_codes *c)
{
	for (int i = 0; i < TS_LITERALS; i++)
		c->lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	memset(c->lengths + TS_LITERALS, 5, TS_DISTANCES);
	return make_both(c);
}

static enum ts_inflate get_lengths(struct ts_bits *b, const struct ts_codes *of_lengths, uint8_t *lengths, unsigned n)
{
	unsigned i = 0, symbol;

	while (i < n) {
		enum ts_inflate status = get_symbol(b, of_lengths->symbols[0], of_lengths->lengths, &symbol);
		unsigned times = 1, value = symbol;

		if (status)
			return status;
		if (symbol == 16 && !i)
			return TS_INFLATE_BAD;
		if (symbol == 16)
			times = 3 + (unsigned)ts_bits_get(b, 2), value = lengths[i - 1];
		else if (symbol > 16)
			times = symbol == 17 ? 3 + (unsigned)ts_bits_get(b, 3) : 11 + (unsigned)ts_bits_get(b, 7), value = 0;
		if (b->failed)
			return TS_INFLATE_SHORT;
		if (times > n - i)
			return TS_INFLATE_BAD;
		memset(lengths + i, (int)value, times);
		i += times;
	}
	return TS_INFLATE_OK;
}

static enum ts_inflate dynamic_codes(struct ts_bits *b, struct ts_codes *c)
{
	static const uint8_t order[CODE_LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
	unsigned literals = 257 + (unsigned)ts_bits_get(b, 5), distances = 1 + (unsigned)ts_bits_get(b, 5);
	unsigned n = 4 + (unsigned)ts_bits_get(b, 4);
	uint8_t lengths[TS_LITERALS + TS_DISTANCES] = {0};
	enum ts_inflate status;

	memset(c->lengths, 0, sizeof c->lengths);
	for (unsigned i = 0; i < n; i++)
		c->lengths[order[i]] = (uint8_t)ts_bits_get(b, 3);
	if (b->failed)
		return TS_INFLATE_SHORT;
	if (literals > 286 || distances > DISTANCE_SYMBOLS || !make_codes(c->lengths, CODE_LENGTHS, c->codes, c->symbols[0]))
		return TS_INFLATE_BAD;
	status = get_lengths(b, c, lengths, literals + distances);
	if (status)
		return status;
	memset(c->lengths, 0, sizeof c->lengths);
	memcpy(c->lengths, lengths, literals);
	memcpy(c->lengths + TS_LITERALS, lengths + literals, distances);
	return make_both(c) ? TS_INFLATE_OK : TS_INFLATE_BAD;
}

static enum ts_inflate stored_block(struct ts_bits *b, struct ts_block *ret)
{
	uint64_t n, check;

	ts_bits_skip(b, (8 - b->at % 8) % 8);
	n = ts_bits_get(b, 16);
	check = ts_bits_get(b, 16);
	if (!b->failed && (n ^ check) != 0xffff)
		return TS_INFLATE_BAD;
	ts_bits_skip(b, n * 8);
	ret->stored = n;
	return b->failed ? TS_INFLATE_SHORT : TS_INFLATE_OK;
}

enum ts_inflate ts_inflate_block(struct ts_bits *b, struct ts_block *ret, struct ts_codes *codes)
{
	struct ts_bits r = *b;
	struct ts_block block = {.last = ts_bits_get(&r, 1)};
	uint64_t type = ts_bits_get(&r, 2);
	enum ts_inflate status;

	if (r.failed)
		return TS_INFLATE_SHORT;
	if (type == 0)
		status = stored_block(&r, &block);
	else if (type == 1)
		status = fixed_codes(codes) ? TS_INFLATE_OK : TS_INFLATE_BAD;
	else
		status = type == 2 ? dynamic_codes(&r, codes) : TS_INFLATE_BAD;
	block.has_codes = type != 0;
	if (!status) {
		*b = r;
		*ret = block;
	}
	return status;
}

/* --- tokens --- */

enum ts_inflate ts_inflate_token(struct ts_bits *b, const struct ts_codes *codes, struct ts_token *ret)
{
	struct ts_bits r = *b;
	unsigned symbol, length;
	enum ts_inflate status = get_symbol(&r, codes->symbols[0], codes->lengths, &symbol);

	if (status)
		return status;
	if (symbol <= END_OF_BLOCK) {
		*ret = symbol < END_OF_BLOCK ? (struct ts_token){0, (uint16_t)symbol} : (struct ts_token){1, 0};
		*b = r;
		return TS_INFLATE_OK;
	}
	symbol -= END_OF_BLOCK + 1;
	if (symbol >= LENGTH_SYMBOLS)
		return TS_INFLATE_BAD;
	length = length_base[symbol] + (unsigned)ts_bits_get(&r, length_extra[symbol]);
	/* 258 has a symbol of its own; the other way to write it is not what ts_deflate_token writes. */
	if (length == TS_MATCH_MAX && symbol != LENGTH_SYMBOLS - 1)
		return TS_INFLATE_BAD;
	status = get_symbol(&r, codes->symbols[1], codes->lengths + TS_LITERALS, &symbol);
	if (status)
		return status;
	if (symbol >= DISTANCE_SYMBOLS)
		return TS_INFLATE_BAD;
	*ret = (struct ts_token){(uint16_t)length, (uint16_t)(distance_base[symbol] + ts_bits_get(&r, distance_extra(symbol)))};
	if (r.failed)
		return TS_INFLATE_SHORT;
	*b = r;
	return TS_INFLATE_OK;
}

static unsigned symbol_of(const uint16_t *bases, unsigned n, unsigned value)
{
	while (n > 1 && bases[n - 1] > value)
		n--;
	return n - 1;
}

static bool put_symbol(struct ts_bits_out *b, const struct ts_codes *codes, unsigned symbol)
{
	ts_bits_put(b, codes->codes[symbol], codes->lengths[symbol]);
	return codes->lengths[symbol] > 0;
}

bool ts_deflate_token(struct ts_bits_out *b, const struct ts_codes *codes, struct ts_token token)
{
	unsigned symbol;

	if (token.length < TS_MATCH_MIN)
		return put_symbol(b, codes, token.length ? END_OF_BLOCK : token.distance);
	symbol = symbol_of(length_base, LENGTH_SYMBOLS, token.length);
	if (!put_symbol(b, codes, END_OF_BLOCK + 1 + symbol))
		return false;
	ts_bits_put(b, token.length - length_base[symbol], length_extra[symbol]);
	symbol = symbol_of(distance_base, DISTANCE_SYMBOLS, token.distance);
	if (!put_symbol(b, codes, TS_LITERALS + symbol))
		return false;
	ts_bits_put(b, token.distance - distance_base[symbol], distance_extra(symbol));
	return true;
}
