/* Reads arbitrary bytes as an object: no decoder may crash, and what decodes must encode to the same bytes. */
#include "run/test_roundtrip.h"

#include "base/digest.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ts_error err;

	if (ts_digest_init(&err))
		abort();
	test_roundtrip(ts_span_of(data, size), &err);
	return 0;
}
