/* codec.h - the ways to compress the bytes of an object without loss, each with its number.
 *
 * Internal to store/; docs/sealed.md is the specification.
 *
 * Encoders write into memory of the calling thread (struct ts_scratch), which lives until the thread ends, so that sealing a
 * block takes no more of an arena than its result. Decoders trust no input: any bytes give TS_OK or TS_DAMAGED.
 * Threads: safe; every thread has its own scratch.
 */
#ifndef TSCOPE_STORE_CODEC_H
#define TSCOPE_STORE_CODEC_H

#include "base/buf.h"
#include "base/cursor.h"

enum ts_codec {
	TS_CODEC_RAW = 0,   /* the object without change */
	TS_CODEC_ZSTD = 1,  /* the object as one zstd frame */
	TS_CODEC_WORDS = 2, /* header and refs without change, then a stream of words */
	TS_CODEC_LINES = 3, /* the same, then text as lines and columns of numbers (line_forms.h) */
	TS_CODEC_DEFLATE = 4, /* the same, then a piece of compressed data by the text in it (deflate.h) */
};

enum { TS_ZSTD_LEVEL = 1, TS_PLANES = 8 };

struct ts_scratch {
	void *compress;	  /* ZSTD_CCtx */
	void *decompress; /* ZSTD_DCtx */
	uint64_t *words;  /* values, then residuals */
	uint8_t *planes;  /* TS_PLANES planes of plane_len bytes each */
	uint8_t *out;	  /* the result of encoding */
	size_t words_cap; /* bytes */
	size_t planes_cap;
	size_t out_cap;
};

/* Gives the scratch of this thread; TS_NO_MEMORY if it cannot be made. */
enum ts_status ts_scratch_get(struct ts_scratch **ret_scratch, struct ts_error *err);
/* Makes room for so many bytes in each array, whose contents are lost. An array whose size is 0 here is left as it is. */
enum ts_status ts_scratch_fit(struct ts_scratch *s, size_t words, size_t planes, size_t out, struct ts_error *err);

/* Gives back arrays that became larger than any object needs; contents of them are lost. */
void ts_scratch_trim(struct ts_scratch *s);

/* Compresses in. Returns the number of bytes written to out, or 0 if they would not be fewer than cap. */
size_t ts_zstd_encode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t cap);
/* Decompresses in to exactly len bytes; TS_DAMAGED otherwise. */
enum ts_status ts_zstd_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len, struct ts_error *err);

/* The same with the length of the frame before it, which is 0 where the bytes follow as they are. */
enum ts_status ts_zstd_put(struct ts_scratch *s, struct ts_span in, struct ts_buf *out, struct ts_error *err);
/* *c is failed where its bytes end too early. */
enum ts_status ts_zstd_get(struct ts_scratch *s, struct ts_cursor *c, uint8_t *out, size_t len, struct ts_error *err);

/* Encodes a payload of whole words (at least one). Returns the number of bytes written to out, or 0 if they would not be
 * fewer than cap. The scratch must have room for payload.len bytes in words and in planes. */
size_t ts_words_encode(struct ts_scratch *s, struct ts_span payload, uint8_t *out, size_t cap);
/* Decodes to len bytes at out, which is aligned to 8; TS_DAMAGED if the bytes do not decode to that. */
enum ts_status ts_words_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len,
			       struct ts_error *err);

#endif
