#include "run/sketch_sums.h"

#include "base/base64.h"
#include "base/cursor.h"

#include <math.h>
#include <string.h>

bool ts_sketch_sums_parse(struct ts_span text, double ret_sums[TS_SKETCH_SUMS])
{
	uint8_t bytes[TS_SKETCH_SUMS * sizeof(double)];
	size_t at;

	/* The text that these bytes have: of another length it may be valid base64 and have no room. */
	if (text.len != (sizeof bytes + 2) / 3 * 4 || ts_base64_len(text) != sizeof bytes || !ts_base64_parse(text, bytes, &at))
		return false;
	for (size_t i = 0; i < TS_SKETCH_SUMS; i++) {
		uint64_t bits = ts_load_le(bytes + i * sizeof bits, sizeof bits);

		memcpy(&ret_sums[i], &bits, sizeof bits);
		if (!isfinite(ret_sums[i]))
			return false;
	}
	return true;
}
