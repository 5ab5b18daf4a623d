/* sealed.h - an object as it is stored and sent: compressed without loss, with a checksum over the stored bytes.
 *
 * Identity sees canonical bytes only; how they are narrowed is decided here and may change between versions of this
 * code without changing an id. docs/sealed.md specifies the sealed form, because it travels.
 *
 *	ts_seal(&id, object bytes, arena, &sealed)	tries a few codecs, keeps the smallest
 *	ts_unseal(&sealed, arena, &bytes)		checks the checksum, undoes the codec
 *	ts_sealed_verify(&sealed, arena, &bytes)	and that SHA-256 of the bytes is the id
 *
 * Codecs of a payload of words (TS_LAYOUT_WORDS): integers over a power of ten (k/1e9 gives the same double back, and
 * nanoseconds are what was measured), differences, zero bits at the end dropped (which makes a float32 of a double that
 * was one), byte planes, zstd level 1 where it helps. Of bytes: zstd level 1 or as they are.
 * The header and refs of an object are kept in front, uncompressed when the payload is words (ids do not compress).
 * Threads: safe; zstd contexts are per thread.
 */
#ifndef TSCOPE_STORE_SEALED_H
#define TSCOPE_STORE_SEALED_H

#include "base/arena.h"
#include "base/object.h"

struct ts_sealed {
	struct ts_id id;
	uint8_t codec;
	uint8_t kind;	   /* of the object's header, for those who sweep and list without unsealing */
	uint32_t nrefs;	   /* likewise: 0 = nothing to follow */
	uint32_t raw_len;  /* bytes of the object */
	uint64_t checksum; /* XXH3-64 of bytes */
	struct ts_span bytes;
};

/* id is the SHA-256 of object, which the caller has computed: each object is hashed once on its way. bytes lie in
 * the arena (or are the object itself, codec raw). */
enum ts_status ts_seal(const struct ts_id *id, struct ts_span object, struct ts_arena *arena,
		       struct ts_sealed *ret_sealed, struct ts_error *err);
/* TS_DAMAGED: checksum, codec or length do not fit; the text names the id. raw_len is bounded by TS_OBJECT_MAX before
 * anything is allocated. */
enum ts_status ts_unseal(const struct ts_sealed *sealed, struct ts_arena *arena, struct ts_span *ret_object,
			 struct ts_error *err);

/* As ts_unseal, and the bytes hash to the id, are a well-formed frame, and kind and nrefs are what the frame says:
 * what a server does with everything it is sent. */
enum ts_status ts_sealed_verify(const struct ts_sealed *sealed, struct ts_arena *arena, struct ts_span *ret_object,
				struct ts_error *err);

#endif
