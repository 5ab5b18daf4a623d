/* digest.h - SHA-256, the name of every object.
 *
 * An id is the SHA-256 of an object's bytes; as text it is 64 lower-case hex digits. Hashing cannot fail. A command that is about to
 * make objects calls ts_digest_init() first; more calls do no harm.
 * Source: FIPS 180-4, through OpenSSL.
 * Threads: a ts_hasher belongs to one thread at a time; everything else is safe.
 */
#ifndef TSCOPE_BASE_DIGEST_H
#define TSCOPE_BASE_DIGEST_H

#include "base/error.h"
#include "base/span.h"

enum { TS_ID_BYTES = 32, TS_ID_HEX = 64 };

struct ts_id {
	uint8_t bytes[TS_ID_BYTES];
};

struct ts_hasher {
	void *context;
};

/* TS_UNSUPPORTED if OpenSSL does not start. */
enum ts_status ts_digest_init(struct ts_error *err);

enum ts_status ts_hasher_init(struct ts_hasher *hasher, struct ts_error *err);
void ts_hasher_finish(struct ts_hasher *hasher);
/* A complete digest is one start, any number of adds, and one end; after that the hasher can be started again. */
void ts_hasher_start(struct ts_hasher *hasher);
void ts_hasher_add(struct ts_hasher *hasher, struct ts_span bytes);
void ts_hasher_end(struct ts_hasher *hasher, struct ts_id *ret_id);

/* Computes the digest of one span. */
void ts_digest(struct ts_span bytes, struct ts_id *ret_id);

/* Writes the hex digits and a NUL to out, which has at least TS_ID_HEX + 1 bytes. Returns out. */
char *ts_id_hex(const struct ts_id *id, char *out);
/* Reads exactly 64 hex digits in either case; false for any other text. */
bool ts_id_parse(struct ts_span text, struct ts_id *ret_id);

static inline struct ts_span ts_id_span(const struct ts_id *id)
{
	return ts_span_of(id->bytes, TS_ID_BYTES);
}

static inline bool ts_id_eq(const struct ts_id *a, const struct ts_id *b)
{
	return memcmp(a->bytes, b->bytes, TS_ID_BYTES) == 0;
}

static inline int ts_id_cmp(const struct ts_id *a, const struct ts_id *b)
{
	return memcmp(a->bytes, b->bytes, TS_ID_BYTES);
}

#endif
