#include "ingest/formats/pb.h"

#include "base/cursor.h"

#include <string.h>

bool ts_pb_varint(struct ts_pb *pb, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (pb->at >= pb->in.len)
			return false;
		byte = pb->in.data[pb->at++];
		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_value = value;
			return true;
		}
	}
	return false;
}

static bool fixed(struct ts_pb *pb, size_t n, uint64_t *ret_value)
{
	if (pb->in.len - pb->at < n)
		return false;
	*ret_value = ts_load_le(pb->in.data + pb->at, (int)n);
	pb->at += n;
	return true;
}

static bool bytes(struct ts_pb *pb, struct ts_span *ret_bytes)
{
	uint64_t len;

	if (!ts_pb_varint(pb, &len) || len > pb->in.len - pb->at)
		return false;
	*ret_bytes = ts_span_of(pb->in.data + pb->at, (size_t)len);
	pb->at += (size_t)len;
	return true;
}

static bool value_of(struct ts_pb *pb, struct ts_pb_field *f)
{
	switch (f->wire) {
	case TS_PB_VARINT:
		return ts_pb_varint(pb, &f->value);
	case TS_PB_FIXED64:
		return fixed(pb, 8, &f->value);
	case TS_PB_FIXED32:
		return fixed(pb, 4, &f->value);
	case TS_PB_BYTES:
		return bytes(pb, &f->bytes);
	}
	return false;
}

bool ts_pb_next(struct ts_pb *pb, struct ts_pb_field *ret_field)
{
	struct ts_pb_field f = {0};
	size_t start = pb->at;
	uint64_t key;

	if (pb->broken || pb->at >= pb->in.len)
		return false;
	if (ts_pb_varint(pb, &key) && key >> 3 > 0 && key >> 3 < UINT32_C(1) << 29) {
		f.number = (uint32_t)(key >> 3);
		f.wire = (enum ts_pb_wire)(key & 7);
		if (value_of(pb, &f)) {
			*ret_field = f;
			return true;
		}
	}
	pb->at = start;
	pb->broken = true;
	return false;
}

double ts_pb_float(uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	float value;

	memcpy(&value, &narrow, sizeof value);
	return (double)value;
}
