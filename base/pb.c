#include "base/pb.h"

#include <string.h>

bool ts_pb_varint_at(const uint8_t **at, const uint8_t *end, uint64_t *ret_value)
{
	const uint8_t *p = *at;
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
		uint8_t byte = *p++;

		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*at = p;
			*ret_value = value;
			return true;
		}
	}
	return false;
}

double ts_pb_float(uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	float value;

	memcpy(&value, &narrow, sizeof value);
	return (double)value;
}
