/* sealed.h - an object in the form in which it is stored and sent: compressed without loss, with a checksum over the stored
 * bytes.
 *
 * An id covers the canonical bytes only. How they are compressed is decided here and may change between versions of this
 * code without changing an id. docs/sealed.md specifies the sealed form, because it is sent between programs.
 *
 *	ts_seal(&id, object bytes, arena, &sealed)	tries a few codecs and keeps the smallest result
 *	ts_seal_plain(&id, object bytes, &sealed)	tries none, for an object that this process alone will read, and soon
 *	ts_unseal(&sealed, arena, &bytes)		checks the checksum and undoes the codec
 *	ts_sealed_verify(&sealed, arena, &bytes)	also checks that the SHA-256 of the bytes is the id
 *
 *	ts_sealer_create(&sealer, err)			for objects in the order of a run, whose receiver opens all codecs
 *	ts_sealer_seal(sealer, &id, object bytes, arena, &sealed, err)
 *	ts_sealer_pass(sealer, object bytes)		for one that the receiver has: the next piece of its file may need it
 *	ts_sealer_destroy(sealer)
 *
 * The codec of a payload of words (TS_LAYOUT_WORDS) stores integers over a power of ten (k/1e9 gives the same double back,
 * and nanoseconds are what was measured), differences, words without their zero bits at the end (which turns a double that
 * was a float32 into a float32), byte planes, and zstd level 1 where it helps. A payload of bytes is stored with zstd level
 * 1 or without change. The header and refs of an object come first, uncompressed if the payload is words (ids do not
 * compress). A sealer also stores text by its lines and columns of numbers, and what gzip compressed by the text in it, where that is
 * smaller. A piece of a compressed file begins in the midst of it, so a sealer remembers how the piece before it ended.
 * Threads: safe; zstd contexts are per thread. One at a time may use a sealer.
 */
#ifndef TSCOPE_STORE_SEALED_H
#define TSCOPE_STORE_SEALED_H

#include "base/arena.h"
#include "base/object.h"

struct ts_sealed {
	struct ts_id id;
	uint8_t codec;
	uint8_t kind;	   /* from the object's header, so that sweep and lists need not unseal */
	uint32_t nrefs;	   /* from the header too; 0: the object refers to nothing */
	uint32_t raw_len;  /* size of the object in bytes */
	uint64_t checksum; /* XXH3-64 of bytes */
	struct ts_span bytes;
};

/* Seals an object. id is its SHA-256, which the caller has computed, so that each object is hashed only once. The sealed
 * bytes lie in the arena, or are the object itself with the codec raw. */
enum ts_status ts_seal(const struct ts_id *id, struct ts_span object, struct ts_arena *arena,
		       struct ts_sealed *ret_sealed, struct ts_error *err);
/* Seals an object with the codec raw: the sealed bytes are the object itself. */
enum ts_status ts_seal_plain(const struct ts_id *id, struct ts_span object, struct ts_sealed *ret_sealed, struct ts_error *err);
/* What those of version 0.1.0 open, and what this one opens. */
enum { TS_SEALED_CODECS_FIRST = 2, TS_SEALED_CODECS = 4 };

struct ts_sealer;

/* Whether a sealer may do better than ts_seal: the object refers to nothing, has no words and at least a KiB. */
bool ts_sealer_helps(struct ts_span object);
enum ts_status ts_sealer_create(struct ts_sealer **ret_sealer, struct ts_error *err);
void ts_sealer_destroy(struct ts_sealer *sealer); /* NULL is allowed */
enum ts_status ts_sealer_seal(struct ts_sealer *sealer, const struct ts_id *id, struct ts_span object, struct ts_arena *arena,
			      struct ts_sealed *ret_sealed, struct ts_error *err);
void ts_sealer_pass(struct ts_sealer *sealer, struct ts_span object);

/* Gives the object back. TS_DAMAGED if checksum, codec or length do not fit; the text names the id. A raw_len over
 * TS_OBJECT_MAX is refused before anything is allocated. */
enum ts_status ts_unseal(const struct ts_sealed *sealed, struct ts_arena *arena, struct ts_span *ret_object,
			 struct ts_error *err);

/* Does what ts_unseal does, and also checks that the bytes hash to the id, that the frame is well formed, and that kind and
 * nrefs are those of the frame. A server does this with every object that it receives. */
enum ts_status ts_sealed_verify(const struct ts_sealed *sealed, struct ts_arena *arena, struct ts_span *ret_object,
				struct ts_error *err);

#endif
