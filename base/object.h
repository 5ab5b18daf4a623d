/* object.h - the frame of every object, that is of everything that is stored under its digest. docs/format.md is the specification.
 *
 *	offset  size   field
 *	     0     4   "tsob"
 *	     4     1   kind	what the payload means; run/ knows, store/ does not
 *	     5     1   version	of the payload's format
 *	     6     1   layout	TS_LAYOUT_BYTES or TS_LAYOUT_WORDS: a hint for the codec, and part of what the id covers
 *	     7     1   0
 *	     8     4   refs	number of ids that follow
 *	    12     4   0
 *	    16  32*refs	ids of the objects that this object needs, in the order of the payload
 *	   ...         payload, to the end
 *
 * The id of the object is the SHA-256 of all these bytes. With TS_LAYOUT_WORDS the payload is a whole number of
 * 8-byte little-endian words. Integers are little-endian. An object is at most TS_OBJECT_MAX bytes.
 */
#ifndef TSCOPE_BASE_OBJECT_H
#define TSCOPE_BASE_OBJECT_H

#include "base/buf.h"
#include "base/digest.h"

enum { TS_OBJECT_HEADER = 16 };

enum ts_layout { TS_LAYOUT_BYTES = 0, TS_LAYOUT_WORDS = 1 };

/* A parsed frame; spans point into the bytes that were parsed. */
struct ts_object {
	uint8_t kind;
	uint8_t version;
	uint8_t layout;
	uint32_t nrefs;
	struct ts_span refs; /* nrefs * 32 bytes */
	struct ts_span payload;
};

/* Appends the header; the caller then appends nrefs ids and the payload to the same buffer. */
void ts_object_header(struct ts_buf *buf, uint8_t kind, uint8_t version, enum ts_layout layout, uint32_t nrefs);
/* Appends header and refs; the caller then appends the payload. */
void ts_object_begin(struct ts_buf *buf, uint8_t kind, uint8_t version, enum ts_layout layout,
		     const struct ts_id *refs, uint32_t nrefs);

/* Parses the frame; TS_DAMAGED with the byte offset if it is not as described above. The payload is not examined. */
enum ts_status ts_object_parse(struct ts_span bytes, struct ts_object *ret_object, struct ts_error *err);

/* Puts "object <id>: " before the text of an error; returns err->status. */
enum ts_status ts_object_error(const struct ts_id *id, struct ts_error *err);

static inline struct ts_id ts_object_ref(const struct ts_object *object, uint32_t i)
{
	struct ts_id id;

	memcpy(id.bytes, object->refs.data + (size_t)i * TS_ID_BYTES, TS_ID_BYTES);
	return id;
}

#endif
