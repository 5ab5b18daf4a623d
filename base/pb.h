/* pb.h - reads the fields of a serialized protobuf message one after the other, in place.
 *
 *	struct ts_pb pb = ts_pb_of(message);
 *	struct ts_pb_field f;
 *	while (ts_pb_next(&pb, &f))
 *		switch (f.number) ...
 *	if (pb.broken) ...			no valid field begins at byte pb.at
 *
 * It is for logs of other tools, whose messages we know by field number only, and for what must be known of a request before it is
 * unpacked. There is no generated code and no allocation; the caller skips unknown fields. Groups (wire types 3 and 4) are refused.
 * Every length is checked against the input. It is inline, because a log has many fields of a few bytes, and their parts then stay in
 * registers. Threads: safe. Source: protobuf.dev/programming-guides/encoding.
 */
#ifndef TSCOPE_BASE_PB_H
#define TSCOPE_BASE_PB_H

#include "base/cursor.h"

#include <stdint.h>

/* Field numbers of an entry of a map<>. */
enum { TS_PB_MAP_KEY = 1, TS_PB_MAP_VALUE = 2 };

/* Field numbers of google.protobuf.Timestamp and google.protobuf.Value. */
enum { TS_PB_SECONDS = 1, TS_PB_NANOS = 2 };
enum { TS_PB_NULL_VALUE = 1, TS_PB_NUMBER_VALUE = 2, TS_PB_STRING_VALUE = 3, TS_PB_BOOL_VALUE = 4 };

enum ts_pb_wire { TS_PB_VARINT = 0, TS_PB_FIXED64 = 1, TS_PB_BYTES = 2, TS_PB_FIXED32 = 5 };

struct ts_pb {
	struct ts_span in;
	size_t at;
	bool broken;
};

struct ts_pb_field {
	uint32_t number;
	enum ts_pb_wire wire;
	uint64_t value;	      /* for VARINT, FIXED64, FIXED32: the bits */
	struct ts_span bytes; /* for BYTES */
};

static inline struct ts_pb ts_pb_of(struct ts_span message)
{
	return (struct ts_pb){.in = message};
}

/* For the two below: reads a varint of any length at *at, before end, and moves *at behind it. */
bool ts_pb_varint_at(const uint8_t **at, const uint8_t *end, uint64_t *ret_value);

/* Most keys and lengths have one byte. */
static inline bool ts_pb_short_varint_at(const uint8_t **at, const uint8_t *end, uint64_t *ret_value)
{
	if (*at == end || **at >= 0x80)
		return ts_pb_varint_at(at, end, ret_value);
	*ret_value = *(*at)++;
	return true;
}

/* Reads the bits of a number of n bytes. */
static inline bool ts_pb_fixed_at(const uint8_t **at, const uint8_t *end, int n, uint64_t *ret_value)
{
	if (end - *at < n)
		return false;
	*ret_value = ts_load_le(*at, n);
	*at += n;
	return true;
}

static inline bool ts_pb_bytes_at(const uint8_t **at, const uint8_t *end, struct ts_span *ret_bytes)
{
	uint64_t len;

	if (!ts_pb_short_varint_at(at, end, &len) || len > (size_t)(end - *at))
		return false;
	ret_bytes->data = *at;
	ret_bytes->len = (size_t)len;
	*at += len;
	return true;
}

/* Reads the value behind a key into f, whose wire is set and whose other members are zero. */
static inline bool ts_pb_value_at(const uint8_t **at, const uint8_t *end, struct ts_pb_field *f)
{
	switch (f->wire) {
	case TS_PB_VARINT:
		return ts_pb_short_varint_at(at, end, &f->value);
	case TS_PB_FIXED64:
		return ts_pb_fixed_at(at, end, 8, &f->value);
	case TS_PB_FIXED32:
		return ts_pb_fixed_at(at, end, 4, &f->value);
	case TS_PB_BYTES:
		return ts_pb_bytes_at(at, end, &f->bytes);
	}
	return false;
}

/* Reads the next field. Returns false at the end, and from the first broken field on. */
static inline bool ts_pb_next(struct ts_pb *pb, struct ts_pb_field *ret_field)
{
	struct ts_pb_field f = {0};
	const uint8_t *at, *end;
	uint64_t key;

	if (pb->broken || pb->at >= pb->in.len)
		return false;
	at = pb->in.data + pb->at;
	end = pb->in.data + pb->in.len;
	pb->broken = true;
	if (!ts_pb_short_varint_at(&at, end, &key) || key >> 3 == 0 || key >> 3 >= UINT32_C(1) << 29)
		return false;
	f.number = (uint32_t)(key >> 3);
	f.wire = (enum ts_pb_wire)(key & 7);
	if (!ts_pb_value_at(&at, end, &f))
		return false;
	pb->broken = false;
	pb->at = (size_t)(at - pb->in.data);
	*ret_field = f;
	return true;
}

/* Reads the next varint of a packed field, over whose bytes pb was opened. */
static inline bool ts_pb_varint(struct ts_pb *pb, uint64_t *ret_value)
{
	const uint8_t *at;

	if (pb->at >= pb->in.len)
		return false;
	at = pb->in.data + pb->at;
	if (!ts_pb_short_varint_at(&at, pb->in.data + pb->in.len, ret_value))
		return false;
	pb->at = (size_t)(at - pb->in.data);
	return true;
}

double ts_pb_float(uint64_t bits); /* the exact value of a float in a FIXED32 */

#endif
