/* deflate.h - compresses what gzip or zlib compressed already: the text inside, better, and what it takes to write the same bytes.
 *
 * The writer of such data chose among ways to say the same text. Zlib and gzip choose by rules, so the text, the level, the heads of
 * the blocks and the few places where a guess by these rules (matches.h) is wrong give the same bytes; what was written by other rules
 * costs more than it saves, and stays as it is. docs/sealed.md has the bytes.
 *
 * A file is stored in pieces, which are opened one by one. So each has the 32 KiB of text before it, and what is cut at its ends stands
 * in it bit by bit. To find out where a piece begins takes the pieces before it: struct ts_trail goes along.
 *
 *	struct ts_trail trail = {0};
 *	ts_deflate_encode(s, &trail, piece, &out, err)	for each piece of a file, in order; TS_UNSUPPORTED: not so
 *	ts_trail_follow(&trail, piece, err)		for a piece that need not be encoded
 *	ts_trail_finish(&trail)
 *
 * Threads: one at a time may use a trail.
 */
#ifndef TSCOPE_STORE_DEFLATE_H
#define TSCOPE_STORE_DEFLATE_H

#include "base/buf.h"
#include "store/codec.h"

enum {
	TS_DEFLATE_TEXT_MAX = 64 << 20, /* bytes of text in a piece; more is left as it is */
	/* Steps for each byte of a piece, and of so many bytes more, before it is left as it is: traces at level 9 take up to 190. */
	TS_DEFLATE_WORK = 512,
	TS_DEFLATE_MORE = 1024,
};

struct ts_trail {
	bool open; /* inside of compressed data */
	int phase;
	bool last;	    /* this block is the last of its member */
	struct ts_buf left; /* bytes of the part that the last piece ends in */
	unsigned left_bit;  /* of the first of them, at which the part begins */
	struct ts_buf head; /* of the block: from its first bit on */
	size_t head_bits;
	struct ts_buf window; /* the text before */
};

void ts_trail_finish(struct ts_trail *trail);
enum ts_status ts_trail_follow(struct ts_trail *trail, struct ts_span piece, struct ts_error *err);
/* Appends to out; TS_UNSUPPORTED, if the piece is no part of such data, or was written by other rules. Whatever is returned, the trail
 * goes on behind the piece, if it can. */
enum ts_status ts_deflate_encode(struct ts_scratch *s, struct ts_trail *trail, struct ts_span piece, struct ts_buf *out,
				 struct ts_error *err);
/* Decodes to exactly len bytes at out; TS_DAMAGED if the bytes do not decode to that. Waits while another thread opens a piece of more
 * than 8 MiB of text, if this one has as much. */
enum ts_status ts_deflate_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len, struct ts_error *err);

#endif
