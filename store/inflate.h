/* inflate.h - the parts of gzip data (RFC 1951, 1952), one after the other: heads of members and blocks, and what matches and literals
 * stand in a block. What they say is left to the caller, who also keeps the text.
 *
 * Everything is pure. TS_INFLATE_SHORT: the bytes end within this part, of which nothing was taken.
 */
#ifndef TSCOPE_STORE_INFLATE_H
#define TSCOPE_STORE_INFLATE_H

#include "store/bits.h"

enum {
	TS_LITERALS = 288,
	TS_DISTANCES = 32,
	TS_MATCH_MIN = 3,
	TS_MATCH_MAX = 258,
	TS_CODE_BITS = 15,
	TS_BLOCK_HEAD_BITS = 3 + 14 + 19 * 3 + 320 * 14, /* at most, by codes of 7 bits with 7 more */
};

enum ts_inflate { TS_INFLATE_OK, TS_INFLATE_SHORT, TS_INFLATE_BAD };

/* A literal has length 0 and its byte as distance. The end of a block has length 1. */
struct ts_token {
	uint16_t length, distance;
};

/* How symbols are read and written. */
struct ts_codes {
	uint8_t lengths[TS_LITERALS + TS_DISTANCES]; /* 0: the symbol has no code */
	uint16_t codes[TS_LITERALS + TS_DISTANCES];  /* the first bit lowest */
	uint16_t symbols[2][1 << TS_CODE_BITS];	     /* by the next 15 bits: of literals, and of distances; UINT16_MAX: none */
};

struct ts_block {
	bool last;
	size_t stored; /* bytes that follow as they are, where it has no codes */
	bool has_codes;
};

/* The head of a member. */
enum ts_inflate ts_inflate_member(struct ts_bits *b);
/* The head of a block, of a stored one with its bytes. codes may be changed where the head is not whole. */
enum ts_inflate ts_inflate_block(struct ts_bits *b, struct ts_block *ret, struct ts_codes *codes);
enum ts_inflate ts_inflate_token(struct ts_bits *b, const struct ts_codes *codes, struct ts_token *ret);
/* Writes the token; false, if it has no code. */
bool ts_deflate_token(struct ts_bits_out *b, const struct ts_codes *codes, struct ts_token token);

#endif
