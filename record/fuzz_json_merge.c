/* Any two texts, one laid over the other: no crash, and what comes of two objects is one. The first byte says where the second
 * begins. */
#include "record/json_merge.h"
#include "record/utf8.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	size_t cut, len, at;
	char *merged;

	if (size < 1)
		return 0;
	size--;
	cut = data[0] < size ? data[0] : size;
	if (ts_record_utf8_cut(text, size, cut) > size)
		abort();
	if (!ts_record_json_check(text, cut, &at) || !ts_record_json_check(text + cut, size - cut, &at))
		return 0;
	merged = ts_record_json_merge(text, cut, text + cut, size - cut, &len);
	if (merged && !ts_record_json_check(merged, len, &at))
		abort();
	free(merged);
	return 0;
}
