/* codec.h - the ways to compress the bytes of an object without loss, each under its number.
 *
 * Internal to store/; docs/sealed.md is the specification.
 *
 * Encoders write into memory of the calling thread (struct ts_scratch), which lives until the thread ends, so that sealing
 * a block costs an arena no more than its result. Decoders take nothing on trust: any bytes give TS_OK or TS_DAMAGED.
 * Threads: safe; every thread has a scratch of its own.
 */
#ifndef TSCOPE_STORE_CODEC_H
#define TSCOPE_STORE_CODEC_H

#include "base/error.h"
#include "base/span.h"

enum ts_codec {
	TS_CODEC_RAW = 0,   /* the object as it is */
	TS_CODEC_ZSTD = 1,  /* the object as one zstd frame */
	TS_CODEC_WORDS = 2, /* header and refs as they are, then a stream of words */
};

enum { TS_ZSTD_LEVEL = 1, TS_PLANES = 8 };

struct ts_scratch {
	void *compress;	  /* ZSTD_CCtx */
	void *decompress; /* ZSTD_DCtx */
	uint64_t *words;  /* values, then residuals */
	uint8_t *planes;  /* TS_PLANES planes of plane_len bytes each */
	uint8_t *out;	  /* what is being encoded */
	size_t words_cap; /* bytes */
	size_t planes_cap;
	size_t out_cap;
};

/* The scratch of this thread; TS_NO_MEMORY. */
enum ts_status ts_scratch_get(struct ts_scratch **ret_scratch, struct ts_error *err);
/* Room for that many bytes in each; contents are lost. A size of 0 leaves that one alone. */
enum ts_status ts_scratch_fit(struct ts_scratch *s, size_t words, size_t planes, size_t out, struct ts_error *err);

/* Bytes written to out, 0 when they are not fewer than cap. */
size_t ts_zstd_encode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t cap);
/* Exactly len bytes come out, or TS_DAMAGED. */
enum ts_status ts_zstd_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len, struct ts_error *err);

/* Encodes a payload of whole words (at least one). Bytes written to out, 0 when they are not fewer than cap.
 * The scratch has room for payload.len in words and planes. */
size_t ts_words_encode(struct ts_scratch *s, struct ts_span payload, uint8_t *out, size_t cap);
/* Decodes to len bytes at out, which is aligned to 8. */
enum ts_status ts_words_decode(struct ts_scratch *s, struct ts_span in, uint8_t *out, size_t len,
			       struct ts_error *err);

#endif
