/* pb.h - reads the fields of a serialized protobuf message one after the other, in place.
 *
 *	struct ts_pb pb = ts_pb_of(message);
 *	struct ts_pb_field f;
 *	while (ts_pb_next(&pb, &f))
 *		switch (f.number) ...
 *	if (pb.broken) ...			no valid field begins at byte pb.at
 *
 * It is for logs of other tools, whose messages we know by field number only. There is no generated code and no allocation; the
 * caller skips unknown fields. Groups (wire types 3 and 4) are refused. Every length is checked against the input. Threads:
 * safe. Source: protobuf.dev/programming-guides/encoding.
 */
#ifndef TSCOPE_INGEST_FORMATS_PB_H
#define TSCOPE_INGEST_FORMATS_PB_H

#include "base/span.h"

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

/* Reads the next field. Returns false at the end, and from the first broken field on. */
bool ts_pb_next(struct ts_pb *pb, struct ts_pb_field *ret_field);
/* Reads the next varint of a packed field, over whose bytes pb was opened. */
bool ts_pb_varint(struct ts_pb *pb, uint64_t *ret_value);

double ts_pb_float(uint64_t bits); /* the exact value of a float in a FIXED32 */

#endif
