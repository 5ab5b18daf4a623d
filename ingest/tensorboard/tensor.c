#include "ingest/tensorboard/tensor.h"

#include "base/cursor.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

enum dtype {
	DT_FLOAT = 1,
	DT_DOUBLE = 2,
	DT_INT32 = 3,
	DT_UINT8 = 4,
	DT_INT16 = 5,
	DT_INT8 = 6,
	DT_INT64 = 9,
	DT_BOOL = 10,
	DT_BFLOAT16 = 14,
	DT_UINT16 = 17,
	DT_HALF = 19,
	DT_UINT32 = 22,
	DT_UINT64 = 23,
};

/* The field numbers of TensorProto in tensor.proto and of TensorShapeProto in tensor_shape.proto. */
enum {
	TENSOR_DTYPE = 1,
	TENSOR_SHAPE = 2,
	TENSOR_CONTENT = 4,
	TENSOR_FLOAT_VAL = 5,
	TENSOR_DOUBLE_VAL = 6,
	TENSOR_INT_VAL = 7,
	TENSOR_INT64_VAL = 10,
	TENSOR_BOOL_VAL = 11,
	TENSOR_HALF_VAL = 13, /* for half and bfloat16 */
	TENSOR_UINT32_VAL = 16,
	TENSOR_UINT64_VAL = 17,
	SHAPE_DIM = 2,
	SHAPE_UNKNOWN_RANK = 3,
	DIM_SIZE = 1,
};

struct parts {
	uint64_t dtype;
	bool many; /* its shape is not that of one number */
	struct ts_span content; /* raw bytes, little-endian */
	bool has_value;		/* in a repeated field, its first element was read */
	uint32_t field;
	uint64_t bits;
	bool broken;
};

static double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double fraction = bits & 1023, value;

	if (exponent == 31)
		value = fraction > 0 ? (double)NAN : HUGE_VAL;
	else
		value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
	return bits & 0x8000 ? -value : value;
}

static double bfloat_value(uint16_t bits)
{
	return ts_pb_float((uint64_t)bits << 16);
}

/* Reads the first element of a repeated number, packed or not. */
static void first_value(struct parts *p, const struct ts_pb_field *f, size_t width)
{
	struct ts_pb packed = ts_pb_of(f->bytes);

	if (p->has_value)
		return;
	p->field = f->number;
	if (f->wire != TS_PB_BYTES) {
		p->has_value = true;
		p->bits = f->value;
		return;
	}
	if (f->bytes.len == 0)
		return;
	p->has_value = true;
	if (width == 0) {
		p->broken |= !ts_pb_varint(&packed, &p->bits);
	} else if (f->bytes.len < width) {
		p->broken = true;
	} else {
		p->bits = ts_load_le(f->bytes.data, (int)width);
	}
}

/* Asks whether the tensor has one element: it has no dimension, or each has the size 1. Loggers write a scalar in both ways. */
static bool has_one(struct ts_span shape, bool *broken)
{
	struct ts_pb pb = ts_pb_of(shape);
	struct ts_pb_field f, size;
	bool one = true;

	while (ts_pb_next(&pb, &f)) {
		struct ts_pb dim = ts_pb_of(f.bytes);
		uint64_t n = 0;

		one &= f.number != SHAPE_UNKNOWN_RANK || !f.value;
		if (f.number != SHAPE_DIM || f.wire != TS_PB_BYTES)
			continue;
		while (ts_pb_next(&dim, &size))
			n = size.number == DIM_SIZE ? size.value : n;
		one &= n == 1;
		*broken |= dim.broken;
	}
	*broken |= pb.broken;
	return one;
}

static struct parts parts_of(struct ts_span message)
{
	struct ts_pb pb = ts_pb_of(message);
	struct ts_pb_field f;
	struct parts p = {0};

	while (ts_pb_next(&pb, &f)) {
		switch (f.number) {
		case TENSOR_DTYPE:
			p.dtype = f.value;
			break;
		case TENSOR_SHAPE:
			p.many = !has_one(f.bytes, &p.broken);
			break;
		case TENSOR_CONTENT:
			p.content = f.bytes;
			break;
		case TENSOR_FLOAT_VAL:
			first_value(&p, &f, 4);
			break;
		case TENSOR_DOUBLE_VAL:
			first_value(&p, &f, 8);
			break;
		case TENSOR_INT_VAL:
		case TENSOR_INT64_VAL:
		case TENSOR_BOOL_VAL:
		case TENSOR_HALF_VAL:
		case TENSOR_UINT32_VAL:
		case TENSOR_UINT64_VAL:
			first_value(&p, &f, 0);
			break;
		default:
			break;
		}
	}
	p.broken |= pb.broken;
	return p;
}

static size_t width_of(uint64_t dtype)
{
	switch (dtype) {
	case DT_DOUBLE:
	case DT_INT64:
	case DT_UINT64:
		return 8;
	case DT_FLOAT:
	case DT_INT32:
	case DT_UINT32:
		return 4;
	case DT_INT16:
	case DT_UINT16:
	case DT_HALF:
	case DT_BFLOAT16:
		return 2;
	case DT_INT8:
	case DT_UINT8:
	case DT_BOOL:
		return 1;
	default:
		return 0;
	}
}

/* Makes a number of bits of the type. For signed integers in content, the upper bits must still be filled. */
static double value_of(uint64_t dtype, uint64_t bits)
{
	switch (dtype) {
	case DT_FLOAT:
		return ts_pb_float(bits);
	case DT_DOUBLE:
		return ts_bits_double(bits);
	case DT_HALF:
		return half_value((uint16_t)bits);
	case DT_BFLOAT16:
		return bfloat_value((uint16_t)bits);
	case DT_INT8:
		return (int8_t)bits;
	case DT_INT16:
		return (int16_t)bits;
	case DT_INT32:
		return (int32_t)bits;
	case DT_INT64:
		return (double)(int64_t)bits;
	default:
		return (double)bits;
	}
}

/* Returns whether this field holds the values of the type. */
static bool holds(uint64_t dtype, uint32_t field)
{
	switch (dtype) {
	case DT_FLOAT:
		return field == TENSOR_FLOAT_VAL;
	case DT_DOUBLE:
		return field == TENSOR_DOUBLE_VAL;
	case DT_INT64:
		return field == TENSOR_INT64_VAL;
	case DT_BOOL:
		return field == TENSOR_BOOL_VAL;
	case DT_HALF:
	case DT_BFLOAT16:
		return field == TENSOR_HALF_VAL;
	case DT_UINT32:
		return field == TENSOR_UINT32_VAL;
	case DT_UINT64:
		return field == TENSOR_UINT64_VAL;
	default:
		return field == TENSOR_INT_VAL;
	}
}

enum ts_tensor_kind ts_tensor_scalar(struct ts_span message, struct ts_tensor *ret_tensor)
{
	struct parts p = parts_of(message);
	size_t width = width_of(p.dtype);
	bool narrow = p.dtype == DT_FLOAT || p.dtype == DT_HALF || p.dtype == DT_BFLOAT16;

	if (p.broken)
		return TS_TENSOR_BROKEN;
	if (p.many || width == 0)
		return TS_TENSOR_OTHER;
	if (p.content.len) {
		if (p.content.len != width)
			return TS_TENSOR_BROKEN;
		p.bits = ts_load_le(p.content.data, (int)width);
	} else if (p.has_value && !holds(p.dtype, p.field)) {
		return TS_TENSOR_BROKEN;
	}
	/* A tensor without content and without a value is all zeros: zeros may be written in this way. */
	*ret_tensor = (struct ts_tensor){value_of(p.dtype, p.bits), narrow ? TS_PRECISION_F32 : TS_PRECISION_F64};
	return TS_TENSOR_NUMBER;
}
